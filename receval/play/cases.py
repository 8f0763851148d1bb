"""Views of retrieved cases: two retrievers' orders, and the size of a filter."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt
import pandas as pd
from matplotlib.axes import Axes

from receval import plots
from receval._checks import check_integer
from receval.metrics import retrieval
from receval.play.pairs import draw_crossing_lines
from receval.play.views import Drawing, Ordering, View, slider

__all__ = ["filter_size", "two_retrievers"]

MEASURES: dict[str, Callable[..., float]] = {
    "hits / k": retrieval.hits_normalized,
    "Müller": retrieval.quality_mueller,
    "Stromer": retrieval.quality_stromer,
}


def two_retrievers(*, k: int = 3) -> View:
    """Show how the quality of a fast retriever changes as you reorder its list.

    The cases are the five cars of lesson 13.
    Hits, Müller's quality and Stromer's quality compare the list with the exact retriever's list.
    Hits count the cases that both have among the first k. Müller's quality weighs the missing ones
    by their similarity. Stromer's quality looks at each place.

    Parameters
    ----------
    k : int, default 3
        Initial number of cases that are compared.

    Returns
    -------
    View
        The list of the fast retriever to reorder, and a slider for k. Hollow marks show where the
        measures were with the first order.

    Raises
    ------
    InputError
        If ``k`` is not between 1 and the number of cases.

    Examples
    --------
    >>> from receval import play
    >>> view = play.two_retrievers()
    >>> print(view.says.value)
    at 3: hits / k = <b>0.667</b>, Müller = <b>0.800</b>, Stromer = <b>0.000</b>
    >>> view.controls["order"].move(+1)  # the first car down by a place
    >>> print(view.says.value)
    at 3: hits / k = <b>0.667</b>, Müller = <b>0.800</b>, Stromer = <b>0.778</b>
    """
    truth = pd.Series({"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1})
    first_order = ["Bora", "Astra", "Doblo", "Corsa", "Escort"]
    check_integer(k, "k", 1, len(truth))
    ranks_by_exact = pd.Series(np.arange(1.0, len(truth) + 1), truth.index)

    def draw(left: Axes, right: Axes, order: tuple[str, ...], k: int) -> Drawing:
        """Draw the two orders and the three measures; return the measures, and a row per place."""
        ranks_by_fast = pd.Series(np.arange(1.0, len(order) + 1), list(order))
        ranks = pd.DataFrame({"exact": ranks_by_exact, "fast": ranks_by_fast}).loc[truth.index]
        draw_crossing_lines(left, ranks)
        left.axhline(k + 0.5, color="grey", ls=":", lw=1)
        left.set(
            ylim=(len(truth) + 0.5, 0.5), ylabel="place", title="Only cases above the line count"
        )
        values = _qualities(truth, order, k)
        before = _qualities(truth, first_order, k)
        bars = right.barh([*values], [*values.values()], color=plots.axes.BLUE, height=0.5)
        right.bar_label(bars, fmt="%.3f", padding=9, fontsize=9)
        right.plot([*before.values()], [*before], "D", mfc="none", mec="black", label="start")
        right.invert_yaxis()
        right.set(xlim=(-0.03, 1.2), title=f"The fast list against the exact one, at {k}")
        right.legend(loc="lower right")
        table = _places(list(truth.index), order, truth, k)
        texts = [f"{name} = <b>{value:.3f}</b>" for name, value in values.items()]
        return f"at {k}: {', '.join(texts)}", table

    controls = {"order": Ordering("fast list", first_order), "k": slider("k", k, 1, len(truth))}
    return View(draw, (9.5, 2.8), controls)


def _qualities(truth: pd.Series, order: npt.ArrayLike, k: int) -> dict[str, float]:
    """Return hits, Müller's and Stromer's quality at k of a list, by the name of the measure.

    ``truth`` has the similarities by case, and ``order`` the cases of the list, best first.
    """
    cases = [str(case) for case in np.asarray(order)]
    # The measures look only at the order of the list, so any falling numbers will do.
    retrieved = {case: float(len(cases) - place) for place, case in enumerate(cases)}
    return {name: float(measure(truth, retrieved, k=k)) for name, measure in MEASURES.items()}


def _places(
    exact_order: list[str], order: tuple[str, ...], truth: pd.Series, k: int
) -> pd.DataFrame:
    """Return a row for each of the first k places: both cases, and the cost of a missing one.

    ``truth`` has the true similarities by case. A case costs nothing if it is among the first k of
    the list.
    """
    rows = []
    shown = order[:k]
    for case, shown_case in zip(exact_order[:k], shown, strict=True):
        cost = 0.0
        if case not in shown:
            cost = float(truth[case])
        same_place = "no"
        if case == shown_case:
            same_place = "yes"
        rows.append([case, shown_case, same_place, cost])
    columns = ["exact", "fast", "same place", "Müller's cost"]
    return pd.DataFrame(rows, range(1, k + 1), columns).rename_axis("place")


def filter_size(*, size: int = 10, k: int = 5, seed: int = 0) -> View:
    """Show how the size of the cheap filter of MAC/FAC changes cost and quality.

    There are 100 cases and 20 queries with two features. The filter sees only the first feature.

    Parameters
    ----------
    size, k : int
        Initial number of cases that the filter lets through, and of cases that are wanted.
    seed : int, default 0
        Seed of the cases and queries.

    Returns
    -------
    View

    Raises
    ------
    InputError
        If ``size`` or ``k`` is not between 1 and the number of cases.

    Examples
    --------
    >>> from receval import play
    >>> print(play.filter_size(size=100).says.value)
    100 of 100 cases compared exactly: quality <b>1.000</b>
    """
    n_cases = 100
    check_integer(size, "size", 1, n_cases)
    check_integer(k, "k", 1, n_cases)
    rng = np.random.default_rng(seed)
    cases, queries = rng.random((n_cases, 2)), rng.random((20, 2))
    # Similarities with queries in rows and cases in columns, by both features and by the first.
    exact = 1 - np.abs(queries[:, np.newaxis] - cases).mean(axis=-1)
    cheap = 1 - np.abs(queries[:, np.newaxis, 0] - cases[:, 0])
    # Each query's cases, the most similar by the cheap measure first.
    order_by_cheap = np.argsort(-cheap, axis=1, kind="stable").tolist()
    truths = [dict(enumerate(similarities.tolist())) for similarities in exact]

    @cache
    def mean_quality(size: int, k: int) -> float:
        """Return the mean over queries of Müller's quality after a filter of this size."""
        qualities = []
        for truth, order in zip(truths, order_by_cheap, strict=True):
            retrieved = {case: truth[case] for case in order[:size]}
            qualities.append(retrieval.quality_mueller(truth, retrieved, k=k))
        return float(np.mean(qualities))

    def draw(axes: Axes, size: int, k: int) -> Drawing:
        """Draw the quality by size of the filter; return the quality at the chosen size."""
        step = max(1, n_cases // 20)
        sizes = sorted({*range(k, n_cases + 1, step), size, n_cases})
        # A filter of fewer than k cases cannot let k of them through.
        values = pd.Series([mean_quality(n, min(k, n)) for n in sizes], sizes)
        axes.plot(values.index, values, color=plots.axes.BLUE)
        axes.plot(size, values[size], "o", color="black")
        label = f"cases let through, of {n_cases}: the cost"
        axes.set(xlabel=label, ylabel=f"Müller's quality@{k}")
        axes.set_title("A larger filter costs more and loses less")
        quality = f"quality <b>{values[size]:.3f}</b>"
        # A few sizes besides the chosen one, so that the table fits next to the controls.
        few_sizes = sorted({size, *sizes[:: max(1, len(sizes) // 4)], n_cases})
        table = values[few_sizes].rename("quality").to_frame().rename_axis("let through")
        table["chosen"] = np.where(table.index == size, "yes", "no")
        return f"{size} of {n_cases} cases compared exactly: {quality}", table

    controls = {
        "size": slider("filter", size, 1, n_cases),
        "k": slider("k", k, 1, 20),
    }
    return View(draw, (7.5, 2.6), controls)
