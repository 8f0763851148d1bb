"""The documentation site: README, notebooks as they were run, and the docstrings."""

import re
import shutil
from pathlib import Path

import nbformat
from sphinx.application import Sphinx

from receval import __version__, measures
from receval.metrics import connectives

HERE = Path(__file__).parent
# Sphinx reads nothing outside its folder, and a link would keep the notebooks out of the sdist.
shutil.rmtree(HERE / "notebooks", ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks")

for page in (HERE / "notebooks").rglob("*.ipynb"):
    notebook = nbformat.read(page, as_version=4)
    # Claims prove the sentences beside them to the tests; a reader of the site needs only these.
    notebook.cells = [c for c in notebook.cells if "claim" not in c.metadata.get("tags", [])]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":  # names of functions lead to the reference
            cell.source = re.sub(r"`(receval\.[\w.]+)`", r"{py:obj}`\1`", cell.source)
        about = [one.get("metadata", {}).get("image/png", {}) for one in cell.get("outputs", [])]
        if texts := [one["alt"] for one in about if "alt" in one]:
            cell.metadata["mystnb"] = {"image": {"alt": "; ".join(dict.fromkeys(texts))}}
    nbformat.write(notebook, page)

project = "receval"
author = "The receval developers"
release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas show without a network
    "numpydoc",
    "myst_nb",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
templates_path = ["_templates"]
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
default_role = "code"

nb_execution_mode = "off"  # what was tested is what is shown
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]  # checks of figures, which the ledger reads

autosummary_generate = True
# These modules also export names of other modules, and the pages of those modules describe them.
autosummary_context = {
    "documented_elsewhere": {
        "receval.evaluation": "Convention, Measure, Terms",
        "receval.fuzzy": ", ".join(connectives.__all__),
    }
}
autodoc_typehints = "none"  # numpydoc says types, shapes and units
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "receval"
html_theme_options = {"navbar_center": [], "secondary_sidebar_items": ["page-toc"]}
html_sidebars = {"**": ["globaltoc.html"]}


def setup(app: Sphinx) -> None:
    app.connect("source-read", lead_to_copies)
    app.connect("source-read", list_measures)
    app.connect("build-finished", lead_to_pages)


def lead_to_copies(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Let links of pages, which lead to the notebooks' folder, lead to its copy here."""
    source[0] = source[0].replace("](../notebooks/", "](notebooks/")


def list_measures(_app: Sphinx, page: str, source: list[str]) -> None:
    """Put the table of all measures into the page on metrics, from what the measures state."""
    if page != "metrics":
        return
    lines = ["| measure | title | needs | source |", "| --- | --- | --- | --- |"]
    for name, row in measures().iterrows():
        lines.append(f"| `{name}` | {row['title']} | {row['needs']} | {row['source']} |")
    comment = r"<!-- table of measures: .* -->"
    table = "\n".join(lines)
    source[0], n_places = re.subn(comment, lambda _: table, source[0])
    assert n_places == 1, "docs/metrics.md must have the comment 'table of measures' once"


def lead_to_pages(app: Sphinx, exception: Exception | None) -> None:
    """Let the rows of the ledger, which lead to cells in JupyterLab, lead to the same text here."""
    page = Path(app.outdir) / "notebooks" / "99_ledger.html"
    if exception is None and page.exists():
        cell = r'href="([^"#]+)\.ipynb#cell-id=[^"]*" title="([^"]+)"'
        text = page.read_text(encoding="utf-8")
        page.write_text(re.sub(cell, r'href="\1.html#:~:text=\2"', text), encoding="utf-8")
