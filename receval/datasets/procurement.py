"""Generated public procurement, modelled on document 000, whose awards are not available."""

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
SHORT_HEAD = (101, 0.20)  # the first 101 bidders hold 20 % of the awards
TOP_TEN = (10, 0.07)  # the first 10 hold 7 %, the hit rate of always recommending them
SHARE_WITH_SEVERAL_WINNERS = 0.01  # of all contracts
SHARE_UNDATED = 0.023  # of all contracts
FIRST_DAY = np.datetime64("2006-07-01")
LAST_DAY = np.datetime64("2016-06-30")
MAX_CONTRACTS = 500_000  # at 600,000 the curve gives the second bidder less than 0 awards
N_OBJECTS = 1_500
N_AUTHORITIES = 2_000
KINDS = ("services", "supplies", "works")
SHARE_OF_MAIN_OBJECT = 0.45  # of a bidder's contracts are for the bidder's main object
SHARE_OF_AUTHORITY = 0.25  # of a bidder's contracts come from the bidder's authority


def procurement(n_contracts: int = CONTRACTS, *, rng: Seed = 0) -> pd.DataFrame:
    r"""Generate awards of public contracts that resemble those of document 000.

    Every bidder has one award. The first i of N bidders hold a share F of all further ones, which
    follows a smooth curve that is flat at its end,

    .. math:: \log F(r) = a \log^2 r + b \log^3 r, \qquad r = i / N,

    Two figures of the document determine its two parameters: the short head of 101 of 14,388
    bidders holds 20 % of the awards, and the first ten win 7 % of the contracts (the hit rate
    of always recommending them). The tail is realistic: more bidders have one award than two
    (29 % and 26 %), and in five folds about 7 % of them have no training award, so that ten picks
    among the others have an expected LTP of 1 - 101/N_train, 0.992 as printed. Each bidder has a
    main object and an authority, which many of its contracts share, so that a matchmaker can learn
    from them. Each also has a first day of business and wins no contract before.

    Parameters
    ----------
    n_contracts : int, default 94929
        Number of contracts with a single winner, from 100 to 500,000; the number of bidders is
        proportional. About 1 % more contracts have several winners, in one row per winner.
    rng : numpy.random.Generator or int, default 0
        Source of the random numbers; an int is a seed.

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
    The numbers of contracts and bidders, the concentration of awards, the contracts with several
    winners and the missing dates are those of the document. The attributes and the dates are
    invented; the main object predicts the winner about as well as the published matchmakers do
    (a hit rate at 10 near 0.25). Results on these data illustrate the protocol. They do not
    describe real procurement.

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
    rule = f"be at most {MAX_CONTRACTS:,}, as the curve of awards falls below one from there on"
    check_that(n <= MAX_CONTRACTS, "n_contracts", rule, n)
    random = as_generator(rng)
    n_bidders = round(n * BIDDERS / CONTRACTS)
    # These contracts come on top of the n with a single winner, and are 1 % of both together.
    n_several = round(n * SHARE_WITH_SEVERAL_WINNERS / (1 - SHARE_WITH_SEVERAL_WINNERS))
    winners = np.repeat(random.permutation(n_bidders), award_counts(n, n_bidders))
    first_winners = np.concatenate([winners, random.choice(winners, n_several)])
    contracts = _draw_contracts(first_winners, n_bidders, random)
    # The contracts from n on have several winners.
    awards = pd.concat([contracts, _further_winners(contracts.iloc[n:], n_bidders, random)])
    # Give the contracts numbers in random order, so that a number says nothing about the winner.
    shuffled = random.permutation(n + n_several)
    awards["contract"] = shuffled[awards["contract"].to_numpy()]
    return awards.sort_values("contract", kind="stable", ignore_index=True)


def award_counts(n: int, n_bidders: int) -> IntArray:
    """Return the number of awards of each bidder, largest first: at least 1, ``n`` in all.

    One award of each bidder is given. The others, the further awards, follow the curve of
    `procurement`: log F(r) = a log² r + b log³ r, where the share F of them goes to the share r of
    the bidders.
    """
    # Two figures of the document determine a and b. The first bidders' share of all awards is
    # known; take away their first awards for their share of the further ones.
    ranks, shares = np.array([SHORT_HEAD, TOP_TEN]).T
    log_rank = np.log(ranks / BIDDERS)
    log_share = np.log((shares * CONTRACTS - ranks) / (CONTRACTS - BIDDERS))
    a, b = np.linalg.solve(np.column_stack([log_rank**2, log_rank**3]), log_share)
    log_r = np.log(np.arange(1, n_bidders + 1) / n_bidders)
    # The number of further awards of the first i bidders, for each i.
    further = (n - n_bidders) * np.exp(a * log_r**2 + b * log_r**3)
    # Round up, so that the head has at least its share; 1e-9 allows for rounding errors.
    counts: IntArray = 1 + np.diff(np.ceil(further - 1e-9).astype(np.int64), prepend=0)
    return counts


def _draw_contracts(bidder: IntArray, n_bidders: int, random: np.random.Generator) -> pd.DataFrame:
    """Return one contract for each entry of ``bidder``, with dates and attributes.

    Each bidder, from 0 to ``n_bidders - 1``, has a usual object, a usual authority, and a day of
    founding.
    """
    n = len(bidder)

    def draw_values(n_values: int, steepness: float, usual_share: float) -> IntArray:
        """Return a value from 0 on for each contract: the bidder's usual one, or any other draw.

        The share of contracts with the usual value is ``usual_share``. A value's chance falls with
        its number, the faster the greater ``steepness`` is.
        """
        popularity: FloatArray = np.arange(1.0, n_values + 1) ** -steepness
        popularity /= popularity.sum()
        usual = random.choice(n_values, n_bidders, p=popularity)[bidder]
        other = random.choice(n_values, n, p=popularity)
        return np.where(random.random(n) < usual_share, usual, other)

    objects = draw_values(N_OBJECTS, 1.0, SHARE_OF_MAIN_OBJECT)
    authorities = draw_values(N_AUTHORITIES, 0.8, SHARE_OF_AUTHORITY)
    founded = random.random(n_bidders)[bidder] * 0.8  # as a share of the whole period
    n_days = (LAST_DAY - FIRST_DAY).astype(int)
    days = (founded + (1 - founded) * random.random(n)) * n_days
    dates = FIRST_DAY + days.astype(np.int64)
    undated = random.choice(n, round(n * SHARE_UNDATED), replace=False)
    dates[undated] = np.datetime64("NaT")
    kinds = objects % len(KINDS)  # the object determines the kind
    return pd.DataFrame(
        {
            "bidder": bidder,
            "date": dates.astype("datetime64[s]"),
            "main_object": _number_categories(objects, "object", N_OBJECTS),
            "kind": pd.Categorical.from_codes(kinds, pd.Index(KINDS)),
            "authority": _number_categories(authorities, "authority", N_AUTHORITIES),
        }
    ).reset_index(names="contract")


def _further_winners(
    contracts: pd.DataFrame, n_bidders: int, random: np.random.Generator
) -> pd.DataFrame:
    """Return rows for a second winner of each contract, and for a third one of a fifth of them.

    ``contracts`` has one row per contract, with its first winner.
    """
    n = len(contracts)
    # The bidders are in a circle: the second winner is some steps after the first one, and the
    # third some steps after the second. Together this is less than once around, so all differ.
    steps = random.integers(1, (n_bidders + 1) // 2, size=(n, 2)).cumsum(axis=1)
    others = (contracts["bidder"].to_numpy()[:, np.newaxis] + steps) % n_bidders
    second = contracts.assign(bidder=others[:, 0])
    third = contracts.assign(bidder=others[:, 1])[random.random(n) < 0.2]
    return pd.concat([second, third])


def _number_categories(codes: IntArray, name: str, n: int) -> pd.Categorical[str]:
    """Return codes from 0 as categories called "name 1" to "name n"."""
    return pd.Categorical.from_codes(codes, pd.Index([f"{name} {i}" for i in range(1, n + 1)]))
