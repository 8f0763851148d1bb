r"""The measures, each stated once: name, formula, source, what it needs, how it is computed.

`evaluate`, the working of one user's number and the documentation read them from here; there is
no second list. The arithmetic is that of `receval.metrics`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from receval import working
from receval.measure import expected, on_block
from receval.measure.block import Block
from receval.measure.form import Context, Measure
from receval.metrics import beyond_accuracy, ranking
from receval.metrics.ranking import _formulas as formulas

__all__ = ["DOCUMENTS", "MEASURES"]

DOCUMENTS = {
    "000": "the thesis on matchmakers in public procurement (jindrichmynarz/dissertation)",
    "001": "a student report on the evaluation of a group recommender",
    "002": "Peska and Vojtas (FUZZ-IEEE 2020)",
    "004": "the manual of RELISON (ir-uam/RELISON)",
}
"""The documents that sources name by number, as others know them."""


def _precision_working(b: Block, c: Context, k: int | None, names: Any) -> pd.DataFrame:
    return working.precision(
        b.gains[0],
        k=k,
        denominator=c.convention.precision,
        n_relevant=int(b.n_relevant[0]),
        items=names,
    )


def _recall_working(b: Block, c: Context, k: int | None, names: Any) -> pd.DataFrame:
    return working.recall(
        b.gains[0],
        int(b.n_relevant[0]),
        k=k,
        denominator=c.convention.recall,
        items=names,
    )


def _f1_working(b: Block, c: Context, k: int | None, names: Any) -> pd.DataFrame:
    """Precision and recall so far under the convention, which `working.f1` has not, and F1."""
    table = _precision_working(b, c, k, names)
    table["recall"] = _recall_working(b, c, k, names)["recall"]
    table["F1"] = ranking.f1(table["precision"], table["recall"])
    return table


MEASURES = (
    Measure(
        "HR",
        "hit rate",
        r"[\exists\, i \le k : g_{ui} > 0]",
        "document 000",
        values=on_block.hit,
        expected=lambda b, c, k: expected.hit(b, k),
        working=lambda b, c, k, names: working.hit(b.gains[0], k=k, items=names),
        choices=("relevant", "ties", "missing", "no relevant item"),
        aliases=("hit", "hits", "hitrate", "hit_rate", "success"),
    ),
    Measure(
        "MRR",
        "mean reciprocal rank",
        r"\frac{1}{\min \{i \le k : g_{ui} > 0\}}",
        "document 000",
        values=on_block.reciprocal_rank,
        expected=lambda b, c, k: expected.reciprocal_rank(b, k),
        working=lambda b, c, k, names: working.reciprocal_rank(b.gains[0], k=k, items=names),
        choices=("relevant", "ties", "missing", "no relevant item"),
        aliases=("rr", "reciprocal_rank", "recip_rank"),
    ),
    Measure(
        "MAP",
        "mean average precision",
        r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]\, P@i(u)",
        "document 004",
        values=on_block.average_precision,
        expected=on_block.expected_ap,
        working=lambda b, c, k, names: working.average_precision(
            b.gains[0],
            int(b.n_relevant[0]),
            k=k,
            denominator=c.convention.average_precision,
            items=names,
        ),
        choices=("relevant", "AP divides by", "ties", "missing", "no relevant item"),
        aliases=("ap", "average_precision"),
    ),
    Measure(
        "nDCG",
        "normalised discounted cumulative gain",
        r"\frac{\mathrm{DCG}@k(u)}{\mathrm{IDCG}@k(u)}",
        "documents 001 and 004",
        values=on_block.ndcg,
        expected=lambda b, c, k: on_block.ndcg(b, c, k) * on_block.share_of_dcg(b, c, k),
        working=lambda b, c, k, names: working.ndcg(
            b.gains[0], on_block.ideal(b, c, k)[0], k=k, items=names, **on_block.graded(c)
        ),
        choices=(
            "relevant",
            "gain",
            "discount",
            "ideal list",
            "ties",
            "missing",
            "no relevant item",
        ),
    ),
    Measure(
        "Precision",
        "precision",
        r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
        "document 004",
        values=on_block.precision,
        expected=lambda b, c, k: on_block.precision(b, c, k) * expected.share_of_hits(b, k),
        working=_precision_working,
        choices=("relevant", "precision divides by", "ties", "missing", "no relevant item"),
        aliases=("p", "prec"),
    ),
    Measure(
        "Recall",
        "recall",
        r"\frac{1}{D_u} \sum_{i \le k} [g_{ui} > 0]",
        "document 004",
        values=on_block.recall,
        expected=lambda b, c, k: on_block.recall(b, c, k) * expected.share_of_hits(b, k),
        working=_recall_working,
        choices=("relevant", "recall divides by", "ties", "missing", "no relevant item"),
        aliases=("r",),
    ),
    Measure(
        "F1",
        "harmonic mean of precision and recall",
        r"\frac{2 P_u R_u}{P_u + R_u}",
        "document 001",
        values=on_block.f1,
        expected=lambda b, c, k: on_block.f1(b, c, k) * expected.share_of_hits(b, k),
        working=_f1_working,
        choices=(
            "relevant",
            "precision divides by",
            "recall divides by",
            "ties",
            "missing",
            "no relevant item",
        ),
        aliases=("f",),
    ),
    Measure(
        "R-Precision",
        "precision at the number of relevant items",
        r"\frac{1}{R_u} \sum_{i \le R_u} [g_{ui} > 0]",
        "Manning, Raghavan and Schütze (2008)",
        values=lambda b, c, k: formulas.r_precision(b.gains, b.n_relevant),
        expected=lambda b, c, k: (
            formulas.r_precision(b.gains, b.n_relevant) * expected.share_of_hits(b, b.n_relevant)
        ),
        working=lambda b, c, k, names: working.r_precision(
            b.gains[0], int(b.n_relevant[0]), items=names
        ),
        choices=("relevant", "ties", "missing", "no relevant item"),
        aliases=("rprec", "r_precision", "rprecision"),
        whole_list=True,
    ),
    Measure(
        "AUC",
        "area under the ROC curve",
        r"\frac{\#\{r \text{ before } q\} + \frac12 \#\{\text{tied}\}}"
        r"{R_u (N_u - R_u)}",
        "document 002",
        values=lambda b, c, k: ranking.auc(b.gains, scores=b.scores),
        working=lambda b, c, k, names: working.auc(
            b.gains[0], scores=None if b.scores is None else b.scores[0], items=names
        ),
        choices=("relevant",),
        whole_list=True,
        accuracy=False,
    ),
    Measure(
        "DCG",
        "discounted cumulative gain",
        r"\sum_{i \le k} \mathrm{gain}(g_{ui})\, d(i)",
        "documents 001 and 004",
        values=on_block.dcg,
        expected=lambda b, c, k: on_block.dcg(b, c, k) * on_block.share_of_dcg(b, c, k),
        working=lambda b, c, k, names: working.dcg(
            b.gains[0], k=k, items=names, **on_block.graded(c)
        ),
        choices=("relevant", "gain", "discount", "ties", "missing", "no relevant item"),
    ),
    Measure(
        "CG",
        "cumulative gain",
        r"\sum_{i \le k} g_{ui}",
        "document 001",
        values=on_block.cumulative_gain,
        expected=lambda b, c, k: (
            on_block.cumulative_gain(b, c, k) * expected.share_of_gain(b, k, b.gains)
        ),
        working=lambda b, c, k, names: working.cumulative_gain(b.gains[0], k=k, items=names),
        choices=("relevant", "ties", "missing", "no relevant item"),
    ),
    Measure(
        "PC",
        "prediction coverage",
        r"[R_u \ne \varnothing]",
        "document 000",
        values=lambda b, c, k: np.asarray(b.length > 0, float),
        working=lambda b, c, k, names: working.prediction_coverage(b.items),
        accuracy=False,
    ),
    Measure(
        "CC",
        "catalogue coverage",
        r"\frac{|\bigcup_u R_u@k|}{|B|}",
        "document 000",
        partial=on_block.distinct,
        combine=lambda a, b: np.union1d(a, b),
        finish=lambda state, c: state.size / c.n_items if c.n_items else math.nan,
        needs=("catalogue",),
        state_of_items=True,
        choices=("ties",),
    ),
    Measure(
        "LTP",
        "long-tail percentage",
        r"\frac{\sum_u |R_u@k \cap LT|}{\sum_u |R_u@k|}",
        "document 000",
        partial=on_block.tail_counts,
        combine=lambda a, b: a + b,
        finish=lambda state, c: float(state[0] / state[1]) if state[1] else math.nan,
        needs=("awards",),
        choices=("ties", "short head"),
    ),
    Measure(
        "ILD",
        "intra-list diversity",
        r"\frac{1}{n(n-1)} \sum_{i \ne j} (1 - \mathrm{sim}(i, j))",
        "document 002",
        values=lambda b, c, k: beyond_accuracy.intra_list_diversity(on_block.similarity(b, c, k)),
        working=lambda b, c, k, names: working.intra_list_diversity(
            on_block.similarity(b, c, k)[0], items=names
        ),
        needs=("features",),
        choices=("ties",),
        accuracy=False,
    ),
    Measure(
        "nov_t",
        "temporal novelty",
        r"\frac{1}{|R_u|} \sum_{o \in R_u} \frac{1}{\ln(t_o + 2.72)}",
        "document 002",
        values=lambda b, c, k: beyond_accuracy.temporal_novelty(on_block.ages(b, c, k)),
        working=lambda b, c, k, names: working.temporal_novelty(
            on_block.ages(b, c, k)[0], items=names
        ),
        needs=("novelty_date",),
        choices=("ties",),
        accuracy=False,
    ),
    Measure(
        "nov_u",
        "user novelty",
        r"1 - \frac{|\{o \in R_u : \text{seen}\}|}{|R_u|}",
        "document 002",
        values=lambda b, c, k: beyond_accuracy.user_novelty(on_block.seen(b, c, k)),
        working=lambda b, c, k, names: working.user_novelty(on_block.seen(b, c, k)[0], items=names),
        needs=("history",),
        choices=("ties",),
        accuracy=False,
    ),
)
