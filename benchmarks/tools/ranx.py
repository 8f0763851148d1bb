"""ranx, from frames. It needs ids as text objects."""

import pandas as pd
from ranx import Qrels, Run, evaluate

from . import names

KINDS = ("hit_rate", "mrr", "map", "ndcg", "precision", "recall")


def run(recs, truth, k):
    qrels = Qrels.from_df(_text(truth, "relevance"), "user", "item", "relevance")
    found = Run.from_df(_text(recs, "score"), "user", "item", "score")
    asked = [f"{kind}@{k}" for kind in KINDS]
    values = evaluate(qrels, found, asked, return_mean=False, make_comparable=True)
    per_user = pd.DataFrame(values, index=list(qrels.keys())).set_axis(names(k), axis=1)
    return per_user, per_user.mean().to_dict()


def _text(table, value):
    return (
        table[["user", "item", value]]
        .astype({"user": str, "item": str})
        .astype({"user": object, "item": object})
    )
