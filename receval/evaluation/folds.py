"""Folds put together: one result of all their users, and how far folds differ."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import check_number, check_text, refusal, shorten
from receval._exact import mean
from receval.engine.file import System, known, plain
from receval.engine.measured import Kept
from receval.engine.shapes import FINITE, NAME, NUMBER, TEXT, Optional, check_record
from receval.engine.signs import added
from receval.evaluation.comparing import pairs_of
from receval.evaluation.result import Evaluation
from receval.evaluation.settings import WORDS
from receval.significance import adjust, resampled_t

__all__ = ["Pooled", "pooled"]

POOLED = {
    "systems": [{"name": NAME}],
    "measures": [TEXT],
    "by_fold": {"index": [[NAME]], "columns": [TEXT], "data": [[NUMBER]]},
    "test_to_train": Optional(FINITE),
}
"""What the record of pooled folds has beside that of an evaluation."""
CHOICES = ("duplicates", "seen", "users")  # arguments of evaluate


@dataclass(eq=False, repr=False)
class Pooled(Evaluation):
    """The evaluation of all users of several folds; `pooled` makes it.

    Attributes
    ----------
    by_fold : DataFrame
        What each fold's ``summary`` is: indexed by (fold, system), measures in columns.
    test_to_train : float or None
        Size of a test set over that of its training set, mean over folds; None where not known.
    """

    by_fold: pd.DataFrame = field(default_factory=pd.DataFrame)
    test_to_train: float | None = None

    @property
    def spread(self) -> pd.DataFrame:
        """Standard deviation (n - 1) over folds: systems in rows, measures in columns."""
        return self.by_fold.groupby(level="system", sort=False).std()

    @property
    def means(self) -> pd.DataFrame:
        """Micro and macro means over folds.

        Returns
        -------
        DataFrame
            Indexed by (system, mean), ``mean`` being ``"micro"`` (all users of all folds together,
            set-level measures over the lists of all folds; this is the ``summary``) or ``"macro"``
            (the mean of the folds' values); measures in columns, then the number of ``folds`` and
            of ``users`` judged in them. A measure that has no value for some of these has a
            further column, such as ``AUC users``, of how many do.

        Notes
        -----
        The two agree when all folds have the same number of users, but for set-level measures.
        Document 000's programs take the micro mean, document 001's text the macro one.
        """
        macro = self.by_fold.groupby(level="system", sort=False).agg(mean)
        both = {"micro": self.summary, "macro": macro}
        table = pd.concat(both, names=["mean"]).swaplevel().loc[list(product(self.systems, both))]
        users = self.counts["judged"]
        fewer = self.n.columns[self.n.lt(users, axis=0).any()]
        counts = pd.concat([users.to_frame("users"), self.n[fewer].add_suffix(" users")], axis=1)
        return table.assign(folds=self._folds).join(counts, on="system")

    def resampled_t(
        self,
        baseline: str | Iterable[str] | None = None,
        *,
        correction: str | None = "holm",
    ) -> pd.DataFrame:
        """Nadeau and Bengio's corrected resampled t-test of systems, fold by fold.

        Parameters
        ----------
        baseline : str or iterable of str, optional
            The system or systems that all others are compared with. Default: all pairs.
        correction : str, default "holm"
            As in `receval.significance`, ``adjust``; over all comparisons.

        Returns
        -------
        DataFrame
            Indexed by (measure, system, baseline): ``difference``, mean over folds, its ``spread``
            (standard deviation over folds), ``t``, ``p`` and ``corrected``. Measures of all users
            together are among them. NaN where fewer than two folds have a value.

        Raises
        ------
        InputError
            If the sizes of the training sets are not known, a baseline is no system, or there are
            fewer than two systems or folds.
        """
        if self.test_to_train is None:
            advice = "Say with pooled(folds, train_sizes=…) how many users each was trained on"
            raise refusal("resampled_t", "have the sizes of training sets", "none", advice)
        if self._folds < 2:
            raise refusal("resampled_t", "have at least two folds", self._folds)
        rows = {}
        for name, (base, system) in product(self.by_fold, pairs_of(self, baseline)[1]):
            a, b = (self.by_fold[name].xs(one, level="system") for one in (system, base))
            d = a - b
            known = d.count() > 1  # a measure may have no value in a fold
            found = resampled_t(a, b, test_to_train=self.test_to_train) if known else None
            tested = (found.statistic, found.p) if found else (np.nan, np.nan)
            rows[name, system, base] = d.mean(), d.std(), *tested
        index = pd.MultiIndex.from_tuples(rows, names=["measure", "system", "baseline"])
        table = pd.DataFrame(rows.values(), index, ["difference", "spread", "t", "p"])
        return table.assign(corrected=adjust(table["p"], correction=correction))

    @property
    def _methods(self) -> str:
        told = [super()._methods, WORDS["folds"]["pooled"].format(self._folds)]
        if self.test_to_train is not None:
            told.append(WORDS["folds"]["tested"].format(self.test_to_train))
        return " ".join(told)

    @property
    def _folds(self) -> int:
        return int(self.by_fold.index.unique("fold").size)

    def _notes(self, digits: int) -> list[str]:
        ends = self.spread.agg(["min", "max"]).map(lambda x: f"{x:.{digits}f}")
        found = [f"{name} {' to '.join(dict.fromkeys(own))}" for name, own in ends.items()]
        over = f"standard deviation over {self._folds} folds: {', '.join(found)}"
        return [*super()._notes(digits), over]

    @property
    def _record(self) -> dict[str, Any]:
        names = [tuple(map(plain, key)) for key in self.by_fold.index]
        by_fold = {**self.by_fold.to_dict("split"), "index": names}
        kept = {"kind": "Pooled", "by_fold": by_fold, "test_to_train": self.test_to_train}
        return super()._record | kept

    @classmethod
    def _read(cls, path: Path, record: dict[str, Any]) -> Pooled:
        check_record(record, POOLED, path.name)
        by_fold = record["by_fold"]
        folds = {fold: None for fold, _ in by_fold["index"]}
        systems = [system["name"] for system in record["systems"]]
        rows = [list(pair) for pair in product(folds, systems)]
        if not rows or rows != by_fold["index"] or by_fold["columns"] != record["measures"]:
            rule = "hold every fold and system, and every measure"
            raise refusal(f"by_fold in {path.name}", rule, shorten(by_fold))
        by_fold["index"] = pd.MultiIndex.from_tuples(map(tuple, by_fold["index"]))
        frame = pd.DataFrame(**by_fold).rename_axis(["fold", "system"])
        return cls(*known(path, record), frame, record["test_to_train"])


def pooled(folds: Mapping[Any, Evaluation], train_sizes: Mapping[Any, Any] | None = None) -> Pooled:
    """One evaluation of all users of several folds.

    Parameters
    ----------
    folds : mapping
        Name of each fold and its `Evaluation`, all with the same systems, measures, convention,
        size of the catalogue, and kinds of user and item ids.
    train_sizes : mapping, optional
        For each fold the number of users that the systems were trained on; or, where folds divide
        rows and not users, a pair of the numbers of rows trained and tested on. With it
        ``resampled_t`` tests the systems over folds.

    Returns
    -------
    Pooled
        An `Evaluation` of the values of all users, with ``by_fold`` and ``spread`` over folds;
        ``means`` has micro and macro means. Where a user is judged in several folds, all have the
        fold before their id ("2/anna"), and such a user counts once in each.

    Raises
    ------
    InputError
        If there is no fold, a fold is no `Evaluation`, folds differ in one of the above, or a
        training set has no size above 0.

    Notes
    -----
    Tests by user take the values of one user in several folds, and those of systems trained on
    overlapping sets, as independent, which they are not: `Pooled.resampled_t` allows for it.

    Examples
    --------
    >>> from receval import evaluate
    >>> truth = {"user": [1, 2, 3], "item": ["a", "b", "c"], "relevance": [1, 1, 1]}
    >>> recs = {"user": [1, 2, 3], "item": ["a", "x", "c"], "score": [1.0, 1.0, 1.0]}
    >>> whole = evaluate(recs, truth, "HR")
    >>> result = pooled({"first": whole.where([1]), "second": whole.where([2, 3])})
    >>> result.means[["HR", "users"]].round(3)
                    HR  users
    system mean
           micro 0.667      3
           macro 0.750      3
    """
    _check_alike(folds)
    each = list(folds.values())
    again = pd.Index(np.concatenate([fold._users for fold in each])).has_duplicates
    systems = {name: _together(folds, name, again) for name in each[0].systems}
    by_fold = pd.concat({name: fold.summary for name, fold in folds.items()}, names=["fold"])
    ratio = None if train_sizes is None else _test_to_train(folds, train_sizes)
    return Pooled(each[0]._task, systems, by_fold, ratio)


def _together(folds: Mapping[Any, Evaluation], name: Hashable, again: bool) -> Kept:
    """A system in all folds; users who stand in several are told apart."""
    parts = [one._systems[name] for one in folds.values()]
    frames = [part.values() for part in parts]
    if again:
        for fold, frame in zip(folds, frames, strict=True):
            frame.index = pd.Index([f"{fold}/{user}" for user in frame.index], name="user")
    n, ties, states = (_of_every(parts, what) for what in ("n", "ties", "states"))
    of_all = {one.name: one.of_all for one in next(iter(folds.values())).measures if one.of_all}
    return Kept(
        pd.concat(frames).sort_index(),
        {what: sum(numbers) for what, numbers in _of_every(parts, "counts").items()},
        parts[0].item_kind,
        max(part.foreign for part in parts),
        any(part.like_ranks for part in parts),
        {measure: _ties(rows, n[measure]) for measure, rows in ties.items()},
        {measure: reduce(of_all[measure].combine, each) for measure, each in states.items()},
        _facts([part.facts for part in parts]),
    )


def _facts(facts_of_folds: list[dict[str, Any]]) -> dict[str, Any]:
    """The facts that notes are made from, of all folds; none if they are unknown of a fold."""
    if not all(facts_of_folds):
        return {}
    together: dict[str, Any] = reduce(added, facts_of_folds)
    # The same id can be misspelt in several folds, so that their counts can't be added.
    alike: dict[str, list[Any]] = {}
    for facts in facts_of_folds:
        for what, (count, *examples) in facts.get("alike", {}).items():
            if what not in alike or count > alike[what][0]:
                alike[what] = [count, *examples]
    return {**together, "alike": alike}


def _of_every(parts: list[System], what: str) -> dict[str, list[Any]]:
    """Those of an attribute's values that every part has, by what they are called."""
    each = [getattr(part, what) for part in parts]
    names = [name for name in each[0] if all(name in one for one in each)]
    return {name: [one[name] for one in each] for name in names}


def _ties(rows: list[dict[str, float]], n: list[int]) -> dict[str, float]:
    """What ties leave open of the mean of all folds."""
    weights = np.array(n)
    table, weights = pd.DataFrame(rows)[weights > 0], weights[weights > 0]
    means = {str(name): float(one @ weights / weights.sum()) for name, one in table.items()}
    return {**means, "users": int(table["users"].sum())}


def _test_to_train(folds: Mapping[Any, Evaluation], sizes: Mapping[Any, Any]) -> float:
    """The mean over folds of the size of the test set over that of the training set."""
    if not isinstance(sizes, Mapping) or sizes.keys() != folds.keys():
        rule = f"be a dict from each fold to a size, of the folds {list(folds)}"
        raise refusal("train_sizes", rule, shorten(sizes))
    ratios = []
    for name, size in sizes.items():
        judged = folds[name].counts["judged"].iloc[0]
        pair = size if isinstance(size, (tuple, list)) and len(size) == 2 else (size, judged)
        what = f"train_sizes of {name!r}"
        train, test = (check_number(one, what, "a number above 0", lambda x: x > 0) for one in pair)
        ratios.append(test / train)
    return float(np.mean(ratios))


def _check_alike(folds: Mapping[Any, Evaluation]) -> None:
    """Refuse folds whose values mean different things."""
    given = list(folds.values()) if isinstance(folds, Mapping) else [folds]
    wrong = [type(one).__name__ for one in given if not isinstance(one, Evaluation)]
    if wrong or not given:
        rule = "be a dict from the name of each fold to its evaluation, as evaluate answers"
        raise refusal("folds", f"{rule}, at least one", wrong[0] if wrong else "none")
    if len({*map(str, folds)}) < len(folds) or any(isinstance(one, tuple) for one in folds):
        rule = "be text, numbers or dates that differ as text"
        raise refusal("names of folds", rule, shorten(list(folds)))
    check_text(map(str, folds), "names of folds")
    (name, first), *others = ((name, _kinds(one)) for name, one in folds.items())
    for (fold, other), what in product(others, first):
        if other[what] != first[what]:
            got = f"{shorten(first[what])} in {name!r} and {shorten(other[what])} in {fold!r}"
            raise refusal("folds", f"have the same {what}", got)


def _kinds(one: Evaluation) -> dict[str, Any]:
    """What folds must have in common, by what it is called."""
    return {
        "systems and measures": (one.systems, [measure.name for measure in one.measures]),
        "convention": one._task.context.convention,
        "size of the catalogue": one._task.context.n_items,
        "auc_catalogue": one._task.context.auc_catalogue,
        "kind of item ids": next(iter(one._systems.values())).item_kind,
        "kind of user ids": "integer" if one._users.inferred_type == "integer" else "text",
        "parameters of systems": str(one._record["parameters"]),
        **{name: getattr(one._task, name) for name in CHOICES},
    }
