"""The programming task of lesson 13: Müller's quality of a fast search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from receval.learn.program import Inputs, Program
from receval.metrics import retrieval

__all__ = ["CODE"]

Exact = Mapping[str, float]


def right(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Return Müller's quality at k."""
    scores = {case: float(len(fast) - place) for place, case in enumerate(fast)}
    return float(retrieval.quality_mueller(exact, scores, k=k))


def _missing(exact: Exact, fast: Sequence[str], k: int) -> list[str]:
    """Return the cases among the best k of the exact search that the fast search misses at k."""
    return [case for case in list(exact)[:k] if case not in fast[:k]]


def fast_not_cut(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: look for the cases in the whole list of the fast search."""
    return 1 - sum(exact[case] for case in list(exact)[:k] if case not in fast) / k


def exact_not_cut(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: look for missing cases in the whole list of the exact search."""
    return 1 - sum(exact[case] for case in exact if case not in fast[:k]) / k


def cutoff_one_short(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: look at k - 1 cases."""
    return 1 - sum(exact[case] for case in _missing(exact, fast, k - 1)) / k


def share_of_hits(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: return the share of hits."""
    return 1 - len(_missing(exact, fast, k)) / k


def cost_only(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: return the mean cost without subtracting it from 1."""
    return sum(exact[case] for case in _missing(exact, fast, k)) / k


def not_divided(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: subtract the undivided cost."""
    return 1 - sum(exact[case] for case in _missing(exact, fast, k))


def divided_by_missing(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: divide by the number of missing cases."""
    missing = _missing(exact, fast, k)
    return 1 - sum(exact[case] for case in missing) / max(len(missing), 1)


def found_cases(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: add up the similarities of the found cases and divide by k."""
    return sum(exact[case] for case in list(exact)[:k] if case in fast[:k]) / k


def same_place(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: count a case in another place as missing."""
    pairs = zip(list(exact)[:k], fast[:k], strict=True)
    return 1 - sum(exact[case] for case, returned in pairs if case != returned) / k


def extra_cases(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: add up the cases that were returned but are not among the best."""
    return 1 - sum(exact[case] for case in fast[:k] if case not in list(exact)[:k]) / k


def stops_at_first(exact: Exact, fast: Sequence[str], k: int) -> float:
    """Make a slip: return after the first missing case."""
    return 1 - sum(exact[case] for case in _missing(exact, fast, k)[:1]) / k


def inputs(rng: np.random.Generator) -> Inputs:
    """Return five cases in several orders, and two random lists of seven cases."""
    five = {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1}
    fixed: Inputs = [
        ({"Astra": 0.9, "Bora": 0.8}, ["Astra", "Bora"], 1),
        (five, ["Bora", "Astra", "Doblo", "Corsa", "Escort"], 3),
        (five, ["Doblo", "Escort", "Astra", "Bora", "Corsa"], 3),  # two are missing
        (five, ["Bora", "Astra", "Corsa", "Escort", "Doblo"], 1),
        (five, ["Corsa", "Bora", "Astra", "Doblo", "Escort"], 5),  # nothing can be missing
    ]
    for k in (2, 4):
        similarities = np.sort(rng.choice(np.arange(10, 100), size=7, replace=False))[::-1] / 100
        names = list("ABCDEFG")
        exact = dict(zip(names, similarities.tolist(), strict=True))
        fixed.append((exact, rng.permutation(names).tolist(), k))
    return fixed


CODE = Program(
    right,
    inputs,
    {
        "fast_not_cut": fast_not_cut,
        "exact_not_cut": exact_not_cut,
        "cutoff_one_short": cutoff_one_short,
        "share_of_hits": share_of_hits,
        "cost_only": cost_only,
        "not_divided": not_divided,
        "divided_by_missing": divided_by_missing,
        "found_cases": found_cases,
        "same_place": same_place,
        "extra_cases": extra_cases,
        "stops_at_first": stops_at_first,
    },
)
"""The task "cases.code"."""
