"""Record what a tool returns for the two tables of ``docs/coming_from.md``.

Run it in a separate environment that has the tool, but not receval:

    python -m venv env && env/bin/pip install rectools==0.19.0
    env/bin/python tests/recorded/pages.py rectools

(or ``pyterrier`` with pyterrier==1.1.2, or ``recommenders`` with pandas==2.2.3, numpy==1.26.4 and
scikit-learn, and then ``pip install --no-deps recommenders==1.2.1``). It writes
``page_<tool>.json``: versions, the two tables, and each value of the page with every digit. The
calls below are those that the page shows.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
RUN = {"ann": {"a": 0.9, "b": 0.8, "c": 0.7}, "bob": {"x": 0.5, "y": 0.5, "z": 0.4}}
QRELS = {"ann": {"a": 1, "c": 3, "d": 2}, "bob": {"y": 1}, "cem": {"z": 1}}


def as_frame(numbers_by_user, columns):
    """Return nested dicts as a frame with a row for each pair of user and item."""
    rows = []
    for user, numbers in numbers_by_user.items():
        rows += [(user, item, number) for item, number in numbers.items()]
    return pd.DataFrame(rows, columns=columns)


def rectools():
    from rectools.metrics import MAP, MRR, NDCG, calc_metrics

    reco = as_frame(RUN, ["user_id", "item_id", "score"])
    reco["rank"] = reco.groupby("user_id").cumcount() + 1
    interactions = as_frame(QRELS, ["user_id", "item_id", "weight"])
    metrics = {
        "NDCG@10": NDCG(10),
        "MRR@10": MRR(10),
        "MAP@2": MAP(2),
        "NDCG@10 achievable": NDCG(10, divide_by_achievable=True),
    }
    return calc_metrics(metrics, reco, interactions)


def pyterrier():
    import pyterrier as pt
    from pyterrier.measures import AP, RR, nDCG

    results = as_frame(RUN, ["qid", "docno", "score"])
    qrels = as_frame(QRELS, ["qid", "docno", "label"])
    return pt.Evaluate(results, qrels, metrics=[nDCG @ 10, RR, AP @ 2])


def recommenders():
    from recommenders.evaluation.python_evaluation import (
        map,
        map_at_k,
        ndcg_at_k,
        precision_at_k,
        recall_at_k,
    )

    predictions = as_frame(RUN, ["userID", "itemID", "prediction"])
    truth = as_frame(QRELS, ["userID", "itemID", "rating"])
    functions = (precision_at_k, recall_at_k, map_at_k, ndcg_at_k, map)
    return {function.__name__: function(truth, predictions, k=10) for function in functions}


TOOLS = {"rectools": rectools, "pyterrier": pyterrier, "recommenders": recommenders}
PACKAGES = {
    "rectools": ("RecTools", "pandas", "numpy"),
    "recommenders": ("recommenders", "pandas", "numpy"),
    "pyterrier": ("pyterrier", "ir_measures", "pandas", "numpy"),
}

if __name__ == "__main__":
    tool = sys.argv[1]
    values = {str(name): float(value) for name, value in TOOLS[tool]().items()}
    record = {
        "versions": {name: version(name) for name in PACKAGES[tool]},
        "python": ".".join(map(str, sys.version_info[:3])),
        "run": RUN,
        "qrels": QRELS,
        "values": values,
    }
    (HERE / f"page_{tool}.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
