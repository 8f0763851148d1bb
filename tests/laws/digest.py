"""One digest of many evaluations with text ids, for comparing two Python processes."""

import hashlib

import numpy as np
from laws.cases import CUTOFFS, ITEMS, KEYS, RULES, USERS, case_of
from laws.changes import text_and_categories

from receval.definitions.convention import CONVENTIONS


def digest():
    """Return a digest of all values, means and users, under every convention and rule for ties."""
    rng = np.random.default_rng(6)
    found = hashlib.sha256()
    for number, convention in enumerate(CONVENTIONS):
        for rule in (None, RULES[number % len(RULES)]):
            raw = rng.bytes(USERS * (1 + 3 * ITEMS) + KEYS)
            case = case_of(
                raw, convention, rule, CUTOFFS[number % len(CUTOFFS)], None, False, False
            )
            assert not text_and_categories(case).any()
            values = case.plain.values.tolist(), case.plain.means.tolist()
            found.update(repr((values, case.plain.users, case.plain.counts)).encode())
    return found.hexdigest()
