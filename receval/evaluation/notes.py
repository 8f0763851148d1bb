"""The lines under a table of means: what has to be known to read them rightly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from receval._checks import format_first
from receval.engine.file import System
from receval.engine.signs import FEW
from receval.engine.task import EvaluationTask
from receval.evaluation import markup, settings
from receval.measure.convention import STABLE_UP_TO, Convention
from receval.measure.definition import Measure

WORDS = settings.WORDS["notes"]
RATINGS = 5  # grades of a scale of ratings at least
MAX_NAMES_IN_NOTE = 3  # values, systems or comparisons that a note names


def _of(name: Any) -> str:
    return f" of {name!r}" if name != "" else ""


def _on_grades(task: EvaluationTask, systems: Mapping[Any, System]) -> Iterator[str]:
    """Whether every grade of a scale of ratings, which has no 0, counts as relevant."""
    rules, grades = task.context.convention, next(iter(systems.values())).facts.get("grades", [])
    scale = RATINGS <= len(grades) <= FEW and grades[0] > 0 and grades[-1] <= FEW
    if scale and not (rules.threshold or rules.relevant_from):
        measures = [one for one in task.measures if "rel" not in one.parameters]
        if binary := [one.name for one in measures if one.is_binary(task.context)]:
            least, *_, next_to_most, most = (f"{grade:g}" for grade in grades)
            yield WORDS["grades"].format(
                least, most, format_first(binary, MAX_NAMES_IN_NOTE), next_to_most
            )


def on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> list[str]:
    """What equal scores change in a table with so many decimals; nothing if they do not."""
    if convention.ties == "average":
        return []
    text = ties[["pessimistic", "optimistic", "expected"]].map(lambda value: f"{value:.{digits}f}")
    changed = text[text["pessimistic"] != text["optimistic"]]
    shown = [
        f"{' '.join(map(str, key)) if isinstance(key, tuple) else key} {low} to {high} "
        f"(expected {expected})"
        for key, low, high, expected in changed.itertuples()
    ]
    return (
        [f"equal scores leave open: {format_first(shown, MAX_NAMES_IN_NOTE)}; see ties()"]
        if shown
        else []
    )


def on_users(n: pd.DataFrame, counts: pd.DataFrame, each: str = "users") -> list[str]:
    """The measures whose mean is over fewer users than are judged; nothing if none is."""
    judged = counts["judged"]
    where = []
    for name in n.columns[n.lt(judged, axis=0).any()]:
        pairs = [f"{few} of {every}" for few, every in zip(n[name], judged, strict=True)]
        told = [f"{pair} ({system})" for pair, system in zip(pairs, n.index, strict=True)]
        where.append(
            (pairs[0] if len({*pairs}) == 1 else format_first(told, MAX_NAMES_IN_NOTE), str(name))
        )
    found = [f"{names} {number}" for number, names in markup.join_names(where).items()]
    return [f"means over fewer {each} than judged: {'; '.join(found)}"] if found else []


def serious(systems: Mapping[Any, System]) -> Iterator[str]:
    """What leaves nothing to evaluate: nobody has an answer, or no item is in both tables."""
    for name, one in systems.items():
        if not one.counts.get("answered", 1):
            yield WORDS["nobody"].format(_of(name))
        if one.foreign:
            yield WORDS["foreign"].format(one.foreign, _of(name))


def on_input(task: EvaluationTask, systems: Mapping[Any, System]) -> list[str]:
    """What looks like a slip in the tables given, or is legal and yet doubtful."""
    return [
        *serious(systems),
        *_on_lists(task, systems),
        *on_lengths(task, systems),
        *_on_scores(task, systems),
        *_on_truth(task, systems),
        *_on_grades(task, systems),
    ]


def on_lengths(task: EvaluationTask, systems: Mapping[Any, System]) -> Iterator[str]:
    """Systems whose lists end above a cut-off, where another system's lists go on."""
    longest_by_system = {
        name: system.facts["longest"] for name, system in systems.items() if system.facts
    }
    longest = max(longest_by_system.values(), default=0)
    systems_by_note: dict[tuple[int, str], list[str]] = {}
    for name, own_longest in longest_by_system.items():
        # A system without any list has a note of its own.
        if not 0 < own_longest < longest:
            continue
        deeper = [measure for measure in task.measures if measure.k and measure.k > own_longest]
        if not systems[name].facts["unlisted"]:
            # Lists that hold every relevant item could gain nothing by being longer.
            deeper = [measure for measure in deeper if "relevant" not in measure.choices]
        if deeper:
            names = format_first([measure.name for measure in deeper], MAX_NAMES_IN_NOTE)
            systems_by_note.setdefault((own_longest, names), []).append(repr(name))
    # A sweep may hold many systems of one length: they share a line.
    for (own_longest, names), shorter in systems_by_note.items():
        yield WORDS["short"].format(
            format_first(shorter, MAX_NAMES_IN_NOTE), own_longest, longest, names, own_longest
        )


def _on_scores(task: EvaluationTask, systems: Mapping[Any, System]) -> Iterator[str]:
    """Scores of -inf, and equal scores that the source of the convention orders by chance."""
    for name, system in systems.items():
        if minus_infinite := system.facts.get("minus_infinite"):
            yield WORDS["minus infinity"].format(minus_infinite, _of(name))
        if unstable := system.facts.get("unstable"):
            source = task.context.convention.name
            yield WORDS["unstable"].format(unstable, _of(name), STABLE_UP_TO[source], source)


def _on_truth(task: EvaluationTask, systems: Mapping[Any, System]) -> Iterator[str]:
    """Relevant items of the history, and thresholds that no grade reaches."""
    facts = [system.facts for system in systems.values() if system.facts]
    relevant_seen = max((each.get("relevant_seen", 0) for each in facts), default=0)
    if relevant_seen:
        relevant = max(each.get("relevant", 0) for each in facts)
        rule = "seen dropped" if task.seen == "drop" else "seen kept"
        yield WORDS[rule].format(relevant_seen, relevant)
    highest_grades = [each["highest"] for each in facts if each.get("highest") is not None]
    if not highest_grades:
        return
    highest = max(highest_grades)
    names_by_threshold: dict[float, list[str]] = {}
    for measure in task.measures:
        # What a measure of the user's own asks of grades is not known.
        if measure.own or "relevant" not in measure.choices:
            continue
        threshold = _threshold(measure, task)
        if highest < threshold or highest <= 0:
            names_by_threshold.setdefault(threshold, []).append(measure.name)
    for threshold, names in names_by_threshold.items():
        rule = "none relevant" if threshold else "all grades 0"
        yield WORDS[rule].format(
            format_first(names, MAX_NAMES_IN_NOTE), f"{highest:g}", f"{threshold:g}"
        )


def _threshold(measure: Measure, task: EvaluationTask) -> float:
    """The least grade that is relevant for a measure; 0 if any grade above 0 is."""
    rules = task.context.convention
    if "rel" in measure.parameters:
        asked = measure.parameters["rel"]
    elif rules.relevant_from and measure.is_binary(task.context):
        asked = rules.relevant_from
    else:
        asked = 0.0
    return float(max(asked, rules.threshold))


def _on_lists(task: EvaluationTask, systems: Mapping[Any, System]) -> Iterator[str]:
    facts = [one.facts for one in systems.values() if one.facts]
    longest = max((one["longest"] for one in facts), default=0)
    unlisted = max((one["unlisted"] for one in facts), default=0)
    deep = [one.name for one in task.measures if one.k and one.k > longest]
    auc = any(one.stated.name == "AUC" for one in task.measures)
    if deep and unlisted:
        yield WORDS["deep"].format(longest, unlisted, format_first(deep, MAX_NAMES_IN_NOTE))
    if auc and unlisted and task.context.auc_catalogue is None:
        yield WORDS["auc"].format(unlisted)
    for name, one in systems.items():
        for what, told in one.facts.get("alike", {}).items():
            yield WORDS["alike"].format(what, _of(name), *told)
        if task.seen == "note" and one.facts.get("seen"):
            yield WORDS["seen"].format(one.facts["seen"], _of(name))
        if one.like_ranks:
            yield WORDS["ranks"].format(_of(name))
