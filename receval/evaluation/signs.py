"""Find facts about the lists and tables of a system that notes use, such as signs of a mistake."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import AnyArray, BoolArray, IntArray, Record
from receval.definitions.lists import JudgedRun
from receval.tables.columns import Ids

if TYPE_CHECKING:
    import pyarrow as pa

INVISIBLE = "[\u00ad\u200b-\u200f\u2060\ufeff]"
"""Soft hyphens, blanks without width, and marks of direction or byte order."""

WHOLE_NUMBER = r"^\+?0*(\d+?)(\.0+)?$"
"""A whole number, which may have leading zeros, or zeros after the point."""

MAX_GRADES = 10
"""If there are more distinct grades, they aren't a scale of grades."""

MARKED_BELOW = -900
"""Programs give items that must not be recommended scores such as -999, -1e9 or -inf."""

COLUMNS_OF_SCORES = ["lowest", "highest", "listed"]
"""Columns of the fact "scores"."""


MERGE: dict[str, Callable[[Any], Any]] = {
    # The length of the longest list.
    "longest": max,
    # The number of relevant items outside the lists, which are cut at the depth of the measures.
    "unlisted": sum,
    # The number of recommended items that their users have seen before.
    "seen": sum,
    # The lowest and the highest score, and groups of scores (see `_groups_of_scores`).
    "lowest": min,
    "highest_score": max,
    "scores": lambda parts: list(chain.from_iterable(parts)),
    # The number of relevant items, and of relevant items that their users have seen before.
    "relevant": sum,
    "relevant_seen": sum,
    # Whether the scores of every list are 1, 2, … n, in any order.
    "one_to_n": all,
    # Whether the scores of every list are n, … 2, 1 in the order of the table.
    "descending": all,
    # The lowest grades of the truth, at most one more than `MAX_GRADES`, and its highest grade.
    "grades": lambda parts: sorted(set(chain.from_iterable(parts)))[: MAX_GRADES + 1],
    "highest": max,
    # Whether all scores are whole numbers, and whether a grade has a fraction other than a half.
    "whole_scores": all,
    "fractions": any,
    # The number of rows of the recommendations, and of the relevance.
    "n_scores": sum,
    "n_grades": sum,
}
"""The facts, and the function that combines them for several parts of the users.

Notes draw conclusions from the combined facts, so that the notes don't depend on the parts.
"""


def merge_facts(parts: Sequence[Record]) -> Record:
    """Combine the facts about several parts of the users.

    Only whole tables have the fact "alike" (see `near_matches`). Several parts can count the same
    id, so the part with the largest number counts.
    """
    merged: Record = {
        name: combine([facts[name] for facts in parts]) for name, combine in MERGE.items()
    }
    alike = [facts.get("alike", {}) for facts in parts]
    merged["alike"] = {
        kind: max(matches[kind] for matches in alike if kind in matches)
        for kind in ("users", "items")
        if any(kind in matches for matches in alike)
    }
    return merged


def facts_of_lists(run: JudgedRun, totals: Mapping[str, int]) -> Record:
    """Return the facts about a system that lists and tables show; `MERGE` explains them.

    ``totals`` has those that were counted while the lists were measured.
    """
    truth = run.truth
    # After `where`, the table has rows of other users, too.
    rows = truth.rows.rows_of(run.judged)
    grades = truth.rows.columns["grade"][rows]
    distinct_grades = np.sort(pd.unique(grades))
    is_relevant = grades > 0
    floor = run.context.convention.grade_floor
    if floor is not None:  # lower grades count as 0
        is_relevant &= grades >= floor
    relevant_seen = 0
    if run.context.seen is not None:
        # The user of each relevant row, and the items of these rows as a matrix of one column.
        users = np.repeat(run.judged, truth.rows.size[run.judged])[is_relevant]
        items = truth.rows.columns["item"][rows][is_relevant, np.newaxis]
        relevant_seen = int(np.count_nonzero(run.context.seen(users, items)))
    scores = run.rows.columns["value"]
    if run.rules.by_rank:  # ranks take the place of the scores
        scores = scores[:0]
    return {
        **{name: totals[name] for name in ("longest", "unlisted", "seen")},
        **_compare_with_ranks(run),
        "lowest": float(scores.min(initial=0)),
        "highest_score": float(scores.max(initial=0)),
        "scores": _groups_of_scores(scores, totals),
        "whole_scores": _are_whole(scores[:1000]) and _are_whole(scores),  # most have fractions
        "fractions": not np.isin(distinct_grades % 1, (0, 0.5)).all(),
        "n_scores": scores.size,
        "n_grades": grades.size,
        "grades": distinct_grades[: MAX_GRADES + 1].astype(float).tolist(),
        "highest": float(grades.max(initial=0)),
        "relevant": int(np.count_nonzero(is_relevant)),
        "relevant_seen": relevant_seen,
    }


# Scores -------------------------------------------------------------------------------------------


def _are_whole(scores: AnyArray) -> bool:
    """Return whether all scores are whole numbers."""
    return bool((scores == np.floor(scores)).all())


def _groups_of_scores(scores: AnyArray, totals: Mapping[str, int]) -> list[list[float]]:
    """Return the lowest and the highest score of each group, and the number of items in lists.

    The scores up to half the lowest one, which may be marks, are a group, and so are the others,
    which nobody counts. If no score can be a mark, all are one group.
    """
    lowest = float(scores.min(initial=0))
    if lowest > MARKED_BELOW / 2:
        return [[lowest, float(scores.max(initial=0)), 0]]
    is_low = scores <= lowest / 2
    groups = [(scores[is_low], totals["low"]), (scores[~is_low], 0)]
    return [[float(group.min()), float(group.max()), n] for group, n in groups if group.size]


def count_marked(facts: Record) -> int:
    """Return how many listed items have a score that marks items that must not be recommended.

    Programs may add a mark such as -1e9 to the real score. So all scores up to half the lowest one
    are marks, if the others are far from it.
    """
    lowest = facts["lowest"]
    if lowest > MARKED_BELOW:
        return 0
    scores = pd.DataFrame(facts["scores"], columns=COLUMNS_OF_SCORES)
    # If only some scores of a group are marks, the others are not far from the lowest score.
    are_marks = scores["highest"] <= lowest / 2
    others = scores.loc[~are_marks, ["lowest", "highest"]].to_numpy()
    if -lowest <= 10 * np.abs(others).max(initial=1):
        return 0
    return int(scores.loc[are_marks, "listed"].sum())


def looks_swapped(facts: Record) -> bool:
    """Return whether the user may have passed relevance in the place of the recommendations.

    This is so if the relevance has fractions other than halves, which scores have but grades don't,
    and the recommendations have whole numbers like grades. Scores from 1 to n aren't like grades,
    unless more items are judged than recommended.
    """
    has_range_of_grades = facts["lowest"] >= 0 and facts["highest_score"] <= MAX_GRADES
    if not (facts["n_scores"] and facts["whole_scores"] and has_range_of_grades):
        return False
    has_more_grades = facts["n_grades"] > facts["n_scores"]
    return facts["fractions"] and (has_more_grades or not facts["one_to_n"])


def _compare_with_ranks(run: JudgedRun) -> Record:
    """Compare the scores of each list with the numbers from 1 to n, the length of the list.

    Scores look like ranks, with 1 for the best item, if every list has the scores 1 to n. But if
    all lists have the scores n to 1 in the order of the table, they are real scores: the first item
    has the highest one. Ranks that the user passed as ranks are neither.
    """
    scores = run.rows.columns["value"]
    lengths = run.rows.size  # of the list of each user
    # If a score is below 1 or above every length, save the time for the comparison.
    is_outside = scores.size > 0 and (scores.min() < 1 or scores.max() > lengths.max())
    if run.rules.by_rank or is_outside:
        return {"one_to_n": False, "descending": False}
    by_user = pd.Series(scores).groupby(np.repeat(np.arange(lengths.size), lengths))
    return {
        "one_to_n": bool((by_user.rank(method="first") == scores).all()),
        "descending": bool((by_user.cumcount(ascending=False) + 1 == scores).all()),
    }


# Ids ----------------------------------------------------------------------------------------------


def near_matches(run: JudgedRun) -> dict[str, list[int | str]]:
    """Find users and items whose ids match only if their spelling is ignored.

    Returns a dict with a list for "users" and a list for "items": the number of such ids, and an
    example from the recommendations and from relevance. A key is absent if there is no such id. The
    function compares only ids that are texts.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    truth = run.truth
    codes_by_kind = {
        "users": (truth.users, run.rows.users, run.judged),
        "items": (truth.items, run.rows.columns["item"], truth.rows.columns["item"]),
    }
    matches: dict[str, list[int | str]] = {}
    for kind, (ids, recommended, judged) in codes_by_kind.items():
        if ids.kind != "text":
            continue
        is_judged = is_in(judged, ids)
        is_unmatched = is_in(recommended, ids) & ~is_judged
        if not is_unmatched.any():
            continue
        texts = _without_spelling(ids.values)
        judged_texts = texts.filter(pa.array(is_judged))
        is_alike = is_unmatched & pc.is_in(texts, value_set=judged_texts).to_numpy(False)
        if is_alike.any():
            first = int(is_alike.argmax())
            like_first = np.flatnonzero(is_judged)[judged_texts.index(texts[first]).as_py()]
            examples = ids.take(np.array([first, like_first])).tolist()
            matches[kind] = [int(np.count_nonzero(is_alike)), *examples]
    return matches


def _without_spelling(texts: pa.LargeStringArray) -> pa.LargeStringArray:
    """Return texts without what people overlook in ids.

    These are characters that can't be seen, blanks at both ends, capital letters, compatible forms
    of the same character, and the leading zeros or the ".0" of a whole number.
    """
    import pyarrow.compute as pc

    visible = pc.replace_substring_regex(texts, INVISIBLE, "")
    plain = pc.utf8_lower(pc.utf8_trim_whitespace(pc.utf8_normalize(visible, form="NFKC")))
    return pc.replace_substring_regex(plain, WHOLE_NUMBER, r"\1")


def is_in(codes: IntArray, ids: Ids) -> BoolArray:
    """Return for each code of the ids whether it is in an array."""
    is_in = np.zeros(ids.size, bool)
    is_in[codes] = True
    return is_in
