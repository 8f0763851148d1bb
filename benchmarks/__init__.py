"""Time and memory of receval and other tools, compared in one run. See ``make bench``."""
