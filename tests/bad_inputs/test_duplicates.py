"""Rows 21 to 25: duplicates."""

import pytest
from bad_inputs.cases import RECS, TRUTH, put_through, table_cases

from receval import InputError, evaluate, hits, metrics


@pytest.mark.parametrize(("case", "form"), table_cases(range(21, 26)))
def test_tables(case, form, tmp_path):
    put_through(case, form, tmp_path)


@pytest.mark.row(21)
def test_a_case_twice_in_a_ranking():
    with pytest.raises(InputError, match="retrieved must hold each case once; got 'a' 2 times"):
        hits({"a": 1.0}, [("a", 0.5), ("b", 0.4), ("a", 0.3)])


@pytest.mark.row(21)
def test_a_fault_is_named_with_its_system():
    with pytest.raises(InputError, match="of system 'B' must hold each item of a user at most"):
        evaluate({"A": RECS, "B": RECS.assign(item=10)}, TRUTH, "MRR")


@pytest.mark.row(23)
def test_ranks_with_ties_elsewhere():
    with pytest.raises(InputError, match=r"group_order must .*; got"):
        metrics.satisfaction([0, 0, 1], [[1, 2, 3]], k=2)


@pytest.mark.row(25)
def test_the_first_place_counts_in_every_order_of_rows():
    recs = RECS.assign(user=1, item=[10, 11, 10], score=[1.0, 2.0, 3.0])
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        found = evaluate(recs.iloc[order], TRUTH, "MRR", duplicates="first")
        assert found.per_user.loc[1, "MRR"] == 1 / 2
        assert found.counts.loc["", "repeated"] == 1


@pytest.mark.row(21)
@pytest.mark.parametrize("item", ["7", "äö", "aX", "12345678", "of any length"])
def test_a_text_id_is_named_as_it_is(item):
    recs = RECS.assign(user="u", item=["a", item, item])
    with pytest.raises(
        InputError, match=f"got user 'u' with item '{item}' twice. duplicates='first'"
    ):
        evaluate(recs, TRUTH.assign(user="u", item=[str(one) for one in TRUTH["item"]]), "MRR")
