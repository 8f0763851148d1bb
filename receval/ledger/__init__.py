"""Printed figures of a paper, and the ledger that compares them with computed ones.

A ledger is a folder with TOML files, which hold each figure of a paper once, as printed. A notebook
computes a value and calls `Ledger.check`. The result is a verdict, which the notebook
shows and `Ledger.table` collects. ``receval reproduce FOLDER`` runs the notebooks of such a folder.

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
transcribed        agrees with other text or output of its authors, such as unrounded values;
                   nothing was recomputed
consistent         agrees with a computed interval; the entry says how: a random process, a bound,
                   or rounding
claim holds, fails a sentence that was tested on the document's own data; a general sentence holds
                   only without a counterexample
claim not          a sentence that these data or this test cannot decide; the power of the test, if
established        there is one, is among the values
true by            a sentence about made-up data, true because of the way they were made
construction
not computable     for the stated reason; if another value is computed in its place, it is the
                   recorded ``expected_value``
data not here      no notebook computed it, because a file among its inputs is not available; this
                   is as expected
left open          examined, but neither derived nor disproved; the reason says what is certain,
                   and the computed value is the recorded ``expected_value``
unexplained        none of these: either your computation or the document is wrong
notebooks disagree notebooks show different values for it
not checked        no notebook computed it, though one could have, or somebody edited its entry
                   after the check
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
    bound = ["27.9", "28.4"]        # or an interval of all possible values, without the figure
    variant = "…"                   # the variant under which it is reproduced
    transcribed = "…"               # the unrounded values of the authors
    consistent = "…"                # the random process or the bound
    interval = ["0.1", "0.3"]       # with consistent: the ends of the computed interval
    claim = "holds"                 # "fails", "not established", "by construction",
                                    # or "under a variant", with the readings in the reason
    not_computable = "…"            # the reason why not
    left_open = "…"                 # with expected_value: what is certain about the figure
    reason = "…"                    # the reason why printed and computed values differ
    cause = "…"                     # with corrected: the slip; pass its value to `check`
    stated = "…"                    # with a variant: the value under the stated definition; it must
                                    # differ from the figure, or the variant explains nothing
    does_not_distinguish = "…"      # another definition that would print the same
    expected_value = "…"            # the value computed with a claim, or in place of the figure
    kind = "truncated"              # default "rounded"; "either" of these two; "exact" for labels
                                    # and full precision; see `printed_interval`
    input_digits = 6                # if the inputs themselves were rounded
    decimals = 3                    # if the source drops trailing zeros: "0" is 0.000

``inputs`` lists what a figure is computed from: keys of the document's ``[inputs]`` and printed
tables (by name), other figures (by id), and files of other authors (by their name in
`receval.datasets.sources`). If such a file isn't here and can't be fetched, the verdict is "data
not here".

The file itself may have these keys. Each cell of the ``tables`` is a figure with the id
``table2/row/column`` and needs no entry; an entry with this id records a verdict::

    title = "…"
    tables = ["table2.csv"]         # printed tables next to this file, with labels
    source = "…"                    # the paper in words, or a table:

    [source]                        # is shown above the ledger
    authors = ["…"]
    title = "…"                     # and venue, year, doi, url, commit, place, note
    seen = "first-hand"             # "in an image", "by OCR", "second-hand"
    seen_on = 2026-01-31
    licence = "CC BY 4.0"
    may_be_copied = false           # the data

    [inputs]                        # the document's own example data
"""

from receval.ledger.agreement import Interval, agrees, printed_interval
from receval.ledger.checking import Check, Checks
from receval.ledger.folder import Ledger, check, figure, ledger, load, table
from receval.ledger.table import summary

__all__ = [
    "Check",
    "Checks",
    "Interval",
    "Ledger",
    "agrees",
    "check",
    "figure",
    "ledger",
    "load",
    "printed_interval",
    "summary",
    "table",
]
