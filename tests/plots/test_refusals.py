"""Figures refuse what they cannot draw, and name it."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, plots
from receval.fuzzy import goedel

TRUTH = {"G2": 0.5, "G3": 0.3}
TABLE = pd.DataFrame({"a": [1, 2], "b": [2, 1]}, index=["ann", "ben"])
INTERVALS = pd.DataFrame({"value": 0.2, "low": 0.1, "high": 0.3}, index=[["A"], ["IG"]])


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: plots.connective_maps([lambda b, h: h - b]),
            InputError,
            r"value of function must be in \[0, 1\]",
        ),
        (lambda: plots.connective_maps([]), InputError, "functions must have at least one"),
        (
            lambda: plots.connective_maps([goedel], points=[(0.5, 0), (1.2, 1)]),
            InputError,
            r"points must be in \[0, 1\]; got 1.2 at index",
        ),
        (
            lambda: plots.slope_chart(TRUTH, {1: 0.5}),
            InputError,
            "must name cases by ids of one type; got text and number",
        ),
        (
            lambda: plots.slope_chart(TRUTH, {"G2": np.nan}),
            InputError,
            "retrieved must have finite numbers as similarities",
        ),
        (
            lambda: plots.heatmap(TABLE, label="nDCG", bold=TABLE[["a"]] > 1),
            InputError,
            "bold must have the rows and columns of table",
        ),
        (
            lambda: plots.group_map(TABLE, ["a"], satisfaction=pd.Series({"ann": 1.0})),
            InputError,
            r"satisfaction must have a value for each member; got \['ann'\]",
        ),
        (
            lambda: plots.online_intervals_map(INTERVALS, measures=["IG", "CG"]),
            InputError,
            r"measures must be among \['IG'\]; got \['CG'\]",
        ),
        (
            lambda: plots.heatmap(TABLE[:0], label="nDCG"),
            InputError,
            "table must have at least one row",
        ),
        *(
            (
                lambda look=look: plots.heatmap(TABLE, label="", **look),
                InputError,
                "the options must be what seaborn.heatmap takes; got",
            )
            for look in ({"cmap": "Bluess"}, {"fmt": "%.2f"}, {"colour": 1}, {"annot_kws": {}})
        ),
        (lambda: plots.heatmap([[1, 2]], label=""), InputError, "table must be a DataFrame; got"),
        (lambda: plots.metric_heatmap(TABLE, "true"), InputError, "values must have.*'true'"),
        (
            lambda: plots.metric_heatmap(TABLE, "a", framed=["a", "true"]),
            InputError,
            "values must have the columns 'a', 'a', 'true'",
        ),
        (lambda: plots.group_map(TABLE, [2, "a"]), InputError, "points must have the columns 2"),
        (
            lambda: plots.reduction_diagram(TABLE, TABLE, {"ann": "eve"}, {}),
            InputError,
            r"values of challenge_map must be among \['ann', 'ben'\]; got \['eve'\]",
        ),
        (lambda: plots.term_bars({}), InputError, "workings must have at least one table"),
        (
            lambda: plots.term_bars({"mine": TABLE}),
            InputError,
            r"workings\['mine'\] must have the columns 'rank', 'term'.*Pass a table of receval",
        ),
        (
            lambda: plots.waterfall(TABLE),
            InputError,
            "ladder must .*Pass the result of explain_diff",
        ),
        (
            lambda: plots.link_ring("ann", [], TABLE, TABLE),
            InputError,
            "links must have the columns 'user', 'item'",
        ),
        (lambda: plots.system_means([1, 2]), InputError, "summary must be a DataFrame"),
        (
            lambda: plots.system_means(TABLE, TABLE),
            InputError,
            r"intervals must have the columns 'low', 'high'.*interval\(\)",
        ),
        (lambda: plots.system_means(TABLE[:0]), InputError, "summary must have at least one row"),
        (
            lambda: plots.systems.difference_intervals(TABLE),
            InputError,
            r"results must.*of compare\(\)",
        ),
        (lambda: plots.trade_off(TABLE, "a", "c"), InputError, "summary must .* 'a', 'c'"),
        (
            lambda: plots.systems.lift_map(TABLE),
            InputError,
            "table must have the columns 'lift', 'crit",
        ),
    ],
)
def test_refuses(call, error, message):
    with pytest.raises(error, match=message):
        call()
