"""Rules of `evaluate` for its options, its catalogue and its systems; also rows 50, 51 and 54."""

import pandas as pd
from bad_inputs.cases import RECS, TRUTH

from receval import evaluate, measures
from receval.definitions.names import STATED


def test_every_measure_is_listed():
    wanted = "HR MRR MAP nDCG Precision Recall F1 R-Precision AUC DCG CG PC CC LTP ILD nov_t nov_u"
    more = "RBP ERR bpref ARP Gini MIUF MAE MSE RMSE"
    listed = measures().index
    assert {*wanted.split(), *more.split()} <= set(listed)
    assert listed.tolist() == [spec.name for spec in STATED]


def test_systems_keep_their_names():
    odd = ["it's", "b\\c", 2020]
    result = evaluate(dict.fromkeys(odd, RECS), TRUTH, "MRR")
    assert result.systems == odd
    assert result.values(2020)["MRR"].tolist() == [0.5, 1, 0]
    tall = pd.concat([RECS.assign(year=2020), RECS.assign(year=2021)])
    by_column = evaluate(tall, TRUTH, "MRR", system="year")
    assert by_column.systems == [2020, 2021]
