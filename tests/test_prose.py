"""The prose of the project avoids constructions that read like a translation.

The tests read pages, docstrings, comments, notebooks, messages, exercises and the ledger's reasons.

If a test here fails, rewrite the sentence that it names; the message suggests what to say instead.
"""

import ast
import io
import json
import re
import tokenize
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PATTERNS = (
    "README.md",
    "CONTRIBUTING.md",
    "docs/*.md",
    "notebooks/lessons/*.md",
    "tests/README.md",
)
PAGES = sorted(path for pattern in PATTERNS for path in ROOT.glob(pattern))
MODULES = sorted((ROOT / "receval").rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
TEXTS = sorted((ROOT / "receval").rglob("*.toml"))  # messages, notes and exercises
PUBLISHED = sorted((ROOT / "data/published").glob("[0-9]*.toml"))
# The keys of a published figure that hold our own sentences; the others quote the documents.
SENTENCES = ("what", "reason", "variant", "transcribed", "consistent", "not_computable")

# Each construction (a regular expression) with what to write instead. "beside :" is a parameter.
BANNED = {
    r"whoever": "write 'if you ...' or 'anyone who ...'",
    r"amiss": "write 'wrong', or name the error",
    r"lest": "write 'so that ... not'",
    r"(?:is|are|was|were) told": "name who says it: 'the error says', 'you pass'",
    r"(?:told|tells?|telling) apart": "write 'distinguish'",
    r"stands?(?! (?:for|out|alone))": "write 'is' or 'are'",
    r"beside(?! :)": "write 'next to', 'besides' or 'compared with'",
    r"of one's own|one's own": "write 'your own' or 'its own'",
    r"hand(?:s|ed|ing)? over": "write 'pass'",
    r"to be had": "write 'available'",
    r"held against": "write 'compared with'",
    r"moreover": "write 'also'",
    r"thereof|whereof|hitherto|whatsoever": "use a word that people say",
    r"in vain": "say what did not work",
    r"seeks?|sought": "write 'look for'",
    r"(?<!there )(?:is|are) no (?!longer|more)": "write 'is not a ...'",
    r"makes? use of": "write 'use'",
    r"what (?:is|was) (?:of|to be)": "use a noun: 'the input', 'the per-user values'",
    r"that what": "use a noun in place of the clause",
}

# The first words of a docstring that make a riddle of it.
RIDDLES = ("What", "Which", "Where", "How", "Those", "That", "Who", "Whose", "The same")


def relative(path):
    return path.relative_to(ROOT).as_posix()


def without_code(text):
    """Return the prose of a text: code, doctests, formulas and link targets become blank."""
    blocks = r"^ *```.*?^ *```|^ *>>> .*?(?=\n *\n|\Z)"
    prose = re.sub(blocks, "", text, flags=re.M | re.S)
    spans = r"``.+?``|`[^`]+`|\$[^$]+\$|\]\([^)\s]*\)|<!--.*?-->"
    return re.sub(spans, "…", prose, flags=re.S)


def banned(where, text):
    """List the banned constructions in a text: where, the words around, and what to write."""
    prose = " ".join(without_code(text).split())
    faults = []
    for construction, advice in BANNED.items():
        for match in re.finditer(rf"\b(?:{construction})\b", prose, flags=re.I):
            around = prose[max(match.start() - 30, 0) : match.end() + 30]
            faults.append(f"{where}: '{around}': {advice}")
    return faults


def comments(source):
    """Return the comments of a piece of code by line; the lines of a comment are joined."""
    texts = {}  # by the line at which the comment begins
    first = last = (-1, -1)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            if (line - 1, column) != last:
                first = token.start
            last = token.start
            texts.setdefault(first[0], []).append(token.string.lstrip("# "))
    return {line: " ".join(lines) for line, lines in texts.items()}


def faults_of_code(where, source):
    """List the faults in the comments and the docstrings of a piece of code."""
    faults = []
    for line, text in comments(source).items():
        faults += banned(f"{where}:{line}", text)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            continue
        text = ast.get_docstring(node) or ""
        place = f"{where}:{getattr(node, 'lineno', 1)}"
        faults += banned(place, text)
        first_line = text.partition("\n")[0]
        if re.match(rf"(?:{'|'.join(RIDDLES)})\b", first_line):
            advice = "begin with a verb ('Return ...') or with what it is ('A ...')"
            faults.append(f"{place}: '{first_line}': {advice}")
        # A function that answers yes or no is described by 'Whether ...'.
        answers_yes_or_no = getattr(getattr(node, "returns", None), "id", None) == "bool"
        if first_line.startswith("Whether") and not answers_yes_or_no:
            faults.append(f"{place}: '{first_line}': begin with 'Check whether' or 'Return'")
    return faults


def faults_of_notebook(where, text):
    """List the faults in the text, the docstrings and the comments of a notebook."""
    faults = []
    for number, cell in enumerate(json.loads(text)["cells"]):
        place, source = f"{where}, cell {number}", "".join(cell["source"])
        find = faults_of_code if cell["cell_type"] == "code" else banned
        faults += find(place, source)
    return faults


def faults_of_figures(where, text):
    """List the faults in our own sentences about published figures."""
    faults = []
    for name, figure in tomllib.loads(text)["figures"].items():
        for key in SENTENCES:
            faults += banned(f"{where}, {name}, {key}", figure.get(key, ""))
    return faults


READERS = {
    **dict.fromkeys(PAGES + TEXTS, banned),
    **dict.fromkeys(MODULES, faults_of_code),
    **dict.fromkeys(NOTEBOOKS, faults_of_notebook),
    **dict.fromkeys(PUBLISHED, faults_of_figures),
}
"""The function that finds the faults of each file."""


@pytest.mark.parametrize("folder", sorted({path.parent for path in READERS}), ids=relative)
def test_files_are_in_plain_english(folder):
    faults = []
    for path, find in READERS.items():
        if path.parent == folder:
            faults += find(relative(path), path.read_text(encoding="utf-8"))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("sentence", "n_faults"),
    [
        ("Whoever sorts only these pages forgives the engine.", 1),
        ("A check says what is amiss.", 1),
        ("The tool is told to use grades.", 1),
        ("Two ids that cannot be told apart are refused.", 1),
        ("The item stands at rank 2.", 1),
        ("It is written beside the file.", 1),
        ("An empty list is no error.", 1),
        ("The claim that what the model accepts is accepted.", 1),
        ("There is no list, so the value stands for an empty one.", 0),
        ("Pass `beside=True`, as in [the page](beside.md).", 0),
        ("A list is no longer than 10.", 0),
        ("```\nlest\n```\n", 0),
    ],
)
def test_banned_constructions_are_found(sentence, n_faults):
    assert len(banned("page.md", sentence)) == n_faults


@pytest.mark.parametrize(
    ("source", "n_faults"),
    [
        ('def f():\n    """What a case costs."""', 1),
        ('def f():\n    """Whether it fits."""', 1),
        ('def f() -> bool:\n    """Whether it fits."""', 0),
        ('def f():\n    """Return the cost.\n\n    >>> lest()\n    amiss\n    """', 0),
        ('"""Costs.\n\nThe file is beside it."""', 1),
        ("x = 1  # a list\n# The item is\n# told.\n\n# next\n", 1),
        ("x = 1  # The item is\n# told.\n\n", 0),
    ],
)
def test_faults_of_code_are_found(source, n_faults):
    assert len(faults_of_code("module.py", source)) == n_faults
