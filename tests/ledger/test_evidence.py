"""The evidence that a figure's record states in numbers."""

import pytest

from receval import InputError
from receval.ledger import Interval, read_bound, read_consistent

RECORD = {
    "process": "bootstrap of clicks",
    "interval": ["0.001531", "0.009254"],
    "level": 0.95,
    "seed": 12345,
    "generator": "numpy.random.RandomState",
    "draws": 10_000,
}


def test_a_random_process_is_recorded_in_numbers():
    consistent = read_consistent(RECORD)
    assert consistent.interval == Interval("0.001531", "0.009254")
    assert (consistent.level, consistent.seed, consistent.draws) == (0.95, 12345, 10_000)
    assert consistent.sentence == (
        "bootstrap of clicks (interval 0.001531 to 0.009254, level 0.95, 10,000 draws, "
        "generator numpy.random.RandomState, seed 12345)"
    )


def test_a_process_in_words_is_its_own_sentence():
    assert read_consistent("ten of 90 picked").sentence == "ten of 90 picked"


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("", "consistent must name the process"),
        (3, "consistent must be a text or a table; got 3"),
        ({"level": 0.95}, "process must name"),
        ({**RECORD, "sead": 1}, "Did you mean 'seed'"),
        ({**RECORD, "level": 95}, "level must be a probability"),
        ({**RECORD, "level": True}, "level must be a probability"),
        ({**RECORD, "seed": -1}, "seed must be a whole number from 0"),
        ({**RECORD, "draws": 0}, "draws must be a whole number from 1"),
        ({**RECORD, "generator": 1}, "generator must be the generator's name"),
        ({**RECORD, "interval": ["0.2"]}, "interval must be a list"),
        ({**RECORD, "interval": ["0.2", "0.1"]}, "interval must be a list"),
        ({**RECORD, "interval": ["0.1", "x"]}, "interval must be a list"),
    ],
)
def test_other_records_are_refused_with_their_place(record, message):
    with pytest.raises(InputError, match=message) as error:
        read_consistent(record, where="figures.toml, line 7")
    assert str(error.value).startswith("figures.toml, line 7: ")


def test_bounds_may_have_one_end():
    assert read_bound(["", "0.3"]).contains(-(10**9))
    assert not read_bound(["", "0.3"]).contains("0.31")
    assert read_bound(["0,1", "30 %"], decimal_comma=True) == Interval("0.1", "0.3")
    assert read_bound([0.1, ""]) == Interval("0.1", float("inf"))
