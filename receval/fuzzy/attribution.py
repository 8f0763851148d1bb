"""Which impression a later click or visit belongs to."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from receval._checks import (
    MAX_EXAMPLES,
    IntArray,
    check_choice,
    check_number,
    check_text,
    check_that,
    format_first,
    input_error,
    shorten,
)
from receval.fuzzy import _log
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import column, to_pandas

__all__ = ["attribute_clicks", "attribute_visits", "impression_of"]

DAY = 86_400  # seconds
DELAYS = {"latest": 0.0, "program": 5.0}  # seconds, where none are given
FOREVER = 2.0**62  # that longer delays come to: no number of 64 bits overflows


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
    recommendation. Visits of items that were not recommended before belong to none; they are
    counted, since people also find items by themselves.

    Parameters
    ----------
    impressions, visits : DataFrame
        One row per recommended item, and one per visit; of pandas, or of any library that shares
        columns with Arrow, such as Polars.
    user, item, time, rule, min_delay, duplicates
        As in `impression_of`.
    into : str, default "visited"
        Name of the boolean column that is added.

    Returns
    -------
    DataFrame
        A pandas copy of ``impressions`` with the column ``into``. ``attrs["counts"]["visits"]``
        says how many visits were ``given``, how many ``attributed``, to how many ``impressions``,
        how many of these are ``repeated`` (their user had responded to the item before),
        and how many were not: the item was ``never_shown`` to the user, ``shown_later`` only
        (or at the very time of the visit), or shown ``too_soon`` before it.

    Raises
    ------
    InputError
        If a column is missing or already there, an id or a time is missing or of another type
        in one of the logs, or impressions are duplicates.

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
    logs = _read(impressions, visits, [user, item, time], "visits", duplicates)
    return _marked(logs, _owner(logs, rule, min_delay), into)


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

    A click happens on an impression, the latest of its item at its time or before. One without
    is a fault of the log and is refused, unless ``unmatched="count"``.

    Parameters
    ----------
    impressions, clicks : DataFrame
        One row per recommended item, and one per click, as in `attribute_visits`.
    user, item, time, duplicates
        As in `impression_of`.
    unmatched : {"error", "count"}, default "error"
        Refuse clicks without an impression, or leave them out and count them.
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
        If a click has no impression, or only later ones; or as in `attribute_visits`.

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
    logs = _read(impressions, clicks, [user, item, time], "clicks", duplicates)
    owner = _owner(logs, "latest", None, at_once=True)
    marked, lost = _marked(logs, owner, into), np.flatnonzero(owner < 0)
    if unmatched == "error" and len(lost):
        first = (
            logs.tables["clicks"].iloc[lost[:MAX_EXAMPLES]][[user, item, time]].to_dict("records")
        )
        later = marked.attrs["counts"]["clicks"]["shown_later"]
        got = f"{len(lost)} that do not ({later} of them before the first impression), in rows "
        got += f"{format_first(lost)}: {shorten(first, 300)}"
        advice = "Mend the log, or leave them out, counted, with unmatched='count'"
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
    """The impression that each event belongs to: one of its user and item, before it.

    Parameters
    ----------
    impressions, events : DataFrame
        One row per recommended item, and one per event; both with the columns named by
        ``user``, ``item`` and ``time``. Times are dates, or numbers of seconds.
    user, item, time : str
        Names of the columns.
    rule : {"latest", "program"}, default "latest"
        ``"latest"``: the impression with the latest time before the event. ``"program"``: as
        the authors' program does, the one with the smallest time difference *modulo one day*,
        which prefers an impression of yesterday at the same hour to one of this morning.
    min_delay : float, optional
        Seconds; the event must be later by more than this, under ``"program"`` modulo one day.
        Default: 0, under ``"program"`` 5.
    duplicates : {"error", "last"}, default "error"
        What to do with several impressions of one item to one user at one time: refuse them,
        or let the last row of them take the events.

    Returns
    -------
    ndarray of int
        For each event the row number of its impression, -1 where there is none.

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
    logs = _read(impressions, events, [user, item, time], "events", duplicates)
    return _owner(logs, rule, min_delay)


class _EventLogs(NamedTuple):
    """Two tables; of each impression and event its place, the code of user and item, the time."""

    tables: dict[str, pd.DataFrame]
    shown: pd.DataFrame
    events: pd.DataFrame
    per_second: int


def _read(
    impressions: Any, events: Any, columns: list[str], name: str, duplicates: str
) -> _EventLogs:
    check_choice(duplicates, "duplicates", ("error", "last"))
    logs = {"impressions": to_pandas(impressions, "impressions"), name: to_pandas(events, name)}
    codes = {}
    for label in columns[:2]:
        one, _ = shared_code_arrays(
            {log: column(table, label, log) for log, table in logs.items()}, label
        )
        codes[label] = np.concatenate([*one.values()])
    when, per_second = _log.times(logs, columns[2])
    both = pd.DataFrame({"pair": _log.numbered(pd.DataFrame(codes)), "when": when})
    n = len(logs["impressions"])
    again = np.flatnonzero(both[:n].duplicated())
    if duplicates == "error" and len(again):
        first = logs["impressions"].iloc[again[0]][columns].to_dict()
        got = f"{len(again)} repetitions, in rows {format_first(again)}: {first}, …"
        advice = "Remove them, or let the last one count with duplicates='last'"
        raise input_error("impressions", "not repeat an item to one user at one time", got, advice)
    shown, happened = both[:n].reset_index(names="row"), both[n:].reset_index(names="event")
    return _EventLogs(logs, shown, happened, per_second)


def _owner(
    logs: _EventLogs, rule: str, min_delay: float | None, *, at_once: bool = False
) -> IntArray:
    usual = DELAYS[check_choice(rule, "rule", DELAYS)]
    given = usual if min_delay is None else min_delay
    seconds = check_number(given, "min_delay", "a number of at least 0", lambda s: s >= 0)
    if rule == "program":
        found = _nearest_by_time_of_day(logs, seconds)
    else:
        found = _latest(logs, seconds, inclusive=at_once)
    row = found.set_index("event")["row"].reindex(logs.events["event"], fill_value=-1)
    return row.to_numpy(np.int64)


def _latest(logs: _EventLogs, seconds: float, *, inclusive: bool) -> pd.DataFrame:
    """Events, each with the last impression of its pair that is earlier by more than this."""
    # Between whole times no fraction of a delay counts: they are compared exactly.
    delay = logs.events["when"].dtype.type(min(seconds * logs.per_second, FOREVER))
    events = logs.events.assign(when=logs.events["when"] - delay).sort_values("when")
    shown = logs.shown.sort_values("when", kind="stable")
    found = pd.merge_asof(events, shown, on="when", by="pair", allow_exact_matches=inclusive)
    return found.dropna()


def _nearest_by_time_of_day(logs: _EventLogs, seconds: float) -> pd.DataFrame:
    both = logs.events.merge(logs.shown, on="pair", suffixes=("", "_shown"))
    both["delay"] = both["when"] - both["when_shown"]
    both["time_of_day"] = both["delay"] // logs.per_second % DAY
    both = both[(both["delay"] > 0) & (both["time_of_day"] > seconds)]
    # Rows of one time: the last takes the event, as under "latest".
    both = both.sort_values(["time_of_day", "delay"], ascending=False)
    return both.drop_duplicates("event", keep="last")


def _marked(logs: _EventLogs, owner: IntArray, into: str) -> pd.DataFrame:
    impressions, name = logs.tables["impressions"], [*logs.tables][1]
    new, there = isinstance(into, str) and into not in impressions, f"There are {[*impressions]}"
    check_that(new, "into", "be the name of a new column", into, there)
    check_text([into], "into")
    hit = np.isin(np.arange(len(impressions)), owner)
    marked = impressions.assign(**{into: hit})
    lost, shown = owner < 0, logs.events["pair"].isin(logs.shown["pair"]).to_numpy()
    before = logs.events["event"].isin(_latest(logs, 0.0, inclusive=False)["event"]).to_numpy()
    counts = {
        "given": len(owner),
        "attributed": int((~lost).sum()),
        "impressions": int(hit.sum()),
        "repeated": int(logs.shown["pair"][hit].duplicated().sum()),
        "never_shown": int((lost & ~shown).sum()),
        "shown_later": int((lost & shown & ~before).sum()),
        "too_soon": int((lost & before).sum()),
    }
    marked.attrs["counts"] = {**impressions.attrs.get("counts", {}), name: counts}
    return marked
