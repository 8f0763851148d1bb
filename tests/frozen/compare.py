"""Compare a wheel of the frozen commit with this checkout, to the bit, on one machine.

    git worktree add /tmp/frozen "$(cat tests/frozen/COMMIT)"
    python -m build --wheel /tmp/frozen
    python tests/frozen/compare.py /tmp/frozen/dist/receval-*.whl

Both run today's `answers.py`. The script unpacks the wheel, writes the answers of both, and prints
each number that differs in a bit. It exits with 1 if a value by user or a fold does.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd

FOLDER = Path(__file__).parent
HAVE_TO_BE_EQUAL = ("values", "ratings", "order", "ranking", "splits")

RENAMED = """
import importlib, pkgutil, sys
import receval.measure
__path__ = []
for module in pkgutil.iter_modules(receval.measure.__path__):
    new = f"{__name__}.{module.name}"
    sys.modules[new] = importlib.import_module(f"receval.measure.{module.name}")
"""
"""A module for the frozen package, in which today's name of a room stands for its former name."""


def write_answers(package, target):
    """Write the answers of the receval in the folder ``package`` into ``target``."""
    environment = {**os.environ, "PYTHONPATH": str(package)}
    command = [sys.executable, str(FOLDER / "answers.py"), str(target)]
    subprocess.run(command, check=True, env=environment)


def differences(old, new):
    """Return the records whose numbers or texts differ, and those that are in one file only."""
    both = old.merge(
        new, on=["case", "place"], how="outer", suffixes=("", "_today"), indicator=True
    )
    bits = both["number"].to_numpy().view(np.int64) == both["number_today"].to_numpy().view(
        np.int64
    )
    is_missing = both["number"].isna() & both["number_today"].isna()
    is_same = (bits | is_missing) & (both["text"].fillna("") == both["text_today"].fillna(""))
    return both[~is_same | (both["_merge"] != "both")]


def main(wheel):
    """Compare the wheel with this checkout."""
    is_different = False
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        zipfile.ZipFile(wheel).extractall(place / "wheel")
        (place / "wheel/receval/definitions.py").write_text(RENAMED, encoding="utf-8")
        write_answers(place / "wheel", place / "old")
        write_answers(FOLDER.parents[1], place / "new")
        for old in sorted((place / "old").glob("*.parquet")):
            found = differences(pd.read_parquet(old), pd.read_parquet(place / "new" / old.name))
            by_user = found["place"].str.startswith("/per_user") | (old.stem != "values")
            print(f"{old.stem}: {len(found)} differ")
            print(found.head(20).to_string() if len(found) else "")
            is_different |= old.stem in HAVE_TO_BE_EQUAL and by_user.any() and len(found) > 0
    sys.exit(int(is_different))


if __name__ == "__main__":
    main(sys.argv[1])
