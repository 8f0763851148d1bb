"""MAC/FAC retrieval with different filter sizes: the loss of quality, and the time saved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from receval._checks import (
    Id,
    Record,
    check_choice,
    check_count,
    check_unique,
    input_error,
    shorten,
)
from receval.retrieval.answers import RetrievalTask, Retriever, check_retrievers, run_timed
from receval.retrieval.cases import select_cases
from receval.retrieval.macfac import MacFac
from receval.retrieval.measures import Measures, select_metrics
from receval.retrieval.measuring import measure_retrievers
from receval.retrieval.result import RetrieverEvaluation

__all__ = ["MacFacEvaluation", "evaluate_macfac"]


@dataclass(frozen=True, repr=False, eq=False)
class MacFacEvaluation(RetrieverEvaluation):
    """Values and times of MAC/FAC retrieval; the keys are (retriever, filter size, k).

    Attributes
    ----------
    per_query, failures
        As in `RetrieverEvaluation`, with the index (retriever, filter_size, k, query).
    phases : DataFrame
        Seconds of the ``mac`` and of the ``fac`` phase, with the same index. ``seconds`` is their
        sum.
    full_seconds : Series
        Time of the FAC retriever on the whole case base, for each query; empty if the ground
        truth came from a file.
    """

    _phases: ClassVar[list[str]] = ["mac", "fac"]
    _levels: tuple[str, ...] = ("retriever", "filter_size", "k")
    _full_seconds: pd.Series[float] = field(default_factory=lambda: pd.Series(dtype=float))

    @property
    def full_seconds(self) -> pd.Series[float]:
        """Return a copy of the times of the FAC retriever."""
        return self._full_seconds.copy()

    @property
    def speed_up(self) -> pd.Series[float]:
        """Return the median time of FAC on the whole case base divided by that of MAC/FAC.

        Returns
        -------
        Series
            Indexed by (retriever, filter_size, k). If it is above 1, MAC/FAC is faster. NaN if the
            time on the whole case base is not known.
        """
        ratio: pd.Series[float] = self.full_seconds.median() / self.times["median seconds"]
        return ratio.rename("speed-up")

    @property
    def times(self) -> pd.DataFrame:
        """Return the median and mean seconds of both phases together, and the median of each."""
        phases = self.phases.groupby(level=self._levels, sort=False).median()
        return super().times.join(phases.add_prefix("median ").add_suffix(" seconds"))

    @property
    def _costs(self) -> pd.DataFrame:
        return self.times.join(self.speed_up)

    def _with_flat_names(self) -> Self:
        """Return the result with each (retriever, filter size, k) joined into one name."""
        rows = [
            (f"{retriever}, filter {size}, k {k}", query)
            for retriever, size, k, query in self.per_query.index
        ]
        index = pd.MultiIndex.from_tuples(rows, names=["retriever", "query"])
        return replace(
            self,
            _per_query=self._per_query.set_axis(index),
            _seconds_by_phase=self._seconds_by_phase.set_axis(index),
            _levels=("retriever",),
        )

    def _system_columns(self) -> pd.DataFrame:
        """Return the columns after the means, as text.

        The speed-up has two decimals. With three significant digits, like the other costs, a large
        speed-up would be written with an exponent.
        """
        speed_up = self.speed_up.map("{:.2f}".format)
        return super()._system_columns().assign(**{"speed-up": speed_up})

    def _to_record(self) -> Record:
        """Return the entries that a file stores besides its rows; see `_from_saved`."""
        return {**super()._to_record(), "full_seconds": list(self.full_seconds.items())}

    @classmethod
    def _from_saved(cls, rows: pd.DataFrame, record: Record) -> Self:
        """Return the result from what `_to_frame` and `_to_record` returned for it."""
        result = super()._from_saved(rows, record)
        return replace(result, _full_seconds=_series_of_seconds(dict(record["full_seconds"])))


def evaluate_macfac(
    mac: Retriever | Mapping[str, Retriever],
    fac: Retriever,
    queries: Any,
    case_base: Any,
    *,
    filter_sizes: Iterable[int],
    ks: Iterable[int],
    measures: Measures = None,
    truth: str | Path | Retriever | pd.DataFrame | Mapping[Id, Any] | None = None,
    complete: str = "truth",
    missing: str | None = None,
    failed: str = "zero",
    progress: bool | None = None,
) -> MacFacEvaluation:
    """Evaluate how quality and time of MAC/FAC retrieval change with the filter size.

    Parameters
    ----------
    mac : callable, or mapping of names to callables
        The cheap retriever, or several of them. A single one gets the name ``"MAC/FAC"``.
    fac : callable
        The expensive retriever. Its rankings of the whole case base are the ground truth.
    queries : mapping, DataFrame, Series or sequence
        As in `evaluate_retrievers`.
    case_base : mapping, DataFrame, Series, or sequence of ids
        As in `evaluate_retrievers`, but not a sequence whose entries are numbered, because the
        cases would get other numbers when the filter drops some of them.
    filter_sizes, ks : iterable of int
        How many cases the MAC phase lets through, and how many the answer holds; the two lists are
        taken in pairs. If the filter size is below k, the answer is shorter than k.
    measures
        As in `evaluate_retrievers`; each is cut at the pair's k, unless its name has another
        cut-off.
    truth : path, DataFrame, mapping or callable, optional
        Rankings that the FAC retriever gave before (`ground_truth`), or another retriever. The FAC
        retriever then doesn't run on the whole case base, and there is no speed-up.
    complete : {"truth", "none"}, default "truth"
        As in `evaluate_retrievers`; ``"all"`` is not possible, because the answers of MAC/FAC
        retrieval lack the cases that the filter drops.
    missing, failed : str, optional
        As in `evaluate_retrievers`, where each pair of filter size and k counts as a retriever. By
        default, cases that an answer lacks count against it, and so does a query on which a phase
        raises an exception. Rankings are cut at the pair's k, so an answer with k cases lacks
        nothing.
    progress
        As in `evaluate_retrievers`.

    Returns
    -------
    MacFacEvaluation
        Like `RetrieverEvaluation`, with the keys (retriever, filter size, k). It also has
        ``phases``, ``full_seconds`` and ``speed_up``.

    Raises
    ------
    InputError
        If ``filter_sizes`` and ``ks`` differ in length, are empty or hold a pair twice; also as in
        `evaluate_retrievers`.

    Warns
    -----
    EvaluationWarning
        As in `evaluate_retrievers`.

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
    >>> result = evaluate_macfac(
    ...     by_length, by_letters, ["graph", "path"], words,
    ...     filter_sizes=[1, 4], ks=[1, 1], measures="hits")
    >>> result.summary
                              hits
    retriever filter_size k
    MAC/FAC   1           1   1.0
              4           1   1.0
    """
    macs = check_retrievers(mac if isinstance(mac, Mapping) else {"MAC/FAC": mac}, "mac")
    pairs = _pairs(filter_sizes, ks)
    check_choice(complete, "complete", ("truth", "none"))
    metrics = select_metrics(measures)
    task = RetrievalTask(
        queries,
        case_base,
        complete=complete,
        progress=progress,
        missing=missing,
        failed=failed,
    )
    # Raise before the work begins if the case base has no parts with ids.
    select_cases(case_base, ())
    retrievers = {
        (name, size, k): MacFac(retriever, fac, filter_size=size, k=k).timed
        for name, retriever in macs.items()
        for size, k in pairs
    }
    # If the user gives no truth, the answers of FAC on the whole case base are the truth.
    exact_answers = []
    if truth is None:
        exact_answers = list(task.answers({"FAC": partial(run_timed, fac)}))
    result = measure_retrievers(MacFacEvaluation, task, retrievers, metrics, truth, exact_answers)
    # FAC alone has one phase, so its answers have one time each.
    seconds = {answer.query: answer.seconds[0] for answer in exact_answers}
    return replace(result, _full_seconds=_series_of_seconds(seconds))


def _series_of_seconds(seconds: Mapping[Id, float]) -> pd.Series[float]:
    """Return the times of the FAC retriever on the whole case base by query."""
    return pd.Series(seconds, dtype=float, name="full seconds")


def _pairs(filter_sizes: Iterable[int], ks: Iterable[int]) -> list[tuple[int, int]]:
    """Return the pairs of filter size and cut-off, in the order of the lists.

    Raises an `InputError` if the lists are empty or have different lengths, an entry is not a
    positive integer, or a pair occurs twice.
    """
    # A single number is not a list, so the first check refuses it.
    sizes = list(filter_sizes) if np.iterable(filter_sizes) else []
    cutoffs = list(ks) if np.iterable(ks) else []
    if len(sizes) != len(cutoffs) or not sizes:
        rule = "be lists of the same length, because they are taken in pairs"
        raise input_error("filter_sizes and ks", rule, f"{shorten(filter_sizes)} and {shorten(ks)}")
    pairs = [
        (check_count(size, "filter_sizes"), check_count(k, "ks"))
        for size, k in zip(sizes, cutoffs, strict=True)
    ]
    check_unique(pairs, "filter_sizes and ks", "pair")
    return pairs
