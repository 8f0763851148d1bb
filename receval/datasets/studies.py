"""Skip notebooks on downloaded data if the data are not available."""

from __future__ import annotations

from receval.datasets.downloads import DataUnavailable, available


def study_needs(*names: str) -> None:
    """Skip the rest of a notebook, with a message, if its files are not available.

    Parameters
    ----------
    *names : str
        Names of files, as for `fetch`.

    Raises
    ------
    DataUnavailable
        If a file is not available and the code is not running in a notebook.

    Examples
    --------
    >>> study_needs()  # without names there is nothing to check
    """
    missing = [name for name in names if not available(name)]
    if not missing:
        return
    sentence = (
        f"{', '.join(missing)}: neither in the folder RECEVAL_DATA nor available for download. "
        "The rest of this notebook is left out; see `receval.datasets.fetch`."
    )
    from IPython import get_ipython

    shell = get_ipython()  # None outside of notebooks
    if shell is None:
        raise DataUnavailable(sentence)
    # IPython passes the lines of each later cell to this function, and runs the lines that it
    # returns: none.
    shell.input_transformers_cleanup.append(lambda _lines: [])
    print(sentence)
