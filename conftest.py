"""What all tests share: figures are closed, and some notebooks need files of others."""

import gc
import json
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

from receval.datasets import available, sources

ROOT = Path(__file__).parent
NOTEBOOKS = ROOT / "notebooks"
WITH_REAL_DATA = {NOTEBOOKS / "studies", NOTEBOOKS / "audits"}
NEEDS = "datasets.study_needs("  # what follows is left out if the data are not here
STEPS = "receval.fuzzy.recommend.steps"
WITH_GENSIM = {f"{STEPS}.word2vec_similarities", f"{STEPS}.doc2vec_similarities"}


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    """Close what a test drew, and undo what it set for pictures and for pandas' tables.

    `plots.set_theme` and the precision that the notebooks set would change later tests.
    matplotlib warns when many figures stay open. Setting all defaults takes milliseconds, so this
    happens only after a test that has moved the titles to the left, as the theme does.
    """
    yield
    if "matplotlib.pyplot" in sys.modules:
        pyplot = sys.modules["matplotlib.pyplot"]
        pyplot.close("all")
        if pyplot.rcParams["axes.titlelocation"] != "center":
            pyplot.rcdefaults()
    if "pandas" in sys.modules:
        sys.modules["pandas"].reset_option("display.precision")


def pytest_collect_file(file_path: Path) -> None:
    """Import a module of receval in the usual way, before pytest looks for its doctests.

    If nothing has imported it yet, pytest imports its package, which imports it, and then executes
    it again. The test of the measures, for example, would take the second copies of functions for
    others than those that the package exports.
    """
    if file_path.suffix == ".py" and ROOT / "receval" in file_path.parents:
        parts = file_path.relative_to(ROOT).with_suffix("").parts
        import_module(".".join(parts).removesuffix(".__init__"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the cells that need real data if these are not here, and doctests that need gensim.

    Output of any cell may take as long as it takes on a busy machine; nbval waits five seconds.
    """
    lacking: dict[Path, list[str]] = {}
    for item in items:
        if hasattr(item, "output_timeout"):  # a cell; the cells of a notebook are in their order
            item.output_timeout = 600
            # A notebook may need more files for its last sections than for the first ones.
            names = [name for name in missing(item.path) if name in item.cell.source]
            if NEEDS in item.cell.source and names:
                lacking.setdefault(item.path, names)
        if names := lacking.get(item.path, []):
            reason = (
                f"{', '.join(names)} can be neither found nor fetched; "
                "set RECEVAL_DATA to the folder that holds it"
            )
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.name in WITH_GENSIM and find_spec("gensim") is None:
            reason = "needs gensim, of which Python 3.14 has no wheel"
            item.add_marker(pytest.mark.skip(reason=reason))


def pytest_collection_finish() -> None:
    """Keep the garbage collector away from the tests themselves.

    There are thousands of them. Looking through them all takes a second each time.
    """
    gc.collect()
    gc.freeze()


@cache
def missing(path: Path) -> list[str]:
    """Return the names of the data that a notebook needs and that are not here."""
    if WITH_REAL_DATA.isdisjoint(path.parents):
        return []
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    text = "".join(line for cell in cells for line in cell["source"])  # without the outputs
    return [name for name in sources() if name in text and not available(name)]
