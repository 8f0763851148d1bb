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
from receval.evaluation.protocols import ComparableResult, SystemPair
from receval.evaluation.selection import as_seed, select_measures, select_pairs
from receval.evaluation.settings import DEFAULT_EFFECTS, TESTS, Settings
from receval.evaluation.verdicts import verdicts
from receval.significance import (
    Pairs,
    adjust,
    compare_pairs,
    paired,
    simultaneous_intervals,
)
from receval.significance.comparing import check_options_used
from receval.significance.corrections import CORRECTIONS
from receval.significance.reach import default_permutations

ComparisonKey = tuple[str, Id, Id]
"""A comparison in the index of the results: (measure, system, baseline)."""


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
    """Compare the systems of an evaluation user by user; see `Evaluation.compare`.

    The names of its systems must be single values, not tuples.
    """
    correction = _check_correction(options)
    alpha = check_number(options.alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    level = _interval_level(options.interval, alpha)
    baselines, pairs = select_pairs(evaluation.systems, baseline)
    names, set_level_names = select_measures(evaluation, measures)
    check_options_used(
        options.test,
        intervals=level is not None,
        zeros=options.zeros,
        n_resamples=options.n_resamples,
        n_permutations=options.n_permutations,
        rng=options.rng,
    )

    # A family holds the comparisons whose p-values are corrected together.
    keys = [(name, system, base) for name in names for base, system in pairs]
    if options.family == "measure":
        families = np.repeat(np.arange(len(names)), len(pairs))
    else:
        families = np.zeros(len(keys), int)
    if correction == "none":
        n_corrected_together = 1
    else:
        n_corrected_together = int(np.bincount(families).max())

    settings = _settings(options, correction, alpha, level, n_corrected_together)
    values = _paired_values(evaluation, names, pairs)
    results = _test_pairs(values, settings, options, progress=progress)
    results.index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    if settings.simultaneous:
        results = _add_simultaneous_intervals(results, evaluation, families, settings)
    results = _add_verdicts(results, evaluation, families, settings)
    n_carriers = pd.Series([int(pair.half_carried_by) for pair in values], results.index)
    return Comparison(
        results, evaluation, settings, tuple(baselines), tuple(set_level_names), n_carriers
    )


def _check_correction(options: ComparisonOptions) -> str:
    """Check the test, the correction and the family; return the correction, "none" for None."""
    check_choice(options.test, "test", TESTS)
    correction = "none" if options.correction is None else options.correction
    correction = check_choice(correction, "correction", CORRECTIONS)
    if options.family is not None:
        check_choice(options.family, "family", ("all", "measure"))
        rule = "be left out without a correction, which goes over families"
        check_that(correction != "none", "family", rule, options.family)
    return correction


def _interval_level(interval: IntervalOption, alpha: float) -> float | None:
    """Return the level of the intervals that the argument ``interval`` asks for, None for none."""
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
    """Return the settings of a comparison, with defaults filled in."""
    n_permutations = options.n_permutations
    if n_permutations is None:
        n_permutations = default_permutations(n_corrected_together, alpha)
    return Settings(
        correction=correction,
        family=options.family or "all",
        alpha=alpha,
        test=options.test,
        effect=options.effect or DEFAULT_EFFECTS[options.test],
        zeros=options.zeros or "wilcox",
        level=level,
        n_resamples=2_000 if options.n_resamples is None else options.n_resamples,
        seed=as_seed(0 if options.rng is None else options.rng),
        n_permutations=n_permutations,
        simultaneous=isinstance(options.interval, str),
    )


def _test_pairs(
    pairs: list[Pairs], settings: Settings, options: ComparisonOptions, *, progress: bool | None
) -> pd.DataFrame:
    """Return test, effect size and interval of each pair, except simultaneous intervals."""
    level = None
    alpha = None
    n_resamples = None
    n_permutations = None
    seed = None
    has_pair_intervals = settings.level is not None and not settings.simultaneous
    if has_pair_intervals:
        level = settings.level
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
    """Return the values of each comparison, user by user: measure by measure, pair by pair."""
    values_by_pair = evaluation._paired_values(names, pairs)
    paired_values = []
    for name in names:
        for baseline, system in pairs:
            values = values_by_pair[baseline, system]
            try:
                paired_values.append(
                    paired(values.system[name], values.baseline[name], each=evaluation._row_name)
                )
            except InputError as error:
                problem = f"{name} of {system!r} and {baseline!r} cannot be compared: {error}"
                raise InputError(f"{problem}. Say with measures= which to compare") from None
    return paired_values


def _add_simultaneous_intervals(
    results: pd.DataFrame, evaluation: ComparableResult, families: IntArray, settings: Settings
) -> pd.DataFrame:
    """Add intervals that hold all mean differences of a family at once to the results."""
    names = list(results.index.unique("measure"))
    keys: list[ComparisonKey] = list(results.index)
    pairs = list(dict.fromkeys((baseline, system) for _, system, baseline in keys))
    values_by_pair = evaluation._paired_values(names, pairs)
    ends = np.empty((len(results), 2))
    for family in np.unique(families):
        rows = np.flatnonzero(families == family)
        differences = {}
        for row in rows:
            name, system, baseline = keys[row]
            values = values_by_pair[baseline, system]
            differences[row] = values.system[name] - values.baseline[name]
        intervals = simultaneous_intervals(
            pd.concat(differences, axis=1).to_numpy(),
            level=1 - settings.alpha,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
        )
        ends[rows] = [(interval.low, interval.high) for interval in intervals]
    results.insert(1, "low", ends[:, 0])
    results.insert(2, "high", ends[:, 1])
    results["beside 0"] = (results["low"] > 0) | (results["high"] < 0)
    return results


def _add_verdicts(
    results: pd.DataFrame, evaluation: ComparableResult, families: IntArray, settings: Settings
) -> pd.DataFrame:
    """Add corrected p-values and verdicts to the results.

    The counts of users ``better`` and ``worse`` are swapped for measures whose lower values are
    better.
    """
    corrected = results["p"].groupby(families).transform(adjust, correction=settings.correction)
    results.insert(list(results).index("p") + 1, "corrected", corrected)
    is_lower_better: BoolArray = results.index.get_level_values("measure").isin(
        evaluation._lower_measures
    )
    verdict = verdicts(results, families, is_lower_better, settings, evaluation._row_name)
    results = results.drop(columns=["direction", "beside 0"], errors="ignore")
    # So far "better" counts users with a higher value.
    swapped = results.loc[is_lower_better, ["worse", "better"]].to_numpy()
    results.loc[is_lower_better, ["better", "worse"]] = swapped
    results["verdict"] = verdict
    return results
