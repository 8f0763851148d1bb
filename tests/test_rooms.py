"""Every import of a room is allowed by the table in CONTRIBUTING."""

import ast
import importlib
import inspect
import re
import sys
import tomllib
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "receval"


class Import(NamedTuple):
    """One import: who imports, where, the module, and the imported name unless that is a module."""

    importer: str
    where: str
    module: str
    name: str


def modules(package):
    """Return the files of a package by module name, without the package's ``__init__``."""
    files = {}
    for path in sorted(package.rglob("*.py")):
        name = ".".join(path.relative_to(package.parent).with_suffix("").parts)
        files[name.removesuffix(".__init__")] = path
    del files[package.name]
    return files


def room(module):
    """Return the room of a module, such as tables for ``receval.tables.columns``."""
    _, first, *_ = *module.split("."), ""
    if first == "__main__":  # ``python -m receval`` is the command line
        return "cli"
    return "ground" if first.startswith("_") else first


@cache
def imports(package):
    """List the imports of a package from itself, also those in functions and for typing."""
    files = modules(package)
    found = []
    for importer, path in files.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path.name}: imports start with the name of the package"
                names = [(node.module, alias.name) for alias in node.names]
            elif isinstance(node, ast.Import):
                names = [(alias.name, "") for alias in node.names]
            for module, name in names:
                full_name = f"{module}.{name}"
                target = (full_name, "") if full_name in files else (module, name)
                if module.split(".")[0] == package.name:
                    found.append(Import(importer, f"{path.name}:{node.lineno}", *target))
    return found


def table(text):
    """Return the rooms, and the rooms that they may import, from the rows of a table."""
    rows = re.findall(r"^\| (ground|`(?:receval/)?\w+)\W.*\| (.*) \|$", text, flags=re.M)
    allowed = {}
    for first, cell in rows:
        named = {name.strip("/") for name in re.findall(r"`([\w/]+)(?:\.py)?`", cell)}
        if cell.startswith("everything"):
            may = {"*"}
        elif cell.startswith("all above"):
            may = {*allowed} | named
        else:
            may = named | ({"ground"} if "ground" in cell else set())
        allowed[first.strip("`").removeprefix("receval/")] = may
    return allowed


def between_rooms(package):
    """List the imports from another room."""
    return [each for each in imports(package) if room(each.module) != room(each.importer)]


def not_allowed(package, allowed):
    """Return imports from rooms that a row doesn't name, and imports of the whole package."""
    return sorted(
        f"{each.importer}, {each.where}: {each.module}"
        for each in between_rooms(package)
        if not {room(each.module), "*"} & allowed[room(each.importer)]
    )


def private(package):
    """Return imports of another room's private names. All may import the modules of ground."""
    return sorted(
        f"{each.importer}, {each.where}: {each.module} {each.name}".strip()
        for each in between_rooms(package)
        if any(part.startswith("_") for part in [*each.module.split(".")[2:], each.name])
        and not each.name.startswith("__")
    )


# The package -----------------------------------------------------------------------------------

ALLOWED = table((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
ROOMS = sorted({room(name) for name in modules(PACKAGE)})
FOLDERS = [name for name in ROOMS if (PACKAGE / name).is_dir()]


def test_every_room_has_a_row_and_every_row_a_room():
    assert sorted(ALLOWED) == ROOMS
    assert set().union(*ALLOWED.values()) - {"*"} <= set(ROOMS)


def test_every_room_has_a_folder_of_tests_with_its_name():
    assert [name for name in ALLOWED if not any((ROOT / "tests" / name).glob("**/*.py"))] == []


def test_every_import_is_one_that_the_table_allows():
    assert "\n".join(not_allowed(PACKAGE, ALLOWED)) == ""


def test_no_room_takes_what_another_keeps_to_itself():
    assert "\n".join(private(PACKAGE)) == ""


@pytest.mark.parametrize("part_of", [str, room], ids=["modules", "rooms"])
def test_no_circles(part_of):
    arrows = {}
    for each in imports(PACKAGE):
        importer, imported = part_of(each.importer), part_of(each.module)
        if importer != imported:
            arrows.setdefault(importer, set()).add(imported)
    TopologicalSorter(arrows).prepare()  # raises CycleError, which names a circle


def test_metrics_need_numpy_alone():
    names = set()
    for path in (PACKAGE / "metrics").rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        names |= {*re.findall(r"^ *(?:import|from) (\w+)", text, flags=re.M)}
    assert names - sys.stdlib_module_names == {"numpy", "receval"}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_room_says_what_it_is_and_shows_nothing_else(name):
    package = importlib.import_module(f"receval.{name}")
    assert re.fullmatch(r"[^\n]*\.(\n\n.*)?", inspect.getdoc(package), re.DOTALL)
    if not hasattr(package, "__path__"):  # a single module, which shows what it imports
        return
    shown = {key for key, value in vars(package).items() if not inspect.ismodule(value)}
    public = {key for key in shown if not key.startswith("_")} - {"annotations"}
    assert public <= {*getattr(package, "__all__", [])}


def test_what_is_mutated_and_the_tests_against_it_are_there():
    options = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mutmut"]
    tests = [name.partition("::")[0] for name in options["pytest_add_cli_args_test_selection"]]
    paths = [*options["only_mutate"], *tests]
    assert [path for path in paths if not any(ROOT.glob(path))] == []


# The reading of it -----------------------------------------------------------------------------

FILES = {
    "__init__": "from small import high, low, top",
    "_checks": "import numpy",
    "low/__init__": "from small.low.one import thing",
    "low/one": "from small._checks import InputError\nfrom small import high",
    "low/_own": "thing = 1",
    "high/__init__": "import typing\nfrom small.low import thing",
    "high/two": """
from typing import TYPE_CHECKING
from small._checks import _hidden
if TYPE_CHECKING:
    from small.low import typed
def later():
    from small.low._own import thing
    from small.low import one, _name
""",
    "top": "import small.high.two\nimport small",
}
ROWS = """
| room | what | may import |
| --- | --- | --- |
| ground: `_checks` | checks | nothing of ours |
| `small/low/` | `high` is no row | ground |
| `small/high/` | up | ground, `low` (its names) |
| `top.py` | all | all above |
"""


def test_offenders_are_found(tmp_path):
    package = tmp_path / "small"
    for name, text in FILES.items():
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    allowed = table(ROWS.replace("small/", "receval/"))
    assert allowed == {
        "ground": set(),
        "low": {"ground"},
        "high": {"ground", "low"},
        "top": {"ground", "low", "high"},
    }
    assert not_allowed(package, allowed) == [
        "small.low.one, one.py:2: small.high",
        "small.top, top.py:2: small",
    ]
    assert private(package) == [
        "small.high.two, two.py:3: small._checks _hidden",
        "small.high.two, two.py:7: small.low._own thing",
        "small.high.two, two.py:8: small.low _name",
    ]
