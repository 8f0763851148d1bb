"""Record how repro_eval compares two reproductions of an experiment on FilmTrust.

Run it in a separate environment that has repro_eval, but not receval:

    python -m venv env && env/bin/pip install repro_eval==0.5.0 pandas
    RECEVAL_DATA=<folder> env/bin/python tests/recorded/reproduction.py

It reads FilmTrust's ratings in the folder, and writes ``reproduction.json``: for each reproduction
the numbers of repro_eval over all users, and those of the lists of the first 40 users.

repro_eval 0.5 sorts the union of two lists by the names of their items, so its Kendall's tau union
depends on names. The script therefore names the items of each user in the order of the union; the
value with the ids of the films is recorded too.
"""

import json
import os
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pandas as pd

OUTPUT = Path(__file__).parent / "reproduction.json"
PERSISTENCE = 0.9
LENGTH = 10
N_USERS = 40  # whose lists are recorded


def read_ratings(folder):
    """Return FilmTrust's ratings, each pair of user and film once."""
    paths = [Path(folder, "filmtrust", f"ratings_{part}.txt") for part in range(4)]
    parts = [pd.read_csv(path, sep=" ", names=["user", "item", "rating"]) for path in paths]
    return pd.concat(parts, ignore_index=True).drop_duplicates(["user", "item"])


def experiments(ratings):
    """Return the relevant pairs, and the lists of two systems in the original and reproductions.

    Every fifth rating is for testing. ``popular`` shows the films with most likes, ``similar``
    those with the largest sum of cosine similarities to the films that the user likes. The
    reproduction ``nearest`` uses only the 20 most similar films; ``slip`` forgets to normalise.
    """
    is_test = np.arange(len(ratings)) % 5 == 0
    liked = ratings[ratings["rating"] >= 3]
    relevance = liked[is_test[ratings["rating"] >= 3]][["user", "item"]]
    users, films = (np.unique(ratings[name]) for name in ("user", "item"))
    train = ratings[~is_test]
    cells = np.searchsorted(users, train["user"]), np.searchsorted(films, train["item"])
    likes = np.zeros((len(users), len(films)))
    likes[cells] = train["rating"] >= 3
    counts = likes.T @ likes
    popular = np.broadcast_to(np.diag(counts), likes.shape)
    norm = np.sqrt(np.maximum(np.diag(counts), 1))
    cosine = counts / norm / norm[:, np.newaxis]
    np.fill_diagonal(cosine, 0)
    np.fill_diagonal(counts, 0)
    threshold = np.sort(cosine, axis=1)[:, [-20]]
    nearest = np.where(cosine >= threshold, cosine, 0)
    judged = np.isin(users, relevance["user"].unique())

    def lists(score):
        """Return the ten best films of each judged user that the user did not rate in training."""
        score = score.round(9)
        score[cells] = -1
        best = np.argsort(-score, axis=1, kind="stable")[judged, :LENGTH]
        return pd.DataFrame(
            {
                "user": users[judged].repeat(LENGTH),
                "item": films[best.ravel()],
                "rank": np.tile(np.arange(1, LENGTH + 1), judged.sum()),
            }
        )

    original = {"popular": lists(popular), "similar": lists(likes @ cosine.T)}
    reproductions = {
        "nearest": {"popular": original["popular"], "similar": lists(likes @ nearest.T)},
        "slip": {"popular": original["popular"], "similar": lists(likes @ counts)},
    }
    return relevance, original, reproductions


def as_run(lists, names=None):
    """Return lists as trec_eval's dict of scores; ``names`` renames the items of each user."""
    run = {}
    for user, rows in lists.groupby("user"):
        items = [names[user][item] if names else str(item) for item in rows["item"]]
        run[str(user)] = {item: float(LENGTH - rank) for rank, item in enumerate(items)}
    return run


def names_in_union(first, second):
    """Return names for the items of each user that sort as the union of the two lists."""
    items = pd.concat([first, second]).groupby("user")["item"]
    return {
        user: {item: f"{place:03}" for place, item in enumerate(dict.fromkeys(column))}
        for user, column in items
    }


def record():
    """Run repro_eval and write its numbers."""
    import pytrec_eval
    from repro_eval.measure.document_order import KTU, RBO
    from repro_eval.measure.effectiveness import RMSE
    from repro_eval.measure.overall_effects import DRI, ER
    from repro_eval.measure.statistics import ttest

    relevance, original, reproductions = experiments(read_ratings(os.environ["RECEVAL_DATA"]))
    qrels = {
        str(user): dict.fromkeys(rows["item"].astype(str), 1)
        for user, rows in relevance.groupby("user")
    }
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"P_10", "recip_rank", "ndcg_cut_10"})

    def values(lists):
        return evaluator.evaluate(as_run(lists))

    content = {"versions": {"repro_eval": version("repro_eval")}, "reproductions": {}}
    scores = {name: values(lists) for name, lists in original.items()}
    for name, runs in reproductions.items():
        other_scores = {system: values(lists) for system, lists in runs.items()}
        first, second = original["similar"], runs["similar"]
        names = names_in_union(first, second)
        named = as_run(first, names), as_run(second, names)
        tau = KTU(*named, per_topic=True)
        overlap = RBO(*named, p=PERSISTENCE, depth=LENGTH, pbar=False, per_topic=True)
        users = list(tau)[:N_USERS]
        both = scores["similar"], scores["popular"]
        other_both = other_scores["similar"], other_scores["popular"]
        content["reproductions"][name] = {
            "ER": ER(*both, *other_both),
            "DRI": DRI(*both, *other_both),
            "RMSE": RMSE(both[0], other_both[0]),
            "p": ttest(both[0], other_both[0]),
            "p_unpaired": ttest(both[0], other_both[0], rpd=False),
            "KTU": float(np.mean(list(tau.values()))),
            "KTU_of_ids": KTU(as_run(first), as_run(second)),
            "RBO": float(np.mean(list(overlap.values()))),
            "KTU_of_users": {user: tau[user] for user in users},
            "RBO_of_users": {user: overlap[user] for user in users},
        }
    OUTPUT.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    record()
