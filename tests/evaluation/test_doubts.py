"""Notes on legal but doubtful input: below the table, in the methods, and in the saved file."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from receval import EvaluationWarning, InputError, Measure, evaluate, load
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
    assert "grade of 4 or more (for graded gains: above 0)" in own.methods()
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


def told(result, note, tmp_path):
    """Check whether a note is below the table, in the methods, and in the saved file."""
    result.save(tmp_path / "told.receval")
    again = load(tmp_path / "told.receval")
    places = [repr(result), result.methods(), again.methods()]
    assert again.notes() == result.notes()
    found = {note.casefold() in place.casefold() for place in places}
    assert len(found) == 1
    return found.pop()


def test_nobody_answered_is_told_and_warned_of(rated, tmp_path):
    recs, truth = rated
    note = "recommendations of 'none' answer nobody: no judged user has a list"
    with pytest.warns(EvaluationWarning, match=note):
        result = evaluate({"some": recs, "none": recs[:0]}, truth, "MRR")
    assert told(result, note, tmp_path)
    assert not told(evaluate(recs, truth, "MRR"), "answer nobody", tmp_path)


def test_ids_that_differ_by_blanks_or_case_are_told(rated, tmp_path):
    recs, truth = (one.astype({"user": str, "item": str}) for one in rated)
    recs, truth = ("u" + one[["user", "item"]] for one in (recs, truth))
    recs, truth = recs.assign(score=rated[0]["score"]), truth.assign(relevance=1)
    first, of = recs["user"] == recs["user"][0], truth["item"][0]
    slip = recs["item"].where(recs["item"] != of, of + " ")
    users = recs["user"].where(~first, recs["user"].str.upper())
    note = "{} are spelled differently in relevance: 1, such as {!r} and {!r}"
    for wrong, what in (("item", ("items", of + " ", of)), ("user", ("users", "U1", "u1"))):
        given = recs.assign(**{wrong: slip if wrong == "item" else users})
        assert told(evaluate(given, truth, "MRR"), note.format(*what), tmp_path)
    some = recs.assign(item=recs["item"].where(~first, slip))  # also as it should be
    assert told(evaluate(some.astype("category").astype({"score": float}), truth, "MRR"),
                note.format("items", of + " ", of), tmp_path)  # fmt: skip
    assert not told(evaluate(recs, truth, "MRR"), "spelled differently", tmp_path)
    assert not told(evaluate(*rated, "MRR"), "spelled differently", tmp_path)  # no texts


def test_a_cut_off_below_every_list_is_told(rated, tmp_path):
    recs, truth = rated
    note = (
        "no list is longer than 1, and 3 relevant items are in no list: longer lists could change "
        "HR@2, nDCG@3"
    )
    short = recs.drop_duplicates("user")
    how = {"measures": ["HR@1", "HR@2", "nDCG@3"]}
    assert told(evaluate(short, truth, **how), note, tmp_path)
    assert not told(evaluate(recs, truth, "HR@3"), "would look", tmp_path)
    assert not told(evaluate(recs, truth, "HR@5"), "would look", tmp_path)  # all relevant are in


@pytest.mark.parametrize("top", [3, 40])
def test_auc_of_lists_that_lack_relevant_items_is_noted(top, tmp_path):
    rng, n = np.random.default_rng(3), 40
    recs = pd.DataFrame({"user": np.repeat(range(20), n), "item": np.tile(range(n), 20)})
    recs["score"] = rng.integers(1, 30, 20 * n)
    truth = recs[["user", "item"]].assign(relevance=(rng.random(20 * n) < 0.2).astype(int))
    listed = recs.sort_values("score", ascending=False, kind="stable").groupby("user").head(top)
    result = evaluate(listed, truth, "AUC")
    assert told(result, "only lists of all items give the AUC", tmp_path) is (top < n)


SEEN = pd.DataFrame({"user": [1, 1, 2, 9], "item": list("acba")})


def test_recommended_items_of_the_history_are_told(rated, tmp_path):
    recs, truth = rated
    note = "3 recommended items are in the history of their user: seen='drop' leaves them out"
    assert told(evaluate(recs, truth, "MRR", history=SEEN), note, tmp_path)
    assert not told(
        evaluate(recs, truth, "MRR", history=SEEN[3:].assign(user=1, item="b")[:0]),
        "history",
        tmp_path,
    )


@pytest.mark.parametrize("by", ["score", "rank"])
@pytest.mark.parametrize("twice", [False, True])
def test_seen_items_are_dropped_and_counted(rated, by, twice, tmp_path):
    recs, truth = rated
    recs["rank"] = recs.groupby("user").cumcount() + 1
    how = {"measures": ["MRR", "nDCG@1", "Precision@2"], "rank": "rank" if by == "rank" else None}
    kept = recs[[False, True, False, True, False, True]]
    kept = kept.assign(rank=1)
    if twice:
        recs = pd.concat([recs, recs[1:2].assign(score=-1.0, rank=4)])
        how["duplicates"] = "first"
    own = evaluate(recs, truth, history=SEEN, seen="drop", **how)
    pd.testing.assert_frame_equal(own.per_user, evaluate(kept, truth, **how).per_user)
    assert own.counts["seen"].tolist() == [3]
    assert own.counts.get("repeated", pd.Series([twice])).tolist() == [twice]
    assert not told(own, "recommended items are in the history", tmp_path)
    assert "3 seen" in own.methods()


def test_seen_items_are_refused(rated):
    with pytest.raises(InputError, match=r"user 1 with item 'a', .*seen='drop'"):
        evaluate(*rated, "MRR", history=SEEN, seen="error")
    assert evaluate(*rated, "MRR", history=SEEN[:0], seen="error").counts["answered"].item() == 3
    with pytest.raises(InputError, match="seen must be one of"):
        evaluate(*rated, "MRR", history=SEEN, seen="skip")
    with pytest.raises(InputError, match="history must be given for seen='drop'"):
        evaluate(*rated, "MRR", seen="drop")


def test_equal_scores_of_lists_that_are_dropped_leave_nothing_open():
    recs = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "b"], "score": [3, 3, 1]})
    truth = pd.DataFrame({"user": [1, 2], "item": ["b", "b"], "relevance": 1})
    found = evaluate(recs, truth, ["MRR", "AUC", "bpref"], history=recs, seen="drop")
    assert (found.summary[["MRR", "bpref"]] == 0).all(axis=None)
    assert (found.ties()["users"] == 0).all()


@pytest.mark.parametrize(
    ("grades", "options", "noted"),
    [
        pytest.param([1, 2, 3, 4, 5], {}, True, id="five"),
        pytest.param([0.5, 1, 2, 3, 4], {}, True, id="halves"),
        pytest.param([0, 1, 2, 3, 4], {}, False, id="with a 0"),
        pytest.param([1, 2, 3, 4, 4], {}, False, id="four"),
        pytest.param([1, 2, 3, 4, 733], {}, False, id="counts"),
        pytest.param([1, 2, 3, 4, 5], {"relevant_from": 4}, False, id="a threshold"),
        pytest.param([1, 2, 3, 4, 5], {"measures": ["nDCG@3", "HR(rel=4)@3"]}, False, id="graded"),
    ],
)
def test_a_scale_without_a_threshold_is_told(rated, grades, options, noted, tmp_path):
    recs, truth = rated
    truth = truth[:5].assign(relevance=grades)
    how = {"measures": ["nDCG@3", "HR@3"]} | options
    note = (
        f"from {grades[0]:g} to {grades[-1]:g} counts as relevant in HR@3: with "
        f"relevant_from={grades[-2]:g},"
    )
    assert told(evaluate(recs, truth, **how), note, tmp_path) is noted


# Features of items -------------------------------------------------------------------------------

FILMS = pd.DataFrame({"action": [1, 0, 1], "drama": [0, 1, 1]}, index=["a", "b", "c"])
FILM_LISTS = {"u": ["a", "b", "c"]}
LIKED_FILMS = {"u": {"a"}}


def film_notes(items, measures="ILD"):
    return "\n".join(evaluate(FILM_LISTS, LIKED_FILMS, measures, items=items).notes())


def test_the_result_names_the_columns_that_became_features(tmp_path):
    result = evaluate(FILM_LISTS, LIKED_FILMS, ["ILD@2", "HR@1"], items=FILMS.assign(awards=1))
    line = "the features of ILD@2 are these columns of items: 'action', 'drama'"
    assert result.notes() == [line]
    assert line in repr(result)
    assert f"{line[0].upper()}{line[1:]}." in result.methods()
    result.save(tmp_path / "films.receval")
    assert load(tmp_path / "films.receval").notes() == [line]
    assert evaluate(FILM_LISTS, LIKED_FILMS, "HR@1", items=FILMS).notes() == []


@pytest.mark.parametrize("column", ["year", "runtime", "film_id"])
def test_a_column_that_outweighs_all_other_features_is_doubted(column):
    items = FILMS.assign(**{column: [1999, 2005, 2010]})
    doubt = f"numbers in '{column}' are so large that the other features hardly change ILD"
    assert doubt in film_notes(items)
    assert doubt not in film_notes(items.drop(columns=[column]))  # the advice
    scaled = items.assign(**{column: (items[column] - 1999) / 11})
    assert doubt not in film_notes(scaled)


def test_items_whose_features_are_all_0_are_different_from_every_item():
    nothing = FILMS.assign(action=[0, 0, 1], drama=[0, 0, 1])
    result = evaluate({"u": ["a", "b"]}, LIKED_FILMS, "ILD", items=nothing)
    assert result.summary.loc["", "ILD"] == 1


# A threshold that graded gains don't use ---------------------------------------------------------


@pytest.mark.parametrize("name", [*GRADED, "nDCG", "ERR(max_grade=5)"])
def test_a_threshold_that_graded_gains_do_not_use_is_told_with_the_way_out(rated, name, tmp_path):
    recs, truth = rated
    plain = evaluate(recs, truth, name)
    result = evaluate(recs, truth, [name, "MAP"], relevant_from=4)
    pd.testing.assert_frame_equal(result.per_user[[name]], plain.per_user)
    [note] = result.notes()
    assert note.startswith(
        f"the threshold relevant_from=4 does nothing to {name}, whose gains come from all"
    )
    assert note in str(result.table())
    result.save(tmp_path / "result.receval")
    assert load(tmp_path / "result.receval").notes() == [note]
    # Grades of 0 and 1 have another value. The name at the end of the note gives the same one.
    yes = truth.assign(relevance=(truth["relevance"] >= 4).astype(int))
    if name.startswith("ERR"):  # with a threshold, it would compare 1 with the largest grade
        assert note.endswith("make the grades of relevance 0 and 1")
        return
    binary = evaluate(recs, yes, name).per_user[name]
    assert (binary != plain.per_user[name]).any()
    name_with_threshold = note.split("'")[-2]
    named = evaluate(recs, truth, name_with_threshold, relevant_from=4)
    assert_allclose(named.per_user[name_with_threshold], binary)
    assert named.notes() == []


def test_a_threshold_is_told_for_measures_of_your_own_and_not_for_binary_gains(rated):
    recs, truth = rated
    mine = Measure("mine", per_list=lambda lists, _: lists.grades.sum(axis=1), source="this test")
    [note] = evaluate(recs, truth, [mine, "MAP"], relevant_from=4).notes()
    assert note.startswith("the threshold relevant_from=4 does nothing to mine, whose")
    assert note.endswith("make the grades of relevance 0 and 1")
    for name in ("lenskit", "rectools"):  # their gains are binary
        result = evaluate(
            {1: ["a", "b"]}, truth, ["nDCG@3", "MAP"], convention=name, relevant_from=4
        )
        assert "does nothing" not in " ".join(result.notes())
    notes = evaluate(recs, truth, ["MAP", "RMSE", "PC"], relevant_from=4).notes()
    assert "does nothing" not in " ".join(notes)
