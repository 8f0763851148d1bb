"""The package as users get it, from the wheel and the package registry: ``make release``."""

import os
import re
import signal
import subprocess
import sys
import venv
from contextlib import suppress
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

ROOT = Path(__file__).parents[1]
ALONE = {
    name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RECEVAL_DATA")
}


def run(*command, cwd=ROOT):
    subprocess.run([str(part) for part in command], cwd=cwd, env=ALONE, check=True)


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    """A folder with the wheel, which is built from the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder)
    (sdist,) = folder.glob("*.tar.gz")
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", folder, sdist)
    return folder


@pytest.fixture(scope="module")
def install(dist, tmp_path_factory):
    """Installs a requirement into an empty environment, as the README has it."""

    def into_empty(requirement):
        bin = tmp_path_factory.mktemp("env") / "bin"
        venv.create(bin.parent, with_pip=True)
        run(bin / "python", "-m", "pip", "install", "--quiet", "--find-links", dist, requirement)
        return bin / "receval"

    return into_empty


@pytest.fixture(scope="module")
def with_notebooks(install):
    return install("receval[notebooks]")


def test_the_bare_wheel_evaluates(install, tmp_path):
    (tmp_path / "mine.csv").write_text("user,item,score\n1,a,0.9\n1,b,0.1\n", encoding="utf-8")
    (tmp_path / "truth.csv").write_text("user,item,relevance\n1,b,1\n", encoding="utf-8")
    receval = install("receval")
    command = [receval, "evaluate", "mine.csv", "truth.csv", "--format", "csv"]
    means = subprocess.run(command, cwd=tmp_path, env=ALONE, check=True, stdout=subprocess.PIPE)
    assert means.stdout.decode().splitlines()[1].split(",")[3] == "0.5"  # MRR@10


def test_reproduce_ends_well(with_notebooks, tmp_path):
    run(with_notebooks, "reproduce", "--quiet", cwd=tmp_path)
    assert (tmp_path / "build" / "notebooks" / "ledger.ipynb").is_file()


@pytest.mark.usefixtures("ctrl_c_interrupts")
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT], ids=lambda end: end.name)
def test_lab_ends_with_its_server(with_notebooks, tmp_path, end):
    lab = subprocess.Popen(
        [with_notebooks, "lab", "mine", "--no-browser", "--allow-root"],
        cwd=tmp_path,
        env=ALONE,
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with lab:
        try:
            told = (re.search(r"http://127\S+", line) for line in lab.stderr)
            address = next(found[0] for found in told if found)
            page = ""
            while not page and lab.poll() is None:  # the address comes before the listening
                with suppress(URLError), urlopen(address) as answer:
                    page = answer.url
            assert "00_start_here.ipynb" in page
            with urlopen(address.replace("/lab/tree/", "/files/")) as notebook:
                assert b"cells" in notebook.read()  # it is where it is said to be
            lab.send_signal(end)
            lab.stderr.read()  # until every process that may write there has ended
            assert lab.wait() == 0
        finally:
            lab.kill()  # a server is left by no failure
