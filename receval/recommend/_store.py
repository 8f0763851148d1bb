"""Finished variants on disk, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import input_error
from receval._files import check_folder, make_folder, write_atomically
from receval.recommend.experiment import Experiment


class ResultCache:
    """Finished variants of one experiment under one setting, a small file each."""

    def __init__(
        self, folder: str | Path, experiment: Experiment, settings: Mapping[str, Any]
    ) -> None:
        self._folder = check_folder(folder)
        make_folder(self._folder)
        text = json.dumps({key: np.asarray(value).tolist() for key, value in settings.items()})
        self._stamp = hashlib.sha256((experiment.fingerprint + text).encode()).hexdigest()

    def read(self, label: str) -> dict[str, float] | None:
        """What was written for a variant, if anything was."""
        path = self._path(label)
        if not path.is_file():
            return None
        try:
            content = json.loads(path.read_bytes())
            if content["stamp"] == self._stamp:
                return dict(content["row"])
        except (ValueError, TypeError, KeyError, RecursionError):
            rule = "hold results that were written whole"
            raise input_error("folder", rule, path.name, "Remove it") from None
        got, advice = f"others for {label} in {path.name}", "Take another folder, or empty it"
        raise input_error("folder", "hold results of this data and these settings", got, advice)

    def write(self, label: str, row: dict[str, float]) -> None:
        """Keep what a variant came to."""
        content = json.dumps({"label": label, "stamp": self._stamp, "row": row})
        write_atomically(self._path(label), lambda file: file.write(content))

    def _path(self, label: str) -> Path:
        return self._folder / f"{hashlib.sha256(label.encode()).hexdigest()[:20]}.json"
