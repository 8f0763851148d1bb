"""Inputs that the matchmakers must refuse, or for which they state a rule."""

import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.matchmaking import (
    case_based,
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
CODES = pd.DataFrame({"child": ["45", "451", "452", "71"], "parent": [None, "45", "45", None]})
NO_CODE = pd.DataFrame({"child": ["x"], "parent": ["y"]})
WEIGHTS = {"code": 0.6}
OTHER_ARGUMENTS = {
    case_based: {"weights": WEIGHTS},
    rescal: {"features": ["code"], "rank": 3},
}
"""What a matchmaker needs besides the awards and the contracts."""

REFUSED = [
    (case_based, {"weight": -5}, r"weight must be a number in \(0, 1\]"),
    (case_based, {"weight": "idff"}, r"weight must be a number in \(0, 1\]"),
    (case_based, {"weight": 0}, "weight must be a number in .*; got 0"),
    (case_based, {"weight": "IDF"}, 'weight must be .* or "idf"'),
    (case_based, {"weight": (0.1, 0.1)}, "weight must be a number in"),
    (case_based, {"hops": (10**400, 1, 0)}, "hops must be .* from 0 to 100"),
    (case_based, {"hops": (1, 1)}, r"hops must be \(up, down, sideways\)"),
    (case_based, {"hops": (1, -1, 0)}, r"hops must be \(up, down, sideways\)"),
    (case_based, {"hops": 1}, r"hops must be \(up, down, sideways\)"),
    (case_based, {"conjunctor": None}, "conjunctor must be a function"),
    (case_based, {"disjunctor": 3}, "disjunctor must be a function"),
    (case_based, {"ageing": -0.1}, "ageing must be a number of at least 0.*got -0.1"),
    (case_based, {"ageing": np.nan}, "ageing must be a number of at least 0.*got nan"),
    (
        case_based,
        {"ageing": 0.1, "awards": AWARDS.assign(date=2**62)},
        r"awards\['date'\] must hold whole numbers of at most 2\*\*53",
    ),
    (
        case_based,
        {"ageing": 0.1, "awards": AWARDS.drop(columns="date")},
        "awards must have one column 'date' for ageing; got",
    ),
    (
        case_based,
        {"ageing": 0.1, "awards": AWARDS.assign(date=np.nan)},
        "dates must have a known one; got 4 unknown",
    ),
    (case_based, {"hierarchy": CODES}, "hierarchy must be a dict"),
    (case_based, {"hierarchy": {"colour": CODES}}, "hierarchy must have only fields with a weight"),
    (
        case_based,
        {"hierarchy": {"code": NO_CODE}},
        r"hierarchy\['code'\] must have values of the awards",
    ),
    (
        case_based,
        {"hierarchy": {"code": CODES.assign(child=[None, "451", "452", "71"])}},
        r"hierarchy\['code'\]\['child'\] must be known; got .* in row 0",
    ),
    (case_based, {"weights": {}}, "weights must be a dict from a field to its weight; got {}"),
    (case_based, {"weights": {"code": 1.5}}, r"weight of 'code' must be a .*\(0, 1\]; got 1.5"),
    (case_based, {"awards": AWARDS.drop(columns="bidder")}, ".*'bidder'"),
    (case_based, {"awards": AWARDS.drop(columns="code")}, ".*'code'"),
    (
        case_based,
        {"awards": AWARDS.assign(bidder=["a", None, "b", "c"])},
        r"awards\['bidder'\] must be known",
    ),
    (case_based, {"awards": AWARDS.assign(bidder=["a", 1, "b", "c"])}, r"awards\['bidder'\] must"),
    (case_based, {"awards": AWARDS.assign(code=[["45"]] * 4)}, r"awards\['code'\] must"),
    *(
        (
            matchmaker,
            {"contracts": NEW.assign(code=[451, 452])},
            r"contracts\['code'\] must have values of the same type",
        )
        for matchmaker in (case_based, rescal)
    ),
    *(
        (matchmaker, {"awards": AWARDS[:0]}, "awards must have at least one row; got none")
        for matchmaker in (case_based, full_text, page_rank, rescal)
    ),
    *((matchmaker, {"k": 0}, "k must be a positive") for matchmaker in (case_based, page_rank)),
    *(
        (matchmaker, {"contracts": None}, "contracts must be a table")
        for matchmaker in (random_bidders, most_awarded, page_rank)
    ),
    *(
        (
            matchmaker,
            {"contracts": pd.DataFrame({"contract": contracts})},
            rf"contracts\['contract'\] must {message}",
        )
        for matchmaker in (random_bidders, most_awarded)
        for contracts, message in (
            ([1, None, 3], "be known; got nan in row 1"),
            ([1, 3, 1], "be there once.*got 1 in row 2"),
        )
    ),
    (page_rank, {"awards": AWARDS.assign(contract=None)}, r"awards\['contract'\] must be known"),
    (rescal, {"awards": AWARDS.assign(contract=None)}, "contract of awards must not be missing"),
    (
        rescal,  # "1" and 1 are the same contract, which must not be in both tables
        {"awards": AWARDS.assign(contract=AWARDS["contract"].astype(str))},
        "contract of awards and of contracts must be ids of one kind",
    ),
    (page_rank, {"awards": AWARDS.drop(columns="contract")}, ".*'contract'"),
    (page_rank, {"features": ["colour"]}, ".*'colour'"),
    (full_text, {"text": "title"}, ".*'title'"),
    (full_text, {"aggregate": "mean"}, "aggregate must be"),
    (
        full_text,
        {"awards": AWARDS.assign(description=5)},
        r"awards\['description'\] must be text; got 5 in row 0",
    ),
    (
        full_text,
        {"awards": AWARDS.assign(description=None)},
        r"awards\['description'\] must have a text",
    ),
    (rescal, {"rank": 1000}, r"rank must be below the number of entities, \d+; got 1000"),
    (rescal, {"rank": 0}, "rank must be a positive integer"),
    (rescal, {"regularization": (3, 3)}, "regularization must be a number of at least 0"),
    (rescal, {"regularization": -1}, "regularization must be a number of at least 0; got -1"),
    (rescal, {"features": []}, "features must name at least one column"),
    (rescal, {"features": ["colour"]}, ".*'colour'"),
    (rescal, {"contracts": AWARDS}, r"contracts\['contract'\] must be other contracts than"),
]


@pytest.mark.parametrize(("matchmaker", "changes", "message"), REFUSED)
def test_matchmakers_refuse(matchmaker, changes, message):
    arguments = {"awards": AWARDS, "contracts": NEW, **OTHER_ARGUMENTS.get(matchmaker, {})}
    with pytest.raises(InputError, match=f"^{message}"):
        matchmaker(**(arguments | changes))


def test_a_huge_ageing_leaves_only_the_latest_award():
    lists = case_based(AWARDS, NEW, WEIGHTS, ageing=1e308)
    assert lists[["contract", "bidder"]].values.tolist() == [[8, "b"]]
