"""pandas: one merge for the hits, then sums by user."""

import numpy as np
import pandas as pd

from . import names


def run(recs, truth, k):
    hits = recs.loc[recs["rank"] <= k, ["user", "item", "rank"]].merge(truth, on=["user", "item"])
    hits = hits.sort_values(["user", "rank"])
    hits["dcg"] = hits["relevance"] / np.log2(hits["rank"] + 1)
    hits["ap"] = (hits.groupby("user").cumcount() + 1) / hits["rank"]
    best = truth[["user", "relevance"]].sort_values(["user", "relevance"], ascending=[True, False])
    place = best.groupby("user").cumcount() + 1
    best["ideal"] = np.where(place <= k, best["relevance"] / np.log2(place + 1), 0)
    of = best.groupby("user")["ideal"].agg(["size", "sum"])
    found = hits.groupby("user").agg(
        hits=("rank", "size"), first=("rank", "min"), ap=("ap", "sum"), dcg=("dcg", "sum")
    )
    found = found.reindex(of.index)
    values = [
        found["hits"] > 0,
        1 / found["first"],
        found["ap"] / of["size"],
        found["dcg"] / of["sum"],
        found["hits"] / k,
        found["hits"] / of["size"],
    ]
    per_user = pd.concat(values, axis=1, keys=names(k)).fillna(0.0)
    return per_user, per_user.mean().to_dict()
