"""Printed figures of a paper, and the ledger that compares them with computed ones.

A ledger is a folder with TOML files, which hold each figure of a paper once, as printed. A notebook
or script computes a value and calls `Ledger.check`. The result is a verdict, which the notebook
shows and `Ledger.table` collects. ``receval ledger new`` writes such a folder for a printed table,
and ``receval ledger run`` runs its notebooks and scripts.

The functions `check`, `ledger`, `figure` and `load` do the same for the documents and
papers whose figures come with receval; the name ``receval.published`` means this module.

================== ==========================================================================
verdict            meaning
================== ==========================================================================
reproduced         follows from the document's inputs under its stated definition
under a variant    the stated definition gives another value, the named variant the printed one; or
                   a sentence that is true in one reading of its words, and false in another
erratum            shown not to follow from the document's own inputs; the corrected value, or an
                   interval that excludes the figure, is computed
transcribed        agrees with the authors' unrounded values; nothing was recomputed
consistent         agrees with a stated random process or bound; the interval is computed
claim holds, fails a sentence that was tested on the document's own data; a general sentence holds
                   only without a counterexample
claim not          a sentence that these data or this test cannot decide; the power of the test, if
established        there is one, is among the values
true by            a sentence about made-up data, true because of the way they were made
construction
impossible with n  a count divided by n never prints like this; see `check_count`
not computable     for the stated reason; if another value is computed in its place, it is the
                   recorded ``expected_value``
statement          a printed text without a number, such as "n.s."; nothing is checked
data not here,     no notebook computed it, because a file among its inputs is not available, or a
package not here   package that the notebook needs is not installed; this is as expected
left open          examined, but neither derived nor disproved; the reason says what is certain,
                   and the computed value is the recorded ``expected_value``
unexplained        none of these: either your computation or the document is wrong
notebooks disagree notebooks show different values for it
out of date        its entry has changed so much that the recorded check no longer fits; run the
                   notebook again
not checked        no notebook computed it, though one could have
================== ==========================================================================

A figure in a file looks like this; ``printed`` is a string, a list of strings, or a list of rows.
All other keys are optional. At most one of the keys from ``corrected`` to ``left_open`` is
present, and decides the recorded verdict. Without one, it is "reproduced"::

    [figures.cg]
    where = "equation of the CG example"
    what = "CG of the group's first four for U1"
    printed = "31"                  # of a claim: the sentence
    inputs = ["points", "001/group_ranking"]   # the inputs of its computation, see below
    corrected = "28"                # the value of an erratum, together with the reason
    bound = ["27.9", "28.4"]        # or an interval of all possible values; "" means none
    variant = "…"                   # the variant under which it is reproduced
    transcribed = "…"               # the unrounded values of the authors
    consistent = "…"                # the random process or the bound; see `read_consistent`
    impossible = "…"                # why no count gives it; with multiple_of
    claim = "holds"                 # "fails", "not established", "by construction",
                                    # or "under a variant", with the readings in the reason
    not_computable = "…"            # the reason why not
    left_open = "…"                 # with expected_value: what is certain about the figure
    reason = "…"                    # the reason why printed and computed values differ
    step = "…"                      # how the printed value becomes the corrected one
    cause = "…"                     # with corrected: the slip; pass its value to `check`
    stated = "…"                    # with a variant: the value under the stated definition
    does_not_distinguish = "…"      # another definition that would print the same
    expected_value = "…"            # the value computed with a claim, or in place of the figure
    multiple_of = "1/6040"          # if the figure is a count divided by 6,040
    kind = "truncated"              # default "rounded"; "exact" for labels and full precision
    rounding = "half_up"            # the rule that the source states; see `printed_interval`
    input_digits = 6                # if the inputs themselves were rounded
    decimals = 3                    # if the source drops trailing zeros: "0" is 0.000
    decimal_comma = true            # if the source prints 0,396 for 0.396
    percent = true                  # if numbers without a percent sign are in percent too
    bold = true                     # if it is printed in bold; never compared

``inputs`` lists what a figure is computed from: keys of the document's ``[inputs]`` and printed
tables (by name), other figures (by id), files of the paper whose checksum is recorded, and files of
other authors (by their name in `receval.datasets.sources`). No figure is an input of itself,
directly or through others, except for an erratum that states the ``step`` from the printed value.

A cell of a printed table also has the keys ``table``, ``row`` and ``column``. What all cells have
in common may be stated once. If a table states a ``file``, each cell of this CSV file is a figure
and needs no entry. An entry with the same row and column records a verdict::

    [tables.table2]
    where = "Table 2"
    what = "means over 200 users"
    file = "table2.csv"             # rows and columns with labels
    kind = "truncated"              # or another key from kind to percent, inputs, multiple_of

The file itself may have these keys::

    title = "…"
    run = ["../notebooks/*.ipynb", "table2.py"]   # what `receval ledger run` runs, in this order
    source = "…"                    # the paper in words, or a table:

    [source]                        # is shown above the ledger
    authors = ["…"]
    title = "…"                     # and venue, year, doi, url, commit, place, note
    seen = "first-hand"             # "in an image", "by OCR", "second-hand"
    seen_on = 2026-01-31
    licence = "CC BY 4.0"
    may_be_copied = false           # the data
    [source.sha256]
    "ratings.csv" = "…"             # of a file next to this one

    [forms]                         # the forms of all figures: keys from kind to percent
    decimal_comma = true

    [inputs]                        # the document's own example data
"""

from receval.ledger.agreement import agrees, is_excluded, printed_interval, prints_same
from receval.ledger.checking import Check, Checks, TableChecks
from receval.ledger.collecting import counts_sentence, summary
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
    "counts_sentence",
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
