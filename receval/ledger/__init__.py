"""Printed figures of the source documents, and the ledger that compares them with computed ones.

Each document has one file in ``data/published``, which holds each figure once, as printed. A
notebook computes a value and calls `check`. The result is a verdict, which the notebook shows and
`ledger` collects.

================== ==========================================================================
verdict            meaning
================== ==========================================================================
reproduced         follows from the document's inputs by its stated definition
under a variant    the stated definition gives another value, the named variant the printed one
erratum            shown not to follow from the document's own inputs; the corrected value is
                   computed
transcribed        agrees with the authors' unrounded values; nothing was recomputed
consistent         agrees with a stated random process or bound; the interval is computed
claim holds, fails a sentence that was tested on the document's own data
claim not          a sentence that these data or this test cannot decide; the power of the test
established        is among the values
true by            a sentence about made-up data, true because of the way they were made
construction
not computable     for the stated reason; if another value is computed in its place, it is the
                   ``expected_value`` on record
data not here      no notebook computed it, because a downloaded file among its inputs is not
                   available; this is as expected
unexplained        none of these: either receval or the document is wrong
notebooks disagree notebooks show different values for it
not checked        no notebook computed it, though one could have
================== ==========================================================================

A figure in the file looks like this; ``printed`` is a string or a list of strings. At most one of
the keys from ``corrected`` to ``not_computable`` is present, and decides the verdict on record::

    [figures.cg]
    where = "equation of the CG example"
    what = "CG of the group's first four for U1"
    printed = "31"                  # of a claim: the sentence
    inputs = ["points", "001/group_ranking"]   # the inputs of its computation, see below
    corrected = "28"                # the value of an erratum, together with the reason
    variant = "…"                   # the variant under which it is reproduced
    transcribed = "…"               # the unrounded values of the authors
    consistent = "…"                # the random process or the bound
    claim = "holds"                 # "fails", "not established", "by construction"
    not_computable = "…"            # the reason why not
    reason = "…"                    # the reason why printed and computed values differ
    step = "…"                      # how the printed value becomes the corrected one
    stated = "…"                    # with a variant: the value by the stated definition
    expected_value = "…"            # the value computed with a claim, or in place of the figure
    kind = "truncated"              # default "rounded"; "exact" for labels and full precision
    rounding = "half_up"            # the rule that the source states; see `printed_interval`
    input_digits = 6                # if the inputs themselves were rounded
    decimals = 3                    # if print drops trailing zeros: "0" is 0.000
    decimal_comma = true            # if the source prints 0,396 for 0.396
    percent = true                  # if numbers without a percent sign are in percent too

``inputs`` names keys of the document's ``[inputs]`` and published tables by their name, other
figures by their id, and files of other authors by their name in `receval.datasets.sources`. No
figure is an input of itself, directly or through others, except for an erratum that states the
``step`` from the printed value.

A matrix is a single figure: ``printed`` and the other values may be lists of rows.
"""

from receval.ledger.agreement import agrees, is_excluded, printed_interval, prints_same
from receval.ledger.checking import Check, Checks, TableChecks
from receval.ledger.collecting import summary
from receval.ledger.counts import CountCheck, check_count
from receval.ledger.evidence import Consistent, read_bound, read_consistent
from receval.ledger.figures import check, documents, figure, ledger, load, table
from receval.ledger.folder import Ledger
from receval.ledger.intervals import Interval
from receval.ledger.joint import Joint, hold_together, propagate
from receval.ledger.new_ledgers import NewLedger, new_ledger
from receval.ledger.printed import Printed, read_printed
from receval.ledger.printed_tables import PrintedTable, label_text, read_table
from receval.ledger.reproducing import (
    Reproduction,
    missing_data,
    missing_package,
    reproduce,
    run_ledger,
)
from receval.ledger.running import Failure, run

__all__ = [
    "Check",
    "Checks",
    "Consistent",
    "CountCheck",
    "Failure",
    "Interval",
    "Joint",
    "Ledger",
    "NewLedger",
    "Printed",
    "PrintedTable",
    "Reproduction",
    "TableChecks",
    "agrees",
    "check",
    "check_count",
    "documents",
    "figure",
    "hold_together",
    "is_excluded",
    "label_text",
    "ledger",
    "load",
    "missing_data",
    "missing_package",
    "new_ledger",
    "printed_interval",
    "prints_same",
    "propagate",
    "read_bound",
    "read_consistent",
    "read_printed",
    "read_table",
    "reproduce",
    "run",
    "run_ledger",
    "summary",
    "table",
]
