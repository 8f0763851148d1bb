"""Real contract awards of Kenyan public bodies, for the method of document 000."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._downloads import fetch
from receval._files import read_toml
from receval.splitting.report import Report

__all__ = ["awards_kenya"]

AWARDS = "procurement_kenya/contract_awards.csv"
NAMES = read_toml("datasets/names.toml")["awards_kenya"]
FIRST, EXPORTED = pd.Timestamp("2010-01-01"), pd.Timestamp("2016-12-29")
LEGAL_FORMS = r"\b(?:LIMITED|LTD|COMPANY|CO)\b"


def awards_kenya() -> tuple[pd.DataFrame, Report]:
    """Public contracts of 177 Kenyan bodies, awarded from 2011 to 2016.

    Returns
    -------
    awards : DataFrame
        One row per award: ``contract`` (its row in the file, from 0), ``bidder`` (the supplier
        in one spelling: capitals without punctuation and without Ltd, Limited, Co, Company),
        ``supplier`` as written, ``authority``, ``reference``, ``description``, ``method``,
        ``amount`` (shillings), and the days ``advertised``, ``date`` (of notification), ``signed``
        and ``completed``. An impossible day is NaT: before 2010, or, but for the completion,
        after the export of 29 December 2016.
    report : Report
        Awards that stand there twice and were left out; those with an impossible day, by column;
        with a supplier whose name has several spellings; and with a reference that other awards
        of the same authority share (lots), which stay contracts of their own.

    Raises
    ------
    DataUnavailable
        If the file is neither in ``RECEVAL_DATA`` nor to be had from its source.

    References
    ----------
    rush4ratio/contract_awards_ppoa, which states no licence; see `sources`.
    """
    given = pd.read_csv(fetch(AWARDS), dtype=str, keep_default_na=False)
    awards = given[[*NAMES]].rename(columns=NAMES).reset_index(names="contract")
    awards.insert(1, "bidder", _one_spelling(awards["supplier"]))
    awards["amount"] = pd.to_numeric(awards["amount"].str.replace(",", ""))
    again = given.drop(columns="page").duplicated()  # the page of the site it was read from
    changes = {"removed: award given again": again}
    for name in ("advertised", "date", "signed", "completed"):
        days = pd.to_datetime(awards[name], format="%m/%d/%Y")
        wrong = (days < FIRST) | ((days > EXPORTED) & (name != "completed"))  # which is planned
        awards[name] = days.mask(wrong)
        changes[f"unknown now: impossible day in {name!r}"] = wrong
    spellings = awards.groupby("bidder")["supplier"].transform("nunique")
    changes["folded: supplier in several spellings"] = spellings > 1
    lots = awards[~again].duplicated(["authority", "reference"], keep=False)
    changes["kept: lots that share a reference"] = lots.reindex(awards.index, fill_value=False)
    rows = {what: np.flatnonzero(which) for what, which in changes.items()}
    kept = awards[~again].reset_index(drop=True)
    return kept, Report(len(awards), len(kept), rows)


def _one_spelling(names: pd.Series) -> pd.Series:
    plain = names.str.upper().str.replace("&", " AND ").str.replace(r"[^A-Z0-9]+", " ", regex=True)
    folded = plain.str.replace(LEGAL_FORMS, "", regex=True).str.split().str.join(" ")
    return folded.where(folded != "", names)
