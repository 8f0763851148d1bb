"""Warnings name the line of the user's call in a notebook."""

import re

import nbclient
import pytest
from nbformat.v4 import new_code_cell, new_notebook

# A call of each function that warns. The last line of each cell is the one that the warning names.
CALLS = {
    "evaluate": """
        from receval import evaluate
        recommendations = {"u": ["a", "b"]}
        evaluate(recommendations, {"u": ["c"]}, "MRR");
    """,
    "evaluate_retrievers": """
        from receval import evaluate_retrievers
        def tied(query, case_base):
            return dict.fromkeys(case_base, 0.5)
        truth = {"a": tied("a", "ab"), "b": tied("b", "ab")}
        evaluate_retrievers({"tied": tied}, list("ab"), list("ab"), truth=truth);
    """,
    "evaluate_groups": """
        import pandas as pd
        from receval import evaluate_groups
        rows = [("g", 1, "a", 4), ("g", 1, "b", 4), ("h", 2, "a", 3), ("h", 3, "b", 2)]
        columns = ["group", "member", "item", "rating"]
        evaluate_groups(pd.DataFrame(rows, columns=columns), ["average"], k=2);
    """,
    "leave_last_out": """
        from receval.splitting import leave_last_out
        leave_last_out(list("uu"), [1, 1]);
    """,
    "online_intervals": """
        from receval.fuzzy import online_intervals
        log = pd.DataFrame({"system": "A", "position": [1, 1, 2], "user": range(3), "clicked": 0})
        online_intervals(log, k=2, n_resamples=10, rng=0);
    """,
    "repeated responses": """
        from receval.fuzzy import online_measures
        log = pd.DataFrame({"system": list("AAAABBBB"), "user": [1, 1, 1, 2, 3, 4, 5, 6]})
        log = log.assign(item=list("xxxyxyzw"), position=1, clicked=[1, 1, 1, 0, 1, 1, 0, 0])
        online_measures(log, k=6);
    """,
}


@pytest.fixture(scope="module")
def warned():
    """Return the lines of each cell, and what the kernel writes below it."""
    sources = [
        re.sub("^ {8}", "", call.strip("\n"), flags=re.M).rstrip() for call in CALLS.values()
    ]
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    nbclient.NotebookClient(notebook, kernel_name="python3", allow_errors=True).execute()
    return {
        name: (
            cell.source.splitlines(),
            "".join(output.get("text", str(output)) for output in cell.outputs),
        )
        for name, cell in zip(CALLS, notebook.cells, strict=True)
    }


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_in_a_notebook_names_the_line(warned, name):
    lines, text = warned[name]
    assert re.match(rf"/.*/ipykernel_.*:{len(lines)}: EvaluationWarning: ", text)
