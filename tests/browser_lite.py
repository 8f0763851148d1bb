"""Build the JupyterLite site, and open its first page, the walks and a lesson in Chromium.

``make release`` runs this file; ``make test`` does not. It needs ``chromium`` on the path. The
kernel, Pyodide, comes from the internet, so no cell runs here.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from sites import served

from receval._files import notebook_paths, notebooks_folder

CHECKOUT = Path(__file__).parents[1]
SITE = CHECKOUT / "build" / "lite" / "site"
LESSONS = [
    path.name for path in notebook_paths(notebooks_folder()) if path.parent.name == "lessons"
]
WALKS = [path for path in notebook_paths(notebooks_folder()) if path.parent.name == "walks"]


@pytest.fixture(scope="module")
def site():
    """Build the site, and return its folder."""
    subprocess.run([sys.executable, CHECKOUT / "docs" / "lite.py"], check=True, cwd=CHECKOUT)
    return SITE


@pytest.fixture(scope="module")
def address(site):
    """The address at which a plain web server serves the site."""
    with served(site) as without_slash:
        yield without_slash


@pytest.fixture(scope="module")
def page(browser):
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.set_default_timeout(120_000)
    return page


def test_the_site_has_the_lessons_for_students_and_the_kernel(site):
    copied = [path.name for path in notebook_paths(site / "files" / "lessons")]
    assert sorted(copied) == sorted(LESSONS)
    assert not (site / "files" / "lessons" / "exam_questions.md").exists()
    for name in LESSONS:
        cells = nbformat.read(site / "files" / "lessons" / name, 4).cells
        codes = [cell for cell in cells if cell.cell_type == "code"]
        assert "piplite.install" in codes[0].source
        assert not any("# solution" in cell.source or cell.outputs for cell in codes)
        links = [link for cell in cells for link in re.findall(r"\]\((\.\./[^)#]+)", cell.source)]
        assert all((site / "files" / "lessons" / link).is_file() for link in links)
    wheels = [path.name for path in site.rglob("receval-*.whl")]
    assert len(wheels) == 1
    extensions = {path.name for path in (site / "extensions").glob("@*/*")}
    assert {"pyodide-kernel-extension", "jupyterlab-manager"} <= extensions  # widgets are drawn


def test_the_install_cell_does_nothing_elsewhere(site):
    cells = nbformat.read(site / "files" / "lessons" / LESSONS[0], 4).cells
    source = next(cell.source for cell in cells if "piplite" in cell.source)
    command = [sys.executable, "-m", "IPython", "--quick", "-c", f"{source}\nprint('done')"]
    assert subprocess.run(command, capture_output=True, check=True, text=True).stdout == "done\n"


def test_the_first_page_and_a_lesson_open(page, address):
    page.goto(f"{address}/lab/index.html")
    page.wait_for_selector("#filebrowser >> text=lessons")
    page.wait_for_selector(".jp-LauncherCard[title*='Python']")  # the kernel is registered
    page.goto(f"{address}/lab/index.html?path=lessons/07_gain_and_discount.ipynb")
    page.wait_for_selector(".jp-Notebook h1")
    assert (
        page.locator(".jp-Notebook h1").first.inner_text().startswith("How much is the list worth")
    )
    assert "piplite.install" in page.locator(".jp-CodeCell").first.inner_text()


@pytest.mark.parametrize("walk", WALKS, ids=lambda path: path.stem)
def test_each_walk_opens(page, address, walk):
    title = nbformat.read(walk, 4).cells[0].source.partition("\n")[0].removeprefix("# ")
    page.goto(f"{address}/lab/index.html?path=walks/{walk.name}")
    page.wait_for_selector(f".jp-Notebook h1:has-text({json.dumps(title[:20])})")
    assert "piplite.install" in page.locator(".jp-CodeCell").first.inner_text()


def test_the_kernel_is_one_whose_pyarrow_receval_supports(site):
    # pyodide-lock.json of Pyodide 314.0.6 has pyarrow 22.0.0. If the kernel changes, look it up.
    from jupyterlite_pyodide_kernel.constants import PYODIDE_VERSION

    assert PYODIDE_VERSION == "314.0.6"
    listed = json.loads((site / "jupyter-lite.json").read_text(encoding="utf-8"))
    assert "@jupyterlite/pyodide-kernel-extension" in json.dumps(listed)
