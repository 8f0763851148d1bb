"""A saved file is a whole result, or nothing that receval could mistake for one.

The rows 69 to 71, 73 and 74 of the list of bad inputs: out of memory, killed, two at once, inputs
that change in between, interrupted.
"""

import json
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from scale_data import WITH_ITEMS, assert_same, tables
from systems import needs_signals

from receval import InputError, evaluate, load

PROCESS = """
import sys
sys.path.insert(0, sys.argv[1])
import pyarrow.parquet as pq
from scale_data import WITH_ITEMS, tables
from receval import evaluate
write = pq.write_table
def waits(*arguments, **options):
    write(*arguments, **options)
    print("ready", flush=True)
    sys.stdin.read()
pq.write_table = waits
recs, truth, seen, items = tables(text=True, users=40)
evaluate(recs, truth, WITH_ITEMS, items=items, history=seen).save("out.receval")
"""
RECS, TRUTH, SEEN, ITEMS = tables(text=True, users=40)
RESULT = evaluate(RECS, TRUTH, WITH_ITEMS, items=ITEMS, history=SEEN)
OTHER = evaluate(RECS, TRUTH, "MRR")


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@contextmanager
def stopped_before_the_end():
    """Save the same result in another process, which waits before it renames the new file."""
    command = [sys.executable, "-c", PROCESS, str(Path(__file__).parents[1])]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout.readline() == "ready\n", process.stderr.read()
        yield process


def everything():
    return sorted(path.name for path in Path().iterdir())


@pytest.mark.row(70)
def test_files_left_by_a_killed_run_are_no_results():
    OTHER.save("out.receval")
    before = Path("out.receval").read_bytes()
    with stopped_before_the_end() as process:
        process.kill()
    assert Path("out.receval").read_bytes() == before
    left = everything()
    assert [name.startswith(".out.receval.receval-") for name in left] == [True, False]
    RESULT.save("out.receval")
    assert everything() == left, "a run removes no file that it did not write"
    assert_same(load("out.receval"), RESULT)


@needs_signals
@pytest.mark.row(74)
@pytest.mark.usefixtures("ctrl_c_interrupts")
def test_an_interrupt_leaves_no_half_file():
    with stopped_before_the_end() as process:
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
    assert process.returncode != 0
    assert "KeyboardInterrupt" in errors
    assert everything() == []


@pytest.mark.row(71)
def test_of_two_runs_into_one_file_one_wins_whole():
    with stopped_before_the_end() as process:
        OTHER.save("out.receval")
        assert list(load("out.receval").summary) == ["MRR"]
        process.communicate("go on")
    assert process.returncode == 0
    assert_same(load("out.receval"), RESULT)
    assert everything() == ["out.receval"]


@pytest.mark.row(69)
def test_a_run_that_fails_removes_its_file_and_leaves_the_one_before(monkeypatch):
    OTHER.save("out.receval")
    monkeypatch.setattr(pq, "write_table", Mock(side_effect=MemoryError))
    with pytest.raises(MemoryError):
        RESULT.save("out.receval")
    assert everything() == ["out.receval"]
    assert load("out.receval") == OTHER


@pytest.mark.row(73)
def test_a_result_of_changed_inputs_replaces_the_file_as_a_whole():
    RESULT.save("out.receval")
    changed = evaluate(RECS, TRUTH.assign(relevance=3 - TRUTH["relevance"]), "MRR")
    changed.save("out.receval")
    assert_same(load("out.receval"), changed)


# The file itself -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options", [{}, {"convention": "lenskit"}, {"ties": "average"}, {"convention": "ranksys"}]
)
def test_a_loaded_result_says_all_that_the_saved_one_did(options):
    systems = {"A": RECS, "B": RECS.assign(score=-RECS["score"])}
    saved = evaluate(systems, TRUTH, WITH_ITEMS, items=ITEMS, history=SEEN, **options)
    saved.save("saved.receval")
    loaded = load("saved.receval")
    assert_same(loaded, saved)
    texts, expected = (
        (repr(result), result.methods(), repr(result.compare("A"))) for result in (loaded, saved)
    )
    assert texts == expected


def test_a_flipped_bit_in_the_values_is_no_value():
    RESULT.save("out.receval")
    content = bytearray(Path("out.receval").read_bytes())
    metadata = pq.read_metadata("out.receval")
    column = metadata.row_group(0).column(metadata.schema.names.index("nDCG@10"))
    content[column.dictionary_page_offset + column.total_compressed_size // 3] ^= 4
    Path("out.receval").write_bytes(content)
    with pytest.raises(InputError, match=r"out\.receval must be a whole file of receval; "):
        load("out.receval")


@pytest.mark.parametrize(
    "ids", [[2**63, 7, 2**64 - 1], [2**63 - 1, -(2**63), 0], ["a\0", "", "a"]], ids=str
)
@pytest.mark.parametrize("names", [["", "B"], [1, 2], [np.int64(4), 5]], ids=str)
def test_any_ids_and_names_come_back(ids, names):
    recs = pd.DataFrame({"user": ids, "item": 1, "score": 1.0})
    truth = pd.DataFrame({"user": ids, "item": [1, 2, 1], "relevance": 1})
    saved = evaluate(dict.fromkeys(names, recs), truth, "MRR")
    saved.save("out.receval")
    loaded = load("out.receval")
    pd.testing.assert_frame_equal(loaded.per_user, saved.per_user)
    assert loaded.systems == names


ENDS_OF_64_BITS = pd.DataFrame({"user": [2**63, -1], "item": 1, "relevance": 1, "score": 1.0})


@pytest.mark.parametrize(
    ("recs", "truth", "message"),
    [
        (ENDS_OF_64_BITS, ENDS_OF_64_BITS, r"ids must be text, or whole numbers of one type of 64"),
        (
            {1: ENDS_OF_64_BITS[:1], "1": ENDS_OF_64_BITS[:1]},
            ENDS_OF_64_BITS[:1],
            r"systems must hold each name, as text, once; got",
        ),
    ],
)
def test_refuses_users_and_systems_that_the_file_could_not_tell_apart(recs, truth, message):
    with pytest.raises(InputError, match=message):
        evaluate(recs, truth, "MRR").save("out.receval")
    assert everything() == []


def rewritten(left_out=(), **changes):
    """Return a function that writes a saved table without some columns, with another record."""

    def harm(path):
        table = pq.read_table(path)
        record = json.loads(table.schema.metadata[b"receval"]) | changes
        table = table.drop_columns(list(left_out))
        pq.write_table(table.replace_schema_metadata({"receval": json.dumps(record)}), path)

    return harm


NO_RECORD = r"^(out\.receval|measures) must "


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        pytest.param(lambda p: p.write_bytes(p.read_bytes()[:-20]), "a whole file", id="cut"),
        pytest.param(lambda p: p.write_bytes(b"mine"), "a whole file of receval", id="no file"),
        pytest.param(Path.unlink, "must be an existing file", id="gone"),
        pytest.param(
            lambda p: pd.DataFrame({"user": [1]}).to_parquet(p), "of receval; got", id="others'"
        ),
        pytest.param(rewritten(systems=[{"name": ""}]), NO_RECORD, id="systems"),
        pytest.param(rewritten(convention={}), NO_RECORD, id="convention"),
        pytest.param(rewritten(measures=["unheard of"]), NO_RECORD, id="measures"),
        pytest.param(rewritten(columns=None), NO_RECORD, id="columns"),
        pytest.param(rewritten(format="one"), NO_RECORD, id="format"),
        pytest.param(
            lambda p: pq.write_table(
                pq.read_table(p).replace_schema_metadata(
                    {"receval": '{"format": 99, "receval": "9.1"}'}
                ),
                p,
            ),
            r"of format 7; got '99, written by receval 9.1",
            id="newer",
        ),
        pytest.param(
            rewritten(["MRR@5"]),
            r"^out.receval must be a whole file of .*MRR@5",
            id="a column less",
        ),
    ],
)
def test_refuses_files_that_are_no_result(harm, message):
    RESULT.save("out.receval")
    harm(Path("out.receval"))
    with pytest.raises(InputError, match=message):
        load("out.receval")


@pytest.mark.parametrize("path", [5, None, b"x.receval"])
@pytest.mark.parametrize("call", [RESULT.save, load])
def test_refuses_what_no_file_is_called(call, path):
    with pytest.raises(InputError, match=r"must be the name of a file; got"):
        call(path)
