"""The generated pages of the site: the atlas, the finder's data, the reference, the galleries."""

import json
import re
from pathlib import Path

import atlas
import finder
import gallery
import numpy as np
import pytest
import reference
from differential.peers import COMPARISONS, PUBLIC

from receval.definitions import measure
from receval.definitions.convention import CONVENTIONS
from receval.definitions.definition import MEASURES
from receval.metrics import exponential_gain, relison_gain

ROOT = Path(__file__).parents[2]


def test_every_measure_has_a_meaning_of_two_sentences_and_a_lesson():
    texts = atlas.TEXTS["measures"]
    keys = {a_measure.key for a_measure in MEASURES}
    assert texts.keys() == keys, "add each measure to docs/atlas.toml"
    for record in texts.values():
        assert len(re.findall(r"[.?](?= |$)", record["meaning"])) == 2, record["meaning"]
        assert (ROOT / f"notebooks/lessons/{record['lesson']}.ipynb").exists()


@pytest.mark.parametrize("key", [a_measure.key for a_measure in MEASURES])
def test_every_measure_has_a_page_whose_working_ends_in_its_value(key, tmp_path, monkeypatch):
    # The page of nDCG below has pictures and variants, which take long.
    monkeypatch.setattr(atlas, "save_picture", lambda *picture: "")
    monkeypatch.setattr(atlas, "variants", lambda *arguments: "")
    page = atlas.measure_page(measure(key), tmp_path)
    worked_list = page.partition("## A worked list")[2].partition("## ")[0]
    value = re.search(r"is \*\*([-\d.]+)\*\*:", worked_list)[1]
    rows = [line for line in worked_list.splitlines() if line.startswith("| ")]
    assert rows[-1].rstrip(" |").rpartition("| ")[2] == value


def test_every_convention_has_a_title_and_calls_for_the_measures_of_the_tool():
    assert atlas.TOOLS.keys() == CONVENTIONS.keys(), "add each convention to docs/atlas.toml"
    for name, record in atlas.TOOLS.items():
        if "names" in record:
            assert record["names"].keys() == set(CONVENTIONS[name].measures.split()), name


LIVE = {
    "ranx": "ranx",
    "pytrec_eval": "pytrec_eval",
    "trec_eval": "trec_eval -c",
    "ir_measures": "ir_measures",
    "sklearn": "scikit-learn, 2 items",
}


@pytest.mark.parametrize(("tool", "comparison"), LIVE.items())
def test_the_names_of_a_live_tool_are_those_of_the_comparison(tool, comparison):
    compared = COMPARISONS["scikit-learn, AUC"].names | COMPARISONS[comparison].names
    for key, name in atlas.TOOLS[tool]["names"].items():
        theirs = compared.get(f"{key}@3") or compared[key]
        ours = name.replace("{k}", "3").replace(".", "_")
        theirs = theirs.partition("@")[0] if tool == "sklearn" else theirs
        assert ours.partition("(")[0] == PUBLIC.get(theirs, theirs)


@pytest.mark.parametrize(
    ("file", "start", "tools"),
    [
        ("record.py", "def {tool}(", ["rectools", "replay", "lenskit"]),
        ("record_many.py", "def record_{tool}(", ["recommenders", "cornac", "recbole", "elliot"]),
    ],
)
def test_the_programs_that_recorded_values_call_the_names_of_a_tool(file, start, tools):
    program = (ROOT / "tests/recorded" / file).read_text(encoding="utf-8")
    for tool in tools:
        function = program.partition(start.format(tool=tool))[2].partition("\ndef ")[0]
        for key, name in atlas.TOOLS[tool]["names"].items():
            theirs = re.escape(name.partition("(")[0].rpartition(".")[2])
            call = rf'"{key}": [("]*([\w.]+\.)?{theirs}\b'
            assert re.search(call, function), (tool, key)


@pytest.mark.parametrize("name", CONVENTIONS)
def test_every_convention_has_a_page_that_says_how_it_was_verified(tmp_path, name):
    page = atlas.convention_page(name, tmp_path)
    assert ". The tests compare it " in page
    assert "coming_from" not in page  # the folder has no such page
    assert ("The second call" in page) == (name != "receval")


def test_the_page_of_ndcg_has_the_value_of_every_tool(tmp_path):
    page = atlas.measure_page(measure("nDCG"), tmp_path)
    # By hand: the grades 2 3 0 1, of which three more items of grades 3 2 1 are relevant, cut at 5.
    weights = 1 / np.log2([2, 3, 4, 5, 6])
    linear = ([2, 3, 0, 1] @ weights[:4]) / ([3, 3, 2, 2, 1] @ weights)
    binary = ([1, 1, 0, 1] @ weights[:4]) / weights.sum()
    for name, value in {"ranx": linear, "rectools": binary, "replay": binary}.items():
        assert re.search(rf"\| \[{name}\]\([^)]*\) \| \*\*{value:.4f}\*\* \|", page)
    assert '`ranx.evaluate(qrels, run, "ndcg@5", make_comparable=True)`' in page
    assert "ndcg_terms.svg" in page


def test_a_measure_of_all_users_has_a_working_too(tmp_path):
    page = atlas.measure_page(measure("CC"), tmp_path)
    assert "CC@5 of both lists together is **0.625**" in page  # a b c d e of the 8 items


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("lenskit", "[Coming from LensKit](../coming_from.md#lenskit)"),
        ("sklearn", "[Coming from scikit-learn](../coming_from.md#scikit-learn)"),
        ("pytrec_eval", "[Coming from trec_eval](../coming_from.md#trec_eval)"),
        ("lenskit", "| discount | **≠ clipped_log2** | shifted_log2 |"),
        ("lenskit", "| missing | **≠ judged users without recommendations are left out**"),
        ("elliot", "receval refuses MAP under this convention: Elliot's MAP is the mean of"),
    ],
)
def test_the_page_of_a_convention_has_links_differences_and_refusals(name, part):
    assert part in atlas.convention_page(name, ROOT / "docs")


def test_the_matrix_has_every_convention_and_choice():
    overview = atlas.conventions_overview()
    rows = [line.split(" | ") for line in overview.splitlines() if line.startswith("| ")]
    assert len(rows) == len(CONVENTIONS) + 2
    assert {len(cells) - 1 for cells in rows} == {len(CONVENTIONS["receval"].words())}
    assert "≠" not in "".join(rows[2])  # receval's own


# The finder -------------------------------------------------------------------------------------


def test_the_data_of_the_finder_are_complete():
    data = json.loads(json.dumps(finder.finder_data()))
    assert {"nDCG", "DCG", "MAP", "MRR", "Precision", "Recall"} <= data["measures"].keys()
    assert {len(weights) for weights in data["weights"].values()} == {200}
    for record in data["measures"].values():
        first, *others = record["candidates"]
        assert (first["convention"], first["steps"]) == ("receval", [])
        with_steps = [candidate for candidate in others if candidate["steps"]]
        assert all(each["steps"][-1]["rules"] == each["rules"] for each in with_steps)


def test_a_gain_becomes_its_coefficients():
    assert finder.describe_gain(exponential_gain) == {
        "power": 1, "slope": 0, "constant": -1, "from": 0,
    }  # fmt: skip
    assert finder.describe_gain(relison_gain(threshold=2))["from"] == 2
    with pytest.raises(ValueError, match="can't write the gain"):
        finder.describe_gain(np.sqrt)


# The reference and the galleries ----------------------------------------------------------------


def test_every_public_name_has_one_page():
    names = reference.public_names()
    assert {"receval.evaluate", "receval.which", "receval.plots.term_bars"} <= names.keys()
    functions = [id(value) for value in names.values() if callable(value)]
    assert len({*functions}) == len(functions)


def test_the_page_of_a_function_leads_to_its_measure_and_notebooks():
    value = reference.public_names()["receval.ndcg"]
    home = reference.home_of_page("receval.ndcg", value)
    assert home == "receval.metrics.ranking"
    code = {"notebooks/lessons/a": "ndcg(gains)", "b": "other.ndcg(gains)", "c": "my_ndcg(gains)"}
    page = reference.page_of_name("receval.ndcg", value, home, ["receval.ndcg"], code)
    assert "</measures/ndcg>" in page
    assert re.findall(r":doc:`/(?:notebooks/lessons/)?([abc])`", page) == ["a"]


def test_the_gallery_has_all_walks_and_lessons():
    rows = gallery.ROW.findall((ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8"))
    folders = (ROOT / "notebooks/walks", ROOT / "notebooks/lessons")
    stems = {path.stem for folder in folders for path in folder.glob("*.ipynb")}
    assert {name for name, _, _ in rows} == stems


def test_the_rows_of_the_ledger_lead_to_pages():
    cells = json.loads((ROOT / "notebooks/ledger.ipynb").read_text(encoding="utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    html = "".join(
        text for output in outputs for text in output.get("data", {}).get("text/html", [])
    )
    assert "walks/2_borda_and_satisfaction.ipynb#cell-id=" in html
    linked = gallery.link_to_pages(html)
    assert 'href="walks/2_borda_and_satisfaction.html#:~:text=001/' in linked
    assert "#cell-id=" not in linked
