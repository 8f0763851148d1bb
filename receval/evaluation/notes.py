"""Write texts about an evaluation: notes under a table of means, and the methods paragraph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from receval._checks import Id, Record, counted, format_first
from receval._files import read_toml
from receval.definitions.convention import TIES, Convention
from receval.definitions.definition import Measure
from receval.definitions.lists import EvaluationContext
from receval.evaluation.options import Options
from receval.evaluation.signs import MAX_GRADES, count_marked, looks_swapped
from receval.evaluation.values import SystemResult
from receval.metrics.formula import RankFormula
from receval.tables.columns import SYNONYMS
from receval.tables.inputs import RECOMMENDATIONS, ColumnNames

WORDS: dict[str, dict[str, str]] = read_toml("evaluation/words.toml")
"""The sentences of notes, tables and methods sections, by section and key."""

NOTES = WORDS["notes"]
"""The text of each note."""

DISTANCES = ("distance", "distances", "dist")
"""Names of columns in which the lowest number is usually the best, besides those of ranks."""

MIN_RATING_GRADES = 5
"""If there are fewer distinct grades, a note doesn't treat them as a scale of ratings."""

MAX_NAMES_IN_NOTE = 3
"""A note names at most this many values, systems or comparisons."""

MAX_FEATURES_IN_NOTE = 20
"""A note names at most this many features of items."""

PHRASES = {
    TIES["average"]: "values are means over all orders of equal scores (@mcsherry2008)",
    **WORDS["phrases"],
}
"""Phrases for choices whose short names don't fit into a sentence."""


def on_input(options: Options, systems: Mapping[Id, SystemResult]) -> list[str]:
    """Return notes on input that is legal but doubtful or probably a mistake."""
    notes = [*serious(systems), *_on_columns(options, len(systems))]
    facts = [system.facts for system in systems.values()]
    if all(facts):  # parts of a loaded evaluation have no facts
        notes += [*_on_lists(options, systems), *on_lengths(options, systems)]
        # All systems have the same relevance and history.
        notes += _on_relevance(options, facts[0])
    return [*notes, *_on_features(options), *on_graded_gains(options)]


# Notes on the means -------------------------------------------------------------------------------


def on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> list[str]:
    """Return a note if another order of equal scores can change a number in the table.

    ``ties`` is the table that `Evaluation.ties` returns, and ``digits`` is the number of decimals.
    The list is empty if no number can change. This is always so under a convention that takes the
    mean over all orders.
    """
    if convention.ties == "average":
        return []
    # A number can change if the lowest and the highest possible mean look different in the table.
    means = ["pessimistic", "optimistic", "expected"]
    texts = ties[means].map(f"{{:.{digits}f}}".format)
    texts = texts[texts["pessimistic"] != texts["optimistic"]]
    if texts.empty:
        return []
    # The key of a row is a measure, or (system, measure) if there are several systems.
    ranges = [
        f"{' '.join(map(str, key)) if isinstance(key, tuple) else key} {low} to {high} "
        f"(expected {expected})"
        for key, low, high, expected in texts.itertuples()
    ]
    return [f"means depend on the order of equal scores: {_first(ranges)}; see ties()"]


def on_users(n: pd.DataFrame, counts: pd.DataFrame) -> list[str]:
    """Return a note if the mean of a measure leaves out some of the judged users.

    ``n`` and ``counts`` are as in `Evaluation`. For each such measure, the note gives the number of
    users in its mean, as in "AUC 7 of 10". If this number differs between systems, the note gives
    it for each system.
    """
    judged = counts["judged"]
    # Measures with the same numbers share a text.
    names_by_text: dict[str, list[str]] = {}
    for name in n.columns[n.lt(judged, axis=0).any()]:
        texts = n[name].astype(str) + " of " + judged.astype(str)
        if len(texts.unique()) > 1:
            texts += " (" + texts.index.astype(str) + ")"
        names_by_text.setdefault(_first(texts.unique()), []).append(str(name))
    if not names_by_text:
        return []
    means = [f"{', '.join(names)} {text}" for text, names in names_by_text.items()]
    return [f"means over fewer users than judged: {'; '.join(means)}"]


def format_counts(counts: pd.DataFrame) -> str:
    """Return the counts of each system as text: "A: 3 judged, 2 answered, …; B: …".

    ``counts`` has a row for each system and a column for each count, such as "judged". If all
    systems have the same counts, they appear once and without a name.
    """
    texts = (counts.map(str) + " " + counts.columns.to_numpy()).agg(", ".join, axis=1)
    if len(set(texts)) == 1:
        return str(texts.iloc[0])
    return "; ".join(f"{system}: {text}" for system, text in texts.items())


# Notes on the input -------------------------------------------------------------------------------


def serious(systems: Mapping[Id, SystemResult]) -> Iterator[str]:
    """Yield notes on systems for which there is nothing to evaluate.

    This means that no judged user has a list, or that no recommended item is in relevance.
    """
    for name, system in systems.items():
        # A part of a loaded evaluation lacks the number of answered users.
        if system.counts.get("answered") == 0:
            yield NOTES["nobody"].format(_of_system(name))
        elif not system.shares_items:
            yield NOTES["foreign"].format(_of_system(name))


def _on_columns(options: Options, n_systems: int) -> Iterator[str]:
    """Yield notes on columns that the user didn't name, or whose names make them doubtful."""
    names = options.column_names
    yield from names.column_notes
    n_tables = sum(place.startswith(RECOMMENDATIONS) for place in names.by_place)
    # A user who names another column of systems knows what it means.
    if 0 < n_tables < n_systems and names.system == ColumnNames.system:
        yield NOTES["systems"].format(names.system)
    if names.score.lower() in (*SYNONYMS["rank"].split(), *DISTANCES):
        yield NOTES["lowest is best"].format(names.score)


def _on_lists(options: Options, systems: Mapping[Id, SystemResult]) -> Iterator[str]:
    """Yield notes on lists that lack relevant items, have seen items, or may be a mistake."""
    facts_of_systems = [system.facts for system in systems.values()]
    if any(looks_swapped(facts) for facts in facts_of_systems):
        yield NOTES["swapped"]
    # The number of relevant items outside their users' lists, for the worst system.
    n_unlisted = max(facts["unlisted"] for facts in facts_of_systems)
    longest = max(facts["longest"] for facts in facts_of_systems)
    deeper = _deeper_measures(options, longest, n_unlisted)
    unlisted = counted(n_unlisted, "relevant item is", "relevant items are")
    if n_unlisted and deeper:
        yield NOTES["deep"].format(longest, unlisted, _first(deeper))
    if n_unlisted and any(measure.spec.name == "AUC" for measure in options.measures):
        yield NOTES["auc"].format(unlisted)
    # If all systems have the same notes, they appear once.
    notes = [list(_on_lists_of(options, system, " of each system")) for system in systems.values()]
    if len(notes) > 1 and all(notes_of_system == notes[0] for notes_of_system in notes):
        yield from notes[0]
        return
    for name, system in systems.items():
        yield from _on_lists_of(options, system, _of_system(name))


def _on_lists_of(options: Options, system: SystemResult, of_system: str) -> Iterator[str]:
    """Yield notes on the lists of one system; ``of_system`` is such as " of 'A'"."""
    facts = system.facts
    # "alike" holds, by kind of id, the number of near matches and two ids as an example.
    for kind_of_id, (n_alike, first, second) in facts.get("alike", {}).items():
        show = repr
        if unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second):
            show = ascii  # they would look the same
        yield NOTES["alike"].format(kind_of_id, of_system, n_alike, show(first), show(second))
    if options.seen == "note" and facts["seen"]:
        yield NOTES["seen"].format(of_system, facts["seen"])
    # Scores n, …, 2, 1 in the order of the table are real scores: the first item is the best.
    if facts["one_to_n"] and not facts["descending"]:
        yield NOTES["ranks"].format(of_system)
    n_marked = count_marked(facts)
    if n_marked:
        yield NOTES["marked"].format(of_system, f"{facts['lowest']:.4g}", n_marked)


def on_lengths(options: Options, systems: Mapping[Id, SystemResult]) -> Iterator[str]:
    """Yield notes on systems whose lists are shorter than a cut-off and than other systems' lists.

    The function leaves out systems without facts, such as parts of a loaded evaluation.
    """
    facts_by_name = {name: system.facts for name, system in systems.items() if system.facts}
    greatest_length = max((facts["longest"] for facts in facts_by_name.values()), default=0)
    # Collect the systems by what their note says: the length of their lists and the measures.
    systems_by_note: dict[tuple[int, str], list[str]] = {}
    for name, facts in facts_by_name.items():
        length = facts["longest"]
        deeper = _deeper_measures(options, length, facts["unlisted"])
        # `serious` has a note for systems without any list.
        if deeper and 0 < length < greatest_length:
            systems_by_note.setdefault((length, _first(deeper)), []).append(repr(name))
    for (length, names), shorter in systems_by_note.items():
        shown = _first(shorter)
        yield NOTES["short"].format(shown, length, greatest_length, names, length)


def _deeper_measures(options: Options, length: int, n_unlisted: int) -> list[str]:
    """Return the measures that look at more ranks than lists have, and that more ranks can change.

    If the lists have every relevant item, these are only measures that ignore relevance, such as
    coverage.
    """
    return [
        measure.name
        for measure in options.measures
        if (measure.k or 0) > length and (n_unlisted or "relevant" not in measure.choices)
    ]


def _on_features(options: Options) -> Iterator[str]:
    """Yield notes on the columns of the catalogue that are features, and on doubtful ones."""
    if options.features is None:
        return
    names = _first(measure.name for measure in options.measures if "features" in measure.spec.needs)
    columns = format_first(options.features["columns"], MAX_FEATURES_IN_NOTE)
    yield NOTES["features"].format(names, columns)
    heavy = options.features["heavy"]
    if heavy is not None:
        yield NOTES["heavy feature"].format(heavy, names, heavy)


def _on_relevance(options: Options, facts: Record) -> Iterator[str]:
    """Yield notes on relevant items in the history, and on grades that all or none are relevant.

    A threshold is the lowest grade that is relevant for a measure; 0 means any grade above 0.
    """
    if facts["relevant_seen"]:
        key = "seen dropped" if options.seen == "drop" else "seen kept"
        yield NOTES[key].format(facts["relevant_seen"], facts["relevant"])
    names_by_threshold: dict[float, list[str]] = {}
    binary_names = []  # of measures for which every grade above 0 counts the same
    for measure in options.measures:
        threshold = _threshold(measure, options)
        # The threshold of a user-defined measure is not known.
        if "relevant" in measure.choices and not measure.is_custom:
            names_by_threshold.setdefault(threshold, []).append(measure.name)
        if measure.is_binary(options.context) and threshold == 0:
            binary_names.append(measure.name)
    highest = facts["highest"]
    for threshold, names in names_by_threshold.items():
        # Grades of 0 or less are not relevant, whatever the threshold is.
        if highest < threshold or highest <= 0:
            key = "none relevant" if threshold else "all grades 0"
            yield NOTES[key].format(", ".join(names), f"{highest:g}", f"{threshold:g}")
    # Grades look like ratings if there are several and they are above 0, such as 1 to 5. The facts
    # have at most MAX_GRADES + 1 distinct grades, ascending: these are too many for a scale.
    grades = facts["grades"]
    has_size_of_scale = MIN_RATING_GRADES <= len(grades) <= MAX_GRADES
    if binary_names and has_size_of_scale and grades[0] > 0 and grades[-1] <= MAX_GRADES:
        # The note suggests the next to highest grade as a threshold.
        suggested = f"{grades[-2]:g}"
        ends = f"{grades[0]:g}", f"{grades[-1]:g}"
        yield NOTES["grades"].format(*ends, _first(binary_names), suggested)


def _threshold(measure: Measure, options: Options) -> float:
    """Return the lowest grade that is relevant for a measure; 0 means any grade above 0.

    ``rel`` in the measure's name may set it. For all measures that ignore grades,
    ``relevant_from`` may set it. In every case, the convention's threshold is a lower bound.
    """
    threshold = measure.parameters.get("rel", 0.0)
    if "rel" not in measure.parameters and measure.is_binary(options.context):
        threshold = options.convention.relevant_from
    return float(max(threshold, options.convention.threshold))


def on_graded_gains(options: Options) -> Iterator[str]:
    """Yield a note if ``relevant_from`` does nothing to some measures, which use all grades.

    The lowest relevant grade decides which items count as hits. Measures such as nDCG take their
    gains from the grades instead.
    """
    relevant_from = options.convention.relevant_from
    graded = []  # the measures that use all grades
    for measure in options.measures:
        has_threshold = "rel" in measure.parameters or measure.is_binary(options.context)
        if measure.uses_relevance and not has_threshold:
            graded.append(measure)
    if relevant_from == 0 or not graded:  # 0 means that there is no threshold
        return
    names = _first(measure.name for measure in graded)
    yield NOTES["graded gains"].format(f"{relevant_from:g}", names)


def _of_system(name: Id) -> str:
    """Return " of 'name'", or "" for a single system without a name."""
    if name == "":
        return ""
    return f" of {name!r}"


def _first(names: Iterable[str]) -> str:
    """Return the first few names as text, such as "A, B, C and 2 more"."""
    return format_first(names, MAX_NAMES_IN_NOTE)


# The methods paragraph ----------------------------------------------------------------------------


def evaluation_paragraph(
    options: Options, counts: pd.DataFrame, n: pd.DataFrame, notes: list[str]
) -> str:
    """Return the paragraph on an evaluation for the methods section of a paper.

    It has citation keys such as "@burges2005", which `methods_text` replaces by citations. Its
    sentences are of this kind:

        We report AUC (area under the ROC curve), computed with receval … under its convention
        'receval' (…). An item is relevant if it has a grade above 0. Users without both relevant
        and irrelevant recommendations have no AUC. Means are over judged users: 3 judged, 3
        answered. Means over fewer users than judged: AUC 1 of 3. Definitions: AUC (@hanley1982).

    Parameters
    ----------
    options : Options
        Measures and choices of the evaluation.
    counts, n : DataFrame
        The table `Evaluation.counts`, and the number of users of each mean.
    notes : list of str
        Notes on legal but doubtful input.
    """
    # The choices of the convention that measures depend on: "the gain is …". Then what else readers
    # must know about a measure: "for nDCG(rel=2) a grade of 2 or more is relevant".
    words = options.used_convention.words()
    clauses = [
        _choice_clause(choice, words[choice], options.column_names.rank)
        for measure in options.measures
        for choice in stated_choices(measure)
    ]
    for measure in options.measures:
        clauses += _details(measure, options.context)
    clauses = list(dict.fromkeys(clauses))  # each once, because measures have clauses in common
    # The users: "means are over judged users: 3 judged, …", and the notes.
    clauses.append(f"means are over {options.mean_over}: {format_counts(counts)}")
    clauses += on_users(n, counts)
    clauses += notes
    # The sources: "definitions: MRR (@craswell2009); nDCG, DCG (@jarvelin2002)".
    keys_by_source = _join_names_by_key(
        (_without_document_numbers(measure.spec.source), measure.key)
        for measure in options.measures
    )
    definitions = "; ".join(f"{keys} ({source})" for source, keys in keys_by_source.items())
    clauses.append(f"definitions: {definitions}")
    return " ".join([_opening_sentence(options), *map(as_sentence, clauses)])


def _opening_sentence(options: Options) -> str:
    """Return the sentence that says what was computed: measures, version and convention."""
    names_by_title = _join_names_by_key(
        (measure.spec.title, measure.name) for measure in options.measures
    )
    measures = ", ".join(f"{names} ({title})" for title, names in names_by_title.items())
    source = _without_document_numbers(options.convention.source)
    return (
        f"We report {measures}, computed with receval {options.version} (@receval2026) under its "
        f"convention '{options.convention.name}' ({source})."
    )


def as_sentence(text: str) -> str:
    """Return a text with a capital first letter, and a full stop unless it ends in "?"."""
    end = "" if text.endswith("?") else "."
    return f"{text[0].upper()}{text[1:]}{end}"


def _join_names_by_key(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Group pairs (key, name) by key and join the names of each key with commas.

    Each name of a key appears once, in the order of the pairs.
    """
    names_by_key: dict[str, list[str]] = {}
    for key, name in dict.fromkeys(pairs):  # each pair once
        names_by_key.setdefault(key, []).append(name)
    return {key: ", ".join(names) for key, names in names_by_key.items()}


def _choice_clause(choice: str, word: str, rank: str | None) -> str:
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


def stated_choices(measure: Measure) -> tuple[str, ...]:
    """Return the choices of the convention that a text has to state for a measure.

    With a threshold in the name of the measure, all relevant items have the same gain, so the gain
    of the convention would mislead; `_details` states the number.
    """
    if "rel" not in measure.parameters:
        return measure.choices
    return tuple(choice for choice in measure.choices if choice != "gain")


def _details(measure: Measure, context: EvaluationContext) -> Iterable[str]:
    """Yield clauses on those properties of a measure that are not choices of the convention.

    They are about parameters in the name of the measure, and parameters that follow from the data.
    """
    if measure.spec.methods_note:
        # The note of a measure has placeholders for the values that it needs.
        yield measure.spec.methods_note.format(n_items=context.n_items)
    if "rel" in measure.parameters:
        threshold = measure.parameters["rel"]
        relevant = (
            f"for {measure.key} a grade of {threshold:g} or more is relevant, and all relevant "
            "grades count the same"
        )
        computation = measure.computation_under(context)
        if isinstance(computation, RankFormula) and "gain" in measure.choices:
            gain = float(np.asarray(computation.terms.gain(np.ones(1)))[0])
            relevant += f", with the gain {gain:g}"
        yield relevant
    # Parameters that receval took from the relevance, such as the largest grade.
    for name in measure.truth_options:
        yield f"for {measure.key} {name} is {getattr(context, name):g}, as in the truth"


def _without_document_numbers(source: str) -> str:
    """Return a source without numbers of our documents, which readers of a paper don't know."""
    return re.sub(r"; documents? \d{3}.*", "", source)
