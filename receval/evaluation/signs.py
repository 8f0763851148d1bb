"""Find facts about the tables of a system that notes use, such as signs of a mistake."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import BoolArray, IntArray, Record
from receval.definitions.lists import JudgedRun

if TYPE_CHECKING:
    import pyarrow as pa

SAMPLE_SIZE = 1000
"""Number of rows that show whether a column of numbers has fractions."""

MAX_GRADES = 10
"""If there are more distinct grades, they aren't a scale of grades."""

MASKING_SCORES = (-999, -1000, -9999, -10_000, -32_768, -65_504, -99_999, -100_000)
"""Scores above `MASKED_BELOW` with which programs mark items; the last but two is float16's end."""

MASKED_BELOW = -1e6
"""Any score below this may mark an item, if it is far from all other scores."""

INVISIBLE = "[\u00ad\u200b-\u200f\u2060\ufeff]"
"""Soft hyphens, blanks without width, and marks of direction or byte order."""

WHOLE_NUMBER = r"^\+?0*(\d+?)(\.0+)?$"
"""A whole number, which may have leading zeros, or zeros after the point."""

SUMS = (
    "unlisted",
    "seen",
    "minus_infinite",
    "placeholders",
    "unstable",
    "relevant",
    "relevant_seen",
)
"""The facts that are numbers of rows or items, which are added up over the users."""


def facts_of_tables(run: JudgedRun) -> Record:
    """Return the facts about the tables of a system; `merge_facts` explains them."""
    truth = run.truth
    all_grades = truth.rows.columns["grade"]
    # After `where`, the table has rows of other users, too. Only the fact "grades" counts these.
    rows = truth.rows.rows_of(run.judged)
    grades = all_grades[rows]
    is_relevant = grades > 0
    if truth.floor is not None:  # lower grades count as 0
        is_relevant &= grades >= truth.floor
    relevant_seen = 0
    if run.past is not None:
        # The user of each relevant row, and the items of these rows as a matrix of one column.
        users = np.repeat(run.judged, truth.rows.size[run.judged])[is_relevant]
        items = truth.rows.columns["item"][rows][is_relevant, np.newaxis]
        relevant_seen = int(np.count_nonzero(run.past(users, items)))
    facts = _compare_with_ranks(run)
    return {
        **facts,
        "swapped": _looks_swapped(run, one_to_n=facts["one_to_n"]),
        "grades": np.sort(pd.unique(all_grades))[: MAX_GRADES + 1].astype(float).tolist(),
        "highest": float(grades.max()) if grades.size else None,
        "relevant": int(np.count_nonzero(is_relevant)),
        "relevant_seen": relevant_seen,
    }


def merge_facts(parts: Sequence[Record]) -> Record:
    """Combine the facts about several parts of the users.

    longest
        Length of the longest list.
    unlisted
        Number of relevant items outside the lists, which are cut at the depth of the measures.
    seen
        Number of recommended items that their users have seen before.
    minus_infinite
        Number of recommended items with a score of -inf, within the depth of the measures.
    placeholders
        Number of such items with another score that marks items, such as -1e9.
    placeholder
        The lowest of these scores; there is none if the number is 0.
    unstable
        Number of lists that the source of the convention may order differently from run to run.
    one_to_n
        Whether the scores of every list are 1, 2, … n, in any order.
    descending
        Whether the scores of every list are n, … 2, 1 in the order of the table.
    swapped
        Whether the recommendations look like relevance, and the relevance like recommendations.
    relevant, relevant_seen
        Number of relevant items, and number of relevant items that their users have seen before.
    grades
        The lowest grades of the truth, at most one more than `MAX_GRADES`.
    highest
        The highest grade of the truth; None if there is none.
    foreign
        Number of distinct recommended items; 0 if relevance has any of them.
    alike
        For "users" and "items" whose ids differ in spelling only: their number and two examples.
        Several parts can count the same id, so the part with the largest number counts.
    """
    merged: Record = {name: sum(facts[name] for facts in parts) for name in SUMS}
    merged["longest"] = max(facts["longest"] for facts in parts)
    for name in ("one_to_n", "descending", "swapped"):
        merged[name] = all(facts[name] for facts in parts)
    grades = {grade for facts in parts for grade in facts["grades"]}
    merged["grades"] = sorted(grades)[: MAX_GRADES + 1]
    highest = [facts["highest"] for facts in parts if facts["highest"] is not None]
    merged["highest"] = max(highest, default=None)
    merged["foreign"] = max(facts["foreign"] for facts in parts)
    placeholders = [facts["placeholder"] for facts in parts if "placeholder" in facts]
    if placeholders:
        merged["placeholder"] = min(placeholders)
    merged["alike"] = {}
    for facts in parts:
        for kind_of_id, (count, *examples) in facts.get("alike", {}).items():
            if count > merged["alike"].get(kind_of_id, [0])[0]:
                merged["alike"][kind_of_id] = [count, *examples]
    return merged


def find_placeholder(run: JudgedRun) -> float | None:
    """Return the highest score that marks items that must not be recommended; None if none does.

    Programs give such items -inf, the lowest number of a type, or a number such as -1e9, which may
    be added to the real score. So all scores up to half the lowest one count if they are far below
    the other scores.
    """
    scores = run.rows.columns["value"]
    if run.rules.by_rank or not scores.size:
        return None
    lowest = float(scores.min())
    if lowest == -np.inf:
        return lowest
    if lowest not in MASKING_SCORES and lowest > MASKED_BELOW:
        return None
    if lowest <= float(np.finfo(np.float32).min):
        return lowest / 2
    others = scores[scores > lowest / 2]
    n_times = 10 if lowest <= MASKED_BELOW else 2
    if not others.size or -lowest <= n_times * float(np.abs(others).max()):
        return None
    return lowest / 2


def shares_items(run: JudgedRun) -> bool:
    """Return whether any recommended item is in relevance, for any user."""
    is_in_truth = _is_in(run.truth.rows.columns["item"], run.truth.items.size)
    return bool(is_in_truth[run.rows.columns["item"]].any())


def _compare_with_ranks(run: JudgedRun) -> Record:
    """Compare the scores of each list with the numbers from 1 to n, the length of the list.

    Scores look like ranks, with 1 for the best item, if every list has the scores 1 to n. But if
    all lists have the scores n to 1 in the order of the table, they are real scores: the first item
    has the highest one. Ranks that the user passed as ranks are neither.
    """
    rows = run.rows
    scores = rows.columns["value"]
    lacks_ranks = scores.size > 0 and (scores.min() < 1 or scores.max() > rows.size.max())
    if run.rules.by_rank or lacks_ranks:
        return {"one_to_n": False, "descending": False}
    length = np.repeat(rows.size, rows.size)
    place = np.arange(scores.size) - np.repeat(rows.first[:-1], rows.size)  # from 0
    user = np.repeat(np.arange(rows.size.size), rows.size)
    in_order = scores[np.lexsort((scores, user))]
    return {
        "one_to_n": bool((in_order == place + 1).all()),
        "descending": bool((scores == length - place).all()),
    }


def _looks_swapped(run: JudgedRun, *, one_to_n: bool) -> bool:
    """Return whether the user may have passed relevance in the place of the recommendations.

    This is so if the relevance has fractions other than halves, which scores have but grades don't,
    and the recommendations have whole numbers like grades. Scores from 1 to n aren't like grades,
    unless more items are judged than recommended.
    """
    grades = run.truth.rows.columns["grade"]
    scores = run.rows.columns["value"]
    if run.rules.by_rank or not scores.size or scores.min() < 0 or scores.max() > MAX_GRADES:
        return False
    # Most scores have a fraction in one of the first rows.
    if (scores[:SAMPLE_SIZE] % 1).any() or (scores % 1).any():
        return False
    has_fractions = not np.isin(grades % 1, (0, 0.5)).all()
    return has_fractions and (grades.size > scores.size or not one_to_n)


def near_matches(run: JudgedRun) -> dict[str, list[int | str]]:
    """Find users and items whose ids match only if their spelling is ignored.

    Returns a dict with a list for "users" and a list for "items": the number of such ids, and an
    example from the recommendations and from relevance. A key is absent if there is no such id. The
    function compares only ids that are texts.
    """
    truth = run.truth
    codes_by_kind = {
        "users": (truth.users, run.rows.users, run.judged),
        "items": (truth.items, run.rows.columns["item"], truth.rows.columns["item"]),
    }
    matches: dict[str, list[int | str]] = {}
    for kind, (ids, recommended, judged) in codes_by_kind.items():
        if ids.kind != "text":
            continue
        is_recommended = _is_in(recommended, ids.size)
        is_judged = _is_in(judged, ids.size)
        # The number of a group for each id. The ids of a group differ in their spelling only.
        group = _without_spelling(ids.values).dictionary_encode().indices.to_numpy()
        has_recommended, has_judged, has_unmatched = (
            np.bincount(group, mask) > 0
            for mask in (is_recommended, is_judged, is_recommended ^ is_judged)
        )
        groups = np.flatnonzero(has_recommended & has_judged & has_unmatched)
        if groups.size:
            is_example = group == groups[0]
            first, second = (
                ids.take(np.flatnonzero(is_example & mask)).tolist()
                for mask in (is_recommended, is_judged)
            )
            # At least one pair has different texts, because one of the texts is unmatched.
            example = next(pair for pair in product(first, second) if pair[0] != pair[1])
            matches[kind] = [groups.size, *example]
    return matches


def _is_in(codes: IntArray, n_codes: int) -> BoolArray:
    """Return for each code from 0 whether it is in an array."""
    is_in = np.zeros(n_codes, bool)
    is_in[codes] = True
    return is_in


def _without_spelling(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return texts without what people overlook in ids.

    These are characters that can't be seen, blanks at both ends, capital letters, compatible forms
    of the same character, and the leading zeros or the ".0" of a whole number.
    """
    import pyarrow.compute as pc

    visible = pc.replace_substring_regex(texts, INVISIBLE, "")
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(pc.utf8_normalize(visible, form="NFKC")))
    return pc.replace_substring_regex(plain, WHOLE_NUMBER, r"\1")
