"""Measuring: every measure of every system, block by block."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import SHOWN, FloatArray, InputError, IntArray
from receval.evaluation.lists import Lists
from receval.evaluation.measure import Context, Measure
from receval.evaluation.result import Evaluation
from receval.evaluation.ties import settle

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
    users = pd.Index(truth.users.of(truth.judged), name="user")
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
    n = lists.truth.judged.size
    values: dict[str, FloatArray] = {one.name: np.empty(n) for one in measures if one.per_user}
    states: dict[str, Any] = {}
    tied: list[IntArray] = []
    answered = without = done = repeated = 0
    with _bar(lists, progress) as bar:
        for block in lists.blocks():
            here = slice(done, done + block.users.size)
            if context.convention.missing == "error" and (block.length == 0).any():
                silent = [lists.truth.users.one(u) for u in block.users[block.length == 0][:SHOWN]]
                raise InputError(
                    "recommendations must answer every judged user (missing='error'); "
                    f"got none for {silent}"
                )
            for one in measures:
                if one.per_user:
                    values[one.name][here] = one.of(block, context)
                else:
                    assert one.partial is not None
                    assert one.combine is not None
                    state = one.partial(block, context, one.k)
                    known = states.get(one.name)
                    states[one.name] = state if known is None else one.combine(known, state)
            answered += int(np.count_nonzero(block.length))
            without += int(np.count_nonzero(block.n_relevant == 0))
            repeated += block.repeated
            tied.append(block.users[block.tied])
            done = here.stop
            bar.update(block.users.size)
    with_ties = np.concatenate([np.empty(0, np.int64), *tied])
    settle(values, lists, with_ties, measures, context)
    for one in measures:
        if one.state_of_items and one.name in states:  # ids mean the same in other folds too
            states[one.name] = lists.truth.items.of(states[one.name])
    counts = {
        "judged": n,
        "answered": answered,
        "without truth": without,
        "ignored": lists.ignored,
    }
    if lists.keep_first:
        counts["repeated"] = repeated
    return values, counts, states, with_ties


def _bar(lists: Lists, progress: bool | None) -> Any:
    from tqdm import tqdm

    shown = lists.user.size >= LONG if progress is None else progress
    return tqdm(
        total=lists.truth.judged.size,
        unit="user",
        unit_scale=True,
        desc=lists.system or "evaluate",
        disable=not shown,
    )
