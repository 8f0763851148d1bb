"""Live views for notebooks: move one thing, and see the number move.

Each answers a widget of ipywidgets (``pip install "receval[notebooks]"``). Where there is no
kernel, its picture as first drawn stands in for it.
"""

from receval.play.lists import equal_scores, list_of_grades, number_of_users
from receval.play.methods import filter_size, group, implication
from receval.play.pairs import rating_errors, two_orders

__all__ = [
    "equal_scores",
    "filter_size",
    "group",
    "implication",
    "list_of_grades",
    "number_of_users",
    "rating_errors",
    "two_orders",
]
