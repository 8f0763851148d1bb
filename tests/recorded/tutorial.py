"""Record the results of BM25 and iMF on random graphs like those of RELISON's tutorial.

    python tests/recorded/tutorial.py

writes ``004_simulated.csv`` into ``data/published``: for the seeds 0 to 99 of
`receval.datasets.tutorial_links` nDCG@10 and MAP@10 of both, with every digit. It takes half a
minute of one core; ``tests/people/test_tutorial.py`` recomputes some.

The two follow RELISON's program, with the tutorial's parameters.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from receval import datasets, evaluate

OUTPUT = Path(__file__).parents[2] / "data" / "published" / "004_simulated.csv"
MEASURES = ["nDCG@10", "MAP@10"]
N_USERS = 102


def bm25(links, rng, *, k=0.1, b=0.1):
    """Score users as documents whose words are their neighbours; NaN without a common one."""
    n_neighbours = links.sum(axis=0)
    rarity = np.log((N_USERS - n_neighbours + 0.5) / (n_neighbours + 0.5))
    saturation = k * (1 - b + b * n_neighbours / n_neighbours.mean())
    scores = (links * rarity) @ ((k + 1) * links / (saturation[:, None] + links)).T
    return np.where(links @ links.T > 0, scores, np.nan)


def factorized(links, rng, *, n_factors=300, regularization=150, alpha=40, n_rounds=20):
    """Score users by implicit matrix factorization (Hu, Koren and Volinsky 2008)."""
    origins = np.sqrt(1 / n_factors) * rng.random((N_USERS, n_factors))
    for _ in range(n_rounds):
        destinations = solved(links.T, origins, regularization, alpha)
        origins = solved(links, destinations, regularization, alpha)
    return origins @ destinations.T


def solved(links, others, regularization, alpha):
    """Return the factors of one side of the links, for fixed factors of the other side."""
    gram = others.T @ others + regularization * np.eye(others.shape[1])
    weighted = np.linalg.solve(gram, others.T).T
    factors = np.zeros((len(links), others.shape[1]))
    for row, columns in enumerate(map(np.flatnonzero, links)):
        # (G + Q'DQ)^-1 Q' is G^-1 Q' (I + D Q G^-1 Q')^-1: one equation for each link, not factor.
        system = np.eye(len(columns)) + alpha * others[columns] @ weighted[columns].T
        targets = np.full(len(columns), 1.0 + alpha)
        factors[row] = weighted[columns].T @ np.linalg.solve(system, targets)
    return factors


RECOMMENDERS = {"BM25": bm25, "iMF": factorized}


def ten_best(links, scores):
    """Return the ten best users for each user among those who aren't linked yet."""
    is_candidate = (links == 0) & ~np.eye(N_USERS, dtype=bool) & ~np.isnan(scores)
    ordered = np.argsort(np.where(is_candidate, -scores, np.inf), axis=1, kind="stable")[:, :10]
    user, rank = np.nonzero(np.take_along_axis(is_candidate, ordered, axis=1))
    item = ordered[user, rank]
    return pd.DataFrame({"user": user, "item": item, "score": scores[user, item]})


def simulated(seed):
    """Return the means of one graph: {"BM25 nDCG@10": …}."""
    train, test = datasets.tutorial_links(seed)
    links = np.zeros((N_USERS, N_USERS))
    links[train["user"], train["item"]] = 1
    with threadpool_limits(1):  # many small systems: threads would only wait for one another
        lists = {
            name: ten_best(links, score(links, np.random.default_rng([seed, 1])))
            for name, score in RECOMMENDERS.items()
        }
    options = {"relevance_column": None, "convention": "relison_program"}
    means = evaluate(lists, test, MEASURES, **options).summary
    return {f"{name} {label}": means.loc[name, label] for name in lists for label in MEASURES}


if __name__ == "__main__":
    rows = pd.DataFrame([{"seed": seed, **simulated(seed)} for seed in range(100)])
    rows.to_csv(OUTPUT, index=False, lineterminator="\n")
