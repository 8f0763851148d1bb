"""Exercises: right answers, mistakes and hints."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from learn.computed_answers import ANSWERS
from numpy.testing import assert_allclose

from receval import InputError, learn
from receval.learn.checking import agrees
from receval.learn.exercises import kind_of, package_texts
from receval.metrics import exponential_gain

ANSWERED = [name for name, texts in package_texts().items() if kind_of(texts) == "answer"]
CHOICES = [name for name, texts in package_texts().items() if kind_of(texts) == "choice"]


@pytest.mark.parametrize("name", ANSWERED)
def test_an_exercise_takes_its_answer_and_names_its_mistakes(name):
    texts, answers = package_texts()[name], ANSWERS[name]
    for typed, computed in [
        (texts["answer"], answers.right),
        *zip(texts.get("wrong_answers", {}).values(), answers.wrong_answers.values(), strict=True),
    ]:
        if isinstance(computed, str):
            assert typed == computed
        else:
            assert_allclose(typed, computed, rtol=1e-11)
    assert learn.check(name, answers.right)
    assert list(texts.get("mistakes", {})) == list(answers.wrong_answers)
    assert list(texts.get("wrong_answers", {})) == list(answers.wrong_answers)
    for mistake, answer in answers.wrong_answers.items():
        feedback = learn.check(name, answer)
        assert (feedback.verdict, feedback.says) == ("nearly", texts["mistakes"][mistake])
    unanswered = learn.check(name)
    assert (unanswered.verdict, bool(unanswered)) == ("your turn", False)
    assert learn.check(name, "no such answer").verdict == "not yet"
    assert len(learn.check(name).hint()) > 20


@pytest.mark.parametrize("name", ANSWERED)
def test_plausible_wrong_answers_are_rejected(name):
    wrong_answers = package_texts()[name]["wrong"]
    assert len(wrong_answers) >= 3
    replies = [learn.check(name, wrong) for wrong in wrong_answers]
    assert [reply for reply in replies if reply or reply.says.startswith("Close")] == []


@pytest.mark.parametrize("name", CHOICES)
def test_each_option_of_a_choice_has_its_reason(name):
    texts = package_texts()[name]
    assert set(texts["reasons"]) | {texts["choice"]} == set(texts["options"])
    for letter, option in texts["options"].items():
        says = texts["reasons"].get(letter, texts["right"])
        for typed in (letter, letter.upper(), f"({letter})", f"{letter}.", option, [letter]):
            feedback = learn.check(name, typed)
            assert feedback.says == says
            assert bool(feedback) == (letter == texts["choice"])
    for typed in ("x", "", 1, "all"):
        assert learn.check(name, typed).verdict == "not yet"


def test_an_exercise_that_repeats_another_has_other_numbers():
    texts_by_name = package_texts()
    repeats = {
        name: texts["repeats"] for name, texts in texts_by_name.items() if "repeats" in texts
    }
    assert repeats
    for name, repeated in repeats.items():
        assert name.partition(".")[0] != repeated.partition(".")[0]
        assert not agrees(ANSWERS[name].right, ANSWERS[repeated].right)


@pytest.mark.parametrize("name", ANSWERED)
def test_no_feedback_shows_the_answer(name):
    exercise = package_texts()[name]
    right = str(ANSWERS[name].right)
    texts = [exercise["hint"], *exercise.get("mistakes", {}).values()]
    assert not [text for text in texts if len(right) > 2 and right[:6] in text]


@pytest.mark.parametrize(
    ("answer", "right", "is_right"),
    [
        (0.33, 1 / 3, True),
        (0.3, 1 / 3, False),
        (0.0061, 0.00608, True),
        (0.01, 0.00608, False),
        ([1, 0.5], (1.0, 0.5), True),
        ([1, 0.5], 1.0, False),
    ],
)
def test_numbers_count_to_two_decimals_and_small_ones_to_two_figures(answer, right, is_right):
    assert agrees(answer, right) == is_right


@pytest.mark.parametrize(
    ("name", "answer", "verdict"),
    [
        ("precision.1", " 3/5 ", "right"),
        ("precision.1", "60 %", "right"),
        ("precision.1", "0,6", "right"),
        ("precision.1", "0, 6", "not yet"),
        ("paper.3", "10 01", "not yet"),
        ("precision.1", "3/4", "nearly"),
        ("precision.1", "3/0", "not yet"),
        ("nDCG.2", "Exponential gain", "right"),
        ("nDCG.2", "exponential", "right"),
        ("nDCG.2", "exp", "not yet"),
        ("nDCG.2", "", "not yet"),
        ("difference.2", 190, "right"),
        ("difference.2", 230, "not yet"),
        ("difference.1", 0.03, "nearly"),
        ("own.again", 0.06, "nearly"),
        ("precision.3", 0.66, "nearly"),
        ("stromer.2", 0.66, "nearly"),
        ("stromer.2", 0.7, "not yet"),
        ("nDCG.2", "ndcg_burges", "nearly"),
        ("own.1", "No.", "right"),
        ("own.1", False, "right"),
        ("own.1", np.bool_(False), "right"),
        ("own.1", "'no'", "right"),
        ("own.1", [False], "right"),
        ("own.1", True, "nearly"),
        ("own.1", 0, "not yet"),
        ("paper.3", "1 001", "right"),
        ("precision.1", "= 3/5", "right"),
        ("precision.1", [[0.6]], "right"),
        ("precision.1", (0.6,), "right"),
        ("precision.1", np.array(0.6), "right"),
        ("precision.1", np.float64(0.6), "right"),
        ("precision.1", pd.Series([0.6]), "right"),
        ("precision.1", Fraction(3, 5), "right"),
        ("precision.1", " 0.6 ", "right"),
        ("precision.1", 60, "nearly"),
        ("precision.1", [0.6, 0.6], "not yet"),
        ("precision.1", {0.6}, "not yet"),
        ("precision.1", float("nan"), "not yet"),
        ("precision.1", 0.6 + 0j, "not yet"),
        ("nDCG.2", "gain: exponential_gain", "right"),
        ("nDCG.2", exponential_gain, "right"),
        ("nDCG.2", "exponential-gain.", "right"),
        ("hits.1", True, "not yet"),
    ],
)
def test_an_answer_may_be_written_as_people_write(name, answer, verdict):
    assert learn.check(name, answer).verdict == verdict


def test_a_wrong_answer_names_the_call_that_helps():
    assert learn.check("nDCG.1", 7).says == 'Look again; learn.check("nDCG.1").hint() helps'


@pytest.mark.parametrize(("name", "near"), [("precison.1", "precision.1"), ("ndcg.1", "nDCG.1")])
def test_an_unknown_exercise_is_refused_with_a_near_one(name, near):
    with pytest.raises(InputError, match=f"exercise must be .*Did you mean '{near}'"):
        learn.check(name, 1)
