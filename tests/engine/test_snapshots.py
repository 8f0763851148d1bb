"""A result is a snapshot: later changes to tables, files or returned tables do not affect it."""

import dataclasses
import os
import pickle
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import receval
from receval import InputError, Measure, evaluate, evaluate_groups, evaluate_macfac, fuzzy
from receval._snapshots import COPIES_ON_WRITE
from receval.evaluation import pooled
from receval.groups import GroupEvaluation
from receval.measure.names import convention, measure
from receval.retrieval import evaluate_retrievers

USERS = np.repeat(np.arange(40), 3)
RECS = {"user": USERS, "item": np.tile([1, 2, 3], 40), "score": np.tile([3.0, 2.0, 1.0], 40)}
TRUTH = {"user": np.arange(40), "item": np.arange(40) % 3 + 1, "relevance": np.ones(40)}
NAMES = ["nDCG@10", "MRR", "HR@1"]


def two_systems():
    recs = pd.DataFrame(RECS)
    return evaluate({"a": recs, "b": recs.assign(score=-recs["score"])}, pd.DataFrame(TRUTH), NAMES)


RESULT = two_systems()


def spoil(table):
    """Edit a frame in every way that reaches shared data; read-only data may refuse."""
    edits = [
        lambda: table.iloc.__setitem__((0, 0), 99),
        lambda: table.to_numpy().__setitem__((0, 0), 99),
        lambda: table[table.columns[0]].array.__setitem__(0, 99),
        lambda: table[table.columns[0]].to_numpy().__setitem__(0, 99),
        lambda: setattr(table.index, "name", "spoilt"),
        lambda: setattr(table.columns, "name", "spoilt"),
        lambda: table.attrs.update(spoilt=True),
        lambda: table.__delitem__(table.columns[-1]),
        lambda: table.insert(0, "spoilt", 1),
    ]
    for edit in edits:
        try:
            edit()
        except (ValueError, TypeError, IndexError):  # read-only, or text where the number should go
            continue


TABLES = {
    "per_user": lambda result: result.per_user,
    "values": lambda result: result.values("a"),
    "one column of values": lambda result: result.values("a", ["MRR"]),
    "summary": lambda result: result.summary,
    "n": lambda result: result.n,
    "counts": lambda result: result.counts,
    "ties": lambda result: result.ties(),
    "interval": lambda result: result.interval(n_resamples=100),
    "values of a part": lambda result: result.where(range(20)).values("a"),
    "values of one system": lambda result: ONE.per_user,
    "summary of a part": lambda result: PART.summary,
    "comparison": lambda result: COMPARISON.results,
    "table": lambda result: TABLE.summary,
    "groups": lambda result: GROUPS.results,
    "means of groups": lambda result: GROUPS.summary,
    "folds": lambda result: POOLED.by_fold,
    "values of folds": lambda result: POOLED.values("a"),
    "working": lambda result: EXPLANATION.table,
}
ONE = evaluate(pd.DataFrame(RECS), pd.DataFrame(TRUTH), NAMES)
PART = RESULT.where(range(20))
COMPARISON = RESULT.compare(interval=False)
TABLE = RESULT.table()
GROUPS = RESULT.by(lambda user: user % 2)
POOLED = pooled({1: RESULT.where(range(20)), 2: RESULT.where(range(20, 40))})
EXPLANATION = RESULT.explain(1, "nDCG@10", system="a")


@pytest.mark.parametrize("name", TABLES)
def test_an_edited_answer_changes_no_later_answer(name):
    before = TABLES[name](RESULT).copy()
    spoil(TABLES[name](RESULT))
    pd.testing.assert_frame_equal(TABLES[name](RESULT), before, check_exact=True)
    assert "spoilt" not in TABLES[name](RESULT).attrs


def test_edits_change_neither_comparisons_nor_files(tmp_path):
    result, untouched = two_systems(), two_systems()
    for answer in TABLES.values():
        spoil(answer(result))
    assert result == untouched
    pd.testing.assert_frame_equal(
        result.compare(interval=False).results, untouched.compare(interval=False).results
    )
    result.save(tmp_path / "x.receval")
    assert receval.load(tmp_path / "x.receval") == untouched
    assert repr(result) == repr(untouched)


def test_edited_dicts_and_lists_change_nothing():
    EXPLANATION.choices.clear()
    assert EXPLANATION.choices
    GROUPS.parts.clear()
    RESULT.systems.clear()
    assert GROUPS.parts
    assert RESULT.systems == ["a", "b"]


def test_answers_cannot_be_replaced():
    for result, name in [(RESULT, "summary"), (COMPARISON, "results"), (POOLED, "by_fold")]:
        with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
            setattr(result, name, None)


def test_the_measures_of_a_result_cannot_be_changed():
    early = Measure("early", terms=receval.Terms(lambda g: g > 0, lambda i: 0.5**i), source="test")
    for result in (RESULT, GROUPS, evaluate(pd.DataFrame(RECS), pd.DataFrame(TRUTH), early)):
        for changed in (result.measures[0], early.at(2), early):
            for name in ("name", "k", "spec", "higher_is_better"):
                with pytest.raises(AttributeError, match="a measure can't be changed"):
                    setattr(changed, name, None)


def test_an_edit_of_the_parameters_of_a_measure_changes_no_later_answer():
    result = evaluate(pd.DataFrame(RECS), pd.DataFrame(TRUTH), "RBP(p=0.5)@3")
    before = result.where(range(20))
    result.measures[0].parameters["p"] = 0.9
    assert result.measures[0].parameters == {"p": 0.5}
    assert result.where(range(20)) == before
    result.explain(1, "RBP(p=0.5)@3")


def test_an_edit_of_what_published_answers_changes_no_later_answer():
    document, figure = receval.ledger.load("001"), receval.ledger.figure("001/cg")
    document["inputs"].clear()
    printed = figure["printed"]
    figure["printed"] = "0"
    assert receval.ledger.load("001")["inputs"]
    assert receval.ledger.figure("001/cg")["printed"] == printed
    table = receval.ledger.table("000_results")
    table.iloc[:, 0] = ""
    assert (receval.ledger.table("000_results").iloc[:, 0] != "").all()


def test_groups_of_document_001_keep_their_members_values():
    index = pd.MultiIndex.from_tuples([("s", 1, "x")], names=["strategy", "group", "member"])
    given = pd.DataFrame({"satisfaction": [0.5]}, index)
    result = GroupEvaluation(given, given, given)
    given.iloc[0, 0] = 9
    spoil(result.per_member)
    assert result.per_member["satisfaction"].tolist() == [0.5]


# Tables that change ---------------------------------------------------------------------------


def test_an_edit_of_a_pandas_table_does_not_reach_a_result():
    recs, truth = pd.DataFrame(RECS), pd.DataFrame(TRUTH)
    result = evaluate(recs, truth, NAMES)
    before = result.explain(1, "nDCG@10").table
    recs["score"] *= -1
    recs.loc[:, "item"] = 9
    truth.loc[:, "relevance"] = 0.0
    pd.testing.assert_frame_equal(result.explain(1, "nDCG@10").table, before)
    assert result.where([1]).summary.loc["", "nDCG@10"] == result.per_user.loc[1, "nDCG@10"]


CHANGES = {
    "scores": ("recs", "score", -1.0),
    "items": ("recs", "item", 2),
    "grades": ("truth", "relevance", 0.0),
    "relevant items": ("truth", "item", 77),
}
READERS = {
    "explain": lambda result: result.explain(1, "nDCG@10"),
    "where": lambda result: result.where([1, 2]),
    "by": lambda result: result.by(lambda user: user % 2),
    "save": lambda result: result.save("x.receval"),
}


@contextmanager
def refused_if_memory_is_shared(message):
    """Expect an error if results share the memory of tables, as they do from pandas 3 on.

    Before pandas 3, a result has copies. Then there must be no error, because nothing changed.
    """
    if not COPIES_ON_WRITE:
        yield
        return
    with pytest.raises(InputError, match=message):
        yield


INPUTS = {"Arrow": pa.table, "pandas without copies": lambda of: pd.DataFrame(of, copy=False)}


def evaluated_arrays(kind, measures=NAMES, **options):
    """A result of tables that share the memory of NumPy arrays, and these arrays."""
    arrays = {
        "recs": {name: values.copy() for name, values in RECS.items()},
        "truth": {name: values.copy() for name, values in TRUTH.items()},
    }
    tables = (INPUTS[kind](columns) for columns in arrays.values())
    return evaluate(*tables, measures, **options), arrays


@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("reader", READERS)
def test_a_table_whose_memory_changed_is_refused(reader, change, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result, arrays = evaluated_arrays(kind)
    before = result.summary
    table, column, value = CHANGES[change]
    arrays[table][column][:] = value
    with refused_if_memory_is_shared(r"^the tables have changed since .* Evaluate them again"):
        READERS[reader](result)
    pd.testing.assert_frame_equal(result.summary, before)
    if COPIES_ON_WRITE:
        assert "the tables have changed since" in repr(result)
        assert list(tmp_path.iterdir()) == []
    else:
        assert result.explain(1, "nDCG@10").value == result.per_user.loc[1, "nDCG@10"]
        pd.testing.assert_frame_equal(result.where([1, 2]).per_user, result.per_user.loc[[1, 2]])


@pytest.mark.parametrize("ties", ["average", "item"])
def test_the_values_of_tied_lists_are_checked_as_they_were_taken(ties):
    result, arrays = evaluated_arrays("Arrow", ties=ties)
    arrays["recs"]["score"][:] = 1.0
    with refused_if_memory_is_shared("the tables have changed since"):
        result.ties()
    result, arrays = evaluated_arrays("Arrow", ties=ties)
    result.ties()
    arrays["recs"]["score"][3:6] = 1.0
    with refused_if_memory_is_shared(r"of user 1 was 0\.\d+ and is 0|of users \[1\] are equal"):
        result.explain(1, "MRR")
    result.explain(2, "MRR")  # whose rows are as they were


def test_unchanged_tables_with_ties_are_never_refused():
    for ties in ("average", "item", "pessimistic", "optimistic", "input"):
        result, arrays = evaluated_arrays("Arrow")
        recs = {**arrays["recs"], "score": arrays["recs"]["score"] // 2}
        result = evaluate(pa.table(recs), pa.table(arrays["truth"]), NAMES, ties=ties)
        for user in range(40):
            result.explain(user, "MRR")
        assert len(result.by(lambda user: user % 3).parts) == 3
        result.ties()


def test_the_error_names_the_measure_the_user_and_both_values():
    result, arrays = evaluated_arrays("Arrow")
    arrays["recs"]["item"][5] = 4  # of user 1, where it was item 3
    arrays["recs"]["item"][4] = 9  # where it was item 2, the relevant one
    with refused_if_memory_is_shared(r"nDCG@10 of user 1 was 0\.63\d+ and is 0\.0 now"):
        result.explain(1, "nDCG@10")


def test_set_level_measures_of_changed_tables_are_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # one of the readers writes a file
    items = pd.DataFrame(index=range(1, 9))
    result, arrays = evaluated_arrays("Arrow", ["CC@3"], items=items)
    assert result.where([1, 2]).summary.notna().all(axis=None)
    arrays["recs"]["item"][2::3] = 4
    for reader in ("where", "by", "save"):
        with refused_if_memory_is_shared("give another CC@3 of all users"):
            READERS[reader](result)


def test_values_read_before_a_change_stay_readable(tmp_path):
    result, arrays = evaluated_arrays("Arrow")
    shown, ties = repr(result), result.ties()
    arrays["recs"]["score"][:] = 1.0
    assert repr(result) == shown
    pd.testing.assert_frame_equal(result.ties(), ties)
    result.save(tmp_path / "x.receval")
    assert repr(receval.load(tmp_path / "x.receval")) == shown


def test_a_part_has_the_values_of_its_evaluation_although_a_function_rounds_by_batch():
    def product(lists, k):
        rank = np.arange(1, lists.grades.shape[1] + 1)
        return np.nan_to_num(lists.grades) @ (1 / np.log(1 + rank))

    measure = Measure("product", per_list=product, source="test")
    rng = np.random.default_rng(0)
    users, items = np.repeat(np.arange(50), 200), np.tile(np.arange(200), 50)
    recs = pd.DataFrame({"user": users, "item": items, "score": rng.random(10_000)})
    truth = pd.DataFrame({"user": users, "item": items, "relevance": rng.random(10_000)})
    result = evaluate(recs, truth, measure)
    for user in range(50):
        assert result.explain(user, "product").value == result.per_user.loc[user, "product"]
    part = result.where(range(7)).per_user
    pd.testing.assert_frame_equal(part, result.per_user.loc[:6], check_exact=True)


def test_a_function_that_answers_something_else_now_is_refused():
    factor = [1.0]
    measure = Measure(
        "mine", per_list=lambda lists, k: factor[0] * lists.length.astype(float), source="test"
    )
    result = evaluate(pd.DataFrame(RECS), pd.DataFrame(TRUTH), measure)
    factor[0] = 2.0
    with pytest.raises(
        InputError, match=r"function of mine have changed .* of user 1 was 3\.0 and"
    ):
        result.explain(1, "mine")
    with pytest.raises(InputError, match="tables or the function of mine have changed"):
        result.where([1])


# Files that change ----------------------------------------------------------------------------


def other():
    return evaluate({"a": pd.DataFrame(RECS), "b": pd.DataFrame(RECS)}, pd.DataFrame(TRUTH), NAMES)


def touched(path):
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns + 1))


FILE_CHANGES = {
    "saved over": lambda path: other().save(path),
    "deleted": lambda path: path.unlink(),
    "touched": touched,
    "grown": lambda path: path.write_bytes(path.read_bytes() + b"x"),
    "emptied": lambda path: path.write_bytes(b""),
}
FILE_READERS = {
    "values": lambda result: result.values("a"),
    "per_user": lambda result: result.per_user,
    "compare": lambda result: result.compare(interval=False),
    "interval": lambda result: result.interval(n_resamples=100),
    "where": lambda result: result.where([1, 2]),
    "by": lambda result: result.by(lambda user: user % 2),
    "pooled": lambda result: pooled({1: result}),
    "save": lambda result: result.save("y.receval"),
}


@pytest.mark.parametrize("change", FILE_CHANGES)
@pytest.mark.parametrize("reader", FILE_READERS)
def test_a_file_that_changed_is_refused(change, reader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    RESULT.save("x.receval")
    loaded = receval.load("x.receval")
    FILE_CHANGES[change](tmp_path / "x.receval")
    with pytest.raises(InputError, match=r"^x.receval has changed since it was loaded"):
        FILE_READERS[reader](loaded)
    pd.testing.assert_frame_equal(loaded.summary, RESULT.summary)
    assert not (tmp_path / "y.receval").exists()


def test_a_loaded_result_reads_its_file_from_any_working_directory(tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    RESULT.save("x.receval")
    other().save("elsewhere/x.receval")
    loaded = receval.load("x.receval")
    monkeypatch.chdir(tmp_path / "elsewhere")
    pd.testing.assert_frame_equal(loaded.values("b"), RESULT.values("b"))


def test_a_part_of_a_loaded_result_outlives_its_file(tmp_path):
    RESULT.save(tmp_path / "x.receval")
    part = receval.load(tmp_path / "x.receval").where([1, 2])
    (tmp_path / "x.receval").unlink()
    pd.testing.assert_frame_equal(part.values("a"), RESULT.values("a").loc[[1, 2]])


def test_a_result_saved_over_its_own_file_reads_the_new_one(tmp_path):
    RESULT.save(tmp_path / "x.receval")
    loaded, second = (receval.load(tmp_path / "x.receval") for _ in range(2))
    loaded.save(tmp_path / "x.receval")
    assert loaded == RESULT
    with pytest.raises(InputError, match="has changed since it was loaded"):
        second.values("a")


@pytest.fixture
def parted(tmp_path):
    pd.DataFrame(RECS).to_parquet(tmp_path / "recs.parquet")
    pd.DataFrame(TRUTH).to_parquet(tmp_path / "truth.parquet")
    paths = tmp_path / "recs.parquet", tmp_path / "truth.parquet"
    return evaluate(*paths, NAMES, output=tmp_path / "x.receval"), tmp_path


def test_a_result_of_files_refuses_another_output(parted):
    result, folder = parted
    other().save(folder / "x.receval")
    with pytest.raises(InputError, match=r"^x.receval has changed since"):
        result.values()


@pytest.mark.parametrize("table", ["recs", "truth"])
def test_explain_refuses_files_that_changed(parted, table):
    result, folder = parted
    assert result.explain(1, "MRR").value == result.per_user.loc[1, "MRR"]
    path = folder / f"{table}.parquet"
    frame = pd.read_parquet(path)
    frame.iloc[::-1].assign(item=5).to_parquet(path)
    with pytest.raises(InputError, match=f"^{table}.parquet has changed since it was evaluated"):
        result.explain(1, "MRR")
    path.unlink()
    with pytest.raises(InputError, match="files must stay where they are"):
        result.explain(1, "MRR")


# The number in the heading, the last line of the working and the stored value -----------------


def names_of_all_measures():
    """Every measure that has a value for each user, also with a cut-off and a threshold."""
    names = ["RBP(p=0.5)@3", "nDCG(rel=2)@3", "Precision(rel=2)@3"]
    for name, level in receval.measures()["level"].items():
        if level == "each user":
            names.append(name)
            if measure(name).spec.takes_cutoff:
                names.append(f"{name}@2")
    return names


LISTS = {
    "tied": {"x": 1.0, "y": 1.0, "z": 0.5},
    "apart": {"x": 3.0, "y": 2.0},
    "irrelevant": {"x": 3.0, "y": 2.0},
    "shorter than a cut-off": {"z": 3.0},
    "all tied": {"x": 0.0, "w": 0.0},
    "not judged": {"x": 1.0},
}
GRADES = {
    "tied": {"x": 2, "w": 1, "z": 4},
    "apart": {"y": 1, "x": 0},
    "irrelevant": {"x": 0},
    "no answer": {"x": 1},
    "neither answer nor relevant item": {"x": 0},
    "shorter than a cut-off": {"z": 3},
    "all tied": {"x": 1, "w": 2},
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
        {"missing": "skip"},
        {"relevant_from": 2},
    ],
    ids=str,
)
def test_heading_last_line_and_stored_value_are_one_number(rules):
    refused = dict(convention(rules.get("convention", "receval")).refused)
    names = [name for name in names_of_all_measures() if measure(name).spec.name not in refused]
    result = evaluate(
        LISTS,
        GRADES,
        names,
        items=ITEMS,
        history=HISTORY,
        now="2023-01-01",
        **rules,
    )
    users = list(GRADES)
    if "convention" in rules:  # those of whom conventions say something else
        users = ["tied", "no answer", "neither answer nor relevant item"]
    for user in result.per_user.index.intersection(users):
        for name, stored in result.per_user.loc[user].items():
            explanation = result.explain(user, name)
            last = explanation.table.iloc[-1, -1]
            case = f"{name} of {user}"
            np.testing.assert_equal(explanation.value, stored, err_msg=case)
            np.testing.assert_equal(float(last), float(stored), err_msg=case)
            assert f"{name} of user {user!r} = {stored:.6g} (" in explanation.notes()[0]


def test_an_empty_list_says_so_in_its_working():
    explanation = evaluate(LISTS, GRADES, "MRR").explain("no answer", "MRR")
    assert explanation.table["item"].tolist() == ["(no recommendations)"]
    assert explanation.table["rank"].isna().all()
    assert explanation.table.iloc[-1, -1] == 0.0


def test_the_working_of_every_retrieval_measure_ends_in_the_stored_value():
    cases, queries = {"a": 4.0, "b": 7.0, "c": 5.5}, {"q1": 6.0, "q2": 9.5}
    retrievers = {
        "exact": lambda query, cases: {name: 1 / (1 + abs(v - query)) for name, v in cases.items()},
        "constant": lambda query, cases: dict.fromkeys(cases, 1.0),
        "one case": lambda query, cases: {"a": 1.0},
        "nothing": lambda query, cases: {},
    }
    for complete, missing in [("truth", "skip"), ("truth", "zero")]:
        result = evaluate_retrievers(
            retrievers, queries, cases, truth="exact", complete=complete, missing=missing
        )
        for (retriever, query), row in result.per_query.iterrows():
            for name, stored in row.items():
                explanation = result.explain(query, name, retriever=retriever)
                last = float(explanation.table.iloc[-1, -1])
                np.testing.assert_equal((explanation.value, last), (stored, stored), err_msg=name)


def test_the_working_of_every_macfac_measure_ends_in_the_stored_value():
    cases, queries = {"a": 4.0, "b": 7.0, "c": 5.5}, {1: 6.0, 2: 9.5}

    def exact(query, cases):
        return {name: 1 / (1 + abs(value - query)) for name, value in cases.items()}

    retrievers = {
        "exact": exact,
        "constant": lambda query, cases: dict.fromkeys(cases, 1.0),
        "nothing": lambda query, cases: {},
    }
    for missing in ("skip", "zero"):
        result = evaluate_macfac(
            retrievers,
            exact,
            queries,
            cases,
            filter_sizes=[1, 3],
            ks=[1, 2],
            missing=missing,
            progress=False,
        )
        for (*retriever, query), row in result.per_query.iterrows():
            for name, stored in row.items():
                explanation = result.explain(query, name, retriever=tuple(retriever))
                last = float(explanation.table.iloc[-1, -1])
                np.testing.assert_equal((explanation.value, last), (stored, stored), err_msg=name)
                heading = explanation.notes()[0]
                assert heading.startswith(f"{name} of query {query} under ({retriever[0]!r}, ")
                assert f" = {stored:.6g} (" in heading
                assert "np." not in heading


def test_numpy_numbers_among_ids_look_like_numbers_in_the_heading():
    heading = RESULT.explain(RESULT.per_user.index[0][-1], "MRR", system="a").notes()[0]
    assert heading.startswith("MRR of user 0 under 'a' = ")


def test_the_working_of_every_members_satisfaction_ends_in_the_stored_value():
    ratings = np.array([[5.0, 3, 1, 2], [1, 1, 4, 4], [0, 0, 0, 0]])
    members, items = ["u", "v", "nothing above 0"], ["a", "b", "c", "d"]
    index = pd.MultiIndex.from_product([members, items], names=["member", "item"])
    table = pd.DataFrame({"rating": ratings.ravel()}, index).reset_index()
    result = evaluate_groups(table.assign(group=1), ["average", "borda", "least_misery"], k=3)
    for (strategy, _, member), stored in result.per_member["satisfaction"].items():
        order = [items.index(item) for item in result.lists.loc[(strategy, 1), "item"]]
        working = receval.working.satisfaction(order, ratings, k=3, member=members.index(member))
        np.testing.assert_equal(float(working.iloc[-1, -1]), stored)
        np.testing.assert_equal(float(working.attrs["value"]), stored)


def test_the_working_of_a_reduction_has_the_implications_that_its_degree_is_the_mean_of():
    model = fuzzy.Situation(["o1", "o2", "o3"], ["s", "t"], [[1, 0.5], [0.63, np.nan], [0.2, 0]])
    real = fuzzy.Situation(["o1", "o2", "o3"], ["s", "t"], [[0, 1], [1, 0], [np.nan, 0.5]])
    reduction = fuzzy.Reduction(real, model)
    nothing = fuzzy.Situation(["o1"], ["s"], [[np.nan]])
    for implicator in (fuzzy.goedel, fuzzy.lukasiewicz):
        table = reduction.table(implicator)
        degree = reduction.degree(implicator)
        assert degree == table["implication"].mean()
        assert reduction.degree(implicator, aggregate="minimum") == table["implication"].min()
        assert len(table) + table.attrs["undefined"] == 6
        assert np.isnan(fuzzy.Reduction(nothing, nothing).degree(implicator))
        assert len(fuzzy.Reduction(nothing, nothing).table(implicator)) == 0


def test_a_pickled_result_leaves_out_the_columns_that_it_holds():
    held = RESULT._systems["a"]
    assert held.held_columns is not None
    again = pickle.loads(pickle.dumps(held))
    assert again.held_columns is None
    assert (
        vars(again).keys() <= {field.name for field in dataclasses.fields(held)} | vars(held).keys()
    )
