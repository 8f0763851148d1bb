"""Measure one tool on one case in this process, and print JSON.

Run by ``benchmarks.run`` as ``python -m benchmarks.measure TOOL CASE FOLDER [--cold]``.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import sys
import time
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from benchmarks import data
from benchmarks.tools import TOOLS

REPEATED, REPEATS = 2.0, 3  # calls faster than so many seconds are timed so many times
WARM_UP = 100  # users in a first, untimed call, which imports and compiles


def measure(name, case, folder, *, cold=False):
    """Return the seconds, the bytes in addition to the input, and the means of a tool on a case."""
    start = time.perf_counter()
    tool = import_module(f"benchmarks.tools.{name}")
    imported = time.perf_counter() - start
    prepare = getattr(tool, "prepare", lambda *tables: tables)
    if not cold:
        tool.run(*prepare(*data.read(case, folder, users=WARM_UP)), case.k)
    tables = prepare(*data.read(case, folder))

    before = settled_memory()
    seconds, result = _timed(tool.run, *tables, case.k)
    extra = peak_beyond(before)
    times = [seconds]
    found = answer(*result) | {
        "import": imported,
        "first": seconds,
        "extra": extra,
        "returned": int(_size(result[0])),
        "versions": {one: version(one) for one in TOOLS[name].packages},
    }
    while seconds < REPEATED and len(times) < REPEATS and not cold:
        del result
        seconds, result = _timed(tool.run, *tables, case.k)
        times.append(seconds)
    return found | {"seconds": sorted(times)[len(times) // 2]}


def answer(per_user, means):
    """Return the part of a tool's result that is compared with receval's."""
    means = {name: float(value) for name, value in means.items()}
    return {"users": len(per_user), "means": means}


def _timed(work, *arguments):
    gc.collect()
    start = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - start, result


def settled_memory():
    """Return freed memory to the system, reset the kernel's peak, and return the bytes in use."""
    gc.collect()
    if "pyarrow" in sys.modules:
        sys.modules["pyarrow"].default_memory_pool().release_unused()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    except OSError:
        return float("nan")
    return status("VmRSS")


def peak_beyond(before):
    """Return the bytes at the peak minus ``before``, which is the result of `settled_memory`.

    The kernel adds up the pages of threads only now and then, so a very small peak can seem to be
    some pages below zero.
    """
    return max(status("VmHWM") - before, 0)


def status(what):
    """Return the kernel's count of this process's bytes: VmRSS is now, VmHWM is the peak."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return float("nan")
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(what))


def _size(table):
    if hasattr(table, "estimated_size"):
        return table.estimated_size()
    return table.memory_usage(index=True, deep=True).sum()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tool")
    parser.add_argument("case", type=data.Case.named)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cold", action="store_true", help="no warm-up")
    asked = parser.parse_args()
    print(json.dumps(measure(asked.tool, asked.case, asked.folder, cold=asked.cold)))
