"""Data that do not fit into memory: Parquet files of up to 10⁸ rows, and Dask frames of 10⁷ rows.

    python -m benchmarks.streamed                       # what ``make bench`` does: docs/scale.md
    python -m benchmarks.streamed --cases 10^6,10^7     # some cases; prints, but does not write

Each evaluation runs in a new process, with the six measures at 10. Its means must equal
those of the NumPy pass without checks, which runs on each file when it is written.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tqdm import tqdm

from benchmarks import data, page
from benchmarks.expected import faults
from benchmarks.tools import names

ROOT = Path(__file__).parents[1]
WORK = ROOT / "build" / "benchmarks" / "streamed"
FILE_ROWS = 1_000_000  # recommendations in a file
ITEMS = 1_000_000  # in the catalogue, whatever the number of rows
KEPT = 10_000_000  # rows of files that are kept for the next run
LARGEST = 1e9  # bytes at the peak that 10⁸ rows may take
MB = 1e6


@dataclass(frozen=True)
class Case:
    """The number of recommendations, how many each user has, and their order."""

    name: str
    rows: int
    k: int = 10
    shuffled: bool = False
    workers: int = 0

    @property
    def files(self):
        """The name of the folder with the files."""
        return f"{self.rows}-top{self.k}{'-shuffled' if self.shuffled else ''}"


CASES = {
    case.name: case
    for case in (
        Case("10^6", 10**6),
        Case("10^7", 10**7),
        Case("10^8", 10**8),
        Case("10^7-shuffled", 10**7, shuffled=True),
        Case("10^7-top100", 10**7, k=100),
        Case("10^7-dask-1", 10**7, workers=1),
        Case("10^7-dask-2", 10**7, workers=2),
        Case("10^7-top100-dask-2", 10**7, k=100, workers=2),
    )
}


# Writing the files -----------------------------------------------------------------------------


def write(case):
    """Write the files of a case and its expected means, unless they exist already."""
    folder = WORK / case.files
    if (folder / "expected.json").exists():
        return
    shutil.rmtree(folder, ignore_errors=True)
    for name in data.TABLES:
        (folder / name).mkdir(parents=True)
    sorted_case = Case("", case.rows, case.k)
    if case.shuffled:
        write(sorted_case)
        for name in data.TABLES:
            _shuffle(WORK / sorted_case.files / name, folder / name)
        shutil.copy(WORK / sorted_case.files / "expected.json", folder)
    else:
        _generate(case, folder)


def _generate(case, folder):
    """Write users in ascending order, a million rows at a time, each with its own seed."""
    from benchmarks.tools import numpy_blocks

    answered = FILE_ROWS // case.k
    users = answered * data.SILENT // (data.SILENT - 1)
    items = data.prime_below(ITEMS)
    sums, judged = np.zeros(len(names(10))), 0
    for number in tqdm(range(case.rows // FILE_ROWS), desc=f"write {case.files}"):
        found = data.rows_of(
            np.arange(number * users, (number + 1) * users),
            items,
            case.k,
            np.random.default_rng([0, number]),
        )
        tables = {
            one: {name: found[f"{one}.{name}"] for name in columns}
            for one, columns in {
                "recs": ("user", "item", "score"),
                "truth": ("user", "item", "relevance"),
            }.items()
        }
        for one, columns in tables.items():
            _save(columns, folder / one / f"{number:03d}.parquet")
        top = found["recs.rank"] <= 10
        frames = data.frames(
            data.Case("XS"),
            {
                name: (values if name.startswith("truth") else values[top])
                - (number * users if name.endswith("user") else 0)
                for name, values in found.items()
            },
        )
        per_user, _ = numpy_blocks.run(*frames, 10)
        sums += per_user.sum().to_numpy()
        judged += len(per_user)
    means = dict(zip(names(10), (sums / judged).tolist(), strict=True))
    expected = json.dumps({"means": means, "users": judged})
    (folder / "expected.json").write_text(expected, encoding="utf-8")


def _save(columns, path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path, row_group_size=FILE_ROWS // 4)


def _shuffle(source, target):
    """Write all rows of a table in random order, into files of the same size."""
    import pyarrow.parquet as pq

    whole = pq.read_table(source)
    order = np.random.default_rng(1).permutation(whole.num_rows)
    for number, low in enumerate(range(0, whole.num_rows, FILE_ROWS)):
        rows = whole.take(order[low : low + FILE_ROWS])
        pq.write_table(rows, target / f"{number:03d}.parquet", row_group_size=FILE_ROWS // 4)


# Measuring -------------------------------------------------------------------------------------


def measure(case):
    """Run one evaluation; return its seconds, bytes, memory, and the values to compare."""
    from receval import evaluate
    from receval.evaluation import parts

    parts.STREAM_ROWS = 0  # small files are read in parts, too
    tables = [WORK / case.files / name for name in data.TABLES]
    start, worked = time.perf_counter(), time.process_time()
    found = evaluate(*tables, names(10), progress=False)
    return {
        "seconds": time.perf_counter() - start,
        "cpu": time.process_time() - worked,
        "peak": _status("VmHWM"),
        **_answer(found, tables),
    }


def measure_on_dask(case):
    """Run one evaluation on Dask workers with a thread each; memory and bytes are theirs."""
    import dask.dataframe as dd
    from dask.distributed import Client, LocalCluster

    from receval import evaluate

    tables = [WORK / case.files / name for name in data.TABLES]
    options = {
        "dashboard_address": "127.0.0.1:0",
        "local_directory": WORK / "dask",
        "silence_logs": logging.ERROR,
    }
    with (
        LocalCluster(n_workers=case.workers, threads_per_worker=1, **options) as cluster,
        Client(cluster) as client,
    ):
        client.run(_import)
        start, worked, written = time.perf_counter(), *_of_workers(client)
        found = evaluate(*map(dd.read_parquet, tables), names(10))
        seconds = time.perf_counter() - start
        cpu, bytes_ = (
            now - then for now, then in zip(_of_workers(client), (worked, written), strict=True)
        )
        peaks = client.run(_status, "VmHWM").values()
    answer = _answer(found, tables)
    shutil.rmtree(WORK / "dask", ignore_errors=True)
    return {
        "seconds": seconds,
        "cpu": cpu,
        "peak": max(peaks),
        "shuffled": bytes_,
        **answer,
    }


def _of_workers(client):
    """Return the processor seconds of all workers, and the bytes that they wrote or sent."""
    return sum(client.run(time.process_time).values()), sum(client.run(_written).values())


def _answer(found, tables):
    output = WORK / "output.receval"
    found.save(output)
    return {
        "means": found.summary.loc[""].to_dict(),
        "users": int(found.counts["judged"].iloc[0]),
        "truth": sum(_rows(path) for path in tables[1].iterdir()),
        "read": sum(map(_size, tables)),
        "kept": output.stat().st_size,
    }


def _rows(path):
    import pyarrow.parquet as pq

    return pq.ParquetFile(path).metadata.num_rows


def _size(folder):
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _import():
    import pyarrow.parquet  # noqa: F401

    import receval.evaluation  # noqa: F401


def _status(what):
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def _written():
    lines = Path("/proc/self/io").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("wchar:"))


# The run ---------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default=",".join(CASES), help=f"of {','.join(CASES)}")
    parser.add_argument("--again", action="store_true", help="the page, from the last whole run")
    parser.add_argument("--one", choices=CASES, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        case = CASES[asked.one]
        return print(json.dumps((measure_on_dask if case.workers else measure)(case)))
    results = WORK / "results.json"
    if asked.again:
        return _put(json.loads(results.read_text(encoding="utf-8")))
    found, wrong = {}, []
    for name in asked.cases.split(","):
        found[name] = _evaluated(CASES[name], wrong)
        print(f"{name}: {found[name]['seconds']:.1f} s", flush=True)
    print(_files(found), *wrong, sep="\n")
    if set(found) == set(CASES) and not wrong:
        results.write_text(json.dumps(found, indent=1), encoding="utf-8")
        _put(found)
    return int(bool(wrong))


def _evaluated(case, wrong):
    """Measure a case, and add wrong results to ``wrong``."""
    write(case)
    one = _ask(case)
    expected = json.loads((WORK / case.files / "expected.json").read_text(encoding="utf-8"))
    wrong += [f"{case.name}: {what}" for what in faults(one, expected)]
    (WORK / "output.receval").unlink()
    if case.rows > KEPT:
        shutil.rmtree(WORK / case.files)
        if one["peak"] > LARGEST:
            wrong.append(f"{case.name}: {one['peak'] / MB:.0f} MB at the peak")
    return one


def _put(found):
    """Write the measurements into ``docs/scale.md``."""
    where = f"Python {platform.python_version()}, {os.cpu_count()} cores."
    page.put("measured", f"{where}\n\n{_files(found)}")


def _files(found):
    return page.table(HEAD, [_row(CASES[name], one) for name, one in found.items()])


def _ask(case):
    command = [sys.executable, "-m", "benchmarks.streamed", "--one", case.name]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout.splitlines()[-1])


HEAD = (
    *("recommendations", "per user", "rows are", "where", "s", "CPU, s", "ns per row", "peak, MB"),
    *("read, MB", "shuffled, MB", "kept, MB"),
)


def _row(case, one):
    def mb(what):
        return f"{one[what] / MB:,.0f}" if what in one else "–"

    return (
        f"10{str(len(str(case.rows)) - 1).translate(data.RAISED)}",
        case.k,
        "shuffled" if case.shuffled else "sorted by user",
        f"Dask, {case.workers} worker{'s' * (case.workers > 1)}" if case.workers else "one process",
        f"{one['seconds']:.1f}",
        f"{one['cpu']:.1f}",
        f"{one['seconds'] / case.rows * 1e9:.0f}",
        mb("peak"),
        mb("read"),
        mb("shuffled"),
        mb("kept"),
    )


if __name__ == "__main__":
    sys.exit(main())
