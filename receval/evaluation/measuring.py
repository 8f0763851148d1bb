"""Measure tables in memory, block by block.

A block is some of the users with all their rows (see `receval.definitions.lists`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from receval._checks import AnyArray, BoolArray, FloatArray, IntArray, Record
from receval._threads import map_in_threads, progress_bar
from receval.definitions.context import EvaluationContext
from receval.definitions.convention import STABLE_UP_TO
from receval.definitions.lists import JudgedRun, UserLists, block_positions, build_lists
from receval.definitions.ties import replace_tied
from receval.evaluation.joining import check_all_answered, join_tables, select_users
from receval.evaluation.measured import MemoryResult
from receval.evaluation.signs import find_placeholder
from receval.evaluation.task import EvaluationTask
from receval.metrics.spec import SetLevel
from receval.tables.inputs import InputTables

PROGRESS_BAR_ROWS = 3_000_000
"""With at least this many rows, receval shows a progress bar by default."""

COUNTED_FACTS = ("unlisted", "seen", "minus_infinite", "placeholders", "unstable")
"""The counts of a block that notes use (see `receval.evaluation.signs.merge_facts`)."""


class BlockResult(NamedTuple):
    """The result of one block, without the values per user.

    Attributes
    ----------
    positions : positions of the block's users among the judged users.
    tied : mask of the users for whom equal scores can change a value.
    counts : numbers that are added up over the blocks.
    longest : length of the longest list.
    states : the state of each set-level measure after these users.
    """

    positions: IntArray
    tied: BoolArray
    counts: Counter[str]
    longest: int
    states: dict[str, AnyArray]


# Measuring ----------------------------------------------------------------------------------------


def measure_tables(
    task: EvaluationTask,
    tables: InputTables,
    *,
    has_all_users: bool = True,
    progress: bool | None = None,
) -> dict[Hashable, MemoryResult]:
    """Measure every system in tables in memory.

    Returns the results by name of the system. If ``has_all_users`` is False, the tables hold only
    some of the users, and perhaps none of them is judged. ``progress`` says whether to show a
    progress bar; None shows one if a system has many rows.
    """
    # A run has the lists of one system.
    runs, context = join_tables(task, tables, has_all_users=has_all_users)
    other_users = None
    if task.users in ("answered", "named"):
        runs, other_users = select_users(task, runs)
    results: dict[Hashable, MemoryResult] = {}
    for system, run in runs.items():
        if task.context.convention.missing == "error":
            check_all_answered(run)  # raises an error if a judged user has no recommendation
        result = measure_lists(run, task, context, progress=progress)
        result = replace(result, tables=tables)
        if other_users is not None:  # users who are not judged but count in the means
            result = result.with_others(other_users)
        results[system] = result
    return results


def measure_lists(
    run: JudgedRun,
    task: EvaluationTask,
    context: EvaluationContext,
    *,
    progress: bool | None = None,
) -> MemoryResult:
    """Compute every measure for one system.

    ``run`` has the lists. ``context`` has the convention and the data about items and users.
    ``progress`` says whether to show a progress bar; None shows one if there are many rows.
    """
    n_users = run.judged.size
    per_user_names = [measure.name for measure in task.measures if measure.per_user]
    # Each measure has an array of the users' values, which the blocks fill in. The arrays are rows
    # of one matrix, which needs fewer memory pages than separate arrays.
    values = dict(zip(per_user_names, np.empty((len(per_user_names), n_users)), strict=True))
    blocks = _measure_blocks(run, task, context, values, progress=progress)

    is_tied = np.zeros(n_users, bool)
    for block in blocks:
        is_tied[block.positions] = block.tied
    tied = np.flatnonzero(is_tied)
    if tied.size:
        # The convention may take the mean over all orders of equal scores. Then this function
        # changes `values` in place.
        replace_tied(values, run, tied, task.measures, context)

    totals: Counter[str] = Counter()
    for block in blocks:
        totals.update(block.counts)
    states = {}
    for measure in task.measures:
        # `of_all` computes the one value that a set-level measure has for all users together.
        if measure.of_all is not None and blocks:
            states_of_blocks = [block.states[measure.name] for block in blocks]
            states[measure.name] = _combine_states(measure.of_all, states_of_blocks, run)
    list_facts: Record = {"longest": max((block.longest for block in blocks), default=0)}
    for fact in COUNTED_FACTS:
        list_facts[fact] = totals[fact]
    if totals["placeholders"]:
        list_facts["placeholder"] = float(run.rows.columns["value"].min())
    return MemoryResult(
        task,
        run,
        context,
        columns=values,
        counts=_count_users(run, task, totals),
        states=states,
        tied=tied,
        hit=totals["hits"] > 0,
        list_facts=list_facts,
    )


def _measure_blocks(
    run: JudgedRun,
    task: EvaluationTask,
    context: EvaluationContext,
    values: dict[str, FloatArray],
    *,
    progress: bool | None,
) -> list[BlockResult]:
    """Measure all blocks and write the users' values into the arrays of ``values``.

    Returns the other results of each block, in the order of the blocks. If there are several
    blocks, threads measure them. ``values`` has an array for each measure. ``progress`` says
    whether to show a progress bar; None shows one if the system has many rows.
    """
    positions_of_blocks = list(block_positions(run, n_measures=len(task.measures)))
    # Notes say how many recommendations have the score -inf, or another score that marks items that
    # must not be recommended. Usually there is none, so first look at the lowest score, which is
    # much cheaper than counting in every block. No score is NaN.
    placeholder = find_placeholder(run)
    measure_block = partial(
        _measure_block,
        run,
        task,
        context,
        values,
        longest_list=int(run.n_recommended.max(initial=0)),
        placeholder=placeholder,
    )
    results: Iterable[BlockResult] = map_in_threads(measure_block, positions_of_blocks)
    is_short = run.rows.columns["value"].size < PROGRESS_BAR_ROWS
    is_bar_hidden = progress is False or (progress is None and is_short)
    if not is_bar_hidden:
        label = "evaluate"
        if run.rules.system != "":  # the only system of an evaluation can be without a name
            label = str(run.rules.system)
        results = progress_bar(
            progress,
            results,
            shown_by_default=True,
            total=len(positions_of_blocks),
            unit="block",
            desc=label,
        )
    return list(results)


def _measure_block(
    run: JudgedRun,
    task: EvaluationTask,
    context: EvaluationContext,
    values: dict[str, FloatArray],
    positions: IntArray,
    *,
    longest_list: int,
    placeholder: float | None,
) -> BlockResult:
    """Measure one block: write the values of its users into ``values``, return everything else.

    ``values`` has an array for each measure with a value per user. ``positions`` are the positions
    of the block's users among the judged users; there is at least one. ``longest_list`` is the
    length of the longest list of all judged users. Scores up to ``placeholder`` mark items that
    must not be recommended; None if there are none.
    """
    block = build_lists(run, positions)
    states = {}
    # Begin with the measures that look deepest. The block stores their cumulative sums, which
    # contain the sums for fewer ranks.
    for measure in sorted(task.measures, key=lambda measure: measure.depth, reverse=True):
        if measure.per_user:
            values[measure.name][positions] = measure.compute(block, context)
        if measure.of_all is not None:  # the measure has one value for all users together
            states[measure.name] = measure.state(block, context)
    counts = _count_block(block, run, task, longest_list=longest_list, placeholder=placeholder)
    return BlockResult(
        positions=positions,
        tied=block.tied,
        counts=counts,
        longest=int(block.length.max()),
        states=states,
    )


def _count_block(
    block: UserLists,
    run: JudgedRun,
    task: EvaluationTask,
    *,
    longest_list: int,
    placeholder: float | None,
) -> Counter[str]:
    """Count the users and items of a block for notes and for `Evaluation.counts`.

    `receval.evaluation.signs.merge_facts` explains the counts for notes. A count left out is 0.
    ``longest_list`` is the length of the longest list of all judged users. Scores up to
    ``placeholder`` mark items that must not be recommended; None if there are none.
    """
    convention = task.context.convention
    # The convention can state the lowest grade of a relevant item. For measures that only need to
    # know whether an item is relevant, the binary block then has the grades 0 and 1.
    binary_block = block
    if convention.relevant_from != 0:  # 0 means that there is no threshold
        binary_block = block.binarized(convention.relevant_from)
    counts = Counter[str]()
    counts["without truth"] = int(np.count_nonzero(binary_block.n_relevant == 0))
    counts["listed"] = int(block.length.sum())
    if run.rules.depth > longest_list:  # a measure looks deeper than all lists go
        counts["unlisted"] = int(binary_block.unlisted.sum())
    if run.past is not None:
        counts["seen"] = block.n_seen
    if placeholder is not None and block.scores is not None:
        kind = "minus_infinite" if placeholder == -np.inf else "placeholders"
        counts[kind] = int(np.count_nonzero(block.scores <= placeholder))
    # The source of the convention may order the equal scores of longer lists at random.
    longest_stable = STABLE_UP_TO.get(convention.name)
    if longest_stable is not None:
        is_unstable = block.tied & (block.length > longest_stable)
        counts["unstable"] = int(np.count_nonzero(is_unstable))
    counts["hits"] = int(np.count_nonzero(block.grades > 0))
    return counts


def _count_users(run: JudgedRun, task: EvaluationTask, totals: Counter[str]) -> dict[str, int]:
    """Return the row of `Evaluation.counts` for one system.

    ``totals`` holds the counts of all its blocks.
    """
    n_recommendations = run.n_recommended
    n_answered = int(np.count_nonzero(n_recommendations))
    counts = {
        "judged": n_recommendations.size,
        "answered": n_answered,
        "without truth": totals["without truth"],
    }
    if task.seen == "drop":
        counts["seen"] = totals["seen"]
    if task.duplicates == "first":
        # There are two reasons why a row is in no list: it repeats an item, or its user has seen
        # the item before.
        n_left_out = int(n_recommendations.sum()) - totals["listed"]
        # Without the option seen="drop" there is no count "seen", and no seen item is left out.
        counts["repeated"] = n_left_out - counts.get("seen", 0)
    # Count the users who have recommendations, but are not judged.
    counts["ignored"] = run.rows.users.size - n_answered
    return counts


def _combine_states(measure: SetLevel, states: list[AnyArray], run: JudgedRun) -> AnyArray:
    """Combine the states of all blocks of a set-level measure into one; item codes become ids.

    The state is the array in which such a measure accumulates a block. ``states`` has at least one
    entry. Item codes become ids, because callers can combine the states of several tables, and each
    table has other codes.
    """
    # Combine neighbours in pairs until one state remains. This copies each array log n times.
    # Adding one block after the other would copy a growing array n times.
    while len(states) > 1:
        combined = [
            measure.combine(first, second)
            for first, second in zip(states[::2], states[1::2], strict=False)
        ]
        if len(states) % 2 == 1:  # the last state has no partner
            combined.append(states[-1])
        states = combined
    (state,) = states
    if not measure.has_items:
        return state
    if state.ndim == 1:  # a set of items
        return np.sort(run.truth.items.take(state))
    item_codes, *item_counts = state  # rows of a matrix: items, and numbers about each of them
    return np.array([run.truth.items.take(item_codes), *item_counts], dtype=object)


# Measuring some users -----------------------------------------------------------------------------


def measure_users(measured: MemoryResult, positions: IntArray) -> MemoryResult:
    """Measure the lists of some of the users, and return their result.

    ``positions`` are the positions of these users among the users of ``measured``, ascending. Their
    counts and states can't be derived from those of all users.
    """
    run = measured.run
    # The judged users come first. After them, the result may have other users, who count in means.
    is_judged = positions < run.judged.size
    judged = run.judged[positions[is_judged]]
    # Select the same users from those with recommendations. The other users have no known codes, so
    # compare their ids.
    recommended = run.rows.users
    is_selected = np.isin(recommended, judged)
    if measured.unjudged_users is not None:
        others = measured.users[positions[~is_judged]]
        is_selected |= run.truth.users.index(recommended, "user").isin(others)
    run = replace(run, judged=judged, rows=run.rows.for_users(recommended[is_selected]))
    result = measure_lists(run, measured.task, measured.context, progress=False)
    if measured.unjudged_users is not None:
        result = result.with_others(others)
    return replace(result, tables=measured.tables)
