r"""Text of users as HTML, LaTeX, Markdown, figures and terminals show it: one function for each.

Ids, names of systems, groups and measures, labels, captions and parameters are text of users, and
so is every string of a loaded file, which a stranger may have written. All of it goes through these
functions before it reaches a format, and only text that receval itself wrote goes past them.

Characters that nobody sees but that act on what is around them (control characters such as the
escape that colours a terminal, and the marks that turn the direction of text) are shown in every
format as Python writes them: ``\x1b``. A line break within a text is shown as ``\n`` in a terminal,
stays as it is in HTML, and is a blank in LaTeX, Markdown and figures.

Formulas are typeset only if they are receval's own. A formula of users is text: it is shown as it
is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from textwrap import fill
from urllib.parse import quote

import pandas as pd

LONGEST = 160  # characters of a name in a figure
LINE_BREAKS = re.compile("[ ]*[\t\n\v\f\r\x85\u2028\u2029]+[ ]*")
# Control characters, halves of surrogate pairs, what XML forbids, and marks of direction.
UNSEEN = re.compile(
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
    "[": "{[}",  # after \\ or \midrule a bracket would begin an option
    "]": "{]}",
    "*": "{*}",  # so would a star after \\
    "–": "--",
}
LATEX_SIGNS = str.maketrans(IN_LATEX)
LIGATURES = re.compile(r"(?<=-)-|(?<=')'|(?<=,),")
# What every LaTeX prints, beside ASCII: letters with accents, quotation marks and dashes.
LATEX_PRINTS = re.compile("[\x00-\x7f\u00a0-\u017f\u2013\u2014\u2018\u2019\u201c\u201d\u2026]")


def visible(text: object, *, but: str = "") -> str:
    """Text whose unseen characters are written out, except those in ``but``."""

    def written_out(match: re.Match[str]) -> str:
        character = match[0]
        if character in but:
            return character
        return character.encode("unicode_escape", "surrogatepass").decode("ascii")

    return UNSEEN.sub(written_out, str(text))


def for_terminal(text: object) -> str:
    """Text in one line of a terminal."""
    return visible(text)


def lines_for_terminal(text: object) -> str:
    """Text of several lines in a terminal."""
    return "\n".join(map(for_terminal, str(text).split("\n")))


def frame_for_terminal(frame: pd.DataFrame) -> pd.DataFrame:
    """A frame whose names and texts can be printed; the same frame if they all can already."""
    texts = [*frame.index.names, *frame.columns.names, *_labels(frame.index)]
    texts += _labels(frame.columns)
    is_text = [not pd.api.types.is_numeric_dtype(kind) for kind in frame.dtypes]
    for place in (place for place, holds_text in enumerate(is_text) if holds_text):
        texts += frame.iloc[:, place].tolist()
    if not any(isinstance(text, str) and UNSEEN.search(text) for text in texts):
        return frame
    columns = [
        frame.iloc[:, place].astype(object).map(_shown_if_text) if holds_text else column
        for place, (holds_text, (_, column)) in enumerate(zip(is_text, frame.items(), strict=True))
    ]
    shown = pd.concat(columns, axis=1) if columns else frame.copy()
    shown.index, shown.columns = _shown_axis(frame.index), _shown_axis(frame.columns)
    return shown


def _labels(axis: pd.Index) -> list[object]:
    """All labels of an axis, of every level; none where they are numbers."""
    if isinstance(axis, pd.MultiIndex):
        return [label for level in axis.levels for label in level]
    return [] if pd.api.types.is_numeric_dtype(axis.dtype) else axis.tolist()


def _shown_axis(axis: pd.Index) -> pd.Index:
    names = [_shown_if_text(name) for name in axis.names]
    if isinstance(axis, pd.MultiIndex):
        keys = [tuple(map(_shown_if_text, key)) for key in axis]
        return pd.MultiIndex.from_tuples(keys, names=names)
    if pd.api.types.is_numeric_dtype(axis.dtype):
        return axis.rename(names[0])
    return pd.Index([_shown_if_text(label) for label in axis], dtype=object, name=names[0])


def _shown_if_text(value: object) -> object:
    return for_terminal(value) if isinstance(value, str) else value


def for_html(text: object) -> str:
    """Text in the body of HTML, where a notebook would typeset what stands between dollars."""
    return without_mathematics(escape(visible(text, but="\t\n\r")))


def without_mathematics(html: str) -> str:
    r"""HTML in which MathJax finds no formula.

    MathJax looks for ``$`` and ``\(`` within a stretch of text, which an element ends. Entities do
    not help: MathJax sees the page when they have been replaced. No attribute may hold a dollar or
    a backslash.
    """
    return html.replace("\\", "<span>\\</span>").replace("$", "<span>$</span>")


def for_attribute(text: object) -> str:
    """Text in an attribute of HTML, within quotation marks."""
    return escape(visible(text))


def for_link(path: object) -> str:
    """A relative path in an attribute of HTML: never a scheme such as ``javascript:``, or a host.

    The part after ``#`` says which part of the page is meant.
    """
    place, mark, part = str(path).encode("utf-8", "backslashreplace").decode().partition("#")
    place = quote(place.replace("\\", "/").lstrip("/"), safe="/")
    return escape(f"{place}{mark}{quote(part, safe='=-_')}")


def for_latex(text: object) -> str:
    """Text in LaTeX, wherever it stands: at the start of a row, in an option, in a caption."""
    line = visible(LINE_BREAKS.sub(" ", str(text)))
    # The braces keep two signs from being joined to one; they must survive the translation.
    pieces = [piece.translate(LATEX_SIGNS) for piece in LIGATURES.split(line)]
    signs = LIGATURES.findall(line)
    joined = pieces[0]
    for sign, piece in zip(signs, pieces[1:], strict=True):
        joined += "{}" + sign + piece
    return joined


def latex_definitions(texts: Iterable[str]) -> list[str]:
    r"""What lets pdfLaTeX print the characters of texts that it may not have, as U+1F600.

    pdfLaTeX stops at characters that no package declares. Each line declares one unless a package
    has done so; XeLaTeX and LuaLaTeX, which print what the font has, never look there.
    """
    unusual = sorted({character for text in texts for character in LATEX_PRINTS.sub("", text)})
    return [
        rf"\ifcsname u8:\detokenize{{{character}}}\endcsname\else\expandafter\def"
        rf"\csname u8:\detokenize{{{character}}}\endcsname{{\texttt{{U+{ord(character):04X}}}}}\fi"
        for character in unusual
    ]


def for_latex_comment(text: object) -> str:
    """Text after a per cent sign in LaTeX: one line."""
    return visible(LINE_BREAKS.sub(" ", str(text))).strip()


def for_markdown(text: object) -> str:
    r"""Text within a line of Markdown, in a cell, a heading or a sentence.

    Jupyter and GitHub look for formulas before they read Markdown, and Jupyter again when it is
    HTML, so that no backslash before a dollar helps in both; an element of its own does, which
    GitHub's documentation asks for.
    """
    line = visible(LINE_BREAKS.sub(" ", str(text))).strip()
    return re.sub(r"[\\`*_{}\[\]<>#|~^&!$]", _marked_down, line)


def _marked_down(match: re.Match[str]) -> str:
    spelled_out = {"$": "<span>&#36;</span>", "\\": "<span>&#92;</span>"}
    return spelled_out.get(match[0], f"\\{match[0]}")


def for_markdown_paragraph(text: object) -> str:
    """A paragraph of Markdown, which no sign at its start makes a list, a rule or a heading."""
    return re.sub(r"^(\d*)([-+=.)])", r"\1\\\2", for_markdown(text))


def for_plot(text: object, width: int | None = None, *, longest: int = LONGEST) -> str:
    """Text in a figure of matplotlib, in lines of ``width`` letters.

    What stands between two dollars is no formula. Of very long names the start and the end are
    shown, since a figure grows with its names. Where ``text.usetex`` is set, LaTeX reads the text.
    """
    from matplotlib import rcParams

    line = visible(LINE_BREAKS.sub(" ", str(text)))
    if len(line) > longest:
        line = f"{line[: longest // 2]} … {line[-longest // 2 :]}"
    lines = fill(line, width) if width else line  # before a backslash stands before a dollar
    if rcParams["text.usetex"]:
        return "\n".join(map(for_latex, lines.split("\n")))
    return lines.replace("$", r"\$")


def for_legend(text: object, width: int | None = None) -> str:
    """Text in a legend, which leaves out empty names and those that begin with an underscore."""
    label = for_plot(text, width)
    return f"\u200b{label}" if label.startswith("_") or not label else label
