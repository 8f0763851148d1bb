"""Matches between contracts and past awards in one field, exact or by expansion."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd

from receval._checks import FloatArray, IntArray, input_error, shorten
from receval.matchmaking.hierarchy import Hierarchy, Hops, rarity_weights
from receval.matchmaking.lists import read_feature_of_both


class Expansion(NamedTuple):
    """The rules for expanding the values of fields that have a hierarchy.

    Attributes
    ----------
    hierarchies : dict
        The hierarchy of each field that has one.
    hops : Hops
        How far the expansion goes.
    weight : float or "idf"
        The weight of the values that are reached.
    """

    hierarchies: dict[str, Hierarchy]
    hops: Hops
    weight: float | str


class Matches(NamedTuple):
    """Pairs of a value and an award that matches it, in one field.

    Attributes
    ----------
    value_row : ndarray of int
        The value of each pair, as its number from 0 to ``n_values - 1``.
    award : ndarray of int
        The row of the pair's award.
    weight : ndarray of float or None
        The weight of each pair: 1 if the award has the value itself, or the weight of the expansion
        if it reached the award's value. None if nothing is expanded.
    n_values : int
        The number of values.
    contract_rows : ndarray of int
        The value of each contract, as its number; ``n_values`` if its value is missing.
    """

    value_row: IntArray
    award: IntArray
    weight: FloatArray | None
    n_values: int
    contract_rows: IntArray


def is_weight(number: float) -> bool:
    """Return whether a number can be a weight: in (0, 1]."""
    return 0 < number <= 1


def match_field(
    field: str, awards: pd.DataFrame, contracts: pd.DataFrame, expansion: Expansion
) -> Matches:
    """Return the awards that match each value of the contracts in a field.

    Raises an `InputError` if a table lacks the field, or the field's hierarchy has none of the
    awards' values.
    """
    award_values, contract_values = read_feature_of_both(awards, contracts, field)
    contract_rows, values = pd.factorize(contract_values)
    n_values = len(values)
    contract_rows = np.where(contract_rows < 0, n_values, contract_rows)
    values = pd.Index(values)
    exact = pd.DataFrame({"row": np.arange(n_values), "related": values, "hop": 0})
    if field not in expansion.hierarchies:
        pairs = _pair_with_awards(exact, award_values)
        return Matches(
            pairs["row"].to_numpy(), pairs["award"].to_numpy(), None, n_values, contract_rows
        )

    hierarchy = expansion.hierarchies[field]
    known_values = award_values.dropna()
    if len(known_values) and not hierarchy.values.isin(known_values).any():
        name = f"hierarchy[{field!r}]"
        rule = f"have values of the awards' column {field!r}"
        got = f"none, such as {shorten(hierarchy.values[:3].tolist())}"
        advice = f"An award has {shorten(known_values.iloc[0])}; write both in the same way"
        raise input_error(name, rule, got, advice)
    reached = hierarchy.related(values, expansion.hops)
    pairs = _pair_with_awards(pd.concat([exact, reached], ignore_index=True), award_values)
    weight: FloatArray = np.ones(len(pairs))
    is_reached = pairs["hop"].to_numpy() > 0
    if isinstance(expansion.weight, str):
        rarity = rarity_weights(hierarchy.values, award_values)
        position = hierarchy.values.get_indexer(pd.Index(pairs.loc[is_reached, "related"]))
        weight[is_reached] = rarity[position]
    else:
        weight[is_reached] = expansion.weight
    return Matches(
        pairs["row"].to_numpy(), pairs["award"].to_numpy(), weight, n_values, contract_rows
    )


def _pair_with_awards(reached: pd.DataFrame, award_values: pd.Series) -> pd.DataFrame:
    """Return a row for each value that is reached and each award that has it.

    ``reached`` has the columns ``row``, ``related`` and ``hop`` of `Hierarchy.related`; the result
    also has ``award``, the award's row. Missing values match nothing.
    """
    awards = pd.DataFrame(
        {"related": award_values.to_numpy(), "award": np.arange(len(award_values))}
    )
    return reached.merge(awards.dropna(subset="related"), on="related", how="inner")
