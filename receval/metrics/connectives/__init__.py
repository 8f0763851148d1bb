"""Connectives of fuzzy logic: implicators I(b, h), conjunctors C(b, r), and how they form pairs.

b is the truth of the body, h that of the head, and r that of the rule "body implies head". A
conjunctor and an implicator belong together by *residuation*: C(b, r) <= h if and only if r <= I(b,
h). Then modus ponens with C never claims more truth for the head than it has, and no larger C has
this property.

================== ========================================== ================================
implicator         I(b, h)                                    its conjunctor C(b, r)
================== ========================================== ================================
`lukasiewicz`      min(1, 1 - b + h)                          max(0, b + r - 1)
`goedel`           1 if b <= h, else h                        min(b, r)
`product`          1 if b <= h, else h / b                    b r
`kleene_dienes`    max(1 - b, h)                              0 if b + r <= 1, else r
`reichenbach`      1 - b + b h                                0 if b + r <= 1, else (b+r-1)/b
`rescher`          1 if b <= h, else 0                        0 if r = 0, else b
`fodor`            1 if b <= h, else max(1 - b, h)            0 if b + r <= 1, else min(b, r)
================== ========================================== ================================

`lukasiewicz_disjunctor`, `goedel_disjunctor` and `product_disjunctor` are the duals of three of the
conjunctors. `product` is also called the Goguen implicator. All these functions take arrays and
broadcast.
"""

from receval.metrics.connectives.axioms import (
    conjunctor,
    implicator,
    modus_ponens,
    residuation_gaps,
    violations,
)
from receval.metrics.connectives.formulas import (
    fodor,
    goedel,
    goedel_conjunctor,
    goedel_disjunctor,
    kleene_dienes,
    lukasiewicz,
    lukasiewicz_conjunctor,
    lukasiewicz_disjunctor,
    product,
    product_conjunctor,
    product_disjunctor,
    reichenbach,
    rescher,
)

__all__ = [
    "conjunctor",
    "fodor",
    "goedel",
    "goedel_conjunctor",
    "goedel_disjunctor",
    "implicator",
    "kleene_dienes",
    "lukasiewicz",
    "lukasiewicz_conjunctor",
    "lukasiewicz_disjunctor",
    "modus_ponens",
    "product",
    "product_conjunctor",
    "product_disjunctor",
    "reichenbach",
    "rescher",
    "residuation_gaps",
    "violations",
]
