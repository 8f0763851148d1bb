"""On-line measures of ten million impressions, and the attribution of a million visits.

Run it with ``python -m benchmarks.online``, but not on Windows. It prints seconds, peak memory, and
the time divided by that of pandas for counting the clicks of each system and position.
"""

from __future__ import annotations

import resource  # Windows doesn't have it
import time

import numpy as np
import pandas as pd

from receval.fuzzy.online import attribute_visits, online_measures

ROWS, PLACES, SYSTEMS, USERS, ITEMS = 10_000_000, 20, 12, 100_000, 3_000


def log() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n_sessions = ROWS // PLACES
    user = rng.integers(USERS, size=n_sessions)
    session = np.arange(n_sessions)
    first = rng.integers(ITEMS, size=n_sessions)
    place = np.tile(np.arange(1, PLACES + 1), n_sessions)
    item = (np.repeat(first, PLACES) + 7 * place) % ITEMS
    return pd.DataFrame(
        {
            "session": np.repeat(session, PLACES),
            "user": np.repeat(user, PLACES),
            "item": item,
            "position": place,
            "system": np.repeat(user % SYSTEMS, PLACES),
            "time": np.repeat(session * 60, PLACES),
            "clicked": rng.random(ROWS) < 0.006,
            "weight": np.repeat(1 / rng.integers(1, 50, size=n_sessions), PLACES),
        }
    )


def seconds(work, *arguments, **options):
    start = time.perf_counter()
    work(*arguments, **options)
    return time.perf_counter() - start


def main() -> None:
    impressions = log()
    bare = impressions[["system", "position", "clicked"]]
    tenth = impressions.iloc[: ROWS // 10]
    visits = tenth[["user", "item", "time"]].assign(time=lambda t: t["time"] + 10)
    options = {"k": PLACES, "weight": "weight"}
    clicks = seconds(lambda: bare.groupby(["system", "position"])["clicked"].agg(["size", "sum"]))
    taken = {
        "pandas, clicks by system and position": clicks,
        "measures, sessions and weights checked": seconds(online_measures, impressions, **options),
        "measures from three columns": seconds(online_measures, bare, k=PLACES),
        "variant 'program'": seconds(online_measures, impressions, **options, variant="program"),
        "a million visits attributed": seconds(attribute_visits, tenth, visits),
    }
    print(f"{ROWS:,} impressions, {SYSTEMS} systems")
    for what, value in taken.items():
        print(f"  {what:40}{value:6.2f} s{value / clicks:8.1f} ×")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"  {'peak memory, the log included':40}{peak:6.2f} GiB")


if __name__ == "__main__":
    main()
