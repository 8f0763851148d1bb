"""Run the command line as ``python -m receval``."""

import sys

from receval.cli import main

if __name__ == "__main__":
    sys.exit(main())
