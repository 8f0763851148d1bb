"""Evaluating retrievers: quality against a ground truth, and time, per query."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from receval._checks import InputError, check_choice, check_cutoff, shorten
from receval.metrics.retrieval import Ranking
from receval.metrics.retrieval.ranking import Case, check_once
from receval.retrieval.cases import entries, ids_of
from receval.retrieval.measures import Chosen, Measures, chosen
from receval.retrieval.result import RetrieverEvaluation
from receval.retrieval.running import (
    OnePhase,
    Retriever,
    Run,
    Workers,
    check_workers,
    is_serial,
    run,
)
from receval.retrieval.truth import (
    ground_truth,
    needed,
    rankings_of,
    read_ground_truth,
)

__all__ = ["RetrieverEvaluation", "evaluate_retrievers"]

Truth = str | Path | Retriever | pd.DataFrame | Mapping[Any, Any]
COMPLETE = ("truth", "all", "none")


def evaluate_retrievers(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]],
    queries: Any,
    case_base: Any,
    *,
    truth: Truth,
    measures: Measures = None,
    k: int | None = None,
    complete: str = "truth",
    warm_up: int = 1,
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
        Names of `receval.metrics.retrieval`, with ``@k`` for a cut-off of their own; functions
        ``(truth, retrieved, *, k)``; or a mapping of labels to such functions. Default: all
        eleven.
    k : int, optional
        Cut-off of all measures that name none. Default: the whole rankings.
    complete : {"truth", "all", "none"}, default "truth"
        Which rankings must hold every case of the case base: the ground truth, the answers
        too (as document 003's class demands), or neither.
    warm_up : int, default 1
        Untimed runs of each retriever on the first query, so that imports, caches and lazy
        preparation do not count. A retriever that serves as ground truth by its name runs
        once more than that on no query: its timed answers are the truth.
    workers : int or concurrent.futures.Executor, default 1
        Number of threads, or an executor to run queries on (a process pool needs retrievers
        that can be pickled, and is what pure Python profits from). Values do not depend on it;
        times taken with more than one are marked as not comparable, and are not warmed up.
    progress : bool, optional
        Show a progress bar. Default: on a terminal, not in a notebook, which would keep it.
    keep_rankings : bool, default True
        Keep every answer, for `RetrieverEvaluation.rankings` and ``explain``.

    Returns
    -------
    RetrieverEvaluation
        ``per_query``, ``seconds``, ``summary``, ``counts``, ``times``, ``failures``, ``to_csv``.
        Where a retriever raises, all else is kept, its values on that query are NaN, and
        ``failures`` and the display name retriever, query and error. (An `InputError` from
        within a retriever is not kept but raised: somebody used receval wrongly.)

    Raises
    ------
    InputError
        If an argument breaks its rule, a name stands twice, the ground truth cannot be read,
        is of another case base or unsorted, or a retriever answers no ranking, an unknown
        case, a case twice or a similarity that is not finite: the message names the retriever,
        the query and the case.

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
    named = unique(retrievers, "retrievers")
    asked, known = entries(queries, "queries"), ids_of(case_base, "case_base")
    measured, k = chosen(measures), check_cutoff(k)
    check_choice(complete, "complete", COMPLETE)
    workers = check_workers(workers)
    runs: Iterable[tuple[Any, Run]]
    how: dict[str, Any] = {
        "known": known,
        "complete": complete == "all",
        "warm_up": check_warm_up(warm_up),
        "workers": workers,
        "progress": progress,
    }
    if isinstance(truth, str) and truth in named:
        exact = run({truth: OnePhase(named[truth])}, asked, case_base, **how)
        own = list(exact)
        rankings = {one.query: needed(one.ranking, one.query, one.error) for _, one in own}
        rankings = rankings_of(rankings, list(asked), known, complete=complete != "none")
        others = {name: OnePhase(one) for name, one in named.items() if name != truth}
        runs = chain(own, run(others, asked, case_base, **how))
    else:
        rankings = true_rankings(
            truth, named, asked, case_base, complete=complete, workers=workers, progress=progress
        )
        everyone = {name: OnePhase(one) for name, one in named.items()}
        runs = run(everyone, asked, case_base, **how)
    values, seconds, failures, retrieved = {}, {}, [], {}
    for name, one in runs:
        values[name, one.query] = measure(measured, rankings, one.query, one.ranking, name, k)
        seconds[name, one.query] = one.seconds[0]
        if one.ranking is None:
            failures.append((name, one.query, one.error))
        elif keep_rankings:
            retrieved[name, one.query] = one.ranking
    places = [(name, query) for name in named for query in asked]
    index = pd.MultiIndex.from_tuples(places, names=["retriever", "query"])
    return RetrieverEvaluation(
        per_query=table_of([values[place] for place in places], index, measured),
        seconds=pd.Series([seconds[place] for place in places], index, float, "seconds"),
        failures=pd.DataFrame(failures, columns=["retriever", "query", "error"]),
        comparable_times=is_serial(workers),
        _chosen=tuple(measured),
        _k=k,
        _truth=rankings if keep_rankings else {},
        _retrieved=retrieved,
    )


def unique(
    retrievers: Mapping[str, Retriever] | Iterable[tuple[str, Retriever]], name: str
) -> dict[str, Retriever]:
    """Callables under names that are texts and differ."""
    try:
        pairs = list(retrievers.items() if isinstance(retrievers, Mapping) else retrievers)
        names = [label for label, _ in pairs]
    except (TypeError, ValueError):
        raise InputError(
            f"{name} must be a mapping of names to functions; got {shorten(retrievers)}"
        ) from None
    if not names:
        raise InputError(f"{name} must hold at least one retriever; got none")
    check_once(names, name, "name")
    for label, retriever in pairs:
        if not isinstance(label, str) or not callable(retriever):
            raise InputError(
                f"{name} must be texts and functions (query, case_base); "
                f"got {shorten(label)}: {shorten(retriever)}"
            )
    return dict(pairs)


def true_rankings(
    truth: Truth,
    retrievers: Mapping[str, Retriever],
    queries: Mapping[Case, Any],
    case_base: Any,
    *,
    complete: str,
    workers: Workers,
    progress: bool | None,
) -> dict[Case, Ranking]:
    """The ground truth from whatever it was given as, but for the name of a retriever."""
    known = ids_of(case_base, "case_base")
    if isinstance(truth, str) and not truth.endswith(".csv") and not Path(truth).exists():
        near = get_close_matches(truth, retrievers, n=1)
        advice = f". Did you mean {near[0]!r}?" if near else ""
        raise InputError(
            "truth must be the name of a retriever or a CSV file that is there; "
            f"got {truth!r}{advice}"
        )
    given: Any = truth
    if isinstance(truth, (str, Path)):
        given = read_ground_truth(truth, queries, case_base)
    elif callable(truth):
        given = ground_truth(truth, queries, case_base, workers=workers, progress=progress)
    if not isinstance(given, (pd.DataFrame, Mapping)):
        raise InputError(
            "truth must be a retriever, its name, a table, a mapping of queries to rankings or "
            f"a path; got {shorten(truth)}"
        )
    return rankings_of(given, list(queries), known, complete=complete != "none")


def measure(
    measured: list[Chosen],
    truth: Mapping[Case, Ranking],
    query: Case,
    retrieved: Ranking | None,
    name: Any,
    k: int | None,
) -> list[float]:
    """All measures of one answer; NaN where there is none."""
    if retrieved is None:
        return [math.nan] * len(measured)
    values = []
    for one in measured:
        try:
            values.append(one(truth[query], retrieved, k))
        except Exception as error:
            error.add_note(f"measure {one.label!r} of retriever {name!r} on query {query!r}")
            raise
    return values


def table_of(
    values: list[list[float]], index: pd.MultiIndex, measured: list[Chosen]
) -> pd.DataFrame:
    return pd.DataFrame(values, index, [one.label for one in measured], dtype=float)


def check_warm_up(warm_up: object) -> int:
    if isinstance(warm_up, int) and not isinstance(warm_up, bool) and warm_up >= 0:
        return warm_up
    raise InputError(f"warm_up must be a whole number of at least 0; got {shorten(warm_up)}")
