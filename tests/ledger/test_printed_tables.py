"""Printed tables in LaTeX, Markdown and CSV, and the ledgers that are written for them."""

import json
import re
import sys
import tomllib

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from receval import InputError
from receval.cli import main
from receval.ledger import label_text, new_ledger, read_printed, read_table

LATEX = r"""
\begin{table}[t]
\caption{Results on \textbf{two} data sets, nDCG \& HR.}
\begin{tabular}{ll|r@{\,}rr}
\toprule
 & & \multicolumn{2}{c}{MovieLens} & Books \\
\cmidrule(lr){3-4} \cmidrule(lr){5-5}
Type & Model & nDCG@10 & HR@10 (\%) & $n$ \\ \midrule
% a comment & with \\ signs
\multirow{2}{*}{Base} & Random & 0.012 & 1.3\,\% & 1{,}374{,}327 \\[2pt]
 & MF$_2$ & $0.396 \pm 0.002$ & \textbf{39.6}\% & --- \\
\midrule
\multicolumn{5}{l}{\textit{Neural}} \\
\multirow{2}{*}{\rotatebox{90}{Deep}} & VAE\textsuperscript{1} & \textbf{0.451}$^{ab}$ & & n.s. \\
 & $\mathbf{BERT}$ & {\small 0.4}\tnote{a} & $-0.2^{\dagger}$\% & $3.2\times10^{-4}$ \\
\bottomrule
\end{tabular}
\end{table}
"""


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its path."""

    def write_file(name, content, encoding="utf-8"):
        path = tmp_path / name
        path.write_text(content, encoding=encoding)
        return path

    return write_file


def test_a_table_in_latex(write):
    table = read_table(write("table2.tex", LATEX))
    assert table.caption == "Results on two data sets, nDCG & HR."
    assert table.frame().to_dict("index") == {
        "Base / Random": {
            "MovieLens / nDCG@10": "0.012",
            "MovieLens / HR@10 (%)": "1.3 %",
            "Books / n": "1,374,327",
        },
        "Base / MF_2": {
            "MovieLens / nDCG@10": "0.396 ± 0.002",
            "MovieLens / HR@10 (%)": "39.6%",
            "Books / n": "—",
        },
        "Neural / Deep / VAE": {
            "MovieLens / nDCG@10": "0.451ᵃᵇ",
            "MovieLens / HR@10 (%)": "",
            "Books / n": "n.s.",
        },
        "Neural / Deep / BERT": {
            "MovieLens / nDCG@10": "0.4ᵃ",
            "MovieLens / HR@10 (%)": "-0.2†%",
            "Books / n": "3.2×10⁻⁴",
        },
    }
    assert [cell.text for cell in table.cells if cell.is_bold] == ["39.6%", "0.451ᵃᵇ"]
    lines = {cell.row: cell.line for cell in table.cells}
    source = LATEX.splitlines()
    assert "Random" in source[lines["Base / Random"] - 1]
    assert "BERT" in source[lines["Neural / Deep / BERT"] - 1]
    assert table.n_empty == 1
    assert [cell.kind for cell in table.cells].count("statement") == 2


@pytest.mark.parametrize(
    ("body", "frame"),
    [
        pytest.param(
            r"\hline model & HR \\ \hline\hline EASE & .4 \\ \hline MF & .3 \\ \hline",
            {"EASE": {"HR": ".4"}, "MF": {"HR": ".3"}},
            id="lines",
        ),
        pytest.param(r"m & HR \\ EASE & .4", {"EASE": {"HR": ".4"}}, id="no rules"),
        pytest.param(
            r"\toprule m & HR\tablefootnote{at 10} \\ \midrule A\&B & \best{\num{.4}} \\",
            {"A&B": {"HR": ".4"}},
            id="own macros",
        ),
        pytest.param(
            r"\toprule m & HR \\ \midrule \rowcolor{gray!20} EASE & \cellcolor[gray]{.9}.4 \\",
            {"EASE": {"HR": ".4"}},
            id="colours are no numbers",
        ),
        pytest.param(
            r"\toprule m & \makecell{HR\\@10} \\ \midrule EASE & \textcolor{red}{.4} \\",
            {"EASE": {"HR @10": ".4"}},
            id="line breaks in a cell",
        ),
        pytest.param(
            r"m & {a \& b} \\ \midrule x & 1 \\", {"x": {"a & b": "1"}}, id="sign in a label"
        ),
        pytest.param(
            r"m & a & b & c \\ \midrule x & \ding{55} & \cmark & \phantom{0} \\ y & 1 & 2 & 3 \\",
            {"x": {"a": "✗", "b": r"\cmark", "c": ""}, "y": {"a": "1", "b": "2", "c": "3"}},
            id="ticks and crosses are no numbers",
        ),
        pytest.param(
            r"\toprule d & m & HR \\ \midrule A & x & 1 \\ & y & 2 \\ B & x & 3 \\",
            {"A / x": {"HR": "1"}, "A / y": {"HR": "2"}, "B / x": {"HR": "3"}},
            id="labels printed once",
        ),
        pytest.param(
            r"m & HR$^b$ \\ \midrule EASE$^R$ & $0.4_{\pm 0.1}$ \\ VAE$^{\text{PR}}$ & 0.3 \\",
            {"EASE^R": {"HR": "0.4 ± 0.1"}, "VAE^PR": {"HR": "0.3"}},
            id="raised capitals of a name and small spreads",
        ),
    ],
)
def test_ways_of_writing_latex(write, body, frame):
    path = write("t.tex", rf"\begin{{tabular}}{{lrr}} {body} \end{{tabular}}")
    assert read_table(path).frame().to_dict("index") == frame


def test_other_environments_and_nested_tables(write):
    source = r"""
\begin{tabularx}{\textwidth}{l|X}
m & \begin{tabular}{c}HR\\@10\end{tabular} \\ \midrule
EASE & 0.4 \\
\end{tabularx}
\begin{tabular*}{5cm}{lr} m & HR \\ \midrule EASE & 0.5 \\ \end{tabular*}
"""
    path = write("t.tex", source)
    with pytest.raises(InputError, match=r"t\.tex must have one table; got 2. Choose one"):
        read_table(path)
    assert read_table(path, number=1).cells[0].text == "0.4"
    assert read_table(path, number=2).cells[0].text == "0.5"
    with pytest.raises(InputError, match="number must be from 1 to 2"):
        read_table(path, number=3)


MARKDOWN = r"""
Some text with a | bar.

| model | HR@10 | p \| q |
|:------|------:|:---:|
| EASE  | **0.396** | < 0.001 |
| `MF`  | 0.3\* | n.s. |

| other | table |
"""


def test_a_table_in_markdown(write):
    table = read_table(write("t.md", MARKDOWN.replace(r"\*", "*")))
    assert table.frame().to_dict("index") == {
        "EASE": {"HR@10": "0.396", "p | q": "< 0.001"},
        "MF": {"HR@10": "0.3*", "p | q": "n.s."},
    }
    assert [(cell.line, cell.is_bold) for cell in table.cells] == [
        (6, True), (6, False), (7, False), (7, False),
    ]  # fmt: skip


def test_a_table_in_csv(write):
    path = write("t.csv", '\ufeffmodel,"HR\n@10",n\nEASE,0.50,"1,508"\n\nMF,0.3,2\n')
    table = read_table(path)
    assert table.frame().to_dict("index") == {
        "EASE": {"HR @10": "0.50", "n": "1,508"},
        "MF": {"HR @10": "0.3", "n": "2"},
    }
    assert [cell.line for cell in table.cells] == [3, 3, 5, 5]
    with_commas = write("k.csv", "model;HR\nEASE;0,396\n")
    assert read_table(with_commas, decimal_comma=True).cells[0].text == "0,396"
    assert read_table(write("t.tsv", "m\tHR\nEASE\t0.4\n")).cells[0].text == "0.4"


def test_numbers_as_row_labels_need_to_be_declared(write):
    path = write("t.csv", "model,k,HR\nEASE,5,0.3\nEASE,10,0.4\n")
    with pytest.raises(
        InputError, match=r"row label once; got 'EASE' in lines 2, 3.*label_columns"
    ):
        read_table(path)
    table = read_table(path, label_columns=2)
    assert table.rows == ("EASE / 5", "EASE / 10")


def test_several_header_rows_can_be_declared(write):
    path = write("t.csv", "model,ML,ML\n,HR,nDCG\nEASE,0.3,0.4\n")
    with pytest.raises(InputError, match="column label once; got 'ML'"):
        read_table(path)
    assert read_table(path, header_rows=2).columns == ("ML / HR", "ML / nDCG")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.tex", "no table here", "t.tex must have a table; got none"),
        ("t.md", "| a |", "t.md must have a table; got none"),
        ("t.csv", "", "t.csv must have a table; got none"),
        ("t.csv", "a,b\n", "have rows below the labels"),
        ("t.csv", "a\nb\n", "have columns to the right"),
        ("t.csv", 'a,b\nc,"d\n', "valid CSV; got unexpected end of data"),
        ("t.csv", "a,b\nc,39.6 x\n", r"must have cells.*line 2 \(row c, column b\): printed"),
        ("t.csv", "a,b\nc,1\nd,1,2\n", "rows of at most 2 cells.*line 3"),
        ("t.csv", 'a,b\nc,"0,396"\n', "decimal_comma = true"),
        ("t.tex", r"\begin{tabular}{l} a & \textbf{0.4 \\ \end{tabular}", "line 1: .*valid LaTeX"),
        ("t.tex", r"\begin{tabular}{l} a & b", r"must have an \\end; got none"),
        ("t.tex", r"\begin{tabular}{l} a & b \\ \midrule \multirow{x}{*}{c} & 1\end{tabular}",
         "multirow must cover a number"),
        ("t.tex", r"\begin{tabular}{l} a & b \\" + "{" * 3000 + "}" * 3000 + r"\end{tabular}",
         "line 1: the table must have fewer nested braces"),
        ("t.txt", "a", "table must be a file that ends in .tex"),
    ],
)  # fmt: skip
def test_broken_tables_are_refused(write, name, content, message):
    with pytest.raises(InputError, match=r"(?s)" + message):
        read_table(write(name, content))


def test_missing_files_and_other_encodings_are_refused(write, tmp_path):
    with pytest.raises(InputError, match="there is none at"):
        read_table(tmp_path / "none.tex")
    with pytest.raises(InputError, match="be text in UTF-8; got the byte 0xe8"):
        read_table(write("t.csv", "modèle,HR\né,0.3\n", encoding="latin-1"))
    with pytest.raises(InputError, match="table must be the path of a file; got 3"):
        read_table(3)
    with pytest.raises(InputError, match="label_columns must be a positive"):
        read_table(write("u.csv", "a,b\nc,1\n"), label_columns=0)


CELLS = st.decimals(0, 1000, places=3).map(str) | st.sampled_from(["—", "0.3*", "0.35 %", "1,508"])


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=4),
    st.sampled_from([".tex", ".csv", ".md"]),
)
def test_a_written_frame_is_read_again(tmp_path_factory, texts, ending):
    columns = pd.MultiIndex.from_tuples([("ML", "HR"), ("ML", "nDCG"), ("Books", "HR")])
    index = [f"model {i}" for i in range(len(texts))]
    frame = pd.DataFrame(texts, index=index, columns=columns)
    folder = tmp_path_factory.mktemp("table")
    path = folder / f"t{ending}"
    header_rows = None
    if ending == ".tex":
        rows = [
            " & ".join([label, *row]).replace("%", r"\%")
            for label, row in zip(index, texts, strict=True)
        ]
        body = r"\toprule & \multicolumn{2}{c}{ML} & Books \\ & HR & nDCG & HR"
        path.write_text(
            "\\begin{tabular}{lrrr}" + body + "\\\\ \\midrule\n" + " \\\\\n".join(rows)
            + "\\\\ \\end{tabular}", encoding="utf-8",
        )  # fmt: skip
    elif ending == ".csv":
        flat = frame.set_axis([label_text(label) for label in columns], axis=1)
        flat.to_csv(path, index_label="model")
    else:
        lines = ["|model|" + "|".join(map(label_text, columns)) + "|", "|---" * 4 + "|"]
        lines += [
            "|" + "|".join([label, *row]) + "|" for label, row in zip(index, texts, strict=True)
        ]
        path.write_text("\n".join(lines), encoding="utf-8")
    table = read_table(path, header_rows=header_rows)
    assert table.columns == ("ML / HR", "ML / nDCG", "Books / HR")
    assert table.rows == tuple(index)
    again = table.frame().to_numpy().tolist()
    assert again == [[read_printed(text).plain for text in row] for row in texts]


def test_label_text_joins_the_parts_of_a_label():
    assert label_text(("ML", "ML", "", "EASE")) == "ML / EASE"
    assert label_text("two  words\n") == "two words"


# Ledgers. ---------------------------------------------------------------------------------------


def test_a_new_ledger_has_an_entry_for_each_cell(write, tmp_path):
    made = new_ledger(tmp_path / "my-paper", write("table2.tex", LATEX))
    assert (made.n_figures, made.n_statements, made.n_labels, made.n_empty) == (9, 2, 0, 1)
    content = tomllib.loads(made.toml.read_text(encoding="utf-8"))
    assert content["title"] == "Results on two data sets, nDCG & HR."
    figures = content["figures"]
    assert len(figures) == 11
    assert figures["base_mf_2_movielens_hr_10"] == {
        "where": "table2.tex, line 11",
        "what": "Base / MF_2, MovieLens / HR@10 (%)",
        "table": "table2",
        "row": "Base / MF_2",
        "column": "MovieLens / HR@10 (%)",
        "printed": "39.6%",
        "bold": True,
    }
    assert "9 figures, 2 statements without a number, 1 empty cells" in repr(made)
    notebook = json.loads(made.notebook.read_text(encoding="utf-8"))
    code = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert 'ledger.check("base_random_movielens_ndcg_10", value)' in code[1]
    assert 'float("nan")' in code[1]  # no computed side is made from the printed one


def test_the_first_notebook_is_valid(write, tmp_path):
    import nbformat

    made = new_ledger(tmp_path / "paper", write("t.md", MARKDOWN.replace(r"\*", "*")))
    nbformat.validate(nbformat.read(made.notebook, as_version=4))


def test_a_further_table_gets_a_file_of_its_own(write, tmp_path):
    folder = tmp_path / "paper"
    new_ledger(folder, write("table1.csv", "m,HR\nEASE,0.4\n"))
    second = new_ledger(folder, write("Table 2.csv", "m,HR\nEASE,0.5\n"))
    assert second.toml.name == "table_2.toml"
    assert 'ledger.check(\\"table_2/ease_hr\\"' in second.notebook.read_text(encoding="utf-8")
    before = second.toml.read_text(encoding="utf-8")
    with pytest.raises(InputError, match=r"table_2\.toml must be a new file"):
        new_ledger(folder, write("table-2.csv", "m,HR\nEASE,0.6\n"))
    assert second.toml.read_text(encoding="utf-8") == before


def test_hostile_labels_stay_text(write, tmp_path):
    label = '"]\n[figures.x]<script>\\'
    path = write("t.csv", 'm,"a""b"\n"' + label.replace('"', '""') + '",yes\n"x\x7f\u202e",0.5\n')
    made = new_ledger(tmp_path / "paper", path, title='"\n[x]')
    content = tomllib.loads(made.toml.read_text(encoding="utf-8"))
    rows = [figure["row"] for figure in content["figures"].values()]
    assert rows == ['"] [figures.x]<script>\\', "x\x7f\u202e"]
    assert content["title"] == '"\n[x]'
    assert [figure.get("kind") for figure in content["figures"].values()] == ["exact", None]
    notebook = json.loads(made.notebook.read_text(encoding="utf-8"))
    prose = ["".join(c["source"]) for c in notebook["cells"] if c["cell_type"] == "markdown"]
    assert not any(re.search(r"(?<!\\)<script", text) for text in prose)


def test_equal_names_get_a_number(write, tmp_path):
    made = new_ledger(tmp_path / "paper", write("t.csv", "m,HR\nMF,0.4\nMF+,0.5\n東,0.6\n"))
    content = tomllib.loads(made.toml.read_text(encoding="utf-8"))
    assert list(content["figures"]) == ["mf_hr", "mf_hr_2", "hr"]


def test_forms_of_the_table_are_recorded(write, tmp_path):
    path = write("t.csv", "m;HR\nEASE;39,6\n")
    made = new_ledger(tmp_path / "paper", path, decimal_comma=True, percent=True)
    content = tomllib.loads(made.toml.read_text(encoding="utf-8"))
    assert content["forms"] == {"decimal_comma": True, "percent": True}


def test_an_unreadable_table_leaves_no_folder(write, tmp_path):
    with pytest.raises(InputError):
        new_ledger(tmp_path / "paper", write("t.csv", "m,HR\nEASE,0.4 x\n"))
    assert not (tmp_path / "paper").exists()


def test_without_pylatexenc_the_error_says_what_to_install(write, monkeypatch):
    monkeypatch.setitem(sys.modules, "pylatexenc", None)
    with pytest.raises(ImportError, match=r'needs pylatexenc: pip install "receval\[latex\]"'):
        read_table(write("t.tex", LATEX))


def test_the_command_line_says_so_too(write, monkeypatch, capsys, tmp_path):
    monkeypatch.setitem(sys.modules, "pylatexenc", None)
    path = write("t.tex", LATEX)
    assert main(["ledger", "new", str(tmp_path / "paper"), "--table", str(path)]) == 2
    assert 'pip install "receval[latex]"' in capsys.readouterr().err
    assert not (tmp_path / "paper").exists()
