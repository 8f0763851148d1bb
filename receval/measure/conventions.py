"""Conventions by name: the choices that tools and documents make differently.

Each was found against an oracle and is verified as its ``verified`` says: *live* against the tool
in the tests, against *recorded values* of the tool (``tests/recorded``), or *from source*.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from receval._checks import check_choice
from receval.measure.convention import Convention
from receval.metrics.discounts import binary_gain, clipped_log2, relison_gain

__all__ = ["convention", "conventions"]

TREC = "HR MRR MAP nDCG Precision Recall R-Precision"

TREC_EVAL = Convention(
    name="trec_eval",
    negative="zero",
    source="trec_eval 9 with -c, as pytrec-eval-terrier 0.5.11 and ir-measures run it",
    verified="live: ir-measures, pytrec-eval-terrier",
    measures=TREC,
    ties="trec_eval",
    note="grades are whole numbers there; MRR there has no cut-off",
)

CONVENTIONS = {
    one.name: one
    for one in (
        Convention(
            name="receval",
            source="this package: trec_eval's formulas, ties by item id",
            verified="live: ranx, ir-measures, scikit-learn",
        ),
        TREC_EVAL,
        replace(
            TREC_EVAL,
            name="pytrec_eval",
            source="pytrec-eval-terrier 0.5.11, mean of the values that it answers",
            verified="live: pytrec-eval-terrier",
            missing="skip",
            note="trec_eval without -c; grades are whole numbers there",
        ),
        replace(
            TREC_EVAL,
            name="ir_measures",
            source="ir-measures 0.4.3, its default providers",
            verified="live: ir-measures",
            cut_ties=(("MRR", "text"),),
            note="RR with a cut-off goes to MS MARCO's program, all else to trec_eval",
        ),
        Convention(
            name="ranx",
            negative="zero",
            source="ranx 0.3.21, evaluate(Qrels, Run, make_comparable=True)",
            verified="live: ranx (lists of up to 15 items)",
            measures=f"{TREC} F1 DCG",
            ties="input",
            note="longer lists are sorted by quicksort, their ties then come in no stated order; "
            "grades are whole numbers there",
        ),
        Convention(
            name="sklearn",
            source="scikit-learn 1.9, ndcg_score, dcg_score, roc_auc_score of each user",
            verified="live: scikit-learn",
            measures="nDCG DCG AUC",
            ties="average",
            note="it takes a score for every candidate: agrees where lists hold all candidates",
        ),
        Convention(
            name="rectools",
            source="RecTools 0.19.0, defaults",
            verified="recorded values: RecTools 0.19.0",
            measures="HR MRR MAP nDCG Precision Recall",
            gain=binary_gain,
            ideal="perfect",
            ties="input",
            no_truth="skip",
            note="it takes ranks and no grades: its table holds the relevant pairs",
        ),
        Convention(
            name="replay",
            source="RePlay 0.22.0, tables of pandas or Polars",
            verified="recorded values: RePlay 0.22.0",
            measures="HR MRR MAP nDCG Precision Recall",
            gain=binary_gain,
            average_precision="reachable",
            ties="item_descending",
            no_truth="skip",
            note="it takes no grades: its table holds the relevant pairs; dicts keep their order",
        ),
        Convention(
            name="lenskit",
            source="LensKit 2025.8.1, metrics at a cut-off",
            verified="recorded values: LensKit 2025.8.1",
            measures="HR MRR MAP nDCG DCG Precision Recall",
            gain=binary_gain,
            discount=clipped_log2,
            precision="retrieved",
            recall="reachable",
            average_precision="listed",
            ties="input",
            missing="skip",
            no_truth="skip",
            note="takes ordered lists; nDCG(gain=field) has a linear gain; recall without cut-off "
            "divides by the relevant items",
        ),
        Convention(
            name="ranksys",
            source="RankSys metrics (public snapshot), the ones that RELISON's program calls",
            verified="from source",
            measures="MAP nDCG Precision Recall",
            gain=relison_gain(threshold=0.5),
            threshold=0.5,
            average_precision="reachable",
            ties="input",
        ),
        Convention(
            name="relison",
            source="document 004, as its text defines the metrics",
            verified="from the document's formulas",
            measures="MRR MAP nDCG Precision Recall",
            precision="retrieved",
            ties="input",
        ),
        Convention(
            name="matchmaking",
            source="document 000, section on evaluated metrics",
            verified="from the document's formulas",
            measures="HR MRR PC CC LTP",
            ties="input",
        ),
        Convention(
            name="satisfaction",
            source="document 001, section on nDCG (the example's form)",
            verified="the document's example",
            measures="CG DCG nDCG",
            discount=clipped_log2,
            ties="input",
        ),
        Convention(
            name="fuzzy",
            source="document 002, its program (rank_metrics.py)",
            verified="from source",
            measures="MRR MAP nDCG Precision Recall",
            discount=clipped_log2,
            average_precision="found",
            ties="input",
            missing="skip",
            note="its lists rank all objects; the ideal list is the list itself, sorted",
        ),
    )
}


def convention(name: str | Convention) -> Convention:
    """A convention by its name.

    Parameters
    ----------
    name : str or Convention
        One of the names in `conventions`; a `Convention` is answered as it is.

    Returns
    -------
    Convention

    Raises
    ------
    InputError
        If there is no such convention.

    Examples
    --------
    >>> convention("relison").words()["precision divides by"]
    'the number of items retrieved, at most k'
    """
    if isinstance(name, Convention):
        return name
    return CONVENTIONS[check_choice(name, "convention", CONVENTIONS)]


def conventions() -> pd.DataFrame:
    """All conventions with their choices, sources, and how each was verified.

    Returns
    -------
    DataFrame
        Conventions in rows, choices in columns. ``measures`` are those that the source itself
        has (every one for ``receval``); under a convention the others follow the same choices,
        but have no counterpart in the tool.

    Examples
    --------
    >>> table = conventions()
    >>> table.loc["satisfaction", "discount"], table.loc["lenskit", "precision divides by"]
    ('clipped_log2', 'the number of items retrieved, at most k')
    """
    rows = {
        one.name: one.words()
        | {
            "mean over": one.mean_over(),
            "measures": one.measures or "all",
            "source": one.source,
            "verified": one.verified,
            "note": one.note,
        }
        for one in CONVENTIONS.values()
    }
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("convention")
