"""Rows 75, 77 and 78: TREC files as people have them, decimal commas, encodings."""

from functools import partial

import pandas as pd
import pytest

from receval import InputError, evaluate
from receval.retrieval import read_ground_truth
from receval.tables import read_qrels, read_ratings, read_run, read_table

RUN = "q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 0.5 bm25\nq2 Q0 d1 1 1 bm25\n"


@pytest.mark.row(75)
@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda text: text.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(lambda text: text.replace(" ", "\t"), id="tabs"),
        pytest.param(lambda text: text.replace(" ", " \t  "), id="several blanks"),
        pytest.param(lambda text: text.replace("\n", "  \t\n"), id="trailing blanks"),
        pytest.param(lambda text: "  " + text.replace("\nq", "\n\tq"), id="leading blanks"),
        pytest.param(lambda text: "# comment\n" + text + "  # another\n", id="comments"),
        pytest.param(lambda text: "\n\n" + text.replace("\n", "\n\n"), id="empty lines"),
        pytest.param(lambda text: text.rstrip("\n"), id="no newline at the end"),
        pytest.param(lambda text: "\ufeff" + text, id="BOM"),
        pytest.param(lambda text: "\ufeff# comment\r\n" + text, id="BOM before a comment"),
    ],
)
def test_trec_files_as_people_have_them(file, change):
    for read, text in ((read_run, RUN), (read_qrels, "q1 0 d1 1\nq2 0 d1 2\n")):
        plain, odd = (read(file("trec", content)) for content in (text, change(text)))
        pd.testing.assert_frame_equal(odd, plain)


TRUTH = pd.DataFrame({"user": [1], "item": [2], "relevance": [1]})
COLUMN = r"score of recommendations must hold numbers"


def read_truth(path, queries=("q",), cases=("a",)):
    return read_ground_truth(path, list(queries), list(cases))


@pytest.mark.row(77)
@pytest.mark.parametrize("number", ["1,5", "1.000,5", "1 000", "1'000", "1,000,000", "1.5.1"])
@pytest.mark.parametrize(
    ("read", "name", "content", "message"),
    [
        (lambda path: evaluate(path, TRUTH, "MRR"), "t.csv", 'user,item,score\n1,2,"{}"\n', COLUMN),
        (
            lambda path: evaluate(path, TRUTH, "MRR"),
            "t.tsv",
            "user\titem\tscore\n1\t2\t{}\n",
            COLUMN,
        ),
        (read_run, "run", "q Q0 d 1 {} t\n", r"score in run must be numbers .*; got"),
        (read_qrels, "qrels", "q 0 d {}\n", r"relevance in qrels must be numbers .*; got"),
        (
            partial(read_ratings, separator="::"),
            "ratings",
            "1::2::{}\n",
            r"rating in ratings must be numbers .*; got .* in row 0",
        ),
        (
            read_truth,
            "g.csv",
            'query,case,similarity\nq,a,"{}"\n',
            r"similarity of truth must hold numbers",
        ),
    ],
)
def test_numbers_of_another_country_are_refused(file, read, name, content, message, number):
    if "." not in name:  # a blank would part the fields
        number = number.replace(" ", "\u202f")
    with pytest.raises(InputError, match=message):
        read(file(name, content.format(number)))


WITH_LETTERS = {
    "run": (read_run, "é Q0 d 1 1 t\n"),
    "qrels": (read_qrels, "é 0 d 1\n"),
    "ratings": (read_ratings, "é,d,1\n"),
    "table.csv": (read_table, "user,item\né,d\n"),
    "table.tsv": (read_table, "user\titem\né\td\n"),
    "truth.csv": (partial(read_truth, queries="é"), "query,case,similarity\né,a,1\n"),
}


@pytest.mark.row(78)
@pytest.mark.parametrize("name", WITH_LETTERS)
def test_a_byte_order_mark_is_no_part_of_the_first_field(file, name):
    read, content = WITH_LETTERS[name]
    table = read(file(name, content.encode("utf-8-sig")))
    assert table["query" if name == "truth.csv" else "user"].tolist() == ["é"]


@pytest.mark.row(78)
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])
@pytest.mark.parametrize("name", WITH_LETTERS)
def test_another_encoding_is_refused_with_its_place(file, name, encoding):
    read, content = WITH_LETTERS[name]
    message = rf"{name} must be UTF-8 text; got the byte 0xe9 in line [12].*encoding='latin-1'"
    with pytest.raises(InputError, match=message):
        read(file(name, content.encode(encoding)))
