"""Read a grid of algorithms, their parameters and measures from one YAML file.

The format is that of RELISON's recommendation experiments (document 004)::

    algorithms:
      BM25:
        b:
          type: double
          values: [0.1, 0.5]        # one value or a list
          range:                    # also or instead, for numbers: the end is included
          - {start: 0.6, end: 1, step: 0.2}
        similarity:
          type: object              # something with a name and parameters
          objects:
            Cosine:
      Popularity:                   # no parameters
    metrics:
      MAP:
        cutoff:
          type: int
          values: [1, 5, 10]

A file may also hold the metrics only, without the line ``metrics:``, as the document prints them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from receval._checks import InputError, Options, UserFunction, did_you_mean, input_error, shorten
from receval._threads import progress_bar
from receval.definitions.convention import format_name
from receval.definitions.names import measure, parse_name
from receval.people.grid.nodes import YamlNode, check_keys, compose
from receval.people.grid.settings import Variant, expand_named_variants, expand_variants

__all__ = ["Grid", "read_grid"]

KnownMeasures: TypeAlias = Collection[str] | Callable[[str], object]
"""The names of all measures, or a function that returns something true for such a name."""

SECTIONS = ("algorithms", "metrics")


@dataclass(frozen=True)
class Grid:
    """The algorithms and measures of a grid, with each combination written out.

    Attributes
    ----------
    algorithms : list of (str, dict)
        Name and parameters of every variant: the full cross product of each algorithm's
        parameters, the first one varying slowest. Values are int, float, bool or str; a
        parameter of type object is itself a pair of name and parameters.
    measures : list of str
        Measure names such as ``"MAP@5"``.
    """

    algorithms: list[Variant]
    measures: list[str]

    @property
    def labels(self) -> list[str]:
        """Return a distinct name for each variant, such as ``"BM25(b=0.1)"``."""
        return [_label(name, parameters) for name, parameters in self.algorithms]

    def run(
        self, registry: Mapping[str, UserFunction], *data: object, progress: bool | None = None
    ) -> dict[str, Any]:
        """Call every variant on the same data.

        Parameters
        ----------
        registry : mapping of str to callable
            The function behind each name in the grid; receval calls
            ``registry[name](*data, **parameters)``.
        *data
            The arguments of every algorithm, such as the training table.
        progress : bool, optional
            Whether to show a progress bar; by default only on a terminal.

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
            if not callable(registry.get(name)):
                names = ", ".join(sorted(registry)) or "none"
                rule = f"hold a function for {name!r}"
                got = f"{name!r} among {names}"
                raise input_error("registry", rule, got, did_you_mean(name, registry))
        answers = {}
        bar = progress_bar(progress, self.algorithms)
        for label, (name, parameters) in zip(self.labels, bar, strict=True):
            bar.set_description(label)
            try:
                # Pass a copy, because variants share the parameters of their objects, and an
                # algorithm may change them.
                answers[label] = registry[name](*data, **deepcopy(parameters))
            except Exception as error:
                error.add_note(f"raised by {label}")
                raise
        return answers


def read_grid(path_or_text: str | Path, *, known: KnownMeasures = measure) -> Grid:
    r"""Read a grid of algorithms and measures.

    Parameters
    ----------
    path_or_text : Path or str
        A YAML file, or the YAML itself. A single line of text is a file name if it has no colon, or
        ends in ``.yaml`` or ``.yml``, or begins with a drive letter, as in ``C:\\``.
    known : collection of str, or callable, optional
        The names of all measures without cut-off, in upper or lower case; or a function that takes
        a name such as ``"MAP@5"`` and returns a true value if the measure exists, or raises
        `InputError`. Default: `receval.definitions.names`.

    Returns
    -------
    Grid

    Raises
    ------
    InputError
        If the file does not exist, the text is not YAML or not a grid as in the example, a type,
        measure or key is unknown, a key or a value occurs twice, a value does not have the stated
        type, a range is incomplete, empty or endless, or the grid has more than 100,000 variants.
        The message names the place and the line.

    Notes
    -----
    Numbers are read exactly, so the range from 0 to 1 with the step 0.1 has 11 values, and the
    fourth is 0.3. RELISON adds up doubles and gets 12 values. If RELISON would skip a value, merge
    two values or never finish, this function raises an error. ``value:``, and for objects ``object:
    {name:, params:}``, are RELISON's forms for a single value.

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
    sections = read_sections(path_or_text)
    algorithms: list[Variant] = []
    if "algorithms" in sections:
        section = sections["algorithms"]
        algorithms = expand_named_variants(section.mapping("name algorithms"), section)
    measures: list[str] = []
    if "metrics" in sections:
        measures = _measures(sections["metrics"], known)
    return Grid(algorithms, measures)


def read_sections(path_or_text: str | Path) -> dict[str, YamlNode]:
    """Return the sections ``algorithms`` and ``metrics`` of a grid, if the file has them.

    Raises `InputError` if the file can't be read, is not YAML or has other sections.
    """
    top = YamlNode("grid", compose(_yaml_text(path_or_text)))
    sections = top.mapping("have the sections algorithms and metrics")

    # The file may have metrics alone, without their section.
    has_section = any(name in SECTIONS for name in sections)
    may_be_metrics = all(entry.may_hold_parameters for entry in sections.values())
    if may_be_metrics and not has_section:
        sections = {"metrics": top}
    advice = "Put all else under its section; grids of RELISON's other programs are refused"
    check_keys(sections, SECTIONS, ", or a measure with its parameters", advice)
    return sections


def _measures(section: YamlNode, known_measures: KnownMeasures) -> list[str]:
    """Return the names of a section's measures, one for each combination of parameters.

    ``known_measures`` has the names of all measures, or is a function that takes a name and returns
    whether there is such a measure. Raises `InputError` if a measure is unknown or occurs twice, or
    if the section is not a mapping.
    """
    measures: list[str] = []
    for name, node in section.mapping("name metrics").items():
        add_measures(measures, measures_of_entry(name, node, known_measures), node)
    return measures


def measures_of_entry(name: str, node: YamlNode, known_measures: KnownMeasures) -> list[str]:
    """Return the names of the measures of an entry, one for each combination of its parameters.

    ``known_measures`` is as in `read_grid`. Raises `InputError` if a measure is unknown.
    """
    return [
        _checked_name(_measure_name(name, parameters, node), known_measures, node)
        for parameters in expand_variants(node)
    ]


def add_measures(measures: list[str], further: list[str], node: YamlNode) -> None:
    """Append measures to a list; raise `InputError` if one occurs twice.

    The error names ``node``. Names that differ only in upper and lower case are the same measure.
    """
    for measure_name in further:
        earlier_names = {earlier_name.casefold() for earlier_name in measures}
        if measure_name.casefold() in earlier_names:
            raise node.error("ask for each measure once", repr(measure_name))
        measures.append(measure_name)


def _measure_name(name: str, parameters: Options, node: YamlNode) -> str:
    """Return a measure's full name as receval writes it: ``Name(parameter=value)@cutoff``.

    The parameter ``cutoff``, if there is one, becomes the cut-off. Errors name ``node``, the
    measure's entry in the grid.
    """
    options = dict(parameters)
    cutoff = options.pop("cutoff", None)
    if cutoff is None:
        return format_name(name, options)
    if type(cutoff) is not int or cutoff < 1:  # True is an int to isinstance, but not a cut-off
        cutoff_node = node.mapping("have a cutoff")["cutoff"]
        raise cutoff_node.error("be of type int and at least 1", shorten(cutoff))
    if "@" in name:
        raise node.error("have its cut-off in the name or as cutoff, not in both", repr(name))
    return f"{format_name(name, options)}@{cutoff}"


def _checked_name(measure_name: str, known_measures: KnownMeasures, node: YamlNode) -> str:
    """Return the name of a measure after checking that it is known.

    ``known_measures`` has the names of all measures, or is a function. If the function returns a
    measure, the result is that measure's name, such as "Precision@5" for "P@5". Raises `InputError`
    if the measure is unknown; the message names ``node``.
    """
    rule = "be a known measure"
    if callable(known_measures):
        try:
            result = known_measures(measure_name)
        except InputError as error:  # add the place in the grid to the message
            raise InputError(f"{error} ({node.name}, line {node.line})") from None
        if not result:
            raise node.error(rule, repr(measure_name))
        return str(getattr(result, "name", measure_name))

    # The names in a collection have no cut-offs, so compare the measure's name without its cut-off.
    parts = parse_name(measure_name)  # None if this isn't written like the name of a measure
    known_names = {name.casefold() for name in known_measures}
    if parts is None or parts.name.casefold() not in known_names:
        name_without_cutoff = measure_name if parts is None else parts.name
        got = f"{name_without_cutoff!r} among {', '.join(sorted(known_measures))}"
        raise node.error(rule, got, did_you_mean(measure_name, known_measures))
    return measure_name


def _yaml_text(path_or_text: str | Path) -> str:
    """Return the YAML text, or the text of a file; raise `InputError` if it can't be read."""
    if not isinstance(path_or_text, (str, Path)):
        raise input_error("path_or_text", "be a path or YAML text", type(path_or_text).__name__)
    if isinstance(path_or_text, str) and _is_yaml(path_or_text):
        return path_or_text
    path = Path(path_or_text)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # no such file, not UTF-8, or a null byte in the name
        got = f"{shorten(str(path))} ({type(error).__name__})"
        raise input_error("path_or_text", "be YAML, or a file of it in UTF-8", got) from error


def _is_yaml(text: str) -> bool:
    """Return whether a text is YAML. Otherwise it is the name of a file.

    Both may contain colons. But a grid in a single line never ends in ".yaml" or ".yml". It never
    begins with a drive of Windows, such as "C:/", either: in YAML, a colon without a blank after it
    is part of a word.
    """
    if "\n" in text:
        return True
    has_yaml_ending = text.lower().endswith((".yaml", ".yml"))
    has_drive = re.match(r"[A-Za-z]:[\\/]", text) is not None
    return ":" in text and not has_yaml_ending and not has_drive


def _label(name: str, parameters: Options) -> str:
    """Return the label of a variant, such as ``BM25(b=0.1)``."""
    settings = {_value_in_label(key): _value_in_label(value) for key, value in parameters.items()}
    return format_name(_value_in_label(name), settings)


def _value_in_label(value: object) -> str:
    """Return a value as labels show it.

    An object, which has a name and parameters, is shown like a variant. Text with characters that
    have a meaning in labels is put in quotes, so that no two labels are equal.
    """
    if isinstance(value, tuple):  # an object
        name, parameters = value
        return _label(name, parameters)
    is_plain_text = isinstance(value, str) and value != "" and not set(value) & set("(),=\"'")
    return str(value) if is_plain_text else repr(value)
