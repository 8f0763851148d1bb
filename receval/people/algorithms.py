"""RELISON's names of recommenders and their parameters, and the functions behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from receval._checks import InputError, check_count, did_you_mean, input_error, shorten
from receval._types import Options
from receval.people.grid.settings import Variant
from receval.people.network import SocialNetwork
from receval.people.recommenders import (
    Scorer,
    adamic_adar,
    bm25,
    common_neighbours,
    cosine,
    implicit_matrix_factorisation,
    item_based_neighbours,
    jaccard,
    personalised_page_rank,
    popularity,
    random_candidates,
    user_based_neighbours,
)
from receval.people.recommenders.ranges import (
    check_above_0,
    check_not_negative,
    check_orientation,
    check_share,
    check_teleport,
)

__all__ = ["ALGORITHMS", "relison_name", "train_recommender"]

OBJECT: type[object] = tuple
"""The type of a parameter that names another recommender."""

TYPE_IN_YAML: Mapping[type[object], str] = {
    str: "orientation",
    int: "int",
    float: "double",
    bool: "boolean",
}
"""The names of types of parameters in configurations."""


class Parameter(NamedTuple):
    """A parameter of a recommender.

    Attributes
    ----------
    argument : the name of the argument of the function.
    type : ``str``, ``int``, ``float``, ``bool`` or ``OBJECT``. A float may be a whole number.
    check : takes a value and its name, and raises `InputError` if the value is out of range; None
        if all values of the type are allowed.
    is_required : whether a configuration must have the parameter.
    """

    argument: str
    type: type[object]
    check: Callable[[object, str], object] | None = None
    is_required: bool = True


@dataclass(frozen=True)
class Algorithm:
    """A recommender as RELISON's configurations name it.

    Attributes
    ----------
    function : takes the network and keyword arguments, and returns a `Scorer`.
    parameters : the parameters, by the names that RELISON gives them. RELISON's names of variants
        contain the values in the same order.
    random_argument : the argument that takes a seed, ``seed`` or ``rng``; "" if there is none.
    shows_progress : whether the function has the argument ``progress``, for a bar.
    """

    function: Callable[..., Scorer]
    parameters: Mapping[str, Parameter]
    random_argument: str = ""
    shows_progress: bool = False


WEIGHTED = {"weighted": Parameter("weighted", bool, is_required=False)}
NEIGHBOURHOODS = {
    "uSel": Parameter("target", str, check_orientation),
    "vSel": Parameter("candidate", str, check_orientation),
}
NEAREST = {
    **WEIGHTED,
    "similarity": Parameter("similarity", OBJECT),
    "k": Parameter("k", int, check_count),
    "q": Parameter("q", int, check_not_negative),
}

ALGORITHMS: Mapping[str, Algorithm] = {
    "Random": Algorithm(random_candidates, {}, random_argument="seed"),
    "Popularity": Algorithm(popularity, {}),
    "MCN": Algorithm(common_neighbours, NEIGHBOURHOODS),
    "Jaccard": Algorithm(jaccard, NEIGHBOURHOODS),
    "Adamic-Adar": Algorithm(
        adamic_adar, {**NEIGHBOURHOODS, "wSel": Parameter("middle", str, check_orientation)}
    ),
    "Cosine": Algorithm(cosine, {**WEIGHTED, **NEIGHBOURHOODS}),
    "Personalized PageRank": Algorithm(
        personalised_page_rank, {"r": Parameter("teleport", float, check_teleport)}
    ),
    "BM25": Algorithm(
        bm25,
        {
            **WEIGHTED,
            **NEIGHBOURHOODS,
            "dlSel": Parameter("length", str, check_orientation),
            "b": Parameter("b", float, check_share),
            "k": Parameter("k", float, check_not_negative),
        },
    ),
    "iMF": Algorithm(
        implicit_matrix_factorisation,
        {
            **WEIGHTED,
            "k": Parameter("n_factors", int, check_count),
            "lambda": Parameter("regularization", float, check_above_0),
            "alpha": Parameter("alpha", float, check_not_negative),
        },
        random_argument="rng",
        shows_progress=True,
    ),
    "UB kNN": Algorithm(user_based_neighbours, NEAREST),
    "IB kNN": Algorithm(item_based_neighbours, NEAREST, shows_progress=True),
}
"""The recommenders by RELISON's names."""


def check_variant(variant: Variant, place: str) -> Variant:
    """Return a variant of a grid after checking the names, types and ranges of its parameters.

    RELISON's program reads the parameter ``similarity`` as ``sim``; both become ``similarity``.
    ``place`` is the name of the variant in messages, such as "algorithms.BM25 (line 3)". Raises
    `InputError` if a parameter is unknown, missing, of another type or out of its range, or names
    an unknown recommender.
    """
    name, options = variant
    if name not in ALGORITHMS:
        got = f"{shorten(name)} among {', '.join(ALGORITHMS)}"
        raise input_error(place, "be a recommender of receval", got, did_you_mean(name, ALGORITHMS))
    parameters = ALGORITHMS[name].parameters
    checked: Options = {}
    for key, value in options.items():
        label = key
        if key == "sim" and "similarity" in parameters:
            label = "similarity"
        if label not in parameters:
            labels = ", ".join(parameters) or "no parameters"
            raise input_error(place, f"have {labels}", shorten(key), did_you_mean(key, parameters))
        checked[label] = _checked_value(value, parameters[label], f"{label} of {place}")
    missing = [
        label
        for label, parameter in parameters.items()
        if parameter.is_required and label not in checked
    ]
    if missing:
        got = f"{name!r} without it"
        raise input_error(place, f"have the parameter {missing[0]!r}", got)
    return name, checked


def _checked_value(value: object, parameter: Parameter, place: str) -> object:
    """Return the value of a parameter; raise `InputError` if its type or range is wrong."""
    if parameter.type is OBJECT:
        if not isinstance(value, tuple):
            raise input_error(place, "be of type object: a recommender", shorten(value))
        return check_variant(value, place)
    is_number = parameter.type is float and type(value) is int
    if type(value) is not parameter.type and not is_number:
        rule = f"be of type {TYPE_IN_YAML[parameter.type]}"
        raise input_error(place, rule, shorten(value))
    if parameter.check is not None:
        parameter.check(value, place)
    return value


def train_recommender(
    variant: Variant, network: SocialNetwork, *, seed: int = 0, progress: bool | None = None
) -> Scorer:
    """Train a recommender of a configuration.

    Parameters
    ----------
    variant : (str, dict)
        RELISON's name of a recommender, a key of ``ALGORITHMS``, and its parameters by RELISON's
        names.
    network : SocialNetwork
        The training links.
    seed : int, default 0
        Seed for recommenders that use random numbers.
    progress : bool, optional
        Whether recommenders that take long to train show a progress bar; None shows one on a
        terminal.

    Returns
    -------
    callable
        See `receval.people.recommenders`.

    Raises
    ------
    InputError
        If there is no such recommender, or a parameter is unknown, missing or out of its range.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2], "item": [2, 3]}))
    >>> train_recommender(("MCN", {"uSel": "OUT", "vSel": "IN"}), network)(np.array([0]))
    array([[nan, nan,  1.]])
    """
    name, options = check_variant(variant, "variant")
    algorithm = ALGORITHMS[name]
    arguments: Options = {}
    for label, value in options.items():
        parameter = algorithm.parameters[label]
        arguments[parameter.argument] = value
        if parameter.type is OBJECT:
            arguments[parameter.argument] = train_recommender(
                value, network, seed=seed, progress=progress
            )
    if algorithm.random_argument:
        arguments[algorithm.random_argument] = seed
    if algorithm.shows_progress:
        arguments["progress"] = progress
    try:
        return algorithm.function(network, **arguments)
    except InputError as error:
        raise InputError(f"{relison_name((name, options))}: {error}") from error


def relison_name(variant: Variant) -> str:
    """Return the name that RELISON gives to a variant, such as ``BM25_wei_OUT_IN_OUT_0.1_0.1``.

    The values of the parameters follow the name of the recommender in a fixed order. If the
    configuration says whether links have weights, the name contains ``wei`` or ``unw``.

    Parameters
    ----------
    variant : (str, dict)
        As in `train_recommender`. Each parameter must be one that the recommender has.

    Returns
    -------
    str

    Examples
    --------
    >>> relison_name(("iMF", {"k": 300, "lambda": 150.0, "alpha": 40.0, "weighted": False}))
    'iMF_unw_300_150.0_40.0'
    """
    name, options = variant
    parts = [name]
    for label, parameter in ALGORITHMS[name].parameters.items():
        if label not in options:
            continue
        value = options[label]
        if parameter.type is OBJECT:
            parts.append(relison_name(value))
        elif parameter.type is bool:
            parts.append("wei" if value else "unw")
        elif parameter.type is float:
            parts.append(repr(float(value)))
        else:
            parts.append(str(value))
    return "_".join(parts)
