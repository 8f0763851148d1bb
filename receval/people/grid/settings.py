"""The settings of a grid's parameters: types, values, exact ranges, and their combinations."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import NamedTuple, TypeAlias

from receval._checks import Options, shorten
from receval.definitions.names import NUMBER
from receval.people.grid.nodes import YamlNode, check_keys

MAX_VARIANTS = 100_000
"""Largest number of variants of an algorithm, and of values of a range."""

MAX_DEPTH = 20
"""Largest number of levels of objects within objects."""

MAX_NUMBER_LENGTH = 400
"""Largest number of characters in a number."""

ORIENTATIONS = ("IN", "OUT", "UND", "MUTUAL")
RANGE_KEYS = ("start", "end", "step")

Variant: TypeAlias = tuple[str, Options]
"""The name of an algorithm or an object, and its parameters."""

Value: TypeAlias = int | float | bool | str | Variant
"""A value of a parameter."""


# Values of each type ------------------------------------------------------------------------------


def read_decimal(node: YamlNode) -> Fraction:
    """Return a decimal number exactly as it is written.

    Raises `InputError` for anything else, and for numbers that would become infinite or 0 as a
    double.
    """
    text = node.scalar("be a number")
    if not NUMBER.fullmatch(text) or len(text) > MAX_NUMBER_LENGTH:
        raise node.error("be a decimal number")
    rounded = float(text)
    mantissa = re.split("[eE]", text)[0]  # the part before the exponent
    is_zero = not any(digit in "123456789" for digit in mantissa)
    if math.isinf(rounded) or (rounded == 0 and not is_zero):
        raise node.error("fit into a double")
    if rounded == 0:  # its exponent may be too large for a Decimal, or make it slow
        return Fraction(0)
    return Fraction(Decimal(text))


def read_integer(node: YamlNode, n_bits: int) -> Fraction:
    """Return an integer that fits into ``n_bits`` with its sign; raise `InputError` otherwise.

    The result is a Fraction, like that of `read_decimal`, so that ranges work for both.
    """
    text = node.scalar("be a whole number")
    if not re.fullmatch(r"[+-]?\d+", text, re.ASCII):
        raise node.error("be a whole number")
    limit = 2 ** (n_bits - 1)
    if len(text) > MAX_NUMBER_LENGTH:  # Python refuses to convert very long texts
        raise node.error(f"fit into {n_bits} bits")
    if not -limit <= int(text) < limit:
        raise node.error(f"fit into {n_bits} bits", text)
    return Fraction(text)


def read_boolean(node: YamlNode) -> bool:
    """Return a truth value; raise `InputError` unless it is "true" or "false" in any case."""
    text = node.scalar("be true or false").lower()
    if text not in ("true", "false"):
        raise node.error("be true or false")
    return text == "true"


class NumberType(NamedTuple):
    """A type of numbers, which may have ranges.

    Attributes
    ----------
    read : function that reads a number exactly.
    convert : ``int`` or ``float``, which turns an exact number into a value.
    """

    read: Callable[[YamlNode], Fraction]
    convert: type[int] | type[float]


NUMBER_TYPES = {
    "int": NumberType(partial(read_integer, n_bits=32), int),
    "long": NumberType(partial(read_integer, n_bits=64), int),
    "double": NumberType(read_decimal, float),
}

WORD_TYPES: Mapping[str, Callable[[YamlNode], Value]] = {
    "boolean": read_boolean,
    "string": partial(YamlNode.scalar, rule="be text"),
    "orientation": partial(YamlNode.one_of, choices=ORIENTATIONS),
}
"""Functions that read the values of all other types except objects."""

FORMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(NUMBER_TYPES, ("value", "values", "range")),
    **dict.fromkeys(WORD_TYPES, ("value", "values")),
    "object": ("object", "objects"),
}
"""Keys under which the values of a type are written; the first one excludes the others."""


# Combinations -------------------------------------------------------------------------------------


def expand_variants(node: YamlNode | None, depth: int = 0) -> list[Options]:
    """Return every combination of the parameters of an algorithm, a measure or an object.

    Each combination is a dict of values by parameter. The values of the first parameter vary
    slowest. ``depth`` is 0 for an algorithm or a measure, 1 for an object among its parameters, 2
    for an object among that object's parameters, and so on. Raises `InputError` if the node is not
    a mapping of parameters, or there are too many variants.
    """
    if node is None or node.is_empty:  # a single variant without parameters
        return [{}]
    if depth > MAX_DEPTH:
        raise node.error(f"hold objects within objects {MAX_DEPTH} deep at most", "more")
    parameters = node.mapping("map parameters to settings, or be left empty")
    # A parameter may be called "type", but then a mapping of settings follows.
    if "type" in parameters and parameters["type"].is_scalar:
        advice = "RELISON's measures of networks have one of their own; they are not read here"
        raise node.error("name its parameters, each with a type", "a type of its own", advice)
    values_by_name = {
        name: _values_of_parameter(setting, depth) for name, setting in parameters.items()
    }
    n_variants = math.prod(len(values) for values in values_by_name.values())
    if n_variants > MAX_VARIANTS:
        raise node.error(f"have at most {MAX_VARIANTS:,} variants", "more")
    return [
        dict(zip(values_by_name, combination, strict=True))
        for combination in itertools.product(*values_by_name.values())
    ]


def expand_named_variants(
    nodes: Mapping[str, YamlNode | None], parent: YamlNode, depth: int = 0
) -> list[Variant]:
    """Return each name with every combination of its parameters.

    ``nodes`` has the parameters by name; ``depth`` counts levels of objects as in
    `expand_variants`. If there are too many variants, the error names ``parent``.
    """
    result: list[Variant] = []
    for name, node in nodes.items():
        result += [(name, parameters) for parameters in expand_variants(node, depth)]
        if len(result) > MAX_VARIANTS:
            raise parent.error(f"have at most {MAX_VARIANTS:,} variants", "more")
    return result


def _values_of_parameter(node: YamlNode, depth: int) -> list[Value]:
    """Return all values of one parameter: first those that are listed, then those of each range.

    ``node`` has the settings of the parameter: its type, and its values in one of the forms that
    the type allows, for example under the keys "value", "values" or "range". ``depth`` counts
    levels of objects as in `expand_variants`. Raises `InputError` if a setting is missing or wrong.
    """
    entries = node.mapping("map type and values")  # the error of a wrong node shows this rule
    if "type" not in entries:
        raise node.error("have a type", f"only {', '.join(entries)}")
    type_name = entries.pop("type").one_of(FORMS)
    forms = FORMS[type_name]
    check_keys(entries, ("type", *forms), f" (type {type_name})")  # raises for any other key
    if not entries:
        raise node.error(f"have {' or '.join(forms)}", "only type")
    # The first form is a single value, and excludes the others. The others are lists of values and
    # ranges, which may occur together.
    single_form, *list_forms = forms
    if single_form in entries and len(entries) > 1:
        raise node.error(f"have either {single_form} or {' and '.join(list_forms)}", "both")
    if type_name == "object":
        return [*_objects(entries, node, depth)]
    if type_name in NUMBER_TYPES:
        values = _numbers(entries, NUMBER_TYPES[type_name])
    else:
        values = [WORD_TYPES[type_name](value) for value in _written_values(entries)]
    for value, count in Counter(values).items():
        if count > 1:
            raise node.error("have each value once", f"{shorten(value)} again")
    return values


def _objects(entries: Mapping[str, YamlNode], node: YamlNode, depth: int) -> list[Variant]:
    """Return each object with every combination of its parameters.

    ``entries`` are the settings of a parameter of type object, under the key "object" or "objects".
    Errors name ``node``, the parameter. The parameters of the objects are one level deeper than
    ``depth``.
    """
    if "objects" in entries:
        parameters_by_name = entries["objects"].mapping("map names of objects to their parameters")
        return expand_named_variants(parameters_by_name, node, depth + 1)
    single_object = entries["object"].mapping("have a name and perhaps params")
    check_keys(single_object, ("name", "params"))
    if "name" not in single_object:
        raise entries["object"].error("have a name", "only params")
    name = single_object["name"].scalar("be text")
    return expand_named_variants({name: single_object.get("params")}, node, depth + 1)


def _written_values(entries: Mapping[str, YamlNode]) -> list[YamlNode]:
    """Return the values under the key "value" or "values"; none if neither key is there.

    Under "values" there is a list or a single value.
    """
    if "value" in entries:
        return [entries["value"]]
    if "values" not in entries:
        return []
    values = entries["values"]
    return [values] if values.is_scalar else values.items()


def _numbers(entries: Mapping[str, YamlNode], number_type: NumberType) -> list[Value]:
    """Return the numbers that are listed, then those of each range, as ints or floats.

    ``entries`` has the nodes under "value", "values" and "range", if these keys are there. The
    numbers are converted at the end, because ranges need exact numbers.
    """
    exact_numbers = [number_type.read(value) for value in _written_values(entries)]
    if "range" in entries:
        for interval in entries["range"].items():
            exact_numbers += _numbers_in_range(interval, number_type)
    return [number_type.convert(number) for number in exact_numbers]


def _numbers_in_range(interval: YamlNode, number_type: NumberType) -> list[Fraction]:
    """Return the numbers start, start + step, … up to the end, then the end if no step hits it.

    ``interval`` has the start, the end and the step. Raises `InputError` if the range is
    incomplete, empty or too long.
    """
    bounds = interval.mapping("map start, end and step")
    if set(bounds) != set(RANGE_KEYS):
        raise interval.error("have start, end and step", ", ".join(bounds))
    start = number_type.read(bounds["start"])
    end = number_type.read(bounds["end"])
    step = number_type.read(bounds["step"])
    if step <= 0:
        raise bounds["step"].error("be above 0")
    if start > end:
        raise bounds["end"].error("be at least the start")
    n_steps = (end - start) // step  # the numbers are fractions, so this is exact
    if n_steps >= MAX_VARIANTS:
        raise interval.error(f"have at most {MAX_VARIANTS:,} values", "more")
    numbers = [start + i * step for i in range(n_steps + 1)]
    if numbers[-1] != end:
        numbers.append(end)
    return numbers
