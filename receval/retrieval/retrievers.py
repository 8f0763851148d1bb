"""Evaluate retrievers: quality against a ground truth, and time, per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from receval._arrays import check_cutoff
from receval._checks import did_you_mean, input_error
from receval._files import path_exists
from receval.retrieval.answers import (
    RetrievalTask,
    Retriever,
    RetrieverAnswer,
    TimedRetriever,
    check_retrievers,
    run_timed,
)
from receval.retrieval.cases import CaseCollection
from receval.retrieval.measures import Measures, select_metrics
from receval.retrieval.measuring import measure_retrievers
from receval.retrieval.result import RetrieverEvaluation
from receval.retrieval.truth import TruthLike

__all__ = ["RetrieverEvaluation", "evaluate_retrievers"]


def evaluate_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]],
    queries: CaseCollection,
    case_base: CaseCollection,
    *,
    truth: TruthLike,
    measures: Measures = None,
    k: int | None = None,
    complete: str = "all",
    missing: str | None = None,
    failed: str = "zero",
    progress: bool | None = None,
) -> RetrieverEvaluation:
    """Run every retriever on every query and measure quality and time.

    Parameters
    ----------
    retrievers : mapping, or iterable of (name, callable)
        ``retriever(query, case_base)`` returns a ranking: anything with ``.items()``, or pairs of
        case id and similarity. receval sorts it by descending similarity.
    queries : mapping, DataFrame, Series or sequence
        The test case base. The ids are the keys of a mapping, the index labels of a frame or
        Series, or the entries of a sequence of texts or whole numbers. Entries of other sequences
        are numbered from 0. If it is a frame, each row is a query.
    case_base : mapping, DataFrame, Series or sequence
        The train case base, passed to the retrievers unchanged. It may be the same as ``queries``.
    truth : str, path, callable, DataFrame or mapping
        The ground truth: the name of one of the retrievers, another retriever, a table with
        the columns ``query``, ``case`` and ``similarity``, a mapping of queries to rankings,
        or the path of a CSV file (`ground_truth` computes and saves one).
    measures : str, function, iterable or mapping, optional
        Names of `receval.metrics.retrieval`, optionally with parameters and a cut-off ``@k`` as in
        "mae(pairing=case)@10"; functions ``(truth, retrieved, *, k)``; or a mapping of labels to
        such functions. Default: all eleven metrics.
    k : int, optional
        Cut-off of all measures that name no cut-off. Default: the whole rankings.
    complete : {"all", "truth", "none"}, default "all"
        Which rankings must hold every case of the case base: all of them (as document 003's
        class demands), only the ground truth (then answers may be partial or empty), or none.
    missing : {"zero", "skip", "error"}, optional
        How to count cases that answers lack. ``"zero"`` (the default): a case of the truth that an
        answer lacks has similarity 0, ranks below all cases of the answer, and is not a hit. An
        empty answer counts as silent (see Notes). So does an answer without a value, if the truth
        compared with itself has a value. ``"skip"``: metrics consider only the cases of the answer,
        and the means leave out a query with an empty answer; the display counts these queries.
        ``"error"``: as ``"skip"``, but an empty answer is refused. User-defined functions get
        unchanged answers.
    failed : {"zero", "skip", "error"}, default "zero"
        How to count a query on which a retriever raises an exception. ``"zero"``: it counts as
        silent, even if ``missing`` is not ``"zero"``; user-defined functions get an empty
        ranking. ``"skip"``: its values are NaN, and the means leave it out. ``"error"``: the
        first exception ends the evaluation. An `EvaluationWarning` shows the first exception of
        each retriever and how often it raised. It is an error if a retriever raises on every query.
    progress : bool, optional
        Whether to show a progress bar. Default: on a terminal, but not in a notebook, which would
        save the bar.

    Returns
    -------
    RetrieverEvaluation
        ``per_query``, ``seconds``, ``summary``, ``n``, ``counts``, ``times``, ``failures``,
        ``to_csv``. If a retriever raises, all other answers are kept. ``failures`` and the display
        then show the retriever, the query and the error. (An `InputError` from within a retriever
        is raised again, because it says that receval was used wrongly. A `BaseException` that is
        not an `Exception`, such as `KeyboardInterrupt`, ends the evaluation.)

    Raises
    ------
    InputError
        If an argument breaks its rule, ``missing`` is given with ``complete="all"``, a name occurs
        twice, or the ground truth cannot be read, was made for other case ids or is unsorted. If a
        retriever returns no ranking, an unknown case, a case twice, a similarity that is not finite
        or, with ``complete="all"``, not all cases. The message then names the retriever, the query
        and the case. If a retriever raises on every query, or on any query with ``failed="error"``.
        The first exception is then the error's cause.

    Warns
    -----
    EvaluationWarning
        If a retriever raises on some of the queries.

    Notes
    -----
    A silent answer has the value 0 in hits, Stromer's and Müller's quality, completeness,
    correctness, Kendall's and Spearman's correlation. In the MAE, its value is the mean of
    max(t, 1 - t) over the true similarities t of the places compared. In the MSE, it is the mean of
    max(t, 1 - t)². In the distance, it is k - 1. Without a cut-off, k is the largest number of
    places in the truth or in any retriever's answer to that query, counted after the truth's
    missing cases are appended. If k is 1 there is only one place, and the distance is NaN for every
    answer. See `receval.metrics.retrieval.silence` for other readings. If the truth compared with
    itself has no value, the value stays NaN.

    With ``missing="zero"`` and all similarities in [0, 1] an empty answer is never better than any
    other in hits, Stromer's and Müller's quality, completeness, distance, MAE and MSE. Correctness,
    Kendall's and Spearman's correlation are negative if most pairs are reversed. Silence has the
    value 0 there, which is better. If a similarity is outside [0, 1], a note under the table says
    that an empty answer may then be better than another one.

    References
    ----------
    Document 003, sections "Usage" and "Retriever Evaluation".

    Examples
    --------
    >>> sizes = {"a": 4, "b": 7, "c": 5}
    >>> def exact(query, case_base):
    ...     return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}
    >>> def coarse(query, case_base):
    ...     return {case: float(size // 3 == query // 3) for case, size in case_base.items()}
    >>> result = evaluate_retrievers(
    ...     {"exact": exact, "coarse": coarse}, {"q1": 8, "q2": 3}, sizes,
    ...     truth="exact", measures=["hits@1", "kendall", "completeness"])
    >>> result.summary.round(2)
               hits@1  kendall  completeness
    retriever
    exact         1.0     1.00          1.00
    coarse        1.0     0.67          0.67
    """
    functions = check_retrievers(retrievers, "retrievers")
    timed_retrievers: dict[str, TimedRetriever] = {
        name: partial(run_timed, function) for name, function in functions.items()
    }
    metrics = select_metrics(measures)
    check_cutoff(k)
    if k is not None and all(metric.k is not None for metric in metrics):
        rule = "be left out where every measure names its own cut-off"
        raise input_error("k", rule, k)
    task = RetrievalTask(
        queries,
        case_base,
        k,
        complete=complete,
        progress=progress,
        missing=missing,
        failed=failed,
    )
    # If the truth is one of the retrievers, run it now: its answers are the truth, and they are
    # evaluated too. Otherwise a text is the path of a file.
    true_answers: list[RetrieverAnswer] = []
    if isinstance(truth, str):
        if truth in timed_retrievers:
            true_answers = list(task.answers({truth: timed_retrievers[truth]}))
        elif not truth.endswith(".csv") and not path_exists(truth):
            rule = "be the name of a retriever or a CSV file that is there"
            raise input_error("truth", rule, repr(truth), did_you_mean(truth, timed_retrievers))
    return measure_retrievers(
        RetrieverEvaluation, task, timed_retrievers, metrics, truth, true_answers
    )
