"""The page for users of other tools prints the values that the tools return."""

import json
import re
from doctest import DocTestParser
from pathlib import Path

import pandas as pd
import pytest

from receval.definitions.convention import CONVENTIONS

PAGE = (Path(__file__).parents[2] / "docs/coming_from.md").read_text(encoding="utf-8")
RECORDS = Path(__file__).parents[1] / "recorded"
RECORDED = {
    tool: json.loads((RECORDS / f"page_{tool}.json").read_text(encoding="utf-8"))
    for tool in ("rectools", "recommenders", "pyterrier")
}


def section(tool):
    """Return the part of the page about a tool."""
    (text,) = re.findall(rf"^## {tool}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S | re.I)
    return text


def names_of(text, names=()):
    """Run the definitions in a text; the examples that need a tool are left out."""
    names = dict(names)
    for example in DocTestParser().get_examples(text):
        if re.match(r"(import pandas|from receval|def |\w+ = (\{|frame\())", example.source):
            exec(example.source, names)
    return names


@pytest.mark.parametrize("package", ["RecTools", "recommenders", "pyterrier"])
def test_the_page_prints_what_the_tool_returned_and_names_its_version(package):
    """The doctests of the page say that receval's values are the same."""
    record = RECORDED[package.lower()]
    prose = section(package)
    assert all(f"{value:.4f}".rstrip("0") in prose for value in record["values"].values())
    version = re.escape(record["versions"][package])
    assert re.search(rf"{package} {version}\b", prose, re.IGNORECASE)


def test_the_tools_were_run_on_the_tables_of_the_page():
    names = names_of(PAGE.partition("\n## ")[0])
    for record in RECORDED.values():
        assert (record["run"], record["qrels"]) == (names["run"], names["qrels"])


@pytest.mark.parametrize("tool", [*RECORDED, "lenskit"])
def test_the_frames_of_a_section_hold_the_tables_of_the_page(tool):
    page = names_of(PAGE.partition("\n## ")[0])
    names = names_of(section(tool), page)
    frames = [names[name] for name in names.keys() - page.keys()]
    tables = [value for value in frames if isinstance(value, pd.DataFrame)]
    assert len(tables) == 2
    for table in tables:
        users, items, *_ = (table[name] for name in table)
        # The numbers of the page, whatever the column is called; some tables have none.
        numbers = [
            table[name] for name in table if name in ("score", "label", "prediction", "rating")
        ]
        columns = [users, items, *numbers]
        rows = list(zip(*columns, strict=True))
        assert rows in [
            [(user, *row[: len(columns) - 1]) for user in known for row in known[user].items()]
            for known in (page["run"], page["qrels"])
        ]


def test_each_section_links_to_a_convention():
    tools = re.findall(r"^## (.+)$", PAGE, re.M)
    assert len(tools) == 8
    for tool in tools:
        assert any(f"conventions/{name}>" in section(tool) for name in CONVENTIONS), tool
