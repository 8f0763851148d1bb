"""The evidence that a figure's record states in numbers: a random process, or a bound."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from receval._checks import InputError, did_you_mean, is_integer, shorten
from receval.ledger.intervals import Interval
from receval.ledger.printed import read_printed

__all__ = ["Consistent", "read_bound", "read_consistent"]

CONSISTENT_KEYS = ("process", "interval", "level", "seed", "generator", "draws")


@dataclass(frozen=True)
class Consistent:
    """The random process or the bound that a figure is consistent with.

    Attributes
    ----------
    process : str
        The process or the bound in words.
    interval : Interval or None
        The interval that the process gives for the figure.
    level : float or None
        The probability of the interval, above 0 and at most 1.
    seed : int or None
        The seed of the generator.
    generator : str
        The random generator, such as "numpy.random.RandomState"; "" if it is not recorded.
    draws : int or None
        The number of draws.
    """

    process: str
    interval: Interval | None = None
    level: float | None = None
    seed: int | None = None
    generator: str = ""
    draws: int | None = None

    @property
    def sentence(self) -> str:
        """Return the evidence in words, for the reason of a verdict.

        Examples
        --------
        >>> Consistent("bootstrap of clicks", level=0.95, seed=1, generator="PCG64").sentence
        'bootstrap of clicks (level 0.95, generator PCG64, seed 1)'
        """
        details = []
        if self.interval is not None:
            details.append(f"interval {self.interval.short}")
        if self.level is not None:
            details.append(f"level {self.level:g}")
        if self.draws is not None:
            details.append(f"{self.draws:,} draws")
        if self.generator:
            details.append(f"generator {self.generator}")
        if self.seed is not None:
            details.append(f"seed {self.seed}")
        if not details:
            return self.process
        return f"{self.process} ({', '.join(details)})"


def read_consistent(
    record: object, where: str = "", *, decimal_comma: bool = False, percent: bool = False
) -> Consistent:
    """Return the evidence in the key ``consistent`` of a figure.

    Parameters
    ----------
    record : str or dict
        The process in words, or a table with the key ``process`` and any of ``interval`` (its two
        ends as texts or numbers), ``level``, ``seed``, ``generator`` and ``draws``.
    where : str, optional
        The place of the record, such as file and line, with which error messages begin.
    decimal_comma, percent : bool, default False
        The form of the interval's ends, as for `read_printed`.

    Returns
    -------
    Consistent

    Raises
    ------
    InputError
        If the record has another form, an unknown key, or a value that is out of range.

    Examples
    --------
    >>> read_consistent({"process": "bootstrap", "interval": ["0.0015", "0.0093"], "level": 0.95})
    Consistent(process='bootstrap', interval=[0.0015, 0.0093], level=0.95, seed=None, generator='',
    draws=None)
    >>> read_consistent({"process": "bootstrap", "sed": 1}, where="figures.toml, line 7")
    Traceback (most recent call last):
        ...
    receval.InputError: figures.toml, line 7: consistent must have keys among process, interval,
    level, seed, generator, draws; got 'sed'. Did you mean 'seed'?
    """
    if isinstance(record, str):
        _check(record.strip() != "", where, "consistent", "name the process", record)
        return Consistent(process=record)
    _check(isinstance(record, Mapping), where, "consistent", "be a text or a table", record)
    assert isinstance(record, Mapping)
    for key in record:
        rule = f"have keys among {', '.join(CONSISTENT_KEYS)}"
        advice = did_you_mean(key, CONSISTENT_KEYS)
        _check(key in CONSISTENT_KEYS, where, "consistent", rule, key, advice)
    process = record.get("process")
    is_text = isinstance(process, str) and process.strip() != ""
    _check(is_text, where, "process", "name the random process or the bound", process)
    generator = record.get("generator", "")
    _check(isinstance(generator, str), where, "generator", "be the generator's name", generator)
    level = record.get("level")
    is_number = isinstance(level, (int, float)) and not isinstance(level, bool)
    is_level = level is None or (is_number and 0 < level <= 1)
    _check(is_level, where, "level", "be a probability above 0 and at most 1", level)
    for key, least in (("seed", 0), ("draws", 1)):
        number = record.get(key)
        is_count = number is None or is_integer(number, least)
        _check(is_count, where, key, f"be a whole number from {least}", number)
    interval = None
    if "interval" in record:
        interval = read_bound(
            record["interval"],
            where,
            name="interval",
            decimal_comma=decimal_comma,
            percent=percent,
        )
    return Consistent(
        process=str(process),
        interval=interval,
        level=None if level is None else float(level),
        seed=record.get("seed"),
        generator=generator,
        draws=record.get("draws"),
    )


def read_bound(
    ends: object,
    where: str = "",
    *,
    name: str = "bound",
    decimal_comma: bool = False,
    percent: bool = False,
) -> Interval:
    """Return an interval from its two ends in a record, such as the value of the key ``bound``.

    Parameters
    ----------
    ends : list of two str or numbers
        The low and the high end; "" if there is no such end.
    where : str, optional
        The place of the record, such as file and line, with which error messages begin.
    name : str, default "bound"
        The key, for error messages.
    decimal_comma, percent : bool, default False
        The form of the ends that are texts, as for `read_printed`.

    Returns
    -------
    Interval

    Raises
    ------
    InputError
        If there are not two ends, an end is not a number, or the low end is above the high one.

    Examples
    --------
    >>> read_bound(["0.0055", "0.0057"]), read_bound(["", "30 %"])
    ([0.0055, 0.0057], (-∞, 0.3])
    """
    rule = 'be a list of a low and a high end, such as ["0.1", "0.3"]; "" is no end'
    is_pair = isinstance(ends, (list, tuple)) and len(ends) == 2
    _check(is_pair, where, name, rule, ends)
    assert isinstance(ends, (list, tuple))
    infinities = (Decimal("-Infinity"), Decimal("Infinity"))
    try:
        low, high = (
            _read_end(end, infinity, decimal_comma=decimal_comma, percent=percent)
            for end, infinity in zip(ends, infinities, strict=True)
        )
        return Interval(low, high)
    except InputError:
        raise _error(where, name, rule, ends) from None


def _read_end(
    end: str | float, infinity: Decimal, *, decimal_comma: bool, percent: bool
) -> Decimal | float:
    """Return an end of a recorded interval: a number, ``infinity`` for "", or a printed text.

    See `read_printed` for the other parameters. Raises if a text isn't a plain number.
    """
    if end == "":
        return infinity
    if not isinstance(end, str):
        return end
    figure = read_printed(end, decimal_comma=decimal_comma, percent=percent)
    if figure.value is None or figure.relation:
        raise InputError(f"end must be a number; got {shorten(end)}")
    return figure.value


def _check(holds: object, where: str, name: str, rule: str, got: object, advice: str = "") -> None:
    """Raise an error that begins with the place of a record, unless ``holds`` is true."""
    if not holds:
        raise _error(where, name, rule, got, advice)


def _error(where: str, name: str, rule: str, got: object, advice: str = "") -> InputError:
    """Return the error for a key of a record; it begins with the record's place."""
    message = f"{name} must {rule}; got {shorten(got)}"
    if where:
        message = f"{where}: {message}"
    if advice:
        message += f". {advice}"
    return InputError(message)
