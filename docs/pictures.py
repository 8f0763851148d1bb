"""Draw the pictures of README and of the first page of the site.

Run `python docs/pictures.py` after a change of conventions.
"""

from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval import clipped_log2, plots, published, which, working

GRADES = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
STATIC = Path(__file__).parent / "_static"


def values_by_convention() -> pd.Series:
    """Return the nDCG@10 of `GRADES` under every convention that computes one, lowest first."""
    candidates = which(0.9, GRADES, measure="nDCG@10")
    plain = candidates[candidates["changes"] == ""]
    return plain.set_index("convention")["value"].sort_values(kind="stable")


def one_list(axes: Axes) -> None:
    """Draw a dot for each convention, in rows of equal values."""
    values = values_by_convention().round(2)
    for row, (value, conventions) in enumerate(values.groupby(values)):
        axes.plot(value, row, "o", color="C0")
        axes.annotate(
            f"{value:.2f}   {', '.join(conventions.index)}",
            (value, row),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            fontsize=9,
        )
    axes.set_yticks([])
    axes.set_xlim(0.74, 1.08)  # leaves room for the names at the right
    axes.set_xticks([0.75, 0.8, 0.85, 0.9, 0.95])
    axes.set_xlabel("nDCG@10 of the grades " + " ".join(map(str, GRADES)))
    axes.set_title("The same list, the same metric name, six values", loc="left")
    axes.spines[["left", "top", "right"]].set_visible(False)


def values_of_one_list(axes: Axes) -> None:
    """Draw the values of `one_list` for a small card: a bar each, with the first conventions."""
    values = values_by_convention().round(2)
    for row, (value, conventions) in enumerate(values.groupby(values)):
        names = ", ".join(conventions.index[:3])
        if len(conventions) > 3:
            names += ", …"
        axes.barh(row, value, color="C0", height=0.7)
        axes.text(0.02, row, f"{value:.2f}  {names}", va="center", color="white", fontsize=10)
    axes.set_yticks([])
    axes.set_xlim(0, 1)
    axes.set_title("One list, one name, six values of nDCG@10")
    axes.spines[["left", "top", "right"]].set_visible(False)


def terms_of_one_list(axes: Axes) -> None:
    """Draw the term of each rank of the nDCG of `GRADES`, next to those of the ideal list."""
    table = working.ndcg(GRADES, GRADES, k=10)
    ideal = table[["rank", "ideal term"]].rename(columns={"ideal term": "term"})
    plots.term_bars({"list": table[["rank", "term"]], "ideal list": ideal}, ax=axes)
    value = table["nDCG"].iloc[-1]
    axes.set_title(f"Every number shows its sum: nDCG@10 = {value:.2f}")


def printed_and_computed(axes: Axes) -> None:
    """Draw the terms of a DCG that document 001 prints, and the computed ones."""
    table = working.dcg([9, 9, 6, 4], discount=clipped_log2)[["rank", "term"]]
    printed_sum = float(published.figure("001/dcg")["printed"])
    printed = table.copy()
    # The text prints the sum. Its first three terms are right, so the fourth one is the rest.
    printed.loc[3, "term"] = printed_sum - table["term"].iloc[:3].sum()
    computed_sum = table["term"].sum()
    names = {f"printed, sum {printed_sum:.2f}": printed, f"computed, sum {computed_sum:.2f}": table}
    plots.term_bars(names, ax=axes)
    axes.set_title("The printed sum is wrong in its fourth term")


def main() -> None:
    """Write every picture as SVG, the same bytes in every run, and the preview as PNG."""
    mpl.rcParams["svg.hashsalt"] = "receval"
    figure = Figure(figsize=(9.5, 2.8), layout="constrained")
    one_list(figure.subplots())
    figure.savefig(STATIC / "one_list.svg", metadata={"Date": None})
    cards = {
        "finder": values_of_one_list,
        "working": terms_of_one_list,
        "ledger": printed_and_computed,
    }
    for name, draw in cards.items():
        figure = Figure(figsize=(4.8, 3.2), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        if axes.get_legend() is not None:
            axes.legend(loc="upper right", fontsize=9)
        figure.savefig(STATIC / f"{name}.svg", metadata={"Date": None})
    # Sites that show a preview of a link want a picture of 1200 x 630 pixels.
    figure = Figure(figsize=(12, 6.3), dpi=100, layout="constrained")
    figure.suptitle("receval: which nDCG is this?", fontsize=28)
    one_list(figure.subplots())
    figure.savefig(STATIC / "preview.png", metadata={"Software": None})


if __name__ == "__main__":
    main()
