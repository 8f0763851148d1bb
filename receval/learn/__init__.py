"""Exercises of the lessons and walks, hints, progress, and live views."""

from receval.learn.checking import check
from receval.learn.copies import small_paper
from receval.learn.exercises import Feedback, progress
from receval.learn.pictures import (
    clicks_by_place,
    equal_scores,
    leaking_split,
    list_of_grades,
    lucky_lists,
    number_of_users,
    rating_errors,
    two_conventions,
    two_orders,
)
from receval.learn.predictions import compare, predict
from receval.learn.views import live, sliders

__all__ = [
    "Feedback",
    "check",
    "clicks_by_place",
    "compare",
    "equal_scores",
    "leaking_split",
    "list_of_grades",
    "live",
    "lucky_lists",
    "number_of_users",
    "predict",
    "progress",
    "rating_errors",
    "sliders",
    "small_paper",
    "two_conventions",
    "two_orders",
]
