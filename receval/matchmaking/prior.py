"""Weights of bidders that are the same for all contracts."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import FloatArray, check_that, format_first, input_error
from receval.tables.columns import read_numbers


def prior_of_bidders(prior: object, bidders: pd.Index) -> FloatArray:
    """Return the prior of each bidder as a share of the largest, in [0, 1].

    Parameters
    ----------
    prior : Series
        A number of at least 0 for every bidder; its index has the bidders' ids.
    bidders : Index
        The bidders with an award. Other bidders in the prior aren't used.

    Raises
    ------
    InputError
        If the prior is not a Series, lacks a bidder, has a bidder twice, has a number below 0, or
        has only zeros.
    """
    rule = "be a Series with a number for each bidder"
    check_that(isinstance(prior, pd.Series), "prior", rule, type(prior).__name__)
    assert isinstance(prior, pd.Series)
    if not prior.index.is_unique:
        repeated = prior.index[prior.index.duplicated()]
        raise input_error("prior", "have each bidder once", format_first(repeated))
    is_missing = ~bidders.isin(prior.index)
    if is_missing.any():
        got = f"none for {format_first(bidders[is_missing])}"
        raise input_error("prior", "have a number for every bidder with an award", got)
    numbers = read_numbers(prior.reindex(bidders), "prior").astype(float)
    if not (numbers >= 0).all():
        wrong = bidders[~(numbers >= 0)]
        raise input_error(
            "prior", "have numbers of at least 0", f"others for {format_first(wrong)}"
        )
    largest = numbers.max()
    check_that(largest > 0, "prior", "have a number above 0", "zeros only")
    shares: FloatArray = np.asarray(numbers / largest, dtype=float)
    return shares
