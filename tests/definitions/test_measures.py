"""Measures by name: every spelling, every listed column, and whole messages."""

import inspect
import re
from dataclasses import fields
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import receval
from receval import InputError, evaluate, measures, working
from receval._files import ENTRIES, KEY, describe_references, methods_text, read_shared_text
from receval.definitions import measure
from receval.definitions.convention import FIELDS, Convention
from receval.definitions.names import STATED, parse
from receval.metrics import ranking
from receval.metrics.formula import RankFormula
from receval.metrics.spec import PerListFunction, SetLevel

KNOWN = ", ".join(one.name for one in STATED)
cited = partial(methods_text, bibtex=False, latex=False)
every_measure = pytest.mark.parametrize("one", STATED, ids=lambda one: one.name)


@every_measure
def test_every_name_and_alias_in_any_case(one):
    for name in (one.name, *one.aliases):
        for spelled in (name, name.lower(), name.upper(), f"  {name} "):
            assert measure(spelled).spec is one


@every_measure
def test_a_measure_says_what_the_house_demands(one):
    """The laws (`tests/laws`) and the calls (`tests/bad_inputs`) ask for it by name as well."""
    assert one.title
    assert one.formula
    assert KEY.search(one.source), "a source that names an entry of references.bib"
    assert set(one.depends_on) <= set(FIELDS)
    assert set(one.choices.values()) <= {field.name for field in fields(Convention)}
    names = [name.lower() for other in STATED for name in (other.name, *other.aliases)]
    assert all(names.count(name.lower()) == 1 for name in (one.name, *one.aliases))
    if isinstance(one.computation, (PerListFunction, SetLevel)):
        return
    options = (
        {}
        if isinstance(one.computation, RankFormula)
        else inspect.signature(one.computation).parameters
    )
    assert set(one.choices) <= set(options)
    assert one.function is not None, f"the spec of {one.name} must state its array function"
    name, module = one.function.__name__, one.function.__module__
    line = f"from {module} import {name}"
    assert getattr(ranking, name, None) is one.function, (
        f"receval/metrics/ranking/__init__.py must export the array function of {one.name}: add "
        f"{line!r}, and {name!r} to __all__"
    )
    assert name in ranking.__all__, (
        f"add {name!r} to __all__ of receval/metrics/ranking/__init__.py"
    )
    assert callable(getattr(working, name)), f"the working of {one.name}"


def test_every_entry_is_cited_and_every_key_has_an_entry():
    text = read_shared_text("references.bib")
    assert len(ENTRIES) == text.count("\n@") == len({cited(f"@{key}") for key in ENTRIES})
    for key, entry in ENTRIES.items():
        assert entry.count("{") == entry.count("}"), key
        assert re.search(r"doi = \{10\.\d+/|title = ", entry), key
        assert re.search(rf"^  year = \{{{key[-4:]}\}}", entry, re.M), key
    package = Path(receval.__file__).parent
    paths = (path for path in package.rglob("*") if path.suffix in (".py", ".toml"))
    texts = [path.read_text(encoding="utf-8") for path in paths]
    assert {*re.findall(r"@([a-z]+\d{4})\b", "\n".join(texts))} == {*ENTRIES}


@every_measure
def test_methods_cite_every_measure(one):
    recs = pd.DataFrame({"user": [1, 1], "item": [1, 2], "score": [2.0, 1.0]})
    truth = pd.DataFrame({"user": [1], "item": [1], "relevance": [1]})
    items = pd.DataFrame(
        {"awards": [1, 0], "novelty_date": pd.Timestamp("2026-01-01"), "colour": [1, 2]},
        index=[1, 2],
    )
    name = f"{one.name}@2" if one.takes_cutoff else one.name
    more = {"items": items, "history": recs} if one.needs else {}
    result = evaluate(recs, truth, name, **more)
    assert f"{name} ({one.title}) was computed" in result.methods()
    assert f"{one.name} ({cited(KEY.search(one.source)[0])}" in result.methods()
    assert all(f"{{{key},\n" in result.methods(bibtex=True) for key in KEY.findall(one.source))
    if measure(name).per_user:
        assert result.explain(1, name).table["term"].notna().all()


@pytest.mark.parametrize("spelled", ["nDCG@10", "NDCG @ 10", " ndcg@ 10 ", "ndcg @10"])
def test_cutoffs_are_read_with_and_without_blanks(spelled):
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
        ("nDGC", "got 'nDGC'. Similar names: nDCG"),
        ("precison@5", "got 'precison@5'. Similar names: Precision, R-Precision"),
        ("quality", f"got 'quality'. Known names: {KNOWN}"),
        ("nDCG 10", "got 'nDCG 10'. Known names: " + KNOWN),
        ("", f"got ''. Known names: {KNOWN}"),
        (None, f"got None. Known names: {KNOWN}"),
        (np.array(["nDCG"]), f"got array(['nDCG'], dtype='<U4'). Known names: {KNOWN}"),
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
    for one in STATED:
        row = table.loc[one.name]
        assert row["title"] == one.title
        assert row["source"] == describe_references(one.source)
        assert row["formula"] == measure(one.name).mean_formula
        assert row["needs"].split(", ") == (list(one.needs) or [""])
    assert set(table.index[table["level"] == "all users together"]) == {
        *("CC", "LTP", "Gini"),
        *("MAE", "MSE", "RMSE"),
    }
    assert set(table["level"]) == {"all users together", "each user"}


# Parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("rbp(p=0.90)@10", "RBP(p=0.9)@10"),
        (" RBP ( p = .5 ) @ 3", "RBP(p=0.5)@3"),
        ("ERR(max_grade=4)", "ERR(max_grade=4)"),
        ("ndcg_cut_10", "nDCG@10"),
        ("map_cut_5", "MAP@5"),
        ("P_5", "Precision@5"),
        ("recall_100", "Recall@100"),
        ("success_1", "HR@1"),
        ("recip_rank", "MRR"),
        ("hit@10", "HR@10"),
        ("err(max_grade=4)@10", "ERR(max_grade=4)@10"),
        ("err(max_grade=4e0)", "ERR(max_grade=4)"),
        ("err(max_grade=1e3)", "ERR(max_grade=1000)"),
        ("err(max_grade=2.50)", "ERR(max_grade=2.5)"),
    ],
)
def test_parameters(spelled, name):
    assert measure(spelled).name == name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("RBP(q=1)", "measures must give parameters that RBP takes (p, rel); got 'RBP(q=1)'"),
        ("MRR(p=1)", "measures must give parameters that MRR takes (rel); got 'MRR(p=1)'"),
        (
            "nDCG(gain=sqrt)@5",
            "measures must give parameters that nDCG takes (rel); got 'nDCG(gain=sqrt)@5'",
        ),
        ("AUC(rel=2)", "measures must give parameters that AUC takes (none); got 'AUC(rel=2)'"),
        ("nDCG(rel=0)@5", "rel must be a grade above 0; got 0"),
        ("MAP(rel=x)", "rel must be a grade above 0; got 'x'"),
        ("RBP(p=1)", "p must be a number of at least 0 and below 1; got 1"),
        ("RBP(p=x)@2", "p must be a number of at least 0 and below 1; got 'x'"),
        ("ERR(max_grade=-1)", "max_grade must be a number from 0 to 1000; got -1"),
        *(
            (
                f"RBP({given})",
                (
                    "measures must have parameters as in 'RBP(p=0.9)@10', each once; "
                    f"got 'RBP({given})'"
                ),
            )
            for given in ("", "0.9", "p=", "=2", "p=1, p=2", "p=1,")
        ),
    ],
)
def test_refuses_parameters(name, message):
    with pytest.raises(InputError) as found:
        measure(name)
    assert str(found.value) == message


@pytest.mark.parametrize("name", ["RBP(p=0.9", "RBP(p=0.9))@2", "(p=1)", "RBP p"])
def test_names_that_no_measure_could_have_are_refused(name):
    with pytest.raises(InputError, match="measures must be known names"):
        measure(name)


def test_parameters_are_those_of_the_array_function():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": [1, 3, 4], "relevance": [1, 2, 3]})
    names = ["RBP", "RBP(p=0.5)@2", "ERR@3", "ERR(max_grade=4)@3"]
    found = evaluate(recs, truth, names).summary.loc[""]
    assert found.tolist() == [
        ranking.rbp([1, 0, 2]),
        ranking.rbp([1, 0, 2], p=0.5, k=2),
        ranking.err([1, 0, 2], max_grade=3),  # the largest grade of the truth, retrieved or not
        ranking.err([1, 0, 2], max_grade=4),
    ]
    text = evaluate(recs, truth, names).methods()
    assert "For ERR max_grade is 3, as in the truth." in text
    with pytest.raises(InputError, match=r"^relevance must be at most max_grade, 2; got 3\.0"):
        evaluate(recs.assign(item=[4, 3, 1]), truth, "ERR(max_grade=2)")
