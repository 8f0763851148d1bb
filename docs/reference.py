"""Write the API reference: a page for each public function and class, and one for each module.

docs/conf.py calls `write_pages` before Sphinx reads the pages. The pages only say what autodoc
should show; the text is that of the docstrings. Each function has one page, under the shortest name
that users can type, such as ``receval.evaluate``, although several modules export it.
"""

import importlib
import inspect
import re
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import ModuleType

import nbformat

import receval
from receval.definitions import Measure
from receval.definitions.definition import MEASURES

MODULES = (
    "receval.evaluation",
    "receval.definitions",
    "receval.tables",
    "receval.retrieval",
    "receval.people",
    "receval.metrics.ranking",
    "receval.metrics.discounts",
    "receval.metrics.prediction",
    "receval.metrics.classification",
    "receval.metrics.beyond_accuracy",
    "receval.metrics.group",
    "receval.metrics.retrieval",
    "receval.metrics.connectives",
    "receval.fuzzy",
    "receval.fuzzy.recommend",
    "receval.matchmaking",
    "receval.groups",
    "receval.splitting",
    "receval.significance",
    "receval.working",
    "receval.ledger",
    "receval.learn",
    "receval.datasets",
    "receval.plots",
)
"""The public modules, in the order of the reference."""

FIRST = ("evaluate", "which", "explain_difference", "measures", "conventions", "Measure", "load",
         "pooled", "read_table", "evaluate_retrievers", "evaluate_groups", "Ledger")  # fmt: skip
"""The names that most users need first."""

MAX_NOTEBOOKS = 5
"""The number of notebooks that a page lists as uses of its function."""

MAX_NEIGHBOURS = 12
"""The number of other names of the same module that a page lists."""


@cache
def public_names() -> dict[str, object]:
    """Return every public function, class and constant once, by the name that its page has."""
    names = {}
    for module_name in MODULES:
        module = importlib.import_module(module_name)
        for name in module.__all__:
            value = getattr(module, name)
            if not isinstance(value, ModuleType):
                names[best_name(module_name, name)] = value
    return names


def best_name(module_name: str, name: str) -> str:
    """Return the name under which the page of a public name is.

    It is ``receval.name`` if receval exports it directly. Otherwise it is the name in the module
    that defines it, if that is a public one, or else in the module that was passed.
    """
    value = getattr(importlib.import_module(module_name), name)
    if name in receval.__all__ and getattr(receval, name) is value:
        return f"receval.{name}"
    return f"{home_of(value, name, module_name)}.{name}"


def home_of(value: object, name: str, module_name: str) -> str:
    """Return the public module that a value belongs to, the innermost one around its definition."""
    defined_in = getattr(value, "__module__", "") or ""
    homes = [
        module
        for module in MODULES
        if f"{defined_in}.".startswith(f"{module}.")
        and getattr(importlib.import_module(module), name, None) is value
    ]
    return max(homes, key=len, default=module_name)


def name_of(value: object) -> str:
    """Return the name under which a function is documented, or "" if it is not public."""
    for name, public_value in public_names().items():
        if public_value is value:
            return name
    return ""


def array_function(a_measure: Measure) -> object:
    """Return the array function of a measure, or None if it has none of its own."""
    computation = a_measure.spec.computation
    function = a_measure.spec.function or getattr(computation, "function", None)
    per_list = getattr(computation, "per_list", None)
    if function is None and per_list is not None:
        function = per_list.function
    return function


def write_pages(folder: Path, notebooks: Path) -> None:
    """Write all pages of the reference, with links to the notebooks that use each name."""
    folder.mkdir(exist_ok=True)
    code_by_notebook = read_code(notebooks)
    names_by_home = defaultdict(list)
    for page_name, value in public_names().items():
        names_by_home[home_of_page(page_name, value)].append(page_name)
    for home, page_names in names_by_home.items():
        for page_name in page_names:
            value = public_names()[page_name]
            page = page_of_name(page_name, value, home, page_names, code_by_notebook)
            (folder / f"{page_name}.rst").write_text(page, encoding="utf-8")
    for module_name in MODULES:
        page = page_of_module(module_name, names_by_home[module_name])
        (folder / f"{module_name}.rst").write_text(page, encoding="utf-8")
    (folder / "index.rst").write_text(overview(), encoding="utf-8")


def home_of_page(page_name: str, value: object) -> str:
    """Return the module under which a page is in the navigation."""
    module_name, _, name = page_name.rpartition(".")
    if module_name != "receval":
        return module_name
    for module in MODULES:
        if getattr(importlib.import_module(module), name, None) is value:
            return home_of(value, name, module)
    raise ValueError(f"{page_name} is in none of the public modules")


def heading(text: str) -> str:
    """Return a page's title in reStructuredText."""
    return f"{text}\n{'=' * len(text)}\n"


def page_of_name(
    name: str, value: object, home: str, neighbours: list[str], code_by_notebook: dict[str, str]
) -> str:
    """Return the page of a function, class or constant.

    ``home`` is its module, and ``neighbours`` are the pages of this module.
    """
    module_name = name.rpartition(".")[0]
    if inspect.isclass(value):
        directive = f".. autoclass:: {name}\n   :members:\n   :inherited-members: tuple, dict, list, str, Exception"
    elif callable(value) and hasattr(value, "__code__"):
        directive = f".. autofunction:: {name}"
    else:
        directive = f".. autodata:: {name}"
    parts = [
        heading(name),
        f".. currentmodule:: {module_name}",
        directive,
        see_also(name, value, home, neighbours),
    ]
    notebooks = notebooks_with(name.rpartition(".")[2], home, code_by_notebook)
    if notebooks:
        links = "\n".join(f"- :doc:`/{notebook}`" for notebook in notebooks[:MAX_NOTEBOOKS])
        parts.append(f".. rubric:: Notebooks that use it\n\n{links}")
    return "\n\n".join(parts) + "\n"


def see_also(name: str, value: object, home: str, neighbours: list[str]) -> str:
    """Return the links to the measure of a function, to its module and to other names there."""
    others = [other for other in neighbours if other != name]
    position = neighbours.index(name)
    # Take the names around this one, because modules list related names together.
    start = max(0, min(position - MAX_NEIGHBOURS // 2, len(others) - MAX_NEIGHBOURS))
    near = others[start : start + MAX_NEIGHBOURS]
    lines = []
    for a_measure in MEASURES:
        if array_function(a_measure) is value:
            page = f"/measures/{a_measure.key.lower()}"
            lines.append(
                f"   :doc:`The measure {a_measure.key} <{page}>`, with the value that every tool gives."
            )
    links = ", ".join(f":py:obj:`~{other}`" for other in near)
    lines.append(
        f"   The module :doc:`{home} <{home}>` of the :doc:`API reference <index>`: {links}"
    )
    return ".. seealso::\n\n" + "\n\n".join(lines)


def read_code(notebooks: Path) -> dict[str, str]:
    """Return the code of each notebook by its page, lessons first."""
    paths = sorted(notebooks.rglob("*.ipynb"), key=lambda path: (path.parent.name != "learn", path))
    code = {}
    for path in paths:
        cells = nbformat.read(path, as_version=4).cells
        page = path.relative_to(notebooks.parent).with_suffix("").as_posix()
        code[page] = "\n".join(cell.source for cell in cells if cell.cell_type == "code")
    return code


def notebooks_with(name: str, module_name: str, code_by_notebook: dict[str, str]) -> list[str]:
    """Return the pages of the notebooks that call a function, directly or through its module."""
    module = module_name.rpartition(".")[2]
    call = re.compile(rf"(?:(?<![\w.])|\breceval\.(?:\w+\.)*|(?<![\w.]){module}\.){name}\(")
    # Most notebooks don't have the name at all, and finding a plain text is much faster.
    candidates = {page: code for page, code in code_by_notebook.items() if f"{name}(" in code}
    return [page for page, code in candidates.items() if call.search(code)]


def page_of_module(module_name: str, pages: list[str]) -> str:
    """Return the page of a module: its docstring, and a line for each public name.

    ``pages`` are the names whose pages are below this page in the navigation.
    """
    module = importlib.import_module(module_name)
    names = [name for name in module.__all__ if not isinstance(getattr(module, name), ModuleType)]
    lines = [
        f"   * - :py:obj:`{name} <{best_name(module_name, name)}>`\n"
        f"     - {first_line(getattr(module, name))}"
        for name in names
    ]
    parts = [
        heading(module_name),
        f".. automodule:: {module_name}",
        ".. list-table::\n   :widths: 30 70\n\n" + "\n".join(lines),
    ]
    if pages:
        parts.append(".. toctree::\n   :hidden:\n\n" + "\n".join(f"   {page}" for page in pages))
    return "\n\n".join(parts) + "\n"


def first_line(value: object) -> str:
    """Return the first line of a docstring; "" for a constant, which has that of its type."""
    if not (inspect.isclass(value) or hasattr(value, "__code__")):
        return ""
    lines = (inspect.getdoc(value) or "").splitlines()
    return lines[0] if lines else ""


def overview() -> str:
    """Return the first page of the reference."""
    first = "\n".join(
        f"   * - :py:obj:`receval.{name}`\n     - {first_line(getattr(receval, name))}"
        for name in FIRST
    )
    modules = "\n".join(
        f"   * - :doc:`{module} <{module}>`\n"
        f"     - {inspect.getdoc(importlib.import_module(module)).splitlines()[0]}"
        for module in MODULES
    )
    table = ".. list-table::\n   :widths: 35 65\n\n"
    toctree = ".. toctree::\n   :hidden:\n\n" + "\n".join(f"   {module}" for module in MODULES)
    return "\n\n".join(
        [
            heading("API reference"),
            "Every public function and class has its own page. These are the ones that most users need "
            "first:",
            table + first,
            "All modules:\n\n" + table + modules,
            toctree,
        ]
    ) + "\n"  # fmt: skip
