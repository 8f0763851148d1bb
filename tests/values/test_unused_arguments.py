"""If an argument would be ignored, because it needs another one, receval refuses it."""

import pandas as pd
import pytest

import receval
from receval import InputError, evaluate
from receval.fuzzy.recommend import aggregate_history
from receval.ledger import agrees
from receval.metrics.group import aggregate
from receval.metrics.ranking import precision

LISTS = {"ann": ["x", "y"], "ben": ["y", "z"]}
RELEVANT = {"ann": {"y"}, "ben": {"y"}}
RANKED = pd.DataFrame({"user": ["ann", "ann", "ben"], "item": ["x", "y", "y"], "rank": [1, 2, 1]})
SCORED = RANKED.assign(score=[0.9, 0.5, 0.7])
TRUTH = pd.DataFrame({"user": ["ann", "ben"], "item": ["y", "y"], "relevance": [1, 1]})
SIMILARITY = [[0.0, 1.0], [0.5, 0.5]]
RATINGS = pd.DataFrame(
    {"group": 1, "member": ["a", "a", "b", "b"], "item": list("xyxy"), "rating": [5, 3, 1, 4]}
)
TRUST = pd.DataFrame({"member": ["a"], "trusted": ["b"]})
SIZES = {"a": 4, "b": 7, "c": 5}


def nearest(query, cases):
    return {case: 1 / (1 + abs(size - query)) for case, size in cases.items()}


def retrieve(**options):
    truth = {"q": nearest(6, SIZES)}
    return receval.evaluate_retrievers({"x": nearest}, {"q": 6}, SIZES, truth=truth, **options)


def lists(**options):
    return evaluate(LISTS, RELEVANT, "MRR", **options)


UNUSED = {
    "n_relevant, of another denominator": lambda: precision([1, 0], n_relevant=5),
    "n_relevant, of those retrieved": lambda: precision(
        [1, 0], denominator="retrieved", n_relevant=5
    ),
    "ties, of the average": lambda: aggregate([[1, 2]], ties="lowest"),
    "threshold, of the average": lambda: aggregate([[1, 2]], threshold=1),
    "trust, of the average": lambda: aggregate([[1, 2]], trust=[[0]]),
    "trust, without a strategy that asks": lambda: receval.evaluate_groups(
        RATINGS, ["average"], k=1, trust=TRUST
    ),
    "divide_by, of the largest": lambda: aggregate_history(SIMILARITY, "max", divide_by="weights"),
    "days, of the mean": lambda: aggregate_history(SIMILARITY, "mean", days=[1, 2]),
    "input_digits, of an exact figure": lambda: agrees(1.0, "1.0", kind="exact", input_digits=1),
    "k, all cut": lambda: retrieve(measures=["hits@1", "mae@2"], k=2),
    "score, beside rank": lambda: evaluate(SCORED, TRUTH, "MRR", rank="rank", score="points"),
    "ties, beside rank": lambda: evaluate(RANKED, TRUTH, "MRR", rank="rank", ties="text"),
    "ties, beside lists": lambda: lists(ties="text"),
    "relevance_column, beside grades": lambda: evaluate(
        LISTS, {"ann": {"x": 0, "y": 2}}, "MRR", relevance_column=None
    ),
    "history, of seen=": lambda: lists(seen="drop"),
}


@pytest.mark.parametrize("case", UNUSED)
def test_an_argument_that_nothing_uses_is_refused_by_its_name(case):
    with pytest.raises(InputError) as refused:
        UNUSED[case]()
    assert str(refused.value).startswith(f"{case.partition(',')[0]} must ")


@pytest.mark.parametrize(
    "used",
    [
        lambda: precision([1, 0], denominator="reachable", n_relevant=1),
        lambda: retrieve(measures=["hits@1", "mae"], k=2),
        lambda: lists(relevance_column=None),
        lambda: evaluate(SCORED, TRUTH, "AUC", ties="text"),
    ],
)
def test_the_same_arguments_are_taken_where_they_count(used):
    assert used() is not None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: precision([1, 0], n_relevant=-1), "n_relevant must "),
        (lambda: precision([-1, 0], n_relevant=1), "gains must be at least 0"),
        (lambda: retrieve(measures=["hits@1"], k=-1), "k must be a positive integer"),
        (
            lambda: evaluate({"A": LISTS, "B": LISTS}, RELEVANT, "MRR").compare(correction=pd.NA),
            "correction must be one of",
        ),
        (lambda: lists(score=pd.NA), "score must be the name of a column"),
        (lambda: lists(user=pd.NA), "user must be the name of a column"),
        (lambda: lists(system=pd.NA), "system must be the name of a column"),
    ],
)
def test_a_wrong_value_is_reported_before_its_lack_of_use(call, message):
    with pytest.raises(InputError, match=f"^{message}(?!.*left out)"):
        call()
