"""Dask: the same bits on any number of workers and partitions, and when a worker dies."""

import os
import random
import signal
import sys
import time
from contextlib import suppress
from threading import Event, Thread

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.distributed import Client, LocalCluster, get_worker
from scale_data import KILLS, MEASURES, WITH_ITEMS, assert_same, tables
from systems import needs_signals

from receval import InputError, evaluate, load, pooled
from receval.evaluation.large import on_dask


def frames(*own, partitions=4):
    """Dask frames of shuffled rows."""
    return [
        dd.from_pandas(frame.sample(frac=1, random_state=1), npartitions=partitions, sort=False)
        for frame in own
    ]


@pytest.fixture(scope="module")
def cluster():
    """Two workers, each in its own process."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as found:
        yield found


@pytest.mark.parametrize("text", [False, True], ids=["integers", "text"])
@pytest.mark.parametrize("partitions", [1, 2, 7])
def test_any_partitioning_gives_what_memory_gives(text, partitions):
    recs, truth, seen, items = tables(text=text)
    expected = evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)
    own, past = frames(recs, seen, partitions=partitions)
    (theirs,) = frames(truth, partitions=3)
    found = evaluate(own, theirs, WITH_ITEMS, items=items, history=past)
    assert_same(found, expected)
    user = expected.per_user.index[17]
    assert repr(found.explain(user, "MAP")) == repr(expected.explain(user, "MAP"))


def test_partitions_without_rows_do_not_say_what_kind_the_ids_are():
    recs = pd.DataFrame({"item": ["a", "b"], "score": [2.0, 1.0]})
    with dask.config.set(scheduler="synchronous"):
        for user in "abc":  # of eight partitions one holds the user, mostly not the first
            own = recs.assign(user=user)
            found = evaluate(*frames(own, own.assign(relevance=1), partitions=8), "MRR")
            pooled({"Dask": found, "memory": evaluate(own, own.assign(relevance=1), "MRR")})


@pytest.mark.parametrize("threads", [1, 2, 8])
def test_any_number_of_threads(threads):
    recs, truth, _, _ = tables()
    with dask.config.set(scheduler="threads", num_workers=threads):
        found = evaluate(*frames(recs, truth), MEASURES)
    assert_same(found, evaluate(recs, truth, MEASURES))


def test_a_cluster_and_its_files(cluster, tmp_path):
    recs, truth, seen, items = tables(text=True)
    expected = evaluate(recs, truth, WITH_ITEMS, items=items, history=seen)
    for name, frame in {"recs": recs, "truth": truth, "seen": seen}.items():
        frame.to_parquet(tmp_path / f"{name}.parquet", row_group_size=200)
    with Client(cluster) as client:
        found = evaluate(
            tmp_path / "recs.parquet",
            tmp_path / "truth.parquet",
            WITH_ITEMS,
            items=items,
            history=tmp_path / "seen.parquet",
            client=client,
            output=tmp_path / "out.receval",
        )
        assert_same(found, expected)
        assert_same(load(tmp_path / "out.receval"), expected)
        own = frames(recs, truth, seen)
        found = evaluate(*own[:2], WITH_ITEMS, items=items, history=own[2], client=client)
        assert_same(found, expected)
    found = evaluate(*frames(recs, truth), "MRR", output=tmp_path / "out.receval")
    assert_same(found, evaluate(recs, truth, "MRR"))


def test_dask_reads_files_of_other_kinds_beside_its_frames(tmp_path):
    recs, truth, _, _ = tables()
    truth.to_csv(tmp_path / "truth.csv", index=False)
    (recommendations,) = frames(recs)
    output = tmp_path / "out.receval"
    found = evaluate(recommendations, tmp_path / "truth.csv", MEASURES, output=output)
    assert_same(found, evaluate(recs, truth, MEASURES))


def test_one_worker_gives_what_memory_gives():
    recs, truth, _, _ = tables()
    # A cluster of its own: one that is scaled down has two workers for a while.
    options = {"threads_per_worker": 1, "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, **options) as cluster, Client(cluster) as client:
        result = evaluate(*frames(recs, truth), MEASURES, client=client)
        assert len(client.nthreads()) == 1
    assert_same(result, evaluate(recs, truth, MEASURES))


@needs_signals
def test_a_worker_that_is_killed_changes_nothing(cluster, tmp_path, monkeypatch):
    recs, truth, _, _ = tables(text=True)
    victim = tmp_path / "killed"
    measure = on_dask.measure_part

    def deadly(*own):
        """Kill the first worker that calls this, in the middle of its part."""
        found = measure(*own)
        try:
            victim.touch(exist_ok=False)
        except FileExistsError:
            return found
        assert get_worker() is not None
        os.kill(os.getpid(), signal.SIGKILL)
        return found

    monkeypatch.setattr(on_dask, "measure_part", deadly)
    with Client(cluster) as client:
        found = evaluate(
            *frames(recs, truth), MEASURES, client=client, output=tmp_path / "out.receval"
        )
    assert victim.exists()
    monkeypatch.undo()
    assert_same(found, evaluate(recs, truth, MEASURES))


def workers(client):
    """Wait until both workers answer and return their processes. Dask restarts killed workers."""
    for _ in range(10_000):
        with suppress(OSError):
            found = client.run(os.getpid)
            if len(found) == 2:
                return list(found.values())
        time.sleep(0.05)
        client.cluster.scale(2)  # Dask gives up a worker that is killed while it starts
    pytest.fail("a worker was not started anew")


@needs_signals
@pytest.mark.long
def test_workers_killed_at_any_moment_change_nothing(cluster, tmp_path):
    recs, truth, _, _ = tables(text=True)
    expected = evaluate(recs, truth, MEASURES)
    rng = random.Random(12)
    killed, longest = [], 0.5
    with Client(cluster) as client:
        while len(killed) < KILLS:
            ended = Event()

            def kill(delay, victim, ended=ended):
                if not ended.wait(delay):
                    with suppress(ProcessLookupError):  # Dask itself ended it: no kill of ours
                        os.kill(victim, signal.SIGKILL)
                        killed.append(victim)

            delay = rng.uniform(0, longest)
            killer = Thread(target=kill, args=[delay, rng.choice(workers(client))])
            began = time.monotonic()
            killer.start()
            output = tmp_path / f"{len(killed)}.receval"
            found = evaluate(*frames(recs, truth), MEASURES, client=client, output=output)
            ended.set()
            killer.join()
            longest = time.monotonic() - began
            assert_same(found, expected)


def test_several_systems():
    recs, truth, _, _ = tables()
    other = recs.assign(score=-recs["score"])
    expected = evaluate({"A": recs, "B": other}, truth, MEASURES)
    own = frames(recs, other)
    (theirs,) = frames(truth)
    assert_same(evaluate({"A": own[0], "B": own[1]}, theirs, MEASURES), expected)
    both = pd.concat([recs.assign(name="A"), other.assign(name="B")])
    one = dd.from_pandas(both, npartitions=3, sort=False)
    assert_same(evaluate(one, truth, MEASURES, system="name"), expected)


def test_types_of_ids_may_differ_between_tables():
    recs, truth, _, _ = tables()
    (own,) = frames(recs.astype({"user": "int16", "item": "int32"}))
    assert_same(evaluate(own, truth, MEASURES), evaluate(recs, truth, MEASURES))
    recs, truth, _, _ = tables(text=True)
    (own,) = frames(recs.astype({"user": "category", "item": "category"}))
    assert_same(evaluate(own, truth, MEASURES), evaluate(recs, truth, MEASURES))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(lambda f: f.assign(user="u"), "must be ids of one kind", id="kinds"),
        pytest.param(lambda f: f.assign(user=f["user"] + 9_000), "got 0 of", id="disjoint"),
        pytest.param(lambda f: f.assign(score=np.nan), r"in row 0.*rows of partition \d", id="NaN"),
        pytest.param(lambda f: pd.concat([f, f[5:6]]), "once; got user .* twice", id="twice"),
        pytest.param(lambda f: f.drop(columns="score"), "one column 'score'", id="column"),
        pytest.param(lambda f: f.assign(user=f["user"] + 0.5), "must hold ids", id="float ids"),
    ],
)
def test_refuses_what_memory_refuses(change, message):
    recs, truth, _, _ = tables()
    own = dd.from_pandas(change(recs), npartitions=3, sort=False)
    with pytest.raises(InputError, match=message):
        evaluate(own, truth, "MRR")


def test_refuses_what_needs_an_order_of_rows():
    with pytest.raises(InputError, match="ties must not be 'input' on Dask"):
        evaluate(*frames(*tables()[:2]), "MRR", ties="input")


@pytest.mark.parametrize("measure", ["MRR", "ERR@2"])  # ERR needs the largest grade
@pytest.mark.parametrize("truth_is_dask", [False, True])
def test_nobody_judged(measure, truth_is_dask):
    recs, truth, _, _ = tables()
    no_truth = truth[:0]
    if truth_is_dask:
        no_truth = dd.from_pandas(no_truth, npartitions=1)
    with pytest.raises(InputError, match="relevance must hold at least one row"):
        evaluate(dd.from_pandas(recs, npartitions=2), no_truth, measure)


def test_says_what_to_install(monkeypatch):
    own = frames(*tables()[:2])
    monkeypatch.setitem(sys.modules, "dask.dataframe", None)
    with pytest.raises(ImportError, match=r'pip install "receval\[scale\]"'):
        evaluate(*own, "MRR")
