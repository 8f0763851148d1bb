"""Measuring: every measure of every system, block by block."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from receval._checks import SHOWN, BoolArray, FloatArray, InputError, IntArray
from receval.engine.threads import side_by_side
from receval.evaluation.result import Evaluation
from receval.measure.form import Context, Measure
from receval.measure.lists import Lists
from receval.measure.ties import settle

LONG = 3_000_000  # rows from which a progress bar is shown unasked


def measured(
    lists: Mapping[str, Lists],
    measures: list[Measure],
    context: Context,
    *,
    progress: bool | None = None,
) -> Evaluation:
    """Compute every measure of every system, block by block."""
    per_user, counts, states, tied = {}, {}, {}, {}
    for name, one in lists.items():
        per_user[name], counts[name], states[name], tied[name] = _measure_system(
            one, measures, context, progress
        )
    truth = next(iter(lists.values())).truth
    users = truth.users.index(truth.judged, "user")
    frames = {
        name: pd.DataFrame(values, index=users, copy=False) for name, values in per_user.items()
    }
    several = len(frames) > 1
    return Evaluation(
        per_user=pd.concat(frames, names=["system"]) if several else next(iter(frames.values())),
        counts=pd.DataFrame.from_dict(counts, orient="index").rename_axis("system"),
        measures=tuple(measures),
        context=context,
        lists=dict(lists),
        states=states,
        tied=tied,
    )


def _measure_system(
    lists: Lists, measures: list[Measure], context: Context, progress: bool | None
) -> tuple[dict[str, FloatArray], dict[str, int], dict[str, Any], IntArray]:
    n = lists.size
    values: dict[str, FloatArray] = {one.name: np.empty(n) for one in measures if one.per_user}
    states: dict[str, States] = {
        one.name: States(one.combine) for one in measures if one.combine is not None
    }
    tied = np.zeros(n, bool)
    total: Counter[str] = Counter()

    deepest_first = sorted(measures, key=lambda one: math.inf if one.k is None else one.k)[::-1]

    def work(places: slice | IntArray) -> Measured:
        return _measure_block(lists, places, deepest_first, context, values)

    with _bar(lists, progress) as bar:
        for found in side_by_side(work, lists.cuts()):
            for name, state in found.states.items():
                states[name].add(state)
            tied[found.places] = found.tied
            total.update(found.total)
            bar.update(found.tied.size)
    with_ties = np.flatnonzero(tied)
    settle(values, lists, with_ties, measures, context)
    whole = {name: state.whole() for name, state in states.items()}
    for one in measures:
        if one.state_of_items and one.name in whole:  # ids mean the same in other folds too
            whole[one.name] = np.sort(lists.truth.items.of(whole[one.name]))
    counted = {"judged": n, **total, "ignored": lists.ignored}
    if not lists.how.keep_first:
        del counted["repeated"]
    return values, counted, whole, with_ties


class Measured(NamedTuple):
    """What is measured of a block, beside the values of each user."""

    places: slice | IntArray
    states: dict[str, Any]
    tied: BoolArray
    total: dict[str, int]


def _measure_block(
    lists: Lists,
    places: slice | IntArray,
    measures: list[Measure],
    context: Context,
    values: dict[str, FloatArray],
) -> Measured:
    """Measure a block: its users' ``values`` are filled in, the rest is answered."""
    block = lists.block(places)
    if context.convention.missing == "error" and (block.length == 0).any():
        silent = [lists.truth.users.one(u) for u in block.users[block.length == 0][:SHOWN]]
        raise InputError(
            "recommendations must answer every judged user (missing='error'); "
            f"got none for {silent}"
        )
    for one in measures:
        if one.per_user:
            values[one.name][places] = one.of(block, context)
    return Measured(
        places,
        {
            one.name: one.partial(block, context, one.k)
            for one in measures
            if one.partial is not None
        },
        block.tied,
        {
            "answered": int(np.count_nonzero(block.length)),
            "without truth": int(np.count_nonzero(block.n_relevant == 0)),
            "repeated": block.repeated,
        },
    )


@dataclass
class States:
    """States of a set-level measure, combined pairwise so that each grows only now and then."""

    combine: Callable[[Any, Any], Any]
    waiting: list[tuple[int, Any]] = field(default_factory=list)

    def add(self, state: Any) -> None:
        size = 1
        while self.waiting and self.waiting[-1][0] == size:
            state = self.combine(self.waiting.pop()[1], state)
            size *= 2
        self.waiting.append((size, state))

    def whole(self) -> Any:
        return reduce(self.combine, (state for _, state in self.waiting))


def _bar(lists: Lists, progress: bool | None) -> Any:
    from tqdm import tqdm

    shown = lists.item.raw.size >= LONG if progress is None else progress
    return tqdm(
        total=lists.size,
        unit="user",
        unit_scale=True,
        desc=str(lists.how.system) or "evaluate",
        disable=not shown,
    )
