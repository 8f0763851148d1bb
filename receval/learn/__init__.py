"""Exercises of the lessons: predictions, checks of answers and programs, hints, and progress."""

from receval.learn.checking import check, exercises
from receval.learn.feedback import Feedback
from receval.learn.memory import student
from receval.learn.papers import small_paper
from receval.learn.predictions import Comparison, compare, predict
from receval.learn.progress_table import Progress, progress

__all__ = [
    "Comparison",
    "Feedback",
    "Progress",
    "check",
    "compare",
    "exercises",
    "predict",
    "progress",
    "small_paper",
    "student",
]
