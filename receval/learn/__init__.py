"""Exercises of the lessons: checks of your answers, hints, and explanations of usual mistakes."""

from receval.learn.checking import Feedback, check, exercises

__all__ = ["Feedback", "check", "exercises"]
