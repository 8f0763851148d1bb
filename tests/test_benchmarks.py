"""The benchmarks on a few users: tools with right results are accepted, others are not."""

import json
import re
from functools import cache
from importlib import import_module

import numpy as np
import pandas as pd
import pytest
from systems import needs_linux_counts

from benchmarks import bars, data, page, run, streamed
from benchmarks.expected import expected, faults
from benchmarks.measure import answer, measure
from benchmarks.tools import TOOLS
from receval.evaluation import parts

# ranx compiles for half a minute; the others have environments of their own.
HERE = [name for name, tool in TOOLS.items() if not tool.environment and name != "ranx"]
CASES = [data.Case.named(name) for name in ("XS", "XS-text", "XS-long", "XS-shuffled", "XS-top100")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("benchmarks")
    for case in CASES:
        data.write(case, made)
    return made


@cache
def answers(case, folder):
    return expected(case, folder, ["receval", "trec_eval", "pytrec_eval"])


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("name", HERE)
def test_every_tool_answers_as_receval_does_under_its_definitions(name, case, folder):
    tool = import_module(f"benchmarks.tools.{name}")
    answered = answer(*tool.run(*data.read(case, folder), case.k))
    assert faults(answered, answers(case, folder)[TOOLS[name].convention]) == []


@needs_linux_counts
def test_a_measurement_has_times_memory_and_versions(folder, clock, monkeypatch):
    case, tool = CASES[0], import_module("benchmarks.tools.pandas")
    seconds, once = iter([100, 0.5, 0.125, 0.25]), tool.run

    def slow(*arguments):
        clock.sleep(next(seconds))
        return once(*arguments)

    monkeypatch.setattr(tool, "run", slow)
    monkeypatch.setattr("benchmarks.measure.time", clock)
    found = measure("pandas", case, folder)
    assert faults(found, answers(case, folder)["receval"]) == []
    # Not the warm-up, and of the three calls that follow the middle one.
    assert (found["first"], found["seconds"]) == (0.5, 0.25)
    assert 0 <= found["extra"] < 1e9
    assert found["returned"] > found["users"] * 6 * 8
    assert found["versions"] == {"pandas": pd.__version__}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        pytest.param(lambda t: t * (1 + 1e-8), ["HR@10", "MRR@10"], id="a little too large"),
        pytest.param(lambda t: t.assign(**{"Recall@10": t["Precision@10"]}), ["Recall@10"], id="k"),
        pytest.param(lambda t: t.assign(**{"nDCG@10": np.nan}), ["nDCG@10"], id="undefined"),
        pytest.param(lambda t: t.iloc[1:], ["users"], id="a user left out"),
    ],
)
def test_a_wrong_tool_is_not_let_in(change, told, folder):
    recs, truth = data.read(CASES[0], folder)
    per_user = change(import_module("benchmarks.tools.pandas").run(recs, truth, CASES[0].k)[0])
    words = faults(answer(per_user, per_user.mean()), answers(CASES[0], folder)["receval"])
    assert all(any(name in word for word in words) for name in told)


def test_the_data_are_what_the_page_says(folder):
    keys, recs, truth = ["user", "item"], *data.read(CASES[0], folder)
    assert len(recs) == CASES[0].rows
    assert set(truth["relevance"]) == {1, 2, 3, 4, 5}
    assert len(recs.merge(truth)) / len(recs) == pytest.approx(data.HITS, abs=0.02)
    assert set(recs["user"]) - set(truth["user"])
    assert set(truth["user"]) - set(recs["user"])
    shuffled = data.read(data.Case.named("XS-shuffled"), folder)
    for table, other in zip((recs, truth), shuffled, strict=True):
        assert not table.duplicated(keys).any()
        assert other["user"].diff().min() < 0
        tables = [rows.sort_values(keys, ignore_index=True) for rows in (other, table)]
        pd.testing.assert_frame_equal(*tables)
    text, _ = data.read(data.Case.named("XS-text"), folder)
    assert (text["user"].str[1:].astype(int) == recs["user"]).all()


@pytest.fixture
def made(tmp_path):
    """Run the benchmark on the smallest case, and return its status and its page."""

    def run_tools(tools):
        folders = ["--work", str(tmp_path / "work"), "--output", str(tmp_path)]
        options = ["--cases", "XS", "--sizes", "XS", "--rounds", "1", "--only", tools]
        status = run.main([*options, *folders])
        return status, (tmp_path / "benchmarks.md").read_text(encoding="utf-8")

    return run_tools


def test_a_run_writes_its_page(made, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RECEVAL_PEERS", str(tmp_path / "nowhere"))
    other = "<!-- reading -->\n\n| of another program |\n\n<!-- /reading -->"
    (tmp_path / "benchmarks.md").write_text(other, "utf-8")
    status, text = made("receval,replay")
    assert (status, text.count(other)) == (0, 1)
    assert "replay is left out" in capsys.readouterr().err
    assert re.search(r"\| receval \| \d+\.\d", text)
    assert (tmp_path / "_static" / "benchmarks.svg").exists()
    saved = json.loads((tmp_path / "work/results.json").read_text(encoding="utf-8"))
    assert set(saved["results"]) == {"XS"}


def test_a_wrong_tool_fails_the_run_and_has_no_place_on_the_page(made, monkeypatch, capsys):
    costs = dict.fromkeys(("seconds", "first", "import", "extra", "returned"), 1.0)

    def ask(self, python, module, case, *arguments, tool=None):
        right = {"means": {"HR@10": 0.5}, "users": 5}
        if module == "expected":
            return dict.fromkeys(arguments, right)
        wrong = {"means": {"HR@10": 0.6}} if tool == "pandas" else {}
        return right | wrong | costs | {"versions": {}}

    monkeypatch.setattr(run.Run, "_ask", ask)
    status, text = made("receval,pandas,polars")
    told = "pandas merge and groupby on 10³ rows, int ids, grouped: HR@10 is 0.6, not 0.5"
    assert told in capsys.readouterr().out
    assert (status, "| Polars | 1 (1) |" in text) == (1, True)
    assert "| pandas merge and groupby | 1" not in text


@pytest.mark.parametrize(
    ("value", "row"),
    [
        (3.0, ("≥ 2 × ✓", "**3 ×**")),
        (1.0, ("≥ 2 × ✗", "**1 ×**")),
    ],
)
def test_a_bar_says_whether_it_holds(value, row):
    times = {"M": {"peer": {"seconds": value}, "receval": {"seconds": 1.0}}}
    bar = bars.Bar("case", "peer / receval", bars.times("peer", "M"), 2)
    assert bar.row(times)[2:] == row
    assert bar.row({})[2:] == ("≥ 2 ×", "–")


@needs_linux_counts
@pytest.mark.parametrize("changes", [{}, {"k": 100}, {"shuffled": True}], ids=str)
def test_files_are_written_and_streamed_to_the_means_of_numpy(changes, tmp_path, monkeypatch):
    case = streamed.Case("", 15_000, **changes)
    monkeypatch.setattr(streamed, "WORK", tmp_path)
    monkeypatch.setattr(streamed, "FILE_ROWS", 5_000)
    monkeypatch.setattr(parts, "STREAM_ROWS", parts.STREAM_ROWS)  # the benchmark changes it
    streamed.write(case)
    folder = tmp_path / case.files
    assert len(list((folder / "recs").iterdir())) == 3
    users = pd.read_parquet(folder / "recs")["user"]
    assert (len(users), users.is_monotonic_increasing) == (case.rows, not case.shuffled)
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    measured = streamed.measure(case)
    assert faults(measured, wanted) == []
    wanted["means"]["nDCG@10"] += 1e-8
    assert len(faults(measured, wanted)) == 1


def test_a_table_is_put_between_its_marks(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("a\n<!-- one -->\nold\n<!-- /one -->\nb\n", encoding="utf-8")
    page.put("one", "new", path)
    assert path.read_text(encoding="utf-8") == "a\n<!-- one -->\n\nnew\n\n<!-- /one -->\nb\n"
    with pytest.raises(ValueError, match="one place marked 'two'; got 0"):
        page.put("two", "new", path)
