"""The key of a text depends on the text only, not on its place in memory."""

import numpy as np
import pyarrow as pa
import pytest
from numpy.testing import assert_array_equal

from receval.tables.keys import (
    BATCH_SIZE,
    BYTE_MASKS,
    HASH_MULTIPLIER,
    MAX_BYTES,
    keys_suffice,
    text_keys,
)

LENGTHS = {
    "one length": [5],
    "a word": [8],
    "two words": [16],
    "twenty": [20],
    "short": [0, 1, 2, 7, 8],
    "long": [9, 15, 16, 17, 40],
    "any": [0, 1, 7, 8, 9, 16, 30],
    "one very long": [*[6] * 60, 3 * MAX_BYTES],
}


def drawn(lengths, n, seed=0):
    rng = np.random.default_rng(seed)
    length = rng.choice(lengths, n)
    return ["".join(map(chr, rng.integers(0, 128, one))) for one in length]


def arrow(texts):
    return pa.array(texts, pa.large_string())


def one_by_one(text):
    """Compute the key with Python's integers."""
    data = text.encode()
    key = len(data) if len(data) > 8 else 0
    for at in range(0, min(len(data), MAX_BYTES), 8):
        if at:
            key = key * int(HASH_MULTIPLIER) % 2**64
            key ^= key >> 32
        key ^= int.from_bytes(data[at : at + 8], "little")
    return key


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
def test_the_key_of_a_text_is_its_own(lengths):
    """The key is the same for a text alone, among others, and in another block of rows."""
    texts = drawn(lengths, 300)
    expected = [one_by_one(text) for text in texts]
    assert text_keys(arrow(texts)).tolist() == expected
    beside = [*drawn(LENGTHS["any"], BATCH_SIZE - 100, seed=1), *texts, "x" * 50]
    assert text_keys(arrow(beside))[BATCH_SIZE - 100 : -1].tolist() == expected
    assert [text_keys(arrow([text])).item() for text in texts[:9]] == expected[:9]


@pytest.mark.parametrize("lengths", LENGTHS.values(), ids=LENGTHS)
@pytest.mark.parametrize("first", [0, 1, 99])
@pytest.mark.parametrize("last", [100, 199, 200])
def test_a_part_of_an_array(lengths, first, last):
    texts = drawn(lengths, 200)
    whole = text_keys(arrow(texts))
    assert_array_equal(text_keys(arrow(texts)[first:last]), whole[first:last], strict=True)


def test_unlike_texts_have_unlike_keys():
    texts = {
        f"{letter}{n:0{width}}" for letter in "iu" for n in range(2000) for width in (4, 9, 19)
    }
    texts |= {"x" * (MAX_BYTES - 1) + end for end in "abc"} | {"x" * n for n in range(3000, 3100)}
    keys = text_keys(arrow(sorted(texts)))
    assert np.unique(keys).size == len(texts)
    assert np.unique(keys * HASH_MULTIPLIER >> np.uint64(24)).size == len(
        texts
    )  # as they are compared


@pytest.mark.parametrize(
    ("texts", "suffice"),
    [
        ([], True),
        (["", "a", "12345678"], True),
        (["äöüß"], True),
        (["a", "123456789"], False),
        (["1234567ä"], False),
        (["a", "a\0"], False),
        (["\0"], False),
    ],
)
def test_texts_of_up_to_eight_bytes_are_their_keys(texts, suffice):
    assert keys_suffice(arrow(texts)) == suffice
    assert keys_suffice(arrow(["123456789", *texts, "\0"])[1:-1]) == suffice
    if suffice:
        expected = b"".join(one.encode().ljust(8, b"\0") for one in texts)
        assert text_keys(arrow(texts)).tobytes() == expected


def test_of_a_very_long_text_the_beginning_and_the_length_count():
    long = ["x" * MAX_BYTES, "x" * MAX_BYTES + "a", "x" * MAX_BYTES + "b"]
    keys = text_keys(arrow(long))
    assert keys[0] != keys[1] == keys[2]


def test_no_text_and_empty_text():
    assert_array_equal(text_keys(arrow([])), np.empty(0, np.uint64), strict=True)
    assert_array_equal(text_keys(arrow(["abc"])[:0]), np.empty(0, np.uint64), strict=True)
    assert text_keys(arrow(["", ""])).tolist() == [0, 0]
    assert BYTE_MASKS.tolist() == [int.from_bytes(b"\xff" * n, "little") for n in range(9)]
