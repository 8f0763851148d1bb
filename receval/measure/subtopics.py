"""The subtopics of judged items, for measures of novelty and diversity.

In a truth with subtopics, a user has several rows for an item, one for each subtopic. receval
merges them into one row with the largest of their grades, which all measures see, and keeps the
subtopics apart for the measures that need them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from receval._checks import FloatArray, IntArray
from receval._types import AnyArray, Id
from receval.tables.ids import IdIndex

__all__ = ["Subtopics"]

NO_SUBTOPIC = 0
"""The number of the profile of items that are relevant for no subtopic."""


@dataclass(frozen=True, eq=False)
class Subtopics:
    """The subtopics for which items are relevant, with the grades.

    The subtopics of a user are numbered 0, 1, 2, …, in the order of their ids. A *profile* is a
    list of such numbers with their grades. Items with equal profiles can change places without
    changing any value.

    Attributes
    ----------
    profile : number of the profile of each row of the merged truth.
    first : the first entry of each profile, followed by the number of entries.
    number, grade : subtopic and grade of each entry.
    users : codes of the users who have subtopics, ascending.
    first_of_user : position of each user's subtopic 0 in ``codes``, followed by the number of
        ``codes``.
    codes : codes of the subtopics of all users, one user after the other.
    ids : the ids of the subtopics that ``codes`` stand for.
    """

    profile: IntArray
    first: IntArray
    number: IntArray
    grade: FloatArray
    users: IntArray
    first_of_user: IntArray
    codes: IntArray
    ids: IdIndex

    @property
    def most(self) -> int:
        """Return the largest number of subtopics of a user."""
        return int(np.diff(self.first_of_user).max(initial=0))

    def grades_of(self, profiles: IntArray, n_subtopics: int) -> FloatArray:
        """Return the grades of some items by subtopic.

        ``profiles`` has the profiles of the items, with the shape (lists, n_items). The result has
        the shape (lists, n_subtopics, n_items); ``n_subtopics`` must be above every number.
        """
        n_lists, n_items = profiles.shape
        grades = np.zeros((n_lists, n_subtopics, n_items))
        flat = profiles.ravel()
        size = self.first[flat + 1] - self.first[flat]
        entry = _ranges(self.first[flat], size)
        cell = np.repeat(np.arange(flat.size), size)  # of each entry
        line, column = np.divmod(cell, max(n_items, 1))
        grades[line, self.number[entry], column] = self.grade[entry]
        return grades

    def count_numbers(self, profiles: IntArray) -> int:
        """Return the largest subtopic number in some profiles plus 1; 0 if they are all empty."""
        present = np.unique(profiles)
        # The numbers of an entry ascend, so the last one of a profile is its largest.
        last = self.first[present + 1] - 1
        is_empty = self.first[present + 1] == self.first[present]
        return int(self.number[last[~is_empty]].max(initial=-1)) + 1

    def labels_of_user(self, user: int) -> list[Id]:
        """Return the ids of the subtopics of a user, by number; ``user`` is the user's code."""
        position = int(np.searchsorted(self.users, user))
        if position == self.users.size or self.users[position] != user:
            return []
        codes = self.codes[self.first_of_user[position] : self.first_of_user[position + 1]]
        labels: list[Id] = self.ids.take(codes).tolist()
        return labels


def build_subtopics(
    row: IntArray, user: IntArray, subtopic: IntArray, grade: AnyArray, n_rows: int, ids: IdIndex
) -> Subtopics:
    """Return the subtopics of the rows of a merged truth.

    The truth had one row per subtopic before it was merged. The arrays have an entry for each of
    these rows that is relevant. ``row`` is the number of the row in the merged truth, which has
    ``n_rows`` rows; ``user`` and ``subtopic`` are codes. No two entries have the same row and
    subtopic. ``ids`` are the ids of the subtopics.
    """
    # Number the subtopics of each user from 0 on.
    n_codes = max(ids.size, 1)
    pairs, position = np.unique(user * n_codes + subtopic, return_inverse=True)
    users, first_of_user = np.unique(pairs // n_codes, return_index=True)
    first_of_user = np.append(first_of_user, pairs.size)
    number = position - first_of_user[np.searchsorted(users, user)]

    # Sort the entries by row, and those of a row by number.
    order = np.lexsort((number, row))
    number, grade = number[order], np.asarray(grade[order], np.float64)
    # One more row at the end has no entries, so that there always is an empty profile.
    size = np.bincount(row, minlength=n_rows + 1)
    first_of_row = np.append(0, np.cumsum(size))
    profile_of_row = _number_profiles(first_of_row, number, grade)

    # Keep the entries of one row for each profile. The empty profile has the lowest number, 0.
    _, kept_row, profile = np.unique(profile_of_row, return_index=True, return_inverse=True)
    kept_entries = _ranges(first_of_row[kept_row], size[kept_row])
    return Subtopics(
        profile=profile[:n_rows],
        first=np.append(0, np.cumsum(size[kept_row])),
        number=number[kept_entries],
        grade=grade[kept_entries],
        users=users,
        first_of_user=first_of_user,
        codes=pairs % n_codes,
        ids=ids,
    )


def _ranges(first: IntArray, size: IntArray) -> IntArray:
    """Return the numbers of several ranges, which begin at ``first`` and have ``size`` numbers."""
    n_before = np.cumsum(size) - size
    numbers: IntArray = np.arange(size.sum()) + np.repeat(first - n_before, size)
    return numbers


def _number_profiles(first: IntArray, number: IntArray, grade: FloatArray) -> IntArray:
    """Return a number for each row, equal for rows with equal entries, and 0 for rows without any.

    The entries of row i are those from ``first[i]`` to ``first[i + 1] - 1``.
    """
    size = np.diff(first)
    profile = np.full(size.size, NO_SUBTOPIC)
    n_profiles = 1
    # Add one entry after the other: rows that were equal so far stay equal if their next entries
    # are. Rows without a next entry keep the number that they have.
    for place in range(int(size.max(initial=0))):
        rows = np.flatnonzero(size > place)
        entry = first[rows] + place
        keys = np.stack([profile[rows], number[entry], grade[entry]])
        order = np.lexsort(keys)
        in_order = keys[:, order]
        is_new = np.append(True, (in_order[:, 1:] != in_order[:, :-1]).any(axis=0))
        profile[rows[order]] = n_profiles + np.cumsum(is_new) - 1
        n_profiles += int(np.count_nonzero(is_new))
    return profile
