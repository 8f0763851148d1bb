"""RELISON's tab-separated files: graphs and recommendations, read and written."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, datasets, evaluate
from receval.tables import read_links, read_recommendations, write_links, write_recommendations


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.txt"


def test_links_with_and_without_weights_and_types(path):
    path.write_text("0\t4\t1.0\n0\t7\t2.5\n", encoding="utf-8")
    assert read_links(path).to_dict("list") == {"user": [0, 0], "item": [4, 7], "weight": [1, 2.5]}
    path.write_text("a\tb\na\tc\n", encoding="utf-8")
    assert read_links(path)["weight"].tolist() == [1, 1]
    path.write_text("a\tb\t2\t1\n", encoding="utf-8")
    found = read_links(path)
    assert found.to_dict("list") == {"user": ["a"], "item": ["b"], "weight": [2], "type": [1]}
    assert found["weight"].dtype == float


def test_links_come_back_bit_by_bit(path):
    links = datasets.tutorial_links(3)[0].assign(weight=np.random.default_rng(0).random(794))
    write_links(links, path)
    first = links.iloc[0]
    assert path.read_text(encoding="utf-8").startswith(
        f"0\t{first['item']:.0f}\t{float(first['weight'])!r}\n"
    )
    pd.testing.assert_frame_equal(read_links(path), links.reset_index(drop=True))
    quoted = pd.DataFrame({"user": ['a"', "007"], "item": ['"b c"', "NA"]})
    write_links(quoted, path)
    assert path.read_text(encoding="utf-8") == 'a"\t"b c"\n007\tNA\n'
    pd.testing.assert_frame_equal(read_links(path), quoted.assign(weight=1.0))


def test_recommendations_as_the_manual_prints_them(path):
    text = "883\t106\t0.7839427836033016\n883\t105\t0.5251166\n883\t242\t0.5251166\n7\t9\t3.0\n"
    path.write_text(text, encoding="utf-8")
    found = read_recommendations(path)
    write_recommendations(found.iloc[[1, 0, 2, 3]], path)
    assert path.read_text(encoding="utf-8") == text  # best first, equal scores as they stood
    links = pd.DataFrame({"user": [883, 7], "item": [242, 9]})
    how = {"relevance_column": None, "convention": "relison_program"}
    assert evaluate(found, links, "MRR", **how).per_user["MRR"].to_dict() == {7: 1, 883: 1 / 3}


@pytest.mark.parametrize(
    ("read", "text", "message"),
    [
        (read_links, "a\n", "file.txt must have 2 to 4 fields in a line, .*; got 1"),
        (read_links, "Origin\tDestination\tWeight\n0\t4\t1.0\n", "weight in file.txt must hold"),
        (read_links, "1\t2\t1.0\n1\t3\n", "line 2"),
        (read_recommendations, "1\t2\n", "file.txt must have 3 fields in a line"),
        (read_recommendations, "1\t2\thigh\n", "score in file.txt must hold numbers"),
    ],
)
def test_refuses_other_files(path, read, text, message):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read(path)


@pytest.mark.parametrize(
    ("write", "table", "message"),
    [
        (write_links, {"user": ["a\tb"], "item": ["c"]}, "user of links must be without tabs"),
        (write_links, {"user": ["a"], "item": ["c"], "weight": [np.nan]}, "weight of links"),
        (write_links, {"user": ["a"], "item": ["c"], "type": [1]}, "must have a weight as well as"),
        (write_links, {"user": ["a"]}, "links must have one column 'item'"),
        (write_recommendations, {"user": [1], "item": [2], "score": ["x"]}, "score must hold"),
    ],
)
def test_refuses_to_write(path, write, table, message):
    with pytest.raises(InputError, match=message):
        write(pd.DataFrame(table), path)
    assert not path.exists()
