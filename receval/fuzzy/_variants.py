"""The sums behind the on-line measures, for each variant of their definition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    as_answer,
    as_finite,
    divide_or_nan,
    without_rounding_noise,
)
from receval._checks import FloatArray, IntArray, check_choice, check_none, input_error
from receval.metrics.connectives import goedel, lukasiewicz
from receval.metrics.connectives.degrees import Connective, answer
from receval.metrics.discounts import Discount, shifted_log2


class OnlineMeasure(NamedTuple):
    """A weighted mean of implications: how far the place of each impression implies its response.

    Attributes
    ----------
    name : name of the measure, which is a column of tables.
    implicator : I(b, h), where b is the degree of the place and h the response.
    weight : a function of places, the column of the log's rows that holds the weight of each
        impression, or None if all weigh the same.
    """

    name: str
    implicator: Connective
    weight: Discount | str | None = None


DOCUMENT_MEASURES = (
    OnlineMeasure("IL", lukasiewicz),
    OnlineMeasure("IG", goedel),
    OnlineMeasure("IG_pos", goedel, shifted_log2),
    OnlineMeasure("IG_nov", goedel, "weight"),
)
MEASURES = tuple(measure.name for measure in DOCUMENT_MEASURES)


def measure_systems(
    log: pd.DataFrame,
    k: int,
    variant: str,
    measures: Sequence[OnlineMeasure] = DOCUMENT_MEASURES,
    f: Discount = shifted_log2,
) -> dict[str, FloatArray]:
    """Return the values of all systems by measure, in order of the systems' codes.

    ``log`` holds impressions, as `receval.fuzzy._log.read` returns them. See `measure_fractions`
    for the other arguments.
    """
    group = log["system"].to_numpy()
    numerators, denominators = measure_fractions(log, k, variant, group, measures, f)
    names = [measure.name for measure in measures]
    return dict(zip(names, divide_or_nan(numerators, denominators), strict=True))


def notes_on_repeats(values: pd.DataFrame, values_once: pd.DataFrame) -> list[str]:
    """Return a note for each measure whose best system changes if repeated responses count once.

    ``values`` counts all responses, and ``values_once`` counts each response of a user to an item
    once. Both have systems in rows and measures in columns.
    """
    notes = []
    measures = values.columns[values.notna().all()]  # measures with a value for every system
    values = values.apply(_without_noise)
    values_once = values_once.apply(_without_noise)
    # tolist converts NumPy's numbers to Python's, so that a note says 8 and not np.int64(8).
    best_systems = values[measures].idxmax().tolist()
    best_systems_once = values_once[measures].idxmax().tolist()
    for measure, best, best_once in zip(measures, best_systems, best_systems_once, strict=True):
        all_responses = values[measure]
        first_responses = values_once[measure]
        # Equal values would make the choice of the best arbitrary.
        is_better = all_responses[best] > all_responses[best_once]
        is_worse_once = first_responses[best_once] > first_responses[best]
        if is_better and is_worse_once:
            notes.append(
                f"{measure} is best for {best!r} if repeated responses of a user to an item count, "
                f"and for {best_once!r} if they count once"
            )
    return notes


def _without_noise(column: pd.Series) -> pd.Series:
    """Make the values of systems equal if they differ by rounding only."""
    return pd.Series(without_rounding_noise(column.to_numpy()), column.index)


def measure_fractions(
    rows: pd.DataFrame,
    k: int,
    variant: str,
    group: IntArray,
    measures: Sequence[OnlineMeasure] = DOCUMENT_MEASURES,
    f: Discount = shifted_log2,
) -> FloatArray:
    """Return numerators and denominators of the measures, shape (2, measures, groups).

    A measure is a numerator divided by its denominator. Both can be added up over groups, so a
    bootstrap can draw users at random.

    Parameters
    ----------
    rows : DataFrame
        Impressions, as `receval.fuzzy._log.read` returns them.
    k : int
        Number of places that count.
    variant : str
        Definition, one of those that `receval.fuzzy.online` describes. Only "equations" works with
        measures or an f that are not the document's own.
    group : array of int
        Code of each impression's group, such as its system.
    measures : sequence of OnlineMeasure
        The measures, in the order of the result.
    f : callable
        Function from places to degrees of truth.

    Raises
    ------
    InputError
        If the variant is unknown, if it needs sessions and there are none, or if it needs yes-or-no
        responses and there are grades.
    """
    check_choice(variant, "variant", ("equations", "session_means", "program"))
    if variant == "equations":
        return _impression_fractions(rows, k, group, measures, f)
    rule_start = f"when variant is {variant!r}"
    if "session" not in rows:
        rule = f"be the name of a column {rule_start}"
        raise input_error("session", rule, "None and no column 'session'")
    response = rows["response"].to_numpy()
    check_none(response, (response != 0) & (response != 1), "response", f"be 0 or 1 {rule_start}")
    return _session_fractions(rows, k, group, is_program=variant == "program")


def place_values(function: Discount, positions: IntArray, name: str) -> FloatArray:
    """Return the value of a function of places, such as a weight, at each of the positions.

    Raises unless all values are finite and at least 0. The error calls the function ``name``.
    """
    places = positions.astype(np.float64)
    values = as_finite(as_answer(function(places), places.shape, name), name)
    check_none(values, values < 0, f"value of {name}", "be at least 0")
    return values


def _impression_fractions(
    rows: pd.DataFrame,
    k: int,
    group: IntArray,
    measures: Sequence[OnlineMeasure],
    f: Discount,
) -> FloatArray:
    """Return the fractions of `measure_fractions` for means over impressions.

    Equal impressions are counted first, so that the sums do not depend on the order of rows.
    """
    weight_columns = [name for name in rows if str(name).startswith("weight")]
    impressions = rows[["position", "response", *weight_columns]].assign(group=group)
    impressions = impressions[impressions["position"] <= k]
    kinds = impressions.groupby([*impressions], sort=True).size().reset_index(name="count")
    positions = kinds["position"].to_numpy()
    response = kinds["response"].to_numpy()
    group_by_kind = kinds["group"].to_numpy()
    count = kinds["count"].to_numpy()
    n_groups = int(group.max()) + 1  # includes groups without an impression at these places
    degrees = place_values(f, positions, "f")
    check_none(degrees, degrees > 1, "value of f", "be in [0, 1]")
    fractions = np.empty((2, len(measures), n_groups))
    for row, measure in enumerate(measures):
        truth = answer(measure.implicator, degrees, response, f"implicator of {measure.name}")
        weight: FloatArray
        if measure.weight is None:
            weight = np.ones(len(kinds))
        elif not isinstance(measure.weight, str):
            weight = place_values(measure.weight, positions, f"weight of {measure.name}")
        elif measure.weight in kinds:
            weight = kinds[measure.weight].to_numpy()
        else:  # the log has no such weights, so the measure is undefined
            weight = np.full(len(kinds), np.nan)
        fractions[0, row] = _sum_by_code(group_by_kind, weight * truth * count, n_groups)
        fractions[1, row] = _sum_by_code(group_by_kind, weight * count, n_groups)
    return fractions


def _session_fractions(
    rows: pd.DataFrame, k: int, group: IntArray, *, is_program: bool
) -> FloatArray:
    """Return the fractions of `measure_fractions` for the variants with means over sessions.

    Each session has a value of each measure. The numerators are the sums of these values over the
    sessions of a group, and the denominators the numbers of sessions. If ``is_program`` is true,
    the variant is "program", otherwise "session_means".
    """
    session = rows["session"].to_numpy()
    group_by_session = pd.Series(group).groupby(session).first().to_numpy()
    # The sum of the weights f of the first 1, 2, ..., k positions.
    weight_sums: FloatArray = np.cumsum(shifted_log2(np.arange(1, k + 1)))
    position_weights: FloatArray
    if is_program:
        sums = _sum_impressions(rows, session, None)  # responses below position k count
        implied = weight_sums[-1] + sums["fh"]  # adds f in place of 1 - f
        novelty = sums["h"] * sums["wh"]
        list_lengths = np.minimum(sums["n"], k).astype(int)
        position_weights = weight_sums[list_lengths - 1]
    else:
        sums = _sum_impressions(rows, session, k)
        implied = sums["L"]
        novelty = sums["wh"]
        position_weights = weight_sums[-1]
    ones = np.ones(len(group_by_session))
    # A session may have no impression at the first k positions; then its sums are 0.
    mean_weight = sums["w"] / np.maximum(sums["n"], 1)
    # In the order of MEASURES.
    session_numerators = [implied / k, sums["h"] / k, sums["fh"] / position_weights, novelty / k]
    session_denominators = [ones, ones, ones, mean_weight]
    numerators = [_sum_by_code(group_by_session, terms) for terms in session_numerators]
    denominators = [_sum_by_code(group_by_session, terms) for terms in session_denominators]
    return np.array([numerators, denominators])


def _sum_impressions(rows: pd.DataFrame, unit: IntArray, k: int | None) -> dict[str, FloatArray]:
    """Sum over the impressions of each unit, such as a session, at the first ``k`` positions.

    ``unit`` holds the code of each impression's unit. If ``k`` is None, all positions count. Each
    sum has the name of its terms, written with the weight f of the position, the response h and the
    user's weight w: ``h``, ``f``, ``fh``, ``w`` and ``wh``. Also, ``n`` is the number of
    impressions, and ``L`` is the sum of min(1, 1 - f + h). Without weights, ``w`` and ``wh`` are
    NaN.

    Equal impressions are counted first, so that the sums do not depend on the order of rows.
    """
    impressions = rows.filter(["position", "response", "weight"]).assign(unit=unit)
    if k is not None:
        impressions = impressions[impressions["position"] <= k]
    groups = impressions.groupby([*impressions], sort=True).size().reset_index(name="count")
    f = shifted_log2(groups["position"].to_numpy())
    h = groups["response"].to_numpy()
    w = np.full(len(groups), np.nan)
    if "weight" in groups:
        w = groups["weight"].to_numpy()
    terms: dict[str, npt.NDArray[np.generic]] = {
        "n": np.ones(len(groups)),
        "L": lukasiewicz(f, h),
        "h": h,
        "f": f,
        "fh": f * h,
        "w": w,
        "wh": w * h,
    }
    unit_by_group = groups["unit"].to_numpy()
    count = groups["count"].to_numpy()
    n_units = int(unit.max()) + 1  # includes units without an impression at these positions
    sums = {}
    for name, values in terms.items():
        sums[name] = _sum_by_code(unit_by_group, np.multiply(values, count), n_units)
    return sums


def _sum_by_code(codes: IntArray, values: npt.ArrayLike, n_codes: int = 0) -> FloatArray:
    """Return the sum of the values of each code; the result has at least ``n_codes`` entries."""
    return np.asarray(np.bincount(codes, values, n_codes), np.float64)
