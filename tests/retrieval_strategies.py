"""The retrieval metrics, all their readings, random pairs of rankings, and two retrievers."""

from hypothesis import strategies as st

METRICS = [
    "hits",
    "hits_normalized",
    "mae",
    "mse",
    "quality_stromer",
    "quality_mueller",
    "correctness",
    "completeness",
    "distance",
    "kendall",
    "spearman",
]
READINGS = [(name, {}) for name in METRICS] + [
    ("hits_normalized", {"denominator": "length"}),
    ("mae", {"pairing": "case"}),
    ("mse", {"pairing": "case"}),
    ("quality_stromer", {"count": "misses"}),
    ("completeness", {"pairs": "untied_truth"}),
    ("kendall", {"variant": "b"}),
]


@st.composite
def rankings(draw):
    """Draw two rankings of up to nine cases with many ties. Either may lack cases."""
    n = draw(st.integers(2, 9))
    level = st.integers(0, 4).map(lambda i: i / 4)
    pair = []
    for _ in range(2):
        order = draw(st.permutations(range(n)))
        kept = order[: draw(st.integers(1, n))]
        pair.append({f"c{case}": draw(level) for case in kept})
    return pair


CUTOFFS = st.one_of(st.none(), st.integers(1, 12))


def exact(query, case_base):
    return {case: 1 / (1 + abs(size - query)) for case, size in case_base.items()}


def breaks_on_q2(query, case_base):
    if query > 9:
        raise KeyError("no such index")
    return exact(query, case_base)
