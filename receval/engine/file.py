"""Write and read the file of an evaluation, which has the values of users and facts about systems.

It is a Parquet file that any tool reads. It has the column ``user``, the column ``system`` if there
are several systems, and a column for each measure. The users may be divided into parts; for each
part and system, the file has a row group. Its metadata have two entries. The entry ``receval`` is a
JSON object with everything else that is known about the evaluation (see `to_record`). The entry
``receval digest`` is the SHA-256 of that object, because no checksum of Parquet covers the
metadata.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Generator, Hashable, Iterable, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TypeAlias

import numpy as np
import pandas as pd

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
from receval._types import AnyArray, Id, Record
from receval.engine.measured import MemoryResult, SystemResult, unjudged_user_error
from receval.engine.shapes import EVALUATION, check_record
from receval.engine.task import EvaluationTask
from receval.measure.context import EvaluationContext
from receval.measure.convention import Convention, function_name
from receval.measure.definition import Measure
from receval.measure.names import UnloadableFunction, from_record, parse
from receval.metrics.formula import RankFormula, Terms
from receval.tables.inputs import ColumnNames
from receval.tables.reading import check_no_stream, check_readable

if TYPE_CHECKING:
    import pyarrow as pa
    import pyarrow.parquet as pq

FORMAT = 1
FORMAT_OF_FOLDS = 2
"""The format of pooled folds, whose rows name their fold in a column."""

LATEST_FORMAT = FORMAT_OF_FOLDS
"""The latest format that this version of receval reads."""

System: TypeAlias = SystemResult
FileIdentity: TypeAlias = tuple[int, ...]
"""Device, inode, size and time of the last change in nanoseconds."""


# Values in a file ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class SourceFile:
    """A file that a result reads from. Reading raises an error if another file has taken its place.

    Attributes
    ----------
    path : Path
        The absolute path, which doesn't depend on the working directory.
    identity : tuple of int
        Device, inode, size and time of the last change in nanoseconds.
    """

    path: Path
    identity: FileIdentity = field(repr=False)

    @classmethod
    def from_path(cls, path: Path) -> SourceFile:
        """Return the file that is at a path now."""
        return cls(path.absolute(), identity_of(path.stat()))

    @property
    def name(self) -> str:
        """Return the name of the file without its folder."""
        return self.path.name

    @contextmanager
    def opened(self) -> Generator[BinaryIO]:
        """Open the file for reading, in a ``with`` statement.

        Raises an error at the start or at the end of that statement if the file at the path isn't
        the one that was loaded.
        """
        try:
            file = self.path.open("rb")
        except OSError as error:
            raise self._changed_error(f"it can't be read ({error.strerror})") from None
        with file:
            self._check_identity(file)
            try:
                yield file
            except HasChanged:  # the error already has that reason
                raise
            except Exception:
                # If the file has changed, this raises an error that says so. Otherwise the reading
                # failed for another reason.
                self._check_identity(file)
                raise
            self._check_identity(file)

    def _check_identity(self, file: BinaryIO) -> None:
        """Raise an error if an open file isn't the one that was loaded."""
        if identity_of(os.fstat(file.fileno())) != self.identity:
            raise self._changed_error("it is another file now")

    def _changed_error(self, reason: str) -> HasChanged:
        return HasChanged(f"{self.name} has changed since it was loaded: {reason}. Load it again")


def identity_of(status: os.stat_result) -> FileIdentity:
    """Return the numbers in a file's status that change if the file is replaced or edited."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@dataclass(frozen=True, eq=False)
class FileResult:
    """The result of one system whose values stay in a file until a caller asks for them.

    Attributes
    ----------
    file : SourceFile
        The file.
    groups : list of int
        The row groups that hold the system's values.
    counts, means, n, ties, foreign, like_ranks, item_kind, states, facts, hit
        See `receval.engine.measured.SystemResult`. ``hit`` is always False, because the file
        doesn't say whether there is a hit.
    measure_user : callable, optional
        A function that measures a user again from the tables, and returns None if the user is not
        judged. It is None for a file that was loaded, because its tables are unknown.
    measured : MemoryResult, optional
        The lists, if the caller of `receval.load` passed the tables.
    """

    file: SourceFile
    groups: list[int] = field(repr=False)
    counts: dict[str, int]
    means: dict[str, float]
    n: dict[str, int]
    ties: dict[str, dict[str, float]] = field(repr=False)
    foreign: int
    like_ranks: bool
    item_kind: str
    states: dict[str, AnyArray] = field(repr=False)
    facts: Record = field(repr=False)
    measure_user: Callable[[Id], MemoryResult | None] | None = field(default=None, repr=False)
    measured: MemoryResult | None = field(default=None, repr=False)
    hit: bool = field(default=False, repr=False)

    def values(self, measures: Iterable[str] | None = None) -> pd.DataFrame:
        """Read the values of some measures, or of all, by user."""
        names = select_names(measures, self.n)  # `n` has an entry for each measure
        table = self._read(self.groups, names)
        users = pd.Index(_ids_from_arrow(table["user"]), name="user")
        frame = pd.DataFrame({name: table[name].to_numpy() for name in names}, index=users)
        # The parts of Dask frames are not in the order of the users.
        return frame if users.is_monotonic_increasing else frame.sort_index()

    def values_by_fold(self) -> pd.DataFrame:
        """Read the values of pooled folds, indexed by the name of the fold (as text) and user.

        There is a column for each measure. The rows are in the order of the file.
        """
        table = self._read(self.groups, ["fold", *self.n])  # `n` has an entry for each measure
        folds = pd.Index(table["fold"].to_numpy())
        users = pd.Index(_ids_from_arrow(table["user"]))
        index = pd.MultiIndex.from_arrays([folds, users], names=["fold", "user"])
        return pd.DataFrame({name: table[name].to_numpy() for name in self.n}, index=index)

    def of_user(self, user: Id) -> MemoryResult:
        """Measure a user again from the tables that were evaluated.

        Raises an error if the user is not judged, or if the tables are unknown or have changed.
        """
        if self.measured is not None:
            return self.measured.of_user(user)
        if self.measure_user is None:
            got = f"{self.file.name}, of values only"
            rule = "have the tables that were evaluated"
            advice = "Load it with them: receval.load(path, recommendations=…, relevance=…)"
            raise input_error("explain", rule, got, advice)
        self._find_user(user, [])  # raises the error for a user who is not judged
        result = self.measure_user(user)
        if result is None:
            raise HasChanged(
                f"relevance must hold {user!r} as it did; got no row. Evaluate the tables again"
            )
        return result

    def value_of(self, user: Id, measure: str) -> float:
        """Read the stored value of a judged user."""
        table, row = self._find_user(user, [measure])
        return float(table[measure][row].as_py())

    def _find_user(self, user: Id, names: list[str]) -> tuple[pa.Table, int]:
        """Find the row of a user in the file.

        Returns the row group that holds it, with the columns ``names``, and the number of the row
        in this group. Raises an error if the user is not judged.
        """
        # True equals 1, but isn't an id.
        is_id = isinstance(user, (str, int, np.integer)) and not isinstance(user, bool)
        if is_id:
            # One row group at a time, so that memory doesn't grow with the file.
            for group in self.groups:
                table = self._read([group], names)
                rows = np.flatnonzero(table["user"].to_numpy() == user)
                if rows.size:
                    return table, int(rows[0])
        first_users = self._read(self.groups[:1], [])["user"][:MAX_EXAMPLES].to_pylist()
        raise unjudged_user_error(user, first_users)

    def _read(self, groups: list[int], names: list[str]) -> pa.Table:
        """Read the users and the columns ``names`` of row groups; check the pages' checksums.

        Raises an error if the file is damaged, was replaced, or lacks one of the columns.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = ["user", *names]
        try:
            with self.file.opened() as opened:
                file = pq.ParquetFile(opened, page_checksum_verification=True)
                # The reader leaves out a missing column, and then `select` raises a KeyError.
                return file.read_row_groups(groups, columns=columns).select(columns)
        except (pa.ArrowException, OSError, KeyError) as error:
            raise InputError(f"{self.file.name} must be a whole file of receval; {error}") from None


class Writer:
    """Writes the file of an evaluation under a temporary name, then moves it to its path.

    An existing file at the path is not changed unless `finish` succeeds. Use the writer as a
    context manager.

    Attributes
    ----------
    path : Path
        The path of the finished file.
    replacement : Replacement
        The temporary file.
    groups : list
        For each row group that was written, the name of its system.
    """

    def __init__(self, path: Path, user_type: pa.DataType | None = None) -> None:
        self.path = path
        self.replacement: Replacement = Replacement(path, "output")
        self.groups: list[Hashable] = []
        self._user_type = user_type
        self._file: pq.ParquetWriter | None = None

    def __enter__(self) -> Writer:
        self.replacement.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Close the file, and remove it unless it is finished."""
        try:
            if self._file is not None:
                # Closing writes the end of the Parquet file, even if the file is removed
                # afterwards. The disk may have no room for that end.
                with suppress(OSError):
                    self._file.close()
        finally:
            self.replacement.__exit__(*error)

    def add(self, values: Mapping[Hashable, pd.DataFrame]) -> None:
        """Write the values of some users, with a row group for each system.

        ``values`` has a frame for each system, with a column for each measure. The frame is indexed
        by user; for pooled folds, by fold and user.
        """
        import pyarrow as pa

        texts = [str(system) for system in values]  # the column of systems holds text
        if len(set(texts)) < len(texts):
            raise InputError(f"systems must have names that differ as text; got {texts}")
        for system, frame in values.items():
            columns = {}
            if list(values) != [""]:  # a single system without a name needs no such column
                columns["system"] = pa.array([str(system)] * len(frame), pa.string())
            if isinstance(frame.index, pd.MultiIndex):
                if "fold" in frame.columns:
                    rule = "not be called 'fold' in a file of pooled folds, which has such a column"
                    raise input_error("measures", rule, list(frame.columns), "Rename it")
                folds = frame.index.get_level_values("fold").map(str)
                columns["fold"] = pa.array(folds, pa.string())
            users = frame.index.get_level_values(-1)  # the last level, or the only one
            columns["user"] = _ids_to_arrow(users, self._user_type)
            for measure in frame:
                columns[str(measure)] = frame[measure].to_numpy()
            self.write(pa.table(columns))
            self.groups.append(system)

    def write(self, table: pa.Table) -> None:
        """Write a table as one row group of the file.

        The first table determines the columns of the file. Arrow refuses later tables with other
        columns.
        """
        import pyarrow.parquet as pq

        with self.replacement.writing():  # names the file in errors of the system
            if self._file is None:
                binary_file = self.replacement.file.buffer
                self._file = pq.ParquetWriter(binary_file, table.schema, write_page_checksum=True)
            # Arrow refuses a row group of size 0, even for a table without rows.
            self._file.write_table(table, row_group_size=max(len(table), 1))

    def finish(self, record: Mapping[str, object], systems: Iterable[Hashable] = ()) -> SourceFile:
        """Write the record into the metadata, move the file to its path, and return it.

        ``systems`` are the names of the systems in the order of the record. If there are any, the
        record also gets the position of each row group's system in this order.
        """
        assert self._file is not None, "nothing was written"
        names = list(systems)
        metadata = {**record}
        if names:
            metadata["groups"] = [names.index(system) for system in self.groups]
        self._file.add_key_value_metadata(with_digest(json.dumps(metadata)))
        with self.replacement.writing():  # names the file in errors of the system
            self._file.close()
        return SourceFile(self.path.absolute(), identity_of(self.replacement.finish()))


def with_digest(record: str | bytes) -> dict[bytes, bytes]:
    """Return the metadata of a file: the record, a JSON text, and its digest."""
    text = record if isinstance(record, bytes) else record.encode()
    return {b"receval": text, b"receval digest": hashlib.sha256(text).hexdigest().encode()}


# Files of other results ---------------------------------------------------------------------------


def write_frame(path: Path, frame: pd.DataFrame, record: Mapping[str, object]) -> None:
    """Write a result that consists of one frame and a record.

    Raises an error if a column holds tuples, or objects for which Arrow has no type. If there is an
    error, an existing file at the path is not changed.
    """
    import pyarrow as pa

    with Writer(path) as writer:
        try:
            table = pa.Table.from_pandas(frame, preserve_index=False)
            if any(pa.types.is_nested(dtype) for dtype in table.schema.types):
                raise TypeError("got tuples")
            writer.write(table)
        except (pa.ArrowException, TypeError) as error:
            rule = "be text or whole numbers to be written to a file"  # only ids are objects
            raise InputError(f"ids must {rule}; {error}") from None
        writer.finish({"format": FORMAT, **record})


def read_frame(source: SourceFile) -> pd.DataFrame:
    """Read the frame that `write_frame` wrote; it has a new index, which starts at 0."""
    import pyarrow.parquet as pq

    with source.opened() as opened:
        table = pq.read_table(opened, page_checksum_verification=True)
    return pd.DataFrame({name: table[name].to_numpy() for name in table.column_names})


# The record ---------------------------------------------------------------------------------------


def read_record(path: str | Path) -> tuple[SourceFile, Record]:
    """Read the record from the metadata of a file.

    Returns the file with its identity, which reveals later changes, and the record. Raises an error
    if receval didn't write the file, if it is damaged, or if it has a format of a later version.
    """
    import pyarrow.parquet as pq

    check_that(isinstance(path, (str, Path)), "path", "be the name of a file", path)
    path = Path(path)
    with check_readable(path, "a whole file of receval"):
        check_that(path.exists(), "path", "be an existing file", str(path))
        check_no_stream(path)
        if path.is_file():
            with path.open("rb") as file:
                if file.read(4) != b"PAR1":  # every Parquet file begins like this
                    raise input_error(path.name, "be a file of receval", "one of another kind")
        source = SourceFile.from_path(path)
        with source.opened() as opened:
            metadata = pq.read_metadata(opened).metadata or {}
        text = metadata.get(b"receval", b"null")
        record: Record = json.loads(text)
    if not isinstance(record, dict) or not isinstance(record.get("format"), int):
        raise InputError(f"{path.name} must be a file of receval; got another Parquet file")
    if record["format"] > LATEST_FORMAT:
        got = f"{record['format']}, written by receval {record.get('receval')}"
        rule = f"be of format {LATEST_FORMAT} or below"
        raise input_error(path.name, rule, got, "Install that version")
    # The metadata must hold the digest that belongs to the record.
    if not with_digest(text).items() <= metadata.items():
        raise InputError(f"{path.name} must be a whole file of receval; its metadata are damaged")
    return source, record


def load_systems(
    source: SourceFile, record: Record
) -> tuple[EvaluationTask, dict[Hashable, SystemResult]]:
    """Return the task and the systems that a record describes.

    The task has the arguments of the evaluation; the systems are its results by name. The values of
    users stay in the file. The record is the JSON object in the metadata of the file. It has a list
    of systems, and a list with the position of each row group's system. Raises an error if the
    record has a wrong form, or does not fit the columns and row groups of the file.
    """
    check_record(record, EVALUATION, source.name)
    _check_groups(source, record)
    task = _load_task(record)
    systems: dict[Hashable, SystemResult] = {}
    for position, system in enumerate(record["systems"]):
        groups = [
            group
            for group, position_of_system in enumerate(record["groups"])
            if position_of_system == position
        ]
        systems[system["name"]] = FileResult(
            source,
            groups,
            counts=system["counts"],
            means=system["means"],
            n=system["n"],
            ties=system["ties"],
            foreign=system["foreign"],
            like_ranks=system["like_ranks"],
            item_kind=system["item_kind"],
            states={measure: _load_state(state) for measure, state in system["states"].items()},
            facts=system["facts"],
        )
    return task, systems


def _load_task(record: Record) -> EvaluationTask:
    """Return the arguments of the evaluation that a record describes.

    A record is the JSON object that `to_record` made and a file holds. `check_record` has checked
    its form. The catalogue is not in it.
    """
    context = EvaluationContext(
        from_record(record["convention"]["name"], record["convention"]),
        n_items=record["n_items"],
        max_grade=record["max_grade"],
        auc_catalogue=record["auc_catalogue"],
    )
    columns = record["columns"]
    column_names = ColumnNames(
        user=columns["user"],
        item=columns["item"],
        score=columns["score"],
        rank=columns["rank"],
        relevance_column=columns["relevance_column"],
        system=columns["system"],
        column_notes=tuple(columns.get("notes", ())),  # files of older versions lack them
    )
    # The entry "own" of the record has the custom measures.
    custom_measures = [_load_custom_measure(measure) for measure in record["own"]]
    return EvaluationTask(
        parse(record["measures"], custom_measures),
        context,
        column_names,
        duplicates=columns["duplicates"],
        seen=record["seen"],
        version=record["receval"],
        users=record["users"],
        features=record.get("features"),  # files of older versions lack it
    )


def _load_custom_measure(record: Record) -> Measure:
    """Return a custom measure from the record that `_custom_measure_record` made.

    The file has the values of the measure, but not its functions. If called, the functions of the
    returned measure raise an error.
    """
    key = record["key"]
    function = UnloadableFunction(key)
    measure = Measure(
        key,
        terms=Terms(function) if record["terms"] else None,
        per_list=None if record["terms"] else function,
        source=record["source"],
        higher_is_better=record["higher_is_better"],
        needs=record["needs"],
    )
    # The measure has just derived the rule for ties from its functions, but these aren't the
    # user's. So take the rule from the record. A measure refuses changes, except through `vars`.
    vars(measure)["tie_rule"] = record["tie_rule"]
    return measure if record["k"] is None else measure.at(record["k"])


def _load_state(state: list[object]) -> AnyArray:
    """Return the state of a set-level measure as an array.

    A state is a list of ids, or a list of several lists: first ids, then counts for each id.
    Several lists become an array of objects, because ids may be texts and counts must stay numbers.
    """
    has_counts = bool(state) and isinstance(state[0], list)
    return np.array(state, dtype=object) if has_counts else np.array(state)


def _check_groups(source: SourceFile, record: Record) -> None:
    """Raise an error if a record does not fit the row groups and columns of its file.

    ``record["groups"]`` has the position of each row group's system in ``record["systems"]``. Every
    system needs at least one group, and the file must have a column of users, one column of numbers
    for each measure, and no other column of numbers.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = [system["name"] for system in record["systems"]]
    has_repeated_names = len({str(name) for name in names}) < len(names)
    if not names or has_repeated_names:
        raise input_error(f"systems in {source.name}", "be there, each once", shorten(names))
    with source.opened() as file:
        parquet = pq.ParquetFile(file)
        n_groups = parquet.metadata.num_row_groups
        schema = parquet.schema_arrow
    groups = record["groups"]
    if len(groups) != n_groups or set(groups) != set(range(len(names))):
        rule = f"name one of {len(names)} systems for each of {n_groups} row groups"
        raise input_error(f"groups in {source.name}", rule, shorten(groups))
    number_columns = {column.name for column in schema if pa.types.is_floating(column.type)}
    for system in record["systems"]:
        # ``system["n"]`` holds for each measure the number of users with a value.
        missing = [name for name in system["n"] if name not in number_columns]
        surplus = [name for name in sorted(number_columns) if name not in system["n"]]
        if not missing and "user" not in schema.names:
            missing = ["user"]
        if missing:
            got = f"none for {format_first(map(repr, missing))}"
            raise input_error(source.name, "have a column of numbers for each measure", got)
        if surplus:
            got = f"a column for {format_first(map(repr, surplus))}"
            raise input_error(source.name, "have columns of numbers for measures alone", got)


def to_record(task: EvaluationTask, systems: Mapping[Hashable, SystemResult]) -> Record:
    """Return everything about an evaluation except the values of users, for a JSON file.

    The names in the record belong to the file format, so they must not change.
    """
    names = task.column_names
    columns: Record = {
        "user": names.user,
        "item": names.item,
        "score": names.score,
        "rank": names.rank,
        "relevance_column": names.relevance_column,
        "system": names.system,
        "duplicates": task.duplicates,
    }
    if names.column_notes:
        columns["notes"] = list(names.column_notes)
    return {
        "format": FORMAT,
        "receval": task.version,
        "measures": [measure.name for measure in task.measures],
        "convention": _convention_record(task.context.convention),
        "columns": columns,
        "n_items": task.context.n_items,
        "max_grade": task.context.max_grade,
        "auc_catalogue": task.context.auc_catalogue,
        "seen": task.seen,
        "users": task.users,
        "features": task.features,
        "own": [_custom_measure_record(measure) for measure in task.measures if measure.is_custom],
        "systems": [_system_record(name, system) for name, system in systems.items()],
    }


def _convention_record(convention: Convention) -> Record:
    """Return the choices of a convention for the record, with the names of functions."""
    record = {}
    for choice, value in vars(convention).items():
        record[choice] = function_name(value) if callable(value) else value
    return record


def _custom_measure_record(measure: Measure) -> Record:
    """Return a custom measure without its functions; `_load_custom_measure` reads it.

    ``terms`` says whether the measure is a sum of terms.
    """
    return {
        "key": measure.key,
        "k": measure.k,
        "source": measure.source,
        "higher_is_better": measure.higher_is_better,
        "needs": measure.needs,
        "tie_rule": measure.tie_rule,
        "terms": isinstance(measure.spec.computation, RankFormula),
    }


def _system_record(name: Hashable, system: SystemResult) -> Record:
    """Return the record of one system: the data of a `FileResult` except the values of users."""
    return {
        "name": to_json_value(name),
        "counts": system.counts,
        "means": system.means,
        "n": system.n,
        "ties": system.ties,
        "foreign": system.foreign,
        "like_ranks": system.like_ranks,
        "item_kind": system.item_kind,
        "facts": system.facts,
        "states": {measure: np.asarray(state).tolist() for measure, state in system.states.items()},
    }


def to_json_value(name: Hashable) -> str | int:
    """Return the name of a system or a fold for a JSON file: a text or a whole number."""
    if isinstance(name, np.integer):
        return int(name)
    return name if isinstance(name, (str, int)) else str(name)


# Ids ----------------------------------------------------------------------------------------------


def _ids_to_arrow(ids: pd.Index, dtype: pa.DataType | None) -> pa.Array:
    """Return ids as an Arrow array of the type ``dtype``; if this is None, choose a type that fits.

    Raises an error if whole numbers do not fit into one type of 64 bits.
    """
    import pyarrow as pa

    # Numbers of at least 2**63 may come as Python objects, for which Arrow would try int64 and
    # fail.
    if dtype is None and ids.inferred_type == "integer" and ids.max() >= 2**63:
        dtype = pa.uint64()
    try:
        return pa.array(ids.to_numpy(), dtype)
    except (OverflowError, pa.ArrowInvalid):
        rule = "hold integers of one type of 64 bits to be written to a file"
        got = f"{ids.min()} to {ids.max()}"
        advice = "Convert the column with astype(str)"
        raise input_error("user", rule, got, advice) from None


def _ids_from_arrow(column: pa.ChunkedArray) -> AnyArray:
    """Return ids with the types of an evaluation in memory.

    Integers are int64, or objects if int64 can't hold them; texts are objects.
    """
    import pyarrow as pa

    ids: AnyArray = column.to_numpy()
    if pa.types.is_integer(column.type) and ids.size:
        return ids.astype(np.int64 if ids.max() < 2**63 else object)
    return ids
