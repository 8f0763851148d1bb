"""A floor: NumPy in blocks that stay in the cache, without any check, for grades from 1 to 7.

It does not check the ranks. It assumes that no pair occurs twice, that integer ids are dense, and
that grouped lists are in the same order of users as the relevance rows.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from . import names

BLOCK = 50_000  # relevance rows
GRADE, RANK = 3, 8  # bits


def run(recs, truth, k, sort=None):
    """Sort the relevance rows by a key (user, item, grade), and look up hits in the keys."""
    (known_user, user), users, (known_item, item), items = _codes(truth, recs)
    grade, rank = truth["relevance"].to_numpy(), recs["rank"].to_numpy()
    bits = int(items).bit_length()
    weight = np.append(0, 1 / np.log2(np.arange(2, k + 2)))
    out = np.zeros((len(names(k)), users.size))
    judged = np.zeros(users.size, bool)

    if min(user.min(), item.min()) < 0:  # text that the relevance rows do not hold
        known = (user >= 0) & (item >= 0)
        user, item, rank = user[known], item[known], rank[known]
    grouped = _ascending(known_user) and _ascending(user)
    if not grouped:
        keys = ((known_user << bits) + known_item << GRADE) + grade
        keys = _by_user(known_user, keys, users.size, sort)
        known_user = keys >> bits + GRADE
        sets = _sets(keys >> GRADE, np.bincount(known_user, minlength=users.size))
        rows = _promising(sets, user, item)
        hits = ((user[rows] << bits) + item[rows] << RANK) + rank[rows]
        hits = _by_user(user[rows], hits, users.size, sort)
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
            own.sort(kind=sort)
        else:
            own = keys[mine]
        _block(out[:, low:high], judged[low:high], own, u, i, r, low, bits, k, weight, grouped)

    values = dict(zip(names(k), out[:, judged], strict=True))
    per_user = pd.DataFrame(values, index=users[judged], copy=False)
    return per_user, {name: column.mean() for name, column in values.items()}


def _block(out, judged, own, user, item, rank, low, bits, k, weight, grouped):
    """Compute the six measures of some users from their sorted keys and their recommendations."""
    n = judged.size
    # An item of grade g counts once for each grade from 1 to g; sums over these are the ideal.
    owner = (own >> bits + GRADE) - low
    grades = np.bincount((owner << GRADE) + (own & 7), minlength=n << GRADE).reshape(n, -1)
    at_least = np.cumsum(grades[:, :0:-1], axis=1)
    ideal = np.cumsum(weight)[np.minimum(at_least, k)].sum(axis=1)
    relevant = at_least[:, -1]
    judged[:] = relevant > 0

    if grouped:
        rows = _promising(_sets(own >> GRADE, relevant), user - low, item)
        user, item, rank = user[rows], item[rows], rank[rows]
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
    nth = np.arange(1, user.size + 1) - (np.cumsum(found) - found)[user]
    first = nth == 1

    hr, mrr, ap, ndcg, precision, recall = out
    relevant, ideal = np.maximum(relevant, 1), np.where(judged, ideal, 1)
    hr[:] = found > 0
    mrr[user[first]] = 1 / rank[first]
    np.divide(np.bincount(user, nth / rank, n), relevant, out=ap)
    np.divide(np.bincount(user, gain * weight[rank], n), ideal, out=ndcg)
    np.divide(found, k, out=precision)
    np.divide(found, relevant, out=recall)


def _by_user(user, keys, n, sort):
    """Sort the keys: a radix pass over 16 bits of the user, then a sort of nearly sorted keys."""
    leading = (user >> max(0, int(n).bit_length() - 16)).astype(np.uint16)
    keys = keys[np.argsort(leading, kind="stable")]
    keys.sort(kind=sort)
    return keys


def _sets(items, count):
    """Return a 64-bit set of each user's items, by the last six bits of each item."""
    bit = np.left_shift(np.uint64(1), (items & 63).view(np.uint64))
    sets = np.zeros(count.size, np.uint64)
    some = count > 0
    sets[some] = np.bitwise_or.reduceat(bit, (np.cumsum(count) - count)[some])
    return sets


def _promising(sets, user, item):
    """Return the rows that may be hits. This discards most other rows without a search."""
    bit = np.left_shift(np.uint64(1), (item & 63).view(np.uint64))
    return np.flatnonzero((sets[user] & bit) != 0)


def _ascending(values):
    return not (values[1:] < values[:-1]).any()


def _codes(truth, recs):
    """Encode users and items of both tables as small integers; return the users as well."""
    if pd.api.types.is_integer_dtype(truth["user"]):
        user = [table["user"].to_numpy() for table in (truth, recs)]
        item = [table["item"].to_numpy() for table in (truth, recs)]
        return user, np.arange(1 + max(u.max() for u in user)), item, max(i.max() for i in item)
    with ThreadPoolExecutor(2) as pool:
        users = pool.submit(_encoded, truth["user"], recs["user"], runs=True)
        item, items = _encoded(truth["item"], recs["item"])
    user, users = users.result()
    return user, users, item, items.size


def _encoded(known, given, *, runs=False):
    """Return codes of two text columns in the order of the first; -1 is a text that it lacks.

    With ``runs``, ids that follow each other, as a user's do, are looked up once.
    """
    known, given = _words(known), _words(given)
    if runs:
        known, given = pc.run_end_encode(known), pc.run_end_encode(given)
        ends = known.run_ends, given.run_ends
        known, given = known.values, given.values
    coded = known.dictionary_encode()
    found = pc.index_in(given, value_set=coded.dictionary).fill_null(-1)
    codes = [one.to_numpy().astype(np.int64) for one in (coded.indices, found)]
    if runs:
        lengths = [np.diff(one.to_numpy(), prepend=0) for one in ends]
        codes = [np.repeat(one, length) for one, length in zip(codes, lengths, strict=True)]
    names = coded.dictionary
    if pa.types.is_integer(names.type):
        names = pa.array(names.to_numpy().view("S8")).cast(pa.large_string())
    return codes, names.to_pandas()


def _words(column):
    """Return text as an Arrow array, or as whole numbers if each text has eight bytes."""
    found = pa.array(column).cast(pa.large_string())  # pandas 2 has objects
    found = found.combine_chunks() if isinstance(found, pa.ChunkedArray) else found
    _, offsets, text = found.buffers()
    places = np.frombuffer(offsets, np.int64)[found.offset : found.offset + len(found) + 1]
    if (np.diff(places) != 8).any():
        return found
    return pa.array(np.frombuffer(text, np.uint8)[places[0] : places[-1]].view(np.int64))
