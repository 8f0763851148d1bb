"""The command line: ``receval evaluate | compare | explain | which | conventions | …``.

A command is a function: its parameters are the arguments, its docstring is the help.
"""

from receval.cli.commands import main

__all__ = ["main"]
