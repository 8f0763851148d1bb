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
DEFAULT_EFFECTS = {test: effect for test, (_, effect) in _TEST_TEXTS.items()}
"""The effect size that fits each test."""


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
        """Return the name of the intervals of differences; "" if there are no intervals."""
        if self.level is None:
            return ""
        kind = "simultaneous interval" if self.simultaneous else "interval (not adjusted)"
        return f"{100 * self.level:g}% {kind}"

    def words(self, comparisons: int) -> list[str]:
        """Return lines that state the choices: difference, p, verdict and effect.

        ``comparisons`` is the number of comparisons, which the lines mention.
        """
        # For example "all 6 comparisons".
        family = WORDS["families"][self.family].format(comparisons)
        effect = WORDS["effects"][self.effect]
        return [
            "difference: system - baseline, mean over the users compared"
            + self._interval_clause(family),
            f"p: {self._test_in_words()}; {self._correction_in_words(family)}",
            f"verdict: {self._verdict_in_words()}",
            f"effect: {effect}",
        ]

    def _test_in_words(self) -> str:
        """Return the name of the test with its options."""
        text = f"{TESTS[self.test]}, two-sided"
        if self.test == "wilcoxon":
            text += f", {WORDS['zeros'][self.zeros]}"
        if self.test == "permutation":
            text += f", all permutations or {self.n_permutations} random ones, seed {self.seed}"
        return text

    def _correction_in_words(self, family: str) -> str:
        """Return the correction of p-values as a clause.

        ``family`` says which comparisons are corrected together, such as "all 6 comparisons".
        """
        if self.correction not in WORDS["corrections"]:
            return "not corrected"
        return f"corrected by {WORDS['corrections'][self.correction]} over {family}"

    def _interval_clause(self, family: str) -> str:
        """Return a clause on the intervals; "" if there are no intervals.

        ``family`` says for which comparisons simultaneous intervals hold, such as "all 6
        comparisons".
        """
        if self.level is None:
            return ""
        percent = 100 * self.level
        if self.simultaneous:
            text = WORDS["intervals"]["simultaneous"]
            return text.format(percent, family, self.n_resamples, self.seed)
        return WORDS["intervals"]["paired"].format(percent, self.n_resamples, self.seed)

    def _verdict_in_words(self) -> str:
        """Return the conditions of a verdict "better" or "worse"."""
        if self.level is None:
            return WORDS["rests"]["alone"].format(self.alpha)
        # The verdict uses an interval of the level 1 - alpha, even if the table shows another.
        kind = "simultaneous" if self.simultaneous else "paired"
        return WORDS["rests"][kind].format(self.alpha, 100 * (1 - self.alpha))
