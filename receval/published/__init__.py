"""Printed figures of the source documents, and the ledger that compares them with computed ones.

Each document has one file in ``data/published``; each figure stands there once, as printed. A
notebook computes a value and calls `check`; the answer is a verdict, which the notebook shows
and which `ledger` collects.

=============================== =============================================================
verdict                         meaning
=============================== =============================================================
reproduced                      the computed value agrees with the printed one
reproduced under a variant      it agrees only under the named variant of the definition
erratum                         the printed value does not follow from the document's own
                                inputs; the computed one agrees with the corrected value
not computable                  the inputs are not public, or not sufficient; what is computed in
                                its place, if anything, is the ``expected_value`` on record
unexplained                     none of these: something is wrong, here or there
notebooks disagree              notebooks show different values for it
data not here                   no notebook computed it, and the downloaded file that it takes
                                (``needs``) is not to be had; this is as expected
not checked                     no notebook computed it, though one could have
=============================== =============================================================

A figure in the file looks like this; ``printed`` is one string or a list of them::

    [figures.cg]
    where = "equation of the CG example"
    what = "CG of the group's first four for U1"
    printed = "31"
    corrected = "28"                # with an erratum, together with the reason
    reason = "…"
    variant = "…"                   # where only a named variant reproduces it
    not_computable = "…"            # why, where it cannot be computed
    expected_value = "…"            # what is computed instead then, compared like a printed one
    kind = "truncated"              # default "rounded"; "exact" for labels and full precision
    input_digits = 6                # where the inputs themselves were rounded
    decimals = 3                    # where print drops trailing zeros: "0" is 0.000
    needs = "cars/cars-1k.csv"      # the downloaded file without which it cannot be checked

A matrix is one figure: ``printed`` (and ``corrected``, ``expected_value``) may be a list of rows.
"""

from receval.published.agreement import agrees
from receval.published.checking import Check, check
from receval.published.figures import documents, figure, load, table
from receval.published.ledger import ledger, summary

__all__ = [
    "Check",
    "agrees",
    "check",
    "documents",
    "figure",
    "ledger",
    "load",
    "summary",
    "table",
]
