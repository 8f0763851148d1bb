"""The laws: changes of the input that must not change a measure, and the exceptions.

The laws treat a new measure like the listed measure of its kind (see `laws.kinds`). If there is no
such measure, or if a law does not hold for the new one, add it here. A failing test says where.

A form is a measure without cut-off ("MAP") or with one ("MAP@k"). Each law lists every form. It
``holds`` for some forms under all conventions and rules for equal scores. It ``fails`` for others
under some of them, and each entry has the smallest tables on which it fails. If no entry of
``fails`` applies, the law holds to the last bit.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from laws import changes
from laws.cases import FORMS, Case, tables
from laws.kinds import relatives_of

VALUE, LAST_BITS = float("inf"), 1e-12


@dataclass(frozen=True)
class Fails:
    """The forms for which a law fails, under which rules and choices, and an example."""

    forms: str
    why: str
    example: Case
    rules: tuple[str, ...] = ()  # for equal scores: only where there are some; none: always
    where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # choices of the convention
    by: float = VALUE  # how far at most

    def covers(self, case, form):
        """Check whether the law need not hold for a form of this case."""
        return (
            form in self.forms.split()
            and (not self.rules or (case.tied and case.tie_rule(form) in self.rules))
            and all(getattr(case.rules, choice) in ones for choice, ones in self.where.items())
        )


@dataclass(frozen=True)
class Law:
    """A change of the input, and the forms whose values it does not change."""

    says: str
    change: Callable
    holds: str
    fails: tuple[Fails, ...] = ()
    within: float = 0.0  # for sums whose terms change places though their sum does not
    averaged_within: float = 0.0  # the same, for means over all orders of equal scores

    def allowed(self, case, form):
        """Return the largest allowed difference of a form."""
        averaged = case.tied and case.tie_rule(form) == "average"
        known = [fails.by for fails in self.fails if fails.covers(case, form)]
        return max([self.within, self.averaged_within if averaged else 0.0, *known])


# Every measure is in one of these groups. A new one that is like no other must be put into one.
WHICH = "HR Precision Recall F1"  # ask which items are in the list, not in which order
WHERE = "MRR MAP nDCG R-Precision DCG RBP ERR"
SUMMED = "CG"
BINARY_CUT = "HR@k MRR@k MAP@k Precision@k Recall@k F1@k RBP@k"
GRADED_CUT = "nDCG@k DCG@k CG@k ERR@k"
SCALED = "ERR ERR@k"  # by the largest grade of the whole truth
COVERED = "PC CC LTP nov_u ARP Gini"  # ask which items are in the lists, relevant or not
ADDED_UP = "ILD nov_t MIUF"  # the same, but are sums in the order of the list
ITEMS_CUT = "CC@k LTP@k ILD@k nov_t@k nov_u@k MIUF@k ARP@k Gini@k"

ACCURACY = f"{WHICH} {WHERE} bpref {SUMMED} {BINARY_CUT} {GRADED_CUT}"
ORDERED = f"{WHERE} {BINARY_CUT} {GRADED_CUT}"
EVERY = f"{ACCURACY} AUC {COVERED} {ADDED_UP} {ITEMS_CUT}"
EVERY_BUT_SCALED = " ".join(form for form in EVERY.split() if form not in SCALED.split())

BY_ID = ("item", "item_descending", "text", "trec_eval")

A_HIT_AND_A_MISS_LEVEL = tables([(0, 0, 1), (0, 1, 1)], [(0, 0, 1), (0, 1, 0)]).but(k=1)
AN_UNJUDGED_ITEM_ABOVE = tables([(0, 2, 3), (0, 0, 2), (0, 1, 1)], [(0, 0, 1), (0, 1, 0)])
TWO_OF_THREE_LEVEL = tables(
    [(0, 8, 1), (0, 4, 1), (0, 1, 1), (1, 8, 1)], [(0, 0, 1), (1, 0, 1)], history=[(0, 8), (1, 8)]
).but(k=2)
THREE_GRADES_LEVEL = tables(
    [(0, 0, 1), (0, 1, 1), (0, 2, 1)], [(0, 0, 0.1), (0, 1, 0.2), (0, 2, 0.3)]
)
KNOWN = [(user, item) for item, users in {1: 3, 3: 4, 4: 3}.items() for user in range(users)]
FOUR_LEVEL = tables([(0, item, 1) for item in (1, 3, 4, 9)], [(0, 0, 1)], KNOWN)
FOUR_IN_ORDER = tables([(0, item, -item) for item in (1, 3, 4, 9)], [(0, 0, 1)], KNOWN)
ONE_OF_TWO_FOUND = tables([(0, 0, 1)], [(0, 0, 1), (0, 1, 1)]).but(k=2)
A_MISS_BEFORE_A_HIT = tables([(0, 2, 2), (0, 0, 1)], [(0, 0, 1)])
TWO_ITEMS = tables([(0, 8, 2), (0, 4, 1)], [(0, 0, 1)], history=[(0, 8), (1, 8)]).but(k=3)
LAST_IN_HEAD = tables(
    [(0, 4, 3), (0, 1, 2), (0, 8, 1), (1, 8, 1)], [(0, 7, 1), (1, 7, 1)], history=[(0, 8), (1, 8)]
).but(k=2)
HIT_IN_HEAD = LAST_IN_HEAD.but(truth=tables([], [(0, 8, 1), (1, 7, 1)]).truth)
HIT_OF_THE_TAIL = tables(
    [(0, 8, 3), (0, 4, 2), (0, 0, 1), (1, 8, 2), (1, 4, 1)],
    [(0, 0, 1), (1, 7, 1)],
    history=[(0, 8), (1, 8), (0, 4), (1, 4)],
).but(k=2)
A_SMALL_HIT_BELOW_A_LARGE_ONE = tables(
    [(0, 5, 2), (0, 9, 2), (0, 0, 1), (1, 5, 2), (1, 0, 2), (1, 9, 1)],
    [(0, 5, 3), (0, 0, 1), (1, 5, 3), (1, 9, 1)],
).but(k=1)
TWO_HITS_APART = tables([(0, 0, 4), (0, 1, 3), (0, 2, 2), (0, 3, 1)], [(0, 0, 1), (0, 3, 1)]).but(
    k=3
)
A_HIT_BETWEEN_IDS = tables([(0, 0, 2), (0, 5, 2), (0, 9, 1)], [(0, 5, 1)]).but(k=1)
ONE_OF_TWO_ANSWERED = tables(
    [(0, 0, 2), (0, 4, 1)], [(0, 0, 1), (1, 0, 1)], history=[(0, 4), (1, 4)]
).but(k=2)
A_GRADE_ABOVE_ANOTHER = tables([(0, 0, 1), (1, 1, 1)], [(0, 0, 1), (1, 1, 3)]).but(
    k=1, about="relevance"
)
KNOWN_TO_MANY = tables([(0, 0, 1)], [(0, 0, 1)], [(0, 0), (0, 0), (1, 1), (2, 1)]).but(k=1)
GRADE_THREE = tables([(0, 0, 1)], [(0, 0, 3)]).but(k=1)

STATED_LAWS = {
    "order of rows": Law(
        "The order of the rows, in all tables, does not matter.",
        changes.order_of_rows,
        holds=f"{WHICH} AUC {COVERED}",
        fails=(
            Fails(
                f"{ORDERED} bpref",
                "equal scores come in the order of the rows",
                A_HIT_AND_A_MISS_LEVEL,
                rules=("input",),
            ),
            Fails(
                ITEMS_CUT,
                "equal scores, or those of one grade, come in the order of the rows",
                TWO_OF_THREE_LEVEL,
                rules=("input", "optimistic", "pessimistic"),
            ),
            Fails(
                SUMMED,
                "the sum is taken in the order of the list",
                THREE_GRADES_LEVEL,
                rules=("input",),
                by=LAST_BITS,
            ),
            Fails(
                ADDED_UP,
                "the sum is taken in the order of the list",
                FOUR_LEVEL,
                rules=("input", "optimistic", "pessimistic"),
                by=LAST_BITS,
            ),
        ),
    ),
    "renaming": Law(
        "Other ids for the users and the items change nothing but the ids.",
        changes.renaming,
        holds=f"{WHICH} AUC {COVERED}",
        fails=(
            Fails(
                f"{ORDERED} bpref",
                "equal scores come by id",
                A_HIT_AND_A_MISS_LEVEL,
                rules=BY_ID,
            ),
            Fails(
                ITEMS_CUT,
                "which items stand above the cut-off is not averaged over",
                TWO_OF_THREE_LEVEL,
                rules=(*BY_ID, "average"),
            ),
            Fails(
                SUMMED,
                "the sum is taken in the order of the list",
                THREE_GRADES_LEVEL,
                rules=BY_ID,
                by=LAST_BITS,
            ),
            Fails(
                ADDED_UP,
                "the sum is taken in the order of the list",
                FOUR_LEVEL,
                rules=(*BY_ID, "average"),
                by=LAST_BITS,
            ),
        ),
    ),
    "text and categories": Law(
        "Ids may be text or categories of any kind, where their order stays the same.",
        changes.text_and_categories,
        holds=EVERY,
    ),
    "an irrelevant item at the end": Law(
        "One more irrelevant item, below all others, changes no value.",
        changes.irrelevant_item_at_the_end,
        averaged_within=LAST_BITS,
        holds=f"HR {SUMMED} MRR R-Precision DCG RBP ERR bpref "
        f"HR@k MRR@k Recall@k RBP@k {GRADED_CUT} PC",
        fails=(
            Fails("Precision F1", "without cut-off: the length of the list", ONE_OF_TWO_FOUND),
            Fails(
                "Precision@k F1@k",
                "divided by the items retrieved",
                ONE_OF_TWO_FOUND,
                where={"precision": ("retrieved",)},
            ),
            Fails(
                "MAP",
                "divided by no more than the items retrieved",
                ONE_OF_TWO_FOUND,
                where={"average_precision": ("reachable", "listed")},
            ),
            Fails(
                "MAP@k",
                "divided by no more than the items retrieved",
                ONE_OF_TWO_FOUND,
                where={"average_precision": ("listed",)},
            ),
            Fails(
                "Recall",
                "divided by no more than the items retrieved",
                ONE_OF_TWO_FOUND,
                where={"recall": ("reachable",)},
            ),
            Fails(
                "nDCG",
                "compared with relevant items as many as retrieved",
                ONE_OF_TWO_FOUND,
                where={"ideal": ("perfect",)},
            ),
            Fails("AUC", "one more miss is below the hits", A_MISS_BEFORE_A_HIT),
            Fails(f"CC LTP nov_u ARP Gini {ADDED_UP} {ITEMS_CUT}", "about all items", TWO_ITEMS),
        ),
    ),
    "a hit moves up": Law(
        "A relevant item that takes the place of an irrelevant one above it lowers no value.",
        changes.hit_moves_up,
        within=LAST_BITS,
        holds=f"{WHICH} {SUMMED} MRR MAP R-Precision RBP bpref AUC {COVERED} {ADDED_UP} "
        "HR@k MRR@k Precision@k Recall@k F1@k RBP@k",
        fails=(
            Fails(
                f"nDCG DCG ERR {GRADED_CUT}",
                "among equal scores it can come before a more relevant item",
                A_SMALL_HIT_BELOW_A_LARGE_ONE,
                rules=BY_ID,
            ),
            Fails(
                "MAP@k",
                "the mean is over the hits found, and one more of low precision lowers it",
                TWO_HITS_APART,
                where={"average_precision": ("found",)},
            ),
            Fails(
                "CC@k LTP@k ILD@k nov_t@k nov_u@k MIUF@k",
                "about the items above the cut-off, relevant or not",
                HIT_IN_HEAD,
            ),
            Fails("ARP@k Gini@k", "the hit is an item that is shown less", HIT_OF_THE_TAIL),
        ),
    ),
    "misses change places": Law(
        "Which irrelevant item stands where does not matter.",
        changes.misses_change_places,
        holds=f"{WHICH} {SUMMED} AUC {COVERED}",
        fails=(
            Fails(
                ORDERED,
                "among equal scores a relevant item can come before one and behind the other",
                A_HIT_BETWEEN_IDS,
                rules=BY_ID,
            ),
            Fails("bpref", "one that was not judged does not count", AN_UNJUDGED_ITEM_ABOVE),
            Fails(ITEMS_CUT, "about the items above the cut-off", LAST_IN_HEAD),
            Fails(
                ADDED_UP, "the sum is taken in the order of the list", FOUR_IN_ORDER, by=LAST_BITS
            ),
        ),
    ),
    "a user without judgement": Law(
        "Lists for users of whom nothing is known change nothing.",
        changes.user_without_judgement,
        holds=EVERY,
    ),
    "a user without a relevant item": Law(
        "A user for whom nothing is relevant changes no mean.",
        changes.user_without_relevant_item,
        holds="AUC",
        fails=(
            Fails(
                ACCURACY,
                "such users count as 0 in the mean",
                ONE_OF_TWO_ANSWERED,
                where={"no_truth": ("zero",)},
            ),
            Fails(
                f"{COVERED} {ADDED_UP} {ITEMS_CUT}",
                "about all lists, whatever is relevant",
                ONE_OF_TWO_ANSWERED,
            ),
        ),
    ),
    "users in two parts": Law(
        "Two halves of the users, evaluated apart, make up the whole.",
        changes.users_in_two_parts,
        averaged_within=LAST_BITS,
        holds=EVERY_BUT_SCALED,
        fails=(Fails(SCALED, "the largest grade is that of one half", A_GRADE_ABOVE_ANOTHER),),
    ),
    "range": Law(
        "Values lie between 0 and 1, and are NaN exactly where that is said.",
        changes.range_of_values,
        within=1e-15,  # the similarity of two like items can be above 1 by a rounding error
        holds=f"{WHICH} MRR MAP nDCG R-Precision RBP ERR bpref {BINARY_CUT} nDCG@k ERR@k AUC "
        "PC CC LTP nov_u Gini ILD nov_t CC@k LTP@k ILD@k nov_t@k nov_u@k Gini@k",
        fails=(
            Fails("DCG CG DCG@k CG@k", "sums of grades", GRADE_THREE),
            Fails("MIUF ARP MIUF@k ARP@k", "numbers of users, and their logarithms", KNOWN_TO_MANY),
        ),
    ),
}


RELATIVES = relatives_of({form.removesuffix("@k") for form in EVERY.split()})
"""The measures that no group names, by the measure of their kind."""


def with_relatives(law, forms):
    """Add the new measures of the same kind to a text of forms, unless the law names them."""
    named = {
        form for text in (law.holds, *(fails.forms for fails in law.fails)) for form in text.split()
    }
    result = forms.split()
    for form in forms.split():
        name, at, cutoff = form.partition("@")
        relatives = [f"{relative}{at}{cutoff}" for relative in RELATIVES.get(name, [])]
        result += [
            relative for relative in relatives if relative in FORMS and relative not in named
        ]
    return " ".join(result)


LAWS = {
    name: replace(
        law,
        holds=with_relatives(law, law.holds),
        fails=tuple(replace(fails, forms=with_relatives(law, fails.forms)) for fails in law.fails),
    )
    for name, law in STATED_LAWS.items()
}
