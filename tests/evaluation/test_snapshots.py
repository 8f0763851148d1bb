"""A result is a snapshot: later changes to tables, files or returned tables do not affect it."""

import dataclasses
from contextlib import suppress
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval
from receval import (
    InputError,
    Measure,
    _table,
    evaluate,
    evaluate_groups,
)
from receval.definitions.convention import convention
from receval.definitions.definition import measure
from receval.evaluation import pooled

USERS = np.repeat(np.arange(40), 3)
RECS = {"user": USERS, "item": np.tile([1, 2, 3], 40), "score": np.tile([3.0, 2.0, 1.0], 40)}
TRUTH = {"user": np.arange(40), "item": np.arange(40) % 3 + 1, "relevance": np.ones(40)}
NAMES = ["nDCG@10", "MRR", "HR@1"]


TABLE = pd.DataFrame(RECS)
RELEVANCE = pd.DataFrame(TRUTH)
BOTH = {"a": TABLE, "b": TABLE.assign(score=-TABLE["score"])}
RESULT = evaluate(BOTH, RELEVANCE, NAMES)
ONE = evaluate(TABLE, RELEVANCE, NAMES)
PART = RESULT.where(range(20))
COMPARISON = RESULT.compare()
POOLED = pooled({1: PART, 2: RESULT.where(range(20, 40))})
RATINGS = pd.DataFrame({"group": 1, "member": ["u", "v"], "item": "a", "rating": [5.0, 3.0]})
GROUPED = evaluate_groups(RATINGS, ["average"], k=1)


def spoil(table):
    """Edit a frame in every way that reaches shared data; read-only data may refuse."""
    edits = [
        lambda: table.iloc.__setitem__((0, 0), 99),
        lambda: table.to_numpy().__setitem__((0, 0), 99),
        lambda: setattr(table.index, "name", "spoilt"),
        lambda: setattr(table.columns, "name", "spoilt"),
        lambda: setattr(table, "index", table.index[::-1]),
        lambda: setattr(table, "columns", table.columns[::-1]),
        lambda: table.attrs.update(spoilt=True),
        lambda: table.__delitem__(table.columns[-1]),
        lambda: table.insert(0, "spoilt", 1),
    ]
    for column in table:
        edits[:0] = [
            lambda column=column: table.loc.__setitem__((slice(None), column), 1),
            lambda column=column: table[column].array.__setitem__(0, 99),
            lambda column=column: table[column].to_numpy().__setitem__(0, 99),
        ]
    for edit in edits:
        # Read-only data, or text where the number should go:
        with suppress(ValueError, TypeError, IndexError):
            edit()


TABLES = {
    "per_user": lambda: RESULT.per_user,
    "summary": lambda: RESULT.summary,
    "counts": lambda: RESULT.counts,
    "ties": lambda: RESULT.ties(),
    "interval": lambda: RESULT.interval(),
    "values of a part": lambda: PART.per_user.loc["a"],
    "values of one system": lambda: ONE.per_user,
    "summary of a part": lambda: PART.summary,
    "comparison": lambda: COMPARISON.results,
    "folds": lambda: POOLED.by_fold,
    "values of folds": lambda: POOLED.per_user.loc["a"],
    "values of members": lambda: GROUPED.per_member,
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
def test_an_edited_answer_changes_no_later_answer(table):
    before = table().copy()
    spoil(table())
    pd.testing.assert_frame_equal(table(), before, check_exact=True)
    assert "spoilt" not in table().attrs
    assert evaluate(BOTH, RELEVANCE, NAMES) == RESULT


@pytest.mark.parametrize(
    ("result", "name"), [(RESULT, "summary"), (COMPARISON, "results"), (POOLED, "by_fold")]
)
def test_answers_cannot_be_replaced(result, name):
    with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
        setattr(result, name, None)


def test_systems_are_a_copy():
    RESULT.systems.clear()
    assert RESULT.systems == ["a", "b"]


def test_the_measures_of_a_result_cannot_be_changed():
    early = Measure("early", terms=receval.Terms(lambda g: g > 0, lambda i: 0.5**i), source="test")
    evaluated = evaluate(TABLE, RELEVANCE, early).measures[0]
    measures = (RESULT.measures[0], evaluated, early.at(2), early)
    for changed, name in product(measures, ("name", "k", "spec")):
        with pytest.raises(AttributeError, match="a measure can't be changed"):
            setattr(changed, name, None)


def test_an_edit_of_the_parameters_of_a_measure_changes_no_later_answer():
    result = evaluate(TABLE, RELEVANCE, "RBP(p=0.5)@3")
    before = result.where(range(20))
    result.measures[0].parameters["p"] = 0.9
    assert result.measures[0].parameters == {"p": 0.5}
    assert result.where(range(20)) == before


def test_an_edit_of_what_the_ledger_answers_changes_no_later_answer():
    receval.ledger.load("001")["inputs"].clear()
    assert receval.ledger.load("001")["inputs"]
    table = receval.ledger.table("000_results")
    table.iloc[:, 0] = ""
    assert (receval.ledger.table("000_results").iloc[:, 0] != "").all()


def test_an_edit_of_the_ratings_does_not_reach_the_values_of_members():
    ratings = RATINGS.copy()
    result = evaluate_groups(ratings, ["average"], k=1)
    ratings.loc[:, "rating"] = 0.0
    pd.testing.assert_frame_equal(result.per_member, GROUPED.per_member, check_exact=True)


# Tables that change ---------------------------------------------------------------------------


READERS = {
    "explain": lambda result: result.explain(1, "nDCG@10").table,
    "lists": lambda result: result.lists(1),
    "all lists": lambda result: result.lists(),
    "ties": lambda result: result.ties(),
    "part": lambda result: result.where([1, 2]).summary,
    "summary": lambda result: result.summary,
    "per_user": lambda result: result.per_user,
    "text": lambda result: pd.Series(repr(result)).to_frame(),
}


@pytest.mark.parametrize("version", ["2.3.3", pd.__version__])
def test_edits_of_tables_and_their_arrays_do_not_reach_a_result(version, monkeypatch):
    monkeypatch.setattr(_table.pd, "__version__", version)
    arrays = {name: values.copy() for name, values in RECS.items()}
    arrays["score"] = np.tile([1.0, 1.0, 0.0], 40)
    copy = False if version == "2.3.3" else None  # only pandas 3 copies by default
    tables = {
        "recommendations": pd.DataFrame(arrays, copy=copy),
        "relevance": RELEVANCE.copy(),
        "items": pd.DataFrame({"awards": [5, 1, 0], "red": [1.0, 0.5, 0.0]}, index=[1, 2, 3]),
        "history": pd.DataFrame({"user": np.arange(40), "item": 3}),
    }
    copies = {name: table.copy() for name, table in tables.items()}
    names = [*NAMES, "LTP@2", "ILD@3", "CC@2", "MIUF"]
    expected, result = (evaluate(**inputs, measures=names) for inputs in (copies, tables))
    for values in arrays.values():
        values[:] = 0
    for table in tables.values():
        spoil(table)
    for read in READERS.values():
        pd.testing.assert_frame_equal(read(result), read(expected))


def test_an_edited_dict_of_lists_does_not_reach_a_result():
    recs, truth = {1: ["x", "y"]}, {1: {"y": 1}}
    result = evaluate(recs, truth, "MRR")
    recs[1].reverse()
    truth[1]["x"] = 5
    assert result.explain(1, "MRR").value == result.per_user.loc[1, "MRR"] == 0.5
    assert result.lists(1)["item"].tolist() == ["x", "y"]


def test_a_part_has_the_values_of_its_evaluation_although_a_function_rounds_by_batch():
    measure = Measure(
        "product",
        per_list=lambda lists, k: (
            np.nan_to_num(lists.grades) @ (1 / np.arange(1, lists.grades.shape[1] + 1))
        ),
        source="test",
    )
    rng = np.random.default_rng(0)
    numbers = rng.random((2, 10_000))
    pairs = {"user": np.repeat(np.arange(50), 200), "item": np.tile(np.arange(200), 50)}
    both = pd.DataFrame({**pairs, "score": numbers[0], "relevance": numbers[1]})
    result = evaluate(both, both, measure)
    for user in range(0, 50, 3):
        assert result.explain(user, "product").value == result.per_user.loc[user, "product"]
    part = result.where(range(7)).per_user
    pd.testing.assert_frame_equal(part, result.per_user.loc[:6], check_exact=True)


def test_a_function_that_answers_something_else_now_is_refused():
    factor = [1.0]
    measure = Measure(
        "mine", per_list=lambda lists, k: factor[0] * lists.length.astype(float), source="test"
    )
    result = evaluate(TABLE, RELEVANCE, measure)
    factor[0] = 2.0
    with pytest.raises(InputError, match=r"mine must give user 1 the value 3 of .* got 6"):
        result.explain(1, "mine")
    assert result.where([1]).per_user["mine"].tolist() == [3.0]


# Files that change ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(ONE.save, id="saved over"),
        pytest.param(Path.unlink, id="deleted"),
        pytest.param(lambda path: path.write_bytes(b""), id="emptied"),
    ],
)
def test_a_change_of_the_file_does_not_reach_a_loaded_result(change, tmp_path):
    path = tmp_path / "x.receval"
    RESULT.save(path)
    loaded = receval.load(path)
    change(path)
    assert loaded == RESULT
    loaded.save(path)
    assert receval.load(path) == RESULT


# The number in the heading, the last line of the working and the stored value -----------------


EACH_USER = receval.measures().query("level == 'each user'").index
CUT = [f"{name}@2" if measure(name).spec.takes_cutoff else name for name in EACH_USER]
CUT += ["RBP(p=0.5)@3", "nDCG(rel=2)@3", "Precision(rel=2)@3"]
LISTS = {
    "tied": {"x": 1.0, "y": 1.0, "z": 0.5},
    "apart": {"x": 3.0, "y": 2.0},
    "shorter than a cut-off": {"z": 3.0},
    "not judged": {"x": 1.0},
}
GRADES = {
    "tied": {"x": 2, "w": 1, "z": 4},
    "apart": {"y": 1, "x": 0},
    "no answer": {"x": 1},
    "neither answer nor relevant item": {"x": 0},
    "shorter than a cut-off": {"z": 3},
}
ITEMS = pd.DataFrame(
    {
        "awards": [0, 1, 0, 3],
        "novelty_date": pd.to_datetime(["2020-01-01", "2021-01-01", "2022-02-01", "2020-05-01"]),
        "red": [1.0, 0.0, 1.0, 0.0],
        "blue": [0.0, 1.0, 1.0, 0.0],
    },
    index=["x", "y", "z", "w"],
)
HISTORY = pd.DataFrame({"user": ["tied", "apart", "no answer"], "item": ["x", "w", "x"]})


@pytest.mark.parametrize(
    "rules",
    [
        *({"convention": name} for name in receval.conventions().index),
        *({"ties": ties} for ties in ("average", "item", "input", "optimistic", "pessimistic")),
        *({"users": users} for users in ("answered", "both", ["apart", "no answer", "other"])),
        {"relevant_from": 2},
    ],
    ids=str,
)
def test_heading_last_line_and_stored_value_are_one_number(rules):
    refused = dict(convention(rules.get("convention", "receval")).refused)
    # Under other rules, whole lists have no rule that lists that are cut don't have.
    names = {*CUT, *EACH_USER} if rules == {"ties": "average"} else CUT
    names = [name for name in sorted(names) if measure(name).spec.name not in refused]
    result = evaluate(LISTS, GRADES, names, items=ITEMS, history=HISTORY, **rules)
    for user in result.per_user.index.intersection(list(GRADES)):
        for name, stored in result.per_user.loc[user].items():
            explanation = result.explain(user, name)
            numbers = [explanation.value, float(explanation.table.iloc[-1, -1])]
            np.testing.assert_equal(numbers, [stored] * 2, err_msg=f"{name} of {user}")
            assert f"{name} of user {user!r} = {stored:.6g} (" in explanation.notes()[0]


def test_numpy_numbers_among_ids_look_like_numbers_in_the_heading():
    heading = RESULT.explain(np.int64(0), "MRR", system="a").notes()[0]
    assert heading.startswith("MRR of user 0 under 'a' = ")


def test_the_working_of_every_members_satisfaction_ends_in_the_stored_value():
    ratings = np.array([[5.0, 3, 1, 2], [1, 1, 4, 4], [0, 0, 0, 0]])
    members, items = ["u", "v", "nothing above 0"], ["a", "b", "c", "d"]
    index = pd.MultiIndex.from_product([[1], members, items], names=["group", "member", "item"])
    table = pd.DataFrame({"rating": ratings.ravel()}, index).reset_index()
    result = evaluate_groups(table, ["average", "borda", "least_misery"], k=3)
    for (strategy, _, member), stored in result.per_member["satisfaction"].items():
        order = [items.index(item) for item in result.lists.loc[(strategy, 1), "item"]]
        working = receval.working.satisfaction(order, ratings, k=3, member=members.index(member))
        numbers = [float(working.iloc[-1, -1]), float(working.attrs["value"])]
        np.testing.assert_equal(numbers, [stored] * 2)
