"""Profiles of the property tests: ``pytest tests/laws --hypothesis-profile=long``."""

from hypothesis import settings

settings.register_profile("untimed", deadline=None)  # a slow minute fails no test
settings.register_profile("long", deadline=None, print_blob=True)
if settings.get_current_profile_name() == "default":
    settings.load_profile("untimed")
