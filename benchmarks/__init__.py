"""What evaluation costs: receval beside other tools, in one run. See ``make bench``."""
