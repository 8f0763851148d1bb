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
    path = tmp_path_factory.mktemp("benchmarks")
    for case in CASES:
        data.write(case, path)
    return path


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
def test_a_measurement_is_the_middle_of_three_calls_after_a_warm_up(folder, clock, monkeypatch):
    tool = import_module("benchmarks.tools.pandas")
    seconds, run_tool = iter([100, 0.5, 0.25, 0.125]), tool.run

    def slow(*arguments):
        clock.sleep(next(seconds))
        return run_tool(*arguments)

    monkeypatch.setattr(tool, "run", slow)
    monkeypatch.setattr("benchmarks.measure.time", clock)
    measured = measure("pandas", CASES[0], folder)
    assert (measured["first"], measured["seconds"]) == (0.5, 0.25)


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
    recs, truth = data.read(CASES[0], folder)
    assert set(truth["relevance"]) == {1, 2, 3, 4, 5}
    assert len(recs.merge(truth)) / len(recs) == pytest.approx(data.HITS, abs=0.02)
    assert set(recs["user"]) - set(truth["user"])
    assert set(truth["user"]) - set(recs["user"])
    shuffled, _ = data.read(data.Case.named("XS-shuffled"), folder)
    assert not shuffled["user"].is_monotonic_increasing
    tables = [rows.sort_values(["user", "item"], ignore_index=True) for rows in (shuffled, recs)]
    pd.testing.assert_frame_equal(*tables)


def run_smallest_case(folder, tools):
    """Run the benchmark on the smallest case, and return its status and its page."""
    folders = ["--work", str(folder / "work"), "--output", str(folder)]
    options = ["--cases", "XS", "--sizes", "XS", "--rounds", "1", "--only", tools]
    status = run.main([*options, *folders])
    return status, (folder / "benchmarks.md").read_text(encoding="utf-8")


def test_a_run_writes_its_page(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("RECEVAL_PEERS", str(tmp_path / "nowhere"))
    other = "<!-- reading -->\n\n| of another program |\n\n<!-- /reading -->"
    (tmp_path / "benchmarks.md").write_text(other, "utf-8")
    status, text = run_smallest_case(tmp_path, "receval,replay")
    assert (status, text.count(other)) == (0, 1)
    assert "replay is left out" in capsys.readouterr().err
    assert re.search(r"\| receval \| \d+\.\d", text)


def test_a_wrong_tool_fails_the_run_and_has_no_place_on_the_page(tmp_path, monkeypatch, capsys):
    right = {"means": {"HR@10": 0.5}, "users": 5}
    costs = dict.fromkeys(("seconds", "first", "import", "extra", "returned"), 1.0)

    def ask(self, python, module, case, *arguments, tool=None):
        if module == "expected":
            return dict.fromkeys(arguments, right)
        means = {"HR@10": 0.6 if tool == "pandas" else 0.5}
        return {**right, "means": means, **costs, "versions": {}}

    monkeypatch.setattr(run.Run, "_ask", ask)
    status, text = run_smallest_case(tmp_path, "receval,pandas,polars")
    assert status == 1
    assert "int ids, grouped: HR@10 is 0.6, not 0.5" in capsys.readouterr().out
    assert "| Polars | 1 (1) |" in text
    assert "| pandas merge and groupby | 1" not in text


@pytest.mark.parametrize(
    ("times", "row"),
    [
        ({"M": {"peer": {"seconds": 3.0}, "receval": {"seconds": 1.0}}}, ("≥ 2 × ✓", "**3 ×**")),
        ({"M": {"peer": {"seconds": 1.0}, "receval": {"seconds": 1.0}}}, ("≥ 2 × ✗", "**1 ×**")),
        ({}, ("≥ 2 ×", "–")),
    ],
    ids=["met", "not met", "not measured"],
)
def test_a_bar_says_whether_it_is_met(times, row):
    bar = bars.Bar("case", "peer / receval", bars.times("peer", "M"), 2)
    assert bar.row(times)[2:] == row


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
    expected_means = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    assert faults(streamed.measure(case), expected_means) == []


def test_a_table_is_put_between_its_marks(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("a\n<!-- one -->\nold\n<!-- /one -->\nb\n", encoding="utf-8")
    page.put("one", "new", path)
    assert path.read_text(encoding="utf-8") == "a\n<!-- one -->\n\nnew\n\n<!-- /one -->\nb\n"
