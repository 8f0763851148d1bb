"""Processor time of the command line, compared with that of the import alone.

Run ``python -m benchmarks.starting`` to write the table into docs/benchmarks.md. Both run in fresh
processes and take turns, and the best of several times counts.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.page import DOCS, put, table

USERS, LISTED, ITEMS, ROUNDS = 1_000, 100, 5_000, 7
IMPORT = ("-c", "import receval")


def write(folder, users=USERS):
    """Write two CSV files, of recommended and of relevant items: a hundred of each per user."""
    rng, paths = np.random.default_rng(0), []
    for name, number in (("recs", "score"), ("truth", "relevance")):
        items = [rng.choice(ITEMS, LISTED, replace=False) for _ in range(users)]
        rows = {"user": np.arange(users).repeat(LISTED), "item": np.concatenate(items)}
        numbers = rng.random(users * LISTED).round(6) if number == "score" else 1
        paths.append(folder / f"{name}.csv")
        pd.DataFrame(rows | {number: numbers}).to_csv(paths[-1], index=False)
    return paths


def processor_time(*arguments):
    """Return the processor time of a fresh Python, in seconds (user and system)."""
    import resource  # not on Windows

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(users=USERS, rounds=ROUNDS, page=DOCS / "benchmarks.md"):
    with tempfile.TemporaryDirectory() as folder:
        evaluate = ("-m", "receval", "evaluate", *write(Path(folder), users))
        pairs = [(processor_time(*IMPORT), processor_time(*evaluate)) for _ in range(rounds)]
    alone, whole = map(min, zip(*pairs, strict=True))
    head = (
        f"two CSV files of {users * LISTED:,} rows",
        "processor time, s",
        "multiple of the import",
    )
    rows = [
        ('python -c "import receval"', f"{alone:.2f}", "1 ×"),
        ("receval evaluate recs.csv truth.csv", f"{whole:.2f}", f"{whole / alone:.2g} ×"),
    ]
    put("starting", table(head, rows), page)
    return whole / alone


if __name__ == "__main__":
    print(f"{main():.2g}")
