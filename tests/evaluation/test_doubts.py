"""Notes on legal but doubtful input: below the table, in the methods, and in the saved file."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from receval import EvaluationWarning, InputError, Measure, evaluate, load, pooled
from receval.evaluation import convention
from receval.evaluation.notes import WORDS

BINARY = ["HR@2", "MRR", "MAP", "Precision@2", "Recall@2", "F1@2", "R-Precision", "RBP@3", "bpref"]
GRADED = ["nDCG@3", "DCG@2", "CG@3", "ERR@3"]
RECS = pd.DataFrame(
    {"user": [1, 1, 1, 2, 2, 3], "item": list("abcabc"), "score": [3.0, 2, 1, 2, 2, 1]}
)
TRUTH = pd.DataFrame(
    {
        "user": [1, 1, 1, 2, 2, 3, 4],
        "item": list("abcabcd"),
        "relevance": [1, 4, 5, 5, 2, 3, 4],
    }
)
YES_OR_NO = TRUTH.assign(relevance=(TRUTH["relevance"] >= 4).astype(int))


# A threshold ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ties", ["item", "average"])
def test_a_grade_is_relevant_from_one_on_where_no_more_is_asked(ties):
    own = evaluate(RECS, TRUTH, BINARY + GRADED, relevant_from=4, ties=ties)
    binary = evaluate(RECS, YES_OR_NO, BINARY, ties=ties)
    graded = evaluate(RECS, TRUTH, GRADED, ties=ties)
    pd.testing.assert_frame_equal(own.per_user[BINARY], binary.per_user)
    pd.testing.assert_frame_equal(own.per_user[GRADED], graded.per_user)
    pd.testing.assert_frame_equal(own.counts, binary.counts)  # 3 is judged, without truth
    assert "grade of 4 or more (for graded gains: above 0)" in own.methods()


@pytest.mark.parametrize(
    ("name", "convention", "relevant_from"),
    [
        pytest.param("nDCG@3", "rectools", 4, id="a binary gain"),
        pytest.param("HR(rel=4)@1", "receval", 5, id="a threshold in a name goes first"),
    ],
)
def test_a_threshold_makes_grades_binary(name, convention, relevant_from):
    own = evaluate(RECS, TRUTH, name, convention=convention, relevant_from=relevant_from)
    binary = evaluate(RECS, YES_OR_NO, name.replace("(rel=4)", ""), convention=convention)
    assert_array_equal(own.per_user, binary.per_user)


# Notes ------------------------------------------------------------------------------------------


def check_notes(result, note, is_noted, folder):
    """Check whether a note is below the table, in the methods, and in the saved file.

    Methods lack the advice that follows the mark "[advice]".
    """
    result.save(folder / "noted.receval")
    again = load(folder / "noted.receval")
    assert (again.notes(), again.methods()) == (result.notes(), result.methods())
    assert (note.replace("[advice]", "") in repr(result)) is is_noted
    fact, _, advice = note.partition("[advice]")
    assert (fact.casefold() in result.methods().casefold()) is is_noted
    assert not advice or advice not in result.methods()


SEEN = pd.DataFrame({"user": [1, 1, 2, 9], "item": list("acba")})
TEXTS = RECS.assign(user="u" + RECS["user"].astype(str), item="u" + RECS["item"])
JUDGED_TEXTS = TRUTH.assign(
    user="u" + TRUTH["user"].astype(str), item="u" + TRUTH["item"], relevance=1
)
BLANK = TEXTS.assign(item=TEXTS["item"].replace("ua", "ua "))
IN_ONE_LIST = TEXTS.assign(item=BLANK["item"].where(TEXTS["user"] == "u1", TEXTS["item"]))
SHORT = RECS.drop_duplicates("user")
ITEMS_APART = "items are spelled differently in relevance: 1, such as 'ua ' and 'ua'"
TOO_SHORT = (
    "no list is longer than 1, and 3 relevant items are in no list: longer lists could change "
    "HR@2, nDCG@3"
)
FROM_4 = {"relevant_from": 4}
OWN = Measure("mine", per_list=lambda lists, _: lists.length, source="this test")
NO_USE = (
    "the threshold relevant_from=4 does nothing to {}, whose gains come from all grades, also "
    "the lower ones[advice]: for gains of 0 and 1, make the grades of relevance 0 and 1"
)
ABC, A = {"u": ["a", "b", "c"]}, {"u": {"a"}}
FILMS = pd.DataFrame({"action": [1, 0, 1], "drama": [0, 1, 1]}, index=["a", "b", "c"])
FEATURES = "the features of ILD@2 are these columns of items: 'action', 'drama'"
SCALE = "from {:g} to {:g} counts as relevant in HR@3[advice]: with relevant_from={:g},"
LARGE = "numbers in '{}' are so large that the other features hardly change ILD"
NOT_ALL_ITEMS = "only lists of all items give the AUC"
IN_HISTORY = (
    "recommended items in the history of their user: 3[advice]; seen='drop' leaves them out"
)
NOTES = {
    "another case": (
        TEXTS.replace({"user": {"u1": "U1"}}),
        JUDGED_TEXTS,
        "MRR",
        {},
        "users are spelled differently in relevance: 1, such as 'U1' and 'u1'",
        True,
    ),
    "a blank": (BLANK, JUDGED_TEXTS, "MRR", {}, ITEMS_APART, True),
    "a blank in one list": (
        IN_ONE_LIST.astype({"user": "category", "item": "category"}),
        JUDGED_TEXTS,
        "MRR",
        {},
        ITEMS_APART,
        True,
    ),
    "the same texts": (TEXTS, JUDGED_TEXTS, "MRR", {}, "spelled differently", False),
    "no texts": (RECS, TRUTH, "MRR", {}, "spelled differently", False),
    "short lists": (SHORT, TRUTH, ["HR@1", "HR@2", "nDCG@3"], {}, TOO_SHORT, True),
    "long lists": (RECS, TRUTH, "HR@3", {}, "no list is longer", False),
    "all relevant items listed": (RECS, TRUTH[:6], "HR@5", {}, "no list is longer", False),
    "seen items": (RECS, TRUTH, "MRR", {"history": SEEN}, IN_HISTORY, True),
    "an empty history": (RECS, TRUTH, "MRR", {"history": SEEN[:0]}, "history", False),
    "no seen items to refuse": (
        RECS,
        TRUTH,
        "MRR",
        {"history": SEEN[:0], "seen": "error"},
        "history",
        False,
    ),
    **{
        f"a threshold and {graded}": (
            RECS,
            TRUTH,
            [graded, "MAP"],
            FROM_4,
            NO_USE.format(graded),
            True,
        )
        for graded in (*GRADED, "nDCG", "ERR(max_grade=5)")
    },
    "a threshold and a measure of your own": (
        RECS,
        TRUTH,
        [OWN, "MAP"],
        FROM_4,
        NO_USE.format("mine"),
        True,
    ),
    **{
        f"a threshold and the binary gains of {convention}": (
            {1: ["a", "b"]},
            TRUTH,
            ["nDCG@3", "MAP"],
            {"convention": convention, **FROM_4},
            "does nothing",
            False,
        )
        for convention in ("lenskit", "rectools")
    },
    "a threshold and no gains": (RECS, TRUTH, ["MAP", "RMSE", "PC"], FROM_4, "nothing", False),
    "everybody answered": (RECS, TRUTH, "MRR", {}, "answer nobody", False),
    "lists without relevant items": (SHORT, TRUTH, "AUC", {}, NOT_ALL_ITEMS, True),
    "lists of all items": (ABC, A, "AUC", {}, NOT_ALL_ITEMS, False),
    **{
        f"grades {name}": (
            RECS,
            TRUTH[:5].assign(relevance=grades),
            measures,
            options,
            SCALE.format(grades[0], grades[-1], grades[-2]),
            is_noted,
        )
        for name, grades, measures, options, is_noted in [
            ("from 1 to 5", [1, 2, 3, 4, 5], ["nDCG@3", "HR@3"], {}, True),
            ("with a half", [0.5, 1, 2, 3, 4], ["nDCG@3", "HR@3"], {}, True),
            ("with a 0", [0, 1, 2, 3, 4], ["nDCG@3", "HR@3"], {}, False),
            ("up to 4", [1, 2, 3, 4, 4], ["nDCG@3", "HR@3"], {}, False),
            ("that are counts", [1, 2, 3, 4, 733], ["nDCG@3", "HR@3"], {}, False),
            ("with a threshold", [1, 2, 3, 4, 5], "HR@3", {"relevant_from": 4}, False),
            ("as gains", [1, 2, 3, 4, 5], ["nDCG@3", "HR(rel=4)@3"], {}, False),
        ]
    },
    "columns that became features": (
        ABC,
        A,
        ["ILD@2", "HR@1"],
        {"items": FILMS.assign(awards=1)},
        FEATURES,
        True,
    ),
    "no features": (ABC, A, "HR@1", {"items": FILMS}, "features", False),
    **{
        f"a large {column}": (
            ABC,
            A,
            "ILD",
            {"items": FILMS.assign(**{column: [1999, 2005, 2010]})},
            LARGE.format(column),
            True,
        )
        for column in ("year", "runtime", "film_id")
    },
    "a scaled year": (
        ABC,
        A,
        "ILD",
        {"items": FILMS.assign(year=[0, 6 / 11, 1])},
        LARGE.format("year"),
        False,
    ),
}


@pytest.mark.parametrize(
    ("recs", "truth", "measures", "options", "note", "is_noted"), NOTES.values(), ids=NOTES
)
def test_notes(recs, truth, measures, options, note, is_noted, tmp_path):
    check_notes(evaluate(recs, truth, measures, **options), note, is_noted, tmp_path)


def test_nobody_answered_is_told_and_warned_of(tmp_path):
    note = "recommendations of 'none' answer nobody: no judged user has a list"
    with pytest.warns(EvaluationWarning, match=note):
        result = evaluate({"some": RECS, "none": RECS[:0]}, TRUTH, "MRR")
    check_notes(result, note, True, tmp_path)


@pytest.mark.parametrize("section", ["notes", "folds"])
def test_advice_in_a_note_is_marked(section):
    for key, note in WORDS[section].items():
        fact = note.partition("[advice]")[0]
        advice = re.search(r"\b(pass|choose|leave|put|remove|check|make|see|use)\b|\?", fact)
        assert advice is None or key == "foreign", key


PAIR = evaluate(
    {"A": {1: ["x"], 2: ["x"]}, "B": {1: ["w", "x"], 2: ["x"]}},
    {1: {"x"}, 2: {"x", "y"}},
    ["AUC", "MRR", "HR@9"],
)
ONE_TEST = PAIR.compare("A", test="sign", measures="MRR")


@pytest.mark.parametrize(
    ("shown", "part"),
    [
        (PAIR.notes(), "longer than 2, and 1 relevant item is in no list: longer"),
        (PAIR.notes(), "of a list, and 1 relevant item is in no list: only"),
        (ONE_TEST.methods(), "over 1 comparison"),
        (ONE_TEST.results["verdict"].tolist(), "cannot decide: 1 user differs, 6 are needed"),
        (
            pooled({"first": PAIR.where([1])}).notes(),
            "over persons: 1 person, 1 row of 1 fold; the",
        ),
    ],
)
def test_notes_on_one_thing_are_in_the_singular(shown, part):
    """Notes on several have the plural; the other tests have examples."""
    assert part in str(shown)


# Seen items -------------------------------------------------------------------------------------


WITH_RANKS = RECS.assign(rank=RECS.groupby("user").cumcount() + 1)
TWICE = pd.concat([WITH_RANKS, WITH_RANKS[1:2].assign(score=-1.0, rank=4)])


@pytest.mark.parametrize("rank", [None, "rank"])
@pytest.mark.parametrize(
    ("recs", "options", "counts"),
    [
        (WITH_RANKS, {}, {"seen": 3}),
        (TWICE, {"duplicates": "first"}, {"seen": 3, "repeated": 1}),
    ],
)
def test_seen_items_are_dropped_and_counted(recs, options, counts, rank, tmp_path):
    choices = {"measures": ["MRR", "nDCG@1", "Precision@2"], "rank": rank, **options}
    kept = WITH_RANKS[[False, True, False, True, False, True]].assign(rank=1)
    own = evaluate(recs, TRUTH, history=SEEN, seen="drop", **choices)
    pd.testing.assert_frame_equal(own.per_user, evaluate(kept, TRUTH, **choices).per_user)
    assert own.counts.loc["", [*counts]].to_dict() == counts
    check_notes(own, "recommended items in the history", False, tmp_path)
    assert "3 seen" in own.methods()


def test_equal_scores_of_lists_that_are_dropped_leave_nothing_open():
    recs = pd.DataFrame({"user": [1, 1, 2], "item": ["a", "b", "b"], "score": [3, 3, 1]})
    truth = pd.DataFrame({"user": [1, 2], "item": ["b", "b"], "relevance": 1})
    found = evaluate(recs, truth, ["MRR", "AUC", "bpref"], history=recs, seen="drop")
    assert (found.summary[["MRR", "bpref"]] == 0).all(axis=None)
    assert (found.ties()["users"] == 0).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        *(
            ({"relevant_from": wrong}, "relevant_from must be a grade above 0; got")
            for wrong in (0, -1, float("nan"), "4", True)
        ),
        (
            {
                "convention": replace(convention("ranx"), name="mine", threshold=4),
                "relevant_from": 3,
            },
            r"relevant_from must be at least 4, .*; got 3",
        ),
        ({"history": SEEN, "seen": "error"}, r"user 1 with item 'a', .*seen='drop'"),
        ({"history": SEEN, "seen": "skip"}, "seen must be one of"),
        ({"seen": "drop"}, "history must be given for seen='drop'"),
    ],
)
def test_refuses(options, message):
    with pytest.raises(InputError, match=message):
        evaluate(RECS, TRUTH, "HR@1", **options)


def test_items_whose_features_are_all_0_are_different_from_every_item():
    nothing = FILMS.assign(action=[0, 0, 1], drama=[0, 0, 1])
    result = evaluate({"u": ["a", "b"]}, {"u": {"a"}}, "ILD", items=nothing)
    assert result.summary["ILD"].item() == 1
