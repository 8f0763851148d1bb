"""Live views draw the figure for the values of their controls, and keep a still picture."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest

from receval import InputError, learn

mpl.use("agg")


def draw(rank, is_log=False):
    """Draw one bar, and refuse rank 4."""
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
