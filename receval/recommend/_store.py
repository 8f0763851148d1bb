"""Finished variants on disk, so that an interrupted run goes on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from receval._checks import InputError
from receval._files import write_atomically
from receval.recommend.experiment import Experiment


@dataclass(frozen=True)
class Store:
    """Finished variants, one small file each, written whole or not at all."""

    folder: Path | None
    stamp: str

    @classmethod
    def at(
        cls, folder: str | Path | None, experiment: Experiment, settings: dict[str, Any]
    ) -> Store:
        if folder is None:
            return cls(None, "")
        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        text = json.dumps({key: np.asarray(value).tolist() for key, value in settings.items()})
        stamp = hashlib.sha256((experiment.fingerprint + text).encode()).hexdigest()
        return cls(path, stamp)

    def read(self, label: str) -> dict[str, float] | None:
        path = self._path(label)
        if path is None or not path.is_file():
            return None
        try:
            content = json.loads(path.read_bytes())
            stamp, row = content["stamp"], content["row"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InputError(
                f"folder must hold results that were written whole; got {path.name}. Remove it"
            ) from None
        if stamp != self.stamp:
            raise InputError(
                f"folder must hold results of this data and these settings; got others for {label} "
                f"in {path.name}. Take another folder, or empty it"
            )
        found: dict[str, float] = row
        return found

    def write(self, label: str, row: dict[str, float]) -> None:
        path = self._path(label)
        if path is None:
            return
        content = json.dumps({"label": label, "stamp": self.stamp, "row": row})
        write_atomically(path, lambda file: file.write(content))

    def _path(self, label: str) -> Path | None:
        if self.folder is None:
            return None
        return self.folder / f"{hashlib.sha256(label.encode()).hexdigest()[:20]}.json"
