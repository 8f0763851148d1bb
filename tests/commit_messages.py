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
    sentences = []
    if len(subject) > MAX_LENGTH:
        sentences.append(f"It has {len(subject)} characters; at most {MAX_LENGTH} are allowed.")
    if not re.match("[A-Z]", subject):
        sentences.append("It must begin with a capital letter.")
    looks_inflected = re.search("(ed|ing|[^s]s)$", first_word.lower())
    if looks_inflected and first_word.lower() not in IMPERATIVES:
        sentences.append(f"It must begin with a verb in the imperative; got {first_word!r}.")
    if ";" in subject:
        sentences.append("It must name one change: no semicolon.")
    if subject.endswith("."):
        sentences.append("It must not end with a full stop.")
    return sentences


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
