"""Parse a command line, run its command and turn errors into exit statuses."""

from __future__ import annotations

import argparse
import codecs
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from receval._checks import InputError, format_first
from receval._escape import lines_for_terminal
from receval._version import __version__
from receval.cli.grade import add_grade
from receval.cli.groups import add_groups
from receval.cli.ledgers import add_reproduce
from receval.cli.options import Commands, split_passed_on
from receval.cli.people import add_people
from receval.cli.retrieve import add_retrieve
from receval.cli.shipped import LAB_OPTIONS, add_datasets, add_lab
from receval.cli.tables import (
    add_compare,
    add_conventions,
    add_diff,
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
    "diff": add_diff,
    "which": add_which,
    "compare": add_compare,
    "conventions": add_conventions,
    "people": add_people,
    "retrieve": add_retrieve,
    "groups": add_groups,
    "reproduce": add_reproduce,
    "lab": add_lab,
    "grade": add_grade,
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
    receval,,1,0
    ...
    0
    """
    if arguments is None:
        arguments = sys.argv[1:]
    with printable(sys.stdout), printable(sys.stderr):
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


@contextmanager
def printable(stream: TextIO | None) -> Iterator[None]:
    """Let a stream print "?" for letters that its encoding lacks; report these letters at the end.

    Terminals with the locale C or an old code page of Windows have such encodings. The function
    doesn't change a stream that is None (a closed stream), that replaces letters itself, or that is
    not a text file, as in a notebook.
    """
    lacking_letters: set[str] = set()
    original_errors = getattr(stream, "errors", None)  # the name of the stream's error handler
    can_fail = original_errors not in ("replace", "backslashreplace")
    if stream is None or not hasattr(stream, "reconfigure") or not can_fail:
        yield
        return

    def replace_letters(error: UnicodeError) -> tuple[str, int]:
        """Handle an encoding error: return "?" for each letter, and the position to continue at.

        The function collects the letters for the report.
        """
        assert isinstance(error, UnicodeEncodeError)
        letters = error.object[error.start : error.end]
        lacking_letters.update(letters)
        return "".join("?" for _ in letters), error.end

    codecs.register_error("receval.replace", replace_letters)
    stream.reconfigure(errors="receval.replace")
    try:
        yield
    finally:
        with suppress(OSError, ValueError):  # the reader has ended, or the stream is closed
            stream.reconfigure(errors=original_errors)
        if lacking_letters and sys.stderr is not None:
            # ascii() shows each letter as an escape, which every terminal can print.
            letters = format_first(sorted(map(ascii, lacking_letters)))
            message = f"the encoding {stream.encoding} lacks {letters}, printed as ?"
            print(f"receval: {message}. Set PYTHONUTF8=1 to print all letters", file=sys.stderr)
