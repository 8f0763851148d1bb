"""receval, with all its checks, from scores."""

from receval import evaluate

from . import names


def run(recs, truth, k):
    result = evaluate(recs, truth, names(k), progress=False)
    return result.per_user, result.summary.loc[""].to_dict()
