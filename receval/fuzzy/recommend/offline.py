"""The off-line run of document 002: its data, its metrics, and a grid of variants.

A variant is a table of similarities, and the steps from there to a list: history, novelty and
diversity.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from receval._arrays import (
    as_array,
    as_finite,
    as_flags,
    as_integers,
    check_same_labels,
    columns_of,
    lists_of,
)
from receval._checks import (
    FloatArray,
    Id,
    InputError,
    IntArray,
    check_choice,
    check_flag,
    check_none,
    check_not_empty,
    check_shape,
    check_that,
    check_unique,
    input_error,
    shorten,
)
from receval._threads import progress_bar
from receval.fuzzy.recommend.steps import (
    AGGREGATIONS,
    aggregate_history,
    cosine_similarities,
    doc2vec_similarities,
    item_features,
    novelty_scores,
    rerank_mmr,
    temporal_weight,
    word2vec_similarities,
)
from receval.metrics import (
    auc,
    average_precision,
    intra_list_diversity,
    ndcg,
    reciprocal_rank,
    shifted_log2,
    user_novelty,
)
from receval.metrics.discounts import Discount
from receval.metrics.group import rank_items
from receval.metrics.prediction import min_max_scaled, one_minus_mae, r_squared
from receval.metrics.ranking import precision, recall
from receval.splitting.tables import as_times
from receval.tables.columns import check_no_rows, read_column, read_ids


@dataclass(frozen=True)
class Experiment:
    """The data of an off-line run of document 002; all sequences have the same order of users.

    Attributes
    ----------
    histories : sequence of sequences
        For each user the visited items of the training part, oldest first.
    relevant : sequence of collections
        For each user the items of the test part.
    candidates : Index
        Items that may be recommended.
    features : DataFrame
        Items in rows, numbers in columns: for the cosine branch, re-ranking and diversity.
    age : Series
        Age in days of each item on the day of the run: for novelty.
    visit_days : sequence of sequences, optional
        For each user the days since each visit of the history: for temporal histories.
    texts : Series, optional
        Text of each item: for the doc2vec branch.
    """

    histories: Sequence[Sequence[Id]]
    relevant: Sequence[Sequence[Id]]
    candidates: pd.Index
    features: pd.DataFrame
    age: pd.Series
    visit_days: Sequence[Sequence[float]] | None = None
    texts: pd.Series | None = None

    def __post_init__(self) -> None:
        """Check the numbers of users and of visits, and that the tables have all candidates."""
        n_users = len(self.histories)
        for name, entries in {"relevant": self.relevant, "visit_days": self.visit_days}.items():
            rule = f"hold one entry per user, {n_users} as histories"
            check_that(entries is None or len(entries) == n_users, name, rule, entries)
        if self.visit_days is not None:
            for history, days in zip(self.histories, self.visit_days, strict=True):
                rule = f"hold one number for each of the {len(history)} visits of a history"
                check_that(len(days) == len(history), "visit_days", rule, days)
        for name, index in {"features": self.features.index, "age": self.age.index}.items():
            missing = self.candidates.difference(index).tolist()
            check_that(not missing, name, "have every candidate", missing)

    @classmethod
    def split(
        cls,
        visits: pd.DataFrame,
        attributes: pd.DataFrame,
        *,
        dates: pd.Series,
        texts: pd.Series | None = None,
        at: str | pd.Timestamp,
    ) -> Experiment:
        """Split visits at a moment: earlier visits are histories, the others are relevant items.

        Parameters
        ----------
        visits : DataFrame
            One row per visit, with the columns ``user``, ``item`` and ``time``.
        attributes : DataFrame
            Attributes of the items; the index holds the items.
        dates : Series
            The date of each item.
        texts : Series, optional
            The text of each item.
        at : date
            The moment, which is also the day of the run. Users with visits on one side only
            are left out, as the document does.

        Returns
        -------
        Experiment
            All items are candidates. Ages are whole days, and 0 for items that are newer than the
            moment. A day ends when the clock in the moment's time zone shows the same time again,
            even if clocks change on that day.

        Raises
        ------
        InputError
            If no user has visits on both sides, a column is missing, an id or a time of ``visits``
            is missing, times are texts or numbers, or only some of the times have a time zone.

        References
        ----------
        Document 002, section V-A.
        """
        moment = _read_moment(at)
        columns = {label: read_column(visits, label, "visits") for label in ("user", "item")}
        for label, ids in columns.items():
            read_ids(ids, f"{label} of visits")  # raises if an id is missing
        times = _read_dates(read_column(visits, "time", "visits"), "time of visits", moment)
        check_no_rows(times, times.isna().to_numpy(), "time of visits", "not be missing")
        in_order = pd.DataFrame({**columns, "time": times}).sort_values("time", kind="stable")
        in_order = in_order.assign(days=_days_until(moment, in_order["time"]))
        # For each user a list of the items, and one of the days, in the order of the visits.
        is_past = in_order["time"] < moment
        past = in_order[is_past].groupby("user")[["item", "days"]].agg(list)
        future = in_order[~is_past].groupby("user")["item"].agg(list)
        # The inner join leaves out users with visits on one side only.
        users = past.join(future.rename("relevant"), how="inner")
        check_that(len(users) > 0, "at", "leave visits of some user on both sides", at)
        features = item_features(attributes)
        return cls(
            histories=users["item"].tolist(),
            relevant=users["relevant"].tolist(),
            candidates=features.index,
            features=features,
            age=_days_until(moment, _read_dates(dates, "dates", moment)),
            visit_days=users["days"].tolist(),
            texts=texts,
        )


def _read_moment(at: str | pd.Timestamp) -> pd.Timestamp:
    """Return a date with or without a time zone; raise for anything else."""
    moment = None
    with suppress(ValueError, TypeError, OverflowError):
        if isinstance(at, str):  # pandas.Timestamp would read 03/04/2026 as a day in March
            moment = pd.to_datetime(at, format="ISO8601")
        else:
            moment = pd.Timestamp(at)
    if not isinstance(moment, pd.Timestamp):  # NaT isn't one
        raise input_error("at", "be a date such as '2018-08-30'", shorten(at))
    return moment


def _read_dates(values: object, name: str, moment: pd.Timestamp) -> pd.Series:
    """Return dates as a Series; raise unless they have time zones if the moment has one."""
    dates = as_times(values, name)
    is_date = pd.api.types.is_datetime64_any_dtype(dates.dtype)
    is_like_moment = is_date and (dates.dt.tz is None) == (moment.tz is None)
    zone = "without" if moment.tz is None else "with"
    advice = "Convert them, such as with .dt.tz_localize('Europe/Prague') or .dt.tz_localize(None)"
    check_that(
        is_like_moment, name, f"be dates {zone} a time zone, as at", str(dates.dtype), advice
    )
    return dates


def _days_until(moment: pd.Timestamp, times: pd.Series) -> pd.Series:
    """Return the number of whole days from each time to the moment; 0 for later times."""
    if moment.tz is not None:
        # Subtract what clocks show: a day on which they change has 23 or 25 hours.
        times = times.dt.tz_convert(moment.tz).dt.tz_localize(None)
        moment = moment.tz_localize(None)
    days: pd.Series = (moment - times).dt.days.clip(lower=0)
    return days


def offline_measures(
    scores: npt.ArrayLike,
    relevant: npt.ArrayLike,
    *,
    order: npt.ArrayLike | None = None,
    days: npt.ArrayLike | None = None,
    seen: npt.ArrayLike | None = None,
    similarity: npt.ArrayLike | None = None,
    discount: Discount = shifted_log2,
) -> pd.DataFrame:
    """Compute document 002's off-line metrics of many users' lists over common candidates.

    ================================ ====================================================
    column                           metric
    ================================ ====================================================
    1-MAE, R2                        `one_minus_mae` and `r_squared` of scaled scores
    AUC                              `auc` of the scores, ties one half
    MAP, MRR                         `average_precision`, `reciprocal_rank`, whole list
    p5, p10, r5, r10                 `precision` and `recall`
    nDCG10, nDCG100, nDCG            `ndcg` at 10, at 100 and of the whole list
    nov5_t, nov10_t                  mean `temporal_weight` by the formula "novelty"
    nov5_u, nov10_u                  `user_novelty`: the share *not* seen before
    ild5, ild10                      `intra_list_diversity`
    ================================ ====================================================

    Parameters
    ----------
    scores : array_like, shape (users, candidates)
        Score of every candidate. 1-MAE, R2 and AUC read scores, so they don't change with
        re-ranking.
    relevant : array_like of bool, shape (users, candidates)
        Whether the user chose the candidate.
    order : array_like of int, shape (users, candidates), optional
        The list as it is shown, as indices of candidates. Default: by descending score, equal
        scores in the order of candidates.
    days : array_like, shape (candidates,), optional
        Age of each candidate in days. Without it there are no columns nov5_t and nov10_t.
    seen : array_like of bool, shape (users, candidates), optional
        Whether the user saw the candidate before. Without it there are no columns nov5_u and
        nov10_u.
    similarity : array_like, shape (candidates, candidates), optional
        Similarity of candidates. Without it there are no columns ild5 and ild10.
    discount : callable, default `shifted_log2`
        Discount of nDCG; document 002's program uses `clipped_log2`.

    Returns
    -------
    DataFrame
        One row per user; NaN where a metric is undefined, such as AUC without a relevant
        candidate. Averaging over users is left to you.

    Raises
    ------
    InputError
        If shapes do not fit together, a score is not finite, or a row of ``order`` is not a
        permutation of the candidates.

    References
    ----------
    Document 002, section IV-A.

    Examples
    --------
    >>> offline_measures([[0.9, 0.5, 0.1]], [[False, True, False]])[["AUC", "MRR", "p5"]]
       AUC  MRR   p5
    0  0.5  0.5  0.2
    """
    values = {"scores": scores, "relevant": relevant, "days": days, "seen": seen}
    check_same_labels(**values, similarity=lists_of(similarity))
    check_same_labels(**values, similarity=columns_of(similarity))
    users = {name: lists_of(value) for name, value in values.items()}
    check_same_labels(**users, order=lists_of(order))
    scores = as_finite(scores, "scores")
    is_relevant = as_flags(relevant, "relevant")
    rule = "both have the shape (users, candidates)"
    shapes = [scores.shape, is_relevant.shape]
    fits = scores.ndim == 2 and shapes[0] == shapes[1]
    check_that(fits, "scores and relevant", rule, shapes)
    n_users, n_candidates = scores.shape
    arrays = {}  # the optional arrays that the user passed
    for name, value, shape in (
        ("days", days, (n_candidates,)),
        ("seen", seen, (n_users, n_candidates)),
        ("similarity", similarity, (n_candidates, n_candidates)),
    ):
        if value is not None:
            arrays[name] = as_array(value, name)
            check_shape(arrays[name], shape, name)
    if order is None:
        lists = rank_items(scores)
    else:
        lists = as_integers(order, "order")
        check_shape(lists, scores.shape, "order")
        # Sorted, a permutation of n candidates is 0, 1, ..., n - 1.
        sorted_lists = np.sort(lists, axis=1)
        is_wrong = sorted_lists != np.arange(n_candidates)
        check_none(sorted_lists, is_wrong, "order", "hold each candidate once in every row")

    gains = np.take_along_axis(is_relevant, lists, axis=1)  # by rank
    n_relevant = is_relevant.sum(axis=1).astype(np.int64)
    columns = {
        "1-MAE": one_minus_mae(scores, is_relevant),
        "R2": r_squared(min_max_scaled(scores), is_relevant),
        "AUC": auc(is_relevant, scores=scores),
        "MAP": average_precision(gains, n_relevant),
        "MRR": reciprocal_rank(gains),
        "p5": precision(gains, k=5),
        "p10": precision(gains, k=10),
        "r5": recall(gains, n_relevant, k=5),
        "r10": recall(gains, n_relevant, k=10),
        "nDCG10": ndcg(gains, is_relevant, k=10, discount=discount),
        "nDCG100": ndcg(gains, is_relevant, k=100, discount=discount),
        "nDCG": ndcg(gains, is_relevant, discount=discount),
    }
    # Novelty and diversity of the first k candidates of each list.
    for k in (5, 10):
        top = lists[:, :k]
        if "days" in arrays:
            novelty = temporal_weight(arrays["days"], formula="novelty")
            columns[f"nov{k}_t"] = novelty[top].mean(axis=1)
        if "seen" in arrays:
            columns[f"nov{k}_u"] = user_novelty(np.take_along_axis(arrays["seen"], top, axis=1))
        if "similarity" in arrays:
            # Similarities of any two of the first k candidates, shape (users, k, k).
            pairs = arrays["similarity"][top[:, :, np.newaxis], top[:, np.newaxis]]
            columns[f"ild{k}"] = intra_list_diversity(pairs)
    return pd.DataFrame(columns)


# A grid of variants -------------------------------------------------------------------------------

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
    requested = [_read_variant(name, parameters, models) for name, parameters in variants]
    check_unique([variant.label for variant in requested], "variants", "variant")
    check_not_empty(requested, "variants", "be one or more")
    tests: dict[str, _ModelTest] = {}  # by name and options of the model
    rows = {}
    with progress_bar(progress, total=len(requested)) as bar:
        for variant in requested:
            bar.set_description(variant.label)
            model = f"{variant.model}{sorted(variant.options.items())}"
            if model not in tests:
                similarity = models[variant.model](experiment, **variant.options)
                tests[model] = _ModelTest(similarity, experiment, model)
            rows[variant.label] = tests[model].measure(variant, divide_by, discount)
            bar.update()
    return pd.DataFrame.from_dict(rows, orient="index").rename_axis("variant")


class _Variant(NamedTuple):
    """A model, and what a variant does with the similarities that the model returns.

    Attributes
    ----------
    label : name and parameters, such as "cosine(history=mean)".
    model, options : name of the model, and its parameters.
    aggregation, last : arguments ``how`` and ``last`` of `aggregate_history`.
    novelty : whether new items are preferred.
    diversity : whether lists are re-ranked by `rerank_mmr`.
    """

    label: str
    model: str
    options: dict[str, object]
    aggregation: str
    last: int | None
    novelty: bool
    diversity: bool


def _read_variant(
    model: str, parameters: Mapping[str, object], models: Mapping[str, Model]
) -> _Variant:
    """Return a variant of a grid; raise if it has an unknown model, or an invalid step."""
    check_choice(model, "algorithm", models)
    listed = ", ".join(f"{name}={value}" for name, value in parameters.items())
    label = f"{model}({listed})"
    history = str(parameters.get("history"))
    match = re.fullmatch(rf"({'|'.join(AGGREGATIONS)})(?:-([1-9][0-9]*))?", history)
    if match is None:
        rule = f"be one of {', '.join(AGGREGATIONS)}, perhaps with a number as in positional-10"
        raise input_error(f"history of {label}", rule, history)
    aggregation, last = match.groups()
    if last is not None:
        last = int(last)
    return _Variant(
        label=label,
        model=model,
        options={name: value for name, value in parameters.items() if name not in STEPS},
        aggregation=aggregation,
        last=last,
        novelty=check_flag(parameters.get("novelty", False), f"novelty of {label}"),
        diversity=check_flag(parameters.get("diversity", False), f"diversity of {label}"),
    )


class _ModelTest:
    """The users and candidates that a table of similarities covers, for all variants of a model.

    A user is tested if the model knows an item of the history and a relevant candidate.
    """

    def __init__(self, table: pd.DataFrame, experiment: Experiment, model: str) -> None:
        items = table.index
        is_square = items.is_unique and table.columns.is_unique and items.isin(table.columns).all()
        rule = "return similarities with each item once in rows and in columns"
        check_that(is_square, model, rule, table.shape)
        candidates = experiment.candidates[experiment.candidates.isin(items)]
        self.similarity = table[candidates].to_numpy(dtype=float)  # shape (items, candidates)
        self.histories: list[IntArray] = []  # for each user, rows of `similarity`
        self.visit_days: list[FloatArray] = []  # days since these visits; empty if unknown
        relevant = []
        seen = []
        for user, history in enumerate(experiment.histories):
            rows = items.get_indexer(pd.Index(history))
            is_known = rows >= 0  # leave out visits of items that the model doesn't know
            is_relevant = candidates.isin(list(experiment.relevant[user]))
            if is_known.any() and is_relevant.any():
                self.histories.append(rows[is_known])
                relevant.append(is_relevant)
                seen.append(candidates.isin(list(history)))
                if experiment.visit_days is not None:
                    self.visit_days.append(np.asarray(experiment.visit_days[user])[is_known])
        if not self.histories:
            raise InputError(f"{model} must know a history and a relevant candidate of some user")
        self.relevant = np.stack(relevant)
        self.seen = np.stack(seen)
        self.days = experiment.age.loc[candidates].to_numpy(dtype=float)
        features = experiment.features.loc[candidates]
        self.candidate_similarity = cosine_similarities(features).to_numpy()

    def measure(
        self, variant: _Variant, divide_by: str | None, discount: Discount
    ) -> dict[str, float]:
        """Return the number of users, and the mean of each measure over them, by name."""
        if variant.aggregation == "max":
            divide_by = None  # the largest similarity isn't divided
        scores = np.empty(self.relevant.shape)
        for user, history in enumerate(self.histories):
            days = None  # with which aggregate_history refuses "temporal"
            if variant.aggregation == "temporal" and self.visit_days:
                days = self.visit_days[user]
            scores[user] = aggregate_history(
                self.similarity[history],
                variant.aggregation,
                variant.last,
                days=days,
                divide_by=divide_by,
            )
        if variant.novelty:
            scores = novelty_scores(scores, temporal_weight(self.days, formula="novelty"))
        order = None
        if variant.diversity:
            # MMR compares scores with similarities, so scale the scores of each list to [0, 1]. A
            # list of equal scores cannot be scaled and becomes 0.
            scaled = np.nan_to_num(min_max_scaled(scores), nan=0.0)
            order = rerank_mmr(scaled, self.candidate_similarity, k=N_MMR_PLACES)
        per_user = offline_measures(
            scores,
            self.relevant,
            order=order,
            days=self.days,
            seen=self.seen,
            similarity=self.candidate_similarity,
            discount=discount,
        )
        return {"users": len(per_user), **per_user.mean()}
