"""A view of splits: what training knows of the future, as the split moves."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import splitting
from receval._checks import IntArray, check_integer, check_number, check_that
from receval.play.views import Drawing, View, choice, slider
from receval.plots.axes import BLUE, COLOURS, ORANGE

__all__ = ["leaking_split"]

WAYS = ("by time", "shuffled", "last of each user", "new users")
MAX_MARKS = 2000  # more rows would hide one another in the picture
LATE = "training rows after the first test row"
PAIRS = "test pairs also in training"
COLD_USERS = "test users without training"


def leaking_split(
    *,
    way: str = "shuffled",
    share: float = 0.25,
    seed: int = 0,
) -> View:
    """Show which training rows are from the future of the test, and what that does to a result.

    The rows are the purchases of lesson 11, in a shop with four seasons. The recommender is simple:
    it shows everybody the best sellers of its training rows. If training has rows from the time of
    the test, the recommender finds more of the tested rows than it will find tomorrow.

    Parameters
    ----------
    way : {"shuffled", "by time", "last of each user", "new users"}
        The initial way to split.
    share : float, default 0.25
        Initial share of the rows to test; for new users, of the users. From 0.05 to 0.95.
    seed : int, default 0
        Seed of the shuffled rows and of the new users.

    Returns
    -------
    View
        The way to split, the share that is tested, and the number of best sellers.

    Raises
    ------
    InputError
        If an option is outside its range.

    Examples
    --------
    >>> from receval import play
    >>> view = play.leaking_split()
    >>> print(view.says.value.split("<br>")[0])
    shuffled: <b>100 %</b> of the training rows are later than the first tested row
    >>> view.controls["way"].value = "by time"
    >>> print(view.says.value.split("<br>")[0])
    by time: <b>0 %</b> of the training rows are later than the first tested row
    """
    check_choice_of_way(way)
    check_number(share, "share", "a share from 0.05 to 0.95", lambda value: 0.05 <= value <= 0.95)
    check_integer(seed, "seed", 0, 2**32 - 1)
    # To test the last row of each user, the rows must be in the order of time.
    rows = _made_up_shop().sort_values("time", kind="stable", ignore_index=True)

    def draw(left: Axes, right: Axes, way: str, share: float, best_sellers: int) -> Drawing:
        """Draw the rows at their times, and the two shares; return a sentence on what leaks."""
        numbers = {}
        for name in dict.fromkeys(["by time", way]):  # the split by time is for comparison
            train_rows, test_rows = _split(rows, name, share, seed)
            numbers[name] = _describe(rows, train_rows, test_rows, best_sellers)
        # Draw the last split of the loop. It is the chosen one: "by time" comes first or is the
        # only one.
        _draw_rows(left, rows, train_rows, test_rows)
        table = pd.DataFrame(numbers)
        labels = ["training from\nthe future", "tested rows\nfound"]
        shares = table.loc[["share after it", "share found"]]
        bars = right.barh(labels, shares[way], color=BLUE, height=0.5)
        right.bar_label(bars, fmt="%.2f", padding=9, fontsize=9)
        right.plot(shares["by time"], labels, "D", mfc="none", mec="black", label="split by time")
        right.invert_yaxis()
        right.set(xlim=(-0.03, 1.15), title="Leaked share, and share found")
        right.legend(loc="lower right")
        leaked_share, found_share = (float(value) for value in shares[way])
        found_by_time = float(shares["by time"].iloc[-1])
        leak = f"<b>{leaked_share:.0%}</b> of the training rows".replace("%", " %")
        result = f"<b>{found_share:.2f}</b> of the tested rows are best sellers of training"
        leaking = f"{way}: {leak} are later than the first tested row"
        return f"{leaking}<br>{result}; by time: {found_by_time:.2f}", table

    controls = {
        "way": choice("split", way, WAYS),
        "share": slider("share tested", float(share), 0.05, 0.95, 0.05),
        "best_sellers": slider("best sellers", 5, 1, 30),
    }
    return View(draw, (9.5, 2.8), controls)


def check_choice_of_way(way: str) -> None:
    """Raise unless ``way`` is one of the ways to split that the view has."""
    check_that(way in WAYS, "way", f"be one of {', '.join(WAYS)}", way)


def _made_up_shop() -> pd.DataFrame:
    """Return two thousand purchases by a hundred users in 100 days, with four fashions."""
    rng = np.random.default_rng(0)
    day = (100 * np.sqrt(rng.random(2000))).astype(int)
    in_fashion = 5 * (day // 25) + rng.integers(5, size=2000)
    item = np.where(rng.random(2000) < 0.7, in_fashion, rng.integers(60, size=2000))
    return pd.DataFrame({"user": rng.integers(100, size=2000), "item": item, "time": day})


def _split(rows: pd.DataFrame, way: str, share: float, seed: int) -> tuple[IntArray, IntArray]:
    """Return the training and the test positions of rows that are in the order of time.

    ``share`` is the share of the rows to test; for new users, it is the share of the users.
    """
    n_rows = len(rows)
    if way == "by time":
        times = rows["time"]
        first_tested = times.iloc[int(n_rows * (1 - share))]
        rounds = splitting.fixed_time(times, first_tested)
    elif way == "shuffled":
        rounds = splitting.hold_out(n_rows, share=share, rng=seed)
    elif way == "last of each user":
        rounds = splitting.hold_out_per_user(rows["user"], share=share)
    else:
        rounds = splitting.hold_out_users(rows["user"], share=share, rng=seed)
    train_rows, test_rows = rounds[0]
    return train_rows, test_rows


def _describe(
    rows: pd.DataFrame, train_rows: IntArray, test_rows: IntArray, best_sellers: int
) -> dict[str, float]:
    """Return the counts and shares of a split, and the share that the best sellers find."""
    train, test = rows.iloc[train_rows], rows.iloc[test_rows]
    findings = splitting.leakage(train, test, time="time")
    counts, shares = findings["count"].to_dict(), findings["share"].to_dict()
    shown = train["item"].value_counts().index[:best_sellers]
    return {
        "training rows": len(train),
        "tested rows": len(test),
        "training after the first test": counts[LATE],
        "share after it": shares[LATE],
        "test pairs in training": counts[PAIRS],
        "users without training": counts[COLD_USERS],
        "share found": test["item"].isin(shown).mean(),
    }


def _draw_rows(axes: Axes, rows: pd.DataFrame, train_rows: IntArray, test_rows: IntArray) -> None:
    """Draw a mark for each row at its time: tested, training, and training from the future.

    Each kind has its own line and its own marker. If there are many rows, only every n-th is drawn.
    """
    first_test = rows["time"].iloc[test_rows].min()
    is_late = (rows["time"].iloc[train_rows] > first_test).to_numpy()
    kinds = (
        ("training", train_rows[~is_late], "o", BLUE),
        ("training from\nthe future", train_rows[is_late], "x", COLOURS[3]),
        ("tested", test_rows, "s", ORANGE),
    )
    every = max(1, len(rows) // MAX_MARKS)
    # Shift rows with the same time up and down a little, so that they don't hide one another.
    shift = np.random.default_rng(0).uniform(-0.3, 0.3, len(rows))
    for line, (_, positions, marker, colour) in enumerate(kinds):
        drawn = positions[::every]
        times = rows["time"].iloc[drawn]
        axes.plot(times, line + shift[drawn], marker, ms=3, color=colour, alpha=0.7)
    axes.axvline(first_test, color="black", lw=1)
    axes.set_yticks(range(3), [name for name, *_ in kinds])
    axes.set(
        ylim=(2.6, -0.6),
        xlabel="time",
        title="Each mark is a row; the line is the first tested one",
    )
