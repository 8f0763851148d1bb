"""Comparing the systems of an evaluation: tests, effect sizes and intervals in one table."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from receval._checks import (
    InputError,
    IntArray,
    Seed,
    as_generator,
    check_choice,
    check_number,
    check_that,
    input_error,
    select_names,
    shorten,
)
from receval.evaluation.comparison import Comparison
from receval.evaluation.settings import TESTS, Settings
from receval.evaluation.verdicts import verdicts
from receval.measure.names import Names
from receval.significance import (
    Pairs,
    adjust,
    compare_pairs,
    mean_intervals,
    paired,
    simultaneous_intervals,
)
from receval.significance.comparing import check_used
from receval.significance.corrections import CORRECTIONS
from receval.significance.reach import permutations_for

if TYPE_CHECKING:
    from receval.evaluation.base import Result

__all__ = ["compare", "interval"]


def compare(
    evaluation: Result,
    baseline: str | Iterable[str] | None = None,
    *,
    test: str = "t",
    correction: str | None = "holm",
    family: str | None = None,
    measures: str | Iterable[str] | None = None,
    effect: str | None = None,
    alpha: float = 0.05,
    interval: float | bool | str = 0.95,
    zeros: str | None = None,
    n_resamples: int | None = None,
    n_permutations: int | None = None,
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
    test : {"t", "wilcoxon", "sign", "permutation"}, default "t"
        Which paired test; see `receval.significance`. The t-test and the permutation test ask
        about the mean difference, which is the number that is printed.
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
        The corrected p-value of a verdict "better" or "worse" is at most this.
    interval : float, "simultaneous" or False, default 0.95
        Level of the paired bootstrap interval (BCa) of the mean difference. It is not adjusted
        for the number of comparisons. "simultaneous": intervals of the level 1 - alpha that hold
        all mean differences of a family at once (`receval.significance.simultaneous_intervals`).
        False: none is drawn, which takes a fraction of the time.
    zeros : {"wilcox", "pratt", "zsplit"}, default "wilcox"
        What Wilcoxon's test does with users without difference; for this test only.
    n_resamples : int, default 2000
        Draws of the bootstrap; for intervals only.
    n_permutations : int, optional
        Draws of the permutation test, for this test only. Default: 9,999, or 20 m / alpha - 1
        where that is more, for the m comparisons that are corrected together (43,199 for 108 at
        0.05), and never more than 10 million. Where there are no more ways to swap the systems,
        all are gone through.
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
        another test than Wilcoxon's, ``family`` without a correction, ``n_resamples`` where no
        interval is drawn, ``n_permutations`` for another than the permutation test, ``rng`` where
        nothing is drawn.

    Notes
    -----
    A verdict is "better" or "worse" if three things agree: the corrected p-value is at most
    ``alpha``; the test's direction is the sign of the mean difference; and an interval of the
    level 1 - alpha excludes 0, whatever level is shown. That interval is not adjusted, except
    under ``interval="simultaneous"``, where it is the simultaneous one. Otherwise the verdict
    says what is missing, the first of these:

    ===========================================  ==================================================
    verdict                                      meaning
    ===========================================  ==================================================
    undecided: no spread                         all differences are equal and not 0: the t-test
                                                 has no spread to measure the mean against
    cannot decide: 5 users differ, 13 are        the smallest p-value that so few users can reach,
    needed                                       :math:`2^{1-d}` for d users who differ, is too
                                                 large, whatever their values are
    cannot decide: 999 permutations, 2,159 are   the same of the number of random permutations
    needed
    undecided: corrected p above 0.05            the corrected p-value is above ``alpha``
    undecided: test and mean disagree            the test favours one system, the mean the other
    undecided: interval includes 0               the interval of the level 1 - alpha does
    ===========================================  ==================================================

    With ``interval=False`` there is no interval to ask: "better (test alone)".

    A p-value is too large if it exceeds alpha / m under Holm's and Bonferroni's corrections of m
    comparisons; under Benjamini and Hochberg's alpha j / m, for the largest j of which j - 1 other
    comparisons can reach as small a p-value; without correction alpha. This bounds the
    permutation test, the sign test and Wilcoxon's exact test (up to 50 users who differ).

    The literature is divided over the test. [1]_ study experiments with thousands of users and
    sparse judgements, in which Wilcoxon's and the sign test exceed their level while the t-test,
    the bootstrap and the randomisation test do not. [2]_ find the same three in agreement and
    advise against Wilcoxon's and the sign test for means; [3]_ recommend the t-test. [4]_, [5]_
    find more power and errors within their level for Wilcoxon's test in simulated TREC
    experiments of some fifty topics; [6]_ recommend it with Benjamini and Hochberg's correction.
    Choose before you look.

    Users that lack a value under one of two systems are left out of that comparison and counted.

    RMSE, MSE and MAE are compared by a value of each user, as in `interval`.

    References
    ----------
    .. [1] N. Ihemelandu, M. D. Ekstrand: Inference at scale: significance testing for large search
       and recommendation experiments, SIGIR 2023. https://doi.org/10.1145/3539618.3592004
    .. [2] M. D. Smucker, J. Allan, B. Carterette: A comparison of statistical significance tests
       for information retrieval evaluation, CIKM 2007. https://doi.org/10.1145/1321440.1321528
    .. [3] J. Urbano, H. Lima, A. Hanjalic: Statistical significance testing in information
       retrieval: an empirical analysis of type I, type II and type III errors, SIGIR 2019.
       https://doi.org/10.1145/3331184.3331259
    .. [4] J. Parapar, D. E. Losada, M. A. Presedo-Quindimil, A. Barreiro: Using score distributions
       to compare statistical significance tests for information retrieval evaluation, JASIST
       71(1), 2020. https://doi.org/10.1002/asi.24203
    .. [5] J. Parapar, D. E. Losada, A. Barreiro: Testing the tests: simulation of rankings to
       compare statistical significance tests in information retrieval evaluation, SAC 2021.
       https://doi.org/10.1145/3412841.3441945
    .. [6] D. Otero, J. Parapar, A. Barreiro: Towards reliable testing for multiple information
       retrieval system comparisons, ECIR 2025. https://arxiv.org/abs/2501.03930

    Examples
    --------
    >>> import pandas as pd
    >>> from receval import evaluate
    >>> truth = pd.DataFrame({"user": range(8), "item": "x", "relevance": 1})
    >>> def showing(items):
    ...     lists = [(user, item) for user, shown in enumerate(items) for item in shown]
    ...     return pd.DataFrame(lists, columns=["user", "item"]).assign(score=1.0)
    >>> early = showing(["x", "x", "x", "wx", "x", "x", "wx", "x"])
    >>> late = showing(["wx", "wx", "vwx", "wx", "wx", "vwx", "vwx", "wx"])
    >>> found = evaluate({"late": late, "early": early}, truth, "MRR").compare("late")
    >>> found.results[["difference", "p", "effect", "better", "compared", "verdict"]].round(3)
                             difference      p  effect  better  compared verdict
    measure system baseline
    MRR     early  late           0.438  0.001   1.864       7         8  better
    """
    check_choice(test, "test", TESTS)
    correction = check_choice(
        "none" if correction is None else correction, "correction", CORRECTIONS
    )
    if family is not None:
        check_choice(family, "family", ("all", "measure"))
        rule = "be left out without a correction, which goes over families"
        check_that(correction != "none", "family", rule, family)
    alpha = check_number(alpha, "alpha", "a number in (0, 1)", lambda x: 0 < x < 1)
    simultaneous = isinstance(interval, str)
    if simultaneous:
        check_choice(interval, "interval", ("simultaneous",))
        level: float | None = 1 - alpha
    elif interval is False:
        level = None
    else:
        level = check_number(interval, "interval", "a number in (0, 1)", lambda x: 0 < x < 1)
    evaluation = evaluation._by_name
    baselines, system_pairs = pairs_of(evaluation, baseline)
    names, together = _measures(evaluation, measures)
    check_used(
        test,
        level is not None,
        zeros=zeros,
        n_resamples=n_resamples,
        n_permutations=n_permutations,
        rng=rng,
    )
    keys = [(name, system, base) for name in names for base, system in system_pairs]
    index = pd.MultiIndex.from_tuples(keys, names=["measure", "system", "baseline"])
    families = np.zeros(len(keys), int)
    if family == "measure":
        families = np.repeat(np.arange(len(names)), len(system_pairs))
    corrected_together = 1 if correction == "none" else int(np.bincount(families).max())
    permutations = n_permutations
    if permutations is None:
        permutations = permutations_for(corrected_together, alpha)
    # The draws are of the intervals, which compare_pairs only makes if they are not simultaneous.
    separate = level is not None and not simultaneous
    chosen = Settings(
        correction=correction,
        family=family or "all",
        alpha=alpha,
        test=test,
        effect=effect or TESTS[test][1],
        zeros=zeros or "wilcox",
        level=level,
        n_resamples=2_000 if n_resamples is None else n_resamples,
        seed=_seed(0 if rng is None else rng),
        n_permutations=permutations,
        simultaneous=simultaneous,
    )
    pairs = _columns(evaluation, names, system_pairs)
    results = compare_pairs(
        pairs,
        test=test,
        effect=chosen.effect,
        level=level if separate else None,
        alpha=alpha if separate else None,
        zeros=zeros,
        n_resamples=n_resamples if separate else None,
        n_permutations=permutations if test == "permutation" else None,
        rng=chosen.seed if separate or test == "permutation" else None,
        progress=progress,
    )
    results.index = index
    if simultaneous:
        results = _with_simultaneous_intervals(results, evaluation, families, chosen)
    results = _judged(results, evaluation, families, chosen)
    carriers = pd.Series([int(pair.half_carried_by) for pair in pairs], index)
    return Comparison(results, evaluation, chosen, tuple(baselines), tuple(together), carriers)


def _with_simultaneous_intervals(
    results: pd.DataFrame, evaluation: Result, families: IntArray, chosen: Settings
) -> pd.DataFrame:
    """The table with intervals that hold all mean differences of a family at once."""
    names = list(results.index.unique("measure"))
    keys: list[Any] = list(results.index)
    pairs = list(dict.fromkeys((base, system) for _, system, base in keys))
    both = evaluation._of_pairs(names, pairs)
    ends = np.empty((len(results), 2))
    for number in np.unique(families):
        members = np.flatnonzero(families == number)
        differences = {}
        for place in members:
            name, system, base = keys[place]
            of_system, of_baseline = both[base, system]
            differences[place] = of_system[name] - of_baseline[name]
        found = simultaneous_intervals(
            pd.concat(differences, axis=1).to_numpy(),
            level=1 - chosen.alpha,
            n_resamples=chosen.n_resamples,
            rng=chosen.seed,
        )
        ends[members] = [(one.low, one.high) for one in found]
    results.insert(1, "low", ends[:, 0])
    results.insert(2, "high", ends[:, 1])
    results["beside 0"] = (results["low"] > 0) | (results["high"] < 0)
    return results


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


def _judged(
    results: pd.DataFrame, evaluation: Result, families: IntArray, chosen: Settings
) -> pd.DataFrame:
    """The table of a comparison with corrected p-values and verdicts."""
    p = results["p"]
    corrected = p.groupby(families).transform(adjust, correction=chosen.correction)
    results.insert(list(results).index("p") + 1, "corrected", corrected)
    lower = results.index.get_level_values("measure").isin(evaluation._lower)
    verdict = verdicts(results, families, lower, chosen, evaluation._each)
    results = results.drop(columns=["direction", "beside 0"], errors="ignore")
    results.loc[lower, ["better", "worse"]] = results.loc[lower, ["worse", "better"]].to_numpy()
    results["verdict"] = verdict
    return results


def _columns(evaluation: Result, names: list[str], pairs: list[tuple[str, str]]) -> list[Pairs]:
    """The values of each comparison, user by user."""
    both = evaluation._of_pairs(names, pairs)
    found = []
    for name, (base, system) in product(names, pairs):
        of_system, of_baseline = both[base, system]
        try:
            found.append(paired(of_system[name], of_baseline[name], each=evaluation._each))
        except InputError as error:
            told = f"{name} of {system!r} and {base!r} cannot be compared: {error}"
            raise InputError(f"{told}. Say with measures= which to compare") from None
    return found


def pairs_of(evaluation: Result, baseline: Any) -> tuple[list[str], list[tuple[str, str]]]:
    """The baselines, and (baseline, system) of each comparison, no two systems twice."""
    systems = evaluation.systems
    if len(systems) < 2:
        advice = "Evaluate them together: evaluate({'A': …, 'B': …}, …) or system=…"
        raise input_error("compare", "be given at least two systems", "one", advice)
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
    wanted = select_names(None if measures is None else evaluation._names(measures), known)
    names = [name for name in wanted if evaluation._is_of_each(known[name])]
    together = [name for name in wanted if not evaluation._is_of_each(known[name])]
    if together and (measures is not None or not names):
        rule = "have a value for each user, which users can be drawn or compared by"
        raise input_error("measures", rule, f"{together}, of all users together")
    return names, together


def _seed(rng: Seed) -> int:
    """A seed that every comparison can start from."""
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**63))
    as_generator(rng)  # refuses what is no seed
    return int(rng or 0)
