"""A table of the exercises that you have done."""

from __future__ import annotations

from dataclasses import dataclass

from receval._escape import for_html, for_terminal
from receval.learn import memory
from receval.learn.texts import exercise_texts

__all__ = ["Progress", "progress"]

DONE = ("right", "noted")


@dataclass(frozen=True)
class Progress:
    """The exercises of the lessons, and which of them are done.

    Attributes
    ----------
    verdicts : dict
        For each lesson a dict with the verdict on each of its exercises, or "" if there is none.
    """

    verdicts: dict[str, dict[str, str]]

    def __repr__(self) -> str:
        rows = [
            f"{lesson:{self._width()}}  {n_done} of {n_all}  {for_terminal(to_do)}".rstrip()
            for lesson, n_done, n_all, to_do in self._rows()
        ]
        return "\n".join([*rows, self._total()])

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{for_html(lesson)}</td>"
            f'<td><progress value="{n_done}" max="{n_all}"></progress> {n_done} of {n_all}</td>'
            f'<td style="text-align:left">{for_html(to_do)}</td></tr>'
            for lesson, n_done, n_all, to_do in self._rows()
        )
        head = "<tr><th>lesson</th><th>done</th><th>to do</th></tr>"
        return f"<table>{head}{rows}</table><p>{for_html(self._total())}</p>"

    def _rows(self) -> list[tuple[str, int, int, str]]:
        """Return a row per lesson: its name, two counts of exercises (done, all), and what is left.

        The last entry names the exercises that are left. It is empty if you have not started the
        lesson.
        """
        rows = []
        for lesson, verdicts in self.verdicts.items():
            to_do = [name for name, verdict in verdicts.items() if verdict not in DONE]
            text = ""
            if any(verdicts.values()) and to_do:
                text = f"to do: {', '.join(to_do)}"
            rows.append((lesson, len(verdicts) - len(to_do), len(verdicts), text))
        return rows

    def _width(self) -> int:
        """Return the length of the longest name of a lesson."""
        return max(map(len, self.verdicts))

    def _total(self) -> str:
        """Return the sentence about all lessons."""
        rows = self._rows()
        return f"{sum(row[1] for row in rows)} of {sum(row[2] for row in rows)} exercises done."


def progress() -> Progress:
    """Return which exercises you have done.

    A prediction is done once you have made it, and any other exercise once you have answered it
    correctly; it stays done if you try another answer afterwards. Only the current session counts:
    if you restart the kernel, run the cells of the lesson again.

    Returns
    -------
    Progress

    Examples
    --------
    >>> from receval import learn
    >>> learn.check("hits.1", 0.25)
    hits.1: right. You take one over the rank of the first hit. The second one counts for nothing.
    >>> learn.progress().verdicts["hits"]["hits.1"]
    'right'
    """
    entries = memory.entries()
    verdicts: dict[str, dict[str, str]] = {}
    for name in exercise_texts():
        verdict = entries[name]["verdict"] if name in entries else ""
        verdicts.setdefault(name.partition(".")[0], {})[name] = verdict
    return Progress(verdicts)
