"""Choices behind a number: for each row, `evaluate` returns this value under its choices."""

import numpy as np
import pandas as pd
import pytest

from receval import EvaluationWarning, InputError, evaluate, ndcg, which
from receval.definitions import convention
from receval.metrics import clipped_log2

GRADES = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
CLIPPED = ndcg(GRADES, GRADES, k=10, discount=clipped_log2)  # 0.8825
RECS = pd.DataFrame(
    [(1, "a", 3), (1, "b", 2), (1, "c", 2), (2, "b", 1), (2, "d", 0)],
    columns=["user", "item", "score"],
)
TRUTH = pd.DataFrame(
    [(1, "b", 2), (1, "c", 0), (1, "d", 1), (2, "d", 3), (3, "a", 1), (4, "a", 0)],
    columns=["user", "item", "relevance"],
)


def exact(found, changes=""):
    """Return the rows that match the number, all or those of one choice."""
    return found[(found["distance"] == 0) & found["changes"].str.startswith(changes)]


@pytest.mark.parametrize(
    ("printed", "conventions", "change"),
    [
        (0.88, {"satisfaction", "fuzzy"}, "discount: clipped_log2"),
        ("0.92", {"receval", "trec_eval", "ranx", "sklearn"}, None),
        ("0.90", {"ranksys"}, "gain: exponential_gain"),
        ("0.94", {"replay"}, "gain: binary_gain"),
    ],
)
def test_one_list_and_the_four_numbers_that_tools_print_for_it(printed, conventions, change):
    found = which(printed, GRADES, measure="nDCG@10")
    assert conventions <= set(exact(found)["convention"])
    assert change is None or change in set(exact(found)["changes"])
    assert found["distance"].dropna().is_monotonic_increasing


@pytest.mark.filterwarnings("ignore:no convention gives")
@pytest.mark.parametrize("name", ["nDCG@2", "MAP@2", "Precision@3", "Recall", "AUC", "RBP"])
def test_values_are_those_of_evaluate(name):
    found = which("0.5", RECS, TRUTH, name)
    plain = found[found["changes"] == ""].set_index("convention")["value"]
    for rules, value in plain.items():
        own = evaluate(RECS, TRUTH, name, convention=rules).summary.iloc[0, 0]
        np.testing.assert_equal(value, own)
        assert convention(rules).measures == "" or name.split("@")[0] in convention(rules).measures
    changed = found[found["changes"] != ""]
    assert set(changed["convention"]) <= {"receval"}
    assert not (changed["value"] == plain["receval"]).any()
    for rule in ("input", "optimistic", "average"):
        own = evaluate(RECS, TRUTH, name, ties=rule).summary.iloc[0, 0]
        shown = changed["changes"].str.startswith("ties") & (changed["value"] == own)
        assert shown.any() == (own != plain["receval"])
    missing = "missing: judged users without recommendations are left out"
    assert missing in set(changed["changes"]) or name == "AUC"


@pytest.mark.filterwarnings("ignore:no convention gives")
@pytest.mark.parametrize(
    ("printed", "distance"), [("0.88", 0), (0.88, 0), ("0.9", 0), ("0.883", 0.883 - CLIPPED)]
)
def test_the_digits_set_the_precision(printed, distance):
    found = which(printed, GRADES, measure="nDCG@10").set_index("changes")
    assert found.loc["discount: clipped_log2", "distance"] == pytest.approx(distance)
    values = found["value"].round(15)  # equal values are next to each other
    starts = values.ne(values.shift()).groupby(values).sum()
    assert (starts == 1).all()


@pytest.mark.parametrize(
    ("printed", "grades", "relevance", "value"),
    [
        ("0.61", [1, 0], [1, 0, 1, np.nan], ndcg([1, 0], [1, 1])),
        (1, (2, 0), None, 1),
        (1, np.array([2.0, 0]), [2], 1),
    ],
)
def test_relevance_of_one_list_holds_what_it_has_missed(printed, grades, relevance, value):
    first = which(printed, grades, relevance, "nDCG").iloc[0]
    assert first[["convention", "value"]].tolist() == ["receval", value]


@pytest.mark.filterwarnings("ignore:no convention gives")
def test_a_convention_that_refuses_the_tables_has_no_value():
    found = which("0.5", RECS, TRUTH.assign(relevance=[-1, 0, 1, 3, 1, 0]), "Precision@2")
    is_refused = found.set_index("convention")["value"].isna()
    assert is_refused[["lenskit", "trec_eval"]].tolist() == [True, False]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (("0,88", GRADES), {}, r"^value must be a number as it is printed, '0\.88'; got '0,88'$"),
        ((np.nan, GRADES), {}, r"^value must be a number as it is printed, '0\.88'; got nan$"),
        ((0.5, RECS), {}, r"^relevance must be given with tables; got None$"),
        ((0.5, [[1, 0]]), {}, r"^recommendations must be one list of grades; got \[\[1, 0\]\]$"),
        ((0.5, [1, 2, 2], [2, 1]), {}, r"^relevance must hold every .* got none of \[2\.0\]$"),
        ((0.5, [1, -2]), {}, r"^recommendations must be at least 0; got -2\.0"),
        ((0.5, RECS, TRUTH.drop(columns="item")), {}, r"^relevance must have one column 'item'"),
        (
            (0.5, RECS, TRUTH, "MRR"),
            {"ties": "item"},
            r"^options must leave the choices to the search; got \['ti",
        ),
        (({}, GRADES), {}, r"^value must hold a number for at least one measure"),
    ],
)
def test_rejects(arguments, options, message):
    with pytest.raises(InputError, match=message):
        which(*arguments, **options)


@pytest.mark.parametrize(
    ("truth", "name", "options"),
    [
        *(
            (TRUTH.assign(relevance=[2, 1, 5, 4, 4, 1]), name, {"relevant_from": grade})
            for name, grade in (("MRR", 4), ("Recall@2", 2), ("HR@2", 5))
        ),
        *((TRUTH, "MRR", {"users": users}) for users in ("answered", "both", [1, 3])),
    ],
)
def test_you_choose_the_users_and_the_lowest_relevant_grade(truth, name, options):
    value = evaluate(RECS, truth, name, **options).summary.iloc[0, 0]
    found = which(value, RECS, truth, name, **options)
    assert "receval" in exact(found)["convention"].tolist()


def test_one_convention_has_to_fit_all_numbers_of_a_row():
    measures = ["nDCG@2", "Recall@2"]
    row = evaluate(RECS, TRUTH, measures, convention="ranksys").summary.iloc[0]
    numbers = row.map("{:.3f}".format).to_dict()
    found = which(numbers, RECS, TRUTH)
    assert list(found) == ["convention", "changes", *numbers, "distance"]
    assert "ranksys" in exact(found)["convention"].tolist()
    for name, number in numbers.items():
        alone = which(number, RECS, TRUTH, name)
        assert set(exact(found)["convention"]) <= set(exact(alone)["convention"])
    # RankSys has an nDCG of its own, so the value of the default doesn't fit its row.
    default = found[(found["convention"] == "receval") & (found["changes"] == "")]
    other = evaluate(RECS, TRUTH, "nDCG@2").summary.iloc[0, 0]
    assert default["distance"].item() == pytest.approx(abs(other - float(numbers["nDCG@2"])))


@pytest.mark.filterwarnings("ignore:no convention gives")
def test_a_row_with_an_undefined_mean_fits_no_numbers():
    truth = pd.DataFrame({"user": [1], "item": ["a"], "relevance": [1]})
    numbers = {"nDCG@10": "1.00", "MRR": "0.75"}
    found = which(numbers, {1: ["a"]}, truth, relevant_from=5).set_index("convention").loc["elliot"]
    assert found["nDCG@10"] == 1
    assert np.isnan(found["MRR"])
    assert np.isnan(found["distance"])


@pytest.mark.parametrize("numbers", [{"AUC": "0.5"}, {"MRR": "1.00", "AUC": "0.5"}])
def test_if_a_mean_is_undefined_everywhere_nothing_fits(numbers):
    truth = pd.DataFrame({"user": [1], "item": ["a"], "relevance": [1]})
    with pytest.warns(EvaluationWarning, match="no convention gives"):
        found = which(numbers, {1: ["a"]}, truth)
    assert found["distance"].isna().all()


def test_if_nothing_fits_a_warning_says_what_to_suspect():
    with pytest.warns(EvaluationWarning, match=r"no convention gives 0\.123: .*sampled negatives"):
        which("0.123", GRADES, measure="nDCG@10")
