"""Recommend bidders by full text: past contracts are documents, and BM25 ranks them."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._checks import check_choice, check_count, import_extra, input_error
from receval.matchmaking.lists import code_winners, long_table
from receval.tables.columns import check_no_rows, read_column


def full_text(
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    text: str = "description",
    *,
    aggregate: str = "max",
    k: int = 10,
) -> pd.DataFrame:
    """Recommend the k bidders who won the contracts with the most similar text.

    Every past contract is a document, and the text of the new contract is the query. BM25 gives
    each document a score. The score of a bidder is the largest score of its documents, or their
    sum. The package bm25s computes BM25 (k₁ = 1.5, b = 0.75, Lucene's variant) and
    leaves out English stop words.

    Parameters
    ----------
    awards : DataFrame
        Training awards; columns ``bidder`` and ``text``.
    contracts : DataFrame
        Contracts to recommend bidders for; columns ``contract`` and ``text``.
    text : str, default "description"
        The column with the texts. A missing text counts as empty.
    aggregate : {"max", "sum"}, default "max"
        How to combine the scores of a bidder's contracts. "sum" favours bidders with many awards.
    k : int, default 10
        Length of the lists. A list is shorter if fewer bidders share a word with the contract.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``, above 0; equal scores in order of the
        bidders' ids. A contract that shares no word with an award has no row.

    Raises
    ------
    ImportError
        If bm25s is missing; the extra ``text`` installs it.
    InputError
        If there is no award; if a column is missing or holds anything but text; or if a contract is
        missing or occurs twice.

    Notes
    -----
    The thesis behind document 000 leaves matchmakers based on full text to future work. So BM25,
    its parameters, and taking the largest score are our choices.

    References
    ----------
    Robertson and Zaragoza (2009); Lù (2024) on bm25s.

    Examples
    --------
    >>> awards = pd.DataFrame({"bidder": ["a", "b"]})
    >>> awards["description"] = ["repair of a road", "supply of office furniture"]
    >>> new = pd.DataFrame({"contract": [7], "description": ["a new road"]})
    >>> full_text(awards, new).round(3)
       contract bidder  score
    0         7      a  0.305
    """
    bm25s = import_extra("bm25s", "text", "full_text")
    winners, bidders = code_winners(awards)
    k = min(check_count(k, "k"), len(bidders))
    check_choice(aggregate, "aggregate", ("max", "sum"))
    documents = _read_texts(awards, text, "awards")
    queries = _read_texts(contracts, text, "contracts")

    options = {"stopwords": "en", "return_ids": False, "show_progress": False}
    document_words = bm25s.tokenize(documents, **options)
    query_words = bm25s.tokenize(queries, **options)
    lists = np.full((len(contracts), k), -1)
    list_scores = np.zeros((len(contracts), k))
    if any(document_words):
        index = bm25s.BM25()
        index.index(document_words, show_progress=False)
        for row, words in enumerate(query_words):
            if not words:
                continue
            document_scores = pd.Series(index.get_scores(words).astype(float))
            # Every bidder has a document, so the groups are the bidders, in order of their codes.
            scores = document_scores.groupby(winners).agg(aggregate).to_numpy()
            best = np.argsort(-scores, kind="stable")[:k]
            list_scores[row] = scores[best]
            lists[row] = np.where(scores[best] > 0, best, -1)
    return long_table(contracts, bidders, lists, list_scores)


def _read_texts(table: pd.DataFrame, column: str, name: str) -> list[str]:
    """Return the texts of a column, with "" for missing ones; raise for anything but text."""
    texts = read_column(table, column, name, " for full_text")
    is_missing = texts.isna().to_numpy()
    is_text = np.array([isinstance(value, str) for value in texts], dtype=bool)
    check_no_rows(texts, ~(is_text | is_missing), f"{name}[{column!r}]", "be text")
    if is_missing.all() and len(texts):
        raise input_error(f"{name}[{column!r}]", "have a text", "none")
    return texts.astype(object).mask(is_missing, "").tolist()
