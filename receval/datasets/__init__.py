"""Data sets: examples from the documents, random generators, and checked downloads."""

from receval.datasets.downloads import DataUnavailable, available, fetch, sources, study_needs
from receval.datasets.examples import (
    borda_example,
    fuzzy_algorithms,
    fuzzy_offline_results,
    fuzzy_online_results,
    fuzzy_unit_vectors,
    retrieval_example,
)
from receval.datasets.procurement import procurement, procurement_codes, procurement_texts
from receval.datasets.public import (
    awards_kenya,
    cars,
    film_ratings,
    filmtrust,
    open_bandit,
    open_bandit_policy,
    trust,
)
from receval.datasets.social import clean_links, social_graph, social_links, tutorial_links
from receval.datasets.travel import OnlineLog, TravelData, travel_data, travel_log
from receval.datasets.travel_agency import (
    travel_dates,
    travel_events,
    travel_features,
    travel_feedback,
    travel_histories,
    travel_offline_results,
    travel_recommendations,
    travel_test_histories,
    travel_user_results,
)

__all__ = [
    "DataUnavailable",
    "OnlineLog",
    "TravelData",
    "available",
    "awards_kenya",
    "borda_example",
    "cars",
    "clean_links",
    "fetch",
    "film_ratings",
    "filmtrust",
    "fuzzy_algorithms",
    "fuzzy_offline_results",
    "fuzzy_online_results",
    "fuzzy_unit_vectors",
    "open_bandit",
    "open_bandit_policy",
    "procurement",
    "procurement_codes",
    "procurement_texts",
    "retrieval_example",
    "social_graph",
    "social_links",
    "sources",
    "study_needs",
    "travel_data",
    "travel_dates",
    "travel_events",
    "travel_features",
    "travel_feedback",
    "travel_histories",
    "travel_log",
    "travel_offline_results",
    "travel_recommendations",
    "travel_test_histories",
    "travel_user_results",
    "trust",
    "tutorial_links",
]
