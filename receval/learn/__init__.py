"""Exercises of the lessons and walks, hints, progress, and live views."""

from receval.learn.checking import check, exercises
from receval.learn.feedback import Feedback
from receval.learn.papers import small_paper
from receval.learn.predictions import Comparison, compare, predict
from receval.learn.progress_table import Progress, progress
from receval.learn.views import live, sliders

__all__ = [
    "Comparison",
    "Feedback",
    "Progress",
    "check",
    "compare",
    "exercises",
    "live",
    "predict",
    "progress",
    "sliders",
    "small_paper",
]
