"""A grid of recommenders over one data set: similarities x history x novelty x diversity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    AnyArray,
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_flag,
    check_not_empty,
    check_that,
    check_unique,
    input_error,
)
from receval._threads import progress_bar
from receval.fuzzy.recommend.experiment import Experiment
from receval.fuzzy.recommend.history import AGGREGATIONS, aggregate_history, temporal_weight
from receval.fuzzy.recommend.offline import offline_measures
from receval.fuzzy.recommend.reranking import novelty_scores, rerank_mmr
from receval.fuzzy.recommend.similarities import (
    cosine_similarities,
    doc2vec_similarities,
    word2vec_similarities,
)
from receval.metrics.discounts import Discount, shifted_log2
from receval.metrics.prediction import min_max_scaled

__all__ = ["MODELS", "run_variants"]

N_MMR_PLACES = 10  # places of a list that the authors' program re-ranks

STEPS = ("history", "novelty", "diversity")  # parameters that models don't get

Model: TypeAlias = Callable[..., pd.DataFrame]
"""A function that takes an `Experiment` and parameters, and returns a table of similarities."""

MODELS: dict[str, Model] = {
    "cosine": lambda data, **options: cosine_similarities(data.features, **options),
    "word2vec": lambda data, **options: word2vec_similarities(data.histories, **options),
    "doc2vec": lambda data, **options: doc2vec_similarities(data.texts, **options),
}
"""The models that a grid can name."""


def run_variants(
    variants: Iterable[tuple[str, Mapping[str, object]]],
    experiment: Experiment,
    *,
    models: Mapping[str, Model] | None = None,
    progress: bool | None = None,
    divide_by: str = "weights",
    discount: Discount = shifted_log2,
) -> pd.DataFrame:
    """Compute document 002's off-line metrics of every variant in a grid, averaged over users.

    A variant is a model with its parameters, plus three parameters that the model doesn't get:
    ``history`` (such as ``"mean"`` or ``"positional-10"``), ``novelty`` and ``diversity`` (true or
    false, default false). The function computes the similarities once for all variants of a model.

    Parameters
    ----------
    variants : iterable of (str, dict)
        Name and parameters of each variant, such as the ``algorithms`` of a YAML grid that
        `receval.people.read_grid` reads.
    experiment : Experiment
        The data.
    models : mapping of str to callable, optional
        The model of each name in the grid: ``models[name](experiment, **parameters)`` returns
        a table of similarities, items in rows and columns. Default: ``cosine``, ``word2vec``
        and ``doc2vec``.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.
    divide_by : {"weights", "count"}, default "weights"
        As in `aggregate_history`.
    discount : callable, default `shifted_log2`
        Discount of nDCG.

    Returns
    -------
    DataFrame
        One row per variant, indexed by its label such as ``"cosine(history=mean)"``: ``users``, the
        number of users averaged, and the columns of `offline_measures`. A user counts if the model
        knows an item of the history and a relevant candidate. Means ignore NaN.

    Raises
    ------
    InputError
        If there is no variant, or a variant occurs twice; or if a variant names an unknown model,
        or has no history or an unknown one.

    References
    ----------
    Document 002, sections III-B, IV-A and V-A: 800 variants.

    Examples
    --------
    >>> from receval.datasets import travel_data
    >>> data = travel_data(n_users=30, n_items=20)
    >>> experiment = Experiment.split(
    ...     data.visits, data.attributes, dates=data.dates, at="2018-08-30"
    ... )
    >>> histories = [("cosine", {"history": name}) for name in ("mean", "positional-3")]
    >>> run_variants(histories, experiment, progress=False)["users"]
    variant
    cosine(history=mean)            26
    cosine(history=positional-3)    26
    Name: users, dtype: int64
    """
    if models is None:
        models = MODELS
    requested = []
    for name, parameters in variants:
        check_choice(name, "algorithm", models)
        listed = ", ".join(f"{key}={value}" for key, value in parameters.items())
        label = f"{name}({listed})"
        of_model = {key: value for key, value in parameters.items() if key not in STEPS}
        requested.append((label, name, of_model, _read_steps(label, parameters)))
    check_unique([label for label, *_ in requested], "variants", "variant")
    check_not_empty(requested, "variants", "be one or more")
    tests = {}  # by name and parameters of the model
    rows = {}
    with progress_bar(progress, total=len(requested)) as bar:
        for label, name, of_model, steps in requested:
            bar.set_description(label)
            model = f"{name}{sorted(of_model.items())}"
            if model not in tests:
                similarity = models[name](experiment, **of_model)
                tests[model] = _prepare_test(similarity, experiment, model)
            rows[label] = _measure(*tests[model], steps, divide_by, discount)
            bar.update()
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")


def _read_steps(label: str, parameters: Mapping[str, object]) -> tuple[str, int | None, bool, bool]:
    """Return what a variant does with the similarities of its model; raise if it is invalid.

    Returns
    -------
    aggregation, last : arguments ``how`` and ``last`` of `aggregate_history`.
    novelty : whether new items are preferred.
    diversity : whether lists are re-ranked by `rerank_mmr`.
    """
    history = str(parameters.get("history"))
    match = re.fullmatch(rf"({'|'.join(AGGREGATIONS)})(?:-([1-9][0-9]*))?", history)
    if match is None:
        rule = f"be one of {', '.join(AGGREGATIONS)}, perhaps with a number as in positional-10"
        raise input_error(f"history of {label}", rule, history)
    aggregation, last = match.groups()
    if last is not None:
        last = int(last)
    novelty = check_flag(parameters.get("novelty", False), f"novelty of {label}")
    diversity = check_flag(parameters.get("diversity", False), f"diversity of {label}")
    return aggregation, last, novelty, diversity


def _prepare_test(
    table: pd.DataFrame, experiment: Experiment, model: str
) -> tuple[FloatArray, list[IntArray], list[FloatArray], dict[str, AnyArray]]:
    """Return the users and candidates that a table of similarities covers.

    A user is tested if the model knows an item of the history and a relevant candidate.

    Returns
    -------
    similarity : similarities of the model, shape (items, candidates).
    histories : for each tested user the rows of ``similarity`` that were visited.
    visit_days : for each tested user the days since these visits; empty if they are unknown.
    data : arguments of `offline_measures` that all variants of the model share.
    """
    items = table.index
    is_square = items.is_unique and table.columns.is_unique and items.isin(table.columns).all()
    rule = "return similarities with each item once in rows and in columns"
    check_that(is_square, model, rule, table.shape)
    candidates = experiment.candidates[experiment.candidates.isin(items)]
    histories = []
    visit_days = []
    relevant = []
    seen = []
    for user, history in enumerate(experiment.histories):
        rows = items.get_indexer(pd.Index(history))
        is_known = rows >= 0  # leave out visits of items that the model doesn't know
        is_relevant = candidates.isin(list(experiment.relevant[user]))
        if is_known.any() and is_relevant.any():
            histories.append(rows[is_known])
            relevant.append(is_relevant)
            seen.append(candidates.isin(list(history)))
            if experiment.visit_days is not None:
                visit_days.append(np.asarray(experiment.visit_days[user])[is_known])
    if not histories:
        raise InputError(f"{model} must know a history and a relevant candidate of some user")
    data = {
        "relevant": np.stack(relevant),
        "seen": np.stack(seen),
        "days": experiment.age.loc[candidates].to_numpy(dtype=float),
        "similarity": cosine_similarities(experiment.features.loc[candidates]).to_numpy(),
    }
    return table[candidates].to_numpy(dtype=float), histories, visit_days, data


def _measure(
    similarity: FloatArray,
    histories: list[IntArray],
    visit_days: list[FloatArray],
    data: dict[str, AnyArray],
    steps: tuple[str, int | None, bool, bool],
    divide_by: str | None,
    discount: Discount,
) -> dict[str, float]:
    """Return the number of users and the mean of each measure over them, by name.

    The first four arguments are those that `_prepare_test` returns, and ``steps`` those of
    `_read_steps`.
    """
    aggregation, last, novelty, diversity = steps
    if aggregation == "max":
        divide_by = None  # the largest similarity isn't divided
    scores = np.empty(data["relevant"].shape)
    for user, history in enumerate(histories):
        days = None  # with which aggregate_history refuses "temporal"
        if aggregation == "temporal" and visit_days:
            days = visit_days[user]
        scores[user] = aggregate_history(
            similarity[history], aggregation, last, days=days, divide_by=divide_by
        )
    if novelty:
        scores = novelty_scores(scores, temporal_weight(data["days"], formula="novelty"))
    order = None
    if diversity:
        # MMR compares scores with similarities, so scale the scores of each list to [0, 1]. A list
        # of equal scores cannot be scaled and becomes 0.
        scaled = np.nan_to_num(min_max_scaled(scores), nan=0.0)
        order = rerank_mmr(scaled, data["similarity"], k=N_MMR_PLACES)
    per_user = offline_measures(scores, order=order, discount=discount, **data)
    return {"users": len(per_user), **per_user.mean()}
