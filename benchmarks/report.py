"""The page of a run: what holds of the bars, times, memory, first calls, a picture.

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
from benchmarks.tools import TOOLS

PAGE = """# What evaluation costs

HR, MRR, MAP, nDCG, precision and recall at 10, from two pandas frames in memory to the values of
each user and their means: receval with all its checks on, beside other tools. Everything here was
written by one run of

```
python -m benchmarks.run --rounds {rounds}
```

which `make bench` does with three rounds.

{where} Each measurement is a process of its own, one at a time, the tools in turn; in it, a first
call on a hundred users imports and compiles, and of calls below 2 s the median of three counts.
Of several rounds the median counts; there is one only where a round took over 15 s. Only ratios
within this run mean something: another machine, or the same one when it is busy, has other
times. In the same run the means of every tool were compared with receval's under that tool's own
definitions (`convention=`); they agreed within 10⁻⁹, over the same number of users.

## What holds

{bars}

## Cost against size

![Cost of a row against the number of rows, for each tool](_static/benchmarks.svg)

Users are a tenth of the rows, with about 10.5 relevant items each, graded 1 to 5; about a tenth of
the recommendations are hits. *Grouped*: users in ascending order, their lists in order of rank;
*shuffled*: both tables at random. Text ids have eight characters, which receval and the NumPy pass
read as whole numbers; long ones have twenty, which they cannot. Each cell: seconds, and in brackets
the multiple of receval's.

{times}

{notes}

The tools do not do the same work. pandas, Polars, DuckDB and the NumPy pass take grades and ranks
as they are and check nothing: no missing ids, no item twice in a list, no order of scores. The
NumPy pass moreover needs grades from 1 to 7; its second row makes use of the order that is there
(NumPy's stable sort instead of the plain one). RecTools and RePlay know no grades in nDCG, and
LensKit takes them only if told so, which it is not here. RecTools takes ranks. Polars, DuckDB and
receval use both cores, the others one. LensKit is told neither of users without relevance nor are
its lists made by its slower `from_df`.

## Memory

MB at the peak beyond what was in use before the call, the returned values included.

{memory}

## In a fresh process

10⁵ rows, int ids: seconds to import the tool when NumPy and pandas are there, and of the first
call, with whatever it imports or compiles.

{cold}

Processor time of the command line beside that of the import alone, each in a fresh process, by
`python -m benchmarks.starting`; of seven in turn the least counts.

<!-- starting -->
<!-- /starting -->

## Reading files

CSV and TREC files of 754,400 rows from a warm disk, by `pandas.read_csv` (for TREC files with
`sep=r"\\s+"`) and by receval's readers, which moreover keep text as it is written, check every
number and every row's fields, and name the line of what is wrong. `make bench` writes this table
by `python -m benchmarks.reading`; of seven calls in turn the fastest counts.

<!-- reading -->
<!-- /reading -->

## Versions

{versions}
"""


def write(found, folder):
    """``benchmarks.md`` and its picture, from what a run found; answers the table of bars."""
    (folder / "_static").mkdir(parents=True, exist_ok=True)
    results = found["results"]
    cases = [name for name in results if name != "cold"]
    bars = _table(("case", "what", "floor", "measured", "stretch"), (b.row(results) for b in BARS))
    page = PAGE.format(
        where=f"Python {found['python']}, {found['cores']} cores.",
        rounds=found["rounds"],
        bars=bars,
        times=_by_tool(results, cases, _time),
        memory=_by_tool(results, cases, lambda one, _: f"{one['extra'] / MB:.0f}"),
        notes="\n".join(f"- {note}" for note in found["notes"]),
        cold=_table(
            ("tool", "import", "first call"),
            (
                (TOOLS[name].label, f"{one['import']:.2f}", f"{one['first']:.3f}")
                for name, one in results.get("cold", {}).items()
            ),
        ),
        versions=_versions(results),
    )
    (folder / "benchmarks.md").write_text(page)
    _picture(results, folder / "_static" / "benchmarks.svg")
    return bars


def _time(one, receval):
    seconds = f"{one['seconds']:.3g}"
    return f"{seconds} ({one['seconds'] / receval['seconds']:.2g})" if receval else seconds


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
    """Names behind the ends of the lines, pushed apart where they would overlap."""
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
    write(json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]))
