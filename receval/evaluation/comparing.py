"""Compare the systems of an evaluation: tests, effect sizes and intervals in one table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

import pandas as pd

from receval._arrays import batches_of_equal_length
from receval._checks import (
    BoolArray,
    InputError,
    Seed,
    check_choice,
    check_integer,
    check_number,
    check_that,
    input_error,
    shorten,
)
from receval._threads import progress_bar
from receval.evaluation.comparison import Comparison
from receval.evaluation.comparison_verdicts import verdicts
from receval.evaluation.protocols import ComparableResult, SystemPair
from receval.evaluation.selection import as_seed, select_measures, select_pairs
from receval.evaluation.settings import TESTS, Settings
from receval.significance import PairedTest, Pairs, adjust, paired
from receval.significance.corrections import CORRECTIONS
from receval.significance.effects import signed_rank_share, standardized_mean
from receval.significance.intervals import MAX_SHARED_VALUES, bootstrap, check_resamples
from receval.significance.paired import sign_of, t_of, wilcoxon_of
from receval.significance.permuting import permute

PROGRESS_BAR_VALUES = 10_000_000
"""With at least this many values, a progress bar is shown by default."""

MIN_PERMUTATIONS = 9_999
MAX_PERMUTATIONS = 10_000_000
"""The smallest and the largest default number of permutations."""


@dataclass(frozen=True)
class ComparisonOptions:
    """The options of `Evaluation.compare` as the user passed them; None means the default."""

    test: str
    correction: str | None
    alpha: float
    interval: bool
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
    _check_options(options)
    baselines, pairs = select_pairs(evaluation.systems, baseline)
    names, set_level_names = select_measures(evaluation, measures)

    # List the comparisons in the order of the measures, then of the pairs (baseline, system). There
    # is at least one measure and one pair, because empty selections raise an error above.
    keys = [(name, system, base) for name in names for base, system in pairs]
    paired_values = _paired_values(evaluation, names, pairs)
    settings = _settings(options, paired_values)
    results = _test_pairs(paired_values, settings, progress=progress)
    results.index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    return Comparison(
        _add_verdicts(results, evaluation, settings),
        evaluation,
        settings,
        baselines=tuple(baselines),
        not_compared=tuple(set_level_names),
    )


def _check_options(options: ComparisonOptions) -> None:
    """Raise an `InputError` if an option is not valid, or if nothing uses it."""
    check_choice(options.test, "test", TESTS)
    if options.correction is not None:
        check_choice(options.correction, "correction", CORRECTIONS)
    check_number(options.alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    is_truth_value = isinstance(options.interval, bool)
    advice = "The level of intervals is 1 - alpha"
    check_that(is_truth_value, "interval", "be True or False", options.interval, advice)
    draws_permutations = options.test == "permutation"
    if options.n_resamples is not None:
        rule = "be left out when no interval is drawn"
        if draws_permutations:
            # The user may have meant these draws.
            rule += ", because n_permutations is the number of draws of the test"
        check_that(options.interval, "n_resamples", rule, options.n_resamples)
        check_resamples(options.n_resamples)
    if options.n_permutations is not None:
        rule = f"be left out when test is {options.test!r}"
        check_that(draws_permutations, "n_permutations", rule, options.n_permutations)
        check_integer(options.n_permutations, "n_permutations", 100, 10**9)
    if options.rng is not None and not (draws_permutations or options.interval):
        rule = f"be left out when test is {options.test!r} and no interval is drawn"
        raise input_error("rng", rule, shorten(options.rng))


def _settings(options: ComparisonOptions, paired_values: list[Pairs]) -> Settings:
    """Return the settings of a comparison, with defaults filled in.

    The default number of permutations grows with the number of comparisons that are corrected
    together. These are the comparisons in which a user differs.
    """
    correction = "none" if options.correction is None else options.correction
    n_corrected = 1
    if correction != "none":
        n_corrected = sum(pair.outcomes["same"] < pair.compared for pair in paired_values)
    n_permutations = options.n_permutations
    if n_permutations is None:
        n_permutations = default_permutations(max(1, n_corrected), options.alpha)
    return Settings(
        correction=correction,
        alpha=options.alpha,
        test=options.test,
        level=1 - options.alpha if options.interval else None,
        n_resamples=2_000 if options.n_resamples is None else options.n_resamples,
        seed=as_seed(0 if options.rng is None else options.rng),
        n_permutations=n_permutations,
    )


def default_permutations(comparisons: int, alpha: float) -> int:
    """Return the default number of permutations for ``comparisons`` that are corrected together.

    A p-value needs a certain number of permutations to be significant after Bonferroni's
    correction. The default is twenty times that number, so a p-value near the bound rests on about
    twenty draws that are as extreme as the observed one.
    """
    # Rounding removes the noise of the division: 20 * 27 / 0.05 must not become 10,801.
    n_permutations = math.ceil(round(20 * comparisons / alpha, 6)) - 1
    return min(max(MIN_PERMUTATIONS, n_permutations), MAX_PERMUTATIONS)


def _paired_values(
    evaluation: ComparableResult, names: list[str], pairs: list[SystemPair]
) -> list[Pairs]:
    """Return the values of the two systems of each comparison, paired by user.

    The comparisons are in the order of the measures and, within a measure, in the order of the
    pairs (baseline, system). If the values of a comparison can't be paired, the function raises an
    `InputError` that names the comparison.
    """
    values_by_pair = evaluation._paired_values(names, pairs)
    paired_values = []
    for name in names:
        for baseline, system in pairs:
            values = values_by_pair[baseline, system]
            try:
                pair = paired(values.system[name], values.baseline[name], each=evaluation._row_name)
            except InputError as error:
                problem = f"{name} of {system!r} and {baseline!r} cannot be compared: {error}"
                raise InputError(f"{problem}. Choose other measures with measures=") from None
            paired_values.append(pair)
    return paired_values


def _test_pairs(pairs: list[Pairs], settings: Settings, *, progress: bool | None) -> pd.DataFrame:
    """Return a table with a row for each pair: interval, test, effect size and counts of users.

    A pair holds the values of two systems by user. Without intervals, there are no columns ``low``
    and ``high``. The column ``direction`` is 1 if the test favours the first column of the pair,
    -1 if it favours the second one, else 0. ``progress`` is as in `compare_systems`.
    """
    n_compared = [pair.compared for pair in pairs]
    takes_long = sum(n_compared) >= PROGRESS_BAR_VALUES
    row_by_position: dict[int, dict[str, float]] = {}
    with progress_bar(progress, shown_by_default=takes_long, total=len(pairs), unit="pair") as bar:
        # Pairs over equally many users share the draws of users for their intervals.
        for positions in batches_of_equal_length(n_compared, MAX_SHARED_VALUES):
            batch = [pairs[position] for position in positions]
            ends = _intervals(batch, settings)
            for position, pair, ends_of_pair in zip(positions, batch, ends, strict=True):
                test = _run_test(pair, settings)
                row_by_position[position] = {
                    "difference": pair.mean,
                    **ends_of_pair,
                    "p": test.p,
                    "effect": _effect(pair, settings),
                    **pair.outcomes,
                    "compared": pair.compared,
                    "left out": pair.left_out,
                    "direction": test.direction,
                }
                bar.update(1)
    return pd.DataFrame([row_by_position[position] for position in range(len(pairs))])


def _intervals(pairs: list[Pairs], settings: Settings) -> list[dict[str, float]]:
    """Return the ends of the interval of each mean difference, ``low`` and ``high``.

    If the comparison has no intervals, the dicts are empty.
    """
    if settings.level is None:
        return [{} for _ in pairs]
    intervals = bootstrap(
        [pair.difference for pair in pairs],
        level=settings.level,
        n_resamples=settings.n_resamples,
        rng=settings.seed,
    )
    return [{"low": interval.low, "high": interval.high} for interval in intervals]


def _run_test(pair: Pairs, settings: Settings) -> PairedTest:
    """Run the test of a comparison on a pair of columns."""
    if settings.test == "permutation":
        return permute(pair, settings.n_permutations, settings.seed)
    return {"t": t_of, "wilcoxon": wilcoxon_of, "sign": sign_of}[settings.test](pair)


def _effect(pair: Pairs, settings: Settings) -> float:
    """Return the effect size of a pair of columns that fits the test."""
    if settings.effect == "rank_biserial":
        return signed_rank_share(pair)
    return standardized_mean(pair)


def _add_verdicts(
    results: pd.DataFrame, evaluation: ComparableResult, settings: Settings
) -> pd.DataFrame:
    """Return the results with corrected p-values and verdicts; may change ``results``.

    Parameters
    ----------
    results : DataFrame
        The results, indexed by (measure, system, baseline). Only the verdicts need the column
        ``direction``, the sign of the test. The function then drops it.
    evaluation : ComparableResult
        The evaluation, which knows for which measures lower values are better.
    settings : Settings
        The choices of the comparison.
    """
    # A comparison in which no user differs always has a p-value of 1. It can't be a false finding,
    # so it isn't one of the comparisons that are corrected together.
    p = results["p"].where(results["better"] + results["worse"] > 0)
    corrected = pd.Series(adjust(p, correction=settings.correction), results.index)
    corrected = corrected.where(p.notna(), results["p"])
    position_after_p = list(results).index("p") + 1
    results.insert(position_after_p, "corrected", corrected)
    # For each row, whether lower values of the measure are better.
    is_lower_better: BoolArray = results.index.get_level_values("measure").isin(
        evaluation._lower_measures
    )
    # Make the verdicts before dropping the direction. They only need the sum of the counts "better"
    # and "worse", so it doesn't matter that these are swapped later.
    verdict = verdicts(results, is_lower_better, settings, evaluation._row_name)
    results = results.drop(columns="direction")
    # So far "better" counts the users with a higher value. Swap it with "worse" for measures whose
    # lower values are better.
    swapped = results.loc[is_lower_better, ["worse", "better"]].to_numpy()
    results.loc[is_lower_better, ["better", "worse"]] = swapped
    results["verdict"] = verdict
    return results
