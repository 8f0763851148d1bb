"""Similarities of items from attributes, visits and texts: the three branches of document 002.

The functions wrap scikit-learn and gensim, which ``pip install "receval[study]"`` installs. Each
returns a table of similarities with items in rows and in columns.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from receval._arrays import as_finite
from receval._checks import (
    Id,
    check_count,
    check_flag,
    check_not_empty,
    check_that,
    check_unique,
    import_extra,
    input_error,
    shorten,
)
from receval.tables.columns import SYNONYMS, index_by_id

__all__ = ["cosine_similarities", "doc2vec_similarities", "item_features", "word2vec_similarities"]

PURPOSE = "this similarity"  # what needs scikit-learn and gensim, in the error if they are missing


def item_features(attributes: pd.DataFrame) -> pd.DataFrame:
    """Turn attributes of items into numbers: binarise nominal, standardise numeric ones.

    Parameters
    ----------
    attributes : DataFrame
        Items in rows, attributes in columns; text, categories and booleans are nominal.

    Returns
    -------
    DataFrame
        Items in rows; a column of 0 and 1 for each value of a nominal attribute, and numeric
        columns of mean 0 and standard deviation 1 (all 0 if all items are equal).

    Raises
    ------
    InputError
        If an attribute is missing or infinite.

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
    incomplete = attributes.columns[attributes.isna().any()].tolist()
    check_that(not incomplete, "attributes", "have no gaps in any column", incomplete)
    numeric = attributes.select_dtypes("number")  # includes durations
    values = as_finite(numeric.to_numpy(float), "attributes")
    numbers = pd.DataFrame(values, attributes.index, numeric.columns)
    spread = numbers.std(ddof=0)
    # If all values are equal, the spread is 0. Dividing by 1 instead keeps the deviations at 0.
    standardised = (numbers - numbers.mean()) / spread.where(spread > 0, 1.0)
    nominal = attributes.drop(columns=numbers.columns)
    if nominal.empty:
        return standardised
    return standardised.join(pd.get_dummies(nominal.astype(str), dtype=float))


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
    if not isinstance(features, pd.DataFrame) or features.empty:
        raise input_error(
            "features", "be a DataFrame, not empty, indexed by item", shorten(features)
        )
    check_flag(same, "same")
    # The ids may be in a column "item"; a column with a name like "movie" is refused as unclear.
    features = index_by_id(features, ["item"], "features", SYNONYMS["item"].split())
    check_unique(features.index.tolist(), "items", "item")
    values = as_finite(features.to_numpy(), "features")
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
        If there is no history, two items have the same text, such as 1 and "1", or a number is not
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
    item_by_word = {str(item): item for item in items}
    same_text = [(item, item_by_word[str(item)]) for item in items]
    same_text = [pair for pair in same_text if pair[0] != pair[1]]
    check_that(not same_text, "histories", "hold items whose texts differ", same_text)
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
    size, window : int
        Dimensions of the embedding, and number of neighbouring words on either side.
    epochs : int, default 10
        Number of passes over the texts.
    seed : int, default 0
        Seed of the random numbers. The model is trained in one thread, so the same seed gives
        the same model.

    Returns
    -------
    DataFrame
        Cosines of the embeddings, items in rows and columns, in the order of ``texts``.

    Raises
    ------
    InputError
        If there is no text, an item occurs twice, or a number is not a positive integer.
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
