"""The command line."""

import gzip
import json
import os
import re
import signal
import sys
import threading
import time
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from systems import needs_links, needs_signals

import receval
from receval import cli
from receval.definitions.convention import TIES
from receval.evaluation import Evaluation
from receval.learn.copies import START

FIGURE = """
[figures.sum]
printed = "3"
"""


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A function that writes a notebook of a package, which ships one published figure."""
    share = tmp_path / "share"
    published = share / "published"
    published.mkdir(parents=True)
    (published / "900_test.toml").write_text(FIGURE, encoding="utf-8")
    # The kernels are other processes, which have to find the figures as well.
    startup = "import receval, receval.ledger.folder as f\n"
    startup += f"f.shipped_ledger = lambda: receval.Ledger({str(published)!r})\n"

    def write(name, *cells):
        path = share / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True, parents=True)
        nbformat.write(new_notebook(cells=[new_code_cell(startup + cell) for cell in cells]), path)
        return path

    monkeypatch.setattr("receval.cli.notebooks_folder", lambda: share / "notebooks")
    monkeypatch.setattr("receval.ledger.folder.shipped_ledger", lambda: receval.Ledger(published))
    return write


def reproduce(tmp_path, *options):
    return cli.main(["reproduce", "--quiet", "--output", str(tmp_path / "out"), *options])


@needs_signals
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_reproduce_runs_two_notebooks_at_a_time_and_ends_both_at_ctrl_c(shipped, tmp_path):
    marks = str(tmp_path / "running.")
    for name in ("00_start_here", "01_other", "02_not_yet", "ledger"):
        shipped(name, f"import os, time; open({marks!r} + str(os.getpid()), 'x'); time.sleep(600)")

    def press_when_two_run():
        while len(list(tmp_path.glob("running.*"))) < 2:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_when_two_run, daemon=True).start()
    assert reproduce(tmp_path) == 130
    kernels = [int(path.suffix[1:]) for path in tmp_path.glob("running.*")]
    assert len(kernels) == 2
    for kernel in kernels:
        with pytest.raises(ProcessLookupError):
            os.kill(kernel, 0)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


@pytest.mark.usefixtures("sleeping_cells_time_out")
def test_reproduce_outlives_cells_that_fail_never_end_or_kill_their_kernel(
    shipped, tmp_path, capsys
):
    shipped("00_start_here", "1 + 1", "import time; time.sleep(600)")
    shipped("01_dies", "import no_such_package", "lost + 1", "import os; os._exit(1)", "1 + 1")
    # The ledger runs last, so that it finds the other notebooks.
    shipped("ledger", "open('00_start_here.ipynb')", "receval.published.check('900/sum', 3)")
    assert reproduce(tmp_path, "--timeout", "3") == 1
    printed = capsys.readouterr().out
    for line in (
        "FAILED 00_start_here.ipynb, code cell 2",
        "CellTimeoutError: it took longer than 3 seconds",
        "FAILED 01_dies.ipynb, code cell 1",
        "ModuleNotFoundError: No module named 'no_such_package'",
        "3 notebooks run, 4 cells failed; 1 figures, 0 not as recorded, 0 without data",
    ):
        assert line in printed
    assert "NameError" not in printed  # only the first failure of a notebook is printed
    first, second = nbformat.read(tmp_path / "out" / "00_start_here.ipynb", 4).cells
    assert first.outputs[0].data["text/plain"] == "2"  # what ran before is written
    assert [output.output_type for output in second.outputs] == ["error"]
    *_, died, after = nbformat.read(tmp_path / "out" / "01_dies.ipynb", 4).cells
    assert died.outputs[0].evalue == "the kernel died, perhaps because memory ran out"
    assert after.outputs == []


def copy(folder, *options):
    return cli.main(["lab", str(folder), "--copy-only", *options])


def test_editions_differ_in_outputs_answers_and_the_exam(shipped, tmp_path, monkeypatch):
    path = shipped("lessons/00_start_here")
    shown = new_output("execute_result", {"text/plain": "42"}, execution_count=1)
    computed = new_code_cell("6 * 7", outputs=[shown], execution_count=1)
    tags = ("solution", "claim", "ledger")
    answers = [new_code_cell("42", metadata={"tags": [tag]}) for tag in tags]
    text = new_markdown_cell("Compute.")
    nbformat.write(new_notebook(cells=[text, computed, *answers]), path)
    path.with_name("glossary.md").write_text("# Words", encoding="utf-8")
    path.with_name("exam_questions.md").write_text("42", encoding="utf-8")

    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab", "--copy-only"]) == 0
    assert cli.main(["lab", "--solved", "--copy-only"]) == 0
    student, teacher = Path("my-notebooks", "lessons"), Path("solved-notebooks", "lessons")
    first, cell = nbformat.read(student / path.name, 4).cells
    assert first.source == "Compute."
    assert (cell.source, cell.outputs, cell.execution_count) == ("6 * 7", [], None)
    assert sorted(file.name for file in student.iterdir()) == ["00_start_here.ipynb", "glossary.md"]
    for file in path.parent.iterdir():
        assert (teacher / file.name).read_bytes() == file.read_bytes()


def test_lab_copies_what_is_not_there_and_keeps_what_is(shipped, tmp_path, capsys):
    shipped("lessons/00_start_here", "1")
    shipped("studies/real", "2")
    mine = tmp_path / "mine"
    for _ in range(2):  # the second time, everything is there
        assert copy(mine) == 0
    assert "stays as it is" not in capsys.readouterr().out

    changed, missing = mine / "lessons" / "00_start_here.ipynb", mine / "studies" / "real.ipynb"
    changed.write_text("my own", encoding="utf-8")
    missing.unlink()
    assert copy(mine) == 0
    assert changed.read_text(encoding="utf-8") == "my own"
    assert missing.exists()
    told = [line for line in capsys.readouterr().out.splitlines() if "stays as it is" in line]
    assert told == [
        "  lessons/00_start_here.ipynb differs from the one shipped, and stays as it is"
    ]


@pytest.mark.parametrize(
    ("put", "kept"),
    [
        pytest.param(lambda place, _: place.mkdir(), None, id="folder"),
        pytest.param(
            lambda place, elsewhere: place.symlink_to(elsewhere),
            "not receval's",
            id="link to elsewhere",
            marks=needs_links,
        ),
        pytest.param(
            lambda place, elsewhere: place.symlink_to(elsewhere),
            None,
            id="link to nothing",
            marks=needs_links,
        ),
    ],
)
def test_lab_writes_nothing_over_or_through_what_is_no_notebook(
    shipped, tmp_path, capsys, put, kept
):
    shipped("00_start_here", "1")
    place, elsewhere = tmp_path / "mine" / "00_start_here.ipynb", tmp_path / "elsewhere.ipynb"
    place.parent.mkdir()
    put(place, elsewhere)
    if kept is not None:
        elsewhere.write_text(kept, encoding="utf-8")
    assert copy(place.parent) == 0
    assert "00_start_here.ipynb differs from the one shipped" in capsys.readouterr().out
    assert (elsewhere.read_text(encoding="utf-8") if elsewhere.exists() else None) == kept


@pytest.mark.parametrize(
    ("user", "options", "added"),
    [
        pytest.param(1000, [], [], id="somebody"),
        pytest.param(
            1000, ["--no-browser", "--allow-root", "--port", "8890"], [], id="other options"
        ),
        pytest.param(0, [], ["--allow-root"], id="root"),
        pytest.param(0, ["--ServerApp.allow_root=False"], [], id="root who chooses"),
    ],
)
def test_lab_opens_jupyterlab_on_the_first_notebook(
    shipped, tmp_path, monkeypatch, capsys, user, options, added
):
    shipped("00_start_here", "1")
    started = []
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=started.append))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setattr(os, "geteuid", lambda: user, raising=False)  # Windows has no root
    mine = str(tmp_path / "mine")
    assert cli.main(["lab", mine, *options]) == 0
    assert started == [[mine, f"--LabApp.default_url=/lab/tree/{START}", *added, *options]]
    says_so = "You are root, so receval adds --allow-root" in capsys.readouterr().out
    assert says_so == bool(added)
    folder = Path(os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0])
    text = (folder / "labconfig/page_config.json").read_text(encoding="utf-8")
    assert "announcements" in text  # is off


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (["datasets"], "cars/cars-1k.csv  (wi2trier/cbrkit at"),
        (["datasets", "cars/cars-1k.csv"], "fetched/cars/cars-1k.csv"),
    ],
)
def test_datasets_are_listed_and_fetched(capsys, monkeypatch, line, shown):
    monkeypatch.setattr("receval.datasets.fetch", lambda name: f"fetched/{name}")
    assert cli.main(line) == 0
    assert shown in capsys.readouterr().out


def test_a_reader_that_goes_away_is_no_error(monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:  # closing it would raise again
        monkeypatch.setattr(sys, "stdout", pipe)
        assert cli.main(["conventions"]) == 141
    monkeypatch.setattr(sys, "stdout", None)  # closed by the shell
    assert cli.main(["conventions"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("command", "function", "names"),
    [
        ("compare r.csv t.csv", Evaluation.compare, ("test", "correction")),
        ("which 1 r.csv t.csv", receval.which, ("measure",)),
    ],
)
def test_options_have_the_defaults_of_the_function(command, function, names):
    options = vars(cli.build_parser().parse_args(command.split()))
    for name in names:
        assert options[name] == signature(function).parameters[name].default


# Tables -------------------------------------------------------------------------------------------

WITH_NAMES = "evaluate both.csv stars.csv -m MRR --user who --item what --rank place --system by"
EIGHT_USERS = "late.csv early.csv eight.csv --rank rank"
COMPARE = f"compare {EIGHT_USERS} -m MRR --test sign --baseline late --correction none"


@pytest.mark.parametrize(
    ("line", "rows"),
    [
        (f"{WITH_NAMES} --relevance-column stars", ["A 0.5000", "B 1.0000"]),
        (f"{WITH_NAMES} --relevance stars", ["A 0.5000", "B 1.0000"]),
        (f"{WITH_NAMES} --relevance-column None", ["A 0.5000", "B 1.0000"]),
        ("evaluate numbers.run numbers.qrels -m MRR", ["0.5000"]),
        (
            "evaluate recs.run again.run truth.qrels -m MRR@2 --convention trec_eval",
            ["recs 0.7500", "again 0.7500"],
        ),
        ("evaluate level.csv asked.csv -m MRR", ["0.5000"]),
        ("evaluate level.csv asked.csv -m MRR --ties pessimistic", ["0.2500"]),
        ("evaluate level.csv asked.csv -m MRR --users both", ["1.0000"]),
        ("evaluate level.csv asked.csv -m MRR --relevant-from 2", ["0.0000"]),
        (
            "evaluate level.csv asked.csv -m MRR --ties item_descending --users both",
            ["0.5000"],
        ),
        ("evaluate level.csv asked.csv -m nov_u --history known.csv", ["0.5000"]),
        ("evaluate twice.csv asked.csv -m MRR --duplicates first", ["0.5000"]),
        (
            "evaluate late.csv early.csv uid.csv --rank rank -m MRR --user user,uid",
            ["late 0.5000", "early 1.0000"],
        ),
        ("which 0.88 '3,2, 3,0,0,1,2,2.0,3,0' -m nDCG@10", ["satisfaction 0.8825 0.0000"]),
    ],
)
@pytest.mark.filterwarnings("ignore:no convention gives")
def test_a_line_prints_means(run, line, rows):
    _, output, _ = run(line)
    assert [" ".join(row.split()) for row in output.splitlines()[2 : 2 + len(rows)]] == rows


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "evaluate recs.csv truth.csv -m MRR@2 --methods",
            ["0.7500", "2 judged, 2 answered", "convention 'receval'"],
        ),
        (f"evaluate {EIGHT_USERS} -m MRR,HR@1 --format markdown", ["**1.0000**"]),
        (f"evaluate {EIGHT_USERS} -m MRR,HR@1 --format latex", [r"early & \textbf{1.0000} &"]),
        (
            f"evaluate {EIGHT_USERS} -m MRR --format latex --methods",
            [r"receval2026} under its convention"],
        ),
        (
            "evaluate level.csv asked.csv -m 'RBP(p=0.9)@2, MRR,RBP(p=0.8)' --format csv",
            ["RBP(p=0.9)@2,MRR,RBP(p=0.8)\n"],
        ),
        ("evaluate twice.csv asked.csv -m MRR --duplicates first", ["1 repeated"]),
        (f"explain 3 mrr {EIGHT_USERS}", ["MRR of user 3 under 'late' = 0.5", "under 'early' = 1"]),
        ("conventions ranx sklearn", ["\nsklearn\n", "  gain: linear_gain"]),
        (COMPARE, ["+0.500", "–", "0.008", "sign test"]),  # all differ by the same
        (f"{COMPARE} --format markdown", ["| early | late | +0.500 |"]),
        (f"{COMPARE} --format latex", ["$+0.500$"]),
        (f"{COMPARE} --means --format latex", [r"early & \textbf{1.000}$^{\uparrow}$ \\"]),
        ("--version", [f"receval {receval.__version__}\n"]),
    ],
)
def test_a_line_prints(run, line, expected):
    status, output, _ = run(line)
    assert (status, [part for part in expected if part not in output]) == (0, [])


@pytest.mark.parametrize(
    ("line", "status", "message"),
    [
        ("evaluate numbers.run asked.csv -m MRR", 2, "must be ids of one kind"),
        (
            "evaluate level.csv asked.csv -m 'MRR,RBP(p=0.9, q=1)@2'",
            2,
            "got 'RBP(p=0.9, q=1)@2'",
        ),
        ("evaluate twice.csv asked.csv", 2, "must hold each item of a user at most once"),
        ("evaluate wrong.csv truth.csv", 2, "recommendations must have one column 'item'"),
        *(
            (line.format(name), 3, f"got {name!r}")
            for name in ("gone.csv", "gone.run", "gone.parquet", "gone/*.parquet")
            for line in (
                "evaluate '{}' truth.csv -m MRR",
                "compare recs.csv '{}' truth.csv",
                "evaluate recs.csv truth.csv -m nov_u --history '{}'",
            )
        ),
        (f"evaluate {EIGHT_USERS} -m MRR --format word", 2, "invalid choice: 'word'"),
        (f"compare {EIGHT_USERS} -m MRR --baseline nobody", 2, "one of ['late', 'early']"),
        (f"compare {EIGHT_USERS} -m MRR --baseline late --baseline early", 2, "name one system"),
        (f"explain 99 MRR {EIGHT_USERS}", 2, "who must be a judged user, such as 1,"),
        (f"explain 3 MRR,HR {EIGHT_USERS}", 2, "got 'MRR,HR'"),
        ("which 0.88 1.2.3,4", 2, "relevance must be given with tables"),
        ("which 1e999 1,0", 2, "1e999"),
        # The search tries all ties and conventions.
        ("which 0.5 late.csv eight.csv --ties item", 2, "unrecognized arguments: --ties"),
        ("which 0.5 late.csv", 2, "relevance must be given with tables"),
        ("conventions rankx", 2, "Did you mean 'ranx'?"),
        (
            "reproduce --allow-root",
            2,
            "unrecognized arguments: --allow-root",
        ),  # only lab has others
    ],
)
def test_a_line_is_refused_with_its_status(run, line, status, message):
    answered, _, error = run(line)
    assert (answered, message in error) == (status, True)


def test_a_table_as_csv_has_its_notes_beside_it(run):
    line = f"evaluate {EIGHT_USERS} -m MRR,HR@1 --format csv --methods"
    _, output, error = run(line)
    assert output.splitlines() == ["system,MRR,HR@1", "late,0.5,0.0", "early,1.0,1.0"]
    assert re.search("8 judged.*computed with receval", error, re.DOTALL)


@pytest.mark.parametrize(
    ("line", "row", "expected"),
    [
        (f"evaluate {EIGHT_USERS} -m MRR,HR@1", 1, {"system": "early", "MRR": 1.0, "HR@1": 1.0}),
        (
            "which 0.5 late.csv eight.csv --rank rank -m MRR",
            0,
            {"convention": "receval", "value": 0.5, "distance": 0.0},
        ),
        (COMPARE, 0, {"system": "early", "difference": 0.5, "p": 2 / 2**8, "verdict": "better"}),
        (f"{COMPARE} --means", 1, {"system": "early", "MRR": 1.0}),
        # Systems are named after their files, whatever these are called.
        ("evaluate 1.csv eight.csv --rank rank -m MRR", 0, {"MRR": 0.5}),
        ("evaluate 1.csv 2.csv.gz eight.csv --rank rank -m MRR", 0, {"system": "1"}),
        ("evaluate 1.csv 2.csv.gz eight.csv --rank rank -m MRR", 1, {"system": "2"}),
    ],
)
def test_rows_as_json(run, line, row, expected):
    Path("1.csv").write_bytes(Path("late.csv").read_bytes())
    Path("2.csv.gz").write_bytes(gzip.compress(Path("early.csv").read_bytes()))
    found = json.loads(run(f"{line} --format json")[1])[row]
    assert expected == {name: found[name] for name in expected}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("conventions", [*receval.conventions().index]),
        ("conventions ranx sklearn", ["ranx", "sklearn"]),
    ],
)
def test_conventions_are_listed(run, line, names):
    _, output, _ = run(line)
    assert [line for line in output.splitlines() if line[0] != " "] == names


@pytest.mark.parametrize(
    "command",
    ["evaluate", "explain", "which", "compare", "conventions", "reproduce", "lab", "datasets"],
)
def test_every_command_has_help_with_an_example(run, command):
    status, output, _ = run(f"{command} --help")
    assert (status, f"example:\n  receval {command}" in output) == (0, True)
    assert command != "evaluate" or all(re.search(rf"\b{tie}\b", output) for tie in TIES)


def test_a_missing_extra_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)  # as if it were not installed
    status, _, error = run("lab")
    assert (status, 'pip install "receval[notebooks]"' in error) == (2, True)
