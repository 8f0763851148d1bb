"""The ledger as files: ledger.csv, ledger.md and ledger.html."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TextIO

import pandas as pd

from receval._escape import for_html, for_markdown, for_markdown_paragraph
from receval._files import check_writable, write_atomically
from receval.ledger.collecting import counts_sentence, summary
from receval.ledger.reading import LedgerTable

__all__: list[str] = []

FILES = ("ledger.csv", "ledger.md", "ledger.html")
MARKDOWN_COLUMNS = ("figure", "what", "printed", "computed", "verdict", "reason")
STYLE = """
body { font-family: system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
table { border-collapse: collapse; }
td, th { padding: 0.3em 0.6em; border-bottom: 1px solid #ddd; }
td, th { text-align: left; vertical-align: top; }
table.counts td { text-align: right; }
"""


def check_files_writable(folder: Path, name: str) -> None:
    """Raise unless the files of a ledger can be written; the error calls the folder ``name``."""
    for file in FILES:
        check_writable(folder / file, name)


def write_files(table: LedgerTable, folder: Path, *, title: str) -> None:
    """Write a ledger into a folder as CSV, as Markdown and as a page of HTML without other files.

    Parameters
    ----------
    table : LedgerTable
        The ledger.
    folder : Path
        An existing folder.
    title : str
        The heading of the pages.
    """
    writers: dict[str, Callable[[TextIO], object]] = {
        "ledger.csv": table.to_csv,
        "ledger.md": lambda file: file.write(to_markdown(table, title)),
        "ledger.html": lambda file: file.write(to_html(table, title)),
    }
    for name, write in writers.items():
        write_atomically(folder / name, write)


def to_markdown(table: LedgerTable, title: str) -> str:
    """Return a ledger as Markdown: heading, sources, counts of verdicts, and a row per figure."""
    lines = [f"# {for_markdown(title)}", ""]
    for source in table.attrs.get("sources", []):
        lines += [for_markdown_paragraph(source), ""]
    counts = ", ".join(f"{count} {name}" for name, count in table["verdict"].value_counts().items())
    sentences = f"{counts_sentence(table)}. By verdict: {counts}."
    lines += [for_markdown_paragraph(sentences), ""]
    lines.append(_markdown_row(MARKDOWN_COLUMNS))
    lines.append("|" + " --- |" * len(MARKDOWN_COLUMNS))
    with_verdicts = pd.DataFrame(table).assign(verdict=_verdict_texts(table)).reset_index()
    for row in with_verdicts[list(MARKDOWN_COLUMNS)].itertuples(index=False):
        lines.append(_markdown_row(row))
    return "\n".join(lines) + "\n"


def _markdown_row(cells: Iterable[object]) -> str:
    """Return texts as a row of a table in Markdown."""
    return "| " + " | ".join(for_markdown(cell) for cell in cells) + " |"


def _verdict_texts(table: pd.DataFrame) -> list[str]:
    """Return the verdict of each figure, with the recorded verdict if the two differ."""
    texts = []
    for verdict, expected in zip(table["verdict"], table["expected"], strict=True):
        if verdict == expected:
            texts.append(verdict)
        else:
            texts.append(f"{verdict} (on record: {expected})")
    return texts


def to_html(table: LedgerTable, title: str) -> str:
    """Return a ledger as a page of HTML, which needs no other file; all texts are escaped."""
    counts = summary(table)
    head = "".join(f"<th>{for_html(name)}</th>" for name in counts.columns)
    rows = "".join(
        f"<tr><th>{for_html(verdict)}</th>"
        + "".join(f"<td>{count}</td>" for count in row)
        + "</tr>"
        for verdict, row in zip(counts.index, counts.to_numpy().tolist(), strict=True)
    )
    unexpected = table[table["verdict"] != table["expected"]]
    parts = [f"<h1>{for_html(title)}</h1>", f"<p>{for_html(counts_sentence(table))}.</p>"]
    if len(unexpected):
        parts.append(f"<h2>Not as recorded</h2>{unexpected._repr_html_()}")
    parts.append(f'<h2>Verdicts</h2><table class="counts"><tr><th></th>{head}</tr>{rows}</table>')
    parts.append(f"<h2>All figures</h2>{table._repr_html_()}")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{for_html(title)}</title>\n<style>{STYLE}</style></head>\n"
        f"<body>\n{body}\n</body></html>\n"
    )
