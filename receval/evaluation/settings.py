"""The choices behind a comparison, and what they are called in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from receval._files import read_toml

__all__ = ["Settings"]

WORDS: dict[str, dict[str, str]] = read_toml("evaluation/words.toml")
TESTS: dict[str, Any] = WORDS["tests"]


@dataclass(frozen=True)
class Settings:
    """The choices of a comparison; see `Evaluation.compare`."""

    correction: str
    family: str
    alpha: float
    test: str
    effect: str
    zeros: str
    level: float | None
    n_resamples: int
    seed: int
    n_permutations: int
    simultaneous: bool = False

    @property
    def interval(self) -> str:
        """What the interval of a difference is called."""
        kind = "simultaneous interval" if self.simultaneous else "interval (not adjusted)"
        return f"{100 * self.level:g}% {kind}" if self.level is not None else ""

    def words(self, comparisons: int) -> list[str]:
        """The choices in words, for so many comparisons."""
        drawing = f"all permutations or {self.n_permutations} random ones, seed {self.seed}"
        details = {
            "wilcoxon": f", {WORDS['zeros'][self.zeros]}",
            "permutation": f", {drawing}",
        }.get(self.test, "")
        by = WORDS["corrections"].get(self.correction)
        over = WORDS["families"][self.family].format(comparisons)
        corrected = f"corrected by {by} over {over}" if by else "not corrected"
        return [
            f"difference: system - baseline, mean over the users compared{self._spans(over)}",
            f"p: {TESTS[self.test][0]}, two-sided{details}; {corrected}",
            f"verdict: {self._rests()}",
            f"effect: {WORDS['effects'][self.effect]}",
        ]

    def _spans(self, over: str) -> str:
        """The intervals, as a clause."""
        if self.level is None:
            return ""
        percent, drawing = 100 * self.level, (self.n_resamples, self.seed)
        if self.simultaneous:
            return WORDS["intervals"]["simultaneous"].format(percent, over, *drawing)
        return WORDS["intervals"]["paired"].format(percent, *drawing)

    def _rests(self) -> str:
        """What a verdict takes."""
        if self.level is None:
            return WORDS["rests"]["alone"].format(self.alpha)
        kind = "simultaneous" if self.simultaneous else "paired"
        return WORDS["rests"][kind].format(self.alpha, 100 * (1 - self.alpha))
