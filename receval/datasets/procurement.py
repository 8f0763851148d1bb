"""Public procurement made up to the measure of document 000, whose awards are not at hand."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_count,
    check_that,
)

__all__ = ["procurement"]

CONTRACTS = 94_929  # evaluated contracts, as the published hit rates imply
BIDDERS = 14_388
HEAD = (101, 0.20)  # so many bidders hold this share of the awards: the short head
TOP = (10, 0.07)  # and the ten first this one: the hit rate of always recommending them
SEVERAL = 0.01  # of all contracts have several winners
UNDATED = 0.023  # of all contracts have no award date
FIRST, LAST = np.datetime64("2006-07-01"), np.datetime64("2016-06-30")
MOST_CONTRACTS = 500_000  # at 600,000 the curve gives the second bidder fewer than no awards
OBJECTS, AUTHORITIES = 1_500, 2_000
KINDS = ("services", "supplies", "works")
FAITHFUL = 0.45  # of a bidder's contracts are for its own main object
LOCAL = 0.25  # of them come from its own authority


def procurement(n_contracts: int = CONTRACTS, *, rng: Seed = 0) -> pd.DataFrame:
    r"""Awards of public contracts: a seeded stand-in for those of document 000.

    Every bidder has one award; the share of all further ones that the first i of N bidders hold
    follows one smooth curve that is level at its end,

    .. math:: \log F(r) = a \log^2 r + b \log^3 r, \qquad r = i / N,

    whose two parameters are set by the document's own figures: the short head of 101 of 14,388
    bidders holds 20 % of the awards, and the ten first win 7 % of the contracts (the hit rate
    of always recommending them). The tail is a natural one: more bidders have one award than two
    (29 % and 26 %), and in five folds about 7 % of them have none to train on, so that ten picks
    among the others have an expected LTP of 1 - 101/N_train, 0.992 as printed. A bidder has a
    main object and an authority of its own that many of its contracts share, which is what a
    matchmaker can learn from, and a first day of business, before which it wins nothing.

    Parameters
    ----------
    n_contracts : int, default 94929
        Contracts with a single winner, from 100 to 500,000; the bidders shrink or grow in
        proportion. About 1 % more contracts have several winners, in one row per winner.
    rng : numpy.random.Generator or int, default 0
        Where the random numbers come from, an int being a seed.

    Returns
    -------
    DataFrame
        One row per award, in order of contract: ``contract`` and ``bidder`` (whole numbers),
        ``date`` (NaT for 2.3 % of the contracts), ``main_object``, ``kind`` (which follows from
        the main object) and ``authority`` (categories).

    Raises
    ------
    InputError
        If ``n_contracts`` is not a whole number from 100 to 500,000, or ``rng`` is neither a
        generator nor a seed.

    Notes
    -----
    The document's are the numbers of contracts and bidders, the concentration of awards, the
    contracts with several winners and the missing dates. Made up are the attributes and the
    dates; the main object tells about as much of the winner as the published matchmakers get
    out of theirs (a hit rate at 10 near 0.25). Results on it illustrate the protocol and say
    nothing of real procurement.

    References
    ----------
    Document 000, sections "Ground truth" and "Evaluated metrics", and its results chapters.

    Examples
    --------
    >>> awards = procurement(1_000)
    >>> awards.columns.tolist()
    ['contract', 'bidder', 'date', 'main_object', 'kind', 'authority']
    >>> awards["bidder"].nunique()
    152
    """
    n = check_count(n_contracts, "n_contracts")
    check_that(n >= 100, "n_contracts", "be at least 100", n)
    rule = f"be at most {MOST_CONTRACTS:,}, as the curve of awards falls below one from there on"
    check_that(n <= MOST_CONTRACTS, "n_contracts", rule, n)
    random = as_generator(rng)
    n_bidders = round(n * BIDDERS / CONTRACTS)
    n_several = round(n * SEVERAL / (1 - SEVERAL))
    winners = np.repeat(random.permutation(n_bidders), award_counts(n, n_bidders))
    first = np.concatenate([winners, random.choice(winners, n_several)])
    contracts = _contracts(first, n_bidders, random)
    awards = pd.concat([contracts, _further_winners(contracts.iloc[n:], n_bidders, random)])
    shuffled = random.permutation(n + n_several)
    awards["contract"] = shuffled[awards["contract"].to_numpy()]
    return awards.sort_values("contract", kind="stable", ignore_index=True)


def award_counts(n: int, n_bidders: int) -> IntArray:
    """Awards of the first, second, … bidder: n in all, each at least one."""
    ranks, shares = np.array([HEAD, TOP]).T
    log_rank = np.log(ranks / BIDDERS)
    log_share = np.log((shares * CONTRACTS - ranks) / (CONTRACTS - BIDDERS))
    a, b = np.linalg.solve(np.column_stack([log_rank**2, log_rank**3]), log_share)
    log_r = np.log(np.arange(1, n_bidders + 1) / n_bidders)
    further = (n - n_bidders) * np.exp(a * log_r**2 + b * log_r**3)
    # Rounded up, so that the head never falls short of its share; 1e-9 is rounding error.
    counts: IntArray = 1 + np.diff(np.ceil(further - 1e-9).astype(np.int64), prepend=0)
    return counts


def _contracts(bidder: IntArray, n_bidders: int, random: np.random.Generator) -> pd.DataFrame:
    """One contract for each entry of ``bidder``, with what is known of it."""
    n = len(bidder)

    def often_own(n_values: int, steepness: float, own_share: float) -> IntArray:
        """A value for each contract: often its bidder's own, else any."""
        popularity: FloatArray = np.arange(1.0, n_values + 1) ** -steepness
        popularity /= popularity.sum()
        own = random.choice(n_values, n_bidders, p=popularity)[bidder]
        other = random.choice(n_values, n, p=popularity)
        return np.where(random.random(n) < own_share, own, other)

    objects = often_own(OBJECTS, 1.0, FAITHFUL)
    authorities = often_own(AUTHORITIES, 0.8, LOCAL)
    founded = random.random(n_bidders)[bidder] * 0.8
    days = (founded + (1 - founded) * random.random(n)) * (LAST - FIRST).astype(int)
    dates = FIRST + days.astype(np.int64)
    undated = random.choice(n, round(n * UNDATED), replace=False)
    dates[undated] = np.datetime64("NaT")
    return pd.DataFrame(
        {
            "bidder": bidder,
            "date": dates.astype("datetime64[s]"),
            "main_object": _numbered(objects, "object", OBJECTS),
            "kind": pd.Categorical.from_codes(objects % len(KINDS), pd.Index(KINDS)),
            "authority": _numbered(authorities, "authority", AUTHORITIES),
        }
    ).reset_index(names="contract")


def _further_winners(
    contracts: pd.DataFrame, n_bidders: int, random: np.random.Generator
) -> pd.DataFrame:
    """A second winner of each contract, and a third of some."""
    n = len(contracts)
    # Steps of less than half the bidders: three winners of one contract are three bidders.
    steps = random.integers(1, (n_bidders + 1) // 2, size=(n, 2)).cumsum(axis=1)
    others = (contracts["bidder"].to_numpy()[:, np.newaxis] + steps) % n_bidders
    second = contracts.assign(bidder=others[:, 0])
    third = contracts.assign(bidder=others[:, 1])[random.random(n) < 0.2]
    return pd.concat([second, third])


def _numbered(codes: IntArray, name: str, n: int) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index([f"{name} {i}" for i in range(1, n + 1)]))
