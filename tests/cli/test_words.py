"""The command line speaks of its own options, and its advice works when it is followed."""

import gzip
import json
import re

import pytest

from receval import InputError, evaluate
from receval.tables import read_table

MEAN = 0.75  # of MRR: 1 and 1/2


# Options instead of arguments ---------------------------------------------------------------------

FOLLOWED = [
    ("recs.csv ungraded.csv", ["--relevance-column None"]),
    ("recs.csv rated.csv", []),  # the only columns with these meanings
    ("renamed.csv truth.csv", []),
    ("ranks.csv truth.csv", ["--rank position"]),
    ("recs.run beir.tsv", ["--relevance-column score"]),
    ("recs.csv truth.csv --rank rank", ["Leave out --rank"]),
    ("recs.run beir.tsv --user query-id --relevance-column score", []),
    ("run.robust04.txt qrels.robust04.txt", ["--trec"]),
]


@pytest.mark.parametrize(("files", "advice"), FOLLOWED, ids=[files for files, _ in FOLLOWED])
def test_advice_leads_to_the_number(run, files, advice):
    line = f"evaluate {files} -m MRR"
    for option in advice:
        status, _, error = run(line)
        assert status == 2
        assert option in error
        assert not re.search(r"\b(user|rank|relevance_column|names)=", error), error
        if option.startswith("Leave out"):
            line = re.sub(rf" {option.split()[-1]} \S+", "", line)
        else:
            line += f" {option}"
    status, output, _ = run(line)
    assert (status, f"{MEAN:.4f}" in output) == (0, True)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("evaluate recs.csv truth.csv --ties mean", "--ties must be one of"),
        ("evaluate recs.csv truth.csv -m NDGC@2", "--measures must be known names"),
        ("evaluate gaps.csv truth.csv", "as scores and leave out --rank"),
        ("evaluate recs.csv truth.csv --users all", "--users must be one of"),
        ("evaluate recs.csv truth.csv --relevant-from 0", "--relevant-from must be a grade"),
        ("evaluate recs.csv truth.csv --seen drop", "--history must be given for --seen drop"),
        (
            "evaluate recs.csv truth.csv -m CC",
            "items must be given for CC: a catalogue, which only",
        ),
        ("evaluate recs.csv truth.csv --system model", "give several files of recommendations"),
        ("compare recs.csv other.csv truth.csv --test x", "--test must be one of"),
        ("explain u1 MRR recs.csv truth.csv --convention x", "--convention must be one of"),
        ("conventions x", "names must be one of"),
        ("evaluate recs.csv truth.csv --user a,b,c", "--user must be the name of a column"),
        # Code and columns keep their names.
        ("evaluate wide.csv truth.csv", "Pass --item with the name of the column of items"),
        ("evaluate texts.csv truth.csv", "receval: score of recommendations must hold numbers"),
        # Wrong values of files name their rows.
        (
            "evaluate nobody.csv truth.csv",
            "user of recommendations must not be missing; got nan in row 1",
        ),
        (
            "evaluate recs.csv nobody.csv truth.csv",
            "recommendations of 'nobody' must not be missing; got nan in row 1",
        ),
    ],
)
def test_errors_name_options(run, line, expected):
    status, _, error = run(line)
    assert (status, expected in error) == (2, True)


def test_notes_name_options(run):
    line = "evaluate recs.csv truth.csv -m MRR --history seen.csv"
    note = "--seen drop leaves them out, --seen error refuses them"
    assert note in run(line)[1]
    assert note in run(f"{line} --format csv")[2]


# TREC files of any name ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "evaluate run.robust04.txt qrels.robust04.txt -m MRR --format json",
        "explain u2 MRR run.robust04.txt qrels.robust04.txt",
        "compare run.robust04.txt recs.run qrels.robust04.txt -m MRR",
        "which 0.75 run.robust04.txt qrels.robust04.txt -m MRR",
    ],
)
def test_all_commands_on_tables_read_trec_files_of_any_name(run, line):
    assert run(f"{line} --trec")[0] == 0
    status, _, error = run(line)
    assert (status, "--trec reads them by any name" in error) == (2, True)


def test_trec_files_beside_others(run):
    status, output, _ = run("evaluate recs.run truth.csv -m MRR --trec --format json")
    assert (status, json.loads(output)[0]["MRR"]) == (0, MEAN)


# Files and dicts ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "content", "place"),
    [
        ("recs.run bad.qrels", "# grades\n\nu1 0 a 1\nu2 0 b -1\n", "-1.0 in row 1"),
        ("recs.csv bad.csv", "user,item,relevance\n\n'u1',a,1\nu2,b,-1\n", "-1 in row 1"),
        ("recs.csv bad.csv", 'user,item,relevance\n"u\n1",a,1\nu2,b,-1\n', "-1 in row 1"),
        ("recs.run bad.txt --trec", "u1 0 a -1\nu2 0 b 1\n", "-1.0 in row 0"),
    ],
)
def test_a_negative_grade_names_its_row_and_the_convention(run, tmp_path, line, content, place):
    name = line.split()[1]
    (tmp_path / name).write_text(content, "utf-8")
    status, _, error = run(f"evaluate {line}")
    assert status == 2
    assert f"got {place}" in error
    assert "--convention trec_eval counts negative grades as 0" in error
    assert run(f"evaluate {line} --convention trec_eval")[0] == 0


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (gzip.compress(b"user,item\n1,2\n", mtime=0), r"a gzip file.*\.csv\.gz$"),
        (b"PAR1\x15\x04", "a Parquet file"),
        (b"PK\x03\x04\xff", "a zip file"),
        (b"BZh9\xff", "bzip2"),
    ],
)
def test_other_files_that_are_no_text_are_named(file, content, kind):
    with pytest.raises(InputError, match=f"^(?!.*latin-1).*csv must be UTF-8 text; got .*{kind}"):
        read_table(file("truth.csv", content))


@pytest.mark.parametrize("value", ["doc1", 7])
def test_a_single_value_in_place_of_a_list_is_named(value):
    message = re.escape(f"got {value!r} for 'q'")
    with pytest.raises(InputError, match=f"^relevance must have a list of items.*{message}"):
        evaluate({"q": [value]}, {"q": value}, "MRR")
