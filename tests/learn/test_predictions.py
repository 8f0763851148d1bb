"""Predictions and the table of progress, which last for a session."""

import pytest

from receval import InputError, learn
from receval.learn import exercises, predictions


@pytest.fixture(autouse=True)
def new_session(monkeypatch):
    """Begin a session without answers."""
    monkeypatch.setattr(exercises, "_verdicts", {})
    monkeypatch.setattr(predictions, "_predictions", {})


def test_a_prediction_is_noted_and_compared_later():
    nothing = "hits.p1: you made no prediction; the value is 0.6."
    assert repr(learn.compare("hits.p1", 0.6)) == nothing
    assert learn.predict("hits.p1").verdict == "your turn"
    for typed in ("80 %", [0.8], "4/5", "0,8"):
        assert learn.predict("hits.p1", typed).verdict == "noted"
        assert learn.compare("hits.p1", 0.6) == "hits.p1: you predicted 0.8; the value is 0.6."
    html = "<p>hits.p1: you predicted 0.8; the value is 0.6.</p>"
    assert learn.compare("hits.p1", 0.6)._repr_html_() == html


@pytest.mark.parametrize("typed", ["many", {}, [1, 2], True, float("nan"), 0.5j])
def test_what_is_no_number_is_not_noted(typed):
    assert learn.predict("hits.p1", typed).verdict == "not yet"
    assert "you made no prediction" in learn.compare("hits.p1", 0.6)


def test_a_prediction_of_a_count_asks_for_a_whole_number():
    assert "is a whole number. Put it" in repr(learn.predict("stromer.p1"))
    assert "is a number, such as 0.5. Put it" in repr(learn.predict("hits.p1"))


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("Lower.", "You predict lower"),
        (["same"], "You predict same"),
        *((typed, f'or "same"; you wrote {typed!r}') for typed in ("up", "", 1)),
    ],
)
def test_a_prediction_in_words_is_one_of_those_offered(typed, says):
    assert learn.predict("precision.p1", typed).says.endswith(says)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: learn.predict("hits.1", 1), r"learn\.check checks the other exercises"),
        (lambda: learn.check("hits.p1", 1), r"learn\.predict notes a prediction"),
        (lambda: learn.compare("hits.p1", "much"), r"computed must be what the question asks for"),
    ],
)
def test_a_wrong_call_is_refused(call, message):
    with pytest.raises(InputError, match=message):
        call()


def test_progress_counts_what_is_right_and_what_was_predicted():
    learn.predict("hits.p1", 0.5)
    learn.check("hits.1", 0.25)
    learn.check("hits.1", 7)  # a right answer stays right
    learn.check("hits.2", 7)
    learn.check("hits.choice")
    table = learn.progress()
    assert table.loc["hits"].tolist() == [2, 6, "2, code, choice, again"]
    assert table["done"].sum() == 2
    assert table.columns.name == "in this session"
