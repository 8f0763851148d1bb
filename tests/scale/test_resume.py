"""What a run leaves behind: continued, refused or removed, but never mixed up.

The rows 69 to 74 of the list of bad inputs: out of memory, killed, run twice at once, a full disk,
inputs that change in between, interrupted.
"""

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pytest
from scale_data import KILLS, WITH_ITEMS, assert_same, tables

from receval import InputError, evaluate
from receval.large import journal
from receval.large.task import Task

pytestmark = pytest.mark.usefixtures("small_parts", "no_power_cut")

PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
from scale_data import WITH_ITEMS, tables
from receval import evaluate
from receval.large import ranges, run, sources, spill
import pyarrow.parquet, pyarrow.compute
run.PART_ROWS, sources.BATCH_ROWS, spill.SPILL_ROWS = 500, 128, 900
ranges.EVERY = spill.EVERY = 7
print("ready", flush=True)
evaluate("recs.parquet", "truth.parquet", WITH_ITEMS, items=tables(text=True)[3],
         history="seen.parquet", output="out")
"""


@pytest.fixture
def inputs(tmp_path, monkeypatch):
    """Files in the current folder; answers what an undisturbed evaluation in memory finds."""
    monkeypatch.chdir(tmp_path)
    recs, truth, seen, items = tables(text=True)
    recs.sample(frac=1, random_state=1).to_parquet("recs.parquet", row_group_size=300)
    truth.sort_values("user").to_parquet("truth.parquet", row_group_size=300)
    seen.sample(frac=1, random_state=2).to_parquet("seen.parquet")
    return evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)


def again(output="out", **options):
    """The evaluation of the files."""
    return evaluate(
        "recs.parquet",
        "truth.parquet",
        options.pop("measures", WITH_ITEMS),
        items=tables(text=True)[3],
        history="seen.parquet",
        output=output,
        **options,
    )


@contextmanager
def started():
    """The same evaluation in a process of its own, as soon as it begins to work."""
    command = [sys.executable, "-c", PROCESS, str(Path(__file__).parents[1])]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline() == "ready\n"
        yield process


def wait_for(pattern):
    """Until the process has written a file."""
    for _ in range(100_000):
        if list(Path().glob(pattern)):
            return
        time.sleep(0.005)
    pytest.fail(f"{pattern} was not written")


def left_aside():
    return [path.name for path in Path("out").rglob("*") if path.name.endswith(journal.ASIDE)]


class Stopped(Exception):
    pass


def stop_after(monkeypatch, steps):
    """Let a run fail after so many recorded steps."""
    record, count = journal.Journal.record, iter(range(steps))

    def recorded(self, *arguments):
        if next(count, None) is None:
            raise Stopped
        record(self, *arguments)

    monkeypatch.setattr(journal.Journal, "record", recorded)
    with pytest.raises(Stopped):
        again()
    monkeypatch.setattr(journal.Journal, "record", record)


@pytest.mark.row(70)
@pytest.mark.parametrize("steps", [0, 1, 2, 4, 8, 12])
def test_continues_where_it_was_stopped(inputs, monkeypatch, steps):
    stop_after(monkeypatch, steps)
    calls, part = [], Task.part
    monkeypatch.setattr(
        Task, "part", lambda self, *own, **more: (calls.append(1), part(self, *own, **more))[1]
    )
    done = len(list(Path("out/records").glob("part-*")))
    found = again()
    assert_same(found, inputs)
    assert len(calls) + done == len(list(Path("out/records").glob("part-*")))
    calls.clear()
    assert_same(again(), inputs)
    assert calls == []


@pytest.mark.long
@pytest.mark.row(70)
def test_a_killed_process_is_continued_to_the_same_bits(inputs):
    rng = random.Random(11)
    began = time.monotonic()
    again("timed")
    longest = time.monotonic() - began
    killed = 0
    while killed < KILLS:
        with started() as process:
            try:
                process.wait(rng.uniform(0, longest))
            except subprocess.TimeoutExpired:
                process.kill()
                killed += 1
        # Half of the time the next process goes on with what is left and may be killed as well.
        if process.returncode == 0 or rng.random() < 0.5:
            assert_same(again(), inputs)
            assert left_aside() == []
            shutil.rmtree("out")
    assert_same(again(), inputs)
    assert left_aside() == []


@pytest.mark.row(70)
def test_a_file_is_on_the_disk_before_it_is_in_its_place(inputs, monkeypatch):
    events, replace = [], Path.replace
    monkeypatch.setattr(os, "fsync", lambda file: events.append(os.fstat(file).st_ino))

    def replaced(self, target):
        events.append((self.stat().st_ino, target.parent.stat().st_ino))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replaced)
    again()
    placed = [number for number, one in enumerate(events) if isinstance(one, tuple)]
    assert len(placed) > 20
    for number in placed:
        assert (events[number - 1], events[number + 1]) == events[number]


LIMITED = """
import resource
from pathlib import Path
from receval import evaluate
evaluate("recs.parquet", "truth.parquet", "nDCG", output="warm-up")
used = 1024 * int(Path("/proc/self/status").read_text().split("VmData:")[1].split()[0])
resource.setrlimit(resource.RLIMIT_DATA, (used + 2**21, used + 2**21))
print(evaluate("many.parquet", "truth.parquet", "nDCG", output="out"))
"""


@pytest.mark.row(69)
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is limited on Linux")
def test_no_result_where_memory_is_out(inputs):
    rows = pd.DataFrame({"item": [f"i{number}" for number in range(500)]})
    users = pd.read_parquet("truth.parquet")["user"].unique()
    many = rows.merge(pd.DataFrame({"user": users}), how="cross").assign(score=0.5)
    many.to_parquet("many.parquet")
    done = subprocess.run([sys.executable, "-c", LIMITED], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "MemoryError" in done.stderr
    truth = pd.read_parquet("truth.parquet")
    assert_same(
        evaluate("many.parquet", "truth.parquet", "nDCG", output="out"),
        evaluate(many, truth, "nDCG"),
    )


@pytest.mark.row(69)
def test_a_part_for_which_memory_is_out_is_done_again(inputs, monkeypatch):
    part, count = Task.part, iter(range(3))

    def exhausted(self, *own, **more):
        if next(count, None) is None:
            raise MemoryError
        return part(self, *own, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Task, "part", exhausted)
        with pytest.raises(MemoryError):
            again()
    assert len(list(Path("out/records").glob("part-*"))) == 3
    assert not Path("out/records/result.json").exists()
    assert_same(again(), inputs)


@pytest.mark.long  # what is waited for may be over before it is seen
@pytest.mark.row(74)
def test_an_interrupt_stops_at_once_and_leaves_no_half_file(inputs):
    with started() as process:
        wait_for("out/records/part-*")
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert left_aside() == []
    assert_same(again(), inputs)


@pytest.mark.row(71)
def test_two_runs_never_write_to_one_folder(inputs):
    with journal.locked(Path("out")), pytest.raises(InputError, match="one run at a time; process"):
        again()
    assert_same(again(), inputs)


@pytest.mark.long  # as above
@pytest.mark.row(71)
def test_nor_do_two_processes(inputs):
    with started() as process:
        wait_for("out/records/plan.json")
        with pytest.raises(InputError, match=f"process {process.pid} is writing to out"):
            again()
    assert process.returncode == 0
    assert_same(again(), inputs)


def flip(path):
    """Change one byte in the middle."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def cut(path):
    path.write_bytes(path.read_bytes()[:-20])


@pytest.mark.row(70)
@pytest.mark.parametrize("harm", [flip, cut, Path.unlink], ids=["changed", "cut", "removed"])
@pytest.mark.parametrize(
    "victim",
    ["per_user/part-00001.parquet", "items/part-00001.parquet", "work/spill-0-00000.arrow"],
)
def test_refuses_damaged_leftovers(inputs, monkeypatch, victim, harm):
    stop_after(monkeypatch, 9)
    harm(Path("out") / victim)
    with pytest.raises(
        InputError, match=f"{victim} in out is damaged or missing. Delete the folder"
    ):
        again()
    shutil.rmtree("out")
    assert_same(again(), inputs)


@pytest.mark.row(70)
@pytest.mark.parametrize("harm", [flip, cut])
@pytest.mark.parametrize(
    "victim", ["records/part-00001.json", "records/plan.json", "manifest.json"]
)
def test_refuses_damaged_records(inputs, victim, harm):
    again()
    harm(Path("out") / victim)
    with pytest.raises(InputError, match=r"damaged or missing|is of another"):
        again()


@pytest.mark.row(70)
@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param({"measures": ["MRR"]}, "is of another: measures was", id="measures"),
        pytest.param({"ties": "input"}, "convention ties was \"'item'\"", id="choice"),
        pytest.param({"duplicates": "first"}, "duplicates was 'error' and is 'first'", id="option"),
        pytest.param({"now": "2027-01-01"}, "now was None and is '2027", id="day"),
    ],
)
def test_refuses_leftovers_of_another_evaluation(inputs, options, message):
    again()
    with pytest.raises(InputError, match=message):
        again(**options)


@pytest.mark.row(70)
def test_refuses_leftovers_of_another_version(inputs, monkeypatch):
    again()
    monkeypatch.setattr("receval.large.asked.__version__", "0.0.1")
    with pytest.raises(InputError, match=r"receval was .* and is '0.0.1'. Delete the folder"):
        again()


@pytest.mark.row(73)
def test_refuses_a_catalogue_with_one_other_value(inputs):
    again()
    items = tables(text=True)[3]
    items.loc["i3", "length"] += 1e-16 + 1e-9
    with pytest.raises(InputError, match="is of another: items was"):
        evaluate(
            "recs.parquet",
            "truth.parquet",
            WITH_ITEMS,
            items=items,
            history="seen.parquet",
            output="out",
        )


@pytest.mark.row(73)
@pytest.mark.parametrize("steps", [3, 10])
def test_refuses_inputs_that_changed_in_between(inputs, monkeypatch, steps):
    stop_after(monkeypatch, steps)
    truth = pd.read_parquet("truth.parquet")
    truth.loc[5, "relevance"] = 3 - truth.loc[5, "relevance"]
    truth.to_parquet("truth.parquet", row_group_size=300)
    with pytest.raises(
        InputError, match=r"is of another: inputs relevance, file 0 \(truth.parquet\)"
    ):
        again()


@pytest.mark.row(73)
def test_touching_or_moving_the_inputs_changes_nothing(inputs, monkeypatch, tmp_path_factory):
    stop_after(monkeypatch, 6)
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("recs.parquet", "truth.parquet", "seen.parquet", "out"):
        shutil.move(name, elsewhere / name)
    monkeypatch.chdir(elsewhere)
    os.utime("recs.parquet")
    assert_same(again(), inputs)


@pytest.mark.row(73)
def test_notices_a_file_that_changes_while_it_is_read(inputs, monkeypatch):
    part = Task.part

    def touching(self, *own, **more):
        os.utime("recs.parquet", (1, 1))
        return part(self, *own, **more)

    monkeypatch.setattr(Task, "part", touching)
    with pytest.raises(InputError, match="files must stay as they are while they are evaluated"):
        again()
    assert not list(Path("out/records").glob("part-*"))


@pytest.mark.parametrize("name", ["notes.txt", "per_user/mine.parquet"])
def test_leaves_files_of_others_alone(inputs, name):
    (Path("out") / name).parent.mkdir(parents=True)
    (Path("out") / name).write_text("mine")
    with pytest.raises(InputError, match="must be a new or empty folder"):
        again()
    again("out-2")
    (Path("out-2") / name).write_text("mine")
    with pytest.raises(InputError, match=f"nothing but what evaluate wrote; got {name} in out-2"):
        again("out-2")
    assert (Path("out-2") / name).read_text() == "mine"


def test_the_output_is_a_folder(inputs):
    with pytest.raises(InputError, match=r"output must be a folder; recs.parquet is a file"):
        again("recs.parquet")


@pytest.mark.row(72)
def test_a_full_disk_leaves_nothing_half_written(inputs):
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (9_000, limit[1]))
    try:
        with pytest.raises(OSError, match=r"could not be written: .* make room and run the same"):
            again()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert left_aside() == []
    for path in Path("out/records").glob("*.json"):
        json.loads(path.read_text())
    assert_same(again(), inputs)


@pytest.mark.row(72)
def test_a_folder_that_cannot_be_written_is_refused_before_work(inputs, monkeypatch):
    def refused(*_, **__):
        raise PermissionError(13, "Permission denied", "out")

    monkeypatch.setattr(Path, "mkdir", refused)
    monkeypatch.setattr(Task, "part", lambda *_, **__: pytest.fail("worked"))
    with pytest.raises(PermissionError):
        again()
