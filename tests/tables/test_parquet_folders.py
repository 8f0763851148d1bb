"""Folders of Parquet files: no column is left out in silence."""

import pandas as pd
import pytest

from receval import InputError, evaluate

A = pd.DataFrame({"user": "u", "item": ["a", "b"], "score": [2.0, 1.0]})
B = pd.DataFrame({"user": "u", "item": ["c", "d"], "score": [9.0, 8.0]})
TRUTH = {"u": {"a": 1}}


def test_files_with_different_columns_are_refused(tmp_path):
    A.to_parquet(tmp_path / "1.parquet")
    B.assign(system="B").to_parquet(tmp_path / "2.parquet")
    message = r"same columns in 1\.parquet and 2\.parquet; got .*system.* in only one of them"
    with pytest.raises(InputError, match=message):
        evaluate(tmp_path, TRUTH, "MRR")


def test_columns_in_names_of_folders_are_refused(tmp_path):
    both = pd.concat([A.assign(system="A"), B.assign(system="B")])
    both.to_parquet(tmp_path, partition_cols=["system"])
    with pytest.raises(InputError, match=r"names of folders; got .*system=A.*read_parquet"):
        evaluate(tmp_path, TRUTH, "MRR")
    one = evaluate(tmp_path / "system=A", TRUTH, "MRR")  # the user chose one of them
    assert one.summary["MRR"].tolist() == [1.0]
