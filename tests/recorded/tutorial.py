"""Record the results of BM25 and iMF on random graphs like those of RELISON's tutorial.

    python tests/recorded/tutorial.py

writes ``004_simulated.csv`` into ``data/published``: for the seeds 0 to 99 of
`receval.datasets.tutorial_links` nDCG@10 and MAP@10 of both, with every digit. It takes half a
minute of one core; ``tests/people/test_tutorial.py`` recomputes some.

The two are those of `receval.people.recommenders`, with the tutorial's parameters.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from receval import datasets, evaluate
from receval.people import SocialNetwork, recommend
from receval.people.recommenders import bm25, implicit_matrix_factorisation

OUTPUT = Path(__file__).parents[2] / "data" / "published" / "004_simulated.csv"
MEASURES = ["nDCG@10", "MAP@10"]
TRAIN = {
    "BM25": lambda network, rng: bm25(network, k=0.1, b=0.1),
    "iMF": lambda network, rng: implicit_matrix_factorisation(
        network, n_factors=300, regularization=150, alpha=40, rng=rng
    ),
}


def simulated(seed, only=("BM25", "iMF")):
    """Return the means of one graph: {"BM25 nDCG@10": …}."""
    train, test = datasets.tutorial_links(seed)
    network = SocialNetwork.from_links(train, directed=False)
    lists = {}
    with threadpool_limits(1):  # many small systems: threads would only wait for one another
        for name in only:
            scorer = TRAIN[name](network, np.random.default_rng([seed, 1]))
            lists[name] = recommend(network, scorer, k=10, progress=False)
    options = {"relevance_column": None, "convention": "relison_program"}
    means = evaluate(lists, test, MEASURES, **options).summary
    return {f"{name} {measure}": means.loc[name, measure] for name in only for measure in MEASURES}


if __name__ == "__main__":
    rows = pd.DataFrame([{"seed": seed, **simulated(seed)} for seed in range(100)])
    rows.to_csv(OUTPUT, index=False, lineterminator="\n")
