"""The live views: text, table and picture follow each control."""

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

from receval import fuzzy, metrics, play
from receval._checks import InputError
from receval._escape import for_html
from receval.metrics import retrieval
from receval.play import views
from receval.play.views import Ordering, slider

# The maps of implicators have a point to drag in place of controls; see test_implicators.py.
NAMES = [name for name in play.__all__ if name != "implicator_maps"]
VIEWS = {name: getattr(play, name) for name in NAMES}


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
        patch.setattr(views, "to_png", fingerprint)
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


def controls_to_move(view):
    """Return the names of controls that differ."""
    items = [name for name in view.controls if name[-1].isdigit()]  # alike: the ends are enough
    return sorted({*view.controls} - {*items[1:-1]})


def test_every_control_moves_picture_and_table(view):
    for name in controls_to_move(view):
        control = view.controls[name]
        before, table, start = view.png, view.table, control.value
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
    view = VIEWS[name]()
    no_pictures.setattr(views, "to_png", fingerprint)
    bundle, about = view._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == view.png
    assert about["image/png"]["alt"] == view.alternative_text
    assert "<b>" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    pixels = int.from_bytes(view.png[16:20])
    assert pixels == pytest.approx(2 * about["image/png"]["width"], abs=1)


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
    view = play.clicks_by_place()
    n_clicks = {"A": [203, 155, 82, 60, 26], "B": [89, 99, 106, 110, 102]}
    log = pd.DataFrame(
        [
            (system, row, place, row < n)
            for system, counts in n_clicks.items()
            for place, n in enumerate(counts, 1)
            for row in range(1000)
        ],
        columns=["system", "session", "position", "clicked"],
    )
    measures = fuzzy.online_measures(log, k=5)
    liked = fuzzy.attractiveness(log, examination=metrics.shifted_log2)["attractiveness"]
    for system in "AB":
        rates = view.table[system].tolist()
        assert rates[:2] == pytest.approx(measures.loc[system, ["IG", "IG_pos"]].tolist())
        assert rates[2] == pytest.approx(liked[system])
    view.controls["attention"].value = 0.0  # people look everywhere: no correction
    assert view.table.loc["attractiveness", "A"] == pytest.approx(526 / 5000)


def test_a_split_by_time_leaks_nothing_and_a_shuffled_one_does():
    view = play.leaking_split(way="by time", share=0.5)
    assert view.table.loc["share after it", "by time"] == 0
    view.controls["way"].value = "shuffled"
    assert view.table.loc["share after it", "shuffled"] > 0.9


def test_a_shuffled_split_promises_more_than_tomorrow_keeps():
    table = play.leaking_split().table
    assert table.loc["share found", "shuffled"] > 3 * table.loc["share found", "by time"]


def test_luck_shows_more_of_the_catalogue_and_finds_less():
    view = play.long_tail()
    view.controls["luck"].value = 1.0
    now, before = view.table["now"], view.table["without luck"]
    assert now["coverage"] > before["coverage"]
    assert now["Gini"] < before["Gini"]
    assert now["precision"] < before["precision"]


def test_a_slider_of_integers_has_integers():
    assert isinstance(slider("k", 1, 1, 9), widgets.IntSlider)
    assert isinstance(slider("share", 1.0, 0.0, 1.0, 0.1), widgets.FloatSlider)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: play.list_of_grades([1, -1]), r"grades must be at least 0; got -1.0 at index 1"),
        (lambda: play.list_of_grades([0.5]), "grades must hold whole numbers; got 0.5 at index 0"),
        (lambda: play.list_of_grades([]), "grades must have 1 to 12 entries; got 0"),
        (lambda: play.list_of_grades([1] * 13), "grades must have 1 to 12 entries; got 13"),
        (lambda: play.list_of_grades([[1, 0]]), "grades must be a list"),
        (lambda: play.list_of_grades([1], "nonsense"), "nonsense"),
        (lambda: play.equal_scores(levels=0), "levels must be a whole number from 1 to 50; got 0"),
        (lambda: play.number_of_users(users=5), "users must be a whole number from 10 to 5,000"),
        (lambda: play.implication("godel"), "name must be one of.*Did you mean 'goedel'"),
        (lambda: play.implication(b=2), "b must be a truth from 0 to 1; got 2"),
        (lambda: play.filter_size(k=101), "k must be a whole number from 1 to 100"),
        (lambda: play.two_retrievers(k=6), "k must be a whole number from 1 to 5"),
        (lambda: play.group(strategy="best"), "strategy must be one of"),
        (lambda: play.leaking_split(way="nonsense"), "way must be one of by time"),
        (lambda: play.leaking_split(share=1), "share must be a share from 0.05 to 0.95; got 1"),
        (lambda: play.clicks_by_place(attention=3), "attention must be a number from 0 to 2"),
    ],
)  # fmt: skip
def test_wrong_arguments_are_refused_by_name(call, message):
    with pytest.raises(InputError, match=message):
        call()
