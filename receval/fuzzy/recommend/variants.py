"""A grid of recommenders over one data set: similarities x history x novelty x diversity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    IntArray,
    check_choice,
    check_flag,
    check_not_empty,
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

Model: TypeAlias = Callable[..., pd.DataFrame]
"""A function that takes an `Experiment` and parameters, and returns a table of similarities."""


def _cosine(experiment: Experiment, **options: bool) -> pd.DataFrame:
    """Return the similarities of the items' features."""
    return cosine_similarities(experiment.features, **options)


def _word2vec(experiment: Experiment, **options: int) -> pd.DataFrame:
    """Return the similarities of items that are visited together."""
    return word2vec_similarities(experiment.histories, **options)


def _doc2vec(experiment: Experiment, **options: int) -> pd.DataFrame:
    """Return the similarities of the items' texts; raise if the experiment has none."""
    if experiment.texts is None:
        raise InputError("texts must be given for the branch doc2vec; got None")
    return doc2vec_similarities(experiment.texts, **options)


MODELS: dict[str, Model] = {"cosine": _cosine, "word2vec": _word2vec, "doc2vec": _doc2vec}
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
    requested = [_read_variant(name, parameters, models) for name, parameters in variants]
    labels = [variant.label for variant in requested]
    check_unique(labels, "variants", "variant")
    check_not_empty(labels, "variants", "be one or more")
    tests: dict[str, _Test] = {}  # by name and parameters of the model
    rows = {}
    with progress_bar(progress, total=len(requested)) as bar:
        for variant in requested:
            bar.set_description(variant.label)
            model = f"{variant.model}{sorted(variant.parameters.items())}"
            if model not in tests:
                similarity = models[variant.model](experiment, **variant.parameters)
                tests[model] = _prepare_test(similarity, experiment, model)
            rows[variant.label] = _measure(tests[model], variant, divide_by, discount)
            bar.update()
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")


class _Variant(NamedTuple):
    """A model with its parameters, and what to do with its similarities.

    Attributes
    ----------
    label : name of the variant in the result.
    model, parameters : name and parameters of the model.
    aggregation, n_last : arguments ``how`` and ``last`` of `aggregate_history`.
    novelty : whether new items are preferred.
    diversity : whether lists are re-ranked by `rerank_mmr`.
    """

    label: str
    model: str
    parameters: dict[str, object]
    aggregation: str
    n_last: int | None
    novelty: bool
    diversity: bool


def _read_variant(
    name: str, parameters: Mapping[str, object], models: Mapping[str, Model]
) -> _Variant:
    """Return the variant that an entry of a grid describes.

    Raises
    ------
    InputError
        If there is no model of that name, or ``history``, ``novelty`` or ``diversity`` is missing
        or invalid.
    """
    check_choice(name, "algorithm", models)
    listed = ", ".join(f"{key}={value}" for key, value in parameters.items())
    label = f"{name}({listed})"
    if "history" not in parameters:
        raise InputError(f"{label} must have the parameter history; got {sorted(parameters)}")
    of_model = dict(parameters)
    history = of_model.pop("history")
    match = re.fullmatch(r"([a-z]+)(?:-([1-9][0-9]*))?", str(history))
    if match is None:
        rule = "be a word such as 'mean' or 'positional-10'"
        raise input_error("history", rule, repr(history))
    aggregation, n_last = match.groups()
    if n_last is not None:
        n_last = int(n_last)
    return _Variant(
        label=label,
        model=name,
        aggregation=check_choice(aggregation, "history", AGGREGATIONS),
        n_last=n_last,
        novelty=check_flag(of_model.pop("novelty", False), f"novelty of {label}"),
        diversity=check_flag(of_model.pop("diversity", False), f"diversity of {label}"),
        parameters=of_model,
    )


class _Test(NamedTuple):
    """The users and candidates that a model can be tested on.

    A user is tested if the model knows an item of the history and a relevant candidate.

    Attributes
    ----------
    similarity : similarities of the model, shape (items, candidates).
    histories : for each tested user the rows of ``similarity`` that were visited.
    visit_days : for each tested user the days since these visits; empty if they are unknown.
    is_relevant : shape (tested users, candidates).
    is_seen : whether a tested user saw a candidate before; shape (tested users, candidates).
    age : age of each candidate in days.
    candidate_similarity : cosine similarity of the candidates' features.
    """

    similarity: FloatArray
    histories: list[IntArray]
    visit_days: list[FloatArray]
    is_relevant: FloatArray
    is_seen: FloatArray
    age: FloatArray
    candidate_similarity: FloatArray


def _prepare_test(table: pd.DataFrame, experiment: Experiment, model: str) -> _Test:
    """Return the users and candidates that a table of similarities covers."""
    items = table.index
    is_repeated = items.has_duplicates or table.columns.has_duplicates
    if is_repeated or not items.isin(table.columns).all():
        rule = "return similarities with each item once in rows and in columns"
        got = f"{len(items)} rows and {len(table.columns)} columns"
        raise input_error(model, rule, got)
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
    features = experiment.features.loc[candidates]
    return _Test(
        similarity=table[candidates].to_numpy(dtype=float),
        histories=histories,
        visit_days=visit_days,
        is_relevant=np.stack(relevant),
        is_seen=np.stack(seen),
        age=experiment.age.loc[candidates].to_numpy(dtype=float),
        candidate_similarity=cosine_similarities(features).to_numpy(),
    )


def _measure(
    test: _Test, variant: _Variant, divide_by: str | None, discount: Discount
) -> dict[str, float]:
    """Return the number of users and the mean of each measure over them, by name."""
    if variant.aggregation == "max":
        divide_by = None  # the largest similarity isn't divided
    scores = np.empty(test.is_relevant.shape)
    for user, history in enumerate(test.histories):
        days = None  # with which aggregate_history refuses "temporal"
        if variant.aggregation == "temporal" and test.visit_days:
            days = test.visit_days[user]
        scores[user] = aggregate_history(
            test.similarity[history],
            variant.aggregation,
            variant.n_last,
            days=days,
            divide_by=divide_by,
        )
    if variant.novelty:
        scores = novelty_scores(scores, temporal_weight(test.age, formula="novelty"))
    order = None
    if variant.diversity:
        # MMR compares scores with similarities, so scale the scores of each list to [0, 1]. A list
        # of equal scores cannot be scaled and becomes 0.
        scaled = np.nan_to_num(min_max_scaled(scores), nan=0.0)
        order = rerank_mmr(scaled, test.candidate_similarity, k=N_MMR_PLACES)
    per_user = offline_measures(
        scores,
        test.is_relevant,
        order=order,
        days=test.age,
        seen=test.is_seen,
        similarity=test.candidate_similarity,
        discount=discount,
    )
    means: dict[str, float] = {"users": len(per_user)}
    for measure, mean in per_user.mean().items():
        means[str(measure)] = float(mean)
    return means
