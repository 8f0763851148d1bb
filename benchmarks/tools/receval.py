"""receval, with all its checks, from scores."""

from receval import evaluate

from . import names


def prepare(recs, truth):
    """Leave out the ranks: other tools get them instead of scores."""
    return recs.drop(columns="rank"), truth


def run(recs, truth, k):
    result = evaluate(recs, truth, names(k), progress=False)
    return result.per_user, result.summary.loc[""].to_dict()
