"""The documentation site: guides, the atlas, notebooks as they were run, and the docstrings."""

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.application import Sphinx

from receval import __version__

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import atlas  # noqa: E402 (needs the path)
import finder  # noqa: E402
import gallery  # noqa: E402
import reference  # noqa: E402


def with_keywords(text: str, keywords: list[str]) -> str:
    """Return a text in Markdown with entries for the index below its first heading."""
    entries = "".join(f"\n\n```{{index}} ! single: {word}\n```" for word in keywords)
    return re.sub(r"^# .+$", lambda title: title[0] + entries, text, count=1, flags=re.MULTILINE)


# Pages that are made from the package -------------------------------------------------------------

# Sphinx reads nothing outside its folder, and a link would keep the notebooks out of the sdist.
for folder in ("notebooks", "measures", "conventions", "api", "galleries"):
    shutil.rmtree(HERE / folder, ignore_errors=True)
shutil.copytree(HERE.parent / "notebooks", HERE / "notebooks")

KEYWORDS = tomllib.loads((HERE / "keywords.toml").read_text(encoding="utf-8"))
for path in (HERE / "notebooks").rglob("*.ipynb"):
    notebook = nbformat.read(path, as_version=4)
    keywords = KEYWORDS.get(path.relative_to(HERE).with_suffix("").as_posix(), [])
    # Claims and the ledger's cell prove sentences to the tests; a reader of the site needs only
    # these.
    hidden = {"claim", "ledger"}
    notebook.cells = [c for c in notebook.cells if hidden.isdisjoint(c.metadata.get("tags", []))]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":  # names of functions lead to the reference
            for picture in cell.pop("attachments", {}):  # the site has the walks' pictures as files
                path_of_picture = f"/_static/walk_{picture[0]}.png"
                cell.source = cell.source.replace(f"attachment:{picture}", path_of_picture)
            cell.source = re.sub(r"`(receval\.[\w.]+)`", r"{py:obj}`\1`", cell.source)
            if keywords and cell.source.startswith("# "):
                cell.source = with_keywords(cell.source, keywords)
                keywords = []
        images = [out.get("metadata", {}).get("image/png", {}) for out in cell.get("outputs", [])]
        if texts := [image["alt"] for image in images if "alt" in image]:
            cell.metadata["mystnb"] = {"image": {"alt": "; ".join(dict.fromkeys(texts))}}
    nbformat.write(notebook, path)

reference.write_pages(HERE / "api", HERE / "notebooks")
atlas.write_pages(HERE)
gallery.write_pages(HERE)

# Sphinx -------------------------------------------------------------------------------------------

project = "receval"
author = "The receval developers"
release = __version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas show without a network
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxext.opengraph",
    "numpydoc",
    "myst_nb",
]
source_suffix = {".rst": "restructuredtext", ".md": "myst-nb", ".ipynb": "myst-nb"}
exclude_patterns = ["_build", "**/.ipynb_checkpoints"]
default_role = "code"

nb_execution_mode = "off"  # what was tested is what is shown
myst_enable_extensions = ["amsmath", "colon_fence", "dollarmath"]
myst_heading_anchors = 3
suppress_warnings = ["mystnb.unknown_mime_type"]  # checks of figures, which the ledger reads

autodoc_typehints = "none"  # numpydoc says types, shapes and units
numpydoc_show_class_members = False

copybutton_prompt_text = r">>> |\.\.\. "
copybutton_prompt_is_regexp = True

# Previews in other sites need the address of this one, which the build may pass.
ogp_site_url = os.environ.get("RECEVAL_SITE", "")
ogp_site_name = "receval"
ogp_image = "_static/preview.png"
ogp_image_alt = "One list, six values of nDCG@10"
ogp_social_cards = {"enable": False}

html_theme = "pydata_sphinx_theme"
html_title = "receval"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_theme_options = {
    "logo": {
        "text": "receval",
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo.svg",
    },
    "collapse_navigation": True,  # the reference alone has four hundred pages
    "navigation_depth": 3,
    "show_nav_level": 1,
    "show_toc_level": 2,
    "header_links_before_dropdown": 7,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system
html_sidebars = {page: [] for page in ("index", "finder")}


def setup(app: Sphinx) -> None:
    app.connect("source-read", lead_to_copies)
    app.connect("source-read", add_keywords)
    app.connect("source-read", add_finder_data)
    app.connect("autodoc-process-signature", name_functions)
    app.connect("doctree-read", unlink_addresses)
    app.connect("html-page-context", load_finder)
    app.connect("build-finished", lead_to_pages)


def lead_to_copies(_app: Sphinx, page: str, source: list[str]) -> None:
    """Let links of pages, which lead to the notebooks' folder, lead to its copy here."""
    up = "../" * page.count("/")
    source[0] = source[0].replace(f"]({up}../notebooks/", f"]({up}notebooks/")


def add_keywords(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the entries of docs/keywords.toml to a page, below its title."""
    keywords = KEYWORDS.get(page, [])
    suffix = Path(app.env.doc2path(page)).suffix
    if suffix == ".rst":
        entries = "\n".join(f"   ! single: {word}" for word in keywords)
        if keywords:
            source[0] += f"\n.. index::\n{entries}\n"
    elif suffix == ".md":
        source[0] = with_keywords(source[0], keywords)


def add_finder_data(_app: Sphinx, page: str, source: list[str]) -> None:
    """Put the conventions and formulas into the page of the finder."""
    if page == "finder":
        replace_comment(source, "finder data", finder.data_as_html())


def replace_comment(source: list[str], comment: str, text: str) -> None:
    """Replace a comment of a page, which must be there once, by a text."""
    source[0], n_places = re.subn(rf"<!-- {comment}.* -->", lambda _: text, source[0])
    assert n_places == 1, f"the page must have the comment {comment!r} once; got {n_places}"


def name_functions(*event: object) -> tuple[str | None, str | None]:
    """Write the default ``<function shifted_log2>`` of a signature as ``shifted_log2``.

    The last two arguments of the event are the arguments of the function and what it returns.
    """
    arguments, returned = event[-2:]
    if arguments is not None:
        arguments = re.sub(r"<function (\w+)[^>]*>", r"\1", arguments)
    return arguments, returned


def unlink_addresses(_app: Sphinx, doctree: nodes.document) -> None:
    """Turn "nDCG@10", which docutils takes for an address of mail, back into text."""
    for link in list(doctree.findall(nodes.reference)):
        if link.get("refuri", "").startswith("mailto:"):
            link.replace_self(nodes.Text(link.astext()))


def load_finder(app: Sphinx, page: str, *_: object) -> None:
    """Load the program of the finder on its page only."""
    if page == "finder":
        app.add_js_file("finder.js")


def lead_to_pages(app: Sphinx, exception: Exception | None) -> None:
    """Let the rows of the ledger, which lead to cells in JupyterLab, lead to their ids here."""
    page = Path(app.outdir) / "notebooks" / "ledger.html"
    if exception is None and page.exists():
        page.write_text(gallery.link_to_pages(page.read_text(encoding="utf-8")), encoding="utf-8")
