"""MAC/FAC retrieval: many are called by a cheap measure, few are chosen by an expensive one."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import Any

from receval._checks import check_callable
from receval._lists import check_cutoff
from receval.metrics.retrieval import Ranking, RankingLike
from receval.retrieval.answers import Retriever, checked, timed
from receval.retrieval.cases import ids_of, subset

__all__ = ["MacFac"]


@dataclass(frozen=True)
class MacFac:
    """A retriever of two phases, itself called as ``retriever(query, case_base)``.

    The MAC retriever ranks the whole case base; the FAC retriever is given the ``filter_size``
    best of them, in the case base's own form and order, and its ``k`` best are the answer.

    Parameters
    ----------
    mac, fac : callable
        Retrievers ``(query, case_base) -> ranking``: a cheap one and an expensive one.
    filter_size : int, optional
        How many cases the MAC phase lets through. Default: all that it answers.
    k : int, optional
        How many cases are answered. Default: all that the FAC phase answers.

    Raises
    ------
    InputError
        If ``mac`` or ``fac`` is not callable, or a number is not a positive integer. When
        called: if a phase answers no proper ranking, or a case that it was not given.

    References
    ----------
    Document 003, section "MAC/FAC Retriever Evaluation".

    Examples
    --------
    >>> words = {1: "graph", 2: "grape", 3: "path", 4: "photograph"}
    >>> def by_length(query, cases):
    ...     return {case: -abs(len(word) - len(query)) for case, word in cases.items()}
    >>> def by_letters(query, cases):
    ...     return {case: len(set(word) & set(query)) for case, word in cases.items()}
    >>> retriever = MacFac(by_length, by_letters, filter_size=2, k=1)
    >>> list(retriever("graph", words).items())
    [(1, 5.0)]
    """

    mac: Retriever
    fac: Retriever
    _: KW_ONLY
    filter_size: int | None = None
    k: int | None = None

    def __post_init__(self) -> None:
        check_callable(self.mac, "mac", "retriever(query, case_base)")
        check_callable(self.fac, "fac", "retriever(query, case_base)")
        check_cutoff(self.filter_size, "filter_size")
        check_cutoff(self.k)

    def __call__(self, query: Any, case_base: Any) -> Ranking:
        """Both phases: a ranking of at most ``filter_size`` cases, cut at ``k``."""
        return self.timed(query, case_base)[0]

    def timed(self, query: Any, case_base: Any) -> tuple[Ranking, tuple[float, ...]]:
        """The answer and the seconds of the MAC and of the FAC phase."""
        answered, mac_seconds = timed(self.mac, query, case_base)
        everything = frozenset(ids_of(case_base, "case_base"))
        first = checked(answered, "the MAC phase", everything).first(self.filter_size)
        kept = frozenset(first.cases)

        def fac(query: Any, case_base: Any) -> RankingLike:
            # To hand the cases over is part of the second phase's price.
            return self.fac(query, subset(case_base, kept))

        refined, fac_seconds = timed(fac, query, case_base)
        final = checked(refined, "the FAC phase", kept, whose="the MAC phase's answer")
        return final.first(self.k), mac_seconds + fac_seconds
