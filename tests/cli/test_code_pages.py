"""The command line prints to terminals whose code page lacks letters, as on Windows."""

import os
import subprocess
import sys

import pytest

# One process runs all commands, because each start of Python takes a second.
COMMANDS = """
import sys
from receval.cli import main
for words in (
    ["conventions"],
    ["conventions", "--format", "markdown"],
    ["evaluate", "recs.csv", "truth.csv", "-m", "nDCG@2"],
    ["explain", "Zoë", "nDCG@2", "recs.csv", "truth.csv"],
    ["evaluate", "recs.csv", "truth.csv", "-m", "nDCG…"],
    ["evaluate", "łost.csv", "truth.csv"],
):
    status = main(words)
    sys.stdout.flush()
    print("status", status, file=sys.stderr, flush=True)
"""


@pytest.mark.parametrize(("code_page", "has_umlaut"), [("cp437", True), ("cp932", False)])
def test_commands_print_in_any_code_page(tmp_path, code_page, has_umlaut):
    recs = "user,item,score\nZoë,é,2\nZoë,日本,1\n"
    (tmp_path / "recs.csv").write_text(recs, encoding="utf-8")
    (tmp_path / "truth.csv").write_text("user,item,relevance\nZoë,日本,1\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS],
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": code_page, "PYTHONUTF8": "0"},
        capture_output=True,
        check=False,
    )
    printed, errors = done.stdout.decode(code_page), done.stderr.decode(code_page)
    assert done.returncode == 0, errors
    statuses = [line for line in errors.splitlines() if line.startswith("status")]
    assert statuses == [f"status {status}" for status in (0, 0, 0, 0, 2, 3)]
    # The working of nDCG@2 for a hit at rank 2: the values are there, whatever the letters are.
    assert "0.63" in printed
    assert ("Zoë" in printed) == has_umlaut
    assert ("Zo?" in printed) != has_umlaut
    assert ("日本" in printed) == (code_page == "cp932")
    assert f"the encoding {code_page} lacks" in errors
    assert "Traceback" not in errors
