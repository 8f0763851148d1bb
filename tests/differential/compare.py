"""Differences between receval's values and those of other tools, for each measure.

``python -m tests.differential.compare`` prints the table.
"""

import sys

import numpy as np
import pandas as pd

from .peers import COMPARISONS

TOLERANCE = 1e-12
"""Absolute, and for sums of gains, which have no upper bound, of the value if that is above 1."""
AT_A_TIME = 10_000


def apart(ours, theirs):
    """Return each difference: 0 for equal infinities and two NaNs, infinite for one NaN."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(ours - theirs) / np.maximum(1.0, np.abs(theirs))
    gap = np.where((ours == theirs) | (np.isnan(ours) & np.isnan(theirs)), 0.0, gap)
    return np.nan_to_num(gap, nan=np.inf)


def compare(name, cases):
    """For each measure of a comparison: cases, largest difference, how many are too large."""
    one = COMPARISONS[name]
    rng = np.random.default_rng([2026, *name.encode()])
    found = []
    while sum(map(len, found)) < cases:
        wanted = cases - sum(map(len, found))
        ours, theirs = one.values(rng, min(AT_A_TIME, wanted + wanted // 8 + 10))
        assert list(ours) == list(theirs)
        found.append(apart(ours.to_numpy(), theirs.to_numpy()))
    gaps = np.concatenate(found)[:cases]
    return pd.DataFrame(
        {
            "tool": name,
            "measure": list(one.names),
            "cases": len(gaps),
            "largest difference": gaps.max(axis=0),
            "disagreements": (gaps > TOLERANCE).sum(axis=0),
        }
    )


def main():
    table = pd.concat([compare(name, 100_000) for name in COMPARISONS])
    print(table.to_markdown(index=False, floatfmt=".1e"))
    wrong = int((table["disagreements"] > 0).sum())
    print(f"\n{len(table)} measures, {wrong} of them with a disagreement above {TOLERANCE:g}")
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
