"""Write and read the file of a result, which has the values of users and facts about systems.

It is a Parquet file that any tool reads. It has the column ``user``, the column ``system`` if there
are several systems, and a column for each measure. The entry ``receval`` of its metadata is a JSON
object with everything else that is known about the result (see `to_record`).
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from receval._checks import AnyArray, InputError, Record, check_that
from receval._files import write_atomically
from receval.definitions.convention import (
    UnloadableFunction,
    from_record,
    function_name,
)
from receval.definitions.definition import Measure, parse
from receval.evaluation.options import Options
from receval.evaluation.values import SystemResult
from receval.metrics.formula import RankFormula, Terms
from receval.tables.inputs import ColumnNames
from receval.tables.reading import check_readable

FORMAT = 7
"""The format that this version of receval writes and reads."""

COLUMN_ARGUMENTS = ("user", "item", "score", "rank", "relevance_column", "system")
"""The arguments of `evaluate` that name columns."""


# The file -----------------------------------------------------------------------------------------


def write_result(path: Path, frame: pd.DataFrame, record: Mapping[str, object]) -> None:
    """Write the frame of a result, and its record into the metadata.

    Raises an error if a column holds tuples, or numbers or objects for which Arrow has no type. If
    there is an error, an existing file at the path is not changed.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Whole numbers of at least 2**63 are Python objects, unless they get a type of their own.
        table = pa.Table.from_pandas(frame.infer_objects(), preserve_index=False)
    except (pa.ArrowException, TypeError, OverflowError) as error:
        rule = "be text, or whole numbers of one type of 64 bits, to be written to a file"
        raise InputError(f"ids must {rule}; {error}. Convert them with astype(str)") from None
    text = json.dumps({"format": FORMAT, **record})
    table = table.replace_schema_metadata({**table.schema.metadata, "receval": text})
    write_atomically(
        path, lambda file: pq.write_table(table, file.buffer, write_page_checksum=True)
    )


def read_result(path: str | Path) -> tuple[pd.DataFrame, Record]:
    """Read the frame and the record of a result from its file.

    The frame has a new index, which starts at 0. Raises an error if receval didn't write the file,
    or if it is damaged or has another format.
    """
    import pyarrow.parquet as pq

    check_that(isinstance(path, (str, Path)), "path", "be the name of a file", path)
    path = Path(path)
    with check_readable(path, "a whole file of receval"):
        check_that(path.exists(), "path", "be an existing file", str(path))
        with pq.ParquetFile(path, page_checksum_verification=True) as file:
            table = file.read()
        metadata = table.schema.metadata or {}
        record: Record = json.loads(metadata.get(b"receval", b"null"))
    if not isinstance(record, dict):
        raise InputError(f"{path.name} must be a file of receval; got another Parquet file")
    got = f"{record.get('format')}, written by receval {record.get('receval')}"
    rule = f"be of format {FORMAT}"
    check_that(record.get("format") == FORMAT, path.name, rule, got, "Install that version")
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names}), record


# The record ---------------------------------------------------------------------------------------


def load_systems(
    frame: pd.DataFrame, record: Record
) -> tuple[Options, dict[Hashable, SystemResult]]:
    """Return the arguments of an evaluation, and its systems by name, from what its file holds.

    ``frame`` has the values of users.
    """
    options = _load_options(record)
    names = [measure.name for measure in options.measures if measure.per_user]
    if frame["user"].dtype.kind == "u":  # in memory, numbers too large for int64 are objects
        frame = frame.astype({"user": object})
    systems: dict[Hashable, SystemResult] = {}
    for system in record["systems"]:
        rows = frame
        if "system" in frame:
            rows = frame[frame["system"] == str(system["name"])]
        systems[system["name"]] = SystemResult(
            rows.set_index("user")[names],
            counts=system["counts"],
            item_kind=system["item_kind"],
            shares_items=system["shares_items"],
            stored_ties=system["ties"],
            states={measure: _load_state(state) for measure, state in system["states"].items()},
            stored_facts=system["facts"],
        )
    return options, systems


def _load_options(record: Record) -> Options:
    """Return the arguments of the evaluation that a record describes, without the catalogue."""
    columns = record["columns"]
    names = {argument: columns[argument] for argument in COLUMN_ARGUMENTS}
    for argument in ("user", "item"):
        if isinstance(names[argument], list):  # JSON has lists in the place of pairs
            names[argument] = tuple(names[argument])
    column_names = ColumnNames(**names, column_notes=tuple(columns.get("notes", ())))
    # The entry "own" of the record has the custom measures.
    custom_measures = [_load_custom_measure(measure) for measure in record["own"]]
    return Options(
        parse(record["measures"], custom_measures),
        from_record(record["convention"]),
        column_names,
        duplicates=columns["duplicates"],
        seen=record["seen"],
        version=record["receval"],
        users=record["users"],
        features=record["features"],
        n_items=record["n_items"],
        max_grade=record["max_grade"],
    )


def _load_custom_measure(record: Record) -> Measure:
    """Return a custom measure from the record that `_custom_measure_record` made.

    The file has the values of the measure, but not its functions. If called, the functions of the
    returned measure raise an error.
    """
    key = record["key"]
    function = UnloadableFunction(key)
    computation: Record = {"per_list": function}
    if record["terms"]:
        computation = {"terms": Terms(function)}
    measure = Measure(
        key, source=record["source"], higher_is_better=record["higher_is_better"], **computation
    )
    if record["k"] is None:
        return measure
    return measure.at(record["k"])


def _load_state(state: list[object]) -> AnyArray:
    """Return the state of a set-level measure as an array.

    A state is a list of ids, or a list of several lists: first ids, then counts for each id.
    Several lists become an array of objects, because ids may be texts and counts must stay numbers.
    """
    if state and isinstance(state[0], list):
        return np.array(state, dtype=object)
    return np.array(state)


def to_record(options: Options, systems: Mapping[Hashable, SystemResult]) -> Record:
    """Return everything about an evaluation except the values of users, for a JSON file.

    The names in the record belong to the file format, so they must not change.
    """
    names = options.column_names
    columns: Record = {argument: getattr(names, argument) for argument in COLUMN_ARGUMENTS}
    columns |= {"duplicates": options.duplicates, "notes": list(names.column_notes)}
    return {
        "receval": options.version,
        "measures": [measure.name for measure in options.measures],
        "convention": {
            **vars(options.convention),
            "gain": function_name(options.convention.gain),
            "discount": function_name(options.convention.discount),
        },
        "columns": columns,
        "n_items": options.n_items,
        "max_grade": options.max_grade,
        "seen": options.seen,
        "users": options.users,
        "features": options.features,
        "own": [
            _custom_measure_record(measure) for measure in options.measures if measure.is_custom
        ],
        "systems": [_system_record(name, system) for name, system in systems.items()],
    }


def _custom_measure_record(measure: Measure) -> Record:
    """Return a custom measure without its functions; `_load_custom_measure` reads it.

    ``terms`` says whether the measure is a sum of terms.
    """
    return {
        "key": measure.key,
        "k": measure.k,
        "source": measure.spec.source,
        "higher_is_better": measure.spec.higher_is_better,
        "terms": isinstance(measure.spec.computation, RankFormula),
    }


def _system_record(name: Hashable, system: SystemResult) -> Record:
    """Return the record of one system: everything except the values of users."""
    return {
        "name": to_json_value(name),
        "counts": system.counts,
        "item_kind": system.item_kind,
        "shares_items": system.shares_items,
        "ties": system.ties,
        "facts": system.facts,
        "states": {measure: np.asarray(state).tolist() for measure, state in system.states.items()},
    }


def to_json_value(name: Hashable) -> str | int:
    """Return the name of a system or a fold for a JSON file: a text or a whole number."""
    if isinstance(name, np.integer):
        return int(name)
    if isinstance(name, (str, int)):
        return name
    return str(name)
