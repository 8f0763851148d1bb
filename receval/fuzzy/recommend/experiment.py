"""The data of an off-line run, in one object."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from receval._checks import Id, check_that
from receval.fuzzy.recommend.similarities import item_features

__all__ = ["Experiment"]


@dataclass(frozen=True)
class Experiment:
    """The data of an off-line run of document 002; all sequences have the same order of users.

    Attributes
    ----------
    histories : sequence of sequences
        For each user the visited items of the training part, oldest first.
    relevant : sequence of collections
        For each user the items of the test part.
    candidates : Index
        Items that may be recommended.
    features : DataFrame
        Items in rows, numbers in columns: for the cosine branch, re-ranking and diversity.
    age : Series
        Age in days of each item on the day of the run: for novelty.
    visit_days : sequence of sequences, optional
        For each user the days since each visit of the history: for temporal histories.
    texts : Series, optional
        Text of each item: for the doc2vec branch.
    """

    histories: Sequence[Sequence[Id]]
    relevant: Sequence[Sequence[Id]]
    candidates: pd.Index
    features: pd.DataFrame
    age: pd.Series
    visit_days: Sequence[Sequence[float]] | None = None
    texts: pd.Series | None = None

    def __post_init__(self) -> None:
        """Check that there is one entry per user, and that the tables have all candidates."""
        n_users = len(self.histories)
        for name, entries in {"relevant": self.relevant, "visit_days": self.visit_days}.items():
            rule = f"hold one entry per user, {n_users} as histories"
            check_that(entries is None or len(entries) == n_users, name, rule, entries)
        for name, index in {"features": self.features.index, "age": self.age.index}.items():
            missing = self.candidates.difference(index).tolist()
            check_that(not missing, name, "have every candidate", missing)

    @classmethod
    def split(
        cls,
        visits: pd.DataFrame,
        attributes: pd.DataFrame,
        *,
        dates: pd.Series,
        texts: pd.Series | None = None,
        at: str | pd.Timestamp,
    ) -> Experiment:
        """Split visits at a moment: earlier visits are histories, the others are relevant items.

        Parameters
        ----------
        visits : DataFrame
            One row per visit, with the columns ``user``, ``item`` and ``time``.
        attributes : DataFrame
            Attributes of the items; the index holds the items.
        dates : Series
            The date of each item.
        texts : Series, optional
            The text of each item.
        at : date
            The moment, which is also the day of the run. Users with visits on one side only
            are left out, as the document does.

        Returns
        -------
        Experiment
            All items are candidates; ages are whole days, 0 for items that are newer than the
            moment.

        Raises
        ------
        InputError
            If no user has visits on both sides.

        References
        ----------
        Document 002, section V-A.
        """
        moment = pd.Timestamp(at)
        in_order = visits.sort_values("time", kind="stable")
        in_order = in_order.assign(days=(moment - in_order["time"]).dt.days)
        # For each user a list of the items, and one of the days, in the order of the visits.
        is_past = in_order["time"] < moment
        past = in_order[is_past].groupby("user")[["item", "days"]].agg(list)
        future = in_order[~is_past].groupby("user")["item"].agg(list)
        # The inner join leaves out users with visits on one side only.
        users = past.join(future.rename("relevant"), how="inner")
        check_that(len(users) > 0, "at", "leave visits of some user on both sides", at)
        return cls(
            histories=users["item"].tolist(),
            relevant=users["relevant"].tolist(),
            candidates=attributes.index,
            features=item_features(attributes),
            age=(moment - dates).dt.days.clip(lower=0),
            visit_days=users["days"].tolist(),
            texts=texts,
        )
