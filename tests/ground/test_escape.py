"""Hostile texts, everywhere that users can pass text, in every output format."""

import json
import re
import shutil
import subprocess
import warnings
from html.parser import HTMLParser

import hostile
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
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
from receval.evaluation.report import ComparisonTable
from receval.learn.exercises import Feedback
from receval.ledger.checking import Check
from receval.ledger.table import COLUMNS, LedgerTable

TEXTS = hostile.TEXTS
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


class Reader(HTMLParser):
    """The text of HTML by table cell; refuses elements and attributes that are not receval's."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.cells, self.stretches, self.links = [], [""], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            assert name in OURS[tag] or (tag, name) in OF_PANDAS, (tag, name)
            if name == "href":
                self.links.append(value)
        assert tag in OURS
        self.stretches.append("")
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_endtag(self, tag):
        self.stretches.append("")

    def handle_data(self, data):
        self.stretches[-1] += data
        if self.cells:
            self.cells[-1] += data

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = handle_pi = unknown_decl = handle_comment


def read_html(html):
    reader = Reader()
    reader.feed(html)
    reader.close()
    for stretch in reader.stretches:  # where MathJax looks for a formula
        assert stretch.count("$") < 2
        assert not re.search(r"\\[(\[]|\\begin|\\(eq)?ref", stretch)
    return reader


def check_latex(latex, columns):
    """Check that all commands are known, and that each row of the table has this many columns."""
    body = latex.partition(r"\begin{tabular}")[2]
    assert body
    for command in re.findall(r"\\([a-zA-Z]+|.?)", body, re.DOTALL):
        assert command in COMMANDS or (command and command in "\\{}$&#%_"), command
    assert not re.search(r"(?<!\\)[%#~]", body)
    rows = [row for row in body.splitlines() if row.endswith(r" \\")]
    for row in rows:
        assert len(re.findall(r"(?<!\\)&", row)) == columns - 1
        assert row[0] not in "[*"
        # In mathematics stand numbers only.
        mathematics = re.findall(r"(?<!\\)\$(.*?)(?<!\\)\$", row)
        assert all(re.fullmatch(r"[-+<\[\]., \deE]+|\[nan, nan\]|[\^_].*", m) for m in mathematics)
        depth = 0
        for sign in re.findall(r"\\.|[{}]", row):
            depth += {"{": 1, "}": -1}.get(sign, 0)
            assert depth >= 0
        assert depth == 0
    before = latex.partition(r"\begin{tabular}")[0]
    assert all(line.startswith("%") for line in before.splitlines())
    return len(rows)


def read_markdown(text):
    """Return the cells of a Markdown table by row, as a reader sees them, and the text below it."""
    html = MarkdownIt("commonmark").enable("table").render(text)
    reader = read_html(re.sub(r' style="text-align:right"', "", html))
    tags = set(re.findall(r"<(\w+)", html))
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td", "p", "span", "strong"} | {"br"}
    return reader.cells


@pytest.fixture(scope="module")
def result():
    systems = {text: {"u": {"a": 1.0}, "v": {"b": 0.5}} for text in TEXTS}
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
    assert read_html(f"<td>{for_html(text)}</td>").cells == [lines_for_terminal(text)]


@of_any_text
def test_latex_text_keeps_to_its_cell(text):
    row = f"{for_latex(text)} & {for_latex(text)} \\\\"
    assert check_latex(f"\\begin{{tabular}}\n{row}", 2) == 1


@of_any_text
def test_markdown_cells_are_read_back(text):
    table = f"| {for_markdown(text)} | x |\n| --- | --- |\n| {for_markdown(text)} | y |\n"
    flat = " ".join(one_line(text).split())
    cells = [" ".join(cell.split()) for cell in read_markdown(table)]
    assert cells == [flat, "x", flat, "y"]


@of_any_text
def test_terminal_text_is_one_line_without_control_characters(text):
    assert for_terminal(text).isprintable() or not INVISIBLE.search(for_terminal(text))
    assert len(for_terminal(text).splitlines()) <= 1


@of_any_text
def test_plot_text_is_no_formula(text):
    for width in (None, 5):
        assert not is_math_text(for_plot(text, width) + for_plot("$"))


# Every output -----------------------------------------------------------------------------------


def test_results_are_harmless_and_complete_in_every_format(result):
    comparison = result.compare(TEXTS[0])
    for shown in (result, result.table(), comparison, comparison.table()):
        read_html(shown._repr_html_())
        columns = len(re.search(r"\\begin\{tabular\}\{(.*)\}", shown.to_latex())[1])
        assert check_latex(shown.to_latex(), columns) > 2
        assert not INVISIBLE.search(repr(shown).replace("\n", ""))
    rows = read_html(result._repr_html_()).cells
    assert {lines_for_terminal(text) for text in TEXTS} <= set(rows)
    assert len(repr(result.table()).splitlines()) == 2 + len(TEXTS) + len(result.table().notes)


def test_markdown_of_results_is_a_table(result):
    cells = read_markdown(result.to_markdown())
    width = len(result.summary.columns) + 1
    assert len(cells) == width * (1 + len(TEXTS)), "notes stand in a paragraph below"


def test_explanations_show_text_of_users(result):
    for text in TEXTS:
        read_html(explained(text)._repr_mimebundle_()["text/html"])
        assert not INVISIBLE.search(repr(explained(text)).replace("\n", ""))
    own = result.explain("u", result.measures[1].name, system=TEXTS[0])
    read_html(re.sub(r"<p>\\\(.*?\\\)</p>", "", own._repr_mimebundle_()["text/html"]))


def explained(text):
    table = working.dcg([1, 0], items=[text, "b"]).rename(columns={"term": text})
    of = {text: text}
    return Explanation(text, text, text, text, of, table, 1.0, text, text, text, of)


def test_formulas_of_receval_are_typeset_and_others_are_code(result):
    html = result.explain("u", "nDCG@2", system=TEXTS[0])._repr_mimebundle_()["text/html"]
    assert r"<p>\(" in html
    html = explained(r"\href{javascript:alert(1)}{x}")._repr_mimebundle_()["text/html"]
    assert r"\(" not in html
    assert "<code>" in html


@pytest.mark.parametrize("text", TEXTS)
def test_tables_of_workings_and_verdicts_show_text(text):
    table = working.dcg([1, 0], items=[text, "b"])
    assert for_terminal(text.strip())[:40] in " ".join(read_html(table._repr_html_()).cells)
    with pd.option_context("display.width", 10_000, "display.max_columns", None):
        assert len(repr(table).splitlines()) == 3
    check = Check(text, text, text, (text,), (text,), text, "expected", text)
    contents, _ = check._repr_mimebundle_()
    read_html(contents["text/html"])
    assert len(repr(check).splitlines()) == 2
    row = pd.DataFrame({name: [text] for name in COLUMNS}, index=[text])
    for shown in (LedgerTable(row), LedgerTable(row[["what"]]), Feedback(text, "right", text)):
        links = read_html(shown._repr_html_()).links
        assert not any(link.lower().startswith("javascript:") for link in links)
        assert not INVISIBLE.search(repr(shown).replace("\n", ""))


def test_groups_show_text():
    ratings = pd.DataFrame({"group": 1, "member": TEXTS, "item": "a", "rating": 1})
    with pd.option_context("display.max_rows", None):
        assert not INVISIBLE.search(
            repr(evaluate_groups(ratings, ["average"], k=1)).replace("\n", "")
        )


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the table of a saved file and its metadata."""
    path = tmp_path_factory.mktemp("saved") / "plain.receval"
    lists = {1: {"a": 1.0}, 2: {"b": 0.5}}
    own = Measure("mine", per_list=lambda lists, k: lists.n_relevant, source="a source")
    with warnings.catch_warnings(action="ignore"):
        evaluate({"A": lists, "B": lists}, {1: ["a"], 2: ["b"]}, ["nDCG@2", own]).save(path)
    return pq.read_table(path), pq.read_metadata(path).metadata


@pytest.mark.parametrize("place", range(0, len(TEXTS), 6))
def test_files_of_strangers_are_harmless(saved, place, tmp_path):
    table, metadata = saved
    version, name, source, own_source, system, count = (TEXTS + TEXTS)[place : place + 6]
    record = json.loads(metadata[b"receval"])
    record["receval"] = version
    record["convention"] |= {"name": name, "source": source}
    record["own"][0]["source"] = own_source
    record["systems"][0]["name"] = system
    for of_system in record["systems"]:
        of_system["counts"] = {count: 1, "judged": 2}
    names = [[system if label == "A" else label for label in table["system"].to_pylist()]]
    renamed = table.set_column(table.column_names.index("system"), "system", names)
    changed = metadata | {b"receval": json.dumps(record).encode()}
    pq.write_table(renamed.replace_schema_metadata(changed), tmp_path / "strange.receval")
    loaded = load(tmp_path / "strange.receval")
    for shown in (loaded, loaded.compare()):
        read_html(shown._repr_html_())
        latex = shown.to_latex()
        check_latex(latex, len(latex.partition("tabular}{")[2].partition("}")[0]))
        assert not INVISIBLE.search(repr(shown).replace("\n", ""))


def test_the_command_line_prints_no_control_characters(tmp_path, capsys):
    name = "a\x1b[31m<b>|$x$"
    lists = pd.DataFrame({"user": [1], "item": ["\x1b[31m"], "score": [1.0]})
    lists.to_csv(tmp_path / f"{name}.csv", index=False)
    lists.to_csv(tmp_path / "b.csv", index=False)
    lists.assign(relevance=1).to_csv(tmp_path / "truth.csv", index=False)
    files = [str(tmp_path / one) for one in (f"{name}.csv", "b.csv", "truth.csv")]
    for form in ("table", "markdown", "latex"):
        assert main(["evaluate", *files, "--format", form]) == 0
    assert main(["explain", "1", "nDCG@2", *files]) == 0
    assert main(["evaluate", *files, "-m", "\x1b[31m"]) == 2
    assert main(["evaluate", *files, "--methods"]) == 0
    shown = capsys.readouterr()
    assert "\x1b" not in shown.out + shown.err


# Figures ----------------------------------------------------------------------------------------


def drawn(axes):
    figure = np.atleast_1d(np.asarray(axes, dtype=object)).ravel()[0].figure
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")  # the font has not every letter
        figure.set_layout_engine("none")  # takes half of the time, and changes no text
        figure.draw_without_rendering()
    texts = [text.get_text() for text in figure.findobj(Text) if text.get_visible()]
    plt.close(figure)
    return texts


# What matplotlib or a terminal could read as more than text; drawing takes a second for each.
IN_FIGURES = ["$x$", "_a$b$c_d\r\n\x1b]0;title\x07\u202eright to left\u202c"]


# Which letters the font has depends on the machine.
@pytest.mark.filterwarnings("ignore:Glyph .* missing from font")
@pytest.mark.parametrize("text", IN_FIGURES)
def test_figures_draw_every_name_as_it_is(text, monkeypatch):
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
        plots.difference_intervals(results, caption=text),
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


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="needs a LaTeX")
def test_latex_compiles(result, tmp_path):
    # pdfLaTeX has no letters of other scripts; XeLaTeX and LuaLaTeX have.
    texts = [text for text in TEXTS if for_latex(text).isascii()]
    short = result.summary.loc[texts].rename(index=lambda name: name[:40])
    cells = short.assign(text=[text[:30] for text in texts])
    table = ComparisonTable(cells, dict.fromkeys(cells, 2), 1, tuple(TEXTS))
    packages = r"\usepackage{booktabs}\usepackage[margin=1cm]{geometry}"
    begin = rf"\documentclass{{article}}{packages}\begin{{document}}\tiny"
    document = f"{begin}\n{table.to_latex()}\n\\end{{document}}\n"
    (tmp_path / "names.tex").write_text(document, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "names.tex"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert run.returncode == 0, run.stdout[-2000:]
