"""A view of a catalogue: what lists show of its long tail, and how novel they are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval._checks import BoolArray, FloatArray, IntArray, check_integer, check_number
from receval.metrics import beyond_accuracy
from receval.play.views import Drawing, View, slider
from receval.plots.axes import BLUE, ORANGE

__all__ = ["long_tail"]

N_READERS, N_BOOKS = 200, 50
LONGEST = 10  # books in a list


def long_tail(*, k: int = 5, luck: float = 0.0, head: float = 0.2, seed: int = 0) -> View:
    """Show coverage, long tail, Gini index and novelty of lists, as luck replaces their items.

    The lists are the best sellers of the library of lesson 12, which has 200 readers and 50 books.
    Each list leaves out the books that its reader knows. With luck 0 the lists are as they were.
    With luck 1 they are drawn from the whole catalogue.

    Parameters
    ----------
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
        If an option is outside its range.

    Examples
    --------
    >>> from receval import play
    >>> view = play.long_tail()
    >>> print(view.says.value.split("<br>")[0])
    luck 0: the lists show <b>10</b> of 50 items
    >>> view.controls["luck"].value = 1.0
    >>> print(view.says.value.split("<br>")[0])
    luck 1: the lists show <b>50</b> of 50 items
    """
    check_integer(k, "k", 1, LONGEST)
    check_number(luck, "luck", "a share from 0 to 1", lambda value: 0 <= value <= 1)
    check_number(head, "head", "a share from 0.05 to 0.95", lambda value: 0.05 <= value <= 0.95)
    library = _made_up_library(seed)

    def draw(left: Axes, right: Axes, luck: float, k: int, head: float) -> Drawing:
        """Draw the popularity, how often items are shown, and the measures; return the measures."""
        in_head = beyond_accuracy.short_head(library.known_by, share=head)
        books = library.shown_books(luck, k)
        values = library.measures(books, in_head)
        at_first = library.measures(library.shown_books(0.0, k), in_head)
        table = pd.DataFrame({"now": values, "without luck": at_first})
        times_shown = np.bincount(books.ravel(), minlength=N_BOOKS)
        _draw_catalogue(left, library.known_by, times_shown, in_head)
        bars = right.barh(table.index, table["now"], color=BLUE, height=0.5)
        right.bar_label(bars, fmt="%.2f", padding=9, fontsize=9)
        right.plot(
            table["without luck"], table.index, "D", mfc="none", mec="black", label="no luck"
        )
        right.invert_yaxis()
        right.set(xlim=(-0.03, 1.25), title=f"The lists of {k}, measured from 0 to 1")
        right.legend(loc="lower right")
        n_shown = np.count_nonzero(times_shown)
        shown = f"luck {luck:g}: the lists show <b>{n_shown}</b> of {N_BOOKS} items"
        tail = f"<b>{values['long tail']:.2f}</b> of the places go to the long tail"
        precision = f"precision is <b>{values['precision']:.3f}</b>"
        return f"{shown}<br>{tail}, and {precision}", table

    controls = {
        "luck": slider("luck", float(luck), 0.0, 1.0, 0.05),
        "k": slider("k", k, 1, LONGEST),
        "head": slider("short head", float(head), 0.05, 0.95, 0.05),
    }
    return View(draw, (9.5, 2.8), controls)


@dataclass(frozen=True)
class Library:
    """The books of a library, and lists of them.

    The matrices have a row for each reader and a column for each book.

    Attributes
    ----------
    known_by : ndarray of int, shape (books,)
        How many readers know each book.
    scores, lucky_scores : ndarray of float, shape (readers, books)
        Scores that sort the books as the lists do, and random scores.
    is_wanted : ndarray of bool, shape (readers, books)
        Whether the reader wants the book.
    """

    known_by: IntArray
    scores: FloatArray
    lucky_scores: FloatArray
    is_wanted: BoolArray

    def shown_books(self, luck: float, k: int) -> IntArray:
        """Return the first k books of each list.

        ``luck`` is the share of luck in the scores that order the books, from 0 to 1.
        """
        mixture = (1 - luck) * self.scores + luck * self.lucky_scores
        return np.argsort(-mixture, axis=1, kind="stable")[:, :k]

    def measures(self, books: IntArray, in_head: BoolArray) -> dict[str, float]:
        """Return the measures of lists of books; ``in_head`` says which are in the short head."""
        users = self.known_by[books].astype(float)
        bits = beyond_accuracy.inverse_user_frequency(users, N_READERS).mean()
        return {
            "precision": float(np.take_along_axis(self.is_wanted, books, axis=1).mean()),
            "coverage": beyond_accuracy.catalog_coverage(books, N_BOOKS),
            "long tail": beyond_accuracy.long_tail_percentage(books, in_head),
            "Gini": beyond_accuracy.exposure_gini(books, N_BOOKS),
            # A book that only one reader knows has the largest possible value.
            "novelty": float(bits / np.log2(N_READERS)),
        }


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


def _made_up_library(seed: int) -> Library:
    """Return a library, its best sellers as lists, and random scores from a seed.

    Each of 200 readers likes ten books, popular ones more often, and knows five of them already.
    """
    rng, chance = np.random.default_rng(12), 1 / np.arange(1, N_BOOKS + 1)
    chance /= chance.sum()
    likes = np.array([rng.choice(N_BOOKS, 10, False, chance) for _ in range(N_READERS)])
    known_books, wanted_books = likes[:, :5], likes[:, 5:]
    known_by = np.bincount(known_books.ravel(), minlength=N_BOOKS)
    best_sellers = np.argsort(-known_by, kind="stable")
    scores = np.zeros((N_READERS, N_BOOKS))
    for scores_of_reader, books_of_reader in zip(scores, known_books, strict=True):
        new_books = best_sellers[~np.isin(best_sellers, books_of_reader)]
        scores_of_reader[new_books[:LONGEST]] = 1 - np.arange(LONGEST) / N_BOOKS
    is_wanted = np.zeros(scores.shape, dtype=bool)
    np.put_along_axis(is_wanted, wanted_books, True, axis=1)
    lucky_scores = np.random.default_rng(seed).random(scores.shape)
    return Library(known_by, scores, lucky_scores, is_wanted)
