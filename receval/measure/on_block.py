"""What the measures compute from a block under a convention: values, their terms, expectations."""

from __future__ import annotations

from typing import Any

import numpy as np

from receval._checks import FloatArray, IntArray
from receval.measure import expected
from receval.measure.block import Block
from receval.measure.form import Context
from receval.metrics import beyond_accuracy
from receval.metrics.ranking import _formulas as formulas
from receval.metrics.ranking._parts import gain_of, weights


def hits(b: Block, k: int | None) -> FloatArray:
    return b.sum(formulas.hit_terms, b.gains, k)


def hit(b: Block, _: Context, k: int | None) -> FloatArray:
    return formulas.hit(hits(b, k))


def reciprocal_rank(b: Block, _: Context, k: int | None) -> FloatArray:
    return b.sum(formulas.reciprocal_rank_terms, b.gains, k)


def precision(b: Block, c: Context, k: int | None) -> FloatArray:
    return formulas.precision(hits(b, k), b.gains, b.n_relevant, k, c.convention.precision)


def recall(b: Block, c: Context, k: int | None) -> FloatArray:
    return formulas.recall(hits(b, k), b.gains, b.n_relevant, k, c.convention.recall)


def average_precision(b: Block, c: Context, k: int | None) -> FloatArray:
    precisions = b.sum(formulas.average_precision_terms, b.gains, k)
    how = c.convention.average_precision
    return formulas.average_precision(precisions, b.gains, b.n_relevant, k, how)


def cumulative_gain(b: Block, _: Context, k: int | None) -> FloatArray:
    return b.sum(formulas.cumulative_gain_terms, b.gains, k)


def graded(c: Context) -> dict[str, Any]:
    return {"discount": c.convention.discount, "gain": c.convention.gain}


def dcg(b: Block, c: Context, k: int | None) -> FloatArray:
    return b.sum(formulas.dcg_terms, b.gains, k, **graded(c))


def ideal(b: Block, c: Context, k: int | None) -> FloatArray:
    """Grades of the list that nDCG compares with, padded with 0 or NaN."""
    if c.convention.ideal == "relevant":
        return b.relevance
    cutoff = b.length[:, np.newaxis] if k is None else k
    ideal = np.where(np.arange(b.gains.shape[1] if k is None else k) < cutoff, 1.0, np.nan)
    return np.where(b.n_relevant[:, np.newaxis] > 0, ideal, np.nan)


def ndcg(b: Block, c: Context, k: int | None) -> FloatArray:
    best = b.sum(formulas.ideal_dcg_terms, ideal(b, c, k), k, **graded(c))
    return formulas.ndcg(dcg(b, c, k), best)


def share_of_dcg(b: Block, c: Context, k: int | None) -> FloatArray:
    weight = weights(b.gains.shape[1], c.convention.discount)
    return expected.share_of_gain(b, k, gain_of(b.gains, c.convention.gain), weight)


def expected_ap(b: Block, c: Context, k: int | None) -> FloatArray:
    if c.convention.average_precision == "found":
        return expected.average_precision_by_found(b, k)[1]
    return expected.average_precision(b, k, average_precision(b, c, k))


def f1(b: Block, c: Context, k: int | None) -> FloatArray:
    return formulas.f1(precision(b, c, k), recall(b, c, k))


def similarity(b: Block, c: Context, k: int | None) -> FloatArray:
    assert c.features is not None
    items = b.items[:, :k]
    vectors = np.where(items[..., np.newaxis] >= 0, c.features[items], np.nan)
    similarity: FloatArray = np.einsum("uif,ujf->uij", vectors, vectors)
    return similarity


def ages(b: Block, c: Context, k: int | None) -> FloatArray:
    assert c.age is not None
    items = b.items[:, :k]
    return np.where(items >= 0, c.age[items], np.nan)


def seen(b: Block, c: Context, k: int | None) -> FloatArray:
    assert c.seen is not None
    items = b.items[:, :k]
    return np.where(items >= 0, c.seen(b.users, items), np.nan)


def tail_counts(b: Block, c: Context, k: int | None) -> IntArray:
    items = b.items[:, :k]
    in_tail = beyond_accuracy.long_tail_percentage_terms(items, c.in_head).sum()
    return np.array([in_tail, np.count_nonzero(items >= 0)], dtype=np.int64)


def distinct(b: Block, _: Context, k: int | None) -> IntArray:
    found = np.unique(b.items[:, :k])
    return found[found >= 0]
