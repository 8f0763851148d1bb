"""Notebooks on downloaded data, where the data cannot be had."""

from __future__ import annotations

from receval._downloads import DataUnavailable, available

__all__ = ["study_needs"]


def study_needs(*names: str) -> None:
    """Go on if the files are at hand; otherwise say so and leave out the rest of the notebook.

    Parameters
    ----------
    *names : str
        Files as `fetch` knows them.

    Raises
    ------
    DataUnavailable
        If a file is not to be had, and this is no notebook whose rest could be left out.

    Examples
    --------
    >>> study_needs()  # no file, nothing to wait for
    """
    missing = [name for name in names if not available(name)]
    if not missing:
        return
    sentence = (
        f"{', '.join(missing)}: neither in the folder RECEVAL_DATA nor to be downloaded here. "
        "The rest of this notebook is left out; see `receval.datasets.fetch`."
    )
    from IPython import get_ipython

    shell = get_ipython()
    if shell is None:
        raise DataUnavailable(sentence)
    shell.input_transformers_cleanup.append(lambda _: [])
    print(sentence)
