"""Live views for notebooks: move a slider, and see how the number changes.

Each function returns a widget of ipywidgets (``pip install "receval[notebooks]"``). For a view of
your own data, write a function that draws, and pass it to `receval.learn.live`. The views update
while you drag, and work with the keyboard. A table shows the numbers behind the picture. A page
without a kernel shows the first picture instead. `implicator_maps` has its values on the page, but
Jupyter shows it only after you ran its cell.

====================== ========================================================================
view                   what you see
====================== ========================================================================
`list_of_grades`       what each rank adds to a measure, and its value under each convention
`rating_errors`        the errors of predicted ratings, and their squares
`two_orders`           the ranks by two judges, and how they correlate
`equal_scores`         how far a measure depends on the order of equal scores
`number_of_users`      how wide the interval of a difference is, by the number of users
`leaking_split`        which training rows are from the future of the test, and what that changes
`long_tail`            coverage, long tail and novelty, as luck replaces the items of lists
`two_retrievers`       hits, Müller's and Stromer's quality, as you reorder a list of cases
`filter_size`          quality of MAC/FAC by the size of its filter
`group`                what a group chooses, and whether a lie pays
`implication`          the surface of an implicator, and powers that scale both sides
`implicator_maps`      several implicators, and the truth of each at a point that you drag
`clicks_by_place`      which question each rate of clicks answers
====================== ========================================================================
"""

from receval.play.cases import filter_size, two_retrievers
from receval.play.catalogue import long_tail
from receval.play.clicks import clicks_by_place
from receval.play.implicators import implicator_maps
from receval.play.lists import equal_scores, list_of_grades, number_of_users
from receval.play.methods import group, implication
from receval.play.pairs import rating_errors, two_orders
from receval.play.splits import leaking_split

__all__ = [
    "clicks_by_place",
    "equal_scores",
    "filter_size",
    "group",
    "implication",
    "implicator_maps",
    "leaking_split",
    "list_of_grades",
    "long_tail",
    "number_of_users",
    "rating_errors",
    "two_orders",
    "two_retrievers",
]
