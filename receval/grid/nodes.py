"""A grid's YAML as nodes that know their place.

The text is composed to nodes and never constructed: no tag makes an object, scalars stay text,
and a key that is there twice is seen.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import yaml

from receval._checks import InputError, input_error, shorten

KINDS = ("str", "seq", "map", "int", "float", "bool", "null")
TAGS = {"!", *(f"tag:yaml.org,2002:{kind}" for kind in KINDS)}


@dataclass(frozen=True)
class YamlNode:
    """A node, the keys that lead to it, and the node of the last of them, which has its line."""

    name: str
    node: yaml.Node
    key: yaml.Node | None = None

    def __post_init__(self) -> None:
        if self.node.tag not in TAGS:
            raise self.error("be plain YAML", f"the tag {shorten(self.node.tag)}")

    @property
    def line(self) -> int:
        return int((self.key or self.node).start_mark.line) + 1

    def error(self, rule: str, got: str = "", advice: str = "") -> InputError:
        """What to raise; ``got`` is what stands here, if nothing else is said."""
        return input_error(self.name, rule, f"{got or self._what()} (line {self.line})", advice)

    @property
    def is_scalar(self) -> bool:
        return isinstance(self.node, yaml.ScalarNode)

    @property
    def empty(self) -> bool:
        """Nothing after the colon, a null, or a mapping without entries."""
        if isinstance(self.node, yaml.ScalarNode):
            return self.node.style is None and self.node.value in ("", "~", "null", "Null", "NULL")
        return isinstance(self.node, yaml.MappingNode) and not self.node.value

    @property
    def has_parameters(self) -> bool:
        """Whether it may be a measure or an algorithm: a mapping, or nothing."""
        return self.empty or isinstance(self.node, yaml.MappingNode)

    def scalar(self, rule: str) -> str:
        if not self.is_scalar or self.empty:
            raise self.error(rule)
        return str(self.node.value)

    def one_of(self, choices: Collection[str]) -> str:
        rule = f"be one of {', '.join(choices)}"
        if (text := self.scalar(rule)) not in choices:
            raise self.error(rule)
        return text

    def items(self) -> list[YamlNode]:
        """The entries of a list."""
        entries = self._entries(yaml.SequenceNode, "be a list")
        return [YamlNode(f"{self.name}[{i}]", entry) for i, entry in enumerate(entries)]

    def mapping(self, rule: str) -> dict[str, YamlNode]:
        """The entries of a mapping, in order; none twice."""
        entries: dict[str, YamlNode] = {}
        for key_node, value_node in self._entries(yaml.MappingNode, rule):
            key = YamlNode(f"a key of {self.name}", key_node).scalar("be text")
            if key in entries:
                raise YamlNode(self.name, key_node).error("have each key once", f"{key!r} again")
            name = key if self.name == "grid" else f"{self.name}.{key}"
            entries[key] = YamlNode(name, value_node, key_node)
        return entries

    def _entries(self, kind: type[yaml.Node], rule: str) -> list[Any]:
        if not isinstance(self.node, kind) or not self.node.value:
            raise self.error(rule)
        return list(self.node.value)

    def _what(self) -> str:
        if self.is_scalar:
            return "nothing" if self.empty else shorten(self.node.value)
        kind = "a list" if isinstance(self.node, yaml.SequenceNode) else "a mapping"
        return kind if self.node.value else f"{kind} without entries"


def refuse_others(
    entries: dict[str, YamlNode], known: Collection[str], more: str = "", advice: str = ""
) -> None:
    """Refuse the first entry whose key is not known."""
    for key, entry in entries.items():
        if key not in known:
            raise entry.error(f"be one of {', '.join(known)}{more}", repr(key), advice)


def compose(text: str) -> yaml.Node:
    """The one document of a YAML text."""
    try:
        node = yaml.compose(text, Loader=yaml.BaseLoader)
    except yaml.YAMLError as error:
        raise input_error("grid", "be one YAML document", " ".join(str(error).split())) from None
    except RecursionError:
        raise input_error("grid", "be YAML of few levels", "too many") from None
    if node is None:
        raise input_error("grid", "have the sections algorithms and metrics", "nothing")
    return node
