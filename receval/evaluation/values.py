"""Measure tables in memory, block by block.

A block is some of the users with all their rows (see `receval.definitions.lists`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import replace

import numpy as np
import pandas as pd

from receval._checks import AnyArray, IntArray
from receval._threads import map_in_threads
from receval.definitions.convention import Convention
from receval.definitions.lists import (
    EvaluationContext,
    JudgedRun,
    UserLists,
    block_positions,
    build_lists,
)
from receval.definitions.ties import replace_tied
from receval.evaluation.join import (
    Systems,
    check_ranks_fit_scores,
    join_tables,
    select_users,
)
from receval.evaluation.measured import MeasuredLists, SystemResult
from receval.evaluation.options import Options
from receval.evaluation.signs import highest_mark, shares_items
from receval.metrics.spec import SetLevel
from receval.tables.ids import Ids
from receval.tables.inputs import InputTables

# Measuring ----------------------------------------------------------------------------------------


def measure_tables(
    options: Options, tables: InputTables, systems: Systems | None = None
) -> dict[Hashable, SystemResult]:
    """Measure every system in tables in memory, and return the results by name of the system.

    ``systems`` has the systems of the whole tables, if these tables hold only some of the users,
    and perhaps none of them is judged.
    """
    # A run has the lists of one system.
    runs, context = join_tables(options, tables, systems)
    other_users = None
    if options.users in ("answered", "named"):
        runs, other_users = select_users(options, runs)
    return {
        system: measure_lists(run, options, context, tables, other_users)
        for system, run in runs.items()
    }


def measure_lists(
    run: JudgedRun,
    options: Options,
    context: EvaluationContext,
    tables: InputTables,
    others: pd.Index | None = None,
) -> SystemResult:
    """Compute every measure for one system.

    ``run`` has the lists, which read the ``tables``. ``context`` has the convention and the data
    about items and users. ``others`` are users who are not judged, but count in the means.
    """
    n_users = run.judged.size
    names = [measure.name for measure in options.measures if measure.per_user]
    # Each measure has an array of the users' values, which the blocks fill in. The arrays are rows
    # of one matrix, which needs fewer memory pages than separate arrays.
    values = dict(zip(names, np.empty((len(names), n_users)), strict=True))
    length = np.zeros(n_users, np.int64)
    is_tied = np.zeros(n_users, bool)
    mark = highest_mark(run)
    # Begin with the measures that look deepest. A block stores their cumulative sums, which contain
    # the sums for fewer ranks.
    measures = sorted(options.measures, key=lambda measure: measure.depth, reverse=True)

    def measure_block(positions: IntArray) -> tuple[Counter[str], dict[str, AnyArray]]:
        """Measure the users at some positions among the judged users.

        Fills in the values of these users. Returns numbers that are added up over the blocks, and
        the states of set-level measures.
        """
        if "rank" in run.rows.columns:  # the table has ranks besides the scores
            check_ranks_fit_scores(run, run.judged[positions])
        block = build_lists(run, positions)
        length[positions] = block.length
        is_tied[positions] = block.tied
        states = {}
        for measure in measures:
            if measure.per_user:
                values[measure.name][positions] = measure.compute(block)
            if measure.of_all is not None:  # the measure has one value for all users together
                states[measure.name] = measure.of_all.partial(block, measure.k)
        return _count_block(block, options.convention, mark), states

    blocks = list(map_in_threads(measure_block, block_positions(run)))
    if is_tied.any():
        # The convention may take the mean over all orders of equal scores. Then this function
        # changes `values` in place.
        replace_tied(values, run, np.flatnonzero(is_tied), options.measures)
    states = {}
    for measure in options.measures:
        # `of_all` computes the one value that a set-level measure has for all users together.
        if measure.of_all is not None and blocks:
            state = measure.of_all.combine([of_block[measure.name] for _, of_block in blocks])
            states[measure.name] = _with_ids(state, measure.of_all, run.truth.items)
    totals = sum((counts for counts, _ in blocks), Counter[str]())
    totals["listed"] = int(length.sum())
    totals["longest"] = int(length.max(initial=0))
    has_shared_items = totals["hits"] > 0 or shares_items(run)
    lists = MeasuredLists(options, run, context, is_tied, totals, has_shared_items, tables)
    result = SystemResult(
        pd.DataFrame(values, lists.users, copy=False),
        counts=_count_users(run, options, totals),
        item_kind=run.truth.items.kind,
        states=states,
        lists=lists,
    )
    return result if others is None else _with_others(result, run, others)


def _count_block(block: UserLists, convention: Convention, mark: float) -> Counter[str]:
    """Count the users and items of a block for notes and for `Evaluation.counts`.

    `receval.evaluation.signs` explains the counts for notes. A count left out is 0.
    ``mark`` is the highest score that marks items, or NaN.
    """
    # The convention can state the lowest grade of a relevant item. For measures that only need to
    # know whether an item is relevant, the binary block then has the grades 0 and 1.
    binary_block = block
    if convention.relevant_from != 0:  # 0 means that there is no threshold
        binary_block = block.binarized(convention.relevant_from)
    # Relevant items outside the lists, which are cut at the depth that the measures look at.
    n_listed = np.count_nonzero(binary_block.grades > 0, axis=1)
    n_unlisted = (binary_block.n_relevant - n_listed)[block.length > 0]
    counts = Counter(
        {
            "without truth": int(np.count_nonzero(binary_block.n_relevant == 0)),
            "unlisted": int(n_unlisted.sum()),
            "hits": int(np.count_nonzero(block.grades > 0)),
            "seen": block.n_seen,
        }
    )
    if not np.isnan(mark):
        is_marked = (block.predicted <= mark) & ~np.isnan(block.grades)  # not after the end
        counts["marked"] = int(np.count_nonzero(is_marked))
    return counts


def _count_users(run: JudgedRun, options: Options, totals: Counter[str]) -> dict[str, int]:
    """Return the row of `Evaluation.counts` for one system.

    ``totals`` holds the counts of all its blocks.
    """
    n_recommendations = run.rows.size[run.judged]
    n_answered = int(np.count_nonzero(n_recommendations))
    counts = {
        "judged": n_recommendations.size,
        "answered": n_answered,
        "without truth": totals["without truth"],
    }
    if options.seen == "drop":
        counts["seen"] = totals["seen"]
    if options.duplicates == "first":
        # There are two reasons why a row is in no list: it repeats an item, or its user has seen
        # the item before.
        n_left_out = int(n_recommendations.sum()) - totals["listed"]
        # Without the option seen="drop" there is no count "seen", and no seen item is left out.
        counts["repeated"] = n_left_out - counts.get("seen", 0)
    # Count the users who have recommendations, but are not judged.
    counts["ignored"] = run.rows.users.size - n_answered
    return counts


def _with_others(result: SystemResult, run: JudgedRun, others: pd.Index) -> SystemResult:
    """Return the result with ``others`` appended, which are users who are not judged.

    These users have the value 0 under every measure. There is one exception: if the means go over
    users with recommendations, and this system has none for a user, the value is NaN, so that the
    means leave the user out.
    """
    assert result.lists is not None
    unjudged_with_answer = np.setdiff1d(run.rows.users, run.judged)
    is_answered = others.isin(run.truth.users.index(unjudged_with_answer, "user"))
    is_named = result.lists.options.users == "named"
    values = np.where(is_answered | is_named, 0.0, np.nan)
    rows = pd.DataFrame(dict.fromkeys(result.frame, values), others)
    counts = {
        **result.counts,
        # "ignored" counts users who have recommendations, but are neither judged nor in a mean.
        "not judged": int(np.isfinite(values).sum()),
        "ignored": result.counts["ignored"] - int(is_answered.sum()),
    }
    return replace(result, frame=pd.concat([result.frame, rows]), counts=counts)


def _with_ids(state: AnyArray, measure: SetLevel, items: Ids) -> AnyArray:
    """Return the state of a set-level measure, with the ids of items in place of their codes.

    The state is the array in which such a measure accumulates a block. Callers can combine the
    states of several tables, and each table has other codes.
    """
    if not measure.has_items:
        return state
    if state.ndim == 1:  # a set of items
        return items.take(state)
    item_codes, *item_counts = state  # rows of a matrix: items, and numbers about each of them
    return np.array([items.take(item_codes), *item_counts], dtype=object)


# Measuring some users -----------------------------------------------------------------------------


def measure_users(
    lists: MeasuredLists, judged: IntArray, others: pd.Index | None = None
) -> SystemResult:
    """Measure the lists of some of the judged users, and return their result.

    ``judged`` has the codes of these users, ascending. ``others`` are users who are not judged, but
    count in means. Counts and states can't be derived from those of all users.
    """
    run = lists.run
    # Select the same users from those with recommendations. The other users have no known codes, so
    # compare their ids.
    recommended = run.rows.users
    is_selected = np.isin(recommended, judged)
    if others is not None:
        is_selected |= run.truth.users.index(recommended, "user").isin(others)
    run = replace(run, judged=judged, rows=run.rows.for_users(recommended[is_selected]))
    return measure_lists(run, lists.options, lists.context, lists.tables, others)
