"""What is legal but doubtful: told under the table, in the methods, and in the saved file."""

from dataclasses import replace

import pandas as pd
import pytest

from receval import InputError, evaluate, load
from receval.cli import main
from receval.evaluation import convention

BINARY = ["HR@2", "MRR", "MAP", "Precision@2", "Recall@2", "F1@2", "R-Precision", "RBP@3", "bpref"]
GRADED = ["nDCG@3", "DCG@2", "CG@3", "ERR@3"]


@pytest.fixture
def rated():
    recs = {"user": [1, 1, 1, 2, 2, 3], "item": list("abcabc"), "score": [3.0, 2, 1, 2, 2, 1]}
    truth = {"user": [1, 1, 1, 2, 2, 3, 4], "item": list("abcabcd")}
    truth["relevance"] = [1, 4, 5, 5, 2, 3, 4]
    return pd.DataFrame(recs), pd.DataFrame(truth)


@pytest.mark.parametrize("ties", ["item", "average"])
def test_a_grade_is_relevant_from_one_on_where_no_more_is_asked(rated, ties, tmp_path):
    recs, truth = rated
    own = evaluate(recs, truth, BINARY + GRADED, relevant_from=4, ties=ties)
    yes = truth.assign(relevance=(truth["relevance"] >= 4).astype(int))
    binary, graded = (
        evaluate(recs, yes, BINARY, ties=ties),
        evaluate(recs, truth, GRADED, ties=ties),
    )
    pd.testing.assert_frame_equal(own.per_user[BINARY], binary.per_user)
    pd.testing.assert_frame_equal(own.per_user[GRADED], graded.per_user)
    pd.testing.assert_frame_equal(own.counts, binary.counts)  # 3 is judged, without truth
    assert "grade of 4 or more (for graded gains above 0)" in own.methods()
    own.save(tmp_path / "own.receval")
    assert load(tmp_path / "own.receval").methods() == own.methods()
    assert own.explain(1, "MAP").value == own.per_user.loc[1, "MAP"]


def test_a_threshold_in_a_name_goes_first(rated):
    found = evaluate(*rated, ["HR(rel=1)@1", "HR@1"], relevant_from=5).per_user
    assert found.loc[1].tolist() == [1.0, 0.0]


def test_a_binary_gain_asks_no_more(rated):
    recs, truth = rated
    yes = truth.assign(relevance=(truth["relevance"] >= 4).astype(int))
    own = evaluate(recs, truth, "nDCG@3", convention="rectools", relevant_from=4)
    pd.testing.assert_frame_equal(
        own.per_user, evaluate(recs, yes, "nDCG@3", convention="rectools").per_user
    )


@pytest.mark.parametrize("wrong", [0, -1, float("nan"), "4", True])
def test_relevant_from_is_a_grade(rated, wrong):
    with pytest.raises(InputError, match="relevant_from must be a grade above 0; got"):
        evaluate(*rated, "HR@1", relevant_from=wrong)


def test_relevant_from_is_not_below_where_a_convention_has_grades(rated):
    mine = replace(convention("ranx"), name="mine", threshold=4)
    with pytest.raises(InputError, match=r"relevant_from must be at least 4, .*; got 3"):
        evaluate(*rated, "HR@1", convention=mine, relevant_from=3)


def test_the_command_line_takes_it(rated, tmp_path, capsys):
    files = [str(tmp_path / name) for name in ("recs.csv", "truth.csv")]
    for table, path in zip(rated, files, strict=True):
        table.to_csv(path, index=False)
    assert main(["evaluate", *files, "-m", "HR@1", "--relevant-from", "4", "--methods"]) == 0
    assert evaluate(*rated, "HR@1", relevant_from=4).methods() in capsys.readouterr().out
