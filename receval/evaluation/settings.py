"""The choices of a comparison, and their descriptions in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from receval._files import read_toml

__all__ = ["Settings"]

WORDS: dict[str, dict[str, str]] = read_toml("evaluation/words.toml")
"""Texts of notes, tables and methods sections, by section and key."""

_TEST_TEXTS = cast("dict[str, tuple[str, str]]", WORDS["tests"])
TESTS = {test: name for test, (name, _) in _TEST_TEXTS.items()}
"""The name of each test in words."""
EFFECTS = {test: effect for test, (_, effect) in _TEST_TEXTS.items()}
"""The effect size that fits each test."""


@dataclass(frozen=True)
class Settings:
    """The choices of a comparison; see `Evaluation.compare`.

    Without intervals, ``level`` is None; otherwise it is 1 - alpha.
    """

    correction: str
    alpha: float
    test: str
    level: float | None
    n_resamples: int
    seed: int
    n_permutations: int

    @property
    def effect(self) -> str:
        """Return the effect size that fits the test."""
        return EFFECTS[self.test]

    @property
    def interval(self) -> str:
        """Return the name of the intervals of differences; "" if there are no intervals."""
        if self.level is None:
            return ""
        return f"{100 * self.level:g}% interval (not adjusted)"

    def words(self, comparisons: int) -> list[str]:
        """Return lines that state the choices: difference, p, verdict and effect.

        ``comparisons`` is the number of comparisons, which the lines mention.
        """
        interval = ""
        verdict = WORDS["rests"]["alone"].format(self.alpha)
        if self.level is not None:
            percent = 100 * self.level
            interval = WORDS["intervals"]["paired"].format(percent, self.n_resamples, self.seed)
            verdict = WORDS["rests"]["paired"].format(self.alpha, percent)
        return [
            f"difference: system - baseline, mean over the users compared{interval}",
            f"p: {self._test_in_words()}; {self._correction_in_words(comparisons)}",
            f"verdict: {verdict}",
            f"effect: {WORDS['effects'][self.effect]}",
        ]

    def _test_in_words(self) -> str:
        """Return the name of the test with its options."""
        text = f"{TESTS[self.test]}, two-sided"
        if self.test == "wilcoxon":
            text += ", users without a difference are left out"
        if self.test == "permutation":
            text += f", all permutations or {self.n_permutations} random ones, seed {self.seed}"
        return text

    def _correction_in_words(self, comparisons: int) -> str:
        """Return the correction of p-values as a clause."""
        if self.correction not in WORDS["corrections"]:
            return "not corrected"
        name = WORDS["corrections"][self.correction]
        return f"corrected by {name} over all {comparisons} comparisons"
