"""The pictures of the lessons' live views: each function draws your data, and says what it shows.

`receval.learn.live` makes a live view of such a function.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle, islice
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval import plots
from receval.evaluation import evaluate, explain_difference
from receval.metrics import prediction, retrieval, shifted_log2
from receval.plots.axes import COLOURS, LEGEND_OUTSIDE, WIDTH, new_axes, seaborn
from receval.significance import mean_interval
from receval.splitting import Splits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MARKERS = "os^Dv*XP<>hd"
"""Markers of lines, so that readers can distinguish the lines without colours."""


def list_of_grades(measure: str, grades: Sequence[int]) -> str:
    """Draw what each rank of a list adds to a measure.

    Parameters
    ----------
    measure : str
        The name of a measure of one list, such as "MRR@5".
    grades : sequence of int
        The grades of the list, best rank first. Nothing else is relevant.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the measure is unknown or a grade is negative.

    Examples
    --------
    >>> from receval import learn
    >>> learn.list_of_grades("MRR@5", [0, 0, 1, 1, 0])
    'MRR@5 of the grades 0, 0, 1, 1, 0 is 0.333.'
    """
    lists, truth = _one_list(grades)
    explanation = evaluate(lists, truth, measure).explain(1, measure)
    terms = explanation.table.drop(columns="item")  # the items are numbered like the ranks
    axes = plots.term_bars({measure: terms}, ax=new_axes((WIDTH, 2.8)))
    axes.set_title(f"{measure} is {explanation.value:.3f}: what each rank adds to its sum")
    axes.legend().remove()  # the title names the measure
    labels = [f"{rank}\ngrade {grade}" for rank, grade in truth[1].items()]
    axes.set_xticks(range(len(terms)), labels[: len(terms)])
    return f"{measure} of the grades {', '.join(map(str, grades))} is {explanation.value:.3f}."


def two_conventions(
    measure: str, grades: Sequence[int], start: str = "receval", end: str = "lenskit"
) -> str:
    """Draw the way from the value of a list under one convention to that under another.

    Parameters
    ----------
    measure : str
        The name of a measure of one list, such as "Precision@5".
    grades : sequence of int
        The grades of the list, best rank first. Nothing else is relevant.
    start, end : str
        The names of the conventions.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If a name is unknown, a grade is negative, or a step on the way has no value.

    Examples
    --------
    >>> from receval import learn
    >>> learn.two_conventions("Precision@5", [1, 0, 1, 1])
    'Precision@5 is 0.600 under the convention receval, and 0.750 under lenskit.'
    """
    ladder = explain_difference(*_one_list(grades), measure, start, end)
    plots.waterfall(ladder)
    first, *_, last = ladder["value"]
    return f"{measure} is {first:.3f} under the convention {start}, and {last:.3f} under {end}."


def _one_list(grades: Sequence[int]) -> tuple[dict[int, list[int]], dict[int, dict[int, int]]]:
    """Return the list and the grades of one user, 1, whose items are numbered by rank."""
    grade_by_rank = dict(enumerate(grades, start=1))
    return {1: list(grade_by_rank)}, {1: grade_by_rank}


def rating_errors(actual: pd.Series, predicted: Sequence[float]) -> str:
    """Draw the errors of predicted ratings, and the squares of the errors.

    Parameters
    ----------
    actual : Series
        The actual ratings, with the names of the items as labels.
    predicted : sequence of float
        The predicted ratings, in the same order.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the two differ in length.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> learn.rating_errors(pd.Series([4, 1], ["alien", "diva"]), [4, 3])
    'MAE is 1.000, MSE is 2.000, and RMSE is 1.414.'
    """
    errors = {
        "error (the mean is the MAE)": prediction.mae_terms(predicted, actual),
        "squared error (the mean is the MSE)": prediction.mse_terms(predicted, actual),
    }
    table = pd.DataFrame(errors, actual.index)
    axes = new_axes((WIDTH, 2.6))
    table.plot.bar(ax=axes, rot=0, color=[plots.BLUE, plots.ORANGE], ylabel="stars, or stars²")
    mae, mse = table.mean()
    return f"MAE is {mae:.3f}, MSE is {mse:.3f}, and RMSE is {mse**0.5:.3f}."


def two_orders(points: pd.DataFrame, second: Sequence[float]) -> str:
    """Draw a line for each thing from its rank by one judge to its rank by another.

    Parameters
    ----------
    points : DataFrame
        The points that two judges give: a row for each thing, a column for each judge.
    second : sequence of float
        The points that count in place of the second column.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the points are not finite numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> points = pd.DataFrame({"Ann": [3, 2, 1], "Ben": [3, 2, 1]}, ["alien", "brazil", "diva"])
    >>> learn.two_orders(points, [3, 1, 2])
    '2 pairs are concordant, and 1 discordant. Tau is 0.333, and rho is 0.500.'
    """
    judges = [str(judge) for judge in points]
    by_first = points.iloc[:, 0]
    by_second = pd.Series(second, points.index)
    markers = [f"{marker}-" for marker in islice(cycle(MARKERS), len(points))]
    ranks = pd.concat([by_first, by_second], axis=1, keys=judges).rank(ascending=False).T
    axes = new_axes((WIDTH, 2.6))
    ranks.plot(ax=axes, style=markers, xticks=[0, 1], ylabel="rank")
    axes.invert_yaxis()
    axes.legend(**LEGEND_OUTSIDE)
    counts = retrieval.pair_counts(by_first, by_second)
    tau = retrieval.kendall(by_first, by_second)
    rho = retrieval.spearman(by_first, by_second)
    return (
        f"{counts.concordant} pairs are concordant, and {counts.discordant} discordant. "
        f"Tau is {tau:.3f}, and rho is {rho:.3f}."
    )


def equal_scores(lists: pd.DataFrame, liked: pd.DataFrame, levels: int = 4, k: int = 5) -> str:
    """Draw how much nDCG depends on the order of equal scores, if the scores are rounded.

    Parameters
    ----------
    lists, liked : DataFrame
        Recommendations with scores, and relevant items, as `receval.evaluate` takes them.
    levels : int, default 4
        The number of steps of equal size to which the scores are rounded.
    k : int, default 5
        The cut-off.

    Returns
    -------
    str

    Raises
    ------
    InputError
        As in `receval.evaluate`.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> lists = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [0.9, 0.8, 0.1]})
    >>> liked = pd.DataFrame({"user": 1, "item": ["b"], "relevance": 1})
    >>> learn.equal_scores(lists, liked, levels=2, k=3)
    'nDCG@3 is 0.631 in the worst order of equal scores, 1.000 in the best.'
    """
    rounded = lists.assign(score=pd.cut(lists["score"], levels, labels=False))
    measure = f"nDCG@{k}"
    bounds = evaluate(rounded, liked, measure).ties().loc[measure]
    values = pd.Series(
        {
            "worst order": bounds["pessimistic"],
            "mean of all orders": bounds["expected"],
            "best order": bounds["optimistic"],
        },
        dtype=float,
    )
    _draw_bars(values, new_axes((WIDTH, 1.8)), f"{measure}, with scores in {levels} steps")
    worst, _, best = values
    return f"{measure} is {worst:.3f} in the worst order of equal scores, {best:.3f} in the best."


def number_of_users(differences: npt.ArrayLike, users: int = 50, shift: float = 0.0) -> str:
    """Draw the 95 % interval of a mean difference, by the number of users.

    Parameters
    ----------
    differences : array_like, shape (users,)
        The difference of two systems for each user.
    users : int, default 50
        Only the first ones of this number count; all of them, if there are fewer.
    shift : float, default 0
        This is added to each difference.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If a difference is not finite.

    Examples
    --------
    >>> from receval import learn
    >>> learn.number_of_users([0.1, -0.1, 0.2, 0.2] * 10, users=40)
    '40 users: the interval reaches from 0.0603 to 0.1397, and zero is outside.'
    """
    sample = np.asarray(differences) + shift
    sizes = np.unique(np.geomspace(10, len(sample), 40).astype(int))
    intervals = pd.DataFrame([vars(mean_interval(sample[:size])) for size in sizes], sizes)
    axes = new_axes((WIDTH, 2.6))
    axes.fill_between(sizes, intervals["low"], intervals["high"], color=plots.BLUE, alpha=0.3)
    axes.axhline(0, color="black", linewidth=1)
    interval = mean_interval(sample[:users])
    n_users = len(sample[:users])
    axes.vlines(n_users, interval.low, interval.high, color=plots.ORANGE, linewidth=4)
    axes.set(xscale="log", xlabel="users", ylabel="difference", title="The interval of the mean")
    place = "inside" if interval.low <= 0 <= interval.high else "outside"
    return (
        f"{n_users} users: the interval reaches from {interval.low:.4f} to {interval.high:.4f}, "
        f"and zero is {place}."
    )


def leaking_split(purchases: pd.DataFrame, splits: Mapping[str, Splits], way: str) -> str:
    """Draw which training rows are from the future of the test.

    The sentence says what this does to a simple recommender, which shows everybody the five best
    sellers of its training rows.

    Parameters
    ----------
    purchases : DataFrame
        The columns ``item`` and ``day`` say what was bought, and when.
    splits : mapping of str to Splits
        Ways to split the rows, from `receval.splitting`. Only the first round of each is drawn.
    way : str
        The way that is drawn, one of ``splits``.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn, splitting
    >>> purchases = pd.DataFrame({"item": list("abac"), "day": [1, 2, 3, 4]})
    >>> splits = {"by time": splitting.fixed_time(purchases["day"], 3)}
    >>> learn.leaking_split(purchases, splits, "by time")
    'by time: 0 of 2 training rows are later than the first tested day. The share found is 0.50.'
    """
    train_rows, test_rows = splits[way][0]
    train, test = purchases.iloc[train_rows], purchases.iloc[test_rows]
    first_tested = test["day"].min()
    is_late = train["day"] > first_tested
    parts = {
        "training, earlier": train[~is_late],
        "training, later": train[is_late],
        "tested": test,
    }
    axes = new_axes((WIDTH, 2.4))
    rng = np.random.default_rng(0)
    for place, part in enumerate(parts.values()):
        # Random heights separate purchases of the same day.
        heights = place + rng.uniform(-0.3, 0.3, len(part))
        seaborn().scatterplot(x=part["day"], y=heights, s=9, color=COLOURS[place], lw=0, ax=axes)
    axes.set_yticks(range(len(parts)), [*parts])
    axes.invert_yaxis()
    axes.axvline(first_tested, color="black", linewidth=1)
    axes.set(ylabel="", title="The line is the first tested day")
    is_found = test["item"].isin(train["item"].value_counts().index[:5])
    return (
        f"{way}: {is_late.sum():,} of {len(train):,} training rows are later than the first tested "
        f"day. The share found is {is_found.mean():.2f}."
    )


def lucky_lists(
    lists: pd.DataFrame,
    wanted: pd.DataFrame,
    catalogue: pd.DataFrame,
    history: pd.DataFrame,
    luck: float = 0.0,
    k: int = 5,
) -> str:
    """Draw precision, coverage, long tail and Gini index of lists with a share of luck.

    Parameters
    ----------
    lists, wanted, catalogue, history : DataFrame
        Recommendations with scores from 0 to 1, relevant items, all items, and the items that each
        user knows: ``recommendations``, ``relevance``, ``items`` and ``history`` of
        `receval.evaluate`. Lists leave out what the user knows.
    luck : float, default 0
        The share of luck in each score, from 0 to 1.
    k : int, default 5
        The length of the lists.

    Returns
    -------
    str

    Raises
    ------
    InputError
        As in `receval.evaluate`.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> lists = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [0.9, 0.8, 0.1]})
    >>> wanted = pd.DataFrame({"user": 1, "item": ["b"], "relevance": 1})
    >>> catalogue = pd.DataFrame({"awards": [3, 2, 1]}, ["a", "b", "c"])
    >>> known = pd.DataFrame({"user": 1, "item": ["a"]})
    >>> learn.lucky_lists(lists, wanted, catalogue, known, k=1)
    'luck 0: precision is 1.000, and the lists show 33% of the catalogue.'
    """
    random_scores = np.random.default_rng(0).random(len(lists))
    mixed = lists.assign(score=(1 - luck) * lists["score"] + luck * random_scores)
    measures = [f"{name}@{k}" for name in ("Precision", "CC", "LTP", "Gini")]
    result = evaluate(mixed, wanted, measures, items=catalogue, history=history, seen="drop")
    values = result.summary.iloc[0]
    _draw_bars(values, new_axes((WIDTH, 2)), f"With a share of luck of {luck:g}")
    precision, coverage = values.iloc[:2]
    return (
        f"luck {luck:g}: precision is {precision:.3f}, "
        f"and the lists show {coverage:.0%} of the catalogue."
    )


def clicks_by_place(
    clicks: pd.DataFrame,
    first: Sequence[int],
    n_lists: int = 1000,
    attention: float = 1.0,
) -> str:
    r"""Draw three rates of clicks of two systems: each answers another question.

    Clicks per place counts all clicks the same. The weighted rate rewards clicks at the top.
    Attractiveness divides each click by the chance that somebody looks at its place p, which is
    :math:`(1/\log_2(p + 1))^a` for the attention a.

    Parameters
    ----------
    clicks : DataFrame
        The number of clicks: a row for each system, a column for each place from 1.
    first : sequence of int
        The clicks that count in place of the first row.
    n_lists : int, default 1000
        The number of lists of each system.
    attention : float, default 1
        The exponent a; with 0, people look at all places.

    Returns
    -------
    str

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> clicks = pd.DataFrame([[203, 155, 82], [89, 99, 106]], ["A", "B"], [1, 2, 3])
    >>> learn.clicks_by_place(clicks, [203, 155, 82])
    'Who leads? clicks per place: A, weighted rate: A, attractiveness: A.'
    """
    shares = np.vstack([first, clicks.to_numpy()[1:]]) / n_lists
    weights = shifted_log2(np.arange(1, clicks.shape[1] + 1))
    rates = pd.DataFrame(
        {
            "clicks per place": shares.mean(axis=1),
            "weighted rate": shares @ weights / weights.sum(),
            "attractiveness": (shares / weights**attention).mean(axis=1),
        },
        clicks.index,
    )
    axes = new_axes((WIDTH, 2.6))
    rates.T.plot.barh(ax=axes, color=[plots.BLUE, plots.ORANGE], title="Who leads?")
    axes.invert_yaxis()
    axes.legend(**LEGEND_OUTSIDE)
    leaders = [f"{rate}: {leader}" for rate, leader in rates.idxmax().items()]
    return f"Who leads? {', '.join(leaders)}."


def _draw_bars(values: pd.Series, axes: Axes, title: str) -> None:
    """Draw values from 0 to 1 as horizontal bars with their numbers, the first on top."""
    bars = axes.barh(values.index, values, color=plots.BLUE)
    axes.bar_label(bars, fmt="%.3f", padding=3)
    axes.invert_yaxis()
    axes.set(title=title, xlim=(0, 1.15))
