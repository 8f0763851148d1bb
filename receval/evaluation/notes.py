"""Write the notes under a table of means, which help readers to understand the means."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping

import pandas as pd

from receval._checks import Id, format_first
from receval.definitions.convention import STABLE_UP_TO, Convention
from receval.definitions.definition import Measure
from receval.evaluation.markup import join_names
from receval.evaluation.measured import System
from receval.evaluation.options import Options
from receval.evaluation.settings import WORDS
from receval.evaluation.signs import MAX_GRADES
from receval.tables.inputs import RECOMMENDATIONS, SYNONYMS, ColumnNames

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


def on_input(options: Options, systems: Mapping[Id, System]) -> list[str]:
    """Return notes on input that is legal but doubtful or probably a mistake."""
    return [
        *serious(systems),
        *_on_columns(options, systems),
        *_on_lists(options, systems),
        *on_lengths(options, systems),
        *_on_scores(options, systems),
        *_on_truth(options, systems),
        *_on_grades(options, systems),
        *_on_features(options),
        *_on_graded_gains(options),
    ]


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
    means = ["pessimistic", "optimistic", "expected", "value"]
    texts = ties[means].map(lambda mean: f"{mean:.{digits}f}")
    is_open = texts["pessimistic"] != texts["optimistic"]
    # Some measures know the mean over all orders, but not the extremes.
    has_no_range = ties["pessimistic"].isna() & (texts["expected"] != texts["value"])
    if "orders" in ties:  # the mean over drawn orders differs from the value by chance, too
        has_no_range &= ties["orders"] == "all"
    ranges = []
    # The key of a row is a measure, or (system, measure) if there are several systems.
    for key, low, high, expected, value in texts[is_open | has_no_range].itertuples():
        name = " ".join(map(str, key)) if isinstance(key, tuple) else key
        if has_no_range[key]:
            ranges.append(f"{name} {value} (expected {expected})")
        else:
            ranges.append(f"{name} {low} to {high} (expected {expected})")
    if not ranges:
        return []
    shown = format_first(ranges, MAX_NAMES_IN_NOTE)
    return [f"means depend on the order of equal scores: {shown}; see ties()"]


def on_users(n: pd.DataFrame, counts: pd.DataFrame, row_name: str = "users") -> list[str]:
    """Return a note if the mean of a measure leaves out some of the judged users.

    ``n`` and ``counts`` are as in `Evaluation`; ``row_name`` is "users" or "queries". For each such
    measure, the note gives the number of users in its mean, as in "AUC 7 of 10". If this number
    differs between systems, the note gives it for each system.
    """
    judged = counts["judged"]
    # Describe each measure for which a system has fewer values than judged users.
    has_fewer = n.lt(judged, axis=0).any()
    texts_and_names = []
    for name in n.columns[has_fewer]:
        text_by_system = {
            system: f"{n_users} of {n_judged}"
            for system, n_users, n_judged in zip(n.index, n[name], judged, strict=True)
        }
        distinct_texts = {*text_by_system.values()}
        if len(distinct_texts) == 1:
            text = distinct_texts.pop()
        else:
            texts = [f"{text} ({system})" for system, text in text_by_system.items()]
            text = format_first(texts, MAX_NAMES_IN_NOTE)
        texts_and_names.append((text, str(name)))
    if not texts_and_names:
        return []
    # Measures with the same numbers share a text.
    names_by_text = join_names(texts_and_names)
    means = "; ".join(f"{names} {text}" for text, names in names_by_text.items())
    return [f"means over fewer {row_name} than judged: {means}"]


# Notes on the input -------------------------------------------------------------------------------


def serious(systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on systems for which there is nothing to evaluate.

    This means that no judged user has a list, or that no recommended item is in relevance.
    """
    for name, system in systems.items():
        # A part of a loaded evaluation lacks the number of answered users.
        is_nobody_answered = system.counts.get("answered") == 0
        if is_nobody_answered:
            yield NOTES["nobody"].format(_of_system(name))
        # `foreign` is the number of recommended items if none is in relevance, and otherwise 0.
        if system.foreign:
            yield NOTES["foreign"].format(system.foreign, _of_system(name))


def _on_columns(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on columns that the user didn't name, and on tables that may be swapped."""
    names = options.column_names
    yield from names.column_notes
    tables = [place for place in names.by_place if place.startswith(RECOMMENDATIONS)]
    is_named = names.system != ColumnNames.system  # by the user
    if tables and len(systems) > len(tables) and not is_named:
        yield NOTES["systems"].format(names.system)
    if names.score.lower() in (*SYNONYMS["rank"].split(), *DISTANCES):
        yield NOTES["lowest is best"].format(names.score)
    if any(system.facts.get("swapped") for system in systems.values()):
        yield NOTES["swapped"]


def on_lengths(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on systems whose lists are shorter than a cut-off and than other systems' lists.

    The facts of a system include the length of its longest list and the number of relevant items
    outside its lists. The function leaves out systems without facts, such as parts of a loaded
    evaluation.
    """
    length_by_system = {
        name: system.facts["longest"] for name, system in systems.items() if system.facts
    }
    greatest_length = max(length_by_system.values(), default=0)
    # Collect the systems by what their note says: the length of their lists and the measures.
    systems_by_note: dict[tuple[int, str], list[str]] = {}
    for name, length in length_by_system.items():
        # `serious` has a note for systems without any list.
        if not 0 < length < greatest_length:
            continue
        # Measures whose cut-off k is greater than the length of these lists.
        deeper = [measure for measure in options.measures if measure.k and measure.k > length]
        if not systems[name].facts["unlisted"]:
            # If lists have every relevant item, longer lists would gain nothing. Only measures that
            # ignore relevance, such as coverage, could change.
            deeper = [measure for measure in deeper if "relevant" not in measure.choices]
        if deeper:
            names = format_first([measure.name for measure in deeper], MAX_NAMES_IN_NOTE)
            systems_by_note.setdefault((length, names), []).append(repr(name))
    # A sweep may have many systems whose lists have the same length. These share a line.
    for (length, names), shorter in systems_by_note.items():
        systems_with_short_lists = format_first(shorter, MAX_NAMES_IN_NOTE)
        yield NOTES["short"].format(
            systems_with_short_lists, length, greatest_length, names, length
        )


def _on_lists(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on lists that are too short, and on items that may be the wrong ones.

    Lists are too short if a measure would look at ranks after the end of the longest list, or if
    the lists lack relevant items, which AUC needs. Items may be wrong if their ids almost match
    those in relevance, if users have seen them, or if scores look like ranks.
    """
    # Notes on all systems together. The facts of a system describe its lists. Leave out systems
    # without facts, such as parts of a loaded evaluation.
    facts_of_systems = [system.facts for system in systems.values() if system.facts]
    longest = max((facts["longest"] for facts in facts_of_systems), default=0)
    # The number of relevant items outside their users' lists, for the worst system.
    n_unlisted = max((facts["unlisted"] for facts in facts_of_systems), default=0)
    deeper = [measure.name for measure in options.measures if measure.k and measure.k > longest]
    if deeper and n_unlisted:
        yield NOTES["deep"].format(longest, n_unlisted, format_first(deeper, MAX_NAMES_IN_NOTE))
    has_auc = any(measure.spec.name == "AUC" for measure in options.measures)
    if has_auc and n_unlisted:
        yield NOTES["auc"].format(n_unlisted)
    # Notes on each system.
    for name, system in systems.items():
        # "alike" holds, by kind of id, the number of near matches and two ids as an example.
        for kind_of_id, near_matches in system.facts.get("alike", {}).items():
            n_alike, first, second = near_matches[:3]
            show = repr
            if unicodedata.normalize("NFC", first) == unicodedata.normalize("NFC", second):
                show = ascii  # they would look the same
            yield NOTES["alike"].format(
                kind_of_id,
                _of_system(name),
                n_alike,
                show(first),
                show(second),
            )
        if options.seen == "note" and system.facts.get("seen"):
            yield NOTES["seen"].format(system.facts["seen"], _of_system(name))
        # Scores n, …, 2, 1 in the order of the table are real scores: the first item is the best.
        if system.facts.get("one_to_n") and not system.facts["descending"]:
            yield NOTES["ranks"].format(_of_system(name))


def _on_scores(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on scores that mark items, and on equal scores that the source may reorder.

    Scores such as -inf and -1e9 mark items that must not be recommended.

    The source of a convention is a tool such as ranx. If it doesn't keep the order of equal scores
    in long lists, its values can differ from receval's values.
    """
    for name, system in systems.items():
        n_minus_infinite = system.facts.get("minus_infinite")  # items with a score of -inf
        if n_minus_infinite:
            yield NOTES["minus infinity"].format(n_minus_infinite, _of_system(name), "-inf")
        n_placeholders = system.facts.get("placeholders")  # items with a score such as -1e9
        if n_placeholders:
            lowest = f"{system.facts['placeholder']:.4g}"
            yield NOTES["minus infinity"].format(n_placeholders, _of_system(name), lowest)
        n_unstable = system.facts.get("unstable")  # lists that the source may order differently
        if n_unstable:
            # `STABLE_UP_TO` has every convention that can have such lists, with the length up to
            # which its tool keeps the order of equal scores.
            source = options.convention.name
            length = STABLE_UP_TO[source]
            yield NOTES["unstable"].format(n_unstable, _of_system(name), length, source)


def _on_features(options: Options) -> Iterator[str]:
    """Yield notes on the columns of the catalogue that are features, and on doubtful ones."""
    if options.features is None:
        return
    names = [measure.name for measure in options.measures if "features" in measure.needs]
    measures = format_first(names, MAX_NAMES_IN_NOTE)
    columns = options.features["columns"]
    yield NOTES["features"].format(measures, format_first(columns, MAX_FEATURES_IN_NOTE))
    heavy = options.features["heavy"]
    if heavy is not None:
        yield NOTES["heavy feature"].format(heavy, measures, heavy)
    n_featureless = options.features["featureless"]
    if n_featureless:
        yield NOTES["no features"].format(n_featureless, options.n_items, measures)


def _on_truth(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield notes on relevant items in the history, and on thresholds that no grade reaches.

    A threshold is the lowest grade that is relevant for a measure; 0 means any grade above 0.
    """
    # The facts of a system describe its lists and the relevance; they may be missing.
    facts_of_systems = [system.facts for system in systems.values() if system.facts]
    # The number of relevant items that are in the history of their user.
    n_seen = max((facts.get("relevant_seen", 0) for facts in facts_of_systems), default=0)
    if n_seen:
        n_relevant = max(facts.get("relevant", 0) for facts in facts_of_systems)
        key = "seen dropped" if options.seen == "drop" else "seen kept"
        yield NOTES[key].format(n_seen, n_relevant)

    # Compare the threshold of each measure with the highest grade in relevance.
    highest_grades = [
        facts["highest"] for facts in facts_of_systems if facts.get("highest") is not None
    ]
    if not highest_grades:
        return
    highest = max(highest_grades)
    names_by_threshold: dict[float, list[str]] = {}
    for measure in options.measures:
        # The threshold of a user-defined measure is not known.
        if measure.is_custom or "relevant" not in measure.choices:
            continue
        threshold = _threshold(measure, options)
        # Grades of 0 or less are not relevant, whatever the threshold is.
        has_no_relevant_item = highest < threshold or highest <= 0
        if has_no_relevant_item:
            names_by_threshold.setdefault(threshold, []).append(measure.name)
    # Measures with the same threshold share a note.
    for threshold, names in names_by_threshold.items():
        key = "none relevant" if threshold != 0 else "all grades 0"
        shown_names = format_first(names, MAX_NAMES_IN_NOTE)
        yield NOTES[key].format(shown_names, f"{highest:g}", f"{threshold:g}")


def _threshold(measure: Measure, options: Options) -> float:
    """Return the lowest grade that is relevant for a measure; 0 means any grade above 0.

    ``rel`` in the measure's name may set it. For all measures that ignore grades,
    ``relevant_from`` may set it. In every case, the convention's threshold is a lower bound.
    """
    convention = options.convention
    if "rel" in measure.parameters:
        threshold = measure.parameters["rel"]
    elif convention.relevant_from and measure.is_binary(options.context):
        threshold = convention.relevant_from
    else:
        threshold = 0.0
    return float(max(threshold, convention.threshold))


def _on_grades(options: Options, systems: Mapping[Id, System]) -> Iterator[str]:
    """Yield a note if the grades look like ratings, and even the lowest one counts as relevant.

    They look like ratings if there are several of them and they are above 0, such as 1 to 5. The
    note names the measures that treat every rating as relevant.
    """
    convention = options.convention
    # 0 means that there is no threshold: any grade above 0 is relevant.
    if convention.threshold or convention.relevant_from:
        return
    # All systems have the same relevance. The facts have at most MAX_GRADES + 1 distinct grades, in
    # ascending order. If there are MAX_GRADES + 1, there are too many for a scale.
    grades = next(iter(systems.values())).facts.get("grades", [])
    # A scale of ratings has at most MAX_GRADES grades, and its highest grade is at most MAX_GRADES.
    is_rating_scale = (
        MIN_RATING_GRADES <= len(grades) <= MAX_GRADES
        and grades[0] > 0
        and grades[-1] <= MAX_GRADES
    )
    if not is_rating_scale:
        return
    binary_names = [
        measure.name
        for measure in options.measures
        if "rel" not in measure.parameters and measure.is_binary(options.context)
    ]
    if binary_names:
        # The note suggests the next to highest grade as a threshold.
        lowest, *_, next_to_highest, highest = (f"{grade:g}" for grade in grades)
        names = format_first(binary_names, MAX_NAMES_IN_NOTE)
        yield NOTES["grades"].format(lowest, highest, names, next_to_highest)


def _on_graded_gains(options: Options) -> Iterator[str]:
    """Yield a note if ``relevant_from`` does nothing to some measures, which use all grades."""
    relevant_from = options.convention.relevant_from
    if relevant_from == 0:  # there is no threshold
        return
    graded = [
        measure
        for measure in options.measures
        if measure.uses_relevance
        and "rel" not in measure.parameters
        and not measure.is_binary(options.context)
    ]
    if not graded:
        return
    names = format_first([measure.name for measure in graded], MAX_NAMES_IN_NOTE)
    note = NOTES["graded gains"].format(f"{relevant_from:g}", names)
    # A threshold in the name makes grades binary. But ERR would still compare them with the largest
    # grade, and the names of custom measures have no threshold.
    for measure in graded:
        if not measure.is_custom and not measure.parameters and not measure.spec.truth_options:
            cutoff = measure.name.removeprefix(measure.key)
            name = f"{measure.key}(rel={relevant_from:g}){cutoff}"
            note += NOTES["binary gains"].format(name)
            break
    yield note


def _of_system(name: Id) -> str:
    """Return " of 'name'", or "" for a single system without a name."""
    return f" of {name!r}" if name != "" else ""
