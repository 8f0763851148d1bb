"""Tables for the tests of large files, and a check that two results are the same."""

import numpy as np
import pandas as pd
import pytest

from receval import evaluate

MEASURES = ["nDCG@10", "nDCG", "MAP", "MRR@5", "HR@3", "F1@4", "AUC", "PC", "RBP(p=0.5)@3", "ERR@5"]
WITH_ITEMS = [*MEASURES, "CC@5", "CC@2", "LTP@5", "ILD@4", "nov_t@3", "nov_u@3"]
ITEMS = 40


def catalogue(text, rng):
    names = [f"i{i}" for i in range(ITEMS)] if text else list(range(ITEMS))
    return pd.DataFrame(
        {
            "awards": rng.integers(0, 20, ITEMS),
            "novelty_date": pd.Timestamp("2026-01-01")
            - pd.to_timedelta(rng.integers(0, 90, ITEMS), "D"),
            "length": rng.random(ITEMS),
            "width": rng.random(ITEMS),
        },
        index=names,
    )


def tables(*, text=False, users=250, seed=0):
    """Recommendations with tied scores, relevance, history and a catalogue.

    Some users are only in one table, some have no relevant item, and one has far more rows.
    """
    rng = np.random.default_rng(seed)
    recs, truth, seen = [], [], []
    for user in range(users):
        longest = ITEMS if user == users // 3 else 12
        if rng.random() < 0.9:
            items = rng.permutation(ITEMS)[: rng.integers(longest // 2, longest)]
            recs += [(user, item, rng.integers(0, 8) / 7) for item in items]
        if rng.random() < 0.9:
            items = rng.permutation(ITEMS)[: rng.integers(1, longest)]
            truth += [
                (user, item, grade)
                for item, grade in zip(items, rng.integers(0, 4, items.size), strict=True)
            ]
        if rng.random() < 0.4:
            seen += [(user, item) for item in rng.permutation(ITEMS)[:6]]
    found = (
        pd.DataFrame(recs, columns=["user", "item", "score"]),
        pd.DataFrame(truth, columns=["user", "item", "relevance"]),
        pd.DataFrame(seen, columns=["user", "item"]),
    )
    for frame in found if text else ():
        # not padded: their order as text is not that of the numbers
        frame["user"] = "u" + frame["user"].astype(str)
        frame["item"] = "i" + frame["item"].astype(str)
    return (*found, catalogue(text, rng))


def evaluate_in_parts(*tables, part_rows=500, **options):
    """Evaluate Parquet files in parts, although they are small."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("receval.evaluation.parts.STREAM_ROWS", 0)
        patch.setattr("receval.evaluation.parts.PART_ROWS", part_rows)
        patch.setattr("receval.tables.reading.BATCH_ROWS", 128)
        return evaluate(*tables, progress=False, **options)


def assert_same(found, expected):
    """Check that all numbers are the same, bit for bit."""
    exact = {"check_exact": True}
    pd.testing.assert_frame_equal(found.per_user, expected.per_user, **exact)
    pd.testing.assert_frame_equal(found.summary, expected.summary, **exact)
    pd.testing.assert_frame_equal(found.counts, expected.counts, **exact)
    pd.testing.assert_frame_equal(found.ties(), expected.ties(), **exact)
    assert found.notes() == expected.notes()
