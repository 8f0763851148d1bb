"""Splitting: which rows train and which test, as index arrays.

Rounds of (train, test)
-----------------------
`k_fold`, `rotation`
    Every row is tested once.
`time_series_folds`
    Train on the past, test on the next fold; the first fold is never tested.
`fixed_time`
    One split at a point in time; with ``users=`` only their last rows are tested.
`leave_last_out`, `hold_out_per_user`
    The last, or some, rows of each user.
`hold_out`, `hold_out_users`
    A random share of all rows; all rows of a random share of the users.

Each answers `Splits`: a sequence of ``(train, test)`` pairs of row positions, which
scikit-learn takes as ``cv=``. Where rows do not divide evenly, the first folds are longer by one.

Tables
------
`single_winner`, `fill_missing_dates`, `warm_users`, `k_core`
    A table in; the table and a `Report` of what was changed out.
`leakage`
    What the test rows give away to training, or lack there.
"""

from receval.splitting.folds import Splits, k_fold, rotation, time_series_folds
from receval.splitting.holdout import hold_out, hold_out_per_user, hold_out_users
from receval.splitting.in_time import fixed_time, leave_last_out
from receval.splitting.leaks import leakage
from receval.splitting.report import Report
from receval.splitting.tables import fill_missing_dates, k_core, single_winner, warm_users

__all__ = [
    "Report",
    "Splits",
    "fill_missing_dates",
    "fixed_time",
    "hold_out",
    "hold_out_per_user",
    "hold_out_users",
    "k_core",
    "k_fold",
    "leakage",
    "leave_last_out",
    "rotation",
    "single_winner",
    "time_series_folds",
    "warm_users",
]
