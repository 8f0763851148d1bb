"""Write the atlas: a page for each measure and for each convention, from what receval states.

docs/conf.py calls `write_pages` before Sphinx reads the pages. Formulas, sources, choices, values
and workings come from the package. Only the meanings, the lessons and the tools' own calls come
from docs/atlas.toml.
"""

import inspect
import re
import tomllib
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from numpydoc.docscrape import NumpyDocString
from reference import array_function, name_of

from receval import Measure, evaluate, plots, which, working
from receval._files import describe_references
from receval.definitions import conventions
from receval.definitions.convention import CONVENTIONS
from receval.definitions.definition import MEASURES
from receval.metrics import short_head

HERE = Path(__file__).parent
TEXTS = tomllib.loads((HERE / "atlas.toml").read_text(encoding="utf-8"))
TOOLS = TEXTS["tools"]

# The example of all pages. Ann's list has four items, one more is allowed, and three of her
# relevant items are missing in it. So the divisors of the tools differ.
K = 5
GRADES = [2, 3, 0, 1]
RELEVANT = [3, 3, 2, 2, 1, 1]
LISTS = pd.DataFrame(
    {
        "user": ["Ann"] * 4 + ["Bob"] * 3,
        "item": ["a", "b", "c", "d", "b", "a", "e"],
        "score": [2.9, 2.5, 1.4, 1.2, 2.2, 2.0, 1.0],
    }
)
TRUTH = pd.DataFrame(
    {
        "user": ["Ann"] * 7 + ["Bob"] * 2,
        "item": ["a", "b", "c", "d", "e", "f", "g", "a", "g"],
        "relevance": [2, 3, 0, 1, 3, 2, 1, 2, 1],
    }
)
ITEMS = pd.DataFrame(
    {
        "awards": [9, 7, 2, 1, 1, 0, 0, 0],
        "novelty_date": pd.to_datetime(
            ["2026-01-01", "2026-01-03", "2026-01-08", "2026-01-10"] + ["2026-01-02"] * 4
        ),
        "drama": [1, 1, 0, 0, 1, 0, 1, 0],
        "comedy": [0, 1, 1, 1, 0, 1, 0, 1],
    },
    index=list("abcdefgh"),
)
HISTORY = pd.DataFrame(
    {"user": ["Ann", "Bob", "Bob", "Cem", "Dot"], "item": ["a", "b", "e", "a", "h"]}
)

KINDS = {
    "Relevance and rank": lambda m: is_about_relevance(m),
    "Predicted ratings": lambda m: "scores" in m.spec.needs,
    "Beyond accuracy": lambda m: not is_about_relevance(m) and "scores" not in m.spec.needs,
}
"""The groups of measures on the overview, with the test that says which measures belong to each."""

NEEDS = {
    "catalogue": "the catalogue",
    "awards": "the number of times that each item was chosen, in the column `awards` of the catalogue",
    "novelty_date": "the date of each item, in the column `novelty_date` of the catalogue",
    "features": "the features of the items, in all columns of the catalogue except `awards` and `novelty_date`",
    "history": "the users' history",
    "scores": "predicted ratings, as the scores of the lists",
}
"""What each need of a measure means, for people who read the page."""

DATA_CHOICES = ("ties", "missing", "no relevant item")
"""Choices that matter only with equal scores, or with users without an answer or relevant items."""


def write_pages(folder: Path) -> None:
    """Write all pages and their pictures into the folders ``measures`` and ``conventions``."""
    mpl.rcParams["svg.hashsalt"] = "receval"
    for name in ("measures", "conventions"):
        (folder / name).mkdir(exist_ok=True)
    for a_measure in MEASURES:
        page = measure_page(a_measure, folder / "measures")
        path = folder / "measures" / f"{page_name(a_measure.key)}.md"
        path.write_text(page, encoding="utf-8")
    (folder / "measures/index.md").write_text(measures_overview(), encoding="utf-8")
    for name in CONVENTIONS:
        page = convention_page(name, folder)
        (folder / "conventions" / f"{name}.md").write_text(page, encoding="utf-8")
    (folder / "conventions/index.md").write_text(conventions_overview(), encoding="utf-8")


def is_about_relevance(a_measure: Measure) -> bool:
    """Return whether a measure depends on which items are relevant, and on nothing else."""
    return not a_measure.spec.needs and "relevant" in a_measure.choices


def page_name(key: str) -> str:
    """Return the file name of a measure's page, without its ending: "r-precision"."""
    return key.lower()


def with_cutoff(a_measure: Measure) -> Measure:
    """Return the measure as the example uses it: at the cut-off `K` if it takes one."""
    if a_measure.spec.takes_cutoff:
        return a_measure.at(K)
    return a_measure


# Small pieces of Markdown -------------------------------------------------------------------------


def markdown_table(rows: list[list[str]], header: list[str], css_class: str = "") -> str:
    """Return a table in Markdown; with a class it is a directive that carries the class."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    text = "\n".join(lines)
    if css_class:
        return f"```{{table}}\n:class: {css_class}\n\n{text}\n```"
    return text


def frame_as_markdown(table: pd.DataFrame) -> str:
    """Return a working as a table in Markdown; numbers have at most four decimals, NaN is empty."""
    rows = [[as_text(value) for value in row] for row in table.itertuples(index=False)]
    return markdown_table(rows, [str(name) for name in table.columns], css_class="working")


def as_text(value: object) -> str:
    """Return a cell of a working as text."""
    if isinstance(value, (float, np.floating)):
        if np.isnan(value):
            return ""
        return f"{value:.4f}".rstrip("0").rstrip(".")
    return str(value)


def sources_as_markdown(source: str) -> str:
    """Return the sources of a measure or convention, with links to their DOIs and to our documents."""
    text = describe_references(source)
    text = re.sub(r"documents? \d{3}( and \d{3})?", r"[\g<0>](../documents.md)", text)
    return re.sub(r"doi:([^\s;,]+)", r"[doi:\1](https://doi.org/\1)", text)


def link_to_convention(name: str, folder: str = "../conventions/") -> str:
    """Return a link to the page of a convention."""
    return f"[{name}]({folder}{name}.md)"


def tools_call(tool: str, key: str) -> str:
    """Return the call by which a tool computes a measure, or "" if the atlas has none."""
    record = TOOLS[tool]
    name = record.get("names", {}).get(key)
    if name is None:
        return ""
    return record["call"].replace("{name}", name).replace("{k}", str(K))


def has_measure(convention: str, key: str) -> bool:
    """Return whether the source of a convention has a measure itself."""
    return not CONVENTIONS[convention].measures or key in CONVENTIONS[convention].measures.split()


def differences(convention: str, choices: tuple[str, ...]) -> dict[str, str]:
    """Return the choices in which a convention differs from receval's own, in words."""
    own_words = CONVENTIONS["receval"].words()
    words = CONVENTIONS[convention].words()
    return {choice: words[choice] for choice in choices if words[choice] != own_words[choice]}


# The page of a measure ----------------------------------------------------------------------------


def measure_page(a_measure: Measure, folder: Path) -> str:
    """Return the page of a measure, and write its pictures into the folder."""
    key = a_measure.key
    texts = TEXTS["measures"][key]
    example = with_cutoff(a_measure)
    other_names = [key, a_measure.spec.title, f"{key} formula", *a_measure.spec.aliases]
    parts = [
        f"# {key}" if a_measure.spec.title == key.lower() else f"# {key}: {a_measure.spec.title}",
        index_entries(other_names),
        texts["meaning"],
        f"$$\n{a_measure.mean_formula}\n$$",
        facts(a_measure, texts),
        "## A worked list",
        worked_list(example, folder),
    ]
    if is_about_relevance(a_measure):
        parts += ["## Which tool computes which variant?", variants(example, folder)]
    parts += ["## Code", code(example)]
    return "\n\n".join(parts) + "\n"


def index_entries(names: list[str]) -> str:
    """Return the entries for the index and for the search, which also finds synonyms there."""
    # The exclamation mark says that this is the main place. The search shows such places first.
    entries = [f"```{{index}} ! single: {name}\n```" for name in dict.fromkeys(names)]
    return "\n\n".join(entries)


def facts(a_measure: Measure, texts: dict[str, str]) -> str:
    """Return the list of facts: range, what it needs, tools, function, lesson, source."""
    key = a_measure.key
    lines = [f"- **Range:** {value_range(a_measure, texts)}"]
    if a_measure.by_convention:
        lines.append(
            "- **Users without a relevant item or a list** count as 0 or are left out of the mean; "
            "[the convention](../conventions/index.md) decides."
        )
    direction = "Higher is better." if a_measure.spec.higher_is_better else "Lower is better."
    lines.append(f"- **Direction:** {direction}")
    if a_measure.spec.needs:
        needs = " and ".join(NEEDS[need] for need in a_measure.spec.needs)
        lines.append(f"- **Also needs:** {needs}")
    function = array_function(a_measure)
    if function is not None and name_of(function):
        lines.append(f"- **Array function:** {{py:obj}}`{name_of(function)}`")
    if a_measure.spec.aliases:
        lines.append(f"- **Other names:** {', '.join(a_measure.spec.aliases)}")
    lines.append(f"- **Lesson:** [](../notebooks/lessons/{texts['lesson']}.ipynb)")
    lines.append(f"- **Source:** {sources_as_markdown(a_measure.spec.source)}")
    if tested := tested_against(key):
        lines.append(f"- **Tested against:** {'; '.join(tested)}")
    return "\n".join(lines)


def tested_against(key: str) -> list[str]:
    """Return the tools whose values of a measure the tests compare with, with the kind of test."""
    result = []
    for name, rules in CONVENTIONS.items():
        is_compared = rules.verified.startswith(("live", "recorded"))
        if name != "receval" and is_compared and has_measure(name, key):
            kind = rules.verified.partition(":")[0]
            result.append(f"{link_to_convention(name)} ({kind})")
    return result


def value_range(a_measure: Measure, texts: dict[str, str]) -> str:
    """Return the possible values and when they are undefined, from the function's docstring."""
    if "range" in texts:
        return texts["range"]
    docstring = inspect.getdoc(array_function(a_measure))
    returned = " ".join(NumpyDocString(docstring)["Returns"][0].desc)
    return re.sub(r"``([^`]*)``", r"`\1`", returned)


def worked_list(example: Measure, folder: Path) -> str:
    """Return the example with its working and a picture of the terms."""
    result = evaluate(LISTS, TRUTH, example, items=ITEMS, history=HISTORY)
    if not example.per_user or example.key == "PC":
        return working_of_all_users(example, float(result.summary.iloc[0, 0]))
    explanation = result.explain("Ann", example.name)
    text = (
        f"Ann's list has four items with the grades {', '.join(map(str, GRADES))}, best rank first. "
        f"Three more items of grades 3, 2 and 1 are relevant, but they are not in the list. Her "
        f"{example.name} is **{as_text(explanation.value)}**:"
    )
    if "scores" in example.spec.needs:
        text = f"Ann has rated all four items in her list. Her {example.name} is **{as_text(explanation.value)}**:"
    elif example.spec.needs:
        text = f"Ann's list has four items. Its {example.name} is **{as_text(explanation.value)}**:"
    parts = [text, frame_as_markdown(explanation.table)]
    if {"rank", "term"} <= set(explanation.table.columns):
        # Ranks that only the ideal list has are without an item.
        table = explanation.table.assign(item=explanation.table["item"].fillna(""))
        figure = Figure(figsize=(7, 2.6), layout="constrained")
        plots.term_bars({"Ann's list": table}, ax=figure.subplots())
        parts.append(save_picture(figure, folder, f"{page_name(example.key)}_terms.svg",
                                  f"Bars: the term of each rank in Ann's {example.name}"))  # fmt: skip
    return "\n\n".join(parts)


def working_of_all_users(example: Measure, value: float) -> str:
    """Return the working of a measure that has one value for the lists of Ann and Bob together."""
    codes = np.array([[0, 1, 2, 3], [1, 0, 4, -1]])  # the lists as codes of items, -1 at the end
    text = (
        f"Ann's list has the items a, b, c and d; Bob's list has b, a and e; the catalogue has the "
        f"eight items a to h. The {example.name} of both lists together is **{as_text(value)}**:"
    )
    if example.key == "Gini":
        table = working.exposure_gini(codes, len(ITEMS))
        table["item"] = ITEMS.index[table["item"]]
    elif example.key == "LTP":
        table = working.long_tail_percentage(codes, short_head(ITEMS["awards"].to_numpy()))
    elif example.key == "PC":
        table = working.prediction_coverage(codes)
    else:
        table = working.catalog_coverage(codes, len(ITEMS))
        table["item"] = ITEMS.index[table["item"]]
    return f"{text}\n\n{frame_as_markdown(table)}"


def variants(example: Measure, folder: Path) -> str:
    """Return the table of the values under all conventions and single changes of choices."""
    with warnings.catch_warnings(action="ignore"):  # that no convention gives 0.5
        candidates = which("0.5", GRADES, RELEVANT, measure=example.name)
    is_convention = candidates["changes"] == ""
    order = {name: number for number, name in enumerate(CONVENTIONS)}
    tools = candidates[is_convention].sort_values("convention", key=lambda names: names.map(order))
    changes = candidates[~is_convention].sort_values("changes", kind="stable")
    formula_choices = tuple(c for c in example.choices if c not in DATA_CHOICES)
    rows = []
    for row in tools.itertuples():
        different = differences(row.convention, formula_choices)
        if CONVENTIONS[row.convention].threshold == CONVENTIONS[row.convention].relevant_from == 0:
            different.pop("relevant", None)  # only negative grades differ, and there are none
        words = "; ".join(f"{choice}: `{text}`" if "_" in text else f"{choice}: {text}"
                          for choice, text in different.items())  # fmt: skip
        call = tools_call(row.convention, example.key)
        if row.convention == "receval":
            call = f'evaluate(recs, truth, "{example.name}")'
        rows.append(
            [
                link_to_convention(row.convention),
                value_or_refusal(row.value),
                words or "nothing",
                f"`{call}`" if call else "",
            ]
        )
    for row in changes.itertuples():
        # No measure with graded gains has these rows, so the words about them are left out.
        words, _, _ = row.changes.partition(" (for graded gains")
        rows.append(["receval, one change", value_or_refusal(row.value), words, ""])
    intro = f"The table shows the {example.name} of this list under every convention that covers the measure. "
    if changes.empty:
        intro += "No single change of receval's own choices makes a difference for this list."
    else:
        intro += (
            "Each of the lower rows changes one choice of receval's own convention; changes that make no "
            "difference for this list are left out."
        )
    if changes["value"].isna().any():
        intro += (
            " receval refuses choices that can't go together, such as graded gains with an ideal list "
            "whose grades are all 1."
        )
    header = ["computed by", "value", "differs from receval in", "the tool's call"]
    parts = [intro, markdown_table(rows, header, css_class="variants")]
    values = tools.set_index("convention")["value"].dropna()
    n_values = len(set(values.round(4)))
    if n_values > 1:
        figure = Figure(figsize=(9, 0.7 + 0.35 * n_values), layout="constrained")
        draw_values(figure.subplots(), values, example.name)
        parts.append(save_picture(figure, folder, f"{page_name(example.key)}_values.svg",
                                  f"A dot for each value of {example.name} with its conventions"))  # fmt: skip
    parts.append(
        "Tools also differ in [how they order equal scores and in which users they average over]"
        "(../conventions/index.md). For another list or a printed number, use [the finder](../finder.md); "
        "{py:obj}`receval.which` also takes the measures that the finder lacks."
    )
    return "\n\n".join(parts)


def value_or_refusal(value: float) -> str:
    """Return a value in bold; NaN means that the choices refuse the list."""
    return "refused" if np.isnan(value) else f"**{as_text(value)}**"


def draw_values(axes: object, values: pd.Series, title: str) -> None:
    """Draw a dot for each value, with the names of the conventions that compute it."""
    groups = values.groupby(values.round(4))
    width = max(values.max() - values.min(), 1e-3)
    for row, (value, names) in enumerate(groups):
        axes.plot(value, row, "o", color="C0")
        axes.annotate(
            f"{value:.4f}   {', '.join(names.index)}",
            (value, row),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    axes.set_yticks([])
    axes.set_ylim(-0.6, len(groups) - 0.4)
    axes.set_xlim(values.min() - 0.05 * width, values.max() + 1.3 * width)
    axes.set_xlabel(title)
    axes.spines[["left", "top", "right"]].set_visible(False)


def save_picture(figure: Figure, folder: Path, name: str, description: str) -> str:
    """Save a figure as SVG, the same bytes in every build; return the Markdown that shows it."""
    figure.savefig(folder / name, metadata={"Date": None})
    return f"![{description}]({name})"


def code(example: Measure) -> str:
    """Return the calls that compute the example with receval."""
    lines = ["import receval", ""]
    options = ""
    others = []  # what the tables are that only some measures need
    if {"catalogue", "awards", "novelty_date", "features"} & set(example.spec.needs):
        options += ", items=items"
        others.append("`items` is the catalogue, with a row for each item. ")
    if "history" in example.spec.needs:
        options += ", history=history"
        others.append("`history` has the columns user and item. ")
    lines.append(f'result = receval.evaluate(recs, truth, "{example.name}"{options})')
    if example.per_user:
        lines.append(f'result.explain("Ann", "{example.name}")')
    if is_about_relevance(example):
        lines += [
            "",
            "# The conventions and single changes that come nearest to a printed 0.55:",
            f'receval.which("0.55", {GRADES}, {RELEVANT}, measure="{example.name}")',
        ]
    block = "\n".join(lines)
    text = (
        "`recs` has the columns user, item and score, and `truth` has user, item and relevance. "
        f"{''.join(others)}See {{py:obj}}`receval.evaluate`."
    )
    return f"```python\n{block}\n```\n\n{text}"


# The overview of measures -------------------------------------------------------------------------


def measures_overview() -> str:
    """Return the page that lists all measures, and measures that people look for here."""
    parts = [
        "# All measures",
        "Each page has the formula, the meaning, the range, a worked list and code. The pages under "
        "*Relevance and rank* also show the values that other tools give for the list; "
        "[the finder](../finder.md) shows most of them for your own list.",
    ]
    for title, belongs in KINDS.items():
        rows = []
        for a_measure in MEASURES:
            if belongs(a_measure):
                link = f"[{a_measure.key}]({page_name(a_measure.key)}.md)"
                meaning = TEXTS["measures"][a_measure.key]["meaning"].partition(". ")[0].rstrip(".")
                rows.append([link, a_measure.spec.title, f"{meaning}."])
        parts += [f"## {title}", markdown_table(rows, ["measure", "name", "meaning"])]
    parts += ["## Names without a measure"]
    keys = {a_measure.key for a_measure in MEASURES}
    for name, record in TEXTS["asked_for"].items():
        links = {
            key: f"[{key}]({page_name(key)}.md)" for key in keys if f"{{{key}}}" in record["text"]
        }
        parts += [
            f"### {name}",
            index_entries([name]),
            record["text"].format(**links),
            "You can also define [your own measure](../api/receval.Measure.rst).",
        ]
    pages = "\n".join(page_name(a_measure.key) for a_measure in MEASURES)
    parts.append(f"```{{toctree}}\n:hidden:\n\n{pages}\n```")
    return "\n\n".join(parts) + "\n"


# Conventions --------------------------------------------------------------------------------------


def convention_page(name: str, folder: Path) -> str:
    """Return the page of a convention: its choices, its measures with their values, and calls.

    ``folder`` is the folder of all pages. One of them may have a section for people who come from the tool.
    """
    rules = CONVENTIONS[name]
    title = TOOLS[name]["title"]
    source = f"The convention `{name}` follows this source: {sources_as_markdown(rules.source)}."
    if name == "receval":
        source = f"The convention `receval` has the package's own choices: {rules.source.partition(': ')[2]}."
    parts = [
        f"# {title} (convention {name})",
        index_entries([title, name, f"{name} convention"]),
        f"{source} {verification(rules.verified)}",
    ]
    if rules.note:
        # Names of tools such as ranx stay lower-case at the start of a sentence.
        is_name_first = rules.note.startswith((name, title))
        note = rules.note if is_name_first else rules.note[0].upper() + rules.note[1:]
        parts.append(f"```{{note}}\n{note}.\n```")
    for measure_key, reason in rules.refused:
        parts.append(f"receval refuses {measure_key} under this convention: {reason}.")
    page = folder / "coming_from.md"
    headings = (
        re.findall(r"^## (.+)$", page.read_text(encoding="utf-8"), re.M) if page.exists() else []
    )
    section = {"sklearn": "scikit-learn", "pytrec_eval": "trec_eval"}.get(name, name)
    for heading in headings:
        if heading.lower() == section:
            parts.append(f"See also [Coming from {heading}](../coming_from.md#{section}).")
    parts += ["## Its choices", choices_table(name)]
    rows = []
    for a_measure in MEASURES:
        if rules.measures and has_measure(name, a_measure.key):
            example = with_cutoff(a_measure)
            value = value_of_example(example, name)
            call = tools_call(name, a_measure.key)
            link = f"[{example.name}](../measures/{page_name(a_measure.key)}.md)"
            rows.append(
                [link, as_text(value), as_text(value_of_example(example, "receval")),
                 f"`{call}`" if call else ""]
            )  # fmt: skip
    if rows:
        header = ["measure", name, "receval", "the tool's call"]
        parts += [
            "## Its measures",
            "These are the values of one list. Its grades, best rank first, are "
            f"{', '.join(map(str, GRADES))}. In all, {len(RELEVANT)} items are relevant; their grades are "
            f"{', '.join(map(str, RELEVANT))}.",
            markdown_table(rows, header),
        ]
    code_block = f'receval.evaluate(recs, truth, "nDCG@10", convention="{name}")'
    explanation = ""
    if name != "receval":
        code_block += f'\nreceval.explain_difference(recs, truth, "nDCG@10", "receval", "{name}")'
        explanation = (
            "The second call, {py:obj}`receval.explain_difference`, changes receval's choices to those of the "
            "convention, one at a time, and says how much each change moves the number. "
        )
    parts += [
        "## Code",
        f"```python\n{code_block}\n```",
        f"{explanation}[One table](index.md) compares all conventions.",
    ]
    return "\n\n".join(parts) + "\n"


def verification(verified: str) -> str:
    """Return the sentence that says how we verified a convention."""
    kind, _, tools = verified.partition(": ")
    tools = " and ".join(tools.rsplit(", ", 1))
    sentences = {
        "live": f"The tests compare it live with {tools}.",
        "recorded values": f"The tests compare it with recorded values of {tools}.",
        "from source": "The tests compare it with the formulas in the source code.",
        "from the document's formulas": "The tests compare it with the document's formulas.",
        "the document's example": "The tests compare it with the document's example.",
    }
    return sentences[kind]


def value_of_example(example: Measure, convention: str) -> float:
    """Return the value of Ann's list under a convention."""
    truth = TRUTH[TRUTH["user"] == "Ann"]
    lists = LISTS[LISTS["user"] == "Ann"]
    result = evaluate(lists, truth, example, convention=convention, items=ITEMS, history=HISTORY)
    return float(result.summary.iloc[0, 0])


def choices_table(name: str) -> str:
    """Return the table of a convention's choices next to those of receval."""
    own_words = CONVENTIONS["receval"].words()
    rows = []
    for choice, words in CONVENTIONS[name].words().items():
        is_different = words != own_words[choice]
        shown = f"**≠ {words}**" if is_different else words
        rows.append([choice, shown, own_words[choice] if is_different else "the same"])
    header = ["choice", name, "receval"]
    if name == "receval":
        rows = [row[:2] for row in rows]
        header = header[:2]
    return markdown_table(rows, header, css_class="choices")


def conventions_overview() -> str:
    """Return the matrix of all conventions and choices."""
    table = conventions()
    own_words = table.loc["receval"]
    choices = list(CONVENTIONS["receval"].words())
    rows = []
    for name in table.index:
        cells = [link_to_convention(name, folder="")]
        for choice in choices:
            words = table.loc[name, choice]
            is_different = words != own_words[choice]
            cells.append(f"**≠ {words}**" if is_different else words)
        rows.append(cells)
    pages = "\n".join(CONVENTIONS)
    parts = [
        "# All conventions: which tool makes which choice",
        index_entries(["compare conventions", "differences between tools", *CONVENTIONS]),
        "A convention is the set of choices behind a number. Each row is a tool or a document, and "
        "each column is a choice. Cells in **bold with ≠** differ from receval's own choices, which are in "
        "the first row. Each convention's page also names its source, and lists the measures of the tool. "
        "[Conventions, with examples](../notebooks/lessons/conventions.md) shows conventions at work, and "
        "[the finder](../finder.md) tries all of them on your list.",
        markdown_table(rows, ["convention", *choices], css_class="matrix"),
        f"```{{toctree}}\n:hidden:\n\n{pages}\n```",
    ]
    return "\n\n".join(parts) + "\n"
