"""Hostile texts, everywhere that users can pass text, in every output format."""

import json
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from bs4 import BeautifulSoup
from bs4.element import PreformattedString
from hostile import TEXTS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from IPython.core.formatters import DisplayFormatter
from markdown_it import MarkdownIt
from matplotlib.cbook import is_math_text
from matplotlib.text import Text

from receval import Measure, evaluate, evaluate_groups, load, plots, working
from receval._escape import (
    INVISIBLE,
    for_html,
    for_latex,
    for_markdown,
    for_plot,
    for_terminal,
    lines_for_terminal,
    one_line,
)
from receval.cli import main
from receval.evaluation.explaining import Explanation
from receval.learn.exercises import Feedback
from receval.ledger.checking import Check
from receval.ledger.table import COLUMNS, LedgerTable

# What matplotlib or a terminal could read as more than text:
IN_FIGURES = "_a$b$c_d\r\n\x1b]0;title\x07\u202eright to left\u202c"
SYSTEMS = TEXTS[::4]
STRANGE = f"<img src=x onerror=alert(1)>{IN_FIGURES}"
OURS = {
    "table": set(), "thead": set(), "tbody": set(), "tr": {"style"}, "th": {"style"},
    "td": {"style"}, "p": set(), "br": set(), "b": {"style"}, "sup": set(), "sub": set(),
    "small": set(), "span": {"style"}, "ul": set(), "li": set(), "code": set(), "i": set(),
    "a": {"href", "title"}, "details": set(), "summary": set(), "style": {"scoped"}, "div": set(),
    "strong": set(),  # of Markdown
}  # fmt: skip
OF_PANDAS = {("table", "border"), ("table", "class"), ("table", "style"), ("tr", "class")}
COMMANDS = {
    "textbackslash", "textasciicircum", "textasciitilde", "textless", "textgreater", "textbar",
    "textasciigrave", "symbol", "textbf", "scriptsize", "toprule", "midrule", "bottomrule",
    "begin", "end",
}  # fmt: skip


def read_html(html):
    """Parse HTML; refuse elements, attributes and comments that are not receval's, and formulas."""
    page = BeautifulSoup(html, "html.parser")
    for tag in page.find_all():
        assert tag.name in OURS
        for name in tag.attrs:
            assert name in OURS[tag.name] or (tag.name, name) in OF_PANDAS, (tag.name, name)
    for stretch in page.find_all(string=True):  # where MathJax looks for a formula
        assert not isinstance(stretch, PreformattedString), stretch  # such as a comment
        assert stretch.count("$") < 2
        assert not re.search(r"\\[(\[]|\\begin|\\(eq)?ref", stretch)
    return page


def cells_of(html):
    return [cell.get_text() for cell in read_html(html).find_all(["td", "th"])]


def check_latex(latex):
    """Check that all commands are known, and that each row of the table has as many cells."""
    before, _, body = latex.partition(r"\begin{tabular}")
    assert all(line.startswith("%") for line in before.splitlines())
    for command in re.findall(r"\\([a-zA-Z]+|.?)", body, re.DOTALL):
        assert command in COMMANDS or (command and command in "\\{}$&#%_"), command
    assert not re.search(r"(?<!\\)[%#~]", body)
    n_columns = len(re.match(r"\{(.*)\}", body)[1])
    rows = [row for row in body.splitlines() if row.endswith(r" \\")]
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == n_columns - 1
        assert row[0] not in "[*"
        # In mathematics stand numbers only.
        mathematics = re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", row)
        assert all(re.fullmatch(r"[-+<\[\]., \deE]+|\[nan, nan\]|[\^_].*", m) for m in mathematics)
        unescaped = re.sub(r"\\.", "", row)
        depths = np.cumsum([(sign == "{") - (sign == "}") for sign in unescaped])
        assert depths.min() >= 0
        assert depths[-1] == 0
    return len(rows)


def read_markdown(text):
    """Return the cells of a Markdown table, as a reader sees them."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    cells = cells_of(re.sub(r' style="text-align:right"', "", html))
    return [" ".join(cell.split()) for cell in cells]


def flat(text):
    return " ".join(one_line(text).split())


def check_texts(shown):
    """Check the text of an object in a terminal and in a notebook; return its HTML."""
    assert not INVISIBLE.search(repr(shown).replace("\n", ""))
    contents, _ = DisplayFormatter().format(shown)
    html = contents.get("text/html", "")
    read_html(re.sub(r"<p>\\\(.*?\\\)</p>", "", html))  # without receval's formulas
    return html


@pytest.fixture(scope="module")
def result():
    systems = {text: {"u": {"a": 1.0}, "v": {"b": 0.5}} for text in SYSTEMS}
    truth = {"u": ["a"], "v": ["c"]}
    own = Measure("<b>own</b> $x$ p|q", per_list=lambda lists, k: lists.n_relevant, source=TEXTS[0])
    with warnings.catch_warnings(action="ignore"):
        return evaluate(systems, truth, ["nDCG@2", own])


# One format at a time ---------------------------------------------------------------------------


def of_any_text(test):
    """Try a test on every hostile text, and on twenty drawn ones."""
    test = settings(max_examples=20)(given(text=st.text())(test))
    for text in TEXTS:
        test = example(text=text)(test)
    return test


@of_any_text
def test_html_text_is_read_back(text):
    assert cells_of(f"<td>{for_html(text)}</td>") == [lines_for_terminal(text)]


@of_any_text
def test_latex_text_keeps_to_its_cell(text):
    row = f"{for_latex(text)} & {for_latex(text)} \\\\"
    assert check_latex(f"\\begin{{tabular}}{{ll}}\n{row}") == 1


@of_any_text
def test_markdown_cells_are_read_back(text):
    table = f"| {for_markdown(text)} | x |\n| --- | --- |\n| {for_markdown(text)} | y |\n"
    assert read_markdown(table) == [flat(text), "x", flat(text), "y"]


@of_any_text
def test_terminal_text_is_one_line_without_control_characters(text):
    assert not INVISIBLE.search(for_terminal(text))
    assert len(for_terminal(text).splitlines()) <= 1


@of_any_text
def test_plot_text_is_no_formula(text):
    for width in (None, 5):
        assert not is_math_text(for_plot(text, width) + for_plot("$"))


# Every output -----------------------------------------------------------------------------------


def test_results_are_harmless_and_complete_in_every_format(result):
    comparison = result.compare(TEXTS[0])
    for shown in (result, result.table(), comparison, comparison.table()):
        check_texts(shown)
        assert check_latex(shown.to_latex()) > 2
    assert {lines_for_terminal(text) for text in SYSTEMS} <= {*cells_of(result._repr_html_())}
    assert len(repr(result.table()).splitlines()) == 2 + len(SYSTEMS) + len(result.table().notes)


def test_markdown_of_results_is_a_table(result):
    cells = read_markdown(result.to_markdown())
    width = len(result.summary.columns) + 1
    assert cells[width::width] == [flat(text) for text in SYSTEMS]
    assert len(cells) == width * (1 + len(SYSTEMS)), "notes stand in a paragraph below"


def explained(text):
    table = working.dcg([1, 0], items=[text, "b"]).rename(columns={"term": text})
    of = {text: text}
    return Explanation(text, text, text, text, of, table, 1.0, text, text, text, of)


def test_formulas_of_receval_are_typeset_and_others_are_code(result):
    assert r"<p>\(" in check_texts(result.explain("u", "nDCG@2", system=TEXTS[0]))
    check_texts(result.explain("u", result.measures[1].name, system=TEXTS[0]))
    html = check_texts(explained(r"\href{javascript:alert(1)}{x}"))
    assert r"\(" not in html
    assert "<code>" in html


@pytest.mark.parametrize("text", TEXTS)
def test_other_objects_show_text(text):
    table = working.dcg([1, 0], items=[text, "b"])
    assert for_terminal(text.strip())[:40] in " ".join(cells_of(table._repr_html_()))
    check = Check(text, text, text, (text,), (text,), text, "expected", text)
    row = pd.DataFrame({name: [text] for name in COLUMNS}, index=[text])
    ledger = [LedgerTable(row), LedgerTable(row[["what"]])]
    ratings = pd.DataFrame({"group": 1, "member": [text], "item": "a", "rating": 1})
    groups = evaluate_groups(ratings, ["average"], k=1)
    for shown in (table, explained(text), check, *ledger, Feedback(text, "right", text), groups):
        links = read_html(check_texts(shown)).find_all(href=True)
        assert not any(link["href"].lower().startswith("javascript:") for link in links)
    with pd.option_context("display.width", 10_000, "display.max_columns", None):
        assert len(repr(table).splitlines()) == 3
    assert len(repr(check).splitlines()) == 2


def test_files_of_strangers_are_harmless(result, tmp_path):
    with warnings.catch_warnings(action="ignore"):
        result.save(tmp_path / "strange.receval")
    table = pq.read_table(tmp_path / "strange.receval")
    record = json.loads(table.schema.metadata[b"receval"])
    record["receval"] = STRANGE
    record["convention"] |= {"name": STRANGE, "source": STRANGE}
    record["own"][0]["source"] = STRANGE
    for of_system in record["systems"]:
        of_system["counts"] = {STRANGE: 1, "judged": 2}
    changed = table.schema.metadata | {b"receval": json.dumps(record).encode()}
    pq.write_table(table.replace_schema_metadata(changed), tmp_path / "strange.receval")
    loaded = load(tmp_path / "strange.receval")
    for shown in (loaded, loaded.compare(TEXTS[0])):
        check_texts(shown)
        check_latex(shown.to_latex())


def test_the_command_line_prints_no_control_characters(tmp_path, capsys):
    lists = pd.DataFrame({"user": [1], "item": ["\x1b[31m"], "score": [1.0], "relevance": 1})
    files = [str(tmp_path / f"{name}.csv") for name in ("a\x1b[31m<b>|$x$", "b", "truth")]
    for path in files:
        lists.to_csv(path, index=False)
    for form in ("table", "markdown", "latex"):
        assert main(["evaluate", *files, "--format", form, "--methods"]) == 0
    assert main(["explain", "1", "nDCG@2", *files]) == 0
    assert main(["evaluate", *files, "-m", "\x1b[31m"]) == 2
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err


# Figures ----------------------------------------------------------------------------------------


def drawn(axes):
    figure = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()[0].figure
    figure.set_layout_engine("none")  # takes half of the time, and changes no text
    figure.draw_without_rendering()
    return [text.get_text() for text in figure.findobj(Text) if text.get_visible()]


# Which letters the font has depends on the machine.
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
def test_figures_draw_every_name_as_it_is(monkeypatch):
    text = IN_FIGURES
    # Looking for room for a title takes a tenth of the time, and changes no text.
    monkeypatch.setitem(plt.rcParams, "axes.titley", 1.0)
    names = [text, "B $1 and $2"]
    means = pd.DataFrame({text: [0.1, 0.2], "y": [0.3, 0.1]}, index=pd.Index(names, name=text))
    pairs = pd.MultiIndex.from_tuples([(text, *names)], names=["measure", "system", "baseline"])
    change = {"difference": 0.1, "low": 0.0, "high": 0.2, "verdict": "better"}
    results = pd.DataFrame(change, index=pairs)
    online = pd.MultiIndex.from_product([names, names], names=[text, "measure"])
    spans = pd.DataFrame({"value": 0.2, "low": 0.1, "high": 0.3}, index=online)
    links = pd.DataFrame({"user": names, "item": names[::-1], "weight": 1})
    axes = [
        plots.system_means(means, caption=text, lower=[text]),
        plots.trade_off(means, text, "y"),
        plots.heatmap(means, label=text, title=text),
        plots.group_map(means, [text], satisfaction=means["y"]),
        plots.link_ring(text, names[1:], links, links),
        plots.systems.difference_intervals(results, caption=text),
        plots.term_bars({name: working.dcg([1, 0], items=[text, "b"]) for name in names}),
        plots.online_intervals_map(spans, measures=names),
        plots.slope_chart({text: 1, "b": 0.5}, {"b": 1, text: 0.5}),
        plots.metric_heatmap(means.T, text),
    ]
    texts = [shown for axis in axes for shown in drawn(axis)]
    # matplotlib writes the powers of ten of a logarithmic axis as formulas
    assert not any(map(is_math_text, [shown for shown in texts if "mathdefault" not in shown]))
    assert not any(INVISIBLE.search(shown.replace("\n", "")) for shown in texts)


@pytest.mark.parametrize("name", ["_under", "", "$$"])
def test_legends_keep_names_that_matplotlib_would_leave_out(name):
    ax = plots.term_bars({name: working.dcg([1, 0]), "B": working.dcg([0, 1])})
    assert len(ax.get_legend().get_texts()) == 2
