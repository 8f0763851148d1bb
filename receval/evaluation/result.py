"""The result of an evaluation: per-user values first, means as a view of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from receval._checks import InputError, IntArray, check_choice, shorten
from receval._exact import mean
from receval.engine.threads import side_by_side
from receval.evaluation import comparing, notes, report
from receval.evaluation.methods import methods
from receval.measure.form import Context, Measure
from receval.measure.lists import Lists
from receval.measure.names import measure as measure_named
from receval.measure.names import parse
from receval.measure.tie_sums import TieSums
from receval.measure.ties import DRAWS, depends_on_ties, spreads
from receval.tables.formats import write_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Evaluation"]


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
    tied: Mapping[str, IntArray] = field(repr=False)

    compare = comparing.compare
    interval = comparing.interval

    @property
    def systems(self) -> list[str]:
        """Names of the systems; ``[""]`` where there is only one without a name."""
        return list(self.lists)

    @cached_property
    def _ties(self) -> pd.DataFrame:
        rows = {
            (name, measure): sums.row()
            for name in self.systems
            for measure, sums in self.tie_sums(name).items()
        }
        columns = ["pessimistic", "expected", "value", "optimistic", "users"]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
        drawn = {one.name for one in self.measures if one.tie_rule == "drawn"}
        if drawn:
            table["orders"] = [f"{DRAWS} drawn" if one in drawn else "all" for _, one in rows]
        table.index = (
            pd.MultiIndex.from_tuples(rows, names=["system", "measure"]) if rows else table.index
        )
        return table if len(self.systems) > 1 or not rows else table.droplevel("system")

    def tie_sums(self, system: str | None = None) -> dict[str, TieSums]:
        """By measure, the sums behind `ties`, which can be added up over parts of the users.

        Parameters
        ----------
        system : str, optional
            Needed where there are several systems.

        Returns
        -------
        dict of TieSums
        """
        name = self._system(system)
        known = [one for one in self.measures if depends_on_ties(one)]
        found = spreads(self.lists[name], self.tied[name], known, self.context)
        values = self.values(name)
        return {
            one.name: TieSums.of(values[one.name].to_numpy(), self.tied[name], found[one.name])
            for one in known
        }

    @property
    def kind_of_items(self) -> str:
        """Whether item ids are "integer" or "text"."""
        return next(iter(self.lists.values())).truth.items.kind

    @property
    def _by_rank(self) -> bool:
        return all(one.how.by_rank for one in self.lists.values())

    @cached_property
    def _slips(self) -> list[str]:
        signs = {name: notes.Signs.of(one) for name, one in self.lists.items()}
        return notes.on_input(signs, lambda name: len(set(self.lists[name].item[:].tolist())))

    @cached_property
    def summary(self) -> pd.DataFrame:
        """Means over users and set-level values: systems in rows, measures in columns.

        A mean is rounded once from the exact sum, so that no order or grouping of users changes
        it. Users without a value (NaN) are left out of it.
        """
        return self._by_system(self.measures, self._value)

    @cached_property
    def n(self) -> pd.DataFrame:
        """How many users each mean of `summary` is over: systems in rows, measures in columns.

        Below ``counts["judged"]`` where users have no value (NaN): AUC without both relevant and
        irrelevant items, diversity of lists shorter than two, users left out by the convention.
        Measures of all users together are not means, and not here.
        """
        each = [one for one in self.measures if one.per_user]
        return self._by_system(each, self._n)

    def _by_system(
        self, measures: Iterable[Measure], value: Callable[[str, Measure], float]
    ) -> pd.DataFrame:
        measures = tuple(measures)
        rows = {name: list(side_by_side(partial(value, name), measures)) for name in self.systems}
        columns = [one.name for one in measures]
        table = pd.DataFrame.from_dict(rows, orient="index", columns=columns)
        return table.rename_axis("system")

    def values(
        self, system: str | None = None, measures: Iterable[str] | None = None
    ) -> pd.DataFrame:
        """Per-user values of one system, indexed by user.

        Parameters
        ----------
        system : str, optional
            Needed where there are several systems.
        measures : iterable of str, optional
            Names of the columns wanted. Default: all. Where the values lie in files, only these
            are read.

        Returns
        -------
        DataFrame

        Raises
        ------
        InputError
            If the system is unknown, or there are several and none is named.
        """
        name = self._system(system)
        several = len(self.systems) > 1
        found = self._frames[name].copy(deep=False) if several else self.per_user
        return found if measures is None else found[list(measures)]

    @cached_property
    def _frames(self) -> dict[str, pd.DataFrame]:
        """The values of each system, which lie one system after the other."""
        n = len(self.per_user) // len(self.systems)
        return {
            name: self.per_user.iloc[place * n : (place + 1) * n].droplevel("system")
            for place, name in enumerate(self.systems)
        }

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
        check_choice("none" if bold is None else bold, "bold", ("best", "none"))
        report.check_digits(digits)
        lines = [
            *self._slips,
            *notes.on_users(self.n, self.counts),
            *notes.on_ties(self._ties, digits, self.context.convention),
        ]
        return report.Table(self.summary, self.counts, digits, bold == "best", notes=tuple(lines))

    def ties(self) -> pd.DataFrame:
        """What equal scores leave open: each mean's interval and expected value.

        Returns
        -------
        DataFrame
            Indexed by measure, or by (system, measure) where there are several systems:
            ``pessimistic`` and ``optimistic`` are the lowest and highest mean that any order of
            equal scores gives, ``expected`` is the mean over all these orders, ``value`` the one
            in `summary`, and ``users`` the number of users whose own value can change.

        Notes
        -----
        The expected values are exact, from the chance of each rank of a run of equal scores to be
        relevant, as scikit-learn averages nDCG; see `receval.metrics.form`. Measures that
        are not about relevance and order (coverage, diversity, novelty) and AUC, which counts
        ties one half, are not listed. Where ranks were given there are no ties.

        Of a measure of one's own whose terms have no such rule the expected value is the mean over
        drawn orders, which the column ``orders`` then says, and no interval is known.
        """
        return self._ties.copy()

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
        own = self.values(name).get(one.name)
        return report.explain(self.lists[name], one, self.context, user, own)

    def methods(self) -> str:
        """A paragraph for a paper's methods section that pins every choice."""
        return methods(
            self.measures,
            self.context,
            self.counts,
            by_rank=self._by_rank,
            notes=notes.on_users(self.n, self.counts),
        )

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

        wanted = self.measures if measures is None else parse(measures)
        names = [self._measure(one.name).name for one in wanted]
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

    def _n(self, system: str, one: Measure) -> int:
        return int(self.values(system)[one.name].count())

    def _system(self, system: str | None) -> str:
        if system is None and len(self.systems) == 1:
            return self.systems[0]
        try:
            known = system in dict.fromkeys(self.systems)
        except TypeError:  # a list or an array
            known = False
        if not known:
            raise InputError(f"system must be one of {self.systems}; got {shorten(system)}")
        return cast(str, system)

    def _measure(self, name: str) -> Measure:
        wanted = measure_named(name, self.measures).name
        for one in self.measures:
            if one.name == wanted:
                return one
        raise InputError(
            f"measure must be one of {[one.name for one in self.measures]}; got {name!r}"
        )
