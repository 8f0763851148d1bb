"""Random ranked lists for the property tests."""

import numpy as np
from hypothesis import strategies as st

GRADES = st.integers(0, 4)


@st.composite
def judged_list(draw, max_length=8):
    """Draw the grades of a list by rank, and the grades of all relevant items."""
    gains = draw(st.lists(GRADES, min_size=1, max_size=max_length))
    missed = draw(st.lists(st.integers(1, 4), max_size=4))
    relevance = draw(st.permutations([g for g in gains if g > 0] + missed))
    return np.array(gains, float), np.array(relevance, float)


def cutoffs(largest=10):
    return st.one_of(st.none(), st.integers(1, largest))
