"""Parse a command line, run its command and turn errors into exit statuses."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Callable, Sequence

from receval._checks import InputError
from receval._escape import lines_for_terminal
from receval._version import __version__
from receval.cli.ledgers import add_reproduce
from receval.cli.options import Commands, split_passed_on
from receval.cli.shipped import LAB_OPTIONS, add_datasets, add_lab
from receval.cli.tables import (
    add_compare,
    add_conventions,
    add_evaluate,
    add_explain,
    add_which,
)
from receval.cli.words import in_shell_words

EXIT_BAD_INPUT = 2
EXIT_NO_FILE = 3
EXIT_INTERRUPTED = 130  # 128 + SIGINT, as shells report Ctrl-C
EXIT_CLOSED_PIPE = 141  # 128 + SIGPIPE, as shells report it if a reader such as ``head`` ends

COMMANDS: dict[str, Callable[[Commands], None]] = {
    "evaluate": add_evaluate,
    "explain": add_explain,
    "which": add_which,
    "compare": add_compare,
    "conventions": add_conventions,
    "reproduce": add_reproduce,
    "lab": add_lab,
    "datasets": add_datasets,
}
"""The functions that add the commands to the parser, by name of the command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        The words after ``receval``. Default: the arguments of this process.

    Returns
    -------
    int
        The exit status: 0 for success, 1 if a verdict differs from the recorded verdict, 2 for a
        wrong table or option, 3 if a file cannot be read or written, 130 after Ctrl-C, and 141 if
        the program that reads the output through a pipe has ended.

    Examples
    --------
    >>> main(["which", "1", "1,0", "--measure", "HR@1", "--format", "csv"])  # doctest: +ELLIPSIS
    convention,changes,value,distance
    receval,,1.0,0.0
    ...
    0
    """
    if arguments is None:
        arguments = sys.argv[1:]
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a notebook has other streams
            stream.reconfigure(errors="backslashreplace")  # if an encoding lacks a letter
    return _run(list(arguments))


def build_parser() -> argparse.ArgumentParser:
    """Build the parser of all commands.

    The parsed arguments have an attribute ``run``, the function that runs the chosen command.
    """
    parser = argparse.ArgumentParser(
        prog="receval",
        description="Evaluation in which each number shows its definition, working and source.",
        epilog="receval COMMAND --help describes the arguments of a command and shows an example.",
    )
    parser.add_argument("--version", action="version", version=f"receval {__version__}")
    commands = parser.add_subparsers(required=True, metavar="command")
    for add_to_parser in COMMANDS.values():
        add_to_parser(commands)
    return parser


def _run(words: list[str]) -> int:
    """Run the command that the words of a command line name, and return its exit status.

    `main` lists the statuses. The function prints errors in the input to stderr, without a
    traceback.
    """
    passed_on: list[str] = []
    if words[:1] == ["lab"]:  # only this command passes words on to another program
        words, passed_on = split_passed_on(words, LAB_OPTIONS)
    arguments = build_parser().parse_args(words)
    arguments.passed_on = passed_on
    try:
        status = int(arguments.run(arguments))
        # Flush stdout here, so that a closed pipe raises its error here. If there is no stdout,
        # sys.stdout is None, which print() accepts, but which has no flush().
        print(end="", flush=True)
        return status
    except BrokenPipeError:
        # Python flushes stdout again when it exits. Without a reader, this would be an error, so
        # send further output to the null device.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return EXIT_CLOSED_PIPE
    except (InputError, OSError) as error:
        message = in_shell_words(error, arguments)
        print(f"receval: {lines_for_terminal(message)}", file=sys.stderr)
        if isinstance(error, OSError):  # an InputError about a missing file is an OSError, too
            return EXIT_NO_FILE
        return EXIT_BAD_INPUT
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
