"""Record the results of a tool that needs another version of pandas, on two small tables.

Run it in a separate environment that has the tool, but not receval:

    python -m venv env && env/bin/pip install rectools==0.19.0
    env/bin/python tests/recorded/record.py rectools

(or ``replay`` with replay-rec==0.22.0, ``lenskit`` with lenskit==2025.8.1). It reads
``recommendations.csv`` and ``relevance.csv`` in this folder and writes ``<tool>.json``: versions,
and the value of every user under every measure, with every digit. The tables have ties, lists
shorter than the cut-offs, grades of 0, users in one table only, and users without a relevant item.
The tools don't support grades, so they get the pairs with a grade above 0.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
CUTOFFS = (1, 3, 5, 10)


def rectools(recs, relevant):
    from rectools import Columns
    from rectools.metrics import MAP, MRR, NDCG, HitRate, Precision, Recall

    ranked = recs.sort_values("score", ascending=False, kind="stable")
    ranked[Columns.Rank] = ranked.groupby("user").cumcount() + 1
    ids = {"user": Columns.User, "item": Columns.Item}
    reco, interactions = ranked.rename(columns=ids), relevant.rename(columns=ids)
    kinds = {
        "HR": HitRate,
        "MRR": MRR,
        "MAP": MAP,
        "nDCG": NDCG,
        "Precision": Precision,
        "Recall": Recall,
    }
    for k in CUTOFFS:
        for name, kind in kinds.items():
            yield f"{name}@{k}", kind(k=k).calc_per_user(reco, interactions)
        achievable = NDCG(k=k, divide_by_achievable=True)
        yield f"nDCG@{k} achievable", achievable.calc_per_user(reco, interactions)
        yield f"MAP@{k} divide_by_k", MAP(k=k, divide_by_k=True).calc_per_user(reco, interactions)


def replay(recs, relevant):
    from replay.metrics import MAP, MRR, NDCG, HitRate, PerUser, Precision, Recall

    ids = {"query_column": "user", "item_column": "item", "rating_column": "score"}
    kinds = {
        "HR": HitRate,
        "MRR": MRR,
        "MAP": MAP,
        "nDCG": NDCG,
        "Precision": Precision,
        "Recall": Recall,
    }
    for name, kind in kinds.items():
        found = kind(list(CUTOFFS), mode=PerUser(), **ids)(recs, relevant)
        for k in CUTOFFS:
            yield f"{name}@{k}", pd.Series(found[f"{kind.__name__}-PerUser@{k}"])


def lenskit(recs, relevant):
    from lenskit.data import ItemList, ItemListCollection
    from lenskit.metrics import (
        DCG,
        NDCG,
        Hit,
        Precision,
        Recall,
        RecipRank,
        RunAnalysis,
    )
    from lenskit.metrics.ranking import AveragePrecision

    ranked = recs.sort_values("score", ascending=False, kind="stable")
    outputs, test = ItemListCollection(["user_id"]), ItemListCollection(["user_id"])
    tested = set(relevant["user"])
    for user, rows in ranked.groupby("user"):
        if user in tested:  # without test items some of its metrics divide by zero
            outputs.add(ItemList(item_ids=rows["item"].to_numpy(), ordered=True), user_id=user)
    for user, rows in relevant.groupby("user"):
        rating = rows["relevance"].to_numpy(float)
        test.add(ItemList(item_ids=rows["item"].to_numpy(), rating=rating), user_id=user)
    kinds = {
        "HR": Hit,
        "MRR": RecipRank,
        "MAP": AveragePrecision,
        "nDCG": NDCG,
        "DCG": DCG,
        "Precision": Precision,
        "Recall": Recall,
    }
    analysis = RunAnalysis()
    for k in CUTOFFS:
        for name, kind in kinds.items():
            analysis.add_metric(kind(n=k), label=f"{name}@{k}")
        analysis.add_metric(NDCG(n=k, gain="rating"), label=f"nDCG@{k} graded")
    for name, values in analysis.measure(outputs, test).list_metrics(fill_missing=False).items():
        yield name, values


TOOLS = {"rectools": rectools, "replay": replay, "lenskit": lenskit}
PACKAGES = {"rectools": "RecTools", "replay": "replay-rec", "lenskit": "lenskit"}

if __name__ == "__main__":
    tool = sys.argv[1]
    recs = pd.read_csv(HERE / "recommendations.csv")
    truth = pd.read_csv(HERE / "relevance.csv")
    relevant = truth[truth["relevance"] > 0].reset_index(drop=True)
    values = {
        name: {str(user): float(value) for user, value in sorted(column.items())}
        for name, column in TOOLS[tool](recs, relevant)
    }
    packages = (PACKAGES[tool], "pandas", "numpy")
    record = {
        "versions": {name: version(name) for name in packages},
        "python": ".".join(map(str, sys.version_info[:3])),
        "values": values,
    }
    (HERE / f"{tool}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
