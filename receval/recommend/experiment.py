"""The data of an off-line run, in one object."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from receval._checks import check_that, input_error
from receval.models import item_features
from receval.tables.indexed import indexed_by_id

__all__ = ["Experiment"]


@dataclass(frozen=True)
class Experiment:
    """What an off-line run of document 002 needs, users in one order throughout.

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

    histories: Sequence[Sequence[Any]]
    relevant: Sequence[Sequence[Any]]
    candidates: pd.Index[Any]
    features: pd.DataFrame
    age: pd.Series[Any]
    visit_days: Sequence[Sequence[float]] | None = None
    texts: pd.Series[Any] | None = None

    def __post_init__(self) -> None:
        n = len(self.histories)
        for name, values in {"relevant": self.relevant, "visit_days": self.visit_days}.items():
            if values is not None and len(values) != n:
                raise input_error(name, f"hold one entry per user, {n} as histories", len(values))
        if isinstance(self.features, pd.DataFrame):
            features = indexed_by_id(self.features, ["item"], "features")
            object.__setattr__(self, "features", features)
        for name, index in {"features": self.features.index, "age": self.age.index}.items():
            if lacking := self.candidates.difference(index).tolist():
                raise input_error(name, "have every candidate", f"none of {lacking[:5]}")

    @classmethod
    def split(cls, data: Any, *, at: str | pd.Timestamp) -> Experiment:
        """Split visits at a moment: histories before it, what is to be found from it on.

        Parameters
        ----------
        data : TravelData or alike
            With ``visits`` (user, item, time), ``attributes``, ``texts`` and ``dates`` by item.
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
        visits = data.visits.sort_values("time", kind="stable")
        visits = visits.assign(days=(moment - visits["time"]).dt.days)
        past = visits[visits["time"] < moment].groupby("user")[["item", "days"]].agg(list)
        future = visits[visits["time"] >= moment].groupby("user")["item"].agg(list)
        users = past.join(future.rename("relevant"), how="inner")
        check_that(len(users) > 0, "at", "leave visits of some user on both sides", at)
        return cls(
            histories=users["item"].tolist(),
            relevant=users["relevant"].tolist(),
            candidates=data.attributes.index,
            features=item_features(data.attributes),
            age=(moment - data.dates).dt.days.clip(lower=0),
            visit_days=users["days"].tolist(),
            texts=data.texts,
        )

    @property
    def fingerprint(self) -> str:
        """A hash of the content: results of one data set are never taken for another's.

        It is computed each time, because lists and frames can be edited.
        """
        lists = (self.histories, self.relevant, self.visit_days or ())
        text = json.dumps([[list(map(str, part)) for part in one] for one in lists])
        tables = [self.candidates.to_series(), self.features, self.age, self.texts]
        known = [pd.util.hash_pandas_object(table) for table in tables if table is not None]
        return hashlib.sha256(text.encode() + pd.concat(known).to_numpy().tobytes()).hexdigest()
