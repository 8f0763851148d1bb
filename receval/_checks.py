"""What every public function does with its input first: one exception, one form of message.

Checks convert and verify; they never drop, fill, reorder or change what they were given.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Sized
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from numbers import Real
from typing import Any, TypeGuard, cast

import numpy as np
import numpy.typing as npt

__all__ = ["EvaluationWarning", "InputError"]

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Seed = int | np.random.Generator | None

MAX_EXAMPLES = 5  # offending values named in a message
MAX_ROWS = 10**8  # that a single number may ask for; a table given may have more
LARGEST = 2**53  # the whole numbers up to it are exact in float64


class InputError(ValueError):
    """An argument or a column breaks the rule that its documentation states.

    The message names the argument, the rule and what was given, shows the first
    offending places and says what to do.

    Examples
    --------
    >>> from receval.metrics import dcg
    >>> dcg([3, 2], k=0)
    Traceback (most recent call last):
        ...
    receval.InputError: k must be a positive integer or None; got 0
    """

    # Shown under the name by which users import it.
    __module__ = "receval"
    # The table, the column it lacks and those it has: who knows the arguments says which would do.
    lacks: tuple[str, str, list[Any]] | None = None
    # Whether ids are lists: who knows the table says how to make rows of them.
    is_nested = False


class NoSuchFile(InputError, FileNotFoundError):
    """A file that was named is not there."""

    __module__ = "receval"


class NotWritten(InputError, OSError):
    """The system refuses to write a file to its end, such as when the disk is full."""

    __module__ = "receval"


class HasChanged(InputError):
    """A table or a file isn't what it was when a result was made of it."""

    __module__ = "receval"


def input_error(name: str, rule: str, got: object, advice: str = "") -> InputError:
    """What to raise: which argument must do what, what was given instead, and what to do."""
    return InputError(f"{name} must {rule}; got {got}{advice and f'. {advice}'}")


def check_that(holds: bool, name: str, rule: str, value: object, advice: str = "") -> None:
    """Raise unless a rule holds for a value, which is told as it was given."""
    if not holds:
        raise input_error(name, rule, shorten(value), advice)


class EvaluationWarning(UserWarning):
    """Input that is legal but doubtful: what was done with it, with counts."""

    __module__ = "receval"


def shorten(value: object, width: int = 60) -> str:
    """A value as it is written in messages."""
    try:
        text = repr(value.item() if isinstance(value, (np.number, np.bool_)) else value)
    except ValueError:  # Python writes no whole number of more than 4,300 digits
        text = f"{type(value).__name__} of too many digits to be shown"
    except RecursionError:
        text = f"{type(value).__name__} of too many levels to be shown"
    return text if len(text) <= width else text[: width - 1] + "…"


def offenders(array: npt.NDArray[Any], wrong: BoolArray) -> str:
    """``wrong`` places of ``array`` as text: "-1.0 at [0, 3], …"."""

    def told(place: Any) -> str:
        at = f" at {place.tolist() if len(place) > 1 else place[0]}" if len(place) else ""
        return f"{array[tuple(place)].item()!r}{at}"

    return format_first(np.argwhere(wrong), told=told)


def format_first(
    things: Iterable[Any], most: int = MAX_EXAMPLES, told: Callable[[Any], str] = str
) -> str:
    """The first few as text, and how many more there are."""
    every = list(things)
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(map(told, every[:most])) + more


def is_scalar(values: object) -> bool:
    """Whether ``values`` is a single one. A list never is, of whatever lengths its rows are."""
    return not isinstance(values, (list, tuple)) and np.ndim(cast(Any, values)) == 0


def check_none(
    array: npt.NDArray[Any], wrong: BoolArray, name: str, rule: str, advice: str = ""
) -> None:
    """Raise if any place is ``wrong``."""
    if wrong.any():
        raise input_error(name, rule, offenders(array, wrong), advice)


def is_integer(value: object, least: int = 0) -> TypeGuard[int]:
    """Whether ``value`` is a single whole number of at least ``least``."""
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and bool(cast(int, value) >= least)


def check_count(value: Any, name: str, rule: str = "be a positive integer") -> int:
    """A positive integer."""
    whole = is_integer(value, 1)
    if not whole or value > LARGEST:
        raise input_error(name, "be at most 2**53" if whole else rule, shorten(value))
    return int(value)


def check_rows(value: Any, name: str) -> int:
    """A positive number of rows whose positions memory can hold."""
    n = check_count(value, name)
    rule = f"be at most {MAX_ROWS:,}, as the positions of all rows are kept in memory"
    check_that(n <= MAX_ROWS, name, rule, n)
    return n


def check_integer(value: Any, name: str, least: int, most: int) -> int:
    """A whole number in a range."""
    within = is_integer(value, least) and value <= most
    check_that(within, name, f"be a whole number from {least} to {most:,}", value)
    return int(value)


def check_number(
    value: object, name: str, rule: str, holds: Callable[[float], bool] = math.isfinite
) -> float:
    """A single finite number for which ``holds`` is true; ``rule`` says it in words."""
    number = as_float(value)
    if number is None or not (math.isfinite(number) and holds(number)):
        raise input_error(name, f"be {rule}", shorten(value))
    if isinstance(value, (int, np.integer)) and int(number) != value:
        raise input_error(name, "be a number that float64 holds", shorten(value))
    return number


def as_float(value: object) -> float | None:
    """A single number as float64, None if it is no number or too large for one."""
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            return float(value)
    return None


def check_flag(value: object, name: str, *, optional: bool = False) -> bool | None:
    """Yes or no, or None where that is a third choice."""
    if value is None and optional:
        return None
    is_flag = isinstance(value, (bool, np.bool_))
    check_that(is_flag, name, f"be True or False{', or None' * optional}", value)
    return bool(value)


def check_text(values: Iterable[object], name: str) -> None:
    """No text with half a surrogate pair, which no file and no column of text can hold."""
    for value in values:
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise input_error(name, "be text that UTF-8 can hold", shorten(value)) from None


def check_choice(value: object, name: str, choices: Iterable[str]) -> str:
    """One of a few words; a near miss is pointed out."""
    choices = list(choices)
    if isinstance(value, str) and value in choices:
        return value
    listed = ", ".join(map(repr, choices))
    raise input_error(name, f"be one of {listed}", shorten(value), did_you_mean(value, choices))


def did_you_mean(value: object, known: Iterable[str], most: int = 1) -> str:
    """Advice that names what comes near to a word; none where nothing does."""
    folded = {one.casefold(): one for one in known}  # ndcg means nDCG
    near = get_close_matches(value.casefold(), folded, most) if isinstance(value, str) else []
    return f"Did you mean {' or '.join(repr(folded[one]) for one in near)}?" if near else ""


def check_unique(ids: Sequence[Any], name: str, what: str) -> None:
    """Refuse an identifier that stands twice or cannot be looked up."""
    try:
        distinct = len(set(ids))
    except TypeError:
        raise InputError(f"{name} must name each {what} by a hashable id such as text") from None
    if distinct < len(ids):
        again = [f"{id!r} {n} times" for id, n in Counter(ids).items() if n > 1]
        raise InputError(f"{name} must hold each {what} once; got {format_first(again)}")


def as_ids(values: Any, name: str, rule: str, *, text: bool = False) -> list[Any]:
    """Identifiers of users in one dimension, each once; as text if that is asked."""
    one = isinstance(values, Iterable) and getattr(values, "ndim", 1) == 1
    check_that(one, name, rule, values)
    given = values.tolist() if hasattr(values, "tolist") else list(values)
    ids = [str(value) for value in given] if text else given
    check_text(ids, name)
    check_unique(ids, name, "id")
    return ids


def check_not_empty(things: Sized, name: str, rule: str = "have at least one row") -> None:
    """Refuse what is empty."""
    if not len(things):
        raise InputError(f"{name} must {rule}; got none")


def select_names(measures: Iterable[str] | None, known: Iterable[str]) -> list[str]:
    """The names of measures that are wanted, each once; all that are known if none is named."""
    names = list(dict.fromkeys(known if measures is None else measures))
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputError(f"measures must be among {list(known)}; got {unknown}")
    return names


def check_callable(value: object, name: str, example: str) -> None:
    check_that(callable(value), name, f"be a function such as {example}", value)


def check_shape(array: npt.NDArray[Any], shape: tuple[Any, ...], name: str) -> None:
    """Axes of these lengths; a first one of ``...`` stands for any number of leading axes."""
    free = shape[:1] == (...,)
    if array.shape[-len(shape) + 1 :] != shape[1:] if free else array.shape != shape:
        told = str(shape).replace("Ellipsis", "...")
        raise input_error(name, f"have the shape {told}", array.shape)


def as_generator(rng: object, name: str = "rng") -> np.random.Generator:
    """A source of random numbers: a generator as it is, or a new one from a seed."""
    if isinstance(rng, np.random.Generator):
        return rng
    check_that(is_integer(rng), name, "be a numpy.random.Generator or a seed", rng)
    return np.random.default_rng(cast(int, rng))


@contextmanager
def no_huge_numbers(name: str) -> Iterator[None]:
    """Refuse the whole numbers beyond float64 that pandas before 3.0 cannot take in."""
    try:
        yield
    except OverflowError:
        raise InputError(f"{name} must hold numbers below about 1e308; got larger") from None
