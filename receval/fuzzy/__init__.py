"""Fuzzy challenge-response framework: how far a model implies what is observed (document 002).

`implicators`
    Implicators, their conjunctors, residuation, axioms.
`scaling`
    The linear score of a place, the DCG step function, scaled implicators.
`challenge_response`
    Situations, reductions between them, and the degree to which a reduction holds.
`online`
    From a log of recommendations, clicks and visits to on-line measures.
`quantifiers`
    Founded and critical implication, from a four-fold table.
`reliability`
    How much on-line measures depend on the users, and the ceiling of any predictor.
`predictability`
    Which off-line metric implies which on-line measure, and a test of it.
"""

from receval.fuzzy import challenge_response, online, predictability, reliability
from receval.fuzzy.challenge_response import Reduction, Situation
from receval.fuzzy.online import (
    attribute_clicks,
    attribute_visits,
    impression_of,
    online_intervals,
    online_measures,
    online_terms,
)
from receval.fuzzy.predictability import (
    PredictabilityTest,
    aggregate_bodies,
    agreement_matrix,
    degrees_of_truth,
    implication_matrix,
    implication_ranks,
    kendall_matrix,
    metric_advice,
    predictability_test,
    rank_stability,
    selection_regret,
)
from receval.fuzzy.quantifiers import (
    FourfoldTable,
    Quantifier,
    critical_implication,
    founded_implication,
    fourfold_table,
)
from receval.fuzzy.reliability import OnlineDraws, online_draws
from receval.metrics import connectives as implicators
from receval.metrics.connectives import (
    Witness,
    conjunctor,
    fodor,
    fodor_conjunctor,
    goedel,
    goedel_conjunctor,
    goedel_disjunctor,
    goguen,
    implicator,
    kleene_dienes,
    kleene_dienes_conjunctor,
    lukasiewicz,
    lukasiewicz_conjunctor,
    lukasiewicz_disjunctor,
    modus_ponens,
    product,
    product_conjunctor,
    product_disjunctor,
    reichenbach,
    reichenbach_conjunctor,
    rescher,
    rescher_conjunctor,
    residuation_gaps,
    scaling,
    violations,
)
from receval.metrics.connectives.scaling import (
    ScaledImplicator,
    StepScaling,
    dcg_scaling,
    discount_scaling,
    identity,
    linear_score,
    scaled,
)

__all__ = [
    "FourfoldTable",
    "OnlineDraws",
    "PredictabilityTest",
    "Quantifier",
    "Reduction",
    "ScaledImplicator",
    "Situation",
    "StepScaling",
    "Witness",
    "aggregate_bodies",
    "agreement_matrix",
    "attribute_clicks",
    "attribute_visits",
    "challenge_response",
    "conjunctor",
    "critical_implication",
    "dcg_scaling",
    "degrees_of_truth",
    "discount_scaling",
    "fodor",
    "fodor_conjunctor",
    "founded_implication",
    "fourfold_table",
    "goedel",
    "goedel_conjunctor",
    "goedel_disjunctor",
    "goguen",
    "identity",
    "implication_matrix",
    "implication_ranks",
    "implicator",
    "implicators",
    "impression_of",
    "kendall_matrix",
    "kleene_dienes",
    "kleene_dienes_conjunctor",
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
    "rank_stability",
    "reichenbach",
    "reichenbach_conjunctor",
    "reliability",
    "rescher",
    "rescher_conjunctor",
    "residuation_gaps",
    "scaled",
    "scaling",
    "selection_regret",
    "violations",
]
