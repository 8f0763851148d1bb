"""Parts that all matchmakers share: codes of the winners, the best bidders, the table of lists."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array

from receval._checks import AnyArray, FloatArray, IntArray, check_not_empty, input_error, shorten
from receval.tables.columns import check_no_rows, read_column, read_ids


def code_winners(awards: pd.DataFrame) -> tuple[IntArray, pd.Index]:
    """Return the code of each award's bidder, and all bidders in order of their ids."""
    bidders = read_column(awards, "bidder", "awards")
    check_no_rows(bidders, bidders.isna().to_numpy(), "awards['bidder']", "be known")
    check_not_empty(bidders, "awards")
    read_ids(bidders, "awards['bidder']")  # raises unless all are integers or all are texts
    if isinstance(bidders.dtype, pd.CategoricalDtype):  # sorting would follow its own order
        bidders = bidders.astype(bidders.cat.categories.dtype)
    return pd.factorize(bidders, sort=True)


def read_feature(table: pd.DataFrame, feature: object, name: str) -> pd.Series:
    """Return the values of a feature as plain objects; raise `InputError` for values such as lists.

    Two categorical columns can number the same values differently, so plain objects are compared.
    ``name`` is the name of the table in messages.
    """
    values = read_column(table, feature, name, ", which is a feature").astype(object)
    is_wrong = np.array([not isinstance(value, Hashable) for value in values], dtype=bool)
    check_no_rows(values, is_wrong, f"{name}[{feature!r}]", "have single values, not lists")
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
    past_is_text = {isinstance(value, str) for value in past.dropna()}
    new_is_text = {isinstance(value, str) for value in new.dropna()}
    if len(past_is_text) == len(new_is_text) == 1 and past_is_text != new_is_text:
        rule = f"have values of the same type as awards[{feature!r}]"
        got = f"{shorten(new.dropna().iloc[0])} and {shorten(past.dropna().iloc[0])}"
        raise input_error(f"contracts[{feature!r}]", rule, got, "Convert one of the columns")
    return past, new


def link_matrix(subjects: IntArray, objects: IntArray, n_entities: int) -> csr_array:
    """Return a matrix with a 1 for each link, also if it is repeated."""
    places = np.unique(np.column_stack([subjects, objects]), axis=0).T
    shape = (n_entities, n_entities)
    return coo_array((np.ones(places.shape[1]), tuple(places)), shape=shape).tocsr()


def best_bidders(scores: FloatArray, k: int) -> tuple[IntArray, FloatArray]:
    """Return the positions of the k largest scores in each row, and these scores.

    Equal scores are in order of position, which is the order of the bidders' ids. ``scores`` has at
    least k columns.
    """
    keys = np.where(np.isnan(scores), np.inf, -scores)  # the smallest is best
    kth_key = np.partition(keys, k - 1, axis=1)[:, k - 1, np.newaxis]
    is_better = keys < kth_key
    is_kth = keys == kth_key
    # Bidders with the k-th best score take the places that are left, the first bidders first.
    n_left = k - np.count_nonzero(is_better, axis=1, keepdims=True)
    place_among_equals = np.cumsum(is_kth, axis=1, dtype=np.int32)
    is_listed = is_better | (is_kth & (place_among_equals <= n_left))
    # Sort the k listed bidders of each row. That is much faster than to sort all bidders.
    positions = np.nonzero(is_listed)[1].reshape(-1, k)
    order = np.argsort(np.take_along_axis(keys, positions, axis=1), axis=1, kind="stable")
    positions = np.take_along_axis(positions, order, axis=1)
    return positions, np.take_along_axis(scores, positions, axis=1)


def check_contracts(contracts: pd.DataFrame) -> pd.Series:
    """Return the ids of the contracts; raise an `InputError` if one is missing or repeated."""
    contract = read_column(contracts, "contract", "contracts")
    name = "contracts['contract']"
    check_no_rows(contract, contract.isna().to_numpy(), name, "be known")
    is_repeated = contract.duplicated().to_numpy()
    check_no_rows(contract, is_repeated, name, "be there once", "Drop the other rows")
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
