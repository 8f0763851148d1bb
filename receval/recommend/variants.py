"""A grid of recommenders over one data set: similarities x history x novelty x diversity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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
from receval._progress import progress_bar
from receval.metrics.discounts import Discount, shifted_log2
from receval.metrics.prediction import min_max_scaled
from receval.models import cosine_similarities, doc2vec_similarities, word2vec_similarities
from receval.recommend._store import ResultCache
from receval.recommend.experiment import Experiment
from receval.recommend.history import WAYS, score_histories, temporal_weight
from receval.recommend.offline import offline_measures
from receval.recommend.reranking import novelty_scores, rerank_mmr

__all__ = ["MODELS", "run_variants"]

MMR_PLACES = 10  # as the authors' program
PIPELINE = ("history", "novelty", "diversity")  # parameters of a variant that no model sees


Model = Callable[..., pd.DataFrame]


def _doc2vec(experiment: Experiment, **options: Any) -> pd.DataFrame:
    if experiment.texts is None:
        raise InputError("texts must be given for the branch doc2vec; got None")
    return doc2vec_similarities(experiment.texts, **options)


MODELS: dict[str, Model] = {
    "cosine": lambda data, **options: cosine_similarities(data.features, **options),
    "word2vec": lambda data, **options: word2vec_similarities(data.histories, **options),
    "doc2vec": _doc2vec,
}


def parse_history(text: str) -> tuple[str, int | None]:
    """The document's name of a history as arguments of `aggregate_history`.

    Examples
    --------
    >>> parse_history("positional-10"), parse_history("mean")
    (('positional', 10), ('mean', None))
    """
    match = re.fullmatch(r"([a-z]+)(?:-([1-9][0-9]*))?", text) if isinstance(text, str) else None
    if not match:
        raise InputError(f"history must be a word such as 'mean' or 'positional-10'; got {text!r}")
    how, last = match.groups()
    return check_choice(how, "history", WAYS), int(last) if last else None


def run_variants(
    variants: Iterable[tuple[str, Mapping[str, Any]]],
    experiment: Experiment,
    *,
    models: Mapping[str, Model] | None = None,
    folder: str | Path | None = None,
    progress: bool | None = None,
    divide_by: str = "weights",
    discount: Discount = shifted_log2,
) -> pd.DataFrame:
    """Document 002's off-line metrics of every variant in a grid, averaged over users.

    A variant is a model with its own parameters and, taken off before the model sees them,
    ``history`` (such as ``"mean"`` or ``"positional-10"``), ``novelty`` and ``diversity``
    (true or false, default false). One similarity matrix serves all variants of a model, and
    one set of scores all of a history.

    Parameters
    ----------
    variants : iterable of (str, dict)
        Name and parameters of each variant, such as the ``algorithms`` of a YAML grid that
        `receval.grid.grid.read_grid` reads.
    experiment : Experiment
        The data.
    models : mapping of str to callable, optional
        What each name in the grid means: called as ``models[name](experiment, **parameters)``
        it answers a table of similarities, items in rows and columns. Default: ``cosine``,
        ``word2vec`` and ``doc2vec``.
    folder : path, optional
        Where each finished variant is kept. A run that was interrupted goes on from there;
        results of other data or other settings are refused. Models are known by their name and
        parameters: take a new folder for a model of your own that you have changed.
    progress : bool, optional
        Whether to show a progress bar; by default only on a terminal.
    divide_by : {"weights", "count"}, default "weights"
        As in `aggregate_history`.
    discount : callable, default `shifted_log2`
        Of nDCG.

    Returns
    -------
    DataFrame
        One row per variant, indexed by its label such as ``"cosine(history=mean)"``:
        ``users``, the number of users averaged, and the columns of `offline_measures`. A user
        counts if the model knows an item of the history and a candidate among the relevant
        items. Means leave out NaN.

    Raises
    ------
    InputError
        If there is no variant, or one twice; if a variant names an unknown model, or has no
        history or an unknown one; or if the folder holds results of other data or settings.

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
    known = MODELS if models is None else models
    asked = [_Variant.of(name, parameters, known) for name, parameters in variants]
    labels = [variant.label for variant in asked]
    check_unique(labels, "variants", "variant")
    check_not_empty(labels, "variants", "be one or more")
    settings = {"divide_by": divide_by, "discount": discount(np.arange(1.0, 51.0))}
    store = None if folder is None else ResultCache(folder, experiment, settings)
    rows = {label: store.read(label) if store else None for label in labels}
    # Variants of one model, and in it of one history, side by side.
    waiting = [variant for variant in asked if rows[variant.label] is None]
    waiting.sort(key=lambda variant: variant[:2])
    done: tuple[str, str] | None = None
    with progress_bar(progress, total=len(asked), initial=len(asked) - len(waiting)) as bar:
        for variant in waiting:
            bar.set_description(variant.label)
            if done is None or done[0] != variant.model:
                prepared = _Prepared(experiment, variant)
            if done != (done := variant[:2]):
                scores = prepared.scores(variant.history, divide_by)
            row = rows[variant.label] = prepared.measures(scores, variant, discount)
            if store:
                store.write(variant.label, row)
            bar.update()
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")


class _Variant(NamedTuple):
    model: str
    history: str
    label: str
    similarities: Callable[[Experiment], pd.DataFrame]
    novelty: bool
    diversity: bool

    @classmethod
    def of(cls, name: str, parameters: Mapping[str, Any], known: Mapping[str, Model]) -> _Variant:
        check_choice(name, "algorithm", known)
        label = f"{name}({', '.join(f'{key}={value}' for key, value in parameters.items())})"
        if "history" not in parameters:
            raise InputError(f"{label} must have the parameter history; got {sorted(parameters)}")
        parse_history(parameters["history"])
        switches = (check_flag(parameters.get(k, False), f"{k} of {label}") for k in PIPELINE[1:])
        own = {key: value for key, value in parameters.items() if key not in PIPELINE}
        model, similarities = f"{name}{sorted(own.items())}", partial(known[name], **own)
        return cls(model, parameters["history"], label, similarities, *map(bool, switches))


class _Prepared:
    """A model's similarities, and the users and candidates that it knows."""

    def __init__(self, experiment: Experiment, variant: _Variant) -> None:
        similarity, model = variant.similarities(experiment), variant.model
        items = similarity.index
        if items.has_duplicates or not items.isin(similarity.columns).all():
            rule = "answer similarities with each item once in rows and in columns"
            got = f"{len(items)} rows and {len(similarity.columns)} columns"
            raise input_error(model, rule, got)
        candidates = experiment.candidates[experiment.candidates.isin(items)]
        rows = [items.get_indexer(pd.Index(history)) for history in experiment.histories]
        wanted = [candidates.isin(list(relevant)) for relevant in experiment.relevant]
        kept = [user for user, row in enumerate(rows) if (row >= 0).any() and wanted[user].any()]
        if not kept:
            raise InputError(f"{model} must know a history and a relevant candidate of some user")
        self.similarity = similarity[candidates].to_numpy(dtype=float)  # known items x candidates
        self.histories = [rows[user][rows[user] >= 0] for user in kept]
        days = experiment.visit_days
        self.days = None if days is None else [np.asarray(days[u])[rows[u] >= 0] for u in kept]
        self.relevant = np.stack([wanted[user] for user in kept])  # users x candidates
        self.of_candidates = {
            "days": experiment.age.loc[candidates].to_numpy(dtype=float),
            "seen": np.stack([candidates.isin(list(experiment.histories[user])) for user in kept]),
            "similarity": cosine_similarities(experiment.features.loc[candidates]).to_numpy(),
        }

    def scores(self, history: str, divide_by: str) -> FloatArray:
        how, last = parse_history(history)
        if how == "temporal" and self.days is None:
            raise InputError("visit_days must be given for temporal histories; got None")
        options: Any = {"days": self.days if how == "temporal" else None}
        if how != "max":
            options["divide_by"] = divide_by
        return score_histories(self.similarity, self.histories, how, last, **options)

    def measures(
        self, scores: FloatArray, variant: _Variant, discount: Discount
    ) -> dict[str, float]:
        order, own = None, self.of_candidates
        if variant.novelty:
            scores = novelty_scores(scores, temporal_weight(own["days"], formula="novelty"))
        if variant.diversity:
            # Equal scores, which have no scale, are equal to 0.
            scaled = np.nan_to_num(min_max_scaled(scores), nan=0.0)
            order = rerank_mmr(scaled, own["similarity"], k=MMR_PLACES)
        per_user = offline_measures(scores, self.relevant, order=order, discount=discount, **own)
        return {"users": len(per_user)} | {str(k): float(v) for k, v in per_user.mean().items()}
