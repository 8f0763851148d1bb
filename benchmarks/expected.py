"""Results of receval under the definitions of each tool, with which the tools have to agree.

Run by ``benchmarks.run`` as ``python -m benchmarks.expected CASE FOLDER CONVENTION …``.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from benchmarks import data
from benchmarks.tools import names

TOLERANCE = 1e-9


def expected(case, folder, conventions):
    """Return the means under each convention, and the number of users in them."""
    from receval import evaluate

    tables = data.read(case, folder)
    found = {}
    for one in conventions:
        result = evaluate(*tables, names(case.k), convention=one, progress=False)
        means = result.summary.loc[""].to_dict()
        found[one] = {"means": means, "users": int(result.per_user.iloc[:, 0].count())}
    return found


def faults(found, expected):
    """List the differences between a tool's answer and the expected one, in words."""
    told = [
        f"{name} is {found['means'].get(name)}, not {value}"
        for name, value in expected["means"].items()
        if not abs(found["means"].get(name, float("nan")) - value) <= TOLERANCE
    ]
    if found["users"] != expected["users"]:
        told.append(f"it answers {found['users']} users, not {expected['users']}")
    return told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("case", type=data.Case.named)
    parser.add_argument("folder", type=Path)
    parser.add_argument("conventions", nargs="+")
    asked = parser.parse_args()
    print(json.dumps(expected(asked.case, asked.folder, asked.conventions)))
