"""Predictions: say what you expect, run the next cells, and compare."""

from __future__ import annotations

from receval._checks import Record, check_choice, input_error, shorten
from receval._escape import for_html, for_terminal
from receval.learn.checking import is_same_word, read_numbers
from receval.learn.exercises import Feedback, exercise_texts, kind_of, remember

_predictions: dict[str, float | str] = {}  # of this session, by exercise


class Comparison(str):
    """A sentence with a prediction and the value that was computed later."""

    def __repr__(self) -> str:
        return for_terminal(self)

    def _repr_html_(self) -> str:
        return f"<p>{for_html(self)}</p>"


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
    texts = _prediction_texts(exercise)
    if prediction is ... or prediction is None:
        says = f"{_wanted_form(texts)}. Put it in place of the dots"
        return Feedback(exercise, "your turn", says)
    noted = read_prediction(texts, prediction)
    if noted is None:
        says = f"{_wanted_form(texts)}; you wrote {shorten(prediction)}"
        return Feedback(exercise, "not yet", says)
    _predictions[exercise] = noted
    remember(exercise, "noted")
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
    texts = _prediction_texts(exercise)
    value = read_prediction(texts, computed)
    if value is None:
        rule = f"be what the question asks for ({_wanted_form(texts)})"
        raise input_error("computed", rule, shorten(computed))
    predicted = "you made no prediction"
    if exercise in _predictions:
        predicted = f"you predicted {_show(_predictions[exercise])}"
    shown = f"the value is {_show(value)}"
    if isinstance(value, str):
        shown = f'the answer is "{value}"'
    return Comparison(f"{exercise}: {predicted}; {shown}.")


def read_prediction(texts: Record, answer: object) -> float | str | None:
    """Return a prediction as a number or as one of the words offered, or None if it is neither."""
    options: list[str] | None = texts.get("options")
    if options is not None:
        for option in options:
            if is_same_word(answer, option):
                return option
        return None
    numbers = read_numbers(answer)
    if numbers is None or numbers.ndim > 0:
        return None
    return float(numbers)


def _prediction_texts(exercise: str) -> Record:
    """Return the texts of a prediction, and raise for other exercises."""
    texts_by_name = exercise_texts()
    texts = texts_by_name[check_choice(exercise, "exercise", texts_by_name)]
    if kind_of(texts) != "prediction":
        raise input_error(
            "exercise",
            "be the name of a prediction",
            repr(exercise),
            "learn.check checks the other exercises",
        )
    return texts


def _wanted_form(texts: Record) -> str:
    """Return what a prediction looks like."""
    options = texts.get("options")
    if texts.get("is_count"):
        return "Your prediction is a whole number"
    if options is None:
        return "Your prediction is a number, such as 0.5"
    words = [f'"{option}"' for option in options]
    return f"Your prediction is {', '.join(words[:-1])} or {words[-1]}"


def _show(value: float | str) -> str:
    """Return a prediction or a computed value as text, with at most four decimals."""
    if isinstance(value, float):
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return value
