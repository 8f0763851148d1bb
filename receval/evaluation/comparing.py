"""Compare the systems of an evaluation user by user: one table, in words, and as marks on means."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._arrays import mean
from receval._checks import (
    FloatArray,
    Id,
    check_choice,
    check_integer,
    check_number,
    check_that,
    counted,
    format_first,
    input_error,
)
from receval._files import methods_text, remove_references
from receval._version import __version__
from receval.definitions.definition import Measure, Names
from receval.evaluation.notes import (
    MAX_NAMES_IN_NOTE,
    WORDS,
    as_sentence,
    format_counts,
    on_ties,
    on_users,
)
from receval.evaluation.report import ComparisonTable, with_advice, without_advice
from receval.significance import adjust
from receval.significance.intervals import student_ends
from receval.significance.paired import (
    PairedTest,
    count_test,
    paired_differences,
    signed_rank_test,
    student_test,
    swap_test,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


TESTS: dict[str, Callable[..., PairedTest]] = {
    "t": student_test,
    "wilcoxon": signed_rank_test,
    "sign": count_test,
    "permutation": swap_test,
}
"""The tests of a comparison."""

DIGITS_OF_TIES = 3
"""Decimals of means in the note on equal scores, whatever decimals a table has."""

COLUMNS = [
    "difference",
    "low",
    "high",
    "p",
    "corrected",
    "effect",
    "better",
    "same",
    "worse",
    "compared",
    "left out",
    "verdict",
]
"""The columns of the results of a comparison."""

VERDICT_BY_DIRECTION = {1: "better", -1: "worse", 0: "disagree"}
"""The verdict on a significant difference, by the direction of the test."""

MARKS = {"better": "▲", "worse": "▼"}
"""The mark of a mean in a table, by the first word of the verdict."""


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
        and ``left out`` (because they lack a value under one system); and the ``verdict`` (see
        `Evaluation.compare`).
    evaluation : Evaluation
        The result whose systems were compared. Its module imports this one, so its type is `Any`.
    test, correction : str
        The test, and how its p-values are corrected for the number of comparisons.
    alpha : float
        The largest corrected p-value for a verdict "better" or "worse".
    baseline : str or None
        The system that all others were compared with; None if every two were compared.
    not_compared : tuple of str
        Measures that have one value for all users together, so no test by user can compare them.
    """

    _results: pd.DataFrame
    evaluation: Any = field(repr=False)
    test: str
    correction: str
    alpha: float
    baseline: Id | None
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
        ComparisonTable
            ▲ means that the verdict is "better" than the baseline, and ▼ means "worse"; in LaTeX,
            these are arrows. Without a baseline, there are no marks. The best value of each measure
            is bold.
        """
        check_integer(digits, "digits", 0, 100)
        evaluation = self.evaluation
        summary = evaluation.summary
        shown = {*self._results.index.unique("measure"), *self.not_compared}
        means = summary[[name for name in summary if name in shown]]
        notes = [*with_advice(self._doubts()), *self._notes_on_ties()]
        # Values of all users together aren't means, and are left out.
        notes += on_users(evaluation._n_users.filter(list(means)), evaluation.counts)
        marks = None
        if self.baseline is not None:
            marks = self._marks(means)
            legend = WORDS["notes"]["legend"].format(self.baseline, self.alpha)
            notes = [legend, remove_references(self._choices()["p"]), *notes]
        return ComparisonTable(
            means,
            dict.fromkeys(map(str, means), digits),
            marked=1,
            notes=(*notes, self._counts()),
            lower=evaluation._lower_measures,
            marks=marks,
        )

    def _marks(self, means: pd.DataFrame) -> pd.DataFrame:
        """Return the mark of each mean, by its verdict against the baseline; or ""."""
        first_words = self._results["verdict"].str.split().str[0]
        marks = first_words.map(lambda word: MARKS.get(word, "")).droplevel("baseline")
        by_measure = marks.unstack("measure")  # noqa: PD010 (texts, of which there is no mean)
        return by_measure.reindex(means.index, columns=means.columns, fill_value="")

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
            name states the level.
        """
        check_integer(digits, "digits", 0, 100)
        name_of_interval = f"{100 * (1 - self.alpha):g}% interval (not adjusted)"
        rows = []
        for _, row in self._results.iterrows():
            interval = "–"
            if not np.isnan(row["low"]):
                interval = f"[{row['low']:.{digits}f}, {row['high']:.{digits}f}]"
            effect = "–"
            if not np.isnan(row["effect"]):
                effect = f"{row['effect']:+.2f}"
            texts = {
                "difference": f"{row['difference']:+.{digits}f}",
                name_of_interval: interval,
                "p": _format_p(row["p"]),
                "corrected": _format_p(row["corrected"]),
                "effect": effect,
            }
            rows.append({**texts, **row.loc["better":].astype(str)})
        return pd.DataFrame(rows, self._results.index)

    def plot(self) -> list[Axes]:
        """Draw the mean differences with their intervals, one panel per measure.

        A point is filled if its difference is decided, and empty if it is not.

        Returns
        -------
        list of matplotlib.axes.Axes
        """
        from receval.plots.systems import difference_intervals

        lower = self.evaluation._lower_measures
        caption = f"bars: {100 * (1 - self.alpha):g} % intervals, not adjusted"
        return difference_intervals(self._results, alpha=self.alpha, lower=lower, caption=caption)

    def methods(self, *, bibtex: bool = False, latex: bool = False) -> str:
        r"""Return text for the methods section of a paper. It states every choice.

        Parameters
        ----------
        bibtex : bool, default False
            Return the BibTeX entries of the works that the text cites, instead of the text. Empty
            lines separate them, and each entry is the same in all texts, so to join two texts,
            split both at empty lines and drop what repeats.
        latex : bool, default False
            Return the text for LaTeX: signs are escaped, and citations have the entries' keys.

        Returns
        -------
        str
        """
        tools = f"receval {__version__} (@receval2026) and SciPy (@virtanen2020)"
        texts = [
            f"systems were compared with {tools}",
            *without_advice([*self._choices().values(), *self._doubts()]),
            f"the numbers of users are {format_counts(self.evaluation.counts)}",
        ]
        text = " ".join([*map(as_sentence, texts), WORDS["literature"]["tests"]])
        return methods_text(text, bibtex=bibtex, latex=latex)

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

    def __repr__(self) -> str:
        return repr(self._table_of_results())

    def _repr_html_(self) -> str:
        return self._table_of_results()._repr_html_()

    def _table_of_results(self, digits: int = 3) -> ComparisonTable:
        """Return the differences, tests and verdicts as a table with notes."""
        return ComparisonTable(self.to_frame(digits), {}, 0, tuple(self.notes()))

    def notes(self) -> list[str]:
        """Return lines with the choices behind the results and the counts of users.

        They include a note if the compared means depend on the order of equal scores.
        """
        choices = with_advice(remove_references(choice) for choice in self._choices().values())
        doubts = with_advice(self._doubts())
        return [*choices, *doubts, *self._notes_on_ties(), self._counts()]

    def _choices(self) -> dict[str, str]:
        """Return the choices of the comparison in words, by the columns that they are about.

        The words cite the literature by keys such as "@student1908".
        """
        results = self._results
        n_differing = np.count_nonzero(results["better"] + results["worse"])
        words = WORDS["comparison"]
        draws = default_permutations(len(results), self.correction, self.alpha)
        test = WORDS["tests"][self.test].format(draws)
        comparisons = f"all {n_differing} comparisons"
        if n_differing == 1:
            comparisons = "1 comparison"
        correction = WORDS["corrections"][self.correction].format(comparisons)
        return {
            "difference": words["difference"],
            "interval": words["interval"].format(100 * (1 - self.alpha)),
            "p": words["p"].format(test, correction),
            "verdict": words["verdict"].format(self.alpha),
            "effect": words["effect"].format(WORDS["effects"][self.test]),
        }

    def _doubts(self) -> list[str]:
        """Return notes on what the comparison leaves out, or shows in another way than you expect.

        They have marks of advice; see `with_advice`.
        """
        evaluation = self.evaluation
        results = self._results
        compared = results.index.unique("measure")
        is_same = results["better"] + results["worse"] == 0
        same = [
            f"{measure} ({system} - {baseline})"
            for measure, system, baseline in results.index[is_same]
        ]
        # Each doubt is the key of a text in words.toml, with the names that go into the text. A
        # doubt without names does not apply.
        names_by_doubt = {
            "uncounted": format_first(same, MAX_NAMES_IN_NOTE),
            "not compared": ", ".join(self.not_compared),
            "own": ", ".join(compared.intersection(evaluation._set_level_measures, sort=False)),
            "lower": ", ".join(compared.intersection(evaluation._lower_measures, sort=False)),
        }
        doubts = [
            WORDS["notes"][doubt].format(names) for doubt, names in names_by_doubt.items() if names
        ]
        return [*doubts, *evaluation._comparison_notes()]

    def _notes_on_ties(self) -> list[str]:
        """Return a note if the compared means depend on the order of equal scores."""
        ties = self.evaluation.ties()
        compared = self._results.index.unique("measure")
        ties = ties[ties.index.get_level_values("measure").isin(compared)]
        return on_ties(ties, DIGITS_OF_TIES, self.evaluation._options.convention)

    def _counts(self) -> str:
        """Return the note with the counts of users."""
        return f"users: {format_counts(self.evaluation.counts)}"


def _format_p(p: float) -> str:
    """Return a p-value with three decimals, which would show one below 0.0005 as 0.000."""
    if p < 0.0005:
        return "<0.001"
    return f"{p:.3f}"


def compare_systems(
    evaluation: Any,
    baseline: Id | None,
    measures: str | Iterable[str] | None,
    *,
    test: str,
    correction: str,
    alpha: float,
) -> Comparison:
    """Compare systems in pairs under each measure; see `Evaluation.compare`.

    The names of the systems of ``evaluation`` must be single values, not tuples.
    """
    check_choice(test, "test", TESTS)
    check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    pairs = select_pairs(evaluation.systems, baseline)
    compared, not_compared = select_measures(evaluation, measures)
    run = TESTS[test]
    if test == "permutation":
        draws = default_permutations(len(compared) * len(pairs), correction, alpha)
        run = partial(swap_test, n_resamples=draws)
    values_by_pair = {pair: evaluation._paired_values(*pair) for pair in pairs}
    rows = {}
    for measure, (base, system) in product(compared, pairs):
        name = measure.name
        values, values_of_base = values_by_pair[base, system]
        each = f"users with {name} under {system!r} and {base!r}"
        differences, left_out = paired_differences(values[name], values_of_base[name], each=each)
        outcome = run(differences, left_out)
        rows[name, system, base] = _row_of_pair(outcome, differences, measure, alpha)
    index = pd.MultiIndex.from_tuples(rows, names=["measure", "system", "baseline"])
    results = pd.DataFrame(list(rows.values()), index)
    _add_verdicts(results, test, correction, alpha)
    return Comparison(
        results[COLUMNS],
        evaluation,
        test=test,
        correction=correction,
        alpha=alpha,
        baseline=baseline,
        not_compared=tuple(not_compared),
    )


def select_measures(evaluation: Any, names: Names | None) -> tuple[list[Measure], list[str]]:
    """Return the wanted measures of an evaluation with values of users, and names of the others.

    The others, such as coverage, have one value for all users together. There is at least one
    measure with values of users. If ``names`` is None, all measures with them are wanted.

    Raises
    ------
    InputError
        If a measure is not in the evaluation, or a wanted measure has no values of users.
    """
    wanted = evaluation._measures_named(names)
    compared = [measure for measure in wanted if measure.per_user]
    others = [measure.name for measure in wanted if not measure.per_user]
    if others and (names is not None or not compared):
        rule = "have a value for each user, so that systems can be compared"
        raise input_error("measures", rule, f"{others}, of all users together")
    return compared, others


def select_pairs(systems: list[Id], baseline: Id | None) -> list[tuple[Id, Id]]:
    """Return the pairs (baseline, system) to compare, at least one.

    All other systems are compared with ``baseline``; if it is None, every two systems are.

    Raises
    ------
    InputError
        If there are fewer than two systems, or the baseline is not one of them.
    """
    advice = "Evaluate them together: evaluate({'A': …, 'B': …}, …) or system=…"
    check_that(len(systems) > 1, "compare", "be given at least two systems", len(systems), advice)
    if baseline is None:
        return list(combinations(systems, 2))
    is_system = pd.api.types.is_hashable(baseline) and baseline in systems
    check_that(is_system, "baseline", f"be one of {systems}", baseline)
    return [(baseline, system) for system in systems if system != baseline]


def default_permutations(comparisons: int, correction: str, alpha: float) -> int:
    """Return the number of draws of the permutation test: from 9,999 to 10 million.

    A p-value needs a certain number of draws to be significant after Bonferroni's correction. We
    take twenty times that number, so a p-value near the bound rests on about twenty draws that are
    as extreme as the observed one.
    """
    if correction == "none":
        comparisons = 1
    # Rounding removes the noise of the division: 20 * 27 / 0.05 must not become 10,801.
    draws = math.ceil(round(20 * comparisons / alpha, 6)) - 1
    return min(max(9_999, draws), 10_000_000)


def _row_of_pair(
    outcome: PairedTest, differences: FloatArray, measure: Measure, alpha: float
) -> dict[str, Any]:
    """Return the row of two systems under a measure.

    ``outcome`` is the result of the test on the differences. The verdict is the one for a
    significant p-value. If the t-test has no p-value, because all differences are equal but not 0,
    the row is "by sign": the sign test takes its place.
    """
    effect = outcome.effect
    is_by_sign = math.isnan(outcome.p)
    if is_by_sign:
        outcome = count_test(differences, outcome.left_out)
    difference = mean(differences)
    low, high = student_ends(differences, 1 - alpha)
    # The test has counted the users with a higher value as "better".
    better, worse = outcome.better, outcome.worse
    direction = outcome.direction
    if not measure.spec.higher_is_better:
        better, worse = worse, better
        direction = -direction
    verdict = VERDICT_BY_DIRECTION[direction]
    if outcome.direction != np.sign(difference):
        verdict = "disagree"
    return {
        "difference": difference,
        "low": low,
        "high": high,
        "p": outcome.p,
        "effect": effect,
        "better": better,
        "same": outcome.same,
        "worse": worse,
        "compared": outcome.compared,
        "left out": outcome.left_out,
        "verdict": WORDS["verdicts"][verdict],
        "by sign": is_by_sign,
    }


def _add_verdicts(results: pd.DataFrame, test: str, correction: str, alpha: float) -> None:
    """Correct the p-values of results, and say in the verdicts which are not significant.

    See `Evaluation.compare`.
    """
    # A comparison in which no user differs always has a p-value of 1. It can't be a false finding,
    # so it isn't one of the comparisons that are corrected together.
    p = results["p"].where(results["better"] + results["worse"] > 0).to_numpy()
    results["corrected"] = np.nan_to_num(adjust(p, correction=correction), nan=1.0)
    verdicts = []
    for position, (_, row) in enumerate(results.iterrows()):
        verdict = row["verdict"]
        if row["corrected"] > alpha:
            verdict = _open_verdict(row, p, position, test, correction, alpha)
        if row["by sign"]:
            verdict += " (sign test)"
        verdicts.append(verdict)
    results["verdict"] = verdicts


def _open_verdict(
    row: pd.Series[Any], p: FloatArray, position: int, test: str, correction: str, alpha: float
) -> str:
    """Return the verdict on a comparison that is not significant: undecided, or too few users.

    ``p`` has the p-values of all comparisons before the correction, and ``position`` is the place
    of this comparison among them.
    """
    words = WORDS["verdicts"]
    undecided = words["p"].format(f"{alpha:g}")
    if test == "t" and not row["by sign"]:  # its p-values can be as low as you like
        return undecided
    # The other tests sign the differences of d users, so their p-values are at least 2^(1 - d): of
    # the 2^d ways to sign them, the two with equal signs are the most extreme.
    n_users = row["better"] + row["worse"]
    # No correction multiplies a p-value by more than the number of comparisons.
    if 2.0 ** (1 - n_users) * len(p) <= alpha:
        return undecided
    n_needed = max(n_users, 1)
    possible = p.copy()  # if this comparison had the smallest p-value, and the others theirs
    possible[position] = 2.0 ** (1 - n_needed)
    while adjust(possible, correction=correction)[position] > alpha:
        n_needed += 1
        possible[position] /= 2
    if n_users >= n_needed:
        return undecided
    return words["users"].format(counted(n_users, "user differs", "users differ"), n_needed)
