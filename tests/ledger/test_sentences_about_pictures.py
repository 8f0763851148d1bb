"""Sentences of the notebooks say what the pictures beside them show."""

import re

import nbformat
import pytest

from receval import datasets, evaluate_groups, plots
from receval._files import notebooks_folder

DOCUMENTS = notebooks_folder() / "audits"


def cells_of(notebook):
    return nbformat.read(DOCUMENTS / f"{notebook}.ipynb", 4).cells


def text_beside(notebook, call, direction):
    """Return the text above (-1) or below (1) the code cell with a call."""
    cells = [cell for cell in cells_of(notebook) if "claim" not in cell.metadata.get("tags", [])]
    [number] = [i for i, cell in enumerate(cells) if call in cell.source]
    return cells[number + direction].source


@pytest.fixture
def satisfactions():
    points = datasets.borda_example()
    table = points.rename_axis("member").stack().rename_axis(["member", "item"]).rename("rating")
    found = evaluate_groups(table.reset_index().assign(group="g"), ["borda", "most_pleasure"], k=4)
    return found.per_member["satisfaction"].unstack("member")


def test_the_colours_of_the_satisfaction_map_mean_what_the_text_says(satisfactions):
    axes = plots.heatmap(satisfactions, label="satisfaction (dark = more)")
    cells = axes.collections[0]
    brightness = cells.to_rgba(cells.get_array())[..., :3].sum(axis=-1).ravel()
    values = satisfactions.to_numpy().ravel()
    assert brightness[values.argmax()] < brightness[values.argmin()]
    text = text_beside("001_group_satisfaction", "plots.heatmap(", 1)
    assert "darker a cell, the more satisfied" in text
    assert "bright" not in text


def test_each_measure_has_a_panel_as_the_text_says(satisfactions):
    assert len(plots.system_means(satisfactions)) == satisfactions.shape[1]
    text = text_beside("004_people_recommendation", "plots.system_means(", 1)
    assert text.startswith("Each panel is a measure")
    assert "line" not in text.partition("\n\n")[0]


def test_a_single_mark_shows_a_single_click():
    code = [cell.source for cell in cells_of("002_fuzzy_implicators") if cell.cell_type == "code"]
    names = {}
    for part in ("import matplotlib", "def clicks(", "three_objects = ", "np.nonzero("):
        exec(next(source for source in code if part in source), names)
    [marks] = names["ax"].lines
    assert marks.get_xydata().tolist() == [[1.5, 1.5]]  # the second object at place 2
    assert (names["three_objects"].real.table > 0).sum(axis=None) == 1  # lines of the diagram


def test_no_text_promises_a_picture_that_needs_no_kernel():
    assert "no kernel" not in text_beside("002_fuzzy_implicators", "learn.implicator_maps, ", -1)


def pictures_on_opening(cell):
    """Return the alternative texts of the pictures that Jupyter shows before anything has run.

    It prefers HTML to pictures, and takes out scripts.
    """
    texts = []
    for output in cell.get("outputs", []):
        data = output.get("data", {})
        if "text/html" in data:
            html = re.sub(r"<script>.*?</script>", "", data["text/html"], flags=re.DOTALL)
            texts += re.findall(r'<img [^>]*alt="([^"]*)"', html)
        elif "image/png" in data:
            texts.append(output.metadata["image/png"]["alt"])
    return texts


def test_the_implicators_are_there_when_the_notebook_is_opened():
    cells = cells_of("002_fuzzy_implicators")
    [number] = [i for i, cell in enumerate(cells) if "learn.implicator_maps, " in cell.source]
    texts = [text for cell in cells[: number + 1] for text in pictures_on_opening(cell)]
    assert "Gödel" in texts[-1]
