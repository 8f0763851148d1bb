"""The pictures of the live views show the reader's data, and their sentences have the values."""

import re

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import InputError, fuzzy, learn, splitting

mpl.use("agg")

CLICKS = pd.DataFrame(
    [[203, 155, 82, 60, 26], [89, 99, 106, 110, 102]], ["A", "B"], [1, 2, 3, 4, 5]
)
POINTS = pd.DataFrame({"Ann": [9, 7, 6, 4, 2], "Ben": [8, 3, 9, 5, 1]}, list("abcde"))
STARS = pd.Series([4, 2, 5, 3, 1], list("abcde"))
DIFFERENCES = np.random.default_rng(0).normal(0.02, 0.15, 5000)
DAY = np.arange(200) // 2
PURCHASES = pd.DataFrame({"item": DAY // 20, "day": DAY})
SPLITS = {
    "by time": splitting.fixed_time(DAY, 80),
    "shuffled": splitting.hold_out(200, share=0.2, rng=0),
}


@pytest.mark.parametrize(
    ("draw", "arguments", "sentence"),
    [
        (
            learn.two_conventions,
            ("Precision@5", [1, 0, 1, 1]),
            "^Precision@5 is 0.600 under the convention receval, and 0.750 under lenskit.$",
        ),
        (
            learn.rating_errors,
            (STARS, [4.5, 2.5, 4.5, 3.5, 4.0]),
            "^MAE is 1.000, MSE is 2.000, and RMSE is 1.414.$",
        ),
        (learn.two_orders, (POINTS, [8, 3, 9, 5, 1]), "Tau is 0.400, and rho is 0.500.$"),
        (learn.two_orders, (POINTS, [1, 2, 3, 4, 5]), "Tau is -1.000"),
        (learn.number_of_users, (DIFFERENCES, 10), "zero is inside"),
        (learn.number_of_users, (DIFFERENCES, 2000), "zero is outside"),
        (learn.number_of_users, (DIFFERENCES, 50, 0.1), "zero is outside"),
        (
            learn.leaking_split,
            (PURCHASES, SPLITS, "by time"),
            ": 0 of 160 training rows.* The share found is 0.00.$",
        ),
        (learn.leaking_split, (PURCHASES, SPLITS, "shuffled"), "The share found is 1.00.$"),
    ],
)
def test_a_sentence_has_the_values_of_the_picture(draw, arguments, sentence):
    assert re.search(sentence, draw(*arguments))


def test_a_split_is_drawn_alike_each_time_without_rows_in_no_part():
    rounds = {"first of three": [(np.arange(50), np.arange(50, 100))]}
    places = []
    for _ in range(2):
        learn.leaking_split(PURCHASES, rounds, "first of three")
        places.append([part.get_offsets().data for part in plt.gcf().axes[0].collections])
        plt.close("all")
    assert [len(part) for part in places[0]] == [50, 50]  # an empty part has no points
    assert_array_equal(np.concatenate(places[0]), np.concatenate(places[1]))


@pytest.mark.parametrize(
    ("measure", "grades", "terms"),
    [
        ("MRR@5", [0, 0, 1, 1, 0], [0, 0, 1 / 3, 0, 0]),
        ("MAP@5", [1, 0, 1, 1, 0], [1, 0, 2 / 3, 3 / 4, 0]),
        ("AUC", [1, 0, 1, 0, 0], [3, 0, 2, 0, 0]),
        ("DCG@2", [2, 3, 1], [2, 3 / np.log2(3)]),
    ],
)
def test_a_list_has_a_bar_for_what_each_rank_adds(measure, grades, terms):
    learn.list_of_grades(measure, grades)
    (ax,) = plt.gcf().axes
    assert [bar.get_height() for bar in ax.patches][: len(terms)] == pytest.approx(terms)
    labels = [label.get_text() for label in ax.get_xticklabels()]
    assert (
        labels == [f"{rank}\ngrade {grade}" for rank, grade in enumerate(grades, 1)][: len(terms)]
    )


@pytest.mark.parametrize("call", [learn.list_of_grades, learn.two_conventions])
@pytest.mark.parametrize(
    ("measure", "grades", "message"),
    [("nonsense", [1, 0], "nonsense"), ("MRR@5", [1, -1], "-1")],
)
def test_an_unknown_measure_and_a_negative_grade_are_refused(call, measure, grades, message):
    with pytest.raises(InputError, match=message):
        call(measure, grades)


def test_two_orders_draws_a_line_from_rank_to_rank():
    learn.two_orders(POINTS, POINTS["Ben"].tolist())
    (ax,) = plt.gcf().axes
    assert ax.lines[0].get_ydata().tolist() == [1, 2]


def test_rounding_to_one_level_leaves_the_whole_order_to_chance():
    lists = pd.DataFrame({"user": 1, "item": ["a", "b", "c"], "score": [0.9, 0.8, 0.1]})
    liked = pd.DataFrame({"user": 1, "item": ["a"], "relevance": 1})
    sentence = learn.equal_scores(lists, liked, levels=1, k=1)
    assert sentence == "nDCG@1 is 0.000 in the worst order of equal scores, 1.000 in the best."
    assert [bar.get_width() for bar in plt.gca().patches] == pytest.approx([0, 1 / 3, 1])


def test_luck_shows_more_of_the_catalogue_and_finds_less():
    user, item = np.divmod(np.arange(40 * 10), 10)
    lists = pd.DataFrame({"user": user, "item": item, "score": 1 - item / 10})
    wanted = pd.DataFrame({"user": range(40), "item": 1, "relevance": 1})
    known = pd.DataFrame({"user": range(40), "item": 0})
    catalogue = pd.DataFrame({"awards": range(10, 0, -1)})
    tables = (lists, wanted, catalogue, known)
    no_luck = learn.lucky_lists(*tables, luck=0.0, k=1)
    assert no_luck == "luck 0: precision is 1.000, and the lists show 10% of the catalogue."
    assert "precision is 1.000" not in learn.lucky_lists(*tables, luck=1.0, k=1)


def test_clicks_by_place_has_the_rates_of_receval():
    log = pd.DataFrame(
        [
            (system, row, place, row < CLICKS.loc[system, place])
            for system in CLICKS.index
            for place in CLICKS
            for row in range(1000)
        ],
        columns=["system", "session", "position", "clicked"],
    )
    measures = fuzzy.online_measures(log, k=5)
    liked = (log["clicked"] * np.log2(log["position"] + 1)).groupby(log["system"]).mean()
    learn.clicks_by_place(CLICKS, CLICKS.loc["A"].tolist())
    expected = [
        *(measures.loc["A", name] for name in ("IG", "IG_pos")), liked["A"],
        *(measures.loc["B", name] for name in ("IG", "IG_pos")), liked["B"],
    ]  # fmt: skip
    assert [bar.get_width() for bar in plt.gca().patches] == pytest.approx(expected)


def test_attractiveness_is_the_rate_of_clicks_if_people_look_everywhere():
    learn.clicks_by_place(CLICKS, [100, 0, 0, 0, 0], attention=0.0)
    rates = [bar.get_width() for bar in plt.gca().patches]
    assert rates[0] == rates[2] == pytest.approx(100 / 5000)
