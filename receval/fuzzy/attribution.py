"""Attribution of clicks and visits to the impressions before them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._arrays import as_finite
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
from receval.fuzzy import _log
from receval.tables.columns import read_column, to_pandas
from receval.tables.ids import shared_codes

__all__ = ["attribute_clicks", "attribute_visits", "impression_of"]

SECONDS_PER_DAY = 86_400
DEFAULT_DELAYS = {"latest": 0.0, "program": 5.0}  # seconds, by rule
MAX_DELAY = 2.0**62  # longer delays are cut to this, so that no 64-bit number overflows


def attribute_visits(
    impressions: pd.DataFrame,
    visits: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    rule: str = "latest",
    min_delay: float | None = None,
    max_delay: float | None = None,
    order: str | None = None,
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
    user, item, time, rule, min_delay, max_delay, order, duplicates
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
        soon before the visit). With ``max_delay``, there is a further reason, ``too_long_before``.

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
    logs = _read_logs(impressions, visits, [user, item, time], "visits", duplicates, order)
    return _mark(logs, _match_events(logs, rule, min_delay, max_delay), into, max_delay)


def attribute_clicks(
    impressions: pd.DataFrame,
    clicks: pd.DataFrame,
    *,
    user: str = "user",
    item: str = "item",
    time: str = "time",
    max_delay: float | None = None,
    grace: float = 0.0,
    order: str | None = None,
    unmatched: str = "error",
    duplicates: str = "error",
    into: str = "clicked",
) -> pd.DataFrame:
    """Mark the impressions that were clicked.

    A click belongs to the latest impression of its item that is not later than the click. If there
    is none, the log is wrong, and the function raises, unless ``unmatched="count"``. Clocks of
    browsers and servers differ, so a few clicks may seem to come before their impression. ``grace``
    is the number of seconds by which you allow a click to come too early.

    Parameters
    ----------
    impressions, clicks : DataFrame
        One row per recommended item, and one per click, as in `attribute_visits`.
    user, item, time, max_delay, order, duplicates
        As in `impression_of`.
    grace : float, default 0
        Seconds by which a click may come before its impression. Such a click belongs to the first
        impression after it, if none is before it.
    unmatched : {"error", "count"}, default "error"
        Whether to raise for clicks without an impression, or to leave them out and count them.
    into : str, default "clicked"
        Name of the boolean column that is added.

    Returns
    -------
    DataFrame
        A pandas copy of ``impressions`` with the column ``into``; ``attrs["counts"]["clicks"]``
        as in `attribute_visits`. With a ``grace``, it also counts the clicks ``within_grace``,
        which are among the attributed ones.

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
    columns = [user, item, time]
    seconds_of_grace = check_number(grace, "grace", "a number of at least 0", lambda s: s >= 0)
    logs = _read_logs(impressions, clicks, columns, "clicks", duplicates, order)
    matched_rows = _match_events(logs, "latest", None, max_delay, allow_equal_times=True)
    is_early = np.zeros(len(matched_rows), bool)
    if seconds_of_grace > 0:
        next_rows = _match_next(logs, seconds_of_grace)
        is_early = (matched_rows < 0) & (next_rows >= 0)
        matched_rows = np.where(is_early, next_rows, matched_rows)
    marked = _mark(logs, matched_rows, into, max_delay)
    if seconds_of_grace > 0:
        marked.attrs["counts"]["clicks"]["within_grace"] = int(is_early.sum())
    lost = np.flatnonzero(matched_rows < 0)
    if unmatched == "error" and len(lost) > 0:
        first = logs.events.iloc[lost[:MAX_EXAMPLES]][columns].to_dict("records")  # for the message
        n_early = marked.attrs["counts"]["clicks"]["shown_later"]
        got = (
            f"{len(lost)} that do not ({n_early} of them before the first impression), in rows "
            f"{format_first(lost)}: {shorten(first, 300)}"
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
    max_delay: float | None = None,
    order: str | None = None,
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
        The event has to be more than this number of seconds later than the impression. Under
        ``"program"``, the difference is taken modulo one day. Default: 0, or 5 under ``"program"``.
    max_delay : float, optional
        The event may be at most this number of seconds later than the impression. Default: no
        limit.
    order : str, optional
        Column of numbers, in both logs, that orders rows with the same time, such as line numbers
        if the times are in whole seconds. An impression at the time of the event counts as earlier
        if its number is smaller.
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
    A visit on the third day; the impressions were 25 hours and 2 hours before:

    >>> impressions = pd.DataFrame({"user": 1, "item": "a", "time": [3_600, 86_400]})
    >>> events = pd.DataFrame({"user": [1], "item": ["a"], "time": [93_600]})
    >>> impression_of(impressions, events), impression_of(impressions, events, rule="program")
    (array([1]), array([0]))
    """
    logs = _read_logs(impressions, events, [user, item, time], "events", duplicates, order)
    return _match_events(logs, rule, min_delay, max_delay)


class _EventLogs(NamedTuple):
    """A log of impressions and a log of events.

    Attributes
    ----------
    impressions : the table of the impressions.
    events : the table of the events.
    events_name : name of the events in error messages.
    shown : ``row`` (number), ``pair`` (code of user and item), ``when`` (time as a number) and
        ``sequence`` (place in the order of both logs; rows whose order is unknown share a place) of
        each impression.
    happened : ``event`` (row number), ``pair``, ``when`` and ``sequence`` of each event.
    units_per_second : how many units of ``when`` make a second.
    """

    impressions: pd.DataFrame
    events: pd.DataFrame
    events_name: str
    shown: pd.DataFrame
    happened: pd.DataFrame
    units_per_second: int


def _read_logs(
    impressions: TableLike,
    events: TableLike,
    columns: list[str],
    events_name: str,
    duplicates: str,
    order: str | None,
) -> _EventLogs:
    """Check both logs and code their users, items and times as numbers.

    ``columns`` are the names of the columns of users, items and times. ``order`` names a column of
    numbers that order rows with equal times, or is None. Equal pairs of user and item have equal
    codes in both logs.

    Raises
    ------
    InputError
        If an id or a time is missing, if the two logs have ids or times of different kinds, or if
        ``duplicates`` is "error" and two impressions have the same user, item and time.
    """
    check_choice(duplicates, "duplicates", ("error", "last"))
    impressions = to_pandas(impressions, "impressions")
    events = to_pandas(events, events_name)
    logs = {"impressions": impressions, events_name: events}
    user, item, time = columns
    codes = {}
    for label in (user, item):
        ids = {log: read_column(table, label, log) for log, table in logs.items()}
        codes_by_log, _ = shared_codes(ids, label)
        codes[label] = np.concatenate([*codes_by_log.values()])
    when, units_per_second = _log.times(logs, time)
    # Rows of both logs, the impressions first.
    rows = pd.DataFrame({"pair": _log.number_groups(pd.DataFrame(codes)), "when": when})
    moments = rows[["when"]]
    if order is not None:
        numbers = []
        for log, table in {"impressions": impressions, events_name: events}.items():
            numbers.append(as_finite(read_column(table, order, log).to_numpy(), order))
        moments = moments.assign(order=np.concatenate(numbers))
    rows["sequence"] = _log.number_groups(moments)
    n_impressions = len(impressions)
    shown = rows[:n_impressions]
    happened = rows[n_impressions:]
    # A repetition has the same pair and time as another row and, if there is an order, the same
    # number.
    repeated = np.flatnonzero(shown.duplicated())
    if duplicates == "error" and len(repeated) > 0:
        first = impressions.iloc[repeated[0]][columns].to_dict()
        got = f"{len(repeated)} repetitions, in rows {format_first(repeated)}: {first}, …"
        advice = "Remove them, or let the last one count with duplicates='last'"
        raise input_error("impressions", "not repeat an item to one user at one time", got, advice)
    return _EventLogs(
        impressions=impressions,
        events=events,
        events_name=events_name,
        shown=shown.reset_index(names="row"),
        happened=happened.reset_index(names="event"),
        units_per_second=units_per_second,
    )


def _match_events(
    logs: _EventLogs,
    rule: str,
    min_delay: float | None,
    max_delay: float | None,
    *,
    allow_equal_times: bool = False,
) -> IntArray:
    """Return for each event the row of its impression, or -1 if it has none.

    See `impression_of` for ``rule``, ``min_delay`` and ``max_delay``. If ``allow_equal_times`` is
    true, an impression at the very time of the event counts as earlier; this applies only to the
    rule "latest" without a delay.
    """
    check_choice(rule, "rule", DEFAULT_DELAYS)
    if min_delay is None:
        min_delay = DEFAULT_DELAYS[rule]
    seconds = check_number(min_delay, "min_delay", "a number of at least 0", lambda s: s >= 0)
    longest = MAX_DELAY
    if max_delay is not None:
        rule_of_delay = f"a number of at least {seconds:g}, the smallest delay"
        longest = check_number(max_delay, "max_delay", rule_of_delay, lambda s: s >= seconds)
    if rule == "program":
        matches = _match_time_of_day(logs, seconds, longest)
    else:
        matches = _match_latest(logs, seconds, allow_equal_times=allow_equal_times)
        # If the latest impression is too old, so are all others. So it is enough to check this one.
        matches = matches[_delays(logs, matches) <= longest * logs.units_per_second]
    rows = matches.set_index("event")["row"].reindex(logs.happened["event"], fill_value=-1)
    return rows.to_numpy(np.int64)


def _match_latest(logs: _EventLogs, min_delay: float, *, allow_equal_times: bool) -> pd.DataFrame:
    """Return each event with the last impression of its user and item that is old enough.

    An impression is old enough if it is more than ``min_delay`` seconds older than the event; with
    ``allow_equal_times``, exactly ``min_delay`` seconds are enough too. If ``min_delay`` is 0, the
    order of both logs says what came before. The result has the columns ``event`` and ``row``: the
    row numbers of the event and of its impression. Events without such an impression are not in it.
    """
    # If several impressions have the same time, the last row is matched, because the sort is
    # stable.
    shown = logs.shown.sort_values("sequence", kind="stable")
    happened = logs.happened
    key = "sequence"
    if min_delay > 0:
        units = min(min_delay * logs.units_per_second, MAX_DELAY)
        # Integer times need an integer delay, or they would become inexact floats. Cutting off the
        # fraction of the delay, such as 2.5, changes no match: whole numbers that differ by more
        # than 2 also differ by more than 2.5.
        delay = happened["when"].dtype.type(units)
        happened = happened.assign(when=happened["when"] - delay)
        key = "when"
    matches = pd.merge_asof(
        happened.sort_values(key),
        shown[["row", "pair", key]],
        on=key,
        by="pair",
        allow_exact_matches=allow_equal_times,
    )
    return matches.loc[matches["row"].notna(), ["event", "row"]]


def _match_next(logs: _EventLogs, grace: float) -> IntArray:
    """Return for each event the row of the first impression after it, or -1 if there is none.

    An impression counts only if it is at most ``grace`` seconds later than the event.
    """
    matches = pd.merge_asof(
        logs.happened.sort_values("sequence"),
        # If several impressions have the same time, the first row is matched, because the sort is
        # stable.
        logs.shown.sort_values("sequence", kind="stable")[["row", "pair", "sequence"]],
        on="sequence",
        by="pair",
        direction="forward",
    )
    matches = matches.loc[matches["row"].notna(), ["event", "row"]]
    matches = matches[-_delays(logs, matches) <= grace * logs.units_per_second]
    rows = matches.set_index("event")["row"].reindex(logs.happened["event"], fill_value=-1)
    return rows.to_numpy(np.int64)


def _delays(logs: _EventLogs, matches: pd.DataFrame) -> AnyArray:
    """Return by how much each event is later than its impression, in the units of the logs.

    ``matches`` has the columns ``event`` and ``row``, like the result of `_match_latest`.
    """
    when_happened = logs.happened.set_index("event")["when"][matches["event"]].to_numpy()
    when_shown = logs.shown["when"].to_numpy()[matches["row"].to_numpy(np.int64)]
    delays: AnyArray = when_happened - when_shown
    return delays


def _match_time_of_day(logs: _EventLogs, min_delay: float, max_delay: float) -> pd.DataFrame:
    """Return each event with the earlier impression of the pair that is nearest in time of day.

    A pair is a user and an item. The function takes the delays from impression to event modulo one
    day, in whole seconds. The smallest one above ``min_delay`` wins. If two are equal modulo one
    day, the shorter delay wins. Delays of more than ``max_delay`` seconds, with whole days
    included, don't count. The result has the columns ``event`` and ``row``, like that of
    `_match_latest`.
    """
    # A row for each event and each impression of the same user and item.
    pairs = logs.happened.merge(logs.shown, on="pair", suffixes=("", "_shown"))
    pairs["delay"] = pairs["when"] - pairs["when_shown"]
    pairs["delay_modulo_day"] = pairs["delay"] // logs.units_per_second % SECONDS_PER_DAY
    pairs = pairs[(pairs["delay"] > 0) & (pairs["delay_modulo_day"] > min_delay)]
    pairs = pairs[pairs["delay"] <= max_delay * logs.units_per_second]
    # Sort so that the best impression comes last. Of several impressions with the same time, the
    # last row wins, as under "latest".
    pairs = pairs.sort_values(["delay_modulo_day", "delay"], ascending=False)
    return pairs.drop_duplicates("event", keep="last")[["event", "row"]]


def _mark(
    logs: _EventLogs, matched_rows: IntArray, into: str, max_delay: float | None
) -> pd.DataFrame:
    """Return a copy of the impressions; the column ``into`` says whether an event belongs to each.

    ``matched_rows`` holds the row of each event's impression, or -1; ``max_delay`` is the largest
    delay in seconds, if there is one. The counts of `attribute_visits` are added to ``attrs``.
    """
    impressions = logs.impressions
    is_new_name = isinstance(into, str) and into not in impressions
    advice = f"There are {[*impressions]}"
    check_that(is_new_name, "into", "be the name of a new column", into, advice)
    check_text([into], "into")
    has_event = np.isin(np.arange(len(impressions)), matched_rows)
    marked = impressions.assign(**{into: has_event})

    # Find out why events have no impression. Apply the rule "latest" without a delay: if it finds
    # an impression, the item was shown too soon before the event.
    is_unmatched = matched_rows < 0
    was_shown = logs.happened["pair"].isin(logs.shown["pair"]).to_numpy()
    earlier = _match_latest(logs, 0.0, allow_equal_times=False)
    was_shown_before = logs.happened["event"].isin(earlier["event"]).to_numpy()
    is_late = np.zeros(len(matched_rows), bool)  # more than the largest delay after its impression
    if max_delay is not None:
        late = earlier[_delays(logs, earlier) > max_delay * logs.units_per_second]
        is_late = is_unmatched & logs.happened["event"].isin(late["event"]).to_numpy()
    counts = {
        "given": len(matched_rows),
        "attributed": int((~is_unmatched).sum()),
        "impressions": int(has_event.sum()),
        "repeated": int(logs.shown["pair"][has_event].duplicated().sum()),
        "never_shown": int((is_unmatched & ~was_shown).sum()),
        "shown_later": int((is_unmatched & was_shown & ~was_shown_before).sum()),
        "too_soon": int((is_unmatched & was_shown_before & ~is_late).sum()),
    }
    if max_delay is not None:
        counts["too_long_before"] = int(is_late.sum())
    # Counts of earlier calls stay: impressions may be marked by clicks, and then by visits.
    marked.attrs["counts"] = {**impressions.attrs.get("counts", {}), logs.events_name: counts}
    return marked
