"""Make tables of ranked lists from the output of models: arrays of items, and matrices of scores.

An array of whole numbers could hold items or scores, so `receval.evaluate` doesn't accept arrays.
Users call `lists_from_items` or `lists_from_scores` to say which it holds.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype
from pandas.api.types import is_numeric_dtype

from receval._arrays import (
    check_exact,
    check_not_rounded,
    check_same_labels,
    columns_of,
    lists_of,
)
from receval._checks import (
    AnyArray,
    BoolArray,
    FloatArray,
    check_count,
    check_none,
    check_unique,
    input_error,
    shorten,
)
from receval.tables.columns import as_series, read_ids, shared_codes

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
    cells: AnyArray = np.ma.getdata(array)
    is_missing = np.ma.getmaskarray(array) | pd.isna(cells)
    is_filled = ~is_missing
    is_filled[~is_missing] = cells[~is_missing] != EMPTY  # pandas.NA can't be compared
    # After an empty rank, nobody knows an item's rank: 2 is wrong in the row [4, -1, 2].
    is_after_gap = np.zeros_like(is_filled)
    is_after_gap[:, 1:] = is_filled[:, 1:] & ~is_filled[:, :-1]
    check_none(array, is_after_gap, "ids", "have empty ranks only at the end of a row")

    # From here on, the filled cells of all rows are a single column: ids, or positions in `items`.
    row, column = np.nonzero(is_filled)
    if cells.dtype.kind == "f":
        _check_whole_floats(cells, is_filled)
        listed = pd.Series(cells[is_filled].astype(np.int64))
    elif cells.dtype.kind == "O":
        listed = pd.Series(cells[is_filled].tolist())  # finds the common type of the objects
    else:
        listed = pd.Series(cells[is_filled])
    read_ids(listed, "ids")  # raises unless all are integers or all are text
    listed_ids = listed
    if items is not None:
        item_ids = _as_distinct_ids(items, "items")
        is_outside = np.zeros_like(is_filled)  # in the shape of the array, for the message
        is_outside[is_filled] = ~listed.isin(range(len(item_ids)))
        rule = f"hold positions from 0 to {len(item_ids) - 1} in items, or -1 for an empty rank"
        check_none(array, is_outside, "ids", rule, "Leave items out if ids has the ids themselves")
        listed_ids = item_ids.iloc[listed.to_numpy().astype(np.int64)]
    user_ids = _row_ids(users, len(array), "users", "row of ids")
    return pd.DataFrame(
        {
            "user": user_ids.iloc[row].reset_index(drop=True),
            "item": listed_ids.reset_index(drop=True),
            "rank": column + 1,
        }
    )


def _check_whole_floats(cells: FloatArray, is_filled: BoolArray) -> None:
    """Raise unless all filled cells of an array of floats are whole numbers that stand for an id.

    Large floats stand for several whole numbers. In 32 bits, for example, 2^24 + 1 becomes 2^24, so
    the id could be that of another item.
    """
    limit = np.float64(2 ** (np.finfo(cells.dtype).nmant + 1))  # 2^24 in 32 bits
    is_wrong = (cells != np.floor(cells)) | (np.abs(cells) >= limit)
    rule = f"hold ids, or whole numbers below {limit:.0f} in {cells.dtype}"
    check_none(cells, is_wrong & is_filled, "ids", rule, SCORES_ADVICE)


# Scores of users and items ------------------------------------------------------------------------


def lists_from_scores(
    scores: object,
    *,
    k: int,
    users: object = None,
    items: object = None,
) -> pd.DataFrame:
    """Make a table of ranked lists from a matrix of scores: the k best items of each user.

    Parameters
    ----------
    scores : array_like, shape (n_users, n_items)
        The score of each user and item; larger is better. Pass a NumPy array, a nested list, a
        tensor that converts to a NumPy array, or a DataFrame with the users in its index and the
        items in its columns. If an entry of a masked array is masked, the item is not a candidate,
        so the user's list doesn't have it.
    k : int
        The length of the lists. A list is shorter if a user has fewer candidates.
    users : sequence of ids, shape (n_users,), optional
        The user of each row. Default: the numbers 0, 1, 2, …, or the index of a DataFrame.
    items : sequence of ids, shape (n_items,), optional
        The item of each column. Default: the numbers 0, 1, 2, …, or the columns of a DataFrame.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``score`` and ``rank``, with the rows of each user best first.
        Among equal scores, the items with the lowest ids come first. To order them by another rule
        of `receval.evaluate`, take all items: ``k=n_items``.

    Raises
    ------
    InputError
        If ``scores`` doesn't have two axes, or holds NaN or values that aren't real numbers; if
        ``k`` is not a positive integer; if ``users`` or ``items`` have the wrong length or contain
        an id twice.

    See Also
    --------
    lists_from_items : Make lists from an array that has the items by rank.

    Notes
    -----
    receval ranks infinite scores like any others. If your model sets the scores of seen items to
    minus infinity, mask them: ``np.ma.masked_where(np.isneginf(scores), scores)``.

    Besides the input, memory has to hold the lists, a block of rows, and a byte for each score.

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

    row, column = np.nonzero(_may_be_listed(matrix, k))
    score = np.ma.getdata(matrix)[row, column]
    is_nan = pd.isna(score)
    if is_nan.any():
        user, item = user_ids[row[is_nan][0]], item_ids[column[is_nan][0]]
        got = f"NaN for user {shorten(user)} with item {shorten(item)}"
        advice = "If NaN marks items that are no candidates: np.ma.masked_invalid(scores)"
        raise input_error("scores", "not be NaN", got, advice)
    check_exact(score, "scores")
    # Sort by row; in a row the best score comes first, and among equal scores the lowest id.
    order = np.lexsort((codes["items"][column], -score.astype(np.float64), row))
    rank = (pd.Series(row[order]).groupby(row[order]).cumcount() + 1).to_numpy()
    is_listed = rank <= k
    listed = order[is_listed]
    return pd.DataFrame(
        {
            "user": user_ids.iloc[row[listed]].reset_index(drop=True),
            "item": item_ids.iloc[column[listed]].reset_index(drop=True),
            "score": score[listed],
            "rank": rank[is_listed],
        }
    )


def _may_be_listed(matrix: AnyArray, k: int) -> BoolArray:
    """Return a mask of the candidates that have at least the k-th best score of their row.

    A row can have more than k of them if scores are equal. The mask includes scores that are NaN,
    so that the caller can refuse them.
    """
    is_candidate = ~np.ma.getmaskarray(matrix)
    n_users, n_items = matrix.shape
    if k >= n_items:
        return is_candidate
    n_rows = max(1, BLOCK_CELLS // n_items)
    for first in range(0, n_users, n_rows):
        block = slice(first, first + n_rows)
        keys = np.ma.getdata(matrix[block]).astype(np.float64)
        keys[~is_candidate[block]] = -np.inf
        # NaN sorts behind all numbers, so the partition counts it as one of the best.
        kth_best = np.partition(keys, n_items - k, axis=1)[:, n_items - k, np.newaxis]
        is_candidate[block] &= ~(keys < kth_best)  # NaN is not below any number
    return is_candidate


# Arrays of other libraries ------------------------------------------------------------------------


def _as_matrix(values: object, name: str) -> AnyArray:
    """Return an array with two axes; raise `InputError` if that is not possible.

    Masked arrays stay masked. An array made from a tensor shares its memory if possible.
    """
    try:
        array: AnyArray = np.asanyarray(values)  # a masked array stays one
        if isinstance(array, np.matrix):  # its rows and cells have two axes, too
            array = np.asarray(array)
    except (ValueError, RuntimeError, TypeError) as error:  # ragged lists, tensors on a device
        got = f"{type(values).__name__} ({shorten(str(error))})"
        advice = (
            "Fill short rows of ids with -1, and mask short rows of scores; "
            f"of a tensor of PyTorch, pass {name}.detach().cpu().numpy()"
        )
        raise input_error(
            name, "convert to a NumPy array with rows of one length", got, advice
        ) from None
    if array.dtype.kind in "US" and isinstance(values, (list, tuple)):
        array = np.array(values, dtype=object)  # NumPy may have turned numbers into text
    if array.ndim != 2:
        got = f"{type(values).__name__} of shape {array.shape}"
        advice = {
            0: "Of a sparse matrix, make a table of row, col and data of matrix.tocoo()",
            1: f"A single user has one row: [{name}]",
        }.get(array.ndim, "")
        raise input_error(name, "have two axes, users and ranks or items", got, advice)
    if isinstance(values, (list, tuple)):
        check_not_rounded(values, array, name)
    return array


def _as_score_matrix(scores: object) -> AnyArray:
    """Return scores as an array of real numbers; raise `InputError` for anything else."""
    if isinstance(scores, pd.DataFrame) and all(is_numeric_dtype(dtype) for dtype in scores.dtypes):
        has_extension_types = any(isinstance(dtype, ExtensionDtype) for dtype in scores.dtypes)
        if has_extension_types or len(set(scores.dtypes)) > 1:  # the columns may become float64
            for label, column in scores.items():
                check_exact(column.dropna().to_numpy(), f"scores[{label!r}]")
        # pandas turns tables with nullable or Arrow types, such as "Float64", into objects.
        if has_extension_types:
            scores = scores.to_numpy(np.float64, na_value=np.nan)
    matrix = _as_matrix(scores, "scores")
    if matrix.dtype.kind not in "biuf" or matrix.dtype.itemsize > 8:
        advice = "If these are items by rank: receval.lists_from_items(ids)"
        raise input_error("scores", "hold real numbers", f"the type {matrix.dtype}", advice)
    return matrix


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
    """Return ids as a Series numbered from 0; raise if an id is missing or occurs twice."""
    if isinstance(values, pd.MultiIndex):
        values = values.tolist()  # tuples are not ids
    ids = as_series(values, name).reset_index(drop=True)
    read_ids(ids, name)  # raises unless all are integers or all are text
    check_unique(ids.tolist(), name, "id")
    return ids
