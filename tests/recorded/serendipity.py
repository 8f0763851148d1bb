"""Record RecTools' serendipity on the two small tables; the histories are half of the relevance.

    python -m venv env && env/bin/pip install rectools==0.19.0
    env/bin/python tests/recorded/serendipity.py

It writes ``serendipity.json``: versions, and the value of every user at every cut-off. The history
holds the relevance rows of even items, so that some recommended items are cold. The catalogue is
100 to 129, which has all items of both tables.
"""

import json
from importlib.metadata import version
from pathlib import Path

import pandas as pd

HERE = Path(__file__).parent
CUTOFFS = (1, 3, 5, 10)
CATALOGUE = range(100, 130)

if __name__ == "__main__":
    from rectools import Columns
    from rectools.metrics import Serendipity

    recs = pd.read_csv(HERE / "recommendations.csv")
    truth = pd.read_csv(HERE / "relevance.csv")
    ids = {"user": Columns.User, "item": Columns.Item}
    ranked = recs.sort_values("score", ascending=False, kind="stable").rename(columns=ids)
    ranked[Columns.Rank] = ranked.groupby(Columns.User).cumcount() + 1
    relevant = truth[truth["relevance"] > 0].rename(columns=ids)
    history = truth[truth["item"] % 2 == 0].rename(columns=ids)
    values = {}
    for k in CUTOFFS:
        column = Serendipity(k=k).calc_per_user(ranked, relevant, history, CATALOGUE)
        values[f"Serendipity@{k}"] = {str(u): float(v) for u, v in sorted(column.items())}
    record = {
        "versions": {name: version(name) for name in ("RecTools", "pandas", "numpy")},
        "values": values,
    }
    (HERE / "serendipity.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
