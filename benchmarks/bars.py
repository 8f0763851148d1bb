"""Bounds that receval should meet, and the rows that compare them with measurements."""

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
    """A value that is measured, and the bound that it should meet."""

    case: str
    what: str
    value: Callable
    bound: float
    at_least: bool = True
    unit: str = "×"

    def row(self, found):
        """Return the cells of the table. A dash stands for a value that was not measured."""
        try:
            value = self.value(found)
        except KeyError:
            return self.case, self.what, self._bound_in_words(), "–"
        return (
            self.case,
            self.what,
            self._bound_in_words(value),
            f"**{_digits(value)} {self.unit}**",
        )

    def _bound_in_words(self, value=None):
        mark = ""
        if value is not None:
            is_met = value >= self.bound if self.at_least else value <= self.bound
            mark = " ✓" if is_met else " ✗"
        return f"{'≥' if self.at_least else '≤'} {self.bound:g} {self.unit}{mark}"


def _digits(value):
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


SMALL, LARGE = "10⁶ rows, int ids", "10⁷ rows, int ids"
TEXT, LONG_TEXT, SHUFFLED = "10⁶ rows, text ids", "10⁷ rows, text ids", "10⁶ rows, shuffled"
BARS = (
    Bar(SMALL, "RecTools / receval", times("rectools", "M"), 4.5),
    Bar(SMALL, "pytrec_eval / receval", times("pytrec_eval", "M"), 12),
    Bar(SMALL, "ranx / receval", times("ranx", "M"), 100),
    Bar(LARGE, "RecTools / receval", times("rectools", "L"), 10),
    Bar(LARGE, "DuckDB / receval", times("duckdb", "L"), 1.8),
    Bar(
        LARGE,
        "receval / NumPy in blocks without checks",
        times("receval", "L", over="numpy_blocks"),
        2,
        at_least=False,
    ),
    Bar(TEXT, "RecTools / receval", times("rectools", "M-text"), 6.5),
    Bar(LONG_TEXT, "Polars / receval", times("polars", "L-text"), 1),
    Bar(SHUFFLED, "RecTools / receval", times("rectools", "M-shuffled"), 2.5),
    Bar(SHUFFLED, "Polars / receval", times("polars", "M-shuffled"), 1.2),
    Bar(SHUFFLED, "DuckDB / receval", times("duckdb", "M-shuffled"), 1.2),
    Bar("10⁶ → 10⁷ rows, int ids", "time", growth, 11, at_least=False),
    Bar(
        LARGE,
        "memory beyond the input (574 MB) and the returned values",
        beyond,
        round(1.2 * 574),
        at_least=False,
        unit="MB",
    ),
    Bar(
        SMALL,
        "all measures that need only two tables, at 5 cut-offs / the six measures at one",
        times("receval_all", "M"),
        3,
        at_least=False,
    ),
    Bar(
        "10⁵ rows, int ids",
        "first call in a fresh process",
        lambda found: found["cold"]["receval"]["first"],
        0.1,
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
