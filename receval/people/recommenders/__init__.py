"""Ten people recommenders of RELISON (document 004), to run its configurations.

These are demonstrations of what the measures evaluate, and not a library of recommenders. Each
takes a `SocialNetwork` and its parameters and returns a trained recommender: a function
``scores(users)`` that takes the positions of b users in `SocialNetwork.users` and returns an array
of shape (b, n), the score of every user of the network as a candidate. NaN means that there
isn't a score. Scores include the target user and users who are linked already;
`receval.people.recommend` leaves these out.

`random_candidates`
    Random scores.
`popularity`
    The candidates with the most incoming links.
`common_neighbours`, `jaccard`, `adamic_adar`, `cosine`
    Friends of friends.
`personalised_page_rank`
    Random walks from the target user.
`bm25`
    A ranking function of text retrieval.
`implicit_matrix_factorisation`
    A few numbers for each user, computed by alternating least squares.
`user_based_neighbours`, `item_based_neighbours`
    Nearest neighbours, with the scores of any other recommender as similarities.
"""

from receval.people.recommenders.baselines import popularity, random_candidates
from receval.people.recommenders.bm25 import bm25
from receval.people.recommenders.common import adamic_adar, common_neighbours, cosine, jaccard
from receval.people.recommenders.factors import implicit_matrix_factorisation
from receval.people.recommenders.nearest import item_based_neighbours, user_based_neighbours
from receval.people.recommenders.scores import Scorer
from receval.people.recommenders.walks import personalised_page_rank

__all__ = [
    "Scorer",
    "adamic_adar",
    "bm25",
    "common_neighbours",
    "cosine",
    "implicit_matrix_factorisation",
    "item_based_neighbours",
    "jaccard",
    "personalised_page_rank",
    "popularity",
    "random_candidates",
    "user_based_neighbours",
]
