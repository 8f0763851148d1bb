"""Bounds that receval promises to meet, and the rows that compare them with measurements."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

MB = 1e6


def times(tool, case, *, over="receval"):
    """Return a function that divides a tool's time on a case by the time of ``over``."""
    return lambda found: found[case][tool]["seconds"] / found[case][over]["seconds"]


def growth(found):
    return found["L"]["receval"]["seconds"] / found["M"]["receval"]["seconds"]


def beyond(found):
    one = found["L"]["receval"]
    return (one["extra"] - one["returned"]) / MB


@dataclass(frozen=True)
class Bar:
    """A value that is measured, and the bounds that it should meet."""

    case: str
    what: str
    value: Callable
    floor: float | None = None
    stretch: float | None = None
    at_least: bool = True
    unit: str = "×"

    def holds(self, value, bound):
        return value >= bound if self.at_least else value <= bound

    def row(self, found):
        """Return the cells of the table. A dash stands for a value that was not measured."""
        try:
            value = self.value(found)
        except KeyError:
            return self.case, self.what, self._bound(self.floor), "–", self._bound(self.stretch)
        return (
            self.case,
            self.what,
            self._bound(self.floor, value),
            f"**{_digits(value)} {self.unit}**",
            self._bound(self.stretch, value),
        )

    def _bound(self, bound, value=None):
        if bound is None:
            return ""
        held = "" if value is None else " ✓" if self.holds(value, bound) else " ✗"
        return f"{'≥' if self.at_least else '≤'} {bound:g} {self.unit}{held}"


def _digits(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


SMALL, LARGE = "10⁶ rows, int ids", "10⁷ rows, int ids"
TEXT, LONG_TEXT, SHUFFLED = "10⁶ rows, text ids", "10⁷ rows, text ids", "10⁶ rows, shuffled"
BARS = (
    Bar(SMALL, "RecTools / receval", times("rectools", "M"), 4.5, 6.5),
    Bar(SMALL, "pytrec_eval / receval", times("pytrec_eval", "M"), 12, 18),
    Bar(SMALL, "ranx / receval", times("ranx", "M"), 100, 147),
    Bar(
        SMALL,
        "receval / NumPy in blocks without checks",
        times("receval", "M", over="numpy_blocks"),
        2,
        at_least=False,
    ),
    Bar(LARGE, "RecTools / receval", times("rectools", "L"), 12, 17),
    Bar(LARGE, "pytrec_eval / receval", times("pytrec_eval", "L"), 24, 34),
    Bar(LARGE, "pandas merge and groupby / receval", times("pandas", "L"), 7, 10),
    Bar(LARGE, "DuckDB / receval", times("duckdb", "L"), 2, 2.8),
    Bar(TEXT, "RecTools / receval", times("rectools", "M-text"), 6.5, 15),
    Bar(TEXT, "DuckDB / receval", times("duckdb", "M-text"), None, 3),
    Bar(LONG_TEXT, "RecTools / receval", times("rectools", "L-text"), 9, 25),
    Bar(LONG_TEXT, "DuckDB / receval", times("duckdb", "L-text"), None, 2.8),
    Bar(SHUFFLED, "RecTools / receval", times("rectools", "M-shuffled"), 2.5),
    Bar(SHUFFLED, "Polars / receval", times("polars", "M-shuffled"), 1.2, 1.5),
    Bar(SHUFFLED, "DuckDB / receval", times("duckdb", "M-shuffled"), 1.2, 1.5),
    Bar("10⁶ → 10⁷ rows, int ids", "time", growth, 11, at_least=False),
    Bar(
        LARGE,
        "memory beyond input and returned values",
        beyond,
        *(60, 50),
        at_least=False,
        unit="MB",
    ),
    Bar(
        SMALL,
        "all measures that need only two tables, at 5 cut-offs / the six measures at one",
        times("receval_all", "M"),
        *(3, 2),
        at_least=False,
    ),
    Bar(
        "10⁵ rows, int ids",
        "first call in a fresh process",
        lambda found: found["cold"]["receval"]["first"],
        *(0.1, 0.05),
        at_least=False,
        unit="s",
    ),
    Bar(
        "import",
        "time of the import once NumPy and pandas are loaded",
        lambda found: found["cold"]["receval"]["import"],
        0.3,
        at_least=False,
        unit="s",
    ),
)
