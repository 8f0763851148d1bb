"""Claims that follow from the figures of documents 000, 001 and 003; errata and variants.

The audits check every figure too. These tests compute what the records say of the figures.
"""

import pytest

from receval import datasets, metrics
from receval import ledger as published
from receval.ledger.verdicts import as_values
from receval.metrics import retrieval
from receval.metrics.ranking import dcg_terms, ideal_dcg_terms

RESULTS = published.table("000_results")


@pytest.mark.parametrize(
    ("figure", "rows", "column"),
    [
        ("random_hr", "table == 'blind-matchmakers' and configuration == 'Random'", "hr10"),
        ("random_mrr", "table == 'blind-matchmakers' and configuration == 'Random'", "mrr10"),
        ("random_cc", "table == 'blind-matchmakers' and configuration == 'Random'", "cc10"),
        ("random_ltp", "table == 'blind-matchmakers' and configuration == 'Random'", "ltp10"),
        ("constant_cc", "table == 'blind-matchmakers' and configuration != 'Random'", "cc10"),
        ("top_ltp", "configuration == 'Top winning bidders'", "ltp10"),
        ("rescal_price", "configuration == 'pc:actualPrice' and approach == 'RESCAL'", "hr10"),
        ("rescal_object", "configuration == 'Eigenvalues'", "hr10"),
        ("rescal_features", "table == 'individual-features'", "hr10"),
    ],
)
def test_figures_of_document_000_repeat_rows_of_its_table(figure, rows, column):
    printed = as_values(published.figure(f"000/{figure}")["printed"], "printed")
    assert RESULTS.query(rows)[column].tolist() == printed


POINTS = datasets.borda_example()
OWN = POINTS.loc["U1"]
SLIP = OWN[["M8", "M4", "M10", "M2"]].replace({OWN["M2"]: OWN["M7"]})  # 7, the rating of M7, for 4
EXAMPLE = {"discount": metrics.clipped_log2}
BEST = metrics.ideal_dcg(OWN, k=4, **EXAMPLE)


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("001/cg_terms", SLIP),
        ("001/cg", metrics.cumulative_gain(SLIP)),
        ("001/dcg_terms", dcg_terms(SLIP, **EXAMPLE)),
        ("001/dcg", metrics.dcg(SLIP, **EXAMPLE)),
        ("001/ndcg", metrics.dcg(SLIP, **EXAMPLE) / BEST),
    ],
)
def test_the_slip_of_document_001_gives_the_figures_as_printed(id, value):
    assert published.check(id, value).verdict == "reproduced"


FORMULA = {"discount": metrics.shifted_log2, "gain": metrics.exponential_gain}
PAIR = datasets.retrieval_example()["truth"], datasets.retrieval_example()["retrieved"]
MAE_TERMS = retrieval.mae_terms(*PAIR, pairing="case")


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("001/own_ranking", POINTS.columns[metrics.rank_items(OWN)][:4]),
        ("001/idcg_terms", ideal_dcg_terms(OWN, k=4, **FORMULA)),
        ("001/idcg", metrics.ideal_dcg(OWN, **FORMULA)),
        ("003/mae", MAE_TERMS.mean()),
        ("003/mae_fraction", (MAE_TERMS.sum(), MAE_TERMS.size)),
        ("003/mse", retrieval.mse(*PAIR, pairing="case")),
        ("003/mse_sum", retrieval.mse_terms(*PAIR, pairing="case").sum()),
        ("003/quality_stromer", retrieval.quality_stromer(*PAIR, count="misses")),
        ("003/quality_stromer_k2", retrieval.quality_stromer(*PAIR, k=2, count="misses")),
    ],
)
def test_the_stated_definition_gives_the_value_on_record_instead_of_the_figure(id, value):
    stated = as_values(published.figure(id)["stated"], "stated")
    assert list(map(published.agrees, as_values(value, "value"), stated)) == [True] * len(stated)
    assert published.check(id, value).verdict == "unexplained"  # not as printed
