"""Views of ranked lists: grades by rank, equal scores, and intervals by number of users."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._arrays import as_counts, as_gains
from receval._checks import InputError, check_integer, check_number, check_that
from receval._escape import for_html, for_plot
from receval.definitions.names import measure as measure_named
from receval.definitions.overview import conventions
from receval.evaluation import evaluate, explain_difference
from receval.play.views import Drawing, View, choice, slider
from receval.significance import mean_interval

__all__ = ["equal_scores", "list_of_grades", "number_of_users"]

MAX_SLIDERS = 12  # more don't fit on a screen together with the picture


def list_of_grades(grades: list[int] | None = None, measure: str = "nDCG@5") -> View:
    """Show the gain of each rank of a list, and the value of a measure under each convention.

    Parameters
    ----------
    grades : list of int, optional
        One to twelve grades, best rank first; 0 means not relevant. The sliders go up to the
        highest grade, and to at least 3. Default: ``[3, 0, 2, 1, 0]``.
    measure : str, default "nDCG@5"
        A measure of one list that sums terms.

    Returns
    -------
    View
        A slider per rank, and the two conventions that the waterfall connects.

    Raises
    ------
    InputError
        If a grade is negative or not whole, there is none or more than twelve, or ``measure`` is
        not the name of a measure.

    Examples
    --------
    >>> from receval import play
    >>> print(play.list_of_grades([0, 3], "nDCG@2").says.value.split("<br>")[0])
    <b>nDCG@2 = 0.631</b> by receval's convention
    """
    first_grades = [3, 0, 2, 1, 0]
    if grades is not None:
        gains = as_gains(grades, "grades")
        check_that(gains.ndim == 1, "grades", "be a list of grades by rank", grades)
        first_grades = as_counts(gains, "grades").tolist()
        is_short = 1 <= len(first_grades) <= MAX_SLIDERS
        rule = f"have 1 to {MAX_SLIDERS} entries"
        check_that(is_short, "grades", rule, len(first_grades))
    names = _conventions_with(measure)

    def draw(left: Axes, right: Axes, start: str, end: str, **grade_by_slider: int) -> Drawing:
        """Draw the terms by rank, and the waterfall of what changes from ``start`` to ``end``.

        ``start`` and ``end`` are names of conventions. Return the values under all conventions, and
        a row per rank.
        """
        # There is one user, 1, and the ids of the items are their ranks.
        grade_by_item = dict(enumerate(grade_by_slider.values(), 1))
        lists, truth = {1: list(grade_by_item)}, {1: grade_by_item}
        right.set_axis_off()  # until there is a waterfall
        if not any(grade_by_item.values()):
            left.set_axis_off()
            grades = pd.DataFrame({"grade": grade_by_item})
            return "Nothing is relevant: give one of the ranks a grade.", grades.rename_axis("rank")
        terms = evaluate(lists, truth, measure).explain(1, measure).table.drop(columns="item")
        values = {}
        for name in names:
            result = evaluate(lists, truth, measure, convention=name)
            values[name] = result.summary.to_numpy()[0, 0]  # of the only system and measure
        terms = _terms_of_value(terms, values["receval"])
        _draw_terms(left, terms)
        left.set_title(for_plot(f"What each rank adds to {measure}"))
        rounded = pd.Series(values).round(3)
        # The waterfall changes one choice after the other. A mixture of both conventions may not
        # fit grades above 1; then there is no waterfall.
        with suppress(InputError):
            if rounded[start] != rounded[end]:
                plots.waterfall(explain_difference(lists, truth, measure, start, end), ax=right)
                right.set_title(for_plot(f"{measure}: from {start} to {end}"))
                right.set_axis_on()
        table = terms.set_index("rank")[["term", "running sum"]]
        table.insert(0, "grade", [grade_by_item[rank] for rank in table.index])
        return _describe_values(measure, rounded), table

    highest_grade = max(3, *first_grades)
    sliders = {
        f"rank_{rank}": slider(f"rank {rank}", grade, 0, highest_grade)
        for rank, grade in enumerate(first_grades, 1)
    }
    first_end = names[-1]
    if "lenskit" in names:  # its nDCG differs from receval's in more than one choice
        first_end = "lenskit"
    ends = {"start": choice("from", names[0], names), "end": choice("to", first_end, names)}
    return View(draw, (9.5, 2.8), sliders | ends)


def _terms_of_value(terms: pd.DataFrame, value: float) -> pd.DataFrame:
    """Return the terms of a list, scaled so that they add up to the value of the measure.

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
    return terms


def _draw_terms(axes: Axes, terms: pd.DataFrame) -> None:
    """Draw the term of each rank and their running sum.

    ``terms`` has a row per rank, with the columns ``term`` and ``running sum``.
    """
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
    """Show how much a measure depends on the order of equal scores, as scores get coarser.

    There are forty users with twelve items each. The view rounds the scores down to a number of
    levels between the lowest and the highest.

    Parameters
    ----------
    levels : int, default 4
        Initial number of different scores, from 1 to 50.
    k : int, default 5
        Initial cut-off, at most 12.
    seed : int, default 0
        Seed of the lists.

    Returns
    -------
    View

    Raises
    ------
    InputError
        If ``levels`` or ``k`` is outside its range.

    Examples
    --------
    >>> from receval import play
    >>> view = play.equal_scores(levels=1)
    >>> print(view.says.value.split(";")[0])
    nDCG@5 lies between <b>0.000</b> and <b>0.950</b>
    """
    check_integer(levels, "levels", 1, 50)
    check_integer(k, "k", 1, 12)
    rows, truth = _made_up_lists(seed)
    # Scores from 0 to just below 1, so that rounding down gives as many levels as wanted.
    rows["score"] = (rows["score"] - rows["score"].min()) / np.ptp(rows["score"]) * (1 - 1e-9)
    # The list that the left picture shows is that of the first user.
    is_first = (rows["user"] == rows["user"].iloc[0]).to_numpy()

    def draw(left: Axes, right: Axes, levels: int, k: int) -> Drawing:
        """Draw the scores of the first user's list and the bounds of nDCG; return the bounds."""
        # Rounding down to this number of levels makes scores equal.
        rounded = rows.assign(score=np.floor(rows["score"] * levels) / levels)
        measure = f"nDCG@{k}"
        bounds = evaluate(rounded, truth, measure).ties().loc[measure]
        first_list = rounded["score"][is_first].sort_values(ascending=False)
        left.bar(range(1, len(first_list) + 1), first_list, color=plots.axes.BLUE)
        left.set(title="One list: bars of one height are ties", xlabel="rank", ylabel="score")
        low, high = bounds["pessimistic"], bounds["optimistic"]
        right.hlines(0, low, high, lw=6, color="lightsteelblue")
        right.plot(bounds["expected"], 0, "o", color="black", label="mean over all orders")
        right.plot(
            bounds["value"], 0, "x", color=plots.axes.ORANGE, ms=9, mew=2, label="as reported"
        )
        n_users = rows["user"].nunique()
        right.set(title=f"{measure} of {n_users} users", xlim=(-0.02, 1.02), yticks=[])
        right.legend(frameon=False, loc="upper left")
        range_of_values = f"{measure} lies between <b>{low:.3f}</b> and <b>{high:.3f}</b>"
        names = ["pessimistic", "expected", "value", "optimistic"]
        table = pd.DataFrame({measure: bounds[names]}).rename_axis("order of equal scores")
        table = table.rename(index={"expected": "mean over all", "value": "as reported"})
        return f"{range_of_values}; the order of equal scores decides", table

    controls = {"levels": slider("levels", levels, 1, 50), "k": slider("k", k, 1, 12)}
    return View(draw, (9.5, 2.8), controls)


def _made_up_lists(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the scores and the grades of forty users with twelve items each."""
    rng = np.random.default_rng(seed)
    user, item = np.divmod(np.arange(40 * 12), 12)
    grade = (rng.random(40 * 12) < 0.25).astype(int)
    # Relevant items get higher scores on average.
    score = np.clip(0.35 * grade + rng.random(40 * 12) * 0.65, 0, 1)
    ids = pd.DataFrame({"user": user, "item": item})
    return ids.assign(score=score), ids.assign(relevance=grade)


def number_of_users(*, users: int = 50, difference: float = 0.02, seed: int = 0) -> View:
    """Show how wide the interval of a difference is, by the number of users.

    The differences of single users are made up, with a standard deviation of 0.15.

    Parameters
    ----------
    users : int, default 50
        Initial number of users, from 10 to 5,000.
    difference : float, default 0.02
        Initial true difference of the two systems.
    seed : int, default 0
        Seed of the users.

    Returns
    -------
    View

    Raises
    ------
    InputError
        If ``difference`` is not a finite number, or ``users`` is outside its range.

    Examples
    --------
    >>> from receval import play
    >>> play.number_of_users(users=2000).says.value.endswith("zero is outside")
    True
    """
    check_integer(users, "users", 10, 5000)
    first_difference = check_number(difference, "difference", "a finite number")
    # The differences of single users, of mean 0. A true difference only shifts them, so it does not
    # change the width of the interval.
    deviations = np.random.default_rng(seed).normal(0, 0.15, 5000)
    sizes = np.unique(np.geomspace(10, 5000, 12).astype(int))
    intervals = [mean_interval(deviations[:n]) for n in sizes]
    widths = [interval.high - interval.low for interval in intervals]
    spread = float(deviations.std())

    def draw(left: Axes, right: Axes, users: int, difference: float) -> Drawing:
        """Draw the interval and its width by number of users; return the interval in words."""
        interval = mean_interval(deviations[:users] + difference)
        low, high = interval.low, interval.high
        left.axvline(0, color="grey", lw=1)
        left.plot([low, high], [0, 0], lw=6, color="lightsteelblue", solid_capstyle="butt")
        left.plot(interval.mean, 0, "o", color="black")
        left.set(title="Difference of two systems, 95 %", yticks=[])
        # Room for the widest interval, and for zero.
        left.set_xlim(min(0, difference - spread), max(0, difference + spread))
        right.loglog(sizes, widths, color=plots.axes.BLUE)
        right.plot(users, high - low, "o", color="black")
        right.set(title="Four times the users, half the width", xlabel="users", ylabel="width")
        right.xaxis.set_major_formatter("{x:g}")
        right.yaxis.set_major_formatter("{x:g}")
        position_of_zero = "outside"
        if low <= 0 <= high:
            position_of_zero = "inside"
        ends = f"from {low:.3f} to {high:.3f}"
        values = {"mean": interval.mean, "low": low, "high": high, "width": high - low}
        table = pd.Series(values, name="difference").to_frame()
        return f"{users} users: the interval reaches {ends}; zero is {position_of_zero}", table

    least, most = min(0.0, first_difference), max(first_difference, 0.1)
    controls = {
        "users": slider("users", users, 10, 5000, 10),
        "difference": slider("difference", first_difference, least, most, 0.005),
    }
    return View(draw, (9.5, 2.8), controls)
