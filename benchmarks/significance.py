"""Intervals and tests of a million users, in memory that does not grow with the resamples.

Run as ``python -m benchmarks.significance``; the table goes into ``docs/scale.md``. A matrix of
users by resamples would take 8 GB.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks import page
from benchmarks.measure import peak_beyond, settled_memory
from receval import significance

USERS, RESAMPLES = 1_000_000, 1_000
MOST = 500e6  # bytes beyond the values


def values():
    """Return values of two systems: distinct real numbers, and reciprocal ranks with ties."""
    rng = np.random.default_rng(0)
    base = rng.beta(2, 5, USERS)
    ranks = rng.geometric(0.3, (2, USERS))
    return {
        "all distinct": (base, base + rng.normal(0.001, 0.1, USERS)),
        "reciprocal ranks": tuple(np.where(ranks <= 10, 1 / ranks, 0.0)),
    }


def work(name, a, b):
    """Return the calls to measure, by their names."""
    found = {
        "mean_interval": lambda: significance.mean_interval(a),
        "permutation": lambda: significance.permutation(a, b, n_resamples=RESAMPLES),
        "wilcoxon": lambda: significance.wilcoxon(a, b),
    }
    return {(what, name): call for what, call in found.items()}


def check(what, a, found):
    """Check an interval against the normal distribution, which suits a million users."""
    if what == "mean_interval":
        half = 1.959964 * a.std() / np.sqrt(USERS)
        assert abs(found.high - a.mean() - half) < half / 10_000, what
        assert abs(a.mean() - found.low - half) < half / 10_000, what
    else:
        assert 0 <= found.p <= 1, what


def main():
    rows, most = [], 0.0
    for name, (a, b) in values().items():
        for (what, kind), call in work(name, a, b).items():
            before = settled_memory()
            start, worked = time.perf_counter(), time.process_time()
            found = call()
            seconds, cpu = time.perf_counter() - start, time.process_time() - worked
            extra = peak_beyond(before)
            check(what, a, found)
            most = max(most, extra)
            rows.append((f"`{what}`", kind, f"{seconds:.1f}", f"{cpu:.1f}", f"{extra / 1e6:.0f}"))
            print(*rows[-1], flush=True)
    page.put(
        "significance",
        f"{USERS:,} users, {RESAMPLES:,} resamples.\n\n"
        + page.table(("function", "values", "s", "CPU, s", "MB beyond the values"), rows),
    )
    return int(most > MOST)


if __name__ == "__main__":
    sys.exit(main())
