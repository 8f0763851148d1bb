"""Exercises of the lessons: answers that are checked, hints, and what usually goes wrong."""

from receval.learn.checking import Feedback, check, exercises

__all__ = ["Feedback", "check", "exercises"]
