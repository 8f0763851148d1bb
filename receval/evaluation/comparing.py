"""Compare the systems of an evaluation: tests, effect sizes and intervals in one table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    InputError,
    IntArray,
    Seed,
    check_choice,
    check_number,
    check_that,
)
from receval._types import Id
from receval.evaluation.comparison import Comparison
from receval.evaluation.comparison_verdicts import verdicts
from receval.evaluation.protocols import ComparableResult, SystemPair, ValuesByMeasure
from receval.evaluation.selection import as_seed, select_measures, select_pairs
from receval.evaluation.settings import DEFAULT_EFFECTS, TESTS, Settings
from receval.significance import (
    Pairs,
    adjust,
    compare_pairs,
    simultaneous_intervals,
)
from receval.significance.comparing import check_options_used
from receval.significance.corrections import CORRECTIONS
from receval.significance.pairs import CheckedColumn, as_column, pair_columns
from receval.significance.reach import default_permutations

ComparisonKey = tuple[str, Id, Id]
"""The index of a comparison in the results: (measure, system, baseline)."""


IntervalOption: TypeAlias = float | bool | str
"""The level of intervals, "simultaneous", or False for no intervals."""


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of `Evaluation.compare` as the user passed them; None means the default."""

    test: str
    correction: str | None
    family: str | None
    effect: str | None
    alpha: float
    interval: IntervalOption
    zeros: str | None
    n_resamples: int | None
    n_permutations: int | None
    rng: Seed | None


def compare_systems(
    evaluation: ComparableResult,
    baseline: str | Iterable[str] | None,
    measures: str | Iterable[str] | None,
    options: ComparisonOptions,
    *,
    progress: bool | None,
) -> Comparison:
    """Compare the systems of an evaluation user by user.

    Each system is compared with each baseline under each measure. `Evaluation.compare` explains the
    arguments, the options and the errors.

    Parameters
    ----------
    evaluation : ComparableResult
        The result that holds the systems. Their names must be single values, not tuples.
    baseline, measures : str, iterable of str or None
        The baselines and measures as the user wrote them.
    options : ComparisonOptions
        The options as the user passed them.
    progress : bool or None
        Whether to show a progress bar; None shows one only if the comparison takes long.

    Returns
    -------
    Comparison
        Its results have a row for each measure and pair of systems, in this order.
    """
    # Check the arguments and fill in their defaults.
    correction = _check_correction(options)
    alpha = check_number(options.alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    level = _interval_level(options.interval, alpha)
    baselines, pairs = select_pairs(evaluation.systems, baseline)
    names, set_level_names = select_measures(evaluation, measures)
    check_options_used(  # raises
        options.test,
        intervals=level is not None,
        zeros=options.zeros,
        n_resamples=options.n_resamples,
        n_permutations=options.n_permutations,
        rng=options.rng,
    )

    # List the comparisons in the order of the measures, then of the pairs (baseline, system). There
    # is at least one measure and one pair, because empty selections raise an error above.
    keys = [(name, system, base) for name in names for base, system in pairs]
    # P-values of one family are corrected together. Number the family of each comparison from 0.
    if options.family == "measure":
        families = np.repeat(np.arange(len(names)), len(pairs))
    else:
        families = np.zeros(len(keys), int)
    paired_values = _paired_values(evaluation, names, pairs)
    # The default number of permutations grows with the comparisons that are corrected together.
    n_corrected_together = 1
    if correction != "none":
        has_difference = [bool(pair.outcomes["same"] < pair.compared) for pair in paired_values]
        n_corrected_together = max(1, int(np.bincount(families, has_difference).max()))
    settings = _settings(options, correction, alpha, level, n_corrected_together)

    # Test each comparison, then add what depends on a whole family.
    results = _test_pairs(paired_values, settings, options, progress=progress)
    results.index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    if settings.simultaneous:
        results = _add_simultaneous_intervals(results, evaluation, families, settings)
    results = _add_verdicts(results, evaluation, families, settings)
    half_carried_by = [int(pair.half_carried_by) for pair in paired_values]
    return Comparison(
        results,
        evaluation,
        settings,
        baselines=tuple(baselines),
        not_compared=tuple(set_level_names),
        half_carried_by=pd.Series(half_carried_by, results.index),
    )


def _check_correction(options: ComparisonOptions) -> str:
    """Return the name of the correction after checking it, "none" for None.

    Also checks the test and the family. Raises an `InputError` if one of the three is unknown, or
    if there is a family without a correction.
    """
    check_choice(options.test, "test", TESTS)
    correction = "none" if options.correction is None else options.correction
    correction = check_choice(correction, "correction", CORRECTIONS)
    if options.family is not None:
        check_choice(options.family, "family", ("all", "measure"))
        # A correction adjusts the p-values of a family together.
        rule = "be left out if there is no correction"
        check_that(correction != "none", "family", rule, options.family)
    return correction


def _interval_level(interval: IntervalOption, alpha: float) -> float | None:
    """Return the level of the intervals that the argument ``interval`` states; None for False.

    "simultaneous" intervals always have the level 1 - ``alpha``. Raises an `InputError` for True,
    other text, and numbers outside (0, 1).
    """
    if isinstance(interval, str):
        check_choice(interval, "interval", ("simultaneous",))
        return 1 - alpha
    if interval is False:
        return None
    return check_number(interval, "interval", "a number in (0, 1)", lambda x: 0 < x < 1)


def _settings(
    options: ComparisonOptions,
    correction: str,
    alpha: float,
    level: float | None,
    n_corrected_together: int,
) -> Settings:
    """Return the settings of a comparison, with defaults filled in.

    ``correction``, ``alpha`` and ``level`` are checked already; a ``level`` of None means no
    intervals. ``n_corrected_together`` is the number of comparisons that are corrected together; it
    is 1 without a correction. The default number of permutations grows with it.
    """
    n_permutations = options.n_permutations
    if n_permutations is None:
        n_permutations = default_permutations(n_corrected_together, alpha)
    effect = options.effect
    if effect is None:
        effect = DEFAULT_EFFECTS[options.test]
    return Settings(
        correction=correction,
        family=options.family or "all",
        alpha=alpha,
        test=options.test,
        effect=effect,
        zeros=options.zeros or "wilcox",
        level=level,
        n_resamples=2_000 if options.n_resamples is None else options.n_resamples,
        seed=as_seed(0 if options.rng is None else options.rng),
        n_permutations=n_permutations,
        simultaneous=isinstance(options.interval, str),  # "simultaneous" is the only text allowed
    )


def _test_pairs(
    pairs: list[Pairs], settings: Settings, options: ComparisonOptions, *, progress: bool | None
) -> pd.DataFrame:
    """Return a table with a row for each pair: test, effect size, counts of users and interval.

    A pair holds the values of two systems by user. ``settings`` has all choices with defaults
    filled in, and ``options`` has them as the user passed them. Simultaneous intervals depend on
    all pairs of a family, so `_add_simultaneous_intervals` adds them later. ``progress`` is as in
    `compare_systems`.
    """
    # compare_pairs refuses options that nothing uses, so these are None unless they are needed.
    level = None
    alpha = None
    n_resamples = None
    n_permutations = None
    seed = None
    has_pair_intervals = settings.level is not None and not settings.simultaneous
    if has_pair_intervals:
        level = settings.level
        # The verdict uses an interval of level 1 - alpha, even if the table shows another level.
        alpha = settings.alpha
        n_resamples = options.n_resamples
        seed = settings.seed
    if settings.test == "permutation":
        n_permutations = settings.n_permutations
        seed = settings.seed
    return compare_pairs(
        pairs,
        test=settings.test,
        effect=settings.effect,
        level=level,
        alpha=alpha,
        zeros=options.zeros,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        rng=seed,
        progress=progress,
    )


def _paired_values(
    evaluation: ComparableResult, names: list[str], pairs: list[SystemPair]
) -> list[Pairs]:
    """Return the values of the two systems of each comparison, paired by user.

    The comparisons are in the order of the measures and, within a measure, in the order of the
    pairs (baseline, system). If the values of a comparison can't be paired, the function raises an
    `InputError` that names the comparison.
    """
    values_by_pair = evaluation._paired_values(names, pairs)
    # A system is in many pairs, usually with the same values, so check each of its columns once.
    checked_columns: dict[tuple[str, int, str], CheckedColumn] = {}

    def checked_column(name: str, values: ValuesByMeasure, side: str) -> CheckedColumn:
        """Return the column of a measure; error messages call it by its side, "a" or "b"."""
        key = (name, id(values), side)
        if key not in checked_columns:
            checked_columns[key] = as_column(values[name], side)
        return checked_columns[key]

    paired_values = []
    for name in names:
        for baseline, system in pairs:
            values = values_by_pair[baseline, system]
            try:
                a = checked_column(name, values.system, "a")
                b = checked_column(name, values.baseline, "b")
                paired_values.append(pair_columns(a, b, each=evaluation._row_name))
            except InputError as error:
                problem = f"{name} of {system!r} and {baseline!r} cannot be compared: {error}"
                raise InputError(f"{problem}. Choose other measures with measures=") from None
    return paired_values


def _add_simultaneous_intervals(
    results: pd.DataFrame, evaluation: ComparableResult, families: IntArray, settings: Settings
) -> pd.DataFrame:
    """Add columns with simultaneous intervals to the results.

    The intervals of a family contain all its true mean differences at once. ``results`` is indexed
    by (measure, system, baseline). ``families`` has the number of each row's family. The function
    adds columns to ``results`` and returns it. The columns are ``low``, ``high`` and, for the
    verdicts, ``beside 0``, which says whether the interval excludes 0.
    """
    # Get the values of all comparisons; several measures share a pair of systems.
    names = list(results.index.unique("measure"))
    keys: list[ComparisonKey] = list(results.index)
    pairs = list(dict.fromkeys((baseline, system) for _, system, baseline in keys))
    values_by_pair = evaluation._paired_values(names, pairs)
    ends = np.empty((len(results), 2))  # the low and the high end of each row
    for family in np.unique(families):
        rows = np.flatnonzero(families == family)
        differences_by_row = {}
        for row in rows:
            name, system, baseline = keys[row]
            values = values_by_pair[baseline, system]
            differences_by_row[row] = values.system[name] - values.baseline[name]
        # Join the columns of one family by user, because each draw of users is for all of them.
        columns = pd.concat(differences_by_row, axis=1)
        intervals = simultaneous_intervals(
            columns.to_numpy(),
            level=1 - settings.alpha,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
        )
        ends[rows] = [(interval.low, interval.high) for interval in intervals]
    # Column 0 is the difference. Put the interval after it.
    results.insert(1, "low", ends[:, 0])
    results.insert(2, "high", ends[:, 1])
    results["beside 0"] = (results["low"] > 0) | (results["high"] < 0)
    return results


def _add_verdicts(
    results: pd.DataFrame, evaluation: ComparableResult, families: IntArray, settings: Settings
) -> pd.DataFrame:
    """Return the results with corrected p-values and verdicts; may change ``results``.

    Parameters
    ----------
    results : DataFrame
        The results, indexed by (measure, system, baseline). Only the verdicts need the columns
        ``direction``, the sign of the test, and ``beside 0``, which says whether the interval
        excludes 0. The function then drops both. Without intervals, there is no ``beside 0``.
    evaluation : ComparableResult
        The evaluation, which knows for which measures lower values are better.
    families : ndarray of int
        The number of each row's family. The p-values of a family are corrected together.
    settings : Settings
        The choices of the comparison.
    """
    # A comparison in which no user differs always has a p-value of 1. It can't be a false finding,
    # so it isn't one of the comparisons that are corrected together.
    p = results["p"].where(results["better"] + results["worse"] > 0)
    corrected = p.groupby(families).transform(adjust, correction=settings.correction)
    corrected = corrected.where(p.notna(), results["p"])
    position_after_p = list(results).index("p") + 1
    results.insert(position_after_p, "corrected", corrected)
    # For each row, whether lower values of the measure are better.
    is_lower_better: BoolArray = results.index.get_level_values("measure").isin(
        evaluation._lower_measures
    )
    # Make the verdicts before dropping the two columns. They only need the sum of the counts
    # "better" and "worse", so it doesn't matter that these are swapped later.
    verdict = verdicts(results, families, is_lower_better, settings, evaluation._row_name)
    results = results.drop(columns=["direction", "beside 0"], errors="ignore")
    # So far "better" counts the users with a higher value. Swap it with "worse" for measures whose
    # lower values are better.
    swapped = results.loc[is_lower_better, ["worse", "better"]].to_numpy()
    results.loc[is_lower_better, ["better", "worse"]] = swapped
    results["verdict"] = verdict
    return results
