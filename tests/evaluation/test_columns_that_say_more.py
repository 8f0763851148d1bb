"""Columns and numbers that say more than a user, an item and a score: systems, ranks, marks, names.

Expected values are computed by hand: the relevant item is first (1), second (1/2), third (1/3).
"""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import receval
from receval import InputError, evaluate

TALL = pd.DataFrame(
    {
        "user": ["q1", "q1", "q2", "q2"] * 2,
        "item": ["a", "b"] * 4,
        "score": [1, 2, 3, 4, 4, 3, 2, 1.0],
        "system": ["A"] * 4 + ["B"] * 4,
    }
)
"""A has the relevant item second, B has it first."""

TRUTH = pd.DataFrame({"user": ["q1", "q2"], "item": "a", "relevance": 1})
DISTANCES = pd.DataFrame(
    {"user": "u", "item": list("abc"), "score": [0.1, 0.5, 0.9], "rank": [1, 2, 3]}
)
BEST = {"u": ["a"]}


def as_file(table, folder, name):
    path = folder / name
    receval.write_table(table, path)
    return path


FORMS = {
    "pandas": lambda table, _: table,
    "arrow": lambda table, _: pa.Table.from_pandas(table),
    "polars": lambda table, _: pytest.importorskip("polars").from_pandas(table),
    "CSV": lambda table, folder: as_file(table, folder, "recs.csv"),
    "Parquet": lambda table, folder: as_file(table, folder, "recs.parquet"),
    "Dask": lambda table, _: pytest.importorskip("dask.dataframe").from_pandas(
        table, npartitions=2
    ),
}


def mrr(recommendations, relevance=TRUTH, **options):
    """Return the MRR of each system."""
    return evaluate(recommendations, relevance, "MRR", **options).summary["MRR"].to_dict()


# Several systems in one table ---------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
@pytest.mark.parametrize(
    ("table", "means"),
    [
        pytest.param(TALL, {"A": 0.5, "B": 1.0}, id="shared items"),
        # B's other item is c, so that no item is repeated.
        pytest.param(
            TALL.assign(item=["a", "b"] * 2 + ["a", "c"] * 2).iloc[[1, 3, 4, 5, 6, 7]],
            {"A": 0.0, "B": 1.0},
            id="different items",
        ),
    ],
)
def test_a_column_of_systems_means_several_systems(form, table, means, tmp_path):
    result = evaluate(form(table.sample(frac=1, random_state=1), tmp_path), TRUTH, "MRR")
    assert result.summary["MRR"].to_dict() == means
    assert "the column 'system' names the systems" in " ".join(result.notes())


def test_a_run_file_with_two_tags_has_two_systems(file):
    lines = "A Q0 x 1 9 first\nA Q0 a 2 1 first\nA Q0 a 1 9 second\nB Q0 b 1 8 second\n"
    files = file("two.run", lines), file("two.qrels", "A 0 a 1\nB 0 b 1\n")
    assert mrr(*files) == {"first": 0.25, "second": 1.0}
    assert mrr({"mine": files[0]}, files[1]) == {"mine/first": 0.25, "mine/second": 1.0}


def test_a_run_file_is_of_one_system(tmp_path):
    with pytest.raises(InputError, match=r"must name one system.*'A', 'B'"):
        receval.write_run(TALL, tmp_path / "two.run")


# Ranks beside scores ------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ranks_that_contradict_the_scores_are_refused(form, tmp_path):
    shuffled = form(DISTANCES.sample(frac=1, random_state=2), tmp_path)
    message = "rank of recommendations must agree with the scores.*rank='rank'.*negate them"
    with pytest.raises(InputError, match=message):
        mrr(shuffled, BEST)


def test_ranks_of_a_run_file_that_contradict_its_scores_are_refused(file):
    run = file("distances.run", "u Q0 a 1 0.1 t\nu Q0 b 2 0.5 t\nu Q0 c 3 0.9 t\n")
    with pytest.raises(InputError, match="must agree with the scores"):
        mrr(run, BEST)


ALGORITHMS = TALL.assign(item=["a", "b"] * 2 + ["c", "d"] * 2).rename(
    columns={"system": "Algorithm"}
)


@pytest.mark.parametrize("system", [None, "Algorithm"])
def test_a_column_that_may_name_systems_is_noted_unless_you_say_what_it_is(system):
    note = evaluate(ALGORITHMS, TRUTH, "MRR").notes()[0]
    assert "have a column 'Algorithm', which isn't read" in note
    assert note.endswith("pass system='Algorithm'")
    told = evaluate(ALGORITHMS, TRUTH, "MRR", system=system)
    assert "isn't read" not in " ".join(told.notes())


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_ranks_without_scores_are_ranks(form, tmp_path):
    table = DISTANCES.drop(columns="score").sample(frac=1, random_state=3)
    result = evaluate(form(table, tmp_path), BEST, "MRR")
    assert result.summary["MRR"].item() == 1.0
    assert "'rank' as rank in recommendations" in " ".join(result.notes())


@pytest.mark.parametrize("label", ["rank", "distance"])
def test_a_note_says_which_way_ranks_as_scores_are_read(label):
    table = pd.DataFrame({"user": "u", "item": ["x", "b"], label: [1, 3]})
    result = evaluate(table, {"u": {"b"}}, "MRR", score=label)
    assert f"the highest {label} counts as the best" in " ".join(result.notes())


# Refused calls, and the calls that their messages advise -----------------------------------------

OF_A = TALL[:4]
BY_MODEL = TALL.rename(columns={"system": "model"})
SCORES, DISTANCE_RANKS = DISTANCES.drop(columns="rank"), DISTANCES.drop(columns="score")
OF_TWO_ORDERS = pd.concat(
    [DISTANCES.assign(system="A"), DISTANCES.assign(system="B", score=[3, 2, 1])]
)
OF_TWO_USERS = pd.DataFrame(
    {"user": ["u", "u", "v", "v"], "item": ["a", "b"] * 2, "rank": [1, 2] * 2}
)
B_OF_BOTH = {"u": ["b"], "v": ["b"]}
GAPS, TIES = (
    pd.DataFrame({"user": "u", "item": list("xyb"), "rank": ranks})
    for ranks in ([1, 3, 4], [1, 1, 3])
)
REPEATED = pd.DataFrame({"user": "u", "item": list("aba"), "score": [1, 2, 3]})
UNSIGNED = pd.DataFrame({"user": 1, "item": [1, 2], "score": [0.4, 0.9]})
UNSIGNED["rank"] = np.array([2, 1], "uint64")
BY_USER_ID = SCORES.rename(columns={"user": "user_id"})
DOUBTFUL = BY_USER_ID.assign(uid="v")
BY_QID = SCORES.rename(columns={"user": "qid"}).assign(query="v")
OF_B_IS_BEST = {"u": ["b"]}
# Another column has the usual name.
TWO_NUMBERS = pd.DataFrame({"uid": [1, 2], "user": [13, 14], "score": [0.9, 0.8]})
BY_NAME = TWO_NUMBERS.rename(columns={"uid": "item", "user": "thing"})
TWO_RELEVANT = pd.DataFrame({"user_id": [1, 2], "user": [14, 13], "relevance": 1})

REFUSED = {
    "a system is missing": (
        (TALL.assign(system=["A"] * 7 + [None]), TRUTH),
        {},
        r"system of recommendations .* pass system=None",
    ),
    "a column of systems with another name": ((BY_MODEL, TRUTH), {}, "pass its name as system="),
    **{
        f"one of two systems, {label}": (
            (OF_TWO_ORDERS.rename(columns={"rank": label}), BEST),
            {},
            f"{label} of recommendations of system 'A' must agree",
        )
        for label in ("rank", "Rank", "ranking")
    },
    **{
        f"{name} that contradict the scores": (
            (DISTANCES.assign(rank=ranks, score=scores), BEST),
            {},
            "rank of recommendations must agree",
        )
        for name, ranks, scores in (
            ("tied ranks", [1, 1, 2], [1, 3, 2]),
            ("fractions as ranks", [0.1, 0.2, 0.9], [2, 3, 1]),
            ("ranks below 0", [-3, -2, -1], [3, 1, 2]),
        )
    },
    "ranks that contradict the scores of the second user": (
        (OF_TWO_USERS.assign(score=[2, 1, 3, 4]), B_OF_BOTH),
        {},
        "rank of recommendations must agree with .* for user 'v'",
    ),
    "ranks with gaps": (
        (GAPS, OF_B_IS_BEST),
        {},
        "pass their negatives as scores and leave out rank(?!.*pass it as score)",
    ),
    "equal ranks": (
        (TIES, OF_B_IS_BEST),
        {},
        "pass their negatives as scores and leave out rank(?!.*pass it as score)",
    ),
    "repeated items": (
        (REPEATED, OF_B_IS_BEST),
        {},
        "^(?!.*drop_duplicates).*duplicates='first' keeps the best place",
    ),
    # Two candidates: pass either of them, or rename it if other recommendations lack the name.
    "two names for users": (
        ({"A": DOUBTFUL}, BEST),
        {},
        "Perhaps user='user_id' or user='uid'",
    ),
    "two names in each table": (
        ({"A": DOUBTFUL, "B": BY_QID}, BEST),
        {"user": "user_id"},
        "If recommendations differ among themselves, rename the columns",
    ),
    # A name that no table has is a mistake; the default works.
    "a name that no table has": (
        ({"A": SCORES, "B": BY_USER_ID}, BEST),
        {"user": "usr"},
        "Perhaps user='user'",
    ),
    "a name that relevance has for users": (
        (BY_NAME, TWO_RELEVANT.rename(columns={"user_id": "person"})),
        {"user": "item", "item": ("thing", "user")},
        "relevance must have one column 'item'",
    ),
    "errors of ratings without scores": (
        ({"ranks": DISTANCE_RANKS, "scores": SCORES}, {"u": {"a": 1}}),
        {"measures": "RMSE"},
        "score must be given for RMSE",
    ),
}


@pytest.mark.parametrize(("tables", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_refused_with_advice(tables, options, message):
    with pytest.raises(InputError, match=message):
        evaluate(*tables, **{"measures": "MRR", **options})


ANSWERED = {
    "ranks that contradict the scores": ((DISTANCES, BEST), {"rank": "rank"}, {"": 1.0}),
    "the negatives of distances": (
        (DISTANCES.assign(score=-DISTANCES["score"]), BEST),
        {},
        {"": 1.0},
    ),
    "scores without ranks": ((SCORES, BEST), {}, {"": 1 / 3}),
    "only tables with several labels are split": (
        ({"both": TALL, "one": OF_A, "none": TALL[4:].drop(columns="system")}, TRUTH),
        {},
        {"both/A": 0.5, "both/B": 1.0, "one": 0.5, "none": 1.0},
    ),
    "an ordinary column": (
        (OF_A.assign(system=["linux", "mac"] * 2), TRUTH),
        {"system": None},
        {"": 0.5},
    ),
    "a column that may name systems": (
        (ALGORITHMS, TRUTH),
        {"system": "Algorithm"},
        {"A": 0.5, "B": 0.0},
    ),
    "systems by name": ((BY_MODEL, TRUTH), {"system": "model"}, {"A": 0.5, "B": 1.0}),
    **{
        f"ranks that do not contradict the scores, {name}": (
            (DISTANCES.assign(score=[3, 2, 2], rank=ranks), OF_B_IS_BEST),
            {},
            {"": 0.5},
        )
        for name, ranks in {
            "1 2 3": [1, 2, 3],
            "from 0": [0, 1, 2],
            "all 1": [1, 1, 1],
            "gaps": [10, 20, 40],
            "fractions": [0.5, 1, 1.5],
            "below 1": [-1, 0, 1],
            "missing": [1, np.nan, 3],
            "text": ["-", "-", "-"],
        }.items()
    },
    "tied ranks, in any order": (
        (DISTANCES.assign(rank=[1, 1, 2], score=[2, 3, 1]), OF_B_IS_BEST),
        {},
        {"": 1.0},
    ),
    "ranks of two users": (
        (OF_TWO_USERS.assign(score=[2, 1, 4, 3]), B_OF_BOTH),
        {},
        {"": 0.5},
    ),
    "unsigned ranks": ((UNSIGNED, {1: [1]}), {}, {"": 0.5}),
    "ranks or scores by table": (
        ({"list": {"u": ["a", "b"]}, "ranks": DISTANCE_RANKS, "scores": SCORES}, BEST),
        {},
        {"list": 1.0, "ranks": 1.0, "scores": 1 / 3},
    ),
    **{
        f"the negatives of {name} as scores": (
            (table.assign(score=-table["rank"]).drop(columns="rank"), OF_B_IS_BEST),
            {},
            {"": 1 / 3},
        )
        for name, table in {"ranks with gaps": GAPS, "equal ranks": TIES}.items()
    },
    "the best place of an item": ((REPEATED, OF_B_IS_BEST), {"duplicates": "first"}, {"": 0.5}),
    "each table its own name": (
        ({"A": SCORES, "B": BY_USER_ID}, BEST),
        {},
        {"A": 1 / 3, "B": 1 / 3},
    ),
    # A name that one table has is no mistake in the others.
    "a name that one table has": (
        ({"A": SCORES, "B": BY_USER_ID}, BEST),
        {"user": "user_id"},
        {"A": 1 / 3, "B": 1 / 3},
    ),
    "one of two names": (({"A": DOUBTFUL}, BEST), {"user": "user_id"}, {"A": 1 / 3}),
    "renamed columns": (
        ({"A": DOUBTFUL, "B": BY_QID.rename(columns={"qid": "user_id"})}, BEST),
        {"user": "user_id"},
        {"A": 1 / 3, "B": 1 / 3},
    ),
}


@pytest.mark.parametrize(("tables", "options", "means"), ANSWERED.values(), ids=ANSWERED)
def test_answered_by_the_advice(tables, options, means):
    assert mrr(*tables, **options) == means


@pytest.mark.parametrize(
    ("tables", "names", "users"),
    [
        ((TWO_NUMBERS, TWO_RELEVANT), {"user": ("uid", "user_id"), "item": "user"}, [1, 2]),
        (
            (TWO_NUMBERS, TWO_RELEVANT),
            {"user": ("user", "user"), "item": ("uid", "user_id")},
            [13, 14],
        ),
        (
            (BY_NAME, TWO_RELEVANT.rename(columns={"user_id": "item"})),
            {"user": "item", "item": ("thing", "user")},
            [1, 2],
        ),
    ],
)
def test_a_pair_of_names_beside_a_column_of_the_usual_name(tables, names, users):
    result = evaluate(*tables, "HR@1", **names)
    assert result.per_user["HR@1"].to_dict() == dict.fromkeys(users, 0)


# Swapped tables -----------------------------------------------------------------------------------

RUN = {"q1": {"d9": 0.92, "d0": 0.81, "d7": 0.44}, "q2": {"d1": 0.3, "d0": 0.2}}
QRELS = {"q1": {"d0": 1, "d7": 2}, "q2": {"d0": 1}}


BINARY = {"q1": {"d0": 1}, "q2": {"d0": 1}}
QRELS_TABLE, RUN_TABLE = (
    pd.DataFrame(
        [(user, item, number) for user in numbers for item, number in numbers[user].items()],
        columns=["user", "item", "score"],
    )
    for numbers in (QRELS, RUN)
)
BY_SCORE = {"relevance_column": "score"}


@pytest.mark.parametrize(
    ("recommendations", "relevance", "options", "is_asked"),
    [
        pytest.param(QRELS, RUN, {}, True, id="dicts"),
        pytest.param(RUN, QRELS, {}, False, id="dicts the right way"),
        pytest.param(BINARY, RUN, {}, True, id="grades of 0 and 1"),
        pytest.param(RUN, BINARY, {}, False, id="grades of 0 and 1 the right way"),
        pytest.param(QRELS_TABLE, RUN_TABLE, BY_SCORE, True, id="tables with the same names"),
        pytest.param(RUN_TABLE, QRELS_TABLE, BY_SCORE, False, id="these the right way"),
        pytest.param({"u": {"a": 2, "b": 1}}, {"u": {"a": 0.4}}, {}, False, id="n to 1"),
        pytest.param({"u": {"a": 3, "b": 3}}, {"u": {"a": 3.5}}, {}, False, id="half stars"),
        pytest.param({"u": {"a": 0.5, "b": 3}}, {"u": {"a": 0.4}}, {}, False, id="fractions"),
    ],
)
def test_swapped_tables_are_asked_about(recommendations, relevance, options, is_asked):
    notes = evaluate(recommendations, relevance, "nDCG@10", **options).notes()
    assert ("were the two tables swapped?" in " ".join(notes)) is is_asked


def test_swapped_files_are_asked_about(file):
    qrels, run = file("t.qrels", "q1 0 d0 1\n"), file("t.run", "q1 Q0 d0 1 0.92 t\n")
    with pytest.raises(InputError, match="recommendations come first"):
        evaluate(qrels, run, "nDCG@10")


# Other tools' names -------------------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_each_table_may_have_its_own_names(form, tmp_path):
    other = SCORES.rename(columns={"user": "user_id", "item": "docno"})
    truth = pd.DataFrame({"query-id": ["u"], "item_id": ["a"], "rating": [4]})
    result = evaluate({"A": SCORES, "B": form(other, tmp_path)}, truth, "MRR")
    assert result.summary["MRR"].to_dict() == {"A": 1 / 3, "B": 1 / 3}
    result.save(tmp_path / "r.receval")
    notes = " ".join(receval.load(tmp_path / "r.receval").notes())
    for part in (
        "'user_id' as user in recommendations of 'B'",
        "'query-id' as user in relevance",
        "'rating' as relevance in relevance",
    ):
        assert part in notes
