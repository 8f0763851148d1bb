"""Live views draw the figure for the values of their controls, and keep a still picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import pytest

from receval import InputError, learn

mpl.use("agg")


def draw(rank, is_log=False):
    """Draw a bar, and refuse rank 4."""
    if rank == 4:
        raise InputError("rank must not be 4")
    plt.bar(["value"], [1 / rank], log=is_log)
    return f"rank {rank}, {is_log}"


@pytest.fixture
def view():
    return learn.live(draw, rank=(1, 5), is_log=False)


def test_a_live_view_shows_a_picture_without_a_kernel(view):
    data, metadata = view._repr_mimebundle_()
    assert data["text/plain"] == "rank 3, False"
    assert data["image/png"].startswith("iVBOR")
    assert metadata["image/png"]["alt"] == "rank 3, False"
    assert "application/vnd.jupyter.widget-view+json" in data


def test_moving_a_control_draws_again(view):
    before = view.png
    view.controls["rank"].value = 5
    assert view.sentence == "rank 5, False"
    assert view.png != before
    view.controls["is_log"].value = True
    assert view.sentence == "rank 5, True"


def test_values_that_are_refused_show_the_error_and_keep_the_picture(view):
    before = view.png
    view.controls["rank"].value = 4
    assert view.sentence == "rank must not be 4"
    assert view.png == before


def test_a_live_view_leaves_no_figure_open(view):
    assert plt.get_fignums() == []
    assert view.png


def test_a_control_of_another_form_is_refused():
    with pytest.raises(InputError, match=r"^rank must be a short form .*got None"):
        learn.live(draw, rank=None)


def draw_list(name, grades, k=2):
    """Draw a bar for each of the first grades."""
    plt.bar(range(k), grades[:k])
    return f"{name}: {grades[:k]}"


def test_data_come_first_and_a_control_starts_at_the_default():
    view = learn.live(draw_list, "mine", grades=learn.sliders([3, 0, 2], (0, 3)), k=(1, 3))
    assert view.sentence == "mine: (3, 0)"
    assert view.controls["k"].value == 2


def test_each_slider_of_a_list_moves_the_picture():
    view = learn.live(draw_list, "mine", grades=learn.sliders([3, 0, 2], (0, 3)), k=(1, 3))
    before = view.png
    view.controls["grades"].children[1].value = 1
    assert view.sentence == "mine: (3, 1)"
    assert view.png != before


def test_the_page_says_what_changed():
    view = learn.live(draw, rank=(1, 5))
    assert view._text.value == "rank 3, False"
    view.controls["rank"].value = 5
    assert view._text.value == "rank 5, False<br>At the start: rank 3, False"


def test_labels_name_the_sliders():
    by_film = learn.sliders(pd.Series({"alien": 4.5}), (1.0, 5.0, 0.5))
    assert [slider.description for slider in by_film.children] == ["alien"]
    places = pd.Index([1], name="place")
    assert learn.sliders(pd.Series([7], places), (0, 9)).children[0].description == "place 1"
    assert learn.sliders([1], (0, 1)).children[0].description == "rank 1"


@pytest.mark.parametrize("numbers", [[4], [-1], [0.5]])
def test_a_number_that_is_not_on_its_slider_is_refused(numbers):
    with pytest.raises(InputError, match="numbers must lie on sliders of the form"):
        learn.sliders(numbers, (0, 3))
