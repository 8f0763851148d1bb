"""One list of odd values in every form of a table: the same result, or a refusal in all.

Text files don't have types: a CSV field is a number if it is written as one, and text otherwise; an
empty field is missing. The tests therefore compare a file with a frame of the types as written.
"""

from datetime import date
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from receval import InputError, evaluate

REFUSED = "refused"
FAR = 2**53


def held(values, series):
    """Return a column of the values, or refuse if a library would round or convert them."""
    for value, kept in zip(values, series.to_list(), strict=True):
        if value is not None and value == value and value != kept:
            raise ValueError("not held")
    return series


def in_pandas(columns, _):
    frame = pd.DataFrame(dict.fromkeys(columns, None), index=range(len(columns["user"])))
    for name, values in columns.items():
        frame[name] = held(values, pd.Series(values))
    return frame


def in_arrow(columns, _):
    return pa.table({name: pa.array(values) for name, values in columns.items()})


def in_polars(columns, _):
    series = {name: held(values, pl.Series(values)) for name, values in columns.items()}
    return pl.DataFrame(series)


def in_parquet(columns, folder):
    path = folder / f"{len(list(folder.iterdir()))}.parquet"
    pq.write_table(in_arrow(columns, folder), path)
    return path


def in_dict_of_users(columns, _):
    label = next(name for name in columns if name not in ("user", "item"))
    table = {}
    for user, item, value in zip(columns["user"], columns["item"], columns[label], strict=True):
        table.setdefault(user, {})[item] = value
    return table


FORMS = (in_pandas, in_arrow, in_polars, in_parquet, in_dict_of_users)


def outcome(form, recs, truth, folder):
    """Return a value, a refusal, or None if the library can't hold the values."""
    try:
        tables = form(recs, folder), form(truth, folder)
    except Exception:
        return None
    try:
        return repr(evaluate(*tables, ["MRR", "nDCG"]).summary.iloc[0].tolist())
    except InputError:
        return REFUSED


def the_same_in_all(recs, truth, folder):
    outcomes = {form.__name__: outcome(form, recs, truth, folder) for form in FORMS}
    held = {name: found for name, found in outcomes.items() if found is not None}
    assert held, "a case that nothing holds shows nothing"
    assert len(set(held.values())) == 1, outcomes
    return held.popitem()[1]


NUMBERS = {
    "whole numbers beyond float64": ([FAR, FAR + 1], REFUSED),
    "negative ones": ([-FAR - 1, -FAR], REFUSED),
    "of unsigned 64 bits": ([2**64 - 2, 2**64 - 1], REFUSED),
    "beyond 64 bits": ([2**64, 2**65], REFUSED),
    "beyond float64 beside a decimal one": ([float(FAR), FAR + 1], REFUSED),
    "infinite": ([0.5, np.inf], "[1.0, 1.0]"),
    "minus infinite": ([-np.inf, 0.5], "[1.0, 1.0]"),
    "NaN": ([0.5, np.nan], REFUSED),
    "None": ([0.5, None], REFUSED),
    "None beside whole numbers": ([FAR + 1, None], REFUSED),
    "the smallest": ([0.0, 5e-324], "[1.0, 1.0]"),
    "truth values": ([False, True], "[1.0, 1.0]"),
    "complex": ([0.5 + 0j, 1.0 + 0j], REFUSED),
    "Fractions": ([Fraction(1, 3), Fraction(1, 2)], REFUSED),
    "text": (["0.5", "0.75"], REFUSED),
    "text too large": (["0.5", "1e999"], REFUSED),
    "text infinite": (["-Infinity", "0.5"], REFUSED),
    "text with underscore": (["1", "1_000"], REFUSED),
    "text with blank": ([" 1", "2"], REFUSED),
    "float16": (list(np.array([0.5, 0.75], np.float16)), "[1.0, 1.0]"),
    "dates": ([date(2020, 1, 1), date(2020, 1, 2)], REFUSED),
    "bytes": ([b"1", b"2"], REFUSED),
}


def test_decimals_of_arrow_are_numbers_and_those_of_python_become_numbers():
    recs = {"user": ["u", "u"], "item": ["x", "y"], "score": [Decimal("0.10"), Decimal("0.25")]}
    assert evaluate(pa.table(recs), {"u": ["y"]}, "MRR").summary.iloc[0, 0] == 1
    frame = pd.DataFrame(recs)
    with pytest.raises(InputError, match=r"score of .* pd\.to_numeric\(column\) does it"):
        evaluate(frame, {"u": ["y"]}, "MRR")
    frame = frame.assign(score=pd.to_numeric(frame["score"]))
    assert evaluate(frame, {"u": ["y"]}, "MRR").summary.iloc[0, 0] == 1


GRADES = {
    "whole numbers beyond float64": ([FAR, FAR + 1], REFUSED),
    "one beyond float64": ([1, FAR + 1], REFUSED),
    "negative": ([-1, 1], REFUSED),
    "infinite": ([1.0, np.inf], REFUSED),
    "NaN": ([1.0, np.nan], REFUSED),
    "None": ([1, None], REFUSED),
    "the smallest": ([0.0, 5e-324], "[1.0, 1.0]"),
    "truth values": ([False, True], "[1.0, 1.0]"),
    "complex": ([0j, 1 + 0j], REFUSED),
    "Fractions": ([Fraction(1, 3), Fraction(1, 2)], REFUSED),
    "text": (["0", "1"], REFUSED),
    "beyond 64 bits": ([2**64, 1], REFUSED),
}


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        *(pytest.param("score", *case, id=f"scores, {name}") for name, case in NUMBERS.items()),
        *(pytest.param("relevance", *case, id=f"grades, {name}") for name, case in GRADES.items()),
    ],
)
def test_odd_numbers_give_the_same_in_every_form(column, values, expected, tmp_path):
    recs = {"user": ["u", "u"], "item": ["x", "y"], "score": [0.1, 0.9]}
    truth = {"user": ["u", "u"], "item": ["x", "y"], "relevance": [0, 1]}
    changed = recs if column == "score" else truth
    changed[column] = values
    assert the_same_in_all(recs, truth, tmp_path) == expected


BOTH = "[1.0, 1.0]"
IDS = {
    "ends of 64 bits": ([-(2**63), 2**63 - 1], BOTH),
    "neighbours beyond float64": ([FAR, FAR + 1], BOTH),
    "unsigned": ([2**63, 2**64 - 1], BOTH),
    "beyond float64 beside a decimal one": ([FAR + 1, 0.5], REFUSED),
    "truth values": ([False, True], REFUSED),
    "decimal numbers": ([1.0, 2.0], REFUSED),
    "zeros in front": (["7", "007"], BOTH),
    "a blank in front": (["7", " 7"], BOTH),
    "NA": (["NA", "nan"], BOTH),
    "empty": (["", "x"], BOTH),
    "null character": (["a", "a\0"], BOTH),
    "composed and decomposed": (["\u00e9", "e\u0301"], BOTH),
    "NaN": ([1.0, float("nan")], REFUSED),
    "None": (["a", None], REFUSED),
    "None beside numbers": ([1, None], REFUSED),
    "NaT": ([pd.Timestamp("2020-01-01"), pd.NaT], REFUSED),
    "dates": ([date(2020, 1, 1), date(2020, 1, 2)], REFUSED),
    "moments": ([pd.Timestamp(0, tz="UTC"), pd.Timestamp(1, tz="UTC")], REFUSED),
    "bytes": ([b"a", b"b"], REFUSED),
    "Decimals": ([Decimal(1), Decimal(2)], REFUSED),
    "numbers and text": ([1, "1"], REFUSED),
}


@pytest.mark.parametrize("column", ["user", "item"])
@pytest.mark.parametrize("case", IDS)
def test_odd_ids_give_the_same_in_every_form(case, column, tmp_path):
    (first, second), expected = IDS[case]
    if column == "item":
        recs = {"user": ["u", "u"], "item": [first, second], "score": [0.1, 0.9]}
        truth = {"user": ["u"], "item": [second], "relevance": [1]}
        if case in ("None", "None beside numbers", "NaN", "NaT", "numbers and text"):
            truth["item"] = [first]
    else:
        recs = {"user": [first, second], "item": ["x", "x"], "score": [0.1, 0.9]}
        truth = {"user": [first, second], "item": ["x", "x"], "relevance": [1, 1]}
    assert the_same_in_all(recs, truth, tmp_path) == expected


@pytest.mark.parametrize(
    ("fields", "same"),
    [
        (("9007199254740992", "9007199254740993"), REFUSED),
        (("9007199254740992.0", "9007199254740993"), REFUSED),
        (("0.5", "9007199254740993"), REFUSED),
        (("0.5", "9007199254740992"), REFUSED),
        (("0.1", "0.1000000000000000000001"), [0.1, 0.1]),
        (("0.10", "0.1000000000000000055511151231257827"), [0.1, 0.1]),
        (("0.30000000000000004", "0.3"), [0.30000000000000004, 0.3]),
        (("0.5", "0.50000000000000000000"), [0.5, 0.5]),
        (("0", "1e-400"), REFUSED),
        (("5e-324", "0.0"), [5e-324, 0.0]),
        (("0.5", "inf"), [0.5, np.inf]),
        (("0.5", "1e999"), REFUSED),
        (("0.5", "-Infinity"), REFUSED),
        (("1", "1_000"), REFUSED),
        (("2", " 1"), REFUSED),
        (("0.5", ""), REFUSED),
        (("0.5", "nan"), REFUSED),
        (("False", "True"), REFUSED),
        (("007", "8"), REFUSED),
        (("18446744073709551616", "1"), REFUSED),
    ],
)
def test_scores_of_a_csv_file(fields, same, tmp_path):
    path = tmp_path / "recs.csv"
    path.write_text("user,item,score\nu,x,{}\nu,y,{}\n".format(*fields), encoding="utf-8")
    if same == REFUSED:
        with pytest.raises(InputError, match="score of recommendations must"):
            evaluate(path, {"u": ["y"]}, "MRR")
    else:
        frame = pd.DataFrame({"user": "u", "item": ["x", "y"], "score": pd.Series(same)})
        assert evaluate(path, {"u": ["y"]}, "MRR") == evaluate(frame, {"u": ["y"]}, "MRR")
