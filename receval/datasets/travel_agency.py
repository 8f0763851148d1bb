"""The travel agency of document 002: its public files as tables.

The files belong to others and state no licence; `fetch` gets them from their source or from
``RECEVAL_DATA``. User ids are pseudonymous.
"""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path

import pandas as pd

from receval._checks import check_choice, input_error
from receval._downloads import content_of, fetch
from receval._files import read_toml
from receval.splitting.report import Report, without

__all__ = [
    "TRAVEL_FILES",
    "travel_dates",
    "travel_events",
    "travel_features",
    "travel_feedback",
    "travel_histories",
    "travel_offline_results",
    "travel_recommendations",
    "travel_test_histories",
    "travel_user_results",
]

NAMES = read_toml("datasets/names.toml")
TRAVEL_FILES: dict[str, str] = NAMES["travel_files"]
SESSION, RESULT_KEYS = NAMES["travel_sessions"], NAMES["travel_result_keys"]


def travel_events(*, second: bool = False) -> pd.DataFrame:
    """The events of the A/B test of 2018, or of the second one, in the order of the log.

    Parameters
    ----------
    second : bool, default False
        The 131,348 events of July and August 2018, of document 002; or the 114,925 of January
        2020.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (object_shown_in_list, object_opened_from_list,
        object_ordered), ``time``, ``known`` (items that the user had visited when the list was
        made) and ``system``, what served the user: the remainder of the user id by 12, plus 1,
        is the algorithm of document 002; the remainder by 6 is the arm of the second test.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    events = _events("second_events" if second else "events", date="time", visited_objects="known")
    return events.assign(system=events["user"] % 6 if second else events["user"] % 12 + 1)


def travel_feedback(*, second: bool = False) -> pd.DataFrame:
    """Page views and orders of the time of an A/B test.

    Parameters
    ----------
    second : bool, default False
        The 16,277 from 16 July to 17 August 2018; or the 11,263 of the second test, January 2020.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (pageview, order) and ``time``, the last time of
        the user's event on the item.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    return _events("second_feedback" if second else "feedback", lastModified="time")


def travel_offline_results() -> pd.DataFrame:
    """The published off-line results: 800 variants and seven metrics.

    Returns
    -------
    DataFrame
        Columns as in the file, ``alg``, ``params``, ``recAlg`` (the history),
        ``diversityEnhance``, ``noveltyEnhance``, then the metrics.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    return _semicolons("offline")


def travel_recommendations() -> tuple[pd.DataFrame, Report]:
    """The raw log of document 002's A/B test: every list that was recommended, as it was served.

    Returns
    -------
    sessions : DataFrame
        One row per recommendation: ``time``, ``user``, ``known`` (list of the items that the user
        had visited), ``model``, ``parameters``, ``aggregation``, ``novelty``, ``diversity`` and
        ``items``, the list from the first place on: 0 to 20 of them. ``explode("items")`` gives
        one row per item, and a missing one for an empty list.
    report : Report
        The lines that are no recommendation, since their third field is no list: left out. Rows
        count lines from 0.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.

    References
    ----------
    lpeska/FUZZ-IEEE2020, ``log.txt``; document 002, section V-B: 26,597 lists, 4,238 users.
    """
    lines = content_of(fetch(TRAVEL_FILES["log"])).decode().splitlines()
    fields = pd.Series([line.split(";") for line in lines], dtype=object).to_frame("fields")
    known = fields["fields"].str[2].str.startswith("[", na=False).to_numpy(bool)
    served, report = without(fields, {"line without a list of known items": ~known})
    return pd.DataFrame(map(_session, served["fields"]), columns=SESSION), report


def travel_user_results(*, run: str = "notebook") -> pd.DataFrame:
    """The off-line results user by user, whose means document 002 prints.

    Parameters
    ----------
    run : {"notebook", "table"}, default "notebook"
        The run behind the implications, or the one behind Table II, as in
        `fuzzy_offline_results`.

    Returns
    -------
    DataFrame
        Columns as in the file: ``uid``, ``alg``, ``params``, ``recAlg`` (the history),
        ``diversityEnhance``, ``noveltyEnhance``, then the metrics. The file of the run behind
        Table II has the headings of the two enhancements the wrong way round; not so here.

    Raises
    ------
    InputError
        If the run is unknown, or the first six columns are others.
    DataUnavailable
        If the file is not to be had.
    """
    files = {"notebook": "user_results", "table": "user_results_table"}
    file = files[check_choice(run, "run", files)]
    table = _semicolons(file)
    if missing := [name for name in RESULT_KEYS if name not in table]:
        raise input_error(
            TRAVEL_FILES[file], f"have the columns {RESULT_KEYS}", f"none of {missing}"
        )
    *_, first, second = RESULT_KEYS
    return table.rename(columns={first: second, second: first}) if run == "table" else table


def travel_histories(*, everybody: bool = False) -> pd.Series:
    """Visited items before the test period.

    Parameters
    ----------
    everybody : bool, default False
        Only the 69,504 users with 2 to 150 items; or the whole training file of the off-line run.

    Returns
    -------
    Series
        User to the list of visited items, oldest first.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    name, header = ("all_histories", 0) if everybody else ("histories", None)
    return _lists(fetch(TRAVEL_FILES[name]), header=header)


def travel_test_histories(*, later: bool = False) -> pd.Series:
    """Visited items of the users in the test part.

    Parameters
    ----------
    later : bool, default False
        The export that the published off-line run was tested on, 2,089 visits of 610 users; or
        the later one that lies beside the results, 3,403 visits of 972 users.

    Returns
    -------
    Series
        User to the list of visited items.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    return _lists(fetch(TRAVEL_FILES["later_test" if later else "test"]), header=0)


def travel_dates() -> pd.DataFrame:
    """Since when the 3,150 objects were new, and until when they were to be had.

    Returns
    -------
    DataFrame
        Indexed by item, with ``novelty`` and ``available``, both dates.

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    table = _semicolons("dates").set_axis(["item", "novelty", "available"], axis=1)
    dates: pd.DataFrame = table.set_index("item").apply(pd.to_datetime)
    return dates


def travel_features() -> pd.DataFrame:
    """Content features of the 3,150 objects.

    Returns
    -------
    DataFrame
        Indexed by item; 299 numeric columns. (The header has 308 commas: nine of them stand
        inside quoted names.)

    Raises
    ------
    DataUnavailable
        If the file is not to be had.
    """
    return pd.read_csv(fetch(TRAVEL_FILES["features"]), index_col=0).rename_axis("item")


def _semicolons(name: str) -> pd.DataFrame:
    return pd.read_csv(fetch(TRAVEL_FILES[name]), sep=";")


def _events(name: str, **more: str) -> pd.DataFrame:
    """Who did what with which item and when; ``more`` are names of further columns."""
    columns = NAMES["travel_columns"] | more
    events = _semicolons(name).rename(columns=columns)[list(columns.values())]
    return events.assign(time=pd.to_datetime(events["time"]))


def _session(fields: list[str]) -> list[object]:
    """One recommendation: when, to whom, what she knew, by what, and the list.

    The server's program (lpeska/REVEAL2018, server.py) writes diversity before novelty.
    """
    time, user, known, system, items = fields
    model, parameters, aggregation, diversity, novelty = literal_eval(system)
    shown = [int(item) for item in items.replace(",", " ").split()]
    how = [model, parameters, aggregation, novelty, diversity]
    return [pd.Timestamp(time), int(user), list(literal_eval(known)), *how, shown]


def _lists(path: Path, *, header: int | None) -> pd.Series:
    """Lines of a user and, after a comma, items separated by blanks."""
    table = pd.read_csv(path, header=header, names=["user", "items"], dtype={"items": str})
    items = table.set_index("user")["items"].str.split()
    return items.map(lambda texts: [int(text) for text in texts])
