"""What a comparison of systems found, as a table, in words and as markers on the means."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import check_choice, format_first, input_error
from receval._references import plain
from receval._snapshots import hands_out_copies
from receval._version import __version__
from receval.evaluation.letters import table
from receval.evaluation.markup import format_counts
from receval.evaluation.methods import methods
from receval.evaluation.notes import MAX_NAMES_IN_NOTE
from receval.evaluation.report import ComparisonTable, check_digits
from receval.evaluation.settings import WORDS, Settings
from receval.significance import minimum_detectable_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from receval.evaluation.base import Result

__all__ = ["Comparison"]

FEW_USERS = 10  # from which no note says that a difference rests on few users
AS_TEXT = ["better", "same", "worse", "compared", "left out", "verdict"]


@hands_out_copies("results")
@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared user by user.

    Attributes
    ----------
    results : DataFrame
        Indexed by (measure, system, baseline): ``difference`` (system - baseline, mean over the
        users compared), ``low`` and ``high`` (its interval), ``p``, ``corrected`` (p), ``effect``,
        the numbers of users for whom the system is ``better``, the ``same`` and ``worse``, and
        of users ``compared`` and ``left out`` (without a value on one side), and the
        ``verdict``: "better" or "worse" where p-value, direction and interval agree, else what is
        missing; see `Evaluation.compare`.
    evaluation : Result
        What was compared, such as an `Evaluation`.
    settings : Settings
        How.
    baselines : tuple of str
        The systems that others were compared with.
    not_compared : tuple of str
        Measures of all users together, which no test by user can compare.
    half_carried_by : Series
        The fewest users who carry half of the squared differences of each comparison; 0 where
        none differs.
    """

    methods = methods
    table = table

    results: pd.DataFrame
    evaluation: Result = field(repr=False)
    settings: Settings
    baselines: tuple[str, ...]
    not_compared: tuple[str, ...]
    half_carried_by: pd.Series[int] = field(repr=False)

    def to_frame(self, digits: int = 3) -> pd.DataFrame:
        """The results as text.

        Parameters
        ----------
        digits : int, default 3
            Decimals of differences and their intervals.

        Returns
        -------
        DataFrame
        """
        check_digits(digits)
        found, level = self.results, self.settings.level
        shown = found[["difference"]].map(lambda x: f"{x:+.{digits}f}")
        if level is not None:
            low, high = (found[end].map(f"{{:.{digits}f}}".format) for end in ("low", "high"))
            shown[self.settings.interval] = "[" + low + ", " + high + "]"
        shown[["p", "corrected"]] = found[["p", "corrected"]].map(_p)
        shown["effect"] = found["effect"].map(lambda x: "–" if np.isnan(x) else f"{x:+.2f}")
        return shown.join(found[AS_TEXT].astype(str))

    def users(
        self, measure: str, system: Hashable = None, baseline: Hashable = None
    ) -> pd.DataFrame:
        """The users of one comparison, those where the system loses most first.

        Parameters
        ----------
        measure : str
            A compared measure.
        system, baseline : str, optional
            A compared pair. Needed where there are several.

        Returns
        -------
        DataFrame
            Indexed by user: the values under the baseline and the system, and their difference.
            Users without a value on one side come last.

        Raises
        ------
        InputError
            If it is not one of the comparisons, or not said which of several.
        """
        (name,) = self.evaluation._names([measure])
        known = [row for row in self.results.index if row[0] == name]
        rows = [row for row in known if system in (None, row[1]) and baseline in (None, row[2])]
        if len(rows) != 1:
            fits = f"which fits {len(rows)} of {[row[1:] for row in known]}"
            got = f"{(measure, system, baseline)}, {fits}"
            raise input_error("measure, system and baseline", "name one comparison", got)
        _, first, second = rows[0]
        a, b = self._sides(*rows[0])
        found = pd.DataFrame({second: b, first: a, "difference": a - b})
        rising = name not in self.evaluation._lower
        return found.sort_values("difference", kind="stable", ascending=rising)

    def detectable(self, power: float = 0.8) -> pd.Series:
        """Smallest true difference that each comparison would likely have found.

        Parameters
        ----------
        power : float, default 0.8
            How likely.

        Returns
        -------
        Series
            Indexed as ``results``; see `receval.significance`,
            ``minimum_detectable_difference``, for a single paired t-test at level alpha, not
            corrected for the number of comparisons.

        Raises
        ------
        InputError
            If ``power`` lies outside (alpha, 1).
        """
        detectable = partial(minimum_detectable_difference, alpha=self.settings.alpha, power=power)
        values = [detectable(*self._sides(*key)) for key in self.results.index]
        return pd.Series(values, index=self.results.index, name="detectable")

    def plot(self, what: str = "differences", **options: Any) -> list[Axes]:
        """Draw the differences with their intervals, or the users who gain and lose.

        Parameters
        ----------
        what : {"differences", "users"}, default "differences"
            See `receval.plots.difference_intervals` and `receval.plots.user_outcomes`.
        **options
            Handed to that function.

        Returns
        -------
        list of matplotlib.axes.Axes
        """
        from receval.plots import difference_intervals, user_outcomes

        if check_choice(what, "what", ("differences", "users")) == "users":
            return user_outcomes(self.results, **options)
        if self.settings.level is None:
            raise input_error("plot", "have intervals to draw", "a comparison with interval=False")
        kind = "simultaneous" if self.settings.simultaneous else "not adjusted"
        bars = f"bars: {100 * self.settings.level:g} % bootstrap intervals, {kind}"
        lower = self.evaluation._lower
        how = {"alpha": self.settings.alpha, "lower": lower, "caption": bars, **options}
        return difference_intervals(self.results, **how)

    @property
    def _methods(self) -> str:
        computed = f"Systems were compared with receval {__version__} and SciPy (@virtanen2020)"
        return f"{computed}; {'; '.join(self._said())}. {WORDS['literature']['tests']}"

    def to_latex(self, digits: int = 3) -> str:
        """The results as a LaTeX tabular (booktabs), the choices in comments.

        Parameters
        ----------
        digits : int, default 3
            Decimals.

        Returns
        -------
        str
        """
        return self._shown(digits).to_latex()

    def to_markdown(self, digits: int = 3) -> str:
        """The results as a table in Markdown, the choices below."""
        return self._shown(digits).to_markdown()

    def __repr__(self) -> str:
        return repr(self._shown())

    def _repr_html_(self) -> str:
        return self._shown()._repr_html_()

    def _shown(self, digits: int = 3) -> ComparisonTable:
        return ComparisonTable(self.to_frame(digits), digits, False, tuple(self.notes()))

    def notes(self) -> list[str]:
        """The choices behind the results, and the counts of users, a line each."""
        return [plain(note) for note in self._said()]

    def _said(self) -> list[str]:
        """The notes, which cite by key."""
        each, notes = self.evaluation._each, self.settings.words(len(self.results))
        lower = self.results.index.get_level_values("measure").isin(self.evaluation._lower)
        few = self.half_carried_by[self.half_carried_by.between(1, FEW_USERS - 1)]
        carried = [
            f"{count} of {users} for {name} ({system} - {base})"
            for (name, system, base), count, users in zip(
                few.index, few, self.results["compared"].loc[few.index], strict=True
            )
        ]
        apart = [f"{name} ({one} - {base})" for name, one, base in self._apart()]
        own = [name for name in self.evaluation._of_all if name in self.results.index.unique(0)]
        doubts = {
            "apart": format_first(apart, MAX_NAMES_IN_NOTE),
            "few": format_first(carried, MAX_NAMES_IN_NOTE),
            "not compared": ", ".join(self.not_compared),
            "own": ", ".join(own),
            "lower": ", ".join(self.results.index[lower].unique("measure")),
        }
        notes += [WORDS["notes"][doubt].format(told) for doubt, told in doubts.items() if told]
        notes = [note.replace("users", each) for note in notes]
        notes += self.evaluation._notes_on_comparing()
        if self.evaluation._scope:
            notes.append(self.evaluation._scope)
        return [*notes, f"{each}: {format_counts(self.evaluation.counts)}"]

    def _apart(self) -> pd.Index:
        """Comparisons that are significant, uncorrected, though 0 is in the interval, or not."""
        found, level = self.results, self.settings.level
        is_decisive = level is not None and np.isclose(level, 1 - self.settings.alpha)
        if not is_decisive or self.settings.simultaneous:
            return found.index[:0]
        outside = (found["low"] > 0) | (found["high"] < 0)
        known = found[["low", "p"]].notna().all(axis=1)
        return found.index[known & (outside != (found["p"] <= self.settings.alpha))]

    def _sides(self, measure: str, *pair: str) -> list[pd.Series]:
        """The values of a pair of systems, user by user."""
        system, base = pair
        (both,) = self.evaluation._of_pairs([measure], [(base, system)]).values()
        return [side[measure] for side in both]


def _p(value: float) -> str:
    if np.isnan(value):
        return "–"
    return "<0.001" if value < 0.0005 else f"{value:.3f}"
