"""The command line: ``receval reproduce | lab | evaluate | datasets``."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from receval._arguments import MEASURES, parser
from receval._checks import InputError
from receval._files import check_writable, notebook_paths, notebooks_folder, write_atomically

if TYPE_CHECKING:
    import pandas as pd

START = "00_start_here.ipynb"
MANIFEST = ".receval.json"
LAB = ("-h", "--help", "--copy-only", "--no-browser")  # options of lab that are receval's own


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; answer the exit status."""
    known, others = _split(list(sys.argv[1:] if arguments is None else arguments))
    options = parser(reproduce=reproduce, lab=lab, evaluate=evaluate, datasets=datasets).parse_args(
        known
    )
    options.others = others
    try:
        return int(options.run(options))
    except InputError as error:
        print(f"receval: {error}", file=sys.stderr)
        return 2
    except OSError as error:  # data that cannot be had, a file that cannot be written
        print(f"receval: {error}", file=sys.stderr)
        return 3


def reproduce(options: argparse.Namespace) -> int:
    """Run every notebook and print the ledger; 1 if a cell fails or a verdict is unexpected."""
    _need("nbclient", "ipykernel")
    from tqdm import tqdm

    from receval import published
    from receval.notebooks import Failure, missing_data, missing_package, run

    source = notebooks_folder()
    failures: list[Failure] = []
    executed: list[Path] = []
    left_out: dict[Path, str] = {}
    bar = tqdm(notebook_paths(source), unit="notebook", disable=options.quiet)
    for path in bar:
        bar.set_description(path.stem)
        target = options.output / path.relative_to(source)
        failed = run(path, target)
        executed.append(target)
        if package := missing_package(failed):
            left_out[path] = package
        else:
            failures += failed
    table = published.ledger(executed)
    if left_out:  # as shipped, these notebooks show which figures they would have checked
        theirs = published.ledger(left_out)["verdict"] != "not checked"
        unchecked = theirs & (table["verdict"] == "not checked")
        table.loc[unchecked, ["verdict", "expected"]] = "package not here"
    if options.output.resolve() != source.resolve():
        write_atomically(options.output / "ledger.csv", lambda file: table.to_csv(file))

    widths = {"figure": 28, "what": 48, "printed": 24, "computed": 24, "verdict": 0}
    rows = table.reset_index()[list(widths)]
    for cells in [list(widths), *rows.to_numpy().tolist()]:
        print("  ".join(map(_cut, cells, widths.values())))
    print()
    print(published.summary(table).to_string(), end="\n\n")
    explained = table[table["reason"] != ""]
    for figure, row in explained.iterrows():
        print(f"{figure} ({row['verdict']}): {row['reason']}")
    unexpected = table[table["verdict"] != table["expected"]]
    for figure, row in unexpected.iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    for path in executed:
        if names := missing_data(path):
            print(
                f"{path.stem}: without the real data ({', '.join(names)} can be neither found "
                "nor fetched; set RECEVAL_DATA to the folder that holds it)"
            )
    for path, package in left_out.items():
        print(f"{path.stem}: left out from where it needs {package}")
    for _, group in groupby(failures, key=lambda failure: failure.notebook):
        first, *others = group
        print(f"FAILED {first}")
        if others:  # most often for want of the names that the first should have made
            print(f"  and {len(others)} more cells of it: {', '.join(str(f.cell) for f in others)}")
    good = len(table) - len(unexpected)
    print(
        f"\n{len(executed)} notebooks run, {len(failures)} cells failed; "
        f"{good} of {len(table)} published figures as on record"
    )
    return 1 if failures or len(unexpected) else 0


def _cut(text: str, width: int) -> str:
    """Text in a column of that width, cut with an ellipsis; 0 is any width."""
    if not width:
        return text
    return (text if len(text) <= width else text[: width - 1] + "…").ljust(width)


def lab(options: argparse.Namespace) -> int:
    """Put the notebooks into a folder of the user's and open JupyterLab on the first one."""
    _need("jupyterlab")
    kept = copy_notebooks(notebooks_folder(), options.folder)
    print(f"The notebooks are in {options.folder}")
    for name in kept:
        print(f"  {name} is changed, and stays as it is")
    if options.copy_only:
        return 0
    command = [str(options.folder / START)]
    if options.no_browser or "--no-browser" in options.others:
        # The address that JupyterLab prints is that of the folder, unless told.
        command += ["--no-browser", f"--LabApp.default_url=/lab/tree/{START}"]
        print(f"Open the address that JupyterLab prints below, which has /lab/tree/{START} in it")
    sys.stdout.flush()
    from jupyterlab.labapp import main as serve

    # In this process: what ends receval ends the server.
    serve(command + [one for one in options.others if one != "--no-browser"])
    return 0


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    """What is receval's own, and what ``lab`` hands on: all from the first other option on."""
    if arguments[:1] == ["lab"]:
        for place, argument in enumerate(arguments):
            if argument.startswith("-") and argument not in LAB:
                return arguments[:place], arguments[place:]
    return arguments, []


def evaluate(options: argparse.Namespace) -> int:
    """Evaluate files and print the comparison table, with the methods paragraph on request."""
    from receval.evaluation import evaluate as evaluate_tables

    if options.per_user:
        check_writable(options.per_user)  # before the work, not after it
    _refuse_names_in_trec(options)
    if len({path.stem for path in options.recommendations}) < len(options.recommendations):
        raise InputError("recommendations must be files of different names, one per system")
    read = _reader(options)
    recommendations = {path.stem: read(path) for path in options.recommendations}
    several = len(recommendations) > 1
    result = evaluate_tables(
        recommendations if several else next(iter(recommendations.values())),
        read(options.truth),
        [name.strip() for given in options.measures or [MEASURES] for name in given.split(",")],
        convention=options.convention,
        user=options.user,
        item=options.item,
        score=options.score,
        rank=options.rank,
        relevance_column=options.relevance_column or None,
        system=options.system,
        ties=options.ties,
        missing=options.missing,
        duplicates=options.duplicates,
        items=_catalogue(read(options.items), options) if options.items else None,
        history=read(options.history) if options.history else None,
    )
    print(result.table(digits=options.digits))
    if options.methods:
        print(f"\n{result.methods()}")
    if options.per_user:
        result.save(options.per_user)
    return 0


def _refuse_names_in_trec(options: argparse.Namespace) -> None:
    """The columns of TREC files are known by their place, and have no other names."""
    every = _files(options)
    of = {
        "user": every,
        "item": every,
        "score": options.recommendations,
        "relevance_column": [options.truth],
    }
    for name, paths in of.items():
        given, own = getattr(options, name), name.removesuffix("_column")
        trec = [path.name for path in paths if _is_trec(path)]
        if trec and given != own:
            raise InputError(
                f"--{name.replace('_', '-')} must be left out with TREC files, whose columns have "
                f"no names; got {given!r} with {', '.join(trec)}. In other files beside them, call "
                f"the column {own!r}"
            )


def _reader(options: argparse.Namespace) -> Callable[[Path], pd.DataFrame]:
    """Reads a table; whole numbers as ids become text beside TREC files, where all ids are."""
    import pandas as pd

    from receval.tables.formats import read_any

    def as_text(path: Path) -> pd.DataFrame:
        table = read_any(path)
        ids = [name for name in (options.user, options.item) if name in table]
        whole = [name for name in ids if pd.api.types.is_integer_dtype(table[name])]
        return table.astype(dict.fromkeys(whole, str))

    return as_text if any(map(_is_trec, _files(options))) else read_any


def _files(options: argparse.Namespace) -> list[Path]:
    return [*options.recommendations, options.truth, *filter(None, [options.history])]


def _is_trec(path: Path) -> bool:
    return path.suffix.lower() in (".run", ".qrels", ".qrel")


def _catalogue(table: pd.DataFrame, options: argparse.Namespace) -> pd.DataFrame:
    """The catalogue by item, its dates as dates."""
    import pandas as pd

    from receval.tables.columns import column

    name, item = options.items.name, options.item
    items: pd.DataFrame = table.set_index(column(table, item, name).to_numpy()).drop(columns=item)
    if "novelty_date" in items and not pd.api.types.is_datetime64_any_dtype(items["novelty_date"]):
        try:
            items["novelty_date"] = pd.to_datetime(items["novelty_date"], format="ISO8601")
        except (ValueError, TypeError) as error:
            raise InputError(
                f"novelty_date of {name} must hold dates such as 2020-12-31; {error}"
            ) from None
    return items


def datasets(options: argparse.Namespace) -> int:
    """List the files of others that receval can fetch, or fetch some."""
    from receval.datasets import fetch, sources

    for name, source in sources().items():
        if not options.names:
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    for name in options.names:
        print(fetch(name))
    return 0


def copy_notebooks(source: Path, folder: Path) -> list[str]:
    """Copy the notebooks, and answer the names of those that the user changed and that stay.

    A file is replaced only if it is still what an earlier copy wrote: the digests of what was
    written are kept beside the notebooks.
    """
    folder.mkdir(parents=True, exist_ok=True)
    manifest = folder / MANIFEST
    written = _written(manifest) if manifest.exists() else {}
    kept = []
    for path in notebook_paths(source):
        name = path.relative_to(source).as_posix()
        target = folder / name
        if target.exists() and _digest(target) not in (written.get(name), _digest(path)):
            kept.append(name)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        content = path.read_bytes()
        write_atomically(target, partial(_put, content))
        written[name] = _digest(path)
    write_atomically(manifest, lambda file: file.write(json.dumps(written, indent=1)))
    return kept


def _written(manifest: Path) -> dict[str, str]:
    """The digests of what an earlier copy wrote, by the names of the notebooks."""
    try:
        found = json.loads(manifest.read_bytes())
    except (ValueError, RecursionError):  # no JSON, or no text
        found = None
    if not isinstance(found, dict):
        raise InputError(
            f"{manifest} must be as receval lab wrote it; it is broken. Delete it: notebooks that "
            "differ from those shipped then stay as they are"
        )
    return found


def _put(content: bytes, file: Any) -> None:
    file.buffer.write(content)


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _need(*modules: str) -> None:
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise InputError(
            f"the packages {', '.join(missing)} are needed for this: "
            'pip install "receval[notebooks]"'
        )


if __name__ == "__main__":
    sys.exit(main())
