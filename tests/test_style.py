"""Code stays plain: budgets that only fall, and patterns that are hard to read.

If a test here fails, rewrite the lines that it names. Lower a budget when you remove uses; if you
must raise one, say why in the commit. Nothing here counts lines.
"""

import ast
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "receval"
FILES = sorted(PACKAGE.rglob("*.py"))
PROGRAMS = [
    path
    for name in ("receval", "tests", "docs", "benchmarks")
    for path in sorted((ROOT / name).rglob("*.py"))
]
# Uses of `Any` that pandas, Arrow or Dask force, by room; "ground" is the modules outside rooms.
ANY_BUDGET = {
    "definitions": 6,
    "evaluation": 35,
    "fuzzy": 2,
    "ground": 15,
    "groups": 2,
    "ledger": 1,
    "metrics": 12,
    "people": 1,
    "retrieval": 17,
    "tables": 2,
    "working": 3,
}

# Names that say nothing about what they hold.
RIDDLES = {
    "amiss", "asked", "found", "given", "gone", "how", "it", "known", "mine", "one", "own", "said",
    "them", "those", "told", "whole",
}  # fmt: skip
# Public keywords and attributes keep their names: Report.given and aggregate_history(how=).
PUBLIC_RIDDLES = {("tables.py", "given"), ("steps.py", "how")}

# Conditional expressions per hundred functions in the whole package.
CONDITIONALS_PER_100_FUNCTIONS = 20


def room(path):
    """Return the room of a module; modules outside rooms belong to the ground."""
    first, *rest = path.relative_to(PACKAGE).parts
    return first if rest else "ground"


def nodes(path):
    return ast.walk(ast.parse(path.read_text(encoding="utf-8")))


@cache
def nodes_of_package():
    """Parse the package when a test asks for it: each worker imports this module."""
    return [(path, node) for path in FILES for node in nodes(path)]


def is_nested(node):
    """Return whether a conditional expression has another one in it."""
    return sum(isinstance(part, ast.IfExp) for part in ast.walk(node)) > 1


def hidden_meaning(node):
    """Name the pattern that makes a node hard to read, or return None."""
    match node:
        case ast.IfExp() if is_nested(node):
            return "nested conditional expression: write if and else"
        case ast.If(ast.IfExp()) | ast.While(ast.IfExp()):
            return "conditional expression as a condition: give it a name first"
        case ast.Expr(
            ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp()
            | ast.BoolOp() | ast.IfExp()
        ):  # fmt: skip
            return "expression run for its effect: write a loop or an if"
        case ast.BinOp(
            ast.Constant(str()) | ast.JoinedStr(),
            ast.Mult(),
            ast.Compare() | ast.BoolOp() | ast.Name() | ast.Attribute(),
        ) | ast.BinOp(
            ast.Compare() | ast.BoolOp() | ast.Name() | ast.Attribute(),
            ast.Mult(),
            ast.Constant(str()) | ast.JoinedStr(),
        ):
            return "text times a value: write an if"
        case ast.Assign([ast.Tuple(), *_], ast.Tuple([_, _, _, *_])):
            return "three or more assignments in one: write a line each"
        case ast.FunctionDef(args=ast.arguments(args=[ast.arg("self", ast.expr()), *_])):
            return "annotated self: make it a method, or pass an argument with a Protocol"
        case (
            ast.ListComp(generators=[_, _, _, *_])
            | ast.SetComp(generators=[_, _, _, *_])
            | ast.DictComp(generators=[_, _, _, *_])
            | ast.GeneratorExp(generators=[_, _, _, *_])
        ):
            return "comprehension with three loops: write loops"
    return None


def test_no_line_hides_what_it_does():
    places = []
    walruses = Counter()
    for path, node in nodes_of_package():
        pattern = hidden_meaning(node)
        if pattern is not None:
            places.append(f"{path.relative_to(PACKAGE)}:{node.lineno}: {pattern}")
        if isinstance(node, ast.NamedExpr):
            walruses[path, node.lineno] += 1
    places += [f"{path}:{line}: two walruses" for (path, line), n in walruses.items() if n > 1]
    assert places == []


@pytest.mark.parametrize(
    ("source", "is_hidden"),
    [
        ("x = 1 if a else 2 if b else 3", True),
        ("[print(x) for x in y]", True),
        ("a and b()", True),
        ("x = 'text' * (n > 1)", True),
        ("a, b, c = 1, 2, 3", True),
        ("def plot(self: Any): pass", True),
        ("x = 1 if a else 2", False),
        ("x = '-' * 3", False),
        ("a, b = b, a", False),
        ("def plot(self): pass", False),
    ],
)
def test_patterns_are_recognised(source, is_hidden):
    assert any(hidden_meaning(node) for node in ast.walk(ast.parse(source))) == is_hidden


def lacks_encoding(node):
    """Return whether a call reads or writes a text file without naming the encoding."""
    if any(keyword.arg == "encoding" for keyword in getattr(node, "keywords", [])):
        return False
    match node:
        case ast.Call(ast.Attribute(attr="read_text" | "open"), []) | ast.Call(
            ast.Attribute(attr="write_text") | ast.Name("open"), [_]
        ):
            return True
        case ast.Call(ast.Attribute(attr="open"), [ast.Constant(str(mode)), *_]) | ast.Call(
            ast.Name("open"), [_, ast.Constant(str(mode)), *_]
        ):
            return "b" not in mode
    return False


def test_text_files_name_their_encoding():
    # Without it, Windows reads and writes them in its code page.
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PROGRAMS
        for node in nodes(path)
        if lacks_encoding(node)
    ]
    assert places == [], "add encoding='utf-8'"


@pytest.mark.parametrize(
    ("source", "lacks"),
    [
        ("path.read_text()", True),
        ("path.read_text(encoding='utf-8')", False),
        ("path.write_text('a')", True),
        ("path.write_text('a', 'utf-8')", False),
        ("path.open()", True),
        ("path.open('w')", True),
        ("path.open('rb')", False),
        ("open(path)", True),
        ("open(path, 'wb')", False),
        ("gzip.open(path)", False),
    ],
)
def test_calls_without_an_encoding_are_recognised(source, lacks):
    assert any(lacks_encoding(node) for node in ast.walk(ast.parse(source))) == lacks


def test_any_is_not_used_more_than_the_budget_allows():
    uses = [room(path) for path, node in nodes_of_package() if getattr(node, "id", "") == "Any"]
    assert Counter(uses) - Counter(ANY_BUDGET) == {}, "uses of Any by room, above ANY_BUDGET"


def test_riddling_names_do_not_come_back():
    places = []
    for path, node in nodes_of_package():
        match node:
            case ast.arg(name) | ast.Name(name, ast.Store()):
                if name in RIDDLES and (path.name, name) not in PUBLIC_RIDDLES:
                    places.append(f"{path.relative_to(PACKAGE)}:{node.lineno} {name}")
    assert places == [], "say what the thing is: a user, a row, a mask"


def test_conditional_expressions_stay_rare():
    types = Counter(type(node) for _, node in nodes_of_package())
    assert 100 * types[ast.IfExp] <= CONDITIONALS_PER_100_FUNCTIONS * types[ast.FunctionDef]
