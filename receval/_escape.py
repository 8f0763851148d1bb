r"""Escape users' text for HTML, LaTeX, Markdown, figures and terminals, with a function for each.

Users choose ids, labels, captions, parameters, and the names of systems, groups and measures. A
loaded file may come from a stranger, so all its strings are users' text, too. All of this text goes
through these functions before it reaches a format. The only exception is text that receval itself
wrote.

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
    r"""Return a text with invisible characters written out, such as ``\x1b``.

    The characters in ``but`` stay as they are.
    """

    def write_out(match: re.Match[str]) -> str:
        """Return a character as Python writes it."""
        character = match[0]
        if character in but:
            return character
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")

    return INVISIBLE.sub(write_out, str(text))


def for_terminal(text: object) -> str:
    """Escape a text for one line of a terminal."""
    return write_out_invisible(text)


def lines_for_terminal(text: object) -> str:
    """Escape a text for a terminal, but keep its line breaks."""
    return "\n".join(map(for_terminal, str(text).split("\n")))


def frame_for_terminal(frame: pd.DataFrame) -> pd.DataFrame:
    """Write out the invisible characters in the names, labels and texts of a frame.

    A frame without invisible characters is returned as it is.
    """
    # Look for invisible characters first: most frames have none, and need no copy.
    columns = [column for _, column in frame.items()]  # two columns may have the same name
    values = [*frame.index.names, *frame.columns.names]
    values += _labels(frame.index)
    values += _labels(frame.columns)
    for column in columns:
        if _may_hold_text(column):
            values += column.tolist()
    if not any(isinstance(value, str) and INVISIBLE.search(value) for value in values):
        return frame
    if columns:
        escaped = pd.concat([_escape_column(column) for column in columns], axis=1)
    else:  # concat needs at least one column
        escaped = frame.copy()
    escaped.index = _escape_axis(frame.index)
    escaped.columns = _escape_axis(frame.columns)
    return escaped


def _may_hold_text(column: pd.Series) -> bool:
    """Return whether a column may hold text, because it is not numeric."""
    return not pd.api.types.is_numeric_dtype(column.dtype)


def _escape_column(column: pd.Series) -> pd.Series:
    """Return a column in which invisible characters are written out."""
    if _may_hold_text(column):
        return column.astype(object).map(_visible_if_text)
    return column


def _labels(axis: pd.Index) -> list[object]:
    """Return the labels of an axis; if it has several levels, the labels of all of them.

    Return an empty list if all labels are numbers, which need no escaping.
    """
    if isinstance(axis, pd.MultiIndex):
        return [label for level in axis.levels for label in level]
    if pd.api.types.is_numeric_dtype(axis.dtype):
        return []
    labels: list[object] = axis.tolist()
    return labels


def _escape_axis(axis: pd.Index) -> pd.Index:
    """Return an axis with invisible characters written out; numbers stay as they are."""
    names = [_visible_if_text(name) for name in axis.names]
    if isinstance(axis, pd.MultiIndex):
        keys = [tuple(map(_visible_if_text, key)) for key in axis]
        return pd.MultiIndex.from_tuples(keys, names=names)
    if pd.api.types.is_numeric_dtype(axis.dtype):
        return axis.rename(names[0])
    return pd.Index([_visible_if_text(label) for label in axis], dtype=object, name=names[0])


def _visible_if_text(value: object) -> object:
    """Escape a text for a terminal; return any other value as it is."""
    if isinstance(value, str):
        return for_terminal(value)
    return value


def for_html(text: object) -> str:
    """Escape a text for the body of HTML; its dollars do not begin a formula in a notebook."""
    return without_mathematics(escape(write_out_invisible(text, but="\t\n\r")))


def without_mathematics(html: str) -> str:
    r"""Return HTML in which MathJax finds no formula; its attributes must have no ``$`` or ``\``.

    MathJax looks for ``$`` and ``\(`` within a piece of text, and an element ends the piece.
    Entities do not help, because the browser replaces them before MathJax sees the page.
    """
    return html.replace("\\", "<span>\\</span>").replace("$", "<span>$</span>")


def for_attribute(text: object) -> str:
    """Escape a text for an attribute of HTML, within quotation marks."""
    return escape(write_out_invisible(text))


def for_link(path: object) -> str:
    """Escape a relative path for an attribute of HTML; a part of the page may follow after ``#``.

    The result never has a scheme such as ``javascript:``, because the colon is quoted, and never a
    host, because no slash is at the start.
    """
    # Half a surrogate pair cannot be quoted, so it is written out.
    text = str(path).encode("utf-8", "backslashreplace").decode()
    page, mark, part = text.partition("#")
    relative_page = page.replace("\\", "/").lstrip("/")
    return escape(f"{quote(relative_page, safe='/')}{mark}{quote(part, safe='=-_')}")


def for_latex(text: object) -> str:
    """Escape a text for any place in LaTeX: the start of a row, an option, a caption."""
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text)))
    # LaTeX would join two signs, such as two hyphens, into one. Empty braces between them prevent
    # it. They are added after the translation, because it would escape them too. So the line is
    # split at the second of two such signs, and the pieces are translated.
    second_signs = LIGATURES.findall(line)
    pieces = [piece.translate(LATEX_SIGNS) for piece in LIGATURES.split(line)]
    joined = pieces[0]
    for sign, piece in zip(second_signs, pieces[1:], strict=True):
        joined += "{}" + sign + piece
    return joined


def latex_definitions(texts: Iterable[str]) -> list[str]:
    r"""Return lines of LaTeX that define the unusual characters of the texts, one line for each.

    pdfLaTeX stops at a character that no package declares. Unless a package declares the character,
    the line makes LaTeX print its code, such as U+1F600. XeLaTeX and LuaLaTeX print the characters
    of the font, and ignore these definitions.
    """
    # pdfLaTeX looks up the meaning of a character in the command named "u8:" and the character.
    unusual = sorted({character for text in texts for character in LATEX_PRINTS.sub("", text)})
    return [
        rf"\ifcsname u8:\detokenize{{{character}}}\endcsname\else\expandafter\def"
        rf"\csname u8:\detokenize{{{character}}}\endcsname{{\texttt{{U+{ord(character):04X}}}}}\fi"
        for character in unusual
    ]


def for_latex_comment(text: object) -> str:
    """Turn a text into a single line, for a comment in LaTeX after a per cent sign."""
    return write_out_invisible(LINE_BREAKS.sub(" ", str(text))).strip()


def for_markdown(text: object) -> str:
    r"""Escape a text for one line of Markdown, in a cell, a heading or a sentence."""
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text))).strip()
    return re.sub(r"[\\`*_{}\[\]<>#|~^&!$]", _escape_markdown_sign, line)


def _escape_markdown_sign(match: re.Match[str]) -> str:
    """Return the matched sign so that Markdown does not interpret it."""
    sign = match[0]
    # Jupyter and GitHub look for formulas, which $ or a backslash may begin, before they read
    # Markdown. Jupyter looks again in the HTML. So a backslash before a dollar works in one of them
    # at most. An element around the dollar works in both; GitHub's documentation recommends it.
    if sign == "$":
        return "<span>&#36;</span>"
    if sign == "\\":
        return "<span>&#92;</span>"
    return f"\\{sign}"


def for_markdown_paragraph(text: object) -> str:
    """Escape a text for a paragraph of Markdown.

    If the text begins like a list ("- " or "1."), a rule or a heading, a backslash makes it
    ordinary text.
    """
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", for_markdown(text))


def for_plot(text: object, width: int | None = None, *, longest: int = MAX_NAME_LENGTH) -> str:
    """Escape a text for a figure of matplotlib, and break it into lines of ``width`` letters.

    Text between two dollars is not typeset as a formula. A name of more than ``longest`` letters is
    shown by its start and its end, because long names would make the figure too large. If
    ``text.usetex`` is set, the text is escaped for LaTeX.
    """
    matplotlib = import_extra("matplotlib", "plots", "receval.plots")
    line = write_out_invisible(LINE_BREAKS.sub(" ", str(text)))
    if len(line) > longest:
        line = f"{line[: longest // 2]} … {line[-longest // 2 :]}"
    # Break the text into lines before escaping it, so that backslashes do not count as letters.
    lines = fill(line, width) if width else line
    if matplotlib.rcParams["text.usetex"]:
        return "\n".join(map(for_latex, lines.split("\n")))
    return lines.replace("$", r"\$")


def for_legend(text: object, width: int | None = None) -> str:
    """Escape a text for a legend of matplotlib.

    A legend omits empty names and names that begin with an underscore. An invisible character at
    the start makes the legend show them.
    """
    label = for_plot(text, width)
    if not label or label.startswith("_"):
        return f"\u200b{label}"
    return label
