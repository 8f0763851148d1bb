"""The paragraph for a paper's methods section: every choice, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from receval.evaluation import markup
from receval.evaluation.notes import on_users
from receval.measure.convention import MISSING, TIES
from receval.measure.form import Context, Measure
from receval.measure.ties import DRAWS

if TYPE_CHECKING:
    from receval.evaluation.result import Evaluation

SENTENCES = {
    "relevant": "relevant is an item with {}",
    "gain": "the gain is {}",
    "discount": "the discount is {}",
    "ideal list": "the ideal list holds {}",
    "precision divides by": "precision divides by {}",
    "recall divides by": "recall divides by {}",
    "AP divides by": "average precision divides by {}",
    "ties": "lists are in the order of falling scores; {}",
    "short head": "the short head holds 20 % of all awards; {}",
}
"""A choice of a convention as a sentence; those not here are sentences by themselves."""
PHRASES = {
    TIES["average"]: "values are means over all orders of equal scores",
    MISSING["error"]: "every judged user has recommendations",
    "linear_gain": "linear_gain (the grade itself)",
    "exponential_gain": "exponential_gain (2^g - 1 for the grade g)",
    "binary_gain": "binary_gain (1 for every relevant item)",
    "shifted_log2": "shifted_log2 (1 / log2(1 + i) at rank i)",
    "clipped_log2": "clipped_log2 (1 / max(1, log2 i) at rank i)",
    "reciprocal": "reciprocal (1 / i at rank i)",
    "undiscounted": "undiscounted (1 at every rank)",
    "relison_gain(threshold=0.5)": "relison_gain (2^(g + 0.5) - 1 for the grade g from 0.5 on)",
}
"""What a choice is called where the short words do not do."""
DOCUMENTS = {
    "000": "the thesis on matchmakers in public procurement (jindrichmynarz/dissertation)",
    "001": "a student report on the evaluation of a group recommender",
    "002": "Peska and Vojtas (FUZZ-IEEE 2020)",
    "004": "the manual of RELISON (ir-uam/RELISON)",
}
"""The documents that sources name by number, as others know them."""


def methods(evaluation: Evaluation) -> str:
    """The paragraph."""
    measures, context, counts = evaluation.measures, evaluation._context, evaluation.counts
    rules = context.convention
    words = rules.words()
    choices = dict.fromkeys(choice for one in measures for choice in one.choices)
    computed = (
        f"{_named(measures)} {'was' if len(measures) == 1 else 'were'} computed with receval "
        f"{evaluation.version} under its convention '{rules.name}' ({_cited(rules.source)})."
    )
    sources = markup.listed((_cited(one.source), one.key) for one in measures)
    definitions = "; ".join(f"{keys} as in {source}" for source, keys in sources.items())
    sentences = [
        *(_chosen(choice, words[choice], evaluation._task.rank) for choice in choices),
        *dict.fromkeys(text for one in measures for text in _further(one, context)),
        f"means are over {evaluation._task.mean_over}: {markup.in_words(counts)}",
        *on_users(evaluation.n, counts),
        *evaluation.notes(),
        f"definitions: {definitions}",
    ]
    return " ".join([computed, *(_sentence(text) for text in sentences)])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _named(measures: Iterable[Measure]) -> str:
    """Names with titles: nDCG@5, nDCG@10 (normalised …) and HR@1 (hit rate)."""
    by_title = markup.listed((one.title, one.name) for one in measures)
    *most, last = (f"{names} ({title})" for title, names in by_title.items())
    return f"{', '.join(most)} and {last}" if most else last


def _chosen(choice: str, word: str, rank: str | None) -> str:
    """A choice that the measures depend on, as a sentence."""
    if choice == "ties" and rank is not None:
        return "lists are in the order of the ranks given"
    return SENTENCES.get(choice, "{}").format(PHRASES.get(word, word))


def _further(one: Measure, context: Context) -> Iterable[str]:
    """What is to be said of a measure beside the choices of a convention."""
    if one.stated.further:
        yield one.stated.further.format(n_items=context.n_items, auc=_auc(context.auc_catalogue))
    if "rel" in one.parameters:
        yield f"for {one.key} a grade of {one.parameters['rel']:g} or more is relevant, all alike"
    for name in one.of_truth:
        yield f"for {one.key} {name} is {getattr(context, name):g}, as in the truth"
    if context.convention.ties == "average" and one.tie_rule == "drawn":
        yield f"for {one.key} the mean over orders is taken over {DRAWS} drawn ones"


def _auc(catalogue: int | None) -> str:
    if catalogue is None:
        return "users without both relevant and irrelevant recommendations have no AUC"
    return f"the AUC is over {catalogue} items, of which those that are not listed tie below a list"


def _cited(source: str) -> str:
    """A source with its documents named as others know them."""
    named = re.sub(r"documents? (?=\d{3}\b)", "", source)
    return re.sub(r"\b\d{3}\b", lambda found: DOCUMENTS.get(found[0], found[0]), named)
