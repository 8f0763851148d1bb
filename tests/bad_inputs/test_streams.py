"""Tables are in files, not in pipes or devices."""

import os
from functools import partial

import pytest
from bad_inputs.cases import RECS, TRUTH
from systems import needs_devices, needs_named_pipes

from receval import InputError, evaluate
from receval.tables import read_ratings, read_run, read_table, write_run, write_table

pytestmark = [needs_devices, needs_named_pipes]

RESULT = evaluate(RECS, TRUTH, "MRR")


@pytest.mark.parametrize(
    "write", [RESULT.save, partial(write_run, RECS), partial(write_table, RECS)]
)
@pytest.mark.parametrize("place", ["/dev/null", "pipe.csv", "link", "."])
def test_results_go_to_files_only(tmp_path, monkeypatch, write, place):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe.csv")
    (tmp_path / "link").symlink_to("/dev/null")
    with pytest.raises(InputError, match=r"path must be a file to write, not"):
        write(place)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe.csv"]


@pytest.mark.parametrize("read", [read_run, read_ratings, read_table])
def test_text_is_read_from_files_only(tmp_path, read):
    os.mkfifo(tmp_path / "pipe.csv")
    for path in (tmp_path / "pipe.csv", "/dev/zero"):
        with pytest.raises(InputError, match=r"path must .*; got "):
            read(path)
