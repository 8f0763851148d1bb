"""Live views for notebooks: move a slider, and see how the number changes.

Each function returns a widget of ipywidgets (``pip install "receval[notebooks]"``). A page without
a kernel shows its first picture instead; `implicator_maps` stays live there.
"""

from receval.play.implicators import implicator_maps
from receval.play.lists import equal_scores, list_of_grades, number_of_users
from receval.play.methods import filter_size, group, implication
from receval.play.pairs import rating_errors, two_orders

__all__ = [
    "equal_scores",
    "filter_size",
    "group",
    "implication",
    "implicator_maps",
    "list_of_grades",
    "number_of_users",
    "rating_errors",
    "two_orders",
]
