"""LensKit: a sorted list for each user. Users without relevant items have to be left out."""

import numpy as np
from lenskit.data import ItemList, ItemListCollection
from lenskit.metrics import NDCG, Hit, Precision, Recall, RecipRank, RunAnalysis
from lenskit.metrics.ranking import AveragePrecision

from . import names


def run(recs, truth, k):
    analysis = RunAnalysis()
    kinds = (Hit, RecipRank, AveragePrecision, NDCG, Precision, Recall)
    for name, kind in zip(names(k), kinds, strict=True):
        analysis.add_metric(kind(n=k), label=name)
    judged = recs[recs["user"].isin(truth["user"])]
    lists, test = _lists(judged.sort_values(["user", "rank"])), _lists(truth.sort_values("user"))
    per_user = analysis.measure(lists, test).list_metrics(fill_missing=False)
    return per_user, per_user.mean().to_dict()


def _lists(table):
    """Return one list for each user of a table, in order. This is far faster than ``from_df``."""
    user, item = table["user"].to_numpy(), table["item"].to_numpy()
    starts = np.flatnonzero(np.append(True, user[1:] != user[:-1]))
    found = ItemListCollection(["user_id"])
    for own, items in zip(user[starts], np.split(item, starts[1:]), strict=True):
        found.add(ItemList(item_ids=items, ordered=True), user_id=own)
    return found
