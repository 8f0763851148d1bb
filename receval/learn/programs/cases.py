"""The programming task of lesson 13: Müller's quality of a fast search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from receval.metrics import retrieval


def right(exact: Mapping[str, float], fast: Sequence[str], k: int) -> float:
    """Return Müller's quality at k."""
    return float(retrieval.quality_mueller(exact, _scores(fast), k=k))


def _scores(fast: Sequence[str]) -> dict[str, float]:
    """Return scores that put the cases in the order of the fast search."""
    return {case: float(-place) for place, case in enumerate(fast)}


def fast_not_cut(exact: Mapping[str, float], fast: Sequence[str], k: int) -> float:
    """Make a slip: look for the cases in the whole list of the fast search."""
    return 1 - sum(exact[case] for case in list(exact)[:k] if case not in fast) / k


def share_of_hits(exact: Mapping[str, float], fast: Sequence[str], k: int) -> float:
    """Make a slip: return the share of hits."""
    return float(retrieval.hits_normalized(exact, _scores(fast), k=k))


def cost_only(exact: Mapping[str, float], fast: Sequence[str], k: int) -> float:
    """Make a slip: return the mean cost without subtracting it from 1."""
    return 1 - right(exact, fast, k)


def same_place(exact: Mapping[str, float], fast: Sequence[str], k: int) -> float:
    """Make a slip: count a case in another place as missing."""
    pairs = zip(list(exact)[:k], fast[:k], strict=True)
    return 1 - sum(exact[case] for case, returned in pairs if case != returned) / k


INPUTS = [
    ({"Astra": 0.9, "Bora": 0.8}, ["Astra", "Bora"], 1),
    (
        {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1},
        ["Bora", "Astra", "Doblo", "Corsa", "Escort"],
        3,
    ),
    (
        {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1},
        ["Doblo", "Escort", "Astra", "Bora", "Corsa"],
        3,
    ),
    (
        {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1},
        ["Bora", "Astra", "Corsa", "Escort", "Doblo"],
        1,
    ),
    (
        {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1},
        ["Corsa", "Bora", "Astra", "Doblo", "Escort"],
        5,
    ),
    (
        {"A": 0.99, "B": 0.78, "C": 0.4, "D": 0.33, "E": 0.18, "F": 0.16, "G": 0.11},
        ["A", "C", "G", "E", "B", "F", "D"],
        2,
    ),
    (
        {"A": 0.77, "B": 0.31, "C": 0.3, "D": 0.28, "E": 0.24, "F": 0.2, "G": 0.19},
        ["B", "G", "A", "F", "E", "C", "D"],
        4,
    ),
]
"""Five cases in several orders, and two random lists of seven cases."""
