"""ir-measures, from frames. RR has no cut-off, so that it does not need a second program."""

import ir_measures
import pandas as pd
from ir_measures import AP, RR, P, R, Success, nDCG

from . import names


def run(recs, truth, k):
    asked = dict(zip([Success @ k, RR, AP @ k, nDCG @ k, P @ k, R @ k], names(k), strict=True))
    qrels = _text(truth, "relevance", "relevance")
    found = _text(recs, "score", "score")
    values = {name: {} for name in names(k)}
    for one in ir_measures.iter_calc(list(asked), qrels, found):
        values[asked[one.measure]][one.query_id] = one.value
    per_user = pd.DataFrame(values)
    return per_user, per_user.mean().to_dict()


def _text(table, value, label):
    found = table[["user", "item", value]].astype({"user": str, "item": str})
    return found.set_axis(["query_id", "doc_id", label], axis=1)
