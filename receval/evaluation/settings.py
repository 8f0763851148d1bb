"""The choices behind a comparison, and what they are called in words."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Settings"]

TESTS = {
    "wilcoxon": ("Wilcoxon's signed-rank test", "rank_biserial"),
    "t": ("paired t-test", "cohens_d"),
    "sign": ("sign test", "rank_biserial"),
    "permutation": ("paired permutation test of the mean", "cohens_d"),
}
"""Each test in words, and the effect size that fits it."""
ZEROS = {
    "wilcox": "users without difference left out",
    "pratt": "users without difference ranked but not summed (Pratt)",
    "zsplit": "users without difference ranked and split between the sides",
}
CORRECTIONS = {
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "benjamini-hochberg": "Benjamini–Hochberg",
    "bh": "Benjamini–Hochberg",
}
EFFECTS = {
    "rank_biserial": "matched-pairs rank-biserial correlation",
    "cohens_d": "Cohen's d of paired differences",
    "mann_whitney": "Mann–Whitney's Z / sqrt(N)",
}


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
        how = {
            "wilcoxon": f", {ZEROS[self.zeros]}",
            "permutation": f", {self.n_resamples} resamples, seed {self.seed}",
        }.get(self.test, "")
        over = {"all": f"all {comparisons} comparisons", "measure": "those under each measure"}
        by = CORRECTIONS.get(self.correction)
        corrected = f"corrected by {by} over {over[self.family]}" if by else "not corrected"
        drawn = ""
        if self.level is not None:
            drawn = (
                f", with its {100 * self.level:g}% paired bootstrap interval (BCa, "
                f"{self.n_resamples} resamples, seed {self.seed})"
            )
        return [
            f"difference: system - baseline, mean over the users compared{drawn}",
            f"p: {TESTS[self.test][0]}, two-sided{how}; {corrected}; verdict at {self.alpha:g}",
            f"effect: {EFFECTS[self.effect]}",
        ]
