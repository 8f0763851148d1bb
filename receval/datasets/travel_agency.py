"""Load the public files of document 002's travel agency as tables.

The files belong to others and state no licence. `fetch` downloads them from their source, or finds
them in ``RECEVAL_DATA``. User ids are pseudonymous.
"""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path

import pandas as pd

from receval._files import read_toml
from receval.datasets.downloads import fetch, read_content
from receval.splitting.tables import Report, without

NAMES = read_toml("datasets/names.toml")
TRAVEL_FILES: dict[str, str] = NAMES["travel_files"]
SESSION_COLUMNS = NAMES["travel_sessions"]


def travel_events(*, second: bool = False) -> pd.DataFrame:
    """Load the events of the A/B test of 2018 or of the second test, in the order of the log.

    Parameters
    ----------
    second : bool, default False
        Whether to load the 114,925 events of the second test, in January 2020, instead of the
        131,348 events of document 002, in July and August 2018.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (object_shown_in_list, object_opened_from_list,
        object_ordered), ``time``, ``known`` (items that the user had visited before the list was
        made) and ``system``. The user id determines the system. The algorithm of document 002 is
        the remainder of the id divided by 12, plus 1. The arm of the second test is the remainder
        of the id divided by 6.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    file = "second_events" if second else "events"
    events = _read_events(file, date="time", visited_objects="known")
    # The arm of the second test, or the algorithm's number in document 002.
    system = events["user"] % 6 if second else events["user"] % 12 + 1
    return events.assign(system=system)


def travel_feedback(*, second: bool = False) -> pd.DataFrame:
    """Load page views and orders from the time of an A/B test.

    Parameters
    ----------
    second : bool, default False
        Whether to load the 11,263 rows of the second test, in January 2020, instead of the 16,277
        rows from 16 July to 17 August 2018.

    Returns
    -------
    DataFrame
        Columns ``user``, ``item``, ``event`` (pageview, order) and ``time``, the last time at
        which the user viewed or ordered the item.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    file = "second_feedback" if second else "feedback"
    return _read_events(file, lastModified="time")


def travel_offline_results() -> pd.DataFrame:
    """Load the published off-line results: 800 variants and seven metrics.

    Returns
    -------
    DataFrame
        Columns as in the file: ``alg``, ``params``, ``recAlg`` (the history),
        ``diversityEnhance``, ``noveltyEnhance``, then the metrics.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return _read_semicolons("offline")


def travel_recommendations() -> tuple[pd.DataFrame, Report]:
    """Load the raw log of document 002's A/B test, with all recommended lists.

    Returns
    -------
    sessions : DataFrame
        One row per recommendation: ``time``, ``user``, ``known`` (list of the items that the user
        had visited), ``model``, ``parameters``, ``aggregation``, ``novelty``, ``diversity`` and
        ``items``, the list of 0 to 20 items, best first. ``explode("items")`` gives one row per
        item, with a missing item for an empty list.
    report : Report
        The lines that are left out. Their third field is not a list, so they are not
        recommendations. The report's row numbers are line numbers, from 0.

    Raises
    ------
    DataUnavailable
        If the file is not available.

    References
    ----------
    lpeska/FUZZ-IEEE2020, ``log.txt``; document 002, section V-B: 26,597 lists, 4,238 users.
    """
    lines = read_content(fetch(TRAVEL_FILES["log"])).decode().splitlines()
    fields = pd.Series([line.split(";") for line in lines], dtype=object).to_frame("fields")
    # The third field of a recommendation is the list of the items that the user had visited.
    has_list = fields["fields"].str[2].str.startswith("[", na=False).to_numpy(bool)
    served, report = without(fields, {"line without a list of known items": ~has_list})
    sessions = [_parse_session(line_fields) for line_fields in served["fields"]]
    return pd.DataFrame(sessions, columns=SESSION_COLUMNS), report


def travel_user_results() -> pd.DataFrame:
    """Load the off-line results of each user in the run behind document 002's Table II.

    Returns
    -------
    DataFrame
        Columns as in the file: ``uid``, ``alg``, ``params``, ``recAlg`` (the history),
        ``diversityEnhance``, ``noveltyEnhance``, then the metrics. In the file, the headings of the
        two enhancements are swapped; receval corrects this.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    diversity, novelty = "diversityEnhance", "noveltyEnhance"
    table = _read_semicolons("user_results")
    return table.rename(columns={diversity: novelty, novelty: diversity})


def travel_histories() -> pd.Series:
    """Load the items that 69,504 users with 2 to 150 items visited before the test period.

    Returns
    -------
    Series
        The list of visited items, oldest first, by user.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return _read_lists(fetch(TRAVEL_FILES["histories"]), header=None)


def travel_test_histories(*, later: bool = False) -> pd.Series:
    """Load the items that users visited in the test part.

    Parameters
    ----------
    later : bool, default False
        Whether to load the later export, which was published with the results (3,403 visits of 972
        users), instead of the export on which the off-line run was tested (2,089 visits of 610
        users).

    Returns
    -------
    Series
        The list of visited items by user.

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    file = "later_test" if later else "test"
    return _read_lists(fetch(TRAVEL_FILES[file]), header=0)


def travel_dates() -> pd.DataFrame:
    """Load the first and the last day on which each of the 3,150 objects was offered.

    Returns
    -------
    DataFrame
        Indexed by item, with the dates ``novelty`` (first day) and ``available`` (last day).

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    table = _read_semicolons("dates").set_axis(["item", "novelty", "available"], axis=1)
    dates: pd.DataFrame = table.set_index("item").apply(pd.to_datetime)
    return dates


def travel_features() -> pd.DataFrame:
    """Load content features of the 3,150 objects.

    Returns
    -------
    DataFrame
        Indexed by item, with 299 numeric columns. (The header has 308 commas; nine of them are in
        quoted names.)

    Raises
    ------
    DataUnavailable
        If the file is not available.
    """
    return pd.read_csv(fetch(TRAVEL_FILES["features"]), index_col=0).rename_axis("item")


def _read_semicolons(name: str) -> pd.DataFrame:
    """Return the table in a file whose columns are separated by semicolons.

    ``name`` is the name of the file in `TRAVEL_FILES`.
    """
    return pd.read_csv(fetch(TRAVEL_FILES[name]), sep=";")


def _read_events(name: str, **more_columns: str) -> pd.DataFrame:
    """Return the columns user, item and event of a file, and other columns, with times as dates.

    ``more_columns`` maps names of other columns in the file to their names in the result. One of
    these names must be "time".
    """
    columns = NAMES["travel_columns"] | more_columns
    events = _read_semicolons(name).rename(columns=columns)[list(columns.values())]
    return events.assign(time=pd.to_datetime(events["time"]))


def _parse_session(fields: list[str]) -> list[object]:
    """Return the values of `SESSION_COLUMNS` from the five fields of a line of the log.

    The fields are texts. The third and fourth fields are Python literals: the list of items that
    the user had visited, and the five settings of the system. The last field has the recommended
    items, with commas or blanks between them.
    """
    time, user, visited_items, system, items = fields
    # The server's program (lpeska/REVEAL2018, server.py) writes diversity before novelty, but our
    # columns have novelty first.
    model, parameters, aggregation, diversity, novelty = literal_eval(system)
    return [
        pd.Timestamp(time),
        int(user),
        list(literal_eval(visited_items)),
        model,
        parameters,
        aggregation,
        novelty,
        diversity,
        [int(item) for item in items.replace(",", " ").split()],
    ]


def _read_lists(path: Path, *, header: int | None) -> pd.Series:
    """Return the list of items of each user in a file, indexed by user.

    Each line has a user, a comma, and items separated by blanks. ``header`` is the number of the
    line with headings, which is left out, or None.
    """
    table = pd.read_csv(path, header=header, names=["user", "items"], dtype={"items": str})
    texts = table.set_index("user")["items"].str.split()
    return texts.map(lambda item_texts: [int(text) for text in item_texts])
