"""Document 000: matchmakers, which recommend bidders for public contracts.

`random_bidders`
    Bidders at random.
`most_awarded`
    The bidders who won most often.
`page_rank`
    The bidders with the greatest page rank in the graph of awards.
`case_based`
    The bidders whose past contracts agree with the new one, exactly or through a hierarchy of
    codes.
`rescal`
    The bidders that a tensor factorization predicts.
`full_text`
    The bidders whose past contracts have the most similar text.
"""

from receval.matchmaking.exact import case_based, most_awarded, random_bidders
from receval.matchmaking.full_text import full_text
from receval.matchmaking.graph import page_rank, rescal

__all__ = [
    "case_based",
    "full_text",
    "most_awarded",
    "page_rank",
    "random_bidders",
    "rescal",
]
