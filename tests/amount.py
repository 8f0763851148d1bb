"""The number of examples: few in each run, many under the profile `long` (``make release``)."""

from hypothesis import settings


def is_long():
    """Ask when a test runs or is collected: pytest loads the profile after this module."""
    return settings.get_current_profile_name() == "long"


def of(few, many):
    return many if is_long() else few
