r"""Compare the arms of an A/B test: whether users are split as intended, and which arm is better.

An *arm* is one of the compared systems; chance decides which arm a user sees. Its rate is the sum
of its responses divided by the number of its impressions. Impressions of one user depend on each
other, so users are the unit. With the responses :math:`S_u` and the impressions :math:`n_u` of user
u,

.. math:: \hat\theta = \frac{\sum_u S_u}{\sum_u n_u} \qquad
          s^2 = \frac{U}{U-1} \, \frac{\sum_u (S_u - \hat\theta n_u)^2}{(\sum_u n_u)^2}

(delta method, with U users in the arm). The difference of two arms is divided by the root of the
sum of their variances. The p-values of all pairs of arms and all responses come from one *max-T*
permutation test. Each permutation assigns the users to the arms anew, and its statistic is the
largest of all these quotients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from receval._arrays import divide_or_nan
from receval._checks import (
    FloatArray,
    IntArray,
    Seed,
    as_generator,
    check_choice,
    check_count,
    check_not_empty,
    check_number,
    check_that,
    check_unique,
    format_first,
    input_error,
    shorten,
)
from receval._progress import progress_bar
from receval._references import cite_in_text
from receval._types import AnyArray, TableLike
from receval.fuzzy import _log
from receval.fuzzy.predictability._max_t import ROUNDING
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import column_labels, read_column
from receval.tables.formats import open_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ArmComparison", "compare_arms"]

SAMPLE_RATIO_ALPHA = 0.001  # below this p-value the split of the users is not as intended
NOTE_ON_PEEKING = (
    "the p-values hold for one look, at the end; a test that is repeated daily until it succeeds "
    "needs another level"
)


def compare_arms(
    log: TableLike,
    *,
    response: str | Sequence[str] = "clicked",
    shares: Mapping[str, float] | Mapping[int, float] | str,
    user: str = "user",
    system: str = "system",
    item: str | None = None,
    repeated: str = "each",
    several_arms: str = "error",
    confidence: float = 0.95,
    n_permutations: int = 9_999,
    progress: bool | None = None,
    rng: Seed = 0,
) -> ArmComparison:
    r"""Compare the response rates of the arms of an A/B test.

    The function first checks the sample ratio: a chi-square test of the numbers of users against
    the intended ``shares``. If its p-value is below 0.001, chance alone is very unlikely to split
    the users in this way. Then something other than chance decides which arm some users see, so the
    arms can't be compared, and all verdicts are withheld.

    Parameters
    ----------
    log : DataFrame or other table of named columns
        One row per impression.
    response : str or list of str, default "clicked"
        Columns of responses: boolean, 0 and 1, or grades from 0 to 1.
    shares : mapping or "equal"
        Intended share of the users by arm, such as ``{"old": 0.9, "new": 0.1}``; they sum to 1.
        ``"equal"`` stands for equal shares of the arms in the log.
    user, system : str
        Columns of the users and of the arms.
    item : str, optional
        Column of the items, needed to recognise repeated responses. Default: "item", if there is
        such a column.
    repeated : {"each", "once"}, default "each"
        Whether every response of a user to an item counts, or only the first one in the log's
        order. If this changes which arm is best, a note says so.
    several_arms : {"error", "drop"}, default "error"
        What to do with users who are in several arms: raise, or leave them out and count them.
    confidence : float, default 0.95
        Level of the intervals and of the verdicts.
    n_permutations : int, default 9999
        Number of random assignments of the users to the arms.
    progress : bool, optional
        Whether to show a progress bar. Default: on a terminal.
    rng : Generator or int, default 0
        Source of randomness, or its seed.

    Returns
    -------
    ArmComparison
        With ``table`` (differences and verdicts), ``arms`` (rates), ``sample_ratio_p``, ``counts``
        and ``notes``.

    Raises
    ------
    InputError
        If the log is empty, a column is missing, a response is outside [0, 1], ``shares`` doesn't
        name the arms of the log or doesn't sum to 1, a user is in several arms, an arm has fewer
        than two users, there are fewer than two arms, or repeated responses can't be recognised.

    Notes
    -----
    The family-wise p-value comes from a single-step max-T test with studentised statistics. It is
    the share of the permutations whose largest absolute statistic is at least the observed one. The
    intervals use its critical value, so all of them together hold with the stated confidence, and
    they agree with the verdicts.

    The test assumes that you look once, at the end. If you repeat it daily and stop at the first
    success, it finds differences where there are none: such a test needs another level.

    References
    ----------
    Deng, Knoblich and Lu (2018), doi 10.1145/3219819.3219919 (delta method). Fabijan et al. (2019),
    doi 10.1145/3292500.3330722 (sample ratio). Westfall and Young (1993), Resampling-Based Multiple
    Testing (max-T). Johari et al. (2017), Peeking at A/B Tests (repeated looks).

    Examples
    --------
    >>> log = pd.DataFrame({"user": range(2000), "system": ["A", "B"] * 1000})
    >>> log["clicked"] = [1, 0, 0, 0] * 500
    >>> comparison = compare_arms(log, shares="equal", n_permutations=999)
    >>> comparison.arms["rate"].tolist()
    [0.5, 0.0]
    >>> comparison.table["p_family"].tolist(), comparison.table["verdict"].tolist()
    ([0.001], ['A is higher'])
    """
    check_choice(repeated, "repeated", ("each", "once"))
    check_choice(several_arms, "several_arms", ("error", "drop"))
    level = check_number(confidence, "confidence", "a number between 0 and 1", lambda c: 0 < c < 1)
    n_draws = check_count(n_permutations, "n_permutations")
    generator = as_generator(rng)
    responses = _response_names(response)

    # Read the log, and decide which rows and responses count.
    rows, arms = _read_log(log, responses, user, system, item)
    rows, n_dropped = _leave_out_users_of_several_arms(rows, user, several_arms)
    rows_once, n_repeated = _without_repeated_responses(rows, responses)
    if repeated == "once":
        advice = "Name the column of the items with item="
        check_that("item" in rows, "repeated", "be 'each' without items", repeated, advice)
    counted_rows = rows_once if repeated == "once" else rows

    # Check that the users are split as intended.
    intended = _intended_shares(shares, arms)
    n_users = np.bincount(rows.drop_duplicates("user")["arm"], minlength=len(arms))
    _check_users(n_users, arms, system)
    sample_ratio_p = _sample_ratio_p(n_users, intended)
    is_withheld = sample_ratio_p < SAMPLE_RATIO_ALPHA

    # Compare the rates of the arms.
    terms = _user_terms(counted_rows, responses)
    statistics = _test_arms(terms, n_users, n_draws, generator, progress=progress)
    counts = {
        "impressions": len(rows),
        "users": int(n_users.sum()),
        "users_of_several_arms": n_dropped,
        "repeated_responses": n_repeated,
    }
    notes = [
        *_notes_on_users(sample_ratio_p, n_dropped),
        *_notes_on_repeats(rows, rows_once, responses, arms, repeated),
        *_notes_on_clicks(log),
        NOTE_ON_PEEKING,
    ]
    return ArmComparison(
        table=_difference_table(statistics, arms, responses, level, is_withheld=is_withheld),
        arms=_arm_table(statistics, counted_rows, n_users, intended, arms, responses, level),
        sample_ratio_p=sample_ratio_p,
        counts=counts,
        notes=tuple(notes),
        repeated=repeated,
        confidence=level,
        n_permutations=n_draws,
    )


@dataclass(frozen=True, eq=False, repr=False)
class ArmComparison:
    """The rates of the arms of an A/B test and their differences: the result of `compare_arms`.

    Attributes
    ----------
    table : DataFrame
        Indexed by (response, first, second), a row per pair of arms: the ``difference`` of the
        rates, first minus second; ``low`` and ``high``, the ends of its interval, where all
        intervals together hold with the stated confidence; ``z``, the difference divided by its
        standard error; ``p``, the permutation p-value of this pair alone; ``p_family``, the p-value
        of the max-T test; and ``verdict``. ``z``, ``p`` and ``p_family`` are NaN if, in both arms,
        all users respond at the same rate.
    arms : DataFrame
        Indexed by (response, arm): ``users``, ``share`` of the users, ``intended`` share,
        ``impressions``, sum of the ``responses``, ``rate``, and ``low`` and ``high``, the
        interval of this rate alone.
    sample_ratio_p : float
        P-value of the chi-square test of the numbers of users against the intended shares. Below
        0.001 the verdicts are withheld.
    counts : dict
        ``impressions`` and ``users`` that were compared, ``users_of_several_arms`` that were left
        out, and ``repeated_responses``, which is None if the log names no items.
    notes : tuple of str
        Facts that you need to know to interpret the verdicts.
    repeated : str
        Whether repeated responses count "each" time or "once".
    confidence : float
        Level of the intervals and of the verdicts.
    n_permutations : int
        Number of random assignments of the users.
    """

    table: pd.DataFrame
    arms: pd.DataFrame
    sample_ratio_p: float
    counts: dict[str, int | None]
    notes: tuple[str, ...]
    repeated: str
    confidence: float
    n_permutations: int

    def __repr__(self) -> str:
        """Return the differences, the sample ratio and the notes as text."""
        lines = [repr(self.table.round(4)), f"sample ratio: p = {self.sample_ratio_p:.3g}"]
        lines += [f"note: {note}" for note in self.notes]
        return "\n".join(lines)

    def methods(self) -> str:
        """Return sentences for a paper: the unit, the test, the sample ratio and the notes."""
        if self.repeated == "each":
            counting = "Each response of a user to an item counted."
        else:
            counting = "Repeated responses of a user to an item counted once."
        text = (
            f"The rates of {self.counts['users']:,} users were compared. {counting} Standard "
            "errors come from the delta method with users as the unit (@deng2018), and "
            f"family-wise p-values from a max-T test with {self.n_permutations:,} permutations of "
            "the users. A chi-square test compared the numbers of users with the intended shares "
            f"(@fabijan2019), p = {self.sample_ratio_p:.2g}."
        )
        for note in self.notes:
            text += f" Note: {note}."
        return cite_in_text(text)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the rate of each arm with its interval; several responses get several colours.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw. Default: new axes.

        Returns
        -------
        Axes
            The axes with the drawing.
        """
        from receval.plots import online_intervals_map

        rates = self.arms[["rate", "low", "high"]].rename(columns={"rate": "value"})
        rates = rates.swaplevel().rename_axis(["system", "measure"])
        responses = rates.index.get_level_values("measure").unique().tolist()
        return online_intervals_map(rates, measures=responses, ax=ax)


class _ArmStatistics(NamedTuple):
    """The observed differences of the arms, and those under permutations.

    Attributes
    ----------
    rates, errors : array, shape (arms, responses)
        Rate of each arm, and its standard error.
    first, second : array of int, shape (pairs,)
        Codes of the arms of each pair.
    differences, difference_errors : array, shape (pairs, responses)
        Differences of the rates, and their standard errors.
    observed : array, shape (pairs, responses)
        Differences divided by their errors; NaN if the error is 0.
    permuted : array, shape (permutations, pairs, responses)
        The same for each permutation.
    """

    rates: FloatArray
    errors: FloatArray
    first: IntArray
    second: IntArray
    differences: FloatArray
    difference_errors: FloatArray
    observed: FloatArray
    permuted: FloatArray


def _read_log(
    log: TableLike, responses: list[str], user: str, system: str, item: str | None
) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns ``arm``, ``user``, ``item`` (if any) and the responses, and the arms' ids.

    Arms, users and items are codes from 0; the code of an arm is its position in the array of ids.
    The responses are degrees from 0 to 1, in columns "response 0", "response 1" and so on.
    """
    table = open_table(log, "log")
    names = {"arm": system, "user": user}
    if item is not None:
        names["item"] = item
    elif "item" in column_labels(table):
        names["item"] = "item"
    rows = pd.DataFrame()
    for kind, name in names.items():
        codes, ids = shared_code_arrays({"log": read_column(table, name, "log")}, name)
        present, rows[kind] = np.unique(codes["log"], return_inverse=True)
        if kind == "arm":
            arms = ids.take(present)
    for number, name in enumerate(responses):
        rows[_response_column(number)] = _log.grades(read_column(table, name, "log"), name)
    check_not_empty(rows, "log", "hold at least one row")
    return rows, arms


def _response_names(response: str | Sequence[str]) -> list[str]:
    """Return the columns of responses as a list; raise if there is none, or one occurs twice.

    ``response`` is one name, or a list of names.
    """
    if isinstance(response, str):
        return [response]
    is_list = isinstance(response, (list, tuple))
    check_that(is_list, "response", "be the name of a column, or a list of names", response)
    check_not_empty(response, "response", "name at least one column")
    check_unique(response, "response", "column")
    return [*response]


def _response_column(number: int) -> str:
    """Return the name of a response's column in the rows of `_read_log`."""
    return f"response {number}"


def _leave_out_users_of_several_arms(
    rows: pd.DataFrame, user: str, several_arms: str
) -> tuple[pd.DataFrame, int]:
    """Return the rows of users who are in one arm, and how many other users there are.

    Raises if there are others and ``several_arms`` is "error".
    """
    n_arms = rows.groupby("user")["arm"].nunique()
    is_in_several = n_arms > 1
    n_several = int(is_in_several.sum())
    if n_several > 0 and several_arms == "error":
        wrong_rows = np.flatnonzero(rows["user"].map(is_in_several))
        got = f"{n_several:,} users in several arms, in rows {format_first(wrong_rows)}"
        advice = "Find out why, or pass several_arms='drop' to leave them out and count them"
        raise input_error(user, "be in one arm only", got, advice)
    return rows[~rows["user"].map(is_in_several)], n_several


def _without_repeated_responses(
    rows: pd.DataFrame, responses: list[str]
) -> tuple[pd.DataFrame, int | None]:
    """Return the rows with repeated responses set to 0, and the number of these responses.

    A response is repeated if the user responded to the item in an earlier row. If the log has no
    items, the function returns the rows unchanged, and None.
    """
    if "item" not in rows:
        return rows, None
    once = rows.copy()
    n_repeated = 0
    for number in range(len(responses)):
        column = _response_column(number)
        responding = rows[rows[column] > 0]
        repeats = responding.index[responding.duplicated(["user", "item"])]
        once.loc[repeats, column] = 0.0
        n_repeated += len(repeats)
    return once, n_repeated


def _intended_shares(
    shares: Mapping[str, float] | Mapping[int, float] | str, arms: AnyArray
) -> FloatArray:
    """Return the intended share of each arm, in the order of ``arms``.

    Raises unless ``shares`` is "equal", or names exactly these arms and sums to 1.
    """
    labels = arms.tolist()
    if isinstance(shares, str):
        check_choice(shares, "shares", ("equal",))
        return np.full(len(labels), 1 / len(labels))
    rule = "be 'equal' or name the share of each arm"
    check_that(isinstance(shares, Mapping), "shares", rule, shares)
    if set(shares) != set(labels):
        raise input_error("shares", f"name the arms {format_first(labels)}", shorten([*shares]))
    intended = []
    for label, share in zip(labels, map(shares.__getitem__, labels), strict=True):
        name = f"shares[{label!r}]"
        intended.append(check_number(share, name, "a number above 0", lambda x: x > 0))
    total = sum(intended)
    check_that(abs(total - 1) < 1e-9, "shares", "sum to 1", total)
    return np.array(intended)


def _check_users(n_users: IntArray, arms: AnyArray, system: str) -> None:
    """Raise unless there are at least two arms, and each has at least two users."""
    check_that(len(arms) > 1, system, "name at least two arms", f"{len(arms)} arm")
    if n_users.min() < 2:
        got = f"fewer for {format_first(arms[n_users < 2].tolist())}"
        raise input_error(system, "have at least two users in each arm", got)


def _sample_ratio_p(n_users: IntArray, intended: FloatArray) -> float:
    """Return the p-value of the chi-square test of the numbers of users against the shares."""
    from scipy import stats

    return float(stats.chisquare(n_users, intended * n_users.sum()).pvalue)


def _user_terms(rows: pd.DataFrame, responses: list[str]) -> FloatArray:
    """Return what each user adds to the sums of the user's arm, shape (users, terms).

    Users are in the order of their arms' codes. The terms are, for a user with n impressions and
    the sum S of a response: n and n², and then S, S² and S n, each for all responses.
    """
    columns = [_response_column(number) for number in range(len(responses))]
    by_user = rows.groupby(["arm", "user"], sort=True)
    n = by_user.size().to_numpy(np.float64)[:, np.newaxis]
    sums = by_user[columns].sum().to_numpy()
    return np.hstack([n, n**2, sums, sums**2, sums * n])


def _rates_and_variances(sums: FloatArray, n_users: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the rate of each arm and its variance, by the delta method; shape (arms, responses).

    ``sums`` holds the sums of `_user_terms` over the users of each arm.
    """
    n, n_squared = sums[:, :1], sums[:, 1:2]
    response, response_squared, product = np.split(sums[:, 2:], 3, axis=1)
    rates = response / n
    # The sum of (S - rate * n)² over users; rounding may make it slightly negative.
    residuals = response_squared - 2 * rates * product + rates**2 * n_squared
    correction = (n_users / (n_users - 1))[:, np.newaxis]
    return rates, correction * np.maximum(residuals, 0) / n**2


def _test_arms(
    terms: FloatArray,
    n_users: IntArray,
    n_permutations: int,
    rng: np.random.Generator,
    *,
    progress: bool | None,
) -> _ArmStatistics:
    """Compute the rates, the differences of all pairs, and the same under permutations of users.

    ``terms`` is what `_user_terms` returns, and ``n_users`` the number of users of each arm.
    """
    first, second = np.array([*combinations(range(len(n_users)), 2)]).T
    # The users of an arm are consecutive rows of ``terms``, starting at this row. A permutation of
    # the rows assigns the users to the arms anew; reduceat adds up the rows of each arm.
    starts = np.cumsum(n_users) - n_users
    rates, variances = _rates_and_variances(np.add.reduceat(terms, starts), n_users)
    differences = rates[first] - rates[second]
    difference_errors = np.sqrt(variances[first] + variances[second])
    permuted = np.empty((n_permutations, *differences.shape))
    for draw in progress_bar(progress, range(n_permutations), desc="permutations"):
        sums = np.add.reduceat(terms[rng.permutation(len(terms))], starts)
        drawn_rates, drawn_variances = _rates_and_variances(sums, n_users)
        drawn_errors = np.sqrt(drawn_variances[first] + drawn_variances[second])
        permuted[draw] = divide_or_nan(drawn_rates[first] - drawn_rates[second], drawn_errors)
    return _ArmStatistics(
        rates=rates,
        errors=np.sqrt(variances),
        first=first,
        second=second,
        differences=differences,
        difference_errors=difference_errors,
        observed=divide_or_nan(differences, difference_errors),
        permuted=permuted,
    )


def _difference_table(
    statistics: _ArmStatistics,
    arms: AnyArray,
    responses: list[str],
    confidence: float,
    *,
    is_withheld: bool,
) -> pd.DataFrame:
    """Return the table `ArmComparison.table`; ``is_withheld`` withholds all verdicts."""
    sizes = np.abs(statistics.observed)  # shape (pairs, responses)
    # A permutation without any variation has no statistic, so it doesn't count as one that reaches
    # the observed statistic.
    permuted_sizes = np.nan_to_num(np.abs(statistics.permuted), nan=0.0)
    maxima = permuted_sizes.max(axis=(1, 2))
    is_reached = permuted_sizes >= sizes - ROUNDING
    is_reached_by_maximum = maxima[:, np.newaxis, np.newaxis] >= sizes - ROUNDING
    n_orders = len(maxima) + 1  # the observed assignment is one of them
    p = (1 + is_reached.sum(axis=0)) / n_orders
    p_family = (1 + is_reached_by_maximum.sum(axis=0)) / n_orders
    # Half the width of the intervals, which hold jointly.
    half = _critical_value(maxima, 1 - confidence) * statistics.difference_errors
    labels = arms.tolist()
    tables = {}
    for column, response in enumerate(responses):
        difference = statistics.differences[:, column]
        verdicts = []
        for pair in range(len(difference)):
            first, second = labels[statistics.first[pair]], labels[statistics.second[pair]]
            # An interval that only touches 0, or is NaN, decides nothing.
            if is_withheld:
                verdicts.append("withheld")
            elif difference[pair] > half[pair, column]:
                verdicts.append(f"{first} is higher")
            elif difference[pair] < -half[pair, column]:
                verdicts.append(f"{second} is higher")
            else:
                verdicts.append("undecided")
        is_defined = ~np.isnan(statistics.observed[:, column])
        tables[response] = pd.DataFrame(
            {
                "difference": difference,
                "low": difference - half[:, column],
                "high": difference + half[:, column],
                "z": statistics.observed[:, column],
                "p": np.where(is_defined, p[:, column], np.nan),
                "p_family": np.where(is_defined, p_family[:, column], np.nan),
                "verdict": verdicts,
            },
            pd.MultiIndex.from_arrays([arms[statistics.first], arms[statistics.second]]),
        )
    table: pd.DataFrame = pd.concat(tables, names=["response", "first", "second"])
    return table


def _critical_value(maxima: FloatArray, alpha: float) -> float:
    """Return the value that a statistic must exceed so that its p-value is at most ``alpha``.

    ``maxima`` holds the largest statistic of each permutation. The result is infinite if there are
    too few permutations for a p-value that small.
    """
    # A share of at most alpha of all assignments may reach the result. The observed assignment is
    # one of them, so subtract 1.
    n_reaching = int(np.floor(round(alpha * (len(maxima) + 1), 9))) - 1
    if n_reaching < 0:
        return np.inf
    return float(np.sort(maxima)[::-1][n_reaching])


def _arm_table(
    statistics: _ArmStatistics,
    rows: pd.DataFrame,
    n_users: IntArray,
    intended: FloatArray,
    arms: AnyArray,
    responses: list[str],
    confidence: float,
) -> pd.DataFrame:
    """Return the table `ArmComparison.arms`; ``rows`` are the impressions that count."""
    from scipy import stats

    by_arm = rows.groupby("arm")
    tables = {}
    for number, response in enumerate(responses):
        rates = statistics.rates[:, number]
        half = stats.t.ppf((1 + confidence) / 2, n_users - 1) * statistics.errors[:, number]
        tables[response] = pd.DataFrame(
            {
                "users": n_users,
                "share": n_users / n_users.sum(),
                "intended": intended,
                "impressions": by_arm.size().to_numpy(),
                "responses": by_arm[_response_column(number)].sum().to_numpy(),
                "rate": rates,
                "low": rates - half,
                "high": rates + half,
            },
            pd.Index(arms),
        )
    table: pd.DataFrame = pd.concat(tables, names=["response", "arm"])
    return table


def _notes_on_users(sample_ratio_p: float, n_dropped: int) -> list[str]:
    """Return a note if the split of the users is not as intended, and one if users are left out.

    ``n_dropped`` is the number of users who were in several arms.
    """
    notes = []
    if sample_ratio_p < SAMPLE_RATIO_ALPHA:
        notes.append(
            f"the users are not split as intended (p = {sample_ratio_p:.2g}), so the verdicts are "
            "withheld: find out why"
        )
    if n_dropped > 0:
        notes.append(f"{n_dropped:,} users were in several arms and are left out")
    return notes


def _notes_on_repeats(
    rows: pd.DataFrame,
    rows_once: pd.DataFrame,
    responses: list[str],
    arms: AnyArray,
    repeated: str,
) -> list[str]:
    """Return a note for each response whose repetitions decide which arm is best.

    ``rows`` has all responses, and ``rows_once`` has only the first one of a user to an item.
    """
    notes = []
    labels = arms.tolist()
    for number, response in enumerate(responses):
        column = _response_column(number)
        rates = rows.groupby("arm")[column].mean().to_numpy()
        rates_once = rows_once.groupby("arm")[column].mean().to_numpy()
        best = int(rates.argmax())
        best_once = int(rates_once.argmax())
        # Equal rates would make the choice of the best arbitrary.
        if rates[best] > rates[best_once] and rates_once[best_once] > rates_once[best]:
            notes.append(
                f"{response} is highest in {labels[best]!r} if each response counts, and in "
                f"{labels[best_once]!r} if repeated responses of a user to an item count once; "
                f"here they count {repeated!r}"
            )
    return notes


def _notes_on_clicks(log: TableLike) -> list[str]:
    """Return notes on clicks before their impression, from the counts of `attribute_clicks`.

    The counts are in the ``attrs`` of a pandas frame; other tables have none.
    """
    notes = []
    counts = getattr(log, "attrs", {}).get("counts", {}).get("clicks", {})
    n_early = counts.get("shown_later", 0)
    if n_early > 0:
        notes.append(f"{n_early:,} clicks come before their impression and don't count")
    n_within_grace = counts.get("within_grace", 0)
    if n_within_grace > 0:
        notes.append(
            f"{n_within_grace:,} clicks come before their impression, within the grace period, "
            "and count"
        )
    return notes
