"""Row 72: a full disk, a place that cannot be written to."""

import os
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from bad_inputs.calls import CASES, exact
from bad_inputs.cases import RECS, TRUTH
from systems import (
    needs_accents_in_names,
    needs_limits,
    needs_links,
)

from receval import InputError, evaluate, evaluate_retrievers
from receval._files import check_writable, write_atomically
from receval.learn.copies import copy as copied
from receval.retrieval import ground_truth
from receval.tables import write_qrels, write_run, write_table

TABLE = pd.DataFrame({"x": [1.5, 2.5], "name": ["a", "b"]})
RESULT = evaluate(RECS, TRUTH, ["MRR", "nDCG"])
RANKED = ground_truth(exact, {"q": 3}, CASES)
RETRIEVED = evaluate_retrievers({"exact": exact}, {"q": 3}, CASES, truth=RANKED, measures="hits")


WRITERS = {
    **{
        f"table.{ending}": partial(write_table, TABLE)
        for ending in ("csv", "tsv", "json", "parquet")
    },
    "lists.run": partial(write_run, RECS),
    "truth.qrels": partial(write_qrels, TRUTH),
    "save.csv": RESULT.save,
    "save.receval": RESULT.save,
    "retrievers.csv": RETRIEVED.to_csv,
    "truth.csv": lambda path: ground_truth(exact, {"q": 3}, CASES, path=path),
}


def files(folder):
    return sorted(path.name for path in folder.iterdir())


# Faults in the middle --------------------------------------------------------------------------


@contextmanager
def full_disk():
    """Let this process write at most seven bytes to a file, as if the disk was full then.

    pytest writes a report before it ends a fixture, so this is no fixture.
    """
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (7, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@needs_limits
@pytest.mark.row(72)
@pytest.mark.parametrize("old", [b"", b"old"], ids=["no file before", "a file before"])
@pytest.mark.parametrize("name", WRITERS)
def test_a_full_disk_leaves_what_was_there(tmp_path, name, old):
    path = tmp_path / name
    if old:
        path.write_bytes(old)
    with full_disk(), pytest.raises(InputError, match=rf"^{path.name} must .*; got File too large"):
        WRITERS[name](path)
    assert [file.read_bytes() for file in tmp_path.iterdir()] == ([old] if old else [])


@needs_limits
@pytest.mark.row(72)
def test_a_full_disk_leaves_no_half_notebook(tmp_path):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")])
    nbformat.write(notebook, tmp_path / "00_start_here.ipynb")
    (tmp_path / "copy").mkdir()
    with full_disk(), pytest.raises(InputError, match="File too large"):
        copied(tmp_path, tmp_path / "copy")
    assert files(tmp_path / "copy") == []


@pytest.mark.row(72)
@pytest.mark.parametrize("fault", [KeyboardInterrupt, MemoryError, SystemExit, ZeroDivisionError])
def test_whatever_ends_the_writing_nothing_is_left_of_it(file, tmp_path, fault):
    path = file("out.csv", "old")

    def interrupted(out):
        out.write("half")
        raise fault

    with pytest.raises(fault):
        write_atomically(path, interrupted)
    assert path.read_text(encoding="utf-8") == "old"
    assert files(tmp_path) == ["out.csv"]


# Places ----------------------------------------------------------------------------------------


@needs_links
@pytest.mark.row(72)
@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("none/out.csv", "path must lie in an existing folder"),
        ("file/out.csv", "path must lie in an existing folder"),
        ("folder.csv", "path must be a file to write, not a folder"),
        ("loop.csv", "path must be the name of a file"),
    ],
)
def test_a_place_that_cannot_be_written_to(tmp_path, place, message):
    (tmp_path / "file").touch()
    (tmp_path / "folder.csv").mkdir()
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    before = files(tmp_path)
    for write in (RESULT.save, RETRIEVED.to_csv, lambda path: write_run(RECS, path)):
        with pytest.raises(InputError, match=message):
            write(tmp_path / place)
    assert files(tmp_path) == before


@pytest.mark.row(72)
@pytest.mark.parametrize("denied", ["folder", "file"])
def test_a_place_that_one_may_not_write_to(tmp_path, monkeypatch, denied):
    path = tmp_path / "out.csv"
    path.write_text("old", encoding="utf-8")
    refused = tmp_path if denied == "folder" else path
    # Asked of the system and not tried with chmod: the superuser may write everywhere.
    monkeypatch.setattr(os, "access", lambda one, mode: Path(one) != refused)
    with pytest.raises(InputError, match=r"path must be one that may be written; got"):
        RESULT.save(path)
    assert path.read_text(encoding="utf-8") == "old"


@pytest.mark.row(72)
@pytest.mark.parametrize("path", [None, 5, b"out.csv", ["out.csv"], np.nan], ids=repr)
def test_check_writable_refuses_values_that_are_not_paths(path):
    with pytest.raises(InputError, match=r"path must be the name of a file; got"):
        check_writable(path)


@pytest.mark.row(72)
def test_the_place_is_asked_for_before_the_work(tmp_path):
    with pytest.raises(InputError, match=r"path must lie in an existing folder"):
        ground_truth(pytest.fail, {"q": 3}, CASES, path=tmp_path / "none" / "truth.csv")


@pytest.mark.row(72)
@pytest.mark.parametrize("name", ["a" * 251, pytest.param("é" * 125, marks=needs_accents_in_names)])
def test_a_name_as_long_as_the_system_allows(tmp_path, name):
    path = tmp_path / f"{name}.csv"
    RESULT.save(path)
    assert files(tmp_path) == [path.name]


@needs_links
@pytest.mark.row(72)
def test_links_to_an_old_file_are_followed(file, tmp_path):
    real, link = file("real", "old"), tmp_path / "link.csv"
    link.symlink_to(real)
    write_table(TABLE, link)
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") != "old"


@needs_links
@pytest.mark.row(72)
@pytest.mark.parametrize("name", WRITERS)
def test_links_to_a_file_that_does_not_exist_yet_are_followed(tmp_path, name):
    (tmp_path / name).symlink_to(tmp_path / "real")
    WRITERS[name](tmp_path / name)
    assert (tmp_path / name).is_symlink()
    assert files(tmp_path) == sorted([name, "real"])
