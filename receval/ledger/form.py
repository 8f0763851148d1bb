"""The form of a ledger's TOML file: its keys, and checks that find what breaks the form."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from receval._checks import (
    InputError,
    Options,
    Record,
    check_choice,
    check_that,
    did_you_mean,
    input_error,
)
from receval.ledger.agreement import FORM_KEYS, check_form, printed_interval
from receval.ledger.entries import CLAIMS, VERDICT_KEYS, flatten
from receval.ledger.printed import read_printed

__all__: list[str] = []

FILE_KEYS = ("title", "source", "inputs", "figures", "tables")
VALUE_KEYS = ("printed", "corrected", "stated", "expected_value")
TEXT_KEYS = (
    "where",
    "what",
    "variant",
    "transcribed",
    "not_computable",
    "left_open",
    "reason",
    "cause",
    "does_not_distinguish",
)
FIGURE_KEYS = (*VALUE_KEYS, *TEXT_KEYS, *FORM_KEYS, "inputs", "consistent", "bound", "claim")
SOURCE_KEYS = (
    "authors",
    "title",
    "venue",
    "year",
    "doi",
    "url",
    "commit",
    "place",
    "seen",
    "seen_on",
    "licence",
    "may_be_copied",
    "note",
)
SEEN = ("first-hand", "in an image", "by OCR", "second-hand")
# If an entry has a key, it must also have at least one of the keys listed for it.
NEEDED_KEYS = {
    "corrected": {"reason"},
    "stated": {"variant"},
    "expected_value": {"not_computable", "claim", "left_open"},
    "left_open": {"expected_value"},
    "bound": {"reason"},
    "cause": {"corrected"},
}


def check_content(content: Record) -> None:
    """Raise if the content of a file breaks the form, apart from its figures."""
    _check_keys(content, FILE_KEYS)
    for key in ("inputs", "figures"):
        check_that(isinstance(content.get(key, {}), dict), key, "be a table", content.get(key))
    _check_texts(content.get("tables", []), "tables")
    if not content.get("figures") and not content.get("tables"):
        raise InputError("the file must have figures. Add a table such as [figures.ease_ndcg]")
    for name, entry in content.get("figures", {}).items():
        check_that(isinstance(entry, dict), f"the figure {name!r}", "be a TOML table", entry)
    source = content.get("source", "")
    if isinstance(source, dict):
        _check_keys(source, SOURCE_KEYS)
        _check_texts(source.get("authors", []), "authors")
        if "seen" in source:
            check_choice(source["seen"], "seen", SEEN)
    else:
        check_that(isinstance(source, str), "source", "be text or a table", source)


def _check_keys(table: Record, keys: Collection[str]) -> None:
    """Raise if a table has a key that is not among ``keys``."""
    for key in table:
        if key not in keys:
            advice = did_you_mean(key, keys)
            raise input_error("keys", f"be among {', '.join(sorted(keys))}", repr(key), advice)


def _check_texts(values: object, name: str) -> None:
    """Raise unless a value is a list of texts."""
    is_list = isinstance(values, list) and all(isinstance(value, str) for value in values)
    check_that(is_list, name, "be a list of texts", values)


def check_entry(entry: Record) -> None:
    """Raise if the entry of a figure breaks the form."""
    _check_keys(entry, FIGURE_KEYS)
    for key in TEXT_KEYS:
        check_that(isinstance(entry.get(key, ""), str), key, "be text", entry.get(key))
    for key in (*VALUE_KEYS, "bound"):
        is_quoted = all(isinstance(value, str) for value in flatten(entry.get(key, "")))
        check_that(is_quoted, key, "be in quotes, because 0.50 is not 0.5", entry.get(key))
    _check_texts(entry.get("inputs", []), "inputs")
    if "claim" in entry:
        check_choice(entry["claim"], "claim", CLAIMS)
    if "consistent" in entry and not isinstance(entry["consistent"], str):
        _check_process(entry["consistent"])
    verdict_keys = [key for key in entry if key in VERDICT_KEYS]
    if len(verdict_keys) > 1:
        raise input_error("a figure", "have one verdict", ", ".join(verdict_keys))
    for key, needed_keys in NEEDED_KEYS.items():
        if key in entry and not needed_keys & entry.keys():
            needed = " or ".join(map(repr, sorted(needed_keys)))
            raise input_error("a figure", f"have {needed} too", repr(key))
    if not flatten(entry.get("printed", [])):
        raise InputError("a figure must have 'printed', the figure as printed; got none")
    if "claim" not in entry:  # whose printed text is a sentence
        _check_numbers(entry)


def _check_process(record: object) -> None:
    """Raise unless a record has a random process in words, and the two ends of its interval."""
    rule = 'be text, or a table such as {process = "…", interval = ["0.1", "0.3"]}'
    has_keys = isinstance(record, dict) and record.keys() == {"process", "interval"}
    check_that(has_keys, "consistent", rule, record)
    assert isinstance(record, dict)
    read_ends(record["interval"], "interval")


def _check_numbers(entry: Record) -> None:
    """Raise if a figure has too many values or too few, or a value is not in a form to read.

    Labels (with the kind "exact") may be any text.
    """
    n_printed = len(flatten(entry["printed"]))
    for key in VALUE_KEYS:
        if key in entry:
            n_values = len(flatten(entry[key]))
            check_that(n_values == n_printed, key, f"have {n_printed} values, as printed", n_values)
    check_form(entry.get("kind", "rounded"), entry.get("input_digits"), entry.get("decimals"))
    if entry.get("kind") == "exact":
        return
    for key in VALUE_KEYS:
        for value in flatten(entry.get(key, [])):
            read_printed(str(value), entry.get("decimals"))
    if "corrected" in entry and not _is_correction(entry):
        raise input_error("corrected", "exclude the printed value", repr(entry["corrected"]))
    if "bound" in entry:
        forms = forms_of(entry)
        low, high = read_ends(entry["bound"], "bound")
        for printed in flatten(entry["printed"]):
            # The bound proves nothing unless it excludes the printed value.
            interval = printed_interval(str(printed), **forms)
            is_excluded = high < interval.low or low > interval.high
            check_that(is_excluded, "bound", f"exclude {printed}", entry["bound"])


def forms_of(entry: Record) -> Options:
    """Return the keys of an entry that say how its figure is printed, for `agrees`."""
    return {key: entry[key] for key in FORM_KEYS if key in entry}


def read_ends(ends: object, name: str) -> tuple[Fraction, Fraction]:
    """Return the recorded ends of an interval; raise if there are not two, in this order."""
    rule = 'be a list of a low and a high end, such as ["0.1", "0.3"]'
    check_that(isinstance(ends, list) and len(ends) == 2, name, rule, ends)
    assert isinstance(ends, list)
    low, high = (read_printed(end).value for end in ends)
    check_that(low <= high, name, rule, ends)
    return low, high


def _is_correction(entry: Record) -> bool:
    """Return whether a corrected value of a figure differs from what is printed.

    It doesn't differ if it is the printed number with fewer or more digits, such as 0.3 for 0.300.
    """
    forms = forms_of(entry)
    forms.pop("input_digits", None)  # no tolerance for rounded inputs here
    for corrected, printed in zip(
        flatten(entry["corrected"]), flatten(entry["printed"]), strict=True
    ):
        new = read_printed(str(corrected), entry.get("decimals")).value
        old = read_printed(str(printed), entry.get("decimals")).value
        is_same = printed_interval(str(corrected), **forms).contains(old)
        if not is_same and not printed_interval(str(printed), **forms).contains(new):
            return True
    return False
