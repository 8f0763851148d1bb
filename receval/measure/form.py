"""What a measure is: one object that states everything about it once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from receval._checks import FloatArray, IntArray
from receval.measure.block import Block
from receval.measure.convention import Convention

__all__ = ["Context", "Measure"]


@dataclass(frozen=True)
class Context:
    """What is known beside the lists: the convention, and data about items and users.

    Attributes
    ----------
    convention : Convention
    n_items : size of the catalogue, None where it was not given.
    in_head : for each item code whether it is in the short head.
    age : for each item code its age in days.
    features : for each item code a vector of length 1, or 0 where all features are 0.
    seen : function of user codes and a matrix of item codes, whether seen before.
    """

    convention: Convention
    n_items: int | None = None
    in_head: Any = None
    age: FloatArray | None = None
    features: FloatArray | None = None
    seen: Callable[[IntArray, IntArray], Any] | None = None


Values = Callable[[Block, Context, int | None], FloatArray]


@dataclass(frozen=True)
class Measure:
    """A measure, with or without its cut-off.

    Attributes
    ----------
    key : str
        The name without cut-off, as it is written in results.
    title : str
        The name in full.
    formula, source : str
        LaTeX, of one user's value where each user has one; and the document it is taken from.
    values : callable
        Block, context and cut-off to one value per user. None for a set-level measure.
    expected : callable
        Of a measure that is about relevance and the order of the list: the mean of its values
        over all orders of equal scores, from a block with the best of these orders.
    partial, combine, finish : callable
        Of a set-level measure: block to state, two states to one, state to value.
    working : callable
        Block of one user, context, cut-off and item names to the table of terms.
    needs : tuple of str
        What it needs beside the two tables: "catalogue", "awards", "novelty_date", "features",
        "history".
    choices : tuple of str
        The choices of a convention that it depends on (`Convention.words`).
    whole_list : bool
        Whether it looks beyond its cut-off.
    state_of_items : bool
        Whether the state of a set-level measure is a set of items.
    accuracy : bool
        Whether a user without answer or without relevant item has a value by convention; if
        not, such a user has none (NaN) and is left out of the mean.
    k : int or None
        Cut-off.
    """

    key: str
    title: str
    formula: str
    source: str
    values: Values | None = None
    expected: Values | None = None
    partial: Callable[[Block, Context, int | None], Any] | None = None
    combine: Callable[[Any, Any], Any] | None = None
    finish: Callable[[Any, Context], float] | None = None
    working: Callable[[Block, Context, int | None, Any], pd.DataFrame] | None = None
    needs: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    whole_list: bool = False
    state_of_items: bool = False
    accuracy: bool = True
    k: int | None = field(default=None)

    @property
    def name(self) -> str:
        """The name with its cut-off: "nDCG@10"."""
        return self.key if self.k is None else f"{self.key}@{self.k}"

    @property
    def mean_formula(self) -> str:
        """The formula of the value in a summary: for most measures the mean over users."""
        return rf"\frac{{1}}{{|U|}} \sum_u {self.formula}" if self.per_user else self.formula

    @property
    def per_user(self) -> bool:
        """Whether each user has a value; if not, only all users together have one."""
        return self.values is not None

    def of(self, block: Block, context: Context) -> FloatArray:
        """One value per user of the block, with the convention's rules for empty cases."""
        assert self.values is not None
        value = np.array(self.values(block, context, self.k), dtype=float)
        if self.accuracy:
            rules = context.convention
            np.copyto(value, 0.0, where=np.isnan(value))
            if rules.no_truth == "skip":
                np.copyto(value, np.nan, where=block.n_relevant == 0)
            if rules.missing == "skip":
                np.copyto(value, np.nan, where=block.length == 0)
        return value
