"""Document 000: matchmakers, which recommend bidders for public contracts.

`random_bidders`
    Bidders at random.
`most_awarded`
    The bidders who won most often.
`case_based`
    The bidders whose past contracts agree with the new one.
"""

from receval.matchmaking.exact import case_based, most_awarded, random_bidders

__all__ = ["case_based", "most_awarded", "random_bidders"]
