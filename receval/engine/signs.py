"""Signs of a slip in the tables, and facts about lists and judgments that notes are made from."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import BoolArray, IntArray
from receval._types import Record
from receval.measure.matching import JudgedRun, Judgments
from receval.tables.codes import TextCodes
from receval.tables.ids import TextIds

MAX_GRADES = 10
"""The largest number of grades that a scale of grades has."""


class InputSigns(NamedTuple):
    """Signs of a slip in the tables of one system; a sign is True if any list has it.

    Attributes
    ----------
    shares : bool
        Whether a recommended item is in relevance, of this or of another user.
    unranked : bool
        Whether the scores of a list are not 1 to n.
    rising : bool
        Whether the scores of a list are not n down to 1.
    """

    shares: bool
    unranked: bool
    rising: bool

    @classmethod
    def from_run(cls, run: JudgedRun, *, has_hit: bool) -> InputSigns:
        """Find the signs in the lists of a system.

        ``has_hit`` says whether a list is known to have a relevant item. Then the items need not be
        compared.
        """
        unranked, rising = _compare_scores_with_ranks(run)
        return cls(has_hit or _shares_items_with_truth(run), unranked, rising)

    @property
    def like_ranks(self) -> bool:
        """Return whether the scores look like ranks, with 1 for the best item."""
        return self.rising and not self.unranked

    def merge(self, other: InputSigns) -> InputSigns:
        """Return the signs that these lists or others have."""
        return InputSigns(
            self.shares or other.shares,
            self.unranked or other.unranked,
            self.rising or other.rising,
        )


SUMMED_FACTS = ("unlisted", "seen", "minus_infinite", "unstable", "relevant", "relevant_seen")


def merge_facts(facts: Record, others: Record) -> Record:
    """Combine the facts about some users with the facts about others.

    ``longest`` is the length of the longest list. These are counts of items: ``unlisted`` relevant
    ones where a measure looks deeper than the lists go, ``seen`` recommended ones,
    ``minus_infinite`` recommended ones with a score of -inf that measures look at, ``relevant``
    ones, and ``relevant_seen`` relevant ones of the history. ``unstable`` counts the lists that
    the source of the convention may order differently from run to run. ``grades`` are the lowest
    grades of the truth, one more than `FEW` at most, and ``highest`` is the highest one.

    Files of older versions lack some facts; a missing count is 0.
    """
    sums = {name: facts.get(name, 0) + others.get(name, 0) for name in SUMMED_FACTS}
    highest_grades = [
        part["highest"] for part in (facts, others) if part.get("highest") is not None
    ]
    return {
        "longest": max(facts["longest"], others["longest"]),
        **sums,
        "grades": sorted({*facts["grades"], *others["grades"]})[: MAX_GRADES + 1],
        "highest": max(highest_grades, default=None),
    }


def facts_of_truth(
    truth: Judgments, history: Callable[[IntArray, IntArray], BoolArray] | None
) -> Record:
    """Return the facts about the relevance rows of the judged users, see `merge_signs`.

    ``history`` takes user codes and a matrix of item codes, and returns whether the users have seen
    the items; None if no history was given.
    """
    # After `where` the table still holds rows of users that were left out. They don't count.
    rows = truth.rows.rows
    grades = truth.grade[rows]
    is_relevant = grades > 0
    if truth.floor is not None:
        is_relevant &= grades >= truth.floor
    relevant_seen = 0
    if history is not None:
        users = np.repeat(truth.rows.users, truth.rows.size)[is_relevant]
        items = truth.item.read()[rows[is_relevant], np.newaxis]
        relevant_seen = int(np.count_nonzero(history(users, items)))
    return {
        "grades": np.unique(truth.grade)[: MAX_GRADES + 1].astype(float).tolist(),
        "highest": float(grades.max()) if grades.size else None,
        "relevant": int(np.count_nonzero(is_relevant)),
        "relevant_seen": relevant_seen,
    }


# Ids that nearly match ----------------------------------------------------------------------------


def near_matches(run: JudgedRun) -> dict[str, list[int | str]]:
    """Find users and items whose ids match only if blanks and upper case are ignored.

    Returns under "users" and "items" the number of such ids, followed by an example: the id as the
    recommendations have it, and as relevance has it. A key is absent if there is no such id.
    """
    truth = run.truth
    matches = {}
    if isinstance(truth.users, TextIds):
        recommended_users = truth.users.index(run.rows.users, "").to_series()
        judged_users = truth.users.index(truth.judged, "").to_series()
        matches["users"] = _near_matches_of_ids(recommended_users, judged_users)
    if isinstance(run.item, TextCodes) and isinstance(truth.item, TextCodes):
        matches["items"] = _near_matches_of_ids(run.item.distinct(), truth.item.distinct())
    return {
        kind: count_and_example for kind, count_and_example in matches.items() if count_and_example
    }


def _near_matches_of_ids(recommended: pd.Series, judged: pd.Series) -> list[int | str]:
    """Count the distinct texts of two tables that match only without blanks and upper case.

    Returns the count and an example from each table, or an empty list if there is no such text.
    """
    # Objects are compared several times as fast as Arrow texts.
    recommended = recommended.astype(object)
    judged = judged.astype(object)
    in_one_table = pd.concat(
        [recommended[~recommended.isin(judged)], judged[~judged.isin(recommended)]]
    )
    if in_one_table.empty:
        return []
    recommended = _indexed_by_folded_text(recommended)
    judged = _indexed_by_folded_text(judged)
    folded = _indexed_by_folded_text(in_one_table).index
    is_in_both = folded.isin(recommended.index) & folded.isin(judged.index)
    shared = folded[is_in_both].unique()
    if shared.empty:
        return []
    pairs = product(recommended.loc[shared[:1]], judged.loc[shared[:1]])
    # Several texts of a table may fold to the same one, so that a pair can be equal as it is.
    example = next(pair for pair in pairs if pair[0] != pair[1])
    return [shared.size, *example]


def _indexed_by_folded_text(texts: pd.Series) -> pd.Series:
    """Return texts indexed by themselves in small letters, without blanks around them."""
    return texts.set_axis(texts.str.strip().str.casefold())


# Comparisons with the lists -----------------------------------------------------------------------


def _shares_items_with_truth(run: JudgedRun) -> bool:
    """Return whether any recommended item is in relevance, of whatever user."""
    is_in_truth = np.zeros(run.truth.items.size, bool)
    is_in_truth[run.truth.item.read()] = True
    return bool(is_in_truth[run.item.read()].any())


def _compare_scores_with_ranks(run: JudgedRun) -> tuple[bool, bool]:
    """Return the signs ``unranked`` and ``rising`` of `InputSigns`.

    If a list is unranked, the second sign is not looked for any further.
    """
    if run.rules.by_rank:
        return True, False
    rising = False
    for _, block in run.blocks():
        scores = block.scores_in_table_order
        length = block.length[:, np.newaxis]
        rank = np.arange(1, scores.shape[1] + 1)
        is_in_list = rank <= length
        if (is_in_list & (np.sort(scores, axis=1) != rank)).any():
            return True, False
        rising |= bool((is_in_list & (scores != length + 1 - rank)).any())
    return False, rising
