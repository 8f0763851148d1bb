"""Record the results of recommenders, cornac, recbole or elliot on 240 users.

Run it in a separate environment that has the tool, but not receval:

    python -m venv env && env/bin/pip install pandas==2.2.3 numpy==1.26.4 scikit-learn
    env/bin/pip install --no-deps recommenders==1.2.1
    env/bin/python tests/recorded/record_many.py recommenders

``cornac`` needs ``pip install cornac==3.0.1 pandas``. ``recbole`` needs Python 3.11 or older,
``numpy==1.23.5``, ``pandas<2.1``, ``scipy<1.12``, ``scikit-learn<1.4``, ``torch``, the packages
that ``import recbole.evaluator`` asks for, and ``pip install --no-deps recbole==1.2.1``. ``elliot``
has no package that installs: check out the tag v0.3.1 of github.com/sisinflab/elliot, and put its
folder into PYTHONPATH.

The script reads three tables in this folder. ``record_many.py draw`` of commit dff284d6 drew them:

- ``many_recommendations.csv`` has lists of 1 to 14 of 25 items. They have equal scores, and some
  users have none.
- ``many_rankings.csv`` ranks all 25 items for every user, without equal scores. cornac and recbole
  get these, because they rank all items, and order equal scores as their sorting happens to do.
- ``many_relevance.csv`` has grades from 0 to 4. Some users have none, and some only grades of 0.

recommenders, recbole and elliot take every row of the truth as relevant, so they get the rows with
a grade above 0. The script writes ``<tool>.json``: versions, users, and for each measure the value
of each user and the tool's own mean. A value is null if the tool leaves the user out.
"""

import json
import sys
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace

import pandas as pd

HERE = Path(__file__).parent
CUTOFFS = (1, 3, 10, 20)
USERS = range(1, 241)
ITEMS = 25


def record_recommenders(lists, _rankings, truth):
    """Yield name, values and mean of each measure of recommenders.

    The tool returns only means. The value of one user is the mean over the tables of this user. It
    counts only for users on whom the mean over everybody depends: nDCG averages over the users of
    the truth, and the other functions over the users that are in both tables.
    """
    from recommenders.evaluation import python_evaluation as tool

    names = {"user": "userID", "item": "itemID", "score": "prediction", "relevance": "rating"}
    predictions = lists.rename(columns=names)
    ratings = truth[truth["relevance"] > 0].rename(columns=names)
    predictions_by_user = dict(list(predictions.groupby("userID")))
    users_in_truth = list(ratings["userID"].unique())
    users_in_both = [user for user in users_in_truth if user in predictions_by_user]
    functions = {
        "MAP": (tool.map_at_k, {}, users_in_both),
        "MAP relevant": (tool.map, {}, users_in_both),
        "nDCG": (tool.ndcg_at_k, {}, users_in_truth),
        "nDCG raw": (tool.ndcg_at_k, {"score_type": "raw"}, users_in_truth),
        "nDCG exp": (tool.ndcg_at_k, {"score_type": "exp"}, users_in_truth),
        "Precision": (tool.precision_at_k, {}, users_in_both),
        "Recall": (tool.recall_at_k, {}, users_in_both),
    }
    for k in CUTOFFS:
        for name, (function, options, users) in functions.items():
            mean = function(ratings, predictions, k=k, **options)
            values = {}
            for user in users:
                ratings_of_user = ratings[ratings["userID"] == user]
                predictions_of_user = predictions_by_user.get(user, predictions.iloc[:0])
                values[user] = function(ratings_of_user, predictions_of_user, k=k, **options)
            yield with_cutoff(name, k), values, mean
    k = max(CUTOFFS)  # more than any user has relevant items
    yield "R-Precision refused", {}, tool.r_precision_at_k(ratings, predictions, k=k)


def record_cornac(_lists, rankings, truth):
    """Yield name, values and mean of each measure of cornac, from its function ``ranking_eval``."""
    from cornac.data import Dataset
    from cornac.eval_methods.base_method import ranking_eval
    from cornac.metrics import AUC, MAP, MRR, NDCG, FMeasure, HitRatio, Precision, Recall
    from cornac.models import Recommender

    scores = rankings.pivot_table(index="user", columns="item", values="score")
    users = scores.index.tolist()
    items = scores.columns.tolist()

    # Every user has a rating of 0 for some item, so that cornac knows all users and items. It
    # leaves out items with a rating of 1 or more in the training data, so it leaves out none.
    training = [(user, items[i % ITEMS], 0.0) for i, user in enumerate(users)]
    train_set = Dataset.from_uir(training)
    test_set = Dataset.build(
        list(truth.itertuples(index=False, name=None)),
        global_uid_map=train_set.uid_map,
        global_iid_map=train_set.iid_map,
    )
    known_users = list(train_set.uid_map)
    known_items = list(train_set.iid_map)

    class Scores(Recommender):
        """A model that returns the scores of the table."""

        def score(self, user_idx, item_idx=None):
            return scores.loc[known_users[user_idx], known_items].to_numpy(float)

    model = Scores("scores").fit(train_set)
    kinds = {
        "HR": HitRatio,
        "nDCG": NDCG,
        "Precision": Precision,
        "Recall": Recall,
        "F1": FMeasure,
    }
    metrics = {f"{name}@{k}": kind(k=k) for k in CUTOFFS for name, kind in kinds.items()}
    # With another measure that has a cut-off, cornac sorts only so many items, and MRR would see
    # the others in another order. So these measures have a run of their own.
    whole_metrics = {name: kind() for name, kind in kinds.items()}
    whole_metrics |= {"MRR": MRR(), "MAP": MAP(), "AUC": AUC()}
    for run in (metrics, whole_metrics):
        means, values = ranking_eval(model, list(run.values()), train_set, test_set)
        for name, mean, values_by_index in zip(run, means, values, strict=True):
            values_by_user = {known_users[index]: value for index, value in values_by_index.items()}
            yield name, values_by_user, mean


def record_recbole(_lists, rankings, truth):
    """Yield name, values and mean of each measure of recbole, from its collector and evaluator."""
    import torch
    from recbole.evaluator import Collector, Evaluator, metrics_dict

    kinds = {
        "HR": "hit",
        "MRR": "mrr",
        "MAP": "map",
        "nDCG": "ndcg",
        "Precision": "precision",
        "Recall": "recall",
    }
    config = {
        "metrics": list(kinds.values()),
        "topk": list(CUTOFFS),
        "metric_decimal_place": 17,
        "eval_args": {"mode": "full"},
        "device": "cpu",
    }
    relevant = truth[truth["relevance"] > 0]
    users = sorted(relevant["user"].unique())  # recbole evaluates the users of the test data
    scores = rankings.pivot_table(index="user", columns="item", values="score").loc[users]
    collector = Collector(config)
    collector.eval_batch_collect(
        torch.tensor(scores.to_numpy(float)),
        None,
        torch.tensor(scores.index.get_indexer(relevant["user"])),
        torch.tensor(scores.columns.get_indexer(relevant["item"])),
    )
    collected = collector.get_data_struct()
    means = Evaluator(config).evaluate(collected)
    for name, kind in kinds.items():
        metric = metrics_dict[kind](config)
        positions, n_relevant = metric.used_info(collected)
        if name in ("HR", "MRR", "Precision"):
            values = metric.metric_info(positions)
        else:
            values = metric.metric_info(positions, n_relevant)
        for k in CUTOFFS:
            values_by_user = dict(zip(users, values[:, k - 1], strict=True))
            yield f"{name}@{k}", values_by_user, means[f"{kind}@{k}"]


def record_elliot(lists, _rankings, truth):
    """Yield name, values and mean of each measure of elliot, from its classes of metrics."""
    from elliot.evaluation.metrics import F1, HR, MAP, MRR, Precision, Recall, nDCG, nDCGRendle2020
    from elliot.evaluation.relevance import relevance

    ranked = lists.sort_values("score", ascending=False, kind="stable")
    recommendations = {
        user: list(zip(rows["item"], rows["score"], strict=True))
        for user, rows in ranked.groupby("user")
    }
    relevant = truth[truth["relevance"] > 0]
    test = {
        user: dict(zip(rows["item"], rows["relevance"], strict=True))
        for user, rows in relevant.groupby("user")
    }
    # As its evaluator does: only users with test data.
    recommendations = {user: items for user, items in recommendations.items() if user in test}
    kinds = {
        "HR": HR,
        "MRR": MRR,
        "nDCG": nDCG,
        "nDCG binary": nDCGRendle2020,
        "Precision": Precision,
        "Recall": Recall,
        "F1": F1,
        "MAP refused": MAP,
    }
    for threshold in (0, 2):
        for k in CUTOFFS:
            objects = SimpleNamespace(relevance=relevance.Relevance(test, threshold), cutoff=k)
            for name, kind in kinds.items():
                metric = kind(recommendations, None, None, objects)
                full_name = with_cutoff(name, k)
                if threshold != 0:
                    full_name = full_name.replace(f"@{k}", f"@{k} threshold={threshold}")
                yield full_name, metric.eval_user_metric(), metric.eval()


def with_cutoff(name, k):
    """Return the name of a measure with its cut-off: "nDCG@3 raw" for "nDCG raw" and 3."""
    measure, _, option = name.partition(" ")
    return f"{measure}@{k} {option}".strip()


def write(tool, values_and_means, versions):
    """Write the record of a tool, with a line for each measure."""
    users = list(USERS)
    lines = []
    for name, values, mean in values_and_means:
        numbers = [float(values[user]) if values.get(user) is not None else None for user in users]
        entry = json.dumps({"mean": float(mean), "values": numbers})
        lines.append(f" {json.dumps(name)}: {entry}")
    python = ".".join(map(str, sys.version_info[:3]))
    head = {"versions": versions, "python": python, "users": users}
    text = json.dumps(head)[:-1] + ', "measures": {\n' + ",\n".join(lines) + "\n}}\n"
    (HERE / f"{tool}.json").write_text(text, encoding="utf-8")


TOOLS = {
    "recommenders": record_recommenders,
    "cornac": record_cornac,
    "recbole": record_recbole,
    "elliot": record_elliot,
}

if __name__ == "__main__":
    tool = sys.argv[1]
    lists, rankings, truth = (
        pd.read_csv(HERE / f"many_{name}.csv")
        for name in ("recommendations", "rankings", "relevance")
    )
    versions = {name: version(name) for name in ("pandas", "numpy")}
    if tool == "elliot":
        import elliot

        versions = {"elliot": elliot.__version__, **versions}
    else:
        versions = {tool: version(tool), **versions}
    write(tool, TOOLS[tool](lists, rankings, truth), versions)
