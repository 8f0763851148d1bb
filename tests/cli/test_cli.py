"""The command line."""

import gzip
import json
import os
import re
import signal
import sys
import threading
from inspect import signature
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from systems import needs_links, needs_signals

import receval
from receval import cli, datasets
from receval.definitions.convention import TIES
from receval.evaluation import Evaluation
from receval.learn.copies import START
from receval.ledger.running import EXTRAS, run

FOLDED = {"source_hidden": True, "outputs_hidden": True}
CHECK = "from receval import published\npublished.check('900/sum', {value})"
FIGURES = """
title = "A test"
source = "nowhere"
[figures.sum]
where = "here"
what = "a sum"
printed = "3"
"""


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """A package that ships two small notebooks and one published figure."""
    share = tmp_path / "share"
    for folder in ("lessons", "studies"):
        (share / "notebooks" / folder).mkdir(parents=True)
    (share / "published").mkdir()
    (share / "published" / "900_test.toml").write_text(FIGURES, encoding="utf-8")
    # The kernels are other processes: they find the figures through this variable.
    startup = "import receval, receval.ledger.figures as f\n"
    startup += f"f.shipped_ledger = lambda: receval.Ledger({str(share / 'published')!r})\n"

    def write(name, *cells):
        path = share / "notebooks" / f"{name}.ipynb"
        nbformat.write(new_notebook(cells=[new_code_cell(startup + cell) for cell in cells]), path)
        return path

    monkeypatch.setattr("receval.cli.notebooks_folder", lambda: share / "notebooks")
    monkeypatch.setattr(
        "receval.ledger.figures.shipped_ledger", lambda: receval.Ledger(share / "published")
    )
    return write


def reproduce(tmp_path, *options):
    return cli.main(["reproduce", "--quiet", "--output", str(tmp_path / "out"), *options])


RIGHT, WRONG = CHECK.format(value=3), CHECK.format(value=4)


@pytest.mark.parametrize(
    ("notebooks", "status", "lines"),
    [
        pytest.param(
            {"00_start_here": [RIGHT]},
            0,
            ["1 notebooks run, 0 cells failed; 1 figures: 1 recomputed and as recorded"],
            id="all is well",
        ),
        pytest.param(
            {"00_start_here": [WRONG]},
            1,
            [
                "UNEXPECTED 900/sum: unexplained, on record reproduced",
                "1 figures: 0 recomputed and as recorded; 1 not as recorded",
            ],
            id="an unexpected verdict",
        ),
        pytest.param(
            {"00_start_here": ["1 + 1"]},
            1,
            ["UNEXPECTED 900/sum: not checked"],
            id="a figure that nobody checks",
        ),
        pytest.param(
            {"00_start_here": [RIGHT], "01_other": [WRONG]},
            1,
            [
                "UNEXPECTED 900/sum: notebooks disagree, on record reproduced",
                "Notebooks show 3 in 00_start_here; 4 in 01_other.",
            ],
            id="notebooks that disagree",
        ),
        pytest.param(
            # The ledger finds the other notebook only if it runs last.
            {
                "00_start_here": ["pass", "raise KeyError('lost')"],
                "ledger": ["open('00_start_here.ipynb')", RIGHT],
            },
            1,
            [
                "FAILED 00_start_here.ipynb, code cell 2",
                "KeyError: 'lost'",
                "2 notebooks run, 1 cells failed; 1 figures: 1 recomputed",
            ],
            id="a failing cell",
        ),
        pytest.param(
            {"00_start_here": ["lost = 1 / 0", "lost + 1", "lost + 2"]},
            1,
            ["ZeroDivisionError", "1 notebooks run, 3 cells failed"],
            id="only the first failure is printed",
        ),
        pytest.param(
            {"00_start_here": ["import pandsa", RIGHT]},
            1,
            ["FAILED 00_start_here.ipynb, code cell 1"],
            id="a misspelled import is a failure",
        ),
    ],
)
def test_reproduce_prints_the_ledger_and_what_is_wrong(
    shipped, tmp_path, capsys, notebooks, status, lines
):
    for name, cells in notebooks.items():
        shipped(name, *cells)
    assert reproduce(tmp_path) == status
    printed = capsys.readouterr().out
    assert "900/sum: printed 3" in printed
    assert [line for line in lines if line not in printed] == []
    assert "NameError" not in printed
    assert (tmp_path / "out" / "00_start_here.ipynb").is_file()


def test_reproduce_counts_apart_what_nobody_recomputed(shipped, tmp_path, capsys, monkeypatch):
    others = """
[figures.copied]
printed = "0.12"
transcribed = "the authors' notebook"
[figures.hidden]
printed = "7"
not_computable = "the data are not public"
[figures.far]
printed = "8"
inputs = ["cars/cars-1k.csv"]
"""
    published = tmp_path / "share" / "published" / "900_test.toml"
    published.write_text(FIGURES + others, encoding="utf-8")

    def nowhere(name):
        raise datasets.DataUnavailable(name)

    monkeypatch.setattr("receval.datasets.downloads.fetch", nowhere)
    calls = ["'900/copied', 0.1234", "'900/hidden'"]
    cells = [f"published.check({call})" for call in calls]
    shipped("00_start_here", CHECK.format(value=3), *cells)
    assert reproduce(tmp_path) == 0
    counts = "4 figures: 1 recomputed and as recorded; 1 transcribed; 1 not computable"
    last = f"1 notebooks run, 0 cells failed; {counts}; 1 data not here"
    assert capsys.readouterr().out.splitlines()[-1] == last


@needs_signals
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_reproduce_runs_two_notebooks_at_a_time_and_ends_both_at_ctrl_c(
    shipped, tmp_path, monkeypatch
):
    endless = "import os, time; open(os.environ['MARKS'] + str(os.getpid()), 'x'); time.sleep(600)"
    monkeypatch.setenv("MARKS", f"{tmp_path}/running-")
    for name in ("00_start_here", "01_other", "02_not_yet", "ledger"):
        shipped(name, endless)
    ended = threading.Event()

    def press_when_two_run():
        while not ended.wait(0.05):
            if len(list(tmp_path.glob("running-*"))) == 2:
                return os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press_when_two_run).start()
    try:
        status = reproduce(tmp_path)
    finally:
        ended.set()
    assert status == 130
    kernels = [int(path.name.removeprefix("running-")) for path in tmp_path.glob("running-*")]
    assert len(kernels) == 2
    for kernel in kernels:
        with pytest.raises(ProcessLookupError):
            os.kill(kernel, 0)
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file()]


@pytest.mark.usefixtures("sleeping_cells_time_out")
def test_reproduce_outlives_a_cell_that_never_ends_and_a_kernel_that_dies(
    shipped, tmp_path, capsys
):
    shipped("00_start_here", "1 + 1", "import time; time.sleep(600)")
    shipped("01_dies", "import os; os._exit(1)", "1 + 1")
    shipped("02_good", CHECK.format(value=3))
    assert reproduce(tmp_path, "--timeout", "3") == 1
    printed = capsys.readouterr().out
    assert "FAILED 00_start_here.ipynb, code cell 2" in printed
    assert "CellTimeoutError: it took longer than 3 seconds" in printed
    assert "FAILED 01_dies.ipynb, code cell 1" in printed
    assert "DeadKernelError: the kernel died" in printed
    counts = "3 notebooks run, 2 cells failed; 1 figures: 1 recomputed and as recorded"
    assert printed.splitlines()[-1] == counts
    first, second = nbformat.read(tmp_path / "out" / "00_start_here.ipynb", 4).cells
    assert first.outputs[0].data["text/plain"] == "2"  # what ran before is written
    assert [output.output_type for output in second.outputs] == ["error"]
    assert nbformat.read(tmp_path / "out" / "01_dies.ipynb", 4).cells[1].outputs == []


def test_figures_of_a_notebook_that_lacks_a_package_are_not_missed(
    shipped, tmp_path, capsys, monkeypatch
):
    monkeypatch.setitem(EXTRAS, "no_such_package", "study")
    path = shipped("00_start_here", CHECK.format(value=3))
    run([path], [path])
    notebook = nbformat.read(path, 4)
    notebook.cells[0].source = "import no_such_package\n" + notebook.cells[0].source
    nbformat.write(notebook, path)
    assert reproduce(tmp_path) == 0
    printed = capsys.readouterr().out
    assert re.search(r"900/sum: .* package not here", printed)
    assert 'needs no_such_package: pip install "receval[study]"' in printed


def copy(folder, *options):
    return cli.main(["lab", str(folder), "--copy-only", *options])


def test_editions_differ_in_outputs_solutions_and_claims(shipped, tmp_path):
    path = shipped("lessons/00_start_here", "6 * 7")
    notebook = nbformat.read(path, 4)
    metadata = {tag: {"tags": [tag], "jupyter": FOLDED} for tag in ("solution", "claim")}
    sources = {"solution": "# solution\nanswer = 42", "claim": "# claim\nassert 42 > 41"}
    notebook.cells += [new_code_cell(sources[tag], metadata=metadata[tag]) for tag in sources]
    nbformat.write(notebook, path)
    run([path], [path])
    executed = nbformat.read(path, 4).cells
    assert [cell.metadata for cell in executed[1:]] == list(metadata.values())  # as before the run
    (path.parent / "glossary.md").write_text("# Words", encoding="utf-8")

    assert copy(tmp_path / "student") == 0
    [cell] = nbformat.read(tmp_path / "student" / "lessons" / path.name, 4).cells
    assert cell.source.endswith("6 * 7")
    assert (cell.outputs, cell.execution_count) == ([], None)
    assert (tmp_path / "student" / "lessons" / "glossary.md").read_text(
        encoding="utf-8"
    ) == "# Words"
    assert copied_files(tmp_path / "student") == [
        "lessons/00_start_here.ipynb",
        "lessons/glossary.md",
    ]

    assert copy(tmp_path / "teacher", "--solved") == 0
    computed, solution, claim = nbformat.read(tmp_path / "teacher" / "lessons" / path.name, 4).cells
    assert [output.data["text/plain"] for output in computed.outputs] == ["42"]
    assert solution.metadata["jupyter"] == claim.metadata["jupyter"] == FOLDED
    assert [solution.source, claim.source] == list(sources.values())


def test_lab_copies_what_is_not_there_and_keeps_what_is(shipped, tmp_path, capsys):
    start, study = shipped("lessons/00_start_here", "1"), shipped("studies/real", "2")
    mine = tmp_path / "mine"
    assert copy(mine) == 0
    for path in (start, study):
        copied = mine / path.relative_to(start.parents[1])
        assert nbformat.read(copied, 4).cells[0].source == nbformat.read(path, 4).cells[0].source
    assert copy(mine) == 0
    assert "stays as it is" not in capsys.readouterr().out

    (mine / "lessons" / "00_start_here.ipynb").write_text("my own", encoding="utf-8")
    (mine / "studies" / "real.ipynb").unlink()
    study = shipped("studies/real", "a new edition")
    assert copy(mine) == 0
    assert (mine / "lessons" / "00_start_here.ipynb").read_text(encoding="utf-8") == "my own"
    [cell] = nbformat.read(mine / "studies" / "real.ipynb", 4).cells
    assert cell.source.endswith("a new edition")
    told = [line for line in capsys.readouterr().out.splitlines() if "stays as it is" in line]
    assert told == [
        "  lessons/00_start_here.ipynb differs from the one shipped, and stays as it is"
    ]


def copied_files(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.*"))


def test_only_teachers_get_the_answers_of_the_exam(shipped, tmp_path):
    exam = shipped("lessons/07_gain", "1").with_name("exam_questions.md")
    exam.write_text("42", encoding="utf-8")
    for edition, is_there in {"--copy-only": False, "--solved": True}.items():
        assert copy(tmp_path / edition, edition) == 0
        assert (tmp_path / edition / "lessons" / exam.name).exists() == is_there


@pytest.mark.parametrize(
    "there",
    [
        "folder",
        pytest.param("link to elsewhere", marks=needs_links),
        pytest.param("link to nothing", marks=needs_links),
    ],
)
def test_lab_writes_nothing_over_or_through_what_is_no_notebook(shipped, tmp_path, capsys, there):
    shipped("00_start_here", "1")
    mine, elsewhere = tmp_path / "mine", tmp_path / "elsewhere.ipynb"
    mine.mkdir()
    place = mine / "00_start_here.ipynb"
    if there == "folder":
        place.mkdir()
    else:
        place.symlink_to(elsewhere)
    if there == "link to elsewhere":
        elsewhere.write_text("not receval's", encoding="utf-8")
    assert copy(mine) == 0
    assert "00_start_here.ipynb differs from the one shipped" in capsys.readouterr().out
    assert place.is_symlink() == (there != "folder")
    if there == "link to elsewhere":
        assert elsewhere.read_text(encoding="utf-8") == "not receval's"
    else:
        assert not elsewhere.exists()


@pytest.fixture
def started(monkeypatch):
    """The arguments of each JupyterLab that is started; the user is nobody special."""
    arguments = []
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setattr(os, "geteuid", lambda: 1000, raising=False)
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=arguments.append))
    return arguments


def test_lab_opens_jupyterlab_on_the_first_notebook(shipped, tmp_path, started):
    shipped("00_start_here", "1")
    assert cli.main(["lab", str(tmp_path / "mine")]) == 0
    assert started == [[str(tmp_path / "mine"), f"--LabApp.default_url=/lab/tree/{START}"]]
    asks = Path(
        os.environ["JUPYTER_CONFIG_PATH"].split(os.pathsep)[0], "labconfig/page_config.json"
    )
    assert "announcements" in asks.read_text(encoding="utf-8")  # is off


def test_lab_hands_other_options_on(shipped, tmp_path, monkeypatch):
    shipped("00_start_here", "1")
    started = []
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", "")
    monkeypatch.setitem(sys.modules, "jupyterlab.labapp", SimpleNamespace(main=started.append))
    options = ["--no-browser", "--allow-root", "--port", "8890"]
    assert cli.main(["lab", str(tmp_path / "mine"), *options]) == 0
    assert started[0][1:] == ["--LabApp.default_url=/lab/tree/00_start_here.ipynb", *options]


def test_only_lab_takes_options_that_are_not_its_own(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["reproduce", "--allow-root"])
    assert stopped.value.code == 2
    assert "unrecognized arguments: --allow-root" in capsys.readouterr().err


def test_the_solved_notebooks_have_a_folder_of_their_own(shipped, tmp_path, monkeypatch, capsys):
    path = shipped("00_start_here", "6 * 7")
    run([path], [path])
    monkeypatch.chdir(tmp_path)
    assert cli.main(["lab", "--copy-only"]) == 0
    assert cli.main(["lab", "--solved", "--copy-only"]) == 0
    assert "stays as it is" not in capsys.readouterr().out
    for folder, n_outputs in (("my-notebooks", 0), ("solved-notebooks", 1)):
        [cell] = nbformat.read(tmp_path / folder / path.name, 4).cells
        assert len(cell.outputs) == n_outputs


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="Windows has no root")
@pytest.mark.parametrize(
    ("user", "options", "added"),
    [
        pytest.param(0, [], ["--allow-root"], id="root"),
        pytest.param(0, ["--ServerApp.allow_root=False"], [], id="root who chooses"),
        pytest.param(1000, [], [], id="somebody else"),
    ],
)
def test_lab_starts_as_root_and_says_so(
    shipped, tmp_path, monkeypatch, started, capsys, user, options, added
):
    shipped("00_start_here", "1")
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert cli.main(["lab", str(tmp_path / "mine"), *options]) == 0
    assert started[0][2:] == [*added, *options]
    printed = capsys.readouterr().out
    assert ("You are root, so receval adds --allow-root" in printed) == bool(added)


@pytest.fixture
def files(tmp_path):
    """Two systems and a truth as files."""
    (tmp_path / "good.csv").write_text("user,item,score\n1,a,0.9\n1,b,0.1\n", encoding="utf-8")
    (tmp_path / "bad.run").write_text("1 Q0 b 1 0.9 t\n1 Q0 a 2 0.1 t\n", encoding="utf-8")
    (tmp_path / "truth.qrels").write_text("1 0 a 1\n", encoding="utf-8")
    (tmp_path / "truth.csv").write_text("user,item,relevance\n1,a,1\n", encoding="utf-8")
    return tmp_path


def test_evaluate_prints_the_table_and_the_methods(files, capsys):
    per_user = files / "values.csv"
    arguments = ["-m", "MRR@2", "-m", "HR@1", str(files / "good.csv"), str(files / "truth.csv")]
    arguments += ["--methods", "--per-user", str(per_user)]
    assert cli.main(["evaluate", *arguments]) == 0
    printed = capsys.readouterr().out
    assert "1.0000" in printed
    assert "1 judged, 1 answered" in printed
    assert "convention 'receval'" in printed
    assert per_user.read_text(encoding="utf-8").splitlines() == ["user,MRR@2,HR@1", "1,1.0,1.0"]


def test_evaluate_compares_systems_and_reads_trec_files(files, capsys):
    second = files / "worse.run"
    second.write_text((files / "bad.run").read_text(encoding="utf-8"), encoding="utf-8")
    arguments = [str(files / "bad.run"), str(second), str(files / "truth.qrels"), "-m", "MRR@2"]
    assert cli.main(["evaluate", *arguments, "--convention", "trec_eval"]) == 0
    printed = capsys.readouterr().out
    assert "bad" in printed
    assert "worse" in printed
    assert "0.5000" in printed


@pytest.fixture
def tables(tmp_path):
    """Tables with columns of other names, a catalogue and a history."""
    texts = {
        "recs": "who,what,place,by\n1,a,2,A\n1,b,1,A\n1,a,1,B\n1,b,2,B\n",
        "scores": "user,item,score\n1,a,0.5\n1,b,0.5\n",
        "truth": "who,what,stars\n1,a,1\n",
        "plain": "user,item,relevance\n1,a,1\n2,a,1\n",
        "items": "item,awards,novelty_date,blue\na,9,2020-01-01,1\n"
        "b,1,2020-01-31,0\nc,1,2020-01-31,1\n",
        "history": "user,item\n1,a\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return lambda name: str(tmp_path / f"{name}.csv")


def printed_by(capsys, *arguments):
    return run_by(capsys, "evaluate", *arguments).out


def run_by(capsys, *arguments):
    assert cli.main(arguments) == 0, capsys.readouterr().err
    return capsys.readouterr()


def test_evaluate_takes_names_of_columns(tables, capsys):
    names = ["--user", "who", "--item", "what", "--rank", "place", "--system", "by"]
    for option in ("--relevance-column", "--relevance"):
        text = printed_by(
            capsys, tables("recs"), tables("truth"), "-m", "MRR", *names, option, "stars"
        )
        assert [line.split() for line in text.splitlines()[2:4]] == [
            ["A", "0.5000"],
            ["B", "1.0000"],
        ]
    how = ("-m", "MRR", *names, "--relevance-column", "None")
    assert "1.0000" in printed_by(capsys, tables("recs"), tables("truth"), *how)


def test_users_of_trec_files_are_text(tmp_path, capsys):
    (tmp_path / "a.run").write_text("1 Q0 a 1 0.5 t\n1 Q0 b 2 0.4 t\n", encoding="utf-8")
    (tmp_path / "a.qrels").write_text("1 0 a 1\n2 0 a 1\n", encoding="utf-8")
    files = [str(tmp_path / "a.run"), str(tmp_path / "a.qrels"), "-m", "MRR"]
    assert "0.5000" in printed_by(capsys, *files)
    (tmp_path / "labels.csv").write_text("user,item,relevance\n1,a,1\n", encoding="utf-8")
    assert cli.main(["evaluate", files[0], str(tmp_path / "labels.csv"), "-m", "MRR"]) == 2
    assert "must be ids of one kind" in capsys.readouterr().err


def test_a_comma_between_parameters_does_not_part_measures(tables, capsys):
    files = [tables("scores"), tables("plain"), "-m"]
    text = printed_by(capsys, *files, "RBP(p=0.9)@2, MRR,RBP(p=0.8)")
    assert text.split()[:3] == ["RBP(p=0.9)@2", "MRR", "RBP(p=0.8)"]
    assert cli.main(["evaluate", *files, "MRR,RBP(p=0.9, q=1)@2"]) == 2
    assert "got 'RBP(p=0.9, q=1)@2'" in capsys.readouterr().err


def test_evaluate_takes_rules(tables, capsys):
    files = [tables("scores"), tables("plain"), "-m", "MRR"]
    for options, mean in (
        ([], "0.5000"),
        (["--ties", "pessimistic"], "0.2500"),
        (["--users", "both"], "1.0000"),
        (["--ties", "item_descending", "--users", "both"], "0.5000"),
    ):
        assert printed_by(capsys, *files, *options).splitlines()[2].split() == [mean]
    twice = Path(tables("scores"))
    twice.write_text(twice.read_text(encoding="utf-8") + "1,a,0.4\n", encoding="utf-8")
    assert cli.main(["evaluate", *files]) == 2
    assert "must hold each item of a user at most once" in capsys.readouterr().err
    assert "1 repeated" in printed_by(capsys, *files, "--duplicates", "first")
    assert cli.main(["evaluate", *files, "--ties", "lucky"]) == 2
    assert "ties must be one of 'item'" in capsys.readouterr().err


def test_evaluate_takes_a_history_but_no_catalogue(tables, capsys):
    files = [tables("scores"), tables("plain"), "-m"]
    text = printed_by(capsys, *files, "nov_u", "--history", tables("history"))
    assert text.splitlines()[2].split() == ["0.5000"]
    assert cli.main(["evaluate", *files, "CC"]) == 2
    assert "items must be given for CC: a catalogue, which only Python" in capsys.readouterr().err


def test_datasets_are_listed_and_fetched(capsys, monkeypatch, tmp_path):
    assert cli.main(["datasets"]) == 0
    assert "cars/cars-1k.csv  (wi2trier/cbrkit at" in capsys.readouterr().out
    monkeypatch.setattr("receval.datasets.fetch", lambda name: tmp_path / name)
    assert cli.main(["datasets", "cars/cars-1k.csv"]) == 0
    assert str(tmp_path) in capsys.readouterr().out


def test_a_missing_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "jupyterlab", None)  # as if it were not installed
    assert cli.main(["lab"]) == 2
    assert 'pip install "receval[notebooks]"' in capsys.readouterr().err


def test_the_version_is_printed(capsys):
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"receval {receval.__version__}\n"


@pytest.mark.parametrize(
    "command",
    ["evaluate", "explain", "which", "compare", "conventions", "reproduce", "lab", "datasets"],
)
def test_every_command_has_help_with_an_example(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main([command, "--help"])
    assert stopped.value.code == 0
    text = capsys.readouterr().out
    assert f"example:\n  receval {command}" in text
    if command == "evaluate":
        assert all(re.search(rf"\b{tie}\b", text) for tie in TIES)


def test_a_reader_that_goes_away_is_no_error(monkeypatch, capsys):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w", encoding="utf-8") as pipe:  # closing it would raise again
        monkeypatch.setattr(sys, "stdout", pipe)
        assert cli.main(["conventions"]) == 141
    monkeypatch.setattr(sys, "stdout", None)  # closed by the shell
    assert cli.main(["conventions"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("name", ["gone.csv", "gone.run", "gone.parquet", "gone/*.parquet"])
def test_a_missing_file_is_told_from_a_wrong_one(files, capsys, monkeypatch, name):
    monkeypatch.chdir(files)
    Path("wrong.csv").write_text("user\n1\n", encoding="utf-8")
    for arguments in (
        ["evaluate", name, "truth.csv", "-m", "MRR"],
        ["compare", "good.csv", name, "truth.csv"],
        ["evaluate", "good.csv", "truth.csv", "-m", "nov_u", "--history", name],
    ):
        assert cli.main(arguments) == 3
        assert f"got {name!r}" in capsys.readouterr().err
    assert cli.main(["evaluate", "wrong.csv", "truth.csv"]) == 2


@pytest.fixture
def two(tables, tmp_path):
    """Two systems of which one is better for every user, and a truth, as arguments."""
    users = range(1, 9)
    lists = {"late": [("b", 1), ("a", 2)], "early": [("a", 1)], "truth": [("a", 1)]}
    for name, rows in lists.items():
        head = "user,item,relevance" if name == "truth" else "user,item,rank"
        lines = [head, *(f"{user},{item},{n}" for user in users for item, n in rows)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    return [*map(tables, lists), "--rank", "rank"]


def test_the_table_of_means_has_five_forms(two, capsys):
    arguments = ["evaluate", *two, "-m", "MRR,HR@1"]
    assert "**1.0000**" in run_by(capsys, *arguments, "--format", "markdown").out
    assert r"early & \textbf{1.0000} &" in run_by(capsys, *arguments, "--format", "latex").out
    latex = run_by(capsys, *arguments, "--format", "latex", "--methods").out
    assert r"receval2026} under its convention" in latex
    found = run_by(capsys, *arguments, "--format", "csv", "--methods")
    assert found.out.splitlines() == ["system,MRR,HR@1", "late,0.5,0.0", "early,1.0,1.0"]
    assert "8 judged" in found.err  # no note in what a program reads
    assert "computed with receval" in found.err
    rows = json.loads(run_by(capsys, *arguments, "--format", "json").out)
    assert rows[1] == {"system": "early", "MRR": 1.0, "HR@1": 1.0}
    with pytest.raises(SystemExit) as stopped:
        cli.main([*arguments, "--format", "word"])
    assert stopped.value.code == 2


def test_systems_are_compared_with_the_options_of_the_method(two, capsys):
    arguments = ["compare", *two, "-m", "MRR", "--test", "sign"]
    arguments += ["--baseline", "late", "--correction", "none"]
    told = run_by(capsys, *arguments).out
    assert re.search(r"MRR +early +late +\+0\.500 +– +0\.008", told)  # all differ by the same
    assert "sign test" in told
    (row,) = json.loads(run_by(capsys, *arguments, "--format", "json").out)
    assert (row["system"], row["difference"], row["verdict"]) == ("early", 0.5, "better")
    assert row["p"] == pytest.approx(2 / 2**8)
    told = run_by(capsys, *arguments, "--format", "markdown").out
    assert "| early | late | +0.500 |" in told
    assert "$+0.500$" in run_by(capsys, *arguments, "--format", "latex").out
    assert cli.main([*arguments, "--baseline", "nobody"]) == 2
    assert "baseline must be one of ['late', 'early']" in capsys.readouterr().err


def test_a_number_is_explained_by_the_user_as_it_is_written(two, capsys):
    told = run_by(capsys, "explain", "3", "mrr", *two).out
    assert "MRR of user 3 under 'late' = 0.5" in told
    assert "MRR of user 3 under 'early' = 1" in told
    assert cli.main(["explain", "99", "MRR", *two]) == 2
    assert "who must be a judged user, such as 1," in capsys.readouterr().err
    assert cli.main(["explain", "3", "MRR,HR", *two]) == 2
    assert "got 'MRR,HR'" in capsys.readouterr().err


def test_systems_are_named_after_their_files_whatever_these_are_called(two, tmp_path, capsys):
    files = [tmp_path / name for name in ("1.csv", "2.csv.gz")]
    files[0].write_bytes(Path(two[0]).read_bytes())
    files[1].write_bytes(gzip.compress(Path(two[1]).read_bytes()))
    names = [*map(str, files), *two[2:], "-m", "MRR"]
    rows = json.loads(run_by(capsys, "evaluate", *names, "--format", "json").out)
    assert [row["system"] for row in rows] == ["1", "2"]


@pytest.mark.filterwarnings("ignore:no convention gives")
def test_which_takes_grades_or_files(two, capsys):
    told = run_by(capsys, "which", "0.88", "3,2, 3,0,0,1,2,2.0,3,0", "-m", "nDCG@10").out
    assert told.splitlines()[2].split() == ["satisfaction", "0.8825", "0.0000"]
    assert cli.main(["which", "0.88", "1.2.3,4"]) == 2
    assert cli.main(["which", "1e999", "1,0"]) == 2
    late, _, truth, *rank = two
    rows = run_by(capsys, "which", "0.5", late, truth, *rank, "-m", "MRR", "--format", "json").out
    first = json.loads(rows)[0]
    assert (first["convention"], first["value"], first["distance"]) == ("receval", 0.5, 0.0)
    with pytest.raises(SystemExit):  # the search tries all ties and conventions
        cli.main(["which", "0.5", late, truth, *rank, "--ties", "item"])
    assert "unrecognized arguments: --ties" in capsys.readouterr().err
    assert cli.main(["which", "0.5", late]) == 2
    assert "relevance must be given with tables" in capsys.readouterr().err


def test_conventions_are_listed(capsys):
    told = run_by(capsys, "conventions", "ranx", "sklearn").out.splitlines()
    assert [line for line in told if line[0] != " "] == ["ranx", "sklearn"]
    assert "  gain: linear_gain" in told
    told = run_by(capsys, "conventions").out.splitlines()
    assert [line for line in told if line[0] != " "] == list(receval.conventions().index)
    assert cli.main(["conventions", "rankx"]) == 2
    assert "Did you mean 'ranx'?" in capsys.readouterr().err


def test_evaluate_takes_pairs_of_names(two, capsys):
    truth = Path(two[2])
    truth.write_text(truth.read_text("utf-8").replace("user,", "uid,"), encoding="utf-8")
    told = printed_by(capsys, *two, "-m", "MRR", "--user", "user,uid")
    assert [line.split() for line in told.splitlines()[2:4]] == [
        ["late", "0.5000"],
        ["early", "1.0000"],
    ]


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
