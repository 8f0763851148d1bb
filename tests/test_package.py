"""The contents of the source distribution, and of the wheel that is built from it."""

import re
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path, PurePosixPath

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import receval

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    """The source distribution, unpacked."""
    folder = tmp_path_factory.mktemp("sdist")
    with tarfile.open(next(SdistBuilder(str(ROOT)).build(directory=str(folder)))) as file:
        file.extractall(folder, filter="data")
    return folder / f"receval-{receval.__version__}"


@pytest.fixture(scope="module")
def wheel(sdist, tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(next(WheelBuilder(str(sdist)).build(directory=str(folder)))) as file:
        yield file


def files(*patterns):
    """Return the files of the checkout, without those that tools leave there."""
    found = {path.relative_to(ROOT) for pattern in patterns for path in ROOT.glob(pattern)}
    return {p for p in found if (ROOT / p).is_file() and not {"__pycache__"} & {*p.parts}}


def test_the_sdist_holds_all_that_is_built_tested_and_documented(sdist):
    wanted = files("receval/**/*", "data/**/*", "notebooks/**/*.ipynb", "tests/**/*.py")
    wanted |= files("docs/*.*", "docs/_*/**/*", "benchmarks/**/*.py", "*.md", "*.py")
    wanted |= files("pyproject.toml", "constraints.txt", "Makefile", "LICENSE", "CITATION.cff")
    assert len(wanted) > 250
    assert [path for path in sorted(wanted) if not (sdist / path).is_file()] == []
    assert not [path for path in sdist.rglob("*") if path.is_symlink()]


def test_the_wheel_holds_the_package_notebooks_figures_and_licence(wheel):
    shipped = {"data/published": "published", "notebooks": "notebooks"}
    wanted = {path.as_posix() for path in files("receval/**/*")} | {
        str(PurePosixPath("receval/share", name, path.relative_to(folder).as_posix()))
        for folder, name in shipped.items()
        for path in files(*(f"{folder}/**/*.{kind}" for kind in ("ipynb", "md", "toml", "csv")))
    }
    about = f"receval-{receval.__version__}.dist-info"
    wanted |= {f"{about}/{name}" for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt")}
    assert {*wheel.namelist()} == wanted | {f"{about}/licenses/LICENSE"}


def test_the_page_of_an_index_has_no_links_to_files_beside_it(wheel):
    (name,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
    about = message_from_bytes(wheel.read(name))
    assert about["Version"] == receval.__version__
    text = about.get_payload()
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert [target for target in targets if not target.startswith("https://")] == []
    pictures = [target for target in targets if "raw.githubusercontent.com" in target]
    assert len(pictures) == 4
    assert all(f"/v{receval.__version__}/docs/_static/" in picture for picture in pictures)
    # The text of a link stays where its target is a file of the repository.
    assert "CITATION.cff says how to cite receval" in text
