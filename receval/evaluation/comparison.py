"""The result of a comparison of systems: as a table, in words, and as marks on the means."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import Id, format_first, input_error
from receval._references import methods_text, remove_references
from receval._version import __version__
from receval.evaluation.comparison_verdicts import outcome
from receval.evaluation.markup import format_counts
from receval.evaluation.notes import MAX_NAMES_IN_NOTE, on_users
from receval.evaluation.protocols import ComparableResult
from receval.evaluation.report import ComparisonTable, check_digits
from receval.evaluation.settings import WORDS, Settings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison"]

MARKS = {1: "▲", 0: "", -1: "▼"}
"""The mark of a mean in a table, by the outcome of its comparison with the baseline."""

COUNT_COLUMNS = ["better", "same", "worse", "compared", "left out", "verdict"]
"""Columns of the results that `Comparison.to_frame` shows unchanged."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """Systems compared user by user.

    Attributes
    ----------
    results : DataFrame
        Indexed by (measure, system, baseline). The columns are ``difference`` (system minus
        baseline, mean over the compared users), ``low`` and ``high`` (its interval), ``p``,
        ``corrected`` (the corrected p-value) and ``effect``; the numbers of users for whom the
        system is ``better``, the ``same`` and ``worse``; the numbers of users who are ``compared``
        and ``left out`` (because they lack a value under one system); and the ``verdict``, which is
        "better" or "worse" if p-value, direction and interval agree, and otherwise names the
        condition that isn't met (see `Evaluation.compare`).
    evaluation : Result
        The result whose systems were compared, such as an `Evaluation`.
    settings : Settings
        The choices of the comparison.
    baselines : tuple of str
        The systems that others were compared with.
    not_compared : tuple of str
        Measures that have one value for all users together, so no test by user can compare them.
    """

    _results: pd.DataFrame
    evaluation: ComparableResult = field(repr=False)
    settings: Settings
    baselines: tuple[Id, ...]
    not_compared: tuple[str, ...]

    @property
    def results(self) -> pd.DataFrame:
        """Return a copy of the table of comparisons."""
        return self._results.copy()

    def table(self, digits: int = 3) -> ComparisonTable:
        """Return the means of all systems, marked if they differ significantly from the baseline.

        Parameters
        ----------
        digits : int, default 3
            Number of decimals.

        Returns
        -------
        Table
            ▲ means that the verdict is "better" than the baseline, and ▼ means "worse"; in LaTeX,
            these are arrows. If there are several baselines, there are no marks. The best value of
            each measure is bold.
        """
        check_digits(digits)
        # Take the means of the compared measures, and mark them with the verdicts.
        evaluation = self.evaluation
        compared = self._results.index.unique("measure")
        shown = {*compared, *self.not_compared}
        means = evaluation.summary[[name for name in evaluation.summary if name in shown]]
        # The table shows marks after the means.
        marks = pd.DataFrame("", means.index, means.columns, object)
        notes = []
        if len(self.baselines) == 1:
            keys_and_verdicts = zip(self._results.index, self._results["verdict"], strict=True)
            for (measure, system, _), verdict in keys_and_verdicts:
                marks.loc[system, measure] = MARKS[outcome(verdict)]
            notes.append(WORDS["notes"]["legend"].format(self.baselines[0]))
        # The last note has the counts of users, and must remain the last one.
        *choices, counts = self.notes()
        notes += choices
        # Values of all users together aren't means, and have no column in ``n``.
        n_users = evaluation.n.filter(list(means))
        notes += on_users(n_users, evaluation.counts, evaluation._row_name)
        notes.append(counts)

        return ComparisonTable(
            means,
            digits,
            bold=True,
            notes=tuple(notes),
            lower=evaluation._lower_measures,
            marks=marks,
        )

    def to_frame(self, digits: int = 3) -> pd.DataFrame:
        """Return the results as text, with a row for each comparison.

        Parameters
        ----------
        digits : int, default 3
            Number of decimals of differences and intervals.

        Returns
        -------
        DataFrame
            Indexed as ``results``. Intervals such as "[-0.012, 0.034]" are in one column, whose
            name states the level. If the comparison has no intervals, there is no such column.
        """
        check_digits(digits)
        results = self._results
        texts = results[["difference"]].map(lambda difference: f"{difference:+.{digits}f}")
        if self.settings.level is not None:
            low = results["low"].map(f"{{:.{digits}f}}".format)
            high = results["high"].map(f"{{:.{digits}f}}".format)
            name_of_interval = self.settings.interval
            texts[name_of_interval] = "[" + low + ", " + high + "]"
        texts[["p", "corrected"]] = results[["p", "corrected"]].map(_p_text)
        texts["effect"] = results["effect"].map(_effect_text)
        return texts.join(results[COUNT_COLUMNS].astype(str))

    def users(
        self, measure: str, system: Hashable = None, baseline: Hashable = None
    ) -> pd.DataFrame:
        """Return the users of one comparison, beginning with the largest losses of the system.

        Parameters
        ----------
        measure : str
            A compared measure. If the comparison is by groups, add the group: "nDCG@10, cold".
        system, baseline : str, optional
            A compared pair. Needed if there are several.

        Returns
        -------
        DataFrame
            Indexed by user: the values under the baseline and the system, and their difference.
            Users who lack one of the values come last.

        Raises
        ------
        InputError
            If no comparison or several comparisons fit the arguments.
        """
        # Find the comparison: (measure, system, baseline). None fits every system. In an evaluation
        # by groups, a measure has a different name in each group, such as "nDCG@10, cold".
        names = self.evaluation._measure_names([measure])
        comparisons = [key for key in self._results.index if key[0] in names]
        fitting = [
            key for key in comparisons if system in (None, key[1]) and baseline in (None, key[2])
        ]
        if len(fitting) != 1:
            if len(names) == 1:
                choices = [key[1:] for key in comparisons]  # name each by its pair
            else:
                choices = comparisons
            fits = f"which fits {len(fitting)} of {choices}"
            got = f"{(measure, system, baseline)}, {fits}"
            raise input_error("measure, system and baseline", "name one comparison", got)
        name, system_name, baseline_name = fitting[0]
        values, baseline_values = self._paired_values(name, system_name, baseline_name)
        difference = values - baseline_values
        table = pd.DataFrame(
            {baseline_name: baseline_values, system_name: values, "difference": difference}
        )
        # The largest loss is the lowest difference, or the highest if lower values are better.
        # sort_values puts users without a difference last in either case.
        losses_are_negative = name not in self.evaluation._lower_measures
        return table.sort_values("difference", kind="stable", ascending=losses_are_negative)

    def plot(self, **options: Any) -> list[Axes]:
        """Draw the differences with their intervals.

        Parameters
        ----------
        **options
            Options of `receval.plots.difference_intervals`.

        Returns
        -------
        list of matplotlib.axes.Axes
        """
        from receval.plots import difference_intervals

        level = self.settings.level
        if level is None:
            rule = "have intervals to draw"
            raise input_error("plot", rule, "a comparison with interval=False")
        # The user's options replace these defaults.
        defaults = {
            "alpha": self.settings.alpha,
            "lower": self.evaluation._lower_measures,
            "caption": f"bars: {100 * level:g} % bootstrap intervals, not adjusted",
        }
        return difference_intervals(self._results, **{**defaults, **options})

    def methods(self, *, bibtex: bool = False, latex: bool = False) -> str:
        r"""Return text for the methods section of a paper. It states every choice.

        Parameters
        ----------
        bibtex : bool, default False
            Return the BibTeX entries of the works that the text cites, instead of the text.
        latex : bool, default False
            Return the text for LaTeX: signs are escaped, and citations have the entries' keys.

        Returns
        -------
        str
        """
        programs = f"receval {__version__} (@receval2026) and SciPy (@virtanen2020)"
        computed = f"Systems were compared with {programs}"
        choices = "; ".join(self._citing_notes())
        return methods_text(
            f"{computed}; {choices}. {WORDS['literature']['tests']}", bibtex=bibtex, latex=latex
        )

    def to_latex(self, digits: int = 3) -> str:
        """Return the results as a LaTeX tabular (booktabs), with the choices in comments.

        Parameters
        ----------
        digits : int, default 3
            Number of decimals.

        Returns
        -------
        str
        """
        return self._table_of_results(digits).to_latex()

    def to_markdown(self, digits: int = 3) -> str:
        """Return the results as a table in Markdown, with the choices below it."""
        return self._table_of_results(digits).to_markdown()

    def __repr__(self) -> str:
        return repr(self._table_of_results())

    def _repr_html_(self) -> str:
        return self._table_of_results()._repr_html_()

    def _table_of_results(self, digits: int = 3) -> ComparisonTable:
        return ComparisonTable(self.to_frame(digits), digits, False, tuple(self.notes()))

    def notes(self) -> list[str]:
        """Return lines with the choices behind the results and the counts of users."""
        return [remove_references(note) for note in self._citing_notes()]

    def _citing_notes(self) -> list[str]:
        """Return the notes; they cite the literature by keys such as "@student1908".

        First come the choices of the comparison, then doubts about it, and last the counts of
        users.
        """
        row_name = self.evaluation._row_name  # "users" or "queries"
        compared = self._results.index.unique("measure")
        # Tables show one value for all users together under these measures, but the comparison used
        # the values of single users.
        compared_set_level = [
            name for name in self.evaluation._set_level_measures if name in compared
        ]
        compared_lower = [name for name in compared if name in self.evaluation._lower_measures]
        uncounted = ""
        if self.settings.correction != "none":
            uncounted = format_first(self._not_corrected(), MAX_NAMES_IN_NOTE)
        # Each doubt is the key of a text in words.toml, with the names that go into the text. A
        # doubt without names does not apply.
        names_by_doubt = {
            "apart": format_first(self._contradictions(), MAX_NAMES_IN_NOTE),
            "uncounted": uncounted,
            "not compared": ", ".join(self.not_compared),
            "own": ", ".join(compared_set_level),
            "lower": ", ".join(compared_lower),
        }
        # The texts say "users". Replace this word first and insert the names afterwards, because a
        # name may contain the word, too.
        n_corrected = len(self._results) - len(self._not_corrected())
        notes = [text.replace("users", row_name) for text in self.settings.words(n_corrected)]
        for doubt, names in names_by_doubt.items():
            if names:
                notes.append(WORDS["notes"][doubt].replace("users", row_name).format(names))
        notes += self.evaluation._comparison_notes()
        if self.evaluation._scope:
            notes.append(self.evaluation._scope)
        return [*notes, f"{row_name}: {format_counts(self.evaluation.counts)}"]

    def _not_corrected(self) -> list[str]:
        """Name the comparisons that don't count in the correction, such as "HR@100 (B - A)".

        In these, all users have the same difference: 0, which no test can find significant, or
        another one for which the t-test has no p-value.
        """
        has_no_difference = self._results["better"] + self._results["worse"] == 0
        is_left_out = has_no_difference | self._results["p"].isna()
        return [
            f"{name} ({system} - {baseline})"
            for name, system, baseline in self._results.index[is_left_out]
        ]

    def _contradictions(self) -> list[str]:
        """Name the comparisons in which test and interval disagree, such as "nDCG@10 (B - A)".

        They disagree if the uncorrected p-value is significant and the interval includes 0, or if
        the p-value is not significant and the interval excludes 0. Without intervals, the list is
        empty.
        """
        results = self._results
        if self.settings.level is None:
            return []
        excludes_zero = (results["low"] > 0) | (results["high"] < 0)
        is_significant = results["p"] <= self.settings.alpha
        has_both = results[["low", "p"]].notna().all(axis=1)  # neither is undefined
        disagree = has_both & (excludes_zero != is_significant)
        return [
            f"{name} ({system} - {baseline})" for name, system, baseline in results.index[disagree]
        ]

    def _paired_values(
        self, measure: str, system: Id, baseline: Id
    ) -> tuple[pd.Series[float], pd.Series[float]]:
        """Return the values of a system and of its baseline, user by user."""
        values_by_pair = self.evaluation._paired_values([measure], [(baseline, system)])
        values = values_by_pair[baseline, system]
        return values.system[measure], values.baseline[measure]


def _effect_text(effect: float) -> str:
    """Return an effect size as text with its sign and two decimals, "–" for NaN."""
    if np.isnan(effect):
        return "–"
    return f"{effect:+.2f}"


def _p_text(value: float) -> str:
    """Return a p-value as text with three decimals, "–" for NaN."""
    if np.isnan(value):
        return "–"
    if value < 0.0005:  # three decimals would show it as 0.000
        return "<0.001"
    return f"{value:.3f}"
