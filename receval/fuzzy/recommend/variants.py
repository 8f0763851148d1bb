"""A grid of recommenders over one data set: similarities x history x novelty x diversity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd

from receval._checks import (
    FloatArray,
    InputError,
    check_choice,
    check_flag,
    check_not_empty,
    check_unique,
    input_error,
)
from receval._threads import progress_bar
from receval.fuzzy.recommend.experiment import Experiment
from receval.fuzzy.recommend.history import AGGREGATIONS, score_histories, temporal_weight
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
PIPELINE_PARAMETERS = ("history", "novelty", "diversity")  # the model does not get these

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


def parse_history(history: object) -> tuple[str, int | None]:
    """Return the arguments ``how`` and ``last`` of `aggregate_history` for a history's name.

    ``last`` is None, for the whole history, if the name has no number.

    Examples
    --------
    >>> parse_history("positional-10"), parse_history("mean")
    (('positional', 10), ('mean', None))
    """
    match = None
    if isinstance(history, str):
        match = re.fullmatch(r"([a-z]+)(?:-([1-9][0-9]*))?", history)
    if match is None:
        rule = "history must be a word such as 'mean' or 'positional-10'"
        raise InputError(f"{rule}; got {history!r}")
    aggregation, n_last = match.groups()
    check_choice(aggregation, "history", AGGREGATIONS)
    if n_last is None:
        return aggregation, None
    return aggregation, int(n_last)


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
    false, default false). The function computes the similarities once for all variants of a model,
    and the scores once for those variants that also have the same history.

    Parameters
    ----------
    variants : iterable of (str, dict)
        Name and parameters of each variant, such as the ``algorithms`` of a YAML grid that
        `receval.people.grid.grid.read_grid` reads.
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
    >>> experiment = Experiment.split(travel_data(n_users=30, n_items=20), at="2018-08-30")
    >>> histories = [("cosine", {"history": name}) for name in ("mean", "positional-3")]
    >>> run_variants(histories, experiment, progress=False)["users"]
    variant
    cosine(history=mean)            26
    cosine(history=positional-3)    26
    Name: users, dtype: int64
    """
    if models is None:
        models = MODELS
    requested = [_Variant.from_grid(name, parameters, models) for name, parameters in variants]
    labels = [variant.label for variant in requested]
    check_unique(labels, "variants", "variant")
    check_not_empty(labels, "variants", "be one or more")

    # Sort the variants by model and history. Then the similarities of a model and the scores for a
    # history are computed only once.
    requested.sort(key=lambda variant: (variant.model, variant.history))
    rows: dict[str, dict[str, float]] = {}
    model: _FittedModel | None = None
    scored_history: str | None = None  # the history that ``scores`` belongs to
    with progress_bar(progress, total=len(requested)) as bar:
        for variant in requested:
            bar.set_description(variant.label)
            if model is None or model.name != variant.model:
                model = _FittedModel(experiment, variant)
                scored_history = None
            if variant.history != scored_history:
                scores = model.score_history(variant.history, divide_by)
                scored_history = variant.history
            rows[variant.label] = model.measure(scores, variant, discount)
            bar.update()
    in_order_of_grid = {label: rows[label] for label in labels}
    return pd.DataFrame.from_dict(in_order_of_grid, orient="index").rename_axis("variant")


class _Variant(NamedTuple):
    """A model with its parameters, and what to do with its similarities.

    Attributes
    ----------
    model : name and parameters of the model.
    history : how to aggregate a history, such as ``"positional-10"``.
    label : name of the variant in the result.
    similarities : function of the experiment that computes the table of similarities.
    novelty : whether new items are preferred.
    diversity : whether lists are re-ranked by `rerank_mmr`.
    """

    model: str
    history: str
    label: str
    similarities: Callable[[Experiment], pd.DataFrame]
    novelty: bool
    diversity: bool

    @classmethod
    def from_grid(
        cls, name: str, parameters: Mapping[str, object], models: Mapping[str, Model]
    ) -> _Variant:
        """Return the variant that an entry of a grid describes.

        ``parameters`` holds the parameters of the model, and ``history``, ``novelty`` and
        ``diversity``, of which the last two are false by default.

        Raises
        ------
        InputError
            If there is no model of that name, or ``history``, ``novelty`` or ``diversity`` is
            missing or invalid.
        """
        check_choice(name, "algorithm", models)
        listed = ", ".join(f"{key}={value}" for key, value in parameters.items())
        label = f"{name}({listed})"
        if "history" not in parameters:
            raise InputError(f"{label} must have the parameter history; got {sorted(parameters)}")
        history = parameters["history"]
        parse_history(history)  # raises if it is invalid
        model_parameters = {
            key: value for key, value in parameters.items() if key not in PIPELINE_PARAMETERS
        }
        novelty = check_flag(parameters.get("novelty", False), f"novelty of {label}")
        diversity = check_flag(parameters.get("diversity", False), f"diversity of {label}")
        return cls(
            model=f"{name}{sorted(model_parameters.items())}",
            history=str(history),
            label=label,
            similarities=partial(models[name], **model_parameters),
            novelty=bool(novelty),
            diversity=bool(diversity),
        )


class _FittedModel:
    """The similarities of a model, and the users and candidates that it can be tested on.

    A user is tested if the model knows an item of the history and a relevant candidate.

    Attributes
    ----------
    name : name and parameters of the model.
    similarity : array of shape (items, candidates).
    histories : for each tested user the rows of ``similarity`` that were visited.
    visit_days : for each tested user the days since these visits, or None.
    is_relevant : array of shape (tested users, candidates).
    age : age of each candidate in days.
    is_seen : whether a tested user saw a candidate before; shape (tested users, candidates).
    candidate_similarity : cosine similarity of the candidates' features.
    """

    def __init__(self, experiment: Experiment, variant: _Variant) -> None:
        """Compute the similarities, and select the users and candidates that they cover."""
        table = variant.similarities(experiment)
        items = table.index
        is_repeated = items.has_duplicates or table.columns.has_duplicates
        if is_repeated or not items.isin(table.columns).all():
            rule = "return similarities with each item once in rows and in columns"
            got = f"{len(items)} rows and {len(table.columns)} columns"
            raise input_error(variant.model, rule, got)
        candidates = experiment.candidates[experiment.candidates.isin(items)]
        # For each user, the rows of the history's items in the table; -1 for items that the model
        # doesn't know.
        row_lists = [items.get_indexer(pd.Index(history)) for history in experiment.histories]
        # For each user of the experiment, which candidates are relevant.
        is_relevant = [candidates.isin(list(relevant)) for relevant in experiment.relevant]
        # The users to test, as positions in the experiment.
        users = [
            user
            for user, rows in enumerate(row_lists)
            if (rows >= 0).any() and is_relevant[user].any()
        ]
        if not users:
            rule = "must know a history and a relevant candidate of some user"
            raise InputError(f"{variant.model} {rule}")
        self.name = variant.model
        self.similarity = table[candidates].to_numpy(dtype=float)
        # Leave out visits of items that the model does not know.
        self.histories = [row_lists[user][row_lists[user] >= 0] for user in users]
        self.visit_days: list[FloatArray] | None = None
        if experiment.visit_days is not None:
            self.visit_days = [
                np.asarray(experiment.visit_days[user])[row_lists[user] >= 0] for user in users
            ]
        self.is_relevant = np.stack([is_relevant[user] for user in users])
        self.age = experiment.age.loc[candidates].to_numpy(dtype=float)
        self.is_seen = np.stack(
            [candidates.isin(list(experiment.histories[user])) for user in users]
        )
        features = experiment.features.loc[candidates]
        self.candidate_similarity = cosine_similarities(features).to_numpy()

    def score_history(self, history: str, divide_by: str) -> FloatArray:
        """Score all candidates by a variant's kind of history, such as "positional-10".

        Returns an array of shape (tested users, candidates).
        """
        aggregation, n_last = parse_history(history)
        days = None
        if aggregation == "temporal":
            days = self.visit_days
            if days is None:
                raise InputError("visit_days must be given for temporal histories; got None")
        used_divide_by = None if aggregation == "max" else divide_by  # "max" refuses the option
        return score_histories(
            self.similarity,
            self.histories,
            aggregation,
            n_last,
            days=days,
            divide_by=used_divide_by,
        )

    def measure(
        self, scores: FloatArray, variant: _Variant, discount: Discount
    ) -> dict[str, float]:
        """Return the number of users and the mean of each measure over them, by name.

        ``scores`` are the scores for the variant's history, before novelty and diversity change the
        lists. ``discount`` is the discount of nDCG.
        """
        if variant.novelty:
            novelty = temporal_weight(self.age, formula="novelty")
            scores = novelty_scores(scores, novelty)
        order = None
        if variant.diversity:
            # MMR compares scores with similarities, so scale the scores of each list to [0, 1]. A
            # list of equal scores cannot be scaled and becomes 0.
            scaled = np.nan_to_num(min_max_scaled(scores), nan=0.0)
            order = rerank_mmr(scaled, self.candidate_similarity, k=N_MMR_PLACES)
        per_user = offline_measures(
            scores,
            self.is_relevant,
            order=order,
            days=self.age,
            seen=self.is_seen,
            similarity=self.candidate_similarity,
            discount=discount,
        )
        row: dict[str, float] = {"users": len(per_user)}
        for measure, mean in per_user.mean().items():
            row[str(measure)] = float(mean)
        return row
