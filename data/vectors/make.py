"""Write the test vectors: ``python data/vectors/make.py``. It needs only the standard library.

The script knows nothing of receval. It writes each value as a closed form that a person can check,
and evaluates this form with 50 digits. `CONVENTIONS` states what each tool or text does.
"""

import csv
import json
import re
import struct
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, getcontext
from fractions import Fraction
from pathlib import Path

getcontext().prec = 50
HERE = Path(__file__).parent
COLUMNS = ["case", "ranked", "relevance", "measure", "k", "convention", "value", "exact", "why"]
Pairs = list[tuple[str | int, float]]


# The conventions ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choices:
    """The choices of a tool or text; the defaults are receval's."""

    measures: str
    gain: str = "grade"
    first_two_equal: bool = False  # whether DCG doesn't discount rank 2
    perfect: bool = False  # whether the ideal list has k relevant items, even if fewer exist
    precision: str = "k"
    recall: str = "relevant"
    average_precision: str = "relevant"
    threshold: Fraction = Fraction(0)
    order: str = "id"
    float32: bool = False
    negative_counts_as_zero: bool = False
    leaves_out_missing: bool = False
    leaves_out_no_truth: bool = False
    # What the tool can't do, so that it gets no vectors of this sort:
    needs_k: bool = False
    no_k: str = ""  # measures that have no cut-off
    ranks_all: bool = False  # every item has a place, and no two have equal scores
    pairs_only: bool = False  # its table of relevant pairs has no grades of 0
    whole_grades: bool = False


TREC = "HR MRR MAP nDCG Precision Recall R-Precision bpref"
TREC_CHOICES = {
    "negative_counts_as_zero": True,
    "float32": True,
    "order": "bytes, descending",
    "whole_grades": True,
}
LISTS = "HR MRR MAP nDCG Precision Recall"
CONVENTIONS = {
    "receval": Choices(f"{TREC} F1 DCG CG AUC ERR RBP(p=0.5)"),
    "trec_eval": Choices(TREC, **TREC_CHOICES, no_k="MRR"),
    "pytrec_eval": Choices(TREC, **TREC_CHOICES, no_k="MRR", leaves_out_missing=True),
    "ir_measures": Choices(TREC, **TREC_CHOICES),
    "ranx": Choices(
        f"{LISTS} R-Precision F1 DCG", negative_counts_as_zero=True, order="rows",
        whole_grades=True,
    ),
    "sklearn": Choices("nDCG DCG AUC", order="mean"),
    "rectools": Choices(
        LISTS, gain="one", perfect=True, order="rows", leaves_out_no_truth=True, needs_k=True
    ),
    "replay": Choices(
        LISTS, gain="one", average_precision="reachable", order="id, descending",
        leaves_out_no_truth=True, needs_k=True,
    ),
    "lenskit": Choices(
        f"{LISTS} DCG", gain="one", first_two_equal=True, precision="retrieved",
        recall="reachable", average_precision="listed", order="rows", leaves_out_missing=True,
        leaves_out_no_truth=True, needs_k=True,
    ),
    "ranksys": Choices(
        "MAP nDCG Precision Recall", gain="2^(grade+1/2)-1", average_precision="reachable",
        threshold=Fraction(1, 2), order="rows", needs_k=True,
    ),
    "relison": Choices("MRR MAP nDCG Precision Recall", precision="retrieved", order="rows"),
    "relison_program": Choices(
        "MAP nDCG Precision Recall", gain="2^(grade+1/2)-1", order="rows", needs_k=True,
        pairs_only=True,
    ),
    "matchmaking": Choices("HR MRR", order="rows"),
    "satisfaction": Choices("CG DCG nDCG", first_two_equal=True, order="rows"),
    "fuzzy": Choices(
        "MRR MAP nDCG Precision Recall", first_two_equal=True, average_precision="found",
        order="rows", leaves_out_missing=True, ranks_all=True,
    ),
    "recommenders": Choices(
        "MAP nDCG Precision Recall", gain="one", average_precision="reachable", order="rows",
        leaves_out_missing=True, leaves_out_no_truth=True, needs_k=True, pairs_only=True,
    ),
    "cornac": Choices(
        f"{LISTS} F1 AUC", gain="one", threshold=Fraction(1), order="rows",
        leaves_out_no_truth=True, no_k="MRR MAP", ranks_all=True,
    ),
    "recbole": Choices(
        LISTS, gain="one", average_precision="reachable", order="rows",
        leaves_out_no_truth=True, needs_k=True, ranks_all=True, pairs_only=True,
    ),
    "elliot": Choices(
        "HR MRR nDCG Precision Recall F1", gain="2^(grade+1)-1", order="rows",
        leaves_out_missing=True, leaves_out_no_truth=True, needs_k=True, pairs_only=True,
    ),
}  # fmt: skip
COMPARED = ("receval", "ranx", "pytrec_eval", "ir_measures", "sklearn", "rectools")


def order_of(name: str, measure: str, k: int | None) -> str:
    """Return the rule for equal scores; ir_measures has another one for MRR with a cut-off."""
    if name == "ir_measures" and measure.startswith("MRR") and k is not None:
        return "text"
    return CONVENTIONS[name].order


def leaves_out_missing(name: str, measure: str) -> bool:
    """Return whether a judged user without a list is left out; recommenders' nDCG counts a 0."""
    return CONVENTIONS[name].leaves_out_missing and (name, measure) != ("recommenders", "nDCG")


# Lists -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Situation:
    """A list and grades, and the measures that say something about them."""

    kind: str
    name: str
    ranked: Pairs
    relevance: Pairs
    measures: str
    note: str
    only: str = ""  # conventions; all that can express the situation if empty


def score_key(score: float, choices: Choices) -> float:
    """Return the score as the tool compares it."""
    if choices.float32:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    return score


def sorted_list(ranked: Pairs, choices: Choices, order: str) -> Pairs:
    """Return the pairs of item and compared score, best first, with ties in the stated order."""
    pairs = [(item, score_key(score, choices)) for item, score in ranked]
    if order == "id":
        pairs.sort(key=lambda pair: pair[0])
    elif order == "id, descending":
        pairs.sort(key=lambda pair: pair[0], reverse=True)
    elif order == "text":
        pairs.sort(key=lambda pair: str(pair[0]))
    elif order == "bytes, descending":
        pairs.sort(key=lambda pair: str(pair[0]).encode(), reverse=True)
    return sorted(pairs, key=lambda pair: -pair[1])  # stable


def has_ties(pairs: Pairs) -> bool:
    """Return whether two compared scores are equal."""
    return len({score for _, score in pairs}) < len(pairs)


# Closed forms ------------------------------------------------------------------------------------


def value_text(exact: str) -> str:
    """Evaluate a closed form with 50 digits, and round it to 17; words stay."""
    if exact in ("nan", "refused"):
        return exact
    text = re.sub(r"\b\d+", r"D('\g<0>')", exact)
    names = {"D": Decimal, "log2": lambda number: number.ln() / Decimal(2).ln()}
    value = Decimal(eval(text, {"__builtins__": {}}, names))
    return f"{float(value):.17g}"


def grouped(text: str) -> str:
    """Put a sum or quotient in parentheses."""
    return text if re.fullmatch(r"\d+", text) else f"({text})"


def discounted(gain: Fraction, rank: int, choices: Choices) -> str:
    """Return gain / log2(1 + rank); with the clipped discount, gain / max(1, log2(rank))."""
    argument = rank + 1
    if choices.first_two_equal:
        argument = max(2, rank)
    exponent = argument.bit_length() - 1
    if argument == 2**exponent:
        return str(gain / exponent)
    if gain.denominator == 1:
        return f"{gain}/log2({argument})"
    return f"{gain.numerator}/({gain.denominator}*log2({argument}))"


def dcg(gains: list[Fraction], choices: Choices) -> str:
    """Return the discounted cumulative gain of the gains by rank."""
    terms = [discounted(gain, rank, choices) for rank, gain in enumerate(gains, 1) if gain]
    return " + ".join(terms) or "0"


def gain_of(grade: Fraction, choices: Choices) -> Fraction:
    """Return the gain of a grade; `ValueError` if it isn't a fraction."""
    if grade <= 0 or choices.gain == "grade":
        return max(grade, Fraction(0))
    if choices.gain == "one":
        return Fraction(1)
    shift = Fraction(1)
    if choices.gain == "2^(grade+1/2)-1":
        shift = Fraction(1, 2)
        if grade < shift:
            return Fraction(0)
    exponent = grade + shift
    if exponent.denominator != 1:
        raise ValueError(exponent)
    return Fraction(2 ** int(exponent) - 1)


@dataclass(frozen=True)
class Case:
    """A user's list under a convention, best first, with the grade of each rank."""

    choices: Choices
    pairs: Pairs
    grades: list[Fraction]  # by rank
    judged: dict[str | int, Fraction]
    order: str
    k: int | None

    @property
    def top(self) -> list[Fraction]:
        """The grades down to the cut-off."""
        return self.grades[: self.k]

    @property
    def hits(self) -> list[int]:
        """The ranks of relevant items down to the cut-off."""
        return [rank for rank, grade in enumerate(self.top, 1) if grade > 0]

    @property
    def relevant(self) -> list[Fraction]:
        """The grades of all relevant items, best first."""
        return sorted((grade for grade in self.judged.values() if grade > 0), reverse=True)

    @property
    def reachable(self) -> int:
        """The smaller of k and the number of relevant items."""
        return min(len(self.relevant), self.k or len(self.relevant))


def precision_divisor(case: Case) -> int:
    """Return what precision divides by; without a cut-off, that is the list's length."""
    if case.choices.precision == "retrieved" or case.k is None:
        return max(1, len(case.top))
    return case.k


def recall_divisor(case: Case) -> int:
    """Return what recall divides by."""
    return case.reachable if case.choices.recall == "reachable" else len(case.relevant)


def precision(case: Case) -> str:
    """Return hits / divisor."""
    return f"{len(case.hits)}/{precision_divisor(case)}"


def recall(case: Case) -> str:
    """Return hits / divisor."""
    return f"{len(case.hits)}/{recall_divisor(case)}"


def f1(case: Case) -> str:
    """Return 2PR / (P + R), which is 2 * hits / (the divisor of P + the divisor of R)."""
    return f"2*{len(case.hits)} / ({precision_divisor(case)} + {recall_divisor(case)})"


def hit(case: Case) -> str:
    """Return 1 if there is a hit."""
    return str(int(bool(case.hits)))


def reciprocal_rank(case: Case) -> str:
    """Return 1 / the rank of the first hit."""
    return f"1/{case.hits[0]}" if case.hits else "0"


def r_precision(case: Case) -> str:
    """Return the share of relevant items among the first R."""
    n_relevant = len(case.relevant)
    return f"{sum(grade > 0 for grade in case.grades[:n_relevant])}/{n_relevant}"


def average_precision(case: Case) -> str:
    """Return the sum of the precisions at the hits over the divisor."""
    if not case.hits:
        return "0"
    divisor = {
        "relevant": len(case.relevant),
        "reachable": case.reachable,
        "listed": min(case.reachable, len(case.top)),
        "found": len(case.hits),
    }[case.choices.average_precision]
    terms = [f"{n}/{rank}" for n, rank in enumerate(case.hits, 1)]
    return f"({' + '.join(terms)}) / {divisor}"


def cumulative_gain(case: Case) -> str:
    """Return the sum of the grades."""
    return " + ".join(str(grade) for grade in case.top if grade > 0) or "0"


def gains_by_rank(case: Case) -> list[Fraction]:
    """Return the gains down to the cut-off; equal scores share the mean of their gains."""
    gains = [gain_of(grade, case.choices) for grade in case.grades]
    if case.order == "mean":
        scores = [score for _, score in case.pairs]
        means = {
            score: Fraction(sum(g for g, s in zip(gains, scores, strict=True) if s == score))
            / scores.count(score)
            for score in scores
        }
        gains = [means[score] for score in scores]
    return gains[: case.k]


def discounted_gain(case: Case) -> str:
    """Return DCG."""
    return dcg(gains_by_rank(case), case.choices)


def normalised_gain(case: Case) -> str:
    """Return DCG over the DCG of the ideal list."""
    choices = case.choices
    if len(set(case.relevant)) == 1:  # equal gains cancel
        same = Choices("", gain="one", first_two_equal=choices.first_two_equal)
        unit = Case(same, case.pairs, case.grades, case.judged, case.order, case.k)
        gains = gains_by_rank(unit)
        ideal = [Fraction(1)] * len(case.relevant)
    else:
        gains = gains_by_rank(case)
        ideal = [gain_of(grade, choices) for grade in case.relevant]
    if choices.perfect and case.k is not None:
        ideal = [Fraction(1)] * case.k
    numerator = dcg(gains, choices)
    divisor = dcg(ideal[: case.k], choices)
    if "0" in (numerator, divisor):
        return "0"
    return f"{grouped(numerator)} / {grouped(divisor)}"


def auc(case: Case) -> str:
    """Return the share of pairs in the right order; a pair with equal scores counts half."""
    listed = [(score, grade > 0) for (_, score), grade in zip(case.pairs, case.grades, strict=True)]
    relevant = [score for score, is_relevant in listed if is_relevant]
    others = [score for score, is_relevant in listed if not is_relevant]
    if not relevant or not others:
        return "nan"
    right = sum(good > bad for good in relevant for bad in others)
    equal = sum(good == bad for good in relevant for bad in others)
    numerator = f"({right} + {equal}/2)" if equal else f"{right}"
    return f"{numerator} / ({len(relevant)}*{len(others)})"


def bpref(case: Case) -> str:
    """Return the mean of 1 - min(n, R) / min(N, R) over R relevant items.

    n is the number of items judged irrelevant that rank above the item, and N the number of all
    of them. Items that nobody judged don't count.
    """
    n_relevant = len(case.relevant)
    n_irrelevant = len(case.judged) - n_relevant
    terms = []
    n_above = 0
    for (item, _), grade in zip(case.pairs, case.grades, strict=True):
        if grade > 0:
            share = "1"
            if n_above:
                share += f" - {min(n_above, n_relevant)}/{min(n_irrelevant, n_relevant)}"
            terms.append(share)
        elif item in case.judged:
            n_above += 1
    return f"({' + '.join(terms)}) / {n_relevant}" if terms else "0"


def expected_reciprocal_rank(case: Case) -> str:
    """Return the sum of P(stop at rank i) / i, with P = (2^grade - 1) / 2^max."""
    highest = max(case.judged.values())
    reaches = Fraction(1)
    terms = []
    for rank, grade in enumerate(case.top, 1):
        stops = Fraction(2 ** int(grade) - 1, 2 ** int(highest))
        if stops:
            terms.append(f"{reaches * stops}/{rank}")
        reaches *= 1 - stops
    return " + ".join(terms) or "0"


def rank_biased_precision(case: Case) -> str:
    """Return (1 - p) times the sum of p^(i - 1) over the hits, with p = 1/2."""
    return " + ".join(f"1/{2**rank}" for rank in case.hits) or "0"


FORMS: dict[str, Callable[[Case], str]] = {
    "HR": hit,
    "MRR": reciprocal_rank,
    "Precision": precision,
    "Recall": recall,
    "F1": f1,
    "R-Precision": r_precision,
    "MAP": average_precision,
    "CG": cumulative_gain,
    "DCG": discounted_gain,
    "nDCG": normalised_gain,
    "AUC": auc,
    "bpref": bpref,
    "ERR": expected_reciprocal_rank,
    "RBP(p=0.5)": rank_biased_precision,
}


# Vectors -----------------------------------------------------------------------------------------


TREC_FAMILY = ("trec_eval", "pytrec_eval", "ir_measures")


def has_measure(name: str, measure: str, k: int | None) -> bool:
    """Return whether the tool or text behind a convention has the measure."""
    choices = CONVENTIONS[name]
    family = family_of(measure)
    if "(rel=" in measure and name not in ("receval", *TREC_FAMILY, "ranx"):
        return False
    if k is None and choices.needs_k:
        return False
    is_without_k = k is not None and family in choices.no_k.split()
    return family in choices.measures.split() and not is_without_k


def can_express(name: str, k: int | None, situation: Situation) -> bool:
    """Return whether the tool or text behind a convention takes such a list and such grades."""
    choices = CONVENTIONS[name]
    if situation.only:
        return name in situation.only.split()
    items = [item for item, _ in situation.ranked]
    grades = [grade for _, grade in situation.relevance]
    is_full = {item for item, _ in situation.relevance} <= set(items)
    ranks_all = is_full and bool(items) and len(items) >= (k or 0)
    obstacles = [
        name == "sklearn" and not (is_full and len(items) > 1),
        choices.pairs_only and min(grades) <= 0,
        choices.whole_grades and any(grade != int(grade) for grade in grades),
        choices.ranks_all and (not ranks_all or has_ties(situation.ranked)),
    ]
    return not any(obstacles)


def family_of(measure: str) -> str:
    """Return a measure without its smallest relevant grade: "MAP" of "MAP(rel=2)"."""
    return re.sub(r"\(rel=\d+\)", "", measure)


def exact_form(name: str, measure: str, k: int | None, situation: Situation) -> str:
    """Return the closed form of a value; "nan" without a value, "refused" where none is right."""
    choices = CONVENTIONS[name]
    items = [item for item, _ in situation.ranked]
    judged_items = [item for item, _ in situation.relevance]
    if len(set(items)) < len(items) or len(set(judged_items)) < len(judged_items):
        return "refused"
    judged = {item: Fraction(grade) for item, grade in situation.relevance}
    if min(judged.values()) < 0 and not choices.negative_counts_as_zero:
        return "refused"
    family = family_of(measure)
    if family == "bpref":  # trec_eval's bpref takes an item with a negative grade as not judged
        judged = {item: grade for item, grade in judged.items() if grade >= 0}
    floor = choices.threshold
    if level := re.search(r"\(rel=(\d+)\)", measure):
        floor = Fraction(level[1])
    judged = {item: max(grade, Fraction(0)) for item, grade in judged.items()}
    judged = {item: Fraction(0) if grade < floor else grade for item, grade in judged.items()}
    has_truth = any(judged.values())
    if not has_truth and choices.leaves_out_no_truth:
        return "nan"
    if not items:
        return "nan" if leaves_out_missing(name, family) else "0"
    if not has_truth and family != "AUC":
        return "0"
    order = order_of(name, measure, k)
    pairs = sorted_list(situation.ranked, choices, order)
    grades = [judged.get(item, Fraction(0)) for item, _ in pairs]
    return FORMS[family](Case(choices, pairs, grades, judged, order, k))


ORDERS = {
    "id": "Equal scores: ascending id.",
    "id, descending": "Equal scores: descending id.",
    "text": "Equal scores: ascending id as text (ir_measures sends RR@k to another program).",
    "bytes, descending": "Scores are 32-bit floats; equal ones: descending id as text.",
    "rows": "Equal scores: order of the rows.",
    "mean": "Equal scores: the mean over all orders.",
}
DIVISORS = {
    "relevant": "the number of relevant items",
    "reachable": "the smaller of k and the number of relevant items",
    "listed": "the smallest of k, the items listed and the relevant items",
    "found": "the number of hits",
    "k": "k, even if the list is shorter",
    "retrieved": "the number of items listed",
}
GAINS = {
    "grade": "The gain is the grade.",
    "one": "The gain is 1 for each relevant item.",
    "2^(grade+1/2)-1": "The gain is 2^(grade + 1/2) - 1 for grades from 1/2.",
    "2^(grade+1)-1": "The gain is 2^(grade + 1) - 1.",
}


def reason(name: str, measure: str, k: int | None, situation: Situation, exact: str) -> str:
    """Return the note of the situation, and the choices that made the value."""
    has_negative = min(grade for _, grade in situation.relevance) < 0
    if exact == "refused" and has_negative:
        reasons = ["The convention has no meaning for it, so a tool has to raise an error."]
    elif exact == "refused":
        reasons = ["No number is right, so a tool has to raise an error."]
    elif exact == "nan" and measure == "AUC":
        reasons = ["Without both relevant and irrelevant items, AUC is undefined."]
    elif exact == "nan":
        reasons = ["The mean leaves the user out."]
    elif not situation.ranked or situation.kind == "nothing relevant":
        reasons = ["The user counts as 0."]
    else:
        reasons = [
            *reasons_of_list(name, measure, k, situation),
            *reasons_of_divisors(CONVENTIONS[name], family_of(measure), k),
            *reasons_of_gains(CONVENTIONS[name], family_of(measure), situation),
        ]
    return " ".join([situation.note, *reasons])


def reasons_of_list(name: str, measure: str, k: int | None, situation: Situation) -> list[str]:
    """Return how the convention orders equal scores, and which grades are relevant."""
    choices = CONVENTIONS[name]
    reasons = []
    compared = [(item, score_key(score, choices)) for item, score in situation.ranked]
    if has_ties(compared) and measure == "AUC":
        reasons.append("A pair with equal scores counts half.")
    elif has_ties(compared):
        reasons.append(ORDERS[order_of(name, measure, k)])
    if min(grade for _, grade in situation.relevance) < 0:
        if measure == "bpref":
            reasons.append("bpref takes an item with a negative grade as not judged.")
        else:
            reasons.append("A negative grade counts as 0.")
    if choices.threshold:
        reasons.append(f"Relevant from grade {choices.threshold}.")
    return reasons


def reasons_of_divisors(choices: Choices, family: str, k: int | None) -> list[str]:
    """Return what the measure divides by."""
    reasons = []
    if family == "MAP":
        reasons.append(f"AP divides by {DIVISORS[choices.average_precision]}.")
    if family in ("Precision", "F1") and k is not None:
        reasons.append(f"Precision divides by {DIVISORS[choices.precision]}.")
    if family in ("Recall", "F1"):
        reasons.append(f"Recall divides by {DIVISORS[choices.recall]}.")
    return reasons


def reasons_of_gains(choices: Choices, family: str, situation: Situation) -> list[str]:
    """Return gain, discount and ideal list of DCG and nDCG."""
    if family not in ("DCG", "nDCG"):
        return []
    reasons = []
    is_graded = {grade for _, grade in situation.relevance if grade > 0} != {1}
    if is_graded or (family == "DCG" and choices.gain != "grade"):
        reasons.append(GAINS[choices.gain])
    if choices.first_two_equal:
        reasons.append("The discount is 1/max(1, log2(rank)).")
    if family == "nDCG" and choices.perfect:
        reasons.append("The ideal list has k relevant items, even if fewer exist.")
    return reasons


def chosen_conventions(exacts: dict[str, str], n_uses: Counter[str]) -> list[str]:
    """Return for each value the two conventions that have the fewest vectors so far.

    Conventions whose tools the page compares get three times as many vectors as the others.
    """
    names_by_value: dict[str, list[str]] = {}
    for name in sorted(exacts, key=lambda name: n_uses[name] / (3 if name in COMPARED else 1)):
        names = names_by_value.setdefault(value_text(exacts[name]), [])
        if len(names) < 2:
            names.append(name)
    chosen = {name for names in names_by_value.values() for name in names}
    return [name for name in CONVENTIONS if name in chosen]


def vectors(situation: Situation, n_uses: Counter[str]) -> list[dict[str, str]]:
    """Return the vectors of a situation, one for each measure, convention and differing value."""
    rows: list[dict[str, str]] = []
    for asked in situation.measures.split():
        measure, _, cutoff = asked.partition("@")
        k = int(cutoff) if cutoff else None
        exacts = {}
        for name in CONVENTIONS:
            if has_measure(name, measure, k) and can_express(name, k, situation):
                try:
                    exacts[name] = exact_form(name, measure, k, situation)
                except ValueError:  # an irrational gain
                    continue
        for name in chosen_conventions(exacts, n_uses):
            n_uses[name] += 1
            exact = exacts[name]
            why = reason(name, measure, k, situation, exact)
            case = f"{situation.name}-{len(rows) + 1:02}"
            texts = (json.dumps(situation.ranked), json.dumps(situation.relevance))
            row = (case, *texts, measure, cutoff, name, value_text(exact), exact, why)
            rows.append(dict(zip(COLUMNS, row, strict=True)))
    return rows


def scored(items: str, *scores: float) -> Pairs:
    """Return pairs of the letters and their scores; without scores, n, n - 1, ... 1."""
    return list(zip(items, scores or range(len(items), 0, -1), strict=True))


def graded(**grades: float) -> Pairs:
    """Return pairs of items and grades."""
    return list(grades.items())


ABCD = scored("abcd")
SITUATIONS = [
    # Lists without any trap
    Situation(
        "plain", "plain", ABCD, graded(a=1, c=1),
        "HR@3 MRR MAP nDCG Precision@3 Recall@3 F1@3 DCG@3 R-Precision AUC RBP(p=0.5)",
        "Hits at ranks 1 and 3.",
    ),
    Situation(
        "plain", "late-hit", ABCD, graded(d=1, x=1), "HR@3 MRR@3 MRR nDCG@3",
        "The only hit is at rank 4, and x isn't listed.",
    ),
    Situation(
        "plain", "judged-irrelevant", scored("abcde"), graded(a=0, b=1, d=0, e=1, x=0),
        "bpref MAP", "Items a, d and x are judged irrelevant; nobody judged c.",
    ),
    # Equal scores
    Situation(
        "ties", "tied-pair", scored("ba", 1, 1), graded(a=1), "MRR MRR@1 nDCG@2 DCG@2 AUC",
        "Items a and b have equal scores; only a is relevant, and b has the first row.",
    ),
    Situation(
        "ties", "tied-at-the-cut", scored("acbd", 3, 2, 2, 1), graded(b=1, d=1),
        "nDCG@2 MAP@2 Precision@2 F1@2",
        "Items b and c have equal scores on both sides of the cut-off 2.",
    ),
    Situation(
        "ties", "all-tied", scored("bca", 1, 1, 1), graded(a=2, b=0, c=1), "nDCG DCG@2 bpref",
        "All three items have equal scores.",
    ),
    Situation(
        "ties", "tied-numbers", [(9, 1), (10, 1)], [(10, 1)], "MRR HR@1",
        "The ids are the numbers 9 and 10, which sort in another order as texts.",
    ),
    Situation(
        "ties", "tied-numbers-swapped", [(10, 1), (9, 1)], [(9, 1)], "MRR@2 Precision@1 DCG@2",
        "The ids are the numbers 10 and 9, which sort in another order as texts.",
    ),
    Situation(
        "ties", "tied-capitals", [("b", 1), ("B", 1), ("\u00e4", 1)], [("b", 1)], "MRR MRR@3",
        "As bytes, capitals sort before small letters, and letters with accents after them.",
    ),
    Situation(
        "ties", "nearly-tied", scored("ab", 1.00000001, 1), graded(a=1), "MRR nDCG@2",
        "The scores differ as 64-bit floats, but not as 32-bit floats.",
    ),
    Situation(
        "ties", "seventeen-tied", [(item, 1) for item in "abcdefghijklmnopq"], graded(a=1),
        "MRR nDCG",
        "Seventeen items have equal scores, and the one in the first row is relevant.",
        only="receval pytrec_eval ir_measures ranx sklearn",
    ),
    Situation(
        "ties", "negative-scores", scored("abc", -1, -0.5, -0.5), graded(b=1), "MRR HR@1 nDCG@2",
        "Scores are below 0; items b and c have the highest.",
    ),
    # Lists shorter than k
    Situation(
        "short lists", "two-of-five", scored("ab"), graded(a=1, c=1),
        "Precision@5 Recall@5 F1@5 MAP@5 nDCG@5 HR@5", "The list has two items, and k is 5.",
    ),
    Situation(
        "short lists", "one-item", scored("a"), graded(a=1, b=1, c=1),
        "Precision@3 MAP@3 nDCG@3 R-Precision", "The list has one item, which is relevant.",
    ),
    Situation(
        "short lists", "short-and-wrong", scored("ab"), graded(c=1), "Precision@3 MRR@3 nDCG@3",
        "The list has two items, and neither is relevant.",
    ),
    # Ideal lists longer than k, or shorter
    Situation(
        "ideal lists", "five-relevant", ABCD, graded(a=1, b=1, x=1, y=1, z=1),
        "nDCG@2 nDCG@4 MAP@2 Recall@2 Recall@4 F1@2", "Five items are relevant, more than k.",
    ),
    Situation(
        "ideal lists", "best-not-listed", ABCD, graded(a=1, b=3, x=2), "nDCG@2 nDCG DCG@2",
        "The ideal list begins with b and x, but x isn't listed.",
    ),
    Situation(
        "ideal lists", "one-relevant", ABCD, graded(b=1), "nDCG@4 MAP@4 Precision@4 Recall@4",
        "One item is relevant, fewer than k.",
    ),
    Situation(
        "ideal lists", "all-relevant", scored("abc"), graded(a=1, b=1, c=1),
        "nDCG@2 Recall@2 MAP@2 AUC", "All items are relevant, so the list is ideal.",
    ),
    # Grades and thresholds
    Situation(
        "grades", "three-grades", scored("abc"), graded(a=1, b=3, c=2), "nDCG@3 DCG@3 CG MAP ERR",
        "The grades are 1, 3 and 2.",
    ),
    Situation(
        "grades", "graded-with-zero", ABCD, graded(a=0, b=2, c=0, d=1), "nDCG@3 DCG MAP bpref AUC",
        "A grade of 0 is judged, but not relevant.",
    ),
    Situation(
        "grades", "half-grades", scored("abc"), graded(a=0.5, b=1.5, c=2.5),
        "nDCG@3 MAP@3 Precision@2",
        "The grades are 1/2, 3/2 and 5/2.",
    ),
    Situation(
        "grades", "below-threshold", scored("abc"), graded(a=0.25, b=0.5),
        "MAP@2 Precision@2 Recall@2", "The grades are 1/4 and 1/2.",
    ),
    Situation(
        "grades", "threshold-of-a-measure", scored("abc"), graded(a=1, b=2, c=3),
        "MAP(rel=2) Precision(rel=2)@2 Recall(rel=2)@2 MRR(rel=2) MRR(rel=2)@3",
        "With rel=2, items are relevant from grade 2.",
    ),
    Situation(
        "grades", "negative-grade", scored("abc"), graded(a=-1, b=1),
        "nDCG@3 MAP Precision@3 bpref", "Item a has a negative grade, as spam has in TREC.",
        only="receval trec_eval pytrec_eval ir_measures ranx",
    ),
    Situation(
        "grades", "negative-grade-of-a-full-list", scored("ab"), graded(a=-1, b=1), "nDCG",
        "Item a has a negative grade.", only="sklearn",
    ),
    # Nothing relevant
    Situation(
        "nothing relevant", "none-relevant", scored("abc"), graded(a=0, b=0),
        "HR@3 MRR MAP@3 nDCG@3 Precision@3 Recall@3 R-Precision AUC",
        "The user is judged, but nothing is relevant.",
    ),
    Situation(
        "nothing relevant", "none-above-rel", scored("ab"), graded(a=1, b=1),
        "MAP(rel=2) Recall(rel=2)@2", "With rel=2, items are relevant from grade 2, so nothing is.",
    ),
    # Nobody answered
    Situation(
        "nobody answered", "no-list", [], graded(a=1, b=1),
        "HR@3 MRR MRR@3 MAP@3 nDCG@3 Precision@3 Recall@3 bpref",
        "The user has relevant items, but no list.",
    ),
    Situation(
        "nobody answered", "no-list-none-relevant", [], graded(a=0), "MRR nDCG@3",
        "The user has neither a list nor a relevant item.",
    ),
    # Repeated items
    Situation(
        "repeated items", "twice-in-the-list", scored("aab"), graded(a=1, b=1),
        "Recall@3 Precision@3 MAP@3 nDCG@3", "Item a is twice in the list.",
        only="receval trec_eval ir_measures rectools ranx pytrec_eval",
    ),
    Situation(
        "repeated items", "judged-twice", scored("ab"), [("a", 1), ("a", 2), ("b", 1)],
        "Recall@2 nDCG@2", "Item a is judged twice, with different grades.",
        only="receval trec_eval ir_measures rectools ranx pytrec_eval",
    ),
]  # fmt: skip


def write(folder: Path = HERE) -> None:
    """Write a CSV file for each kind of situation."""
    n_uses: Counter[str] = Counter()
    rows_by_kind: dict[str, list[dict[str, str]]] = {}
    for situation in SITUATIONS:
        rows = rows_by_kind.setdefault(situation.kind, [])
        rows += vectors(situation, n_uses)
    for kind, rows in rows_by_kind.items():
        path = folder / f"{kind.replace(' ', '_')}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    write()
