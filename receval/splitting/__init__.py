"""Split rows into training and test rows, given as arrays of row positions.

Rounds of (train, test)
-----------------------
`k_fold`, `rotation`
    Every row is tested once.
`time_series_folds`
    Train on the past, test on the next fold; the first fold is never tested.
`fixed_time`
    Split at a point in time.
`leave_last_out`, `hold_out_per_user`
    Test the last rows, or a share of the rows, of each user.
`hold_out`, `hold_out_users`
    Test a random share of all rows, or all rows of a random share of the users.

Each function returns `Splits`: the rounds as ``(train, test)`` pairs of row positions, which
scikit-learn takes as ``cv=``. If the rows do not divide evenly, the first folds have one more row.

Tables
------
`single_winner`, `fill_missing_dates`, `warm_users`
    Take a table, and return a new table and a `Report` of the changes.
`leakage`
    Count what the training rows reveal about the test rows, and what they lack.
"""

from receval.splitting.folds import (
    Splits,
    fixed_time,
    hold_out,
    hold_out_per_user,
    hold_out_users,
    k_fold,
    leave_last_out,
    rotation,
    time_series_folds,
)
from receval.splitting.tables import (
    Report,
    fill_missing_dates,
    leakage,
    single_winner,
    warm_users,
)

__all__ = [
    "Report",
    "Splits",
    "fill_missing_dates",
    "fixed_time",
    "hold_out",
    "hold_out_per_user",
    "hold_out_users",
    "k_fold",
    "leakage",
    "leave_last_out",
    "rotation",
    "single_winner",
    "time_series_folds",
    "warm_users",
]
