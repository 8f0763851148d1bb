"""The YAML of a grid as nodes that know their place in the file.

receval only parses the text into nodes and never constructs objects from it. So tags cannot create
objects, values stay text, and receval notices repeated keys.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import yaml

from receval._checks import InputError, input_error, shorten

PLAIN_TYPES = ("str", "seq", "map", "int", "float", "bool", "null")
PLAIN_TAGS = {"!", *(f"tag:yaml.org,2002:{name}" for name in PLAIN_TYPES)}
NULLS = ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True)
class YamlNode:
    """A value in a YAML text, and its place.

    Attributes
    ----------
    name : the keys that lead to the value, such as "metrics.MAP", for error messages.
    node : the value.
    key : the last of the keys. Messages show its line; if it is None, they show the line of the
        value.
    """

    name: str
    node: yaml.Node
    key: yaml.Node | None = None

    def __post_init__(self) -> None:
        if self.node.tag not in PLAIN_TAGS:
            raise self.error("be plain YAML", f"the tag {shorten(self.node.tag)}")

    @property
    def line(self) -> int:
        """Return the line of the key, or of the value if there is no key; lines count from 1."""
        node = self.key or self.node
        return int(node.start_mark.line) + 1

    def error(self, rule: str, got: str = "", advice: str = "") -> InputError:
        """Return an error about this value; ``rule`` completes "must", as in "must be a number".

        The message shows ``got``, or the value itself if that is empty, and the line.
        """
        shown = got or self._in_words()
        return input_error(self.name, rule, f"{shown} (line {self.line})", advice)

    @property
    def is_scalar(self) -> bool:
        """Return whether this is a single value, which may be empty, and not a list or mapping."""
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def is_empty(self) -> bool:
        """Return whether this is an empty value, null, or a mapping without entries."""
        if isinstance(self.node, yaml.ScalarNode):
            is_quoted = self.node.style is not None  # PyYAML's style of text without quotes is None
            return not is_quoted and self.node.value in NULLS
        return isinstance(self.node, yaml.MappingNode) and not self.node.value

    @property
    def may_hold_parameters(self) -> bool:
        """Return whether this can be the parameters of a measure: a mapping, or nothing."""
        return self.is_empty or isinstance(self.node, yaml.MappingNode)

    def scalar(self, rule: str) -> str:
        """Return the text of a single value that isn't empty.

        If it is anything else, raises an error, in which ``rule`` follows the word "must".
        """
        if not self.is_scalar or self.is_empty:
            raise self.error(rule)
        return str(self.node.value)

    def one_of(self, choices: Collection[str]) -> str:
        """Return the text if it is one of the choices; raise `InputError` otherwise."""
        rule = f"be one of {', '.join(choices)}"
        text = self.scalar(rule)
        if text not in choices:
            raise self.error(rule)
        return text

    def items(self) -> list[YamlNode]:
        """Return the entries of a list; raise `InputError` if this is not a list or is empty."""
        if not isinstance(self.node, yaml.SequenceNode) or not self.node.value:
            raise self.error("be a list")
        return [YamlNode(f"{self.name}[{i}]", entry) for i, entry in enumerate(self.node.value)]

    def mapping(self, rule: str) -> dict[str, YamlNode]:
        """Return the values of a mapping by key, in order.

        If this is not a mapping or is empty, raises an error, in which ``rule`` follows the word
        "must". Raises another `InputError` if a key is not text or occurs twice.
        """
        if not isinstance(self.node, yaml.MappingNode) or not self.node.value:
            raise self.error(rule)
        entries: dict[str, YamlNode] = {}
        for key_node, value_node in self.node.value:
            key = YamlNode(f"a key of {self.name}", key_node).scalar("be text")
            if key in entries:
                raise YamlNode(self.name, key_node).error("have each key once", f"{key!r} again")
            name = f"{self.name}.{key}"
            if self.name == "grid":  # the top node, which messages about its entries leave out
                name = key
            entries[key] = YamlNode(name, value_node, key_node)
        return entries

    def _in_words(self) -> str:
        """Return a description of the value for error messages."""
        if self.is_empty and self.is_scalar:
            return "nothing"
        if self.is_scalar:
            return shorten(self.node.value)
        kind = "a mapping"
        if isinstance(self.node, yaml.SequenceNode):
            kind = "a list"
        if not self.node.value:
            return f"{kind} without entries"
        return kind


def check_keys(
    entries: Mapping[str, YamlNode],
    keys: Collection[str],
    further_choices: str = "",
    advice: str = "",
) -> None:
    """Raise an error for the first of ``entries`` whose key is not among ``keys``.

    In the message, ``further_choices`` follows the list of the keys, and ``advice`` is at the end.
    """
    for key, entry in entries.items():
        if key not in keys:
            rule = f"be one of {', '.join(keys)}{further_choices}"
            raise entry.error(rule, repr(key), advice)


def compose(text: str) -> yaml.Node:
    """Return the top node of the YAML text of a grid.

    The base loader leaves all values as text. Raises `InputError` if the text is not YAML, is
    empty, or has several documents.
    """
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise input_error("grid", "be one YAML document", " ".join(str(error).split())) from None
    except RecursionError:
        raise input_error("grid", "be YAML of few levels", "too many") from None
    if node is None:
        raise input_error("grid", "have the sections algorithms and metrics", "nothing")
    return node
