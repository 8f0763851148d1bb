"""Draw the pictures of README, of the first page of the site, and of the first notebook.

Run `python docs/pictures.py` after a change of conventions or of the walks' pictures.
"""

from base64 import b64decode, b64encode
from io import BytesIO
from pathlib import Path

import matplotlib as mpl
import nbformat
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from receval import plots, published, which, working
from receval._files import notebook_paths, notebooks_folder

GRADES = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
STATIC = Path(__file__).parent / "_static"
DOOR = notebooks_folder() / "00_start_here.ipynb"
WIDTH = 800  # pixels of the pictures of the walks
# Each walk is shown by its first picture. README and the site show satisfaction beside the heatmap
# of the group, which is the third picture; the first notebook doesn't, because the walk asks
# readers to predict who is least satisfied.
PICTURE_ON_SITE = {"2_borda_and_satisfaction": 2}


def picture_of(walk: str, number: int = 0) -> tuple[bytes, str]:
    """Return a picture of a walk as a PNG file, and its alternative text.

    ``number`` counts the pictures of the executed notebook from 0.
    """
    notebook = nbformat.read(notebooks_folder() / "walks" / f"{walk}.ipynb", as_version=4)
    outputs = [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    output = outputs[number]
    image = Image.open(BytesIO(b64decode(output.data["image/png"]))).convert("RGB")
    image.thumbnail((WIDTH, WIDTH), Image.Resampling.LANCZOS)
    png = BytesIO()
    # Few colours make the file small; the octree keeps those of small dots.
    colours = image.quantize(256, Image.Quantize.FASTOCTREE)
    colours.save(png, format="PNG", optimize=True)
    return png.getvalue(), output.metadata["image/png"]["alt"]


def walks() -> list[str]:
    """Return the names of the walks in reading order."""
    paths = notebook_paths(notebooks_folder())
    return [path.stem for path in paths if path.parent.name == "walks"]


def put_pictures_into_door() -> None:
    """Put the first picture of each walk into the first notebook, as attachments of its cells."""
    notebook = nbformat.read(DOOR, as_version=4)
    for cell in notebook.cells:
        for walk in walks():
            if f"](attachment:{walk}.png)" in cell.source:
                png, _ = picture_of(walk)
                cell.attachments = {f"{walk}.png": {"image/png": b64encode(png).decode()}}
    nbformat.write(notebook, DOOR)


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


def verdicts(axes: Axes) -> None:
    """Draw how many printed figures have each verdict."""
    counts = published.ledger(notebook_paths(notebooks_folder()))["expected"].value_counts()
    axes.barh(counts.index[::-1], counts[::-1], color="C0")
    axes.bar_label(axes.containers[0], padding=2, fontsize=8)
    axes.tick_params(axis="y", labelsize=8, length=0)
    axes.set_xticks([])
    axes.spines[["top", "right", "bottom"]].set_visible(False)
    axes.set_title(f"{counts.sum()} printed figures, and our verdicts")


def main() -> None:
    """Write every picture as SVG, the same bytes in every run, and the preview as PNG."""
    mpl.rcParams["svg.hashsalt"] = "receval"
    figure = Figure(figsize=(9.5, 2.8), layout="constrained")
    one_list(figure.subplots())
    figure.savefig(STATIC / "one_list.svg", metadata={"Date": None})
    cards = {
        "finder": values_of_one_list,
        "working": terms_of_one_list,
        "ledger": verdicts,
    }
    for name, draw in cards.items():
        figure = Figure(figsize=(4.8, 3.2), layout="constrained")
        axes = figure.subplots()
        draw(axes)
        if axes.get_legend() is not None:
            axes.legend(loc="upper right", fontsize=9)
        figure.savefig(STATIC / f"{name}.svg", metadata={"Date": None})
    for walk in walks():
        png, _ = picture_of(walk, PICTURE_ON_SITE.get(walk, 0))
        (STATIC / f"walk_{walk[0]}.png").write_bytes(png)
    put_pictures_into_door()
    # Sites that show a preview of a link want a picture of 1200 x 630 pixels.
    figure = Figure(figsize=(12, 6.3), dpi=100, layout="constrained")
    figure.suptitle("receval: which nDCG is this?", fontsize=28)
    one_list(figure.subplots())
    figure.savefig(STATIC / "preview.png", metadata={"Software": None})


if __name__ == "__main__":
    main()
