"""pytrec_eval-terrier: turns the frames into dicts of dicts, then calls trec_eval in C.

Its reciprocal rank has no cut-off; the lists are no longer than ``k``.
"""

from itertools import groupby
from operator import itemgetter

import pandas as pd
import pytrec_eval

from . import names


def run(recs, truth, k):
    cut = [f"{kind}_{k}" for kind in ("success", "map_cut", "ndcg_cut", "P", "recall")]
    hr, ap, ndcg, precision, recall = cut
    asked = {f"{kind}.{k}" for kind in ("success", "map_cut", "ndcg_cut", "P", "recall")}
    evaluator = pytrec_eval.RelevanceEvaluator(dicts(truth, "relevance"), asked | {"recip_rank"})
    found = evaluator.evaluate(dicts(recs, "score"))
    columns = [hr, "recip_rank", ap, ndcg, precision, recall]
    per_user = pd.DataFrame(list(found.values()), index=list(found), columns=columns)
    per_user.columns = names(k)
    return per_user, per_user.mean().to_dict()


def dicts(table, value):
    """Return a dict of users to dicts of items to values, with all ids as text."""
    user, item = (
        column if column.dtype == "str" else column.astype(str)
        for column in (table["user"], table["item"])
    )
    rows = zip(user.tolist(), item.tolist(), table[value].tolist(), strict=True)
    found = {}
    for own, group in groupby(rows, itemgetter(0)):
        of = found.setdefault(own, {})
        for _, name, number in group:
            of[name] = number
    return found
