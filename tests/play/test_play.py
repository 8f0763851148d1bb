"""The live views: text, table and picture follow each control, with readers' own data too."""

import base64
import html
import re

import ipywidgets as widgets
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import QuadMesh
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle
from matplotlib.text import Text

from receval import _views, fuzzy, metrics, play, splitting
from receval._checks import InputError
from receval._escape import for_html
from receval._views import Ordering, slider
from receval.metrics import retrieval

LISTS = pd.DataFrame(
    {"user": ["u", "u", "u", "v", "v"], "item": list("abcab"), "score": [3.0, 2.0, 1.0, 7.0, 7.0]}
)
TRUTH = pd.DataFrame({"user": ["u", "v"], "item": ["b", "b"], "relevance": [1, 1]})
RATINGS = pd.DataFrame({"x < y": [5, 1], "tea": [2, 4], "rye": [3, 3]}, ["Dan & Co", "Eve"])
PURCHASES = pd.DataFrame(
    {
        "user": ["Ann", "Ben", "Ann", "Ben", "Ann", "Cem"],
        "item": ["tent", "boots", "boots", "stove", "map", "tent"],
        "time": pd.to_datetime([f"2024-05-0{day}" for day in (1, 2, 3, 5, 6, 7)]),
    }
)
LOG = pd.DataFrame(
    {"system": list("AAABBB"), "position": [1, 2, 3] * 2, "clicked": [0, 0, 1, 1, 1, 0]}
)
OWN = {
    "clicks_by_place": lambda: play.clicks_by_place(LOG),
    "equal_scores": lambda: play.equal_scores(LISTS, TRUTH, levels=50, k=1),
    "filter_size": lambda: play.filter_size([[0.9, 0.5, 0.1]], [[0.2, 0.6, 0.3]], size=2, k=1),
    "group": lambda: play.group(RATINGS),
    "implication": lambda: play.implication("goedel", bodies=[0.2, 0.8], heads=[0.1, 0.9]),
    "leaking_split": lambda: play.leaking_split(PURCHASES, share=0.5),
    "list_of_grades": lambda: play.list_of_grades([0, 5], "nDCG@2"),
    "long_tail": lambda: play.long_tail(
        {"u": ["a", "b"], "v": ["a"]},
        pd.Series({"a": 9, "b": 5, "c": 3, "d": 2, "e": 1, "f": 0}),
        {"u": ["b"], "v": []},
    ),
    "number_of_users": lambda: play.number_of_users([0.1, 0.3, -0.2, 0.3]),
    "rating_errors": lambda: play.rating_errors({"x": 3, "$y$": 5}, {"$y$": 4, "x": 4}),
    "two_orders": lambda: play.two_orders(pd.Series([3, 2, 1], list("abc")), {"c": 1, "b": 4, "a": 2}),
    "two_retrievers": lambda: play.two_retrievers({"a": 0.9, "b": 0.4}, {"b": 0.7}, k=2),
}  # fmt: skip
"""A view of the reader's own data for each function."""

# The maps of implicators have a point to drag in place of controls; see test_implicators.py.
NAMES = [name for name in play.__all__ if name != "implicator_maps"]
EXAMPLES = {name: getattr(play, name) for name in NAMES}
VIEWS = EXAMPLES | {f"{name} of own data": OWN[name] for name in NAMES}


def fingerprint(figure):
    """Return what a figure shows in place of its picture, because drawing takes long."""
    parts = []
    for artist in figure.findobj():
        if isinstance(artist, Line2D):
            parts.append(np.asarray(artist.get_xydata(), float).tobytes())
        elif isinstance(artist, Rectangle):
            parts.append(repr(artist.get_bbox().bounds).encode())
        elif isinstance(artist, QuadMesh):
            parts.append(np.asarray(artist.get_array(), float).tobytes())
        elif isinstance(artist, Text):
            parts.append(artist.get_text().encode())
    return b"".join(parts)


@pytest.fixture(scope="module", autouse=True)
def no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_views, "to_png", fingerprint)
        yield patch


def move(control):
    """Yield after each new value of a control: an end, each option, or an entry moved."""
    if isinstance(control, Ordering):
        control.move(+1)
        yield
    elif isinstance(control, widgets.Dropdown):
        for option in control.options:
            control.value = option
            yield
    else:
        for end in (control.max, control.min):
            control.value = end
            yield


@pytest.fixture(scope="module", params=VIEWS.values(), ids=VIEWS)
def view(request):
    return request.param()


def controls_to_move(view, request):
    """The names of controls that differ; of own data, only one, as drawing takes long."""
    items = [name for name in view.controls if name[-1].isdigit()]  # alike: the ends are enough
    names = {*view.controls} - {*items[1:-1]}
    if request.node.callspec.id.endswith("own data"):
        return [*view.controls][:1]
    return sorted(names)


def test_every_control_moves_picture_and_table(view, request):
    for name in controls_to_move(view, request):
        control = view.controls[name]
        before, table, start = view.png, view.table, control.value
        is_fixed = getattr(control, "min", 0) == getattr(control, "max", 1)
        if is_fixed or (isinstance(control, Ordering) and len(start) == 1):
            continue
        assert any(view.png != before for _ in move(control)), f"{name} moves nothing"
        control.value = start
        assert view.png == before
        pd.testing.assert_frame_equal(view.table, table)


def test_a_view_has_the_numbers_as_a_table_and_an_alternative_text(view):
    assert view.table.size > 0
    for label in [*view.table.columns, *view.table.index]:
        assert f">{for_html(label)}<" in view.numbers.value
    [text] = re.findall(r'<img [^>]*alt="([^"]+)"', view.picture.value)
    assert html.unescape(text) == view.alternative_text
    numbers = re.findall(r"<b>([^<]+)</b>", view.says.value)
    assert all(html.unescape(number) in view.alternative_text for number in numbers)


def test_sliders_answer_during_a_drag(view):
    for control in view.controls.values():
        assert isinstance(control, Ordering | widgets.Dropdown) or control.continuous_update


@pytest.mark.parametrize("name", NAMES)
def test_a_page_without_a_kernel_shows_the_picture(name, no_pictures):
    no_pictures.undo()  # draw this one
    view = EXAMPLES[name]()
    no_pictures.setattr(_views, "to_png", fingerprint)
    bundle, about = view._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == view.png
    assert about["image/png"]["alt"] == view.alternative_text
    assert "<b>" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    pixels = int.from_bytes(view.png[16:20])
    assert pixels == pytest.approx(2 * about["image/png"]["width"], abs=1)


def test_labels_of_readers_are_escaped():
    view = OWN["group"]()
    assert "x < y" not in view.says.value + view.numbers.value + view.picture.value
    assert "x &lt; y" in view.says.value
    assert "Dan &amp; Co" in view.says.value


def test_a_view_says_why_it_cannot_follow():
    view = play.leaking_split(PURCHASES, share=0.5)
    view.controls["way"].value = "last of each user"
    before = view.png
    view.controls["share"].value = 0.05  # of two rows: nobody has a row to test
    assert view.says.value == "users must include one with more than 19 rows; got none"
    assert view.png == before
    view.controls["share"].value = 0.5
    assert "last of each user" in view.says.value


def test_the_list_says_what_receval_computes():
    view = play.list_of_grades([1, 0, 1], "Precision@3")
    assert "<b>Precision@3 = 0.667</b>" in view.says.value
    view.controls["rank_2"].value = 2
    assert "<b>Precision@3 = 1.000</b>" in view.says.value
    assert view.table["running sum"].iloc[-1] == pytest.approx(1)
    assert view.table["grade"].tolist() == [1, 2, 1]


def test_sliders_reach_the_highest_grade_of_the_reader():
    assert play.list_of_grades([5, 1]).controls["rank_1"].max == 5
    assert play.list_of_grades([1, 1]).controls["rank_1"].max == 3


@pytest.mark.parametrize(
    ("rule", "lie", "ann"),
    [
        pytest.param("average", {}, "0.628", id="the truth"),
        pytest.param("average", {"exodus": 4}, "0.660", id="a lie that pays"),
        pytest.param("borda", {"dumbo": 1}, "0.577", id="a lie that costs"),
        pytest.param(
            "least_misery",
            {"alien": 1, "brazil": 1, "casino": 1, "dumbo": 1, "exodus": 1},
            "0.841",
            id="every film alike",
        ),
    ],
)
def test_the_group_satisfies_ann_by_her_true_ratings_not_by_those_she_announces(rule, lie, ann):
    view = play.group(strategy=rule)
    sliders = {control.description: control for control in view.controls.values()}
    for film, rating in lie.items():
        sliders[film].value = rating
    assert f"Ann, by her true ratings: {ann};" in view.says.value


def test_two_retrievers_has_the_values_of_the_metrics_for_each_order():
    exact = {"Astra": 0.9, "Bora": 0.8, "Corsa": 0.6, "Doblo": 0.3, "Escort": 0.1}
    view = play.two_retrievers()
    order = view.controls["order"]
    order.entries.index = 2  # Doblo
    order.move(+1)
    assert order.value == ("Bora", "Astra", "Corsa", "Doblo", "Escort")
    assert order.entries.index == 3  # the entry that moved stays chosen
    moved = {case: -place for place, case in enumerate(order.value)}
    quality = retrieval.quality_mueller(exact, moved, k=3)
    places = retrieval.quality_stromer(exact, moved, k=3)
    assert f"Müller = <b>{quality:.3f}</b>, Stromer = <b>{places:.3f}</b>" in view.says.value
    order.move(+5)  # at most to the end
    assert order.value[-1] == "Doblo"


def test_the_table_of_two_retrievers_adds_up_to_muellers_quality():
    view = play.two_retrievers()
    quality = 1 - view.table["Müller's cost"].sum() / 3
    assert f"Müller = <b>{quality:.3f}</b>" in view.says.value


def test_clicks_by_place_has_the_rates_of_receval():
    view = play.clicks_by_place(LOG)
    measures = fuzzy.online_measures(LOG.assign(session=0), k=3)
    liked = fuzzy.attractiveness(LOG, examination=metrics.shifted_log2)["attractiveness"]
    for system in "AB":
        rates = view.table[system].tolist()
        assert rates[:2] == pytest.approx(measures.loc[system, ["IG", "IG_pos"]].tolist())
        assert rates[2] == pytest.approx(liked[system])
    view.controls["attention"].value = 0.0  # people look everywhere: no correction
    assert view.table.loc["attractiveness", "A"] == pytest.approx(1 / 3)


def test_a_split_by_time_leaks_nothing_and_a_shuffled_one_does():
    view = play.leaking_split(PURCHASES, way="by time", share=0.5)
    assert view.table.loc["share after it", "by time"] == 0
    assert view.table.loc["tested rows", "by time"] == 3
    view.controls["way"].value = "shuffled"
    train, test = splitting.hold_out(6, share=0.5, rng=0)[0]
    leak = splitting.leakage(PURCHASES.loc[train], PURCHASES.loc[test], time="time")
    late = leak.loc["training rows after the first test row", "share"]
    assert view.table.loc["share after it", "shuffled"] == late > 0


def test_a_shuffled_split_promises_more_than_tomorrow_keeps():
    table = play.leaking_split().table
    assert table.loc["share found", "shuffled"] > 3 * table.loc["share found", "by time"]


def test_the_long_tail_has_the_measures_of_the_catalogue():
    view = OWN["long_tail"]()
    lists, borrowed = [[0, 1], [0, -1]], [9, 5, 3, 2, 1, 0]
    view.controls["k"].value = 2
    values = view.table["now"]
    in_head = metrics.short_head(borrowed, share=0.2)
    bits = metrics.beyond_accuracy.inverse_user_frequency([[9, 5], [9, np.nan]], 9).mean()
    assert values["coverage"] == metrics.catalog_coverage(lists, 6)
    assert values["long tail"] == metrics.long_tail_percentage(lists, in_head)
    assert values["Gini"] == metrics.beyond_accuracy.exposure_gini(lists, 6)
    assert values["novelty"] == pytest.approx(bits / np.log2(9))
    assert values["precision"] == (1 / 2 + 0) / 2
    assert "precision" not in play.long_tail({"u": ["a"]}, {"a": 1, "b": 1}).table.index


def test_luck_shows_more_of_the_catalogue_and_finds_less():
    view = play.long_tail()
    view.controls["luck"].value = 1.0
    now, before = view.table["now"], view.table["without luck"]
    assert now["coverage"] > before["coverage"]
    assert now["Gini"] < before["Gini"]
    assert now["precision"] < before["precision"]


def test_the_interval_of_own_differences_has_their_mean():
    view = OWN["number_of_users"]()
    view.controls["users"].value = 5000
    assert view.table.loc["mean", "difference"] == pytest.approx(0.125, abs=0.01)


def test_equal_scores_of_own_lists_has_both_bounds():
    view = OWN["equal_scores"]()  # u misses at rank 1; v's two scores are equal, so it may hit
    assert view.table["nDCG@1"].to_dict() == {
        "pessimistic": 0, "mean over all": 0.25, "as reported": 0, "optimistic": 0.5,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("step", "values"),
    [(1, (1, 2, 5)), (0.5, (0.5, 2.0, 5.0)), (0.049, (0.1, 2.0, 5.0))],
)
def test_sliders_of_own_values_start_at_the_value_and_move_in_fitting_steps(step, values):
    view = play.two_orders([1, 2, 3], list(values))
    controls = list(view.controls.values())
    assert [control.value for control in controls] == list(values)
    assert controls[0].step == pytest.approx(step)


def test_a_slider_of_integers_has_integers():
    assert isinstance(slider("k", 1, 1, 9), widgets.IntSlider)
    assert isinstance(slider("share", 1.0, 0.0, 1.0, 0.1), widgets.FloatSlider)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: play.list_of_grades([1, -1]), r"grades must be at least 0; got -1.0 at index 1"),
        (lambda: play.list_of_grades([0.5]), "grades must hold whole numbers; got 0.5 at index 0"),
        (lambda: play.list_of_grades([]), "grades must have 1 to 12 entries; got 0"),
        (lambda: play.list_of_grades([1] * 13), "grades must have 1 to 12 entries; got 13.*select"),
        (lambda: play.list_of_grades([[1, 0]]), "grades must be a list"),
        (lambda: play.list_of_grades([1], "nonsense"), "nonsense"),
        (lambda: play.rating_errors([1, 2]), "actual must be passed together with predicted"),
        (lambda: play.rating_errors([1, 2], [1, np.nan]), "actual must be finite; got nan at index 1"),
        (lambda: play.rating_errors([1, 2, 3], [1, 2]), "predicted must have the same labels; got 3"),
        (lambda: play.rating_errors([1, "2"], [1, 2]), "predicted must hold numbers"),
        (lambda: play.two_orders([1, 2]), "second must be passed together with first"),
        (lambda: play.two_orders({"a": 1, "b": 2}, {"a": 1, "c": 2}), "same labels; got b, c"),
        (lambda: play.two_orders([1], [1]), "first must have 2 to 12 entries; got 1"),
        (lambda: play.two_orders(pd.Series([1, 2], ["a", "a"]), [1, 2]), "first must hold each label once"),
        (lambda: play.equal_scores(LISTS), "truth must be passed together with lists"),
        (lambda: play.equal_scores(LISTS.drop(columns="score"), TRUTH), "lists must have .*'score'"),
        (lambda: play.equal_scores(levels=0), "levels must be a whole number from 1 to 50; got 0"),
        (lambda: play.number_of_users([0.1, 0.1]), "differences must hold at least two different"),
        (lambda: play.number_of_users([0.1, np.inf]), "differences must be finite; got inf at index 1"),
        (lambda: play.number_of_users(users=5), "users must be a whole number from 10 to 5,000"),
        (lambda: play.implication("godel"), "name must be one of.*Did you mean 'goedel'"),
        (lambda: play.implication(b=2), "b must be a truth from 0 to 1; got 2"),
        (lambda: play.implication(bodies=[1]), "heads must be passed together with bodies"),
        (lambda: play.implication(bodies=[2], heads=[1]), "bodies must be from 0 to 1; got 2.0 at index 0"),
        (lambda: play.implication(bodies=[1, 1], heads=[1]), "bodies and heads must have the same length"),
        (lambda: play.filter_size([[0.5, 0.1]]), "cheap must be passed together with exact"),
        (lambda: play.filter_size([[0.5, 0.1]], [[1, 0, 1]]), "must have the same shape"),
        (lambda: play.filter_size([[0.5, 2]], [[1, 0]]), r"exact must be from 0 to 1; got 2.0 at index \[0, 1\]"),
        (lambda: play.filter_size(k=101), "k must be a whole number from 1 to 100"),
        (lambda: play.two_retrievers({"a": 1, "b": 0.5}), "fast must be passed together with exact"),
        (lambda: play.two_retrievers({"a": 1, "b": 3}, {"a": 1, "b": 0}), "exact must be from 0 to 1"),
        (lambda: play.two_retrievers({"a": 1, "b": 0}, {"a": 1, "c": 0}), "fast must hold only cases.*got c"),
        (lambda: play.two_retrievers(k=6), "k must be a whole number from 1 to 5"),
        (lambda: play.group("borda"), "ratings must be a table.*strategy='borda'"),
        (lambda: play.group([[1, 2]]), "ratings must be a DataFrame"),
        (lambda: play.group(strategy="best"), "strategy must be one of"),
        (lambda: play.group(RATINGS.where(RATINGS > 1)), "must have no gaps; got none of Eve for x < y"),
        (lambda: play.group(RATINGS - 3), "ratings must be at least 0"),
        (lambda: play.group(RATINGS * 0), "number above 0 in each row; got none of Dan"),
        (lambda: play.group(RATINGS[:1]), "the index of ratings must have 2 to 12 entries; got 1"),
        (lambda: play.leaking_split(PURCHASES.drop(columns="time")), "purchases must have .*'time'"),
        (lambda: play.leaking_split(PURCHASES[:3]), "at least four rows; got '3 rows'"),
        (lambda: play.leaking_split(PURCHASES.astype({"time": str})), "hold numbers or dates.*to_datetime"),
        (lambda: play.leaking_split(PURCHASES.assign(user="u")), "have two different values; got 1"),
        (lambda: play.leaking_split(PURCHASES.assign(time=[1, None] * 3)), r"no gaps; got none in rows \[1, 3, 5\]"),
        (lambda: play.leaking_split(way="nonsense"), "way must be one of by time"),
        (lambda: play.leaking_split(share=1), "share must be a share from 0.05 to 0.95; got 1"),
        (lambda: play.long_tail({"u": ["a"]}), "popularity must be passed together with lists"),
        (lambda: play.long_tail({"u": ["z"]}, {"a": 1, "b": 1}), r"lists\['u'\] must hold only items.*'z'"),
        (lambda: play.long_tail({"u": ["a", "a"]}, {"a": 1, "b": 1}), r"lists\['u'\] must hold each item once"),
        (lambda: play.long_tail({"u": "ab"}, {"a": 1, "b": 1}), r"lists\['u'\] must be a list of items; got str"),
        (lambda: play.long_tail({"u": []}, {"a": 1, "b": 1}), "at least one item; got only empty lists"),
        (lambda: play.long_tail({"u": ["a"]}, {"a": -1, "b": 1}), "popularity must be at least 0"),
        (lambda: play.long_tail({"u": ["a"]}, {"a": 0, "b": 0}), "an item that somebody knows"),
        (lambda: play.long_tail({"u": ["a"]}, {"a": 1, "b": 1}, {"v": []}), "truth must have each user of lists"),
        (lambda: play.long_tail({"u": ["a"]}, {"a": 9, "b": 1}, n_users=5), "n_users must be a whole number from 9"),
        (lambda: play.clicks_by_place(LOG.drop(columns="clicked")), "log must have .*'clicked'"),
        (lambda: play.clicks_by_place(LOG.assign(clicked=2)), r"log\['clicked'\] must be 0 or 1; got 2.0 at index 0"),
        (lambda: play.clicks_by_place(LOG.assign(position=0)), "must be a whole number from 1; got 0.0 at index 0"),
        (lambda: play.clicks_by_place(LOG[:-1]), "for the same places; got none of B at place 3"),
        (lambda: play.clicks_by_place(LOG.assign(system=range(6))), "1 to 4 entries; got 6"),
        (lambda: play.clicks_by_place(LOG[:0]), "log must have at least one row"),
        (lambda: play.clicks_by_place(attention=3), "attention must be a number from 0 to 2"),
    ],
)  # fmt: skip
def test_bad_data_of_readers_are_refused_by_name(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_data_of_readers_stay_as_they_are():
    tables = [LISTS, TRUTH, RATINGS, PURCHASES, LOG]
    copies = [table.copy() for table in tables]
    for name in ("equal_scores", "group", "leaking_split", "clicks_by_place"):
        for _ in move(next(iter(OWN[name]().controls.values()))):
            pass
    for table, copy in zip(tables, copies, strict=True):
        pd.testing.assert_frame_equal(table, copy)
