"""Parquet files part by part: the same bits as in memory, the same refusals."""

import dask.dataframe as dd
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scale_data import MEASURES, WITH_ITEMS, assert_same, tables

from receval import InputError, evaluate
from receval.evaluation import pooled
from receval.evaluation.large import dispatch as large
from receval.evaluation.large.parts import part_index
from receval.evaluation.measured import ValuesOnlyResult

pytestmark = pytest.mark.usefixtures("small_parts")

ORDERS = {
    "sorted": lambda frame: frame.sort_values("user", kind="stable"),
    "shuffled": lambda frame: frame.sample(frac=1, random_state=3),
    "grouped": lambda frame: frame.sort_values(
        "user", key=lambda ids: ids.map(hash), kind="stable"
    ),
    "descending": lambda frame: frame.sort_values("user", ascending=False, kind="stable"),
}


def is_in_parts(result):
    """Check whether the tables were evaluated in parts."""
    return all(isinstance(one, ValuesOnlyResult) for one in result._systems.values())


def write(folder, row_groups=97, **frames):
    """Write one Parquet file per frame; return the paths by name."""
    folder.mkdir(exist_ok=True, parents=True)
    paths = {name: folder / f"{name}.parquet" for name in frames}
    for name, frame in frames.items():
        frame.to_parquet(paths[name], index=False, row_group_size=row_groups)
    return paths


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("text", [False, True], ids=["integers", "text"])
def test_any_order_of_rows_gives_what_memory_gives(tmp_path, order, text):
    recs, truth, seen, items = tables(text=text)
    expected = evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)
    change = ORDERS[order]
    paths = write(tmp_path, recs=change(recs), truth=change(truth), seen=change(seen))
    found = evaluate(
        paths["recs"],
        paths["truth"],
        WITH_ITEMS,
        items=items,
        history=paths["seen"],
        output=tmp_path / "out.receval",
    )
    assert is_in_parts(found)
    assert_same(found, expected)
    written = pd.read_parquet(tmp_path / "out.receval").set_index("user")
    pd.testing.assert_frame_equal(written, expected.per_user, check_exact=True)
    user = expected.per_user.index[17]
    assert repr(found.explain(user, "nDCG@10")) == repr(expected.explain(user, "nDCG@10"))
    assert repr(found) == repr(expected)
    assert found.methods() == expected.methods()
    assert found.to_latex() == expected.to_latex()


@settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(st.integers(1, 60), st.integers(1, 400), st.booleans(), st.booleans(), st.integers(0, 99))
def test_any_size_of_row_groups_and_parts(tmp_path_factory, users, group, text, ascending, seed):
    recs, truth, _, _ = tables(text=text, users=users, seed=seed)
    if truth.empty or not recs["user"].isin(truth["user"]).any():
        return
    change = ORDERS["sorted" if ascending else "shuffled"]
    folder = tmp_path_factory.mktemp("any")
    paths = write(folder, group, recs=change(recs), truth=change(truth))
    found = evaluate(paths["recs"], paths["truth"], MEASURES, output=folder / "out.receval")
    assert_same(found, evaluate(recs, truth, MEASURES))


@pytest.mark.parametrize(
    "options",
    [
        pytest.param({"convention": "trec_eval"}, id="trec_eval"),
        pytest.param({"ties": "average"}, id="mean over ties"),
        pytest.param({"ties": "input"}, id="ties in the order of the rows"),
        pytest.param({"users": "both"}, id="users without answer left out"),
        pytest.param({"relevance_column": None}, id="no grades"),
    ],
)
def test_choices_are_those_of_memory(tmp_path, options):
    recs, truth, _, _ = tables(text=True, seed=2)
    for order in ("sorted", "shuffled"):
        own, theirs = ORDERS[order](recs), ORDERS[order](truth)
        paths = write(tmp_path / order, recs=own, truth=theirs)
        found = evaluate(
            *paths.values(), MEASURES, output=tmp_path / order / "out.receval", **options
        )
        assert_same(found, evaluate(own, theirs, MEASURES, **options))


def test_ranks_and_repeated_items(tmp_path):
    recs, truth, _, _ = tables()
    recs["place"] = recs.groupby("user").cumcount() + 1
    again = recs[recs["place"] == 1].assign(place=99, score=-1.0)
    both = pd.concat([recs, again]).sample(frac=1, random_state=0)
    for given_recs, options in [(recs, {"rank": "place"}), (both, {"duplicates": "first"})]:
        paths = write(tmp_path / str(len(given_recs)), recs=given_recs, truth=truth)
        output = tmp_path / str(len(given_recs)) / "out.receval"
        found = evaluate(*paths.values(), MEASURES, output=output, **options)
        assert_same(found, evaluate(given_recs, truth, MEASURES, **options))


def test_several_systems_in_files_of_their_own_or_in_one(tmp_path):
    recs, truth, _, _ = tables()
    other = recs.assign(score=-recs["score"])[recs["user"] % 3 != 0]
    paths = write(tmp_path, a=recs, b=ORDERS["shuffled"](other), truth=ORDERS["shuffled"](truth))
    expected = evaluate({"A": recs, "B": other}, truth, MEASURES)
    apart = {"A": paths["a"], "B": paths["b"]}
    found = evaluate(apart, paths["truth"], MEASURES, output=tmp_path / "out.receval")
    assert_same(found, expected)
    written = pd.read_parquet(tmp_path / "out.receval")
    assert sorted(written["system"].unique()) == ["A", "B"]
    pd.testing.assert_frame_equal(found.compare().results, expected.compare().results)
    user = expected.values("B").index[3]
    shown = found.explain(user, "nDCG@10", system="B")
    assert repr(shown) == repr(expected.explain(user, "nDCG@10", system="B"))

    one = pd.concat([recs.assign(name="A"), other.assign(name="B")])
    one = write(tmp_path, one=ORDERS["sorted"](one))["one"]
    found = evaluate(
        one, paths["truth"], MEASURES, system="name", output=tmp_path / "out-2.receval"
    )
    assert_same(found, expected)


def test_folders_patterns_and_lists_of_files(tmp_path):
    recs, truth, _, _ = tables()
    write(tmp_path / "recs", a=recs[:700], b=recs[700:])
    paths = write(tmp_path, truth=truth)
    expected = evaluate(recs, truth, MEASURES)
    files = [tmp_path / "recs" / "a.parquet", tmp_path / "recs" / "b.parquet"]
    for number, given_paths in enumerate(
        [tmp_path / "recs", str(tmp_path / "recs" / "*.parquet"), files]
    ):
        found = evaluate(
            given_paths, paths["truth"], MEASURES, output=tmp_path / f"out-{number}.receval"
        )
        assert_same(found, expected)
    in_memory = evaluate(files, paths["truth"], MEASURES)
    assert not is_in_parts(in_memory)
    assert_same(in_memory, expected)


def test_large_files_are_streamed_without_being_asked_to(tmp_path, monkeypatch):
    recs, truth, _, _ = tables()
    paths = write(tmp_path, recs=recs, truth=truth)
    assert not is_in_parts(evaluate(*paths.values(), "MRR"))
    monkeypatch.setattr(large, "STREAM_ROWS", 1000)
    found = evaluate(*paths.values(), MEASURES)
    assert is_in_parts(found)
    assert_same(found, evaluate(recs, truth, MEASURES))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["recs.parquet", "truth.parquet"]


def test_folds_are_pooled_from_files_as_in_memory(tmp_path):
    stored, in_memory = {}, {}
    for fold in (1, 2):
        recs, truth, _, items = tables(seed=fold)
        paths = write(tmp_path / str(fold), recs=recs, truth=truth)
        stored[fold] = evaluate(
            *paths.values(),
            ["MRR", "CC@3"],
            items=items,
            output=tmp_path / str(fold) / "out.receval",
        )
        in_memory[fold] = evaluate(recs, truth, ["MRR", "CC@3"], items=items)
    pd.testing.assert_frame_equal(pooled(stored).means, pooled(in_memory).means, check_exact=True)


def test_types_of_columns_may_differ_where_the_ids_are_the_same(tmp_path):
    recs, truth, _, _ = tables()
    small = recs.astype({"user": "int16", "item": "uint8", "score": "float32"})
    paths = write(tmp_path, recs=small, truth=truth)
    found = evaluate(*paths.values(), MEASURES, output=tmp_path / "out.receval")
    assert_same(found, evaluate(small, truth, MEASURES))
    recs, truth, _, _ = tables(text=True)
    coded = recs.astype({"user": "category", "item": "category"})
    paths = write(tmp_path / "text", recs=coded, truth=truth)
    found = evaluate(*paths.values(), MEASURES, output=tmp_path / "text" / "out.receval")
    assert_same(found, evaluate(recs, truth, MEASURES))


def test_ids_near_the_ends_of_64_bits(tmp_path):
    recs, truth, _, _ = tables(users=120)
    far = np.uint64(2**64 - 500)
    own, theirs = (
        frame.assign(user=np.where(frame["user"] > 60, far, 0) + frame["user"].astype("uint64"))
        for frame in (recs, truth)
    )
    paths = write(tmp_path, recs=ORDERS["shuffled"](own), truth=theirs)
    found = evaluate(*paths.values(), MEASURES, output=tmp_path / "out.receval")
    expected = evaluate(own, theirs, MEASURES)
    pd.testing.assert_frame_equal(found.summary, expected.summary, check_exact=True)
    assert found.per_user.index.tolist() == expected.per_user.index.tolist()


@given(
    st.lists(st.text(max_size=4), min_size=1),
    st.lists(st.text(max_size=4), unique=True, max_size=9),
)
def test_texts_find_their_part_by_code_point(users, bounds):
    bounds = sorted(bounds)
    expected = [sum(bound <= user for bound in bounds) for user in users]
    assert part_index(pa.array(users, pa.large_string()), bounds).tolist() == expected


@given(
    st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1),
    st.lists(st.integers(-(2**63), 2**64 - 1), unique=True),
)
def test_integers_find_their_part_exactly(users, bounds):
    bounds = sorted(bounds)
    expected = [sum(bound <= user for bound in bounds) for user in users]
    assert part_index(pa.array(users, pa.int64()), bounds).tolist() == expected


def spoil(column, row, value):
    def change(frame):
        frame = frame.astype({column: object} if value is None else {column: type(value)})
        frame.loc[row, column] = value
        return frame

    return change


@pytest.mark.parametrize("order", ["sorted", "shuffled"])
@pytest.mark.parametrize(
    ("table", "change", "message"),
    [
        pytest.param(
            "recs",
            spoil("score", 1205, np.nan),
            "score of recommendations must not be",
            id="NaN score",
        ),
        pytest.param(
            "recs",
            spoil("user", 1205, None),
            "user of recommendations must not be missing",
            id="no user",
        ),
        pytest.param(
            "truth", spoil("item", 905, None), "item of relevance must not be missing", id="no item"
        ),
        pytest.param(
            "truth",
            spoil("relevance", 905, -1.0),
            "must be at least 0; got -1.0 in row",
            id="negative",
        ),
        pytest.param(
            "truth",
            lambda f: pd.concat([f, f[905:906]]),
            "at most once; got user .* twice",
            id="twice",
        ),
        pytest.param(
            "recs",
            lambda f: pd.concat([f, f[905:906]]),
            "at most once; got user .* twice",
            id="item twice",
        ),
        pytest.param(
            "recs", lambda f: f.assign(user="u"), "user of .* must be ids of one kind", id="kinds"
        ),
        pytest.param(
            "recs", lambda f: f.assign(user=f["user"] + 10_000), "got 0 of", id="disjoint"
        ),
        pytest.param(
            "recs",
            lambda f: f.drop(columns="score"),
            "must have one column 'score'",
            id="no column",
        ),
        pytest.param(
            "recs",
            lambda f: f.assign(score="high"),
            "score of .* must hold numbers",
            id="text score",
        ),
        pytest.param("truth", lambda f: f[:0], "at least one row", id="nobody judged"),
        pytest.param(
            "recs",
            spoil("item", 1205, 4711),
            "items must hold every recommended item; got no row for 4711",
            id="outside",
        ),
        pytest.param(
            "seen",
            lambda f: f.assign(user=f["user"] + 10_000),
            "history must have users that are",
            id="history",
        ),
    ],
)
def test_refuses_what_memory_refuses(tmp_path, table, change, message, order):
    recs, truth, seen, items = tables()
    frames = {"recs": recs, "truth": truth, "seen": seen}
    frames[table] = change(frames[table])
    if order == "shuffled":
        frames = {name: frame.sample(frac=1, random_state=5) for name, frame in frames.items()}
    paths = write(tmp_path, **frames)
    with pytest.raises(InputError, match=message):
        evaluate(
            paths["recs"],
            paths["truth"],
            WITH_ITEMS,
            items=items,
            history=paths["seen"],
            output=tmp_path / "out.receval",
        )


def test_names_the_row_in_the_whole_table(tmp_path):
    recs, truth, _, _ = tables()
    paths = write(tmp_path / "recs", a=recs[:700], b=recs[700:].assign(score=np.nan))
    truth_path = write(tmp_path, truth=truth)["truth"]
    with pytest.raises(InputError, match=r"got nan in row 700, nan in row 701"):
        evaluate(list(paths.values()), truth_path, "MRR", output=tmp_path / "out.receval")


@pytest.mark.parametrize(
    ("recommendations", "message"),
    [
        pytest.param("nothing.parquet", "recommendations must name Parquet files", id="not there"),
        pytest.param(
            "recs.csv", "output must be given with Parquet.* got .recs.csv", id="another kind"
        ),
        pytest.param(
            ["recs.csv"], r"got 'recs.csv'. Pass .* evaluate\({'A': 'A.csv'", id="systems"
        ),
        pytest.param(["truth.parquet", "truth.parquet"], "each file once", id="a file twice"),
        pytest.param("broken.parquet", "broken.parquet must be a whole Parquet file", id="broken"),
    ],
)
def test_refuses_other_files(tmp_path, monkeypatch, recommendations, message):
    monkeypatch.chdir(tmp_path)
    write(tmp_path, truth=tables()[1])
    (tmp_path / "recs.csv").write_text("user,item,score\n", encoding="utf-8")
    whole = (tmp_path / "truth.parquet").read_bytes()
    (tmp_path / "broken.parquet").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=message):
        evaluate(recommendations, "truth.parquet", "MRR", output="out.receval")


def test_files_of_one_table_have_one_type(tmp_path):
    recs, truth, _, _ = tables()
    paths = write(tmp_path / "recs", a=recs, b=recs.assign(user="u"))
    truth_path = write(tmp_path, truth=truth)["truth"]
    with pytest.raises(InputError, match="user of recommendations must have one type in all files"):
        evaluate(list(paths.values()), truth_path, "MRR", output=tmp_path / "out.receval")


def test_frames_cannot_be_streamed(tmp_path):
    recs, truth, _, _ = tables()
    with pytest.raises(
        InputError, match=r"output must be given with Parquet files.*got a DataFrame"
    ):
        evaluate(recs, truth, "MRR", output=tmp_path / "out.receval")


def test_explains_judged_users_only(tmp_path):
    recs, truth, _, _ = tables()
    found = evaluate(
        *write(tmp_path, recs=recs, truth=truth).values(), "MRR", output=tmp_path / "out.receval"
    )
    for user in (4711, "u1"):
        with pytest.raises(InputError, match="user must be a judged user, such as"):
            found.explain(user, "MRR")


def test_explains_a_user_whom_the_type_of_the_recommendations_cannot_hold(tmp_path):
    """No recommendation has the user -1 if their users are unsigned."""
    recs = pd.DataFrame({"user": np.array([1, 2], np.uint64), "item": [1, 2], "score": 0.5})
    truth = pd.DataFrame({"user": [-1, 1], "item": [1, 2], "relevance": 1})
    expected = evaluate(recs, truth, "MRR").explain(-1, "MRR")
    found = evaluate(
        *write(tmp_path, recs=recs, truth=truth).values(), "MRR", output=tmp_path / "out.receval"
    )
    assert repr(found.explain(-1, "MRR")) == repr(expected)


def test_signs_of_slips_are_those_of_the_whole_and_not_of_a_part(tmp_path):
    recs, truth, _, _ = tables()
    # Each item is relevant for users of other parts only, or for nobody.
    late = truth.assign(user=truth["user"] + 1000)
    own = recs.assign(item=recs["item"] + 100, score=recs.groupby("user").cumcount() + 1.0)
    asked = truth.assign(item=truth["item"] + 500)
    for number, theirs in enumerate(
        [asked, pd.concat([asked, late.assign(item=late["item"] + 100)])]
    ):
        paths = write(tmp_path / str(number), recs=own, truth=theirs)
        found = evaluate(*paths.values(), "MRR", output=tmp_path / str(number) / "out.receval")
        expected = evaluate(own, theirs, "MRR")
        assert repr(found) == repr(expected)
        assert ("are in relevance" in repr(found)) == (number == 0)
        assert "if they are ranks" in repr(found)
        frames = dd.from_pandas(own, npartitions=3), dd.from_pandas(theirs, npartitions=3)
        assert repr(evaluate(*frames, "MRR")) == repr(expected)


def test_several_files_beside_a_frame_are_read_as_a_whole(tmp_path):
    recs, truth, _, _ = tables(text=True)
    half = len(recs) // 2
    paths = write(tmp_path, first=recs[:half], second=recs[half:])
    found = evaluate([paths["first"], paths["second"]], truth, MEASURES)
    assert not is_in_parts(found)
    assert_same(found, evaluate(recs, truth, MEASURES))
    with pytest.raises(InputError, match=r"^output must be given with Parquet files .* DataFrame"):
        evaluate(list(paths.values()), truth, MEASURES, output=tmp_path / "out.receval")
