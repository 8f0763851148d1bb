"""The committed notebooks were run once from the top; tests of the runner and the ledger."""

import ast
import os
import re
from importlib import import_module
from symtable import symtable

import nbformat
import pytest
from exercises import LESSONS, NOTEBOOKS, cells_of, code_of, prose_of, tags_of
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from receval import ledger as published
from receval import measures
from receval._files import notebook_paths
from receval.ledger.running import run

MAY_IMPORT = {"math", "tempfile", "receval", "numpy", "pandas", "matplotlib"}

TEACHING = (LESSONS[0].parent / "teaching.md").read_text(encoding="utf-8")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@each_notebook
def test_committed_as_run_once_from_the_top(path):
    code = code_of(path)
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    outputs = [out for cell in code for out in cell.outputs]
    assert not [o for o in outputs if o.output_type == "error" or o.get("name") == "stderr"]


@each_notebook
def test_cells_are_short_and_ignored_outputs_have_a_reason(path):
    longest = 15 if path.parent.name == "walks" else 10  # a walk draws its pictures itself
    for cell in code_of(path):
        if tags_of(cell) & {"claim", "ledger"}:
            continue
        lines = [line for line in cell.source.splitlines() if line and not line.startswith("#")]
        assert len(lines) <= longest, cell.source
        # nbval honours the mark only alone on its line; the reason is the next comment.
        assert not re.search("NBVAL_IGNORE(?!_OUTPUT\n# .{19})", cell.source), cell.source


@each_notebook
def test_a_notebook_about_real_data_names_them_at_the_end_of_a_cell(path):
    """`study_needs` leaves out the cells that follow, but not the rest of its own cell."""
    for cell in code_of(path):
        if "study_needs(" in cell.source:
            last = ast.parse(cell.source).body[-1]
            assert "study_needs(" in ast.unparse(last), cell.source
            # conftest.py looks for names in the source, so one must be written out.
            assert any(isinstance(name, ast.Constant) for name in last.value.args), cell.source


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_is_one_idea_for_a_beginner(path):
    code = [cell for cell in code_of(path) if "claim" not in tags_of(cell)]
    source = "\n".join(cell.source for cell in code)
    assert {*re.findall(r"^(?:import|from) (\w+)", source, flags=re.M)} <= MAY_IMPORT
    # The goals and the tasks come on top of the lesson.
    on_top = {"goals", "claim", "exercise", "solution"}
    others = [cell for cell in cells_of(path) if not tags_of(cell) & on_top]
    assert 17 <= len(others) <= 34
    lines = [cell.source.removeprefix("# solution\n").splitlines() for cell in code]
    assert all(len([*filter(None, one)]) <= 5 for one in lines if "def " not in "".join(one))
    text = "\n".join(cell.source for cell in others if cell.cell_type == "markdown")
    no_prose = r"## Your turn.*(?=## )|\$\$.*?\$\$|\]\(.*?\)|^\|.*?$"
    prose = re.sub(no_prose, " ", text, flags=re.S | re.M)
    assert len(prose.split()) <= 800
    shown = [out.get("data", {}).get("text/plain", "") for c in code for out in c.outputs]
    assert not re.findall(r"\d\.\d{5,}", "\n".join(shown)), "more than four decimals"


@pytest.mark.parametrize(
    ("before", "path", "after"),
    list(zip(LESSONS[:-1], LESSONS[1:], [*LESSONS[2:], None], strict=True)),
)
def test_lessons_lead_to_one_another_to_words_and_to_functions(before, path, after):
    last = cells_of(path)[-1].source
    assert re.search(rf"Previous: \[[^]]+\]\({before.name}\)", last)
    assert after is None or re.search(rf"Next: \[[^]]+\]\({after.name}\)", last)
    assert "](glossary.md#" in last
    assert "doi.org/" in last or path.stem[:2] in ("02", "15")  # which have none
    functions = re.findall(r"`(receval\.[\w.]+)\.(\w+)`", last)
    assert functions
    assert all(hasattr(import_module(module), name) for module, name in functions)


def test_every_measure_has_a_lesson():
    text = " ".join(path.read_text(encoding="utf-8") for path in LESSONS)
    assert [name for name in measures().index if not re.search(rf"\b{name}\b", text, re.I)] == []


def test_every_word_of_the_glossary_is_explained_by_its_page():
    folder = LESSONS[0].parent
    words = (folder / "glossary.md").read_text(encoding="utf-8")
    entry = r'<a id="(.+)"></a>\n\n## (.+)\n\n(?:(?:(?!<a id)[^#\n].*\n?)+)'
    page = r"(?<=\n)(?:Lesson|Walk|Document): \[.+\]\((.+\.ipynb)\)\.$"
    entries, pages = re.findall(entry, words), re.findall(page, words, re.M)
    assert len(entries) == len(pages) == words.count("\n## ")
    for (anchor, word), name in zip(entries, pages, strict=True):
        # JupyterLab gives headings other anchors than all others.
        assert anchor == re.sub(r"[^\w -]", "", word.lower()).replace(" ", "-")
        *texts, _ = prose_of((folder / name).resolve())  # the last one only lists words
        explained = " ".join(texts).lower()
        parts = set(re.findall(r"[\w/-]+", word.lower())) - {"and"}
        assert any(part in explained for part in parts), f"{word} is not explained in {name}"


def test_the_page_for_lecturers_says_what_the_lessons_say():
    row = r"^\| \[.+\]\((.+)\) \| (\d+) \+ (\d+) \| (.*)\| .+ \| \[(\d+)\] \|$"
    rows = re.findall(row, TEACHING, flags=re.M)
    assert [name for name, *_ in rows] == [path.name for path in LESSONS]
    for path, (_, read, work, needs, number) in zip(LESSONS, rows, strict=True):
        (goals,) = cells_of(path, "goals")
        assert f"{read} minutes to read, {work} to work" in goals.source, path.stem
        (needed,) = re.findall(r"^.*You need.*$", goals.source, flags=re.M)
        assert {*re.findall(r"\((\d\d)_\w+\.ipynb\)", needed)} <= {*needs.strip().split(", ")}
        # Students' copies have neither claims nor solutions.
        copied = [cell for cell in code_of(path) if not tags_of(cell) & {"claim", "solution"}]
        assert not tags_of(copied[int(number) - 1]) & {"exercise", "prediction"}, path.stem


def test_the_weeks_hold_all_lessons_and_walks_and_fit_into_a_meeting():
    weeks = re.findall(r"^\| (\d+) \| ([\w, ]+) \| (\d+) \+ (\d+) \|", TEACHING, flags=re.M)
    assert [int(week) for week, *_ in weeks] == list(range(1, 11))
    taught = ", ".join(numbers for _, numbers, *_ in weeks)
    assert re.findall(r"\b\d\d\b", taught) == [path.stem[:2] for path in LESSONS]  # in this order
    assert sorted(re.findall(r"walk (\d)", taught)) == list("12345")
    lesson = r"^\| \[(\d\d|walk \d) .+\]\(.+\) \| (\d+) \+ (\d+) \|"
    minutes = {number: (int(r), int(w)) for number, r, w in re.findall(lesson, TEACHING, re.M)}
    for _, numbers, read, work in weeks:
        of_week = [minutes[number] for number in numbers.split(", ")]
        assert [int(read), int(work)] == [sum(column) for column in zip(*of_week, strict=True)]
        assert int(read) + int(work) <= 90, "does not fit into one meeting"


@each_notebook
def test_pictures_are_described_for_those_who_cannot_see_them(path):
    for output in [output for cell in code_of(path) for output in cell.outputs]:
        if "image/png" in output.get("data", {}):
            assert len(output.metadata["image/png"]["alt"]) > 10


def names_bound(cell):
    """Return the names that a code cell assigns, imports or defines outside functions."""
    symbols = symtable(cell.source, "cell", "exec").get_symbols()
    return {name.get_name() for name in symbols if name.is_assigned() or name.is_imported()}


@each_notebook
def test_a_folded_cell_shows_only_its_first_line(path):
    for cell in cells_of(path, "claim", "solution"):
        assert cell.metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
        (tag,) = tags_of(cell)
        assert cell.source.startswith(f"# {tag}\n")  # the line that JupyterLab shows


@each_notebook
def test_claims_are_assertions_that_no_other_cell_needs(path):
    others = [cell.source for cell in code_of(path) if "claim" not in tags_of(cell)]
    nodes = ast.walk(ast.parse("\n".join(others)))
    names_of_others = {node.id for node in nodes if isinstance(node, ast.Name)}
    for cell in cells_of(path, "claim"):
        assert not cell.outputs, cell.source
        assertions = [node for node in ast.parse(cell.source).body if isinstance(node, ast.Assert)]
        assert assertions, cell.source
        for assertion in assertions:
            has_name = any(isinstance(node, ast.Name) for node in ast.walk(assertion.test))
            assert has_name, f"an assertion about no value of the notebook: {cell.source}"
        # Students' copies have no claims, and must run without them.
        clashes = (names_bound(cell) - {"np", "pd", "plt", "_"}) & names_of_others
        assert not clashes, f"{sorted(clashes)} also belong to other cells: {cell.source}"


def test_the_committed_notebooks_hold_the_whole_ledger():
    table = published.ledger(NOTEBOOKS)
    differs = table[table["verdict"] != table["expected"]]
    assert differs.empty, differs[["verdict", "expected"]]


def test_reading_order_has_the_ledger_last(tmp_path):
    order = [
        "00_start_here", "walks/1_contracts", "walks/2_borda", "lessons/01_one", "lessons/10_ten",
        "audits/000_first", "studies/a_study", "ledger",
    ]  # fmt: skip
    for name in sorted([*order, "lessons/.ipynb_checkpoints/00_start"], reverse=True):
        path = tmp_path / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert notebook_paths(tmp_path) == [tmp_path / f"{name}.ipynb" for name in order]


CELLS = [
    new_markdown_cell("not counted"),
    new_code_cell("kept = 1"),
    new_code_cell("1 / 0"),
    new_code_cell("kept + 1", metadata={"tags": ["x"], "editable": False}),
]


def test_cells_keep_their_ids_in_place_and_get_no_times(tmp_path):
    path = tmp_path / "own.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 + 1", id="first")]), path)
    assert run([path], [path]) == [[]]
    [cell] = nbformat.read(path, 4).cells
    assert (cell.id, cell.metadata, cell.execution_count) == ("first", {}, 1)


def test_a_failing_cell_is_named_and_the_rest_still_run(tmp_path):
    broken, target = tmp_path / "broken.ipynb", tmp_path / "out" / "broken.ipynb"
    nbformat.write(new_notebook(cells=CELLS), broken)
    [[failure]] = run([broken], [target])
    assert failure.startswith("broken.ipynb, code cell 2:\n    1 / 0\n  ZeroDivisionError: ")
    last = nbformat.read(target, 4).cells[3]
    assert (last.outputs[0].data["text/plain"], last.metadata) == ("2", CELLS[3].metadata)
    assert os.fspath(tmp_path) not in target.read_text(encoding="utf-8")
    assert nbformat.read(broken, 4).cells[1].execution_count is None
