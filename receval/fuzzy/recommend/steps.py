"""The steps from data to a list: similarities of items, scores of a history, and re-ranking.

Similarities come from attributes, visits or texts, the three branches of document 002. Their
functions wrap scikit-learn and gensim, which ``pip install "receval[study]"`` installs, and return
a table with items in rows and in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    ROUNDING,
    as_finite,
    check_any_shape,
    check_cutoff,
    check_pairs,
    check_same_labels,
    columns_of,
    divide_or_nan,
    lists_of,
    power_of_two_scale,
)
from receval._checks import (
    FloatArray,
    Id,
    IntArray,
    check_choice,
    check_count,
    check_flag,
    check_none,
    check_not_empty,
    check_number,
    check_shape,
    check_that,
    check_unique,
    import_extra,
)
from receval.metrics.group import rank_items
from receval.tables.columns import (
    SYNONYMS,
    check_frame,
    check_no_rows,
    index_by_id,
    read_ids,
)

PURPOSE = "this similarity"  # what needs scikit-learn and gensim, in the error if they are missing
AGGREGATIONS = ("mean", "max", "positional", "temporal")
EPSILON = 0.1  # keeps the weight of a visit on the last day finite
NOVELTY_SHIFT = 2.72  # about e, so that an item of today has a novelty of about 1


def item_features(attributes: pd.DataFrame) -> pd.DataFrame:
    """Turn attributes of items into numbers: binarise nominal, standardise numeric ones.

    Parameters
    ----------
    attributes : DataFrame
        Items in rows, attributes in columns; text, categories and booleans are nominal, and whole
        numbers, floats, decimals and durations are numeric.

    Returns
    -------
    DataFrame
        Items in rows; a column of 0 and 1 for each value of a nominal attribute, and numeric
        columns of mean 0 and standard deviation 1 (all 0 if all items are equal).

    Raises
    ------
    InputError
        If an attribute is missing or infinite, or two features would have the same name.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> item_features(pd.DataFrame({"meals": ["none", "half"], "nights": [3, 7]}))
       nights  meals_half  meals_none
    0    -1.0         0.0         1.0
    1     1.0         1.0         0.0
    """
    attributes = check_frame(attributes, "attributes")
    incomplete = attributes.columns[attributes.isna().any()].tolist()
    check_that(not incomplete, "attributes", "have no gaps in any column", incomplete)
    # pandas doesn't count decimals as numbers.
    decimals = [
        label
        for label, column in attributes.items()
        if pd.api.types.infer_dtype(column) == "decimal"
    ]
    attributes = attributes.astype(dict.fromkeys(decimals, float))
    numeric = attributes.select_dtypes("number")  # includes durations
    values = as_finite(numeric.to_numpy(float), "attributes")
    # Scale each attribute to about 1, so that squares neither overflow nor underflow.
    values = values / power_of_two_scale(np.abs(values.T)).T
    numbers = pd.DataFrame(values, attributes.index, numeric.columns)
    # If all values are equal, subtract their value, because their mean may be rounded. Dividing by
    # 1 keeps the deviations at 0.
    differs = numbers.max() > numbers.min()
    centre = numbers.mean().where(differs, numbers.min())
    spread = numbers.std(ddof=0).where(differs, 1.0)
    features = (numbers - centre) / spread
    nominal = attributes.select_dtypes(exclude="number")
    if not nominal.empty:
        dummies = pd.get_dummies(nominal.astype(str), dtype=float)
        features = pd.concat([features, dummies], axis=1)
    repeated = features.columns[features.columns.duplicated()].tolist()
    advice = "The value 'c' of the attribute 'a' is the feature 'a_c'. Rename one of the attributes"
    check_that(not repeated, "attributes", "give each feature another name", repeated, advice)
    return features


def cosine_similarities(features: pd.DataFrame, *, same: bool = True) -> pd.DataFrame:
    r"""Compute the cosine of the angle between the features of any two items.

    .. math:: \mathrm{sim}(i, j) = \frac{x_i \cdot x_j}{\lVert x_i \rVert \, \lVert x_j \rVert}

    Parameters
    ----------
    features : DataFrame
        Items in rows, numbers in columns; `item_features` makes them from attributes.
    same : bool, default True
        Whether an item is similar to itself. False sets these similarities to 0, so that a
        visited item is recommended only if it is similar to other visited items.

    Returns
    -------
    DataFrame
        Items in rows and columns; values in [-1, 1] to twelve decimals; 0 for an item without
        any feature.

    Raises
    ------
    InputError
        If a feature is not finite, or an item occurs twice.
    ImportError
        Without scikit-learn.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> features = pd.DataFrame({"sea": [1, 1, 0], "hike": [0, 1, 1]}, index=["a", "b", "c"])
    >>> cosine_similarities(features).round(2).loc["a"].tolist()
    [1.0, 0.71, 0.0]
    """
    check_flag(same, "same")
    features = check_frame(features, "features")
    # The ids may be in a column "item"; a column with a name like "movie" is refused as unclear.
    features = index_by_id(features, ["item"], "features", SYNONYMS["item"].split())
    check_that(not features.empty, "features", "have rows and columns", features.shape)
    check_unique(features.index.tolist(), "items", "item")
    values = as_finite(features.to_numpy(), "features")
    # Scale each item to about 1, so that squares neither overflow nor underflow.
    values = values / power_of_two_scale(np.abs(values))
    # The last bits depend on the processor and its threads. Without rounding they would decide
    # the order of equally similar items.
    pairwise = import_extra("sklearn.metrics.pairwise", "study", PURPOSE)
    similarity = pairwise.cosine_similarity(values).round(12)
    if not same:
        np.fill_diagonal(similarity, 0.0)
    return pd.DataFrame(similarity, index=features.index, columns=features.index)


def word2vec_similarities(
    histories: Iterable[Iterable[Id]],
    *,
    size: int = 32,
    window: int = 5,
    epochs: int = 5,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the similarities of items from the histories in which they occur, by word2vec.

    Each history is a sentence and each item a word of a skip-gram model.

    Parameters
    ----------
    histories : iterable of iterables
        For each user the visited items, oldest first.
    size, window : int
        Dimensions of the embedding, and number of neighbours on either side. Document 002 uses
        32, 64, 128 and 1, 3, 5.
    epochs : int, default 5
        Number of passes over the histories. It changes the similarities more than the seed does.
    seed : int, default 0
        Seed of the random numbers. The model is trained in one thread, so the same seed gives
        the same model.

    Returns
    -------
    DataFrame
        Cosines of the embeddings, items in rows and columns, most frequent first.

    Raises
    ------
    InputError
        If there is no history, the items are not all whole numbers or all texts, or a number is not
        a positive integer.
    ImportError
        Without gensim.

    References
    ----------
    Document 002, section III-B; Mikolov et al. (2013), NIPS.

    Examples
    --------
    >>> similarity = word2vec_similarities([["a", "b"], ["b", "a"], ["c", "b"]], size=8)
    >>> similarity.index.tolist()
    ['b', 'a', 'c']
    """
    visits_by_user = [list(history) for history in histories]
    # gensim takes sentences of words, which are text.
    items = list(dict.fromkeys(item for visits in visits_by_user for item in visits))
    check_not_empty(items, "histories", "hold at least one visited item")
    read_ids(pd.Series(items, dtype=object), "histories")  # raises if 1 and "1" are items
    item_by_word = {str(item): item for item in items}
    sentences = [[str(item) for item in visits] for visits in visits_by_user]
    arguments = _gensim_arguments(size, window, epochs, seed)
    # sg=1 chooses the skip-gram model.
    model = import_extra("gensim.models", "study", PURPOSE).Word2Vec(sentences, sg=1, **arguments)
    # index_to_key holds the words in the order of the vectors, most frequent first.
    by_frequency = [item_by_word[word] for word in model.wv.index_to_key]
    return cosine_similarities(pd.DataFrame(model.wv.vectors.astype(float), index=by_frequency))


def doc2vec_similarities(
    texts: Mapping[Id, str] | pd.Series,
    *,
    size: int = 32,
    window: int = 5,
    epochs: int = 10,
    seed: int = 0,
) -> pd.DataFrame:
    """Compute the similarities of items from their descriptions, by doc2vec.

    The function converts texts to lower case and splits them at everything that is not a letter or
    digit. It doesn't stem words or remove stop words, which the document does for Czech.

    Parameters
    ----------
    texts : Series or mapping
        The text of each item.
    size, window, seed
        As in `word2vec_similarities`.
    epochs : int, default 10
        Number of passes over the texts.

    Returns
    -------
    DataFrame
        Cosines of the embeddings, items in rows and columns, in the order of ``texts``.

    Raises
    ------
    InputError
        If there is no text or one is missing, an item occurs twice, or a number is not a positive
        integer.
    ImportError
        Without gensim.

    References
    ----------
    Document 002, section III-B; Le and Mikolov (2014), ICML.

    Examples
    --------
    >>> texts = {"a": "sea and sand", "b": "sand and sun", "c": "a hike in the hills"}
    >>> doc2vec_similarities(texts, size=8).shape
    (3, 3)
    """
    text_by_item = pd.Series(texts)
    check_unique(text_by_item.index.tolist(), "items", "item")
    check_not_empty(text_by_item, "texts", "hold at least one text")
    is_wrong = np.array([not isinstance(text, str) for text in text_by_item], bool)
    advice = "Leave such items out, or give them the text ''"
    check_no_rows(text_by_item, is_wrong, "texts", "be text", advice)
    models = import_extra("gensim.models", "study", PURPOSE)
    word_lists = text_by_item.str.lower().str.findall(r"\w+")
    # A document is the words of a text with the item's row number as its tag, so that the vectors
    # come in the order of the texts.
    documents = [
        models.doc2vec.TaggedDocument(words, [number]) for number, words in enumerate(word_lists)
    ]
    model = models.Doc2Vec(documents, **_gensim_arguments(size, window, epochs, seed))
    vectors = model.dv.vectors.astype(float)
    return cosine_similarities(pd.DataFrame(vectors, index=text_by_item.index))


def _gensim_arguments(size: int, window: int, epochs: int, seed: int) -> dict[str, int]:
    """Return the arguments of both gensim models, after checking the first three.

    Words that occur once count too, and one worker thread makes the result depend on the seed only.
    """
    return {
        "vector_size": check_count(size, "size"),
        "window": check_count(window, "window"),
        "epochs": check_count(epochs, "epochs"),
        "seed": seed,
        "min_count": 1,
        "workers": 1,
    }


# From similarities to a list ----------------------------------------------------------------------


def temporal_weight(days: npt.ArrayLike, *, formula: str = "history") -> FloatArray:
    r"""Weight visits, or items, by their age.

    .. math:: w_t = \frac{1}{\ln(\max(t, 1)) + 0.1}
              \qquad\text{or}\qquad w_t = \frac{1}{\ln(t + 2.72)}

    Parameters
    ----------
    days : array_like
        Ages in days, at least 0; fractions are allowed.
    formula : {"history", "novelty"}, default "history"
        ``"history"``, the first formula, weights the visits of a history. ``"novelty"``, the
        second, is the novelty of an item by its date. Both are in the authors' program. The text
        prints :math:`1/(\log(t) + \varepsilon)` for both, without base and epsilon, and without
        a value at zero days.

    Returns
    -------
    ndarray of float
        Weights, of the shape of ``days``: at most 10 for ``"history"``, and at most 1/ln
        2.72 = 0.99937 for ``"novelty"``.

    Raises
    ------
    InputError
        If an age is negative or not finite.

    References
    ----------
    Document 002, eq. 4.

    Examples
    --------
    >>> temporal_weight([0, 1, 2, 30]).round(2)
    array([10.  , 10.  ,  1.26,  0.29])
    >>> temporal_weight([0, 1, 2, 30], formula="novelty").round(2)
    array([1.  , 0.76, 0.64, 0.29])
    """
    check_choice(formula, "formula", ("history", "novelty"))
    age = check_any_shape(days, "days", as_finite)
    check_none(age, age < 0, "days", "be at least 0", "A date lies in the future")
    if formula == "novelty":
        return np.asarray(1 / np.log(age + NOVELTY_SHIFT))[()]
    return np.asarray(1 / (np.log(np.maximum(age, 1)) + EPSILON))[()]


def aggregate_history(
    scores: npt.ArrayLike,
    how: str = "mean",
    last: int | None = None,
    *,
    days: npt.ArrayLike | None = None,
    divide_by: str | None = None,
) -> FloatArray:
    r"""Aggregate the similarities of each candidate to the items of a history into one score.

    .. math:: \mathrm{score}(o) = \frac{\sum_{j} w_j \, \mathrm{sim}(j, o)}{\sum_{j} w_j}

    ============== =================================================================
    how            weight of the j-th item that is kept
    ============== =================================================================
    ``mean``       1
    ``max``        none: the largest similarity
    ``positional`` 1 - rank/n, rank 0 for the newest of the n items kept
    ``temporal``   `temporal_weight` of the days since the visit
    ============== =================================================================

    Parameters
    ----------
    scores : array_like, shape (..., history, candidates)
        Similarity of each candidate to each visited item, oldest visit first.
    how : {"mean", "max", "positional", "temporal"}, default "mean"
        The weights, as above.
    last : int, optional
        Number of newest items to keep; with 1, the weights make no difference. Default: the whole
        history.
    days : array_like, shape (..., history), optional
        Days since each visit; required for ``"temporal"``, refused otherwise.
    divide_by : {"weights", "count"}, default "weights"
        The text's weighted average divides by the sum of the weights, the authors' program by the
        number of items that are kept. By itself, the choice doesn't change the order of a list. It
        does if novelty is added to the scores, because novelty has another scale. ``"max"`` doesn't
        divide, so it refuses this option.

    Returns
    -------
    ndarray of float, shape (..., candidates)
        NaN for an empty history.

    Raises
    ------
    InputError
        If there are fewer than two axes, a similarity is not finite, ``how`` is unknown, ``last``
        is not a positive integer, or ``days`` is missing, negative or of another shape; also if
        ``days`` or ``divide_by`` is passed although ``how`` doesn't use it.

    Notes
    -----
    Document 002 prints the positional weight as :math:`1 - rank/k_p`. If ranks began at 1, the
    oldest item would have weight 0, and so would a history of one item. The authors' program counts
    ranks from 0.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> similarity = [[0.0, 1.0], [0.5, 0.5], [1.0, 0.0]]
    >>> aggregate_history(similarity, "mean"), aggregate_history(similarity, "max")
    (array([0.5, 0.5]), array([1., 1.]))
    >>> aggregate_history(similarity, "positional", last=2).round(4)
    array([0.8333, 0.1667])
    """
    # Check the arguments.
    check_choice(how, "how", AGGREGATIONS)
    if divide_by is not None:
        check_choice(divide_by, "divide_by", ("weights", "count"))
        check_that(how != "max", "divide_by", f"be left out when how is {how!r}", divide_by)
    check_same_labels(scores=lists_of(scores), days=days)
    similarity = as_finite(scores, "scores")
    has_both_axes = similarity.ndim >= 2
    check_that(has_both_axes, "scores", "have the axes (history, candidates)", similarity.shape)
    fits_days = (days is not None) == (how == "temporal")
    check_that(fits_days, "days", "be given if how is 'temporal', and only then", days)

    # Keep the newest items of the history, which come last.
    whole_history_shape = similarity.shape[:-1]
    n_newest = check_cutoff(last, "last")
    if n_newest is not None:
        similarity = similarity[..., -n_newest:, :]
    *leading_axes, n_kept, n_candidates = similarity.shape
    if n_kept == 0:  # an empty history says nothing about any candidate
        return np.full((*leading_axes, n_candidates), np.nan)

    if how == "max":
        return np.asarray(similarity.max(axis=-2))
    # Weight the kept items.
    weight = np.ones(n_kept)
    if how == "positional":
        rank = np.arange(n_kept)[::-1]  # 0 for the newest visit
        weight = 1 - rank / n_kept
    elif how == "temporal":
        age = as_finite(days, "days")
        check_shape(age, whole_history_shape, "days")
        weight = temporal_weight(age)[..., -n_kept:]
    # For each candidate, sum weight times similarity over the history. This is the product of a
    # matrix of one row, the weights, and the matrix of similarities.
    weighted_sum = np.matmul(weight[..., np.newaxis, :], similarity)[..., 0, :]
    if divide_by == "count":
        return np.asarray(weighted_sum / n_kept)
    return divide_or_nan(weighted_sum, weight.sum(axis=-1, keepdims=True))


def novelty_scores(
    scores: npt.ArrayLike, novelty: npt.ArrayLike, *, trade_off: float = 0.8
) -> FloatArray:
    r"""Return the weighted average of relevance and novelty.

    .. math:: \bar r(o) = \lambda \, r(o) + (1 - \lambda) \, n(o)

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    novelty : array_like, shape (..., candidates) or (candidates,)
        Novelty n of each candidate; document 002 uses ``temporal_weight(days, formula="novelty")``.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1].

    Returns
    -------
    ndarray of float, shape (..., candidates)

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not fit together, or ``trade_off`` lies outside
        [0, 1].

    Notes
    -----
    The average mixes two scales. The authors' program takes raw similarities as scores; scaled
    scores give other lists.

    References
    ----------
    Document 002, section III-B.

    Examples
    --------
    >>> novelty_scores([0.9, 0.8], [0.1, 0.9]).round(2)
    array([0.74, 0.82])
    """
    check_same_labels(scores=scores, novelty=novelty)
    scores = as_finite(scores, "scores")
    novelty = as_finite(novelty, "novelty")
    check_pairs(scores, novelty, "scores novelty")
    trade_off = _check_trade_off(trade_off)
    return trade_off * scores + (1 - trade_off) * novelty


def rerank_mmr(
    scores: npt.ArrayLike,
    similarity: npt.ArrayLike,
    *,
    trade_off: float = 0.8,
    k: int | None = None,
) -> IntArray:
    r"""Re-rank by maximal marginal relevance (MMR): prefer items unlike those already chosen.

    .. math:: \arg\max_{o \notin S} \;\lambda \, r(o)
              - (1 - \lambda) \max_{s \in S} \mathrm{sim}(o, s)

    where S holds the items at earlier places; the item with the best score gets the first place.

    Parameters
    ----------
    scores : array_like, shape (..., candidates)
        Relevance r of each candidate.
    similarity : array_like, shape (candidates, candidates)
        Similarity of any two candidates. Use 0 for an unknown pair, as the authors' program does.
    trade_off : float, default 0.8
        The weight :math:`\lambda` of the relevance, in [0, 1]; 1 keeps the order by score.
    k : int, optional
        Number of places to fill in this way; the other items follow by score. Default: all. The
        authors' program fills 10.

    Returns
    -------
    ndarray of int, shape (..., candidates)
        0-based indices of candidates, best first; ties go to the earlier candidate, also if
        rounding hides them. Lists without candidates stay empty.

    Raises
    ------
    InputError
        If a number is not finite, the shapes do not fit together, ``trade_off`` lies outside
        [0, 1], or ``k`` is not a positive integer.

    Notes
    -----
    All lists are filled together, one place at a time. For each candidate, the function keeps the
    largest similarity to the chosen items, so it needs k steps over arrays of shape (lists,
    candidates). Relevance and similarity should have the same scale: document 002's off-line
    evaluation first scales the scores of each list to [0, 1]; its server did not.

    References
    ----------
    Document 002, section III-B; Carbonell and Goldstein (1998), SIGIR.

    Examples
    --------
    Two beach holidays and a hike:

    >>> alike = [[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]]
    >>> rerank_mmr([1.0, 0.9, 0.8], alike)
    array([0, 2, 1])
    """
    check_same_labels(scores=columns_of(scores), similarity=columns_of(similarity))
    check_same_labels(scores=columns_of(scores), similarity=lists_of(similarity))
    scores = as_finite(scores, "scores")
    n = scores.shape[-1]
    similarity = as_finite(similarity, "similarity")
    check_shape(similarity, (n, n), "similarity")
    trade_off = _check_trade_off(trade_off)
    n_places = min(check_cutoff(k) or n, n)
    if scores.size == 0:  # there is nothing to order
        return np.empty(scores.shape, np.int64)
    # From here on, arrays have the shape (lists, candidates); at the end, the lists get their
    # leading axes back.
    relevance = scores.reshape(-1, n)
    list_index = np.arange(len(relevance))
    order = np.empty(relevance.shape, np.int64)
    is_chosen = np.zeros(relevance.shape, bool)
    largest_similarity = np.full(relevance.shape, -np.inf)  # of each candidate to a chosen item
    for place in range(n_places):
        value = relevance
        noise = np.zeros(relevance.shape)  # by how much rounding may change each value
        # At the first place there is no chosen item yet. A trade-off of 1 ignores chosen items.
        if place > 0 and trade_off < 1:
            penalty = (1 - trade_off) * largest_similarity
            value = trade_off * relevance - penalty
            noise = ROUNDING * (np.abs(trade_off * relevance) + np.abs(penalty))
        # Choose the candidate with the largest value in each list; a tie goes to the earlier one.
        best = _first_of_largest(np.where(is_chosen, -np.inf, value), noise)
        order[:, place] = best
        is_chosen[list_index, best] = True
        largest_similarity = np.maximum(largest_similarity, similarity[best])

    # The items that were not chosen follow by score. NaN puts the chosen items last.
    order[:, n_places:] = rank_items(np.where(is_chosen, np.nan, relevance))[:, : n - n_places]
    return order.reshape(scores.shape)


def _first_of_largest(values: FloatArray, noise: FloatArray) -> IntArray:
    """Return for each list the first candidate whose value is the largest, up to noise."""
    largest = values.argmax(axis=-1)[:, np.newaxis]
    tolerance = np.maximum(noise, np.take_along_axis(noise, largest, axis=-1))
    is_largest = values + tolerance >= np.take_along_axis(values, largest, axis=-1)
    return np.asarray(is_largest.argmax(axis=-1))


def _check_trade_off(value: float) -> float:
    """Return the weight of the relevance as a number, after checking that it is in [0, 1]."""
    return check_number(value, "trade_off", "a number from 0 to 1", lambda x: 0 <= x <= 1)
