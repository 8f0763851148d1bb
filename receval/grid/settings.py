"""The settings of a grid's parameters: types, values, exact ranges, their cross product."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

from receval._checks import shorten
from receval.grid.nodes import YamlNode, refuse_others
from receval.measure.names import NUMBER

LIMIT = 100_000  # variants of an algorithm, and values of a range
DEPTH = 20  # objects within objects
LONGEST = 400  # characters of a number
ORIENTATIONS = ("IN", "OUT", "UND", "MUTUAL")
BOUNDS = ("start", "end", "step")

Reader = Callable[[YamlNode], Any]
Variant = tuple[str, dict[str, Any]]


def variants(place: YamlNode | None, depth: int = 0) -> list[dict[str, Any]]:
    """Every combination of the parameters of an algorithm, a metric or an object."""
    if place is None or place.empty:
        return [{}]
    if depth > DEPTH:
        raise place.error(f"hold objects within objects {DEPTH} deep at most", "more")
    parameters = place.mapping("map parameters to settings, or be left empty")
    if "type" in parameters and parameters["type"].is_scalar:
        advice = "RELISON's measures of networks have one of their own; they are not read here"
        raise place.error("name its parameters, each with a type", "a type of its own", advice)
    values = {name: setting(one, depth) for name, one in parameters.items()}
    if math.prod(map(len, values.values())) > LIMIT:
        raise place.error(f"have at most {LIMIT:,} variants", "more")
    return [dict(zip(values, each, strict=True)) for each in itertools.product(*values.values())]


def setting(place: YamlNode, depth: int) -> list[Any]:
    """All values of one parameter: those written, then each range."""
    entries = place.mapping("map type and values")
    if "type" not in entries:
        raise place.error("have a type", f"only {', '.join(entries)}")
    type_name = entries.pop("type").one_of(FORMS)
    single, *several = forms = FORMS[type_name]
    refuse_others(entries, ("type", *forms), f" (type {type_name})")
    if not entries:
        raise place.error(f"have {' or '.join(forms)}", "only type")
    if single in entries and len(entries) > 1:
        raise place.error(f"have either {single} or {' and '.join(several)}", "both")
    if type_name == "object":
        return objects(entries, place, depth)
    values = simple(entries, *TYPES[type_name])
    for value, times in Counter(values).items():
        if times > 1:
            raise place.error("have each value once", f"{shorten(value)} again")
    return values


def objects(entries: dict[str, YamlNode], place: YamlNode, depth: int) -> list[Variant]:
    """Each object with each combination of its parameters."""
    if "objects" in entries:
        rule = "map names of objects to their parameters"
        return of_each(entries["objects"].mapping(rule), place, depth + 1)
    single = entries["object"].mapping("have a name and perhaps params")
    refuse_others(single, ("name", "params"))
    if "name" not in single:
        raise entries["object"].error("have a name", "only params")
    return of_each({single["name"].scalar("be text"): single.get("params")}, place, depth + 1)


def of_each(named: Mapping[str, YamlNode | None], place: YamlNode, depth: int = 0) -> list[Variant]:
    """Each name with each combination of its parameters."""
    found: list[Variant] = []
    for name, one in named.items():
        found += [(name, parameters) for parameters in variants(one, depth)]
        if len(found) > LIMIT:
            raise place.error(f"have at most {LIMIT:,} variants", "more")
    return found


def simple(entries: dict[str, YamlNode], read: Reader, number: type | None) -> list[Any]:
    """Values of every type but object."""
    values: list[Any] = []
    if written := entries.get("value", entries.get("values")):
        single = "value" in entries or written.is_scalar
        values += map(read, [written] if single else written.items())
    if "range" in entries:
        for interval in entries["range"].items():
            values += in_range(interval, read)
    return [number(value) for value in values] if number else values


def in_range(interval: YamlNode, read: Reader) -> list[Fraction]:
    """start, start + step, … and the end, whether a step hits it or not."""
    given = interval.mapping("map start, end and step")
    if set(given) != set(BOUNDS):
        raise interval.error("have start, end and step", ", ".join(given))
    start, end, step = (read(given[bound]) for bound in BOUNDS)
    if step <= 0:
        raise given["step"].error("be above 0")
    if start > end:
        raise given["end"].error("be at least the start")
    steps = (end - start) // step
    if steps >= LIMIT:
        raise interval.error(f"have at most {LIMIT:,} values", "more")
    values = [start + i * step for i in range(steps + 1)]
    return values if values[-1] == end else [*values, end]


def as_double(place: YamlNode) -> Fraction:
    """A decimal number, exactly as written."""
    text = place.scalar("be a number")
    if not NUMBER.fullmatch(text) or len(text) > LONGEST:
        raise place.error("be a decimal number")
    rounded = float(text)
    lost = rounded == 0 and any(digit in "123456789" for digit in re.split("[eE]", text)[0])
    if math.isinf(rounded) or lost:
        raise place.error("fit into a double")
    return Fraction(Decimal(text)) if rounded else Fraction(0)


def as_integer(place: YamlNode, bits: int) -> Fraction:
    text = place.scalar("be a whole number")
    if not re.fullmatch(r"[+-]?\d{1,30}", text, re.ASCII):
        raise place.error("be a whole number")
    if not -(2 ** (bits - 1)) <= int(text) < 2 ** (bits - 1):
        raise place.error(f"fit into {bits} bits", text)
    return Fraction(text)


def as_boolean(place: YamlNode) -> bool:
    text = place.scalar("be true or false").lower()
    if text not in ("true", "false"):
        raise place.error("be true or false")
    return text == "true"


# How the values of each type are read, and what becomes of exact numbers; only these have ranges.
TYPES: dict[str, tuple[Reader, type | None]] = {
    "int": (partial(as_integer, bits=32), int),
    "long": (partial(as_integer, bits=64), int),
    "double": (as_double, float),
    "boolean": (as_boolean, None),
    "string": (partial(YamlNode.scalar, rule="be text"), None),
    "orientation": (partial(YamlNode.one_of, choices=ORIENTATIONS), None),
}
# What a type's values are given as: the first form stands alone.
FORMS = {name: ("value", "values", *(["range"] if of else [])) for name, (_, of) in TYPES.items()}
FORMS["object"] = ("object", "objects")
