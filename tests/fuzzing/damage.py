"""Valid files, and strategies that damage them as real files are damaged."""

import gzip
import io

import amount
import pandas as pd
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

fuzzed = settings(
    max_examples=amount.of(100, 10_000),
    suppress_health_check=list(HealthCheck),
)

RUN = b"q1 Q0 d1 1 2.5 bm25\nq1 Q0 d2 2 -1e-3 bm25\r\n# a comment\n\nq2\tQ0\td1\t1\tinf\tbm25\n"
QRELS = b"q1 0 d1 2\nq1 0 d2 0\n\n# a comment\nq2 0 d1 1.5\n"
RATINGS = b"1::10::4.5::99\n1::11::3::98\n2::10::1::97\n"
RECS = b'user,item,score\n007,NA,0.5\n007,"a, b",1e-3\n8,\xc3\xa9,-inf\n'
TRUTH = b"user,item,relevance\n007,NA,1\n8,\xc3\xa9,2\n"
GROUND = b"query,case,similarity\nq1,a,0.9\nq1,b,0.5\nq2,b,1\nq2,a,0.25\n"
GRID = b"""
algorithms:
  BM25:
    b:
      type: double
      values: [0.1, .5]
      range:
      - {start: 0.6, end: 1, step: 0.2}
    weighted: {type: boolean, values: TRUE}
  kNN:
    similarity: &sim
      type: string
      values: [Cosine, Jaccard]
    other: *sim
  Popularity:
metrics:
  MAP: {cutoff: {type: int, values: [1, 5, 10]}}
  nDCG:
"""


def parquet():
    file = io.BytesIO()
    pd.DataFrame({"user": ["a", "b"], "item": [1, 2], "score": [0.5, 1.0]}).to_parquet(file)
    return file.getvalue()


PARQUET = parquet()
GZIPPED = gzip.compress(RECS, mtime=0)

PIECES = [
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\xed\xa0\x80", b"\xe9", b"\xc3", b"\xf4\x90\x80\x80"),
    *(b"\0", b"\r", b"\r\n", b"\n", b"\n\n", b"\t", b" ", b"\x0b", b"\x0c", b"\x1c", b"\x85"),
    *(text.encode() for text in ("\u2028", "\u0085", "\u00a0", "\u3000", "\u0663", "\u2212")),
    *(b",", b";", b":", b"::", b"|", b'"', b"'", b"#", b"\\", b"%", b"@", b"*", b"-", b"+"),
    *(b"1,5", b"1.000,5", b"1e999", b"-1e999", b"9" * 400, b"9" * 5000, b"1e-999"),
    *(b"nan", b"NaN", b"inf", b"-inf", b"infinity", b"NA", b"null", b"None", b"~", b"-0", b"007"),
    *(b"0x10", b"0o17", b"1_0", b"1:30:00", b"2020-01-01", b"True", b"yes", b"1e5", b"+1", b"1."),
    *(b"9007199254740993", b"18446744073709551616", b"-9223372036854775809"),
    *(b"user", b"score", b"relevance", b"query", b"case", b"similarity"),
    *(b"&a ", b"*a", b"*sim", b"!!python/object:os.system ", b"!!binary ", b"!!set ", b"<<: "),
    *(b"? ", b"- ", b"[", b"]", b"{", b"}", b"|\n", b">\n", b"---\n", b"...\n", b"%YAML 1.2\n"),
    *(b"[" * 2000, b"{a: " * 2000, b"- " * 2000, b"[" * 50 + b"]" * 50),
    *(b"type", b"values", b"range", b"start", b"end", b"step", b"objects", b"object", b"params"),
    *(b"int", b"long", b"double", b"string", b"orientation", b"algorithms", b"metrics", b"cutoff"),
    (b"a: &a [x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
    b"c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"),
]  # fmt: skip


@st.composite
def damaged(draw, whole):
    """Return a file with up to four faults, such as bytes cut, inserted or overwritten."""
    content = whole
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(content)))
        to = draw(st.integers(at, min(len(content), at + 12)))
        match draw(st.sampled_from(["put", "put", "replace", "cut", "bytes", "flip", "twice"])):
            case "put":
                content = content[:at] + draw(st.sampled_from(PIECES)) + content[at:]
            case "replace":
                content = content[:at] + draw(st.sampled_from(PIECES)) + content[to:]
            case "cut":
                content = content[:at]
            case "bytes":
                content = content[:at] + draw(st.binary(max_size=6)) + content[to:]
            case "flip" if at < len(content):
                turned = content[at] ^ (1 << draw(st.integers(0, 7)))
                content = content[:at] + bytes([turned]) + content[at + 1 :]
            case "twice":
                content = content[:to] + content[at:]
    return content


def files(*whole):
    """Return damaged files, files that consist of such pieces, and files of random bytes."""
    return st.one_of(
        *(damaged(content) for content in whole),
        st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join),
        st.binary(max_size=200),
    )
