"""YAML grids of algorithms and measures."""

import os
from contextlib import suppress
from decimal import Decimal
from pathlib import Path

import amount
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from receval import InputError
from receval.people.grid import Grid, read_grid


def values_of(setting):
    """Return the values of one parameter, which is written as flow YAML."""
    return [only["p"] for _, only in read_grid("algorithms: {A: {p: " + setting + "}}").algorithms]


def interval(start, end, step, more=""):
    return f"range: [{{start: {start}, end: {end}, step: {step}}}, {more}]"


# By hand -----------------------------------------------------------------------------------

MANUAL = """
algorithms:
  BM25:
    uSel:
      type: orientation
      values: [UND, IN]
    b:
      type: double
      values: 0.1
      range:
      - start: 0.5
        end: 1
        step: 0.3
    weighted:
      type: boolean
      values: TRUE
  kNN:
    power:
      type: int
      values: [1, 2]
  Popularity:
metrics:
  MAP:
    cutoff:
      type: int
      values: [1, 5, 10]
  nDCG:
"""


def test_a_grid_by_hand():
    grid = read_grid(MANUAL)
    bm25 = [
        ("BM25", {"uSel": u, "b": b, "weighted": True})
        for u in ("UND", "IN")
        for b in (0.1, 0.5, 0.8, 1.0)
    ]
    knn = [("kNN", {"power": power}) for power in (1, 2)]
    assert grid == Grid([*bm25, *knn, ("Popularity", {})], ["MAP@1", "MAP@5", "MAP@10", "nDCG"])
    assert grid.labels[:1] == ["BM25(uSel=UND, b=0.1, weighted=True)"]
    assert grid.labels[-2:] == ["kNN(power=2)", "Popularity"]


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        pytest.param("{type: int, values: 3}", [3], id="scalar"),
        pytest.param("{type: int, values: [3, -1, +2]}", [3, -1, 2], id="list keeps its order"),
        pytest.param("{type: int, value: 3}", [3], id="single-valued form"),
        pytest.param("{type: long, values: 9223372036854775807}", [2**63 - 1], id="long"),
        pytest.param("{type: int, values: 010}", [10], id="text, not octal"),
        pytest.param("{type: double, values: [1, .5, 1.5e3]}", [1.0, 0.5, 1500.0], id="double"),
        pytest.param("{type: boolean, values: [True, 'false']}", [True, False], id="boolean"),
        pytest.param("{type: string, values: [yes, 1.0, '']}", ["yes", "1.0", ""], id="string"),
        pytest.param("{type: orientation, values: [MUTUAL, OUT]}", ["MUTUAL", "OUT"], id="enum"),
        pytest.param("&a {type: int, values: 3}", [3], id="anchor"),
        pytest.param(
            f"{{type: int, values: 9, {interval(5, 7, 2, more='{start: 1, end: 2, step: 1}')}}}",
            [9, 5, 7, 1, 2],
            id="values come first, then each range",
        ),
        *(
            pytest.param(f"{{type: double, {interval(*bounds)}}}", values, id=id)
            for id, bounds, values in (
                ("0 to 1 by 0.1 has 11 values", (0, 1, 0.1), [i / 10 for i in range(11)]),
                ("the end, though no step hits it", (0, 1, 0.3), [0.0, 0.3, 0.6, 0.9, 1.0]),
                ("one value", (1, 1, 5), [1.0]),
                ("nothing adds up", (0.1, 0.7, 0.2), [0.1, 0.3, 0.5, 0.7]),
                ("negative", (-1, 1, 1), [-1.0, 0.0, 1.0]),
                ("exponents", ("1e-7", "3e-7", "1e-7"), [1e-7, 2e-7, 3e-7]),
            )
        ),
    ],
)
def test_settings(setting, expected):
    found = values_of(setting)
    assert found == expected
    assert [type(value) for value in found] == [type(value) for value in expected]


def test_a_file_is_read(tmp_path):
    path = tmp_path / "grid.yml"
    path.write_bytes(b"\xef\xbb\xbf" + MANUAL.replace("\n", "\r\n").encode())
    assert read_grid(path) == read_grid(MANUAL)


def test_parameters_of_measures_are_written_as_everywhere():
    text = """
metrics:
  RBP:
    p: {type: double, values: [0.8, 0.9]}
    cutoff: {type: int, value: 10}
  ERR:
    max_grade: {type: int, value: 4}
"""
    names = ["RBP(p=0.8)@10", "RBP(p=0.9)@10", "ERR(max_grade=4)"]
    assert read_grid(text).measures == names


# Properties --------------------------------------------------------------------------------

decimals = st.decimals(-5, 5, places=3)


@given(decimals, st.decimals(0, 3, places=3), st.decimals("0.05", 2, places=2))
def test_ranges_by_exact_arithmetic(start, length, step):
    end = start + length
    expected, at = [], Decimal(start)
    while at <= end:
        expected.append(float(at))
        at += step
    if expected[-1] != float(end):
        expected.append(float(end))
    assert values_of(f"{{type: double, {interval(start, end, step)}}}") == expected


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_double_is_the_nearest_to_its_text(number):
    assert values_of(f"{{type: double, values: '{number!r}'}}") == [number]
    if number.is_integer() and abs(number) < 1e300:
        assert values_of(f"{{type: double, values: '{int(number)}'}}") == [number]


WORDS = """
algorithms metrics A MAP cutoff type values value range start end step objects object name params
int double boolean string orientation long true 1 0.1 1e999 1e-999 ~ IN -
"""
words = st.sampled_from(WORDS.split())
tree = st.recursive(
    st.one_of(words, st.integers(), st.floats(), st.none(), st.booleans(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(words, inner, max_size=4)),
    max_leaves=25,
)
plausible = st.fixed_dictionaries(
    {
        "algorithms": st.dictionaries(
            words,
            st.dictionaries(
                words,
                st.fixed_dictionaries(
                    {"type": words}, optional={"values": tree, "range": tree, "objects": tree}
                ),
                max_size=2,
            ),
            max_size=2,
        )
    },
    optional={"metrics": tree},
)


@given(st.one_of(tree, plausible))
@settings(max_examples=amount.of(40, 1_000))
def test_fuzzed_trees(value):
    """`fuzzing` damages the text of a grid."""
    with suppress(InputError):
        grid = read_grid(yaml.safe_dump(value, allow_unicode=True) + "\n# text")
        assert len(set(grid.labels)) == len(grid.algorithms)
        assert len(set(grid.measures)) == len(grid.measures)


# Running -----------------------------------------------------------------------------------


def test_run_calls_every_variant_on_the_same_data():
    grid = read_grid("algorithms: {add: {n: {type: int, values: [1, 2]}}, same: }")
    registry = {"add": lambda x, y, n: x + y + n, "same": lambda x, y: (x, y), "other": None}
    assert grid.run(registry, 10, 20) == {"add(n=1)": 31, "add(n=2)": 32, "same": (10, 20)}


def test_run_refuses_an_unknown_name_before_anything_runs():
    grid = read_grid("algorithms: {first: , secnd: }")
    with pytest.raises(InputError, match=r"got 'secnd'. Did you mean 'second'"):
        grid.run({"first": lambda: pytest.fail("it ran"), "second": lambda: None})


def test_run_names_the_variant_that_raises():
    grid = read_grid("algorithms: {bad: {k: {type: int, value: 3}}}")
    with pytest.raises(ZeroDivisionError) as caught:
        grid.run({"bad": lambda k: k / 0})
    assert caught.value.__notes__ == ["raised by bad(k=3)"]


# Refusals ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        pytest.param("{values: 1}", r"algorithms.A.p must have a type, and .*got {'values': '1'}"),
        pytest.param(
            "{type: int}", "algorithms.A.p must have a type, and value or values or range"
        ),
        pytest.param("{type: float, values: 1}", "type must be one of 'int', .* got 'float'"),
        pytest.param("{type: Int, values: 1}", "type must be one of 'int', .* got 'Int'"),
        pytest.param("{type: object, objects: {X: }}", "must have a type, and value or values or"),
        pytest.param("{type: int, values: 1.5}", "p must be a number of type int; got '1.5'"),
        pytest.param("{type: int, values: 1_0}", "p must be a number of type int; got '1_0'"),
        pytest.param(f"{{type: long, values: 1{'0' * 5000}}}", "must be a number of type long"),
        pytest.param(f"{{type: long, values: 1{'0' * 350}}}", "must fit into a double"),
        pytest.param("{type: int, values: [1, [2]]}", r"p must hold values of type int; got \['2'"),
        pytest.param("{type: int, values: []}", "p must have at least one value; got none"),
        pytest.param("{type: int, values: }", "p must be a number of type int; got ''"),
        pytest.param("{type: int, values: {a: 1}}", "must hold values of type int; got {'a': '1'}"),
        pytest.param("{type: int, values: [1, 2, 1]}", r"each variant once; got 'A\(p=1\)' 2"),
        pytest.param("{type: double, values: [0.1, 0.10]}", r"once; got 'A\(p=0.1\)' 2 times"),
        pytest.param(
            "{type: int, values: 2, range: [{start: 1, end: 3, step: 1}]}", "p=2.*2 times"
        ),
        pytest.param("{type: double, values: nan}", "must be a number of type double; got 'nan'"),
        pytest.param("{type: double, values: '1,5'}", "be a number of type double; got '1,5'"),
        pytest.param("{type: double, values: 1e999}", "must fit into a double; got '1e999'"),
        pytest.param("{type: double, values: 1e-999}", "must fit into a double; got '1e-999'"),
        pytest.param("{type: double, values: 0e-99999999}", "must be a number of type double"),
        pytest.param("{type: boolean, values: yes}", "must be one of 'true', 'false'; got 'yes'"),
        pytest.param("{type: orientation, values: in}", "one of 'IN', 'OUT', 'UND', 'MUTUAL'; got"),
        pytest.param("{type: int, values: 1, valeus: 2}", "must have a type, and .*'valeus': '2'"),
        pytest.param("{type: string, range: [1]}", "must have a range only if it is a number"),
        pytest.param(
            "{type: int, value: 1, values: 2}", "must have a type, and value or values or"
        ),
        pytest.param("{type: int, values: 1, values: 2}", "each key once; got 'values' 2 times"),
        pytest.param("[1]", r"algorithms.A.p must have a type, and value .*got \['1'\]"),
        pytest.param("!!python/object/apply:os.system [ls]", r"p must have a type, .*got \['ls'\]"),
        pytest.param("&a {type: int, values: *a}", "found unconstructable recursive node"),
        *(
            (f"{{type: double, range: [{interval}]}}", message)
            for interval, message in (
                (
                    "{start: 0, end: 1}",
                    "A.p.range must have start, end and step; got {'start'",
                ),
                ("{start: 0, end: 1, step: 1, by: 2}", "must have start, end and step; got"),
                ("{start: 0, end: 1, step: 0}", r"range.step must be above 0; got '0'"),
                ("{start: 0, end: 1, step: -1}", "step must be above 0"),
                ("{start: 2, end: 1, step: 1}", "end must be at least the start; got '1'"),
                ("{start: 0, end: 1, step: 1e-300}", "must have at most 100,000 values"),
                ("{start: 0, end: 1e300, step: 1}", "must have at most 100,000 values"),
                ("[0, 1, 0.1]", r"must have start, end and step; got \['0'"),
                ("{start: a, end: 1, step: 1}", "start must be a number of type double; got 'a'"),
            )
        ),
    ],
)
def test_refused_settings(setting, message):
    with pytest.raises(InputError, match=message):
        values_of(setting)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n", "grid must have the sections algorithms and metrics; got None"),
        (
            "just: one\n",
            "metrics.just must map parameters to settings, or be left empty; got 'one'",
        ),
        (
            "metrics: {MAP: }\nMRR: ",
            "section of the grid must be one of 'algorithms', 'metrics'; got 'MRR'",
        ),
        ("MAP: {type: int, values: 5}", "metrics.MAP.type must have a type, and value or .*'int'"),
        ("- a\n- b", "grid must have the sections algorithms and metrics; got \\['a', 'b'\\]"),
        ("algorithms: {A: }\nalgorithms: {B: }", "each key once; got 'algorithms' 2 times"),
        ("algorithms: {A: , A: }", "grid must hold each key once; got 'A' 2 times"),
        ("algorithms:\n", "algorithms must map names to parameters; got ''"),
        ("algorithms: {A: 5}", "algorithms.A must map parameters to settings, .*; got '5'"),
        ("algorithms: {[a]: }", "grid must name each key by a hashable id"),
        ("a: b: c\n", "grid must be one YAML document; got"),
        ("a: 1\n---\nb: 2", "grid must be one YAML document; got"),
        ("[" * 600 + ":\n", "grid must be one YAML document; got maximum recursion"),
        ("metrics: {MAP: {cutoff: {type: double, values: 5}}}", "positive integer; got '5.0'"),
        ("metrics: {MAP: {cutoff: {type: int, values: [5, 0]}}}", "positive integer; got 0"),
        ("metrics: {MAP: {k: {type: int, values: 5}}}", r"'MAP\(k=5\)'"),
        ("metrics:\n  MAP-IA: ", r"got 'MAP-IA'\. "),
        ("metrics: {PC: {cutoff: {type: int, values: 5}}}", "PC without a cut-off"),
        ("metrics: {P@5: , Precision@5: }", "metrics must hold each measure once"),
        (
            (
                "algorithms: {A: {p: {type: string, values: ['1', '1, q=2']}, "
                "q: {type: string, values: ['2, q=3', '3']}}}"
            ),
            r"hold each variant once; got 'A\(p=1, q=2, q=3\)' 2",
        ),
        ("metrics: {MAP: , map: }", "metrics must hold each measure once; got 'MAP' 2 times"),
        ("metrics: {MAP@5: {cutoff: {type: int, values: 5}}}", "positive integer; got '5@5'"),
        ("nowhere.yml", "path must be an existing file; got 'nowhere.yml'"),
        (5, "path must be the name of a file; got 5"),
    ],
)
def test_refused_grids(text, message):
    with pytest.raises(InputError, match=message):
        read_grid(text)


FILES = {
    "algorithms-example.yml": None,
    "comm-detection-example.yml": None,
    "diffusion-example.yml": "metrics.simulations must map parameters to settings",
    "diffusion-metrics-example.yml": "section of the grid must be one of",
    "metrics-example.yml": "Clustering coefficient.type must have a type",
}


@pytest.mark.parametrize("name", FILES)
def test_files_that_ship_with_relison(name):
    if not (path := Path(os.environ.get("RECEVAL_DATA", "")) / "relison" / name).exists():
        pytest.skip("RELISON's example files are not here")
    if (reason := FILES[name]) is not None:
        with pytest.raises(InputError, match=reason):
            read_grid(path)
        return
    # The tutorial prints the same labels in other words, and the example of communities has one.
    grid = read_grid(path)
    assert len(grid.labels) == (4 if name.startswith("alg") else 1)
    assert grid.measures == (["nDCG@10", "MAP@10"] if name.startswith("alg") else [])


def test_a_file_that_is_not_utf8(tmp_path):
    path = tmp_path / "grid.yml"
    path.write_bytes("metrics: {é: }".encode("latin-1"))
    with pytest.raises(InputError, match=r"grid\.yml must be UTF-8 text"):
        read_grid(path)


def test_too_many_variants_are_refused_before_they_are_made(monkeypatch):
    many = f"{{type: int, {interval(1, 1000, 1)}}}"
    laughs = f"algorithms: {{A: {{a: &m {many}, b: *m, c: *m, d: *m}}}}"
    monkeypatch.setattr("receval.people.grid.itertools.product", None)
    with pytest.raises(InputError, match=r"algorithms must have at most 100,000 variants"):
        read_grid(laughs)
