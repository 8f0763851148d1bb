"""Dask."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from receval.evaluation.result import Evaluation
from receval.evaluation.scale.task import Task


def evaluate_dask(given: Mapping[str, Any], task: Task) -> Evaluation:
    raise NotImplementedError
