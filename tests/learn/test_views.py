"""Live views draw the figure for the values of their controls, and keep a still picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from receval import InputError, learn

mpl.use("agg")


def draw(name, grades, k=2, is_log=False):
    """Draw a bar for each of the first grades, and refuse one of them."""
    if k == 0:
        raise InputError("k must not be 0")
    plt.bar(range(k), grades[:k], log=is_log)
    return f"{name}: {grades[:k]}, {is_log}"


@pytest.fixture
def view():
    grades = learn.sliders([3, 0, 2], (0, 3))
    return learn.live(draw, "mine", grades=grades, k=(0, 3), is_log=False)


def test_a_live_view_starts_at_the_defaults_and_shows_a_picture_without_a_kernel(view):
    data, metadata = view._repr_mimebundle_()
    assert data["text/plain"] == repr(view) == view._text.value == "mine: (3, 0), False"
    assert data["image/png"].startswith("iVBOR")
    assert metadata["image/png"]["alt"] == "mine: (3, 0), False"
    assert "application/vnd.jupyter.widget-view+json" in data
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        (lambda controls: controls["k"].set_trait("value", 3), "mine: (3, 0, 2), False"),
        (lambda controls: controls["is_log"].set_trait("value", True), "mine: (3, 0), True"),
        (
            lambda controls: controls["grades"].children[1].set_trait("value", 1),
            "mine: (3, 1), False",
        ),
    ],
)
def test_moving_a_control_draws_again_and_says_what_changed(view, move, sentence):
    before = view.png
    assert view.controls["k"].continuous_update  # the picture follows a drag
    move(view.controls)
    assert view._text.value == f"{sentence}<br>At the start: mine: (3, 0), False"
    assert view.png != before
    assert view.png in view._picture.value


def test_values_that_are_refused_show_the_error_and_keep_the_picture(view):
    before = view.png
    view.controls["k"].value = 0
    assert view.sentence == "k must not be 0"
    assert view.png == before


def test_a_control_of_another_form_is_refused():
    with pytest.raises(InputError, match=r"^k must be a short form .*got None"):
        learn.live(draw, "mine", [1], k=None)


@pytest.mark.parametrize(
    ("numbers", "label"),
    [
        (pd.Series({"alien": 4}), "alien"),
        (pd.Series([4], pd.Index([1], name="place")), "place 1"),
        ([4], "rank 1"),
    ],
)
def test_labels_name_the_sliders(numbers, label):
    assert [slider.description for slider in learn.sliders(numbers, (0, 9)).children] == [label]


@pytest.mark.parametrize("numbers", [[4], [-1], [0.5]])
def test_a_number_that_is_not_on_its_slider_is_refused(numbers):
    with pytest.raises(InputError, match="numbers must lie on sliders of the form"):
        learn.sliders(numbers, (0, 3))
