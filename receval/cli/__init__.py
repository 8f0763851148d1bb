"""The command line: ``receval evaluate | compare | explain | which | conventions | …``.

Each command is a pair of functions: ``add_…`` adds its arguments to the parser, and a function with
the name of the command runs it.
"""

from receval.cli.commands import main

__all__ = ["main"]
