"""Find facts about the tables of a system that notes use, such as signs of a mistake."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from receval._checks import Record
from receval.definitions.lists import JudgedRun

MAX_GRADES = 10
"""If there are more distinct grades, they aren't a scale of grades."""

MASKING_SCORES = (-999, -1000, -9999, -10_000, -32_768, -65_504, -99_999, -100_000)
"""Scores above `MASKED_BELOW` with which programs mark items; the last but two is float16's end."""

MASKED_BELOW = -1e6
"""Any score below this may mark an item, if it is far from all other scores."""

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
        "grades": np.unique(all_grades)[: MAX_GRADES + 1].astype(float).tolist(),
        "highest": float(grades.max()) if grades.size else None,
        "relevant": int(np.count_nonzero(is_relevant)),
        "relevant_seen": relevant_seen,
    }


def merge_facts(parts: Sequence[Record]) -> Record:
    """Combine the facts about several parts of the users.

    longest
        Length of the longest list.
    unlisted
        Number of relevant items outside the lists, if a measure looks deeper than the lists go.
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
    is_in_truth = np.zeros(run.truth.items.size, bool)
    is_in_truth[run.truth.rows.columns["item"]] = True
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
    has_fractions = not np.isin(grades % 1, (0, 0.5)).all()
    is_whole = not (scores % 1).any()
    return has_fractions and is_whole and (grades.size > scores.size or not one_to_n)


# Ids that nearly match ----------------------------------------------------------------------------


INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff]")
"""Soft hyphens, blanks without width, and marks of direction or byte order."""

WHOLE_NUMBER = re.compile(r"\+?0*(\d+?)(\.0+)?")
"""A whole number, which may have leading zeros, or zeros after the point."""

FOLDINGS: Mapping[str, Callable[[str], str]] = {
    r".str.replace('[\u00ad\u200b-\u200f\u2060\ufeff]', '', regex=True)": (
        lambda text: INVISIBLE.sub("", text)
    ),
    ".str.normalize('NFKC')": lambda text: unicodedata.normalize("NFKC", text),
    ".str.strip()": str.strip,
    ".str.casefold()": str.casefold,
    r".str.replace(r'^\+?0*(\d+?)(\.0+)?$', r'\1', regex=True)": (
        lambda text: match[1] if (match := WHOLE_NUMBER.fullmatch(text)) else text
    ),
}
"""What near matches differ in: the code that makes a column of texts equal, and its function."""


def near_matches(run: JudgedRun) -> dict[str, list[int | str]]:
    """Find users and items whose ids match only if their spelling is ignored.

    The spelling is everything that `FOLDINGS` removes. Returns a dict with a list for "users" and a
    list for "items": the number of such ids, and an example from the recommendations and from
    relevance. A key is absent if there is no such id. The function compares only ids that are
    texts.
    """
    truth = run.truth
    matches = {}
    if truth.users.kind == "text":
        recommended_users = truth.users.index(run.rows.users, "").to_series()
        judged_users = truth.users.index(run.judged, "").to_series()
        matches["users"] = _near_matches_of_ids(recommended_users, judged_users)
    if truth.items.kind == "text":
        recommended_items, judged_items = (
            truth.items.index(np.unique(rows.columns["item"]), "").to_series()
            for rows in (run.rows, truth.rows)
        )
        matches["items"] = _near_matches_of_ids(recommended_items, judged_items)
    return {
        kind: count_and_example for kind, count_and_example in matches.items() if count_and_example
    }


def code_for_near_match(first: str, second: str) -> str:
    """Return the code that makes columns with these two texts equal."""
    codes = []
    for code, fold in FOLDINGS.items():
        folded_texts = fold(first), fold(second)
        if folded_texts != (first, second):
            codes.append(code)
        first, second = folded_texts
        if first == second:
            break
    return " and ".join(codes)


def _near_matches_of_ids(recommended: pd.Series, judged: pd.Series) -> list[int | str]:
    """Count the distinct texts of two tables that match only if their spelling is ignored.

    Returns the count and an example from each table, or an empty list if there is no such text.
    """
    # Comparing objects is several times as fast as comparing Arrow texts.
    recommended = recommended.astype(object)
    judged = judged.astype(object)
    # Only texts without an equal one in the other table can be near matches.
    unmatched = pd.concat(
        [recommended[~recommended.isin(judged)], judged[~judged.isin(recommended)]]
    )
    if unmatched.empty:
        return []
    # An unmatched text is a near match if both tables have a text with the same folded text.
    recommended_by_folded = _indexed_by_folded_text(recommended)
    judged_by_folded = _indexed_by_folded_text(judged)
    folded = _indexed_by_folded_text(unmatched).index
    is_in_both = folded.isin(recommended_by_folded.index) & folded.isin(judged_by_folded.index)
    shared = folded[is_in_both].unique()
    if shared.empty:
        return []
    # Both tables have texts with the first shared folded text. The example is a pair of such texts,
    # one from each table. A table can have several, so the texts of some pairs are equal. At least
    # one pair has different texts, because one of the texts is unmatched.
    pairs = product(recommended_by_folded.loc[shared[:1]], judged_by_folded.loc[shared[:1]])
    example = next(pair for pair in pairs if pair[0] != pair[1])
    return [shared.size, *example]


def _indexed_by_folded_text(texts: pd.Series) -> pd.Series:
    """Return texts, indexed by the same texts without their spelling."""
    remove_invisible, normalize, _, _, simplify_number = FOLDINGS.values()
    folded_texts = []
    for text in texts.tolist():
        # Skip the slow steps for texts that they don't change, which are most.
        visible = text if text.isascii() else normalize(remove_invisible(text))
        folded = visible.strip().casefold()
        if folded[:1] in "0+" or ".0" in folded:
            folded = simplify_number(folded)
        folded_texts.append(folded)
    return texts.set_axis(pd.Index(folded_texts, dtype=object))
