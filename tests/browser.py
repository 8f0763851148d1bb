"""Open the lessons with ``receval lab`` in Chromium, as a student does, run them and look at them.

``make release`` runs this file; ``make test`` does not. It needs ``chromium`` on the path.
"""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from receval._files import notebook_paths, notebooks_folder

LESSONS = [path for path in notebook_paths(notebooks_folder()) if path.parent.name == "lessons"]
SIZES = [(1366, 768), (1440, 900)]
# A screen has 600 pixels. Goals, the repeated question and the predictions take up to three.
SCREENS, SCREEN = 11, 600
PATIENCE = 120_000  # milliseconds that a busy machine may take for a lesson
KEPT = ("settings", "workspaces")  # of JupyterLab, which may be the user's elsewhere
UNVIRTUAL = {"windowingMode": "none"}  # all cells are in the page, not only those in sight

READY = """() => window.jupyterapp?.shell.currentWidget?.sessionContext?.session
    ?.kernel?.status === 'idle'"""
RUN_ALL = """async () => {
    await window.jupyterapp.commands.execute('notebook:clear-all-cell-outputs');
    await window.jupyterapp.commands.execute('notebook:run-all-cells');
}"""
CUT_OFF = """() => [...document.querySelectorAll(
        '.jp-OutputArea-output, .jp-MarkdownOutput, mjx-container[display=true], .MathJax_Display')]
    .filter(one => one.offsetParent && one.scrollWidth > one.clientWidth + 2)
    .map(one => one.textContent.trim().slice(0, 80))"""
FOLDED = ".jp-Placeholder"  # what stands for the solution of an exercise
# The height of the cells above the tasks; a folded cell is as high as its placeholder.
HEIGHT = f"""() => {{
    const cells = [...document.querySelectorAll('.jp-Notebook .jp-Cell')];
    const tasks = cells.findIndex(cell => cell.querySelector('h2[id^="Your-turn"]'));
    return cells.slice(0, tasks)
        .map(cell => cell.querySelector('{FOLDED}') ?? cell)
        .reduce((sum, cell) => sum + cell.getBoundingClientRect().height, 0);
}}"""
MY_PROGRAM = "def my_reciprocal_rank"
PROGRAM = """def my_reciprocal_rank(grades, k):
    for rank, grade in enumerate(grades[:k]):
        if grade > 0:
            return 1 / (rank + 1)
    return 0


learn.check("hits.code", my_reciprocal_rank)"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address at which ``receval lab`` serves a copy of the notebooks."""
    home = tmp_path_factory.mktemp("home")
    settings = home / "settings" / "@jupyterlab" / "notebook-extension"
    settings.mkdir(parents=True)
    (settings / "tracker.jupyterlab-settings").write_text(json.dumps(UNVIRTUAL), encoding="utf-8")
    lab = subprocess.Popen(
        [Path(sys.executable).with_name("receval"), "lab", "mine", "--no-browser", "--allow-root",
         "--LabApp.expose_app_in_browser=True"],
        cwd=home,
        env=os.environ | {f"JUPYTERLAB_{one.upper()}_DIR": str(home / one) for one in KEPT},
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )  # fmt: skip
    with lab:
        told = (re.search(r"http://127\S+", line) for line in lab.stderr)
        yield next(found[0] for found in told if found)
        lab.terminate()
        lab.stderr.read()


@pytest.fixture(scope="module", params=LESSONS, ids=lambda path: path.stem)
def lesson(request, browser, address):
    """A page on which the lesson has been run from the top."""
    page = browser.new_page(viewport=dict(zip(("width", "height"), SIZES[0], strict=True)))
    page.set_default_timeout(PATIENCE)
    where = f"/lab/workspaces/{request.param.stem}/tree/lessons/{request.param.name}"
    page.goto(re.sub(r"/lab/tree/[^?]*", where, address))
    page.wait_for_selector(".jp-Notebook .jp-CodeCell")
    page.wait_for_function(READY)
    page.evaluate(RUN_ALL)
    page.wait_for_function(READY)
    page.stem = request.param.stem
    yield page
    page.evaluate("window.jupyterapp.serviceManager.sessions.shutdownAll()")
    page.close()


def test_no_cell_fails(lesson):
    for kind in ("error", "stderr"):
        outputs = lesson.locator(f"[data-mime-type='application/vnd.jupyter.{kind}']")
        assert outputs.all_inner_texts() == []


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_nothing_is_cut_off_beside_the_file_browser(lesson, size):
    lesson.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    assert lesson.locator("#filebrowser").is_visible()
    lesson.wait_for_timeout(500)  # until the page is laid out anew
    assert lesson.evaluate(CUT_OFF) == []


def test_a_lesson_without_its_tasks_is_eleven_screens_at_most(lesson):
    assert lesson.evaluate(HEIGHT) <= SCREENS * SCREEN


def test_a_live_view_follows_its_slider(lesson):
    slider = lesson.locator(".jp-OutputArea .widget-slider .noUi-handle").first
    if not slider.count():
        return  # not every lesson has a live view
    picture = lesson.locator(".jp-OutputArea img.receval-view").first
    assert len(picture.get_attribute("alt")) > 10
    before = picture.get_attribute("src")
    slider.focus()
    # To both ends, because the slider may be at one of them.
    for key in ("Home", "End"):
        slider.press(key)
        lesson.wait_for_timeout(3_000)
        if picture.get_attribute("src") != before:
            break
    assert picture.get_attribute("src") != before
    lesson.wait_for_selector("text=At the start:")


def run_cell(page, text, source):
    """Replace the source of the cell with this text, run it, and return what it shows."""
    # The element itself, because the text by which it was found is about to change.
    cell = page.locator(".jp-CodeCell", has_text=text).first.element_handle()
    cell.query_selector(".cm-content").click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text(source)
    page.keyboard.press("Shift+Enter")
    page.wait_for_timeout(500)  # until the kernel is busy
    page.wait_for_function(READY)
    return cell.query_selector_all(".jp-OutputArea-output")[-1].inner_text()


def test_a_student_predicts_programs_and_sees_the_progress(lesson):
    if lesson.stem != "01_hits":
        pytest.skip("tried in the first lesson with tasks")
    assert "# solution" not in lesson.locator(".jp-Notebook").inner_text()
    compare = 'learn.compare("hits.p1", wants["hit@3"].mean())'
    # The text of a cell, what the student types there, and what the cell shows then.
    for text, source, shown in (
        ('learn.predict("hits.p1"', 'learn.predict("hits.p1", "80 %")', "noted. You predict 0.8"),
        ("learn.compare(", compare, "you predicted 0.8; the value is 0.6"),
        (MY_PROGRAM, PROGRAM.replace("grades[:k]", "grades"), "You look at the whole list"),
        (MY_PROGRAM, PROGRAM, "hits.code: right"),
    ):
        assert shown in run_cell(lesson, text, source)
    progress = run_cell(lesson, "answer_hits_choice", "learn.progress()")
    assert re.search(r"hits\s+2\s+6\s+1, 2, choice, again", progress)
