"""Evaluating retrievers: quality against a ground truth, and time, per query."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import did_you_mean, input_error
from receval._files import is_there
from receval._lists import check_cutoff
from receval.retrieval.answers import (
    RetrievalTask,
    Retriever,
    RetrieverAnswer,
    Timed,
    Workers,
    check_retrievers,
    timed,
)
from receval.retrieval.measures import Measures, chosen
from receval.retrieval.measuring import measured
from receval.retrieval.result import RetrieverEvaluation

__all__ = ["RetrieverEvaluation", "evaluate_retrievers"]


def evaluate_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]],
    queries: Any,
    case_base: Any,
    *,
    truth: str | Path | Retriever | pd.DataFrame | Mapping[Any, Any],
    measures: Measures = None,
    k: int | None = None,
    complete: str = "all",
    missing: str | None = None,
    failed: str = "zero",
    warm_up: int | None = None,
    workers: Workers = 1,
    progress: bool | None = None,
    keep_rankings: bool = True,
) -> RetrieverEvaluation:
    """Run every retriever on every query and measure quality and time.

    Parameters
    ----------
    retrievers : mapping, or iterable of (name, callable)
        ``retriever(query, case_base)`` answers a ranking: anything with ``.items()``, or pairs
        of case id and similarity. It is ordered by falling similarity.
    queries : mapping, DataFrame, Series or sequence
        The test case base. Ids are keys, index labels or, for a sequence of texts or whole
        numbers, the entries themselves; other sequences are numbered from 0. A query of a
        frame is its row.
    case_base : mapping, DataFrame, Series or sequence
        The train case base, handed to the retrievers as it is; may be the same as ``queries``.
    truth : str, path, callable, DataFrame or mapping
        The ground truth: the name of one of the retrievers, another retriever, a table with
        the columns ``query``, ``case`` and ``similarity``, a mapping of queries to rankings,
        or the path of a CSV file (`ground_truth` computes and saves one).
    measures : str, function, iterable or mapping, optional
        Names of `receval.metrics.retrieval`, with parameters and ``@k`` for a cut-off of their
        own as in "mae(pairing=case)@10"; functions ``(truth, retrieved, *, k)``; or a mapping of
        labels to such functions. Default: all eleven.
    k : int, optional
        Cut-off of all measures that name none. Default: the whole rankings.
    complete : {"all", "truth", "none"}, default "all"
        Which rankings must hold every case of the case base: all of them (as document 003's
        class demands), the ground truth, so that answers may be partial or empty, or none.
    missing : {"zero", "skip", "error"}, optional
        What the cases count that answers lack. ``"zero"`` (the default): a case of the truth that
        an answer lacks has similarity 0, stands below all that the answer has, and is no hit; an
        answer that is empty, or that has no value although the truth compared with itself has
        one, counts as silent (see Notes). ``"skip"``: metrics look at what was answered, and a
        query with an empty answer is left out of the means, which the display counts.
        ``"error"``: as ``"skip"``, but an empty answer is refused. A function of one's own is
        given answers as they are.
    failed : {"zero", "skip", "error"}, default "zero"
        What a query counts on which a retriever raises an exception. ``"zero"``: it counts as
        silent, whatever ``missing`` says of answers; a function of one's own is given an empty
        ranking. ``"skip"``: its values are NaN, and the means leave it out. ``"error"``: the
        first exception ends the evaluation. An `EvaluationWarning` tells the first
        exception of each retriever and how often it raised. A retriever that raises on every
        query is an error.
    warm_up : int, default 1
        Untimed runs of each retriever on the first query, so that imports, caches and lazy
        preparation do not count. A retriever that serves as ground truth by its name runs
        once more than that on no query: its timed answers are the truth.
    workers : int or concurrent.futures.Executor, default 1
        Number of threads, or an executor to run queries on (a process pool needs retrievers
        that can be pickled, and is what pure Python profits from). Values do not depend on it;
        times taken with more than one are marked as not comparable, and are not warmed up, so
        that ``warm_up`` is refused beside them.
    progress : bool, optional
        Show a progress bar. Default: on a terminal, not in a notebook, which would keep it.
    keep_rankings : bool, default True
        Keep every answer, for `RetrieverEvaluation.rankings` and ``explain``.

    Returns
    -------
    RetrieverEvaluation
        ``per_query``, ``seconds``, ``summary``, ``n``, ``counts``, ``times``, ``failures``,
        ``to_csv``. Where a retriever raises, all else is kept, and ``failures`` and the display
        name retriever, query and error. (An `InputError` from within a retriever is not kept but
        raised, because it says that receval was used wrongly. What is no `Exception`, such as
        `KeyboardInterrupt`, ends the evaluation.)

    Raises
    ------
    InputError
        If an argument breaks its rule, ``missing`` is given with ``complete="all"``, an answer
        lacks a case then, a name stands twice, the ground truth cannot be read,
        is of another case base or unsorted, or a retriever answers no ranking, an unknown
        case, a case twice or a similarity that is not finite: the message names the retriever,
        the query and the case. If a retriever raises on every query, or on one with
        ``failed="error"``; the first exception is then the error's cause.

    Warns
    -----
    EvaluationWarning
        If a retriever raises on some of the queries.

    Notes
    -----
    A silent answer counts 0 in hits, Stromer's and Müller's quality, completeness, correctness,
    Kendall's and Spearman's correlation; in the MAE the mean of max(t, 1 - t) over the true
    similarities t of the places compared, in the MSE the mean of max(t, 1 - t)²; in the
    distance k - 1. Without a cut-off k is the largest number of places in the truth or in any
    retriever's answer to that query, counted after the truth's missing cases are appended; where
    k is 1 there is only one place, and the distance is NaN for every answer. See
    `receval.metrics.retrieval.silence` for other readings. What the truth compared with itself
    leaves without a value stays NaN.

    With ``missing="zero"`` and all similarities in [0, 1] an empty answer is never better than
    any other in hits, Stromer's and Müller's quality, completeness, distance, MAE and MSE.
    Correctness, Kendall's and Spearman's correlation are negative where most pairs are reversed,
    and silence, at 0, is better than that. If similarities leave [0, 1], a note under the table
    says that this law does not apply.

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
    named = check_retrievers(retrievers, "retrievers")
    runs: dict[str, Timed] = {name: partial(timed, one) for name, one in named.items()}
    wanted = chosen(measures)
    check_cutoff(k)
    if k is not None and all(measure.k is not None for measure in wanted):
        rule = "be left out where every measure names its own cut-off"
        raise input_error("k", rule, k)
    task = RetrievalTask(
        queries,
        case_base,
        k,
        complete=complete,
        warm_up=warm_up,
        workers=workers,
        progress=progress,
        keep_rankings=keep_rankings,
        missing=missing,
        failed=failed,
    )
    exact: list[RetrieverAnswer] = []
    if isinstance(truth, str) and truth in runs:
        exact = list(task.answers({truth: runs[truth]}))
    elif isinstance(truth, str) and not (truth.endswith(".csv") or is_there(truth)):
        rule = "be the name of a retriever or a CSV file that is there"
        raise input_error("truth", rule, repr(truth), did_you_mean(truth, runs))
    return measured(RetrieverEvaluation, task, runs, wanted, truth, exact)
