"""Attribution of clicks and visits to the impressions before them."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pandas as pd

from receval._arrays import as_integers, as_numbers
from receval._checks import (
    MAX_EXAMPLES,
    AnyArray,
    IntArray,
    TableLike,
    check_choice,
    check_number,
    check_text,
    check_that,
    format_first,
    input_error,
    shorten,
)
from receval.splitting.tables import as_times
from receval.tables.columns import (
    check_no_rows,
    read_column,
    read_numbers,
    shared_codes,
    to_pandas,
)

SECONDS_PER_DAY = 86_400
DEFAULT_DELAYS = {"latest": 0.0, "program": 5.0}  # seconds, by rule


def attribute_visits(
    impressions: pd.DataFrame,
    visits: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    rule: str = "latest",
    min_delay: float | None = None,
    duplicates: str = "error",
    into: str = "visited",
) -> pd.DataFrame:
    """Mark the impressions that were followed by a visit of their item.

    A visit of an item that was recommended several times belongs to the most recent earlier
    recommendation. Visits of items that were not recommended before belong to none. They are
    counted, because people also find items by themselves.

    Parameters
    ----------
    impressions, visits : DataFrame
        One row per recommended item, and one per visit. Tables of pandas, or of any library with an
        Arrow interface, such as Polars.
    user, item, time, rule, min_delay, duplicates
        As in `impression_of`.
    into : str, default "visited"
        Name of the boolean column that is added.

    Returns
    -------
    DataFrame
        A pandas copy of ``impressions`` with the column ``into``. ``attrs["counts"]["visits"]``
        says how many visits were ``given`` and ``attributed``, how many ``impressions`` were
        marked, and how many of these are ``repeated``: their user had responded to the item before.
        It also counts the other visits by reason: ``never_shown`` (the user was never shown the
        item), ``shown_later`` (only later, or at the very time of the visit) and ``too_soon`` (too
        soon before the visit).

    Raises
    ------
    InputError
        If a column is missing, the column ``into`` exists already, an id or a time is missing or
        has another type than in the other log, or impressions are duplicates.

    References
    ----------
    Document 002, section IV-B.

    Examples
    --------
    >>> impressions = pd.DataFrame({"user": 1, "item": ["a", "a", "b"], "time": [10, 20, 20]})
    >>> visits = pd.DataFrame({"user": 1, "item": ["a", "c"], "time": [30, 40]})
    >>> shown = attribute_visits(impressions, visits)
    >>> shown["visited"].tolist()
    [False, True, False]
    >>> shown.attrs["counts"]["visits"]["never_shown"]
    1
    """
    table = to_pandas(impressions, "impressions")
    columns = [user, item, time]
    rows, shown, happened = _match(table, visits, "visits", columns, duplicates, rule, min_delay)
    return _mark(table, rows, into, "visits", _count(rows, shown, happened))


def attribute_clicks(
    impressions: pd.DataFrame,
    clicks: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    unmatched: str = "error",
    duplicates: str = "error",
    into: str = "clicked",
) -> pd.DataFrame:
    """Mark the impressions that were clicked.

    A click belongs to the latest impression of its item that is not later than the click. If there
    is none, the log is wrong, and the function raises, unless ``unmatched="count"``.

    Parameters
    ----------
    impressions, clicks : DataFrame
        One row per recommended item, and one per click, as in `attribute_visits`.
    user, item, time, duplicates
        As in `impression_of`.
    unmatched : {"error", "count"}, default "error"
        Whether to raise for clicks without an impression, or to leave them out and count them.
    into : str, default "clicked"
        Name of the boolean column that is added.

    Returns
    -------
    DataFrame
        A pandas copy of ``impressions`` with the column ``into``; ``attrs["counts"]["clicks"]``
        as in `attribute_visits`.

    Raises
    ------
    InputError
        If a click has no impression, or only later ones; see also the errors of
        `attribute_visits`.

    References
    ----------
    Document 002, section IV-B.

    Examples
    --------
    >>> impressions = pd.DataFrame({"user": 1, "item": ["a", "b"], "time": [10, 10]})
    >>> clicks = pd.DataFrame({"user": 1, "item": ["b"], "time": [12]})
    >>> attribute_clicks(impressions, clicks)["clicked"].tolist()
    [False, True]
    """
    check_choice(unmatched, "unmatched", ("error", "count"))
    table = to_pandas(impressions, "impressions")
    clicks = to_pandas(clicks, "clicks")  # once, because a stream can be read only once
    columns = [user, item, time]
    rows, shown, happened = _match(
        table, clicks, "clicks", columns, duplicates, allow_equal_times=True
    )
    counts = _count(rows, shown, happened)
    marked = _mark(table, rows, into, "clicks", counts)
    lost = np.flatnonzero(rows < 0)
    if unmatched == "error" and len(lost) > 0:
        first = clicks[columns].iloc[lost[:MAX_EXAMPLES]]
        got = (
            f"{len(lost)} that do not ({counts['shown_later']} of them before the first "
            f"impression), in rows {format_first(lost)}: {shorten(first.to_dict('records'), 300)}"
        )
        advice = "Fix the log, or pass unmatched='count' to leave them out and count them"
        raise input_error("clicks", "follow an impression of their item to their user", got, advice)
    return marked


def impression_of(
    impressions: pd.DataFrame,
    events: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    rule: str = "latest",
    min_delay: float | None = None,
    duplicates: str = "error",
) -> IntArray:
    """Return the impression that each event follows: an earlier one of the same user and item.

    Parameters
    ----------
    impressions, events : DataFrame
        One row per recommended item, and one per event; both with the columns named by
        ``user``, ``item`` and ``time``. Times are dates, or numbers of seconds.
    user, item, time : str
        Names of the columns.
    rule : {"latest", "program"}, default "latest"
        ``"latest"`` chooses the last impression before the event. ``"program"`` follows the
        authors' program and chooses the one with the smallest time difference *modulo one day*. So
        it prefers yesterday's impression at the same hour to an impression from this morning.
    min_delay : float, optional
        The event has to be more than this number of seconds, at most 1e9, later than the
        impression. Under ``"program"``, the difference is taken modulo one day. Default: 0, or 5
        under ``"program"``.
    duplicates : {"error", "last"}, default "error"
        What to do with several impressions of one item to one user at one time: raise, or
        choose the last row.

    Returns
    -------
    ndarray of int
        For each event the row number of its impression, or -1 if there is none.

    Raises
    ------
    InputError
        As in `attribute_visits`.

    References
    ----------
    Document 002, section IV-B.

    Examples
    --------
    A visit in hour 26 of the log; the impressions were 25 hours and 2 hours before:

    >>> impressions = pd.DataFrame({"user": 1, "item": "a", "time": [3_600, 86_400]})
    >>> events = pd.DataFrame({"user": [1], "item": ["a"], "time": [93_600]})
    >>> impression_of(impressions, events), impression_of(impressions, events, rule="program")
    (array([1]), array([0]))
    """
    table = to_pandas(impressions, "impressions")
    columns = [user, item, time]
    rows, _, _ = _match(table, events, "events", columns, duplicates, rule, min_delay)
    return rows


def _match(
    impressions: pd.DataFrame,
    events: TableLike,
    events_name: str,
    columns: list[str],
    duplicates: str,
    rule: str = "latest",
    min_delay: float | None = None,
    *,
    allow_equal_times: bool = False,
) -> tuple[IntArray, pd.DataFrame, pd.DataFrame]:
    """Return for each event the row of its impression, or -1, and both logs as `_read_logs` does.

    The arguments are those of `_read_logs` and of `impression_of`. With ``allow_equal_times``, an
    event may have the time of its impression.
    """
    check_choice(rule, "rule", DEFAULT_DELAYS)
    if min_delay is None:
        min_delay = DEFAULT_DELAYS[rule]
    seconds = check_number(
        min_delay, "min_delay", "a number of seconds from 0 to 1e9", lambda s: 0 <= s <= 1e9
    )
    shown, happened, units_per_second = _read_logs(
        impressions, events, events_name, columns, duplicates
    )
    if rule == "program":
        rows = _match_time_of_day(shown, happened, seconds, units_per_second)
    else:
        rows = _match_latest(
            shown, happened, seconds * units_per_second, allow_equal_times=allow_equal_times
        )
    return rows, shown, happened


def _count(rows: IntArray, shown: pd.DataFrame, happened: pd.DataFrame) -> dict[str, int]:
    """Return the counts of `attribute_visits` for the result of `_match`."""
    marked_pairs = shown["pair"][np.isin(shown["row"], rows)]
    # Find out why events have no impression. Apply the rule "latest" without a delay: if it finds
    # an impression, the item was shown too soon before the event.
    was_shown = happened["pair"].isin(shown["pair"]).to_numpy()
    was_shown_before = _match_latest(shown, happened, 0.0) >= 0
    reasons = np.where(was_shown, "shown_later", "never_shown")
    reasons[was_shown_before] = "too_soon"
    n_by_reason = pd.Series(reasons[rows < 0]).value_counts()
    return {
        "given": len(rows),
        "attributed": int((rows >= 0).sum()),
        "impressions": len(marked_pairs),
        "repeated": int(marked_pairs.duplicated().sum()),
        "never_shown": int(n_by_reason.get("never_shown", 0)),
        "shown_later": int(n_by_reason.get("shown_later", 0)),
        "too_soon": int(n_by_reason.get("too_soon", 0)),
    }


def _read_logs(
    impressions: pd.DataFrame,
    events: TableLike,
    events_name: str,
    columns: list[str],
    duplicates: str,
) -> tuple[pd.DataFrame, pd.DataFrame, int]:
    """Check both logs and code their users, items and times as numbers.

    ``columns`` are the names of the columns of users, items and times, and ``events_name`` is the
    name of the events in error messages.

    Returns
    -------
    shown : ``row`` (number), ``pair`` (code of user and item, the same in both logs) and ``when``
        (time as a number) of each impression.
    happened : ``event`` (row number), ``pair`` and ``when`` of each event.
    units_per_second : how many units of ``when`` make a second.

    Raises
    ------
    InputError
        If an id or a time is missing, if the two logs have ids or times of different kinds, or if
        ``duplicates`` is "error" and two impressions have the same user, item and time.
    """
    check_choice(duplicates, "duplicates", ("error", "last"))
    logs = {"impressions": impressions, events_name: to_pandas(events, events_name)}
    user, item, time = columns
    codes = {}
    for kind, label in (("user", user), ("item", item)):
        ids = {log: read_column(table, label, log) for log, table in logs.items()}
        codes_by_log, _ = shared_codes(ids, label)
        codes[kind] = np.concatenate([*codes_by_log.values()])
    when, units_per_second = _read_times(logs, time)
    # Rows of both logs, the impressions first.
    pairs = pd.DataFrame(codes).groupby(["user", "item"])
    both = pd.DataFrame({"pair": pairs.ngroup(), "when": when})
    shown = both[: len(impressions)].reset_index(names="row")
    happened = both[len(impressions) :].reset_index(drop=True).reset_index(names="event")
    repeated = np.flatnonzero(shown.duplicated(["pair", "when"]))
    if duplicates == "error" and len(repeated) > 0:
        first = impressions.iloc[repeated[0]][columns].to_dict()
        got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}: {first}, …"
        advice = "Remove them, or let the last one count with duplicates='last'"
        raise input_error("impressions", "not repeat an item to one user at one time", got, advice)
    return shown, happened, units_per_second


def _read_times(logs: dict[str, pd.DataFrame], name: str) -> tuple[AnyArray, int]:
    """Return the times of both logs as one array of numbers, and the number of units per second.

    ``name`` is the column of the times. Dates become microseconds, or nanoseconds if these aren't
    whole; numbers mean seconds. Raises if a time is missing, if one log has dates and the other
    numbers, if only one has time zones, or if int64 or float64 would round a time.
    """
    times_by_log, kinds = {}, []
    for log, table in logs.items():
        times = as_times(read_column(table, name, log), f"{name} of {log}")
        check_no_rows(times, times.isna().to_numpy(), f"{name} of {log}", "not be missing")
        if len(times) > 0:  # an empty column says nothing about the type of the times
            times_by_log[log] = times
            kinds.append(_kind_of_times(times))
    if len(set(kinds)) > 1:
        got = " and ".join(kinds)
        raise input_error(name, f"have one type in {' and '.join(times_by_log)}", got)
    if not times_by_log:
        return np.empty(0), 1
    if kinds[0] == "numbers":
        numbers = [read_numbers(times, f"{name} of {log}") for log, times in times_by_log.items()]
        if all(values.dtype.kind in "iu" for values in numbers):
            # Unsigned numbers have no negative differences.
            return np.concatenate([as_integers(values, name) for values in numbers]), 1
        return np.concatenate([as_numbers(values, name) for values in numbers]), 1
    # Dates without a time zone are compared as if all of them were in UTC.
    in_utc = [pd.DatetimeIndex(pd.to_datetime(times, utc=True)) for times in times_by_log.values()]
    unit: Literal["us", "ns"] = "us"
    units_per_second = 1_000_000
    if any(dates.nanosecond.any() for dates in in_utc):
        unit, units_per_second = "ns", 1_000_000_000
    try:
        return np.concatenate([dates.as_unit(unit).asi8 for dates in in_utc]), units_per_second
    except pd.errors.OutOfBoundsDatetime as error:
        rule = "have no date beyond 2262 if another one has nanoseconds"
        advice = "Round the times to microseconds first, such as with .dt.floor('us')"
        raise input_error(name, rule, shorten(str(error)), advice) from None


def _kind_of_times(times: pd.Series) -> str:
    """Say in words what kind of times these are: kinds that differ cannot be compared."""
    if pd.api.types.is_numeric_dtype(times):
        return "numbers"
    if times.dt.tz is None:
        return "dates"
    return "dates with a time zone"


def _match_latest(
    shown: pd.DataFrame, happened: pd.DataFrame, delay: float, *, allow_equal_times: bool = False
) -> IntArray:
    """Return for each event the row of the last impression that is old enough, or -1.

    An impression of the same user and item is old enough if it is more than ``delay`` units of time
    older than the event; with ``allow_equal_times``, exactly ``delay`` units are enough too.
    """
    # Integer times need an integer delay, or they would become inexact floats. Cutting off the
    # fraction of the delay, such as 2.5, changes no match: whole numbers that differ by more than 2
    # also differ by more than 2.5.
    latest = happened["when"] - happened["when"].dtype.type(delay)
    matches = pd.merge_asof(
        happened.assign(when=latest).sort_values("when"),
        # If several impressions have the same time, the last row is matched, because the sort is
        # stable.
        shown.sort_values("when", kind="stable"),
        on="when",
        by="pair",
        allow_exact_matches=allow_equal_times,
    )
    return _rows_by_event(matches.dropna(subset="row"), len(happened))


def _match_time_of_day(
    shown: pd.DataFrame, happened: pd.DataFrame, min_delay: float, units_per_second: int
) -> IntArray:
    """Return for each event the row of the earlier impression nearest in time of day, or -1.

    The function takes the delays from impressions of the same user and item to the event modulo one
    day, in whole seconds. The smallest one above ``min_delay`` wins. If two are equal modulo one
    day, the shorter delay wins.
    """
    # A row for each event and each impression of the same user and item.
    pairs = happened.merge(shown, on="pair", suffixes=("", "_shown"))
    pairs["delay"] = pairs["when"] - pairs["when_shown"]
    pairs["delay_modulo_day"] = pairs["delay"] // units_per_second % SECONDS_PER_DAY
    pairs = pairs[(pairs["delay"] > 0) & (pairs["delay_modulo_day"] > min_delay)]
    # Sort so that the best impression comes last. Of several impressions with the same time, the
    # last row wins, as under "latest".
    pairs = pairs.sort_values(["delay_modulo_day", "delay"], ascending=False)
    return _rows_by_event(pairs.drop_duplicates("event", keep="last"), len(happened))


def _rows_by_event(matches: pd.DataFrame, n_events: int) -> IntArray:
    """Return the matched ``row`` of each event, in the order of the events; -1 without a match."""
    rows = np.full(n_events, -1)
    rows[matches["event"]] = matches["row"]
    return rows


def _mark(
    impressions: pd.DataFrame, rows: IntArray, into: str, events_name: str, counts: dict[str, int]
) -> pd.DataFrame:
    """Return a copy of the impressions; the column ``into`` says whether an event belongs to each.

    ``rows`` holds the row of each event's impression, or -1. The counts are added to ``attrs``.
    """
    is_new_name = isinstance(into, str) and into not in impressions
    advice = f"There are {[*impressions]}"
    check_that(is_new_name, "into", "be the name of a new column", into, advice)
    check_text([into], "into")
    marked = impressions.assign(**{into: np.isin(np.arange(len(impressions)), rows)})
    # Counts of earlier calls stay: impressions may be marked by clicks, and then by visits.
    marked.attrs["counts"] = {**impressions.attrs.get("counts", {}), events_name: counts}
    return marked
