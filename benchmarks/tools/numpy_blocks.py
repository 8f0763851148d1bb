"""A floor: NumPy in blocks that stay in the cache, without any check, for grades from 1 to 7.

It takes the ranks as they are, trusts that no pair stands twice, that integer ids are dense, and
that lists are in the same order of users as the relevance rows if they are grouped at all.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pandas as pd

from . import names

BLOCK = 50_000  # relevance rows
GRADE, RANK = 3, 8  # bits


def run(recs, truth, k):
    """A key (user, item, grade) for each relevance row, sorted; hits are found in the keys."""
    (known_user, user), users, (known_item, item), items = _codes(truth, recs)
    grade, rank = truth["relevance"].to_numpy(), recs["rank"].to_numpy()
    bits = int(items).bit_length()
    weight = np.append(0, 1 / np.log2(np.arange(2, k + 2)))
    out = np.zeros((len(names(k)), users.size))
    judged = np.zeros(users.size, bool)

    strange = user > known_user.max()  # text ids are numbered as they come, judged users first
    if strange.any():
        user, item, rank = user[~strange], item[~strange], rank[~strange]
    grouped = _ascending(known_user) and _ascending(user)
    if not grouped:
        keys = ((known_user << bits) + known_item << GRADE) + grade
        keys.sort()
        known_user = keys >> bits + GRADE
        found = _promising(_sets(keys, bits, 0, users.size), user, item)
        hits = ((user[found] << bits) + item[found] << RANK) + rank[found]
        hits.sort()
        user, item = hits >> bits + RANK, hits >> RANK & (1 << bits) - 1
        rank = hits & (1 << RANK) - 1

    first = np.unique(np.concatenate([[0], known_user[BLOCK::BLOCK], [users.size]]))
    edges = zip(
        first, np.searchsorted(known_user, first), np.searchsorted(user, first), strict=True
    )
    for (low, *starts), (high, *ends) in pairwise(edges):
        mine, theirs = map(slice, starts, ends)
        u, i, r = user[theirs], item[theirs], rank[theirs]
        if grouped:
            own = ((known_user[mine] << bits) + known_item[mine] << GRADE) + grade[mine]
            own.sort()
            found = _promising(_sets(own, bits, low, high), u - low, i)
            u, i, r = u[found], i[found], r[found]
        else:
            own = keys[mine]
        _block(out[:, low:high], judged[low:high], own, u, i, r, low, bits, k, weight)

    values = dict(zip(names(k), out[:, judged], strict=True))
    per_user = pd.DataFrame(values, index=users[judged], copy=False)
    return per_user, {name: column.mean() for name, column in values.items()}


def _block(out, judged, own, user, item, rank, low, bits, k, weight):
    """The six measures of some users, from their sorted keys and the rows that may be hits."""
    n = judged.size
    sought = (user << bits) + item
    place = np.searchsorted(own, sought << GRADE)
    place[place == own.size] = 0
    hit = own[place] >> GRADE == sought
    hit &= rank <= k
    gain, user, rank = own[place[hit]] & 7, user[hit] - low, rank[hit]
    by_rank = (user << RANK) + rank
    if not _ascending(by_rank):
        order = np.argsort(by_rank)
        gain, user, rank = gain[order], user[order], rank[order]

    found = np.bincount(user, minlength=n)
    before = np.cumsum(found) - found
    nth = np.arange(1, user.size + 1) - before[user]
    first = nth == 1
    # An item of grade g counts once for each grade from 1 to g; sums over these are the ideal.
    owner = (own >> bits + GRADE) - low
    grades = np.bincount((owner << GRADE) + (own & 7), minlength=n << GRADE).reshape(n, -1)
    at_least = np.cumsum(grades[:, :0:-1], axis=1)
    relevant = at_least[:, -1]
    ideal = np.cumsum(weight)[np.minimum(at_least, k)].sum(axis=1)
    judged[:] = relevant > 0
    relevant, ideal = np.maximum(relevant, 1), np.where(judged, ideal, 1)

    hr, mrr, ap, ndcg, precision, recall = out
    hr[:] = found > 0
    mrr[user[first]] = 1 / rank[first]
    np.divide(np.bincount(user, nth / rank, n), relevant, out=ap)
    np.divide(np.bincount(user, gain * weight[rank], n), ideal, out=ndcg)
    np.divide(found, k, out=precision)
    np.divide(found, relevant, out=recall)


def _sets(keys, bits, low, high):
    """For each user a set of items in 64 bits, by the items' last six."""
    user = keys >> bits + GRADE
    starts = np.flatnonzero(np.diff(user, prepend=-1))
    sets = np.zeros(high - low, np.uint64)
    bit = np.left_shift(np.uint64(1), (keys >> GRADE & 63).view(np.uint64))
    sets[user[starts] - low] = np.bitwise_or.reduceat(bit, starts)
    return sets


def _promising(sets, user, item):
    """Rows that may be hits; most others are discarded without a search."""
    return np.flatnonzero(sets[user] >> (item & 63).view(np.uint64) & np.uint64(1))


def _ascending(values):
    return not (values[1:] < values[:-1]).any()


def _codes(truth, recs):
    """Users and items of both tables as small integers, and the users behind them."""
    if pd.api.types.is_integer_dtype(truth["user"]):
        user = [table["user"].to_numpy() for table in (truth, recs)]
        item = [table["item"].to_numpy() for table in (truth, recs)]
        return user, np.arange(1 + max(u.max() for u in user)), item, max(i.max() for i in item)
    with ThreadPoolExecutor(2) as pool:
        (user, users), (item, items) = pool.map(
            lambda name: _encoded(truth[name], recs[name]), ("user", "item")
        )
    return user, users, item, items.size


def _encoded(*columns):
    import pyarrow as pa

    both = pa.chunked_array([chunk for c in columns for chunk in pa.array(c).chunks])
    coded = both.dictionary_encode()
    codes = coded.combine_chunks().indices.to_numpy().astype(np.int64)
    names = coded.chunk(0).dictionary
    return np.split(codes, [len(columns[0])]), names.to_pandas()
