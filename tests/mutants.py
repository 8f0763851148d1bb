"""Mutation testing: how the tests are run for each mutant, and what came of it.

As a plugin of pytest (see tool.mutmut in pyproject.toml) it runs the plain tests first, which are
quick and kill most mutants, and the property tests on fewer examples, the same each time, without
a deadline: a slow minute kills no mutant. As a program it prints the share of killed mutants by
module, and every survivor.
"""

import json
import sys
from pathlib import Path

from hypothesis import Phase, settings

settings.register_profile(
    "mutants",
    max_examples=30,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)

WANTED = 0.9
ALIVE = (0, 33)  # what mutmut notes for a survivor and for code that no test calls


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: hasattr(item.function, "hypothesis"))


def main() -> int:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    alive, total = 0, 0
    for found in sorted(Path("mutants").rglob("*.py.meta")):
        module = found.relative_to("mutants").with_suffix("")
        codes = json.loads(found.read_text())["exit_code_by_key"]
        if None in codes.values():
            print(f"{module}: not every mutant was tried; run mutmut to its end")
            return 1
        survivors = [name for name, code in codes.items() if code in ALIVE]
        alive, total = alive + len(survivors), total + len(codes)
        for name in survivors:
            lines = get_diff_for_mutant(name, path=module).splitlines()[2:]
            print(f"\n{module}: {name.rpartition('.')[2]}")
            print(*(line for line in lines if line[:1] in "+-"), sep="\n")
        if codes:
            share = 1 - len(survivors) / len(codes)
            print(f"{module}: {share:.1%} of {len(codes)} killed", file=sys.stderr)
    share = 1 - alive / max(total, 1)
    print(f"all: {share:.1%} of {total} killed, {alive} survived", file=sys.stderr)
    return int(share < WANTED)


if __name__ == "__main__":
    sys.exit(main())
