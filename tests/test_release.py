"""The files of a release agree: addresses, dependencies, licence and keywords."""

import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

import receval

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
CODEMETA = json.loads((ROOT / "codemeta.json").read_text(encoding="utf-8"))
RECIPE = yaml.safe_load((ROOT / "recipe" / "recipe.yaml").read_text(encoding="utf-8"))
DESCRIBING = ["CITATION.cff", "codemeta.json", "pyproject.toml", "recipe/recipe.yaml"]


def without_spaces(requirements):
    return {re.sub(r"\s", "", requirement).lower() for requirement in requirements}


@pytest.mark.parametrize("name", DESCRIBING)
def test_every_file_has_the_same_addresses(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    repositories = set(re.findall(r"https://github\.com/[\w.-]+/[\w.-]+", text))
    sites = set(re.findall(r"https://[\w-]+\.readthedocs\.io", text))
    raw_files = re.findall(r"https://raw\.githubusercontent\.com/([\w.-]+/[\w.-]+)", text)
    repositories |= {f"https://github.com/{repository}" for repository in raw_files}
    assert repositories == {PROJECT["urls"]["Source"]}
    assert sites == {PROJECT["urls"]["Documentation"]}


@pytest.mark.parametrize("name", [*DESCRIBING, "Makefile", "docs/conf.py"])
def test_only_one_file_states_the_version(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert not re.search(rf"(?<![\d.=]){re.escape(receval.__version__)}(?![\d.])", text)


def test_the_changelog_begins_with_the_version():
    first = re.search(r"^## (\S+) \(", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    assert first[1] == receval.__version__.partition(".dev")[0]


def test_the_recipe_needs_what_the_package_needs():
    python = f"python{PROJECT['requires-python']}"
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]
    run, host = (without_spaces(RECIPE["requirements"][part]) for part in ("run", "host"))
    assert run == without_spaces([*PROJECT["dependencies"], python])
    assert host == without_spaces([*build["requires"], python, "pip"])
    command, function = next(iter(PROJECT["scripts"].items()))
    assert RECIPE["build"]["python"]["entry_points"] == [f"{command} = {function}"]


def test_citation_and_codemeta_say_what_the_project_says():
    assert CITATION["keywords"] == CODEMETA["keywords"] == PROJECT["keywords"]
    assert CITATION["license"] == RECIPE["about"]["license"] == PROJECT["license"]
    assert CODEMETA["license"] == f"https://spdx.org/licenses/{PROJECT['license']}"
    assert CODEMETA["description"] == RECIPE["about"]["summary"] == PROJECT["description"]
    assert CODEMETA["softwareRequirements"] == PROJECT["dependencies"]
    assert CITATION["authors"] == PROJECT["authors"]
    assert [author["name"] for author in CODEMETA["author"]] == ["The receval developers"]


def test_the_paper_cites_entries_of_the_packages_bibliography():
    def entries(path):
        text = (ROOT / path).read_text(encoding="utf-8")
        return dict(re.findall(r"^@\w+\{(\w+),(.*?)^\}", text, re.M | re.S))

    cited, all_entries = entries("paper/paper.bib"), entries("receval/references.bib")
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert set(re.findall(r"@([a-z]+\d{4})", text)) == set(cited)
    assert cited == {key: all_entries[key] for key in cited}


def test_the_paper_states_the_range_and_number_of_the_figures_values():
    candidates = receval.which(0.9, [3, 2, 3, 0, 0, 1, 2, 2, 3, 0], measure="nDCG@10")
    values = candidates.loc[candidates["changes"] == "", "value"]
    text = (ROOT / "paper" / "paper.md").read_text(encoding="utf-8")
    assert f"between {values.min():.2f} and {values.max():.2f}" in text
    assert len(values) == 14
    assert "fourteen tools and texts" in text
