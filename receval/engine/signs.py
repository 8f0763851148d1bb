"""What in the lists of a system may come from a slip in the tables."""

from __future__ import annotations

from itertools import product
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from receval.measure.matching import JudgedRun, Judgments
from receval.tables.codes import TextCodes
from receval.tables.ids import TextIds

FEW = 10  # grades of a scale at most


class InputSigns(NamedTuple):
    """What may come from a slip: each sign is there if any list has it.

    Attributes
    ----------
    shares : bool
        Whether a recommended item is in relevance, of this or of another user.
    unranked, rising : bool
        Whether a list has other scores than 1 to n, and whether one has not those from n down to 1.
    """

    shares: bool
    unranked: bool
    rising: bool

    @classmethod
    def of(cls, lists: JudgedRun, hit: bool) -> InputSigns:
        """The signs in the lists of a system, of which some `hit` a relevant item, or none."""
        return cls(hit or _any_in_truth(lists), *_scores_as_ranks(lists))


SUMMED_FACTS = ("unlisted", "seen", "minus_infinite", "unstable", "relevant", "relevant_seen")


def merge_signs(facts: dict[str, Any], others: dict[str, Any]) -> dict[str, Any]:
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
        each["highest"] for each in (facts, others) if each.get("highest") is not None
    ]
    return {
        "longest": max(facts["longest"], others["longest"]),
        **sums,
        "grades": sorted({*facts["grades"], *others["grades"]})[: FEW + 1],
        "highest": max(highest_grades, default=None),
    }


def facts_of_truth(truth: Judgments, history: Any) -> dict[str, Any]:
    """The facts about the relevance rows of the judged users, see `added`.

    ``history`` answers for users and a matrix of items whether a user has seen an item; None if
    no history was given.
    """
    # Rows of other users than these don't count: after `where` the table still holds them.
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
        "grades": np.unique(truth.grade)[: FEW + 1].astype(float).tolist(),
        "highest": float(grades.max()) if grades.size else None,
        "relevant": int(np.count_nonzero(is_relevant)),
        "relevant_seen": relevant_seen,
    }


def near_matches(lists: JudgedRun) -> dict[str, list[Any]]:
    """Users and items whose ids match only without blanks around them, or in small letters.

    How many there are, and one as the recommendations have it and as relevance has it.
    """
    truth, found = lists.truth, {}
    if isinstance(truth.users, TextIds):
        both = (truth.users.index(one, "").to_series() for one in (lists.rows.users, truth.judged))
        found["users"] = _written(*both)
    if isinstance(lists.item, TextCodes) and isinstance(truth.item, TextCodes):
        found["items"] = _written(lists.item.distinct(), truth.item.distinct())
    return {what: told for what, told in found.items() if told}


def _written(ours: pd.Series, theirs: pd.Series) -> list[Any]:
    """The same of distinct ids; nothing if there is none."""
    ours, theirs = ours.astype(object), theirs.astype(object)  # compared several times as fast
    only = pd.concat([ours[~ours.isin(theirs)], theirs[~theirs.isin(ours)]])
    if only.empty:
        return []
    here, there, only = (
        one.set_axis(one.str.strip().str.casefold()) for one in (ours, theirs, only)
    )
    again = only.index[only.index.isin(here.index) & only.index.isin(there.index)].unique()
    if again.empty:
        return []
    one, other = here.loc[again[:1]], there.loc[again[:1]]
    return [again.size, *next(pair for pair in product(one, other) if pair[0] != pair[1])]


def _any_in_truth(lists: JudgedRun) -> bool:
    in_truth = np.zeros(lists.truth.items.size, bool)
    in_truth[lists.truth.item.read()] = True
    return bool(in_truth[lists.item.read()].any())


def _scores_as_ranks(lists: JudgedRun) -> tuple[bool, bool]:
    """Whether a list has other scores than 1 to n, and whether one has not those from n down."""
    if lists.how.by_rank:
        return True, False
    rising = False
    for _, block in lists.blocks():
        score, length = block.given, block.length[:, np.newaxis]
        rank = np.arange(1, score.shape[1] + 1)
        if (np.where(rank <= length, np.sort(score, axis=1) != rank, False)).any():
            return True, False
        rising |= bool(np.where(rank <= length, score != length + 1 - rank, False).any())
    return False, rising
