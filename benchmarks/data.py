"""Seeded tables of recommendations and relevance, the same for every tool.

They are written once as plain NumPy files, which every environment can read, and become pandas
frames before any clock starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

SIZES = {"XS": 300, "S": 10_000, "M": 100_000, "L": 1_000_000}  # users with recommendations
HITS = 0.1  # chance that a recommendation is relevant
JUDGED = 9.5  # relevance rows of a user, beside the first
SILENT, UNJUDGED = 51, 101  # every 51st user has no recommendations, every 101st no relevance


IDS = {0: "int", 8: "text", 20: "long text"}  # by their number of characters


@dataclass(frozen=True)
class Case:
    """A pair of tables. Its name describes it: ``M``, ``L-text``, ``M-shuffled``, ``S-top100``."""

    size: str
    text: int = 0  # characters of an id
    shuffled: bool = False
    k: int = 10

    @classmethod
    def named(cls, name: str) -> Case:
        size, *rest = name.split("-")
        text = 8 * ("text" in rest) or 20 * ("long" in rest)
        deep = [int(part.removeprefix("top")) for part in rest if part.startswith("top")]
        return cls(size, text, "shuffled" in rest, *deep)

    @property
    def name(self) -> str:
        parts = {"shuffled": self.shuffled, f"top{self.k}": self.k != 10}
        ids = IDS[self.text].split()[0] if self.text else ""
        return "-".join(
            [self.size, *filter(None, [ids]), *(p for p, holds in parts.items() if holds)]
        )

    @property
    def rows(self) -> int:
        return SIZES[self.size] * self.k

    def __str__(self) -> str:
        rows = f"10{str(len(str(self.rows)) - 1).translate(RAISED)} rows"
        order = "shuffled" if self.shuffled else "grouped"
        return f"{rows}, {IDS[self.text]} ids, {order}" + (f", top-{self.k}" * (self.k != 10))


RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def columns(case: Case) -> dict[str, np.ndarray]:
    """Return the columns of both tables, in the order of users and ranks unless shuffled."""
    rng = np.random.default_rng(0)
    users = np.arange(SIZES[case.size] * SILENT // (SILENT - 1))
    found = rows_of(users, prime_below(SIZES[case.size]), case.k, rng)
    if case.shuffled:
        orders = {table: rng.permutation(found[f"{table}.user"].size) for table in TABLES}
        found = {name: values[orders[name.split(".")[0]]] for name, values in found.items()}
    return found


def rows_of(
    users: np.ndarray, items: int, k: int, rng: np.random.Generator
) -> dict[str, np.ndarray]:
    """Return the rows of consecutive users, with lists of ``k`` items. ``items`` is a prime.

    A user's items are start, start + step, start + 2 step, … modulo the prime: distinct, and
    spread over the whole catalogue. The first ones are relevant, and the others are not.
    """
    first, users = users[0], np.arange(users.size)
    start, step = rng.integers(items, size=users.size), rng.integers(1, items, size=users.size)
    relevant = 1 + rng.poisson(JUDGED, users.size)

    judged = users[(first + users) % UNJUDGED != UNJUDGED - 1]
    owner = np.repeat(judged, relevant[judged])
    before = np.cumsum(relevant[judged]) - relevant[judged]
    nth = np.arange(owner.size) - np.repeat(before, relevant[judged])
    truth = {
        "user": first + owner,
        "item": (start[owner] + step[owner] * nth) % items,
        "relevance": rng.integers(1, 6, size=owner.size),
    }

    answered = users[(first + users) % SILENT != SILENT - 1][:, np.newaxis]
    rank = np.arange(1, k + 1)
    shape = answered.size, k
    hit = rng.random(shape) < HITS
    hit &= np.cumsum(hit, axis=1) <= relevant[answered]
    hits = np.cumsum(hit, axis=1)
    nth = np.where(hit, hits - 1, relevant[answered] + rank - hits)
    recs = {
        "user": np.broadcast_to(first + answered, shape),
        "item": (start[answered] + step[answered] * nth) % items,
        "score": (k - rank + 0.9 * rng.random(shape)) / k,  # distinct as float32 too
        "rank": np.broadcast_to(rank, shape),
    }
    found = {f"recs.{name}": values.ravel() for name, values in recs.items()}
    return found | {f"truth.{name}": values for name, values in truth.items()}


TABLES = ("recs", "truth")
NAMES = (
    *(f"recs.{name}" for name in ("user", "item", "score", "rank")),
    *(f"truth.{name}" for name in ("user", "item", "relevance")),
)


def prime_below(n: int) -> int:
    while any(n % divisor == 0 for divisor in range(2, int(n**0.5) + 1)):
        n -= 1
    return n


def frames(case: Case, found: dict[str, np.ndarray]) -> tuple[pd.DataFrame, ...]:
    """Return both tables as pandas frames. Text ids sort in the order of the numbers."""
    if case.text:
        found = found | {
            name: _text(name.split(".")[1][0], case.text, values)
            for name, values in found.items()
            if name.endswith(("user", "item"))
        }
    return tuple(
        pd.DataFrame(
            {name.split(".")[1]: v for name, v in found.items() if name.startswith(table)},
            copy=False,
        )
        for table in TABLES
    )


def _text(letter: str, length: int, codes: np.ndarray) -> pd.Series:
    names = pd.Series([f"{letter}{code:0{length - 1}d}" for code in range(codes.max() + 1)])
    return names.take(codes).reset_index(drop=True)


def write(case: Case, folder: Path) -> None:
    """Write the columns into files for `read`. Cases that differ only in ids share the files."""
    for name, values in columns(case).items():
        np.save(_file(case, folder, name), values)


def read(case: Case, folder: Path, *, users: int | None = None) -> tuple[pd.DataFrame, ...]:
    """Read both tables, or only their rows of the last ``users`` users."""
    found = {name: np.load(_file(case, folder, name)) for name in NAMES}
    if users is not None:
        least = found["truth.user"].max() - users
        last = {table: found[f"{table}.user"] > least for table in TABLES}
        found = {name: values[last[name.split(".")[0]]] for name, values in found.items()}
    return frames(case, found)


def _file(case: Case, folder: Path, name: str) -> Path:
    return folder / f"{Case(case.size, 0, case.shuffled, case.k).name}.{name}.npy"
