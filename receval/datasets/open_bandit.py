"""The Open Bandit Dataset: impressions of two policies, with the probabilities of the items.

The files are a sample that its authors publish under CC BY 4.0. Cite Saito, Aihara, Matsutani and
Narita (2021), Open Bandit Dataset and Pipeline.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
import yaml

from receval._checks import (
    FloatArray,
    Seed,
    as_generator,
    check_choice,
    check_count,
)
from receval.datasets.downloads import fetch, read_content

CAMPAIGNS = ("all", "men")
POLICIES = ("random", "bts")
N_POSITIONS = 3  # places of an item on the page
COLUMNS = {
    "timestamp": "time",
    "item_id": "item",
    "position": "position",
    "click": "clicked",
    "propensity_score": "propensity",
}


def open_bandit(campaign: str = "all") -> pd.DataFrame:
    """Load 20,000 impressions from a fashion shop, 10,000 from each of two policies.

    For each impression, chance decided which policy chose the item. The log has no ids of users.

    Parameters
    ----------
    campaign : {"all", "men"}, default "all"
        The campaign: 80 items, or 34 items for men.

    Returns
    -------
    DataFrame
        Columns ``system`` ("random", or "bts" for Bernoulli Thompson sampling), ``time``,
        ``item``, ``position`` (1 to 3), ``clicked`` (boolean) and ``propensity``, the probability
        that the policy shows this item at this place.

    Raises
    ------
    InputError
        If there is no such campaign.
    DataUnavailable
        If a file is not available and cannot be downloaded.

    References
    ----------
    st-tech/zr-obp, ``obd``; see `sources`.
    """
    check_choice(campaign, "campaign", CAMPAIGNS)
    logs = {}
    for policy in POLICIES:
        table = pd.read_csv(fetch(f"open_bandit/{policy}_{campaign}.csv"), usecols=[*COLUMNS])
        table = table.rename(columns=COLUMNS)[[*COLUMNS.values()]]
        table["time"] = pd.to_datetime(table["time"], format="ISO8601")
        table["clicked"] = table["clicked"].astype(bool)
        logs[policy] = table
    return pd.concat(logs, names=["system"]).reset_index("system").reset_index(drop=True)


def open_bandit_policy(
    campaign: str = "all",
    *,
    n_draws: int = 100_000,
    rng: Seed | np.random.RandomState = 0,
) -> FloatArray:
    """Estimate the probability that Bernoulli Thompson sampling shows each item at each place.

    The policy draws a click rate for each item from a beta distribution, and shows the three items
    with the largest rates. The authors published the parameters of the distributions. The
    probabilities are shares of many simulated draws.

    Parameters
    ----------
    campaign : {"all", "men"}, default "all"
        The campaign.
    n_draws : int, default 100000
        Number of draws.
    rng : Generator, RandomState or int, default 0
        Source of randomness, or a seed. ``numpy.random.RandomState(12345)`` gives the probabilities
        of Open Bandit Pipeline's example.

    Returns
    -------
    ndarray, shape (items, places)
        The probabilities. For each place, they sum to 1.

    Raises
    ------
    InputError
        If there is no such campaign, or ``n_draws`` is not a positive integer.
    DataUnavailable
        If the file of the parameters is not available and cannot be downloaded.

    References
    ----------
    st-tech/zr-obp, ``obp/policy/conf/prior_bts.yaml``; see `sources`.
    """
    check_choice(campaign, "campaign", CAMPAIGNS)
    n = check_count(n_draws, "n_draws")
    generator = rng if isinstance(rng, np.random.RandomState) else as_generator(rng)
    parameters = yaml.safe_load(read_content(fetch("open_bandit/prior_bts.yaml")))[campaign]
    alpha = np.array(parameters["alpha"])
    drawn_rates = generator.beta(alpha, np.array(parameters["beta"]), (n, len(alpha)))
    # The items with the largest rates, best first, with a column for each place.
    shown_items = np.argsort(-drawn_rates, axis=1)[:, :N_POSITIONS]
    counts = [
        np.bincount(shown_items[:, place], minlength=len(alpha)) for place in range(N_POSITIONS)
    ]
    return np.array(counts).T / n
