"""Grids: which algorithms with which parameters, and which measures, in one YAML file.

The format is that of RELISON's recommendation experiments (document 004)::

    algorithms:
      BM25:
        b:
          type: double
          values: [0.1, 0.5]        # one value or a list
          range:                    # also or instead, for numbers: the end is included
          - {start: 0.6, end: 1, step: 0.2}
        similarity:
          type: object              # something with a name and parameters of its own
          objects:
            Cosine:
      Popularity:                   # no parameters
    metrics:
      MAP:
        cutoff:
          type: int
          values: [1, 5, 10]

The metrics may also stand alone, without their section, as the document prints them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from receval._checks import InputError, did_you_mean, input_error, shorten
from receval._progress import progress_bar
from receval._snapshots import hands_out_copies
from receval.grid.nodes import YamlNode, compose, refuse_others
from receval.grid.settings import Variant, of_each, variants
from receval.measure.names import format_name, measure, parse_name

__all__ = ["Grid", "read_grid"]

Known = Collection[str] | Callable[[str], object]
SECTIONS = ("algorithms", "metrics")


@hands_out_copies("algorithms", "measures")
@dataclass(frozen=True)
class Grid:
    """What a grid asks for, each combination written out.

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
        """A name for every variant that tells it from the others: ``"BM25(b=0.1)"``."""
        return [_label(name, parameters) for name, parameters in self.algorithms]

    def run(
        self, registry: Mapping[str, Callable[..., Any]], *data: Any, progress: bool | None = None
    ) -> dict[str, Any]:
        """Call every variant on the same data.

        Parameters
        ----------
        registry : mapping of str to callable
            What each name in the grid means; called as ``registry[name](*data, **parameters)``.
        *data
            What every algorithm gets, such as the training table.
        progress : bool, optional
            Whether to show a progress bar; by default only on a terminal.

        Returns
        -------
        dict
            The answers by label, ready to be evaluated as several systems at once.

        Raises
        ------
        InputError
            If the registry lacks a name, before anything runs. What an algorithm raises comes
            through, with its label added.

        Examples
        --------
        >>> grid = read_grid("algorithms: {Top: {n: {type: int, values: [1, 2]}}}")
        >>> grid.run({"Top": lambda items, n: items[:n]}, ["a", "b", "c"])
        {'Top(n=1)': ['a'], 'Top(n=2)': ['a', 'b']}
        """
        for name, _ in self.algorithms:
            if not callable(registry.get(name)):
                got = f"{name!r} among {', '.join(sorted(registry)) or 'none'}"
                advice = did_you_mean(name, registry)
                raise input_error("registry", f"hold a function for {name!r}", got, advice)
        answers = {}
        bar = progress_bar(progress, self.algorithms)
        for label, (name, parameters) in zip(self.labels, bar, strict=True):
            bar.set_description(label)
            try:
                # A copy: variants share the parameters of their objects.
                answers[label] = registry[name](*data, **deepcopy(parameters))
            except Exception as error:
                error.add_note(f"raised by {label}")
                raise
        return answers


def read_grid(path_or_text: str | Path, *, known: Known = measure) -> Grid:
    r"""Read a grid of algorithms and measures.

    Parameters
    ----------
    path_or_text : Path or str
        A YAML file, or the YAML itself; one line of text without a colon is a file name, and so
        is one that ends in ``.yaml`` or ``.yml`` or begins with a drive, as in ``C:\\``.
    known : collection of str, or callable, optional
        The measures there are: names without cut-off in any case, or a function that answers a
        measure name such as ``"MAP@5"`` with something true, or raises `InputError` itself.
        Default: `receval.measure.names`.

    Returns
    -------
    Grid

    Raises
    ------
    InputError
        If there is no such file, the text is not YAML or not of the form above, a type,
        measure or key is unknown, a key or a value is there twice, a value is not of its type,
        a range is incomplete, empty or endless, or the grid has more than 100,000 variants.
        The message names the place and the line.

    Notes
    -----
    Numbers are read from their text, so that the range from 0 to 1 by 0.1 has 11 values, of
    which the fourth is 0.3; RELISON adds up doubles and gets 12. Where RELISON skips, collapses
    or loops, this reader refuses. ``value:``, and for objects ``object: {name:, params:}``, are
    RELISON's single-valued forms.

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
    top = YamlNode("grid", compose(_text(path_or_text)))
    sections = top.mapping("have the sections algorithms and metrics")
    if not any(name in SECTIONS or not one.has_parameters for name, one in sections.items()):
        sections = {"metrics": top}
    advice = "Put all else under its section; grids of RELISON's other programs are refused"
    refuse_others(sections, SECTIONS, ", or a measure with its parameters", advice)
    section = sections.get("algorithms")
    algorithms = of_each(section.mapping("name algorithms"), section) if section else []
    measures = _measures(sections["metrics"], known) if "metrics" in sections else []
    return Grid(algorithms, measures)


def _measures(section: YamlNode, known: Known) -> list[str]:
    measures: list[str] = []
    for name, place in section.mapping("name metrics").items():
        for parameters in variants(place):
            asked = _known_name(_measure_name(name, parameters, place), known, place)
            if asked.casefold() in {earlier.casefold() for earlier in measures}:
                raise place.error("ask for each measure once", repr(asked))
            measures.append(asked)
    return measures


def _measure_name(name: str, parameters: dict[str, Any], place: YamlNode) -> str:
    """As measures are written everywhere: ``Name(parameter=value)@cutoff``."""
    cutoff = parameters.pop("cutoff", None)
    if cutoff is not None and (type(cutoff) is not int or cutoff < 1):
        at = place.mapping("have a cutoff")["cutoff"]
        raise at.error("be of type int and at least 1", shorten(cutoff))
    if cutoff is not None and "@" in name:
        raise place.error("have its cut-off in the name or as cutoff, not in both", repr(name))
    return format_name(name, parameters) + (f"@{cutoff}" if cutoff else "")


def _known_name(asked: str, known: Known, place: YamlNode) -> str:
    """The measure's own name, where ``known`` tells it: Precision@5 for P@5."""
    if callable(known):
        try:
            found = known(asked)
        except InputError as error:
            raise InputError(f"{error} ({place.name}, line {place.line})") from None
        if not found:
            raise place.error("be a known measure", repr(asked))
        return str(getattr(found, "name", asked))
    parts = parse_name(asked)
    if parts is None or parts.name.casefold() not in map(str.casefold, known):
        got = f"{parts.name if parts else asked!r} among {', '.join(sorted(known))}"
        raise place.error("be a known measure", got, did_you_mean(asked, known))
    return asked


def _text(path_or_text: str | Path) -> str:
    if not isinstance(path_or_text, (str, Path)):
        raise input_error("path_or_text", "be a path or YAML text", type(path_or_text).__name__)
    if isinstance(path_or_text, str) and _is_yaml(path_or_text):
        return path_or_text
    try:
        return Path(path_or_text).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:  # not there; not UTF-8; a null byte in the name
        got = f"{shorten(path_or_text)} ({type(error).__name__})"
        raise input_error("path_or_text", "be YAML, or a file of it in UTF-8", got) from error


def _is_yaml(text: str) -> bool:
    """Whether a text is YAML and not the name of a file, which may hold colons too.

    No grid ends in the ending of a file of YAML or begins with a drive of Windows, as a colon
    without a blank behind it is part of a word in YAML.
    """
    if "\n" in text:
        return True
    names_file = text.lower().endswith((".yaml", ".yml")) or re.match(r"[A-Za-z]:[\\/]", text)
    return ":" in text and not names_file


def _label(name: str, parameters: dict[str, Any]) -> str:
    settings = {_shown(key): _shown(value) for key, value in parameters.items()}
    return format_name(_shown(name), settings)


def _shown(value: object) -> str:
    """Text in quotes where it could be taken for a label's own signs: no two labels are alike."""
    if isinstance(value, tuple):
        return _label(*value)
    plain = isinstance(value, str) and value and not set(value) & set("(),=\"'")
    return str(value) if plain else repr(value)
