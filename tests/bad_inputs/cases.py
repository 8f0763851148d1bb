"""Bad and odd tables, each with the result or the error that it must give.

A case names its row in the list of bad inputs, makes its tables as pandas frames, and has a pattern
for the error message or the expected means. The tests in this folder pass every case to `evaluate`
in every form of table. You can test another way of evaluating on the same cases::

    @pytest.mark.parametrize(("case", "form"), table_cases(forms=("Parquet",)))
    def test_another_way(case, form, tmp_path):
        put_through(case, form, tmp_path, run=another_way)
"""

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from bad_inputs.forms import FORMS, fits_users, in_form

from receval import InputError, evaluate

RECS = pd.DataFrame({"user": [1, 1, 2], "item": [10, 11, 10], "score": [2.0, 1.0, 1.0]})
TRUTH = pd.DataFrame({"user": [1, 2, 3], "item": [11, 10, 12], "relevance": [1, 2, 1]})
ITEMS = pd.DataFrame(
    {"awards": [3, 1, 1], "novelty_date": pd.Timestamp("2020-01-01"), "blue": [1.0, 0.0, 1.0]},
    index=[10, 11, 12],
)
HISTORY = pd.DataFrame({"user": [1, 2], "item": [10, 11]})
MEASURES = (
    *("HR@2", "MRR", "MRR@1", "MAP", "MAP@2", "nDCG", "nDCG@2", "Precision@2", "Recall@2"),
    *("F1@2", "R-Precision", "AUC", "DCG@2", "CG@2", "PC"),
)
TYPED = ("frame", "dict", "Polars", "Arrow", "Parquet")  # a CSV file has no types
OBJECTS = ("frame", "dict")  # columns of mixed objects exist in these only
FLOAT16 = ("frame", "dict", "Arrow", "Parquet")
NULLABLE = ("frame", "Polars", "Arrow", "Parquet", "CSV")  # a list has None in place of a gap


@dataclass(frozen=True)
class Case:
    """One odd input.

    ``error`` is a pattern for the message, and ``means`` are the expected values. If a case has
    neither, its values must equal those of the tables ``like``, to the last bit. ``on_dask`` is
    the pattern for Dask frames if they are refused, or if their message differs, because each
    partition is checked on its own, and partitions have no order.
    """

    row: int
    name: str
    recommendations: Any = field(default_factory=lambda: RECS)
    relevance: Any = field(default_factory=lambda: TRUTH)
    measures: tuple[str, ...] = MEASURES
    options: Mapping[str, Any] = field(default_factory=dict)
    error: str | None = None
    means: Mapping[str, float] | None = None
    counts: Mapping[str, int] | None = None
    like: Mapping[str, Any] | None = None
    on_dask: str | None = None
    forms: tuple[str, ...] = FORMS

    def __post_init__(self) -> None:
        if not isinstance(self.recommendations, pd.DataFrame):
            object.__setattr__(self, "forms", ("frame",))  # in a form of its own already

    def fits_users(self) -> bool:
        """Return whether dicts of users can hold the tables."""
        has_names = set(self.options) & {"user", "item", "score", "rank", "system", "history"}
        return (
            not has_names
            and fits_users(self.recommendations, "score")
            and fits_users(self.relevance, "relevance")
        )

    def __str__(self) -> str:
        return f"row {self.row}: {self.name}"

    def check(self, run: Callable[..., Any], **tables: Any) -> None:
        """Compare the result of ``run``, which is called like `evaluate`, with the expected one."""
        call = {"measures": list(self.measures), **self.options, **tables}
        if self.error is not None:
            with pytest.raises(InputError, match=self.error):
                run(**call)
            return
        found = run(**call)
        for name, mean in (self.means or {}).items():
            np.testing.assert_array_equal(found.summary[name].iloc[0], mean, err_msg=name)
        if self.counts:
            assert found.counts.iloc[0].to_dict() == self.counts
        if self.like is not None:
            plain = {"recommendations": RECS, "relevance": TRUTH, **self.options, **self.like}
            expected = evaluate(measures=list(self.measures), **plain)
            np.testing.assert_array_equal(found.per_user.to_numpy(), expected.per_user.to_numpy())


def with_values(frame, name, values, dtype=object):
    return frame.assign(**{name: pd.Series(values, dtype=dtype)})


def missing(frame, name, dtype):
    """A column with a gap in its second row."""
    values = frame[name].astype(str if dtype == "str" else "int64").astype(dtype)
    return frame.assign(**{name: values.where(np.arange(len(frame)) != 1)})


def ids(users, items, score=None):
    score = -np.arange(float(len(items))) if score is None else score
    return pd.DataFrame({"user": users, "item": items, "score": score})


def grades(users, items, relevance=1):
    return pd.DataFrame({"user": users, "item": items, "relevance": relevance})


def hit(row, name, listed, relevant, value, **more):
    """Return the case of a user with one listed and one relevant item, and one value for all."""
    return Case(
        row, name, ids(1, [listed]), grades(1, [relevant]), ("HR", "MRR", "MAP", "nDCG", "Recall"),
        means=dict.fromkeys(("HR", "MRR", "MAP", "nDCG", "Recall"), value), **more,
    )  # fmt: skip


BY_RANK = {"rank": "rank"}
ALL_ZERO = dict.fromkeys([name for name in MEASURES if name != "AUC"], 0.0)

UNTYPED = "must have a type on Dask, integers or text; got a column of objects"
NO_ORDER = "ties must not be 'input' on Dask, which keeps no order of rows"
NO_ID = r"must hold ids, all integers or all text; got"

SHAPES = [
    Case(1, "no score", RECS.drop(columns="score"), error=r"recommendations must have one column 'score'; got"),
    Case(1, "no rank", options=BY_RANK, error=r"recommendations must have one column 'rank'; got"),
    Case(1, "no user", RECS.drop(columns="user"), error=r"recommendations must have one column 'user'; got"),
    Case(1, "another name", RECS.rename(columns={"score": "Points"}), error=r"one column 'score'; got the columns \['user', 'item', 'Points'\]"),
    Case(2, "truth without item", relevance=TRUTH.drop(columns="item"), error=r"relevance must have one column 'item'"),
    Case(2, "truth without grades", relevance=TRUTH.drop(columns="relevance"), error=r"relevance must have one column 'relevance'"),
    Case(2, "history without item", options={"history": HISTORY.drop(columns="item")}, error=r"history must have one column 'item'"),
    Case(3, "score twice", RECS[["user", "item", "score", "score"]], error="'score'; got the columns", forms=("frame",)),
    Case(3, "user twice in the truth", relevance=TRUTH[["user", "user", "item", "relevance"]], error="'user'; got the columns", forms=("frame",)),
    Case(3, "item twice in the history", options={"history": HISTORY[["user", "item", "item"]]}, error="history must have one column 'item'; got the columns", forms=("frame",)),
    Case(3, "awards twice in the catalogue", measures=("LTP",), options={"items": ITEMS[["awards", "awards"]]}, error="items must have one column 'awards' for LTP; got the columns"),
    Case(3, "a feature twice in the catalogue", measures=("ILD",), options={"items": ITEMS[["blue", "blue"]]}, error="items must have one column 'blue' for ILD; got the columns"),
    Case(3, "multi-level names", pd.concat({"x": RECS}, axis=1), error="one column 'user'; got the columns", forms=("frame",)),
    Case(6, "no row", RECS.iloc[:0], means=ALL_ZERO, counts={"judged": 3, "answered": 0, "without truth": 0, "ignored": 0}),
    Case(6, "an empty list", [], means=ALL_ZERO, forms=("frame",)),
    Case(6, "an empty frame without columns", pd.DataFrame(), means=ALL_ZERO, forms=("frame", "Arrow", "Polars"), on_dask="one column 'user'; got the columns"),
    Case(6, "no row, of objects", RECS.iloc[:0].astype(object), means=ALL_ZERO, forms=("frame", "dict"), on_dask=UNTYPED),
    Case(7, "nobody judged", relevance=TRUTH.iloc[:0], error="relevance must hold at least one row; got none, so nobody is judged"),
    Case(7, "nothing at all", RECS.iloc[:0], TRUTH.iloc[:0], error="relevance must hold at least one row"),
    Case(9, "an index that repeats", RECS.set_index(pd.Index([7, 7, 7])), TRUTH.set_index(pd.Index([1, 1, 0])), like={}),
    Case(9, "a multi-level index", RECS.set_index(pd.MultiIndex.from_arrays([[1, 1, 1], [3, 2, 1]])), like={}),
    Case(9, "an index of NaN", RECS.set_index(pd.Index([np.nan] * 3)), like={}),
]  # fmt: skip

KIND = r"must be ids of one kind; got .*frame\['\w+'\].astype\(str\)"
IDS = [
    Case(10, "integer users, text in the truth", relevance=TRUTH.astype({"user": str}), error=f"user of recommendations and of relevance {KIND}", forms=TYPED),
    Case(10, "text items, integers in the truth", RECS.astype({"item": str}), error=f"item of recommendations and of relevance {KIND}", forms=TYPED),
    Case(10, "text users in the history", options={"history": HISTORY.astype({"user": str})}, error=f"user of recommendations and of history {KIND}", forms=TYPED),
    Case(10, "text items in the catalogue", measures=("CC",), options={"items": ITEMS.set_axis(list("abc"))}, error=f"item of recommendations and of items {KIND}"),
    Case(11, "the same as objects", RECS.astype({"item": object}), TRUTH.astype({"item": str}).astype({"item": object}), error=f"item of .* {KIND}", forms=OBJECTS, on_dask=UNTYPED),
    Case(12, "no shared user", relevance=TRUTH.assign(user=[7, 8, 9]), error=r"must have users that are judged; got 0 of 2 users in relevance"),
    Case(12, "no shared user in the history", measures=("nov_u",), options={"history": HISTORY.assign(user=[8, 9])}, error="history must have users that are judged; got (0 of 2|none)"),
    Case(13, "floating-point users in the truth", relevance=TRUTH.astype({"user": float}), error=f"user of relevance {NO_ID}", forms=TYPED),
    Case(13, "floating-point items above 2**53", ids(1, [2.0**53]), grades(1, [2**53 + 1]), error=f"item of recommendations {NO_ID}", forms=TYPED),
    Case(13, "floating-point items in the catalogue", measures=("CC",), options={"items": ITEMS.set_axis([10.0, 11.0, 12.0])}, error=f"item of items {NO_ID}"),
    *(
        Case(14, f"a missing {name} of type {dtype}", error=f"{name} of {table} must not be missing; got .* in row 1",
             forms=TYPED if dtype != "category" else ("frame", "dict", "Polars", "Arrow"), on_dask=on_dask, **{argument: frame})
        for dtype, on_dask in {"float64": f"must not be missing|{NO_ID}", "Int64": None, "str": f"must not be missing|{KIND}", "category": f"must not be missing|{KIND}"}.items()
        for argument, table, source in (("recommendations", "recommendations", RECS), ("relevance", "relevance", TRUTH))
        for name in ("user", "item")
        for frame in [missing(source, name, dtype)]
    ),
    Case(14, "a missing item in a file", missing(RECS, "item", "str"), error="item of recommendations must not be missing; got (nan|None) in row 1", forms=("CSV",)),
    Case(14, "a missing item in the history", measures=("nov_u",), options={"history": missing(HISTORY, "item", "Int64")}, error="item of history must not be missing; got .* in row 1"),
    Case(14, "a missing item in the catalogue", measures=("CC",), options={"items": ITEMS.set_axis(["a", None, "c"])}, error="item of items must not be missing; got .* in row 1"),
    *(
        Case(14, f"{value!r} as an item", with_values(RECS, "item", [10, value, 10]), error=f"item of recommendations must not be missing; got {shown} in row 1", on_dask=UNTYPED, forms=OBJECTS)
        for value, shown in ((None, "(None|nan)"), (np.nan, "nan"), (pd.NaT, "NaT"), (pd.NA, "<NA>"))
    ),
    *(hit(15, f"{one!r} is not {other!r}", one, other, 0.0, forms=TYPED) for one, other in (("7", "07"), ("7", " 7"), ("7", "7 "), ("", " "))),
    hit(15, "'07' is '07'", "07", "07", 1.0),
    hit(15, "an empty text is an id", "", "", 1.0, forms=TYPED),
    hit(16, "composed and decomposed letters differ", "\u00e9", "e\u0301", 0.0),
    hit(16, "a composed letter is itself", "\u00e9", "\u00e9", 1.0),
    hit(16, "capital and small letters differ", "A", "a", 0.0),
    *(hit(17, f"{one} is not {other}", one, other, 0.0) for one, other in ((2**53, 2**53 + 1), (2**63 - 1, 2**63 - 2), (-(2**63), -(2**63) + 1), (-1, 1), (2**32, 0))),
    *(hit(17, f"{one} is itself", one, one, 1.0) for one in (2**53 + 1, 2**63 - 1, -(2**63), -1)),
    hit(17, "the end of uint64", 2**64 - 1, 2**64 - 1, 1.0, forms=TYPED),
    hit(17, "-1 is not the end of uint64", -1, 2**64 - 1, 0.0, forms=TYPED),
    Case(17, "unsigned and signed ids beside each other", with_values(ids(1, [0, 0]), "item", [2**60 + 1, 5], "uint64"), grades(1, [2**60, -3, 5]), ("Recall", "CG"), means={"Recall": 1 / 3, "CG": 1.0}),
    Case(17, "int8 beside uint64", with_values(ids(1, [0, 0]), "item", [-3, 5], "int8"), with_values(grades(1, [0, 0]), "item", [5, 2**63 + 1], "uint64"), ("Recall", "CG"), means={"Recall": 1 / 2, "CG": 1.0}, forms=TYPED),
    Case(17, "ids of a few bits far apart", with_values(ids(1, [0, 0]), "item", [-128, 127], "int8"), grades(1, [127]), ("MRR",), means={"MRR": 1 / 2}),
    Case(18, "users times items beyond 64 bits", ids([2**62, -(2**62)], [2**62, 2**62]), grades([2**62, -(2**62)], [2**62, -(2**62)]), ("HR", "Recall"), means={"HR": 1 / 2, "Recall": 1 / 2}),
    Case(19, "ids that hold separators", ids(["a/b", "a"], ["c", "b/c"]), grades(["a/b", "a"], ["b/c", "b/c"]), ("HR",), means={"HR": 1 / 2}),
    Case(19, "ids that end in a null byte", ids("u", ["a\0"]), grades("u", ["a"]), ("HR",), means={"HR": 0.0}),
    Case(19, "ids that are words for nothing", ids("None", ["nan", "NA"]), grades("None", ["NA"]), ("MRR",), means={"MRR": 1 / 2}),
    Case(20, "truth values as items", RECS.assign(item=[True, False, True]), error=f"item of recommendations {NO_ID} bool", forms=TYPED),
    *(
        Case(20, f"{name} as users", with_values(RECS, "user", values), error=f"user of recommendations {NO_ID}", on_dask=f"{NO_ID}|{UNTYPED}", forms=OBJECTS)
        for name, values in {
            "numbers and text": [1, "b", 2], "a truth value among numbers": [1, True, 2], "bytes": [b"a", b"b", b"c"],
            "lists": [[1], [2], [3]], "dicts": [{}, {}, {}], "tuples": [(1,), (2,), (3,)], "decimals": [Decimal(1)] * 3,
            "complex numbers": [1j, 2j, 3j], "dates": [pd.Timestamp(0)] * 3, "days": [datetime.date(2020, 1, 1)] * 3, "objects": [object()] * 3,
        }.items()
    ),
    Case(20, "dates as items of the truth", relevance=TRUTH.assign(item=pd.Timestamp("2020-01-01")), error=f"item of relevance {NO_ID}", forms=TYPED),
    Case(20, "time spans as items", RECS.assign(item=pd.Timedelta(1)), error=f"item of recommendations {NO_ID}", forms=("frame", "dict", "Arrow", "Polars")),
    Case(20, "moments with a time zone as users", RECS.assign(user=pd.Timestamp(0, tz="UTC")), error=f"user of recommendations {NO_ID}", forms=("frame", "dict", "Arrow", "Parquet")),
    Case(20, "categories of numbers and text", RECS.assign(item=pd.Categorical([1, "a", 2])), error=f"item of recommendations {NO_ID}", forms=("frame",)),
]  # fmt: skip

TWICE = "must hold each item of a user at most once; got"
DUPLICATES = [
    Case(21, "an item twice", RECS.assign(item=10), error=f"recommendations {TWICE} user 1 with item 10 twice"),
    Case(21, "an item twice, apart", ids([1, 2, 1], [10, 10, 10]), error=f"recommendations {TWICE} user 1 with item 10 twice"),
    Case(21, "an item twice on request", ids(1, [10, 11, 10, 12]), grades(1, [10, 12]), ("CG", "Precision@3", "MRR", "nDCG"), {"duplicates": "first"}, like={"recommendations": ids(1, [10, 11, 12]), "relevance": grades(1, [10, 12])}),
    Case(22, "an item twice in the truth", relevance=pd.concat([TRUTH, TRUTH.iloc[:1].assign(relevance=3)]), error=rf"relevance {TWICE} user 1 with item 11 twice \(graded 1 and 3\)"),
    Case(22, "an item twice in the truth with one grade", relevance=pd.concat([TRUTH, TRUTH.iloc[:1]]), error=rf"relevance {TWICE} user 1 with item 11 twice \(graded 1 and 1\)"),
    Case(23, "two items on one rank", RECS.assign(rank=[1, 1, 1]), options=BY_RANK, error="must be 1, 2, 3, .* in every list, each once; got 1 for user 1 where 2 belongs"),
    Case(24, "a user in two blocks", RECS.iloc[[0, 2, 1]], TRUTH.iloc[[2, 0, 1]], like={}),
    Case(25, "what is left keeps its order", ids(1, [12, 11, 12, 10], [4.0, 3.0, 2.0, 1.0]), grades(1, [11, 10], [1, 2]), ("MRR", "DCG", "nDCG"), {"duplicates": "first"}, means={"MRR": 1 / 2, "DCG": 1 / np.log2(3) + 2 / 2}),
]  # fmt: skip

THREE = grades(1, [11])
ORDERS = [
    Case(26, "rows in any order", RECS.iloc[::-1], TRUTH.iloc[::-1], like={}),
    Case(26, "ranks in any order", RECS.assign(rank=[2, 1, 1]).iloc[::-1], options=BY_RANK, means={"MRR": 2 / 3}),
    Case(27, "ranks from 0", RECS.assign(rank=[0, 1, 0]), options=BY_RANK, error="rank of recommendations must hold ranks 1, 2, 3, …; got 0 in row 0, 0 in row 2. Ranks from 0: ", on_dask=r"ranks 1, 2, 3, …; got 0 in row [02]"),
    Case(28, "a fractional rank", RECS.assign(rank=[1, 1.5, 1]), options=BY_RANK, error="rank of recommendations must hold ranks 1, 2, 3, …; got 1.5 in row 1"),
    Case(28, "a negative rank", RECS.assign(rank=[1, -2, 1]), options=BY_RANK, error="must hold ranks 1, 2, 3, …; got -2 in row 1"),
    Case(28, "a NaN rank", RECS.assign(rank=[1, np.nan, 1]), options=BY_RANK, error="rank of recommendations must not be missing; got .* in row 1"),
    Case(28, "an infinite rank", RECS.assign(rank=[1, np.inf, 1]), options=BY_RANK, error="rank of recommendations must be finite; got inf in row 1"),
    Case(28, "a gap in the ranks", RECS.assign(rank=[1, 3, 1]), options=BY_RANK, error="got 3 for user 1 where 2 belongs"),
    Case(28, "ranks as text", RECS.assign(rank=["first", "second", "first"]), options=BY_RANK, error="rank of recommendations must hold numbers; got .*'first'"),
    Case(28, "dates as ranks", RECS.assign(rank=pd.Timestamp(0)), options=BY_RANK, error="rank of recommendations must hold numbers", forms=TYPED),
    Case(29, "a NaN score", RECS.assign(score=[1, np.nan, 1]), error="score of recommendations must not be missing; got .* in row 1"),
    Case(29, "a missing nullable score", with_values(RECS, "score", [1.0, None, 2.0], "Float64"), error="score of recommendations must not be missing; got .* in row 1", forms=NULLABLE),
    Case(29, "a missing score in a dict", {1: {10: 1.0}, 2: {10: None}}, error="score of recommendations must "),
    Case(29, "scores as text", RECS.assign(score=["high", "low", "low"]), error="score of recommendations must hold numbers; got .*'high'", on_dask="score of recommendations must hold numbers; got .*'(high|low)'"),
    Case(29, "complex scores", RECS.assign(score=RECS["score"] + 1j), error="score of recommendations must hold numbers; got complex128", forms=OBJECTS),
    Case(29, "dates as scores", RECS.assign(score=pd.Timestamp(0)), error="score of recommendations must hold numbers", forms=TYPED),
    *(
        Case(30, f"infinite scores: item {item} is on rank {rank}", ids(1, [10, 11, 12], [-np.inf, 0.0, np.inf]), grades(1, [item]), ("MRR",), means={"MRR": 1 / rank})
        for rank, item in enumerate((12, 11, 10), start=1)
    ),
    Case(31, "scores 1e-9 apart", ids(1, [10, 11], [1.0, 1 + 1e-9]), THREE, ("MRR",), means={"MRR": 1.0}),
    Case(31, "scores one bit apart", ids(1, [10, 11], [1.0, np.nextafter(1, 2)]), THREE, ("MRR",), means={"MRR": 1.0}),
    Case(31, "scores 1e-9 apart for trec_eval", ids(1, [10, 11], [1 + 1e-9, 1.0]), THREE, ("MRR",), {"convention": "trec_eval"}, means={"MRR": 1.0}),
    Case(31, "scores beyond float32 for trec_eval", ids(1, [10, 11], [1e39, 1e38 * 9]), THREE, ("MRR",), {"convention": "trec_eval"}, means={"MRR": 1.0}),
    *(
        Case(32, f"scores of type {dtype}", with_values(ids(1, [10, 11]), "score", [0, 1], dtype), THREE, ("MRR", "AUC"), means={"MRR": 1.0, "AUC": 1.0}, forms=FORMS if dtype != "float16" else FLOAT16)
        for dtype in ("float16", "float32", "int8", "int16", "uint32", "uint64", "Float64", "Int64", "float[pyarrow]", "uint8[pyarrow]")
    ),
    Case(32, "scores that only float32 tells apart", with_values(ids(1, [10, 11]), "score", [1.0, 1.0000001], "float32"), THREE, ("MRR",), means={"MRR": 1.0}),
    Case(32, "truth values as scores", with_values(ids(1, [10, 11]), "score", [False, True], bool), THREE, ("MRR",), means={"MRR": 1.0}, forms=TYPED),
    *(
        Case(31, f"{name} as scores", with_values(ids(1, [10, 11]), "score", values, dtype), THREE, error="score of recommendations must hold (whole )?numbers", on_dask="score of recommendations must", forms=forms)
        for name, values, dtype, forms in (
            ("whole numbers beyond float64", [2**53, 2**53 + 1], "int64", FORMS), ("negative ones", [-(2**53), -(2**53) - 1], "int64", FORMS), ("nullable ones", [2**62, 2**62 + 1], "Int64", FORMS),
            ("unsigned ones", [2**64 - 2, 2**64 - 1], "uint64", FORMS), ("numbers beyond 64 bits", [2**64, 2**65], object, OBJECTS),
            ("one whole number beyond float64", [0.5, 2**53 + 1], object, OBJECTS), ("fractions", [Fraction(1, 3), Fraction(1, 2)], object, OBJECTS),
        )
    ),
    Case(31, "the smallest score", ids(1, [10, 11], [0.0, 5e-324]), THREE, ("MRR",), means={"MRR": 1.0}),
    Case(33, "zero and negative scores", ids(1, [10, 11, 12], [-5.0, 0.0, -0.5]), THREE, ("MRR", "Precision@3"), means={"MRR": 1.0, "Precision@3": 1 / 3}),
]  # fmt: skip

GRADED = [
    Case(34, "a negative grade", relevance=TRUTH.assign(relevance=[1, -1, 1]), error="relevance of relevance must be at least 0; got -1(.0)? in row 1"),
    *(
        Case(34, f"a negative grade under {name}", relevance=TRUTH.assign(relevance=[-3, 2, 1]), measures=("nDCG@3", "MAP", "DCG"), options={"convention": name}, means={"nDCG@3": 1 / 3, "MAP": 1 / 3, "DCG": 2 / 3}, counts={"judged": 3, "answered": 2, "without truth": 1, "ignored": 0}, on_dask=NO_ORDER if name == "ranx" else None)
        for name in ("trec_eval", "ir_measures", "ranx")
    ),
    Case(35, "a NaN grade", relevance=TRUTH.assign(relevance=[1, np.nan, 1]), error="relevance of relevance must not be missing; got .* in row 1"),
    Case(35, "an infinite grade", relevance=TRUTH.assign(relevance=[1, np.inf, 1]), error="relevance of relevance must be finite; got inf in row 1"),
    Case(35, "grades as text", relevance=TRUTH.assign(relevance=["yes", "no", "yes"]), error="relevance of relevance must hold numbers; got .*'(yes|no)'"),
    Case(35, "a missing nullable grade", relevance=with_values(TRUTH, "relevance", [1, None, 1], "Int64"), error="relevance of relevance must not be missing; got .* in row 1", forms=NULLABLE),
    Case(36, "fractional grades", relevance=TRUTH.assign(relevance=[0.4, 1.5, 1]), measures=("DCG@2", "HR@2", "CG"), means={"DCG@2": (0.4 / np.log2(3) + 1.5) / 3, "HR@2": 2 / 3, "CG": 1.9 / 3}),
    Case(36, "fractional grades under a threshold", relevance=TRUTH.assign(relevance=[0.4, 1.5, 1]), measures=("HR@2",), options={"convention": "ranksys"}, means={"HR@2": 1 / 3}, on_dask=NO_ORDER),
    Case(37, "huge grades", relevance=TRUTH.assign(relevance=2**40), measures=("HR@2", "CG", "nDCG"), means={"HR@2": 2 / 3, "CG": 2 * 2.0**40 / 3}),
    Case(37, "the largest grade", relevance=TRUTH.assign(relevance=1.7e308), measures=("HR@2", "CG"), means={"HR@2": 2 / 3}),
    Case(36, "the smallest grade", relevance=TRUTH.assign(relevance=[5e-324, 0.0, 0.0]), measures=("HR@2",), means={"HR@2": 1 / 3}),
    Case(37, "a grade beyond exact integers", relevance=TRUTH.assign(relevance=[1, 2**53 + 1, 1]), error="relevance of relevance must hold whole numbers"),
    Case(37, "a grade beyond 64 bits", relevance=with_values(TRUTH, "relevance", [2**64, 1, 1]), error="relevance of relevance must", forms=OBJECTS),
    Case(38, "a truth of zeros", relevance=TRUTH.assign(relevance=[0, 2, 1]), measures=("nDCG@3", "MAP", "Recall@3", "Precision@3"), means={"nDCG@3": 1 / 3, "MAP": 1 / 3, "Recall@3": 1 / 3, "Precision@3": 1 / 9}, counts={"judged": 3, "answered": 2, "without truth": 1, "ignored": 0}),
    Case(38, "a truth of zeros left out", relevance=TRUTH.assign(relevance=[0, 2, 1]), measures=("nDCG@3", "MAP"), options={"convention": "rectools"}, means={"MAP": 1 / 2}, on_dask=NO_ORDER),
    Case(38, "nobody has a relevant item", relevance=TRUTH.assign(relevance=0), means=ALL_ZERO | {"PC": 2 / 3}),
    Case(38, "nobody has a relevant item, all left out", relevance=TRUTH.assign(relevance=0), measures=("MAP", "HR"), options={"convention": "rectools"}, means={"MAP": np.nan, "HR": np.nan}, on_dask=NO_ORDER),
    Case(39, "a judged user without answer", measures=("MRR", "nDCG", "Recall@2"), means={"MRR": 1.5 / 3, "Recall@2": 2 / 3}, counts={"judged": 3, "answered": 2, "without truth": 0, "ignored": 0}),
    Case(39, "a judged user without answer left out", measures=("MRR",), options={"users": "both"}, means={"MRR": 0.75}),
    Case(39, "a user who is not judged", ids([1, 1, 9], [10, 11, 10]), measures=("MRR",), means={"MRR": 1 / 6}, counts={"judged": 3, "answered": 1, "without truth": 0, "ignored": 1}),
    Case(40, "no answer counts as 0 in every measure", ids([1], [11]), grades([1, 2], [11, 12]), means={name: 1 / 4 if name == "Precision@2" else 1 / 2 for name in MEASURES if name not in ("AUC", "F1@2")}),
    Case(40, "AUC of no answer", ids([1, 1], [11, 12]), grades([1, 2], [11, 12]), ("AUC",), means={"AUC": 1.0}),
    Case(41, "nothing relevant is retrieved", ids([1, 2, 3], [90, 91, 92]), means=ALL_ZERO | {"PC": 1.0}),
    Case(42, "more relevant items than k", ids(1, [1, 2]), grades(1, [1, 2, 3, 4]), ("nDCG@2", "MAP@2", "Recall@2", "R-Precision"), means={"nDCG@2": 1.0, "MAP@2": 0.5, "Recall@2": 0.5, "R-Precision": 0.5}),
    Case(43, "one item in list and catalogue", ids(1, [1]), grades(1, [1]), ("nDCG@1", "CC@1", "MRR", "Precision@1"), {"items": pd.DataFrame(index=[1])}, means=dict.fromkeys(("nDCG@1", "CC@1", "MRR", "Precision@1"), 1.0)),
    Case(43, "one item, and it is wrong", ids(1, [1]), grades(1, [2]), ("nDCG@1", "MRR", "Precision@1"), means=dict.fromkeys(("nDCG@1", "MRR", "Precision@1"), 0.0)),
    *(
        Case(44, f"grades of type {dtype}", relevance=with_values(TRUTH, "relevance", [1, 2, 1], dtype), like={}, forms=FORMS if dtype != "float16" else FLOAT16)
        for dtype in ("int8", "uint8", "int64", "uint64", "float16", "float32", "Int16", "Int64", "Float64", "double[pyarrow]", "int32[pyarrow]")
    ),
    Case(44, "truth values as grades", relevance=TRUTH.assign(relevance=[True, False, True]), like={"relevance": TRUTH.assign(relevance=[1, 0, 1])}, forms=TYPED),
    Case(45, "int8 grades whose sum overflows", ids(1, [1, 2]), with_values(grades(1, [1, 2]), "relevance", [120, 120], "int8"), ("CG",), means={"CG": 240.0}),
]  # fmt: skip

CATALOGUES = [
    Case(50, "a catalogue that lacks items", measures=("CC",), options={"items": ITEMS.drop(index=11)}, error="items must hold every recommended item; got no row for 11"),
    Case(51, "an empty catalogue", measures=("CC",), options={"items": ITEMS.iloc[:0]}, error="items must hold at least one item; got none"),
    Case(49, "a cut-off far beyond the list", measures=("Recall@1000000", "MRR@1000000"), means={"Recall@1000000": 2 / 3}),
    *(
        hit(76, f"{one!r} is not {other!r}", one, other, 0.0)
        for one, other in {"007": "07", "9007199254740993": "9007199254740992", "NA": "null", "1e5": "1e+5", "0x10": "0x010", "1_000": "10_00", "true": "TRUE", "-": "--"}.items()
    ),
    Case(77, "decimal commas", RECS.assign(score=["1,5", "2,5", "3,5"]), error="score of recommendations must hold numbers; got .*'1,5'.*mind decimal commas", on_dask="score of recommendations must hold numbers; got .*mind decimal commas"),
    Case(77, "thousands separators", relevance=TRUTH.assign(relevance=["1 000", "2", "3"]), error="relevance of relevance must hold numbers"),
    Case(77, "both", RECS.assign(score=["1.000,5", "2", "3"]), error="score of recommendations must hold numbers"),
]  # fmt: skip

CASES = [*SHAPES, *IDS, *DUPLICATES, *ORDERS, *GRADED, *CATALOGUES]


def table_cases(rows=range(1, 79), forms=None):
    """Return the parameters (case, form) for the cases of these rows, in these forms or in all."""
    return [
        pytest.param(case, form, marks=pytest.mark.row(case.row), id=f"{case} ({form})")
        for case in CASES
        if case.row in rows
        for form in case.forms
        if (forms is None or form in forms) and (form != "dict" or case.fits_users())
    ]


def put_through(case, form, folder, run=evaluate):
    """Evaluate a case with its tables in a form; ``folder`` is where files go."""
    if form == "Dask" and case.on_dask is not None:
        case = replace(case, error=case.on_dask)
    tables = {"recommendations": case.recommendations, "relevance": case.relevance}
    if "history" in case.options:
        tables["history"] = case.options["history"]
    case.check(run, **{name: in_form(form, one, folder, name) for name, one in tables.items()})
