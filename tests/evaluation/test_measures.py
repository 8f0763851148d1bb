"""Measures by name: every spelling, every listed column, whole messages."""

import numpy as np
import pytest
from receval.measure.definitions import MEASURES

from receval import InputError, measures
from receval.measure import measure
from receval.measure.names import parse

KNOWN = ", ".join(one.key for one in MEASURES)


@pytest.mark.parametrize("one", MEASURES, ids=lambda one: one.key)
def test_every_name_and_alias_in_any_case(one):
    for name in (one.key, *one.aliases):
        for spelled in (name, name.lower(), name.upper(), f"  {name} "):
            assert measure(spelled) is one


@pytest.mark.parametrize("spelled", ["nDCG@10", "NDCG @ 10", " ndcg@ 10 ", "ndcg @10"])
def test_cutoffs(spelled):
    found = measure(spelled)
    assert (found.name, found.key, found.k) == ("nDCG@10", "nDCG", 10)
    assert measure("nDCG").k is None


@pytest.mark.parametrize("name", ["R-Precision", "AUC", "PC"])
def test_measures_without_a_cutoff(name):
    assert measure(name).key == name
    for k in ("5", "0", "x"):
        with pytest.raises(InputError) as found:
            measure(f"{name}@{k}")
        message = f"measures must name {name} without a cut-off; got '{name}@{k}'"
        assert str(found.value) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC", "got 'nDGC'. Near or known: nDCG"),
        ("precison@5", "got 'precison@5'. Near or known: Precision, R-Precision"),
        ("quality", f"got 'quality'. Near or known: {KNOWN}"),
        ("nDCG 10", "got 'nDCG 10'. Near or known: " + KNOWN),
        ("", f"got ''. Near or known: {KNOWN}"),
        (None, f"got None. Near or known: {KNOWN}"),
        (np.array(["nDCG"]), f"got array(['nDCG'], dtype='<U4'). Near or known: {KNOWN}"),
    ],
)
def test_refuses_unknown_names(name, message):
    with pytest.raises(InputError) as found:
        measure(name)
    assert str(found.value) == f"measures must be known names such as 'nDCG@10'; {message}"


@pytest.mark.parametrize(
    ("name", "k"), [("nDCG@0", "0"), ("nDCG@-1", "-1"), ("nDCG@2.5", "'2.5'"), ("nDCG@x", "'x'")]
)
def test_refuses_cutoffs(name, k):
    with pytest.raises(InputError) as found:
        measure(name)
    message = f"the cut-off of {name!r} must be a positive integer; got {k}"
    assert str(found.value) == message


def test_several_names_each_once():
    assert [one.name for one in parse("MRR")] == ["MRR"]
    twice = parse(iter(["nDCG@5", "MRR", "ndcg@5", "nDCG"]))
    assert [one.name for one in twice] == ["nDCG@5", "MRR", "nDCG"]
    with pytest.raises(InputError) as found:
        parse([])
    message = "measures must name at least one measure, such as 'nDCG@10'; got none"
    assert str(found.value) == message
    with pytest.raises(InputError) as found:
        parse(3)
    message = "measures must be names such as 'nDCG@10', one or several; got 3"
    assert str(found.value) == message


def test_the_table_says_what_each_measure_is_and_needs():
    table = measures()
    assert table.index.name == "measure"
    assert table.columns.tolist() == ["title", "level", "needs", "source", "formula"]
    for one in MEASURES:
        row = table.loc[one.key]
        assert row["title"] == one.title
        assert row["source"] == one.source
        assert row["formula"] == one.mean_formula
        assert row["needs"].split(", ") == (list(one.needs) or [""])
    assert set(table.index[table["level"] == "all users together"]) == {"CC", "LTP"}
    assert set(table["level"]) == {"all users together", "each user"}
