"""Read RELISON's configurations: which recommenders to train, and which measures to compute."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from receval._checks import InputError, input_error
from receval.measure.names import measure
from receval.people.algorithms import ALGORITHMS, check_variant, relison_name
from receval.people.grid.grid import add_measures, measures_of_entry, read_sections
from receval.people.grid.nodes import YamlNode
from receval.people.grid.settings import Variant, expand_variants

__all__ = ["Configuration", "Unsupported", "read_configuration"]

NO_ALGORITHM = "receval has no such recommender"
NETWORK = "a measure of networks, which is out of scope: receval evaluates recommendations"
NO_MEASURE = (
    "receval has no such measure of recommendations; measures of networks and of the diffusion of "
    "information are out of scope"
)
NEEDS_TABLES = "it needs more than the links, such as features of users; use receval.evaluate"


@dataclass(frozen=True)
class Unsupported:
    """An entry of a configuration that receval leaves out.

    Attributes
    ----------
    kind : {"algorithm", "metric"}
    name : str
    line : int
        Line in its file, from 1.
    reason : str
    """

    kind: str
    name: str
    line: int
    reason: str

    def __str__(self) -> str:
        return f"left out the {self.kind} {self.name!r} (line {self.line}): {self.reason}"


@dataclass(frozen=True)
class Configuration:
    """The recommenders and measures of a configuration, and the entries that receval lacks.

    Attributes
    ----------
    variants : dict
        The recommender and parameters of each variant, by RELISON's name for the variant, in the
        order of the file.
    measures : list of str
        Names of measures, as `receval.evaluate` takes them.
    unsupported : list of Unsupported
        The entries that are left out, with reasons.
    """

    variants: dict[str, Variant]
    measures: list[str]
    unsupported: list[Unsupported]


def read_configuration(algorithms: str | Path, metrics: str | Path | None = None) -> Configuration:
    """Read one or two files of a RELISON experiment.

    Unlike `receval.grid.read_grid`, this function knows the recommenders and their parameters, and
    lists unknown recommenders and measures instead of raising an error.

    Parameters
    ----------
    algorithms : path or str
        A YAML file, or the YAML itself, with the section ``algorithms``; see
        `receval.grid.read_grid`.
    metrics : path or str, optional
        A YAML file with the metrics. Default: the section ``metrics`` of the first file.

    Returns
    -------
    Configuration

    Raises
    ------
    InputError
        If a file can't be read or breaks a rule of `read_grid`, metrics are in neither file or in
        both, a parameter of a known recommender is unknown, missing, of the wrong type or out of
        range, or no recommender or no measure remains. The message names the line.

    Examples
    --------
    >>> configuration = read_configuration('''
    ... algorithms:
    ...   Popularity:
    ...   Katz:
    ... metrics:
    ...   MAP:
    ...     cutoff: {type: int, values: [5, 10]}
    ... ''')
    >>> list(configuration.variants), configuration.measures
    (['Popularity'], ['MAP@5', 'MAP@10'])
    >>> print(configuration.unsupported[0])
    left out the algorithm 'Katz' (line 4): receval has no such recommender
    """
    sections = read_sections(algorithms)
    if "algorithms" not in sections:
        raise input_error("algorithms", "have the section algorithms", ", ".join(sections))
    metrics_section = _metrics_section(sections, metrics)
    unsupported: list[Unsupported] = []
    variants = _read_variants(sections["algorithms"], unsupported)
    measures = _read_measures(metrics_section, unsupported)
    for things, article, kind in ((variants, "an", "algorithm"), (measures, "a", "metric")):
        if not things:
            lacking = "; ".join(str(entry) for entry in unsupported if entry.kind == kind)
            raise input_error("configuration", f"have {article} {kind} that receval has", lacking)
    return Configuration(variants, measures, unsupported)


def _metrics_section(sections: dict[str, YamlNode], metrics: str | Path | None) -> YamlNode:
    """Return the section of metrics, which must be in exactly one of the files."""
    if metrics is None:
        if "metrics" not in sections:
            advice = "Add the section, or give a second file with the metrics"
            raise input_error("algorithms", "have the section metrics", "none", advice)
        return sections["metrics"]
    sections_of_metrics = read_sections(metrics)
    if "metrics" not in sections_of_metrics:
        raise input_error("metrics", "have the section metrics", ", ".join(sections_of_metrics))
    if "metrics" in sections:
        place = f"line {sections['metrics'].line}"
        rule = "be in one of the files"
        raise input_error("metrics", rule, f"metrics in both (algorithms, {place})")
    return sections_of_metrics["metrics"]


def _read_variants(section: YamlNode, unsupported: list[Unsupported]) -> dict[str, Variant]:
    """Return the variants of known recommenders by name; add the others to ``unsupported``."""
    variants: dict[str, Variant] = {}
    for name, node in section.mapping("name algorithms").items():
        unknown_names = _unknown_recommenders(name, node)
        if unknown_names:
            reason = NO_ALGORITHM
            if name in ALGORITHMS:
                reason = f"{NO_ALGORITHM} as its similarity, {unknown_names[0]!r}"
            unsupported.append(Unsupported("algorithm", name, node.line, reason))
            continue
        for options in expand_variants(node):
            variant = check_variant((name, options), f"{node.name} (line {node.line})")
            variant_name = relison_name(variant)
            if variant_name in variants:
                raise node.error("have each variant once", repr(variant_name))
            variants[variant_name] = variant
    return variants


def _unknown_recommenders(name: str, node: YamlNode) -> list[str]:
    """Return the unknown recommenders in an entry of the algorithms.

    The entry names a recommender, and perhaps others as its similarities.
    """
    if name not in ALGORITHMS:
        return [name]
    unknown: Counter[str] = Counter()
    for options in expand_variants(node):
        for value in options.values():
            if isinstance(value, tuple) and value[0] not in ALGORITHMS:
                unknown[value[0]] += 1
    return list(unknown)


def _read_measures(section: YamlNode, unsupported: list[Unsupported]) -> list[str]:
    """Return the names of known measures; add the others to ``unsupported``."""
    measures: list[str] = []
    for name, node in section.mapping("name metrics").items():
        reason = _reason_to_leave_out(name, node)
        if reason:
            unsupported.append(Unsupported("metric", name, node.line, reason))
        else:
            add_measures(measures, measures_of_entry(name, node, measure), node)
    return measures


def _reason_to_leave_out(name: str, node: YamlNode) -> str:
    """Return why receval can't compute a metric of a configuration, or "" if it can."""
    if node.may_hold_parameters and not node.is_empty:
        settings = node.mapping("map parameters to settings")
        # RELISON's measures of networks have a type of their own; parameters are mappings.
        if "type" in settings and settings["type"].is_scalar:
            return NETWORK
    try:
        parsed = measure(name)
    except InputError:
        return NO_MEASURE
    if parsed.needs:
        return NEEDS_TABLES
    return ""
