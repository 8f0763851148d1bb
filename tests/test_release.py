"""The files of a release agree: addresses, dependencies, licence and keywords."""

import re
import tomllib
from pathlib import Path

import amount
import pytest
import yaml
from hypothesis import settings

import receval

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
DESCRIBING = ["CITATION.cff", "pyproject.toml"]


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


def test_the_citation_says_what_the_project_says():
    assert CITATION["keywords"] == PROJECT["keywords"]
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["authors"] == PROJECT["authors"]


def test_the_profile_of_a_release_has_the_many_cases():
    before = settings.get_current_profile_name()
    settings.load_profile("long")
    try:
        assert amount.of(few=1, many=2) == 2
    finally:
        settings.load_profile(before)
