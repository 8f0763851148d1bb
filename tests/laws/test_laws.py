"""The laws of `laws.table`: tried on random cases, and each exception on its example."""

import os
import subprocess
import sys
import time
from pathlib import Path

import amount
import pytest
from hypothesis import given, seed, settings
from laws.cases import FORMS, RULES, cases
from laws.table import LAST_BITS, LAWS

from receval.measure.names import CONVENTIONS

# For all laws the same, so that each case is evaluated once as it is:
same_cases = seed(int(time.time()) if amount.LONG else 6)


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
@same_cases
@settings(max_examples=amount.of(100, 20_000), database=None)
@given(case=cases())
def test_the_law_holds(law, case):
    gaps = zip(case.forms, law.change(case), strict=True)
    broken = {form: gap for form, gap in gaps if not gap <= law.allowed(case, form)}
    assert not broken, law.says


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
def test_exception_is_needed(law, fails, case):
    """Every form that an exception names is off on its example, by as much as the table says."""
    least, most = (1e-3, float("inf")) if fails.by > LAST_BITS else (5e-324, fails.by)
    for k in {None, case.k}:
        example = case.but(k=k)
        gaps = dict(zip(example.forms, law.change(example), strict=True))
        for form in set(gaps) & set(fails.forms.split()):
            assert fails.covers(example, form)
            assert least <= gaps[form] <= most, form


@pytest.mark.parametrize("law", LAWS.values(), ids=LAWS)
def test_every_measure_is_in_every_law(law):
    """A new measure is refused here until every law says whether it holds for it."""
    holds = law.holds.split()
    fails = {form for fails in law.fails for form in fails.forms.split()}
    assert sorted(holds + list(fails)) == sorted(FORMS)
    assert {rule for one in law.fails for rule in one.rules} <= set(RULES)


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
