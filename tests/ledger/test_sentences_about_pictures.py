"""Sentences of the notebooks say what the pictures beside them show."""

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
