r"""On-line measures from a log: to what degree a system's ranking implies the users' responses.

Each impression is a pair of an object o and a user u, recommended at place p, with a response
h: clicked or not, visited later or not. With :math:`f = 1/\log_2(p+1)`, which is
:math:`f_k^{DG}(s_k(p))`, document 002 takes means over all pairs at the first k places:

============ ==================================================== =============================
measure      value of one pair                                    weight of the pair
============ ==================================================== =============================
``IL``       :math:`\min(1, 1 - f + h)` (Łukasiewicz)             1
``IG``       :math:`h` (Gödel; on clicks the click-through rate)  1
``IG_pos``   :math:`h`                                            :math:`f`
``IG_nov``   :math:`h`                                            :math:`1/|X_u|`, the column
                                                                  ``weight``
============ ==================================================== =============================

The authors' program computes other numbers; ``variant`` chooses the definition.

===================== ===================================================================
variant               differs from the equations in
===================== ===================================================================
``"equations"``       nothing
``"session_means"``   the sum of a session is divided by k (or by the weights of the first k
                      places), however long its list is, and the mean is over sessions
``"program"``         as ``"session_means"``, and: responses below place k count; Łukasiewicz
                      adds f in place of 1 - f; ``IG_pos`` divides by the weights of the
                      places that the session really has; ``IG_nov`` multiplies a session's
                      responses by the sum of their weights
===================== ===================================================================

``"session_means"`` and ``"equations"`` agree if every list has k places, and the rows of a session
all have the same weight.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    ROUNDING,
    as_finite,
    as_integers,
    as_numbers,
    divide_or_nan,
    without_rounding_noise,
)
from receval._checks import (
    AnyArray,
    FloatArray,
    IntArray,
    TableLike,
    as_generator,
    check_choice,
    check_count,
    check_none,
    check_that,
    format_first,
    input_error,
    shorten,
    warn,
)
from receval._table import WorkingTable
from receval.metrics.connectives.scaling import linear_score
from receval.significance.intervals import effective_number, ends_without_spread, resampled_sums
from receval.tables.columns import check_once, id_codes, to_pandas

MEASURES = ["IL", "IG", "IG_pos", "IG_nov"]
LEVEL = 0.95  # of the intervals
TOO_LARGE = 1e50  # smaller numbers can be multiplied, squared and added up without overflow


def online_measures(
    impressions: TableLike,
    *,
    k: int,
    response: str = "clicked",
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    variant: str = "equations",
    session: str = "session",
    user: str = "user",
    item: str = "item",
) -> pd.DataFrame:
    r"""Compute on-line measures of each system, from the places and responses in a log.

    .. math:: \mathcal{I}_L = \frac1n \sum \min\Big(1, 1 - \frac{1}{\log_2(p+1)} + h\Big)
              \qquad
              \mathcal{I}_{G,w} = \frac{\sum w h}{\sum w}

    with sums over the impressions of the system at places :math:`p \le k`; w is 1 for ``IG``,
    :math:`1/\log_2(p+1)` for ``IG_pos`` and the column ``weight`` for ``IG_nov``.

    Parameters
    ----------
    impressions : DataFrame
        One row per recommended item; a table of pandas, or of any library with an Arrow interface.
    k : int
        Number of places that count; in document 002 it is 6 on clicks and 20 on visits.
        Impressions at later places are left out and counted.
    response : str, default "clicked"
        Column of the response h: boolean, or 0 and 1, or a grade from 0 to 1, such as the share of
        an article that was read. `attribute_clicks` and `attribute_visits` add such a column.
    system, position : str
        Columns of the system, and of the place in its list, from 1.
    weight : str, optional
        Column of the weights in ``IG_nov``, at least 0; in the document :math:`1/|X_u|`, one
        over the number of items that the user has visited.
    variant : {"equations", "session_means", "program"}, default "equations"
        The definition, as described in this module.
    session, user, item : str
        Columns that identify a list and its items; those with the default names may be missing.
        Variants that average over sessions need ``session``; otherwise the columns help to find
        duplicates. If a session id occurs with several systems or users, it stands for several
        sessions.

    Returns
    -------
    DataFrame
        Systems in rows; ``IL``, ``IG``, ``IG_pos`` and ``IG_nov`` in columns. All are in [0, 1]
        under ``"equations"``. ``IG_nov`` is NaN without ``weight``, and if all weights are 0. All
        measures are NaN for a system that has no impression in the first k places.
        ``attrs["counts"]`` holds the numbers of ``impressions`` and ``responses``. For places after
        k, it has the numbers ``beyond_k`` (impressions) and ``responses_beyond_k``. If there are
        columns of users and items, it also holds ``responses_repeated``: responses of a user to an
        item that the user responded to before under the same system. If these decide which system
        is best, ``attrs["notes"]`` and an `EvaluationWarning` say so. There is another note if the
        lists of the systems end at different places within the first k.

    Raises
    ------
    InputError
        If there is no impression, a column is missing, a response is outside [0, 1], a place is not
        a whole number of at least 1, a weight is below 0, at least 1e50 or not finite, a session
        has an item or a place twice, or ``k`` is not a positive integer; or if grades are combined
        with a variant other than "equations".

    Notes
    -----
    According to eq. 12, the Gödel implicator of a yes-or-no response is the response itself, so
    ``IG`` is the click-through rate. With grades, ``IG`` is the mean of I(f(p), h): a response h
    counts fully if it is at least f(p) = 1/log2(p+1).

    References
    ----------
    Document 002, section IV-B, eq. 12, and section VI (graded responses).

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "position": [1, 2, 3], "clicked": [0, 0, 1]})
    >>> online_measures(log, k=6).round(4)
                IL      IG  IG_pos  IG_nov
    system
    A       0.4564  0.3333  0.2346     NaN
    """
    k = check_count(k, "k")
    rows, systems = read_log(
        impressions,
        response,
        system=system,
        position=position,
        weight=weight,
        user=user,
        session=session,
        item=item,
    )
    index = pd.Index(systems, name=system)
    table = _measure_systems(rows, k, variant, index)
    has_response = rows["response"] > 0
    is_beyond_k = rows["position"] > k
    counts = {
        "impressions": len(rows),
        "beyond_k": int(is_beyond_k.sum()),
        "responses": int(has_response.sum()),
        "responses_beyond_k": int((has_response & is_beyond_k).sum()),
    }
    notes = []
    last_places = rows.groupby("system")["position"].max().clip(upper=k)
    if last_places.min() < last_places.max():
        ends = [
            f"{place} for {shorten(label)}"
            for place, label in zip(last_places, systems, strict=True)
        ]
        notes.append(
            f"the lists end at different places ({format_first(ends)}), and longer lists get more "
            f"responses: compare the systems at k={last_places.min()}"
        )
    if "user" in rows and "item" in rows:
        is_repeated = rows[has_response].duplicated(["system", "user", "item"])
        is_repeated = is_repeated.reindex(rows.index, fill_value=False)
        counts["responses_repeated"] = int(is_repeated.sum())
        # Measure again without the repeated responses, and compare which system is best.
        once = rows.assign(response=rows["response"].mask(is_repeated, 0.0))
        notes_on_repeats = _notes_on_repeats(table, _measure_systems(once, k, variant, index))
        if notes_on_repeats:
            notes += notes_on_repeats
            warn(
                f"{is_repeated.sum()} of {counts['responses']} responses are repeated: "
                f"{'; '.join(notes_on_repeats)}",
                stacklevel=2,
            )
    table.attrs.update(counts=counts, notes=notes)
    return table


def _measure_systems(rows: pd.DataFrame, k: int, variant: str, index: pd.Index) -> pd.DataFrame:
    """Return the table of `online_measures` for checked rows; ``index`` holds the systems."""
    sums = _sum_measures(rows, rows["system"].to_numpy(), k, variant)
    return pd.DataFrame(divide_halves(sums), index, MEASURES)


def _sum_measures(
    rows: pd.DataFrame, group: IntArray, k: int, variant: str = "equations"
) -> FloatArray:
    """Return the numerators, then the denominators of `MEASURES`, with groups in rows.

    A measure is a numerator divided by its denominator. Both can be added up over groups, so a
    bootstrap can draw users at random. ``rows`` are those of `read_log`, ``group`` has the code of
    each row's group, such as its system, and ``variant`` is described in this module.
    """
    check_choice(variant, "variant", ("equations", "session_means", "program"))
    if variant != "equations":
        return _sum_over_sessions(rows, group, k, variant)
    is_within_k = (rows["position"] <= k).to_numpy()
    sums = _sum_terms(rows[is_within_k], group[is_within_k], int(group.max()) + 1)
    numerators = [sums["IL"], sums["IG"], sums["f IG"], sums["w IG"]]
    denominators = [sums["n"], sums["n"], sums["f"], sums["w"]]
    return np.array(numerators + denominators).T


def _sum_over_sessions(rows: pd.DataFrame, group: IntArray, k: int, variant: str) -> FloatArray:
    """Return the sums of `_sum_measures` for the variants "session_means" and "program".

    Each session has a value of each measure, and the result is their mean. So a numerator is the
    sum of these values, and a denominator the number of sessions, or the sum of their weights.
    """
    rule_end = f"when variant is {variant!r}"
    check_that("session" in rows, "session", f"be the name of a column {rule_end}", [*rows])
    response = rows["response"].to_numpy()
    check_none(response, (response != 0) & (response != 1), "response", f"be 0 or 1 {rule_end}")
    session = rows["session"].to_numpy()
    n_sessions = int(session.max()) + 1
    if variant == "session_means":
        is_within_k = (rows["position"] <= k).to_numpy()
        sums = _sum_terms(rows[is_within_k], session[is_within_k], n_sessions)
        weight_sum = _sums_of_weights(k)[-1]
        values = [sums["IL"] / k, sums["IG"] / k, sums["f IG"] / weight_sum, sums["w IG"] / k]
    else:
        sums = _sum_terms(rows, session, n_sessions)  # responses below place k count
        values = _values_of_program(sums, k)
    one_session = np.ones(n_sessions)
    # A session may have no impression at the first k places; then its sums are 0.
    mean_weight = sums["w"] / np.maximum(sums["n"], 1)
    denominators = [one_session, one_session, one_session, mean_weight]
    group_by_session = pd.Series(group).groupby(session).first().to_numpy()
    by_session = pd.DataFrame(np.array(values + denominators).T)
    return by_session.groupby(group_by_session).sum().to_numpy()


def _values_of_program(sums: dict[str, FloatArray], k: int) -> list[FloatArray]:
    """Return `MEASURES` of each session under "program", from the sums of `_sum_terms`."""
    weight_sums = _sums_of_weights(k)
    implied = weight_sums[-1] + sums["f IG"]  # adds f in place of 1 - f
    n_places = np.minimum(sums["n"], k).astype(int)  # that the session really has
    novelty = sums["IG"] * sums["w IG"]
    return [implied / k, sums["IG"] / k, sums["f IG"] / weight_sums[n_places - 1], novelty / k]


def _sums_of_weights(k: int) -> FloatArray:
    """Return the sums of the weights f of the first 1, 2, ..., k places."""
    return np.cumsum(1 / np.log2(np.arange(1, k + 1) + 1))


def _sum_terms(rows: pd.DataFrame, group: IntArray, n_groups: int) -> dict[str, FloatArray]:
    """Return sums over the impressions of each group, by the name of what is added up.

    ``n`` counts impressions. The others have the names of the module's table: the degree ``f`` of
    the place, the user's weight ``w`` (NaN if the log has none), the values ``IL`` and ``IG`` of an
    impression, and products of these.
    """
    # Equal impressions are counted first, so that the sums don't depend on the order of rows.
    impressions = rows.filter(["position", "response", "weight"]).assign(group=group)
    kinds = impressions.groupby([*impressions], sort=True).size().reset_index(name="count")
    f = 1 / np.log2(kinds["position"] + 1)
    h = kinds["response"]
    w = kinds.get("weight", np.nan)
    goedel = h.mask(f <= h, 1.0)
    terms = {
        "n": 1.0,
        "f": f,
        "w": w,
        "IL": np.minimum(1, 1 - f + h),  # `lukasiewicz` without its checks, as degrees are known
        "IG": goedel,
        "f IG": f * goedel,
        "w IG": w * goedel,
    }
    return {
        name: np.bincount(kinds["group"], term * kinds["count"], n_groups).astype(np.float64)
        for name, term in terms.items()
    }


def _notes_on_repeats(table: pd.DataFrame, table_once: pd.DataFrame) -> list[str]:
    """Return a note for each measure whose best system changes if repeated responses count once.

    ``table`` counts all responses, and ``table_once`` counts each response of a user to an item
    once.
    """
    notes = []
    systems = table.index.tolist()
    for measure in table.columns[table.notna().all()]:
        values = without_rounding_noise(table[measure].to_numpy())
        values_once = without_rounding_noise(table_once[measure].to_numpy())
        best, best_once = values.argmax(), values_once.argmax()
        # Equal values would make the choice of the best arbitrary.
        is_better = values[best] > values[best_once]
        if is_better and values_once[best_once] > values_once[best]:
            notes.append(
                f"{measure} is best for {systems[best]!r} if repeated responses of a user to an "
                f"item count, and for {systems[best_once]!r} if they count once"
            )
    return notes


def terms_by_user(rows: pd.DataFrame, k: int) -> tuple[FloatArray, IntArray]:
    """Return numerators, then denominators of `MEASURES`, with users in rows, and their systems.

    A measure of some users is the sum of its numerators divided by that of its denominators. A
    person who used two systems counts as a user of each. The systems are codes.
    """
    user_codes = number_groups(rows[["system", "user"]])
    system_by_user = rows["system"].groupby(user_codes).first().to_numpy()
    return _sum_measures(rows, user_codes, k), system_by_user


def divide_halves(sums: FloatArray) -> FloatArray:
    """Divide the first half of the last axis, numerators, by the second; NaN where that is 0."""
    numerators, denominators = np.split(sums, 2, axis=-1)
    return divide_or_nan(numerators, denominators)


def online_intervals(
    impressions: TableLike,
    *,
    k: int,
    response: str = "clicked",
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    user: str = "user",
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """Compute on-line measures with 95 % confidence intervals, by bootstrap over users.

    Impressions of one user depend on each other, so the function draws users of each system, with
    replacement and with all their impressions. The ends of the interval are percentiles of the
    measure over the draws.

    Parameters
    ----------
    impressions, k, response, system, position, weight
        As in `online_measures`.
    user : str
        Column of the users.
    n_resamples : int, default 2000
        Number of draws. The time grows with the number of draws times the number of users.
    rng : Generator or int, optional
        Source of randomness, or a seed for one.

    Returns
    -------
    DataFrame
        Indexed by (system, measure), with the columns ``value`` (that of `online_measures`),
        ``low`` and ``high``. Draws in which a measure is undefined are left out. If all responses
        of a system are 0, or all are 1, the draws can't say how certain a measure is. A measure of
        0 or 1 then gets Wilson's interval of a proportion, which takes users as outcomes. Any other
        measure has an interval of NaN.

    Warns
    -----
    EvaluationWarning
        If a measure has no interval, because all responses or all users' values are equal.

    Raises
    ------
    InputError
        As in `online_measures`; also if ``n_resamples`` is not a positive integer.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13. Wilson (1927), Probable
    inference, the law of succession, and statistical inference.

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "user": range(100), "position": 1})
    >>> log["clicked"] = log["user"] < 20
    >>> online_intervals(log, k=6, rng=0).loc[("A", "IG")].round(2).tolist()
    [0.2, 0.12, 0.28]
    """
    k = check_count(k, "k")
    n_draws = check_count(n_resamples, "n_resamples")
    generator = as_generator(rng, may_be_none=True)
    rows, systems = read_log(
        impressions, response, system=system, position=position, weight=weight, user=user
    )
    check_that("user" in rows, "user", "be the name of a column, since users are drawn", user)
    terms_of_users, system_by_user = terms_by_user(rows, k)
    within_k = rows[rows["position"] <= k]
    n_responses = within_k.groupby("system")["response"].nunique()  # different ones
    tables = {}
    for code, label in enumerate(systems):
        terms = terms_of_users[system_by_user == code]
        has_one_response = n_responses.get(code) == 1
        tables[label] = _system_intervals(
            terms, n_draws, generator, has_one_response=has_one_response
        )
    table: pd.DataFrame = pd.concat(tables, names=[system, "measure"])
    without_interval = table.index[table["value"].notna() & table["low"].isna()].tolist()
    if without_interval:
        warn(
            f"there is no interval for {format_first(without_interval)}: all responses or all "
            "users' values are equal, which doesn't make the measure certain",
            stacklevel=2,
        )
    return table


def _system_intervals(
    terms: FloatArray, n_draws: int, rng: np.random.Generator, *, has_one_response: bool
) -> pd.DataFrame:
    """Return ``value``, ``low`` and ``high`` of the measures of a system, from its users' terms.

    ``terms`` has users in rows, and ``has_one_response`` says whether all responses are equal.
    """
    value = divide_halves(terms.sum(axis=0))
    # The values of the draws: draws in rows, measures in columns. quantile() ignores NaN.
    drawn_values = pd.DataFrame(divide_halves(resampled_sums(terms, n_draws, rng)))
    low, high = drawn_values.quantile([(1 - LEVEL) / 2, (1 + LEVEL) / 2]).to_numpy(copy=True)
    # If the responses don't differ, the draws only vary the lists, and if no user's values differ
    # from the mean, they vary nothing.
    numerators, denominators = np.split(terms, 2, axis=-1)
    deviations = np.abs(numerators - value * denominators).max(axis=0)
    has_no_spread = deviations <= ROUNDING * np.abs(numerators).max(axis=0)
    for measure in np.flatnonzero((has_no_spread | has_one_response) & ~np.isnan(value)):
        n_users = effective_number(denominators[:, measure])
        low[measure], high[measure] = ends_without_spread(value[measure], n_users, LEVEL)
    return pd.DataFrame({"value": value, "low": low, "high": high}, MEASURES)


def online_terms(
    impressions: TableLike, *, response: str = "clicked", k: int, position: str = "position"
) -> pd.DataFrame:
    """List what each impression adds to the measures: the working of `online_measures`.

    Parameters
    ----------
    impressions, response, k, position
        As in `online_measures`.

    Returns
    -------
    DataFrame
        One row per impression of the first k places, with the log's index. The
        columns are the place ``p``, its score ``s`` = (k + 1 - p) / k, ``f`` = 1/log2(p + 1),
        the response ``h``, and its Łukasiewicz value ``IL`` and Gödel value ``IG``. The measures
        ``IL`` and ``IG`` are the means of the last two columns; ``IG_pos`` is the mean of ``IG``
        with the weights ``f``.

    Raises
    ------
    InputError
        As in `online_measures`.

    References
    ----------
    Document 002, eq. 6, 7 and 12.

    Examples
    --------
    >>> log = pd.DataFrame({"position": [1, 6], "clicked": [True, False]})
    >>> online_terms(log, k=6).round(3)
       p      s      f    h     IL   IG
    0  1  1.000  1.000  1.0  1.000  1.0
    1  6  0.167  0.356  0.0  0.644  0.0
    """
    k = check_count(k, "k")
    table, rows = read_responses(impressions, response, position)
    is_within_k = (rows["position"] <= k).to_numpy()
    p = rows["position"].to_numpy()[is_within_k]
    h = rows["response"].to_numpy()[is_within_k]
    f = 1 / np.log2(p + 1)
    terms = {
        "p": p,
        "s": linear_score(p, k),
        "f": f,
        "h": h,
        "IL": np.minimum(1, 1 - f + h),
        "IG": np.where(f <= h, 1.0, h),
    }
    return WorkingTable(terms, table.index[is_within_k])


def read_log(
    impressions: TableLike,
    response: str,
    *,
    system: str,
    position: str,
    weight: str | None = None,
    user: str = "user",
    session: str = "session",
    item: str = "item",
) -> tuple[pd.DataFrame, AnyArray]:
    """Return the columns that the measures need, and the ids of the systems.

    The arguments are the names of the columns. Columns called "user", "session" and "item" are
    optional.

    The frame has the columns ``system``, ``position`` and ``response``, and ``user``, ``session``,
    ``item`` and ``weight`` if the log has them. Ids are codes from 0; the code of a system is its
    position in the array of ids. Responses are degrees from 0 to 1. Rows of different systems or
    users never share a session, even if the log has the same id for both.

    Raises
    ------
    InputError
        If the log is empty, a value is invalid, or a session has an item or a position twice.
    """
    table, rows = read_responses(impressions, response, position)
    ids = {"system": system}  # columns of ids to read
    for kind, name in {"user": user, "session": session, "item": item}.items():
        has_default_name = isinstance(name, str) and name == kind
        if not has_default_name or kind in table:  # a column with the default name may be missing
            ids[kind] = name
    check_columns(table, [*ids.values()], "impressions")
    distinct = {}
    for kind, name in ids.items():
        rows[kind], distinct[kind] = id_codes(table[name], f"{name} of impressions")
    if weight is not None:
        check_columns(table, [weight], "impressions")
        weights = read_summable(table[weight], weight)
        check_none(weights, weights < 0, weight, "be at least 0")
        rows["weight"] = weights
    if "session" in rows:
        rows["session"] = number_groups(rows.filter(["system", "user", "session"]))
        for kind, name in {"position": position, "item": item}.items():
            repeated = np.flatnonzero(rows.filter(["session", kind]).duplicated())
            if kind in rows and len(repeated) > 0:
                got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}"
                advice = "Remove duplicate impressions, or name the session column with session="
                raise input_error(name, "not repeat within a session", got, advice)
    return rows, distinct["system"]


def read_responses(
    impressions: TableLike, response: str, position: str
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a log as a pandas table, and its columns ``position`` and ``response``, checked.

    Places in lists become integers; booleans become 0 and 1. Raises if the log is empty, a place is
    below 1, or a response is not from 0 to 1.
    """
    table = to_pandas(impressions, "impressions")
    check_columns(table, [position, response], "impressions")
    check_that(len(table) > 0, "impressions", "have at least one row", "none")
    places = as_integers(table[position].to_numpy(), position)
    check_none(places, places < 1, position, "be at least 1", "The first place is 1")
    grades = read_grades(table[response], response)
    return table, pd.DataFrame({"position": places, "response": grades})


def check_columns(table: pd.DataFrame, labels: list[str], name: str) -> None:
    """Raise unless the table has each of the columns exactly once; ``name`` is the table's name."""
    for label in labels:
        check_once(label, table.columns.tolist(), name)


def number_groups(rows: pd.DataFrame) -> IntArray:
    """Return a code from 0 for each row: equal rows get equal codes, greater rows higher codes."""
    return rows.groupby([*rows], sort=True).ngroup().to_numpy().astype(np.int64, copy=False)


def read_summable(values: npt.ArrayLike, name: str) -> FloatArray:
    """Return finite numbers; raise if one is so large that sums or squares could overflow."""
    numbers = as_finite(values, name)
    rule = f"be between -{TOO_LARGE:g} and {TOO_LARGE:g}"
    advice = "Divide all of them by one large number first"
    check_none(numbers, np.abs(numbers) >= TOO_LARGE, name, rule, advice)
    return numbers


def read_grades(column: pd.Series, name: str) -> FloatArray:
    """Return responses as degrees from 0 to 1; raise for other values. Booleans become 0 and 1."""
    if column.dtype == bool:
        return column.to_numpy(np.float64)
    degrees = as_numbers(column.to_numpy(), name)
    # This is true for NaN too, because comparisons with NaN are false.
    is_outside = ~((degrees >= 0) & (degrees <= 1))
    advice = "Grades in between are allowed too: divide other numbers by their largest value"
    check_none(degrees, is_outside, name, "be boolean, or 0 and 1", advice)
    return degrees
