"""Make the data of the finder: every candidate of `receval.which`, in a form that JavaScript computes.

docs/conf.py puts the data into the page docs/finder.md, where docs/_static/finder.js reads them. All
conventions, choices, words and formulas come from receval, so there is no second list of them. A gain
becomes the coefficients of one form, and a discount the table of its weights.
"""

import json

import numpy as np
from atlas import TOOLS

from receval.definitions import Convention, Measure
from receval.definitions.convention import CONVENTIONS
from receval.definitions.definition import MEASURES
from receval.definitions.lists import EvaluationContext
from receval.evaluation.which import _candidate_rules, with_choice_of
from receval.metrics.formula import RankFormula
from receval.metrics.ranking.binary import MeanDivisor, RelevantHitsDivisor

MAX_RANKS = 200
"""The longest list and the largest cut-off that the finder takes."""


def finder_data() -> dict[str, object]:
    """Return the data of the finder, which can be written as JSON.

    ``measures`` has the candidates of each measure, which refer to ``rules`` by number. Rules have a
    formula, of which ``formulas`` has each once, and ``weights`` has the weights of ranks 1, 2, ….
    """
    titles = {name: record["title"] for name, record in TOOLS.items()}
    data = {"maxRanks": MAX_RANKS, "titles": titles}
    data |= {"measures": {}, "rules": [], "formulas": [], "weights": {}}
    for measure in MEASURES:
        if is_supported(measure):
            data["measures"][measure.key] = describe_measure(measure, data)
    return data


def is_supported(measure: Measure) -> bool:
    """Return whether the finder computes a measure: a sum over ranks that needs nothing else."""
    if measure.spec.needs or measure.truth_options or not measure.by_convention:
        return False
    return isinstance(formula_under(measure, CONVENTIONS["receval"]), RankFormula)


def formula_under(measure: Measure, rules: Convention) -> object:
    """Return the computation of a measure under a convention."""
    return measure.computation_under(EvaluationContext(convention=rules))


def describe_measure(measure: Measure, data: dict[str, object]) -> dict[str, object]:
    """Return the title, the page and the candidates of a measure."""
    candidates = []
    for rules, changes in _candidate_rules([measure]):
        candidates.append(
            {
                "convention": rules.name,
                "changes": changes,
                "rules": number_of_rules(measure, rules, data),
                "steps": describe_steps(measure, rules, data),
            }
        )
    return {
        "title": measure.spec.title,
        "page": f"measures/{measure.key.lower()}.html",
        "takesCutoff": measure.spec.takes_cutoff,
        "candidates": candidates,
    }


def describe_steps(
    measure: Measure, end: Convention, data: dict[str, object]
) -> list[dict[str, object]]:
    """Return the way from receval's own choices to a convention, a choice at a time.

    The steps are those of `receval.explain_difference`.
    """
    current = CONVENTIONS["receval"]
    end = end.for_measures([measure.spec.name])
    old_words = current.words()
    new_words = end.words()
    steps = []
    for choice, new in new_words.items():
        if choice in measure.choices and new != old_words[choice]:
            current = with_choice_of(current, choice, end)
            number = number_of_rules(measure, current, data)
            step = {"choice": choice, "from": old_words[choice], "to": new, "rules": number}
            steps.append(step)
    return steps


def number_of_rules(measure: Measure, rules: Convention, data: dict[str, object]) -> int:
    """Return the number of a convention's rules for a measure; add them to the data if they are new."""
    binary_from = 0.0
    if measure.is_binary(EvaluationContext(convention=rules)):
        binary_from = rules.relevant_from
    record = {
        "formula": number_of(describe_formula(measure, rules, data), data["formulas"]),
        "threshold": rules.threshold,
        "binaryFrom": binary_from,
        "missing": rules.missing_rule(measure.key),
        "noTruth": rules.no_truth,
    }
    return number_of(record, data["rules"])


def number_of(record: dict[str, object], records: list[dict[str, object]]) -> int:
    """Return the position of a record in a list; append it first if it is new."""
    if record not in records:
        records.append(record)
    return records.index(record)


def describe_formula(
    measure: Measure, rules: Convention, data: dict[str, object]
) -> dict[str, object]:
    """Return the formula of a measure under a convention."""
    formula = formula_under(measure, rules)
    weight = None
    if formula.terms.weight is not None:
        ranks = np.arange(1.0, MAX_RANKS + 1)
        weights = np.asarray(formula.terms.weight(ranks), float).tolist()
        weight = getattr(formula.terms.weight, "__name__", "weight")
        if weight == "weight":  # a function that a measure makes for its parameters
            weight = measure.key
        assert data["weights"].setdefault(weight, weights) == weights, weight
    return {
        "gain": describe_gain(formula.terms.gain),
        "weight": weight,
        "above": formula.terms.above,
        "divisor": describe_divisor(formula.divisor),
        "listCutoff": formula.list_cutoff is not None,
    }


def describe_gain(gain: object) -> dict[str, float]:
    """Return the coefficients of a gain of the form power * 2^g + slope * g + constant.

    The gain is 0 for the grade 0 and for grades below ``from``. Raises if a gain has another form;
    then this function and `gainOf` in finder.js need one more coefficient.
    """
    smallest = getattr(gain, "keywords", {}).get("threshold", 0.0)
    first, second, third = np.asarray(gain(np.array([1.0, 2.0, 3.0])), float).tolist()
    power = (third - 2 * second + first) / 2
    slope = second - first - 2 * power
    constant = first - 2 * power - slope
    # Check the form on other grades.
    grades = np.arange(0, 12.25, 0.25)
    expected = np.where(
        (grades > 0) & (grades >= smallest), power * 2**grades + slope * grades + constant, 0.0
    )
    if not np.allclose(np.asarray(gain(grades), float), expected, rtol=1e-12, atol=1e-12):
        raise ValueError(f"the finder can't write the gain {gain} as a formula")
    return {"power": power, "slope": slope, "constant": constant, "from": smallest}


def describe_divisor(divisor: object) -> object:
    """Return a divisor: None, its name, or a record with the divisors that it combines."""
    if divisor is None or isinstance(divisor, str):
        return divisor
    if isinstance(divisor, MeanDivisor):
        return {"meanOf": [describe_divisor(part) for part in divisor.parts.values()]}
    if isinstance(divisor, RelevantHitsDivisor):
        return {"atLeast1": describe_divisor(divisor.divisor)}
    return divisor.__name__


def data_as_html() -> str:
    """Return the element of the page that holds the data."""
    text = json.dumps(finder_data(), separators=(",", ":")).replace("<", "\\u003c")
    return f'<script type="application/json" id="finder-data">{text}</script>'
