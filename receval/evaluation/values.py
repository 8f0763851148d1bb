"""Measure tables in memory, block by block.

A block is some of the users with all their rows (see `receval.definitions.lists`).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from receval._checks import AnyArray, BoolArray, FloatArray, IntArray, Record
from receval._threads import map_in_threads, progress_bar
from receval.definitions.context import EvaluationContext
from receval.definitions.convention import STABLE_UP_TO, Convention
from receval.definitions.lists import JudgedRun, UserLists, block_positions, build_lists
from receval.definitions.ties import replace_tied
from receval.evaluation.join import join_tables, select_users
from receval.evaluation.measured import MemoryResult
from receval.evaluation.options import Options
from receval.evaluation.signs import find_placeholder
from receval.metrics.spec import SetLevel
from receval.tables.ids import Ids
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
    options: Options,
    tables: InputTables,
    *,
    has_all_users: bool = True,
    progress: bool | None = None,
) -> dict[Hashable, MemoryResult]:
    """Measure every system in tables in memory, and return the results by name of the system.

    If ``has_all_users`` is False, the tables hold only some of the users, and perhaps none of them
    is judged. ``progress`` says whether to show a progress bar; None shows one if a system has many
    rows.
    """
    # A run has the lists of one system.
    runs, context = join_tables(options, tables, has_all_users=has_all_users)
    other_users = None
    if options.users in ("answered", "named"):
        runs, other_users = select_users(options, runs)
    results: dict[Hashable, MemoryResult] = {}
    for system, run in runs.items():
        result = measure_lists(run, options, context, progress=progress)
        result = replace(result, tables=tables)
        if other_users is not None:  # users who are not judged but count in the means
            result = result.with_others(other_users)
        results[system] = result
    return results


def measure_lists(
    run: JudgedRun,
    options: Options,
    context: EvaluationContext,
    *,
    progress: bool | None = None,
) -> MemoryResult:
    """Compute every measure for one system.

    ``run`` has the lists. ``context`` has the convention and the data about items and users.
    ``progress`` says whether to show a progress bar; None shows one if there are many rows.
    """
    n_users = run.judged.size
    names = [measure.name for measure in options.measures if measure.per_user]
    # Each measure has an array of the users' values, which the blocks fill in. The arrays are rows
    # of one matrix, which needs fewer memory pages than separate arrays.
    values = dict(zip(names, np.empty((len(names), n_users)), strict=True))
    # Notes say how many recommendations have the score -inf, or another score that marks items that
    # must not be recommended. Usually there is none, so look at the lowest score first, which is
    # much cheaper than counting in every block.
    placeholder = find_placeholder(run)
    block_parts = list(block_positions(run, n_measures=len(options.measures)))
    measure_block = partial(_measure_block, run, options, context, values, placeholder)
    blocks: Iterable[BlockResult] = map_in_threads(measure_block, block_parts)
    is_long = run.rows.columns["value"].size >= PROGRESS_BAR_ROWS
    if progress is not None or is_long:  # a wrong value raises in `progress_bar`
        # The only system of an evaluation can be without a name.
        label = str(run.rules.system) or "evaluate"
        blocks = progress_bar(
            progress,
            blocks,
            shown_by_default=True,
            total=len(block_parts),
            unit="block",
            desc=label,
        )
    blocks = list(blocks)

    is_tied = np.zeros(n_users, bool)
    counts: Counter[str] = Counter()
    for block in blocks:
        is_tied[block.positions] = block.tied
        counts.update(block.counts)
    tied = np.flatnonzero(is_tied)
    if tied.size:
        # The convention may take the mean over all orders of equal scores. Then this function
        # changes `values` in place.
        replace_tied(values, run, tied, options.measures, context)

    states = {}
    for measure in options.measures:
        # `of_all` computes the one value that a set-level measure has for all users together.
        if measure.of_all is not None and blocks:
            state = measure.of_all.combine([block.states[measure.name] for block in blocks])
            states[measure.name] = _with_ids(state, measure.of_all, run.truth.items)
    facts: Record = {"longest": max((block.longest for block in blocks), default=0)}
    for fact in COUNTED_FACTS:
        facts[fact] = counts[fact]
    if counts["placeholders"]:
        facts["placeholder"] = float(run.rows.columns["value"].min())
    return MemoryResult(
        options,
        run,
        context,
        columns=values,
        counts=_count_users(run, options, counts),
        states=states,
        tied=tied,
        hit=counts["hits"] > 0,
        list_facts=facts,
    )


def _measure_block(
    run: JudgedRun,
    options: Options,
    context: EvaluationContext,
    values: dict[str, FloatArray],
    placeholder: float | None,
    positions: IntArray,
) -> BlockResult:
    """Measure one block: write the values of its users into ``values``, return everything else.

    ``values`` has an array for each measure with a value per user. ``positions`` are the positions
    of the block's users among the judged users; there is at least one. Scores up to ``placeholder``
    mark items that must not be recommended; None if there are none.
    """
    block = build_lists(run, positions)
    states = {}
    # Begin with the measures that look deepest. The block stores their cumulative sums, which
    # contain the sums for fewer ranks.
    for measure in sorted(options.measures, key=lambda measure: measure.depth, reverse=True):
        if measure.per_user:
            values[measure.name][positions] = measure.compute(block, context)
        if measure.of_all is not None:  # the measure has one value for all users together
            states[measure.name] = measure.state(block, context)
    counts = _count_block(block, run, options.convention, placeholder)
    return BlockResult(positions, block.tied, counts, int(block.length.max()), states)


def _count_block(
    block: UserLists, run: JudgedRun, convention: Convention, placeholder: float | None
) -> Counter[str]:
    """Count the users and items of a block for notes and for `Evaluation.counts`.

    `receval.evaluation.signs.merge_facts` explains the counts for notes. A count left out is 0.
    Scores up to ``placeholder`` mark items that must not be recommended; None if there are none.
    """
    # The convention can state the lowest grade of a relevant item. For measures that only need to
    # know whether an item is relevant, the binary block then has the grades 0 and 1.
    binary_block = block
    if convention.relevant_from != 0:  # 0 means that there is no threshold
        binary_block = block.binarized(convention.relevant_from)
    counts = Counter[str]()
    counts["without truth"] = int(np.count_nonzero(binary_block.n_relevant == 0))
    counts["listed"] = int(block.length.sum())
    counts["unlisted"] = int(binary_block.unlisted.sum())
    if run.past is not None:
        counts["seen"] = block.n_seen
    if placeholder is not None and block.scores is not None:
        kind = "minus_infinite" if placeholder == -np.inf else "placeholders"
        counts[kind] = int(np.count_nonzero(block.scores <= placeholder))
    # The source of the convention may order the equal scores of longer lists at random.
    longest_stable = STABLE_UP_TO.get(convention.name, math.inf)
    counts["unstable"] = int(np.count_nonzero(block.tied & (block.length > longest_stable)))
    counts["hits"] = int(np.count_nonzero(block.grades > 0))
    return counts


def _count_users(run: JudgedRun, options: Options, totals: Counter[str]) -> dict[str, int]:
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


def _with_ids(state: AnyArray, measure: SetLevel, items: Ids) -> AnyArray:
    """Return the state of a set-level measure, with the ids of items in place of their codes.

    The state is the array in which such a measure accumulates a block. Callers can combine the
    states of several tables, and each table has other codes.
    """
    if not measure.has_items:
        return state
    if state.ndim == 1:  # a set of items
        return np.sort(items.take(state))
    item_codes, *item_counts = state  # rows of a matrix: items, and numbers about each of them
    return np.array([items.take(item_codes), *item_counts], dtype=object)


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
    result = measure_lists(run, measured.options, measured.context, progress=False)
    if measured.unjudged_users is not None:
        result = result.with_others(others)
    return replace(result, tables=measured.tables)
