"""The choices behind a comparison, and what they are called in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from receval._files import stated_in

__all__ = ["Settings"]

WORDS: dict[str, dict[str, str]] = stated_in("evaluation/words.toml")
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

    def words(self, comparisons: int) -> list[str]:
        """The choices in words, for so many comparisons."""
        drawing = self.n_resamples, self.seed
        how = {
            "wilcoxon": f", {WORDS['zeros'][self.zeros]}",
            "permutation": ", {} resamples, seed {}".format(*drawing),
        }.get(self.test, "")
        by, over = WORDS["corrections"].get(self.correction), WORDS["families"][self.family]
        corrected = f"corrected by {by} over {over.format(comparisons)}" if by else "not corrected"
        spans = WORDS["intervals"]["paired"]
        drawn = "" if self.level is None else spans.format(100 * self.level, *drawing)
        return [
            f"difference: system - baseline, mean over the users compared{drawn}",
            f"p: {TESTS[self.test][0]}, two-sided{how}; {corrected}; verdict at {self.alpha:g}",
            f"effect: {WORDS['effects'][self.effect]}",
        ]
