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

from receval.definitions.names import CONVENTIONS, STATED

TABLE = Path(__file__).with_name("table.py")

# For all laws the same, so that each case is evaluated once as it is:
same_cases = seed(int(time.time()) if amount.LONG else 6)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@same_cases
@settings(max_examples=amount.of(100, 20_000), database=None)
@given(case=cases())
def test_the_law_holds(law, case):
    gaps = zip(case.forms, law.change(case), strict=True)
    broken = {form: gap for form, gap in gaps if not gap <= law.allowed(case, form)}
    assert not broken, advice_on_broken_law(law, broken)


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
    assert not missing, advice_on_missing(name, missing)
    twice = sorted({form for form in holds if form in fails or holds.count(form) > 1})
    assert not twice, f"the law {name!r} of tests/laws/table.py names {twice} twice"
    unknown = {*holds, *fails} - set(FORMS)
    assert not unknown, f"the law {name!r} of tests/laws/table.py names no measures: {unknown}"
    assert {rule for fails in law.fails for rule in fails.rules} <= set(RULES)


def line_of(law):
    """Return the line of the table that begins a law."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if f'"{law}": Law(' in line)


def advice_on_missing(name, missing):
    """Say which measures a law lacks, and what to write where."""
    forms = " ".join(missing)
    return (
        f"the law {name!r} does not say whether it holds for {forms}. In tests/laws/table.py, law "
        f"in line {line_of(name)}: add '{forms}' to its holds; or, with a smallest example on "
        f"which it fails, add Fails('{forms}', 'why it fails', EXAMPLE) to its fails"
    )


def advice_on_broken_law(law, broken):
    """Say which measures broke a law, and what to write where if they are right."""
    name = next(name for name, other in LAWS.items() if other is law)
    sentences = [f"{law.says} This is not so for {broken} (form: largest difference)"]
    for listed, relatives in RELATIVES.items():
        for relative in relatives:
            if {relative, f"{relative}@k"} & set(broken):
                sentences.append(
                    f"{relative} is in this law because its formula is like {listed}'s"
                )
    sentences.append(
        f"If the measure is right: tests/laws/table.py, law in line {line_of(name)}, add "
        f"Fails('{' '.join(broken)}', 'why it fails', EXAMPLE) to its fails"
    )
    return ". ".join(sentences)


def test_a_measure_without_a_law_is_named_with_the_line_to_add():
    assert advice_on_missing("range", ["HLU", "HLU@k"]) == (
        "the law 'range' does not say whether it holds for HLU HLU@k. In tests/laws/table.py, law "
        f"in line {line_of('range')}: add 'HLU HLU@k' to its holds; or, with a smallest example on "
        "which it fails, add Fails('HLU HLU@k', 'why it fails', EXAMPLE) to its fails"
    )


def test_a_broken_law_names_the_measure_and_the_file():
    advice = advice_on_broken_law(LAWS["range"], {"DCG@k": 2.5})
    assert "not so for {'DCG@k': 2.5}" in advice
    assert f"tests/laws/table.py, law in line {line_of('range')}, add Fails('DCG@k'," in advice


def test_a_new_measure_is_in_the_laws_of_its_kind(monkeypatch):
    specs = {spec.name: spec for spec in STATED}
    new_measure = replace(specs["RBP"], name="new")
    no_formula = replace(specs["AUC"], name="newer")
    monkeypatch.setattr(kinds, "STATED", (*STATED, new_measure, no_formula))
    assert kinds.relatives_of(specs) == {"RBP": ["new"]}
    assert len({kinds.kind_of(spec) for spec in STATED if kinds.kind_of(spec)}) == 12


def test_another_hash_seed_changes_no_bit():
    from laws.digest import digest

    here = Path(__file__).parents[1]
    for number in ("1", "2026"):
        done = subprocess.run(
            [sys.executable, "-c", "from laws.digest import digest; print(digest())"],
            env=os.environ
            | {
                "PYTHONHASHSEED": number,
                "PYTHONPATH": os.pathsep.join([str(here), str(here.parent)]),
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == digest()
