"""Profiles of the property tests: ``pytest tests/laws --hypothesis-profile=long``."""

from hypothesis import settings

settings.register_profile("long", deadline=None, print_blob=True)
