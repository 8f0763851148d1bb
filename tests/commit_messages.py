#!/usr/bin/env python3
"""Check the subject of a commit message; pre-commit calls this with the file of the message."""

import re
import sys
from pathlib import Path

MAX_LENGTH = 72

# Verbs in the imperative that only look like another form.
IMPERATIVES = {
    "bring", "embed", "exceed", "feed", "focus", "need", "proceed", "seed", "shed", "speed",
    "string", "weed",
}  # fmt: skip


def faults(subject: str) -> list[str]:
    """Return what is wrong with a subject, a sentence for each fault."""
    first_word = subject.split(" ", maxsplit=1)[0]
    looks_inflected = re.search("(ed|ing|[^s]s)$", first_word.lower())
    is_imperative = not looks_inflected or first_word.lower() in IMPERATIVES
    rules = [
        (
            len(subject) <= MAX_LENGTH,
            f"It has {len(subject)} characters; at most {MAX_LENGTH} are allowed.",
        ),
        (re.match("[A-Z]", subject), "It must begin with a capital letter."),
        (is_imperative, f"It must begin with a verb in the imperative; got {first_word!r}."),
        (";" not in subject, "It must name one change: no semicolon."),
        (not subject.endswith("."), "It must not end with a full stop."),
    ]
    return [sentence for is_kept, sentence in rules if not is_kept]


def main(path: str) -> int:
    """Print the faults of a message's subject; the exit status is 1 if there are any."""
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    subject = lines[0] if lines else ""
    sentences = faults(subject)
    if sentences:
        print(f"The subject of the commit is {subject!r}.", *sentences, sep="\n")
    return int(bool(sentences))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
