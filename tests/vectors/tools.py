"""The test vectors, and what RecTools returns for them.

The module doesn't import receval, so it also runs where only RecTools is installed:

    python tests/vectors/tools.py rectools

writes its values to ``tests/recorded/vectors_rectools.json``.
"""

import csv
import json
import re
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests/recorded/vectors_rectools.json"
FIELDS = ("ranked", "relevance", "measure", "k")
LEFT_OUT = float("nan")
OTHER = "other"  # a second user in each call, because some tools refuse empty tables


def read_vectors():
    """Return all vectors, each as a dict, with the kind of case that its file holds."""
    vectors = []
    for path in sorted((ROOT / "data/vectors").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for vector in csv.DictReader(file):
                vectors.append({"kind": path.stem.replace("_", " "), **vector})
    return vectors


def pairs_of(vector):
    return json.loads(vector["ranked"]), json.loads(vector["relevance"])


def measure_of(vector):
    """Return the measure without its parameter, the smallest relevant grade, and the cut-off."""
    family, level = re.fullmatch(r"(.+?)(?:\(rel=(\d+)\))?", vector["measure"]).groups()
    k = int(vector["k"]) if vector["k"] else None
    return family, int(level or 1), k


def by_rectools(vector):
    import pandas as pd
    from rectools import Columns, metrics

    ranked, relevance = pairs_of(vector)
    family, _, k = measure_of(vector)
    # RecTools takes ranks, so equal scores are in the order of the rows.
    in_order = sorted(ranked, key=lambda pair: -pair[1])
    lists = [(OTHER, "a", 1)]
    lists += [("user", item, rank) for rank, (item, _) in enumerate(in_order, 1)]
    relevant = [(OTHER, "a")] + [("user", item) for item, grade in relevance if grade > 0]
    kind = getattr(metrics, {"HR": "HitRate", "nDCG": "NDCG"}.get(family, family))
    values = kind(k=k).calc_per_user(
        pd.DataFrame(lists, columns=[Columns.User, Columns.Item, Columns.Rank]),
        pd.DataFrame(relevant, columns=[Columns.User, Columns.Item]),
    )
    return float(values.get("user", LEFT_OUT))


def answer_of(function, vector):
    """Return the value that a function of a vector returns, or "refused" if it raises an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sklearn warns where a value is undefined
        try:
            return function(vector)
        except ValueError:
            return "refused"


def record_rectools():
    """Write what RecTools returns for its vectors, and the inputs, which show a stale record."""
    vectors = [vector for vector in read_vectors() if vector["convention"] == "rectools"]
    answers = [
        {field: vector[field] for field in FIELDS} | {"answer": str(answer_of(by_rectools, vector))}
        for vector in vectors
    ]
    packages = ("rectools", "pandas", "numpy")
    record = {"versions": {name: version(name) for name in packages}, "answers": answers}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["rectools"]:
        sys.exit("usage: python tests/vectors/tools.py rectools")
    record_rectools()
