"""Exercises: right answers, mistakes and hints."""

import pytest

from receval import InputError, learn
from receval.learn import checking
from receval.learn.answers import answers_of


@pytest.mark.parametrize("name", learn.exercises())
def test_an_exercise_takes_its_answer_and_tells_its_mistakes_apart(name):
    texts, answers = checking.read_exercises()[name], answers_of(name)
    assert learn.check(name, answers.right)
    assert list(texts.get("mistakes", {})) == list(answers.wrong_answers)
    for mistake, answer in answers.wrong_answers.items():
        feedback = learn.check(name, answer)
        assert (feedback.verdict, feedback.says) == ("nearly", texts["mistakes"][mistake])
    assert learn.check(name).verdict == "your turn"
    assert learn.check(name, "no such answer").verdict == "not yet"
    assert len(learn.check(name).hint()) > 20


@pytest.mark.parametrize("name", learn.exercises())
def test_no_feedback_shows_the_answer(name):
    exercise = checking.read_exercises()[name]
    right = str(answers_of(name).right)
    texts = [exercise["hint"], *exercise.get("mistakes", {}).values()]
    assert not [text for text in texts if len(right) > 2 and right[:6] in text]


def test_numbers_count_to_two_decimals_and_small_ones_to_two_figures():
    assert checking._agrees(0.33, 1 / 3)
    assert not checking._agrees(0.3, 1 / 3)
    assert checking._agrees(0.0061, 0.00608)
    assert not checking._agrees(0.01, 0.00608)
    assert checking._agrees([1, 0.5], (1.0, 0.5))
    assert not checking._agrees([1, 0.5], 1.0)


@pytest.mark.parametrize(
    ("name", "answer", "verdict"),
    [
        ("precision.1", " 3/5 ", "right"),
        ("precision.1", "60 %", "right"),
        ("precision.1", "0,6", "right"),
        ("precision.1", "3/4", "nearly"),
        ("precision.1", "3/0", "not yet"),
        ("group.3", "1, 3, 2", "right"),
        ("group.3", "[1 3 2]", "right"),
        ("group.3", "3,1,2", "nearly"),
        ("group.3", "1,3", "not yet"),
        ("nDCG.2", "Exponential gain", "right"),
        ("nDCG.2", "exponential", "right"),
        ("nDCG.2", "exp", "not yet"),
        ("nDCG.2", "", "not yet"),
        ("difference.2", 190, "right"),
        ("difference.2", 230, "not yet"),
        ("difference.1", 0.03, "nearly"),
    ],
)
def test_an_answer_may_be_written_as_people_write(name, answer, verdict):
    assert learn.check(name, answer).verdict == verdict


def test_a_wrong_answer_names_the_call_that_helps():
    says = learn.check("nDCG.1", 7).says
    call = says.removeprefix("Look again; ").removesuffix(" helps")
    assert eval(call, {"learn": learn}) == learn.check("nDCG.1").hint()


def test_an_unknown_exercise_is_refused_with_a_near_one():
    with pytest.raises(InputError, match=r"exercise must be .*precision.1"):
        learn.check("precison.1", 1)
    with pytest.raises(InputError, match=r"Did you mean 'nDCG\.1'"):
        learn.check("ndcg.1", 1)
