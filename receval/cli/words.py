"""Say in the words of the shell what messages say in the words of Python."""

from __future__ import annotations

import argparse
import ast
import re
import shlex

OPTION = r"--[a-z][a-z-]*"

FIRST_WORD = re.compile(r"^(\w+)(?= must )")
"""The argument that a message begins with, as in "ties must be one of …"."""

LEFT_OUT = re.compile(r"(?<=eave out )(\w+)")
"""The argument in "Leave out user"."""

KEYWORD = re.compile(
    r"""(?:(?<![-\w.(])|(?<=\s\())  # not in a call such as set_index(names='user')
    (\w+)=
    (None | True | False | [\d.]+ | '[^']*' | "[^"]*" | \((?:'[^']*'(?:,\s)?)+\))?""",
    re.VERBOSE,
)
"""An argument with its value, as in "Pass user=('uid', 'user')"."""

PHRASES = {
    ", or lists of items, best first: {user: [item, …]}": "",
    "evaluate({'A': first, 'B': second}, truth, …)": "give several files of recommendations",
    "Give a Convention with them, made with dataclasses.replace": "Leave it out",
    "a frame of the whole catalogue, indexed by item id": "a file of the whole catalogue",
    "read_run and read_qrels read them by any name": "--format trec reads them by any name",
}
"""Advice that is about Python alone, and what the shell says instead."""


def in_shell_words(message: object, arguments: argparse.Namespace) -> str:
    """Return a message in which the options of a command replace the arguments of Python.

    ``arguments`` are the parsed arguments of the command line, which have its ``parser``.
    """
    text = str(message)
    for phrase, shell_phrase in PHRASES.items():
        text = text.replace(phrase, shell_phrase)
    options = set(re.findall(OPTION, arguments.parser.format_usage()))

    def name_option(argument: str) -> str:
        """Return the option of an argument, or the argument itself if there is none."""
        option = f"--{argument.replace('_', '-')}"
        return option if option in options else argument

    def write_keyword(match: re.Match[str]) -> str:
        """Return an option and its value, or the matched text if there is no such option."""
        argument, value = match.groups()
        option = name_option(argument)
        if option == argument:
            return match[0]
        if value is None:
            return option
        return f"{option} {_shell_value(value)}"

    text = FIRST_WORD.sub(lambda match: name_option(match[1]), text, count=1)
    text = LEFT_OUT.sub(lambda match: name_option(match[1]), text)
    return KEYWORD.sub(write_keyword, text)


def _shell_value(code: str) -> str:
    """Return a value, which is written in Python, as a shell takes it."""
    value = ast.literal_eval(code)
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return shlex.quote(str(value))
