"""A lecturer's own exercises: a TOML file next to the notebook."""

from pathlib import Path

import pytest

from receval import InputError, learn

PAGE = (Path(__file__).parents[2] / "docs/grading.md").read_text(encoding="utf-8")
OWN = PAGE.partition("```toml\n")[2].partition("```")[0]


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Return a function that writes the file of exercises into the current folder."""
    monkeypatch.chdir(tmp_path)
    return lambda text: (tmp_path / "exercises.toml").write_text(text, encoding="utf-8")


def test_the_example_on_the_page_for_lecturers_is_right(write):
    write(f"\ufeff{OWN}")  # begins with the mark that Windows adds
    replies = {
        "right": [("mine.1", 1.5), ("mine.choice", "a")],
        "nearly": [("mine.1", 6)],
        "not yet": [("mine.1", 1), ("mine.1", "no"), ("mine.choice", "b")],
    }
    for verdict, answers in replies.items():
        for name, answer in answers:
            assert learn.check(name, answer).verdict == verdict, (name, answer)
    assert learn.check("mine.1", 6).says == "You doubled it."
    assert learn.predict("mine.p1", "fall").verdict == "noted"


@pytest.mark.parametrize(
    ("answer", "verdict"), [("A", "not yet"), ("a", "not yet"), ("B", "right")]
)
def test_a_choice_with_capital_letters_and_without_reasons(write, answer, verdict):
    write('[mine.1]\nquestion = "?"\nchoice = "B"\noptions = {A = "3", B = "4"}')
    reply = learn.check("mine.1", answer)
    assert reply.verdict == verdict
    assert verdict == "right" or reply.says == "Look again"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[mine", "must be a TOML file of tables"),
        ("mine = 3", "must be a TOML file of tables"),
        ("mine.1 = 3", "mine.1 must have a question"),
        ("[mine.1]\nanswer = 3", "mine.1 must have a question"),
        ('[mine.1]\nquestion = "?"', "mine.1 must have a question, and an answer"),
        ('[mine.1]\nquestion = "?"\nfunction = "f(x)"', "test functions by assert"),
        ('[hits.1]\nquestion = "?"\nanswer = 1', "hits.1 must be named differently"),
    ],
)
def test_a_file_without_exercises_is_refused(write, content, message):
    write(content)
    with pytest.raises(InputError, match=message):
        learn.check("hits.1", 1)
