"""A sentence of a notebook says what the picture beside it shows."""

import nbformat

from receval import datasets, evaluate_groups, plots
from receval._files import notebooks_folder


def test_the_colours_of_the_satisfaction_map_mean_what_the_text_says():
    points = datasets.borda_example().rename_axis("member")
    ratings = points.stack().rename_axis(["member", "item"]).rename("rating").reset_index()
    result = evaluate_groups(ratings.assign(group="g"), ["borda", "most_pleasure"], k=4)
    satisfactions = result.per_member["satisfaction"].unstack("member")
    cells = plots.heatmap(satisfactions, label="satisfaction (dark = more)").collections[0]
    brightness = cells.to_rgba(cells.get_array())[..., :3].sum(axis=-1).ravel()
    values = satisfactions.to_numpy().ravel()
    assert brightness[values.argmax()] < brightness[values.argmin()]
    notebook = nbformat.read(notebooks_folder() / "audits" / "001_group_satisfaction.ipynb", 4)
    texts = [cell.source for cell in notebook.cells if "claim" not in cell.metadata.get("tags", [])]
    [number] = [i for i, text in enumerate(texts) if "plots.heatmap(" in text]
    assert "darker a cell, the more satisfied" in texts[number + 1]
