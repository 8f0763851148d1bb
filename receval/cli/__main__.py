"""``python -m receval.cli``."""

import sys

from receval.cli import main

if __name__ == "__main__":
    sys.exit(main())
