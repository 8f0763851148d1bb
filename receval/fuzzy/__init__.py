"""The fuzzy challenge-response framework of document 002: how far a model implies what users do.

`implicators`
    Implicators, their conjunctors, residuation, axioms.
`scaling`
    The linear score of a place, the DCG step function, scaled implicators.
`challenge_response`
    Situations, reductions between them, the degree to which a reduction holds, and founded and
    critical implication.
`online`
    On-line measures, computed from a log of recommendations, clicks and visits.
`reliability`
    How much on-line measures depend on the users, and how well any predictor can agree with them.
`counterfactual`
    Estimates of what a policy would have earned, from the log of another policy.
`predictability`
    Which off-line metric implies which on-line measure.
`testing`
    Whether a metric predicts a measure by more than chance would give.
"""

from receval.fuzzy import challenge_response, counterfactual, online, predictability, reliability
from receval.fuzzy.attribution import attribute_clicks, attribute_visits, impression_of
from receval.fuzzy.challenge_response import (
    FourfoldTable,
    Quantifier,
    Reduction,
    Situation,
    critical_implication,
    founded_implication,
    fourfold_table,
)
from receval.fuzzy.counterfactual import (
    PolicyValue,
    doubly_robust,
    ips,
    snips,
)
from receval.fuzzy.online import online_intervals, online_measures, online_terms
from receval.fuzzy.predictability import (
    agreement_matrix,
    degrees_of_truth,
    implication_matrix,
    implication_ranks,
    metric_advice,
    selection_regret,
)
from receval.fuzzy.reliability import OnlineDraws, online_draws
from receval.fuzzy.testing import PredictabilityTest, predictability_test
from receval.metrics import connectives as implicators
from receval.metrics.connectives import (
    conjunctor,
    fodor,
    goedel,
    goedel_conjunctor,
    goedel_disjunctor,
    implicator,
    kleene_dienes,
    lukasiewicz,
    lukasiewicz_conjunctor,
    lukasiewicz_disjunctor,
    modus_ponens,
    product,
    product_conjunctor,
    product_disjunctor,
    reichenbach,
    rescher,
    residuation_gaps,
    scaling,
    violations,
)
from receval.metrics.connectives.scaling import (
    dcg_scaling,
    linear_score,
    scaled,
)

__all__ = [
    "FourfoldTable",
    "OnlineDraws",
    "PolicyValue",
    "PredictabilityTest",
    "Quantifier",
    "Reduction",
    "Situation",
    "agreement_matrix",
    "attribute_clicks",
    "attribute_visits",
    "challenge_response",
    "conjunctor",
    "counterfactual",
    "critical_implication",
    "dcg_scaling",
    "degrees_of_truth",
    "doubly_robust",
    "fodor",
    "founded_implication",
    "fourfold_table",
    "goedel",
    "goedel_conjunctor",
    "goedel_disjunctor",
    "implication_matrix",
    "implication_ranks",
    "implicator",
    "implicators",
    "impression_of",
    "ips",
    "kleene_dienes",
    "linear_score",
    "lukasiewicz",
    "lukasiewicz_conjunctor",
    "lukasiewicz_disjunctor",
    "metric_advice",
    "modus_ponens",
    "online",
    "online_draws",
    "online_intervals",
    "online_measures",
    "online_terms",
    "predictability",
    "predictability_test",
    "product",
    "product_conjunctor",
    "product_disjunctor",
    "reichenbach",
    "reliability",
    "rescher",
    "residuation_gaps",
    "scaled",
    "scaling",
    "selection_regret",
    "snips",
    "violations",
]
