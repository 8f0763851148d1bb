"""Pipes can be read, but not written, and Ctrl-C ends the waiting."""

import gzip
import os
import re
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pytest
from bad_inputs.cases import RECS, TRUTH
from systems import needs_devices, needs_named_pipes

from receval import InputError, evaluate
from receval.tables import read_ratings, read_run, read_table, write_run, write_table

pytestmark = [needs_devices, needs_named_pipes]

RESULT = evaluate(RECS, TRUTH, "MRR")
READ_A_PIPE = """
import signal, sys
from receval.tables import read_run
signal.signal(signal.SIGINT, signal.default_int_handler)
print("ready", flush=True)
read_run(sys.argv[1])
"""


@pytest.fixture
def fifo(tmp_path):
    def make(name="pipe", content=None):
        path = tmp_path / name
        os.mkfifo(path)
        if content is not None:
            threading.Thread(target=path.write_bytes, args=(content,), daemon=True).start()
        return path

    return make


@pytest.mark.parametrize(
    "write", [RESULT.save, partial(write_run, RECS), partial(write_table, RECS)]
)
@pytest.mark.parametrize("place", ["/dev/null", "pipe.csv", "link", "."])
def test_results_go_to_files_only(fifo, tmp_path, monkeypatch, write, place):
    monkeypatch.chdir(tmp_path)
    fifo("pipe.csv")
    (tmp_path / "link").symlink_to("/dev/null")
    with pytest.raises(InputError, match=r"path must be a file to write, not"):
        write(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe.csv"]


@pytest.mark.parametrize(
    ("read", "name", "content"),
    [
        (read_run, "pipe", b"a Q0 x 1 1.0 receval\n"),
        (read_ratings, "pipe", b"a,x,1.0\n"),
        (read_table, "pipe", b"user,item,score\na,x,1\n"),
        (read_table, "pipe.csv.gz", gzip.compress(b"user,item,score\na,x,1\n", mtime=0)),
    ],
)
def test_text_is_read_from_pipes_but_not_from_devices(fifo, read, name, content):
    table = read(fifo(name, content))
    assert (table["user"][0], table["item"][0]) == ("a", "x")
    with pytest.raises(InputError, match=r"path must .*; got "):
        read("/dev/zero")


@pytest.mark.skipif(not Path("/proc/self/wchan").exists(), reason="Linux says who waits for what")
def test_ctrl_c_ends_the_waiting_at_a_pipe(fifo):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", READ_A_PIPE, str(fifo())]
    process = subprocess.Popen(command, text=True, **pipes)
    assert process.stdout.readline() == "ready\n"
    # An interrupt before the process waits at the pipe would prove nothing.
    waiting = Path(f"/proc/{process.pid}/wchan")
    while not re.search("pipe|fifo|partner", waiting.read_text(encoding="utf-8")):
        time.sleep(0.01)  # leave the processor to it
        assert process.poll() is None, process.stderr.read()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert "KeyboardInterrupt" in errors
