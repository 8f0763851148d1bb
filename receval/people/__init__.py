"""Document 004: configurations of people recommenders, and the recommenders that they name.

`read_grid`
    Read a grid of parameters written in YAML, for any recommenders.
`run`
    Run a configuration of RELISON from beginning to end; `read_configuration` only reads it.
`recommenders`
    Ten recommenders of RELISON, which learn from the links of a `SocialNetwork`; `recommend` makes
    lists from their scores, and `train_recommender` takes RELISON's names and parameters.
"""

from receval.people import recommenders
from receval.people.algorithms import relison_name, train_recommender
from receval.people.configuration import Configuration, Unsupported, read_configuration
from receval.people.grid import Grid, read_grid
from receval.people.lists import recommend
from receval.people.network import SocialNetwork
from receval.people.running import PeopleRun, run, usable_test_links

__all__ = [
    "Configuration",
    "Grid",
    "PeopleRun",
    "SocialNetwork",
    "Unsupported",
    "read_configuration",
    "read_grid",
    "recommend",
    "recommenders",
    "relison_name",
    "run",
    "train_recommender",
    "usable_test_links",
]
