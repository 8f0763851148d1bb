"""Matchmakers on the graph of contracts, bidders and features: page rank and RESCAL."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.linalg import eigsh

from receval._arrays import without_rounding_noise
from receval._checks import (
    FloatArray,
    as_ids,
    check_count,
    check_not_empty,
    check_number,
    check_that,
)
from receval.matchmaking.lists import (
    best_bidders,
    check_contracts,
    code_winners,
    link_matrix,
    long_table,
    read_feature,
    read_feature_of_both,
)
from receval.tables.columns import check_no_rows, read_column, shared_codes

DAMPING = 0.85  # the probability that the walker follows a link
TOLERANCE = 1e-12  # the sum of changes at which the power iteration ends
SCORE_DIGITS = 9  # scores that are equal to this number of decimals count as equal
FIT_TOLERANCE = 1e-4  # the change of the fit at which the factorization ends
MAX_ITERATIONS = 100  # of the factorization
SCORED_AT_ONCE = 256  # number of contracts that are scored for all bidders at once


# Page rank ----------------------------------------------------------------------------------------


def page_rank(
    awards: pd.DataFrame, contracts: pd.DataFrame, *, features: Sequence[str] = (), k: int = 10
) -> pd.DataFrame:
    r"""For every contract, recommend the k bidders with the greatest page rank.

    .. math:: r(v) = \frac{1 - d}{n} + d \sum_{u \sim v} \frac{r(u)}{deg(u)}

    The graph has a node for each bidder, each contract, and each value of the features. A contract
    is linked to its winners and to its values; links have no direction. In each step, a walker
    follows a random link with the probability d = 0.85, and otherwise jumps to a random node.

    Parameters
    ----------
    awards : DataFrame
        Training awards; columns ``contract``, ``bidder``, and the features.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``.
    features : sequence of str, optional
        Columns whose values are nodes, such as ``["authority"]``. Without features, and if every
        contract has one winner, the graph falls apart into one star per bidder. The page rank then
        depends on the number of awards only.
    k : int, default 10
        Length of the lists; all bidders, if there are fewer.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``: the page rank divided by the mean page rank
        of all nodes, to nine decimals; equal scores in order of the bidders' ids.

    Raises
    ------
    InputError
        If there is no award; if a bidder, a contract or a feature's column is missing; if a
        contract occurs twice in ``contracts``; or if k is not a positive integer.

    Notes
    -----
    The thesis behind document 000 ranks bidders with a function that its database provides, over
    all of its linked data. Neither its data nor its formula is published, so the graph and formula
    above are ours.

    References
    ----------
    The thesis behind document 000, section "Blind matchmakers". Brin and Page (1998).

    Examples
    --------
    >>> awards = pd.DataFrame({"contract": [1, 2, 3], "bidder": ["a", "b", "b"]})
    >>> page_rank(awards, pd.DataFrame({"contract": [7]})).round(4)
       contract bidder   score
    0         7      b  1.4595
    1         7      a  1.0000
    """
    check_contracts(contracts)
    feature_names = as_ids(features, "features", "be names of columns")
    k = check_count(k, "k")
    winners, bidders = code_winners(awards)
    past = read_column(awards, "contract", "awards", " for page_rank")
    check_no_rows(past, past.isna().to_numpy(), "awards['contract']", "be known")
    contract_codes, distinct_contracts = pd.factorize(past)
    # The first nodes are the bidders. Then come the contracts, and the values of each feature.
    contract_nodes = len(bidders) + contract_codes
    n_nodes = len(bidders) + len(distinct_contracts)
    subjects = [contract_nodes]
    objects = [winners]
    for feature in feature_names:
        codes, values = pd.factorize(read_feature(awards, feature, "awards"))
        is_known = codes >= 0  # a missing value has no node
        subjects.append(contract_nodes[is_known])
        objects.append(n_nodes + codes[is_known])
        n_nodes += len(values)
    links = link_matrix(np.concatenate(subjects), np.concatenate(objects), n_nodes)
    ranks = _power_iteration(links + links.T)[: len(bidders)]
    # Bidders whose nodes have the same links differ by rounding errors only, so round the scores.
    scores = np.round(ranks * n_nodes, SCORE_DIGITS)
    top = np.argsort(-scores, kind="stable")[:k]
    lists = np.tile(top, (len(contracts), 1))
    return long_table(contracts, bidders, lists, scores[lists])


def _power_iteration(links: csr_array) -> FloatArray:
    """Return the page rank of every node of a graph in which every node has a link."""
    n_nodes = links.shape[0]
    n_links = links.sum(axis=0)
    ranks = np.full(n_nodes, 1 / n_nodes)
    change = np.inf
    while change >= TOLERANCE:  # each step shrinks the change to at most the damping's share of it
        moved = (1 - DAMPING) / n_nodes + DAMPING * (links @ (ranks / n_links))
        change = np.abs(moved - ranks).sum()
        ranks = moved
    return ranks


# RESCAL: factorization of a tensor ----------------------------------------------------------------


def rescal(
    awards: pd.DataFrame,
    contracts: pd.DataFrame,
    features: Sequence[str],
    *,
    rank: int = 50,
    regularization: float = 10.0,
    k: int = 10,
) -> pd.DataFrame:
    r"""Recommend the k bidders for whom a tensor factorization predicts an award most strongly.

    .. math:: score(b, c) = A_c R_{award} A_b^T

    The entities are the contracts (training and new ones), the bidders and the features' values.
    The tensor has a slice for the awards, which links contracts to winners, and a slice for each
    feature, which links each contract to its value. The links of the new contracts to their winners
    are unknown, so they are 0.

    Parameters
    ----------
    awards : DataFrame
        Training awards; columns ``contract``, ``bidder`` and the features. A contract with several
        winners has a row for each.
    contracts : DataFrame
        Contracts to recommend bidders for; column ``contract``, and the features.
    features : sequence of str
        Columns of both tables, such as ``["main_object", "authority"]``. A missing value has no
        link.
    rank : int, default 50
        The number of latent features; below the number of entities.
    regularization : float, default 10
        Penalty of the factors of entities and of relations.
    k : int, default 10
        Length of the lists; all bidders, if there are fewer.

    Returns
    -------
    DataFrame
        Columns ``contract``, ``bidder`` and ``score``; equal scores in order of the bidders' ids.
        Lists have no minimum score: every contract that shares a value with an award has k bidders,
        as in the thesis. A contract that shares none has no row, because nothing connects it with
        the bidders.

    Raises
    ------
    InputError
        If there is no award; if a bidder, a contract or a feature is missing; if no feature is
        named; if a contract occurs twice or in both tables; if the ids of contracts are not all
        integers or all text; or if a number is out of range.

    Notes
    -----
    The thesis' program recommends only bidders who win a tested contract, so it knows part of the
    answers. Here every bidder with a training award can be recommended.

    References
    ----------
    The thesis behind document 000, sections "RESCAL-based matchmakers" and "Ranking matches";
    Nickel, Tresp and Kriegel (2011).

    Examples
    --------
    >>> awards = pd.DataFrame({"contract": [1, 2, 3, 4], "bidder": list("aabb")})
    >>> awards["object"] = ["road", "road", "bridge", "bridge"]
    >>> new = pd.DataFrame({"contract": [7], "object": ["bridge"]})
    >>> lists = rescal(awards, new, ["object"], rank=4, regularization=0.01)
    >>> lists["bidder"].tolist()
    ['b', 'a']
    """
    winners, bidders = code_winners(awards)
    k = min(check_count(k, "k"), len(bidders))
    feature_names = as_ids(features, "features", "be names of columns")
    check_not_empty(feature_names, "features", "name at least one column")
    past = read_column(awards, "contract", "awards", " for rescal")
    new = check_contracts(contracts)
    # Raises if one is missing, or if 1 and "1" would look like two contracts.
    codes_by_table, _ = shared_codes({"awards": past, "contracts": new}, "contract")
    past_codes, new_codes = codes_by_table["awards"], codes_by_table["contracts"]
    rule = "be other contracts than those of the awards"
    advice = "Leave the tested contracts out of the awards"
    check_no_rows(new, np.isin(new_codes, past_codes), "contracts['contract']", rule, advice)
    # The new contracts come after the past ones, in the order of their rows.
    contract_codes, distinct = pd.factorize(np.concatenate([past_codes, new_codes]))
    n_contracts = len(distinct)
    n_past = n_contracts - len(new)
    ends = [(contract_codes[: len(awards)], n_contracts + winners)]
    n_entities = n_contracts + len(bidders)
    # If a contract shares no value with an award, its scores are rounding errors only.
    shares_a_value = np.zeros(n_contracts, dtype=bool)
    for feature in feature_names:
        past_values, new_values = read_feature_of_both(awards, contracts, feature)
        codes, values = pd.factorize(pd.concat([past_values, new_values], ignore_index=True))
        is_known = codes >= 0
        ends.append((contract_codes[is_known], n_entities + codes[is_known]))
        is_in_awards = is_known & np.isin(codes, codes[: len(awards)])
        shares_a_value[contract_codes[is_in_awards]] = True
        n_entities += len(values)
    slices = [link_matrix(subjects, objects, n_entities) for subjects, objects in ends]
    entities, relations = _factorize(slices, rank, regularization)

    bidder_factors = relations[0] @ entities[n_contracts:][: len(bidders)].T
    new_factors = entities[n_past:n_contracts]
    # No product is larger than that of the lengths of both vectors.
    length_of_bidders = np.linalg.norm(bidder_factors, axis=0).max()
    largest_scores = np.linalg.norm(new_factors, axis=1, keepdims=True) * length_of_bidders
    lists = np.full((len(contracts), k), -1)
    list_scores = np.zeros((len(contracts), k))
    for start in range(0, len(contracts), SCORED_AT_ONCE):
        block = slice(start, start + SCORED_AT_ONCE)
        scores = without_rounding_noise(
            new_factors[block] @ bidder_factors, scale=largest_scores[block]
        )
        lists[block], list_scores[block] = best_bidders(scores, k)
    lists[~shares_a_value[n_past:]] = -1
    return long_table(contracts, bidders, lists, list_scores)


def _factorize(
    matrices: list[csr_array], rank: int, regularization: float
) -> tuple[FloatArray, list[FloatArray]]:
    r"""Factorize the slices of a tensor by alternating least squares (RESCAL).

    .. math:: \min_{A, R} \sum_s \lVert X_s - A R_s A^T \rVert^2
        + \lambda \Bigl( \lVert A \rVert^2 + \sum_s \lVert R_s \rVert^2 \Bigr)

    ``matrices`` are the slices :math:`X_s`, of shape (entities, entities), and ``regularization``
    is :math:`\lambda`. Returns A, with a row of latent features for each entity, and the list of
    all :math:`R_s`, of shape (rank, rank). Raises if a number is out of range.

    The first A has eigenvectors of the sum of all slices and their transposes. Each iteration
    computes A for the current R, and then R for the new A. Only products of a sparse
    slice with A are formed, never the dense tensor.
    """
    n_entities = matrices[0].shape[0]
    rank = check_count(rank, "rank")
    rule = f"be below the number of entities, {n_entities:,}"
    check_that(rank < n_entities, "rank", rule, rank)
    rule = "a number of at least 0"
    penalty = check_number(regularization, "regularization", rule, lambda x: x >= 0)
    entities = _start_factors(matrices, rank)
    relations = _solve_relations(matrices, entities, penalty)
    norm = sum(float((matrix.data**2).sum()) for matrix in matrices)
    fit = _fit(matrices, entities, relations, norm)
    for _ in range(MAX_ITERATIONS):
        entities = _solve_entities(matrices, entities, relations, penalty)
        relations = _solve_relations(matrices, entities, penalty)
        previous_fit = fit
        fit = _fit(matrices, entities, relations, norm)
        if abs(fit - previous_fit) < FIT_TOLERANCE:
            break
    return entities, relations


def _start_factors(matrices: list[csr_array], rank: int) -> FloatArray:
    """Return the first factors of the entities, shape (entities, rank)."""
    n_entities = matrices[0].shape[0]
    total = sum(matrix + matrix.T for matrix in matrices)
    start = np.random.default_rng(0).standard_normal(n_entities)
    _, vectors = eigsh(total, rank, v0=start)
    # An eigenvector has two signs, and the solver may return either. Take the one whose largest
    # entry is positive.
    largest_entries = vectors[np.abs(vectors).argmax(axis=0), np.arange(rank)]
    factors: FloatArray = vectors * np.sign(largest_entries)
    return factors


def _solve_relations(
    matrices: list[csr_array], entities: FloatArray, penalty: float
) -> list[FloatArray]:
    r"""Return the factors of the relations that best fit the entities' factors A.

    With the singular value decomposition :math:`A = U \Sigma V^T`, the solution is
    :math:`R_s = V (S \circ U^T X_s U) V^T`, :math:`S_{ij} = \sigma_i \sigma_j / (\sigma_i^2
    \sigma_j^2 + \lambda)`.
    """
    u, sigma, v_transposed = np.linalg.svd(entities, full_matrices=False)
    products = np.outer(sigma, sigma).astype(np.float64)
    denominators = products**2 + penalty
    # If a singular value and the penalty are 0, the quotient is 0 / 0. The solution of least norm
    # is then 0.
    shrinkage = np.divide(
        products, denominators, out=np.zeros_like(products), where=products > products.max() * 1e-12
    )
    relations = []
    for matrix in matrices:
        in_space_of_u = u.T @ (matrix @ u)
        relations.append(v_transposed.T @ (shrinkage * in_space_of_u) @ v_transposed)
    return relations


def _solve_entities(
    matrices: list[csr_array],
    entities: FloatArray,
    relations: list[FloatArray],
    penalty: float,
) -> FloatArray:
    r"""Return the next factors of the entities, for given factors of the relations.

    :math:`A \leftarrow \bigl[\sum_s X_s A R_s^T + X_s^T A R_s\bigr] \bigl[\sum_s R_s A^T A R_s^T +
    R_s^T A^T A R_s + \lambda I\bigr]^{-1}`
    """
    rank = entities.shape[1]
    gram = entities.T @ entities
    numerator = np.zeros_like(entities)
    denominator = penalty * np.eye(rank)
    for matrix, relation in zip(matrices, relations, strict=True):
        numerator += matrix @ (entities @ relation.T) + matrix.T @ (entities @ relation)
        denominator += relation @ gram @ relation.T + relation.T @ gram @ relation
    # The denominator is symmetric. Without a penalty, this matrix can be singular, so solve by
    # least squares.
    transposed, *_ = np.linalg.lstsq(denominator, numerator.T, rcond=None)
    return transposed.T.astype(np.float64)


def _fit(
    matrices: list[csr_array], entities: FloatArray, relations: list[FloatArray], norm: float
) -> float:
    r"""Return the share of the tensor's squared entries that the factors explain.

    :math:`\lVert X - A R A^T \rVert^2 = \lVert X \rVert^2 - 2 \langle A^T X A, R \rangle + \langle
    A^T A\, R\, A^T A, R \rangle`, so the dense product isn't formed. Here :math:`\langle P, Q
    \rangle` is the sum of the products of equal cells, and ``norm`` is :math:`\lVert X \rVert^2`.
    """
    gram = entities.T @ entities
    error = norm
    for matrix, relation in zip(matrices, relations, strict=True):
        in_latent_space = entities.T @ (matrix @ entities)
        error += float((relation * (gram @ relation @ gram - 2 * in_latent_space)).sum())
    return 1 - error / norm
