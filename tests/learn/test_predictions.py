"""Predictions, the memory of a session, and the table of progress."""

import pytest

from receval import InputError, learn
from receval.learn import memory
from receval.learn.predictions import read_prediction


@pytest.fixture(autouse=True)
def new_session(monkeypatch, tmp_path):
    """Begin a session without answers, in an empty folder."""
    monkeypatch.setattr(memory, "_session", {})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_prediction_is_noted_and_compared_later():
    assert "you made no prediction; the value is 0.6." in repr(learn.compare("hits.p1", 0.6))
    assert learn.predict("hits.p1").verdict == "your turn"
    for typed in ("80 %", [0.8], "4/5", "0,8"):
        assert learn.predict("hits.p1", typed).verdict == "noted"
        assert (
            repr(learn.compare("hits.p1", 0.6)) == "hits.p1: you predicted 0.8; the value is 0.6."
        )
    assert "you predicted 0.8" in learn.compare("hits.p1", 0.6)._repr_html_()


@pytest.mark.parametrize("typed", ["many", {}, [1, 2], True, float("nan")])
def test_what_is_no_number_is_not_noted(typed):
    assert learn.predict("hits.p1", typed).verdict == "not yet"
    assert learn.compare("hits.p1", 0.6).predicted is None


def test_a_prediction_of_a_count_asks_for_a_whole_number():
    assert "is a whole number. Put it" in repr(learn.predict("stromer.p1"))
    assert "is a number, such as 0.5. Put it" in repr(learn.predict("hits.p1"))


def test_a_prediction_in_words_is_one_of_those_offered():
    texts = {"question": "", "prediction": True, "options": ["rises", "falls", "stays as it is"]}
    assert read_prediction(texts, "Falls.") == "falls"
    assert read_prediction(texts, "stays") == "stays as it is"
    for typed in ("up", "", 1, None):
        assert read_prediction(texts, typed) is None


def test_predict_and_check_name_each_other():
    with pytest.raises(InputError, match=r"learn\.check checks the other exercises"):
        learn.predict("hits.1", 1)
    with pytest.raises(InputError, match=r"learn\.predict notes a prediction"):
        learn.check("hits.p1", 1)
    with pytest.raises(InputError, match=r"computed must be what the question asks for"):
        learn.compare("hits.p1", "much")


def test_progress_counts_what_is_right_and_what_was_predicted():
    learn.predict("hits.p1", 0.5)
    learn.check("hits.1", 0.25)
    learn.check("hits.2", 7)
    assert learn.progress().verdicts["hits"]["hits.2"] == "not yet"
    assert "hits               2 of 6  to do: hits.2, hits.code" in repr(learn.progress())
    assert "2 of 6</td>" in learn.progress()._repr_html_()


def test_a_right_answer_stays_right_after_a_wrong_one():
    learn.check("hits.1", 0.25)
    assert learn.check("hits.1", 7).verdict == "not yet"
    assert learn.progress().verdicts["hits"]["hits.1"] == "right"


def test_progress_depends_on_the_session_and_not_on_the_folder(new_session, monkeypatch):
    (new_session / "progress.json").write_text("{}", encoding="utf-8")
    learn.predict("hits.p1", 0.5)
    learn.check("hits.1", 0.25)
    elsewhere = new_session / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "progress.json").write_text('{"hits.2": {"verdict": "right"}}', encoding="utf-8")
    monkeypatch.chdir(elsewhere)
    assert learn.compare("hits.p1", 0.6).predicted == 0.5
    assert learn.progress().verdicts["hits"]["hits.1"] == "right"
    assert learn.progress().verdicts["hits"]["hits.2"] == ""
    assert (new_session / "progress.json").read_text(encoding="utf-8") == "{}"
