"""The feedback on an answer, a program or a prediction."""

from __future__ import annotations

from dataclasses import dataclass

from receval._escape import for_html, for_terminal

COLOURS = {
    "right": "#0072b2",
    "nearly": "#e69f00",
    "not yet": "#d55e00",
    "your turn": "#767676",
    "noted": "#0072b2",
}


@dataclass(frozen=True)
class Feedback:
    """The feedback on an answer. It is truthy if the answer is right, and never shows the answer.

    Attributes
    ----------
    exercise : str
        The name of the exercise.
    verdict : {"right", "nearly", "not yet", "your turn", "noted"}
        "nearly" if the answer results from a common mistake, or if the answer is close; "your turn"
        if there is no answer yet; "noted" for a prediction, which is never right or wrong.
    says : str
        A sentence about the answer.
    advice : str
        A step towards the answer.
    """

    exercise: str
    verdict: str
    says: str
    advice: str = ""

    def __bool__(self) -> bool:
        return self.verdict == "right"

    def __repr__(self) -> str:
        return for_terminal(f"{self.exercise}: {self.verdict}. {self.says}")

    def _repr_html_(self) -> str:
        return (
            f"<p>{for_html(self.exercise)}: "
            f'<b style="color:{COLOURS[self.verdict]}">{for_html(self.verdict)}</b>. '
            f"{for_html(self.says)}</p>"
        )

    def hint(self) -> str:
        """Return a step towards the answer."""
        return self.advice
