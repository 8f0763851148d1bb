"""Results of finished variants on disk, so that an interrupted run can continue."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from receval._checks import input_error
from receval._files import check_folder, make_folder, write_atomically
from receval.fuzzy.recommend.experiment import Experiment


class ResultCache:
    """A folder with one small file per finished variant.

    Each file holds a stamp: a hash of the experiment's data and of the settings. Files with
    another stamp are refused, because they belong to another experiment.
    """

    def __init__(
        self, folder: str | Path, experiment: Experiment, settings: Mapping[str, object]
    ) -> None:
        """Create the folder if there is none, and compute the stamp of its files.

        ``settings`` are the options that influence results: text, numbers or arrays, by name.
        """
        self._folder = check_folder(folder)
        make_folder(self._folder)
        text = json.dumps({key: np.asarray(value).tolist() for key, value in settings.items()})
        self._stamp = hashlib.sha256((experiment.fingerprint + text).encode()).hexdigest()

    def read(self, label: str) -> dict[str, float] | None:
        """Return the result of a variant, its number of users and its means, by name.

        Returns None if there is no file, because the variant is not finished.

        Raises
        ------
        InputError
            If the file is damaged, or belongs to other data or other settings.
        """
        path = self._path(label)
        if not path.is_file():
            return None
        try:
            content = json.loads(path.read_bytes())
            if content["stamp"] == self._stamp:
                return dict(content["row"])
        except (ValueError, TypeError, KeyError, RecursionError):
            # The file isn't JSON, or `write` didn't write it.
            rule = "hold results that were written whole"
            raise input_error("folder", rule, path.name, "Remove it") from None
        rule = "hold results of this data and these settings"
        got = f"others for {label} in {path.name}"
        raise input_error("folder", rule, got, "Choose another folder, or empty it")

    def write(self, label: str, row: dict[str, float]) -> None:
        """Write the result of a variant to its file."""
        content = json.dumps({"label": label, "stamp": self._stamp, "row": row})
        write_atomically(self._path(label), lambda file: file.write(content))

    def _path(self, label: str) -> Path:
        """Return the path of a variant's file; labels may have characters that paths can't have."""
        return self._folder / f"{hashlib.sha256(label.encode()).hexdigest()[:20]}.json"
