"""Write the paragraph for a paper's methods section: every choice, in sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable

import pandas as pd

from receval.definitions.convention import TIES
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext
from receval.evaluation.notes import format_counts, on_users
from receval.evaluation.options import Options
from receval.evaluation.settings import WORDS

PHRASES = {
    TIES["average"]: "values are means over all orders of equal scores (@mcsherry2008)",
    **WORDS["phrases"],
}
"""Phrases for choices whose short names don't fit into a sentence."""


def evaluation_paragraph(
    options: Options, counts: pd.DataFrame, n: pd.DataFrame, notes: list[str]
) -> str:
    """Return the paragraph on an evaluation for the methods section of a paper.

    It has citation keys such as "@burges2005", which `methods_text` replaces by citations.

    Parameters
    ----------
    options : Options
        Measures and choices of the evaluation.
    counts, n : DataFrame
        The tables `Evaluation.counts` and `Evaluation.n`.
    notes : list of str
        Notes on legal but doubtful input.
    """
    # Clauses on the choices of the convention, and on the measures.
    measures = options.measures
    words = options.used_convention.words()
    # The choices that at least one measure depends on. The dict removes duplicates and keeps order.
    choices = dict.fromkeys(choice for measure in measures for choice in measure.choices)
    details = [text for measure in measures for text in _details(measure, options.context)]
    # Measures of the same source share a definition.
    keys_by_source = _names_by(
        (_without_document_numbers(measure.source), measure.key) for measure in measures
    )
    definitions = "; ".join(f"{keys} ({source})" for source, keys in keys_by_source.items())
    # The dicts leave out repeated clauses.
    sentences = [
        *(_choice_sentence(choice, words[choice], options.column_names.rank) for choice in choices),
        *dict.fromkeys(details),
        f"means are over {options.mean_over}: {format_counts(counts)}",
        *on_users(n, counts),
        *notes,
        f"definitions: {definitions}",
    ]
    # The first sentence begins with a name, which keeps its letters.
    return " ".join([_computed(options), *(_as_sentence(text) for text in sentences)])


def _computed(options: Options) -> str:
    """Return the sentence that says what was computed: measures, version and convention."""
    verb = "was" if len(options.measures) == 1 else "were"
    source = _without_document_numbers(options.convention.source)
    return (
        f"{_measures_with_titles(options.measures)} {verb} computed with receval {options.version} "
        f"(@receval2026) under its convention '{options.convention.name}' ({source})."
    )


def _as_sentence(text: str) -> str:
    """Return a text with a capital first letter, and a full stop unless it ends in "?"."""
    end = "" if text.endswith("?") else "."
    return f"{text[0].upper()}{text[1:]}{end}"


def _measures_with_titles(measures: Iterable[Measure]) -> str:
    """Return names of measures with titles: nDCG@5, nDCG@10 (normalised …) and HR@1 (hit rate)."""
    names_by_title = _names_by((measure.title, measure.name) for measure in measures)
    *others, last = (f"{names} ({title})" for title, names in names_by_title.items())
    if others:
        return f"{', '.join(others)} and {last}"
    return last


def _names_by(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Group pairs (key, name) by key and join the names of each key with commas.

    Each name of a key appears once, in the order of the pairs.
    """
    names_by_key: dict[str, dict[str, None]] = {}  # the inner dicts serve as ordered sets
    for key, name in pairs:
        names_by_key.setdefault(key, {})[name] = None
    return {key: ", ".join(names) for key, names in names_by_key.items()}


def _choice_sentence(choice: str, word: str, rank: str | None) -> str:
    """Return a choice of the convention as a sentence, without capital letter and full stop.

    ``choice`` is the name of the choice, such as "discount". ``word`` is what the convention
    chooses, such as "clipped_log2". ``rank`` is the name of the column of ranks; it is None if the
    lists came with scores.
    """
    if choice == "ties" and rank is not None:
        return "lists are in the order of the ranks given"
    # A choice without a template is a sentence already.
    template = WORDS["sentences"].get(choice, "{}")
    return template.format(PHRASES.get(word, word))


def _details(measure: Measure, context: EvaluationContext) -> Iterable[str]:
    """Yield clauses on those properties of a measure that are not choices of the convention.

    They are about parameters in the name of the measure, and parameters that follow from the data.
    """
    if measure.spec.methods_note:
        # The note of a measure has placeholders for the values that it needs.
        yield measure.spec.methods_note.format(n_items=context.n_items)
    if "rel" in measure.parameters:
        threshold = measure.parameters["rel"]
        relevant = f"for {measure.key} a grade of {threshold:g} or more is relevant"
        yield f"{relevant}, and all relevant grades count the same"
    # Parameters that receval took from the relevance, such as the largest grade.
    for name in measure.truth_options:
        yield f"for {measure.key} {name} is {getattr(context, name):g}, as in the truth"


def _without_document_numbers(source: str) -> str:
    """Return a source without numbers of our documents, which readers of a paper don't know."""
    return re.sub(r"; documents? \d{3}.*", "", source)
