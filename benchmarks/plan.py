"""An estimate of the cost of 10⁹ users with 100 recommendations each, from that of 10⁵ users."""

from __future__ import annotations

from benchmarks import page

USERS, MEASURED = 10**9, 10**5
TIMES = USERS // MEASURED
WORKERS = (10, 100, 1000)
ROWS = 10**7  # recommendations in a file, so that there are 10^4 partitions


def text(found):
    """Return two tables: bytes and processor time, and the time by number of workers."""
    dask, alone = found["10^7-top100-dask-2"], found["10^7-top100"]
    total = [
        ("read from Parquet", dask["read"], _bytes),
        ("shuffled: written to the workers' disks", dask["shuffled"], _bytes),
        ("result file: the users' values", dask["kept"], _bytes),
        ("processor time of all workers", dask["cpu"], _time),
        ("processor time of one process without a cluster, sorted", alone["cpu"], _time),
    ]
    costs = page.table(
        ("", "measured: 10⁵ users", "× 10⁴: 10⁹ users"),
        [(what, show(one), show(one * TIMES)) for what, one, show in total],
    )
    partitions = USERS * 100 // ROWS
    shares = page.table(
        ("one-core workers", *WORKERS),
        [
            ("time, if the work divides evenly", *_each(dask["cpu"], _time)),
            ("read by each", *_each(dask["read"], _bytes)),
            ("shuffled by each, on its disk", *_each(dask["shuffled"], _bytes)),
            ("partitions of 10⁷ rows for each", *(f"{partitions // n:,}" for n in WORKERS)),
        ],
    )
    held = (
        f"A worker used {_bytes(dask['peak'])} at its peak, with partitions of 10⁶ rows. The JSON "
        f"object in the result file takes {_bytes(dask['state'])} for these six measures."
    )
    return f"{costs}\n\n{shares}\n\n{held}"


def _each(one, show):
    return (show(one * TIMES / n) for n in WORKERS)


def _bytes(value):
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e3:.3g} kB"


def _time(seconds):
    for unit, size in (("days", 86_400), ("h", 3_600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.2g} {unit}"
    return f"{seconds:.2g} s"
