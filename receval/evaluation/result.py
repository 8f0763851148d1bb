"""The result of an evaluation: per-user values first, means as a view of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, InputError, check_choice
from receval.evaluation import comparing, report
from receval.evaluation.formats import write_table
from receval.evaluation.lists import Lists
from receval.evaluation.measure import Context, Measure, mean
from receval.evaluation.measures import measure as measure_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Evaluation", "pooled"]

LONG = 3_000_000  # rows from which a progress bar is shown unasked


@dataclass(frozen=True)
class Evaluation:
    """Values of every user under every measure, for one or several systems.

    Attributes
    ----------
    per_user : DataFrame
        Indexed by user, or by (system, user) where there are several systems; one column per
        measure that has a value for each user. This is the result; all else is a view.
    counts : DataFrame
        For each system the number of users: ``judged`` (they have relevance rows), ``answered``
        (of these, with recommendations), ``without truth`` (of these, without a relevant item)
        and ``ignored`` (recommended to, but not judged). Under ``duplicates="first"`` also the
        rows ``repeated``.
    """

    per_user: pd.DataFrame
    counts: pd.DataFrame
    measures: tuple[Measure, ...]
    context: Context
    lists: Mapping[str, Lists] = field(repr=False)
    states: Mapping[str, Mapping[str, Any]] = field(repr=False)

    compare = comparing.compare
    interval = comparing.interval

    @property
    def systems(self) -> list[str]:
        """Names of the systems; ``[""]`` where there is only one without a name."""
        return list(self.lists)

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means over users and set-level values: systems in rows, measures in columns.

        A mean is rounded once from the exact sum, so that no order or grouping of users changes
        it. Users without a value (NaN) are left out of it.
        """
        rows = {name: [self._value(name, one) for one in self.measures] for name in self.systems}
        columns = [one.name for one in self.measures]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
        return table.rename_axis("system")

    def values(self, system: str | None = None) -> pd.DataFrame:
        """Per-user values of one system, indexed by user.

        Parameters
        ----------
        system : str, optional
            Needed where there are several systems.

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            If the system is unknown, or there are several and none is named.
        """
        name = self._system(system)
        if len(self.systems) == 1:
            return self.per_user
        return pd.DataFrame(self.per_user.xs(name, level="system"))

    def table(self, digits: int = 2, bold: str | None = "best") -> report.Table:
        """The comparison table: systems, measures, the best value of each bold.

        Parameters
        ----------
        digits : int, default 2
            Decimals.
        bold : {"best", None}
            Whether the best value of each measure is bold; equal ones all are.

        Returns
        -------
        Table
            Shows itself in a notebook and as text; ``to_latex()`` for a paper.
        """
        check_choice(bold or "none", "bold", ("best", "none"))
        return report.Table(self.summary, self.counts, digits, bold == "best")

    def to_latex(self, digits: int = 2) -> str:
        """The comparison table in LaTeX, best values in bold face."""
        return self.table(digits).to_latex()

    def explain(self, user: Any, measure: str, *, system: str | None = None) -> report.Explanation:
        """Where one user's number comes from: their list, the terms, the choices in words.

        Parameters
        ----------
        user : id
            A judged user.
        measure : str
            A measure of this evaluation that has a value for each user.
        system : str, optional
            Needed where there are several systems.

        Returns
        -------
        Explanation
            With ``table`` (the working), ``formula``, ``choices`` and ``value``.

        Raises
        ------
        InputError
            If the user is not judged, the measure is not one of these, or it is a set-level
            one.
        """
        name = self._system(system)
        one = self._measure(measure)
        return report.explain(self.lists[name], one, self.context, user)

    def methods(self) -> str:
        """The sentences for a paper's methods section that pin every choice."""
        return report.methods(self.measures, self.context, self.counts)

    def plot(self, measures: list[str] | None = None, **options: Any) -> Axes:
        """Mean of each system under each measure; see `receval.plots.system_means`.

        Parameters
        ----------
        measures : list of str, optional
            Which ones. Default: all.
        **options
            Handed to `receval.plots.system_means`.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from receval.plots import system_means

        names = [self._measure(m).name for m in measures] if measures else list(self.summary)
        return system_means(self.summary[names], **options)

    def save(self, path: str | Path) -> None:
        """Write the per-user values, with every digit; aside first, then renamed.

        Parameters
        ----------
        path : str or Path
            Ending in .csv, .tsv, .parquet or .json.
        """
        write_table(self.per_user.reset_index(), path)

    def __repr__(self) -> str:
        return repr(self.table(digits=4))

    def _repr_html_(self) -> str:
        return self.table(digits=4)._repr_html_()

    def _value(self, system: str, one: Measure) -> float:
        if one.per_user:
            return mean(self.values(system)[one.name].to_numpy())
        assert one.finish is not None
        return one.finish(self.states[system][one.name], self.context)

    def _system(self, system: str | None) -> str:
        if system is None and len(self.systems) == 1:
            return self.systems[0]
        if system not in self.systems:
            raise InputError(f"system must be one of {self.systems}; got {system!r}")
        return system

    def _measure(self, name: str) -> Measure:
        wanted = measure_named(name).name
        for one in self.measures:
            if one.name == wanted:
                return one
        raise InputError(
            f"measure must be one of {[one.name for one in self.measures]}; got {name!r}"
        )


def measured(
    lists: Mapping[str, Lists],
    measures: list[Measure],
    context: Context,
    *,
    progress: bool | None = None,
) -> Evaluation:
    """Compute every measure of every system, block by block."""
    per_user, counts, states = {}, {}, {}
    for name, one in lists.items():
        per_user[name], counts[name], states[name] = _measure_system(
            one, measures, context, progress
        )
    truth = next(iter(lists.values())).truth
    users = pd.Index(truth.users.of(truth.judged), name="user")
    frames = {
        name: pd.DataFrame(values, index=users, copy=False) for name, values in per_user.items()
    }
    several = len(frames) > 1
    return Evaluation(
        per_user=pd.concat(frames, names=["system"]) if several else next(iter(frames.values())),
        counts=pd.DataFrame.from_dict(counts, orient="index").rename_axis("system"),
        measures=tuple(measures),
        context=context,
        lists=dict(lists),
        states=states,
    )


def pooled(folds: Mapping[Any, Evaluation]) -> pd.DataFrame:
    """Micro and macro means over folds.

    Parameters
    ----------
    folds : mapping
        Name of each fold and its `Evaluation`, all with the same systems and measures.

    Returns
    -------
    DataFrame
        Indexed by (system, mean), ``mean`` being ``"micro"`` (all users of all folds together,
        set-level measures over the lists of all folds) or ``"macro"`` (the mean of the folds'
        values); measures in columns.

    Raises
    ------
    InputError
        If there is no fold, or folds differ in systems or measures.

    Notes
    -----
    The two agree when all folds have the same number of users, but for set-level measures.
    Document 000's programs take the micro mean, document 001's text the macro one.
    """
    if not folds:
        raise InputError("folds must hold at least one evaluation; got none")
    first = next(iter(folds.values()))
    names = [one.name for one in first.measures]
    for fold, one in folds.items():
        if one.systems != first.systems or [m.name for m in one.measures] != names:
            raise InputError(
                f"folds must have the same systems and measures; got others in {fold!r}"
            )
    rows = {}
    for system in first.systems:
        rows[system, "micro"] = [_micro(folds, system, one) for one in first.measures]
        values = np.array([fold.summary.loc[system] for fold in folds.values()])
        rows[system, "macro"] = [mean(column) for column in values.T]
    index = pd.MultiIndex.from_tuples(rows, names=["system", "mean"])
    return pd.DataFrame(list(rows.values()), index=index, columns=names)


def _micro(folds: Mapping[Any, Evaluation], system: str, one: Measure) -> float:
    if one.per_user:
        values = [fold.values(system)[one.name].to_numpy() for fold in folds.values()]
        return mean(np.concatenate(values))
    assert one.combine is not None
    assert one.finish is not None
    state = reduce(one.combine, (fold.states[system][one.name] for fold in folds.values()))
    return one.finish(state, next(iter(folds.values())).context)


def _measure_system(
    lists: Lists, measures: list[Measure], context: Context, progress: bool | None
) -> tuple[dict[str, Any], dict[str, int], dict[str, Any]]:
    n = lists.truth.judged.size
    values = {one.name: np.empty(n) for one in measures if one.per_user}
    states: dict[str, Any] = {}
    answered = without = done = repeated = 0
    with _bar(lists, progress) as bar:
        for block in lists.blocks():
            here = slice(done, done + block.users.size)
            if context.convention.missing == "error" and (block.length == 0).any():
                silent = [lists.truth.users.one(u) for u in block.users[block.length == 0][:SHOWN]]
                raise InputError(
                    "recommendations must answer every judged user (missing='error'); "
                    f"got none for {silent}"
                )
            for one in measures:
                if one.per_user:
                    values[one.name][here] = one.of(block, context)
                else:
                    assert one.partial is not None
                    assert one.combine is not None
                    state = one.partial(block, context, one.k)
                    known = states.get(one.name)
                    states[one.name] = state if known is None else one.combine(known, state)
            answered += int(np.count_nonzero(block.length))
            without += int(np.count_nonzero(block.n_relevant == 0))
            repeated += block.repeated
            done = here.stop
            bar.update(block.users.size)
    for one in measures:
        if one.state_of_items and one.name in states:  # ids mean the same in other folds too
            states[one.name] = lists.truth.items.of(states[one.name])
    counts = {
        "judged": n,
        "answered": answered,
        "without truth": without,
        "ignored": lists.ignored,
    }
    if lists.keep_first:
        counts["repeated"] = repeated
    return values, counts, states


def _bar(lists: Lists, progress: bool | None) -> Any:
    from tqdm import tqdm

    shown = lists.user.size >= LONG if progress is None else progress
    return tqdm(
        total=lists.truth.judged.size,
        unit="user",
        unit_scale=True,
        desc=lists.system or "evaluate",
        disable=not shown,
    )
