"""Measure tables in memory, block by block, and hold the values of each system.

A block is some of the users with all their rows (see `receval.definitions.lists`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    BoolArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    Record,
    as_ids,
    check_not_empty,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._threads import map_in_threads
from receval.definitions.convention import Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import (
    JudgedRun,
    UserLists,
    block_positions,
    build_lists,
)
from receval.definitions.ties import BOUNDS, replace_tied, row_of_ties, values_over_orders
from receval.evaluation.join import (
    Systems,
    check_kind,
    check_ranks_fit_scores,
    join_tables,
    kind_of,
    select_users,
)
from receval.evaluation.options import Options
from receval.evaluation.signs import (
    MARKED_BELOW,
    facts_of_lists,
    is_in,
    near_matches,
)
from receval.tables.columns import Ids
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
    runs = join_tables(options, tables, systems)
    other_users = None
    if options.users in ("answered", "named"):
        runs, other_users = select_users(options, runs)
    return {
        system: measure_lists(run, options, tables, other_users) for system, run in runs.items()
    }


def measure_lists(
    run: JudgedRun,
    options: Options,
    tables: InputTables,
    others: pd.Index | None = None,
) -> SystemResult:
    """Compute every measure for one system.

    ``run`` has the lists, which read the ``tables``. ``others`` are users who are not judged, but
    count in the means.
    """
    n_users = run.judged.size
    names = [measure.name for measure in options.measures if measure.per_user]
    # Each measure has an array of the users' values, which the blocks fill in. The arrays are rows
    # of one matrix, which needs fewer memory pages than separate arrays.
    values = dict(zip(names, np.empty((len(names), n_users)), strict=True))
    length = np.zeros(n_users, np.int64)
    is_tied = np.zeros(n_users, bool)
    lowest = float(run.rows.columns["value"].min(initial=0))
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
        return _count_block(block, options.convention, lowest), states

    blocks = list(map_in_threads(measure_block, block_positions(run)))
    if is_tied.any():
        # The convention may take the mean over all orders of equal scores. Then this function
        # changes `values` in place.
        replace_tied(values, run, np.flatnonzero(is_tied), options.measures)
    totals: Counter[str] = Counter()
    states_of_blocks = []
    for counts, states in blocks:
        totals.update(counts)
        states_of_blocks.append(states)
    totals["listed"] = int(length.sum())
    totals["longest"] = int(length.max(initial=0))
    lists = MeasuredLists(options, run, is_tied, totals, tables)
    result = SystemResult(
        pd.DataFrame(values, lists.users, copy=False),
        counts=_count_users(run, options, totals),
        item_kind=run.truth.items.kind,
        # Most systems have a hit, and the other check is slower.
        shares_items=totals["hits"] > 0 or _shares_items(run),
        states=_combine_states(options.measures, states_of_blocks, run.truth.items),
        lists=lists,
    )
    if others is not None:
        result = _with_others(result, run, others)
    return result


def _shares_items(run: JudgedRun) -> bool:
    """Return whether any recommended item is in relevance, for any user."""
    is_in_truth = is_in(run.truth.rows.columns["item"], run.truth.items)
    return bool(is_in_truth[run.rows.columns["item"]].any())


def _count_block(block: UserLists, convention: Convention, lowest: float) -> Counter[str]:
    """Count the users and items of a block for notes and for `Evaluation.counts`.

    `receval.evaluation.signs` explains the counts for notes. A count left out is 0. ``lowest`` is
    the lowest score of the system; if it may mark items, the scores near it are counted.
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
    if lowest <= MARKED_BELOW / 2:
        is_item = ~np.isnan(block.grades)  # a rank before the end of its list
        counts["low"] = int(np.count_nonzero(block.predicted[is_item] <= lowest / 2))
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


def _combine_states(
    measures: Iterable[Measure], states_of_blocks: Sequence[Mapping[str, AnyArray]], items: Ids
) -> dict[str, AnyArray]:
    """Return the state of each set-level measure, which it accumulates over the blocks.

    The state is an array. Callers can combine the states of several tables, and each table has
    other codes of items, so ids take the place of these codes.
    """
    states: dict[str, AnyArray] = {}
    for measure in measures:
        if measure.of_all is None or not states_of_blocks:
            continue
        state = measure.of_all.combine([block[measure.name] for block in states_of_blocks])
        if measure.of_all.has_items and state.ndim == 1:  # a set of items
            state = items.take(state)
        elif measure.of_all.has_items:  # rows of a matrix: items, and numbers about each of them
            item_codes, *item_counts = state
            state = np.array([items.take(item_codes), *item_counts], dtype=object)
        states[measure.name] = state
    return states


# The result of one system -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class MeasuredLists:
    """The lists of one system, which its values were computed from.

    Attributes
    ----------
    options : the arguments of the evaluation.
    run : the lists, which the object reads from the tables.
    is_tied : mask of the judged users with ties that can change a value.
    totals : numbers of rows and items, which `measure_lists` has added up.
    tables : the tables whose arrays the lists read. While a result holds its copies of frames,
        edits of the user's frames don't reach these arrays (see `receval.tables.columns.snapshot`).
    """

    options: Options
    run: JudgedRun
    is_tied: BoolArray
    totals: Record
    tables: InputTables

    @property
    def users(self) -> pd.Index:
        """Return the ids of the judged users."""
        return self.run.truth.users.index(self.run.judged, "user")

    def tie_bounds(self) -> dict[str, FloatArray]:
        """Return the lowest, mean and highest value over all orders of equal scores.

        There is an array of shape (3, users) for each measure that depends on the order. It has
        the users of ``is_tied``.
        """
        tied = np.flatnonzero(self.is_tied)
        return values_over_orders(self.run, tied, self.options.measures)


@dataclass(frozen=True, eq=False, repr=False)
class SystemResult:
    """The result of one system.

    Attributes
    ----------
    frame : DataFrame
        The values by user, with a column for each measure. The judged users come first. Users who
        are not judged but count in the means follow.
    counts : dict of int
        The number of users of each kind, as in `Evaluation.counts`.
    item_kind : str
        Whether item ids are "integer" or "text".
    shares_items : bool
        Whether any recommended item is in relevance, for any user; True if this is not known.
    states : dict of array
        The state of each set-level measure, which it has accumulated over all users.
    stored_ties, stored_facts : dict
        What `ties` and `facts` return. If they are empty, the lists give the answer.
    lists : MeasuredLists, optional
        The lists; a result that was loaded or evaluated part by part lacks them.
    measure_user : callable, optional
        A function that measures a user again from files or Dask frames.
    """

    frame: pd.DataFrame
    counts: dict[str, int]
    item_kind: str
    shares_items: bool = True
    states: dict[str, AnyArray] = field(default_factory=dict)
    stored_ties: dict[str, dict[str, float]] = field(default_factory=dict)
    stored_facts: Record = field(default_factory=dict)
    lists: MeasuredLists | None = None
    measure_user: Callable[[Id], SystemResult] | None = None

    @cached_property
    def means(self) -> dict[str, float]:
        """Return the mean of each measure over the users that have a value."""
        return {str(measure): mean(column) for measure, column in self.frame.items()}

    @cached_property
    def ties(self) -> dict[str, dict[str, float]]:
        """Return the row of `Evaluation.ties` of each measure."""
        if self.stored_ties or self.lists is None:
            return self.stored_ties
        bounds = self.lists.tie_bounds()
        if not self.lists.is_tied.any():  # there is only one order, whose means are known
            return {
                name: {**dict.fromkeys(BOUNDS, self.means[name]), "users": 0} for name in bounds
            }
        return rows_of_ties(self.frame, self.lists.is_tied, bounds)

    @cached_property
    def facts(self) -> Record:
        """Return the facts about lists and tables for notes; see `receval.evaluation.signs`."""
        if self.stored_facts or self.lists is None:
            return self.stored_facts
        facts = facts_of_lists(self.lists.run, self.lists.totals)
        return {**facts, "alike": near_matches(self.lists.run)}

    def lists_of(self, user: Id | None) -> MeasuredLists:
        """Return the lists that hold those of a judged user, or of every user if it is None.

        Raises an error if the user is not judged, or if the lists are not in memory and can't be
        read from tables.
        """
        # Tables in memory: their lists are there.
        if self.lists is not None:
            if user is not None:
                _check_judged(user, self.lists.users)
            return self.lists
        # Tables in parts: those of a single user can be read again.
        if self.measure_user is not None and user is not None:
            _check_judged(user, self.frame.index)
            lists = self.measure_user(user).lists
            assert lists is not None
            return lists
        # Only values.
        advice = (
            "Evaluate the tables again. If they were evaluated part by part, name a user; of "
            "pooled folds, ask the evaluation of a fold"
        )
        raise input_error("evaluation", "have its lists in memory", "values only", advice)


def _check_judged(user: object, judged: pd.Index) -> None:
    """Raise an `InputError` unless a user is one of the judged users."""
    # True equals 1, but isn't an id.
    is_id = isinstance(user, (str, int, np.integer)) and not isinstance(user, bool)
    if not is_id or user not in judged:
        examples = judged[:MAX_EXAMPLES].tolist()
        raise InputError(f"user must be a judged user, such as {examples}; got {user!r}")


def rows_of_ties(
    frame: pd.DataFrame, is_tied: BoolArray, bounds: dict[str, FloatArray]
) -> dict[str, dict[str, float]]:
    """Return the row of `Evaluation.ties` of each measure; see `MeasuredLists.tie_bounds`."""
    tied = np.flatnonzero(is_tied)
    return {
        measure: row_of_ties(frame[measure].to_numpy(), tied, of_orders)
        for measure, of_orders in bounds.items()
    }


# Some of the users --------------------------------------------------------------------------------


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
    return measure_lists(run, lists.options, lists.tables, others)


def user_mask(users: pd.Index, chosen_ids: Iterable[Id]) -> BoolArray:
    """Return a mask of the users whose ids are chosen, in the order of ``users``.

    Raises an `InputError` if no id is chosen, or if an id is not that of a user.
    """
    if pd.api.types.is_bool_dtype(getattr(chosen_ids, "dtype", object)):
        advice = "Pass the ids of the wanted users, such as flags.index[flags]"
        raise input_error("users", "hold ids of users", "flags", advice)
    ids = as_ids(chosen_ids, "users", "be a list of ids of judged users")
    check_not_empty(ids, "users", "leave at least one judged user")
    index = pd.Index(ids, tupleize_cols=False)  # a tuple is one id, not several levels
    check_kind(index, kind_of(users), "users")
    unknown = index.difference(users, sort=False)
    if len(unknown):
        rule = f"be judged users, such as {users[:MAX_EXAMPLES].tolist()}"
        raise input_error("users", rule, format_first(map(repr, unknown)))
    return np.asarray(users.isin(index))


def users_by_group(users: pd.Index, groups: pd.Series) -> dict[Id, pd.Index]:
    """Return the users of each group, by the name of the group.

    ``groups`` has the group of each user, indexed by user. Groups are in the order of their
    categories if the labels are categorical; otherwise, they are sorted. Categories without users
    are not groups. Raises an `InputError` if a user has no group or two groups, if the name of a
    group is not hashable, or if names such as True and 1 are equal.
    """
    rule = "be a Series with the group of each user, indexed by user"
    check_that(isinstance(groups, pd.Series), "groups", rule, groups)
    labels = groups.dropna()  # a user whose label is NaN has no group
    check_kind(labels.index, kind_of(users), "index of groups")
    check_unique(labels.index.tolist(), "index of groups", "user")
    unlabelled = users.difference(labels.index)
    if len(unlabelled):
        got = f"none of {format_first(map(repr, unlabelled))}"
        advice = "Choose users with where(users=…) first"
        raise input_error("groups", "hold one value for each judged user", got, advice)
    labels = labels.reindex(users)
    are_names = labels.map(pd.api.types.is_hashable).all()
    check_that(are_names, "groups", "have hashable names such as text", labels.tolist())
    if pd.api.types.infer_dtype(labels).startswith("mixed"):
        _check_names_differ(labels)
    by_group = labels.groupby(labels, observed=True)  # leaves out empty categories
    return {group: labels_of_group.index for group, labels_of_group in by_group}


def _check_names_differ(labels: pd.Series) -> None:
    """Raise if labels have both True and 1, or both False and 0.

    These are equal in Python, so they would become one group.
    """
    is_bool = labels.map(lambda label: isinstance(label, (bool, np.bool_))).astype(bool)
    is_mixed = is_bool.groupby(labels, observed=True).transform("nunique") > 1
    if is_mixed.any():
        is_first = labels == labels[is_mixed].iloc[0]
        bools, numbers = labels[is_first & is_bool], labels[is_first & ~is_bool]
        got = (
            f"{bools.iloc[0]!r} for user {shorten(bools.index[0])} and {numbers.iloc[0]!r} for "
            f"user {shorten(numbers.index[0])}, which are equal in Python"
        )
        raise input_error("groups", "have names that differ", got, "Name them by text")
