"""The test vectors: written by their generator, right for receval, and compared with tools."""

import json
import math
import re
import runpy
from collections import Counter, defaultdict
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from differential import peers
from vectors import tools

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs/test_vectors.md"
VECTORS = tools.read_vectors()
NOT_EXPRESSIBLE = "not expressible"


def own_vectors(tool):
    return [vector for vector in VECTORS if vector["convention"] == tool]


def test_the_files_are_what_the_generator_writes(tmp_path):
    runpy.run_path(str(ROOT / "data/vectors/make.py"))["write"](tmp_path)
    paths = sorted((ROOT / "data/vectors").glob("*.csv"))
    assert [path.name for path in paths] == sorted(path.name for path in tmp_path.iterdir())
    for path in paths:
        assert path.read_bytes() == (tmp_path / path.name).read_bytes(), "run data/vectors/make.py"


def test_the_closed_forms_give_the_values():
    for vector in VECTORS:
        exact = vector["exact"]
        if vector["value"] in ("nan", "refused"):
            assert exact == vector["value"]
        else:
            assert re.fullmatch(r"(?:[\d+*/(). -]|log2\(\d+\))+", exact)
            value = eval(exact, {"log2": math.log2})
            assert math.isclose(value, float(vector["value"]), rel_tol=1e-15), vector["case"]


def test_cases_are_unique_and_each_convention_has_some():
    assert 200 <= len(VECTORS) <= 400
    assert max(Counter(vector["case"] for vector in VECTORS).values()) == 1
    inputs = ("ranked", "relevance", "measure", "k", "convention")
    assert len({tuple(vector[name] for name in inputs) for vector in VECTORS}) == len(VECTORS)
    from receval import conventions

    assert {vector["convention"] for vector in VECTORS} == {*conventions().index}


def test_receval_agrees_with_every_vector():
    """The runner is the one of the page."""
    (runner,) = re.findall(r"```python\n(.+?)```", PAGE.read_text(encoding="utf-8"), flags=re.S)
    names = {}
    exec(runner, names)
    assert [vector["case"] for vector in VECTORS if not names["passes"](vector)] == []
    assert f"hold {len(VECTORS)} small lists" in PAGE.read_text(encoding="utf-8")
    wrong = {**own_vectors("receval")[0], "value": "0.123"}
    assert not names["passes"](wrong)


# Other tools -----------------------------------------------------------------------------------


def recorded_answers():
    """Return what RecTools returned, which needs an environment of its own."""
    record = json.loads(tools.RECORD.read_text(encoding="utf-8"))["answers"]
    vectors = own_vectors("rectools")
    inputs = [{field: vector[field] for field in tools.FIELDS} for vector in vectors]
    recorded = [{field: answer[field] for field in tools.FIELDS} for answer in record]
    assert recorded == inputs, "record again: python tests/vectors/tools.py rectools"
    return [answer["answer"] for answer in record]


def cells(tool, answers):
    """Return the tool's column of the table in the page, by kind of case."""
    counts = defaultdict(Counter)
    for vector, answer in zip(own_vectors(tool), answers, strict=True):
        counts[vector["kind"]][verdict(vector["value"], str(answer))] += 1
    return {kind: cell(of_kind) for kind, of_kind in counts.items()}


def verdict(value, answer):
    """Return whether an answer agrees with a vector; "n.e." if the tool can't express it."""
    if answer == NOT_EXPRESSIBLE:
        return "n.e."
    is_number = not {value, answer} & {"nan", "refused"}
    agrees = abs(float(answer) - float(value)) < 1e-12 if is_number else answer == value
    return "yes" if agrees else "no"


def cell(counts):
    """Return the cell of the page for counts of verdicts, such as "3/4, 1 n.e."."""
    n_tried = counts["yes"] + counts["no"]
    tried = [f"{counts['yes']}/{n_tried}"] if n_tried else []
    left_out = [f"{counts['n.e.']} n.e."] if counts["n.e."] else []
    return ", ".join(tried + left_out)


def cells_of_page(tool):
    """Return the tool's column of the table in the page, without empty cells."""
    page = PAGE.read_text(encoding="utf-8")
    (table,) = re.findall(r"^\|[^\n]*ranx.*?(?=\n\n)", page, re.M | re.S)
    header, _, *rows = [
        [text.strip() for text in line.strip("|").split("|")] for line in table.splitlines()
    ]
    column = header.index(tool)
    return {row[0]: row[column] for row in rows if row[column]}


def tables_of(vector):
    """Return the list and the truth as frames, with a second user, and with texts as items."""
    tables = []
    for pairs, column in zip(tools.pairs_of(vector), ("score", "relevance"), strict=True):
        rows = [("user", str(item), number) for item, number in pairs] + [(tools.OTHER, "a", 1)]
        tables.append(pd.DataFrame(rows, columns=["user", "item", column]))
    run, truth = tables
    return run.astype({"score": float}), truth


def by_ranx(vector):
    family, level, k = tools.measure_of(vector)
    name = peers.COMPARISONS["ranx"].names[family]
    if k is not None:
        name += f"@{k}"
    if level > 1:
        name += f"-l{level}"
    # ranx returns no dict if it is asked for one measure only.
    return peers.by_ranx(tables_of(vector), {"value": name, "another": "hits"})


def by_pytrec_eval(vector):
    family, level, k = tools.measure_of(vector)
    name = peers.TREC_EVAL[family if k is None else f"{family}@1"]
    if k is not None:
        name = f"{name.removesuffix('1')}{k}"
    return peers.by_trec_eval(tables_of(vector), {"value": name}, relevance_level=level)


def by_ir_measures(vector):
    family, level, k = tools.measure_of(vector)
    name = peers.IR_MEASURES[family if k is None else f"{family}@1"].partition("@")[0]
    if level > 1:
        name += f"(rel={level})"
    if k is not None:
        name += f"@{k}"
    return peers.by_ir_measures(tables_of(vector), {"value": name})


def by_sklearn(vector):
    ranked, relevance = map(dict, tools.pairs_of(vector))
    tables = np.array([[*ranked.values()]]), np.array([[relevance.get(item, 0) for item in ranked]])
    family, _, k = tools.measure_of(vector)
    if family == "AUC":
        values = peers.sklearn_by_user(tables, {"value": "roc_auc_score"})
    else:
        name = peers.SKLEARN[family] if k is None else f"{peers.SKLEARN[family]}@{k}"
        values = peers.by_sklearn(tables, {"value": name})
    return values.set_axis(["user"])


TOOLS = {
    "ranx": by_ranx,
    "pytrec_eval": by_pytrec_eval,
    "ir_measures": by_ir_measures,
    "sklearn": by_sklearn,
}


def is_expressible(tool, vector):
    """Return whether a tool can be asked for the value of a vector."""
    ranked, relevance = tools.pairs_of(vector)
    has_repeated_items = any(len(dict(pairs)) < len(pairs) for pairs in (ranked, relevance))
    if tool == "sklearn":
        return not has_repeated_items and dict(relevance).keys() <= dict(ranked).keys()
    has_fractions = any(grade != int(grade) for _, grade in relevance)
    return not has_fractions and (tool == "ir_measures" or not has_repeated_items)


@pytest.mark.usefixtures("interpreted_ranx")
@pytest.mark.parametrize("tool", TOOLS)
def test_the_page_says_which_vectors_a_tool_passes(tool):
    def value(vector):
        if not is_expressible(tool, vector):
            return NOT_EXPRESSIBLE
        return TOOLS[tool](vector)["value"].get("user", tools.LEFT_OUT)

    answers = [tools.answer_of(value, vector) for vector in own_vectors(tool)]
    assert cells_of_page(tool) == cells(tool, answers)


def test_the_page_says_which_vectors_rectools_passes():
    assert cells_of_page("rectools") == cells("rectools", recorded_answers())


@pytest.mark.skipif(find_spec("rectools") is None, reason="RecTools isn't installed")
def test_rectools_returns_what_was_recorded():
    answers = [
        str(tools.answer_of(tools.by_rectools, vector)) for vector in own_vectors("rectools")
    ]
    assert answers == recorded_answers()
