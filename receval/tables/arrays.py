"""Make tables of ranked lists from the output of models: arrays of items, and matrices of scores.

An array of whole numbers could hold items or scores, so `receval.evaluate` doesn't accept arrays.
Users call `lists_from_items` or `lists_from_scores` to say which it holds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeGuard, cast

import numpy as np
import pandas as pd
from pandas.api.extensions import ExtensionDtype

from receval._arrays import check_same_labels, columns_of, lists_of
from receval._checks import (
    AnyArray,
    BoolArray,
    InputError,
    IntArray,
    check_choice,
    check_count,
    format_first,
    input_error,
    shorten,
)
from receval.tables.columns import as_series, order_preserving_floats
from receval.tables.ids import shared_codes

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["lists_from_items", "lists_from_scores"]

EMPTY = -1
"""The number that marks an empty rank in an array of items."""

BLOCK_CELLS = 1 << 20
"""Number of cells of a score matrix that receval works on at a time."""

TIES_THAT_KEEP_ALL = ("optimistic", "pessimistic")
"""Rules that depend on relevance. Under them, a list keeps all items with the score of rank k."""

TIES = ("item", "item_descending", "input", "text", "trec_eval", *TIES_THAT_KEEP_ALL)
"""The rules for equal scores that a cut at k can follow."""


# Items by rank ------------------------------------------------------------------------------------


def lists_from_items(ids: object, *, users: object = None, items: object = None) -> pd.DataFrame:
    """Make a table of ranked lists from an array that holds items by rank.

    Parameters
    ----------
    ids : array_like, shape (n_users, k)
        The items of each user, best first: ids, or positions in ``items``. The number -1 and a
        missing value (None, NaN) mark an empty rank; such ranks come last in a row. Pass a NumPy
        array, a nested list, a tensor that converts to a NumPy array or supports DLPack, or a
        DataFrame with the users in its index.
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
    is_filled, array = _read_item_array(array)
    _check_empty_ranks_last(is_filled, array)
    row, column = np.nonzero(is_filled)
    item_of_row = array[row, column]
    if items is not None:
        item_ids = _as_distinct_ids(items, "items")
        _check_positions(item_of_row, row, column, len(item_ids))
        item_column = item_ids.iloc[item_of_row.astype(np.int64)].reset_index(drop=True)
    elif item_of_row.dtype.kind == "O":
        item_column = pd.Series(item_of_row.tolist())  # pandas finds the type: text or integers
    else:
        item_column = pd.Series(item_of_row)
    user_ids = _row_ids(users, len(array), "users", "row of ids")
    return pd.DataFrame(
        {
            "user": user_ids.iloc[row].reset_index(drop=True),
            "item": item_column,
            "rank": column + 1,
        }
    )


def _read_item_array(array: AnyArray) -> tuple[BoolArray, AnyArray]:
    """Return a mask of the filled ranks, and the array with whole numbers as integers.

    Raises `InputError` for numbers that aren't whole, and for values that are neither numbers nor
    text.
    """
    if isinstance(array, np.ma.MaskedArray):  # a masked rank is empty
        is_masked = np.ma.getmaskarray(array)
        values = array.data
        if values.dtype.kind in "fO":  # values below the mask don't count
            values = np.where(is_masked, np.array(np.nan, values.dtype), values)
        is_filled, values = _read_item_array(values)
        return is_filled & ~is_masked, values
    kind = array.dtype.kind
    if kind in "iu":
        return np.asarray(array != EMPTY), array
    if kind in "UT":  # text of a fixed or of any length
        return np.ones(array.shape, bool), array.astype(object)
    if kind == "f":
        return _read_float_items(array)
    if kind == "O":
        is_filled = ~np.asarray(pd.isna(array), dtype=bool)
        is_filled[is_filled] = array[is_filled] != EMPTY  # a missing value has no comparison
        return is_filled, _with_whole_floats_as_integers(array, is_filled)
    raise input_error("ids", "hold ids, whole numbers or text", f"the type {array.dtype}")


def _read_float_items(array: AnyArray) -> tuple[BoolArray, IntArray]:
    """Return a mask of the filled ranks of an array of floats, and the array as integers.

    Raises `InputError` for numbers that aren't whole, or too large to be exact.
    """
    is_filled = ~np.isnan(array) & (array != EMPTY)
    filled = np.where(is_filled, array, EMPTY)
    is_whole = filled == np.floor(filled)
    if not is_whole.all():
        got = format_first(shorten(number) for number in array[~is_whole])
        advice = "If these are scores: receval.lists_from_scores(scores, k=10)"
        raise input_error("ids", "hold ids or whole numbers", got, advice)
    # Above this limit, a float stands for several whole numbers. In 32 bits, for example, 2^24 + 1
    # becomes 2^24, so the id could be that of another item.
    n_bits = min(np.finfo(array.dtype).nmant, 52) + 1
    is_too_large = np.abs(filled) >= np.float64(2**n_bits)
    if is_too_large.any():
        got = format_first(shorten(number) for number in array[is_too_large])
        rule = f"hold whole numbers below 2^{n_bits}, because {array.dtype} rounds larger ones"
        raise input_error("ids", rule, got, "Pass an array of integers or of text")
    return is_filled, filled.astype(np.int64)


def _with_whole_floats_as_integers(array: AnyArray, is_filled: BoolArray) -> AnyArray:
    """Return an array of objects in which the floats of filled ranks are integers.

    Integers may have become floats because NaN marks an empty rank among them. Raises `InputError`
    for floats that aren't whole numbers, and for True and False, which are not ids.
    """
    is_float = np.array([isinstance(value, (float, np.floating)) for value in array.flat], bool)
    is_flag = np.array([isinstance(value, (bool, np.bool_)) for value in array.flat], bool)
    is_float = is_float.reshape(array.shape) & is_filled
    is_wrong = is_flag.reshape(array.shape) & is_filled
    numbers = array[is_float].astype(np.float64)
    is_wrong[is_float] = (numbers != np.floor(numbers)) | (np.abs(numbers) >= 2**53)
    if is_wrong.any():
        places = (
            f"{shorten(array[tuple(place)])} at index {place.tolist()}"
            for place in np.argwhere(is_wrong)
        )
        advice = "If these are scores: receval.lists_from_scores(scores, k=10)"
        raise input_error("ids", "hold ids or whole numbers", format_first(places), advice)
    if not is_float.any():
        return array
    result = array.copy()
    result[is_float] = numbers.astype(np.int64)
    return result


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


def _check_positions(item_of_row: AnyArray, row: IntArray, column: IntArray, n_items: int) -> None:
    """Raise unless all values are positions of items: whole numbers from 0 to ``n_items`` - 1.

    ``row`` and ``column`` have the place of each value in the array of ids.
    """
    is_integer = item_of_row.dtype.kind in "iu"
    if item_of_row.dtype.kind == "O":
        is_integer = all(isinstance(value, (int, np.integer)) for value in item_of_row)
    if not is_integer:
        advice = "Leave items out if ids has the ids themselves"
        got = format_first(shorten(value) for value in item_of_row[:1])
        raise input_error("ids", "hold positions in items", got, advice)
    is_outside = np.asarray((item_of_row < 0) | (item_of_row >= n_items), dtype=bool)
    if is_outside.any():
        got = format_first(
            f"{item_of_row[place]} at index [{row[place]}, {column[place]}]"
            for place in np.flatnonzero(is_outside)
        )
        rule = f"hold positions from 0 to {n_items - 1} in items, or -1 for an empty rank"
        raise input_error("ids", rule, got, "Leave items out if ids has the ids themselves")


# Scores of users and items ------------------------------------------------------------------------


def lists_from_scores(
    scores: object,
    *,
    k: int,
    users: object = None,
    items: object = None,
    ties: str | None = None,
) -> pd.DataFrame:
    """Make a table of ranked lists from a matrix of scores: the k best items of each user.

    Parameters
    ----------
    scores : array_like, shape (n_users, n_items)
        The score of each user and item; larger is better. Pass a NumPy array, a nested list, a
        sparse matrix of SciPy, a tensor that converts to a NumPy array or supports DLPack, or a
        DataFrame with the users in its index and the items in its columns. If an entry of a masked
        array is masked, or a sparse matrix doesn't store an entry, the item is not a candidate, so
        the user's list doesn't have it.
    k : int
        The length of the lists. A list is shorter if a user has fewer candidates.
    users : sequence of ids, shape (n_users,), optional
        The user of each row. Default: the numbers 0, 1, 2, …, or the index of a DataFrame.
    items : sequence of ids, shape (n_items,), optional
        The item of each column. Default: the numbers 0, 1, 2, …, or the columns of a DataFrame.
    ties : str, optional
        The rule for equal scores, as in `receval.evaluate`: ``"item"`` (the default),
        ``"item_descending"``, ``"text"``, ``"trec_eval"``, ``"input"`` (the order of the columns),
        ``"optimistic"`` or ``"pessimistic"``. Pass the same rule to `receval.evaluate`, or a
        convention that has it.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``score`` and ``rank``, with the rows of each user best first.
        Under ``"optimistic"`` and ``"pessimistic"``, all items with the score of rank k are in the
        list, because relevance decides between them. The table then has no ``rank``.

    Raises
    ------
    InputError
        If ``scores`` doesn't have two axes, or holds NaN or values that aren't real numbers; if
        ``k`` is not a positive integer; if there is no such rule for ties, or it is ``"average"``;
        if ``users`` or ``items`` have the wrong length or contain an id twice.

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
    rule = _check_ties(ties)
    check_same_labels(scores=lists_of(scores), users=users)
    check_same_labels(scores=columns_of(scores), items=items)
    if isinstance(scores, pd.DataFrame):
        users = scores.index if users is None else users
        items = scores.columns if items is None else items
    matrix = _as_score_matrix(scores)
    n_users, n_items = matrix.shape
    user_ids = _row_ids(users, n_users, "users", "row of scores")
    item_ids = _row_ids(items, n_items, "items", "column of scores")
    place_of_item = _places_under(rule, item_ids)

    parts = []
    for first_row, entries in _best_entries(matrix, k, rule):
        _check_no_nan(entries, first_row, user_ids, item_ids)
        best = _first_k(entries, k, place_of_item, rule)
        parts.append(best._replace(row=best.row + first_row))
    row, column, score = (
        np.concatenate([cast(AnyArray, part[axis]) for part in parts]) for axis in range(3)
    )
    table = pd.DataFrame(
        {
            "user": user_ids.iloc[row].reset_index(drop=True),
            "item": item_ids.iloc[column].reset_index(drop=True),
            "score": score,
        }
    )
    if rule not in TIES_THAT_KEEP_ALL:
        table["rank"] = table.groupby(row).cumcount() + 1
    return table


class Entries(NamedTuple):
    """Entries of a score matrix: their rows, their columns and their scores."""

    row: IntArray
    column: IntArray
    score: AnyArray


def _check_ties(ties: str | None) -> str:
    """Return the rule for equal scores; raise if there is no such rule for a cut at k."""
    if ties == "average":
        rule = "be a rule that decides which items are in a list"
        advice = (
            "The mean over all orders needs every candidate: pass k=scores.shape[1] here, and "
            "ties='average' to evaluate"
        )
        raise input_error("ties", rule, repr(ties), advice)
    if ties is None:
        return "item"
    return check_choice(ties, "ties", TIES)


def _places_under(rule: str, item_ids: pd.Series) -> IntArray:
    """Return a number for each column: among equal scores, the smallest number ranks first."""
    n_items = len(item_ids)
    if rule == "input" or n_items == 0:
        return np.arange(n_items)
    codes_by_table, ids = shared_codes({"items": item_ids}, "items")
    place = codes_by_table["items"]  # the codes ascend as the ids do
    if rule in ("text", "trec_eval"):
        place = ids.byte_order[place]
    if rule in ("item_descending", "trec_eval"):
        place = -place
    return place


def _best_entries(matrix: AnyArray | csr_array, k: int, rule: str) -> Iterator[tuple[int, Entries]]:
    """Yield the first row of each block of rows, and the candidates for the lists of the block.

    ``rule`` is the rule for equal scores. The row numbers of the candidates count from the first
    row of the block. There is at least one block.
    """
    n_users, n_items = matrix.shape
    if is_sparse(matrix):
        n_stored = matrix.indptr.astype(np.int64)  # stored entries above each row
        for first, last in _row_blocks(n_stored):
            entries = slice(n_stored[first], n_stored[last])
            length = np.diff(n_stored[first : last + 1])
            row = np.repeat(np.arange(last - first), length)
            column = matrix.indices[entries].astype(np.int64)
            yield first, Entries(row, column, matrix.data[entries])
        return
    for first, last in _row_blocks(np.arange(n_users + 1) * n_items):
        block = cast(AnyArray, matrix)[first:last]
        row, column = np.nonzero(_may_be_listed(block, k, rule))
        yield first, Entries(row, column, np.ma.getdata(block)[row, column])


def _row_blocks(cells_above: IntArray) -> Iterator[tuple[int, int]]:
    """Yield the first row of each block of about `BLOCK_CELLS` cells, and the row after its last.

    ``cells_above`` has the number of cells above each row, and finally the number of all cells.
    """
    n_rows = cells_above.size - 1
    first = 0
    while True:
        last = int(np.searchsorted(cells_above, cells_above[first] + BLOCK_CELLS, side="right")) - 1
        last = min(max(last, first + 1), n_rows)  # a block has at least one row, even a long one
        yield first, last
        if last >= n_rows:
            return
        first = last


def _may_be_listed(block: AnyArray, k: int, rule: str) -> BoolArray:
    """Return a mask of the candidates that have at least the k-th best score of their row.

    A row can have more than k of them if scores are equal. ``rule`` is the rule for equal scores.
    The mask includes scores that are NaN, so that the caller can refuse them.
    """
    is_candidate = np.ones(block.shape, bool)
    values = np.ma.getdata(block)
    if isinstance(block, np.ma.MaskedArray):
        is_candidate = ~np.ma.getmaskarray(block)
        lowest = -np.inf if values.dtype.kind == "f" else np.iinfo(values.dtype).min
        values = np.where(is_candidate, values, np.array(lowest, values.dtype))
    n_items = values.shape[1]
    if k >= n_items:
        return is_candidate
    if rule == "trec_eval":
        values = _as_32_bits(values)
    # NaN sorts behind all numbers, so the partition counts it as one of the best.
    kth_best = np.partition(values, n_items - k, axis=1)[:, n_items - k, np.newaxis]
    is_below = values < kth_best  # False for NaN
    return np.asarray(is_candidate & ~is_below)


def _as_32_bits(scores: AnyArray) -> AnyArray:
    """Round scores to 32 bits, as trec_eval does before it compares them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float64).astype(np.float32)


def _check_no_nan(
    entries: Entries, first_row: int, user_ids: pd.Series, item_ids: pd.Series
) -> None:
    """Raise if a candidate's score is NaN, and name the users and items.

    The row numbers of the ``entries`` count from ``first_row``.
    """
    if entries.score.dtype.kind != "f":
        return
    wrong = np.flatnonzero(np.isnan(entries.score))
    if wrong.size:

        def describe(entry: int) -> str:
            """Return the user and the item of an entry."""
            user = user_ids.iloc[entries.row[entry] + first_row]
            return f"user {shorten(user)} with item {shorten(item_ids.iloc[entries.column[entry]])}"

        got = f"NaN for {format_first(wrong.tolist(), to_text=describe)}"
        advice = "If NaN marks items that are no candidates: np.ma.masked_invalid(scores)"
        raise input_error("scores", "not be NaN", got, advice)


def _first_k(entries: Entries, k: int, place_of_item: IntArray, rule: str) -> Entries:
    """Return the k best entries of each row, best first; ``rule`` orders equal scores.

    Under a rule that depends on relevance, all entries with the score of rank k are returned.
    """
    key = order_preserving_floats(entries.score)
    if rule == "trec_eval":
        key = _as_32_bits(entries.score)
    falling_key = -key.astype(np.float64)
    order = np.lexsort((place_of_item[entries.column], falling_key, entries.row))
    row = entries.row[order]
    falling_key = falling_key[order]
    # The rank of an entry is its distance from the first entry of its row.
    start_of_row = np.searchsorted(row, row, side="left")
    is_listed = np.arange(row.size) < start_of_row + k
    if rule in TIES_THAT_KEEP_ALL and row.size:
        length = np.searchsorted(row, row, side="right") - start_of_row
        kth_entry = start_of_row + np.minimum(k, length) - 1
        is_listed |= falling_key == falling_key[kth_entry]
    listed = order[is_listed]
    return Entries(entries.row[listed], entries.column[listed], entries.score[listed])


# Arrays of other libraries ------------------------------------------------------------------------


def is_sparse(values: object) -> TypeGuard[csr_array]:
    """Return whether this is a sparse matrix or array of SciPy, in any format."""
    return type(values).__module__.startswith("scipy.sparse")


def is_bare_array(values: object) -> bool:
    """Return whether this is an array with two axes, of NumPy, SciPy or a library of tensors.

    Lists of lists count as arrays. Lists of tuples, columns and tables don't.
    """
    if isinstance(values, (list, tuple)):
        is_row = [isinstance(row, (list, np.ndarray)) for row in values]
        return bool(is_row) and all(is_row)
    if isinstance(values, (pd.DataFrame, pd.Series, pd.Index)):
        return False
    is_array = is_sparse(values) or hasattr(values, "__dlpack__") or isinstance(values, np.ndarray)
    return is_array and len(getattr(values, "shape", ())) == 2


def advice_on_array(array: object, place: str) -> str:
    """Return the lines of code that turn an array with two axes into a table.

    Whole numbers can be items or scores, so the advice has a line for each case. ``place`` is the
    name of the table in messages, such as "relevance", "history" or "recommendations of 'A'".
    """
    if is_sparse(array):
        kind = "f"  # only scores are sparse
    else:
        try:
            values = _as_numpy(array, "array")
        except InputError:
            return "Make an array with rows of one length, then call receval.lists_from_items"
        kind = values.dtype.kind
        if kind == "f" and (values % 1 == 0).all():
            kind = "i"
    if place == "relevance":
        n_items = "array.shape[1]"
        of_items = "receval.lists_from_items(array) and relevance_column=None"
        of_scores = f"receval.lists_from_scores(array, k={n_items}) and relevance_column='score'"
        what_scores = "a grade for each item"
    elif place == "history":
        of_items = "receval.lists_from_items(array)"
        of_scores = "receval.lists_from_scores(array, k=array.shape[1])"
        what_scores = "a number for each seen item, and is sparse or masked"
    else:
        of_items = "receval.lists_from_items(array) and rank='rank'"
        of_scores = "receval.lists_from_scores(array, k=10)"
        what_scores = "a score for each item"
    lines = []
    if kind not in "fc":
        lines.append(f"If each row has the items of a user, best first, pass {of_items}")
    if kind not in "US":
        lines.append(f"If each row has {what_scores}, pass {of_scores}")
    return ". ".join(lines)


def _as_matrix(values: object, name: str) -> AnyArray:
    """Return an array with two axes; raise `InputError` if that is not possible.

    Masked arrays stay masked. An array made from a tensor shares its memory if possible.
    """
    array = _as_numpy(values, name)
    if array.ndim != 2:
        advice = ""
        if array.ndim == 1:
            advice = f"A single user has one row: [{name}]"
        got = f"shape {array.shape}"
        raise input_error(name, "have two axes, users and ranks or items", got, advice)
    return array


def _as_numpy(values: object, name: str) -> AnyArray:
    """Convert an array, a nested list, a frame or a tensor to a NumPy array."""
    if isinstance(values, np.ndarray):  # also masked ones
        return values
    if isinstance(values, pd.DataFrame):
        return values.to_numpy()
    try:
        if hasattr(values, "__array__"):
            return np.asarray(values)
        if hasattr(values, "__dlpack__"):
            return np.from_dlpack(values)
        if isinstance(values, (list, tuple)):
            return _nested_list_as_array(values, name)
    except (RuntimeError, TypeError, BufferError) as error:  # gradients, a device, a number type
        got = f"{type(values).__name__} ({shorten(str(error))})"
        advice = f"If it is a tensor of PyTorch, pass {name}.detach().cpu().float().numpy()"
        raise input_error(name, "convert to a NumPy array", got, advice) from None
    rule = "be an array with two axes, users and ranks or items"
    raise input_error(name, rule, shorten(type(values).__name__))


def _nested_list_as_array(values: list[object] | tuple[object, ...], name: str) -> AnyArray:
    """Return a nested list as an array; text and None remain Python objects."""
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy refuses rows of different lengths
        advice = "Fill short rows with -1 or None at the end"
        raise input_error(name, "have rows of one length", "different lengths", advice) from None
    if array.dtype.kind == "U":  # NumPy may have turned numbers into text
        array = np.array(values, dtype=object)
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
            # The sum of repeated entries might not fit into so few bits.
            scores = scores.astype(np.uint64 if scores.dtype.kind == "u" else np.int64)
        matrix = scores.tocsr()
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()  # SciPy defines an entry that is stored twice as the sum
        _check_real(matrix.data)
        return matrix
    if isinstance(scores, pd.DataFrame):
        scores = _with_numpy_types(scores)
    array = _as_matrix(scores, "scores")
    _check_real(array)
    if array.dtype == np.float16 or array.dtype == bool:
        array = array.astype(np.float32)  # exact; NumPy has no fast order for 16 bits
    return array


def _with_numpy_types(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table of numbers with types of NumPy, in which a missing score is NaN.

    pandas turns tables with nullable or Arrow types, such as "Float64", into arrays of objects.
    """
    has_other_types = any(isinstance(dtype, ExtensionDtype) for dtype in frame.dtypes)
    is_numeric = all(pd.api.types.is_numeric_dtype(dtype) for dtype in frame.dtypes)
    if not (has_other_types and is_numeric):
        return frame
    columns = [
        column.to_numpy(np.float64, na_value=np.nan) if column.isna().any() else column.to_numpy()
        for _, column in frame.items()
    ]
    return pd.DataFrame(dict(enumerate(columns)), index=frame.index)


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
