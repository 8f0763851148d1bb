"""The maps with a point to drag: the values that the page has. tests/browser_play.py drags it."""

import base64
import html
import json
import re

import numpy as np
import pytest

from receval import InputError, play
from receval.fuzzy import goedel, lukasiewicz, product

FUNCTIONS = [lukasiewicz, product, goedel]


@pytest.fixture(scope="module")
def bundle():
    contents, _ = play.implicator_maps(FUNCTIONS, b=0.9, h=0.5)._repr_mimebundle_()
    return contents


@pytest.fixture(scope="module")
def data(bundle):
    (attribute,) = re.findall(r'data-view="([^"]*)"', bundle["text/html"])
    return json.loads(html.unescape(attribute))


def test_the_page_has_the_values_of_the_implicators(data):
    axis = np.linspace(0, 1, 41)
    for function, table in zip(FUNCTIONS, data["tables"], strict=True):
        # Heads in rows and bodies in columns.
        truths = function(axis[np.newaxis, :], axis[:, np.newaxis])
        np.testing.assert_allclose(np.reshape(table, (41, 41)) / 1000, truths, atol=0.0005)
    assert (data["column"], data["row"]) == (36, 20)


def test_steep_lines_are_no_jumps(data):
    jumps_by_name = dict(zip(data["names"], data["jumps"], strict=True))
    assert jumps_by_name["Łukasiewicz"] == []
    # The product jumps at h = 0 only, from 1 at b = 0 to 0. At h = 0.025 it is only steep.
    assert jumps_by_name["product"] == [1]
    # The jump at the head h is from 1 to h, so the last two are as small as a step of a line.
    assert jumps_by_name["Gödel"] == [row * 41 + row + 1 for row in range(39)]


def test_a_page_without_scripts_shows_the_first_values(bundle):
    expected = "b = 0.900, h = 0.500: Łukasiewicz 0.600, product 0.556, Gödel 0.500"
    assert bundle["text/plain"] == expected
    assert expected in bundle["text/html"].partition("<script>")[0]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")


def test_a_notebook_does_not_show_the_picture_twice(bundle):
    import matplotlib.pyplot as plt

    assert plt.get_fignums() == []


def test_names_of_functions_stay_text():
    def hostile(b, h):
        return np.maximum(1 - b, h)

    hostile.__name__ = '"><script>alert(1)</script>$x$'
    contents, _ = play.implicator_maps([hostile])._repr_mimebundle_()
    assert "<script>alert" not in contents["text/html"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param({"functions": []}, "functions must hold at least one implicator", id="none"),
        pytest.param({"b": 1.5}, r"b must be in \[0, 1\]; got 1.5", id="b"),
        pytest.param({"h": float("nan")}, r"h must be in \[0, 1\]", id="nan"),
        pytest.param({"functions": [np.add]}, r"must be in \[0, 1\]", id="no truth"),
        pytest.param({"functions": [1]}, "function must be a function", id="no function"),
    ],
)
def test_wrong_arguments_are_named(arguments, message):
    with pytest.raises(InputError, match=message):
        play.implicator_maps(**{"functions": FUNCTIONS} | arguments)
