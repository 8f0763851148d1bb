"""The lines under a table of means: what has to be known to read them rightly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from receval._checks import some
from receval.engine.file import System
from receval.engine.signs import FEW
from receval.engine.task import Task
from receval.evaluation import markup
from receval.measure.convention import Convention

RATINGS = 5  # grades of a scale of ratings at least
NOTED = 3  # values or systems that a note names


def _of(name: Any) -> str:
    return f" of {name!r}" if name != "" else ""


def _on_grades(task: Task, systems: Mapping[Any, System]) -> list[str]:
    """Whether every grade of a scale of ratings, which has no 0, counts as relevant."""
    rules = task.convention
    if rules.threshold or rules.relevant_from:
        return []
    grades = next(iter(systems.values())).facts.get("grades", [])
    scale = RATINGS <= len(grades) <= FEW and grades[0] > 0 and grades[-1] <= FEW
    binary = [
        one.name
        for one in task.measures
        if scale and "rel" not in one.parameters and one.is_binary(task.context)
    ]
    if not binary:
        return []
    return [
        f"every grade, {grades[0]:g} to {grades[-1]:g}, counts as relevant in "
        f"{some(binary, NOTED)}: relevant_from={grades[-2]:g} asks for that and more; leaving "
        "lower grades out of relevance would change who is judged"
    ]


def on_ties(ties: pd.DataFrame, digits: int, convention: Convention) -> list[str]:
    """What equal scores change in a table with so many decimals; nothing if they do not."""
    if convention.ties == "average" or ties.empty:
        return []
    text = ties[["pessimistic", "optimistic", "expected"]].map(lambda value: f"{value:.{digits}f}")
    changed = text[text["pessimistic"] != text["optimistic"]]
    shown = [
        f"{' '.join(map(str, key)) if isinstance(key, tuple) else key} {low} to {high} "
        f"(expected {expected})"
        for key, low, high, expected in changed.itertuples()
    ]
    return [f"equal scores leave open: {some(shown, NOTED)}; see ties()"] if shown else []


def on_users(n: pd.DataFrame, counts: pd.DataFrame, each: str = "users") -> list[str]:
    """The measures whose mean is over fewer users than are judged; nothing if none is."""
    judged = counts["judged"]
    where = {}
    for name in n.columns[n.lt(judged, axis=0).any()]:
        pairs = [f"{few} of {every}" for few, every in zip(n[name], judged, strict=True)]
        told = [f"{pair} ({system})" for pair, system in zip(pairs, n.index, strict=True)]
        where[str(name)] = pairs[0] if len({*pairs}) == 1 else some(told, NOTED)
    by_number = markup.listed((number, name) for name, number in where.items())
    found = [f"{names} {number}" for number, names in by_number.items()]
    return [f"means over fewer {each} than judged: {'; '.join(found)}"] if found else []


def serious(systems: Mapping[Any, System]) -> list[str]:
    """What leaves nothing to evaluate: nobody has an answer, or no item is in both tables."""
    notes = []
    for name, one in systems.items():
        if not one.counts.get("answered", 1):
            notes.append(f"recommendations{_of(name)} answer nobody: no judged user has a list")
        if one.foreign:
            notes.append(
                f"0 of {one.foreign} recommended items{_of(name)} are in relevance: are "
                "the item ids of both tables from one numbering?"
            )
    return notes


def on_input(task: Task, systems: Mapping[Any, System]) -> list[str]:
    """What looks like a slip in the tables given, or is legal and yet doubtful."""
    return [*serious(systems), *_on_lists(task, systems), *_on_grades(task, systems)]


def _on_lists(task: Task, systems: Mapping[Any, System]) -> list[str]:
    notes = []
    facts = {name: one.facts for name, one in systems.items() if one.facts}
    longest = max((one["longest"] for one in facts.values()), default=0)
    deep = [one.name for one in task.measures if one.k and one.k > longest]
    auc = [one.name for one in task.measures if one.stated.name == "AUC"]
    unlisted = max((one["unlisted"] for one in facts.values()), default=0)
    if deep and unlisted:
        notes.append(
            f"no list is longer than {longest}, and {unlisted} relevant items are in none: "
            f"{some(deep, NOTED)} would look deeper"
        )
    if auc and unlisted and task.auc_catalogue is None:
        notes.append(
            f"AUC is over the items of each list alone, and {unlisted} relevant items are in none: "
            "auc_catalogue=n places all of a catalogue of n items that are not listed below it"
        )
    for name, one in systems.items():
        seen = one.facts.get("seen", 0)
        if seen and task.seen == "note":
            notes.append(
                f"{seen} recommended items{_of(name)} are in the history of their user: "
                "seen='drop' leaves them out, seen='error' refuses them"
            )
        of = _of(name)
        if one.like_ranks:
            notes.append(
                f"scores{of} are 1, 2, …, n in every list, and the highest counts as the best: "
                "if they are ranks, name their column with rank="
            )
    return notes
