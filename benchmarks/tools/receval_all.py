"""receval: every measure that needs only the two tables, at five cut-offs."""

from functools import cache

from receval import evaluate, measures

from .receval import prepare

__all__ = ["prepare", "run"]

CUTOFFS = (1, 2, 3, 5)  # and k
WITHOUT = ("R-Precision", "AUC", "PC", "bpref")


@cache
def asked(k):
    """Return the names of the measures; the first call, which isn't timed, computes them."""
    table = measures()
    keys = table.index[table["needs"] == ""]
    cut = [f"{key}@{cutoff}" for key in keys.difference(WITHOUT) for cutoff in (*CUTOFFS, k)]
    return [*cut, *keys.intersection(WITHOUT)]


def run(recs, truth, k):
    result = evaluate(recs, truth, asked(k), progress=False)
    return result.per_user, result.summary.loc[""].to_dict()
