"""Record the results of BM25 and iMF on random graphs like those of RELISON's tutorial.

    python tests/recorded/tutorial.py

writes ``004_simulated.csv`` into ``data/published``: for the seeds 0 to 99 of
`receval.datasets.tutorial_links` nDCG@10 and MAP@10 of both, with every digit. It takes half a
minute of one core; ``tests/people/test_tutorial.py`` recomputes some.

The two are the tutorial's, with its parameters, as the program and RankSys 0.4.3 have them.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from receval import datasets, evaluate

OUTPUT = Path(__file__).parents[2] / "data" / "published" / "004_simulated.csv"
MEASURES = ["nDCG@10", "MAP@10"]


def bm25(links, k=0.1, b=0.1):
    """Score with BM25. For undirected, unweighted links, all orientations are the same."""
    degree = links.sum(axis=1)
    rarity = np.log((len(links) - degree + 0.5) / (degree + 0.5))
    return (links * rarity) @ links * (k + 1) / (k * (1 - b + b * degree / degree.mean()) + 1)


def imf(links, rng, factors=300, regularisation=150, alpha=40, rounds=20):
    """Run alternating least squares of Hu, Koren and Volinsky, by users instead of factors.

    With the factors Q of one side and the confidences C, a row of the other side is
    (Q'CQ + r)^-1 Q'C l = Q' (QQ' + r C^-1)^-1 l for its links l, so that only QQ' is needed.
    """
    n = len(links)
    start = np.sqrt(1 / factors) * rng.random((n, factors))
    products, doubt = start @ start.T, np.zeros((n, n, n))
    doubt[:, np.arange(n), np.arange(n)] = regularisation / (1 + alpha * links)
    for _ in range(2 * rounds):
        rows = np.linalg.solve(products + doubt, links[..., np.newaxis])[..., 0]
        scores, products = rows @ products, rows @ products @ rows.T
    return scores


def ten_best(scores, links):
    """Return the ten unknown users with the highest scores. Ties are ordered by id."""
    scores = np.where((links > 0) | np.eye(len(links), dtype=bool), -np.inf, scores)
    items = np.argsort(-scores, axis=1, kind="stable")[:, :10]
    users = np.repeat(np.arange(len(links)), 10)
    found = scores[users, items.ravel()]
    lists = pd.DataFrame({"user": users, "item": items.ravel(), "score": found})
    return lists[np.isfinite(found)]


def simulated(seed, only=("BM25", "iMF")):
    """Return the means of one graph: {"BM25 nDCG@10": …}."""
    train, test = datasets.tutorial_links(seed)
    links = np.zeros((102, 102))
    links[train["user"], train["item"]] = 1
    found = bm25(links)
    scores = {"BM25": np.where(found != 0, found, -np.inf)}  # others have no score there
    if "iMF" in only:
        with threadpool_limits(1):  # many small systems: threads would only wait for one another
            scores["iMF"] = imf(links, np.random.default_rng([seed, 1]))
    lists = {name: ten_best(scores[name], links) for name in only}
    how = {"relevance_column": None, "convention": "relison_program"}
    means = evaluate(lists, test, MEASURES, **how).summary
    return {f"{name} {measure}": means.loc[name, measure] for name in only for measure in MEASURES}


if __name__ == "__main__":
    rows = pd.DataFrame([{"seed": seed, **simulated(seed)} for seed in range(100)])
    rows.to_csv(OUTPUT, index=False, lineterminator="\n")
