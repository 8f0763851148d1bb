"""Comparing the systems of an evaluation: tests, effect sizes and intervals in one table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import (
    InputError,
    Seed,
    among,
    as_generator,
    check_choice,
    check_number,
    refusal,
    require,
    shorten,
)
from receval.evaluation.comparison import Comparison
from receval.evaluation.settings import TESTS, Settings
from receval.measure.names import Names
from receval.significance import Pairs, adjust, compare_pairs, mean_intervals, paired
from receval.significance.comparing import check_used
from receval.significance.corrections import CORRECTIONS

if TYPE_CHECKING:
    from receval.evaluation.shape import Result

__all__ = ["compare", "interval"]


def compare(
    evaluation: Result,
    baseline: str | Iterable[str] | None = None,
    *,
    test: str = "wilcoxon",
    correction: str | None = "holm",
    family: str | None = None,
    measures: str | Iterable[str] | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    interval: float | bool = 0.95,
    zeros: str | None = None,
    n_resamples: int | None = None,
    rng: Seed | None = None,
    progress: bool | None = None,
) -> Comparison:
    """Compare systems user by user: difference, interval, test, effect size.

    Parameters
    ----------
    evaluation : Evaluation
        Of at least two systems. Also its method: ``evaluation.compare(...)``.
    baseline : str or iterable of str, optional
        The system or systems that all others are compared with. Default: all pairs.
    test : {"wilcoxon", "t", "sign", "permutation"}, default "wilcoxon"
        Which paired test; see `receval.significance`.
    correction : {"holm", "bonferroni", "benjamini-hochberg", "bh", "none"}, default "holm"
        How p-values are corrected for the number of comparisons.
    family : {"all", "measure"}, default "all"
        The comparisons that are corrected together: all in the table, or those under one
        measure.
    measures : str or iterable of str, optional
        Which ones. Default: all that have a value for each user.
    effect : {"rank_biserial", "cohens_d", "mann_whitney"}, optional
        Which effect size. Default: that of the test, rank-biserial correlation for "wilcoxon"
        and "sign", Cohen's d for "t" and "permutation".
    alpha : float, default 0.05
        A difference is significant if its corrected p-value is at most this.
    interval : float or False, default 0.95
        Level of the paired bootstrap interval (BCa) of the mean difference. It is not corrected
        for the number of comparisons. False: none is drawn, which takes a fraction of the time.
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        What Wilcoxon's test does with users without difference; for this test only.
    n_resamples : int, default 2000
        Draws of the bootstrap and of the permutation test.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed. Each comparison starts from the same seed, so that
        no other one changes it.
    progress : bool, optional
        Whether to show a progress bar. Default: only when it takes long.

    Returns
    -------
    Comparison
        Its ``results`` are the table; ``table()`` gives the means with markers.

    Raises
    ------
    InputError
        If there is one system only, a baseline is unknown, a measure is not of this evaluation
        or has no value for each user, two systems share fewer than two users with a value, or
        an option is not one of those above, or is given where nothing uses it: ``zeros`` for
        another test than Wilcoxon's, ``family`` without a correction, ``n_resamples`` or ``rng``
        where nothing is drawn.

    Notes
    -----
    Users that lack a value under one of two systems are left out of that comparison and counted.

    RMSE, MSE and MAE are compared by a value of each user, as in `interval`.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import evaluate
    >>> truth = pd.DataFrame({"user": range(8), "item": "x", "relevance": 1})
    >>> early = pd.DataFrame({"user": range(8), "item": "x", "rank": 1})
    >>> late = pd.DataFrame({"user": [u for u in range(8) for _ in "wx"], "item": list("wx") * 8,
    ...                      "rank": [1, 2] * 8})
    >>> found = evaluate({"late": late, "early": early}, truth, "MRR", rank="rank").compare("late")
    >>> found.results[["difference", "p", "effect", "better", "compared"]]
                             difference         p  effect  better  compared
    measure system baseline
    MRR     early  late             0.5  0.007812     1.0       8         8
    """
    check_choice(test, "test", TESTS)
    correction = check_choice(
        "none" if correction is None else correction, "correction", CORRECTIONS
    )
    if family is not None:
        check_choice(family, "family", ("all", "measure"))
        rule = "be left out without a correction, which goes over families"
        require(correction != "none", "family", rule, family)
    alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    if interval is not False:
        interval = check_number(interval, "interval", "a number in (0, 1)", lambda x: 0 < x < 1)
    evaluation = evaluation._by_name
    baselines, pairs = pairs_of(evaluation, baseline)
    names, together = _measures(evaluation, measures)
    level = None if interval is False else interval
    check_used(test, level, zeros=zeros, n_resamples=n_resamples, rng=rng)
    options: dict[str, Any] = {"test": test, "effect": effect or TESTS[test][1], "level": level}
    seed = _seed(0 if rng is None else rng)
    drawing = test == "permutation" or level is not None
    results = compare_pairs(
        _columns(evaluation, names, pairs),
        **options,
        zeros=zeros,
        n_resamples=n_resamples,
        rng=seed if drawing else None,
        progress=progress,
    )
    keys = [(name, system, base) for name in names for base, system in pairs]
    results.index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    chosen = Settings(
        correction,
        family or "all",
        alpha,
        **options,
        zeros=zeros or "wilcox",
        n_resamples=2_000 if n_resamples is None else n_resamples,
        seed=seed,
    )
    results = _judged(results, evaluation._lower, chosen)
    return Comparison(results, evaluation, chosen, tuple(baselines), tuple(together))


def interval(
    evaluation: Result,
    level: float = 0.95,
    *,
    rng: Seed = 0,
    n_resamples: int = 2_000,
    measures: str | Iterable[str] | None = None,
) -> pd.DataFrame:
    """Bootstrap intervals (BCa) of the mean of each system under each measure.

    Parameters
    ----------
    evaluation : Evaluation
        Also its method: ``evaluation.interval(...)``.
    level : float, default 0.95
        Level of the intervals.
    rng : numpy.random.Generator or int, default 0
        Source of random numbers, or a seed. Each interval starts from the same seed.
    n_resamples : int, default 2000
        How often users are drawn.
    measures : str or iterable of str, optional
        Which ones. Default: all that have a value for each user.

    Returns
    -------
    DataFrame
        Indexed by (measure, system): ``mean``, ``low``, ``high``, ``users`` the mean is taken
        over, and the counts of users of the evaluation. NaN ends where fewer than two users have
        a value.

    Raises
    ------
    InputError
        If a measure is not of this evaluation or has no value for each user, ``level`` lies
        outside (0, 1), ``n_resamples`` is below 100, or ``rng`` is neither a generator nor a
        seed.

    Notes
    -----
    Two systems whose intervals overlap may still differ significantly: users are the same, and
    only `compare` makes use of it.

    Of RMSE, MSE and MAE each user has a value of their own. The ``mean`` of these is not the value
    in ``summary``, which is of all users together; systems may even differ the other way.

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import evaluate
    >>> truth = pd.DataFrame({"user": range(10), "item": "x", "relevance": 1})
    >>> recs = pd.DataFrame({"user": range(10), "item": list("xxyxxyyxyx"), "score": 1.0})
    >>> evaluate(recs, truth, "HR").interval().loc[("HR", ""), ["mean", "low", "high"]].round(1)
    mean    0.6
    low     0.3
    high    0.9
    Name: (HR, ), dtype: float64
    """
    evaluation = evaluation._by_name
    names, _ = _measures(evaluation, measures)
    frames = {system: evaluation.values(system, names) for system in evaluation.systems}
    columns = [frame[name] for name in names for frame in frames.values()]
    found = mean_intervals(columns, level=level, n_resamples=n_resamples, rng=_seed(rng))
    index = pd.MultiIndex.from_product([names, evaluation.systems], names=["measure", "system"])
    table = pd.DataFrame(found, index=index).rename(columns={"users": evaluation._each})
    return table.join(evaluation.counts.rename_axis("system"))


def _judged(results: pd.DataFrame, lower: list[str], chosen: Settings) -> pd.DataFrame:
    """The table of a comparison with corrected p-values and verdicts."""
    measures = results.index.get_level_values("measure")
    p = results["p"]
    families = p.groupby(measures if chosen.family == "measure" else np.zeros(len(p)))
    corrected = families.transform(adjust, correction=chosen.correction)
    results.insert(list(results).index("p") + 1, "corrected", corrected)
    falling = measures.isin(lower)
    results.loc[falling, ["better", "worse"]] = results.loc[falling, ["worse", "better"]].to_numpy()
    direction = results.pop("direction") * np.where(falling, -1, 1)
    found = direction.where(results["corrected"] <= chosen.alpha, 0)
    results["verdict"] = found.map({1: "better", 0: "undecided", -1: "worse"})
    return results


def _columns(evaluation: Result, names: list[str], pairs: list[tuple[str, str]]) -> list[Pairs]:
    """The values of each comparison, user by user."""
    frames = {system: evaluation.values(system, names) for system in evaluation.systems}
    found = []
    for name, (base, system) in product(names, pairs):
        try:
            both = frames[system][name], frames[base][name]
            found.append(paired(*both, each=evaluation._each))
        except InputError as error:
            told = f"{name} of {system!r} and {base!r} cannot be compared: {error}"
            raise InputError(f"{told}. Say with measures= which to compare") from None
    return found


def pairs_of(evaluation: Result, baseline: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """The baselines, and (baseline, system) of each comparison, no two systems twice."""
    systems = evaluation.systems
    if len(systems) < 2:
        advice = "Evaluate them together: evaluate({'A': …, 'B': …}, …) or system=…"
        raise refusal("compare", "be given at least two systems", "one", advice)
    try:
        given = systems if baseline is None else baseline
        one = isinstance(given, str) or (pd.api.types.is_hashable(given) and given in systems)
        baselines = list(dict.fromkeys([given] if one else given))
    except TypeError:  # a number, or lists within a list
        baselines = []
    unknown = [one for one in baselines if one not in systems]
    if unknown or not baselines:
        raise InputError(f"baseline must be one of {systems}; got {shorten(unknown or baseline)}")
    every = product(enumerate(baselines, 1), systems)
    pairs = [(base, one) for (place, base), one in every if one not in baselines[:place]]
    return baselines, pairs


def _measures(evaluation: Result, measures: Names | None) -> tuple[list[str], list[str]]:
    """Names of the measures with a value for each user, and of the others."""
    known = {one.name: one for one in evaluation.measures}
    wanted = among(None if measures is None else evaluation._names(measures), known)
    together = [name for name in wanted if not known[name].per_user]
    names = [name for name in wanted if known[name].per_user]
    if together and (measures is not None or not names):
        rule = "have a value for each user, which users can be drawn or compared by"
        raise refusal("measures", rule, f"{together}, of all users together")
    return names, together


def _seed(rng: Seed) -> int:
    """A seed that every comparison can start from."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    as_generator(rng)  # refuses what is no seed
    return int(rng or 0)
