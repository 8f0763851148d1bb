"""Texts of a result: notes, counts of users, methods, LaTeX, explanations, folds."""

import json
import pickle
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

import receval
from receval import EvaluationWarning, InputError, Measure, Terms, evaluate, load
from receval import ledger as published
from receval._escape import for_latex
from receval.definitions import measure
from receval.evaluation import Evaluation
from receval.evaluation.report import ComparisonTable

RECS = pd.DataFrame(
    {"user": list("aabbx"), "item": list("pqqrp"), "score": [2.0, 1.0, 2.0, 1.0, 1.0]}
)
TRUTH = pd.DataFrame({"user": list("abcd"), "item": list("qqpp"), "relevance": [1, 1, 1, 0]})
BOTH = {"A": RECS, "B": RECS.iloc[:2]}


def evaluated(measures, *, recs=RECS, **options):
    return evaluate(recs, TRUTH, measures, **options)


# Texts -----------------------------------------------------------------------------------------

USERS = range(12)
TWO_ORDERS = {"A": {user: ["p", "q"] for user in USERS}, "B": {user: ["q", "p"] for user in USERS}}
RANKED = RECS.assign(rank=[1, 2, 1, 2, 1])
OPPOSITE = {"A_1 & 100%": RECS, "B #2": RECS.assign(score=-RECS["score"])}
OF_TWO_SYSTEMS = evaluated(["nDCG@10", "HR(rel=1)@5"], recs={"A|1": RECS, "B": RECS.iloc[:2]})
FEWER = "eans over fewer users than judged: "
FEWER_IN_AUC = f"{FEWER}AUC 2 of 4 (A), 1 of 4 (B)"
SHOWN = {
    "values": lambda: repr(evaluated(["MRR", "AUC", "PC"], recs=BOTH)),
    "page": lambda: evaluated(["MRR", "AUC", "PC"], recs=BOTH).table()._repr_html_(),
    "latex": lambda: evaluated(["MRR", "AUC", "PC"], recs=BOTH).to_latex(),
    "methods of two": lambda: evaluated(["MRR", "AUC", "PC"], recs=BOTH).methods(),
    "some users": lambda: repr(evaluated(["MRR", "MAP", "AUC", "PC"], users="both")),
    "all users": lambda: repr(evaluated(["MRR", "PC"])),
    "lists": lambda: repr(evaluated(["CC", "MRR"], items=pd.DataFrame(index=list("pqr")))),
    "comparison": lambda: repr(
        evaluate(TWO_ORDERS, {user: {"pz"[user > 5]} for user in USERS}, "AUC").compare().table()
    ),
    "ranks": lambda: repr(evaluated("MRR", recs=RANKED, rank="rank")),
    "methods of ranks": lambda: evaluated("MRR", recs=RANKED, rank="rank").methods(),
    "ties of ranks": lambda: evaluated("MRR", recs=RANKED, rank="rank").explain("a", "MRR").choices,
    "lists of one": lambda: repr(evaluated("MRR", recs=RECS.iloc[[0, 2]].assign(score=1))),
    "no list": lambda: evaluated("nDCG@2").explain("c", "nDCG@2").notes(),
    "a list": lambda: evaluated("nDCG@2").explain("a", "nDCG@2").choices,
    "methods": lambda: evaluated(["nDCG@5", "nDCG@10", "HR@1", "AUC"]).methods(),
    "methods of HR": lambda: evaluated("HR").methods(),
    "methods of means over ties": lambda: evaluated(["nDCG", "P@5"], ties="average").methods(),
    "methods of RankSys": lambda: evaluated(["nDCG", "P@5"], convention="ranksys").methods(),
    "methods of RELISON": lambda: evaluated(["nDCG", "P@5"], convention="relison").methods(),
    "methods of some users": lambda: evaluated(["nDCG", "P@5"], users="both").methods(),
    "one system": lambda: evaluated("MRR").explain("a", "MRR"),
    "markdown": lambda: OF_TWO_SYSTEMS.to_markdown(),
}


@pytest.mark.parametrize(
    ("kind", "parts", "absent"),
    [
        ("values", [FEWER_IN_AUC], []),
        ("page", [FEWER_IN_AUC], []),
        ("latex", [FEWER_IN_AUC], []),
        ("methods of two", [f"M{FEWER_IN_AUC}."], []),
        ("some users", [f"m{FEWER}MRR, MAP, AUC 2 of 4\n"], []),
        ("all users", [], ["fewer"]),
        ("lists", [], ["fewer"]),
        ("comparison", [f"{FEWER}AUC 6 of 12"], []),
        ("ranks", [], ["rank="]),
        ("methods of ranks", ["Lists are in the order of the ranks given."], ["equal scores"]),
        ("ties of ranks", ["'ties': 'none, ranks were given'"], []),
        ("lists of one", [], ["rank="]),
        ("no list", ["list: 'c' has no recommendations"], []),
        ("a list", ["'discount': 'shifted_log2'"], ["'list'"]),
        (
            "methods",
            [
                "nDCG@5, nDCG@10 (normalised discounted cumulative gain), HR@1 (hit rate), AUC",
                "computed with receval",
                "Lists are sorted by score, highest first; equal scores by item id ascending",
                "Means are over judged users: 4 judged, 2 answered, 1 without truth, 1 ignored.",
                "The discount is shifted_log2 (1 / log2(1 + i) at rank i; Burges et al., 2005).",
                "Definitions: nDCG (Järvelin and Kekäläinen, 2002); HR (Deshpande and Karypis, 200",
            ],
            ["document 0", ". ."],
        ),
        ("methods of HR", ["We report HR (hit rate), computed with"], []),
        (
            "methods of means over ties",
            ["t; values are means over all orders of equal scores (McSherry"],
            [],
        ),
        ("methods of RankSys", ["An item is relevant if it has a grade of 0.5 or more."], []),
        (
            "methods of RELISON",
            [
                "Sanz-Cruzado and Castells, 2022). An item is relevant",
                "divides by the number of items retrieved, at most k.",
            ],
            [],
        ),
        ("methods of some users", ["Means are over judged users with an answer:"], []),
        ("one system", ["MRR of user 'a' = 0.5"], ["under"]),
        (
            "markdown",
            [
                "| system | nDCG@10 | HR(rel=1)@5 |\n| --- | ---: | ---: |\n",
                "\n| A\\|1 | **0.41** | **0.50** |\n| B | 0.16 | 0.25 |\n",
                "\n\nusers: A\\|1: 4 judged, 2 answered",
            ],
            [],
        ),
    ],
)
def test_texts(kind, parts, absent):
    shown = str(SHOWN[kind]())
    assert [part for part in parts if part not in shown] == []
    assert [part for part in absent if part in shown] == []


@pytest.mark.parametrize(
    ("write", "template", "best"),
    [
        ("to_markdown", "**{}**", ["-3", "0.50"]),
        ("to_latex", r"\textbf{{{}}}", ["$-3$", "0.50"]),
        ("_repr_html_", "<b>{}</b>", ["-3", "0.50"]),
    ],
)
def test_the_best_whole_numbers_are_bold_in_every_language(write, template, best):
    summary = pd.DataFrame({"rank": [-3, -2], "MRR": [0.5, 0.25]}, index=["A", "B"])
    table = ComparisonTable(summary, dict.fromkeys(summary, 2), marked=1, notes=(), lower=("rank",))
    text = getattr(table, write)()
    for value in best:
        assert template.format(value) in text
    for other in ("-2", "$-2$", "0.25"):
        assert template.format(other) not in text


# What looks like a slip ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("score", "noted"),
    [
        pytest.param([1, 2, 1, 2, 1], True, id="ranks, best first"),
        pytest.param([2, 1, 1, 2, 1], True, id="ranks in any order of rows"),
        pytest.param([2, 1, 2, 1, 1], False, id="points, best first"),
        pytest.param([1, 3, 1, 2, 1], False, id="a gap"),
        pytest.param([1, 1, 1, 2, 1], False, id="a tie"),
        pytest.param([1, 1.5, 1, 2, 1], False, id="a fraction"),
        pytest.param([0, 1, 0, 1, 0], False, id="from 0"),
        pytest.param([1, np.inf, 1, 2, 1], False, id="infinite"),
    ],
)
def test_scores_that_look_like_ranks_are_noted(score, noted):
    result = evaluate(RECS.assign(score=np.array(score, float)), TRUTH, "MRR")
    assert ("if they are ranks, name their column with rank=" in repr(result)) is noted


def test_items_of_another_numbering_are_noted():
    strange = RECS.assign(item=["11", "12", "12", "13", "11"])
    note = "no recommended item is in relevance: do both tables number the items in the same"
    with pytest.warns(EvaluationWarning, match=note) as told:
        result = evaluated("MRR", recs=strange)
    assert told[0].filename == evaluated.__code__.co_filename
    assert note in repr(result)
    assert f"N{note[1:]}" in result.methods()  # as a sentence
    with pytest.warns(EvaluationWarning, match=r"^no recommended item of 'B' is[^;]*$"):
        both = evaluated("MRR", recs={"A": RECS, "B": strange})
    assert "no recommended item of 'B' is in relevance" in repr(both)
    letters = evaluated("MRR", recs=strange.assign(item=list("wxyzq")))
    assert "in relevance" not in repr(letters)


@pytest.mark.parametrize(
    ("result", "names"),
    [
        (
            OF_TWO_SYSTEMS,
            ["A|1/ndcg_at_10", "A|1/hr_rel_1_at_5", "B/ndcg_at_10", "B/hr_rel_1_at_5"],
        ),
        (evaluated(["R-Precision", "RBP(p=0.9)@10"]), ["r_precision", "rbp_p_0.9_at_10"]),
    ],
)
def test_flat_names_of_means(result, names):
    means = result.to_dict()
    assert [*means.items()] == [*zip(names, result.summary.to_numpy().ravel(), strict=True)]
    assert {type(mean) for mean in means.values()} == {float}


def test_intervals_say_over_how_many_users_they_are():
    result = evaluated(["MRR", "AUC", "PC"], recs=BOTH)
    assert result.interval()["users"].tolist() == [4, 4, 2, 1, 4, 4]


def test_systems_with_the_same_name_as_text_have_no_flat_names():
    with pytest.raises(InputError, match="systems must hold each name as text once"):
        evaluated("MRR", recs={1: RECS, "1": RECS}).to_dict()


# The paragraph for a paper, in LaTeX -----------------------------------------------------------


@pytest.mark.parametrize(
    ("result", "parts"),
    [
        pytest.param(
            evaluated(["nDCG@5", "nov_u@10"], recs=OPPOSITE, history=RECS[["user", "item"]]),
            [
                r"nov\_u@10 (user novelty), computed with receval",
                rf"receval {receval.__version__}~\cite{{receval2026}} under its convention",
                r"The discount is shifted\_log2 (1 / log2(1 + i) at rank i; \cite{burges2005}).",
                r"nDCG~\cite{jarvelin2002}",
            ],
            id="evaluation",
        ),
        pytest.param(
            evaluated("nDCG@5", recs=OPPOSITE).compare(),
            [r"Student's~\cite{student1908}, at 95\%, not", "receval2026"],
            id="comparison",
        ),
    ],
)
def test_methods_for_latex_escape_every_sign_and_cite_every_entry(result, parts):
    text = result.methods(latex=True)
    assert [part for part in parts if part not in text] == []
    without_citations = re.sub(r"\\cite\{\w+\}", "", text)
    assert re.findall(r"(?<!\\)[%_&#$^]", without_citations) == []
    assert "@" not in re.sub(r"@\d", "", without_citations)  # no key is left
    cited = re.findall(r"\\cite\{(\w+)\}", text)
    entries = re.findall(r"^@\w+\{(\w+),", result.methods(bibtex=True), re.MULTILINE)
    assert list(dict.fromkeys(cited)) == entries
    with pytest.raises(InputError, match="latex must be left out with bibtex=True"):
        result.methods(latex=True, bibtex=True)


# One user's number -----------------------------------------------------------------------------


def test_an_explanation_shows_the_end_of_long_ids():
    users = [f"{'u' * 60}{number}" for number in (1, 2)]
    result = evaluate({user: ["x"] for user in users}, {user: {"x"} for user in users}, "MRR")
    assert f"MRR of user '{users[1]}' = 1" in repr(result.explain(users[1], "MRR"))


def test_an_explanation_names_the_system_and_has_the_users_own_formula():
    found = evaluate(BOTH, TRUTH, ["MRR", "PC", "F1@2"]).explain("a", "MRR", system="B")
    assert repr(found).startswith("MRR of user 'a' under 'B' = 0.5 (")
    assert "under &#x27;B&#x27;" in found._repr_mimebundle_()["text/html"]
    assert found.formula in unescape(found._repr_mimebundle_()["text/html"])
    assert "|U|" not in found.formula
    assert measure("MRR").mean_formula == rf"\frac{{1}}{{|U|}} \sum_u {found.formula}"
    assert measure("CC").mean_formula == measure("CC").spec.formula


@pytest.mark.parametrize("name", ["receval", "relison", "lenskit"])
def test_f1_is_explained_by_precision_and_recall(name):
    result = evaluate(RECS, TRUTH, ["F1@5", "Precision@5", "Recall@5"], convention=name)
    table = result.explain("b", "F1@5").table
    for column, whole in (("precision", "Precision@5"), ("recall", "Recall@5"), ("F1", "F1@5")):
        assert_allclose(table[column].iloc[-1], result.per_user.loc["b", whole], rtol=1e-15)
    assert table["item"].tolist() == ["q", "r"]


# Refusals, and files ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        pytest.param(
            lambda r: r.explain([1], "MRR", system="A"), r"user must be a judged user.*got \[1\]"
        ),
        pytest.param(
            lambda r: r.explain({}, "MRR", system="A"), r"user must be a judged user.*got \{\}"
        ),
        pytest.param(lambda r: r.table(digits=-1), "digits must be a whole number.*got -1"),
        pytest.param(lambda r: r.table(digits=2.5), "digits must be a whole number.*got 2.5"),
        pytest.param(lambda r: r.table(digits=True), "digits must be a whole number.*got True"),
        pytest.param(lambda r: r.to_latex("2"), "digits must be a whole number.*got '2'"),
        pytest.param(lambda r: r.compare().table(-1), "digits must be a whole number.*got -1"),
        pytest.param(lambda r: r.compare().to_frame(-1), "digits must be a whole number.*got -1"),
        pytest.param(lambda r: r.compare().to_latex(None), "digits must be .*got None"),
        pytest.param(lambda _: evaluate(RECS, TRUTH, None), "measures must be names.*got None"),
        pytest.param(lambda _: evaluate(RECS, TRUTH, 5), "measures must be names.*got 5"),
        pytest.param(lambda _: evaluate(RECS, TRUTH, [5]), "measures must be known names.*got 5"),
        pytest.param(
            lambda r: r.save("mine.xlsx"),
            r"^path must end in .csv, .tsv, .parquet or .json; got mine.xlsx$",
        ),
    ],
)
def test_refuses(call, message):
    result = evaluate({"A": RECS, "B": RECS.assign(score=-RECS["score"])}, TRUTH, "MRR")
    with pytest.raises(InputError, match=message):
        call(result)


def test_latex_prints_every_character():
    given = r"a_b%c&d#e$f{g}h~i^j\k<l>m|n" + "\no"
    shown = (
        r"a\_b\%c\&d\#e\$f\{g\}h\textasciitilde{}i\textasciicircum{}j\textbackslash{}k"
        r"\textless{}l\textgreater{}m\textbar{}n o"
    )
    assert for_latex(given) == shown


def test_json_is_valid_where_values_are_missing(tmp_path):
    evaluated(["AUC", "MRR"]).save(tmp_path / "values.json")
    text = (tmp_path / "values.json").read_text(encoding="utf-8")
    assert "NaN" not in text
    assert [row["AUC"] for row in json.loads(text)] == [0.0, 1.0, None, None]


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(np.nan, "unexplained"), (np.inf, "unexplained"), ("x", "unexplained"), (6, "erratum")],
)
def test_json_of_a_check_is_valid_whatever_was_computed(value, verdict):
    check = published.check("001/cg_terms", [9, 9, value, 4])
    contents, metadata = check._repr_mimebundle_()
    text = json.dumps([contents, metadata, contents["application/vnd.receval.check+json"]])
    assert not re.search(r"\b(NaN|Infinity)\b", text)
    assert check.verdict == verdict


# In and out ------------------------------------------------------------------------------------


@pytest.mark.parametrize("saved", [False, True], ids=["in memory", "of a file"])
def test_a_result_comes_back_from_a_pickle(tmp_path, saved):
    own = Measure("mine", terms=Terms(np.sqrt, np.reciprocal), divisor="ideal", source="here")
    names = ["nDCG@2", "ERR", "CC@2", "nov_u@2", own]
    more = {"items": pd.DataFrame(index=list("pqr")), "history": TRUTH, "convention": "ranksys"}
    result = evaluate(BOTH, TRUTH, names, **more)
    if saved:
        result.save(tmp_path / "mine.receval")
        result = load(tmp_path / "mine.receval")
    again = pickle.loads(pickle.dumps(result))
    pd.testing.assert_frame_equal(again.per_user, result.per_user, check_exact=True)
    assert repr(again.compare(measures="mine")) == repr(result.compare(measures="mine"))
    assert again.methods() == result.methods()


def test_an_explanation_is_the_same_after_a_pickle():
    result = evaluated("MRR")
    again = pickle.loads(pickle.dumps(result))
    assert repr(again.explain("a", "MRR")) == repr(result.explain("a", "MRR"))


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(evaluated(["MRR", "AUC"], recs={**BOTH, "B": RECS.iloc[:1]}), id="values"),
        pytest.param(evaluated(["AUC", "MRR"], recs=BOTH), id="measures"),
        pytest.param(evaluated(["MRR", "AUC"], recs=BOTH, ties="input"), id="convention"),
        pytest.param(
            evaluated(["MRR", "AUC"], recs={**BOTH, "A": RECS.iloc[:4]}), id="users ignored"
        ),
        pytest.param(
            evaluated(["MRR", "AUC"], recs={"A": RECS, "C": RECS.iloc[:2]}), id="names of systems"
        ),
        "MRR",
    ],
)
def test_results_are_equal_if_all_of_them_is(other):
    assert (evaluated(["MRR", "AUC"], recs=BOTH) == other) is False


def test_a_file_keeps_the_version_that_computed_it(tmp_path):
    result = evaluated("MRR")
    old = Evaluation(replace(result._options, version="0.1.7"), result._systems)
    old.save(tmp_path / "mine.receval")
    loaded = load(tmp_path / "mine.receval")
    assert "computed with receval 0.1.7 " in loaded.methods()
    assert loaded == old != result
