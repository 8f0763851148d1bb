"""Real contract awards of Kenyan public bodies, for the matchmakers of document 000."""

from __future__ import annotations

import numpy as np
import pandas as pd

from receval._files import read_toml
from receval.datasets.downloads import fetch
from receval.splitting.tables import Report

AWARDS = "procurement_kenya/contract_awards.csv"
NAMES = read_toml("datasets/names.toml")["awards_kenya"]
FIRST = pd.Timestamp("2010-01-01")  # days before are typing errors
EXPORTED = pd.Timestamp("2016-12-29")  # the day on which the file was made
LEGAL_FORMS = r"\b(?:LIMITED|LTD|COMPANY|CO)\b"


def awards_kenya() -> tuple[pd.DataFrame, Report]:
    """Load public contracts of 177 Kenyan bodies, awarded from 2011 to 2016.

    Returns
    -------
    awards : DataFrame
        One row per award: ``contract`` (its row in the file, from 0), ``bidder`` (the supplier in
        a unified spelling: capitals without punctuation and without Ltd, Limited, Co, Company),
        ``supplier`` as written in the file, ``authority``, ``reference``, ``description``,
        ``method``, ``amount`` (shillings), and the days ``advertised``, ``date`` (of notification),
        ``signed`` and ``completed``. Days before 2010 are impossible. So are days after 29 December
        2016, when the file was made, but a planned completion may be later. Impossible days are
        NaT.
    report : Report
        The repeated awards, which are left out; awards with an impossible day, by column; awards
        with a supplier whose name has several spellings; and awards that share their reference
        with other awards of the same authority (lots), which remain separate contracts.

    Raises
    ------
    DataUnavailable
        If the file is neither in ``RECEVAL_DATA`` nor available from its source.

    References
    ----------
    rush4ratio/contract_awards_ppoa, which states no licence; see `sources`.
    """
    source = pd.read_csv(fetch(AWARDS), dtype=str, keep_default_na=False)
    awards = source[[*NAMES]].rename(columns=NAMES).reset_index(names="contract")
    awards.insert(1, "bidder", _unify_spelling(awards["supplier"]))
    awards["amount"] = pd.to_numeric(awards["amount"].str.replace(",", ""))

    # For each change, the report has a mask of the rows in the file. Begin with repeated rows: the
    # same award can be on two pages of the site.
    is_repeated = source.drop(columns="page").duplicated()
    changes = {"removed: award listed again": is_repeated}
    for name in ("advertised", "date", "signed", "completed"):
        days = pd.to_datetime(awards[name], format="%m/%d/%Y")
        is_impossible = days < FIRST
        if name != "completed":  # a completion is planned, so it may be after the export
            is_impossible |= days > EXPORTED
        awards[name] = days.mask(is_impossible)
        changes[f"unknown now: impossible day in {name!r}"] = is_impossible

    # Add suppliers with several spellings, and contracts that share a reference.
    n_spellings = awards.groupby("bidder")["supplier"].transform("nunique")
    changes["folded: supplier in several spellings"] = n_spellings > 1
    kept = awards[~is_repeated]
    is_lot = kept.duplicated(["authority", "reference"], keep=False)
    changes["kept: lots that share a reference"] = is_lot.reindex(awards.index, fill_value=False)
    rows = {change: np.flatnonzero(is_changed) for change, is_changed in changes.items()}
    kept = kept.reset_index(drop=True)
    return kept, Report(len(awards), len(kept), rows)


def _unify_spelling(names: pd.Series) -> pd.Series:
    """Return company names in capitals, without punctuation and legal forms such as "LTD".

    If nothing would be left of a name, the function doesn't change it.
    """
    capitals = names.str.upper().str.replace("&", " AND ")
    words = capitals.str.replace(r"[^A-Z0-9]+", " ", regex=True)
    unified = words.str.replace(LEGAL_FORMS, "", regex=True).str.split().str.join(" ")
    return unified.where(unified != "", names)
