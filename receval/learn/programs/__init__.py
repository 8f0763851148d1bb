"""The programming tasks of the lessons: a module for each lesson, named like its exercises.

The task of "hits.code" is ``CODE`` in the module ``hits``. Each module has the right function,
which calls receval where it can, functions with usual slips, and a function that draws inputs.
"""
