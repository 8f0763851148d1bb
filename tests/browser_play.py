"""Drag the point of `receval.play.implicator_maps` in Chromium, on a page without a kernel.

``make test-browser`` runs this file; ``make test`` does not. It needs ``chromium`` on the path.
"""

import shutil

import pytest

from receval import play
from receval.fuzzy import goedel, lukasiewicz, product

BOX = ".receval-implicators"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    from playwright.sync_api import sync_playwright  # of an extra that no other test needs

    view = play.implicator_maps([lukasiewicz, product, goedel], b=0.9, h=0.5)
    contents, _ = view._repr_mimebundle_()
    path = tmp_path_factory.mktemp("page") / "page.html"
    # Two views on one page must not disturb each other.
    html = contents["text/html"] * 2
    path.write_text(f"<!doctype html><meta charset='utf-8'>{html}", encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(error))
        page.goto(path.as_uri())
        yield page
        browser.close()


def sentence(page, number=0):
    return page.locator(f"{BOX} [aria-live]").nth(number).inner_text()


def move_mouse(page, number, b, h):
    """Move the mouse to a body and a head on a map."""
    frame = page.locator(".receval-map").nth(number).locator("rect").first.bounding_box()
    x, y = frame["x"] + b * frame["width"], frame["y"] + (1 - h) * frame["height"]
    page.mouse.move(x, y, steps=4)


def dots(page):
    """Return the places of the points on the maps of the first view."""
    circles = page.locator(BOX).first.locator(".receval-map circle").all()
    return {(circle.get_attribute("cx"), circle.get_attribute("cy")) for circle in circles}


def test_a_drag_moves_the_point_on_all_maps(page):
    assert sentence(page) == "b = 0.900, h = 0.500: Łukasiewicz 0.600, product 0.556, Gödel 0.500"
    cut = page.locator(f"{BOX} path").first
    before = cut.get_attribute("d")
    move_mouse(page, 1, 0.9, 0.5)
    page.mouse.down()
    move_mouse(page, 1, 0.5, 0.25)
    assert sentence(page) == "b = 0.500, h = 0.250: Łukasiewicz 0.750, product 0.500, Gödel 0.250"
    assert dots(page) == {("100", "150")}
    assert cut.get_attribute("d") != before
    # Outside the map the point stays at its edge.
    move_mouse(page, 1, 1.5, -0.3)
    assert sentence(page).startswith("b = 1.000, h = 0.000:")
    page.mouse.up()
    move_mouse(page, 1, 0.2, 0.2)
    assert sentence(page).startswith("b = 1.000, h = 0.000:")
    # The other view stays where it was.
    assert sentence(page, 1).startswith("b = 0.900, h = 0.500:")
    assert page.errors == []


def test_a_click_and_the_arrow_keys_move_the_point(page):
    move_mouse(page, 2, 0.75, 0.3)
    page.mouse.down()
    page.mouse.up()
    assert sentence(page).startswith("b = 0.750, h = 0.300:")
    head = page.locator(f"{BOX} input").nth(1)
    head.focus()
    head.press("ArrowUp")
    assert sentence(page) == "b = 0.750, h = 0.325: Łukasiewicz 0.575, product 0.433, Gödel 0.325"
    assert page.errors == []
