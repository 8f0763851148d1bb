"""The hook that checks subjects of commits."""

import commit_messages
import pytest


@pytest.mark.parametrize(
    "subject",
    [
        "Keep integer scores exact in write_run",
        "Process parts in the order of their users",
        "Pass the convention to the working",
        "Merge the corrected sentences of documents 001 and 004",
        "x".upper() + "y" * 71,
    ],
)
def test_plain_subjects_pass(subject, tmp_path):
    message = tmp_path / "message"
    message.write_text(
        f"{subject}\n\nThe body may be longer; it has sentences.\n", encoding="utf-8"
    )
    assert commit_messages.main(str(message)) == 0


@pytest.mark.parametrize(
    ("subject", "fault"),
    [
        ("A" + "b" * 72, "73 characters; at most 72"),
        ("keep integers exact", "capital letter"),
        ("Added a test", "imperative; got 'Added'"),
        ("Adding a test", "imperative; got 'Adding'"),
        ("Adds a test", "imperative; got 'Adds'"),
        ("Columns are looked up first", "imperative; got 'Columns'"),
        ("Fix two bugs; rename a file", "no semicolon"),
        ("Fix a bug.", "full stop"),
        ("", "capital letter"),
    ],
)
def test_other_subjects_are_refused_with_the_reason(subject, fault, tmp_path, capsys):
    message = tmp_path / "message"
    message.write_text(subject, encoding="utf-8")
    assert commit_messages.main(str(message)) == 1
    assert fault in capsys.readouterr().out
