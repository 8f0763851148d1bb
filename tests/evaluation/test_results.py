"""Texts of a result: notes, counts of users, methods, LaTeX, explanations, folds."""

import json
import pickle
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import receval
from receval import EvaluationWarning, InputError, Measure, Terms, evaluate, load
from receval import ledger as published
from receval._escape import for_latex
from receval.definitions import convention, measure, measures
from receval.evaluation import Evaluation, pooled
from receval.evaluation.report import ComparisonTable

RECS = pd.DataFrame(
    {"user": list("aabbx"), "item": list("pqqrp"), "score": [2.0, 1.0, 2.0, 1.0, 1.0]}
)
TRUTH = pd.DataFrame({"user": list("abcd"), "item": list("qqpp"), "relevance": [1, 1, 1, 0]})
BOTH = {"A": RECS, "B": RECS.iloc[:2]}


# Users behind the means ------------------------------------------------------------------------


def test_every_mean_says_over_how_many_users_it_is():
    result = evaluate(BOTH, TRUTH, ["MRR", "AUC", "PC"])
    n_users = result.per_user.groupby(level="system").count()
    assert n_users.to_dict("list") == {"MRR": [4, 4], "AUC": [2, 1], "PC": [4, 4]}
    assert result.interval()["users"].tolist() == [4, 4, 2, 1, 4, 4]
    line = "means over fewer users than judged: AUC 2 of 4 (A), 1 of 4 (B)"
    for text in (repr(result), result.table()._repr_html_(), result.to_latex()):
        assert line in text
    assert f"{line[0].upper()}{line[1:]}." in result.methods()


def test_measures_that_lack_the_same_users_are_named_together():
    result = evaluate(RECS, TRUTH, ["MRR", "MAP", "AUC", "PC"], users="both")
    assert "means over fewer users than judged: MRR, MAP, AUC 2 of 4\n" in repr(result)
    assert "fewer" not in repr(evaluate(RECS, TRUTH, ["MRR", "PC"]))


def test_measures_of_all_users_together_are_no_means():
    items = pd.DataFrame(index=list("pqr"))
    result = evaluate(RECS, TRUTH, ["CC", "MRR"], items=items)
    assert result.interval().index.tolist() == [("MRR", "")]
    assert "fewer" not in repr(result)


def test_the_comparison_table_says_it_too():
    users = [f"u{n}" for n in range(12)]
    rows = [(user, item, s) for user in users for item, s in (("p", 2.0), ("q", 1.0))]
    recs = pd.DataFrame(rows, columns=["user", "item", "score"])
    other = recs.assign(score=-recs["score"])
    truth = pd.DataFrame({"user": users, "item": ["p"] * 6 + ["z"] * 6, "relevance": 1})
    table = evaluate({"A": recs, "B": other}, truth, "AUC").compare().table()
    assert "means over fewer users than judged: AUC 6 of 12" in repr(table)


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


def test_ranks_given_as_ranks_and_lists_of_one_are_not_noted():
    ranked = RECS.assign(rank=[1, 2, 1, 2, 1])
    assert "rank=" not in repr(evaluate(ranked, TRUTH, "MRR", rank="rank"))
    single = RECS.iloc[[0, 2]].assign(score=1)
    assert "rank=" not in repr(evaluate(single, TRUTH, "MRR"))


def test_items_of_another_numbering_are_noted():
    strange = RECS.assign(item=["11", "12", "12", "13", "11"])
    note = "no recommended item is in relevance: do both tables number the items in the same"
    with pytest.warns(EvaluationWarning, match=note) as told:
        result = evaluate(strange, TRUTH, "MRR")
    assert told[0].filename == __file__
    assert note in repr(result)
    assert f"N{note[1:]}" in result.methods()  # as a sentence
    assert "in relevance" not in repr(evaluate(strange.assign(item=list("wxyzq")), TRUTH, "MRR"))
    with pytest.warns(EvaluationWarning, match=r"^no recommended item of 'B' is[^;]*$"):
        both = evaluate({"A": RECS, "B": strange}, TRUTH, "MRR")
    assert "no recommended item of 'B' is in relevance" in repr(both)


def test_an_explanation_says_that_there_is_no_list():
    result = evaluate(RECS, TRUTH, "nDCG@2")
    assert "list: 'c' has no recommendations" in result.explain("c", "nDCG@2").notes()
    choices = result.explain("a", "nDCG@2").choices
    assert "list" not in choices
    assert choices["discount"] == "shifted_log2"


# The paragraph for a paper ---------------------------------------------------------------------


def test_methods_read_as_a_paragraph():
    text = evaluate(RECS, TRUTH, ["nDCG@5", "nDCG@10", "HR@1", "AUC"]).methods()
    for part in (
        "nDCG@5, nDCG@10 (normalised discounted cumulative gain), HR@1 (hit rate), AUC (area",
        "We report",
        ", computed with receval",
        "Lists are sorted by score, highest first; equal scores by item id ascending",
        "Means are over judged users: 4 judged, 2 answered, 1 without truth, 1 ignored.",
        "The discount is shifted_log2 (1 / log2(1 + i) at rank i; Burges et al., 2005).",
        "Definitions: nDCG (Järvelin and Kekäläinen, 2002); HR (Deshpande and Karypis, 2004); AUC",
    ):
        assert part in text
    assert "document 0" not in text
    assert ". ." not in text
    text = evaluate(RECS, TRUTH, "HR").methods()
    assert text.startswith("We report HR (hit rate), computed with")


def texts_for_latex():
    """Return the results of every kind that have a methods text with a %, a _ or a user's name."""
    systems = {"A_1 & 100%": RECS, "B #2": RECS.assign(score=-RECS["score"])}
    result = evaluate(systems, TRUTH, ["nDCG@5", "nov_u@10"], history=RECS[["user", "item"]])
    return {
        "evaluation": result,
        "comparison": result.compare(),
    }


@pytest.mark.parametrize("kind", ["evaluation", "comparison"])
def test_methods_for_latex_escape_every_sign_and_cite_every_entry(kind):
    result = texts_for_latex()[kind]
    text = result.methods(latex=True)
    without_citations = re.sub(r"\\cite\{\w+\}", "", text)
    assert re.findall(r"(?<!\\)[%_&#$^]", without_citations) == []
    cited = re.findall(r"\\cite\{(\w+)\}", text)
    entries = re.findall(r"^@\w+\{(\w+),", result.methods(bibtex=True), re.MULTILINE)
    assert list(dict.fromkeys(cited)) == entries
    assert "receval2026" in entries
    assert "@" not in re.sub(r"@\d", "", without_citations)  # no key is left
    with pytest.raises(InputError, match="latex must be left out with bibtex=True"):
        result.methods(latex=True, bibtex=True)


def test_methods_for_latex_say_the_same_as_methods():
    result = texts_for_latex()["evaluation"]
    text = result.methods(latex=True)
    for part in (
        r"nov\_u@10 (user novelty), computed with receval",
        rf"receval {receval.__version__}~\cite{{receval2026}} under its convention 'receval'",
        r"The discount is shifted\_log2 (1 / log2(1 + i) at rank i; \cite{burges2005}).",
        r"nDCG~\cite{jarvelin2002}",
    ):
        assert part in text
    assert r"95\%, Student's~\cite{student1908}" in texts_for_latex()["comparison"].methods(
        latex=True
    )


def test_methods_and_explanations_name_no_tie_rule_where_ranks_are_given():
    result = evaluate(RECS.assign(rank=[1, 2, 1, 2, 1]), TRUTH, "MRR", rank="rank")
    assert "Lists are in the order of the ranks given." in result.methods()
    assert "equal scores" not in result.methods()
    assert result.explain("a", "MRR").choices["ties"] == "none, ranks were given"
    assert "equal scores" in evaluate(RECS, TRUTH, "MRR").methods()


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (
            {"ties": "average"},
            "highest first; values are means over all orders of equal scores (McSherry",
        ),
        ({"convention": "ranksys"}, "An item is relevant if it has a grade of 0.5 or more."),
        ({"convention": "relison"}, "Sanz-Cruzado and Castells, 2022). An item is relevant"),
        ({"convention": "relison"}, "divides by the number of items retrieved, at most k."),
        ({"users": "both"}, "Means are over judged users with an answer:"),
    ],
)
def test_methods_follow_the_options(options, part):
    assert part in evaluate(RECS, TRUTH, ["nDCG", "P@5"], **options).methods()


# One user's number -----------------------------------------------------------------------------


def test_an_explanation_names_the_system_and_has_the_users_own_formula():
    found = evaluate(BOTH, TRUTH, ["MRR", "PC", "F1@2"]).explain("a", "MRR", system="B")
    assert repr(found).startswith("MRR of user 'a' under 'B' = 0.5 (")
    assert "under &#x27;B&#x27;" in found._repr_mimebundle_()["text/html"]
    assert found.formula in unescape(found._repr_mimebundle_()["text/html"])
    assert "|U|" not in found.formula
    assert measure("MRR").mean_formula == rf"\frac{{1}}{{|U|}} \sum_u {found.formula}"
    assert measures().loc["MRR", "formula"] == measure("MRR").mean_formula
    assert measure("CC").mean_formula == measure("CC").formula
    assert "under" not in repr(evaluate(RECS, TRUTH, "MRR").explain("a", "MRR"))


@pytest.mark.parametrize("name", ["receval", "relison", "lenskit"])
def test_f1_is_explained_by_precision_and_recall(name):
    result = evaluate(RECS, TRUTH, ["F1@5", "Precision@5", "Recall@5"], convention=name)
    table = result.explain("b", "F1@5").table
    for column, whole in (("precision", "Precision@5"), ("recall", "Recall@5"), ("F1", "F1@5")):
        assert_allclose(table[column].iloc[-1], result.per_user.loc["b", whole], rtol=1e-15)
    assert table["item"].tolist() == ["q", "r"]
    without_answer = result.explain("c", "F1@5").table  # one line, which ends in the value
    assert without_answer["item"].isna().tolist() == [True]
    assert_array_equal(without_answer["F1"], [result.per_user.loc["c", "F1@5"]])


# Folds -----------------------------------------------------------------------------------------


def test_folds_under_one_convention_of_ones_own_are_alike():
    mine = replace(convention("ranx"), name="mine", threshold=1)
    folds = {n: evaluate(RECS, TRUTH, "MRR", convention=mine) for n in range(2)}
    assert len(pooled(folds).by_fold) == 2


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
    latex = evaluate({given: RECS, "B": RECS}, TRUTH, ["MRR", "AUC"]).to_latex()
    assert shown in latex
    # a line break in a name must not end the comment that it stands in
    before = latex.partition(r"\begin{tabular}")[0]
    assert all(line.startswith("%") for line in before.splitlines())


def test_json_is_valid_where_values_are_missing(tmp_path):
    def refuse(constant):
        raise AssertionError(constant)

    path = tmp_path / "values.json"
    evaluate(RECS, TRUTH, ["AUC", "MRR"]).save(path)
    rows = json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)
    assert [row["AUC"] for row in rows] == [0.0, 1.0, None, None]
    for value in (np.nan, np.inf, "x", [1]):
        found = published.check("001/cg_terms", [9, 9, value, 4] if value != [1] else [9, 9, 6, 4])
        contents, metadata = found._repr_mimebundle_()
        json.loads(json.dumps([contents, metadata]), parse_constant=refuse)
        record = contents["application/vnd.receval.check+json"]
        json.loads(record, parse_constant=refuse)
        assert found.verdict == ("erratum" if value == [1] else "unexplained")


# Many systems ----------------------------------------------------------------------------------


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
    if not saved:
        assert repr(again.explain("a", "mine", system="A")) == repr(
            result.explain("a", "mine", system="A")
        )


def test_results_are_equal_if_all_of_them_is(tmp_path):
    result = evaluate(BOTH, TRUTH, ["MRR", "AUC"])
    result.save(tmp_path / "mine.receval")
    loaded = load(tmp_path / "mine.receval")
    assert result == loaded
    others = {
        "values": evaluate({**BOTH, "B": RECS.iloc[:1]}, TRUTH, ["MRR", "AUC"]),
        "measures": evaluate(BOTH, TRUTH, ["AUC", "MRR"]),
        "convention": evaluate(BOTH, TRUTH, ["MRR", "AUC"], ties="input"),
        "users ignored": evaluate({**BOTH, "A": RECS.iloc[:4]}, TRUTH, ["MRR", "AUC"]),
        "names": evaluate({"A": RECS, "C": RECS.iloc[:2]}, TRUTH, ["MRR", "AUC"]),
    }
    assert [name for name, other in others.items() if (result == other) is not False] == []
    assert (result == "MRR") is False


def test_a_file_keeps_the_version_that_computed_it(tmp_path):
    path = tmp_path / "mine.receval"
    result = evaluate(RECS, TRUTH, "MRR")
    old = Evaluation(replace(result._options, version="0.1.7"), result._systems)
    old.save(path)
    assert "computed with receval 0.1.7 " in load(path).methods()
    assert old != result
