"""The committed notebooks were run once from the top; tests of the runner and the ledger."""

import ast
import os
import re
from importlib import import_module
from symtable import symtable

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from receval import ledger as published
from receval import measures
from receval._files import notebook_paths, notebooks_folder
from receval.ledger.running import run

NOTEBOOKS = notebook_paths(notebooks_folder())
LEARN = [path for path in NOTEBOOKS if path.parent.name == "lessons"]
LESSONS = [path for path in LEARN if path.stem[0].isdecimal()]  # without the project
MAY_IMPORT = {"math", "tempfile", "receval", "numpy", "pandas", "matplotlib"}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_committed_as_run_once_from_the_top(path):
    code = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [out for cell in code for out in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_cells_are_short_and_ignored_outputs_have_a_reason(path):
    longest = 10
    if path.parent.name == "walks":
        longest = 15  # because a walk draws its pictures itself; see tests/walks
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type != "code" or has_tag(cell, "claim") or has_tag(cell, "ledger"):
            continue
        lines = [line for line in cell.source.splitlines() if line and not line.startswith("#")]
        assert len(lines) <= longest, cell.source
        if "NBVAL_IGNORE" in cell.source:
            # nbval honours the mark only alone on its line; the reason is the next comment.
            given = cell.source.splitlines()
            reason = given[given.index("# NBVAL_IGNORE_OUTPUT") + 1]
            assert reason.startswith("# "), cell.source
            assert len(reason) > 20, cell.source


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_about_real_data_names_them_at_the_end_of_a_cell(path):
    """`study_needs` leaves out the cells that follow, but not the rest of its own cell."""
    for cell in nbformat.read(path, 4).cells:
        if cell.cell_type == "code" and "study_needs(" in cell.source:
            last = ast.parse(cell.source).body[-1]
            assert "study_needs(" in ast.unparse(last), cell.source
            # conftest.py looks for names in the source, so one must be written out.
            assert any(isinstance(name, ast.Constant) for name in last.value.args), cell.source


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_one_idea_for_a_beginner(path):
    cells = [cell for cell in nbformat.read(path, 4).cells if not has_tag(cell, "claim")]
    code = [cell for cell in cells if cell.cell_type == "code"]
    source = "\n".join(cell.source for cell in code)
    assert {*re.findall(r"^(?:import|from) (\w+)", source, flags=re.M)} <= MAY_IMPORT
    # The tasks come on top of the lesson.
    tasks = [cell for cell in cells if has_tag(cell, "exercise") or has_tag(cell, "solution")]
    assert 18 <= len(cells) - len(tasks) <= 35
    lines = [cell.source.removeprefix("# solution\n").splitlines() for cell in code]
    assert all(len([*filter(None, one)]) <= 5 for one in lines if "def " not in "".join(one))
    text = "\n".join(
        cell.source for cell in cells if cell.cell_type == "markdown" and not has_tag(cell, "goals")
    )
    text = re.sub(r"## Your turn.*(?=## )", "", text, flags=re.S)
    prose = re.sub(r"\$\$.*?\$\$|\]\(.*?\)|^\|.*?$", " ", text, flags=re.S | re.M)
    assert len(prose.split()) <= 800
    shown = [out.get("data", {}).get("text/plain", "") for c in code for out in c.outputs]
    assert not re.findall(r"\d\.\d{5,}", "\n".join(shown)), "more than four decimals"


def test_lessons_lead_to_one_another_to_words_and_to_functions():
    for before, path, after in zip(LESSONS[:-1], LESSONS[1:], [*LESSONS[2:], None], strict=True):
        last = nbformat.read(path, 4).cells[-1].source
        assert re.search(rf"Previous: \[[^]]+\]\({before.name}\)", last), path.stem
        assert after is None or re.search(rf"Next: \[[^]]+\]\({after.name}\)", last), path.stem
        assert "](glossary.md#" in last, path.stem
        assert "doi.org/" in last or path.stem[:2] in ("02", "15"), path.stem  # which have none
        functions = re.findall(r"`(receval\.[\w.]+)\.(\w+)`", last)
        assert functions, path.stem
        assert all(hasattr(import_module(module), name) for module, name in functions), path.stem


def test_every_measure_has_a_lesson_and_every_word_of_the_glossary():
    folder = LESSONS[0].parent
    text = " ".join(path.read_text(encoding="utf-8") for path in LESSONS)
    assert [name for name in measures().index if not re.search(rf"\b{name}\b", text, re.I)] == []
    words = (folder / "glossary.md").read_text(encoding="utf-8")
    entries = re.findall(r'<a id="(.+)"></a>\n\n## (.+)\n\n((?:(?!<a id)[^#\n].*\n?)+)', words)
    assert len(entries) == words.count("\n## ")
    for anchor, word, text in entries:  # JupyterLab gives headings other anchors than all others
        assert anchor == re.sub(r"[^\w -]", "", word.lower()).replace(" ", "-")
        page = re.search(r"\n(?:Lesson|Walk|Document): \[.+\]\((.+\.ipynb)\)\.$", text.strip())
        assert page, word
        cells = nbformat.read(folder / page[1], 4).cells[:-1]  # the last one only lists words
        explained = " ".join(cell.source for cell in cells if cell.cell_type == "markdown").lower()
        said = set(re.findall(r"[\w/-]+", word.lower())) - {"and"}
        assert any(one in explained for one in said), f"{word} is not explained in {page[1]}"


def test_the_page_for_lecturers_says_what_the_lessons_say():
    page = (LESSONS[0].parent / "teaching.md").read_text(encoding="utf-8")
    row = r"^\| \[.+\]\((.+)\) \| (\d+(?: \+ \d+)?) \| (.*)\| .+ \| \[(\d+)\] \|$"
    rows = re.findall(row, page, flags=re.M)
    assert [name for name, *_ in rows] == [path.name for path in LESSONS]
    minutes = {"5": "Five", "10": "Ten", "12": "Twelve", "15": "Fifteen", "40": "Forty"}
    for path, (_, told, needs, number) in zip(LESSONS, rows, strict=True):
        cells = nbformat.read(path, 4).cells
        text = cells[0].source
        if has_tag(cells[1], "goals"):
            text = cells[1].source
            read, work = told.split(" + ")
            assert f"{read} minutes to read, {work} to work" in text, path.stem
        else:
            assert f"{minutes[told]} minutes" in text, path.stem
        (needed,) = re.findall(r"^.*You need.*$", text, flags=re.M)
        assert {*re.findall(r"\((\d\d)_\w+\.ipynb\)", needed)} <= {*needs.strip().split(", ")}, (
            path.stem
        )
        # Students' copies have neither claims nor solutions.
        code = [cell for cell in cells if cell.cell_type == "code"]
        copied = [c for c in code if not has_tag(c, "claim") and not has_tag(c, "solution")]
        correcting = copied[int(number) - 1]
        assert not has_tag(correcting, "exercise"), path.stem
        assert not has_tag(correcting, "prediction"), path.stem


def test_the_weeks_hold_all_lessons_and_walks_and_fit_into_a_meeting():
    page = (LESSONS[0].parent / "teaching.md").read_text(encoding="utf-8")
    row = r"^\| (\d+) \| ([\w, ]+) \| (\d+) \+ (\d+) \|"
    weeks = re.findall(row, page, flags=re.M)
    assert [int(week) for week, *_ in weeks] == list(range(1, 11))
    taught = [number for _, numbers, *_ in weeks for number in numbers.split(", ")]
    walks = [name for name in taught if name.startswith("walk")]
    assert sorted(walks) == [f"walk {number}" for number in range(1, 6)]
    lessons = [number for number in taught if number not in walks]
    assert lessons == [path.stem[:2] for path in LESSONS]  # all, in the order of reading
    lesson = r"^\| \[(\d\d|walk \d) .+\]\(.+\) \| (\d+) \+ (\d+) \|"
    minutes = {number: (int(r), int(w)) for number, r, w in re.findall(lesson, page, flags=re.M)}
    for _, numbers, read, work in weeks:
        of_week = [minutes[lesson_number] for lesson_number in numbers.split(", ")]
        assert [int(read), int(work)] == [sum(column) for column in zip(*of_week, strict=True)]
        assert int(read) + int(work) <= 90, "does not fit into one meeting"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_pictures_are_described_for_those_who_cannot_see_them(path):
    for cell in nbformat.read(path, 4).cells:
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                assert len(output.metadata["image/png"]["alt"]) > 10


def has_tag(cell, tag):
    return tag in cell.metadata.get("tags", [])


def names_bound(cell):
    """Return the names that a code cell assigns, imports or defines outside functions."""
    symbols = symtable(cell.source, "cell", "exec").get_symbols()
    return {name.get_name() for name in symbols if name.is_assigned() or name.is_imported()}


def names_read(cell):
    """Return the names that a code cell looks up."""
    nodes = [node for node in ast.walk(ast.parse(cell.source)) if isinstance(node, ast.Name)]
    return {node.id for node in nodes if isinstance(node.ctx, ast.Load)}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.parametrize("tag", ["claim", "solution"])
def test_a_folded_cell_shows_only_its_first_line(path, tag):
    for cell in nbformat.read(path, 4).cells:
        if has_tag(cell, tag):
            assert cell.metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
            assert cell.source.startswith(f"# {tag}\n")  # the line that JupyterLab shows


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_claims_are_assertions_that_no_other_cell_needs(path):
    cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == "code"]
    claims = [cell for cell in cells if has_tag(cell, "claim")]
    others = [cell for cell in cells if not has_tag(cell, "claim")]
    rebound = set().union(*map(names_bound, others)) | set().union(*map(names_read, others))
    shared = {"np", "pd", "plt", "_"}
    for cell in claims:
        assert not cell.outputs, cell.source
        assertions = [node for node in ast.parse(cell.source).body if isinstance(node, ast.Assert)]
        assert assertions, cell.source
        for assertion in assertions:
            names = {node.id for node in ast.walk(assertion.test) if isinstance(node, ast.Name)}
            assert names, f"an assertion about no value of the notebook: {cell.source}"
        # Students' copies have no claims, and must run without them.
        clashes = (names_bound(cell) - shared) & rebound
        assert not clashes, f"{sorted(clashes)} also belong to other cells: {cell.source}"


def test_the_committed_notebooks_hold_the_whole_ledger():
    table = published.ledger(NOTEBOOKS)
    differs = table[table["verdict"] != table["expected"]]
    assert differs.empty, differs[["verdict", "expected"]]


def test_reading_order_has_the_ledger_last(tmp_path):
    order = [
        "00_start_here",
        "walks/1_contracts",
        "walks/2_borda",
        "lessons/01_one",
        "lessons/10_ten",
        "audits/000_first",
        "studies/a_study",
        "ledger",
    ]
    for name in sorted([*order, "lessons/.ipynb_checkpoints/00_start"], reverse=True):
        path = tmp_path / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    found = [path.relative_to(tmp_path).with_suffix("") for path in notebook_paths(tmp_path)]
    assert [path.as_posix() for path in found] == order


def test_the_shipped_notebooks_start_with_the_door_and_end_with_the_ledger():
    names = [path.stem for path in NOTEBOOKS]
    assert (names[0], names[-1]) == ("00_start_here", "ledger")
    folders = [path.parent.name for path in NOTEBOOKS[1:-1]]
    assert list(dict.fromkeys(folders)) == ["walks", "lessons", "audits", "studies"]


@pytest.fixture
def broken(tmp_path):
    cells = [
        new_markdown_cell("not counted"),
        new_code_cell("kept = 1"),
        new_code_cell("1 / 0"),
        new_code_cell("kept + 1", metadata={"tags": ["x"], "editable": False}),
    ]
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


def test_a_failing_cell_is_named_and_the_rest_still_run(broken, tmp_path):
    target = tmp_path / "out" / "broken.ipynb"
    [[failure]] = run([broken], [target])
    first_line, code, error = failure.splitlines()
    assert (first_line, code) == ("broken.ipynb, code cell 2:", "    1 / 0")
    assert error.startswith("  ZeroDivisionError: ")
    executed = nbformat.read(target, 4)
    assert executed.cells[3].outputs[0].data["text/plain"] == "2"
    assert executed.cells[3].metadata == {"tags": ["x"], "editable": False}
    assert os.fspath(tmp_path) not in target.read_text(encoding="utf-8")
    assert nbformat.read(broken, 4).cells[1].execution_count is None
