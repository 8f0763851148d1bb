"""Commands on what receval brings along: notebooks, the ledger, data of others."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path

from receval import datasets as data
from receval import notebooks, published
from receval._checks import InputError
from receval._files import check_writable, notebooks_folder, write_atomically


def reproduce(*, output: Path = Path("build/notebooks"), jobs: int = 2, quiet: bool = False) -> int:
    """Run every notebook and print published against computed figures.

    Run every notebook from the top and print the ledger: each published figure beside the
    value computed for it, and what to make of the two. A notebook in the output folder whose
    cells you have changed is never overwritten: the command then stops before it runs any.
    The exit status is 1 if a cell fails or a figure does not come out as on record, and 0
    otherwise.

    Parameters
    ----------
    output : path
        folder for the executed notebooks and ledger.csv
    jobs : int
        how many notebooks run at a time; the ledger comes after them
    quiet : bool
        no progress bar

    Examples
    --------
    receval reproduce --output ledger
    """
    _need("nbclient", "ipykernel")
    source = notebooks_folder()
    in_place = output.resolve() == source.resolve()
    if not in_place and output.is_dir():
        check_writable(output / "ledger.csv", "output")  # before the work, not after it
    found = notebooks.reproduce(source, output, jobs=jobs, quiet=quiet)
    if not in_place:
        write_atomically(output / "ledger.csv", lambda file: found.ledger.to_csv(file))
    print(found.ledger, published.summary(found.ledger).to_string(), sep="\n\n", end="\n\n")
    on_record = found.ledger["verdict"] == found.ledger["expected"]
    for figure, row in found.ledger[~on_record].iterrows():
        print(f"UNEXPECTED {figure}: {row['verdict']}, on record {row['expected']}")
    print("".join(f"{told}\n" for told in found.left_out), end="")
    for _, group in groupby(found.failures, key=lambda failure: failure.notebook):
        first, *others = group
        print(f"FAILED {first}")
        if others:  # most often for want of the names that the first should have made
            print(f"  and {len(others)} more cells of it: {', '.join(str(f.cell) for f in others)}")
    print(
        f"\n{len(found.executed)} notebooks run, {len(found.failures)} cells failed; "
        f"{on_record.sum()} of {len(found.ledger)} published figures as on record"
    )
    return 1 if found.failures or not on_record.all() else 0


def lab(
    folder: Path = Path("my-notebooks"),
    *,
    browser: bool = True,
    copy_only: bool = False,
    student: bool = False,
    solutions: bool = False,
    others: Sequence[str] = (),
) -> int:
    """Open the notebooks in JupyterLab.

    Put a copy of the notebooks into a folder of yours and open JupyterLab on the first.
    What you have changed there is never overwritten. From the first option that is not
    below on, everything is handed to JupyterLab.

    Parameters
    ----------
    folder : path
        where the notebooks go
    browser : bool
        open a browser, or only start the server and print the address to open
    copy_only : bool
        copy the notebooks and start nothing
    student : bool
        copy them without outputs and solutions: predict first, then run
    solutions : bool
        copy them with their solutions unfolded

    Examples
    --------
    receval lab my-notebooks --no-browser --port 8890
    """
    _need("jupyterlab")
    edition = "student" if student else "solutions" if solutions else ""
    kept = notebooks.copy(notebooks_folder(), folder, edition=edition)
    print(f"The notebooks are in {folder}")
    for name in kept:
        print(f"  {name} differs from the one shipped, and stays as it is")
    if not copy_only:
        handed_on = [one for one in others if one != "--no-browser"]
        notebooks.serve(folder, handed_on, browser=browser and handed_on == list(others))
    return 0


def datasets(names: list[str] | None = None) -> int:
    """List or fetch the real data that studies use.

    Without names, list the files of others that the studies use. With names, fetch these,
    check them, and print where they lie.

    Parameters
    ----------
    names : list of str
        names from the list

    Examples
    --------
    receval datasets cars/cars-1k.csv
    """
    for name in names or ():
        print(data.fetch(name))
    if not names:
        for name, source in data.sources().items():
            print(f"{name}  ({source.repository} at {source.commit[:10]})")
    return 0


def _need(*modules: str) -> None:
    if missing := [name for name in modules if find_spec(name) is None]:
        named, how = ", ".join(missing), 'pip install "receval[notebooks]"'
        raise InputError(f"the packages {named} are needed for this: {how}")
