"""Predictions: say what you expect, run the next cells, and compare."""

from __future__ import annotations

from dataclasses import dataclass

from receval._checks import Record, input_error
from receval._escape import for_html, for_terminal
from receval.learn import memory
from receval.learn.feedback import Feedback
from receval.learn.plain import Plain, agrees, normalise_word, plain_answer, read_number
from receval.learn.texts import check_name, exercise_texts, kind_of

__all__ = ["Comparison", "compare", "predict"]


@dataclass(frozen=True)
class Comparison:
    """A prediction and the value that was computed later.

    Attributes
    ----------
    exercise : str
        The name of the prediction.
    predicted : number, str or None
        What you predicted; None if you made no prediction.
    computed : number or str
        The computed value.
    """

    exercise: str
    predicted: Plain
    computed: Plain

    def __repr__(self) -> str:
        return for_terminal(f"{self.exercise}: {self._sentence()}")

    def _repr_html_(self) -> str:
        return f"<p>{for_html(self.exercise)}: {for_html(self._sentence())}</p>"

    def _sentence(self) -> str:
        """Return the comparison as a sentence."""
        if isinstance(self.computed, str):
            computed = f'the answer is "{self.computed}"'
        else:
            computed = f"the value is {_show(self.computed)}"
        if self.predicted is None:
            return f"you made no prediction; {computed}."
        return f"you predicted {_show(self.predicted)}; {computed}."


def predict(exercise: str, prediction: object = ...) -> Feedback:
    """Note what you expect before you see it; `compare` shows it next to the computed value.

    A prediction is never right or wrong. The exercise is done once you have made a prediction.

    Parameters
    ----------
    exercise : str
        Its name in the lesson, such as ``"hits.p1"``.
    prediction : number or str
        A number, such as ``0.5`` or ``"50 %"``, or one of the words that the question offers.
        ``...`` is not a prediction yet.

    Returns
    -------
    Feedback
        "noted", or a message that says which form the prediction needs.

    Raises
    ------
    InputError
        If there is no such prediction.

    Examples
    --------
    >>> from receval import learn
    >>> learn.predict("hits.p1", "4/5")
    hits.p1: noted. You predict 0.8
    >>> learn.compare("hits.p1", 0.6)
    hits.p1: you predicted 0.8; the value is 0.6.
    """
    exercise, texts = _prediction_of(exercise)
    try:
        answer = plain_answer(prediction)
    except TypeError as error:
        return Feedback(exercise, "not yet", f"{_wanted(texts)}; {error}")
    if answer is None:
        return Feedback(exercise, "your turn", f"{_wanted(texts)}. Put it in place of the dots")
    noted = read_prediction(texts, answer)
    if noted is None:
        return Feedback(exercise, "not yet", f"{_wanted(texts)}; you wrote {_show(answer)}")
    memory.remember(exercise, "noted", noted)
    return Feedback(exercise, "noted", f"You predict {_show(noted)}")


def compare(exercise: str, computed: object) -> Comparison:
    """Show your prediction next to the value that the lesson has computed.

    Parameters
    ----------
    exercise : str
        The name of the prediction.
    computed : number or str
        The computed value.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If there is no such prediction, or the value is neither a number nor a word.

    Examples
    --------
    >>> from receval import learn
    >>> learn.predict("hits.p1", 1)
    hits.p1: noted. You predict 1
    >>> learn.compare("hits.p1", 0.6)
    hits.p1: you predicted 1; the value is 0.6.
    """
    exercise, texts = _prediction_of(exercise)
    try:
        value = read_prediction(texts, plain_answer(computed))
    except TypeError as error:
        raise input_error("computed", "be a number or a word", error) from None
    if value is None:
        raise input_error("computed", f"be what the question asks for ({_wanted(texts)})", computed)
    entry = memory.entries().get(exercise)
    predicted = entry["answer"] if entry is not None else None
    return Comparison(exercise, predicted, value)


def read_prediction(texts: Record, answer: Plain) -> Plain:
    """Return a prediction as a number or as one of the words offered, or None if it is neither."""
    options: list[str] | None = texts.get("options")
    if options is None:
        return read_number(answer)
    for option in options:
        is_start = str(normalise_word(option)).startswith(normalise_word(answer))
        if agrees(answer, option) or (is_start and normalise_word(answer)):
            return option
    return None


def _prediction_of(exercise: str) -> tuple[str, Record]:
    """Return the name and the texts of a prediction, and raise for other exercises."""
    texts_by_name = exercise_texts()
    name = check_name(exercise, texts_by_name)
    if kind_of(texts_by_name[name]) != "prediction":
        advice = "learn.check checks the other exercises"
        raise input_error("exercise", "be the name of a prediction", repr(exercise), advice)
    return name, texts_by_name[name]


def _wanted(texts: Record) -> str:
    """Return what a prediction looks like."""
    options = texts.get("options")
    if texts.get("is_count"):
        return "Your prediction is a whole number"
    if options is None:
        return "Your prediction is a number, such as 0.5"
    words = [f'"{option}"' for option in options]
    return f"Your prediction is {', '.join(words[:-1])} or {words[-1]}"


def _show(value: Plain) -> str:
    """Return a prediction or a computed value as text, with at most four decimals."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)
