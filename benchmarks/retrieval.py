"""All eleven retrieval metrics on 1,000 queries of 1,000 cases, and pairs of 100,000 cases.

Run it with ``python -m benchmarks.retrieval``. For comparison, it also computes the metrics that
SciPy has (Kendall's tau-b, Spearman) in a simple loop over two dicts.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.stats

from receval.metrics import retrieval
from receval.retrieval import evaluate_retrievers

QUERIES, CASES, LARGE = 1_000, 1_000, 100_000


def main():
    rng = np.random.default_rng(0)
    cases = [f"case {i}" for i in range(CASES)]
    truth = [dict(zip(cases, row, strict=True)) for row in rng.random((QUERIES, CASES)).tolist()]
    found = [dict(zip(cases, row, strict=True)) for row in rng.random((QUERIES, CASES)).tolist()]

    with Clock("receval, 11 metrics, all checks") as ours:
        result = evaluate_retrievers(
            {"random": lambda query, _: found[query]},
            range(QUERIES),
            cases,
            truth=dict(enumerate(truth)),
        )
    with Clock("SciPy, 2 metrics, a loop over dicts") as theirs:
        rows = [
            (scipy.stats.kendalltau(t, r).statistic, scipy.stats.spearmanr(t, r).statistic)
            for t, r in (
                ([one[case] for case in cases], [two[case] for case in cases])
                for one, two in zip(truth, found, strict=True)
            )
        ]
    print(f"{'SciPy / receval':60} {theirs.seconds / ours.seconds:7.2f} ×")
    # Without ties tau-a is tau-b, so the two may be compared.
    difference = np.abs(result.per_query[["kendall", "spearman"]].to_numpy() - rows).max()
    assert difference < 1e-12

    one, two = (dict(enumerate(row)) for row in rng.random((2, LARGE)).tolist())
    with Clock(f"receval, tau-a of {LARGE:,} cases, {LARGE * (LARGE - 1) // 2:,} pairs"):
        retrieval.kendall(one, two)


class Clock:
    """Prints the seconds that each step takes."""

    def __init__(self, what):
        self.what = what

    def __enter__(self):
        self.start = time.perf_counter()
        return self

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self.start
        print(f"{self.what:60} {self.seconds:7.2f} s", flush=True)


if __name__ == "__main__":
    main()
