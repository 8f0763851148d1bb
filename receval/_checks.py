"""Types, and checks of the input of public functions: one exception class, one form of message.

Checks convert and verify. They never drop, fill, reorder or change the input.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import (
    Callable,
    Hashable,
    Iterable,
    Sequence,
    Sized,
)
from contextlib import suppress
from difflib import get_close_matches
from importlib import import_module
from numbers import Real
from types import EllipsisType, ModuleType
from typing import (
    Any,
    TypeAlias,
    TypeGuard,
    TypeVar,
    cast,
)

import numpy as np
import numpy.typing as npt

Thing = TypeVar("Thing")

# Types --------------------------------------------------------------------------------------------

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]
Seed = int | np.random.Generator | None

AnyArray: TypeAlias = npt.NDArray[Any]
"""An array whose dtype depends on the data: ids, unconverted scores, columns of a table."""

Id: TypeAlias = Hashable
"""The id of a user, an item, a query or a system: a text or a number."""

Options: TypeAlias = dict[str, Any]
"""Keyword arguments that are passed on, or the parameters of a measure or convention, by name."""

Record: TypeAlias = dict[str, Any]
"""The content of a JSON or TOML table."""

UserFunction: TypeAlias = Callable[..., Any]
"""A function that the user wrote; receval checks what it returns."""

TableLike: TypeAlias = Any
"""A table as users pass it: a frame of a library that shares its columns through Arrow, a dict, or
the path of a file."""


# Errors -------------------------------------------------------------------------------------------

MAX_EXAMPLES = 5  # wrong values that a message shows
MAX_ROWS = 10**8  # limit of arguments such as n_rows; a table may have more rows
MAX_EXACT_INTEGER = 2**53  # whole numbers up to this one are exact in float64


class InputError(ValueError):
    """An argument or a column breaks the rule that its documentation states.

    The message names the argument, the rule and the wrong input, shows the first wrong places,
    and says what to do.

    Examples
    --------
    >>> from receval.metrics import dcg
    >>> dcg([3, 2], k=0)
    Traceback (most recent call last):
        ...
    receval.InputError: k must be a positive integer or None; got 0
    """

    # The module from which users import the class.
    __module__ = "receval"


class NoSuchFile(InputError, FileNotFoundError):
    """A file does not exist."""

    __module__ = "receval"


class EvaluationWarning(UserWarning):
    """Input is legal but suspicious; the message says what receval did, with counts."""

    __module__ = "receval"


def warn(message: str, *, stacklevel: int) -> None:
    """Issue an `EvaluationWarning` that shows the line of a caller.

    ``stacklevel`` counts as in `warnings.warn`: 1 is the function that calls ``warn``, and 2 is the
    caller of that function.
    """
    warnings.warn(message, EvaluationWarning, stacklevel=stacklevel + 1)  # noqa: TID251


def input_error(name: str, rule: str, got: object, advice: str = "") -> InputError:
    """Build the error for an argument from the rule that it must follow, the input, and advice."""
    message = f"{name} must {rule}; got {got}"
    if advice:
        message += f". {advice}"
    return InputError(message)


def check_that(holds: object, name: str, rule: str, value: object, advice: str = "") -> None:
    """Raise `InputError` with the rule, the value and advice unless ``holds`` is true.

    ``holds`` is the result of a condition. ``name`` is the argument that the error is about.
    """
    if not holds:
        raise input_error(name, rule, shorten(value), advice)


def type_name(value: object) -> str:
    """Return the name of a value's type with its library, such as "polars.DataFrame"."""
    library = type(value).__module__.partition(".")[0]
    return f"{library}.{type(value).__name__}".removeprefix("builtins.")


def counted(n: int, singular: str, plural: str = "") -> str:
    """Return a number with its noun: "1 row", "2 rows".

    Pass the plural if it isn't the singular with an "s", as in "1 item is", "2 items are".
    """
    if n == 1:
        return f"1 {singular}"
    return f"{n:,} {plural or singular + 's'}"


def shorten(value: object, width: int = 60) -> str:
    """Return a value as messages show it, cut to ``width`` characters."""
    if isinstance(value, (np.number, np.bool_)):
        value = value.item()
    text = repr(value)
    if len(text) > width:
        return text[: width - 1] + "…"
    return text


def format_first(
    things: Iterable[Thing], most: int = MAX_EXAMPLES, to_text: Callable[[Thing], str] = str
) -> str:
    """Return the first few things as text, such as "a, b and 3 more".

    At most ``most`` things are shown. ``to_text`` returns the text of a thing.
    """
    every_thing = list(things)
    text = ", ".join(to_text(thing) for thing in every_thing[:most])
    if len(every_thing) > most:
        text += f" and {len(every_thing) - most} more"
    return text


def is_scalar(values: object) -> bool:
    """Return whether ``values`` is a single value; lists and tuples are not, whatever they hold."""
    return not isinstance(values, (list, tuple)) and np.ndim(cast(npt.ArrayLike, values)) == 0


def check_none(array: AnyArray, wrong: BoolArray, name: str, rule: str, advice: str = "") -> None:
    """Raise `InputError` with the first wrong values of an array; ``wrong`` is their mask.

    The message shows each value with its index along each axis, such as "-1.0 at index [0, 3]".
    """

    def describe(index: IntArray) -> str:
        """Return the value at an index, and the index."""
        value = repr(array.item(*index))
        if len(index) == 0:  # the array is a single number, which has no place
            return value
        if len(index) == 1:
            return f"{value} at index {index[0]}"
        return f"{value} at index {index.tolist()}"

    if wrong.any():
        raise input_error(name, rule, format_first(np.argwhere(wrong), to_text=describe), advice)


def is_integer(value: object, least: int = 0) -> TypeGuard[int]:
    """Return whether ``value`` is a whole number of at least ``least``; a bool is not."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        return False
    return bool(value >= least)


def check_count(value: object, name: str, rule: str = "be a positive integer") -> int:
    """Return a positive whole number of at most 2**53; raise for anything else."""
    check_that(is_integer(value, 1), name, rule, value)
    count = int(cast("int", value))
    check_that(count <= MAX_EXACT_INTEGER, name, "be at most 2**53", value)
    return count


def check_integer(value: object, name: str, least: int, most: int) -> int:
    """Return a whole number from ``least`` to ``most``; raise for anything else."""
    if is_integer(value, least) and value <= most:
        return int(value)
    raise input_error(name, f"be a whole number from {least} to {most:,}", shorten(value))


def check_number(
    value: object, name: str, rule: str, holds: Callable[[float], bool] = math.isfinite
) -> float:
    """Return a single finite number for which ``holds`` is true; raise for anything else.

    ``rule`` describes the numbers that ``holds`` accepts, such as "a number above 0"; the error
    message quotes it. Also raises for a whole number that float64 cannot represent exactly.
    """
    number = as_float(value)
    if number is None or not (math.isfinite(number) and holds(number)):
        raise input_error(name, f"be {rule}", shorten(value))
    if isinstance(value, (int, np.integer)) and int(number) != value:
        raise input_error(name, "be a number that float64 holds", shorten(value))
    return number


def as_float(value: object) -> float | None:
    """Return a single number as float64, or None if it is not a number or too large."""
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(OverflowError):
            return float(value)
    return None


def check_flag(value: object, name: str) -> bool:
    """Return a flag as Python's True or False; raise for anything else."""
    check_that(isinstance(value, (bool, np.bool_)), name, "be True or False", value)
    return bool(value)


def check_text(values: Iterable[object], name: str) -> None:
    """Raise if a text has half a surrogate pair, which no file and no text column can hold.

    Values that are not texts are ignored.
    """
    is_wrong = re.compile(r"[\ud800-\udfff]").search
    for value in values:
        if isinstance(value, str) and is_wrong(value):
            raise input_error(name, "be text that UTF-8 can hold", shorten(value))


def check_choice(value: object, name: str, choices: Iterable[str]) -> str:
    """Return a value that is among the choices; otherwise raise and suggest the nearest choice."""
    choices = list(choices)
    if isinstance(value, str) and value in choices:
        return value
    rule = f"be one of {', '.join(map(repr, choices))}"
    raise input_error(name, rule, shorten(value), did_you_mean(value, choices))


def did_you_mean(value: object, choices: Iterable[str]) -> str:
    """Return advice with the choice that is nearest to a word, or "" if none is near.

    Upper and lower case count as equal, because "ndcg" means "nDCG".
    """
    choice_by_folded = {choice.casefold(): choice for choice in choices}
    nearest = get_close_matches(str(value).casefold(), choice_by_folded, 1)
    if not nearest:
        return ""
    return f"Did you mean {choice_by_folded[nearest[0]]!r}?"


def check_unique(ids: Sequence[object], name: str, what: str) -> None:
    """Raise if an id occurs twice or is not hashable.

    Error messages call the argument ``name``, and an id ``what``, such as "query".
    """
    try:
        n_distinct = len(set(ids))
    except TypeError:
        raise InputError(f"{name} must name each {what} by a hashable id such as text") from None
    if n_distinct < len(ids):
        counts = Counter(ids)
        repeated = [f"{value!r} {count} times" for value, count in counts.items() if count > 1]
        raise InputError(f"{name} must hold each {what} once; got {format_first(repeated)}")


def as_ids(values: object, name: str, rule: str) -> list[Any]:
    """Return ids as a list.

    Raises an `InputError` with ``rule`` unless the values are an iterable or an array with one
    axis. A single text raises too, because its letters are not ids. Also raises if an id cannot be
    written in UTF-8, or if two ids are equal.
    """
    # Only arrays and the like have axes.
    is_list = isinstance(values, Iterable) and getattr(values, "ndim", 1) == 1
    check_that(is_list and not isinstance(values, (str, bytes)), name, rule, values)
    things = cast("Any", values)
    ids: list[Any] = things.tolist() if hasattr(things, "tolist") else list(things)
    check_text(ids, name)
    check_unique(ids, name, "id")
    return ids


def check_not_empty(things: Sized, name: str, rule: str = "have at least one row") -> None:
    """Raise if a collection or a table is empty."""
    if not len(things):
        raise InputError(f"{name} must {rule}; got none")


def check_callable(value: object, name: str, example: str) -> None:
    """Raise if a value is not a function."""
    check_that(callable(value), name, f"be a function such as {example}", value)


def check_shape(array: AnyArray, shape: tuple[int | EllipsisType, ...], name: str) -> None:
    """Raise unless an array has the expected shape.

    ``...`` as the first entry of ``shape`` allows any leading axes before the others: with
    ``(..., 3)``, an array of shape (5, 2, 3) is fine.
    """
    axes = array.shape
    if ... in shape:
        axes = (..., *axes[-len(shape) + 1 :])
    rule = f"have the shape {shape}".replace("Ellipsis", "...")
    check_that(axes == shape, name, rule, array.shape)


def as_generator(
    rng: object, name: str = "rng", *, may_be_none: bool = False
) -> np.random.Generator:
    """Return a random generator as it is, or a new one from a seed; raise for anything else.

    With ``may_be_none``, the seed of None is random.
    """
    is_seed = is_integer(rng) or (may_be_none and rng is None)
    if is_seed or isinstance(rng, np.random.Generator):
        return np.random.default_rng(cast("Seed", rng))
    raise input_error(name, "be a numpy.random.Generator or a seed", shorten(rng))


def import_extra(module: str, extra: str, purpose: str) -> ModuleType:
    """Import a module of an optional package; the error says how to install it.

    Parameters
    ----------
    module : str
        The module, such as ``"matplotlib.pyplot"``.
    extra : str
        The extra of receval that installs its package, such as ``"plots"``.
    purpose : str
        What needs the package, such as ``"receval.plots"``. The error begins with these words.

    Raises
    ------
    ImportError
        If the package is missing.

    Examples
    --------
    >>> import_extra("no_such_package.part", "plots", "receval.plots")
    Traceback (most recent call last):
    ImportError: receval.plots needs no_such_package: pip install "receval[plots]"
    """
    try:
        return import_module(module)
    except ImportError as error:
        package = module.split(".", maxsplit=1)[0]
        raise ImportError(f'{purpose} needs {package}: pip install "receval[{extra}]"') from error
