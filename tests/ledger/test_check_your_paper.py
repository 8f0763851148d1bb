"""The page "Check your own paper" leads from an empty folder to a green job."""

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

from receval import cli

PAGE = Path(__file__).parents[2] / "docs" / "check_your_paper.md"


def test_the_small_paper_of_the_page_ends_green(tmp_path, capsys):
    text = PAGE.read_text(encoding="utf-8").partition("## 6.")[0]
    csv, figures, *cells, _, unexpected, record, green, _ = [
        block for _, block in re.findall(r"```(\w*)\n(.*?)```", text, flags=re.S)
    ]
    (tmp_path / "table1.csv").write_text(csv, encoding="utf-8")
    (tmp_path / "figures.toml").write_text(figures, encoding="utf-8")
    assert len(cells) == 3
    notebook = new_notebook(cells=[new_code_cell(cell) for cell in cells])
    nbformat.write(notebook, tmp_path / "checks.ipynb")

    assert cli.main(["reproduce", str(tmp_path), "--quiet"]) == 1
    printed = capsys.readouterr().out
    assert all(line in printed for line in unexpected.splitlines())

    (tmp_path / "figures.toml").write_text(figures + record, encoding="utf-8")
    assert cli.main(["reproduce", str(tmp_path), "--quiet"]) == 0
    assert green in capsys.readouterr().out
