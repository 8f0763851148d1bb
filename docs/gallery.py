"""Write the galleries: the walks, the lessons and the plots, each with a small picture from a notebook.

docs/conf.py calls `write_pages` before Sphinx reads the pages. The pictures are outputs of the
notebooks, which were tested.
"""

import base64
import doctest
import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path

import nbformat
import numpy as np

from receval import plots

HERE = Path(__file__).parent
ROW = re.compile(
    r"^\| \[`(\w+)`\]\(\.\./notebooks/((?:walks|lessons)/\w+)\.ipynb\) \| (.+) \|$", re.MULTILINE
)
"""A row of the tables of walks and lessons in docs/notebooks.md: the name, the page and the question."""


def write_pages(folder: Path) -> None:
    """Write the folder ``galleries`` with its pictures, from the copies of the notebooks."""
    galleries = folder / "galleries"
    galleries.mkdir(exist_ok=True)
    text = (folder / "notebooks.md").read_text(encoding="utf-8")
    lessons = lessons_page(folder, ROW.findall(text))
    (galleries / "lessons.md").write_text(lessons, encoding="utf-8")
    (galleries / "plots.md").write_text(plots_page(folder), encoding="utf-8")


def lessons_page(folder: Path, lessons: list[tuple[str, str, str]]) -> str:
    """Return the page of all walks and lessons, a card each. ``lessons`` has name, page and question."""
    cards = []
    for name, page, question in lessons:
        notebook = folder / "notebooks" / f"{page}.ipynb"
        picture = save_first_picture(code_cells(notebook), folder / "galleries" / f"{name}.png")
        cards.append(card(title_of(notebook), f"/notebooks/{page}", question, picture))
    # The folder also has pages that are not lessons, such as the glossary.
    others = sorted(path.stem for path in (folder / "notebooks/lessons").glob("*.md"))
    pages = ["00_start_here", *(page for _, page, _ in lessons)]
    pages += [f"lessons/{name}" for name in others]
    toctree = "\n".join(f"/notebooks/{page}" for page in pages)
    parts = [
        "# Learn: all walks and lessons",
        "Five walks take you through worked examples. Each lesson asks one question and ends with "
        "exercises. Nearly all work through a few rows by hand. "
        "`receval lab` opens them in JupyterLab. See also [examples of the conventions]"
        "(../notebooks/lessons/conventions.md), [the glossary](../notebooks/lessons/glossary.md) and "
        "[a page for teachers](../notebooks/lessons/teaching.md).",
        grid(cards),
        f"```{{toctree}}\n:hidden:\n\n{toctree}\n```",
    ]
    return "\n\n".join(parts) + "\n"


def plots_page(folder: Path) -> str:
    """Return the page of all plots, a card each, with the first picture that a notebook drew."""
    cells = []
    for path in sorted((folder / "notebooks").rglob("*.ipynb")):
        cells += code_cells(path)
    cards = []
    # The other names are colours and the theme.
    for name in [name for name in plots.__all__ if name.islower() and name != "set_theme"]:
        call = re.compile(rf"\bplots\.{name}\(")
        drawing = [cell for cell in cells if call.search(cell.source)]
        path = folder / "galleries" / f"plot_{name}.png"
        picture = save_first_picture(drawing, path) or draw_example(getattr(plots, name), path)
        summary = inspect.getdoc(getattr(plots, name)).splitlines()[0]
        cards.append(card(name, f"/api/receval.plots.{name}", summary, picture))
    return (
        "# All plots\n\nEach function of {py:obj}`receval.plots` draws one figure, usually from a plain "
        "table, and returns its Axes. The pictures come from the notebooks, or from the examples in the reference.\n\n"
        + grid(cards)
        + "\n"
    )


def draw_example(function: Callable[..., object], path: Path) -> str:
    """Draw the example in the docstring of a plot, and return the name of the file.

    Returns "" if the example doesn't call the function.
    """
    drawn = []

    def draw(*args: object, **kwargs: object) -> object:
        """Call the function, and keep the Axes that it returns."""
        drawn.append(function(*args, **kwargs))
        return drawn[-1]

    # An example uses the names of its module, as in a doctest.
    variables = {**vars(sys.modules[function.__module__]), function.__name__: draw}
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(function)):
        exec(example.source, variables)
    if not drawn:
        return ""
    axes = np.ravel(np.asarray(drawn[0], dtype=object))[0]  # the first panel, if there are several
    axes.figure.savefig(path, dpi=80, metadata={"Software": None})
    return path.name


def card(title: str, page: str, text: str, picture: str) -> str:
    """Return a card of a grid that leads to a page."""
    lines = [f":::{{grid-item-card}} {title}", f":link: {page}", ":link-type: doc"]
    if picture:
        lines += [f":img-top: {picture}", f":img-alt: {title}"]
    return "\n".join([*lines, "", text, ":::"])


def grid(cards: list[str]) -> str:
    """Return a grid of cards, three in a row on a wide screen."""
    return "::::{grid} 1 2 3 3\n:gutter: 3\n\n" + "\n\n".join(cards) + "\n\n::::"


def link_to_pages(ledger: str) -> str:
    """Return the HTML of the ledger with links to pages of the site instead of notebooks' cells."""
    link = r'href="([^"#]+)\.ipynb#cell-id=[^"]*">([^<]+)</a>'
    return re.sub(link, r'href="\1.html#:~:text=\2">\2</a>', ledger)


def code_cells(path: Path) -> list[nbformat.NotebookNode]:
    """Return the code cells of a notebook."""
    return [cell for cell in nbformat.read(path, as_version=4).cells if cell.cell_type == "code"]


def title_of(path: Path) -> str:
    """Return the title of a notebook, its first heading."""
    for cell in nbformat.read(path, as_version=4).cells:
        heading = re.search(r"^# (.+)$", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and heading:
            return heading[1]
    return path.stem


def save_first_picture(cells: list[nbformat.NotebookNode], path: Path) -> str:
    """Save the first PNG among the outputs and return its name; "" if there is none."""
    for cell in cells:
        for output in cell.outputs:
            png = output.get("data", {}).get("image/png")
            if png:
                path.write_bytes(base64.b64decode(png))
                return path.name
    return ""
