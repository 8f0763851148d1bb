"""What `mutmut run` found: the share of killed mutants by module, and every survivor as a diff."""

import json
import sys
from pathlib import Path

WANTED = 0.9
SURVIVED, WITHOUT_TEST = (
    0,
    33,
)  # what mutmut notes for them; all else is a failing test or a timeout


def main() -> int:
    from mutmut.mutation.diff_apply import get_diff_for_mutant

    alive, total = 0, 0
    for found in sorted(Path("mutants").rglob("*.py.meta")):
        module = found.relative_to("mutants").with_suffix("")
        codes = json.loads(found.read_text())["exit_code_by_key"]
        if None in codes.values():
            print(f"{module}: not every mutant was tried; run mutmut to its end")
            return 1
        survivors = [name for name, code in codes.items() if code in (SURVIVED, WITHOUT_TEST)]
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
