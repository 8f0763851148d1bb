"""The result of a comparison of systems: as a table, in words, and as marks on the means."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import check_choice, format_first, input_error
from receval._references import methods_text, remove_references
from receval._types import Id
from receval._version import __version__
from receval.evaluation.intervals import bootstrap_intervals
from receval.evaluation.letters import empty_texts, letter_by_baseline, verdict_marks
from receval.evaluation.markup import format_counts
from receval.evaluation.notes import MAX_NAMES_IN_NOTE, on_users
from receval.evaluation.protocols import ComparableResult
from receval.evaluation.report import ComparisonTable, check_digits
from receval.evaluation.settings import WORDS, Settings
from receval.significance import minimum_detectable_difference

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Comparison"]

FEW_USERS = 10
"""If fewer users account for half of the squared differences, a note says so."""

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
    half_carried_by : Series
        The smallest number of users who account for half of the squared differences, for each
        comparison; 0 if no user differs.
    """

    _results: pd.DataFrame
    evaluation: ComparableResult = field(repr=False)
    settings: Settings
    baselines: tuple[Id, ...]
    not_compared: tuple[str, ...]
    half_carried_by: pd.Series[int] = field(repr=False)

    @property
    def results(self) -> pd.DataFrame:
        """Return a copy of the table of comparisons."""
        return self._results.copy()

    def table(self, digits: int = 3, *, intervals: bool = False) -> ComparisonTable:
        """Return the means of all systems, marked if they differ significantly from a baseline.

        Parameters
        ----------
        digits : int, default 3
            Number of decimals.
        intervals : bool, default False
            Whether to show the bootstrap interval of each mean next to the mean.

        Returns
        -------
        Table
            ▲a means that the verdict is "better" than the baseline with the letter a, and ▼a means
            "worse". In LaTeX, the letters are superscripts and subscripts. If all pairs are
            compared, the table has only ▲. The best value of each measure is bold.
        """
        check_digits(digits)
        # Take the means of the compared measures, and mark them with the verdicts.
        evaluation = self.evaluation
        compared = self._results.index.unique("measure")
        shown = {*compared, *self.not_compared}
        means = evaluation.summary[[name for name in evaluation.summary if name in shown]]
        letters = letter_by_baseline(self.baselines)
        marks = verdict_marks(self._results, letters, means)

        # The table shows letters after each mean. If the user asked for intervals, they come first.
        notes = [WORDS["notes"]["legend"]]
        interval_texts = empty_texts(means)
        if intervals:
            level = self._level_to_show("intervals", "be drawn to be shown")
            interval_texts = self._interval_texts(means, level, digits)
            percent = f"{100 * level:g}%"
            notes.append(f"brackets: {percent} bootstrap interval of each mean by itself")
        # The last note has the counts of users, and must remain the last one.
        *choices, counts = self.notes()
        notes += choices
        # Values of all users together aren't means, and have no column in ``n``.
        n_users = evaluation.n.filter(list(means))
        notes += on_users(n_users, evaluation.counts, evaluation._row_name)
        notes.append(counts)

        # Baselines appear with their letters, such as "pop (a)".
        names = {baseline: f"{baseline} ({letter})" for baseline, letter in letters.items()}
        texts_after_means = (interval_texts, marks.better, marks.worse)
        return ComparisonTable(
            means.rename(index=names),
            digits,
            bold=True,
            notes=tuple(notes),
            lower=evaluation._lower_measures,
            beside=tuple(texts.rename(index=names) for texts in texts_after_means),
        )

    def _interval_texts(self, means: pd.DataFrame, level: float, digits: int) -> pd.DataFrame:
        """Return the bootstrap interval of each mean as text, such as "[0.12, 0.34]".

        The table has the shape of ``means``: systems in rows, measures in columns. The text is ""
        for values of all users together, which are not means and have no interval. ``level`` is the
        level of the intervals, and ``digits`` is the number of decimals.
        """
        intervals = bootstrap_intervals(
            self.evaluation,
            level,
            rng=self.settings.seed,
            n_resamples=self.settings.n_resamples,
            measures=list(self._results.index.unique("measure")),
        )
        is_set_level = intervals.index.isin(self.evaluation._set_level_measures, level="measure")
        texts = empty_texts(means)
        ends = intervals.loc[~is_set_level, ["low", "high"]]
        for (measure, system), low, high in ends.dropna().itertuples():
            texts.loc[system, measure] = f"[{low:.{digits}f}, {high:.{digits}f}]"
        return texts

    def _level_to_show(self, argument: str, rule: str) -> float:
        """Return the level of the intervals; refuse a comparison without intervals.

        The error message begins with "<argument> must <rule>".
        """
        if self.settings.level is None:
            raise input_error(argument, rule, "a comparison with interval=False")
        return self.settings.level

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

    def detectable(self, power: float = 0.8) -> pd.Series:
        """Return the smallest true difference that each comparison would likely have found.

        Parameters
        ----------
        power : float, default 0.8
            The probability of finding the difference.

        Returns
        -------
        Series
            Indexed as ``results``: the ``minimum_detectable_difference`` of `receval.significance`
            for a single paired t-test at level alpha, not corrected for the number of comparisons.

        Raises
        ------
        InputError
            If ``power`` lies outside (alpha, 1).
        """
        differences = []
        for measure, system, baseline in self._results.index:
            values, baseline_values = self._paired_values(measure, system, baseline)
            difference = minimum_detectable_difference(
                values, baseline_values, alpha=self.settings.alpha, power=power
            )
            differences.append(difference)
        return pd.Series(differences, index=self._results.index, name="detectable")

    def plot(self, what: str = "differences", **options: Any) -> list[Axes]:
        """Draw the differences with their intervals, or the users who gain and lose.

        Parameters
        ----------
        what : {"differences", "users"}, default "differences"
            See `receval.plots.difference_intervals` and `receval.plots.user_outcomes`.
        **options
            Options of that function.

        Returns
        -------
        list of matplotlib.axes.Axes
        """
        from receval.plots import difference_intervals, user_outcomes

        check_choice(what, "what", ("differences", "users"))
        if what == "users":
            return user_outcomes(self._results, **options)
        # The user's options replace these defaults.
        level = self._level_to_show("plot", "have intervals to draw")
        kind = "simultaneous" if self.settings.simultaneous else "not adjusted"
        defaults = {
            "alpha": self.settings.alpha,
            "lower": self.evaluation._lower_measures,
            "caption": f"bars: {100 * level:g} % bootstrap intervals, {kind}",
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
            "few": format_first(self._carried_by_few(), MAX_NAMES_IN_NOTE),
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

    def _carried_by_few(self) -> list[str]:
        """Describe each comparison in which few users make up half of the squared differences.

        A description such as "3 of 50 for nDCG@10 (B - A)" has the number of these users and the
        number of all compared users.
        """
        # The number is 0 if no user differs.
        is_few = self.half_carried_by.between(1, FEW_USERS - 1)
        carriers = self.half_carried_by[is_few]
        compared = self._results["compared"].loc[carriers.index]
        return [
            f"{n_carriers} of {n_compared} for {name} ({system} - {baseline})"
            for (name, system, baseline), n_carriers, n_compared in zip(
                carriers.index, carriers, compared, strict=True
            )
        ]

    def _contradictions(self) -> list[str]:
        """Name the comparisons in which test and interval disagree, such as "nDCG@10 (B - A)".

        They disagree if the uncorrected p-value is significant and the interval includes 0, or if
        the p-value is not significant and the interval excludes 0. The list is empty if the
        intervals are simultaneous or have another level than 1 - alpha, because such intervals need
        not agree with the uncorrected test.
        """
        results = self._results
        level = self.settings.level
        has_level_of_test = level is not None and np.isclose(level, 1 - self.settings.alpha)
        if not has_level_of_test or self.settings.simultaneous:
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
