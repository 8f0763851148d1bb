"""Groups of items: their shares of ranks and of hits, and the calibration of lists."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._arrays import rank_weights
from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_callable,
    check_none,
    check_number,
    check_rows,
    format_first,
    input_error,
    shorten,
)
from receval._escape import for_html, for_terminal, frame_for_terminal, without_mathematics
from receval._references import methods_text
from receval._types import AnyArray, Id
from receval._version import __version__
from receval.engine.context import History
from receval.engine.file import System
from receval.engine.measured import MemoryResult
from receval.evaluation.lists import as_indices, is_relevant, with_lists
from receval.measure.block import UserBlock
from receval.measure.convention import Convention, function_name
from receval.metrics.discounts import Discount
from receval.significance.resampling import batch_sizes, draw_counts
from receval.tables.indexed import index_by_id

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ItemGroups"]

ItemLabels: TypeAlias = "pd.Series | pd.DataFrame | Callable[[Id], object]"
"""The groups of each item: one or several labels, flags in a frame's columns, or a function."""

MIXTURE = 0.01
"""The share of the history that is mixed into the list's shares, so the divergence is finite."""

LISTS = (list, tuple, set, frozenset, np.ndarray)
"""The types of a cell with several groups of an item; Parquet files have arrays."""

POPULARITY_NOTE = (
    "held-out relevance inherits popularity bias: popular items are rated more often, so they have "
    "a larger share of relevance than of the users' tastes"
)


class Memberships(NamedTuple):
    """The groups of the items.

    Attributes
    ----------
    names : the names of the groups.
    weights : a row of weights for each item code, and a last row for empty ranks; shape (items + 1,
        groups). The weights of an item with groups add up to 1.
    catalogue : the sum of the weights of all items of the catalogue, for each group.
    """

    names: list[Id]
    weights: FloatArray
    catalogue: FloatArray


class GroupSums(NamedTuple):
    """Sums of one system by judged user and group, each of shape (users, groups).

    Attributes
    ----------
    exposure : the sum of the weights of the ranks that hold items of the group.
    hits : the number of hits.
    relevance : the number of relevant items, whether they are listed or not.
    """

    exposure: FloatArray
    hits: FloatArray
    relevance: FloatArray


@dataclass(frozen=True, eq=False, repr=False)
class ItemGroups:
    """The shares of groups of items, from `Evaluation.by_items`.

    Attributes
    ----------
    table : DataFrame
        Indexed by group, or by (system, group) if there are several systems. ``catalogue``,
        ``relevance``, ``exposure`` and ``hits`` are the group's shares of all items, of the
        relevant items of all users, of the weights of all filled ranks, and of all hits. Each of
        these columns adds up to 1 over the groups. ``vs_relevance`` and ``vs_catalogue`` are the
        share of exposure divided by the share of relevance and of the catalogue. A ratio above 1
        means that the group has a larger share of the exposure than of the relevance or of the
        catalogue. ``…_low`` and ``…_high`` are the ends of their intervals. Ratios are NaN if the
        divisor is 0. Ends are NaN if a draw of users has no relevant item of the group.
    discount : str
        The name of the discount, which is the weight of a rank.
    depth : int or None
        The number of ranks that count; None if whole lists count.
    level : float
        The level of the intervals.
    """

    table: pd.DataFrame
    discount: str
    depth: int | None
    level: float
    n_resamples: int
    _calibration: Callable[[], pd.DataFrame] = field(repr=False)

    def calibration(self) -> pd.DataFrame:
        r"""Return how much each user's list differs from the user's history, by user and system.

        Returns
        -------
        DataFrame
            Judged users in rows, systems in columns. The values are at least 0, in nats. Lower is
            better: the value is 0 if the groups have the same shares in the list as in the history.
            It is NaN for users without a list or without a history.

        Raises
        ------
        InputError
            If `evaluate` had no ``history``, or an item of it has no group.

        Notes
        -----
        This is the Kullback-Leibler divergence of [1]_, eq. 6 and 7, with natural logarithms:

        .. math:: \sum_g p_g \ln \frac{p_g}{(1 - a) q_g + a p_g}, \qquad a = 0.01

        :math:`p_g` is the share of group g among the items of the user's history, and :math:`q_g`
        its share of the weights of the ranks of the list. An item with several groups counts in
        equal parts for each.

        References
        ----------
        .. [1] Steck, H.: Calibrated recommendations, RecSys 2018, doi:10.1145/3240323.3240372.
        """
        return self._calibration().copy()

    def notes(self) -> list[str]:
        """Return lines that explain the numbers, and warn about them."""
        ranks = "all ranks" if self.depth is None else f"the first {self.depth} ranks"
        return [
            f"exposure: the weights of {ranks}, discount {self.discount}",
            f"intervals: {100 * self.level:g}%, percentiles of {self.n_resamples:,} draws of users",
            POPULARITY_NOTE,
        ]

    def methods(self, *, bibtex: bool = False, latex: bool = False) -> str:
        r"""Return text for the methods section of a paper.

        Parameters
        ----------
        bibtex : bool, default False
            Return the BibTeX entries of the works that the text cites, instead of the text.
        latex : bool, default False
            Return the text for LaTeX: signs are escaped, and citations have the entries' keys.

        Returns
        -------
        str
        """
        ranks = "of all ranks" if self.depth is None else f"of the first {self.depth} ranks"
        text = (
            "The exposure of a group of items is the sum of the discounts "
            f"({self.discount}) {ranks} at which its items are (@singh2018); an item of several "
            "groups counts in equal parts for each. Disparity is the group's share of the exposure "
            "divided by its share of the relevant items, and by its share of the catalogue, with "
            f"{100 * self.level:g}% percentile intervals of {self.n_resamples} bootstrap draws of "
            f"users (receval {__version__}; @receval2026). Calibration is the divergence of "
            f"@steck2018 with a = {MIXTURE:g}."
        )
        return methods_text(text, bibtex=bibtex, latex=latex)

    def plot(self, *, axes: list[Axes] | None = None) -> list[Axes]:
        """Draw the disparities by group and system; see `receval.plots.exposure_disparity`.

        Parameters
        ----------
        axes : list of Axes, optional
            The two Axes to draw on. Default: a new figure.

        Returns
        -------
        list of matplotlib.axes.Axes
        """
        from receval.plots import exposure_disparity

        return exposure_disparity(self.table, axes=axes)

    def _shown(self) -> pd.DataFrame:
        """Return the table as text, with the intervals in brackets."""
        table = self.table
        shown = table[["catalogue", "relevance", "exposure", "hits"]].map("{:.1%}".format)
        for name in ("vs_relevance", "vs_catalogue"):
            ends = zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True)
            shown[name] = [f"{ratio:.2f} [{low:.2f}, {high:.2f}]" for ratio, low, high in ends]
        return shown.replace("nan%", "–")

    def __repr__(self) -> str:
        table = frame_for_terminal(self._shown()).to_string()
        return "\n".join([table, *map(for_terminal, self.notes())])

    def _repr_html_(self) -> str:
        table = without_mathematics(frame_for_terminal(self._shown()).to_html())
        return f"{table}<p>{'<br>'.join(map(for_html, self.notes()))}</p>"


def shares_of_groups(
    systems: Mapping[Id, System],
    groups: ItemLabels,
    discount: Discount,
    level: float,
    n_resamples: int,
    rng: Seed,
) -> ItemGroups:
    """Return the shares of groups of items under some systems; see `Evaluation.by_items`."""
    check_callable(discount, "discount", "shifted_log2")
    check_number(level, "level", "a number in (0, 1)", lambda value: 0 < value < 1)
    check_rows(n_resamples, "n_resamples")
    results = {name: with_lists(system, name) for name, system in systems.items()}
    # All systems have the same codes of items, and the same truth.
    first = next(iter(results.values()))
    memberships = _read_groups(groups, first)
    catalogue = memberships.catalogue / memberships.catalogue.sum()
    sums_by_system = {
        name: _sums_by_user(measured, memberships, discount) for name, measured in results.items()
    }
    # All systems use the same draws of users.
    drawn_by_system = _draw(sums_by_system, n_resamples, rng)
    tables = {
        name: _shares(sums, drawn_by_system[name], catalogue, memberships.names, level)
        for name, sums in sums_by_system.items()
    }
    table = next(iter(tables.values()))
    if len(tables) > 1:
        table = pd.concat(tables, names=["system", "group"])

    def calibrate() -> pd.DataFrame:
        """Return the divergence of each user's list from the user's history, by user and system."""
        history_shares = _shares_in_history(first, memberships)
        truth = first.run.truth
        users = truth.users.index(truth.judged, "user")
        columns = {
            name: calibration_divergence(history_shares, _row_shares(sums.exposure))
            for name, sums in sums_by_system.items()
        }
        return pd.DataFrame(columns, index=users)

    depth = first.run.rules.depth
    return ItemGroups(
        table=table,
        discount=function_name(discount),
        depth=int(depth) if np.isfinite(depth) else None,
        level=level,
        n_resamples=n_resamples,
        _calibration=calibrate,
    )


# Reading the groups -------------------------------------------------------------------------------


def _read_groups(groups: ItemLabels, measured: MemoryResult) -> Memberships:
    """Return the groups of the items of an evaluation.

    Raises an `InputError` if ``groups`` is not one of the `ItemLabels`, or an item in it has no
    label. A later check finds listed items that have no group.
    """
    item_ids = measured.run.truth.items
    all_codes = np.arange(item_ids.size)
    if callable(groups):
        ids = item_ids.take(all_codes).tolist()
        groups = pd.Series([groups(item) for item in ids], pd.Index(ids), dtype=object)
    if isinstance(groups, pd.DataFrame):
        groups = index_by_id(groups, ["item"], "groups")
        if groups.shape[1] == 1:
            groups = groups.iloc[:, 0]
    if isinstance(groups, pd.DataFrame):
        table = _weights_of_flags(groups)
    elif isinstance(groups, pd.Series):
        table = _weights_of_labels(groups)
    else:
        rule = "be a Series or a frame indexed by item, or a function of an id"
        raise input_error("groups", rule, shorten(groups))
    # Arrange the weights of the tables' items by code. The catalogue can have more items.
    weights_by_code = table.reindex(pd.Index(item_ids.take(all_codes))).to_numpy()
    no_item = np.zeros((1, table.shape[1]))  # the last row, for the code -1 of empty ranks
    return Memberships(
        names=list(table.columns),
        weights=np.concatenate([weights_by_code, no_item]),
        catalogue=table.to_numpy().sum(axis=0),
    )


def _weights_of_flags(flags: pd.DataFrame) -> pd.DataFrame:
    """Return the weight of each item in each group, from a frame with a column for each group.

    The cells say whether the item is in the group: True and False, or 1 and 0. Raises an
    `InputError` for other cells, an item that occurs twice, and an item in no group.
    """
    repeated = flags.index[flags.index.duplicated()]
    if len(repeated):
        got = f"{format_first(repeated, to_text=shorten)} twice"
        raise input_error("groups", "hold each item once", got)
    rule = "have one column of labels, or a column of True and False (or 1 and 0) for each group"
    for name, column in flags.items():
        is_wrong = ~column.isin([0, 1])
        if is_wrong.any():
            got = f"{shorten(column[is_wrong].iloc[0])} in {name!r}"
            raise input_error("groups", rule, got)
    numbers = flags.astype(float)
    n_groups = numbers.sum(axis=1)
    _check_has_group(flags.index[n_groups == 0])
    return numbers.div(n_groups, axis=0)


def _weights_of_labels(labels: pd.Series) -> pd.DataFrame:
    """Return the weight of each item in each group, from its label or labels.

    An item with several groups has a row for each group, or a list of labels; its weight is split
    equally between the groups. Groups are in the order of their categories; without categories,
    they are sorted. Raises an `InputError` if an item has no label, or the same label twice.
    """
    if isinstance(labels.dtype, pd.ArrowDtype):  # pandas can't count lists of Arrow
        labels = labels.astype(object)
    if labels.dtype == object:  # then a cell can hold a list of labels
        lists = [list(label) if isinstance(label, LISTS) else [label] for label in labels]
        labels = pd.Series(lists, labels.index, dtype=object).explode()
    _check_has_group(labels.index[labels.isna()])
    order: pd.Index
    if isinstance(labels.dtype, pd.CategoricalDtype):
        order = labels.cat.categories[labels.cat.categories.isin(labels)]
    else:
        order = pd.Index(sorted(labels.unique(), key=_sort_key))
    pairs = pd.DataFrame({"item": labels.index, "group": labels.to_numpy()})
    repeated = pairs[pairs.duplicated()]
    if len(repeated):
        item, group = repeated.iloc[0]
        rule = "name each group of an item once"
        raise input_error("groups", rule, f"{shorten(group)} twice for item {shorten(item)}")
    table = pd.crosstab(pairs["item"], pairs["group"]).reindex(columns=order).astype(float)
    return table.div(table.sum(axis=1), axis=0)


def _sort_key(label: object) -> tuple[bool, object]:
    """Return a sort key: numbers are sorted as numbers, and come before texts."""
    if isinstance(label, (int, float, np.number)):
        return False, float(label)
    return True, str(label)


def _check_has_group(without_group: pd.Index) -> None:
    """Raise an `InputError` if there are items without a group."""
    if len(without_group):
        got = f"none for {format_first(without_group, to_text=shorten)}"
        raise input_error("groups", "name a group of each item", got)


def _check_all_known(codes: IntArray, memberships: Memberships, measured: MemoryResult) -> None:
    """Raise an `InputError` if items have no groups.

    ``codes`` are the codes of the items; -1 is not an item.
    """
    is_unknown = np.isnan(memberships.weights[codes, 0])
    if is_unknown.any():
        unknown = measured.run.truth.items.take(np.unique(codes[is_unknown])).tolist()
        rule = "name a group of each item that is listed, relevant or in the history"
        raise input_error("groups", rule, f"none for {format_first(map(repr, unknown))}")


# Sums and shares ----------------------------------------------------------------------------------


def _sums_by_user(
    measured: MemoryResult, memberships: Memberships, discount: Discount
) -> GroupSums:
    """Return the sums of one system by judged user and group."""
    convention = measured.context.convention
    shape = (measured.run.truth.judged.size, len(memberships.names))
    sums = GroupSums(np.zeros(shape), np.zeros(shape), np.zeros(shape))
    for positions, block in measured.run.blocks():
        users = as_indices(positions)
        listed = block.items
        relevant = _relevant_items(block, convention)
        for codes in (listed, relevant):
            _check_all_known(codes, memberships, measured)
        in_group = memberships.weights[listed]  # (users, ranks, groups)
        weights = rank_weights(listed.shape[1], discount)
        # With a negative weight, the shares of the exposure would not be shares.
        check_none(weights, weights < 0, "discount", "return no negative weight")
        is_hit = is_relevant(block, convention).astype(float)
        sums.exposure[users] = np.einsum("urg,r->ug", in_group, weights)
        sums.hits[users] = np.einsum("urg,ur->ug", in_group, is_hit)
        sums.relevance[users] = memberships.weights[relevant].sum(axis=1)
    return sums


def _relevant_items(block: UserBlock, convention: Convention) -> IntArray:
    """Return the codes of each user's relevant items, in any order, with -1 between them.

    These are the items that count as relevant in measures that ignore grades.
    """
    if convention.relevant_from != 0:  # 0 means that there is no other threshold
        block = block.binarized(convention.relevant_from)
    return block.relevant_items


def _shares(
    sums: GroupSums, drawn: GroupSums, catalogue: FloatArray, names: list[Id], level: float
) -> pd.DataFrame:
    """Return the table of `ItemGroups` for one system, indexed by group.

    ``sums`` has a row for each user, and ``drawn`` a row for each draw of users. ``catalogue`` has
    the shares of the groups in the catalogue, and ``names`` has their names. ``level`` is the level
    of the intervals.
    """
    exposure = _row_shares(sums.exposure.sum(axis=0))
    relevance = _row_shares(sums.relevance.sum(axis=0))
    columns = {
        "catalogue": catalogue,
        "relevance": relevance,
        "exposure": exposure,
        "hits": _row_shares(sums.hits.sum(axis=0)),
    }
    # Take the shares of each draw. The catalogue is the same in every draw.
    drawn_exposure = _row_shares(drawn.exposure)
    drawn_relevance = _row_shares(drawn.relevance)
    ratios = {
        "vs_relevance": (_ratio(exposure, relevance), _ratio(drawn_exposure, drawn_relevance)),
        "vs_catalogue": (_ratio(exposure, catalogue), _ratio(drawn_exposure, catalogue)),
    }
    tail = (1 - level) / 2
    for name, (ratio, ratios_of_draws) in ratios.items():
        low, high = np.quantile(ratios_of_draws, [tail, 1 - tail], axis=0)  # NaN if a draw is NaN
        columns |= {name: ratio, f"{name}_low": low, f"{name}_high": high}
    return pd.DataFrame(columns, index=pd.Index(names, name="group", tupleize_cols=False))


def _draw(
    sums_by_system: Mapping[Id, GroupSums], n_resamples: int, rng: Seed
) -> dict[Id, GroupSums]:
    """Return the sums of each system over users drawn with replacement, with a row per draw."""
    generator = as_generator(rng)
    # Put the columns of all systems next to each other, so that they share the draws of users.
    columns = np.concatenate([np.concatenate(sums, axis=1) for sums in sums_by_system.values()], 1)
    n_users = len(columns)
    each_once = np.ones(n_users, int)
    batches = []
    for n_draws in batch_sizes(n_resamples, n_users):
        # NumPy multiplies two matrices fast only if both have floating-point numbers.
        counts = draw_counts(generator, n_draws, each_once).astype(np.float64)
        batches.append(counts @ columns)
    by_system = np.split(np.concatenate(batches), len(sums_by_system), axis=1)
    return {
        name: GroupSums(*np.split(drawn, len(GroupSums._fields), axis=1))
        for name, drawn in zip(sums_by_system, by_system, strict=True)
    }


def _row_shares(numbers: FloatArray) -> FloatArray:
    """Return numbers divided by their sum along the last axis; NaN where the sum is 0."""
    return _ratio(numbers, numbers.sum(axis=-1, keepdims=True))


def _ratio(numbers: FloatArray, divisors: FloatArray) -> FloatArray:
    """Return the quotients; NaN where the divisor is 0."""
    return np.asarray(numbers / np.where(divisors == 0, np.nan, divisors))


# Calibration --------------------------------------------------------------------------------------


def _shares_in_history(measured: MemoryResult, memberships: Memberships) -> FloatArray:
    """Return the share of each group in the history of each judged user; NaN without a history.

    Raises an `InputError` if the evaluation had no history, or an item of it has no group.
    """
    history = measured.context.seen
    if not isinstance(history, History):
        advice = "Evaluate with history=…, the users and the items they have seen"
        raise InputError(f"history must be given for calibration; got none. {advice}")
    users, items = np.divmod(history.pairs, history.n_items)
    judged = measured.run.truth.judged  # ascending
    position = np.minimum(np.searchsorted(judged, users), judged.size - 1)
    is_judged: BoolArray = judged[position] == users
    position, items = position[is_judged], items[is_judged]
    _check_all_known(items, memberships, measured)
    counts = [
        np.bincount(position, memberships.weights[items, group], minlength=judged.size)
        for group in range(len(memberships.names))
    ]
    return _row_shares(np.column_stack(counts))


def calibration_divergence(history: AnyArray, recommended: AnyArray) -> FloatArray:
    """Return the divergence of lists from histories; see `ItemGroups.calibration`.

    ``history`` and ``recommended`` have the shape (users, groups). Each row has the shares of the
    groups, which add up to 1. For a row of NaN, the result is NaN.
    """
    mixed = (1 - MIXTURE) * recommended + MIXTURE * history
    # A group that is not in the history adds nothing.
    quotient = np.divide(history, mixed, out=np.ones_like(mixed), where=history != 0)
    divergence = (history * np.log(quotient)).sum(axis=-1)
    # If two distributions are equal, rounding can make the sum slightly negative.
    return np.asarray(np.maximum(divergence, 0.0))
