"""A view of a catalogue: what lists show of its long tail, and how novel they are."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import (
    BoolArray,
    FloatArray,
    InputError,
    IntArray,
    check_integer,
    check_number,
    check_that,
    check_unique,
    input_error,
)
from receval._lists import as_counts
from receval._views import Drawing, View, slider
from receval.metrics import beyond_accuracy
from receval.play.pairs import partner_error
from receval.plots.axes import BLUE, ORANGE

__all__ = ["long_tail"]

ItemsByUser: TypeAlias = Mapping[Hashable, Sequence[Hashable]]
"""The items of each user: those of a list, best first, or those that she wants."""

MAX_CELLS = 2_000_000  # of a matrix with lists in rows and items in columns


def long_tail(
    lists: ItemsByUser | None = None,
    popularity: pd.Series | Mapping[Hashable, int] | None = None,
    truth: ItemsByUser | None = None,
    *,
    n_users: int | None = None,
    k: int = 5,
    luck: float = 0.0,
    head: float = 0.2,
    seed: int = 0,
) -> View:
    """Show coverage, long tail, Gini index and novelty of lists, as luck replaces their items.

    With luck 0 the lists are as they were. With luck 1 they are drawn from the whole catalogue.

    Parameters
    ----------
    lists : mapping of user to items, optional
        The items that each user is shown, best first. Default: the best sellers of the library of
        lesson 12, which has 200 readers and 50 books. Each list leaves out the books that its
        reader knows.
    popularity : Series or mapping of item to int, optional
        How many users know each item of the catalogue.
    truth : mapping of user to items, optional
        The items that each user wants. Without them there is no precision.
    n_users : int, optional
        The number of all users, for the novelty. Default: the number of lists, or the number of
        users who know the most popular item if that is larger.
    k : int, default 5
        Initial length of the lists, from 1 to 10.
    luck : float, default 0
        Initial share of luck, from 0 to 1.
    head : float, default 0.2
        Initial share of the popularity that the short head has, from 0.05 to 0.95.
    seed : int, default 0
        Seed of the luck.

    Returns
    -------
    View
        Sliders for luck, k and the short head. Hollow marks show the measures without luck.
        Novelty is the mean inverse user frequency, divided by its largest value.

    Raises
    ------
    InputError
        If only one of ``lists`` and ``popularity`` is passed, an item of a list is not in
        ``popularity`` or occurs twice there, a popularity is not a count, there are more than two
        million pairs of list and item, or an option is outside its range.

    Examples
    --------
    >>> from receval import play
    >>> view = play.long_tail()
    >>> print(view.says.value.split("<br>")[0])
    luck 0: the lists show <b>10</b> of 50 items
    >>> view.controls["luck"].value = 1.0
    >>> print(view.says.value.split("<br>")[0])
    luck 1: the lists show <b>50</b> of 50 items
    >>> view = play.long_tail({"Ann": ["tea", "rye"]}, {"tea": 5, "rye": 2, "fig": 1}, k=2)
    >>> float(view.table.loc["long tail", "now"])
    0.5
    """
    check_integer(k, "k", 1, 10)
    check_number(luck, "luck", "a share from 0 to 1", lambda value: 0 <= value <= 1)
    check_number(head, "head", "a share from 0.05 to 0.95", lambda value: 0.05 <= value <= 0.95)
    if lists is None and popularity is None:
        lists, popularity, truth = _made_up_library()
    if lists is None or popularity is None:
        raise partner_error(lists is None, ("lists", "popularity"))
    catalogue = _read_catalogue(lists, popularity, truth, n_users, seed)
    n_items = len(catalogue.known_by)

    def draw(left: Axes, right: Axes, luck: float, k: int, head: float) -> Drawing:
        """Draw the popularity, how often items are shown, and the measures; return the measures."""
        in_head = beyond_accuracy.short_head(catalogue.known_by, share=head)
        items = catalogue.shown_items(luck, k)
        values = catalogue.measures(items, in_head)
        at_first = catalogue.measures(catalogue.shown_items(0.0, k), in_head)
        table = pd.DataFrame({"now": values, "without luck": at_first})
        times_shown = np.bincount(items[items >= 0], minlength=n_items)
        _draw_catalogue(left, catalogue.known_by, times_shown, in_head)
        bars = right.barh(table.index, table["now"], color=BLUE, height=0.5)
        right.bar_label(bars, fmt="%.2f", padding=9, fontsize=9)
        right.plot(
            table["without luck"], table.index, "D", mfc="none", mec="black", label="no luck"
        )
        right.invert_yaxis()
        right.set(xlim=(-0.03, 1.25), title=f"The lists of {k}, measured from 0 to 1")
        right.legend(loc="lower right")
        n_shown = np.count_nonzero(times_shown)
        shown = f"luck {luck:g}: the lists show <b>{n_shown}</b> of {n_items} items"
        tail = f"<b>{values['long tail']:.2f}</b> of the places go to the long tail"
        sentence = f"{shown}<br>{tail}"
        if "precision" in values:
            sentence += f", and precision is <b>{values['precision']:.3f}</b>"
        return sentence, table

    longest = min(10, int(catalogue.lengths.max()))
    controls = {
        "luck": slider("luck", float(luck), 0.0, 1.0, 0.05),
        "k": slider("k", min(k, longest), 1, longest),
        "head": slider("short head", float(head), 0.05, 0.95, 0.05),
    }
    return View(draw, (9.5, 2.8), controls)


@dataclass(frozen=True)
class Catalogue:
    """The items of a catalogue, and what some users' lists show of them.

    The matrices have a row for each list and a column for each item.

    Attributes
    ----------
    known_by : ndarray of int, shape (items,)
        How many users know each item.
    n_users : int
        The number of all users.
    scores, lucky_scores : ndarray of float, shape (lists, items)
        Scores that sort the items as the lists do, and random scores.
    lengths : ndarray of int, shape (lists,)
        The number of items in each list.
    is_wanted : ndarray of bool, shape (lists, items), or None
        Whether the user of the list wants the item; None if this is unknown.
    """

    known_by: IntArray
    n_users: int
    scores: FloatArray
    lucky_scores: FloatArray
    lengths: IntArray
    is_wanted: BoolArray | None

    def shown_items(self, luck: float, k: int) -> IntArray:
        """Return the codes of the first k items of each list, -1 after the end of a short list.

        ``luck`` is the share of luck in the scores that order the items, from 0 to 1.
        """
        mixture = (1 - luck) * self.scores + luck * self.lucky_scores
        order = np.argsort(-mixture, axis=1, kind="stable")[:, :k]
        is_empty = np.arange(order.shape[1]) >= self.lengths[:, np.newaxis]
        return np.where(is_empty, -1, order)

    def measures(self, items: IntArray, in_head: BoolArray) -> dict[str, float]:
        """Return the measures of lists; there is no precision if it is unknown what users want.

        ``items`` are the codes of the items of each list, -1 for an empty rank. ``in_head`` says
        which items are in the short head.
        """
        values: dict[str, float] = {}
        if self.is_wanted is not None:
            is_hit = np.take_along_axis(self.is_wanted, np.maximum(items, 0), axis=1)
            hits = np.count_nonzero(is_hit & (items >= 0), axis=1)
            values["precision"] = float(hits.mean() / items.shape[1])
        n_items = len(self.known_by)
        values["coverage"] = beyond_accuracy.catalog_coverage(items, n_items)
        values["long tail"] = beyond_accuracy.long_tail_percentage(items, in_head)
        values["Gini"] = beyond_accuracy.exposure_gini(items, n_items)
        users = np.where(items >= 0, self.known_by[items].astype(float), np.nan)
        bits = np.nanmean(beyond_accuracy.inverse_user_frequency(users, self.n_users))
        # An item that only one user knows has the largest possible value.
        values["novelty"] = float(bits / np.log2(max(2, self.n_users)))
        return values


def _read_catalogue(
    lists: ItemsByUser,
    popularity: pd.Series | Mapping[Hashable, int],
    truth: ItemsByUser | None,
    n_users: int | None,
    seed: int,
) -> Catalogue:
    """Return a reader's data as a `Catalogue`; raise if they don't fit together.

    See `long_tail` for the arguments.
    """
    counts = _read_popularity(popularity)
    codes = _read_lists(lists, counts.index, "lists")
    known_by = counts.to_numpy()
    most_known = int(known_by.max())
    if n_users is None:
        n_users = max(len(codes), most_known)
    check_integer(n_users, "n_users", most_known, 2**53)
    users = list(lists)
    is_wanted = _read_truth(truth, users, counts.index)
    scores, lucky_scores, lengths = _scores(codes, len(counts), seed)
    return Catalogue(known_by, n_users, scores, lucky_scores, lengths, is_wanted)


def _draw_catalogue(
    axes: Axes, known_by: IntArray, times_shown: IntArray, in_head: BoolArray
) -> None:
    """Draw each item's share of the popularity as a bar, and its share of the places as a line.

    The items are in the order of their popularity. Bars of the short head are hatched.
    """
    order = np.argsort(-known_by, kind="stable")
    places = np.arange(len(order))
    popularity_shares = known_by[order] / known_by.sum()
    shown_shares = times_shown[order] / max(1, times_shown.sum())
    is_head = in_head[order]
    axes.bar(
        places[is_head],
        popularity_shares[is_head],
        1,
        color="0.8",
        hatch="///",
        ec="0.4",
        label="known: head",
    )
    axes.bar(
        places[~is_head], popularity_shares[~is_head], 1, color="0.8", label="known: long tail"
    )
    axes.plot(places, shown_shares, ".-", color=ORANGE, label="shown")
    axes.set(title="Items by popularity", xlabel="item, the most popular one first", ylabel="share")
    axes.legend(frameon=False)


def _scores(codes: IntArray, n_items: int, seed: int) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return scores that sort items as the lists do, random scores, and the lists' lengths.

    The matrices have a row for each list and a column for each item. An item has the score 1 if it
    is first in the list, less for each further place, and 0 if it is not in the list.
    """
    n_lists, n_places = codes.shape
    scores = np.zeros((n_lists, n_items))
    by_place = 1 - np.arange(n_places) / n_items
    rows, places = np.nonzero(codes >= 0)
    scores[rows, codes[rows, places]] = by_place[places]
    lucky_scores = np.random.default_rng(seed).random(scores.shape)
    return scores, lucky_scores, np.count_nonzero(codes >= 0, axis=1)


def _made_up_library() -> tuple[ItemsByUser, pd.Series, ItemsByUser]:
    """Return lists of best sellers, the popularity of fifty books, and what readers want.

    Each of 200 readers likes ten books, popular ones more often, and knows five of them already.
    """
    rng, chance = np.random.default_rng(12), 1 / np.arange(1, 51)
    likes = np.array([rng.choice(50, 10, False, chance / chance.sum()) for _ in range(200)])
    known_books, wanted_books = likes[:, :5], likes[:, 5:]
    popularity = pd.Series(np.bincount(known_books.ravel(), minlength=50))
    best_sellers = popularity.sort_values(ascending=False, kind="stable").index
    lists: dict[Hashable, list[int]] = {}
    for reader, books_of_reader in enumerate(known_books):
        new_books = best_sellers[~best_sellers.isin(books_of_reader)]
        lists[reader] = new_books[:10].tolist()
    return lists, popularity, dict(enumerate(wanted_books.tolist()))


def _read_popularity(popularity: pd.Series | Mapping[Hashable, int]) -> pd.Series:
    """Return how many users know each item; raise unless these are counts of different items."""
    if isinstance(popularity, Mapping):
        popularity = pd.Series(dict(popularity))
    if not isinstance(popularity, pd.Series):
        rule = "be a Series or a dict with the number of users by item"
        raise input_error("popularity", rule, type(popularity).__name__)
    check_unique(popularity.index.tolist(), "popularity", "item")
    counts = as_counts(popularity.to_numpy(), "popularity")
    check_that(len(counts) > 1, "popularity", "have at least two items", counts)
    check_that(counts.any(), "popularity", "have an item that somebody knows", counts)
    return pd.Series(counts, popularity.index)


def _read_lists(lists: ItemsByUser, items: pd.Index, name: str) -> IntArray:
    """Return the lists as codes of items, -1 after the end of a list; raise for other input.

    ``items`` are the items of the catalogue, and ``name`` is the argument in error messages.
    """
    if not isinstance(lists, Mapping) or not lists:
        raise input_error(
            name, "be a dict with the list of items of each user", type(lists).__name__
        )
    if len(lists) * len(items) > MAX_CELLS:
        advice = "Pass the lists of some users only"
        rule = f"have at most {MAX_CELLS:,} pairs of list and item"
        raise input_error(name, rule, f"{len(lists)} lists and {len(items)} items", advice)
    codes_of_lists = []
    for user, shown in lists.items():
        if isinstance(shown, str) or not isinstance(shown, Sequence | np.ndarray):
            raise input_error(f"{name}[{user!r}]", "be a list of items", type(shown).__name__)
        codes = items.get_indexer(pd.Index(list(shown), dtype=items.dtype))
        unknown_items = [item for item, code in zip(shown, codes, strict=True) if code < 0]
        if unknown_items:
            rule = "hold only items that popularity has"
            raise input_error(f"{name}[{user!r}]", rule, unknown_items[:5])
        check_unique(list(shown), f"{name}[{user!r}]", "item")
        codes_of_lists.append(codes)
    longest = max(map(len, codes_of_lists))
    if longest == 0:
        raise InputError(f"{name} must hold at least one item; got only empty lists")
    matrix = np.full((len(codes_of_lists), longest), -1)
    for row, codes in zip(matrix, codes_of_lists, strict=True):
        row[: len(codes)] = codes
    return matrix


def _read_truth(
    truth: ItemsByUser | None, users: list[Hashable], items: pd.Index
) -> BoolArray | None:
    """Return whether each user wants each item, or None without a truth.

    The rows are the ``users``, who are all in the truth, and the columns are the items.
    """
    if truth is None:
        return None
    check_that(isinstance(truth, Mapping), "truth", "be a dict with the items of each user", truth)
    users_without = [user for user in users if user not in truth]
    if users_without:
        advice = "A user who wants nothing has an empty list"
        raise input_error(
            "truth", "have each user of lists", f"none of {users_without[:5]}", advice
        )
    codes = _read_lists({user: truth[user] for user in users}, items, "truth")
    is_wanted = np.zeros((len(users), len(items)), bool)
    rows, places = np.nonzero(codes >= 0)
    is_wanted[rows, codes[rows, places]] = True
    return is_wanted
