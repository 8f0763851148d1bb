"""Random tables for comparisons with other tools, with many users in each table and a seed."""

import numpy as np
import pandas as pd

ITEMS, LONGEST = 24, 15  # ranx sorts longer lists by quicksort, and their ties by chance


def lists_and_truth(rng, users):
    """A run and its judgements, in random order of rows.

    Lists have 1 to 15 of 24 items. Most have equal scores. Some have scores that are equal as
    float32, and some have large, small or negative scores. Grades are 0 to 4, and rarely large or
    negative. One user in ten has no list, one in ten is not judged, and one in ten has only grades
    of 0. Ids are texts that do not sort like the numbers in them.
    """
    name = np.array([f"u{user:06d}" for user in range(users)], dtype=object)
    items = np.array([f"i{item}" for item in range(ITEMS)], dtype=object)
    length = rng.integers(1, LONGEST + 1, users) * (rng.random(users) < 0.9)
    length[0] = LONGEST
    user, item = _some_of_each(rng, length)
    style = rng.integers(0, 6, users)[user]
    level = rng.integers(0, 5, user.size)
    score = np.choose(
        style,
        [
            level / 4,
            level * 1e30 - 2e30,
            level + rng.choice([0, 1e-9], user.size),
            np.where(level, level, -level - 1) * 1e-3,
            np.where(level == 4, 1e300, level),  # beyond float32
            rng.permutation(user.size).astype(float),  # all distinct
        ],
    )
    run = pd.DataFrame({"user": name[user], "item": items[item], "score": score})
    length = rng.integers(1, ITEMS, users) * (rng.random(users) < 0.9)
    length[0] = ITEMS
    user, item = _some_of_each(rng, length)
    grade = rng.choice(
        [0, 1, 2, 3, 4, 1000, -1], user.size, p=[0.55, 0.2, 0.1, 0.06, 0.04, 0.02, 0.03]
    )
    grade = np.where((rng.random(users) < 0.1)[user], 0, grade)
    truth = pd.DataFrame({"user": name[user], "item": items[item], "relevance": grade})
    return run.take(rng.permutation(len(run))), truth.take(rng.permutation(len(truth)))


def yes_and_no(rng, users):
    """Return lists and their judgments with the grades 0 and 1 only."""
    run, truth = lists_and_truth(rng, users)
    return run, truth.assign(relevance=truth["relevance"].clip(0, 1))


def full_lists(rng, users, width):
    """Return a score and a grade of every item for every user, which is scikit-learn's input."""
    level = rng.integers(0, 5, (users, width))
    distinct = rng.permuted(np.tile(np.arange(width), (users, 1)), axis=1)
    score = np.where(rng.random((users, 1)) < 0.7, level / 4, distinct)
    grade = rng.choice([0, 0.5, 1, 2, 3.7, 250], (users, width), p=[0.5, 0.1, 0.2, 0.1, 0.07, 0.03])
    return score, np.where(rng.random((users, 1)) < 0.1, 0, grade)


def as_tables(score, grade):
    """Return the same data as tables, with an item for each column."""
    user, item = (place.ravel() for place in np.indices(score.shape))
    recs = pd.DataFrame({"user": user, "item": item, "score": score.ravel()})
    return recs, recs[["user", "item"]].assign(relevance=grade.ravel())


def _some_of_each(rng, length):
    """Return the stated number of different items for each user."""
    order = rng.random((length.size, ITEMS)).argsort(axis=1)
    user, rank = np.nonzero(np.arange(ITEMS) < length[:, np.newaxis])
    return user, order[user, rank]
