"""Configurations of RELISON, from the YAML files to the values and the written files."""

import os
from pathlib import Path

import pandas as pd
import pytest

from receval import InputError, datasets
from receval.people import (
    PeopleRun,
    SocialNetwork,
    read_configuration,
    run,
    usable_test_links,
)
from receval.people.running import check_results_folder
from receval.tables import read_recommendations, write_links

METRICS = """
metrics:
  Precision:
    cutoff: {type: int, values: 2}
"""
NEIGHBOURS = """
algorithms:
  MCN:
    uSel: {type: orientation, values: [UND, OUT]}
    vSel: {type: orientation, values: IN}
  Popularity:
"""
EVERY_ALGORITHM = """
algorithms:
  Random:
  Popularity:
  MCN: &sides
    uSel: {type: orientation, values: OUT}
    vSel: {type: orientation, values: IN}
  Jaccard: *sides
  Cosine: *sides
  Adamic-Adar:
    uSel: {type: orientation, values: UND}
    vSel: {type: orientation, values: UND}
    wSel: {type: orientation, values: IN}
  Personalized PageRank:
    r: {type: double, values: 0.2}
  BM25:
    uSel: {type: orientation, values: OUT}
    vSel: {type: orientation, values: IN}
    dlSel: {type: orientation, values: OUT}
    b: {type: double, values: 0.1}
    k: {type: double, values: 1}
    weighted: {type: boolean, values: [true, false]}
  iMF:
    k: {type: int, values: 3}
    lambda: {type: double, values: 1}
    alpha: {type: double, values: 4}
  UB kNN: &nearest
    k: {type: int, values: 5}
    q: {type: int, values: 1}
    similarity: {type: object, objects: {Jaccard: *sides, MCN: *sides}}
  IB kNN: *nearest
"""
NAMES = [
    "Random",
    "Popularity",
    "MCN_OUT_IN",
    "Jaccard_OUT_IN",
    "Cosine_OUT_IN",
    "Adamic-Adar_UND_UND_IN",
    "Personalized PageRank_0.2",
    "BM25_wei_OUT_IN_OUT_0.1_1.0",
    "BM25_unw_OUT_IN_OUT_0.1_1.0",
    "iMF_3_1.0_4.0",
    "UB kNN_Jaccard_OUT_IN_5_1",
    "UB kNN_MCN_OUT_IN_5_1",
    "IB kNN_Jaccard_OUT_IN_5_1",
    "IB kNN_MCN_OUT_IN_5_1",
]


@pytest.fixture
def trained():
    return pd.DataFrame({"user": [1, 2, 1, 4], "item": [2, 3, 4, 5]})


@pytest.fixture
def tested():
    return pd.DataFrame({"user": [1, 2], "item": [3, 5]})


def test_a_run_by_hand(trained, tested):
    result = run(NEIGHBOURS + METRICS, None, trained, tested, k=2)
    lists = result.recommendations["MCN_OUT_IN"]
    assert lists.values.tolist() == [[1, 3, 1], [1, 5, 1]]
    # User 1 gets 3 (right) and 5; user 2 links to 3, who links to nobody, and gets nothing.
    assert result.evaluation.summary.loc["MCN_OUT_IN", "Precision@2"] == 0.25
    # Both 3 and 5 have one link; so have 2 and 4. User 1 gets 3, 5; user 2 gets 4, 5.
    assert result.evaluation.summary.loc["Popularity", "Precision@2"] == 0.5
    assert result.notes == []
    assert isinstance(result, PeopleRun)


def test_users_without_test_links_do_not_change_values(trained, tested):
    for targets in ("all", "test"):
        result = run(NEIGHBOURS + METRICS, None, trained, tested, k=2, targets=targets)
        assert result.evaluation.summary.loc["Popularity", "Precision@2"] == 0.5
        users = set(result.recommendations["Popularity"]["user"])
        assert users == ({1, 2, 3, 4, 5} if targets == "all" else {1, 2})


def test_every_algorithm_runs_and_has_the_name_that_relison_gives(tmp_path):
    train, test = datasets.tutorial_links(1)
    result = run(EVERY_ALGORITHM + METRICS, None, train, test, directed=False, k=5)
    assert list(result.recommendations) == NAMES
    assert result.evaluation.summary.notna().all(axis=None)
    result.save(tmp_path / "new" / "folder")
    text = (tmp_path / "new" / "folder" / "evaluation.txt").read_text(encoding="utf-8")
    lines = text.splitlines()
    assert lines[0] == "Variant\tFraction\tPrecision@2"
    variants = [line.split("\t") for line in lines[1:]]
    assert [variant[0] for variant in variants] == sorted(NAMES)
    assert variants[-1][1] == "1.0"
    for name in NAMES:
        written = read_recommendations(tmp_path / "new" / "folder" / "recs" / f"{name}.txt")
        pd.testing.assert_frame_equal(written, result.recommendations[name])


def test_seeds_decide_random_recommendations_only():
    train, test = datasets.tutorial_links(1)
    grid = "algorithms: {Random: , Popularity: }" + METRICS
    first, again, other = (
        run(grid, None, train, test, directed=False, seed=seed).recommendations
        for seed in (1, 1, 2)
    )
    assert first["Random"].equals(again["Random"])
    assert not first["Random"].equals(other["Random"])
    assert first["Popularity"].equals(other["Popularity"])


def test_what_receval_lacks_is_reported_with_its_line_and_the_rest_runs(trained, tested):
    grid = """algorithms:
  Katz:
    b: {type: double, values: 0.5}
  UB kNN:
    k: {type: int, values: 5}
    q: {type: int, values: 1}
    sim: {type: object, objects: {Katz: }}
  Popularity:
metrics:
  ILD:
    cutoff: {type: int, values: 2}
  Speed:
  Clustering coefficient:
    type: graph
    params:
      uSel: {type: orientation, values: IN}
  MAP:
    cutoff: {type: int, values: 2}
"""
    result = run(grid, None, trained, tested)
    assert list(result.recommendations) == ["Popularity"]
    assert list(result.evaluation.summary) == ["MAP@2"]
    katz, nearest, ild, speed, clustering = result.notes
    assert "'Katz' (line 2)" in katz
    assert "'UB kNN' (line 4)" in nearest
    assert "as its similarity, 'Katz'" in nearest
    assert "'ILD' (line 10): it needs more than the links" in ild
    assert "'Speed' (line 12)" in speed
    assert "diffusion of information are out of scope" in speed
    assert "'Clustering coefficient' (line 13): a measure of networks" in clustering
    assert "Speed" in repr(result)


def test_metrics_may_be_in_a_second_file(trained, tested, tmp_path):
    path = tmp_path / "metrics.yml"
    path.write_text(METRICS, encoding="utf-8")
    result = run(NEIGHBOURS, path, trained, tested, k=2)
    assert list(result.evaluation.summary) == ["Precision@2"]
    # Document 004 prints metrics without their section.
    path.write_text("Recall:\n  cutoff:\n    type: int\n    values: [1, 5]\n", encoding="utf-8")
    assert read_configuration(NEIGHBOURS, path).measures == ["Recall@1", "Recall@5"]


@pytest.mark.parametrize(
    ("algorithms", "metrics", "message"),
    [
        (NEIGHBOURS, None, "have the section metrics"),
        (NEIGHBOURS + METRICS, METRICS, "metrics must be in one of the files"),
        (METRICS, None, "have the section algorithms"),
        ("algorithms: {Katz: }" + METRICS, None, r"algorithm that receval has.*'Katz' \(line 1\)"),
        (
            "algorithms: {Popularity: }\nmetrics: {Speed: }",
            None,
            "configuration must have a metric that receval has",
        ),
        (
            "algorithms:\n  MCN:\n    uSel: {type: orientation, values: IN}" + METRICS,
            None,
            r"MCN \(line 2\) must have the parameter 'vSel'",
        ),
        (
            "algorithms:\n  Personalized PageRank:\n    r: {type: string, values: a}" + METRICS,
            None,
            r"r of algorithms.Personalized PageRank \(line 2\) must be of type double",
        ),
        (
            "algorithms:\n  Popularity:\n    k: {type: int, values: 1}" + METRICS,
            None,
            r"Popularity \(line 2\) must have no parameters; got 'k'",
        ),
        (
            "algorithms:\n  UB kNN:\n    k: {type: int, values: 1}\n    q: {type: int, values: 1}\n"
            "    similarity: {type: string, values: Jaccard}" + METRICS,
            None,
            "be of type object",
        ),
    ],
)
def test_wrong_configurations_are_named(algorithms, metrics, message):
    with pytest.raises(InputError, match=message):
        read_configuration(algorithms, metrics)


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        (
            "Personalized PageRank: {r: {type: double, values: [0.5, 2]}}",
            r"r of algorithms.Personalized PageRank \(line 3\) must be a number in \(0, 1\]",
        ),
        (
            "MCN: {uSel: {type: string, values: SIDE}, vSel: {type: orientation, values: IN}}",
            r"uSel of algorithms.MCN \(line 3\) must be one of 'OUT'",
        ),
        (
            (
                "iMF: {k: {type: int, values: 0}, lambda: {type: double, values: 1}, "
                "alpha: {type: double, values: 1}}"
            ),
            r"k of algorithms.iMF \(line 3\) must be a positive integer; got 0",
        ),
        (
            (
                "iMF: {k: {type: int, values: 1}, lambda: {type: double, values: 0}, "
                "alpha: {type: double, values: 1}}"
            ),
            r"lambda of algorithms.iMF \(line 3\) must be a number above 0; got 0.0",
        ),
        (
            (
                "UB kNN: {k: {type: int, values: 1}, q: {type: int, values: -1}, "
                "sim: {type: object, objects: {Popularity: }}}"
            ),
            r"q of algorithms.UB kNN \(line 3\) must be a number of at least 0; got -1",
        ),
    ],
)
def test_a_parameter_out_of_range_is_found_before_anything_trains(algorithm, message):
    grid = f"algorithms:\n  Popularity:\n  {algorithm}" + METRICS
    with pytest.raises(InputError, match=message):
        read_configuration(grid)


def test_other_wrong_arguments_are_found_before_anything_trains(trained, tested, monkeypatch):
    def train(*_arguments, **_options):
        raise AssertionError("a recommender trains")

    monkeypatch.setattr("receval.people.running.train_recommender", train)
    for arguments in ({"convention": "foo"}, {"seed": -1}, {"k": 0}):
        with pytest.raises(InputError, match=next(iter(arguments))):
            run(NEIGHBOURS + METRICS, None, trained, tested, **arguments)


def test_factors_beyond_float64_are_refused(trained, tested):
    grid = (
        "algorithms: {iMF: {k: {type: int, values: 2}, lambda: {type: double, values: 1}, "
        "alpha: {type: double, values: 1e300}}}" + METRICS
    )
    with pytest.raises(InputError, match=r"iMF_2_1.0_1e\+300: weights, alpha and regularization"):
        run(grid, None, trained, tested)


def test_folders_in_place_of_files_are_found_before_the_work(tmp_path):
    (tmp_path / "recs" / "MCN.txt").mkdir(parents=True)
    assert check_results_folder(tmp_path, ["Popularity"]) == tmp_path
    with pytest.raises(InputError, match="folder must be a file to write"):
        check_results_folder(tmp_path, ["MCN"])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "recs").write_text("", encoding="utf-8")
    with pytest.raises(InputError, match="--output must be a folder; got the file"):
        check_results_folder(tmp_path / "other", [], "--output")


def test_a_second_file_without_metrics_is_named():
    algorithms_only = "algorithms: {Popularity: }"
    with pytest.raises(InputError, match="metrics must have the section metrics; got algorithms"):
        read_configuration(NEIGHBOURS + METRICS, algorithms_only)


def test_progress_bars_show_the_work_within_a_variant(trained, tested, capsys):
    run(NEIGHBOURS + METRICS, None, trained, tested, progress=True)
    assert "block" in capsys.readouterr().err
    run(NEIGHBOURS + METRICS, None, trained, tested, progress=False)
    assert capsys.readouterr().err == ""


def test_a_recommender_without_any_recommendation_has_zeros(tested):
    trained = pd.DataFrame({"user": [1, 2, 3], "item": [5, 5, 5]})
    result = run(NEIGHBOURS + METRICS, None, trained, tested[:1], k=2)
    # Nobody is linked to by 5, the only neighbour of 1.
    assert result.recommendations["MCN_OUT_IN"].empty
    assert result.evaluation.summary["Precision@2"].tolist() == [0, 0, 0.5]


def test_test_links_that_cannot_be_recommended_are_counted():
    network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2, 4], "item": [2, 3, 1]}))
    tested = pd.DataFrame({"user": [1, 9, 1, 2, 1, 3], "item": [3, 1, 4, 1, 2, 4]})
    usable, left_out = usable_test_links(network, tested)
    assert usable.values.tolist() == [[1, 3], [3, 4]]
    assert list(left_out.values()) == [1, 1, 2]  # 9-1; 1-2; 1-4 and 2-1
    usable, left_out = usable_test_links(network, tested, reciprocal=True)
    assert usable.values.tolist() == [[1, 3], [1, 4], [2, 1], [3, 4]]
    assert list(left_out.values()) == [1, 1]


def test_test_links_of_an_undirected_network_count_both_ways():
    links = pd.DataFrame({"user": [1, 2], "item": [2, 3]})
    network = SocialNetwork.from_links(links, directed=False)
    tested = pd.DataFrame({"user": [3, 8, 9], "item": [1, 9, 1]})
    usable, left_out = usable_test_links(network, tested)
    assert usable.values.tolist() == [[1, 3], [3, 1]]
    assert list(left_out.values()) == [2]


@pytest.mark.parametrize(
    ("tested", "message"),
    [
        ({"user": [8], "item": [9]}, "a link that could be recommended; got 1 of users without"),
        ({"user": ["a"], "item": ["b"]}, "ids of the same type as the training links"),
        ({"user": [1], "item": [1]}, "link anybody to themselves; got 1 in row 0"),
        ({"user": [], "item": []}, "at least one link"),
    ],
)
def test_wrong_test_links_are_named(trained, tested, message):
    network = SocialNetwork.from_links(trained)
    with pytest.raises(InputError, match=message):
        usable_test_links(network, pd.DataFrame(tested))


def test_wrong_links_in_files_are_named_with_their_line(trained, tested, tmp_path):
    write_links(trained, tmp_path / "train.txt")
    (tmp_path / "test.txt").write_text("1\t3\n2\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test.txt must not link.*; got 2 in line 2"):
        run(NEIGHBOURS + METRICS, None, tmp_path / "train.txt", tmp_path / "test.txt")
    (tmp_path / "test.txt").write_text("1\t3\n\n\r\n2\t2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test.txt must not link.*; got 2 in line 4"):
        run(NEIGHBOURS + METRICS, None, tmp_path / "train.txt", tmp_path / "test.txt")
    (tmp_path / "test.txt").write_text("1\t3\n2\t2\t3\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 2"):
        run(NEIGHBOURS + METRICS, None, tmp_path / "train.txt", tmp_path / "test.txt")


def test_the_example_file_of_relison_runs_as_it_is():
    path = Path(os.environ.get("RECEVAL_DATA", "")) / "relison" / "algorithms-example.yml"
    if not path.exists():
        pytest.skip("RELISON's example files are not here")
    train, test = datasets.tutorial_links(0)
    result = run(path, None, train, test, directed=False)
    assert list(result.evaluation.summary.index) == [
        "iMF_unw_300_150.0_40.0", "BM25_wei_OUT_IN_OUT_0.1_0.1", "Popularity", "Random",
    ]  # fmt: skip
    assert list(result.evaluation.summary) == ["nDCG@10", "MAP@10"]
    network_measures = path.with_name("metrics-example.yml")
    with pytest.raises(InputError, match="measure of networks, which is out of scope"):
        read_configuration(NEIGHBOURS, network_measures)
    for name in ("diffusion-metrics-example.yml", "diffusion-example.yml"):
        with pytest.raises(InputError, match="RELISON's other programs"):
            read_configuration(NEIGHBOURS, path.with_name(name))
