"""How measures are spelled, whatever measures: "RBP(p=0.9)@10", "mae(pairing=case)"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from receval._checks import InputError, check_cutoff, shorten

PATTERN = re.compile(r"([^@()\s]+)\s*(?:\(([^()]*)\))?\s*(?:@\s*(\S+))?")
WHOLE = re.compile(r"-?[0-9]{1,20}")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class Spelled(NamedTuple):
    """The parts of a name; the cut-off as it is written."""

    text: str
    name: str
    parameters: dict[str, Any]
    cut: str | None

    @property
    def k(self) -> int | None:
        """The cut-off."""
        if self.cut is None:
            return None
        k = int(self.cut) if WHOLE.fullmatch(self.cut) else self.cut
        return check_cutoff(k, f"the cut-off of {self.text!r}", optional=False)


def spelled(text: object) -> Spelled | None:
    """The parts of a measure's name; None if it is not spelled like one.

    Examples
    --------
    >>> rbp = spelled("RBP(p=0.9)@10")
    >>> rbp.name, rbp.parameters, rbp.k
    ('RBP', {'p': 0.9}, 10)
    """
    match = PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    if match is None:
        return None
    name, given, cut = match.groups()
    parameters: dict[str, Any] = {}
    for part in [] if given is None else given.split(","):
        option, _, value = map(str.strip, part.partition("="))
        if not (option and value) or option in parameters:
            raise InputError(
                "measures must have parameters as in 'RBP(p=0.9)@10', each once; "
                f"got {shorten(text)}"
            )
        whole, number = WHOLE.fullmatch(value), NUMBER.fullmatch(value)
        parameters[option] = int(value) if whole else float(value) if number else value
    return Spelled(str(text), name, parameters, cut)


def spelling(name: str, parameters: Mapping[str, Any]) -> str:
    """A name with its parameters, as `spelled` reads it.

    Examples
    --------
    >>> spelling("mae", {"pairing": "case"})
    'mae(pairing=case)'
    """
    given = ", ".join(f"{option}={value}" for option, value in parameters.items())
    return f"{name}({given})" if given else name
