"""Read a grid of algorithms, their parameters and measures from one YAML file.

The format is that of RELISON's recommendation experiments (document 004)::

    algorithms:
      BM25:
        b:
          type: double
          values: [0.1, 0.5]        # one value or a list
          range:                    # also or instead, for numbers: the end is included
          - {start: 0.6, end: 1, step: 0.2}
      Popularity:                   # no parameters
    metrics:
      MAP:
        cutoff:
          type: int
          values: [1, 5, 10]

A file may also hold the metrics only, without the line ``metrics:``, as the document prints them.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias, cast

import yaml

from receval._checks import (
    Options,
    UserFunction,
    check_choice,
    check_not_empty,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval.definitions.convention import format_name
from receval.definitions.definition import measure
from receval.tables.reading import check_path, read_bytes

__all__ = ["Grid", "read_grid"]

SECTIONS = ("algorithms", "metrics")

NUMBER_TYPES: dict[str, type[int] | type[float]] = {"int": int, "long": int, "double": float}
TYPES = (*NUMBER_TYPES, "boolean", "string", "orientation")
ORIENTATIONS = ("IN", "OUT", "UND", "MUTUAL")

WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
DECIMAL_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
PATTERNS = {"int": WHOLE_NUMBER, "long": WHOLE_NUMBER, "double": DECIMAL_NUMBER}
MAX_NUMBER_LENGTH = 400
"""Largest number of characters in a number."""

KEYS_OF_VALUES: tuple[set[str], ...] = ({"value"}, {"values"}, {"range"}, {"values", "range"})
"""The keys that a parameter may have besides its type."""

MAX_VARIANTS = 100_000
"""Largest number of variants, and of values of a range."""

Variant: TypeAlias = tuple[str, Options]
"""The name of an algorithm or a measure, and its parameters."""

Value: TypeAlias = int | float | bool | str
"""A value of a parameter."""


@dataclass(frozen=True)
class Grid:
    """The algorithms and measures of a grid, with each combination written out.

    Attributes
    ----------
    algorithms : list of (str, dict)
        Name and parameters of every variant: the full cross product of each algorithm's
        parameters, the first one varying slowest. Values are int, float, bool or str.
    measures : list of str
        Measure names such as ``"MAP@5"``.
    """

    algorithms: list[Variant]
    measures: list[str]

    @property
    def labels(self) -> list[str]:
        """Return a distinct name for each variant, such as ``"BM25(b=0.1)"``."""
        return [format_name(name, parameters) for name, parameters in self.algorithms]

    def run(self, registry: Mapping[str, UserFunction], *data: object) -> dict[str, Any]:
        """Call every variant on the same data.

        Parameters
        ----------
        registry : mapping of str to callable
            The function behind each name in the grid; receval calls
            ``registry[name](*data, **parameters)``.
        *data
            The arguments of every algorithm, such as the training table.

        Returns
        -------
        dict
            The results by label, ready to be evaluated as several systems at once.

        Raises
        ------
        InputError
            If the registry lacks a name; in that case, nothing runs. If an algorithm raises, its
            exception gets a note with the label.

        Examples
        --------
        >>> grid = read_grid("algorithms: {Top: {n: {type: int, values: [1, 2]}}}")
        >>> grid.run({"Top": lambda items, n: items[:n]}, ["a", "b", "c"])
        {'Top(n=1)': ['a'], 'Top(n=2)': ['a', 'b']}
        """
        for name, _ in self.algorithms:
            check_choice(name, "algorithm", registry)
        answers = {}
        for label, (name, parameters) in zip(self.labels, self.algorithms, strict=True):
            try:
                answers[label] = registry[name](*data, **parameters)
            except Exception as error:
                error.add_note(f"raised by {label}")
                raise
        return answers


def read_grid(path_or_text: str | Path) -> Grid:
    r"""Read a grid of algorithms and measures.

    Parameters
    ----------
    path_or_text : Path or str
        A YAML file, or the YAML itself: a text with a line break or a brace.

    Returns
    -------
    Grid

    Raises
    ------
    InputError
        If the file does not exist, the text is not YAML or not a grid as in the example, a type,
        measure or key is unknown, a key or a value occurs twice, a value does not have the stated
        type, a range is incomplete, empty or endless, or the grid has more than 100,000 variants.
        The message names the place.

    Notes
    -----
    Numbers are read exactly, so the range from 0 to 1 with the step 0.1 has 11 values, and the
    fourth is 0.3. RELISON adds up doubles and gets 12 values. If RELISON would skip a value, merge
    two values or never finish, this function raises an error. ``value:`` is RELISON's form for a
    single value. Parameters that are themselves objects with parameters are not read.

    References
    ----------
    Document 004; RELISON's manual, page "Link recommendation experiments".

    Examples
    --------
    >>> grid = read_grid('''
    ... algorithms:
    ...   kNN:
    ...     k: {type: int, values: 5, range: [{start: 10, end: 30, step: 10}]}
    ...   Popularity:
    ... metrics:
    ...   MAP:
    ...     cutoff: {type: int, values: [1, 5]}
    ... ''')
    >>> grid.labels
    ['kNN(k=5)', 'kNN(k=10)', 'kNN(k=20)', 'kNN(k=30)', 'Popularity']
    >>> grid.measures
    ['MAP@1', 'MAP@5']
    """
    content = _load(path_or_text)
    sections = _check_mapping(content, "grid", "have the sections algorithms and metrics")
    # The file may have metrics alone, without their section.
    if not any(section in sections for section in SECTIONS):
        sections = {"metrics": sections}
    for section in sections:
        check_choice(section, "section of the grid", SECTIONS)
    requests = _read_variants(sections.get("metrics", {}), "metrics")
    measures = [_measure_name(name, parameters) for name, parameters in requests]
    grid = Grid(_read_variants(sections.get("algorithms", {}), "algorithms"), measures)
    # A value that occurs twice in a parameter makes two variants of one name.
    check_unique(grid.labels, "algorithms", "variant")
    check_unique(measures, "metrics", "measure")
    return grid


class _GridLoader(yaml.BaseLoader):
    """A loader that leaves all values as text, and refuses a key that occurs twice."""

    def compose_mapping_node(self, anchor: dict[str, yaml.Node]) -> yaml.MappingNode:
        """Return the node of a mapping. Of two equal keys, PyYAML would drop the first."""
        node = super().compose_mapping_node(anchor)
        check_unique([key.value for key, _ in node.value], "grid", "key")
        return node


def _load(path_or_text: str | Path) -> object:
    """Return the YAML of a grid as dicts, lists and texts.

    Raises `InputError` if the file can't be read, or holds anything but one YAML document.
    """
    text = str(path_or_text)
    if isinstance(path_or_text, Path) or not ("\n" in text or "{" in text):
        text = read_bytes(check_path(path_or_text)).decode()
    try:
        return yaml.load(text, Loader=_GridLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise input_error("grid", "be one YAML document", " ".join(str(error).split())) from None


def _check_mapping(value: object, place: str, rule: str) -> Options:
    """Return a value that is a mapping; raise `InputError` otherwise."""
    check_that(isinstance(value, dict), place, rule, value)
    return cast("Options", value)


def _read_variants(section: object, place: str) -> list[Variant]:
    """Return each name of a section with every combination of its parameters.

    The values of the first parameter vary slowest. Raises `InputError` if the section does not map
    names to parameters, or there are too many combinations.
    """
    variants: list[Variant] = []
    for name, parameters in _check_mapping(section, place, "map names to parameters").items():
        rule = "map parameters to settings, or be left empty"
        settings_by_parameter = _check_mapping(parameters or {}, f"{place}.{name}", rule)
        values_by_parameter = {
            parameter: _read_values(settings, f"{place}.{name}.{parameter}")
            for parameter, settings in settings_by_parameter.items()
        }
        n_variants = len(variants) + math.prod(map(len, values_by_parameter.values()))
        rule = f"have at most {MAX_VARIANTS:,} variants"
        check_that(n_variants <= MAX_VARIANTS, place, rule, n_variants)
        variants += [
            (name, dict(zip(values_by_parameter, combination, strict=True)))
            for combination in itertools.product(*values_by_parameter.values())
        ]
    return variants


def _measure_name(name: str, parameters: Options) -> str:
    """Return a measure's name as receval writes it; the parameter ``cutoff`` is the cut-off.

    Raises `InputError` if there is no such measure.
    """
    options = dict(parameters)
    cutoff = options.pop("cutoff", None)
    full_name = format_name(name, options)
    if cutoff is not None:
        full_name += f"@{cutoff}"
    return measure(full_name).name


def _read_values(settings: object, place: str) -> list[Value]:
    """Return all values of one parameter: first those that are listed, then those of each range.

    ``settings`` has the type of the parameter, and its values under the keys "value", "values" or
    "range". Raises `InputError` if a setting is missing or wrong.
    """
    rule = "have a type, and value or values or range"
    entries = _check_mapping(settings, place, rule)
    check_that(
        "type" in entries and set(entries) - {"type"} in KEYS_OF_VALUES, place, rule, entries
    )
    type_name = check_choice(entries["type"], f"{place}.type", TYPES)
    listed = entries.get("value", entries.get("values", []))
    texts = listed if isinstance(listed, list) else [listed]
    values = [_read_value(text, type_name, place) for text in texts]
    for bounds in entries.get("range", []):
        check_that(type_name in NUMBER_TYPES, place, "have a range only if it is a number", bounds)
        values += _read_range(bounds, type_name, f"{place}.range")
    check_not_empty(values, place, "have at least one value")
    return values


def _read_value(text: object, type_name: str, place: str) -> Value:
    """Return the value of a text; raise `InputError` if it does not have the stated type."""
    if not isinstance(text, str):
        raise input_error(place, f"hold values of type {type_name}", shorten(text))
    if type_name in NUMBER_TYPES:
        convert = NUMBER_TYPES[type_name]
        return convert(_read_number(text, type_name, place))
    if type_name == "boolean":
        return check_choice(text.lower(), place, ("true", "false")) == "true"
    if type_name == "orientation":
        return check_choice(text, place, ORIENTATIONS)
    return text


def _read_number(text: str, type_name: str, place: str) -> Fraction:
    """Return a number exactly as it is written; raise `InputError` for anything else."""
    is_number = len(text) <= MAX_NUMBER_LENGTH and PATTERNS[type_name].fullmatch(text)
    check_that(is_number, place, f"be a number of type {type_name}", text)
    number = Fraction(text)
    # As a double, the number must not become infinite, and it must not become 0 if it isn't 0.
    nearest = float(text)
    fits = math.isfinite(nearest) and (nearest == 0) == (number == 0)
    check_that(fits, place, "fit into a double", text)
    return number


def _read_range(bounds: object, type_name: str, place: str) -> list[Value]:
    """Return the numbers start, start + step, … up to the end, then the end if no step hits it.

    Raises `InputError` if the range is incomplete, empty or too long.
    """
    rule = "have start, end and step"
    entries = _check_mapping(bounds, place, rule)
    check_that(set(entries) == {"start", "end", "step"}, place, rule, entries)
    start, end, step = [
        _read_number(str(entries[key]), type_name, f"{place}.{key}")
        for key in ("start", "end", "step")
    ]
    check_that(step > 0, f"{place}.step", "be above 0", entries["step"])
    check_that(start <= end, f"{place}.end", "be at least the start", entries["end"])
    n_steps = (end - start) // step  # the numbers are fractions, so this is exact
    check_that(n_steps < MAX_VARIANTS, place, f"have at most {MAX_VARIANTS:,} values", entries)
    numbers = [start + i * step for i in range(n_steps + 1)]
    if numbers[-1] != end:
        numbers.append(end)
    return [NUMBER_TYPES[type_name](number) for number in numbers]
