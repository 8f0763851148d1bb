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
from html import escape
from textwrap import fill

from receval._checks import import_extra

LINE_BREAKS = re.compile("[ ]*[\t\n\v\f\r\x85\u2028\u2029]+[ ]*")
# Control characters, halves of surrogate pairs, characters that XML forbids, marks of direction.
INVISIBLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)

# LaTeX joins these signs: "--" becomes a dash. An empty group in front of the second one, marked
# with \0 first, keeps them apart.
LIGATURES = re.compile(r"(?<=-)-|(?<=')'|(?<=,),")
LATEX_SIGNS = str.maketrans(
    {
        "\0": "{}",
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
)

# Jupyter and GitHub look for formulas, which $ or a backslash may begin, before they read Markdown.
# Jupyter looks again in the HTML. So a backslash before a dollar works in one of them at most. An
# element around the dollar works in both; GitHub's documentation recommends it.
MARKDOWN_SIGNS = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "`*_{}[]<>#|~^&!"},
        "$": "<span>&#36;</span>",
        "\\": "<span>&#92;</span>",
    }
)


def for_terminal(text: object) -> str:
    r"""Escape a text for one line of a terminal: write out invisible characters (``\x1b``)."""
    return INVISIBLE.sub(
        lambda match: match[0].encode("unicode_escape", "surrogatepass").decode("ascii"), str(text)
    )


def lines_for_terminal(text: object) -> str:
    """Escape a text for a terminal, but keep its line breaks."""
    return "\n".join(map(for_terminal, str(text).split("\n")))


def one_line(text: object) -> str:
    """Turn line breaks into blanks, and write out other invisible characters."""
    return for_terminal(LINE_BREAKS.sub(" ", str(text)))


def for_html(text: object) -> str:
    """Escape a text for the body of HTML; its dollars do not begin a formula in a notebook."""
    return without_mathematics(escape(lines_for_terminal(text)))


def without_mathematics(html: str) -> str:
    r"""Return HTML in which MathJax finds no formula; its attributes must have no ``$`` or ``\``.

    MathJax looks for ``$`` and ``\(`` within a piece of text, and an element ends the piece.
    Entities do not help, because the browser replaces them before MathJax sees the page.
    """
    return html.replace("\\", "<span>\\</span>").replace("$", "<span>$</span>")


def for_attribute(text: object) -> str:
    """Escape a text for an attribute of HTML, within quotation marks."""
    return escape(for_terminal(text))


def for_latex(text: object) -> str:
    """Escape a text for any place in LaTeX: the start of a row, an option, a caption."""
    return LIGATURES.sub("\0\\g<0>", one_line(text)).translate(LATEX_SIGNS)


def for_markdown(text: object) -> str:
    """Escape a text for one line of Markdown, in a cell, a heading or a sentence."""
    return one_line(text).strip().translate(MARKDOWN_SIGNS)


def for_plot(text: object, width: int | None = None, *, longest: int = 160) -> str:
    """Escape a text for a figure of matplotlib, and break it into lines of ``width`` letters.

    Text between two dollars is not typeset as a formula. A name of more than ``longest`` letters is
    shown by its start and its end, because long names would make the figure too large. If
    ``text.usetex`` is set, the text is escaped for LaTeX.
    """
    matplotlib = import_extra("matplotlib", "plots", "receval.plots")
    line = one_line(text)
    if len(line) > longest:
        line = f"{line[: longest // 2]} … {line[-longest // 2 :]}"
    # Break the text into lines before escaping it, so that backslashes do not count as letters.
    lines = fill(line, width) if width else line
    if matplotlib.rcParams["text.usetex"]:
        return "\n".join(map(for_latex, lines.split("\n")))
    return lines.replace("$", r"\$")


def for_legend(text: object) -> str:
    """Escape a text for a legend of matplotlib.

    A legend omits empty names and names that begin with an underscore. An invisible character at
    the start makes the legend show them.
    """
    label = for_plot(text)
    if not label or label.startswith("_"):
        return f"\u200b{label}"
    return label
