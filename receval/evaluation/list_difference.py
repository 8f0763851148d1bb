"""Trace the difference of two systems to users, items and ranks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    AnyArray,
    BoolArray,
    FloatArray,
    Id,
    InputError,
    IntArray,
    as_ids,
    check_number,
    format_first,
    input_error,
)
from receval._escape import for_html, for_terminal, lines_for_terminal, without_mathematics
from receval._references import methods_text
from receval._version import __version__
from receval.definitions.definition import Measure
from receval.definitions.lists import UserLists
from receval.definitions.ties import in_order_of_measure
from receval.evaluation.explaining import measure_user_again, with_measure_alone
from receval.evaluation.lists import with_lists
from receval.evaluation.measured import MemoryResult, System
from receval.evaluation.report import quote_label
from receval.working.by_rank import hits_by_rank, is_sum_over_ranks, rank_contributions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SystemDifference", "UserDifference"]

MAX_RANKS = 20
"""If the measure has no cut-off, the table of where hits went shows this many ranks."""

OUTSIDE = "out"
"""The label of hits that are below the shown ranks of a list, or not in it."""

SHOWN_ROWS = 5
"""The text of a difference shows this many users and items."""


class Cells(NamedTuple):
    """The listed items of one system that are hits, or add something to a user's value.

    Attributes
    ----------
    user : position of the user among the users of the result.
    item : code of the item.
    rank : rank of the item, counted from 1.
    is_hit : whether the measure counts the item as relevant.
    contribution : number that the item adds to the user's value.
    """

    user: IntArray
    item: IntArray
    rank: IntArray
    is_hit: BoolArray
    contribution: FloatArray

    def where(self, is_wanted: BoolArray) -> Cells:
        """Return some of the items."""
        return Cells(
            self.user[is_wanted],
            self.item[is_wanted],
            self.rank[is_wanted],
            self.is_hit[is_wanted],
            self.contribution[is_wanted],
        )

    @classmethod
    def joined(cls, parts: list[Cells]) -> Cells:
        """Return the items of several blocks together; there must be at least one block."""
        return cls(
            np.concatenate([part.user for part in parts]),
            np.concatenate([part.item for part in parts]),
            np.concatenate([part.rank for part in parts]),
            np.concatenate([part.is_hit for part in parts]),
            np.concatenate([part.contribution for part in parts]),
        )


class Side(NamedTuple):
    """One of the two systems of a difference: its name, and its result."""

    name: Id
    system: System


# One user -----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class UserDifference:
    """The lists of one user under two systems, with what each rank adds to the difference.

    `Evaluation.diff` makes it.

    Attributes
    ----------
    table : DataFrame
        A row for each rank that the measure looks at. ``item_a`` is the item of the first system,
        ``grade_a`` is its grade in the relevance (NaN if it is not judged), and ``change_a`` says
        where the second system has it: "stays", "to 5" (its new rank) or "lost". ``item_b`` and
        ``grade_b`` are the item of the second system and its grade, and ``change_b`` is "stays",
        "from 5" or "gained". ``contribution`` is what the rank adds to the difference. The
        contributions add up to the difference, except for rounding in the last digit.
    a, b : str
        The two systems.
    user : id
        The user.
    measure : str
        The name of the measure.
    value_a, value_b, difference : float
        The user's values under the two systems, and the second value minus the first.
    """

    a: Id
    b: Id
    user: Id
    measure: str
    value_a: float
    value_b: float
    table: pd.DataFrame = field(repr=False)

    @property
    def difference(self) -> float:
        """Return the value under the second system minus the value under the first system."""
        return self.value_b - self.value_a

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Show what each rank adds to the difference; see `receval.plots.rank_contributions`.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from receval.plots import rank_contributions

        by_rank = self.table.set_index("rank")["contribution"]
        return rank_contributions(by_rank, title=self._sentence(), ax=ax)

    def _sentence(self) -> str:
        """Return the values and their difference in words."""
        return (
            f"{self.measure} of user {quote_label(self.user)}: {self.value_a:.4f} under "
            f"{quote_label(self.a)} (a), {self.value_b:.4f} under {quote_label(self.b)} (b), "
            f"difference {self.difference:+.4f}"
        )

    def __repr__(self) -> str:
        table = lines_for_terminal(self.table.round(4).to_string(index=False))
        return f"{for_terminal(self._sentence())}\n{table}"

    def _repr_html_(self) -> str:
        table = lines_for_terminal(self.table.round(4).to_html(index=False))
        return f"<p>{for_html(self._sentence())}</p>{without_mathematics(table)}"


def difference_of_user(first: Side, second: Side, measure: Measure, user: Id) -> UserDifference:
    """Return the difference of one user's values under two systems; see `Evaluation.diff`."""
    _check_is_sum(measure)
    blocks: list[UserLists] = []
    item_ids: list[AnyArray] = []
    contributions: list[FloatArray] = []
    values: list[float] = []
    for side in (first, second):
        # Measure this user again, under this measure alone. This also shows whether the tables have
        # changed.
        all_users = with_measure_alone(with_lists(side.system, side.name, user), measure)
        value = side.system.value_of(user, measure.name)
        measured = measure_user_again(all_users, user, measure.name, value)
        only_user = np.zeros(1, int)  # the position of the only user
        run = in_order_of_measure(measured.run, measure, measured.context.convention)
        ((_, block),) = run.with_full_lists(only_user).blocks()
        added = rank_contributions(measure, block, measured.context)[0]
        _check_sums(added.sum(keepdims=True), np.array([value]), measure, [user])
        is_item = block.items[0] >= 0  # lists are padded with -1
        blocks.append(block)
        item_ids.append(measured.run.truth.items.take(block.items[0][is_item]))
        contributions.append(added)
        values.append(value)
    table = _table_of_user(blocks, item_ids, contributions, measure.k)
    value_a, value_b = values
    return UserDifference(first.name, second.name, user, measure.name, value_a, value_b, table)


def _table_of_user(
    blocks: list[UserLists],
    item_ids: list[AnyArray],
    contributions: list[FloatArray],
    k: int | None,
) -> pd.DataFrame:
    """Return the two lists of one user side by side; see `UserDifference`.

    Each argument has an entry for each system: the block of this user alone, the ids of the listed
    items, and the contributions by rank. The table ends at rank ``k``; None shows the whole lists.
    """
    n_rows = max(ids.size for ids in item_ids)
    if k is not None:
        n_rows = min(n_rows, k)
    ranks = [{item: rank for rank, item in enumerate(ids.tolist(), 1)} for ids in item_ids]
    words = [("to", "lost"), ("from", "gained")]
    columns: dict[str, AnyArray] = {"rank": np.arange(1, n_rows + 1)}
    difference = np.zeros(n_rows)
    for position, letter in enumerate("ab"):
        other_ranks = ranks[1 - position]
        preposition, absent = words[position]
        items = np.full(n_rows, None, dtype=object)
        grades = np.full(n_rows, np.nan)
        changes = np.full(n_rows, "", dtype=object)
        shown_ids = item_ids[position][:n_rows].tolist()
        grades[: len(shown_ids)] = blocks[position].ratings[0, : len(shown_ids)]
        for row, item in enumerate(shown_ids):
            items[row] = item
            other_rank = other_ranks.get(item)
            if other_rank is None:
                changes[row] = absent
            elif other_rank == row + 1:
                changes[row] = "stays"
            else:
                changes[row] = f"{preposition} {other_rank}"
        columns |= {
            f"item_{letter}": items,
            f"grade_{letter}": grades,
            f"change_{letter}": changes,
        }
        sign = 1 if letter == "b" else -1
        added = contributions[position][:n_rows]
        difference[: added.size] += sign * added
    return pd.DataFrame({**columns, "contribution": difference})


# All users ----------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class SystemDifference:
    """The mean difference of two systems, by user, by item and by rank.

    `Evaluation.diff` makes it. The contributions of the users, of the items and of the ranks each
    add up to this difference.

    Attributes
    ----------
    a, b : str
        The two systems.
    measure : str
        The name of the measure.
    difference : float
        The mean difference, b minus a, over the users with a value under both systems.
    users, items, ranks : DataFrame
        The contributions of users and items, and the ranks to which hits moved.
    rank_contributions : Series
        The number that each rank adds to the mean difference.
    n_left_out : int
        The number of users without a value under one of the systems.
    """

    a: Id
    b: Id
    measure: str
    n_left_out: int
    _users: pd.DataFrame = field(repr=False)
    _items: pd.DataFrame = field(repr=False)
    _ranks: pd.DataFrame = field(repr=False)
    _rank_contributions: pd.Series[float] = field(repr=False)
    _cells: pd.DataFrame = field(repr=False)

    @cached_property
    def difference(self) -> float:
        """Return the mean of the users' differences."""
        return mean(self._users["difference"].to_numpy())

    @property
    def users(self) -> pd.DataFrame:
        """Return the users; those who add most to the difference come first.

        Indexed by user: the values ``a`` and ``b``, their ``difference``, the numbers of hits
        ``gained`` and ``lost``, and ``share``. ``share`` is the part of the whole difference that
        the user and all users in the rows above make up together. It can rise above 1 and fall
        again, because users further down differ in the other direction. It is NaN if there is no
        difference.
        """
        return self._users.copy()

    @property
    def items(self) -> pd.DataFrame:
        """Return the items; those that add most to the difference come first.

        Indexed by item: the number of lists in which it is a hit under b alone (``gained``), under
        a alone (``lost``) or under both (``kept``), its ``contribution`` to the mean difference,
        and ``share``, as for users. An item that adds nothing and is not a hit has no row. A hit is
        an item that the measure counts as relevant, at a rank that the measure looks at.
        """
        return self._items.copy()

    @property
    def ranks(self) -> pd.DataFrame:
        """Return where hits went: the number of hits by rank under a (rows) and b (columns).

        "out" means that the item isn't in the list, or is below the ranks that the measure looks
        at. For a measure without a cut-off, the table shows the first 20 ranks.
        """
        return self._ranks.copy()

    @property
    def rank_contributions(self) -> pd.Series[float]:
        """Return the number that each rank adds to the mean difference, by rank."""
        return self._rank_contributions.copy()

    @property
    def share(self) -> pd.DataFrame:
        """Return how few users and items make up half of the difference.

        Indexed by "users" and "items": their ``number``; ``half``, the smallest number of them that
        make up at least half of the difference; and ``largest``, the part of the difference that
        the first user or item makes up. ``half`` and ``largest`` are missing if there is no
        difference.
        """
        rows = {}
        for name, table in (("users", self._users), ("items", self._items)):
            shares = table["share"].to_numpy()
            n_half: object = pd.NA
            largest = np.nan
            if shares.size and not np.isnan(shares[0]):
                n_half = _first_at_least(shares, 0.5)
                largest = float(shares[0])
            rows[name] = {"number": len(table), "half": n_half, "largest": largest}
        frame = pd.DataFrame.from_dict(rows, orient="index")
        return frame.astype({"number": "int64", "half": "Int64", "largest": "float64"})

    def few_users(self, share: float = 0.5) -> pd.DataFrame:
        """Return the smallest set of users who make up at least this share of the difference.

        Parameters
        ----------
        share : float, default 0.5
            Above 0 and at most 1.

        Returns
        -------
        DataFrame
            The first rows of ``users``; none if there is no difference.
        """
        return _fewest(self._users, share).copy()

    def few_items(self, share: float = 0.5) -> pd.DataFrame:
        """Return the smallest set of items that make up at least this share of the difference.

        Parameters
        ----------
        share : float, default 0.5
            Above 0 and at most 1.

        Returns
        -------
        DataFrame
            The first rows of ``items``; none if there is no difference.
        """
        return _fewest(self._items, share).copy()

    def share_of(
        self, users: Iterable[Id] | None = None, items: Iterable[Id] | None = None
    ) -> float:
        """Return the part of the difference that some users and some items make up together.

        Parameters
        ----------
        users, items : iterable of ids, optional
            The users whose whole lists count, and the items that count in all lists. If one of the
            items is in a list of one of the users, it counts only once.

        Returns
        -------
        float
            The part of the difference, which can be above 1 or below 0. NaN if there is no
            difference.

        Raises
        ------
        InputError
            If you pass neither, or an id is not in the index of ``self.users`` or ``self.items``.
        """
        if users is None and items is None:
            raise InputError("users or items must be given; got neither")
        is_named = np.zeros(len(self._cells), bool)
        for name, ids, table in (("user", users, self._users), ("item", items, self._items)):
            if ids is None:
                continue
            wanted = pd.Index(as_ids(ids, f"{name}s", "be ids"), tupleize_cols=False)
            unknown = wanted.difference(table.index, sort=False)
            if len(unknown):
                rule = f"be in the index of .{name}s"
                raise input_error(f"{name}s", rule, format_first(map(repr, unknown)))
            is_named |= self._cells[name].isin(wanted).to_numpy()
        total = self._cells["contribution"].sum()
        if self.difference == 0:
            return float("nan")
        return float(self._cells["contribution"].to_numpy()[is_named].sum() / total)

    def plot(self) -> list[Axes]:
        """Draw the shares of users and items in the difference, the first items, and moved hits.

        Returns
        -------
        list of matplotlib.axes.Axes
            The Axes of `receval.plots.difference_shares`, `receval.plots.item_contributions` and
            `receval.plots.rank_migration`, each in its own figure. If there are no hits, there is
            no figure of items.
        """
        from receval.plots import difference_shares, item_contributions, rank_migration

        axes = []
        if self.difference != 0:
            axes.append(difference_shares(self._users, self._items, title=self._sentence()))
        if len(self._items):
            axes.append(item_contributions(self._items))
        axes.append(rank_migration(self._ranks))
        return axes

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
        left_out = ""
        if self.n_left_out:
            left_out = f"; {self.n_left_out} users without a value under one system are left out"
        return methods_text(
            f"The difference of {self.measure} between {quote_label(self.b)} and "
            f"{quote_label(self.a)} is a mean over {len(self._users)} users{left_out}. It is the "
            "sum of what each rank adds: the term of the measure's formula at that rank, divided "
            "as the measure divides the sum of its terms; an item's contribution is that of the "
            "ranks at which the two systems list it. Users and items were chosen after the fact, "
            f"by their contribution (receval {__version__}; @receval2026).",
            bibtex=bibtex,
            latex=latex,
        )

    def _sentence(self) -> str:
        """Return a sentence with the difference and the users and items that make up half of it."""
        text = (
            f"{self.measure}, {quote_label(self.b)} (b) - {quote_label(self.a)} (a): "
            f"{self.difference:+.4f}, mean over {len(self._users):,} users"
        )
        if self.n_left_out:
            text += f" ({self.n_left_out} left out, without a value under one system)"
        half = self.share["half"]
        if half.notna().all():
            n_users = count_of(int(half["users"]), "user")
            n_items = count_of(int(half["items"]), "item")
            text += f"; {n_users}, or {n_items}, make up half of it"
        return text

    def _parts(self) -> list[tuple[str, pd.DataFrame]]:
        """Return the tables that the text shows, each after its heading."""
        return [
            ("users who add most", self._users.head(SHOWN_ROWS).round(4)),
            ("items that add most", self._items.head(SHOWN_ROWS).round(4)),
        ]

    def __repr__(self) -> str:
        parts = [for_terminal(self._sentence())]
        for heading, table in self._parts():
            parts.append(f"{heading}:\n{lines_for_terminal(table.to_string())}")
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        parts = [f"<p>{for_html(self._sentence())}</p>"]
        for heading, table in self._parts():
            html = without_mathematics(lines_for_terminal(table.to_html()))
            parts.append(f"<p>{for_html(heading)}</p>{html}")
        return "".join(parts)


def count_of(number: int, noun: str) -> str:
    """Return a number with its noun in the singular or plural, such as "1 user" or "12 users"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _first_at_least(shares: FloatArray, share: float) -> int:
    """Return how many of the first parts together reach a share; ``shares`` are cumulative.

    All parts add up to 1, except for rounding, so some number of them always reaches the share.
    """
    is_reached = shares >= share - 1e-12
    if not is_reached.any():
        return shares.size
    return int(np.argmax(is_reached)) + 1


def _fewest(table: pd.DataFrame, share: float) -> pd.DataFrame:
    """Return the first rows of a table until its column ``share`` reaches a given share."""
    check_number(share, "share", "a number above 0 and at most 1", lambda part: 0 < part <= 1)
    shares = table["share"].to_numpy()
    if not shares.size or np.isnan(shares[0]):
        return table.head(0)
    return table.head(_first_at_least(shares, share))


def difference_of_systems(first: Side, second: Side, measure: Measure) -> SystemDifference:
    """Return the mean difference of two systems by user, item and rank; see `Evaluation.diff`."""
    _check_is_sum(measure)
    sides = (first, second)
    values = [side.system.values([measure.name])[measure.name] for side in sides]
    results = [with_lists(side.system, side.name) for side in sides]
    # Put the judged users first, in the order of the lists. A file can have another order.
    run = results[0].run
    truth = run.truth
    judged = truth.users.index(run.judged, "user")
    users = judged.append(values[0].index.difference(judged, sort=False))
    value_a, value_b = (column.reindex(users).to_numpy() for column in values)
    is_compared = ~np.isnan(value_a) & ~np.isnan(value_b)
    cells_a = _scored_cells(results[0], measure, value_a, is_compared)
    cells_b = _scored_cells(results[1], measure, value_b, is_compared)
    n_items = truth.items.size
    hits = _join_hits(cells_a, cells_b, n_items)
    n_compared = int(is_compared.sum())

    user_table = pd.DataFrame(
        {
            "a": value_a,
            "b": value_b,
            "difference": value_b - value_a,
            "gained": np.bincount(hits["user"][hits["rank_a"] == 0], minlength=users.size),
            "lost": np.bincount(hits["user"][hits["rank_b"] == 0], minlength=users.size),
        },
        index=users,
    )[is_compared]
    # Add the contributions of the second system, and subtract those of the first.
    item_codes = np.concatenate([cells_a.item, cells_b.item])
    added = np.concatenate([-cells_a.contribution, cells_b.contribution])
    cells = pd.DataFrame(
        {
            "user": users.to_numpy()[np.concatenate([cells_a.user, cells_b.user])],
            "item": truth.items.take(item_codes),
            "contribution": added,
        }
    )
    ranks = np.concatenate([cells_a.rank, cells_b.rank])
    n_ranks = int(max(ranks.max(initial=0), measure.k or 0))
    by_rank = np.bincount(ranks - 1, added, minlength=n_ranks) / max(n_compared, 1)
    rank_index = pd.RangeIndex(1, n_ranks + 1, name="rank")
    item_table = _table_of_items(hits, item_codes, added / max(n_compared, 1))
    item_index = truth.items.index(item_table.index.to_numpy(), "item")
    item_table = _largest_first(item_table.set_axis(item_index), "contribution")
    return SystemDifference(
        a=first.name,
        b=second.name,
        measure=measure.name,
        n_left_out=users.size - n_compared,
        _users=_largest_first(user_table, "difference"),
        _items=item_table,
        _ranks=_migration(hits, measure.k, first.name, second.name),
        _rank_contributions=pd.Series(by_rank, rank_index, name="contribution"),
        _cells=cells,
    )


def _scored_cells(
    measured: MemoryResult, measure: Measure, values: FloatArray, is_compared: AnyArray
) -> Cells:
    """Return the listed items that are hits under a measure, or add something to a user's value.

    ``values`` are the stored values, and ``is_compared`` is a mask of the users whose items the
    result should have. Both begin with the judged users. Raises an error if the contributions of a
    user don't add up to the stored value, because the tables have changed or the value is a mean
    over orders of equal scores.
    """
    if measure.name not in measured.columns:
        rule = "need only the tables, because the evaluation was loaded with only these"
        raise input_error("measure", rule, measure.name)
    parts = []
    sums = np.zeros(measured.run.judged.size)
    run = in_order_of_measure(measured.run, measure, measured.context.convention)
    for positions, block in run.blocks():
        added = rank_contributions(measure, block, measured.context)
        sums[positions] = added.sum(axis=1)
        is_hit = hits_by_rank(measure, block, measured.context)
        line, column = np.nonzero(is_hit | (added != 0))
        user = positions[line]
        cells = Cells(
            user=user,
            item=block.items[line, column],
            rank=column + 1,
            is_hit=is_hit[line, column],
            contribution=added[line, column],
        )
        parts.append(cells.where(is_compared[user]))
    _check_sums(sums, values[: sums.size], measure, measured.users[: sums.size].tolist())
    return Cells.joined(parts)


def _check_is_sum(measure: Measure) -> None:
    """Raise an `InputError` unless a measure is a sum over ranks, which can be divided by rank."""
    if not is_sum_over_ranks(measure):
        rule = "be a sum over the ranks of a list, such as nDCG, MAP, MRR, recall or RBP"
        raise input_error("measure", rule, measure.name)


def _check_sums(sums: FloatArray, values: FloatArray, measure: Measure, users: list[Id]) -> None:
    """Raise an `InputError` if contributions don't add up to a stored value.

    ``sums`` are the sums of the contributions of each user, and ``values`` are the stored values;
    an undefined one equals any sum. If a sum is another number, the stored value is a mean over
    several orders of equal scores.
    """
    is_close = np.isclose(sums, values, rtol=1e-9, atol=1e-12) | np.isnan(values)
    if not is_close.all():
        user = users[int(np.argmin(is_close))]  # the first False
        rule = "have values of one order of equal scores, to be divided by rank"
        got = f"{measure.name} of user {user!r}, a mean over several orders"
        raise input_error("measure", rule, got, "Evaluate with another rule, such as ties='item'")


# Tables of all users ------------------------------------------------------------------------------


def _join_hits(cells_a: Cells, cells_b: Cells, n_items: int) -> dict[str, IntArray]:
    """Return the hits of two systems by user and item, with the rank under each.

    The arrays are ``user`` (positions), ``item`` (codes), ``rank_a`` and ``rank_b``. A rank is 0 if
    the item is not a hit of the system.
    """
    keys = [cells.user[cells.is_hit] * n_items + cells.item[cells.is_hit]
            for cells in (cells_a, cells_b)]  # fmt: skip
    union = np.union1d(*keys)
    hits = {"user": union // n_items, "item": union % n_items}
    for name, own_keys, cells in zip(("rank_a", "rank_b"), keys, (cells_a, cells_b), strict=True):
        ranks = np.zeros(union.size, np.int64)
        ranks[np.searchsorted(union, own_keys)] = cells.rank[cells.is_hit]
        hits[name] = ranks
    return hits


def _table_of_items(
    hits: dict[str, IntArray], item_codes: IntArray, contributions: FloatArray
) -> pd.DataFrame:
    """Return the numbers of hits and the contribution of each item, indexed by item code.

    ``hits`` comes from `_join_hits`. ``item_codes`` and ``contributions`` have an entry for every
    listed item that is a hit or adds something.
    """
    codes, inverse = np.unique(item_codes, return_inverse=True)
    position = np.searchsorted(codes, hits["item"])
    is_a, is_b = hits["rank_a"] > 0, hits["rank_b"] > 0
    masks = {"gained": is_b & ~is_a, "lost": is_a & ~is_b, "kept": is_a & is_b}
    columns: dict[str, AnyArray] = {
        name: np.bincount(position[mask], minlength=codes.size) for name, mask in masks.items()
    }
    columns["contribution"] = np.bincount(inverse, contributions, minlength=codes.size)
    return pd.DataFrame(columns, index=codes)


def _largest_first(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Sort a table so that the first rows add most to the total, and add the cumulative ``share``.

    ``column`` has what each row adds. If the total is below 0, the lowest numbers come first. If it
    is 0, the largest absolute values come first, and shares are NaN.
    """
    parts = table[column].to_numpy()
    total = float(np.sum(parts))
    scale = float(np.abs(parts).sum())
    # If the differences cancel, the total is only a rounding error, and shares of it mean nothing.
    is_zero = abs(total) <= 1e-12 * scale
    key = -parts * np.sign(total)
    if is_zero:
        key = -np.abs(parts)
    ordered = table.iloc[np.argsort(key, kind="stable")].copy()
    shares = np.full(len(ordered), np.nan)
    if not is_zero:
        shares = np.cumsum(ordered[column].to_numpy()) / total
    ordered["share"] = shares
    return ordered


def _migration(hits: dict[str, IntArray], k: int | None, a: Id, b: Id) -> pd.DataFrame:
    """Return the numbers of hits by rank under two systems ``a`` and ``b``, for `ranks`.

    ``k`` is the cut-off of the measure, or None.
    """
    rank_a, rank_b = hits["rank_a"], hits["rank_b"]
    depth = k
    if depth is None:
        longest = max(rank_a.max(initial=1), rank_b.max(initial=1))
        depth = int(min(longest, MAX_RANKS))
    counts = np.zeros((depth + 1, depth + 1), int)
    # The last row and column are for hits outside the shown ranks; rank 0 is not a hit.
    place_a = np.where((rank_a == 0) | (rank_a > depth), depth, rank_a - 1)
    place_b = np.where((rank_b == 0) | (rank_b > depth), depth, rank_b - 1)
    np.add.at(counts, (place_a, place_b), 1)
    labels = [*range(1, depth + 1), OUTSIDE]
    return pd.DataFrame(
        counts,
        index=pd.Index(labels, name=f"rank under {a}"),
        columns=pd.Index(labels, name=f"rank under {b}"),
    )
