"""Views of ranked lists: grades by rank, equal scores, and intervals by number of users."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._checks import InputError
from receval._escape import for_html, for_plot
from receval._lists import as_gains
from receval.evaluation import evaluate, explain_difference
from receval.measure.names import measure as measure_named
from receval.measure.overview import conventions
from receval.play._view import View, choice, slider
from receval.significance import mean_interval

__all__ = ["equal_scores", "list_of_grades", "number_of_users"]


def list_of_grades(grades: list[int] | None = None, measure: str = "nDCG@5") -> View:
    """Show the gain of each rank of a list, and the value of a measure under each convention.

    Parameters
    ----------
    grades : list of int, optional
        Grades from 0 to 3, best rank first. Default: ``[3, 0, 2, 1, 0]``.
    measure : str, default "nDCG@5"
        A measure of one list that sums terms.

    Returns
    -------
    View
        A slider per rank, and the two conventions that the waterfall connects.

    Examples
    --------
    >>> from receval import play
    >>> print(play.list_of_grades([0, 3], "nDCG@2").says.value.split("<br>")[0])
    <b>nDCG@2 = 0.631</b> by receval's convention
    """
    first_grades = [3, 0, 2, 1, 0]
    if grades is not None:
        first_grades = as_gains(grades).astype(int).tolist()
    names = _conventions_with(measure)

    def draw(left: Axes, right: Axes, start: str, end: str, **grade_by_slider: int) -> str:
        """Draw the terms by rank, and the waterfall of what changes from ``start`` to ``end``.

        The two are names of conventions. Return the values under all conventions.
        """
        # There is one user, 1, and the ids of the items are their ranks.
        grade_by_item = dict(enumerate(grade_by_slider.values(), 1))
        lists, truth = {1: list(grade_by_item)}, {1: grade_by_item}
        right.set_axis_off()  # until there is a waterfall
        if not any(grade_by_item.values()):
            left.set_axis_off()
            return "Nothing is relevant: give one of the ranks a grade."
        terms = evaluate(lists, truth, measure).explain(1, measure).table.drop(columns="item")
        values = {}
        for name in names:
            result = evaluate(lists, truth, measure, convention=name)
            values[name] = result.summary.to_numpy()[0, 0]  # of the only system and measure
        _draw_terms(left, terms, values["receval"])
        left.set_title(for_plot(f"What each rank adds to {measure}"))
        rounded = pd.Series(values).round(3)
        # The waterfall changes one choice after the other. A mixture of both conventions may not
        # fit grades above 1; then there is no waterfall.
        with suppress(InputError):
            if rounded[start] != rounded[end]:
                plots.waterfall(explain_difference(lists, truth, measure, start, end), ax=right)
                right.set_title(for_plot(f"{measure}: from {start} to {end}"))
                right.set_axis_on()
        return _describe_values(measure, rounded)

    sliders = {
        f"rank_{rank}": slider(f"rank {rank}", grade, 0, 3)
        for rank, grade in enumerate(first_grades, 1)
    }
    first_end = names[-1]
    if "lenskit" in names:  # its nDCG differs from receval's in more than one choice
        first_end = "lenskit"
    ends = {"start": choice("from", names[0], names), "end": choice("to", first_end, names)}
    return View(draw, (9.5, 2.8), **sliders, **ends)


def _draw_terms(axes: Axes, terms: pd.DataFrame, value: float) -> None:
    """Draw the term of each rank and their running sum, which ends at the value of the measure.

    ``terms`` has a row per rank, with the columns ``term`` and ``running sum``.
    """
    # A measure may divide the sum of its terms, as precision at 5 divides it by 5. Divide each term
    # in the same way, so that they add up to the value.
    last_sum = terms["running sum"].to_numpy()[-1]
    factor = 1.0
    if last_sum != 0:  # otherwise all terms are 0
        factor = value / last_sum
    terms = terms.assign(term=terms["term"] * factor)
    terms["running sum"] *= factor
    plots.term_bars({"term": terms}, ax=axes)
    axes.plot(range(len(terms)), terms["running sum"], "ko-", label="running sum")
    axes.legend(frameon=False)


def _describe_values(measure: str, value_by_convention: pd.Series) -> str:
    """Return the value under receval's convention, and below it all values, as HTML.

    ``value_by_convention`` has the names of the conventions as its index, "receval" among them.
    Conventions with the same value share one entry.
    """
    entries = [
        f"<b>{value:.3f}</b> {for_html(', '.join(equal_values.index))}"
        for value, equal_values in value_by_convention.groupby(value_by_convention)
    ]
    receval_value = f"{for_html(measure)} = {value_by_convention['receval']:.3f}"
    return f"<b>{receval_value}</b> by receval's convention<br>{'; '.join(entries)}"


def _conventions_with(measure: str) -> list[str]:
    """Return the names of the conventions that define a measure, such as "nDCG@5"."""
    key = measure_named(measure).key  # the name without the cut-off
    measures_by_convention = conventions()["measures"].str.split()  # lists of keys, or ["all"]
    return [
        str(name)
        for name, measures in measures_by_convention.items()
        if "all" in measures or key in measures
    ]


def equal_scores(*, levels: int = 4, k: int = 5, seed: int = 0) -> View:
    """Show the bounds of a measure if scores are equal, by the number of different scores.

    Parameters
    ----------
    levels : int, default 4
        First number of different scores that the system gives.
    k : int, default 5
        First cut-off.
    seed : int, default 0
        Seed of the lists of forty users with twelve items each.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> view = play.equal_scores(levels=1)
    >>> print(view.says.value.split(";")[0])
    nDCG@5 lies between <b>0.000</b> and <b>0.950</b>
    """
    rng = np.random.default_rng(seed)
    user, item = np.divmod(np.arange(40 * 12), 12)
    grade = (rng.random(40 * 12) < 0.25).astype(int)
    # Relevant items get higher scores on average.
    score = np.clip(0.35 * grade + rng.random(40 * 12) * 0.65, 0, 1)
    truth = pd.DataFrame({"user": user, "item": item, "relevance": grade})

    def draw(left: Axes, right: Axes, levels: int, k: int) -> str:
        """Draw the scores of the first user's list and the bounds of nDCG; return the bounds."""
        # Rounding down to this number of levels makes scores equal.
        lists = truth[["user", "item"]].assign(score=np.floor(score * levels) / levels)
        measure = f"nDCG@{k}"
        bounds = evaluate(lists, truth, measure).ties().loc[measure]
        first_list = lists[user == 0].sort_values("score", ascending=False)
        left.bar(range(1, 13), first_list["score"], color=plots.axes.BLUE)
        left.set(title="One list: bars of one height are ties", xlabel="rank", ylabel="score")
        low, high = bounds["pessimistic"], bounds["optimistic"]
        right.hlines(0, low, high, lw=6, color="lightsteelblue")
        right.plot(bounds["expected"], 0, "o", color="black", label="mean over all orders")
        right.plot(bounds["value"], 0, "x", color=plots.axes.ORANGE, label="as reported")
        right.set(title=f"{measure} of 40 users", xlim=(-0.02, 1.02), yticks=[])
        right.legend(frameon=False, loc="upper left")
        range_of_values = f"{measure} lies between <b>{low:.3f}</b> and <b>{high:.3f}</b>"
        return f"{range_of_values}; the order of equal scores decides"

    return View(draw, (9.5, 2.8), levels=slider("levels", levels, 1, 50), k=slider("k", k, 1, 12))


def number_of_users(*, users: int = 50, difference: float = 0.02, seed: int = 0) -> View:
    """Show how wide the interval of a difference is, by the number of users.

    Parameters
    ----------
    users : int, default 50
        First number of users.
    difference : float, default 0.02
        First true difference of the two systems; the differences of single users have a standard
        deviation of 0.15.
    seed : int, default 0
        Seed of the users.

    Returns
    -------
    View

    Examples
    --------
    >>> from receval import play
    >>> play.number_of_users(users=2000).says.value.endswith("zero is outside")
    True
    """
    # The differences of single users, of mean 0. A true difference only shifts them, so it does
    # not change the width of the interval.
    deviations = np.random.default_rng(seed).normal(0, 0.15, 5000)
    sizes = np.unique(np.geomspace(10, 5000, 12).astype(int))
    intervals = [mean_interval(deviations[:n], n_resamples=999, rng=0) for n in sizes]
    widths = [interval.high - interval.low for interval in intervals]

    def draw(left: Axes, right: Axes, users: int, difference: float) -> str:
        """Draw the interval and its width by number of users; return the interval in words."""
        interval = mean_interval(deviations[:users] + difference, n_resamples=999, rng=0)
        low, high = interval.low, interval.high
        left.axvline(0, color="grey", lw=1)
        left.plot([low, high], [0, 0], lw=6, color="lightsteelblue", solid_capstyle="butt")
        left.plot(interval.mean, 0, "o", color="black")
        left.set(title="Difference of two systems, 95 %", xlim=(-0.15, 0.2), yticks=[])
        right.loglog(sizes, widths, color=plots.axes.BLUE)
        right.plot(users, high - low, "o", color="black")
        right.set(title="Four times the users, half the width", xlabel="users", ylabel="width")
        right.xaxis.set_major_formatter("{x:g}")
        right.yaxis.set_major_formatter("{x:g}")
        position_of_zero = "outside"
        if low <= 0 <= high:
            position_of_zero = "inside"
        ends = f"from {low:.3f} to {high:.3f}"
        return f"{users} users: the interval reaches {ends}; zero is {position_of_zero}"

    return View(
        draw,
        (9.5, 2.8),
        users=slider("users", users, 10, 5000, 10),
        difference=slider("difference", difference, 0.0, 0.1, 0.005),
    )
