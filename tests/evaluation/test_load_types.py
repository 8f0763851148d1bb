"""What type checkers know of a loaded result."""

from typing import get_overloads, get_type_hints

import receval
from receval.evaluation.base import Result
from receval.evaluation.loading import load

RECOMMENDATIONS = {
    "user": ["ann", "ann", "bob", "bob"],
    "item": ["x", "y", "z", "y"],
    "score": [2.0, 1.0, 2.0, 1.0],
}
RELEVANT = {"user": ["ann", "bob"], "item": ["x", "y"], "relevance": [1, 1]}


def test_load_with_tables_is_declared_as_an_evaluation_and_is_one(tmp_path):
    declared = [overload.__annotations__["return"] for overload in get_overloads(load)]
    assert declared == ["Result", "Evaluation", "Result"]
    receval.evaluate(RECOMMENDATIONS, RELEVANT, "MRR").save(tmp_path / "mine.receval")
    loaded = receval.load(
        tmp_path / "mine.receval", recommendations=RECOMMENDATIONS, relevance=RELEVANT
    )
    assert type(loaded) is receval.evaluation.Evaluation
    assert loaded.explain("bob", "MRR").value == 0.5


def test_every_kind_of_result_explains_a_value():
    assert get_type_hints(Result.explain)["return"] is receval.evaluation.report.Explanation
    kinds = Result.kinds.values()
    assert len(kinds) >= 3
    assert [kind.__name__ for kind in kinds if kind.explain is Result.explain] == []
