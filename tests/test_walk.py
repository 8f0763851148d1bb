"""How far a number is from the call that asks for it: whoever reads along enters few functions."""

import sys
from pathlib import Path

import pandas as pd
import pytest

import receval
from receval.metrics import ndcg

PACKAGE = Path(receval.__file__).parent
FRAME = pd.DataFrame(
    {"user": [1, 1, 2], "item": [1, 2, 1], "score": [3.0, 2.0, 1.0], "relevance": [1, 0, 1]}
)


def entered(call):
    """The functions of the package that a call enters, each as its file and its name."""
    found = set()

    def note(frame, event, _):
        file = Path(frame.f_code.co_filename)
        if event == "call" and file.is_relative_to(PACKAGE):
            found.add((file, frame.f_code.co_name))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return found


@pytest.mark.parametrize(
    ("call", "functions", "modules"),
    [
        (lambda: ndcg([[3, 2, 0]], [[3, 2, 0]], k=2), 14, 4),
        (lambda: receval.evaluate(FRAME, FRAME, "Precision@2"), 45, 12),
    ],
    ids=["ndcg", "evaluate"],
)
def test_a_number_is_near_the_call_that_asks_for_it(call, functions, modules):
    found = entered(call)
    assert "running" in {name for _, name in found}  # which makes the sum
    assert len(found) <= functions
    assert len({file for file, _ in found}) <= modules
