"""Parts that all matchmakers share: codes of the winners, the best bidders, the table of lists."""

from __future__ import annotations

import math
from collections.abc import Hashable

import numpy as np
import pandas as pd

from receval._checks import AnyArray, FloatArray, IntArray, check_not_empty, input_error, shorten
from receval.tables.columns import check_no_rows, read_column, read_ids


def code_winners(awards: pd.DataFrame) -> tuple[IntArray, pd.Index]:
    """Return the code of each award's bidder, and all bidders in order of their ids."""
    bidders = read_column(awards, "bidder", "awards")
    check_no_rows(bidders, bidders.isna().to_numpy(), "awards['bidder']", "be known")
    check_not_empty(bidders, "awards")
    read_ids(bidders, "awards['bidder']")  # raises unless all are integers or all are texts
    return pd.factorize(bidders, sort=True)


def read_feature(table: pd.DataFrame, feature: object, name: str) -> pd.Series:
    """Return the values of a feature as plain objects; raise `InputError` for values such as lists.

    Two categorical columns can number the same values differently, so plain objects are compared.
    ``name`` is the name of the table in messages.
    """
    values = read_column(table, feature, name, ", which is a feature").astype(object)
    # Ask once for each type, because there are many values of few types.
    is_hashable = {kind: issubclass(kind, Hashable) for kind in set(map(type, values))}
    is_wrong = np.array([not is_hashable[type(value)] for value in values], dtype=bool)
    rule = "have single values, not lists"
    check_no_rows(values, is_wrong, f"{name}[{feature!r}]", rule)
    return values


def read_feature_of_both(
    awards: pd.DataFrame, contracts: pd.DataFrame, feature: object
) -> tuple[pd.Series, pd.Series]:
    """Return the values of a feature in the awards and in the contracts, as plain objects.

    Raises an `InputError` if one column has only texts and the other has no text, because then
    nothing can agree: the code 45 isn't the text "45".
    """
    past = read_feature(awards, feature, "awards")
    new = read_feature(contracts, feature, "contracts")
    past_is_text = [isinstance(value, str) for value in past.dropna()]
    new_is_text = [isinstance(value, str) for value in new.dropna()]
    if past_is_text and new_is_text:
        only_past_is_text = all(past_is_text) and not any(new_is_text)
        only_new_is_text = all(new_is_text) and not any(past_is_text)
        if only_past_is_text or only_new_is_text:
            rule = f"have values of the same type as awards[{feature!r}]"
            got = f"{shorten(new.dropna().iloc[0])} and {shorten(past.dropna().iloc[0])}"
            raise input_error(f"contracts[{feature!r}]", rule, got, "Convert one of the columns")
    return past, new


def largest(scores: FloatArray, k: int) -> IntArray:
    """Return the positions of the k largest scores; equal scores are in order of position.

    To save time, the function sorts only the scores that can be among the k largest. It splits the
    scores into parts, and takes the k-th largest of the parts' maxima. At least k scores are as
    large as this one, so no smaller score is among the k largest.
    """
    part_length = math.isqrt(len(scores) // k)
    n_parts = len(scores) // part_length
    # Part i has the scores at i, i + n_parts, i + 2 n_parts, and so on. The last few scores may
    # belong to no part.
    parts = scores[: n_parts * part_length].reshape(part_length, n_parts)
    bound = np.partition(parts.max(axis=0), n_parts - k)[n_parts - k]
    candidates = np.flatnonzero(scores >= bound)
    order = np.argsort(-scores[candidates], kind="stable")
    return candidates[order[:k]]


def check_contracts(contracts: pd.DataFrame) -> pd.Series:
    """Return the ids of the contracts; raise an `InputError` if one is missing or repeated."""
    contract = read_column(contracts, "contract", "contracts")
    name = "contracts['contract']"
    check_no_rows(contract, contract.isna().to_numpy(), name, "be known")
    is_repeated = contract.duplicated().to_numpy()
    rule = "be there once, with one list"
    check_no_rows(contract, is_repeated, name, rule, "Drop the other rows")
    return contract


def long_table(
    contracts: pd.DataFrame, bidders: pd.Index, lists: IntArray, scores: AnyArray
) -> pd.DataFrame:
    """Return lists as a table with one row per contract and bidder.

    Parameters
    ----------
    contracts : DataFrame
        Contracts; column ``contract``.
    bidders : Index
        Ids of all bidders.
    lists : ndarray of int
        Positions in ``bidders`` of each contract's bidders, best first; -1 is an empty place.
        Shape: (contracts, length of a list).
    scores : ndarray
        Their scores, in the same shape.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``, without the empty places.

    Raises
    ------
    InputError
        If the id of a contract is missing or occurs twice.
    """
    contract = check_contracts(contracts).to_numpy()
    is_filled = lists.ravel() >= 0
    return pd.DataFrame(
        {
            "contract": contract.repeat(lists.shape[1])[is_filled],
            "bidder": bidders[lists.ravel()[is_filled]],
            "score": scores.ravel()[is_filled],
        }
    )
