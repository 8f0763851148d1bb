"""Rows 10 to 20: ids of another kind, missing, at the ends of their types, or no ids at all."""

import pandas as pd
import pytest
from bad_inputs.cases import RECS, TRUTH, grades, ids, put_through, table_cases

from receval import InputError, datasets, evaluate, hits, splitting


@pytest.mark.parametrize(("case", "form"), table_cases(range(10, 21)))
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)


@pytest.mark.row(10)
@pytest.mark.parametrize(
    "call",
    [
        lambda train, test: splitting.leakage(train, test),
        lambda train, test: splitting.warm_users(train, test),
        lambda train, test: datasets.clean_links(train, test),
        lambda train, test: hits(dict.fromkeys(train["item"], 1), dict.fromkeys(test["item"], 1)),
    ],
    ids=["leakage", "warm_users", "clean_links", "rankings"],
)
def test_integers_beside_text_elsewhere(call):
    with pytest.raises(InputError, match=r"ids (of|by ids of) one (kind|type)|of one type"):
        call(RECS, RECS.astype({"user": str, "item": str}))


@pytest.mark.row(14)
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NaT, pd.NA], ids=repr)
def test_a_missing_id_in_a_ranking_or_a_split(missing):
    with pytest.raises(InputError, match="must have an id for every case; got none at place"):
        hits({"a": 1.0}, [("a", 0.5), (missing, 0.4)])
    with pytest.raises(InputError, match=r"must not be missing; got .* in row 1"):
        splitting.hold_out_per_user(["a", missing, "b"])


@pytest.mark.row(17)
def test_ids_at_the_ends_of_their_types_in_a_split():
    users = [2**63 - 1, -(2**63), 2**63 - 1, -(2**63)]
    train, test = next(iter(splitting.leave_last_out(users, [1, 2, 3, 4])))
    assert (train.tolist(), test.tolist()) == ([0, 1], [2, 3])


@pytest.mark.row(20)
@pytest.mark.parametrize("one", [True, (1,), b"a", 1.5], ids=repr)
def test_splits_refuse_values_that_cannot_be_ids(one):
    with pytest.raises(InputError, match="must hold ids, all integers or all text"):
        splitting.hold_out_per_user([one, one])


@pytest.mark.row(15)
def test_text_is_sorted_by_code_point_and_not_by_language():
    listed = ids("u", ["é", "z", "Z", "e\u0301"], [1.0] * 4)
    found = evaluate(listed, grades("u", ["é"]), "MRR")
    assert found.summary.loc["", "MRR"] == 1 / 4


@pytest.mark.row(12)
def test_strangers_of_one_system_among_several():
    with pytest.raises(InputError, match="system 'B' must have users that are judged"):
        evaluate({"A": RECS, "B": RECS.assign(user=[8, 8, 9])}, TRUTH, "MRR")
