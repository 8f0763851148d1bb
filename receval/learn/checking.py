"""Answers to the exercises of the lessons, compared with those that receval computes."""

from __future__ import annotations

from receval._checks import InputError, Record, input_error
from receval.learn import memory
from receval.learn.feedback import Feedback
from receval.learn.plain import (
    Plain,
    agrees,
    describe_form,
    has_form,
    normalise_word,
    plain_answer,
    unwrap,
)
from receval.learn.program import check_function
from receval.learn.texts import check_name, exercise_texts, kind_of

__all__ = ["check", "exercises"]

CLOSE = 10  # an answer is close if it is off by at most ten times the tolerance


def check(exercise: str, answer: object = ...) -> Feedback:
    """Say whether the answer to an exercise is right.

    Parameters
    ----------
    exercise : str
        Its name in the lesson, such as ``"nDCG.1"``; capital letters don't matter.
    answer : number, sequence of numbers, str, bool, or function
        Numbers are right if they agree to two decimals, or to two figures if they are below 0.1. If
        the question says "about", they may be off by 10 %. They may be texts such as ``"3/5"``,
        ``"60 %"``, ``"0,6"`` or ``"1, 3, 2"``, or a list or array of a single number. Names may be
        in any case, with blanks or underscores. "No.", "n" and False are the same answer. The
        answer to a multiple-choice question is a letter. For a programming task, pass the function
        itself; receval tries it on hidden inputs. ``...`` means that there is no answer yet.

    Returns
    -------
    Feedback
        Call its ``hint()`` for a step towards the answer.

    Raises
    ------
    InputError
        If there is no such exercise, or if it is a prediction.

    Examples
    --------
    >>> from receval import learn
    >>> learn.check("precision.1", 0.75)
    precision.1: nearly. You divided by the four items shown; precision at 5 divides by five ranks.
    >>> learn.check("precision.1", "60 %")
    precision.1: right. Precision at 5 divides by five ranks, filled or not.
    >>> print(learn.check("precision.1").hint())
    Count the relevant items in the first five ranks. What is the list's length, and what is k?
    >>> def my_reciprocal_rank(grades, k):
    ...     return 1 / (grades.index(1) + 1)
    >>> learn.check("hits.code", my_reciprocal_rank).verdict
    'not yet'
    """
    texts_by_name = exercise_texts()
    name = check_name(exercise, texts_by_name)
    texts = texts_by_name[name]
    if kind_of(texts) == "prediction":
        advice = "learn.predict notes a prediction"
        raise input_error("exercise", "be one with an answer", repr(exercise), advice)
    if kind_of(texts) == "program":
        feedback = check_function(name, texts, answer)
    else:
        try:
            plain = plain_answer(answer)
        except TypeError as error:
            return Feedback(name, "not yet", f"That can't be read: {error}", texts.get("hint", ""))
        feedback = judge(name, texts, plain)
    if feedback.verdict != "your turn":
        memory.remember(name, feedback.verdict)
    return feedback


def exercises() -> dict[str, str]:
    """Return the names of all exercises, each with its question.

    Returns
    -------
    dict of str

    Examples
    --------
    >>> from receval import learn
    >>> print(learn.exercises()["precision.1"])
    Four items are shown, and three of them are relevant. What is Precision@5?
    """
    return {name: exercise["question"] for name, exercise in exercise_texts().items()}


def judge(name: str, texts: Record, answer: Plain) -> Feedback:
    """Return the feedback on an answer that is a number, a word, a list of numbers or a choice.

    Parameters
    ----------
    name : str
        The name of the exercise.
    texts : dict
        Its texts.
    answer : plain value
        The answer as `plain_answer` returns it.
    """
    hint = texts.get("hint", "")
    if answer is None:
        return Feedback(name, "your turn", "Put your answer in place of the three dots", hint)
    if kind_of(texts) == "choice":
        return _judge_choice(name, texts, answer)
    if "answer" not in texts:
        raise InputError(f"{name} must have an answer in its file of exercises; got none")
    if agrees(answer, texts["answer"], least_tolerance=texts.get("within", 0)):
        return Feedback(name, "right", texts.get("right", "That is it."), hint)
    verdict, says = _describe_wrong(name, texts, answer)
    return Feedback(name, verdict, says, hint)


def _describe_wrong(name: str, texts: Record, answer: Plain) -> tuple[str, str]:
    """Return the verdict on an answer that is not right, and a sentence about it."""
    # A mistake may lead close to the right answer, so look for mistakes first.
    for mistake, wrong_answer in texts.get("wrong_answers", {}).items():
        if agrees(answer, wrong_answer):
            return "nearly", texts.get("mistakes", {}).get(mistake, "Look again")
    right = texts["answer"]
    if agrees(answer, right, tolerance_factor=CLOSE):
        digits = "two decimals, or two significant digits below 0.1"
        return "nearly", f"Close. Check your last step and how you rounded: give {digits}"
    # An answer of 5 may stand for a share of 0.05.
    if isinstance(right, float) and 0 < right < 1 and agrees(answer, 100 * right):
        advice = "Write a share between 0 and 1, or a text with a percent sign"
        return "nearly", f'{advice}, such as "5 %"'
    if not has_form(answer, right):
        return "not yet", f"The answer is {describe_form(right)}"
    return "not yet", f'Look again; learn.check("{name}").hint() helps'


def _judge_choice(name: str, texts: Record, answer: Plain) -> Feedback:
    """Return the feedback on a choice, with the reason for the chosen option."""
    hint = texts.get("hint", "")
    options = texts.get("options")
    if not isinstance(options, dict):
        raise InputError(f"options of {name} must be a table of letters; got {options!r}")
    letter = choice_of(options, answer)
    if letter is None:
        letters = list(options)
        says = f"Answer with a letter from {letters[0]} to {letters[-1]}, in quotes"
        return Feedback(name, "not yet", says, hint)
    if letter == texts["choice"]:
        return Feedback(name, "right", texts.get("right", "That is it."), hint)
    return Feedback(name, "not yet", texts.get("reasons", {}).get(letter, "Look again"), hint)


def choice_of(options: dict[str, str], answer: Plain) -> str | None:
    """Return the letter of the option that an answer names, by its letter or by its text."""
    answer = unwrap(answer)
    if not isinstance(answer, str):
        return None
    word = normalise_word(answer)
    for letter, text in options.items():
        if word in (normalise_word(letter), normalise_word(text)):
            return letter
    return None
