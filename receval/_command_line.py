"""Functions as commands: parameters are the arguments, a numpydoc docstring is the help."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from inspect import Parameter, getdoc, signature
from pathlib import Path
from typing import Any

from receval._version import __version__

SHORT = {"measures": "-m", "convention": "-c"}


def parser(commands: Iterable[Callable[..., int]], whole: Callable[..., Any]) -> Any:
    """A parser whose options are what a command is called with, and ``run``, the command itself.

    A command with ``**options`` takes those of the function ``whole`` that fit on a line.
    """
    top = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which every number shows its definition, working and source.",
        epilog="receval COMMAND --help says what a command takes, with an example.",
    )
    top.add_argument("--version", action="version", version=f"receval {__version__}")
    made = top.add_subparsers(required=True, metavar="command")
    for run in commands:
        about, _, rest = str(getdoc(run)).partition("\n\nParameters\n")
        command = made.add_parser(
            run.__name__,
            help=about.partition("\n")[0],
            description=about,
            epilog="example:\n  " + rest.rpartition("-----\n")[2],
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        texts = _texts(whole) | _texts(run)
        for one in _parameters(run, whole):
            _add(command, one, texts[one.name])
    return top


def handed_on(arguments: list[str], own: Iterable[str]) -> tuple[list[str], list[str]]:
    """What a command takes itself, and what it hands on: all from the first other option on."""
    for place, argument in enumerate(arguments):
        if argument.startswith("-") and argument not in own:
            return arguments[:place], arguments[place:]
    return arguments, []


def _parameters(run: Callable[..., int], whole: Callable[..., Any]) -> Iterable[Parameter]:
    for one in signature(run).parameters.values():
        if one.kind is Parameter.VAR_KEYWORD:
            keywords = (p for p in signature(whole).parameters.values() if p.kind is p.KEYWORD_ONLY)
            yield from (p for p in keywords if p.name != "client")
        elif one.name != "others":
            yield one


def _texts(function: Callable[..., Any]) -> dict[str, str]:
    """What a numpydoc docstring says of each parameter."""
    section = str(getdoc(function)).partition("\nParameters\n----------\n")[2]
    pattern = r"^(\w.*?) : ({.*?})?.*((?:\n +.*)+)"
    found: dict[str, str] = {}
    for names, choices, text in re.findall(pattern, section.partition("\n\n")[0], re.MULTILINE):
        told = " ".join((choices + text).replace("`", "").split())
        found |= dict.fromkeys(names.split(", "), told)
    return found


def _add(command: argparse.ArgumentParser, one: Parameter, text: str) -> None:
    """A parameter as argparse takes it, its default in its help."""
    several, needed = one.annotation.startswith("list"), one.default is one.empty
    how: dict[str, Any] = {} if needed else {"default": one.default}
    if one.annotation.startswith("bool"):
        how["action"] = "store_true" if one.default is False else argparse.BooleanOptionalAction
    else:
        kinds = {"Path": Path, "int": int, "float": float}
        how["type"] = next((kinds[name] for name in kinds if name in one.annotation), str)
        if not (needed or one.default is None or "efault" in text):
            text += " (default: %(default)s)"
    if one.kind is one.KEYWORD_ONLY:
        how |= {"action": "append"} if several else {}
        names = [f"--{one.name.replace('_', '-')}", *filter(None, [SHORT.get(one.name)])]
    else:
        names = [one.name]
        how |= {"nargs": "+" if needed else "*"} if several else {} if needed else {"nargs": "?"}
    command.add_argument(*names, help=text, **how)
