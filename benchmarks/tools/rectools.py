"""RecTools: merges once for all measures, as its ``calc_metrics`` does, and uses ranks."""

import pandas as pd
from rectools import Columns
from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall
from rectools.metrics.base import merge_reco
from rectools.metrics.classification import calc_confusions

from . import names

IDS = {"user": Columns.User, "item": Columns.Item, "rank": Columns.Rank}


def prepare(recs, truth):
    return recs.rename(columns=IDS), truth.rename(columns=IDS)


def run(recs, truth, k):
    merged = merge_reco(recs, truth)
    counts = calc_confusions(merged, k)
    mean_precision = MAP(k=k)
    values = [
        HitRate(k=k).calc_per_user_from_confusion_df(counts),
        MRR(k=k).calc_per_user_from_merged(merged),
        mean_precision.calc_per_user_from_fitted(mean_precision.fit(merged, k)),
        NDCG(k=k).calc_per_user_from_merged(merged),
        Precision(k=k).calc_per_user_from_confusion_df(counts),
        Recall(k=k).calc_per_user_from_confusion_df(counts),
    ]
    per_user = pd.concat(values, axis=1, keys=names(k))
    return per_user, per_user.mean().to_dict()
