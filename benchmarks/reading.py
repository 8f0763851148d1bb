"""Time of reading tables, compared with `pandas.read_csv`, which checks less.

Run ``python -m benchmarks.reading`` to write the table into docs/benchmarks.md. pandas and receval
take turns at reading each file several times, and the best time of each counts.
"""

from __future__ import annotations

import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.page import DOCS, put, table
from receval import read_qrels, read_ratings, read_run, read_table

ROWS, ROUNDS = 754_400, 15
SPACED = {"sep": r"\s+", "header": None}


def files(folder, rows=ROWS):
    """Write the files; map a description to the path, pandas' options and receval's reader."""
    rng = np.random.default_rng(0)
    user, item = np.sort(rng.integers(1, 100_000, rows)), rng.integers(1, 50_000, rows)
    plain = pd.DataFrame({"user": user, "item": item, "score": rng.random(rows).round(6)})
    text = plain.assign(user=plain["user"].map("u{:07d}".format), item=item.astype(str))
    padded = plain.assign(user=plain["user"].map("{:07d}".format))
    long = plain.assign(score=rng.random(rows))  # with all digits, about 18 characters
    for name, one in {"whole": plain, "text": text, "padded": padded, "long": long}.items():
        one.to_csv(folder / f"{name}.csv", index=False)
    run = text.assign(q="Q0", rank=item % 10 + 1, tag="bm25")
    run = run[["user", "q", "item", "rank", "score", "tag"]]
    run.to_csv(folder / "run", sep=" ", header=False, index=False)
    lines = (folder / "run").read_text(encoding="utf-8")
    (folder / "tabs").write_text(lines.replace(" ", "\t"), encoding="utf-8")
    (folder / "blanks").write_text(lines.replace(" ", "  "), encoding="utf-8")
    qrels = text.assign(q=0, relevance=item % 5)[["user", "q", "item", "relevance"]]
    qrels.to_csv(folder / "qrels", sep=" ", header=False, index=False)
    ratings = partial(read_ratings, header=True)
    return {
        "CSV: integer ids, scores": (folder / "whole.csv", {}, read_table),
        "CSV: text ids, scores": (folder / "text.csv", {}, read_table),
        "CSV: integer ids, scores with 17 digits": (folder / "long.csv", {}, read_table),
        'CSV: ids such as "0000007"': (folder / "padded.csv", {}, read_table),
        "ratings": (folder / "whole.csv", {}, ratings),
        "TREC run": (folder / "run", SPACED, read_run),
        "TREC run, tabs": (folder / "tabs", SPACED, read_run),
        "TREC run, two spaces": (folder / "blanks", SPACED, read_run),
        "TREC qrels": (folder / "qrels", SPACED, read_qrels),
    }


def seconds(work):
    """Return the seconds that a call takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main():
    with tempfile.TemporaryDirectory() as folder:
        rows = []
        for what, (path, how, read) in files(Path(folder)).items():
            pairs = [
                (seconds(partial(pd.read_csv, path, **how)), seconds(partial(read, path)))
                for _ in range(ROUNDS)
            ]
            pandas, own = map(min, zip(*pairs, strict=True))
            rows.append((what, f"{pandas / ROWS * 1e9:.0f}", f"{own / pandas:.2g} ×"))
    shown = table((f"{ROWS:,} rows", "pandas, ns per row", "receval / pandas"), rows)
    put("reading", shown, DOCS / "benchmarks.md")
    print(shown)


if __name__ == "__main__":
    main()
