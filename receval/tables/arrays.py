"""Make tables of ranked lists from the output of models: arrays of items, and matrices of scores.

An array of whole numbers could hold items or scores, so `receval.evaluate` doesn't accept arrays.
Users call `lists_from_items` or `lists_from_scores` to say which it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, TypeGuard

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype

from receval._arrays import check_same_labels, columns_of, lists_of
from receval._checks import (
    AnyArray,
    BoolArray,
    IntArray,
    check_choice,
    check_count,
    format_first,
    input_error,
    shorten,
)
from receval.tables.columns import as_series, kind_of_ids, order_preserving_floats, read_ids
from receval.tables.ids import shared_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["lists_from_items", "lists_from_scores"]

SCORES_ADVICE = "If these are scores: receval.lists_from_scores(scores, k=10)"

EMPTY = -1
"""The number that marks an empty rank in an array of items."""

BLOCK_CELLS = 1 << 20
"""Number of cells of a score matrix that receval works on at a time."""


# Items by rank ------------------------------------------------------------------------------------


def lists_from_items(ids: object, *, users: object = None, items: object = None) -> pd.DataFrame:
    """Make a table of ranked lists from an array that holds items by rank.

    Parameters
    ----------
    ids : array_like, shape (n_users, k)
        The items of each user, best first: ids, or positions in ``items``. The number -1 and a
        missing value (None, NaN) mark an empty rank; such ranks come last in a row. Pass a NumPy
        array, a nested list, a tensor that converts to a NumPy array, or a DataFrame with the users
        in its index.
    users : sequence of ids, shape (n_users,), optional
        The user of each row. Default: the numbers 0, 1, 2, …, or the index of a DataFrame.
    items : sequence of ids, shape (n_items,), optional
        The ids of the items, if ``ids`` holds positions in this sequence. Default: ``ids`` holds
        the ids themselves.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item`` and ``rank``, with a row for each filled rank. Pass it to
        `receval.evaluate` with ``rank="rank"``.

    Raises
    ------
    InputError
        If ``ids`` doesn't have two axes, holds numbers that aren't whole, has an item after an
        empty rank, or holds a position outside ``items``; if ``users`` doesn't have an id for each
        row; or if ``users`` or ``items`` contain an id twice.

    See Also
    --------
    lists_from_scores : Make lists from a matrix with a score for each user and item.

    Examples
    --------
    >>> import receval
    >>> lists = receval.lists_from_items([[2, 0], [1, -1]], users=["ann", "bob"], items=list("xyz"))
    >>> lists
      user item  rank
    0  ann    z     1
    1  ann    x     2
    2  bob    y     1
    >>> truth = {"ann": ["x"], "bob": ["y"]}
    >>> receval.evaluate(lists, truth, "MRR", rank="rank").summary
             MRR
    system
            0.75
    """
    check_same_labels(ids=lists_of(ids), users=users)
    if isinstance(ids, pd.DataFrame) and users is None:
        users = ids.index
    array = _as_matrix(ids, "ids")
    is_filled = _has_item(array)
    _check_empty_ranks_last(is_filled, array)
    row, column = np.nonzero(is_filled)
    listed = _as_item_ids(np.ma.getdata(array)[is_filled])
    if items is not None:
        item_ids = _as_distinct_ids(items, "items")
        _check_positions(listed, row, column, len(item_ids))
        listed = item_ids.iloc[listed.to_numpy(np.int64)]
    user_ids = _row_ids(users, len(array), "users", "row of ids")
    return pd.DataFrame(
        {
            "user": user_ids.iloc[row].reset_index(drop=True),
            "item": listed.reset_index(drop=True),
            "rank": column + 1,
        }
    )


def _has_item(array: AnyArray) -> BoolArray:
    """Return a mask of the ranks that aren't empty; a masked rank is empty."""
    has_item = ~np.ma.getmaskarray(array)
    values = np.ma.getdata(array)
    if values.dtype.kind in "fO":
        has_item &= ~pd.isna(values)
    if values.dtype.kind in "iufO":
        has_item[has_item] = values[has_item] != EMPTY  # a missing value has no comparison
    return has_item


def _as_item_ids(values: AnyArray) -> pd.Series:
    """Return ids as integers or text; raise for other values, and for floats that aren't exact."""
    if values.dtype.kind == "f":
        # Above this limit, a float stands for several whole numbers. In 32 bits, for example,
        # 2^24 + 1 becomes 2^24, so the id could be that of another item.
        limit = np.float64(2 ** (np.finfo(values.dtype).nmant + 1))
        is_wrong = (values != np.floor(values)) | (np.abs(values) >= limit)
        if is_wrong.any():
            rule = f"hold ids, or whole numbers below {limit:.0f} in {values.dtype}"
            got = format_first(shorten(number) for number in values[is_wrong])
            raise input_error("ids", rule, got, SCORES_ADVICE)
        values = values.astype(np.int64)
    item_ids = pd.Series(values.tolist() if values.dtype.kind == "O" else values)
    read_ids(item_ids, "ids")  # raises unless all are integers or all are text
    return item_ids


def _check_empty_ranks_last(is_filled: BoolArray, array: AnyArray) -> None:
    """Raise if a row has an item after an empty rank, because nobody knows the item's rank."""
    is_after_gap = is_filled[:, 1:] & ~is_filled[:, :-1]
    if is_after_gap.any():

        def describe(cell: IntArray) -> str:
            """Return an item with its row and its column."""
            row, column = cell.tolist()
            return f"{shorten(array[row, column + 1])} at index [{row}, {column + 1}]"

        got = f"after an empty rank {format_first(np.argwhere(is_after_gap), to_text=describe)}"
        raise input_error("ids", "have empty ranks only at the end of a row", got)


def _check_positions(listed: pd.Series, row: IntArray, column: IntArray, n_items: int) -> None:
    """Raise unless all values are positions of items: whole numbers from 0 to ``n_items`` - 1.

    ``row`` and ``column`` have the place of each value in the array of ids.
    """
    advice = "Leave items out if ids has the ids themselves"
    if len(listed) and kind_of_ids(listed) != "integer":
        raise input_error("ids", "hold positions in items", shorten(listed.iloc[0]), advice)
    is_outside = ((listed < 0) | (listed >= n_items)).to_numpy()
    if is_outside.any():
        got = format_first(
            f"{listed.iloc[place]} at index [{row[place]}, {column[place]}]"
            for place in np.flatnonzero(is_outside)
        )
        rule = f"hold positions from 0 to {n_items - 1} in items, or -1 for an empty rank"
        raise input_error("ids", rule, got, advice)


# Scores of users and items ------------------------------------------------------------------------


def lists_from_scores(
    scores: object,
    *,
    k: int,
    users: object = None,
    items: object = None,
    ties: str = "item",
) -> pd.DataFrame:
    """Make a table of ranked lists from a matrix of scores: the k best items of each user.

    Parameters
    ----------
    scores : array_like, shape (n_users, n_items)
        The score of each user and item; larger is better. Pass a NumPy array, a nested list, a
        sparse matrix of SciPy, a tensor that converts to a NumPy array, or a DataFrame with the
        users in its index and the items in its columns. If an entry of a masked
        array is masked, or a sparse matrix doesn't store an entry, the item is not a candidate, so
        the user's list doesn't have it.
    k : int
        The length of the lists. A list is shorter if a user has fewer candidates.
    users : sequence of ids, shape (n_users,), optional
        The user of each row. Default: the numbers 0, 1, 2, …, or the index of a DataFrame.
    items : sequence of ids, shape (n_items,), optional
        The item of each column. Default: the numbers 0, 1, 2, …, or the columns of a DataFrame.
    ties : {"item", "all"}, default "item"
        Which of the items with the score of rank k are in a list: those with the lowest ids, or
        all. With ``"all"``, `receval.evaluate` may order equal scores by any rule.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item`` and ``score``, with the rows of each user best first. With
        ``ties="item"``, the table also has a column ``rank``.

    Raises
    ------
    InputError
        If ``scores`` doesn't have two axes, or holds NaN or values that aren't real numbers; if
        ``k`` is not a positive integer; if there is no such rule for ties; if ``users`` or
        ``items`` have the wrong length or contain an id twice.

    See Also
    --------
    lists_from_items : Make lists from an array that has the items by rank.

    Notes
    -----
    receval ranks infinite scores like any others. If your model sets the scores of seen items to
    minus infinity, mask them: ``np.ma.masked_where(np.isneginf(scores), scores)``.

    Besides the input, memory has to hold the lists and one block of rows.

    Examples
    --------
    >>> import receval
    >>> receval.lists_from_scores([[0.1, 0.9, 0.4], [0.7, 0.2, 0.7]], k=2, items=["x", "y", "z"])
       user item  score  rank
    0     0    y    0.9     1
    1     0    z    0.4     2
    2     1    x    0.7     1
    3     1    z    0.7     2
    """
    k = check_count(k, "k")
    check_choice(ties, "ties", ("item", "all"))
    check_same_labels(scores=lists_of(scores), users=users)
    check_same_labels(scores=columns_of(scores), items=items)
    if isinstance(scores, pd.DataFrame):
        users = scores.index if users is None else users
        items = scores.columns if items is None else items
    matrix = _as_score_matrix(scores)
    n_users, n_items = matrix.shape
    user_ids = _row_ids(users, n_users, "users", "row of scores")
    item_ids = _row_ids(items, n_items, "items", "column of scores")
    codes, _ = shared_codes({"items": item_ids}, "items")  # the codes ascend as the ids do

    parts = []
    for entries in _candidates(matrix, k):
        _check_no_nan(entries, user_ids, item_ids)
        parts.append(_first_k(entries, k, codes["items"], ties))
    row, column, score = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    table = pd.DataFrame(
        {
            "user": user_ids.iloc[row].reset_index(drop=True),
            "item": item_ids.iloc[column].reset_index(drop=True),
            "score": score,
        }
    )
    if ties == "item":
        table["rank"] = table.groupby(row).cumcount() + 1
    return table


class Entries(NamedTuple):
    """Entries of a score matrix: their rows, their columns and their scores."""

    row: IntArray
    column: IntArray
    score: AnyArray


def _candidates(matrix: Any, k: int) -> Iterator[Entries]:
    """Yield the entries that may be in the lists, by block of rows; there is at least one block."""
    if is_sparse(matrix):
        stored = matrix.tocoo()
        yield Entries(stored.row.astype(np.int64), stored.col.astype(np.int64), stored.data)
        return
    n_users, n_items = matrix.shape
    n_rows = max(1, BLOCK_CELLS // max(1, n_items))
    for first in range(0, max(1, n_users), n_rows):
        block: AnyArray = matrix[first : first + n_rows]
        row, column = np.nonzero(_may_be_listed(block, k))
        yield Entries(row + first, column, np.ma.getdata(block)[row, column])


def _may_be_listed(block: AnyArray, k: int) -> BoolArray:
    """Return a mask of the candidates that have at least the k-th best score of their row.

    A row can have more than k of them if scores are equal. The mask includes scores that are NaN,
    so that the caller can refuse them.
    """
    is_candidate = ~np.ma.getmaskarray(block)
    n_items = block.shape[1]
    if k >= n_items:
        return is_candidate
    lowest = -np.inf if block.dtype.kind == "f" else np.iinfo(block.dtype).min
    values = np.ma.filled(block, lowest)
    # NaN sorts behind all numbers, so the partition counts it as one of the best.
    kth_best = np.partition(values, n_items - k, axis=1)[:, n_items - k, np.newaxis]
    is_below = values < kth_best  # False for NaN
    return np.asarray(is_candidate & ~is_below)


def _check_no_nan(entries: Entries, user_ids: pd.Series, item_ids: pd.Series) -> None:
    """Raise if a candidate's score is NaN, and name the users and items."""
    wrong = np.flatnonzero(pd.isna(entries.score))
    if wrong.size:

        def describe(entry: int) -> str:
            """Return the user and the item of an entry."""
            user = user_ids.iloc[entries.row[entry]]
            return f"user {shorten(user)} with item {shorten(item_ids.iloc[entries.column[entry]])}"

        got = f"NaN for {format_first(wrong.tolist(), to_text=describe)}"
        advice = "If NaN marks items that are no candidates: np.ma.masked_invalid(scores)"
        raise input_error("scores", "not be NaN", got, advice)


def _first_k(entries: Entries, k: int, code_of_item: IntArray, ties: str) -> Entries:
    """Return the k best entries of each row, best first; among equal scores, the lowest codes.

    With ``ties="all"``, all entries with the score of rank k are returned.
    """
    falling_key = -order_preserving_floats(entries.score).astype(np.float64)
    order = np.lexsort((code_of_item[entries.column], falling_key, entries.row))
    row = entries.row[order]
    falling_key = falling_key[order]
    # The rank of an entry is its distance from the first entry of its row.
    start_of_row = np.searchsorted(row, row, side="left")
    is_listed = np.arange(row.size) < start_of_row + k
    if ties == "all" and row.size:
        length = np.searchsorted(row, row, side="right") - start_of_row
        kth_entry = start_of_row + np.minimum(k, length) - 1
        is_listed |= falling_key == falling_key[kth_entry]
    listed = order[is_listed]
    return Entries(entries.row[listed], entries.column[listed], entries.score[listed])


# Arrays of other libraries ------------------------------------------------------------------------


def is_sparse(values: object) -> TypeGuard[csr_array]:
    """Return whether this is a sparse matrix or array of SciPy, in any format."""
    return type(values).__module__.startswith("scipy.sparse")


def _as_matrix(values: object, name: str) -> AnyArray:
    """Return an array with two axes; raise `InputError` if that is not possible.

    Masked arrays stay masked. An array made from a tensor shares its memory if possible.
    """
    try:
        array = values if isinstance(values, np.ma.MaskedArray) else np.asarray(values)
        if array.dtype.kind in "US" and isinstance(values, (list, tuple)):
            array = np.array(values, dtype=object)  # NumPy may have turned numbers into text
    except ValueError:  # NumPy refuses rows of different lengths
        advice = "Fill short rows with -1 or None at the end"
        raise input_error(name, "have rows of one length", "different lengths", advice) from None
    except (RuntimeError, TypeError) as error:  # tensors with gradients, or on a device
        got = f"{type(values).__name__} ({shorten(str(error))})"
        advice = f"If it is a tensor of PyTorch, pass {name}.detach().cpu().numpy()"
        raise input_error(name, "convert to a NumPy array", got, advice) from None
    if array.ndim != 2:
        advice = ""
        if array.ndim == 1:
            advice = f"A single user has one row: [{name}]"
        got = f"{type(values).__name__} of shape {array.shape}"
        raise input_error(name, "have two axes, users and ranks or items", got, advice)
    return array


def _as_score_matrix(scores: object) -> AnyArray | csr_array:
    """Return scores as an array of real numbers, or as a sparse matrix by rows.

    SciPy adds up repeated entries in place, so the function does this in a copy. Raises
    `InputError` for other types of numbers and of objects.
    """
    if is_sparse(scores):
        if scores.ndim != 2:
            raise input_error("scores", "have two axes, users and items", f"shape {scores.shape}")
        if scores.dtype.kind in "iu" and scores.dtype.itemsize < 8:
            scores = scores.astype(np.int64)  # the sum of repeated entries needs more bits
        matrix = scores.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()  # SciPy defines an entry that is stored twice as the sum
        _check_real(matrix.data)
        return matrix
    if isinstance(scores, pd.DataFrame):
        # pandas turns tables with nullable or Arrow types, such as "Float64", into objects.
        is_numeric = all(pd.api.types.is_numeric_dtype(dtype) for dtype in scores.dtypes)
        if is_numeric and any(isinstance(dtype, ExtensionDtype) for dtype in scores.dtypes):
            scores = scores.to_numpy(np.float64, na_value=np.nan)
    array = _as_matrix(scores, "scores")
    _check_real(array)
    if array.dtype == bool:
        array = array.astype(np.int8)
    return array


def _check_real(array: AnyArray) -> None:
    """Raise unless the array has real numbers of at most 64 bits, or truth values."""
    is_real = array.dtype.kind in "biuf" and array.dtype.itemsize <= 8
    if not is_real:
        advice = "If these are items by rank: receval.lists_from_items(ids)"
        raise input_error("scores", "hold real numbers", f"the type {array.dtype}", advice)


# Ids of rows and columns --------------------------------------------------------------------------


def _row_ids(values: object, n: int, name: str, what: str) -> pd.Series:
    """Return the ids of the rows or columns of an array; by default the numbers 0, 1, 2, ….

    ``n`` is the number of rows or columns. ``what`` is the word for a row or column in messages,
    such as "row of ids".
    """
    if values is None:
        return pd.Series(np.arange(n))
    ids = _as_distinct_ids(values, name)
    if len(ids) != n:
        raise input_error(name, f"have an id for each {what}, {n} of them", f"{len(ids)} ids")
    return ids


def _as_distinct_ids(values: object, name: str) -> pd.Series:
    """Return ids as a Series numbered from 0; raise if an id occurs twice or is missing."""
    if isinstance(values, pd.MultiIndex):  # pivoting a table without values= makes one
        advice = "Pass pivot its values=, or take one level: index.get_level_values(1)"
        raise input_error(name, "be ids", f"a MultiIndex of {values.nlevels} levels", advice)
    ids = as_series(values, name).reset_index(drop=True)
    if ids.isna().any():
        raise input_error(name, "not be missing", f"none in place {int(ids.isna().argmax())}")
    is_repeated = ids.duplicated().to_numpy()
    if is_repeated.any():
        got = f"{format_first(shorten(value) for value in ids[is_repeated])} twice"
        raise input_error(name, "hold each id once", got)
    return ids
