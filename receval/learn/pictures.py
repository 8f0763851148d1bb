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
from receval._checks import FloatArray
from receval._escape import for_plot
from receval.evaluation import evaluate, explain_difference
from receval.metrics import group, prediction, retrieval, shifted_log2
from receval.metrics.connectives.formulas import Connective
from receval.plots.axes import LEGEND_OUTSIDE, WIDTH, new_axes, new_figure, seaborn
from receval.plots.fuzzy import display_name
from receval.significance import mean_interval
from receval.splitting import Splits

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "clicks_by_place",
    "equal_scores",
    "filter_size",
    "group_choice",
    "implicator_maps",
    "leaking_split",
    "list_of_grades",
    "lucky_lists",
    "number_of_users",
    "rating_errors",
    "two_conventions",
    "two_orders",
    "two_retrievers",
]

TITLE_LINE_LENGTH = 60  # characters

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
        The number of different scores after rounding.
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
    _draw_bars(values, new_axes((WIDTH, 1.8)), f"{measure}, with {levels} different scores")
    worst, _, best = values
    return f"{measure} is {worst:.3f} in the worst order of equal scores, {best:.3f} in the best."


def number_of_users(differences: npt.ArrayLike, users: int = 50, shift: float = 0.0) -> str:
    """Draw the 95 % interval of a mean difference, by the number of users.

    Parameters
    ----------
    differences : array_like, shape (users,)
        The difference of two systems for each user.
    users : int, default 50
        Only the first ones of this number count.
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
    axes.vlines(users, interval.low, interval.high, color=plots.ORANGE, linewidth=4)
    axes.set(xscale="log", xlabel="users", ylabel="difference", title="The interval of the mean")
    place = "inside" if interval.low <= 0 <= interval.high else "outside"
    return (
        f"{users} users: the interval reaches from {interval.low:.4f} to {interval.high:.4f}, "
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
    kinds = ["training, earlier", "training, later", "tested"]
    kind = np.full(len(purchases), "tested", dtype=object)
    kind[train_rows] = np.where(is_late, "training, later", "training, earlier")
    axes = new_axes((WIDTH, 2.4))
    seaborn().stripplot(
        x=purchases["day"],
        y=kind,
        hue=kind,
        order=kinds,
        hue_order=kinds,
        palette="colorblind",
        size=3,
        jitter=0.3,
        ax=axes,
    )
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


def two_retrievers(exact: pd.Series, fast: Sequence[float], k: int = 3) -> str:
    """Draw the orders of an exact and of a fast retriever, and three measures of the fast one.

    Parameters
    ----------
    exact : Series
        The true similarity of each case.
    fast : sequence of float
        The similarities that the fast retriever computes, in the same order of the cases.
    k : int, default 3
        The number of cases that are compared.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If a similarity is not a finite number.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> exact = pd.Series({"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6})
    >>> learn.two_retrievers(exact, [0.7, 0.8, 0.4], k=2)
    'At k = 2: hits / k is 1.000, Müller is 1.000, Stromer is 0.000.'
    """
    retrieved = pd.Series(fast, exact.index)
    values = pd.Series(
        {
            "hits / k": retrieval.hits_normalized(exact, retrieved, k=k),
            "Müller": retrieval.quality_mueller(exact, retrieved, k=k),
            "Stromer": retrieval.quality_stromer(exact, retrieved, k=k),
        }
    )
    left, right = new_figure((9, 2.6)).subplots(1, 2, width_ratios=[3, 2])
    plots.slope_chart(exact, retrieved, k=k, ax=left)
    _draw_bars(values, right, f"The fast search, k = {k}")
    return f"At k = {k}: {', '.join(f'{name} is {value:.3f}' for name, value in values.items())}."


def filter_size(exact: FloatArray, cheap: FloatArray, size: int = 10, k: int = 5) -> str:
    """Draw Müller's quality of MAC/FAC, by the size of its filter.

    Parameters
    ----------
    exact, cheap : ndarray, shape (queries, cases)
        The true similarity of each case to each query, and the one that the filter computes.
    size : int, default 10
        The number of cases that the filter lets through.
    k : int, default 5
        The number of cases that are wanted.

    Returns
    -------
    str

    Examples
    --------
    >>> import numpy as np
    >>> from receval import learn
    >>> exact, cheap = np.array([[0.9, 0.8, 0.1]]), np.array([[0.2, 0.9, 0.5]])
    >>> learn.filter_size(exact, cheap, size=2, k=2)
    'The filter lets 2 of 3 cases through: quality is 0.550.'
    """
    n_queries, n_cases = exact.shape
    best_cases = np.argsort(-exact, axis=1, kind="stable")[:, :k]
    similarities = np.take_along_axis(exact, best_cases, axis=1)
    # The place of each case in the order of the filter, from 0.
    places = np.argsort(np.argsort(-cheap, axis=1, kind="stable"), axis=1)
    places_of_best = np.take_along_axis(places, best_cases, axis=1)
    sizes = np.arange(1, n_cases + 1)
    # A case that passes the filter is found; a missing one costs its true similarity.
    costs = [similarities[places_of_best >= n].sum() / (k * n_queries) for n in sizes]
    quality = 1 - np.array(costs)
    axes = new_axes((WIDTH, 2.4))
    axes.plot(sizes, quality, color=plots.BLUE)
    axes.plot(size, quality[size - 1], "o", color=plots.ORANGE)
    axes.set(xlabel="cases that the filter lets through", ylabel=f"Müller's quality at {k}")
    return f"The filter lets {size} of {n_cases} cases through: quality is {quality[size - 1]:.3f}."


def group_choice(
    ratings: pd.DataFrame, announced: Sequence[float], rule: str = "average", k: int = 3
) -> str:
    """Draw how the list of a group satisfies each member, if the first one may lie.

    The announced ratings make the list, and the true ratings say how good it is for each member.

    Parameters
    ----------
    ratings : DataFrame
        The true ratings: a row for each member, a column for each item.
    announced : sequence of float
        The ratings that the first member announces.
    rule : str, default "average"
        A strategy of `receval.metrics.group.aggregate`.
    k : int, default 3
        The satisfaction is the member's nDCG at k.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the rule is unknown.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import learn
    >>> ratings = pd.DataFrame({"alien": [9, 1], "diva": [5, 6]}, ["Ann", "Ben"])
    >>> learn.group_choice(ratings, [9, 5])
    "Ann announces 9, 5, and the list is diva, alien. Ann's true satisfaction is 1.000, ...
    """
    announced_ratings = np.vstack([announced, ratings.to_numpy(float)[1:]])
    order = group.rank_items(group.aggregate(announced_ratings, strategy=rule))
    satisfactions = pd.Series(group.satisfaction(order, ratings, k=k), ratings.index)
    items = ", ".join(map(str, ratings.columns[order]))
    liar = ratings.index[0]
    announcement = f"{liar} announces {', '.join(f'{rating:g}' for rating in announced)}"
    _draw_bars(satisfactions, new_axes((WIDTH, 2)), f"{announcement}. The list: {items}")
    return (
        f"{announcement}, and the list is {items}. "
        f"{liar}'s true satisfaction is {satisfactions[liar]:.3f}, "
        f"the lowest is {satisfactions.min():.3f} ({satisfactions.idxmin()})."
    )


def implicator_maps(functions: Sequence[Connective], b: float = 0.9, h: float = 0.5) -> str:
    """Draw implicators as maps, and their truth at a point.

    Parameters
    ----------
    functions : sequence of callable
        Implicators I(b, h) of two arrays, such as those of `receval.fuzzy`.
    b, h : float, default 0.9 and 0.5
        The body and the head of the point, from 0 to 1.

    Returns
    -------
    str

    Raises
    ------
    InputError
        As in `receval.plots.connective_maps`.

    Examples
    --------
    >>> from receval import fuzzy, learn
    >>> learn.implicator_maps([fuzzy.goedel, fuzzy.lukasiewicz])
    'At b = 0.9 and h = 0.5: Gödel 0.500, Łukasiewicz 0.600.'
    """
    plots.connective_maps(functions, points=[(b, h)], cut=h)
    truths = [
        f"{display_name(function)} {function(np.array(b), np.array(h)):.3f}"
        for function in functions
    ]
    return f"At b = {b:g} and h = {h:g}: {', '.join(truths)}."


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
    bars = axes.barh([str(name) for name in values.index], values, color=plots.BLUE)
    axes.bar_label(bars, fmt="%.3f", padding=3)
    axes.invert_yaxis()
    axes.set(title=for_plot(title, TITLE_LINE_LENGTH), xlim=(0, 1.15))
