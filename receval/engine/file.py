"""The file of an evaluation: values of users by column, and what is known of each system.

A Parquet file that any tool reads: the columns ``user``, with several systems ``system``, and a
column a measure; one row group for each system of each part of the users. Its metadata have under
``receval`` a JSON object of what else an evaluation knows (see `record`), in format 1, and under
``receval digest`` the SHA-256 of that, as no checksum of Parquet is over its metadata.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Generator, Hashable, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from pandas.api.types import is_numeric_dtype

from receval._checks import (
    MAX_EXAMPLES,
    HasChanged,
    InputError,
    check_that,
    format_first,
    input_error,
    select_names,
    shorten,
)
from receval._files import Replacement
from receval.engine.measured import MemoryResult, ValuesOnlyResult, not_judged
from receval.engine.shapes import EVALUATION, check_record
from receval.engine.task import EvaluationTask
from receval.measure.convention import name_of
from receval.measure.definition import EvaluationContext, Measure
from receval.measure.names import UnloadableFunction, from_record, parse
from receval.metrics.formula import RankFormula, Terms
from receval.tables.inputs import ColumnNames
from receval.tables.text import check_no_stream, read_text

FORMAT = 1
FORMAT_OF_FOLDS = 2  # of pooled folds, whose rows say in a column of which fold they are
SYSTEM_KEYS = ("counts", "means", "n", "ties", "foreign", "like_ranks", "item_kind", "facts")
CUSTOM_MEASURE_KEYS = ("key", "k", "source", "higher_is_better", "needs", "tie_rule")
COLUMNS = ("user", "item", "score", "rank", "relevance_column", "system")
CONTEXT_KEYS = ("n_items", "max_grade", "auc_catalogue")
TASK_KEYS = ("seen", "users")


@dataclass(frozen=True)
class SourceFile:
    """A file that a result reads from, and what tells it from any other file of its name.

    Attributes
    ----------
    path : Path
        Absolute, so that it doesn't depend on the working directory.
    identity : tuple of int
        Device, inode, size and time of the last change in nanoseconds.
    """

    path: Path
    identity: tuple[int, ...] = field(repr=False)

    @classmethod
    def at(cls, path: Path) -> SourceFile:
        """The file that is at a path now."""
        return cls(path.absolute(), identity_of(path.stat()))

    @property
    def name(self) -> str:
        return self.path.name

    @contextmanager
    def opened(self) -> Generator[Any]:
        """The file for reading; refused if it isn't the one that was loaded, before or after."""
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise self._changed(f"it can't be read ({error.strerror})") from None
        with file:
            self._check(file)
            try:
                yield file
            except HasChanged:
                raise
            except Exception:
                self._check(file)  # then that is why it can't be read
                raise
            self._check(file)

    def _check(self, file: Any) -> None:
        if identity_of(os.fstat(file.fileno())) != self.identity:
            raise self._changed("it is another file now")

    def _changed(self, what: str) -> HasChanged:
        return HasChanged(f"{self.name} has changed since it was loaded: {what}. Load it again")


def identity_of(status: os.stat_result) -> tuple[int, ...]:
    """Device, inode, size and time of the last change, which tell a file from what it was."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@dataclass(frozen=True, eq=False)
class FileResult:
    """One system whose values are read from a file when they are asked for."""

    file: SourceFile
    groups: list[int] = field(repr=False)
    counts: dict[str, int]
    means: dict[str, float]
    n: dict[str, int]
    ties: dict[str, dict[str, float]] = field(repr=False)
    foreign: int
    like_ranks: bool
    item_kind: str
    states: dict[str, Any] = field(repr=False)
    facts: dict[str, Any] = field(repr=False)
    tables: Any = field(default=None, repr=False)  # measures one user again; None: only the file
    hit: bool = field(default=False, repr=False)  # not known

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """The values by user, of some measures or of all; only these are read."""
        names = select_names(measures, self.n)
        table = self._read(self.groups, names)
        users = pd.Index(_ids(table["user"]), name="user")
        frame = pd.DataFrame({name: table[name].to_numpy() for name in names}, index=users)
        return frame if users.is_monotonic_increasing else frame.sort_index()

    def of_folds(self) -> pd.DataFrame:
        """The values of every row of pooled folds, indexed by (name of the fold as text, user)."""
        table = self._read(self.groups, ["fold", *self.n])
        keys = [pd.Index(table["fold"].to_numpy()), pd.Index(_ids(table["user"]))]
        index = pd.MultiIndex.from_arrays(keys, names=["fold", "user"])
        return pd.DataFrame({name: table[name].to_numpy() for name in self.n}, index=index)

    def of_user(self, user: Any) -> MemoryResult:
        """What is measured of one user, from the tables that were evaluated."""
        if self.tables is None:
            rule, got = "have the tables that were evaluated", f"{self.file.name}, of values only"
            raise input_error("explain", rule, got, "Evaluate the tables again")
        self.value_of(user, next(iter(self.n), None))  # refuses who isn't judged
        found: MemoryResult | None = self.tables(user)
        if found is None:
            raise HasChanged(
                f"relevance must hold {user!r} as it did; got no row. Evaluate the tables again"
            )
        return found

    def value_of(self, user: Any, measure: str | None) -> float:
        """The stored value of a judged user; of no measure NaN."""
        names = [] if measure is None else [measure]
        is_id = isinstance(user, (str, int, np.integer)) and not isinstance(user, bool)
        for group in self.groups:  # one at a time, so that memory doesn't grow with the file
            table = self._read([group], names)
            place = np.flatnonzero(table["user"].to_numpy() == user) if is_id else np.empty(0, int)
            if place.size:
                return float(table[measure][place[0]].as_py()) if measure else float("nan")
        raise not_judged(user, self._read(self.groups[:1], [])["user"][:MAX_EXAMPLES].to_pylist())

    def _read(self, groups: list[int], names: list[str]) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            with self.file.opened() as opened:
                file = pq.ParquetFile(opened, page_checksum_verification=True)
                wanted = ["user", *names]
                return file.read_row_groups(groups, columns=wanted).select(wanted)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise InputError(f"{self.file.name} must be a whole file of receval; {error}") from None


System = MemoryResult | FileResult | ValuesOnlyResult


class Writer:
    """The file of an evaluation, filled beside its place and put there whole, or not at all."""

    def __init__(self, path: Path, user_type: Any = None) -> None:
        self.path = path
        self.replacement = Replacement(path, "output")
        self.groups: list[Hashable] = []
        self._user_type = user_type
        self._file: Any = None

    def __enter__(self) -> Writer:
        self.replacement.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        try:
            if self._file is not None:
                # It writes its end, also of a file that is thrown away, for which the disk may
                # have no room.
                with suppress(OSError):
                    self._file.close()
        finally:
            self.replacement.__exit__(*error)

    def add(self, values: Mapping[Hashable, pd.DataFrame]) -> None:
        """The values of a part of the users under each system; of folds by (fold, user)."""
        import pyarrow as pa

        texts = [str(name) for name in values]
        if len(set(texts)) < len(texts):
            raise InputError(f"systems must have names that differ as text; got {texts}")
        for name, frame in values.items():
            columns = {str(measure): frame[measure].to_numpy() for measure in frame}
            users = frame.index.get_level_values(-1)
            columns = {"user": _users(users, self._user_type), **columns}
            if isinstance(frame.index, pd.MultiIndex):
                folds = frame.index.get_level_values("fold").map(str)
                columns = {"fold": pa.array(folds, pa.string()), **columns}
            if list(values) != [""]:
                columns = {"system": pa.array([str(name)] * len(frame), pa.string()), **columns}
            self.write(pa.table(columns))
            self.groups.append(name)

    def write(self, table: Any) -> None:
        """A row group."""
        import pyarrow.parquet as pq

        with self.replacement.writing():
            if self._file is None:
                binary = self.replacement.file.buffer
                self._file = pq.ParquetWriter(binary, table.schema, write_page_checksum=True)
            self._file.write_table(table, row_group_size=max(len(table), 1))

    def finish(self, told: Mapping[str, Any], systems: Iterable[Hashable] = ()) -> SourceFile:
        """Write what is ``told`` of the whole, put the file in its place, and return it."""
        places = list(systems)
        groups = {"groups": [places.index(name) for name in self.groups]} if places else {}
        self._file.add_key_value_metadata(with_digest(json.dumps({**told, **groups})))
        with self.replacement.writing():
            self._file.close()
        return SourceFile(self.path.absolute(), identity_of(self.replacement.finish()))


def with_digest(record: str | bytes) -> dict[bytes, bytes]:
    """The metadata of a file."""
    text = record if isinstance(record, bytes) else record.encode()
    return {b"receval": text, b"receval digest": hashlib.sha256(text).hexdigest().encode()}


def write_frame(path: Path, frame: pd.DataFrame, told: Mapping[str, Any]) -> None:
    """A whole frame of a result, and what else is ``told`` of it, in its place or not at all."""
    import pyarrow as pa

    with Writer(path) as writer:
        try:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            if any(map(pa.types.is_nested, table.schema.types)):
                raise TypeError("got tuples")
            writer.write(table)
        except (pa.ArrowException, TypeError) as error:
            rule = "be text or whole numbers to be written to a file"
            raise InputError(f"ids must {rule}; {error}") from None
        writer.finish({"format": FORMAT, **told})


def read_frame(source: SourceFile) -> pd.DataFrame:
    """The frame that `write_frame` wrote."""
    import pyarrow.parquet as pq

    with source.opened() as opened:
        table = pq.read_table(opened, page_checksum_verification=True)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names})


def load_systems(
    source: SourceFile, record: dict[str, Any]
) -> tuple[EvaluationTask, dict[Hashable, System]]:
    """What the metadata of a file of `Writer` tell."""
    check_record(record, EVALUATION, source.name)
    _check_groups(source, record)
    columns = {**record["columns"]}
    options = {name: record[name] for name in TASK_KEYS}
    options |= {"duplicates": columns.pop("duplicates"), "version": record["receval"]}
    convention = from_record(record["convention"]["name"], record["convention"])
    context = EvaluationContext(convention, **{name: record[name] for name in CONTEXT_KEYS})
    own = [_own(**one) for one in record["own"]]
    if (parameters := record["parameters"]) is not None:
        kinds = parameters.pop("dtypes")
        table = pd.DataFrame(**parameters, dtype=object).astype(kinds).infer_objects()
        options["parameters"] = table.rename_axis("system")
    task = EvaluationTask(
        parse(record["measures"], own), context, ColumnNames(**columns), **options
    )
    systems: dict[Hashable, System] = {}
    for place, told in enumerate(record["systems"]):
        groups = [group for group, system in enumerate(record["groups"]) if system == place]
        name = told.pop("name")
        states = {key: _state(state) for key, state in told.pop("states").items()}
        systems[name] = FileResult(source, groups, states=states, **told)
    return task, systems


def _state(state: list[Any]) -> Any:
    """The state of a measure of all users, as it was written; beside ids of text stay numbers."""
    has_counts = bool(state) and isinstance(state[0], list)
    return np.array(state, dtype=object) if has_counts else np.array(state)


def _check_groups(source: SourceFile, record: dict[str, Any]) -> None:
    """Refuse a record that speaks of other systems, or of other columns, than the file has."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [system["name"] for system in record["systems"]]
    if not names or len({*map(str, names)}) < len(names):
        raise input_error(f"systems in {source.name}", "be there, each once", shorten(names))
    with source.opened() as file:
        parquet = pq.ParquetFile(file)
        metadata, schema = parquet.metadata, parquet.schema_arrow
    groups = record["groups"]
    if len(groups) != metadata.num_row_groups or {*groups} != {*range(len(names))}:
        rule = f"name one of {len(names)} systems for each of {metadata.num_row_groups} row groups"
        raise input_error(f"groups in {source.name}", rule, shorten(groups))
    numbers = {field.name for field in schema if pa.types.is_floating(field.type)}
    for system in record["systems"]:
        lacking = [name for name in system["n"] if name not in numbers]
        lacking += [name for name in sorted(numbers) if name not in system["n"]]
        if lacking or "user" not in schema.names:
            got = f"none for {format_first(map(repr, lacking or ['user']))}"
            raise input_error(source.name, "have a column of numbers for each measure", got)


def to_record(task: EvaluationTask, systems: Mapping[Hashable, System]) -> dict[str, Any]:
    """Everything but the values of users."""
    return {
        "format": FORMAT,
        "receval": task.version,
        "parameters": None if task.parameters is None else _parameters(task.parameters),
        "measures": [one.name for one in task.measures],
        "convention": {
            choice: name_of(value) if callable(value) else value
            for choice, value in vars(task.context.convention).items()
        },
        "columns": {name: getattr(task.given, name) for name in COLUMNS}
        | {"duplicates": task.duplicates},
        **{name: getattr(task.context, name) for name in CONTEXT_KEYS},
        **{name: getattr(task, name) for name in TASK_KEYS},
        "own": [
            {what: getattr(one, what) for what in CUSTOM_MEASURE_KEYS}
            | {"terms": isinstance(one.stated.computation, RankFormula)}
            for one in task.measures
            if one.own
        ],
        "systems": [
            {
                "name": to_json_value(name),
                **{what: getattr(one, what) for what in SYSTEM_KEYS},
                "states": {key: np.asarray(state).tolist() for key, state in one.states.items()},
            }
            for name, one in systems.items()
        ],
    }


def _parameters(table: pd.DataFrame) -> dict[str, Any]:
    """Parameters of systems as JSON has them, and which kinds of numbers they are."""
    kinds = {name: str(kind) for name, kind in table.dtypes.items() if is_numeric_dtype(kind)}
    return {
        **table.set_axis(list(map(to_json_value, table.index))).to_dict("split"),
        "dtypes": kinds,
    }


def read_record(path: str | Path) -> tuple[SourceFile, dict[str, Any]]:
    """A file of receval, and what its metadata hold."""
    import pyarrow.parquet as pq

    check_that(isinstance(path, (str, Path)), "path", "be the name of a file", path)
    path = Path(path)
    with read_text(path, "a whole file of receval"):
        check_that(path.exists(), "path", "be a file that is there", str(path))
        check_no_stream(path)
        if path.is_file():
            with path.open("rb") as file:
                if file.read(4) != b"PAR1":
                    raise input_error(path.name, "be a file of receval", "one of another kind")
        source = SourceFile.at(path)
        with source.opened() as opened:
            metadata = pq.read_metadata(opened).metadata or {}
        text = metadata.get(b"receval", b"null")
        record: dict[str, Any] = json.loads(text)
    if not isinstance(record, dict) or not isinstance(record.get("format"), int):
        raise InputError(f"{path.name} must be a file of receval; got a Parquet file of others")
    if record["format"] > FORMAT_OF_FOLDS:
        got = f"{record['format']}, written by receval {record.get('receval')}"
        rule = f"be of format {FORMAT_OF_FOLDS} or below"
        raise input_error(path.name, rule, got, "Install that version")
    if not with_digest(text).items() <= metadata.items():
        raise InputError(f"{path.name} must be a whole file of receval; its metadata are damaged")
    return source, record


def _own(key: str, k: int | None, terms: bool, tie_rule: str | None, **told: Any) -> Measure:
    """A measure of the user's own, of which the file has the values and not the functions."""
    unknown = UnloadableFunction(key)
    arithmetic: dict[str, Any] = {"terms": Terms(unknown)} if terms else {"per_list": unknown}
    measure = Measure(key, **arithmetic, **told)
    vars(measure)["tie_rule"] = tie_rule  # as it followed from the functions
    return measure if k is None else measure.at(k)


def to_json_value(name: Hashable) -> str | int:
    """The name of a system or a fold as JSON has it: text, or a whole number."""
    if isinstance(name, np.integer):
        return int(name)
    return name if isinstance(name, (str, int)) else str(name)


def _users(ids: pd.Index[Any], kind: Any) -> Any:
    """Ids as Arrow has them; whole numbers that fit into no 64 bits are refused."""
    import pyarrow as pa

    if kind is None and ids.inferred_type == "integer" and ids.max() >= 2**63:
        kind = pa.uint64()
    try:
        return pa.array(ids.to_numpy(), kind)
    except (OverflowError, pa.ArrowInvalid):
        rule = "hold integers of one type of 64 bits to be written to a file"
        got, advice = f"{ids.min()} to {ids.max()}", "Convert the column with astype(str)"
        raise input_error("user", rule, got, advice) from None


def _ids(column: Any) -> Any:
    """Ids as an evaluation in memory has them: integers of int64, or beyond it any; or text."""
    import pyarrow as pa

    ids = column.to_numpy()
    if pa.types.is_integer(column.type) and ids.size:
        return ids.astype(np.int64 if ids.max() < 2**63 else object)
    return ids
