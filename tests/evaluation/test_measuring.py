"""Blocks in several threads and measures together give the same values as separate calls."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal
from scale_data import tables

from receval import InputError, _threads, conventions, evaluate, measures
from receval._threads import map_in_threads, progress_bar
from receval.definitions import lists
from receval.definitions.convention import CONVENTIONS

MEASURES = ["nDCG@3", "MAP", "MRR@2", "F1@3", "R-Precision", "AUC", "CC@2", "LTP@3", "PC"]


@pytest.fixture(autouse=True)
def _four_threads(monkeypatch):
    monkeypatch.setattr(_threads, "THREADS", 4)
    monkeypatch.setattr(_threads.os, "cpu_count", lambda: 4)


def test_few_parts_stay_in_this_thread():
    here = threading.get_ident()
    assert list(map_in_threads(lambda _: threading.get_ident(), range(3))) == [here] * 3


def test_answers_come_in_the_order_of_the_parts():
    together, last = threading.Barrier(4), threading.Event()

    def work(part):
        if part < 4:
            together.wait(60)  # four threads, or the barrier breaks
        if part == 0:
            assert last.wait(60)
        if part == 19:
            last.set()
        return part

    assert list(map_in_threads(work, range(20))) == list(range(20))


def test_the_first_refusal_is_raised_and_what_waits_is_left(monkeypatch):
    begun, second, ended = [], threading.Event(), threading.Event()
    shutdown = ThreadPoolExecutor.shutdown

    def work(part):
        begun.append(part)
        if part == 2:
            second.set()
            raise InputError("part 2")
        if part == 1:
            second.wait(60)
            raise InputError("part 1")
        if part >= 4:
            ended.wait(60) or ended.set()  # the limit is for a pool that never ends

    def shut(self, *arguments, **options):
        ended.set()
        return shutdown(self, *arguments, **options)

    monkeypatch.setattr(ThreadPoolExecutor, "shutdown", shut)
    with pytest.raises(InputError, match="part 1"):
        list(map_in_threads(work, range(1000)))
    assert len(begun) <= 8  # four, and what each of the threads began meanwhile


def two_tables(**options):
    """Return recommendations with ties and a relevance with grades in thirds."""
    recs, truth, _, _ = tables(users=150, **options)
    return recs, truth.assign(relevance=truth["relevance"] / 3)


@pytest.mark.parametrize("text", [False, True])
@pytest.mark.parametrize("ties", ["item", "average"])
def test_no_bit_depends_on_threads_or_blocks(monkeypatch, text, ties):
    recs, truth = two_tables(text=text)
    how = {"items": tables(text=text)[-1], "ties": ties}
    whole = evaluate(recs, truth, MEASURES, **how)
    monkeypatch.setattr(lists, "MAX_PADDING", 1)
    for rows in (1, 64, 1000):
        monkeypatch.setattr(lists, "BLOCK_ROWS", rows)
        found = evaluate(recs, truth, MEASURES, **how)
        assert_frame_equal(found.per_user, whole.per_user, check_exact=True)
        assert_frame_equal(found.summary, whole.summary, check_exact=True)
        assert_frame_equal(found.counts, whole.counts)


def test_duplicates_are_named_as_from_one_thread(monkeypatch):
    monkeypatch.setattr(lists, "BLOCK_ROWS", 8)
    users = np.repeat(np.arange(100), 2)
    recs = pd.DataFrame({"user": users, "item": np.where(users > 60, 1, np.tile([1, 2], 100))})
    recs["score"] = np.tile([2.0, 1.0], 100)
    truth = pd.DataFrame({"user": np.arange(100), "item": 1, "relevance": 1})
    with pytest.raises(InputError, match="got user 61 with item 1 twice"):
        evaluate(recs, truth, "MRR")


@pytest.mark.parametrize("cuts", [("@1", "@3", "@2", "@30", ""), ("@9", "@2", "")], ids=str)
@pytest.mark.parametrize("convention", conventions().index)
def test_no_bit_depends_on_what_else_is_asked(convention, cuts):
    """All lists but one have less than 30 items, and some have less than 9."""
    recs, truth = two_tables()
    recs["score"] = np.random.default_rng(5).integers(0, 20, len(recs))
    table = measures()
    refused = dict(CONVENTIONS[convention].refused)
    keys = table.index[table["needs"] == ""].difference(list(refused))
    whole = {"R-Precision", "AUC", "PC", "bpref"}
    names = [key + cut for cut in cuts for key in keys if not cut or key not in whole]
    together = evaluate(recs, truth, names, convention=convention).per_user
    # Together, the conventions try each name. Trying all of them under each takes a minute.
    for name in names[conventions().index.get_loc(convention) % 4 :: 4]:
        alone = evaluate(recs, truth, name, convention=convention).per_user
        assert_frame_equal(together[[name]], alone, check_exact=True)


@pytest.mark.parametrize("progress", [None, True])
@pytest.mark.parametrize("shown_by_default", [None, True])
def test_a_program_without_standard_error_shows_no_progress_bar(
    progress, shown_by_default, monkeypatch
):
    monkeypatch.setattr("sys.stderr", None)  # as under pythonw
    bar = progress_bar(progress, [1, 2], shown_by_default=shown_by_default)
    assert list(bar) == [1, 2]
    assert bar.disable


@pytest.mark.parametrize("factor", [1.0, 1e160, 1e-170, 5e-324])
@pytest.mark.filterwarnings("error")
def test_diversity_does_not_depend_on_the_unit_of_the_features(factor):
    """Squares of the larger features overflow, and those of the smaller ones vanish."""
    recs = pd.DataFrame({"user": 1, "item": [1, 2, 3], "score": [3.0, 2.0, 1.0]})
    truth = pd.DataFrame({"user": 1, "item": [1], "relevance": 1})
    features = pd.DataFrame({"f": [1.0, 1.0, 0.0], "g": [0.0, 1.0, 3.0]}, index=[1, 2, 3])
    value = evaluate(recs, truth, "ILD@3", items=features * factor).summary.loc["", "ILD@3"]
    # Items 1 and 2 as well as 2 and 3 are at an angle of 45 degrees, items 1 and 3 of 90.
    assert value == pytest.approx((2 * (1 - 0.5**0.5) + 1) / 3, rel=1e-12)


@pytest.mark.parametrize("convention", ["receval", "trec_eval", "ir_measures", "fuzzy"])
def test_ties_of_cut_lists_are_those_of_whole_lists(convention, monkeypatch):
    monkeypatch.setattr(lists, "BLOCK_ROWS", 200)
    recs, truth, _, _ = tables()
    names = ["nDCG@5", "MAP@5", "MRR@5", "Precision@3", "Recall@5", "HR@1"]
    cut = evaluate(recs, truth, names, convention=convention)
    # Without a cut-off, receval also looks at the ranks below the cut-offs of the others.
    whole = evaluate(recs, truth, [*names, "MRR"], convention=convention)
    assert_frame_equal(cut.ties(), whole.ties().drop(index="MRR"), check_exact=True)
    assert (cut.ties()["users"] > 0).any()
