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
from receval.definitions.definition import STATED, parse
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
    options = one.computation
    options = {} if isinstance(options, RankFormula) else inspect.signature(options).parameters
    assert set(one.choices) <= set(options)
    assert one.function is not None, f"the spec of {one.name} must state its array function"
    name, module = one.function.__name__, one.function.__module__
    exported = getattr(ranking, name, None) if name in ranking.__all__ else None
    assert exported is one.function, (
        f"receval/metrics/ranking/__init__.py must export the array function of {one.name}: add "
        f"'from {module} import {name}', and {name!r} to __all__"
    )
    assert hasattr(working, name), (
        f"receval/working/ranking.py must have the working of {one.name}, and "
        f"receval/working/__init__.py must import it: 'def {name}'"
    )


def test_every_entry_is_cited_and_every_key_has_an_entry():
    text = read_shared_text("references.bib")
    assert len(ENTRIES) == text.count("\n@") == len({cited(f"@{key}") for key in ENTRIES})
    for key, entry in ENTRIES.items():
        assert entry.count("{") == entry.count("}"), key
        assert re.search(r"doi = \{10\.\d+/|title = ", entry), key
        assert re.search(rf"^  year = \{{{key[-4:]}\}}", entry, re.M), key
    paths = Path(receval.__file__).parent.rglob("*")
    texts = [path.read_text("utf-8") for path in paths if path.suffix in (".py", ".toml")]
    assert {*re.findall(r"@([a-z]+\d{4})\b", "\n".join(texts))} == {*ENTRIES}


@every_measure
def test_methods_cite_every_measure(one):
    recs = pd.DataFrame({"user": [1, 1], "item": [1, 2], "score": [2.0, 1.0]})
    items = pd.DataFrame(
        {"awards": [1, 0], "novelty_date": pd.Timestamp("2026-01-01"), "colour": [1, 2]},
        index=[1, 2],
    )
    name = f"{one.name}@2" if one.takes_cutoff else one.name
    more = {"items": items, "history": recs} if one.needs else {}
    result = evaluate(recs, {1: {1: 1}}, name, **more)
    assert f"We report {name} ({one.title}), computed with" in result.methods()
    assert f"{one.name} ({cited(KEY.search(one.source)[0])}" in result.methods()
    assert all(f"{{{key},\n" in result.methods(bibtex=True) for key in KEY.findall(one.source))
    if measure(name).per_user:
        assert result.explain(1, name).table["term"].notna().all()


def test_the_table_says_what_each_measure_is_and_needs():
    table = measures()
    assert table.index.name == "measure"
    of_all_users = {"CC", "LTP", "Gini", "MAE", "MSE", "RMSE"}
    for one in STATED:
        assert table.loc[one.name].to_dict() == {
            "title": one.title,
            "level": "all users together" if one.name in of_all_users else "each user",
            "needs": ", ".join(one.needs),
            "source": describe_references(one.source),
            "formula": measure(one.name).mean_formula,
        }


# Parameters ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        *((spelled, "nDCG@10") for spelled in ("nDCG@10", "NDCG @ 10", " ndcg@ 10 ", "ndcg @10")),
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
def test_cut_offs_and_parameters(spelled, name):
    assert measure(spelled).name == name
    assert [one.name for one in parse(iter([spelled, "MRR", name]))] == list({name: 1, "MRR": 1})


def test_parameters_are_those_of_the_array_function():
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": [1, 3, 4], "relevance": [1, 2, 3]})
    result = evaluate(recs, truth, ["RBP", "RBP(p=0.5)@2", "ERR@3", "ERR(max_grade=4)@3"])
    assert result.summary.loc[""].tolist() == [
        ranking.rbp([1, 0, 2]),
        ranking.rbp([1, 0, 2], p=0.5, k=2),
        ranking.err([1, 0, 2], max_grade=3),  # the largest grade of the truth, retrieved or not
        ranking.err([1, 0, 2], max_grade=4),
    ]
    assert "For ERR max_grade is 3, as in the truth." in result.methods()
    with pytest.raises(InputError, match=r"^relevance must be at most max_grade, 2; got 3\.0"):
        evaluate(recs.assign(item=[4, 3, 1]), truth, "ERR(max_grade=2)")


IMPOSSIBLE = ("RBP(p=0.9", "RBP(p=0.9))@2", "(p=1)", "RBP p")
UNKNOWN = "measures must be known names such as 'nDCG@10'; got"
IN_FORM = "measures must have parameters as in 'RBP(p=0.9)@10', each once; got"
TAKES = "measures must give parameters that"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nDGC", f"{UNKNOWN} 'nDGC'. Similar names: nDCG"),
        ("precison@5", f"{UNKNOWN} 'precison@5'. Similar names: Precision, R-Precision"),
        *(
            (name, f"{UNKNOWN} {name!r}. Known names: {KNOWN}")
            for name in ("quality", "nDCG 10", "", None, np.array(["nDCG"]), *IMPOSSIBLE)
        ),
        *(
            (f"{name}@{k}", f"measures must name {name} without a cut-off; got '{name}@{k}'")
            for name in ("R-Precision", "AUC", "PC")
            for k in ("5", "0", "x")
        ),
        *(
            (f"nDCG@{k}", f"the cut-off of 'nDCG@{k}' must be a positive integer; got {shown}")
            for k, shown in (("0", "0"), ("-1", "-1"), ("2.5", "'2.5'"), ("x", "'x'"))
        ),
        ("RBP(q=1)", f"{TAKES} RBP takes (p, rel); got 'RBP(q=1)'"),
        ("MRR(p=1)", f"{TAKES} MRR takes (rel); got 'MRR(p=1)'"),
        ("nDCG(gain=sqrt)@5", f"{TAKES} nDCG takes (rel); got 'nDCG(gain=sqrt)@5'"),
        ("AUC(rel=2)", f"{TAKES} AUC takes (none); got 'AUC(rel=2)'"),
        ("nDCG(rel=0)@5", "rel must be a grade above 0; got 0"),
        ("MAP(rel=x)", "rel must be a grade above 0; got 'x'"),
        ("RBP(p=1)", "p must be a number of at least 0 and below 1; got 1"),
        ("RBP(p=x)@2", "p must be a number of at least 0 and below 1; got 'x'"),
        ("ERR(max_grade=-1)", "max_grade must be a number from 0 to 1000; got -1"),
        *(
            (f"RBP({options})", f"{IN_FORM} 'RBP({options})'")
            for options in ("", "0.9", "p=", "=2", "p=1, p=2", "p=1,")
        ),
        ([], "measures must name at least one measure, such as 'nDCG@10'; got none"),
        (3, "measures must be names such as 'nDCG@10', one or several; got 3"),
    ],
)
def test_refuses(name, message):
    read = parse if isinstance(name, (list, int)) else measure
    with pytest.raises(InputError) as error:
        read(name)
    assert str(error.value) == message
