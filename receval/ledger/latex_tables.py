r"""Read a table from LaTeX: the cells of a ``tabular`` become a grid of plain text.

pylatexenc parses the source, so that an ampersand in a formula, in braces or in a comment doesn't
end a cell. ``\multicolumn`` and ``\multirow`` fill all cells that they cover.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from receval._checks import InputError, input_error, shorten
from receval._extras import import_extra

if TYPE_CHECKING:
    from pylatexenc.latex2text import LatexNodes2Text
    from pylatexenc.latexwalker import LatexNode
    from pylatexenc.macrospec import LatexContextDb

__all__: list[str] = []

# The environments of tables, with the form of the arguments after \begin{...}: "{" is a group
# and "[" an option.
ENVIRONMENTS = {
    "tabular": "[{", "tabular*": "{[{", "tabularx": "{[{", "tabulary": "{[{", "longtable": "[{",
    "longtblr": "[{", "tblr": "[{", "xltabular": "[{{",
}  # fmt: skip
# Macros with the form of their arguments.
ARGUMENTS = {
    "multicolumn": "{{{", "multirow": "[{[{[{", "makecell": "*[{", "shortstack": "[{",
    "rotatebox": "[{{", "cellcolor": "[{", "rowcolor": "[{", "color": "[{", "textcolor": "[{{",
    "colorbox": "[{{", "phantom": "{", "hphantom": "{", "vphantom": "{", "hspace": "*{",
    "vspace": "*{", "footnotemark": "[", "tnote": "{", "tablefootnote": "{", "num": "[{",
    "textsuperscript": "{", "resizebox": "*{{{", "scalebox": "{{", "cite": "[[{", "citep": "[[{",
    "citet": "[[{", "ref": "{", "label": "{", "raisebox": "{[[{", "adjustbox": "{{",
    "ding": "{", "cref": "{", "autoref": "{", "citenum": "{", "citealp": "[[{", "citeauthor": "[[{",
    "rule": "[{{",
}  # fmt: skip
# Macros that print nothing in a cell.
INVISIBLE = (
    "cellcolor", "rowcolor", "color", "phantom", "hphantom", "vphantom", "hspace", "vspace",
    "cite", "citep", "citet", "citenum", "citealp", "citeauthor", "ref", "cref", "autoref", "label",
    "footnote", "tablefootnote", "rule",
)  # fmt: skip
# Macros that a blank cell may contain; "" stands for nodes other than macros.
SILENT = {
    *INVISIBLE, "", "multicolumn", "multirow", "tiny", "scriptsize", "footnotesize", "small",
    "normalsize", "large", "centering", "raggedright", "raggedleft", "bfseries", "itshape", "bf",
    "it", "rm", "textbf", "textit", "emph", "strut", "hfill", "quad", "qquad", ",", ";", ":", "!",
    " ", "null", "relax", "arraybackslash", "rule",
}  # fmt: skip
# The last argument of these macros is the mark of a footnote, printed as a superscript.
MARKS = ("footnotemark", "tnote", "textsuperscript")
# Rules and spaces between rows, with their arguments. They are removed before the cells are read.
RULES = re.compile(
    r"\\(?:(?P<line>toprule|midrule|bottomrule|hline|hhline|Xhline|thickhline)"
    r"|cmidrule|cline|addlinespace|specialrule|noalign|morecmidrules|arrayrulecolor|endhead"
    r"|endfirsthead|endfoot|endlastfoot|hdashline|cdashline)(?![A-Za-z])"
    r"(?:\[[^\]]*\]|\([^)]*\)|\{[^{}]*\})*"
)
COMMENT = re.compile(r"(?<!\\)((?:\\\\)*)%[^\n]*")
BOLD = re.compile(r"\\(?:textbf|mathbf|bfseries|bf|bm|boldsymbol|B)(?![A-Za-z])")
SUPERSCRIPT = re.compile(r"\^\s*(?:\{((?:[^{}]|\{[^{}]*\})*)\}|(\\[A-Za-z]+|[^\s{}\\]))")
# The mark that replaces a rule between rows while the cells are read.
RULE_MARKS = {"recevalmidrule": "midrule", "recevalhline": "hline"}
STYLED_CHARACTERS = re.compile("[\U0001d400-\U0001d7ff]+")
MAX_SPAN = 1000  # largest number of rows or columns that a cell covers


@dataclass(frozen=True)
class GridCell:
    """A cell of a table as it is printed.

    Attributes
    ----------
    text : str
        Its text without markup.
    line : int
        The line of the file in which it begins.
    is_bold : bool
        Whether it has a part in bold.
    n_columns, n_rows : int
        How many columns and rows it covers.
    is_covered : bool
        Whether another cell covers this one. The text is then that cell's text.
    is_missing : bool
        Whether the row ended before this column.
    """

    text: str
    line: int
    is_bold: bool = False
    n_columns: int = 1
    n_rows: int = 1
    is_covered: bool = False
    is_missing: bool = False


@dataclass(frozen=True)
class Grid:
    """The cells of a table, row by row.

    Attributes
    ----------
    rows : list of list of GridCell
        The rows. All have the same number of cells.
    n_header_rows : int or None
        The number of rows above the rule that ends the header; None if there is no such rule.
    caption : str
        The caption; "" if there is none.
    """

    rows: list[list[GridCell]]
    n_header_rows: int | None = None
    caption: str = ""


def read_latex(source: str, name: str, number: int | None) -> Grid:
    """Return the cells of a table in LaTeX.

    Parameters
    ----------
    source : str
        The content of the file.
    name : str
        The name of the file, for error messages.
    number : int or None
        The number of the table in the file, counted from 1; None if there is only one.

    Returns
    -------
    Grid

    Raises
    ------
    InputError
        If there is no table, if there are several and ``number`` is None, or if braces or the
        columns of a row don't match.
    ImportError
        If pylatexenc is not installed.
    """
    import_extra("pylatexenc", "latex", "a table in LaTeX")
    # A comment may hold anything, for example half a table.
    source = COMMENT.sub(lambda match: match[1], source)
    start, end = choose_table(list(_places(source, name)), number, name)
    line = source.count("\n", 0, start) + 1
    rows, n_header_rows = _read_rows(source[start:end], line, name)
    return Grid(rows, n_header_rows, _caption(source, start, end))


def choose_table(
    tables: Sequence[tuple[int, int]], number: int | None, name: str
) -> tuple[int, int]:
    """Return the table with a number, or the only one; raise if there is no such table.

    Each table is a pair of positions: that of its first character or line, and the one after its
    last.
    """
    if not tables:
        raise InputError(f"{name} must have a table; got none")
    if number is None:
        if len(tables) > 1:
            advice = "Choose one by its number, such as number=1, or put it into a file of its own"
            raise input_error(name, "have one table", len(tables), advice)
        return tables[0]
    if not 1 <= number <= len(tables):
        raise input_error("number", f"be from 1 to {len(tables)}, the tables of {name}", number)
    return tables[number - 1]


def _places(source: str, name: str) -> Iterator[tuple[int, int]]:
    """Yield the position of each table's first character, and the position after its last one.

    A table within a table is a part of the outer one.
    """
    names = "|".join(re.escape(environment) for environment in ENVIRONMENTS)
    depth = 0
    start = 0
    for match in re.finditer(rf"\\(begin|end)\s*\{{(?:{names})\}}", source):
        if match[1] == "begin":
            if depth == 0:
                start = match.start()
            depth += 1
        elif depth > 0:
            depth -= 1
            if depth == 0:
                yield start, match.end()
    if depth > 0:
        line = source.count("\n", 0, start) + 1
        raise InputError(f"{name}, line {line}: the table must have an \\end; got none")


def _caption(source: str, start: int, end: int) -> str:
    """Return the caption of a table, which is in the same float; "" if there is none."""
    float_start = max(source.rfind(r"\begin{table", 0, start), 0)
    float_end = source.find(r"\end{table", end)
    if float_end < 0:
        float_end = len(source)
    # Braces may be nested twice within a caption.
    braces = r"\{((?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}"
    around = source[float_start:start] + source[end:float_end]
    match = re.search(r"\\caption\*?\s*(?:\[[^\]]*\])?\s*" + braces, around)
    if match is None:
        return ""
    return _plain(_parse(match[1]))


def _read_rows(source: str, first_line: int, name: str) -> tuple[list[list[GridCell]], int | None]:
    r"""Return the rows of a table, and the number of those above the rule that ends the header.

    ``source`` is the table from ``\begin`` to ``\end``, and ``first_line`` its line in the file.
    """
    source = RULES.sub(_keep_lines, source)
    source = SUPERSCRIPT.sub(lambda match: rf"\textsuperscript{{{match[1] or match[2]}}}", source)
    from pylatexenc.latexwalker import LatexEnvironmentNode, LatexWalkerParseError

    try:
        nodes = _parse(source)
    except LatexWalkerParseError as error:
        line = first_line + (getattr(error, "lineno", None) or 1) - 1
        raise InputError(
            f"{name}, line {line}: the table must be valid LaTeX; got {error.msg}"
        ) from None
    except RecursionError:
        rule = "have fewer nested braces"
        raise input_error(f"{name}, line {first_line}: the table", rule, "too many") from None
    [table] = [node for node in nodes if isinstance(node, LatexEnvironmentNode)]
    rows: list[list[list[LatexNode]]] = [[[]]]
    rules: dict[str, list[int]] = {"midrule": [], "hline": []}
    for node in table.nodelist:
        macro = getattr(node, "macroname", "")
        if macro in ("\\", "tabularnewline"):
            rows.append([[]])
        elif getattr(node, "specials_chars", "") == "&":
            rows[-1].append([])
        elif macro in RULE_MARKS:
            rules[RULE_MARKS[macro]].append(len(rows) - 1)
        else:
            rows[-1][-1].append(node)
    if _is_blank(rows[-1]):
        rows.pop()  # after the last line break
    cells = [
        [_cell(nodes, source, first_line, name) for nodes in row_of_nodes] for row_of_nodes in rows
    ]
    inner_rules = [index for index in rules["midrule"] or rules["hline"] if 0 < index < len(rows)]
    n_header_rows = min(inner_rules, default=None)
    return fill_covered(cells), n_header_rows


def _keep_lines(match: re.Match[str]) -> str:
    """Return the mark that replaces a rule below the header; it keeps the rule's line breaks."""
    lines = "\n" * match.group().count("\n")
    line = match["line"]
    if line is None or line in ("toprule", "bottomrule"):
        return f" {lines}"
    if line == "midrule":
        return rf"\recevalmidrule {lines}"
    return rf"\recevalhline {lines}"


def _is_blank(row: list[list[LatexNode]]) -> bool:
    """Return whether a row consists of a single cell with nothing in it."""
    return len(row) == 1 and _plain(row[0]) == ""


def _cell(nodes: list[LatexNode], source: str, first_line: int, name: str) -> GridCell:
    """Return a cell from its nodes; ``name`` is the name of the file, for error messages."""
    latex = "".join(node.latex_verbatim() for node in nodes)
    position = 0
    for node in nodes:
        text = node.latex_verbatim()
        position = node.pos + len(text) - len(text.lstrip())
        if text.strip():
            break
    line = first_line + source.count("\n", 0, position)
    text = _plain(nodes)
    if text == "" and any(getattr(node, "macroname", "") not in SILENT for node in nodes):
        text = " ".join(latex.split())  # a sign of the author's own, such as \cmark
    try:
        n_columns, n_rows = _span(nodes, "multicolumn", 0), _span(nodes, "multirow", 1)
    except InputError as error:
        raise InputError(f"{name}, line {line}: {error}") from None
    return GridCell(text, line, BOLD.search(latex) is not None, n_columns, n_rows)


def _span(nodes: Sequence[LatexNode | None], macro: str, argument: int) -> int:
    r"""Return how many columns or rows a cell covers because of ``\multicolumn`` or ``\multirow``.

    ``argument`` is the position of the number among the macro's arguments. Without such a macro,
    the number is 1.
    """
    for node in nodes:
        name = getattr(node, "macroname", "")
        arguments = getattr(getattr(node, "nodeargd", None), "argnlist", None) or []
        if name == macro:
            text = _plain([arguments[argument]])
            if not re.fullmatch("[1-9][0-9]*", text) or int(text) > MAX_SPAN:
                rule = f"cover a number of rows or columns from 1 to {MAX_SPAN}"
                raise input_error(rf"\{macro}", rule, shorten(text))
            return int(text)
        if name in ("multicolumn", "multirow"):
            return _span(arguments[-1:], macro, argument)
        if getattr(node, "nodelist", None):  # braces
            span = _span(node.nodelist, macro, argument)  # type: ignore[union-attr]
            if span > 1:
                return span
    return 1


def fill_covered(rows: Sequence[Sequence[GridCell]]) -> list[list[GridCell]]:
    """Return rows with a cell in every column: covered cells get the text of the covering one.

    Cells that are missing at the end of a row are empty.
    """
    filled: list[list[GridCell]] = []
    covering: dict[int, tuple[GridCell, int]] = {}  # by column: cell, rows still covered
    for row in rows:
        new_row: list[GridCell] = []
        for cell in row:
            new_row.append(_cover_from_above(cell, len(new_row), covering))
            for _ in range(cell.n_columns - 1):
                right_cell = replace(cell, is_covered=True)
                new_row.append(_cover_from_above(right_cell, len(new_row), covering))
        filled.append(new_row)
    n_columns = max((len(row) for row in filled), default=0)
    for new_row in filled:
        n_missing = n_columns - len(new_row)
        new_row.extend([GridCell("", new_row[-1].line, is_missing=True)] * n_missing)
    return filled


def _cover_from_above(
    cell: GridCell, column: int, covering: dict[int, tuple[GridCell, int]]
) -> GridCell:
    """Return a cell, or, if it is empty and a cell above covers it, that cell's text.

    ``covering`` has, for each column, the last cell that covers several rows, and how many more
    rows it covers. The function updates ``covering``.
    """
    above, n_rows_left = covering.get(column, (cell, 0))
    if n_rows_left > 0:
        covering[column] = (above, n_rows_left - 1)
        if cell.text == "":
            return replace(above, line=cell.line, n_rows=1, is_covered=True)
    if cell.n_rows > 1:
        covering[column] = (cell, cell.n_rows - 1)
    return cell


def _parse(latex: str) -> list[LatexNode]:
    """Return the nodes of a piece of LaTeX; raises pylatexenc's error if braces don't match."""
    from pylatexenc.latexwalker import LatexWalker

    walker = LatexWalker(latex, latex_context=_macros(), tolerant_parsing=False)
    nodes: list[LatexNode]
    nodes, _, _ = walker.get_latex_nodes()
    return nodes


def _plain(nodes: Sequence[LatexNode | None]) -> str:
    """Return the text of nodes as it is printed, in one line; superscripts are ``^{...}``."""
    text = _converter().nodelist_to_text([node for node in nodes if node is not None])
    # In formulas, bold letters and digits are Unicode characters of their own: replace them by the
    # usual ones.
    text = STYLED_CHARACTERS.sub(lambda match: normalize("NFKC", match.group()), text)
    return " ".join(text.split())


@cache
def _macros() -> LatexContextDb:
    """Return pylatexenc's macros and environments, with those of tables added."""
    from pylatexenc.latexwalker import get_default_latex_context_db
    from pylatexenc.macrospec import EnvironmentSpec, std_macro

    macros = get_default_latex_context_db()
    macros.add_context_category(
        "tables",
        macros=[std_macro(name, arguments) for name, arguments in ARGUMENTS.items()],
        environments=[EnvironmentSpec(name, arguments) for name, arguments in ENVIRONMENTS.items()],
        prepend=True,
    )
    return macros


@cache
def _converter() -> LatexNodes2Text:
    """Return pylatexenc's converter to text, which knows the macros of tables."""
    from pylatexenc.latex2text import (
        EnvironmentTextSpec,
        LatexNodes2Text,
        MacroTextSpec,
        get_default_latex_context_db,
    )

    def last_argument(node: LatexNode, l2tobj: LatexNodes2Text) -> str:
        """Return the text of the last argument of a macro."""
        arguments = node.nodeargd.argnlist
        return str(l2tobj.nodelist_to_text([arguments[-1]] if arguments[-1] else []))

    def mark(node: LatexNode, l2tobj: LatexNodes2Text) -> str:
        """Return the mark of a footnote as a superscript."""
        return f"^{{{last_argument(node, l2tobj).strip('[] ')}}}"

    def symbol(node: LatexNode, l2tobj: LatexNodes2Text) -> str:
        """Return a tick or a cross of the font Dingbats; any other symbol becomes a bullet."""
        number = last_argument(node, l2tobj).strip()
        return {"51": "✓", "52": "✔", "53": "✕", "54": "✖", "55": "✗", "56": "✘"}.get(number, "•")

    visible = [name for name in ARGUMENTS if name not in (*INVISIBLE, *MARKS, "ding")]
    texts = get_default_latex_context_db()
    texts.add_context_category(
        "tables",
        macros=[
            *(MacroTextSpec(name, simplify_repl="") for name in INVISIBLE),
            MacroTextSpec("ding", simplify_repl=symbol),
            *(MacroTextSpec(name, simplify_repl=mark) for name in MARKS),
            *(MacroTextSpec(name, simplify_repl=last_argument) for name in visible),
        ],
        environments=[EnvironmentTextSpec("tabular", discard=False)],
        prepend=True,
    )
    return LatexNodes2Text(latex_context=texts, math_mode="text", keep_comments=False)
