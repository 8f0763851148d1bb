"""Which commands there are, and one of them run."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from receval._checks import InputError, format_first
from receval._escape import lines_for_terminal
from receval.cli.parsing import build_parser, split_passed_on
from receval.cli.shipped import datasets, lab, reproduce
from receval.cli.tables import compare, conventions, evaluate, explain, which
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables

FLAGS = ("copy-only", "browser", "student", "solutions")
LAB = ("-h", "--help", *(f"--{no}{flag}" for flag in FLAGS for no in ("", "no-")))
EXIT_CLOSED_PIPE = 141  # what a shell says of a program whose reader went away, as ``head`` does

COMMANDS: dict[Any, Any] = {
    **dict.fromkeys((evaluate, explain, which), (evaluate_tables,)),
    compare: (evaluate_tables, Evaluation.compare),
    **dict.fromkeys((conventions, reproduce, lab, datasets), ()),
}
"""What there is, each with the functions whose options it takes besides its own."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        What stands after ``receval``; None: what this process was started with.

    Returns
    -------
    int
        The exit status: 0 well, 1 a figure is not as on record, 2 a wrong table or option, 3 a file
        that is not to be had, 130 ended by Ctrl-C, 141 the reader went away.

    Examples
    --------
    >>> main(["which", "1", "1,0", "--measure", "HR@1", "--format", "csv"])  # doctest: +ELLIPSIS
    convention,changes,value,distance
    receval,,1,0
    ...
    0
    """
    with printable(sys.stdout), printable(sys.stderr):
        return _run(list(sys.argv[1:] if arguments is None else arguments))


def _run(given: list[str]) -> int:
    """The exit status of a command line."""
    known, others = split_passed_on(given, LAB) if given[:1] == ["lab"] else (given, [])
    options = vars(build_parser(COMMANDS).parse_args(known)) | (
        {"others": others} if others else {}
    )
    try:
        status = int(options.pop("run")(**options))
        print(end="", flush=True)  # also where there is nowhere to print
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # flushed again at the end
        return EXIT_CLOSED_PIPE
    except (InputError, OSError) as error:
        print(f"receval: {lines_for_terminal(error)}", file=sys.stderr)
        # What cannot be had, read or written is no fault of what was asked.
        return 3 if isinstance(error, OSError) else 2
    except KeyboardInterrupt:
        return 130  # as a shell calls what Ctrl-C has ended


@contextmanager
def printable(stream: Any) -> Iterator[None]:
    """Let a stream print "?" for a letter that its encoding lacks, and say so at the end.

    Terminals with the locale C or an old code page of Windows have such encodings.
    """
    lacking: set[str] = set()
    strict = getattr(stream, "errors", None)
    if not hasattr(stream, "reconfigure") or strict in ("replace", "backslashreplace"):
        yield
        return

    def replaced(error: UnicodeError) -> tuple[str, int]:
        assert isinstance(error, UnicodeEncodeError)
        lacking.update(error.object[error.start : error.end])
        return "?" * (error.end - error.start), error.end

    codecs.register_error("receval.replace", replaced)
    stream.reconfigure(errors="receval.replace")
    try:
        yield
    finally:
        with suppress(OSError, ValueError):  # the reader went away, or the stream is closed
            stream.reconfigure(errors=strict)
        if lacking and sys.stderr is not None:
            shown = format_first(sorted(map(ascii, lacking)))
            advice = "Set PYTHONUTF8=1 to print all letters"
            told = f"the encoding {stream.encoding} lacks {shown}, printed as ?. {advice}"
            print(f"receval: {told}", file=sys.stderr)
