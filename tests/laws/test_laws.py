"""The laws of `laws.table` on random cases, and each exception on its example."""

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import amount
import pytest
from hypothesis import given, seed, settings
from laws import kinds
from laws.cases import FORMS, RULES, cases
from laws.table import LAST_BITS, LAWS, RELATIVES

from receval.definitions.convention import CONVENTIONS
from receval.definitions.definition import STATED


def advice(forms):
    """Say where these forms of measures belong, and which are in a law because of their kind."""
    forms = " ".join(forms)
    return (
        f"if the measure is right, add '{forms}' to `holds` of the law in tests/laws/table.py, or, "
        f"with a smallest example on which it fails, Fails('{forms}', 'why it fails', EXAMPLE) to "
        f"its `fails`. By measure, those that take part because they are of its kind: {RELATIVES}"
    )


# For all laws the same, so that each case is evaluated once as it is:
same_cases = seed(int(time.time()) if amount.is_long() else 6)


@pytest.mark.row(63)
@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@same_cases
@settings(max_examples=amount.of(60, 20_000), database=None)
@given(case=cases())
def test_the_law_holds(law, case):
    gaps = zip(case.forms, law.change(case), strict=True)
    broken = {form: gap for form, gap in gaps if not gap <= law.allowed(case, form)}
    assert not broken, f"{law.says} This is not so for {broken}; {advice(broken)}"


def exceptions():
    for name, law in LAWS.items():
        for fails in law.fails:
            suited = [
                convention
                for convention, rules in CONVENTIONS.items()
                if all(getattr(rules, choice) in ones for choice, ones in fails.where.items())
            ]
            for convention in suited if fails.where else ["receval"]:
                for rule in fails.rules or [None]:
                    label = " ".join(filter(None, [name, fails.forms[:12], convention, rule]))
                    case = fails.example.but(convention=convention, ties=rule)
                    yield pytest.param(law, fails, case, id=label)


@pytest.mark.parametrize(("law", "fails", "case"), list(exceptions()))
def test_each_exception_of_a_law_is_needed(law, fails, case):
    """Every form that an exception names differs on its example, by as much as the table says."""
    least, most = (1e-3, float("inf")) if fails.by > LAST_BITS else (5e-324, fails.by)
    for k in {None, case.k}:
        example = case.but(k=k)
        gaps = dict(zip(example.forms, law.change(example), strict=True))
        for form in set(gaps) & set(fails.forms.split()):
            assert fails.covers(example, form)
            assert least <= gaps[form] <= most, form


@pytest.mark.parametrize(("name", "law"), LAWS.items(), ids=LAWS)
def test_every_measure_is_in_every_law(name, law):
    """Every law says whether it holds for each measure, either by name or by the measure's kind."""
    holds = law.holds.split()
    fails = {form for fails in law.fails for form in fails.forms.split()}
    missing = [form for form in FORMS if form not in holds and form not in fails]
    assert not missing, f"the law {name!r} doesn't say whether it holds; {advice(missing)}"
    twice = sorted({form for form in holds if form in fails or holds.count(form) > 1})
    assert not twice, f"the law {name!r} of tests/laws/table.py names {twice} twice"
    unknown = {*holds, *fails} - set(FORMS)
    assert not unknown, f"the law {name!r} of tests/laws/table.py names no measures: {unknown}"
    assert {rule for fails in law.fails for rule in fails.rules} <= set(RULES)


def test_a_new_measure_is_in_the_laws_of_its_kind(monkeypatch):
    specs = {spec.name: spec for spec in STATED}
    new_measure = replace(specs["RBP"], name="new")
    no_formula = replace(specs["AUC"], name="newer")
    monkeypatch.setattr(kinds, "STATED", (*STATED, new_measure, no_formula))
    assert kinds.relatives_of(specs) == {"RBP": ["new"]}
    assert len({kinds.kind_of(spec) for spec in STATED if kinds.kind_of(spec)}) == 12


@pytest.mark.row(64)
def test_another_hash_seed_changes_no_bit():
    from laws.digest import digest

    here = Path(__file__).parents[1]
    paths = os.pathsep.join([str(here), str(here.parent)])
    done = subprocess.run(
        [sys.executable, "-c", "from laws.digest import digest; print(digest())"],
        env=os.environ | {"PYTHONHASHSEED": "2026", "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == digest()
