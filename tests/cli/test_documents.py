"""The commands that run the documents' systems on raw tables: retrieve, groups."""

import io
import json
import re

import pandas as pd
import pytest

from receval import cli, datasets, evaluate_groups

SIMILARITY = '''
def similarity(query, case):
    """Compare prices only."""
    return 1 / (1 + abs(query["price"] - case["price"]))

def wrong(query, case):
    return query["no such attribute"]
'''


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def output_of(capsys, *arguments, status=0):
    """Run a command, and return what it writes to standard output and standard error."""
    capsys.readouterr()
    assert cli.main(list(arguments)) == status
    return capsys.readouterr()


# retrieve -----------------------------------------------------------------------------------------


@pytest.fixture
def cases(folder):
    table = pd.DataFrame(
        {
            "case": [f"c{i}" for i in range(8)],
            "price": [1000, 1200, 3000, 5000, 4000, 2500, 1100, 900],
            "paint": ["red", "blue", "red", "red", "blue", "blue", "red", "blue"],
        }
    )
    table.to_csv(folder / "cases.csv", index=False)
    queries = table.iloc[:2].assign(case=["q1", "q2"], price=[2600, 950])
    queries.to_csv(folder / "queries.csv", index=False)
    (folder / "mine.py").write_text(SIMILARITY, encoding="utf-8")
    return ["retrieve", "cases.csv", "queries.csv"]


def test_retrieve_evaluates_several_similarities(cases, folder, capsys):
    words = ["-s", "mine.py:similarity", "-s", "paint=attributes:paint", "-s", "attributes"]
    words += ["--measures", "hits,mae", "--k", "3", "--csv", "out.csv", "--per-query", "each.csv"]
    printed = output_of(capsys, *cases, *words, "--format", "csv")
    table = pd.read_csv(io.StringIO(printed.out), index_col="retriever")
    assert table.index.tolist() == ["mine.py:similarity", "paint", "attributes"]
    assert table.loc["attributes"].tolist() == [3, 0]  # it is the ground truth
    # q1, red for 2600: by attributes c2, then c0 and c6 or c3; by price c5, c2, c4.
    values = pd.read_csv("each.csv").set_index(["retriever", "query", "metric"])["value"]
    assert values["mine.py:similarity", "q1", "hits"] == 1
    means = pd.read_csv("out.csv").set_index(["retriever", "metric"])["value"]
    assert means["mine.py:similarity", "hits"] == table.loc["mine.py:similarity", "hits"]
    assert means["paint", "median seconds"] > 0


def test_retrieve_computes_stores_and_reads_the_truth(cases, folder, capsys):
    words = ["-s", "mine.py:similarity", "-m", "hits@2,mae@2", "--format", "json"]
    computed = output_of(capsys, *cases, *words, "--save-truth", "truth.csv").out
    stored = pd.read_csv("truth.csv")
    assert stored["query"].tolist() == ["q1"] * 8 + ["q2"] * 8
    assert output_of(capsys, *cases, *words, "--truth", "truth.csv").out == computed
    assert output_of(capsys, *cases, *words).out == computed
    of_itself = output_of(capsys, *cases, *words, "--truth", "mine.py:similarity").out
    assert json.loads(of_itself)[0]["hits@2"] == 2


def test_retrieve_evaluates_macfac(cases, folder, capsys):
    words = ["--macfac", "2,8", "--mac", "mine.py:similarity", "--k", "2", "-m", "hits"]
    printed = output_of(capsys, *cases, *words, "--format", "csv")
    table = pd.read_csv(io.StringIO(printed.out))
    assert table["filter_size"].tolist() == [2, 8]
    assert table["hits"].tolist()[1] == 2  # the filter lets every case through
    assert table["hits"].tolist()[0] < 2
    several = output_of(capsys, *cases, *words[:-4], "--k", "1,2", "-m", "hits", "--format", "csv")
    assert pd.read_csv(io.StringIO(several.out))["k"].tolist() == [1, 2]


@pytest.mark.parametrize("macfac", [False, True])
def test_retrieve_draws_a_figure(cases, folder, capsys, macfac):
    words = ["-m", "hits", "--k", "2", "--figure", "figure.png"]
    if macfac:
        words += ["--macfac", "2,4", "--mac", "attributes:price"]
    output_of(capsys, *cases, *words)
    assert (folder / "figure.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-s", "mine.py"], "be FILE.py:NAME"),
        (["-s", "other.py:similarity"], "in an existing file"),
        (["-s", "mine.py:similar"], "have a function 'similar'"),
        (["-s", "broken.py:f"], r"broken.py must run.*ZeroDivisionError.*\(line 2\)"),
        (["-s", "syntax.py:f"], r"syntax.py must run.*SyntaxError.*\(line 1\)"),
        (["-s", "attributes:colour"], "attributes must be among price, paint"),
        (["-s", "attributes", "-s", "attributes"], "--similarity"),
        (["-s", "mine.py:wrong"], "no such attribute"),
        (["--k", "a"], "--k must be whole numbers"),
        (["--k", "1,2"], "--k must be one number"),
        (["--mac", "attributes"], "--mac must be used with --macfac"),
        (["--macfac", "2", "--k", "2"], "--mac must be the similarity"),
        (["--macfac", "2", "--mac", "attributes"], "--k must be one number, or one for each"),
        (["--id", "car"], "car"),
        (["--truth", "cases.csv"], "query"),
        (["--truth", "a.csv", "--save-truth", "b.csv"], "--save-truth must be left out"),
        (["-m", "hitz"], "hitz"),
        (["-s", "=attributes"], "--similarity must have a name before '='"),
        (["-s", "attributes:"], "attributes must be among price, paint; got ''"),
        (["--figure", "figure.foo"], "--figure must end in one of .png, .svg, .pdf"),
        (["--csv", "cases.csv"], "--csv must be a different file; got cases.csv, a file that is"),
        (["--csv", "a.csv", "--per-query", "./a.csv"], "--per-query must be a different file"),
    ],
)
def test_retrieve_names_what_is_wrong(cases, folder, capsys, words, message):
    (folder / "broken.py").write_text("f = 1\nf / 0\n", encoding="utf-8")
    (folder / "syntax.py").write_text("f(\n", encoding="utf-8")
    error = output_of(capsys, *cases, *words, status=2).err
    assert pd.Series(error).str.contains(message).all(), error


def test_queries_must_have_the_attributes_of_cases(cases, folder, capsys):
    pd.DataFrame({"case": ["q"], "price": [1]}).to_csv("queries.csv", index=False)
    error = output_of(capsys, *cases, status=2).err
    assert "queries.csv must have the column 'paint' of the cases" in error


# groups -------------------------------------------------------------------------------------------


@pytest.fixture
def ratings(folder):
    """Document 001's table of five members, who are a group, and a user in no group."""
    wide = datasets.borda_example()
    table = wide.rename_axis("member").reset_index().melt("member", var_name="item")
    table = table.rename(columns={"value": "rating"})
    outside = pd.DataFrame({"member": ["U9"], "item": ["M1"], "rating": [5]})
    pd.concat([table, outside]).to_csv(folder / "ratings.csv", index=False)
    members = pd.DataFrame({"group": "g", "member": wide.index})
    members.to_csv(folder / "groups.csv", index=False)
    return table.assign(group="g")


def test_groups_prints_what_the_function_returns(ratings, folder, capsys):
    words = ["groups", "ratings.csv", "groups.csv", "--strategy", "average,borda", "--k", "4"]
    files = ["--per-member", "members.csv", "--lists", "lists.csv"]
    printed = output_of(capsys, *words, *files, "--format", "csv")
    expected = evaluate_groups(ratings, ["average", "borda"], k=4)
    table = pd.read_csv(io.StringIO(printed.out), index_col="strategy")
    pd.testing.assert_frame_equal(table, expected.summary)
    assert "ratings left out: 1 of users who are in no group" in printed.err
    satisfaction = pd.read_csv("members.csv")["satisfaction"]
    assert satisfaction.tolist() == expected.per_member["satisfaction"].tolist()
    assert pd.read_csv("lists.csv")["item"].tolist()[:4] == ["M8", "M4", "M10", "M2"]


def test_groups_passes_on_every_option(ratings, folder, capsys):
    pd.DataFrame({"member": ["U1", "U2"], "trusted": ["U3", "U3"]}).to_csv("trust.csv", index=False)
    table = pd.read_csv("ratings.csv").assign(predicted=lambda table: 11 - table["rating"])
    table.rename(columns={"member": "user"}).to_csv("ratings.csv", index=False)
    members = pd.read_csv("groups.csv").rename(columns={"member": "user"})
    members.to_csv("groups.csv", index=False)
    strategies = "borda,approval,most_respected"
    words = ["groups", "ratings.csv", "groups.csv", "-s", strategies, "--member", "user"]
    words += ["--by", "predicted", "--threshold", "7", "--ties", "mean", "--k", "4"]
    pd.read_csv("trust.csv").rename(columns={"member": "user"}).to_csv("trust.csv", index=False)
    printed = output_of(capsys, *words, "--trust", "trust.csv", "--each", "--format", "csv")
    expected = evaluate_groups(
        ratings.assign(predicted=11 - ratings["rating"]).rename(columns={"member": "user"}),
        {"borda": {"ties": "mean"}, "approval": {"threshold": 7}, "most_respected": {}},
        k=4, by="predicted", member="user", common=False, trust=pd.read_csv("trust.csv"),
    )  # fmt: skip
    table = pd.read_csv(io.StringIO(printed.out), index_col="strategy")
    pd.testing.assert_frame_equal(table, expected.summary)


def test_groups_without_ratings_are_left_out_and_counted(ratings, folder, capsys):
    members = pd.read_csv("groups.csv")
    further = pd.DataFrame({"group": ["g", "h"], "member": ["U7", "U8"]})
    pd.concat([members, further]).to_csv("groups.csv", index=False)
    printed = output_of(capsys, "groups", "ratings.csv", "groups.csv", "--format", "csv")
    assert "members without a rating: 2" in printed.err
    assert "groups left out: 1 in which nobody has a rating" in printed.err
    table = pd.read_csv(io.StringIO(printed.out))
    assert table[["groups", "members", "without"]].to_numpy().tolist() == [[1, 6, 1]]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-s", "bordo"], "--strategy must be one of.*borda"),
        (["-s", "borda,borda"], "--strategy"),
        (["-s", "average", "--threshold", "3"], "--threshold must be left out without"),
        (["--rating", "stars"], "stars"),
        (["--k", "0"], "k must be"),
        (["-s", "most_respected"], "trust"),
        (["--lists", "groups.csv"], "--lists must be a different file; got groups.csv, a file"),
        (["--lists", "a.csv", "--per-member", "a.csv"], "--lists must be a different file"),
    ],
)
def test_groups_names_what_is_wrong(ratings, folder, capsys, words, message):
    error = output_of(capsys, "groups", "ratings.csv", "groups.csv", *words, status=2).err
    assert pd.Series(error).str.contains(message).all(), error


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"group": ["g", "g"], "member": ["U1", "U1"]}, "a member once in a group"),
        ({"group": ["g"], "member": ["U8"]}, "have a rating of a member"),
        ({"group": ["g"], "member": [8]}, "member"),
        ({"member": ["U1"]}, "group"),
        ({"group": ["g", None], "member": ["U1", "U2"]}, "group in groups.csv must not be missing"),
    ],
)
def test_wrong_groups_are_named(ratings, folder, capsys, members, message):
    pd.DataFrame(members).to_csv("groups.csv", index=False)
    error = output_of(capsys, "groups", "ratings.csv", "groups.csv", status=2).err
    assert message in error


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("U1,M9,", "rating in ratings.csv must not be missing; got nan in row"),
        ("U1,M9,-1", "rating in ratings.csv must be at least 0; got -1"),
        ("U1,M1,1", "item in ratings.csv must be rated by a member at most once; got 'M1' in row"),
        ("U1,,1", "item in ratings.csv must not be missing; got (None|nan) in row"),
    ],
)
def test_wrong_ratings_are_named_with_their_row_in_the_file(ratings, folder, capsys, line, message):
    # A user in two groups has two rows in the table behind the values, and one in the file.
    members = pd.read_csv("groups.csv")
    pd.concat([members, members.assign(group="other")]).to_csv("groups.csv", index=False)
    with (folder / "ratings.csv").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    n_rows = len(pd.read_csv("ratings.csv"))
    error = output_of(capsys, "groups", "ratings.csv", "groups.csv", status=2).err
    assert re.search(message, error)
    assert f"in row {n_rows - 1}" in error
    assert error.count("in row") == 1
