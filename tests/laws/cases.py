"""Cases for the laws: a small evaluation, drawn as one string of bytes.

Hypothesis draws a string of bytes in one step, but a table of forty rows in two hundred. Because a
byte 0 means "not there", it shrinks a failing case to few rows.
"""

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy.stats import rankdata

from receval import evaluate
from receval.definitions.convention import CONVENTIONS, TIES
from receval.definitions.definition import STATED

USERS, ITEMS, KEYS = 4, 10, 48
FINE_SCORES = np.array([0, 1, 2, 1 + 1e-9, 0.5, -1, 3, np.inf])  # two are one in float32
FINE_GRADES = np.array([0, 1, 0, 2, 0.1, 3, 0, 0.7])
WHOLE_SCORES = np.array([0, 1, 2, 1, 4, -1, 3, 2])
WHOLE_GRADES = np.array([0, 1, 0, 2, 4, 3, 0, 1])
DENSITY = np.array([0, 1, 2, 4])  # quarters of the items in a user's list, or judged
LISTS = [one for one in STATED if "scores" not in one.needs]  # errors of ratings know no lists
WHOLE = tuple(one.name for one in LISTS)
CUT = tuple(f"{one.name}@k" for one in LISTS if one.takes_cutoff)
FORMS = WHOLE + CUT
ABOUT_ITEMS = {one.name for one in LISTS if one.needs}
CUTOFFS = (None, None, 1, 2, 3, 5, 8)
RULES = (*TIES, "ranks")
ITEM_TABLE = pd.DataFrame(
    {
        "awards": [5, 0, 1, 3, 0, 1, 2, 0, 8, 1],
        "novelty_date": pd.Timestamp("2026-03-01") - pd.to_timedelta([*range(9), 400], unit="D"),
        "colour": [1, 0, 2, 1, 3, 0, 1, 5, 2, 2],
        "shape": [0, 0, 1, 2, 1, 4, 1, 2, 2, 2],
        "taste": [2, 0, 1, 1, 0, 1, 1, 1, 2, 7],
    },
    index=np.arange(ITEMS),
)
"""The catalogue: items 0 to 9, with equal awards, one of no feature, two alike, one that is old."""


@dataclass(frozen=True)
class Outcome:
    """The result of an evaluation: a value per user and form, means, and the counts of users."""

    users: list
    values: np.ndarray
    means: np.ndarray
    counts: dict

    @classmethod
    def of(cls, result):
        """Return the result in the order of the measures; NaN if not per user."""
        return cls(
            users=result.per_user.index.tolist(),
            values=result.per_user.reindex(columns=result.summary.columns).to_numpy(),
            means=result.summary.loc[""].to_numpy(),
            counts=result.counts.loc[""].to_dict(),
        )

    def gap(self, other):
        """Return for each form the largest difference from another result, of users or of means."""
        assert (self.users, self.counts) == (other.users, other.counts)
        return np.maximum(apart(self.values, other.values), apart(self.means, other.means))


def apart(one, other):
    """Return the largest difference of each column: 0 for equal numbers and for two NaNs."""
    assert one.shape == other.shape
    gap = np.abs(one - other)
    gap[np.isnan(one) & np.isnan(other)] = 0.0
    return np.nan_to_num(np.atleast_2d(gap), nan=np.inf).max(axis=0)


@dataclass(frozen=True, eq=False)
class Case:
    """Two tables and a history, the options of their evaluation, and random keys for the laws.

    A cut-off ``k`` asks for every measure that takes one, none for every measure without; with
    ``about`` only for those of "relevance", or those that need a table of "items".
    ``ties`` is a rule for equal scores, None for the convention's own, or "ranks" where the lists
    come with ranks instead of scores. ``keys`` are random numbers: their order is a permutation.
    """

    recs: pd.DataFrame
    truth: pd.DataFrame
    history: pd.DataFrame
    convention: str = "receval"
    ties: str | None = None
    k: int | None = None
    about: str | None = None
    keys: np.ndarray = field(default_factory=lambda: np.arange(KEYS)[::-1])

    @property
    def forms(self):
        names = {one.name for one in LISTS} - set(dict(self.rules.refused))
        if self.about == "items":
            names &= ABOUT_ITEMS
        elif self.about == "relevance":
            names -= ABOUT_ITEMS
        forms = WHOLE if self.k is None else CUT
        return tuple(form for form in forms if form.removesuffix("@k") in names)

    @property
    def rules(self):
        return CONVENTIONS[self.convention]

    @property
    def order(self):
        """Return the column by which lists are sorted."""
        return "rank" if self.ties == "ranks" else "score"

    def tie_rule(self, form):
        """Return the rule that orders equal scores for a measure."""
        at_a_cut = {f"{name}@k": rule for name, rule in self.rules.cut_ties}
        return self.ties or at_a_cut.get(form, self.rules.ties)

    @cached_property
    def tied(self):
        """Check whether any list has scores that are equal as float32."""
        if self.ties == "ranks":
            return False
        single = self.recs[["user", "score"]].astype({"score": np.float32})
        return bool(single.duplicated().any())

    def permutation(self, n, start=0):
        """Return a permutation of n things, from the keys."""
        return np.argsort(self.keys[start : start + n], kind="stable")

    @cached_property
    def relevant(self):
        """Return a mask of the relevant items, users by items."""
        columns = ("user", "item", "relevance")
        user, item, grade = (self.truth[name].to_numpy() for name in columns)
        matrix = np.zeros((USERS, ITEMS), bool)
        matrix[user, item] = (grade > 0) & (grade >= self.rules.threshold)
        return matrix

    @cached_property
    def listed(self):
        """Return a mask of the listed items, users by items."""
        matrix = np.zeros((USERS, ITEMS), bool)
        matrix[self.recs["user"].to_numpy(), self.recs["item"].to_numpy()] = True
        return matrix

    def evaluate(self, **how):
        """Evaluate all measures of this case at once."""
        names = [form.replace("@k", f"@{self.k}") for form in self.forms]
        given = {
            "items": ITEM_TABLE,
            "history": self.history,
            "convention": self.convention,
            "ties": None if self.ties == "ranks" else self.ties,
            "rank": "rank" if self.ties == "ranks" else None,
        } | how
        recs, truth = given.pop("recs", self.recs), given.pop("truth", self.truth)
        if self.about == "relevance":
            del given["items"], given["history"]
        return evaluate(recs, truth, names, **given)

    def outcome(self, **how):
        return Outcome.of(self.evaluate(**how))

    @cached_property
    def plain(self):
        """Return the result of this case, unchanged."""
        return self.outcome()

    def but(self, **changes):
        return replace(self, **changes)


def tables(recs, truth, history=((0, 0),)):
    """Build a case from rows of (user, item, score) and of (user, item, grade)."""
    frame = pd.DataFrame(recs, columns=["user", "item", "score"]).astype({"score": float})
    return Case(
        frame.assign(rank=frame.groupby("user")["score"].rank("first", ascending=False)),
        pd.DataFrame(truth, columns=["user", "item", "relevance"]),
        pd.DataFrame(history, columns=["user", "item"]),
    )


@lru_cache(maxsize=2_000)  # the laws are tried on the same cases: evaluated once as they are
def case_of(raw, convention, ties, k, about, whole, distinct):
    """Decode a case from bytes.

    Users 0 and 1 are judged and have lists, so that the users can be split in two; the others may
    be without list, without truth, or unknown to one table.
    """
    cells = np.frombuffer(raw, np.uint8)
    who, cells = cells[:USERS], cells[USERS:]
    listed, cells = cells[: 2 * USERS * ITEMS].reshape(2, USERS, ITEMS), cells[2 * USERS * ITEMS :]
    judged, keys = cells[: USERS * ITEMS].reshape(USERS, ITEMS), cells[USERS * ITEMS :]
    anchor = np.arange(USERS) < 2

    def there(cell, density):
        density = np.maximum(DENSITY[density & 3], anchor)[:, np.newaxis]
        found = (cell >> 3 & 3) < density
        found[[0, 1], [0, 1]] = True
        return found

    in_list, in_truth = there(listed[0], who), there(judged, who >> 2)
    rows = np.flatnonzero(in_list)[np.argsort(listed[1][in_list], kind="stable")]
    user, item = np.divmod(rows, ITEMS)
    level = listed[0].ravel()[rows]
    score = (WHOLE_SCORES if whole else FINE_SCORES)[level & 7].astype(float)
    if distinct:
        score = rankdata(level & 7, method="ordinal").astype(float)
    recs = pd.DataFrame({"user": user, "item": item, "score": score})
    if ties == "ranks":
        recs["rank"] = recs.groupby("user")["score"].rank("first", ascending=False).astype(int)
    rows = np.flatnonzero(in_truth)[np.argsort(judged[in_truth] >> 5, kind="stable")]
    grade = (WHOLE_GRADES if whole else FINE_GRADES)[judged.ravel()[rows] & 7].astype(float)
    truth = {"user": rows // ITEMS, "item": rows % ITEMS, "relevance": grade}
    seen = (listed[0] >> 5 & 1).astype(bool)
    seen[[0, 1], [0, 1]] = True
    history = dict(zip(("user", "item"), seen.nonzero(), strict=True))
    frames = (recs, pd.DataFrame(truth), pd.DataFrame(history))
    return Case(*frames, convention=convention, ties=ties, k=k, about=about, keys=keys)


def cases():
    """Draw cases of every convention and rule for ties, with and without equal scores."""
    size = USERS * (1 + 3 * ITEMS) + KEYS
    return st.builds(
        case_of,
        st.binary(min_size=size, max_size=size),
        st.sampled_from(list(CONVENTIONS)),
        st.sampled_from([None, None, *RULES]),
        st.sampled_from(CUTOFFS),
        st.sampled_from(["relevance", "relevance", "items"]),
        st.booleans(),
        st.booleans(),
    )
