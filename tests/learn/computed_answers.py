"""Right and wrong answers to the exercises, computed: tests compare those in `exercises.toml`.

The wrong answers are those that usual mistakes lead to. Comments sum up the questions.
"""

from dataclasses import dataclass

import numpy as np

from receval import fuzzy, ledger, significance, splitting
from receval.metrics import (
    auc,
    beyond_accuracy,
    catalog_coverage,
    clipped_log2,
    cumulative_gain,
    dcg,
    kendall,
    ndcg,
    prediction,
    ranking,
    retrieval,
    rmse,
    spearman,
)


@dataclass(frozen=True)
class Answers:
    """The right answer to an exercise, and wrong ones.

    Attributes
    ----------
    right : number or str
        The right answer.
    wrong_answers : dict
        The answers that usual mistakes lead to, by the name of the mistake.
    """

    right: object
    wrong_answers: dict[str, object]


ANSWERS = {}
"""The answers by the name of the exercise."""

# Lesson 0, the first look at a list
points = [10, 5, 7, 5]
ANSWERS |= {
    # The cumulative gain of a list with the points 10, 5, 7 and 5.
    "start.1": Answers(
        right=cumulative_gain(points),
        wrong_answers={"mean": np.mean(points)},
    ),
    # The cumulative gain of the same list in reverse order. By mistake, learners flip the sign,
    # or answer with the word "same".
    "start.2": Answers(
        right=cumulative_gain(points[::-1]),
        wrong_answers={"sign": -cumulative_gain(points[::-1]), "word": "same"},
    ),
}

# The first relevant item
lists = [[1, 0, 0, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, 1]]  # first hits at 1, 4 and 5
ANSWERS |= {
    # The reciprocal rank if the relevant items are at ranks 4 and 5.
    "hits.1": Answers(
        right=ranking.reciprocal_rank([0, 0, 0, 1, 1]),
        wrong_answers={"both_items": 1 / 4 + 1 / 5, "second_item": 1 / 5, "items_above": 1 / 3},
    ),
    # The cumulative gain at rank 3 of a list with the points 4, 0, 3 and 1.
    "hits.again": Answers(
        right=cumulative_gain([4, 0, 3, 1], k=3),
        wrong_answers={"whole_list": 8, "mean": np.mean([4, 0, 3]), "third_item": 3},
    ),
    # The mean reciprocal rank if the first hits are at ranks 1, 4 and 5.
    "hits.2": Answers(
        right=ranking.reciprocal_rank(lists).mean(),
        wrong_answers={
            "mean_rank": 1 / np.mean([1, 4, 5]),
            "sum": 1 + 1 / 4 + 1 / 5,
        },
    ),
    # Precision and recall
    # Precision@5 if three of the four items that are shown are relevant.
    "precision.1": Answers(
        right=ranking.precision([1, 0, 1, 1], k=5),
        wrong_answers={"items_shown": 3 / 4},
    ),
    # Recall@5 if three of four relevant items are among the five shown.
    "precision.2": Answers(
        right=ranking.recall([1, 0, 1, 1, 0], 4, k=5),
        wrong_answers={"precision": 3 / 5},
    ),
    # R-precision if the three relevant items are at ranks 2, 3 and 5.
    "precision.3": Answers(
        right=ranking.r_precision([0, 1, 1, 0, 1], 3),
        wrong_answers={"five_ranks": 3 / 5, "recall": 1.0},
    ),
    # The reciprocal rank if the wanted books are at ranks 3 and 4.
    "precision.again": Answers(
        right=ranking.reciprocal_rank([0, 0, 1, 1]),
        wrong_answers={
            "both_items": 1 / 3 + 1 / 4,
            "second_item": 1 / 4,
            "items_above": 1 / 2,
            "rank_itself": 3,
        },
    ),
}

# Average precision
total = 1 / 2 + 2 / 3  # the precisions at ranks 2 and 3
ANSWERS |= {
    # AP if only the second and the third item are relevant.
    "average_precision.1": Answers(
        right=ranking.average_precision([0, 1, 1], 2),
        wrong_answers={
            "last_precision": 2 / 3,
            "divided_by_ranks": total / 3,
            "sum": total,
            "reciprocal_ranks": (1 / 2 + 1 / 3) / 2,
        },
    ),
    # AP of the same list if two more relevant items were not shown.
    "average_precision.2": Answers(
        right=ranking.average_precision([0, 1, 1], 4),
        wrong_answers={"divided_by_ranks": total / 3, "divided_by_shown": total / 2},
    ),
    # The best possible AP@5 if twenty items are relevant.
    "average_precision.3": Answers(
        right=ranking.average_precision([1] * 5, 20, k=5),
        wrong_answers={"divided_by_shown": 1.0},
    ),
    # Recall@3 if two of five wanted books are among the three shown.
    "average_precision.again": Answers(
        right=ranking.recall([1, 1, 0], 5, k=3),
        wrong_answers={"precision": 2 / 3, "count": 2, "shown": 3 / 5},
    ),
    # AUC
    # AUC of five ranked candidates, of which those at ranks 1 and 4 are relevant.
    "auc.1": Answers(
        right=auc([1, 0, 0, 1, 0]),
        # Four of the six pairs with a relevant and another candidate are in order. All five
        # candidates make ten pairs.
        wrong_answers={"all_pairs": 4 / 10, "wrong_pairs": 2 / 6},
    ),
    # AUC if the only relevant candidate is tied with one of the other two.
    "auc.2": Answers(
        right=auc([1, 0, 0], scores=[0.7, 0.7, 0.2]),
        wrong_answers={"tie_is_right": 1.0, "tie_is_wrong": 1 / 2},
    ),
    # AUC after reversing a list without ties whose AUC was 0.8.
    "auc.3": Answers(
        right=1 - 0.8,  # each pair that was in order is now out of order
        wrong_answers={"sign": -0.8, "same": 0.8},
    ),
    # The mean reciprocal rank of two readers with first hits at ranks 2 and 4.
    "auc.again": Answers(
        right=ranking.reciprocal_rank([[0, 1, 0, 0], [0, 0, 0, 1]]).mean(),
        wrong_answers={"mean_rank": 1 / 3, "sum": 1 / 2 + 1 / 4},
    ),
}

# Errors of predicted ratings
predicted, actual = [0, 0, 0, 3], [0, 0, 0, 0]
ratings = [5, 1, 1, 1, 2]
ANSWERS |= {
    # RMSE of four predictions that are off by 0, 0, 0 and 3 stars.
    "rating_errors.1": Answers(
        right=rmse(predicted, actual),
        wrong_answers={
            "mae": prediction.mae(predicted, actual),
            "sum_of_squares": prediction.mse(predicted, actual) * 4,
            "mse": prediction.mse(predicted, actual),
            "not_squared": np.sqrt(3),
        },
    ),
    # The single rating that has the smallest RMSE if it is predicted for all five.
    "rating_errors.2": Answers(
        right=np.mean(ratings),
        wrong_answers={"median": np.median(ratings), "middle_of_scale": 3},
    ),
    # RMSE over eight ratings: four have an MSE of 1, the others an MSE of 4.
    "rating_errors.3": Answers(
        right=np.sqrt((4 * 1 + 4 * 4) / 8),
        wrong_answers={"mean_of_errors": (1 + 2) / 2, "mean_of_squares": (1 + 4) / 2},
    ),
    # AUC of four ranked candidates, of which those at ranks 1 and 3 are wanted.
    "rating_errors.again": Answers(
        right=auc([1, 0, 1, 0]),
        # Three of the four pairs with a wanted and another candidate are in order. All four
        # candidates make six pairs.
        wrong_answers={"all_pairs": 3 / 6, "wrong_pairs": 1 / 4, "not_divided": 3},
    ),
}

# Rank correlations
order = {"a": 4, "b": 3, "c": 2, "d": 1}
last_two_swapped = {"a": 4, "b": 3, "c": 1, "d": 2}
last_first = {"d": 4, "a": 3, "b": 2, "c": 1}
order_of_three = {"a": 3, "b": 2, "c": 1}
tied = {"a": 2, "b": 1, "c": 1}
ANSWERS |= {
    # Kendall's tau of two orders in which only the last two things are swapped.
    "rank_correlation.1": Answers(
        right=kendall(order, last_two_swapped),
        wrong_answers={"share_of_pairs": 5 / 6, "spearman": spearman(order, last_two_swapped)},
    ),
    # Spearman's rho of the orders a, b, c, d and d, a, b, c.
    "rank_correlation.2": Answers(
        right=spearman(order, last_first),
        wrong_answers={
            "kendall": kendall(order, last_first),
            # The differences of the ranks go into 1 - 6 * sum / (n * (n**2 - 1)), with n = 4.
            "not_squared": 1 - 6 * (1 + 1 + 1 + 3) / 60,
        },
    ),
    # Tau-b if one of two judges ties the last two of three films.
    "rank_correlation.3": Answers(
        right=kendall(order_of_three, tied, variant="b"),
        wrong_answers={"variant_a": kendall(order_of_three, tied), "tie_ignored": 1.0},
    ),
    # The reciprocal rank if the relevant items are at ranks 5 and 6.
    "rank_correlation.again": Answers(
        right=ranking.reciprocal_rank([0, 0, 0, 0, 1, 1]),
        wrong_answers={
            "both_items": 1 / 5 + 1 / 6,
            "second_item": 1 / 6,
            "items_above": 1 / 4,
            "rank_itself": 5,
        },
    ),
}


def answers_dcg(grades):
    """Return the answers to a question about the DCG of some grades."""
    return Answers(
        right=dcg(grades),
        wrong_answers={
            "no_discount": sum(grades),
            "clipped_discount": dcg(grades, discount=clipped_log2),
            "one_rank_late": dcg([0, *grades]),
        },
    )


# Gain and discount
ANSWERS |= {
    # DCG of the grades 1, 3, 0 and 2.
    "gain.1": answers_dcg([1, 3, 0, 2]),
    # How much DCG rises when the only good item moves from rank 4 to rank 1.
    "gain.2": Answers(
        right=dcg([3, 0, 0, 0]) - dcg([0, 0, 0, 3]),
        wrong_answers={"no_discount": 0, "all_lost": 3, "before": dcg([0, 0, 0, 3])},
    ),
    # The mean reciprocal rank if the first hits are at ranks 1, 2 and 4.
    "gain.again": Answers(
        right=ranking.reciprocal_rank([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 1]]).mean(),
        wrong_answers={"mean_rank": 1 / np.mean([1, 2, 4]), "sum": 1 + 1 / 2 + 1 / 4},
    ),
    # Readers who stop
    # RBP of a list of three, of which items 1 and 3 are good, if p is 0.6.
    "stopping.1": Answers(
        right=ranking.rbp([1, 0, 1], p=0.6),
        wrong_answers={
            "not_normalised": 1 + 0.6**2,
            "other_way_round": ranking.rbp([1, 0, 1], p=0.4),
            "other_persistence": ranking.rbp([1, 0, 1], p=0.8),
        },
    ),
    # ERR of two items of the highest grade, 3, which satisfies 7 of 8 readers.
    "stopping.2": Answers(
        right=ranking.err([3, 3], max_grade=3),
        wrong_answers={
            "nobody_stops": 7 / 8 + 7 / 8 / 2,
            "not_divided": 7 / 8 + 1 / 8 * 7 / 8,
            "first_only": 7 / 8,
        },
    ),
    # DCG of the grades 2, 0 and 1.
    "stopping.again": Answers(
        right=dcg([2, 0, 1]),
        wrong_answers={"no_discount": 3, "next_rank": 2 + 1 / np.log2(3)},
    ),
}

# NDCG
missed = [3, 3, 2, 1]
ANSWERS |= {
    # nDCG@3 of a list with the grades 0, 3 and 1, if nothing else is relevant.
    "nDCG.1": Answers(
        right=ndcg([0, 3, 1], [0, 3, 1]),
        wrong_answers={
            "dcg": dcg([0, 3, 1]),
            "clipped_discount": ndcg([0, 3, 1], [0, 3, 1], discount=clipped_log2),
            "plain_sum": dcg([0, 3, 1]) / (0 + 3 + 1),
        },
    ),
    # DCG of the grades 2, 1, 0 and 3.
    "nDCG.again": answers_dcg([2, 1, 0, 3]),
    # The name of the gain under which the grades 2, 3, 1 have an nDCG@3 of 0.84.
    "nDCG.2": Answers(
        right="exponential_gain",
        wrong_answers={"binary": "binary_gain", "linear": "linear_gain", "burges": "ndcg_burges"},
    ),
    # nDCG@5 of a perfectly ordered list that misses a page of grade 3.
    "nDCG.3": Answers(
        right=ndcg([3, 2, 1, 0, 0], missed, k=5),
        wrong_answers={
            "ideal_of_shown": 1.0,
            "clipped_discount": ndcg([3, 2, 1, 0, 0], missed, k=5, discount=clipped_log2),
        },
    ),
    # Evaluating your own system
    # Whether a 95 % interval from -0.01 to 0.05 shows a difference.
    "own.1": Answers(right="no", wrong_answers={"mean_alone": "yes"}),
    # The mean over 120 judged users if 96 have a mean of 0.50 and the others 0.
    "own.2": Answers(
        right=96 * 0.50 / 120,
        wrong_answers={"answered_users": 0.50, "inverted": 120 * 0.50 / 96},
    ),
    # Users needed to find a difference of 0.02, if 120 users are enough for 0.06.
    "own.3": Answers(
        right=120 * (0.06 / 0.02) ** 2,
        wrong_answers={"not_squared": 120 * (0.06 / 0.02)},
    ),
    # The p-value of the sign test, in both directions, if all five people gain.
    "own.again": Answers(
        right=significance.sign_test([1] * 5, [0] * 5).p,
        wrong_answers={"one_direction": 1 / 2**5, "people": 2 / 5},
    ),
    # Significance
    # The two-sided p of the sign test if all six people are better off.
    "difference.1": Answers(
        right=significance.sign_test([1] * 6, [0] * 6).p,
        wrong_answers={"one_direction": 0.5**6, "people": 1 / 6},
    ),
    # People needed for an interval of width 0.04, if 50 people give a width of 0.08.
    "difference.2": Answers(
        right=50 * (0.08 / 0.04) ** 2,
        wrong_answers={"not_squared": 50 * (0.08 / 0.04)},
    ),
    # The smallest of ten p-values, 0.012, after Holm's correction.
    "difference.3": Answers(
        right=significance.adjust([0.012] + [0.5] * 9)[0],
        wrong_answers={"uncorrected": 0.012, "divided": 0.012 / 10, "one_less": 0.012 * 9},
    ),
    # nDCG@3 of a perfectly ordered list that misses a page of grade 3.
    "difference.again": Answers(
        right=ndcg([3, 1, 0], [3, 3, 1], k=3),
        wrong_answers={
            "ideal_of_shown": 1.0,
            "clipped_discount": ndcg([3, 1, 0], [3, 3, 1], k=3, discount=clipped_log2),
            "dcg": dcg([3, 1, 0]),
        },
    ),
}

# Training and test rows
# Both functions return rounds: pairs of training rows and test rows.
last_out_test = splitting.leave_last_out(list("aaaabbbccde"), list(range(11)))[0][1]
first_fold_test = splitting.k_fold(10, 3)[0][1]
ANSWERS |= {
    # The number of test rows in leave_last_out if five people have 4, 3, 2, 1 and 1 rows.
    "split.1": Answers(
        right=len(last_out_test),
        wrong_answers={"all_people": 5, "training_rows": 11 - 3},
    ),
    # The number of test rows in the first fold, if ten rows are split into three folds.
    "split.2": Answers(
        right=len(first_fold_test),
        wrong_answers={"rounded_down": 3, "training_rows": 6, "fraction": 10 / 3},
    ),
    # The training rows are from days 1, 2, 4, 7 and 9. Which share is later than day 5?
    "split.3": Answers(
        right=2 / 5,
        wrong_answers={"count": 2, "all_rows": 2 / 6, "earlier_rows": 3 / 5},
    ),
    # Recall@5 if three of six relevant items are among the five shown.
    "split.again": Answers(
        right=ranking.recall([1, 0, 1, 1, 0], 6, k=5),
        wrong_answers={"precision": 3 / 5},
    ),
    # Coverage and novelty
    # Catalogue coverage of three lists from a catalogue of ten items.
    "beyond.1": Answers(
        right=catalog_coverage([[0, 1], [1, 2], [3, 1]], 10),
        wrong_answers={
            "places": 6 / 10,
            "count": 4,
            "lists": 3 / 10,
            "prediction_coverage": 1,
        },
    ),
    # Mean inverse user frequency of a book that 10 of 80 people know.
    "beyond.2": Answers(
        right=beyond_accuracy.inverse_user_frequency([10], 80),
        wrong_answers={"share": 10 / 80, "natural_logarithm": np.log(8), "no_logarithm": 8},
    ),
    # Precision@5 if two of the three items that are shown are relevant.
    "beyond.again": Answers(
        right=ranking.precision([1, 0, 1], k=5),
        wrong_answers={"items_shown": 2 / 3},
    ),
}

# Measures of clicks
# The weight of place p is 1 / log2(p + 1).
clicked_weights = 1 + 1 / np.log2(3)
unclicked = fuzzy.lukasiewicz(1 / np.log2(3), 0.0)  # at place 2
all_weights = (1 / np.log2(np.arange(2, 7))).sum()
ANSWERS |= {
    # Click-through rate of a list of five that is clicked at places 1 and 2.
    "clicks.1": Answers(right=2 / 5, wrong_answers={"count": 2.0}),
    # The same rate with places weighted by their discount.
    "clicks.2": Answers(
        right=clicked_weights / all_weights,
        wrong_answers={
            "divided_by_places": clicked_weights / 5,
            "click_through_rate": 0.4,
            "not_divided": clicked_weights,
        },
    ),
    # Łukasiewicz's measure of a list of two that is clicked at place 1 only.
    "clicks.3": Answers(
        right=(fuzzy.lukasiewicz(1.0, 1.0) + unclicked) / 2,
        wrong_answers={
            "click_through_rate": 1 / 2,
            "sum": 1 + unclicked,
            "weight_kept": (1 + 1 / np.log2(3)) / 2,
            "weighted": 1 / clicked_weights,
        },
    ),
    # Truth of an implication by Łukasiewicz: 0.8 was promised, and 0.5 was the outcome.
    "clicks.again": Answers(
        right=fuzzy.lukasiewicz(0.8, 0.5),
        wrong_answers={
            "missing_part": 0.8 - 0.5,
            "promise": 0.8,
            "product": fuzzy.product(0.8, 0.5),
            "goedel": fuzzy.goedel(0.8, 0.5),
        },
    ),
}

# Checking the figures of a paper
click_rate, base_rate = ledger.printed_interval("0.51"), ledger.printed_interval("0.35")
n_readers = 1000
reciprocal_ranks = ranking.reciprocal_rank([[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1]])
hit_rates = {f"{n_hits / n_readers:.4f}" for n_hits in range(n_readers + 1)}
ANSWERS |= {
    # The smallest value that rounds to 0.4.
    "paper.1": Answers(
        right=float(ledger.printed_interval("0.4").low),
        wrong_answers={"itself": 0.4, "whole_unit": 0.3, "above": 0.36},
    ),
    # The largest ratio of two numbers that are printed as 0.51 and 0.35.
    "paper.2": Answers(
        right=float(click_rate.high) / float(base_rate.low),
        wrong_answers={
            "printed_numbers": 0.51 / 0.35,
            "both_high": float(click_rate.high) / float(base_rate.high),
        },
    ),
    # The number of different hit rates of 1,000 readers, if printed with four decimals.
    "paper.3": Answers(
        right=len(hit_rates),
        wrong_answers={"readers": n_readers, "all_decimals": 10**4 + 1},
    ),
    # The mean reciprocal rank if the first hits are at ranks 1, 2 and 5, and one list has none.
    "paper.again": Answers(
        right=reciprocal_ranks.sum() / 4,
        wrong_answers={
            "mean_rank": 3 / (1 + 2 + 5),
            "sum": reciprocal_ranks.sum(),
            "without_fourth": reciprocal_ranks.mean(),
            "hit_rate": 3 / 4,
        },
    ),
}

# Matchmakers for ten contracts (walk 1)
winner_ranks = [1, 2, 3, 2, 3, 3]
n_contracts = 10
lists = np.zeros((n_contracts, 3))  # 1 at the rank of the winner
lists[np.arange(len(winner_ranks)), np.array(winner_ranks) - 1] = 1
reciprocal_ranks = ranking.reciprocal_rank(lists)
awards = [5, 4, 3] + 12 * [2] + 14 * [1]
is_head = beyond_accuracy.short_head(awards, crossing="outside")
most_awarded = np.tile([0, 1, 2], (n_contracts, 1))
ANSWERS |= {
    # The MRR@3 of ten lists, of which six have the winner, at these ranks.
    "contracts.1": Answers(
        right=reciprocal_ranks.mean(),
        wrong_answers={
            "misses_left_out": reciprocal_ranks.sum() / len(winner_ranks),
            "mean_rank": 1 / np.mean(winner_ranks),
            "hit_rate": ranking.hit(lists).mean(),
            "sum": reciprocal_ranks.sum(),
        },
    ),
    # The LTP@3 of the three most awarded bidders if the crossing bidder is in the tail.
    "contracts.2": Answers(
        right=beyond_accuracy.long_tail_percentage(most_awarded, is_head),
        wrong_answers={
            "formula": 0,
            "share_of_head": is_head[:3].mean(),
            "bidders": 1 - is_head.mean(),
        },
    ),
}

# The list of a group (walk 2)
points, best = [10, 4, 1, 2], [10, 9, 8, 7]  # of U2
list_dcg, best_dcg = (dcg(gains, discount=clipped_log2) for gains in (points, best))
ANSWERS |= {
    # The film of U1 whose points the report takes for those of M2, the group's fourth film.
    "borda.1": Answers(
        right="M7",
        wrong_answers={
            "wrong_place": "M2",
            "third_film": "M10",
            "second_film": "M4",
            "first_film": "M8",
            "number": 7,
        },
    ),
    # The satisfaction of a member who gives 10, 4, 1 and 2 points to the films of the list, and
    # 10, 9, 8 and 7 to her own best four.
    "borda.2": Answers(
        right=list_dcg / best_dcg,
        wrong_answers={
            "no_weights": sum(points) / sum(best),
            "shifted_discount": dcg(points) / dcg(best),
            "ten_points_each": sum(points) / 40,
            "not_divided": list_dcg,
            "reversed": best_dcg / list_dcg,
        },
    ),
}

# Promises and outcomes (walk 3)
place_promises = fuzzy.dcg_scaling(6)(fuzzy.linear_score(np.arange(1, 7), 6))
unclicked = fuzzy.lukasiewicz(place_promises, np.zeros(6))
ANSWERS |= {
    # Truth of a broken promise by the product implicator.
    "maps.1": Answers(
        right=fuzzy.product(0.8, 0.6),
        wrong_answers={
            "lukasiewicz": fuzzy.lukasiewicz(0.8, 0.6),
            "goedel": fuzzy.goedel(0.8, 0.6),
            "multiplied": 0.8 * 0.6,
            "inverted": 0.8 / 0.6,
        },
    ),
    # Łukasiewicz's mean over a list of six places that nobody clicks.
    "maps.2": Answers(
        right=unclicked.mean(),
        wrong_answers={
            "promises_added": place_promises.mean(),
            "last_place": unclicked[-1],
            "goedel": fuzzy.goedel(place_promises, np.zeros(6)).mean(),
            "sum": unclicked.sum(),
        },
    ),
}

# The order of retrieved cases (walk 4)
truth = {"A": 0.9, "B": 0.7, "C": 0.4, "D": 0.1}
first_two_swapped = {"B": 4, "A": 3, "C": 2, "D": 1}
middle_swapped = {"A": 4, "C": 3, "B": 2, "D": 1}
weights = retrieval.quality_stromer_weights(4)
is_right_place = np.array([False, False, True, True])
ANSWERS |= {
    # Stromer's quality if the first two of four cases are swapped.
    "stromer.1": Answers(
        right=retrieval.quality_stromer(truth, first_two_swapped),
        wrong_answers={
            "misses": retrieval.quality_stromer(truth, first_two_swapped, count="misses"),
            "share_of_places": is_right_place.mean(),
            "all_found": retrieval.quality_mueller(truth, first_two_swapped),
            "low_weights": (weights - 1) @ is_right_place / (weights - 1).sum(),
            "not_divided": weights @ is_right_place,
        },
    ),
    # Müller's quality at 2 if the second and the third of four cases are swapped.
    "stromer.2": Answers(
        right=retrieval.quality_mueller(truth, middle_swapped, k=2),
        wrong_answers={
            "retrieved_case": 1 - truth["C"] / 2,
            "not_divided": 1 - truth["B"],
            "share_of_hits": retrieval.hits_normalized(truth, middle_swapped, k=2),
            "all_cases": 1 - truth["B"] / len(truth),
        },
    ),
}

# People in a network (walk 5)
gains, n_hidden = [1, 0, 0, 0, 1, 0, 0, 0, 0, 0], 5
n_links, n_places = 86, 10
n_judged, n_people = 46, 72
n_reached = 76  # hidden links that the best recommenders find
ANSWERS |= {
    # The AP@10 of a list that finds two of five hidden links, at ranks 1 and 5.
    "network.1": Answers(
        right=ranking.average_precision(gains, n_hidden),
        wrong_answers={
            "only_hits": ranking.average_precision(gains, 2),
            "places": ranking.average_precision(gains, n_places),
            "reciprocal_rank": (1 + 1 / 5) / n_hidden,
            "sum": ranking.average_precision(gains, n_hidden) * n_hidden,
            "precision": ranking.precision(gains),
            "recall": ranking.recall(gains, n_hidden),
        },
    ),
    # The highest possible mean Precision@10 of 46 people, who have 86 hidden links together.
    "network.2": Answers(
        right=n_links / (n_judged * n_places),
        wrong_answers={
            "full_lists": 1,
            "everybody": n_links / (n_people * n_places),
            "reached": n_reached / (n_judged * n_places),
            "mean_links": n_links / n_judged,
            "one_direction": n_links / 2 / (n_judged * n_places),
        },
    ),
}
