"""MAC/FAC retrieval: a cheap measure selects many cases, and an expensive one ranks these."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass

from receval._arrays import check_cutoff
from receval._checks import check_callable
from receval.metrics.retrieval import Ranking, RankingLike
from receval.retrieval.answers import Retriever, run_timed, validate_ranking
from receval.retrieval.cases import list_ids, select_cases

__all__ = ["MacFac"]


@dataclass(frozen=True)
class MacFac:
    """A two-phase retriever; call it as ``retriever(query, case_base)``, like any other.

    The MAC retriever ranks the whole case base. The FAC retriever receives the ``filter_size`` best
    cases, in the form and order of the case base. Its ``k`` best cases are the answer.

    Parameters
    ----------
    mac, fac : callable
        Retrievers ``(query, case_base) -> ranking``, the first cheap and the second expensive.
    filter_size : int, optional
        How many cases the MAC phase lets through. Default: all that it returns.
    k : int, optional
        How many cases the answer holds. Default: all that the FAC phase returns.

    Raises
    ------
    InputError
        If ``mac`` or ``fac`` is not callable, or a number is not a positive integer. When
        called: if a phase returns no proper ranking, or a case that it did not receive.

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

    def __call__(self, query: object, case_base: object) -> Ranking:
        """Run both phases and return a ranking of at most ``filter_size`` cases, cut at ``k``."""
        ranking, _ = self.timed(query, case_base)
        return ranking

    def timed(self, query: object, case_base: object) -> tuple[Ranking, tuple[float, ...]]:
        """Run both phases and return the ranking, cut at ``k``, and the seconds of each phase.

        The times are a tuple of two: the seconds of the MAC phase, then those of the FAC phase.
        Raises an `InputError` if a phase returns no proper ranking, or a case that it did not
        receive. If the MAC phase lets no case through, the FAC retriever gets an empty case base.
        """
        # MAC phase: rank the whole case base, and keep the ids of the best cases.
        mac_answer, mac_seconds = run_timed(self.mac, query, case_base)
        all_cases = frozenset(list_ids(case_base, "case_base"))
        mac_ranking = validate_ranking(mac_answer, "the MAC phase", all_cases)
        kept_cases = frozenset(mac_ranking.first(self.filter_size).cases)

        # FAC phase: rank these cases only.
        def rank_kept_cases(query: object, case_base: object) -> RankingLike:
            # Selecting the cases is part of the cost of the phase, so it is timed too.
            return self.fac(query, select_cases(case_base, kept_cases))

        fac_answer, fac_seconds = run_timed(rank_kept_cases, query, case_base)
        fac_ranking = validate_ranking(
            fac_answer, "the FAC phase", kept_cases, whose="the MAC phase's answer"
        )
        # `run_timed` returns a tuple of one time, so join the two tuples.
        return fac_ranking.first(self.k), mac_seconds + fac_seconds
