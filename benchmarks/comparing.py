"""Comparing thirty systems, in units of one `scipy.stats.bootstrap` of a mean.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.comparing`` (threads that wait count too); the
table goes into ``docs/scale.md``. The units are of processor time in the same run, so that the
machine's load divides out. The seconds are those that a user waits.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks import page
from receval import evaluate

USERS, SYSTEMS, ITEMS = 10_000, 30, 5


def result():
    """Return thirty systems. Each is a little better than the one before."""
    rng = np.random.default_rng(0)
    rows = USERS * ITEMS
    pairs = {"user": np.repeat(np.arange(USERS), ITEMS), "item": np.tile(np.arange(ITEMS), USERS)}
    truth = pd.DataFrame({**pairs, "relevance": rng.integers(0, 3, rows)})
    systems = {
        f"s{n}": pd.DataFrame({**pairs, "score": rng.random(rows) + n / 50 * truth["relevance"]})
        for n in range(SYSTEMS)
    }
    return evaluate(systems, truth, ["nDCG@3", "MRR", "AUC"])


def seconds(call):
    """Return the processor time and the seconds of the faster of two calls, and its result."""
    worked, waited = [], []
    for _ in range(2):
        start, worked_before = time.perf_counter(), time.process_time()
        found = call()
        waited.append(time.perf_counter() - start)
        worked.append(time.process_time() - worked_before)
    return min(worked), min(waited), found


def main():
    evaluation = result()
    sides = [evaluation.per_user.loc[name]["nDCG@3"].to_numpy() for name in ("s29", "s0")]
    differences = sides[0] - sides[1]
    options = {"n_resamples": 2_000, "batch": 100, "rng": 0}
    unit, _, theirs = seconds(lambda: stats.bootstrap((differences,), np.mean, **options))
    calls = {
        "29 pairs × 3 measures": lambda: evaluation.compare("s0"),
        "435 pairs × 1 measure": lambda: evaluation.compare(measures="nDCG@3"),
        "435 pairs × 3 measures": lambda: evaluation.compare(),
    }
    rows = []
    for name, call in calls.items():
        whole, waited, found = seconds(call)
        row = found.results.loc[("nDCG@3", "s29", "s0")]
        half = theirs.confidence_interval.high - differences.mean()
        assert abs(row["high"] - theirs.confidence_interval.high) < half / 4  # but for the draws
        n = len(found.results)
        rows.append(
            (
                name,
                n,
                f"{whole / unit:.1f}",
                f"{whole / unit / n:.3f}",
                f"{waited:.1f}",
            )
        )
    head = (
        "",
        "comparisons",
        "time",
        "time per comparison",
        "seconds that a user waits",
    )
    setting = (
        f"{USERS:,} users. The unit of processor time is one bootstrap with SciPy (2,000 "
        f"resamples). The seconds are those of a machine with {os.cpu_count()} cores."
    )
    text = f"{setting}\n\n{page.table(head, rows)}"
    page.put("comparing", text)
    print(text)


if __name__ == "__main__":
    main()
