"""Measure how well an experiment was reproduced: the lists, the values, and the effect."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from receval._checks import FloatArray, IntArray, check_number, input_error, shorten
from receval._escape import for_html, frame_for_terminal, without_mathematics
from receval._references import methods_text
from receval._types import Id
from receval.engine.file import System
from receval.engine.measured import MemoryResult
from receval.evaluation.overlap import full_lists
from receval.metrics.ranking import rbo
from receval.significance import paired_t

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Reproducibility"]

LIST_COLUMNS = ["tau_union", "rbo"]


@dataclass(frozen=True, eq=False, repr=False)
class Reproducibility:
    """The comparison of an experiment with its reproduction, from `Evaluation.reproduced_by`.

    Attributes
    ----------
    table : DataFrame
        Indexed by (system, measure); the baseline is a system, too. ``original`` and ``reproduced``
        are means over users. ``rmse`` is the root mean square difference of a user's two values;
        it is NaN if the users differ. ``p`` is the p-value of the two-sided t-test of the users'
        values in the two experiments. The test is paired if the users are the same. ``p`` is NaN if
        the values don't vary. The other columns compare the improvements over the baseline. They
        are NaN for the baseline itself. ``effect_ratio`` is the mean improvement in the
        reproduction divided by the mean improvement in the original. ``improvement`` and
        ``reproduced_improvement`` are the mean improvements divided by the mean of the baseline,
        and ``improvement_difference`` is ``improvement`` minus ``reproduced_improvement``. A
        perfect reproduction has an effect ratio of 1 and a difference of 0.
    per_user : DataFrame
        Indexed by (system, user), for users with two lists. ``tau_union`` is Kendall's tau union,
        from -1 to 1, and ``rbo`` is the rank-biased overlap, from 0 to 1. The frame is empty if one
        of the results has no lists, or if the users differ.
    baseline : str
        The system that the others are compared with.
    is_paired : bool
        Whether the two experiments have the same users.
    p : float
        The persistence of rank-biased overlap.
    """

    baseline: Id
    is_paired: bool
    p: float
    _table: pd.DataFrame = field(repr=False)
    _per_user: pd.DataFrame = field(repr=False)
    _versions: tuple[str, str] = field(repr=False)

    @property
    def table(self) -> pd.DataFrame:
        """Return a row for each system and measure."""
        return self._table.copy()

    @property
    def per_user(self) -> pd.DataFrame:
        """Return the similarity of each user's two lists."""
        return self._per_user.copy()

    @property
    def lists(self) -> pd.DataFrame:
        """Return the mean similarity of each system's lists, over the users with two lists."""
        return self._per_user.groupby(level="system", sort=False).mean()

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw effect ratio against relative improvement; see `receval.plots.effect_ratios`.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw. Default: a new figure.

        Returns
        -------
        Axes
        """
        from receval.plots import effect_ratios

        return effect_ratios(self._table, ax=ax)

    def methods(self, *, bibtex: bool = False, latex: bool = False) -> str:
        r"""Return text for the methods section of a paper. It states every choice.

        Parameters
        ----------
        bibtex : bool, default False
            Return the BibTeX entries of the works that the text cites, instead of the text.
        latex : bool, default False
            Return the text for LaTeX: signs are escaped, and citations have the entries' keys.

        Returns
        -------
        str
        """
        return methods_text(" ".join(self._sentences()), bibtex=bibtex, latex=latex)

    def _sentences(self) -> Iterable[str]:
        """Yield the sentences of the methods section, with citation keys."""
        version, other_version = self._versions
        versions = f"receval {version}"
        if version != other_version:
            versions = f"receval {version} (original) and {other_version} (reproduction)"
        programs = f"{versions} (@receval2026)"
        yield f"The reproduction was measured after @breuer2020, with values from {programs}."
        if len(self._per_user):
            yield (
                "Lists are compared by Kendall's tau union, on the shorter length of the two "
                f"lists, and by extrapolated rank-biased overlap with p = {self.p:g} (@webber2010)."
            )
        if self.is_paired:
            yield (
                "Values of the same users are compared by RMSE and the paired t-test "
                "(@student1908)."
            )
        else:
            yield (
                "The users of the two experiments differ, so their values are compared by the "
                "unpaired t-test with equal variances (@student1908)."
            )
        yield (
            f"Effect ratio and relative improvement refer to the baseline '{self.baseline}'; no "
            "p-value is corrected for the number of comparisons."
        )

    def __repr__(self) -> str:
        """Return the two tables."""
        text = frame_for_terminal(self._table).to_string(na_rep="", float_format="{:.4g}".format)
        if len(self._per_user):
            lists = frame_for_terminal(self.lists).to_string(float_format="{:.4g}".format)
            text += f"\n\nSimilarity of the lists, mean over users:\n{lists}"
        return text

    def _repr_html_(self) -> str:
        """Return the two tables for a notebook."""
        html = frame_for_terminal(self._table).to_html(na_rep="", float_format="{:.4g}".format)
        if len(self._per_user):
            html += f"<p>{for_html('Similarity of the lists, mean over users:')}</p>"
            html += frame_for_terminal(self.lists).to_html(float_format="{:.4g}".format)
        return without_mathematics(html)


def compare_values(
    original: Mapping[Id, pd.DataFrame], reproduced: Mapping[Id, pd.DataFrame], baseline: Id
) -> tuple[pd.DataFrame, bool]:
    """Return the table of a `Reproducibility`, and whether the two experiments have the same users.

    Parameters
    ----------
    original, reproduced : dict of DataFrame
        The values by user of each system, with the same columns of measures in all frames.
    baseline : str
        One of the systems.

    Raises
    ------
    InputError
        If the two experiments share some of their users, but not all of them.
    """
    users, other_users = original[baseline].index, reproduced[baseline].index
    is_paired = users.sort_values().equals(other_users.sort_values())
    shared = users.intersection(other_users)
    if not is_paired and len(shared):
        rule = "have all users of the original, or none of them"
        got = f"{len(shared):,} of {len(users):,}"
        raise input_error("reproduction", rule, got, "Choose users with `where` in both")
    rows = {}
    for system, values in original.items():
        for measure in values:
            row = _compare_columns(
                values[measure].astype(float),
                reproduced[system][measure].astype(float),
                is_paired=is_paired,
            )
            if system != baseline:
                effect, improvement = _improvement(values, original[baseline], measure)
                other_effect, other_improvement = _improvement(
                    reproduced[system], reproduced[baseline], measure
                )
                # If the original has no effect, there is nothing to compare with.
                row["effect_ratio"] = other_effect / effect if effect else np.nan
                row["improvement"] = improvement
                row["reproduced_improvement"] = other_improvement
                row["improvement_difference"] = improvement - other_improvement
            rows[system, measure] = row
    index = pd.MultiIndex.from_tuples(rows, names=["system", "measure"])
    columns = [
        "original", "reproduced", "rmse", "p", "effect_ratio", "improvement",
        "reproduced_improvement", "improvement_difference",
    ]  # fmt: skip
    return pd.DataFrame(list(rows.values()), index=index, columns=columns, dtype=float), is_paired


def _compare_columns(
    original: pd.Series[float], reproduced: pd.Series[float], *, is_paired: bool
) -> dict[str, float]:
    """Return means, RMSE and p of the users' values under one measure, leaving out NaN."""
    row = {"original": original.mean(), "reproduced": reproduced.mean(), "rmse": np.nan}
    if is_paired:
        difference = original - reproduced  # aligned by user
        row["rmse"] = float(np.sqrt((difference**2).mean()))
        row["p"] = np.nan
        if difference.count() >= 2:  # the fewest that the test accepts
            row["p"] = paired_t(original, reproduced).p
    else:
        samples = original.dropna(), reproduced.dropna()
        has_spread = any((sample != sample.iloc[:1].max()).any() for sample in samples)
        row["p"] = np.nan
        if has_spread and min(map(len, samples)) >= 2:  # otherwise the test is undefined
            from scipy import stats  # takes a second to load

            row["p"] = float(stats.ttest_ind(*samples).pvalue)
    return row


def _improvement(values: pd.DataFrame, baseline: pd.DataFrame, measure: Id) -> tuple[float, float]:
    """Return the mean improvement over the baseline, and its ratio to the baseline's mean.

    Only users with a value under both systems count. The ratio is NaN if the baseline's mean is 0.
    """
    difference = (values[measure] - baseline[measure]).astype(float)
    effect = float(difference.mean())
    mean = float(baseline[measure][difference.notna()].mean())
    if mean == 0:
        return effect, np.nan
    return effect, effect / mean


def compare_lists(
    original: Mapping[Id, System], reproduced: Mapping[Id, System], p: float
) -> pd.DataFrame:
    """Return the similarity of each user's two lists under each system that both experiments have.

    Parameters
    ----------
    original, reproduced : dict of System
        The systems by name; those without lists in memory are left out.
    p : float
        The persistence of rank-biased overlap.

    Returns
    -------
    DataFrame
        Indexed by (system, user), with the columns ``tau_union`` and ``rbo``.
    """
    frames = {}
    for name, system in original.items():
        other = reproduced[name]
        if isinstance(system, MemoryResult) and isinstance(other, MemoryResult):
            frames[name] = _similarities(_lists_by_user(system), _lists_by_user(other), p)
    if not frames:
        index = pd.MultiIndex.from_arrays([[], []], names=["system", "user"])
        return pd.DataFrame(index=index, columns=LIST_COLUMNS, dtype=float)
    return pd.concat(frames, names=["system", "user"])


def _lists_by_user(system: MemoryResult) -> dict[Id, list[Id]]:
    """Return the items of each judged user's whole list, best first, without empty lists."""
    run = full_lists(system)
    users = run.truth.users.take(run.truth.judged).tolist()
    list_by_user: dict[Id, list[Id]] = {}
    for positions in run.block_positions():
        codes = run.block(positions).items
        for user_position, line in zip(np.arange(len(users))[positions], codes, strict=True):
            is_item = line >= 0  # lists are padded with -1
            if is_item.any():
                list_by_user[users[user_position]] = run.truth.items.take(line[is_item]).tolist()
    return list_by_user


def _similarities(
    lists: Mapping[Id, list[Id]], other_lists: Mapping[Id, list[Id]], p: float
) -> pd.DataFrame:
    """Return Kendall's tau union and rank-biased overlap for each user with two lists."""
    users = [user for user in lists if user in other_lists]
    rows = []
    for user in users:
        first, second = _as_codes(lists[user], other_lists[user])
        rows.append((tau_union(first, second), float(rbo(first, second, p=p))))
    return pd.DataFrame(rows, index=pd.Index(users, name="user"), columns=LIST_COLUMNS, dtype=float)


def _as_codes(first: list[Id], second: list[Id]) -> tuple[IntArray, IntArray]:
    """Return two lists as codes: 0, 1, 2, … in the first list, then new items of the second."""
    code_by_item = {item: code for code, item in enumerate(dict.fromkeys([*first, *second]))}
    return np.arange(len(first)), np.array([code_by_item[item] for item in second])


def tau_union(first: IntArray, second: IntArray) -> float:
    r"""Return Kendall's tau union of two lists: tau of the places of their items in the union.

    .. math:: \tau = 1 - \frac{4 D}{n (n - 1)}

    Both lists are cut to the shorter length, n. The union has the items of the first list in their
    order, and then the new items of the second list in their order. D is the number of pairs of
    items whose order in the second list is the opposite of their order in the union.

    Parameters
    ----------
    first, second : array of int
        Item codes by rank, without repeats.

    Returns
    -------
    float
        A number from -1 to 1, or NaN for lists of one item. It is 1 for equal lists, but also for
        two lists without a shared item, so read it together with rank-biased overlap.

    References
    ----------
    Breuer et al., SIGIR 2020, doi:10.1145/3397271.3401036, section 3.

    Examples
    --------
    >>> tau_union(np.array([1, 2, 3]), np.array([1, 2, 4]))
    1.0
    >>> round(tau_union(np.array([1, 2, 3]), np.array([2, 1, 3])), 4)
    0.3333
    """
    n = min(len(first), len(second))
    if n < 2:
        return float("nan")
    cut_first, cut_second = first[:n].tolist(), second[:n].tolist()
    place_by_item = {
        item: place for place, item in enumerate(dict.fromkeys([*cut_first, *cut_second]))
    }
    places: FloatArray = np.array([place_by_item[item] for item in cut_second], float)
    is_later = np.triu(np.ones((n, n), bool), k=1)
    n_discordant = int((is_later & (places[:, np.newaxis] > places)).sum())
    return 1 - 4 * n_discordant / (n * (n - 1))


def shared_systems(original: list[Id], reproduced: list[Id], baseline: Id) -> list[Id]:
    """Return the systems that both experiments have; raise unless the baseline is among them.

    There must be another system, too, because an effect needs two systems.
    """
    shared = [system for system in original if system in reproduced]
    got = ", ".join(shorten(system) for system in reproduced)
    advice = "Give the systems the same names in both"
    if baseline not in shared:
        raise input_error("reproduction", f"have the baseline {baseline!r}", got, advice)
    if len(shared) == 1:
        rule = "have a system besides the baseline in common with the original"
        raise input_error("reproduction", rule, got, advice)
    return shared


def check_persistence(p: object) -> float:
    """Return the persistence of rank-biased overlap; raise if it lies outside [0, 1)."""
    return check_number(p, "p", "a number of at least 0 and below 1", lambda p: 0 <= p < 1)
