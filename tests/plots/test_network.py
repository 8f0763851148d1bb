"""The figure of a user's links shows who is recommended, who is found, and who is missed."""

import numpy as np
import pandas as pd
import pytest

from receval import plots

# Ann knows Ben and Cem. Ben knows Dan, Cem knows nobody else. Eve's only link is hidden.
LINKS = pd.DataFrame({"user": ["ann", "ann", "ben", "dan"], "item": ["ben", "cem", "dan", "fay"]})
HIDDEN = pd.DataFrame(
    {"user": ["ann", "ann", "dan"], "item": ["eve", "dan", "ann"], "weight": [2, 5, 10]}
)


def lines_of(ax):
    """Return the lines from the user to the ring, by the name at their end."""
    lines = [line for line in ax.lines if len(line.get_xdata()) == 2]
    return dict(zip([text.get_text() for text in ax.texts], lines, strict=False))


def test_a_ring_tells_hits_misses_and_other_names_by_colour_and_dashes():
    ax = plots.link_ring("ann", ["fay", "dan"], LINKS, HIDDEN)
    lines = lines_of(ax)
    looks = {name: (line.get_color(), line.get_linestyle()) for name, line in lines.items()}
    # The names are in the order of ranks, and then come the missed links.
    assert list(looks.items()) == [
        ("1. fay", (plots.ORANGE, "--")),
        ("2. dan (5)", (plots.GREEN, "-")),
        ("eve (2)", ("black", ":")),
    ]
    # Half of the largest weight in the table, which belongs to another user.
    assert lines["2. dan (5)"].get_linewidth() == 1.5 + 7 / 2
    ends = np.array([[line.get_xdata()[1], line.get_ydata()[1]] for line in lines.values()])
    # Three names, clockwise from the top.
    assert ends == pytest.approx(np.array([[0, 1], [0.866, -0.5], [-0.866, -0.5]]), abs=1e-3)
    dots, ways = ax.collections
    assert len(dots.get_offsets()) == 3 + 1 + 1  # the ring, Ann and Ben; Cem leads to nobody
    assert len(ways.get_segments()) == 2  # from Ann to Ben, and from Ben to Dan


@pytest.mark.parametrize(("name", "leads_there"), [("dan", True), ("fay", False)])
def test_a_ring_names_its_grey_lines_if_it_has_any(name, leads_there):
    legend = plots.link_ring("ann", [name], LINKS, HIDDEN[:1]).get_legend()
    assert ("known links" in [text.get_text() for text in legend.get_texts()]) is leads_there


def test_a_ring_without_hidden_links_has_names_only():
    ax = plots.link_ring("ben", ["cem"], LINKS, HIDDEN)
    assert [text.get_text() for text in ax.texts] == ["1. cem", "ben"]
