"""The live views: text and figure follow each control."""

import base64

import pytest

from receval import play

# The maps of implicators have a point to drag in place of controls; see test_implicators.py.
NAMES = [name for name in play.__all__ if name != "implicator_maps"]
VIEWS = [getattr(play, name) for name in NAMES]


@pytest.fixture(scope="module", params=VIEWS, ids=NAMES)
def view(request):
    return request.param()


def test_every_control_moves_the_picture(view):
    for control in view.controls.values():
        before, said, start = view.picture.value, view.says.value, control.value
        seen = set()
        for value in getattr(control, "options", None) or (control.min, control.max):
            control.value = value
            seen.add(view.picture.value)
            if len(seen) > 1:
                break
        assert len(seen) > 1
        control.value = start
        assert (view.picture.value, view.says.value) == (before, said)


def test_a_page_without_a_kernel_shows_the_picture(view):
    bundle, about = view._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == view.picture.value
    assert "<" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    pixels = int.from_bytes(view.picture.value[16:20])
    assert pixels == pytest.approx(2 * about["image/png"]["width"], abs=1)


def test_the_list_says_what_receval_computes():
    view = play.list_of_grades([1, 0, 1], "Precision@3")
    assert "<b>Precision@3 = 0.667</b>" in view.says.value
    view.controls["rank_2"].value = 2
    assert "<b>Precision@3 = 1.000</b>" in view.says.value


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
    view = play.group(rule)
    for film, rating in lie.items():
        view.controls[film].value = rating
    assert f"Ann, by her true ratings: {ann};" in view.says.value
