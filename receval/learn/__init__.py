"""Exercises of the lessons: checks of your answers, hints, and explanations of usual mistakes."""

from receval.learn.checking import Feedback, check, exercises
from receval.learn.papers import small_paper

__all__ = ["Feedback", "check", "exercises", "small_paper"]
