"""The live views: what is said and drawn follows each control."""

import base64

import pytest

from receval import InputError, learn, play
from receval.learn import checking
from receval.learn.answers import answers_of

VIEWS = [getattr(play, name) for name in play.__all__]


@pytest.fixture(scope="module", params=VIEWS, ids=play.__all__)
def view(request):
    return request.param()


def test_every_control_moves_the_picture(view):
    for control in view.controls.values():
        before, said, start = view.picture.value, view.says.value, control.value
        seen = set()
        for value in getattr(control, "options", None) or (control.min, control.max):
            control.value = value
            seen.add(view.picture.value)
            if len(seen) > 1:
                break
        assert len(seen) > 1
        control.value = start
        assert (view.picture.value, view.says.value) == (before, said)


def test_a_page_without_a_kernel_shows_the_picture(view):
    bundle, about = view._repr_mimebundle_()
    assert base64.b64decode(bundle["image/png"]) == view.picture.value
    assert "<" not in bundle["text/plain"]
    assert "application/vnd.jupyter.widget-view+json" in bundle
    pixels = int.from_bytes(view.picture.value[16:20])
    assert pixels == pytest.approx(2 * about["image/png"]["width"], abs=1)


def test_the_list_says_what_receval_computes():
    view = play.list_of_grades([1, 0, 1], "Precision@3")
    assert "<b>Precision@3 = 0.667</b>" in view.says.value
    view.controls["rank_2"].value = 2
    assert "<b>Precision@3 = 1.000</b>" in view.says.value


@pytest.mark.parametrize(
    ("rule", "lie", "ann"),
    [
        pytest.param("average", {}, "0.628", id="the truth"),
        pytest.param("average", {"exodus": 4}, "0.660", id="a lie that pays"),
        pytest.param("borda", {"dumbo": 1}, "0.577", id="a lie that costs"),
        pytest.param(
            "least_misery",
            {"alien": 1, "brazil": 1, "casino": 1, "dumbo": 1, "exodus": 1},
            "0.841",
            id="every film alike",
        ),
    ],
)
def test_the_group_satisfies_ann_by_her_true_ratings_not_by_those_she_announces(rule, lie, ann):
    view = play.group(rule)
    for film, rating in lie.items():
        view.controls[film].value = rating
    assert f"Ann, by her true ratings: {ann};" in view.says.value


@pytest.mark.parametrize("name", learn.exercises())
def test_an_exercise_takes_its_answer_and_tells_its_slips_apart(name):
    texts, answers = checking.read_exercises()[name], answers_of(name)
    assert learn.check(name, answers.right)
    assert list(texts.get("slips", {})) == list(answers.slips)
    for slip, answer in answers.slips.items():
        feedback = learn.check(name, answer)
        assert (feedback.verdict, feedback.says) == ("nearly", texts["slips"][slip])
    assert learn.check(name).verdict == "your turn"
    assert learn.check(name, "no such answer").verdict == "not yet"
    assert len(learn.check(name).hint()) > 20


@pytest.mark.parametrize("name", learn.exercises())
def test_no_feedback_shows_the_answer(name):
    exercise = checking.read_exercises()[name]
    right = str(answers_of(name).right)
    texts = [exercise["hint"], *exercise.get("slips", {}).values()]
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
