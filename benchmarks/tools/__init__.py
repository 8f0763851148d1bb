"""The tools, one file each. ``run(recs, truth, k)`` returns the users' values and their means.

``recs`` has the columns user, item, score and rank, ``truth`` user, item and relevance (1 to 5).
A tool may have ``prepare(recs, truth)``, which renames columns for the tool and is not timed.
"""

from dataclasses import dataclass

KINDS = ("HR", "MRR", "MAP", "nDCG", "Precision", "Recall")


def names(k: int) -> list[str]:
    return [f"{kind}@{k}" for kind in KINDS]


@dataclass(frozen=True)
class Tool:
    """The label of a tool, the convention that it follows, and the environment that it needs."""

    label: str
    packages: tuple[str, ...]
    convention: str = "receval"
    environment: str = ""  # a folder of its own, for tools that need another pandas
    cases: tuple[str, ...] = ()  # the only ones; empty: all


TOOLS = {
    "receval": Tool("receval", ("receval",)),
    "receval_one_core": Tool(
        "receval, one core", ("receval",), cases=("M", "M-text", "M-shuffled", "L", "L-text")
    ),
    "receval_all": Tool("receval, all measures at 5 cut-offs", ("receval",), cases=("M",)),
    "numpy_blocks": Tool("NumPy in blocks, no checks", ("numpy",)),
    "numpy_stable": Tool("NumPy in blocks, stable sort", ("numpy",), cases=("M", "L")),
    "pandas": Tool("pandas merge and groupby", ("pandas",)),
    "polars": Tool("Polars", ("polars",)),
    "duckdb": Tool("DuckDB", ("duckdb",)),
    "rectools": Tool("RecTools", ("rectools",), "rectools", "rectools"),
    "pytrec_eval": Tool("pytrec_eval, dicts", ("pytrec-eval-terrier",), "pytrec_eval"),
    "replay": Tool("RePlay, Polars", ("replay-rec",), "replay", "replay"),
    "ranx": Tool("ranx, from_df", ("ranx",), "ranx"),
    "ir_measures": Tool("ir-measures", ("ir-measures",), "trec_eval"),
    "lenskit": Tool("LensKit", ("lenskit",), "lenskit", "lenskit"),
}
