"""Move live views in JupyterLab in Chromium.

``make test-browser`` runs this file; ``make test`` does not. It needs ``chromium`` on the path.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

PATIENCE = 120_000  # milliseconds that a busy machine may take
READY = """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session
    ?.kernel?.status === 'idle'"""
RUN_ALL = "() => window.jupyterapp.commands.execute('notebook:run-all-cells')"
PICTURE = "img.receval-view"
HANDLE = ".noUi-handle"
CALLS = {
    "list of grades": """\
learn.live(learn.list_of_grades, "MRR@5", grades=learn.sliders([1, 0, 0, 1, 0], (0, 3)))""",
    "two orders": """\
points = pd.DataFrame({"Ann": [9, 7, 6], "Ben": [8, 3, 9]}, ["alien", "brazil", "diva"])
learn.live(learn.two_orders, points, second=learn.sliders(points["Ben"], (1, 10)))""",
    "maps": """\
functions = [fuzzy.goedel, fuzzy.product, fuzzy.lukasiewicz]
learn.live(learn.implicator_maps, functions, b=(0.0, 1.0, 0.05), h=(0.0, 1.0, 0.05))""",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """A page with a notebook that shows the views, each in its own cell."""
    from playwright.sync_api import sync_playwright  # of an extra that no other test needs

    home = tmp_path_factory.mktemp("home")
    imports = "import pandas as pd\n\nfrom receval import fuzzy, learn"
    cells = [new_code_cell(imports), *map(new_code_cell, CALLS.values())]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    nbformat.write(new_notebook(cells=cells, metadata=kernel), home / "views.ipynb")
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text(
        json.dumps({"windowingMode": "none"}), encoding="utf-8"
    )
    lab = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root",
         "--LabApp.expose_app_in_browser=True"],
        cwd=home,
        env=os.environ | {
            "JUPYTERLAB_SETTINGS_DIR": str(home / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"),
        },
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    with lab, sync_playwright() as playwright:
        matches = (re.search(r"(http://127[^?\s]*lab)\?(\S+)", line) for line in lab.stderr)
        match = next(match for match in matches if match)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1366, "height": 768})
        page.set_default_timeout(PATIENCE)
        page.goto(f"{match[1]}/tree/views.ipynb?{match[2]}")
        page.wait_for_selector(".jp-Notebook .jp-CodeCell")
        page.wait_for_function(READY)
        page.evaluate(RUN_ALL)
        page.wait_for_function(READY)
        page.wait_for_function(
            f"n => document.querySelectorAll('{PICTURE}').length === n", arg=len(CALLS)
        )
        yield page
        browser.close()
        lab.terminate()
        lab.stderr.read()


@pytest.fixture(params=enumerate(CALLS, 1), ids=CALLS)
def view(request, page):
    """The output of the cell that shows a view."""
    number, _ = request.param
    output = page.locator(".jp-CodeCell").nth(number).locator(".jp-OutputArea-output").first
    output.scroll_into_view_if_needed()
    return output


def wait_for_change(page, view, before):
    """Wait until the picture of a view is another one, and return its source."""
    picture = view.locator(PICTURE).element_handle()
    page.wait_for_function(
        "([view, before]) => view.querySelector('img.receval-view').src !== before",
        arg=[view.element_handle(), before],
    )
    return picture


def source(view):
    return view.locator(PICTURE).get_attribute("src")


def test_a_view_has_an_alternative_text_and_fits(view):
    assert len(view.locator(PICTURE).get_attribute("alt")) > 10
    assert view.evaluate("view => view.scrollWidth <= view.clientWidth + 2")
    assert view.locator(PICTURE).evaluate("image => image.complete && image.naturalWidth > 0")


def test_a_view_follows_the_keyboard(view, page):
    before = source(view)
    handle = view.locator(HANDLE).first
    handle.focus()
    # To both ends, because the slider may be at one of them.
    for key in ("Home", "End"):
        handle.press(key)
        for _ in range(30):
            if source(view) != before and "At the start:" in view.inner_text():
                return
            page.wait_for_timeout(100)
    pytest.fail("the picture and the sentence did not move")


def test_a_view_answers_during_a_drag(view, page):
    handle = view.locator(HANDLE).first
    box, track = handle.bounding_box(), view.locator(".noUi-base").first.bounding_box()
    before = source(view)
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    # To the end that is farther away; the button of the mouse stays down.
    ends = (track["x"], track["x"] + track["width"])
    farther = max(ends, key=lambda end: abs(end - box["x"]))
    page.mouse.move(farther, box["y"] + box["height"] / 2, steps=5)
    try:
        wait_for_change(page, view, before)
    finally:
        page.mouse.up()
