"""The page of a run: bounds, times, memory, first calls and a figure.

python -m benchmarks.report build/benchmarks/results.json docs    # again from the same run
"""

from __future__ import annotations

import json
import sys
from itertools import cycle
from pathlib import Path

import numpy as np

from benchmarks.bars import BARS, MB
from benchmarks.data import Case
from benchmarks.page import put, text_between_marks
from benchmarks.tools import TOOLS

PAGE = """# Time and memory

Each tool gets two pandas frames in memory. From these it computes the HR, MRR, MAP, nDCG, precision
and recall at 10 of each user, and their means. receval runs with all its checks. One run of
`python -m benchmarks.run --rounds {rounds}` wrote the page.

{where}

Each measurement runs in a new process, and the tools take turns. A first call on a hundred users
imports and compiles whatever the tool needs; it is not timed. If a call takes less than 2 s, the
median of three calls counts. The table has the median over the rounds. A tool that takes more than
15 s is not run again.

Times depend on the machine, and ratios do, too, though less. The same run set receval to each
tool's own definitions (`convention=`), and the means agreed within 10⁻⁹, over the same number of
users.

## Which targets are met

"RecTools / receval" is the time of RecTools divided by the time of receval. The *bound* is what
receval should reach; ✗ marks a miss.

{bars}

<!-- other machine -->
<!-- /other machine -->

In these cases another tool is faster. The number is its time divided by receval's:

{faster}

## Cost against size

![Cost of a row against the number of rows, for each tool](_static/benchmarks.svg)

Each cell shows the time in seconds and, in brackets, this time divided by receval's time. There are
ten times as many rows as users, and a hundred times as many in *top-100*. Each user has about 10.5
relevant items with grades from 1 to 5, and about a tenth of the recommendations are hits. In
*grouped* tables, users and ranks ascend; in *shuffled* tables, the rows are in random order. Text
ids have eight characters. A dash means that the tool was not run.

{times}

The tools do not do the same work:

- pandas, Polars, DuckDB and the NumPy pass check nothing, such as missing ids or items that occur
  twice in a list.
- The NumPy pass works only for grades from 1 to 7. In its second row, it uses NumPy's stable sort.
- RecTools, RePlay and LensKit don't use grades in nDCG here.
- RecTools, pandas, Polars, DuckDB and the NumPy pass get ranks instead of scores.
- receval, Polars and DuckDB use both cores, and the other tools use one.
- LensKit doesn't get the users without relevant items.

## Memory

The peak memory in MB, minus the memory in use before the call. It includes the values that the tool
returns.

{memory}

## In a fresh process

The seconds for importing the tool once NumPy and pandas are loaded, and for the first call with 10⁵
rows and int ids.

{cold}

The processor time of the command line and of the import alone, each the shortest of seven runs in
fresh processes (`python -m benchmarks.starting`):

<!-- starting -->
<!-- /starting -->

## Reading files

receval's readers and `pandas.read_csv` (for TREC files with `sep=r"\\s+"`), the fastest of fifteen
runs with files in the disk cache (`python -m benchmarks.reading`). receval also keeps text as
written, checks every number and row, and names the row of an error.

<!-- reading -->
<!-- /reading -->

## Versions

{versions}
"""


def write(found, folder):
    """Write ``benchmarks.md`` and its figure from a run's results; return the table of bounds."""
    (folder / "_static").mkdir(parents=True, exist_ok=True)
    results = found["results"]
    cases = {name: Case.named(name) for name in results if name != "cold"}
    # The figure has the small cases.
    timed = [name for name, case in cases.items() if case.rows != 10**5 and case.text != 20]
    weighed = [name for name in timed if cases[name].k == 10]
    bars = [bar.row(results) for bar in BARS]
    head = ("case", "ratio or value", "bound", "measured")
    page = PAGE.format(
        where=f"{found['processor']}, {found['cores']} cores, {found['memory']} GB of memory, "
        f"Python {found['python']}.",
        rounds=found["rounds"],
        bars=_table(head, bars),
        faster=_faster_tools(results, cases),
        times=_by_tool(results, timed, _time),
        memory=_by_tool(results, weighed, lambda one, _: f"{one['extra'] / MB:.0f}"),
        cold=_table(
            ("tool", "import", "first call"),
            (
                (TOOLS[name].label, f"{one['import']:.2f}", f"{one['first']:.3f}")
                for name, one in results.get("cold", {}).items()
            ),
        ),
        versions=_versions(results),
    )
    path = folder / "benchmarks.md"
    old_page = path.read_text(encoding="utf-8") if path.exists() else ""
    path.write_text(page, encoding="utf-8")
    # Some texts come from other programs, or from a run on another machine.
    for name in ("other machine", "starting", "reading"):
        text = text_between_marks(name, old_page)
        if text:
            put(name, text, path)
    _picture(results, folder / "_static" / "benchmarks.svg")
    return _table(head, bars)


def _faster_tools(results, cases):
    """Return a list of the cases in which other tools take less time than receval."""
    lines = []
    for name, case in cases.items():
        receval = results[name]["receval"]["seconds"]
        shares = {
            TOOLS[tool].label: f"{one['seconds'] / receval:.2f}"
            for tool, one in results[name].items()
            if one["seconds"] < 0.995 * receval and not tool.startswith("numpy")
        }
        if shares:
            lines.append(f"- {case}: {', '.join(f'{tool} {shares[tool]} ×' for tool in shares)}")
    return "\n".join(lines) or "- none in this run"


def _time(one, receval):
    """Return the seconds and, in brackets, the ratio to receval's time."""
    seconds = f"{one['seconds']:.3g}"
    if not receval:
        return seconds
    ratio = one["seconds"] / receval["seconds"]
    shown = f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:.0f}"  # 120, not 1.2e+02
    return f"{seconds} ({shown})"


def _by_tool(results, cases, cell):
    rows = [
        (
            TOOLS[name].label,
            *(
                cell(results[case][name], results[case].get("receval"))
                if name in results[case]
                else "–"
                for case in cases
            ),
        )
        for name in TOOLS
        if any(name in results[case] for case in cases)
    ]
    return _table(("tool", *(str(Case.named(case)) for case in cases)), rows)


def _table(head, rows):
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _versions(results):
    known = {}
    for case in results.values():
        for one in case.values():
            known |= one["versions"]
    return ", ".join(f"{name} {version}" for name, version in sorted(known.items())) + "."


def _picture(results, path):
    import matplotlib as mpl
    import matplotlib.pyplot as plt

    plt.style.use(["seaborn-v0_8-whitegrid", "seaborn-v0_8-paper", {"svg.hashsalt": "receval"}])
    others = [name for name in TOOLS if not name.startswith("receval")]
    colours = dict(zip(others, cycle(mpl.colormaps["tab10"].colors), strict=False))
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), sharey=True, layout="constrained")
    for ax, text in zip(axes, (0, 8), strict=True):
        ends = {}
        for name, tool in TOOLS.items():
            cases = [Case(size, text) for size in "SML"]
            points = [
                (case.rows, results[case.name][name]["seconds"] / case.rows * 1e9)
                for case in cases
                if name in results.get(case.name, {})
            ]
            if not points or tool.cases:
                continue
            ours = name == "receval"
            style = {"color": "black" if ours else colours[name], "linewidth": 2.6 if ours else 1.4}
            ax.plot(*zip(*points, strict=True), marker="o", markersize=4, **style)
            ends[tool.label] = (*points[-1], style["color"])
        _label(ax, ends)
        ax.set(xscale="log", yscale="log", xlim=(7e4, 4e8), xticks=[1e5, 1e6, 1e7])
        ax.set(xlabel="rows of recommendations", title=f"{'text' if text else 'int'} ids, grouped")
        ax.minorticks_off()
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set(ylabel="nanoseconds per row")
    with mpl.rc_context({"svg.fonttype": "path"}):
        figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)


def _label(ax, ends):
    """Write names next to the ends of the lines, and move them apart if they would overlap."""
    if not ends:
        return
    gap, places = 1.35, []
    for name, (x, y, colour) in sorted(ends.items(), key=lambda end: end[1][1]):
        places.append(max(y, places[-1] * gap) if places else y)
        ax.annotate(
            name,
            (x, y),
            (np.maximum(x, 1e7) * 1.3 if x >= 1e7 else x * 1.3, places[-1]),
            color=colour,
            va="center",
            fontsize=8,
            arrowprops={"arrowstyle": "-", "color": colour, "linewidth": 0.5},
        )


if __name__ == "__main__":
    write(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")), Path(sys.argv[2]))
