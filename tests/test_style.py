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
RIDDLE_BUDGET = {"fuzzy": 2, "splitting": 1}

# Conditional expressions per hundred functions in the whole package.
CONDITIONALS_PER_100_FUNCTIONS = 20


def room(path):
    """Return the room of a module; modules outside rooms belong to the ground."""
    first, *rest = path.relative_to(PACKAGE).parts
    return first if rest else "ground"


@cache
def tree(path):
    """Parse a file when a test asks for it: each worker imports this module, but one runs it."""
    return ast.parse(path.read_text(encoding="utf-8"))


def nodes():
    for path in FILES:
        for node in ast.walk(tree(path)):
            yield path, node


def uses_of_any():
    return Counter(
        room(path) for path, node in nodes() if isinstance(node, ast.Name) and node.id == "Any"
    )


def riddles():
    """Return the places that bind riddling names, by room."""
    places = {}
    for path, node in nodes():
        is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        name = node.id if is_bound else getattr(node, "arg", None)
        if name in RIDDLES and (is_bound or isinstance(node, ast.arg)):
            place = f"{path.relative_to(PACKAGE)}:{node.lineno} {name}"
            places.setdefault(room(path), []).append(place)
    return places


def is_text(node):
    is_constant = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_constant or isinstance(node, ast.JoinedStr)


def hidden_meaning(node):
    """Name the pattern that makes a node hard to read, or return None."""
    if isinstance(node, ast.IfExp):
        if any(isinstance(part, ast.IfExp) for part in ast.walk(node) if part is not node):
            return "nested conditional expression: write if and else"
    if isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.IfExp):
        return "conditional expression as a condition: give it a name first"
    if isinstance(node, ast.Expr) and isinstance(
        node.value,
        (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.BoolOp, ast.IfExp),
    ):
        return "expression run for its effect: write a loop or an if"
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        factors = [node.left, node.right]
        if any(map(is_text, factors)) and any(
            isinstance(factor, (ast.Compare, ast.BoolOp, ast.Name, ast.Attribute))
            for factor in factors
        ):
            return "text times a value: write an if"
    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Tuple):
        if isinstance(node.targets[0], ast.Tuple) and len(node.value.elts) > 2:
            return "three or more assignments in one: write a line each"
    if isinstance(node, ast.FunctionDef):
        parameters = [*node.args.posonlyargs, *node.args.args]
        if parameters and parameters[0].arg == "self" and parameters[0].annotation is not None:
            return "annotated self: make it a method, or pass an argument with a Protocol"
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        if len(node.generators) > 2:
            return "comprehension with three loops: write loops"
    return None


def test_no_line_hides_what_it_does():
    places = []
    walruses = Counter()
    for path, node in nodes():
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
    if not isinstance(node, ast.Call) or not isinstance(node.func, (ast.Name, ast.Attribute)):
        return False
    is_method = isinstance(node.func, ast.Attribute)
    name = node.func.attr if is_method else node.func.id
    if any(keyword.arg == "encoding" for keyword in node.keywords):
        return False
    if name in ("read_text", "write_text"):
        return len(node.args) < (1 if name == "read_text" else 2)
    # path.open("w") has the mode first; open(path, "w") has the path before it. And gzip.open(path)
    # reads bytes: its first argument is no mode.
    mode = node.args[not is_method :][:1]
    is_text = all(isinstance(arg, ast.Constant) and "b" not in str(arg.value) for arg in mode)
    return name == "open" and is_text


def test_text_files_name_their_encoding():
    # Without it, Windows reads and writes them in its code page.
    places = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in PROGRAMS
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
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
    over = {name: n for name, n in uses_of_any().items() if n > ANY_BUDGET.get(name, 0)}
    assert over == {}, "uses of Any by room, above ANY_BUDGET"


def test_riddling_names_do_not_come_back():
    over = {
        name: places
        for name, places in riddles().items()
        if len(places) > RIDDLE_BUDGET.get(name, 0)
    }
    assert over == {}, "say what the thing is: a user, a row, a mask"


def test_conditional_expressions_stay_rare():
    n_functions = sum(isinstance(node, ast.FunctionDef) for _, node in nodes())
    n_conditionals = sum(isinstance(node, ast.IfExp) for _, node in nodes())
    assert 100 * n_conditionals <= CONDITIONALS_PER_100_FUNCTIONS * n_functions
