"""The live view of a difference: controls, numbers, lists, and what a page without a kernel has."""

import numpy as np
import pandas as pd
import pytest

import receval
from receval import InputError, _views, evaluate

N_USERS = 12


@pytest.fixture(scope="module", autouse=True)
def no_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_views, "to_png", lambda figure: repr(figure.axes).encode())
        yield


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(2)
    lists = {
        name: {user: rng.permutation(9)[:6].tolist() for user in range(N_USERS)} for name in "ABC"
    }
    truth = {user: set(rng.permutation(9)[:3].tolist()) for user in range(N_USERS)}
    return evaluate(lists, truth, ["nDCG@5", "MRR", "bpref"])


@pytest.fixture
def view(result):
    groups = pd.Series(["odd" if user % 2 else "even" for user in range(N_USERS)])
    return result.explore(groups=groups)


def differences(result, measure, a="A", b="B"):
    values = result.per_user[measure]
    return (values[b] - values[a]).sort_values(kind="stable")


def test_it_starts_with_the_user_of_the_lowest_difference(result, view):
    expected = differences(result, "nDCG@5")
    assert view.user == expected.index[0]
    assert view.table.loc["b - a"].tolist() == pytest.approx([expected.mean(), expected.iloc[0]])
    assert view.controls["user"].value == str(view.user)
    assert f"{(expected > 0).sum()} are better off" in view.says.value


def test_the_slider_goes_through_the_users_by_difference(result, view):
    expected = differences(result, "nDCG@5")
    for place in (5, N_USERS):
        view.controls["place"].value = place
        assert view.user == expected.index[place - 1]
        assert view.table.loc["b - a"].iloc[1] == pytest.approx(expected.iloc[place - 1])
        diff = result.diff("A", "B", user=view.user, measure="nDCG@5")
        assert view.lists.value.count("<details>") == 2
        for item in diff.table["item_b"]:
            assert f"<td>{item}</td>" in view.lists.value


def test_an_id_chooses_a_user(result, view):
    view.controls["user"].value = "7"
    assert view.user == 7
    assert view.controls["place"].value == differences(result, "nDCG@5").index.tolist().index(7) + 1
    view.controls["user"].value = "nobody"
    assert "user must be a shown user" in view.says.value
    assert view.user == 7


def test_measure_and_systems_keep_the_user(result, view):
    view.controls["user"].value = "4"
    view.controls["measure"].value = "MRR"
    assert view.user == 4
    view.controls["b"].value = "C"
    assert view.user == 4
    expected = differences(result, "MRR", "A", "C")
    assert view.table.loc["b - a", "mean"] == pytest.approx(expected.mean())
    assert view.table.loc["b - a", "user 4"] == pytest.approx(expected[4])


def test_two_equal_systems_swap(result, view):
    view.controls["a"].value = "B"
    assert (view.controls["a"].value, view.controls["b"].value) == ("B", "A")
    expected = differences(result, "nDCG@5", "B", "A")
    assert view.table.loc["b - a", "mean"] == pytest.approx(expected.mean())


def test_a_group_filters(result, view):
    view.controls["group"].value = "odd"
    expected = differences(result, "nDCG@5")[lambda values: values.index % 2 == 1]
    assert view.controls["place"].max == N_USERS // 2
    assert view.table.loc["b - a", "mean"] == pytest.approx(expected.mean())
    assert "6 users (odd)" in view.says.value
    view.controls["group"].value = "all users"
    assert view.controls["place"].max == N_USERS


def test_a_measure_without_terms_shows_the_lists(view):
    view.controls["measure"].value = "bpref"
    assert "must be a sum over the ranks" in view.lists.value
    assert view.lists.value.count("<table") == 4


def test_without_lists_it_shows_values_and_says_why(result, tmp_path):
    result.save(tmp_path / "x.receval")
    view = receval.load(tmp_path / "x.receval").explore(measure="MRR")
    assert view.table.loc["b - a", "mean"] == pytest.approx(differences(result, "MRR").mean())
    assert "receval.load(path, recommendations=…, relevance=…)" in view.lists.value


def test_a_page_without_a_kernel_has_picture_and_sentence(view):
    data, _ = view._repr_mimebundle_()
    assert {"image/png", "text/plain"} <= data.keys()
    assert data["text/plain"].startswith(" nDCG@5, 'B' (b) - 'A' (a)")


def test_titles(result):
    titles = pd.DataFrame({"title": [f"film {item}" for item in range(9)]})
    assert "film 3" in result.explore(items=titles).lists.value


def test_many_ranks_are_cut_off():
    items = [f"i{rank}" for rank in range(40)]
    result = evaluate({"A": {1: items}, "B": {1: items[::-1]}}, {1: {"i30"}}, "MRR")
    assert "and 15 more ranks" in result.explore().lists.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"a": "D"}, r"^a must be one of \['A', 'B', 'C'\]; got 'D'$"),
        ({"a": "A", "b": "A"}, r"^b must be another system than a; got 'A'$"),
        ({"measure": "MAP"}, r"^measure must be one of"),
        ({"groups": pd.Series({0: "x"})}, r"^groups must hold one value for each judged user"),
    ],
)
def test_explore_rejects(result, options, message):
    with pytest.raises(InputError, match=message):
        result.explore(**options)


def test_one_system_cannot_be_explored():
    with pytest.raises(InputError, match=r"^explore must be given at least two systems; got one"):
        evaluate({1: ["x"]}, {1: {"x"}}, "MRR").explore()


def test_values_of_users_are_needed():
    lists = {"A": {1: ["x"]}, "B": {1: ["y"]}}
    catalogue = pd.DataFrame(index=["x", "y"])
    with pytest.raises(InputError, match=r"^measure must have a value for each user, to be"):
        evaluate(lists, {1: {"x"}}, "CC@1", items=catalogue).explore()
