"""Rows 67 and 68: many users and items without a matrix of them, one user with very many items."""

import time
import timeit
import tracemalloc

import numpy as np
import pandas as pd
import pytest

from receval import evaluate

MEASURES = ["nDCG@10", "MAP@10", "MRR@10", "Recall@10", "CC@10"]


@pytest.mark.row(67)
def test_the_memory_in_use_is_a_block_and_not_users_times_items():
    catalogue = pd.DataFrame(index=np.arange(10**6))
    rng = np.random.default_rng(0)
    first_item = rng.integers(0, 10**6 - 10, 10**5)
    lists = {"user": np.repeat(np.arange(10**5), 10), "score": rng.random(10**6)}
    recs = pd.DataFrame(lists | {"item": np.add.outer(first_item, np.arange(10)).ravel()})
    truth = recs[["user", "item"]].iloc[::5].assign(relevance=1)
    evaluate(*(frame.head(1000) for frame in (recs, truth)), MEASURES, items=catalogue)
    tracemalloc.start()
    evaluate(recs, truth, MEASURES, items=catalogue)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A byte for each pair of user and item would be 100 GB; the tables are 28 MB.
    assert peak < 10 * (recs.memory_usage().sum() + truth.memory_usage().sum())


@pytest.mark.row(68)
def test_one_user_with_very_many_items_takes_processor_time_in_proportion():
    def seconds(n):
        recs = pd.DataFrame({"user": 1, "item": np.arange(n), "score": np.arange(n) * 7919 % n})
        truth = pd.DataFrame({"user": 1, "item": np.arange(0, n, 3), "relevance": 1})
        measures = ["nDCG", "MAP", "AUC", "Recall@10", "MRR"]
        times = timeit.repeat(
            lambda: evaluate(recs, truth, measures), timer=time.process_time, number=1, repeat=2
        )
        return min(times)

    small, large = seconds(10**5), seconds(5 * 10**5)
    assert large < 15 * small + 1  # five times the items; a square would be 25 times
