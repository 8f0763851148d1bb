"""Calls that crash or never end do not affect the runner."""

from itertools import count

import numpy as np
import pytest
from fuzzing import aside
from fuzzing.aside import value_or_input_error
from systems import needs_limits

from receval import evaluate


@needs_limits
def test_a_call_that_never_ends_or_asks_for_all_memory_fails_and_the_next_one_is_made(monkeypatch):
    monkeypatch.setattr(aside, "SECONDS", 1)
    with pytest.raises(AssertionError, match="1 seconds of processor time"):
        value_or_input_error(max, count())
    with pytest.raises(MemoryError):
        value_or_input_error(np.zeros, 1 << 40)


def test_a_refusal_is_told_by_none_and_another_error_is_raised():
    assert value_or_input_error(evaluate, {}, {}, "MRR") is None
    with pytest.raises(ValueError, match="invalid literal"):
        value_or_input_error(int, "x")
