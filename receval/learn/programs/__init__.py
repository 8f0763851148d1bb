"""The programming tasks of the lessons: a module for each lesson, named like its exercises.

The task of "hits.code" is the module ``hits``. Each module has the right function,
which calls receval where it can, functions with usual slips, and ``INPUTS`` to try them on.
"""
