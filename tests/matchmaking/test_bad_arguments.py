"""Inputs that the matchmakers must refuse, or for which they state a rule."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError, evaluate
from receval.matchmaking import (
    case_based,
    factorize_tensor,
    full_text,
    most_awarded,
    page_rank,
    random_bidders,
    rescal,
)

AWARDS = pd.DataFrame(
    {
        "contract": [1, 2, 3, 4],
        "bidder": ["a", "a", "b", "c"],
        "code": ["45", "451", "452", "71"],
        "date": [1.0, 5.0, 9.0, 7.0],
        "description": ["repair of a road", "new road", "a bridge", "plans"],
    }
)
NEW = pd.DataFrame({"contract": [7, 8], "code": ["451", "452"], "description": ["road", "bridge"]})
WEIGHTS = {"code": 0.6}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight": -5}, r"weight must be a number in \(0, 1\]"),
        ({"weight": "idff"}, r"weight must be a number in \(0, 1\]"),
        ({"hops": (10**400, 1)}, "hops must be .* from 0 to 100"),
        ({"conjunctor": None}, "conjunctor must be a function"),
        ({"disjunctor": 3}, "disjunctor must be a function"),
    ],
)
def test_case_based_refuses_wrong_options_even_without_a_hierarchy(options, message):
    with pytest.raises(InputError, match=message):
        case_based(AWARDS, NEW, WEIGHTS, **options)


def test_a_missing_date_column_is_named_in_a_sentence():
    with pytest.raises(InputError, match="awards must have one column 'date' for ageing; got"):
        case_based(AWARDS.drop(columns="date"), NEW, WEIGHTS, ageing=0.1)


def test_a_huge_ageing_leaves_only_the_latest_award():
    lists = case_based(AWARDS, NEW, WEIGHTS, ageing=1e308)
    assert lists[["contract", "bidder"]].values.tolist() == [[8, "b"]]


def test_codes_as_numbers_and_as_texts_are_refused():
    numbers = NEW.assign(code=[451, 452])
    with pytest.raises(InputError, match=r"contracts\['code'\] must have values of the same type"):
        case_based(AWARDS, numbers, WEIGHTS)
    with pytest.raises(InputError, match=r"contracts\['code'\] must have values of the same type"):
        rescal(AWARDS, numbers, ["code"], rank=2)


@pytest.mark.parametrize("column", ["code", "bidder"])
def test_lists_and_mixed_ids_in_a_column_are_refused(column):
    values = {"code": [["45"]] * 4, "bidder": ["a", 1, "b", "c"]}
    with pytest.raises(InputError, match=rf"awards\['{column}'\] must"):
        case_based(AWARDS.assign(**{column: values[column]}), NEW, WEIGHTS)


@pytest.mark.parametrize("matchmaker", [random_bidders, most_awarded, page_rank])
def test_contracts_that_are_no_table_are_refused(matchmaker):
    with pytest.raises(InputError, match="contracts must be a table"):
        matchmaker(AWARDS, None)


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        (None, "slices must be a list of matrices"),
        ([np.eye(3) * 1j], "slices must be a list of matrices of numbers.*complex"),
        ([[["a"]]], "slices must be a list of matrices"),
        (
            [np.array([[0, 1.0, 0], [-1, 0, 0], [0, 0, 0]])],
            "slices must have a link, and not sum to zero with",
        ),
    ],
)
def test_slices_that_are_no_tensor_are_refused(slices, message):
    with pytest.raises(InputError, match=message):
        factorize_tensor(slices, 2)


def test_every_matchmaker_runs_through_evaluate_and_a_comparison():
    pytest.importorskip("bm25s")
    systems = {
        "random": random_bidders(AWARDS, NEW),
        "most": most_awarded(AWARDS, NEW),
        "page rank": page_rank(AWARDS, NEW, features=["code"]),
        "case": case_based(AWARDS, NEW, WEIGHTS),
        "rescal": rescal(AWARDS, NEW, ["code"], rank=3, regularization=(0.1, 0.1)),
        "text": full_text(AWARDS, NEW),
    }
    truth = pd.DataFrame({"contract": [7, 8], "bidder": ["a", "b"]})
    result = evaluate(systems, truth, "MRR", user="contract", item="bidder", relevance_column=None)
    assert result.summary.loc[["case", "rescal", "text"], "MRR"].tolist() == [1, 1, 1]
    assert "page rank" in repr(result.compare())
