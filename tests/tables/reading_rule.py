"""The rule by which columns of text files become numbers, in plain Python, and texts to try."""

import re
from decimal import Decimal

import numpy as np
import pandas as pd

INTEGER = re.compile(r"0|-?[1-9][0-9]*")
DECIMAL = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?inf")

ZEROS_AND_SIGNS = [
    "0",
    "00",
    "007",
    "-0",
    "-07",
    "-0.0",
    "00.5",
    "+5",
    "+05",
    "+0",
    "-",
    "+",
    "--1",
    "+-1",
    "1-2",
]
POINTS_AND_EXPONENTS = (
    ". .5 5. -.5 1.2.3 1e5 1E-5 e5 1e 1e5.5 1e999 -1e999 1e-999 0e-999 0." + "0" * 330 + "1"
).split()
WORDS = ["inf", "-inf", "+inf", "INF", "infinity", "nan", "NaN", "NA", "None", "true", "i", "fine"]
OTHER_CHARACTERS = [" 5", "5 ", "1 000", "1_000", "0x10", "1d5", "１", "٣", "½", "−5", "5%"]
MANY_DIGITS = [
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551616",
    "9007199254740992",
    "9007199254740993",
    "9007199254740993.0",
    "100000000000000000000",
    "0.1000000000000000055511151231257827",
    "0.30000000000000004",
    "0.300000000000000044",
]
NASTY_FIELDS = [
    *ZEROS_AND_SIGNS,
    *POINTS_AND_EXPONENTS,
    *WORDS,
    *OTHER_CHARACTERS,
    *MANY_DIGITS,
    "\t5",
    "\xa05",
    "",
]
"""Fields that other readers take for numbers, or for the wrong ones."""

TEXT_TYPE = pd.Series(["text"]).dtype
"""The type of text: `object` before pandas 3."""


def expected_values(texts):
    """Return the values of a column: int64 or float64, or texts with None where one is empty."""
    filled = [text for text in texts if text]
    as_written = [text or None for text in texts]
    if not filled:
        return as_written
    if all(INTEGER.fullmatch(text) and -(2**63) <= int(text) < 2**63 for text in filled):
        if len(filled) == len(texts):
            return np.array([int(text) for text in texts])
        if max(abs(int(text)) for text in filled) > 2**53:
            return as_written
        return np.array([int(text) if text else np.nan for text in texts], float)
    if not all(DECIMAL.fullmatch(text) for text in filled):
        return as_written
    # Texts with leading zeros are ids, and whole numbers stay text if int64 cannot hold them.
    if any(re.fullmatch("-?0[0-9]+", text) for text in filled):
        return as_written
    if all(re.fullmatch("-?[0-9]+", text) for text in filled) and (
        "-0" not in filled or max(abs(int(text)) for text in filled) >= 2**53
    ):
        return as_written
    floats_by_text = {text: float(text) for text in filled}
    if any(np.isinf(number) and "inf" not in text for text, number in floats_by_text.items()):
        return as_written
    if loses_digits(floats_by_text):
        return as_written
    return np.array([floats_by_text[text] if text else np.nan for text in texts])


def loses_digits(floats_by_text):
    """Return whether float64 rounds a whole number, or makes different numbers equal or 0."""
    exact_by_float = {}
    for text, number in floats_by_text.items():
        if re.fullmatch("[-+]?[0-9]+", text) and int(number) != int(text):
            return True
        if np.isfinite(number):
            exact = Decimal(text)
            if (number == 0) != (exact == 0):
                return True
            if exact_by_float.setdefault(number, exact) != exact:
                return True
    return False


def assert_as_expected(values, texts):
    expected = expected_values(texts)
    if isinstance(expected, list):
        assert values.dtype == TEXT_TYPE
        assert [None if pd.isna(value) else value for value in values] == expected
    else:
        assert values.dtype == expected.dtype
        assert values.to_numpy().tobytes() == expected.tobytes()
