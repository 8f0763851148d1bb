r"""On-line measures from a log of recommendations: how far a system's ranking implies responses.

Each impression is a pair of an object o and a user u, recommended at place p, with a response
h: clicked or not, visited later or not. With :math:`f = 1/\log_2(p+1)`, which is
:math:`f_k^{DG}(s_k(p))`, document 002 takes the mean over all pairs of the first k places of

============ ==================================================== =============================
measure      value of one pair                                    weight of the pair
============ ==================================================== =============================
``IL``       :math:`\min(1, 1 - f + h)` (Łukasiewicz)             1
``IG``       :math:`h` (Gödel; on clicks the click-through rate)  1
``IG_pos``   :math:`h`                                            :math:`f`
``IG_nov``   :math:`h`                                            :math:`1/|X_u|`, the column
                                                                  ``weight``
============ ==================================================== =============================

The authors' program computes other numbers; ``variant`` names them.

===================== ===================================================================
variant               differs from the equations in
===================== ===================================================================
``"equations"``       nothing
``"session_means"``   each session's sum is divided by the k places (the weights of the k
                      places) that it could have, and the mean is over sessions
``"program"``         that, and: responses below place k count; Łukasiewicz adds f where
                      1 - f belongs; ``IG_pos`` divides by the weights of the places that
                      the session really has; ``IG_nov`` multiplies a session's responses
                      by the sum of their weights
===================== ===================================================================

Where every list has k places and every session one weight, ``"session_means"`` and
``"equations"`` agree.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd

from receval._arrays import ratio
from receval._checks import EvaluationWarning, check_count, check_number, check_that
from receval._table import WorkingTable
from receval.fuzzy import _log
from receval.fuzzy._variants import MEASURES, fractions, on_repeats, values
from receval.fuzzy.attribution import attribute_clicks, attribute_visits, impression_of
from receval.fuzzy.implicators import lukasiewicz
from receval.fuzzy.scaling import linear_score
from receval.metrics.discounts import shifted_log2
from receval.significance import resampled_sums
from receval.tables.columns import column
from receval.tables.formats import open_table

__all__ = [
    "attribute_clicks",
    "attribute_visits",
    "impression_of",
    "online_intervals",
    "online_measures",
    "online_terms",
]


def online_measures(
    impressions: Any,
    *,
    response: str = "clicked",
    k: int,
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    variant: str = "equations",
    session: str | None = None,
    user: str | None = None,
    item: str | None = None,
) -> pd.DataFrame:
    r"""On-line measures of each system, from the places and responses in a log.

    .. math:: \mathcal{I}_L = \frac1n \sum \min\Big(1, 1 - \frac{1}{\log_2(p+1)} + h\Big)
              \qquad
              \mathcal{I}_{G,w} = \frac{\sum w h}{\sum w}

    with sums over the impressions of the system at places :math:`p \le k`; w is 1 for ``IG``,
    :math:`1/\log_2(p+1)` for ``IG_pos`` and the column ``weight`` for ``IG_nov``.

    Parameters
    ----------
    impressions : DataFrame or other table of named columns
        One row per recommended item.
    response : str, default "clicked"
        Column: whether the user responded; boolean, or 0 and 1. `attribute_clicks` and
        `attribute_visits` make it.
    k : int
        Places that count. Document 002: 6 on clicks, 20 on visits. Impressions at later
        places are left out and counted.
    system, position : str
        Columns: which system recommended, and the place in its list, from 1.
    weight : str, optional
        Column: weight of the impression in ``IG_nov``, at least 0; in the document
        :math:`1/|X_u|`, one over the number of items that the user has visited.
    variant : {"equations", "session_means", "program"}, default "equations"
        As the module describes them.
    session, user, item : str, optional
        Columns that say which impressions are one list. Default: the columns of these names,
        where there are any. Needed by the variants that average over sessions; elsewhere they
        serve to find duplicates. A session belongs to its system and user.

    Returns
    -------
    DataFrame
        Systems in rows, ``IL``, ``IG``, ``IG_pos`` and ``IG_nov`` in columns, all in [0, 1]
        under ``"equations"``. NaN: ``IG_nov`` without ``weight`` or where all weights are 0;
        all measures of a system that has no impression in the first k places.
        ``attrs["counts"]`` holds the numbers of ``impressions`` and ``responses``, and how many
        of them stand ``beyond_k`` and ``responses_beyond_k``; where the columns of users and items
        are known, also how many responses are ``responses_repeated``, of a user to an item that
        the user has responded to before under the same system; where these decide which system
        is best, ``attrs["notes"]`` and an `EvaluationWarning` say so.

    Raises
    ------
    InputError
        If there is no impression, a column is missing, a response is neither yes nor no, a
        place is no whole number from 1, a weight is negative or not finite, a session has an
        item or a place twice, or ``k`` is not a positive integer.

    References
    ----------
    Document 002, section IV-B, eq. 12.

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "position": [1, 2, 3], "clicked": [0, 0, 1]})
    >>> online_measures(log, k=6).round(4)
                IL      IG  IG_pos  IG_nov
    system
    A       0.4564  0.3333  0.2346     NaN
    """
    k = check_count(k, "k")
    lists = {"user": user, "session": session, "item": item}
    log, systems = _log.read(impressions, response, system, position, weight, **lists)
    table = pd.DataFrame(values(log, k, variant), index=pd.Index(systems, name=system))
    beyond = log["position"] > k
    table.attrs["counts"] = {
        "impressions": len(log),
        "beyond_k": int(beyond.sum()),
        "responses": int(log["response"].sum()),
        "responses_beyond_k": int((log["response"] & beyond).sum()),
    }
    if {"user", "item"} <= {*log}:
        again = log["response"] & log[log["response"]].duplicated(["system", "user", "item"])
        table.attrs["counts"]["responses_repeated"] = int(again.sum())
        once = values(log.assign(response=log["response"] & ~again), k, variant)
        table.attrs["notes"] = notes = on_repeats(table, table.assign(**once))
        if notes:
            told = f"{int(again.sum())} of {int(log['response'].sum())} responses are repeated"
            warnings.warn(f"{told}: {'; '.join(notes)}", EvaluationWarning, stacklevel=2)
    return table


def online_intervals(
    impressions: Any,
    *,
    response: str = "clicked",
    k: int,
    system: str = "system",
    position: str = "position",
    weight: str | None = None,
    variant: str = "equations",
    session: str | None = None,
    user: str = "user",
    item: str | None = None,
    level: float = 0.95,
    n_resamples: int = 2000,
    rng: np.random.Generator | int | None = None,
) -> pd.DataFrame:
    """On-line measures with confidence intervals, by bootstrap over the users of each system.

    Impressions of one user go together, so users are drawn, with replacement and with all
    their impressions, not impressions. The interval lies between percentiles of the measure
    over the draws.

    Parameters
    ----------
    impressions, response, k, system, position, weight, variant, session, item
        As in `online_measures`.
    user : str
        Column of the users.
    level : float, default 0.95
        Share of the draws that the interval covers.
    n_resamples : int, default 2000
        Number of draws. The time grows with it times the number of users.
    rng : Generator or int, optional
        Source of randomness, or a seed for one.

    Returns
    -------
    DataFrame
        Indexed by (system, measure), with the columns ``value``, as `online_measures` answers
        it, ``low`` and ``high``. Draws in which a measure is undefined are left out.

    Raises
    ------
    InputError
        As in `online_measures`; or if ``level`` does not lie between 0 and 1 or ``n_resamples``
        is not a positive integer.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, ch. 13.

    Examples
    --------
    >>> log = pd.DataFrame({"system": "A", "user": range(100), "position": 1})
    >>> log["clicked"] = log["user"] < 20
    >>> online_intervals(log, k=6, rng=0).loc[("A", "IG")].round(2).tolist()
    [0.2, 0.12, 0.28]
    """
    k = check_count(k, "k")
    lists = {"user": user, "session": session, "item": item}
    log, systems = _log.read(impressions, response, system, position, weight, **lists)
    check_that("user" in log, "user", "be the name of a column, since users are drawn", user)
    level = check_number(level, "level", "a number between 0 and 1", lambda x: 0 < x < 1)
    n_draws = check_count(n_resamples, "n_resamples")
    generator = np.random.default_rng(rng)
    cell = _log.numbered(log[["system", "user"]])
    of_cell = log["system"].groupby(cell).first().to_numpy()
    # A row for each user: the numerators of the measures, then their denominators.
    parts, tail = np.concatenate(fractions(log, k, variant, cell)).T, (1 - level) / 2
    tables = {}
    for code, label in enumerate(systems):
        own = parts[of_cell == code]
        sums = resampled_sums(own, n_draws, generator)
        draws = pd.DataFrame(ratio(*np.split(sums, 2, axis=-1)))
        columns = {"value": ratio(*np.split(own.sum(axis=0), 2))}
        columns["low"], columns["high"] = draws.quantile([tail, 1 - tail]).to_numpy()
        tables[label] = pd.DataFrame(columns, MEASURES)
    table: pd.DataFrame = pd.concat(tables, names=[system, "measure"])
    return table


def online_terms(
    impressions: Any, *, response: str = "clicked", k: int, position: str = "position"
) -> pd.DataFrame:
    """What each impression adds to the measures: the working of `online_measures`.

    Parameters
    ----------
    impressions, response, k, position
        As in `online_measures`.

    Returns
    -------
    DataFrame
        One row per impression of the first k places, with the log's index where it has one:
        the place ``p``, its score ``s`` = (k + 1 - p) / k, ``f`` = 1/log2(p + 1), the response
        ``h``, and its Łukasiewicz value ``IL`` and Gödel value ``IG``. Means of the last two
        are the measures; ``IG_pos`` is the mean of ``IG`` with the weights ``f``.

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
       p      s      f  h     IL  IG
    0  1  1.000  1.000  1  1.000   1
    1  6  0.167  0.356  0  0.644   0
    """
    places = check_count(k, "k")
    log = open_table(impressions, "impressions")
    place = _log.positions(column(log, position, "impressions"), position)
    responded = _log.flags(column(log, response, "impressions"), response)
    within = place <= places
    p, h = place[within], responded[within].astype(int)
    f = shifted_log2(p)
    index = getattr(impressions, "index", None)
    terms = {"p": p, "s": linear_score(p, places), "f": f, "h": h, "IL": lukasiewicz(f, h), "IG": h}
    return WorkingTable(terms, None if index is None else index[within])
