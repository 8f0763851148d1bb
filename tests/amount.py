"""The number of examples: few in each run, many under the profile `long` (``make release``)."""

from hypothesis import settings

LONG = settings.get_current_profile_name() == "long"


def of(few, many):
    return many if LONG else few
