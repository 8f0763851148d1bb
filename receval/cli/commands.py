"""Which commands there are, and one of them run."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any

from receval._checks import InputError
from receval._escape import lines_for_terminal
from receval.cli.parsing import handed_on, parser
from receval.cli.shipped import datasets, lab, reproduce
from receval.cli.tables import compare, conventions, evaluate, explain, which
from receval.evaluation import Evaluation
from receval.evaluation import evaluate as evaluate_tables

FLAGS = ("copy-only", "browser", "student", "solutions")
LAB = ("-h", "--help", *(f"--{no}{flag}" for flag in FLAGS for no in ("", "no-")))
CLOSED = 141  # what a shell says of a program whose reader went away, as ``head`` does

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
    given = list(sys.argv[1:] if arguments is None else arguments)
    known, others = handed_on(given, LAB) if given[:1] == ["lab"] else (given, [])
    options = vars(parser(COMMANDS).parse_args(known)) | ({"others": others} if others else {})
    try:
        status = int(options.pop("run")(**options))
        print(end="", flush=True)  # also where there is nowhere to print
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # flushed again at the end
        return CLOSED
    except (InputError, OSError) as error:
        print(f"receval: {lines_for_terminal(error)}", file=sys.stderr)
        # What cannot be had, read or written is no fault of what was asked.
        return 3 if isinstance(error, OSError) else 2
    except KeyboardInterrupt:
        return 130  # as a shell calls what Ctrl-C has ended
