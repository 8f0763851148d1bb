"""What an import loads, and what happens where an optional package is missing."""

import ast
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import receval
from receval import datasets, plots
from receval.datasets import downloads


def run_alone(code):
    """The last line that a fresh process prints, read as JSON."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def loaded_by(statement):
    """The modules that a statement loads in a fresh process, without the standard library.

    Modules without a spec, such as cython_runtime, come from no file and aren't counted.
    """
    names = run_alone(
        f"import sys, json; before = set(sys.modules); {statement}; "
        "loaded = {name for name, module in sys.modules.items() "
        "if getattr(module, '__spec__', None)} - before; "
        "print(json.dumps(sorted(loaded)))"
    )
    return {name for name in names if name.split(".")[0] not in sys.stdlib_module_names}


def is_ground(module):
    return module == "receval" or module.startswith("receval._")


@pytest.mark.parametrize("room", [None, "receval.metrics"])
def test_receval_loads_numpy_and_the_ground_only(room):
    loaded = loaded_by(f"import {room or 'receval'}")
    assert {name.split(".")[0] for name in loaded} == {"receval", "numpy"}
    own = {name for name in loaded if name.startswith("receval") and not is_ground(name)}
    assert {name for name in own if room is None or not name.startswith(room)} == set()


def test_evaluate_loads_no_package_that_only_comparisons_or_pictures_need():
    """SciPy's statistics alone take longer to load than receval with pandas."""
    loaded = loaded_by("from receval import evaluate")
    assert "pandas" in loaded
    assert not loaded & {"scipy.stats", "scipy.optimize", "matplotlib", "IPython", "yaml", "tqdm"}


def typed_names():
    """Name to origin, as the imports under TYPE_CHECKING have them."""
    tree = ast.parse(Path(receval.__file__).read_text(encoding="utf-8"))
    (block,) = (
        node
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    )
    return [
        (alias.asname or alias.name, f"{statement.module}.{alias.name}")
        for statement in block.body
        for alias in statement.names
    ]


def test_lazy_names_are_those_that_type_checkers_see():
    origins = list(receval._MODULES.items())
    for module, names in receval._NAMES.items():
        origins += [(name, f"{module}.{name}") for name in names.split()]
    assert sorted(origins) == sorted(typed_names())  # each once
    names = {name for name, _ in origins}
    assert names | {"EvaluationWarning", "InputError", "__version__"} == set(receval.__all__)


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'receval' has no attribute 'ndgc'"):
        receval.ndgc  # noqa: B018


# Without the packages of extras -------------------------------------------------------------------


def test_no_name_and_no_comparison_needs_a_package_of_an_extra():
    listed, got, value, n_verdicts = run_alone(
        "import sys, json, receval\n"
        "sys.modules.update(dict.fromkeys(['matplotlib', 'seaborn', 'pooch', 'dask', 'sklearn']))\n"
        "listed = dir(receval)\n"  # before their first use
        "got = [name for name in receval.__all__ if getattr(receval, name) is not None]\n"
        "truth = {user: {'x'} for user in 'abcdefgh'}\n"
        "good = {user: ['x', 'y'] for user in truth}\n"
        "bad = {user: ['y', 'x'] for user in truth}\n"
        "result = receval.evaluate({'good': good, 'bad': bad}, truth, ['MRR'])\n"
        "n_verdicts = len(result.compare('bad').results)\n"
        "print(json.dumps([listed, got, result.summary.loc['good', 'MRR'], n_verdicts]))"
    )
    assert set(receval.__all__) <= set(listed)
    assert got == receval.__all__
    assert (value, n_verdicts) == (1.0, 1)


TABLE = pd.DataFrame({"x": [0.1, 0.2], "y": [0.3, 0.4]}, index=["a", "b"])


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(lambda: plots.trade_off(TABLE, "x", "y"), id="one Axes"),
        pytest.param(lambda: plots.system_means(TABLE), id="panels"),
        pytest.param(lambda: plots.heatmap(TABLE, label=""), id="heatmap"),
        pytest.param(
            lambda: receval.evaluate({"u": ["x"]}, {"u": {"x"}}, ["MRR"]).plot(), id="a result"
        ),
    ],
)
def test_without_matplotlib_a_figure_names_the_extra(monkeypatch, draw):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    message = r'^receval\.plots needs matplotlib: pip install "receval\[plots\]"$'
    with pytest.raises(ImportError, match=message):
        draw()


def test_without_pooch_a_download_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    monkeypatch.delenv("RECEVAL_DATA", raising=False)
    message = r'a download needs pooch: pip install "receval\[data\]"\)\. Get .* by hand'
    with pytest.raises(datasets.DataUnavailable, match=message):
        datasets.fetch("cars/cars-1k.csv")
    assert not datasets.available("cars/cars-1k.csv")


def test_without_pooch_files_that_are_there_are_found(monkeypatch, file):
    path = file("table.csv", "a\n1\n")
    monkeypatch.setitem(sys.modules, "pooch", None)
    checksum = f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    source = downloads.Source("owner/name", "0", "table.csv", checksum)
    monkeypatch.setattr(downloads, "sources", lambda: {"table.csv": source})
    monkeypatch.setenv("RECEVAL_DATA", str(path.parent))
    assert datasets.fetch("table.csv") == path
