"""Odd numbers in columns of scores: decimals, and numbers as CSV files write them.

Text files don't have types: a CSV field is a number if it is written as one, and text otherwise; an
empty field is missing. The tests therefore compare a file with a frame of the types as written.
`bad_inputs.cases` has odd values in every form of a table.
"""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from receval import InputError, evaluate

REFUSED = "refused"


def test_decimals_of_arrow_are_numbers_and_those_of_python_are_refused():
    recs = {"user": ["u", "u"], "item": ["x", "y"], "score": [Decimal("0.10"), Decimal("0.25")]}
    assert evaluate(pa.table(recs), {"u": ["y"]}, "MRR").summary.iloc[0, 0] == 1
    with pytest.raises(InputError, match=r"score of .* pd\.to_numeric\(column\) does it"):
        evaluate(pd.DataFrame(recs), {"u": ["y"]}, "MRR")


def test_whole_decimals_that_float64_would_round_are_refused():
    scores = pa.array([Decimal(2**53), Decimal(2**53 + 1)], pa.decimal128(38, 0))
    table = pa.table({"user": ["u", "u"], "item": ["x", "y"], "score": scores})
    for recs in (table, table.to_pandas(types_mapper=pd.ArrowDtype)):
        with pytest.raises(InputError, match=r"score of .* must hold whole numbers of at most"):
            evaluate(recs, {"u": ["y"]}, "MRR")


def test_decimals_with_places_that_float64_would_round_are_refused():
    scores = pa.array([Decimal("0.5"), Decimal(2**53) + Decimal("0.5")], pa.decimal128(38, 1))
    table = pa.table({"user": ["u", "u"], "item": ["x", "y"], "score": scores})
    with pytest.raises(InputError, match=r"score of .* must hold decimals below .* in row 1\. Fl"):
        evaluate(table, {"u": ["y"]}, "MRR")


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
