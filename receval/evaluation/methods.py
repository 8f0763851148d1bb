"""The paragraph for a paper's methods section: every choice, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from receval._references import cited, entries
from receval.evaluation import markup
from receval.evaluation.notes import on_users
from receval.evaluation.settings import WORDS
from receval.measure.convention import MISSING, TIES
from receval.measure.definition import EvaluationContext, Measure
from receval.measure.ties import DRAWS

if TYPE_CHECKING:
    from receval.evaluation.result import Evaluation

PHRASES = {
    TIES["average"]: "values are means over all orders of equal scores (@mcsherry2008)",
    MISSING["error"]: "every judged user has recommendations",
    **WORDS["phrases"],
}
"""What a choice is called where the short words do not do."""


def methods(self: Any, *, bibtex: bool = False) -> str:
    """What to write in a paper's methods section, which pins every choice.

    Parameters
    ----------
    bibtex : bool, default False
        Answer the BibTeX entries that the text cites in its place.

    Returns
    -------
    str
    """
    return entries(self._methods) if bibtex else cited(self._methods)


def paragraph(evaluation: Evaluation) -> str:
    """The paragraph on an evaluation, which cites by key as `receval._references` reads it."""
    measures, context, counts = evaluation.measures, evaluation._task.context, evaluation.counts
    rules = context.convention
    words = rules.words()
    choices = dict.fromkeys(choice for one in measures for choice in one.choices)
    verb = "was" if len(measures) == 1 else "were"
    under = f"under its convention '{rules.name}' ({_references(rules.source)})."
    computed = f"{_named(measures)} {verb} computed with receval {evaluation.version} {under}"
    sources = markup.join_names((_references(one.source), one.key) for one in measures)
    definitions = "; ".join(f"{keys} ({source})" for source, keys in sources.items())
    sentences = [
        *(_chosen(choice, words[choice], evaluation._task.given.rank) for choice in choices),
        *dict.fromkeys(text for one in measures for text in _further(one, context)),
        f"means are over {evaluation._task.mean_over}: {markup.format_counts(counts)}",
        *on_users(evaluation.n, counts),
        *evaluation.notes(),
        f"definitions: {definitions}",
    ]
    return " ".join([computed, *(_sentence(text) for text in sentences)])


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}{'' if text.endswith('?') else '.'}"


def _named(measures: Iterable[Measure]) -> str:
    """Names with titles: nDCG@5, nDCG@10 (normalised …) and HR@1 (hit rate)."""
    by_title = markup.join_names((one.title, one.name) for one in measures)
    *most, last = (f"{names} ({title})" for title, names in by_title.items())
    return f"{', '.join(most)} and {last}" if most else last


def _chosen(choice: str, word: str, rank: str | None) -> str:
    """A choice that the measures depend on, as a sentence."""
    if choice == "ties" and rank is not None:
        return "lists are in the order of the ranks given"
    return WORDS["sentences"].get(choice, "{}").format(PHRASES.get(word, word))


def _further(one: Measure, context: EvaluationContext) -> Iterable[str]:
    """What is to be said of a measure beside the choices of a convention."""
    if one.stated.methods_note:
        auc = WORDS["auc"]["lists" if context.auc_catalogue is None else "catalogue"]
        told = auc.format(context.auc_catalogue)
        yield one.stated.methods_note.format(n_items=context.n_items, auc=told)
    if "rel" in one.parameters:
        yield f"for {one.key} a grade of {one.parameters['rel']:g} or more is relevant, all alike"
    for name in one.truth_options:
        yield f"for {one.key} {name} is {getattr(context, name):g}, as in the truth"
    if context.convention.ties == "average" and one.tie_rule == "drawn":
        yield f"for {one.key} the mean over orders is taken over {DRAWS} drawn ones"


def _references(source: str) -> str:
    """A source without the documents by number, which no reader of a paper knows."""
    return re.sub(r"; documents? \d{3}.*", "", source)
