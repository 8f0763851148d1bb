r"""Escape text of users for HTML, LaTeX, Markdown, figures and terminals: a function for each.

Ids, names of systems, groups and measures, labels, captions and parameters are text of users, and
so is every string of a loaded file, which a stranger may have written. All of it goes through
these functions before it reaches a format. Only text that receval itself wrote does not.

Some characters are invisible but change the text around them: control characters, such as the
escape that colours a terminal, and marks that turn the direction of text. Every format shows them
as Python writes them: ``\x1b``. A line break within a text is shown as ``\n`` in a terminal, stays
as it is in HTML, and becomes a blank in LaTeX, Markdown and figures.

Only receval's own formulas are typeset. A formula of a user is shown as it is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from textwrap import fill
from urllib.parse import quote

import pandas as pd

from receval._extras import import_extra

MAX_NAME_LENGTH = 160  # characters of a name that a figure shows
LINE_BREAKS = re.compile("[ ]*[\t\n\v\f\r\x85\u2028\u2029]+[ ]*")
# Control characters, halves of surrogate pairs, characters that XML forbids, marks of direction.
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

IN_LATEX: dict[str, str | int | None] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\symbol{34}",  # a shorthand of babel's in German; T1 alone has \textquotedbl
    "`": r"\textasciigrave{}",
    "[": "{[}",  # a bracket after \\ or \midrule would begin an option
    "]": "{]}",
    "*": "{*}",  # a star after \\ would be an option
    "–": "--",
}
LATEX_SIGNS = str.maketrans(IN_LATEX)
LIGATURES = re.compile(r"(?<=-)-|(?<=')'|(?<=,),")
# Characters that every LaTeX prints: ASCII, letters with accents, quotation marks and dashes.
LATEX_PRINTS = re.compile("[\x00-\x7f\u00a0-\u017f\u2013\u2014\u2018\u2019\u201c\u201d\u2026]")


def write_out_invisible(text: object, *, but: str = "") -> str:
    """Return a text with invisible characters written out, except those in ``but``."""

    def write_out(match: re.Match[str]) -> str:
        """Return a character as Python writes it."""
        character = match[0]
        if character in but:
            return character
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")

    return INVISIBLE.sub(write_out, str(text))


def for_terminal(text: object) -> str:
    """Return a text for one line of a terminal."""
    return write_out_invisible(text)


def lines_for_terminal(text: object) -> str:
    """Return a text for a terminal, with its line breaks."""
    return "\n".join(map(for_terminal, str(text).split("\n")))


def frame_for_terminal(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with visible names and texts; the same frame if they are visible already."""
    columns = [column for _, column in frame.items()]  # two columns may have the same name
    values = [*frame.index.names, *frame.columns.names]
    values += _labels(frame.index)
    values += _labels(frame.columns)
    for column in columns:
        if _has_objects(column):
            values += column.tolist()
    if not any(isinstance(value, str) and INVISIBLE.search(value) for value in values):
        return frame
    columns = [_escape_column(column) for column in columns]
    if columns:
        escaped = pd.concat(columns, axis=1)
    else:
        escaped = frame.copy()
    escaped.index = _escape_axis(frame.index)
    escaped.columns = _escape_axis(frame.columns)
    return escaped


def _has_objects(column: pd.Series) -> bool:
    """Return whether a column is not numeric, so that it may hold text."""
    return not pd.api.types.is_numeric_dtype(column.dtype)


def _escape_column(column: pd.Series) -> pd.Series:
    """Return a column with visible texts."""
    if _has_objects(column):
        return column.astype(object).map(_visible_if_text)
    return column


def _labels(axis: pd.Index) -> list[object]:
    """Return all labels of an axis, of every level, or none if they are numbers."""
    if isinstance(axis, pd.MultiIndex):
        return [label for level in axis.levels for label in level]
    if pd.api.types.is_numeric_dtype(axis.dtype):
        return []
    labels: list[object] = axis.tolist()
    return labels


def _escape_axis(axis: pd.Index) -> pd.Index:
    """Return an axis with visible names and labels."""
    names = [_visible_if_text(name) for name in axis.names]
    if isinstance(axis, pd.MultiIndex):
        keys = [tuple(map(_visible_if_text, key)) for key in axis]
        return pd.MultiIndex.from_tuples(keys, names=names)
    if pd.api.types.is_numeric_dtype(axis.dtype):
        return axis.rename(names[0])
    return pd.Index([_visible_if_text(label) for label in axis], dtype=object, name=names[0])


def _visible_if_text(value: object) -> object:
    """Return text for a terminal, and any other value as it is."""
    if isinstance(value, str):
        return for_terminal(value)
    return value


def for_html(text: object) -> str:
    """Return a text for the body of HTML; a notebook does not typeset text between dollars."""
    return without_mathematics(escape(write_out_invisible(text, but="\t\n\r")))


def without_mathematics(html: str) -> str:
    r"""Return HTML in which MathJax finds no formula; its attributes must have no ``$`` or ``\``.

    MathJax looks for ``$`` and ``\(`` within a piece of text, and an element ends the piece.
    Entities do not help, because the browser replaces them before MathJax sees the page.
    """
    return html.replace("\\", "<span>\\</span>").replace("$", "<span>$</span>")


def for_attribute(text: object) -> str:
    """Return a text for an attribute of HTML, within quotation marks."""
    return escape(write_out_invisible(text))


def for_link(path: object) -> str:
    """Return a relative path for an attribute of HTML, with a part of the page after ``#``.

    The result never has a scheme such as ``javascript:``, and never a host.
    """
    text = str(path).encode("utf-8", "backslashreplace").decode()
    page, mark, part = text.partition("#")
    page = quote(page.replace("\\", "/").lstrip("/"), safe="/")
    return escape(f"{page}{mark}{quote(part, safe='=-_')}")


def for_latex(text: object) -> str:
    """Return a text for any place in LaTeX: the start of a row, an option, a caption."""
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text)))
    # LaTeX would join two signs, such as two hyphens, to one. Empty braces between them prevent it,
    # and are added after the translation, which would escape them.
    signs = LIGATURES.findall(line)
    pieces = [piece.translate(LATEX_SIGNS) for piece in LIGATURES.split(line)]
    joined = pieces[0]
    for sign, piece in zip(signs, pieces[1:], strict=True):
        joined += "{}" + sign + piece
    return joined


def latex_definitions(texts: Iterable[str]) -> list[str]:
    r"""Return definitions with which pdfLaTeX prints characters that it lacks, as U+1F600.

    pdfLaTeX stops at a character that no package declares. Each line declares a character of the
    texts unless a package has done so. XeLaTeX and LuaLaTeX print the characters of the font, and
    ignore these definitions.
    """
    unusual = sorted({character for text in texts for character in LATEX_PRINTS.sub("", text)})
    return [
        rf"\ifcsname u8:\detokenize{{{character}}}\endcsname\else\expandafter\def"
        rf"\csname u8:\detokenize{{{character}}}\endcsname{{\texttt{{U+{ord(character):04X}}}}}\fi"
        for character in unusual
    ]


def for_latex_comment(text: object) -> str:
    """Return a text for a comment in LaTeX, after a per cent sign: one line."""
    return write_out_invisible(LINE_BREAKS.sub(" ", str(text))).strip()


def for_markdown(text: object) -> str:
    r"""Return a text for a line of Markdown, in a cell, a heading or a sentence."""
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text))).strip()
    return re.sub(r"[\\`*_{}\[\]<>#|~^&!$]", _escape_markdown_sign, line)


def _escape_markdown_sign(match: re.Match[str]) -> str:
    """Return a sign that Markdown does not interpret.

    Jupyter and GitHub look for formulas before they read Markdown, and Jupyter looks again in the
    HTML. So a backslash before a dollar does not help in both. An element around the dollar does,
    as GitHub's documentation recommends.
    """
    sign = match[0]
    if sign == "$":
        return "<span>&#36;</span>"
    if sign == "\\":
        return "<span>&#92;</span>"
    return f"\\{sign}"


def for_markdown_paragraph(text: object) -> str:
    """Return a text for a paragraph of Markdown; its start makes no list, rule or heading."""
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", for_markdown(text))


def for_plot(text: object, width: int | None = None, *, longest: int = MAX_NAME_LENGTH) -> str:
    """Return a text for a figure of matplotlib, in lines of ``width`` letters.

    Text between two dollars is not a formula. A name of more than ``longest`` letters is shown by
    its start and its end, because a figure grows with its names. If ``text.usetex`` is set, the
    text is for LaTeX.
    """
    matplotlib = import_extra("matplotlib", "plots", "receval.plots")
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text)))
    if len(line) > longest:
        line = f"{line[: longest // 2]} … {line[-longest // 2 :]}"
    if width:  # broken into lines first, so that backslashes do not count as letters
        line = fill(line, width)
    if matplotlib.rcParams["text.usetex"]:
        return "\n".join(map(for_latex, line.split("\n")))
    return line.replace("$", r"\$")


def for_legend(text: object, width: int | None = None) -> str:
    """Return a text for a legend of matplotlib.

    A legend omits empty names and names that begin with an underscore. An invisible character at
    the start makes it show them.
    """
    label = for_plot(text, width)
    if not label or label.startswith("_"):
        return f"\u200b{label}"
    return label
