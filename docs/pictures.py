"""Draw the pictures of README. Run `python docs/pictures.py` after a change of conventions."""

from pathlib import Path

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from receval import which

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


def main() -> None:
    """Write every picture as SVG, the same bytes in every run."""
    mpl.rcParams["svg.hashsalt"] = "receval"
    figure = Figure(figsize=(9.5, 2.8), layout="constrained")
    one_list(figure.subplots())
    figure.savefig(STATIC / "one_list.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
