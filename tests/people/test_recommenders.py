"""People recommenders against networkx, RankSys's formulas in plain loops, and hand cases."""

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from receval import InputError
from receval.people import SocialNetwork, recommend, train_recommender
from receval.people.recommenders import (
    adamic_adar,
    bm25,
    common_neighbours,
    cosine,
    implicit_matrix_factorisation,
    item_based_neighbours,
    jaccard,
    personalised_page_rank,
    popularity,
    random_candidates,
    user_based_neighbours,
)

N = 12
ORIENTATIONS = ("OUT", "IN", "UND", "MUTUAL")


def random_links(seed=5, *, undirected=False):
    """Return random weighted links of up to 12 users; user 11 has only incoming links."""
    random = np.random.default_rng(seed)
    matrix = (random.random((N, N)) < 0.3) * random.integers(1, 5, (N, N)).astype(float)
    np.fill_diagonal(matrix, 0)
    matrix[11] = 0
    matrix[:4, 11] = 1
    if undirected:
        matrix = np.triu(matrix, 1)
    users, items = np.nonzero(matrix)
    return pd.DataFrame({"user": users, "item": items, "weight": matrix[users, items]})


@pytest.fixture
def directed():
    return SocialNetwork.from_links(random_links())


@pytest.fixture
def undirected():
    return SocialNetwork.from_links(random_links(undirected=True), directed=False)


def neighbourhoods(network, orientation, *, weighted=True):
    """Return {neighbour: weight} for each user, from the meaning of the orientations."""
    matrix = network.links.toarray()
    result = []
    for user in range(len(matrix)):
        weights = {}
        for other in range(len(matrix)):
            out, back = matrix[user, other], matrix[other, user]
            if not network.directed:
                weight = out
            elif orientation == "OUT":
                weight = out
            elif orientation == "IN":
                weight = back
            elif orientation == "UND":
                weight = out + back
            else:
                weight = (out + back) / 2 if out and back else 0
            if weight:
                weights[other] = weight if weighted else 1
        result.append(weights)
    return result


def all_scores(scorer):
    return scorer(np.arange(N))


def loops(score):
    """Return the matrix of score(u, v), NaN where it is None."""
    values = [[score(u, v) for v in range(N)] for u in range(N)]
    return np.array([[np.nan if value is None else value for value in row] for row in values])


@pytest.mark.parametrize("orientation", ORIENTATIONS)
@pytest.mark.parametrize("weighted", [True, False])
def test_neighbours_of_each_orientation(directed, undirected, orientation, weighted):
    for network in (directed, undirected):
        matrix = network.neighbours(orientation, weighted=weighted).toarray()
        expected = neighbourhoods(network, orientation, weighted=weighted)
        assert [{v: row[v] for v in np.flatnonzero(row)} for row in matrix] == expected


def undirected_graph(network):
    graph = nx.Graph()
    graph.add_nodes_from(range(N))
    graph.add_edges_from(zip(*network.links.nonzero(), strict=True))
    return graph


@pytest.mark.parametrize(
    ("scorer", "oracle"),
    [
        (jaccard, nx.jaccard_coefficient),
        (lambda network: adamic_adar(network, offset=0), nx.adamic_adar_index),
        (common_neighbours, nx.common_neighbor_centrality),
    ],
)
def test_friends_of_friends_as_networkx(undirected, scorer, oracle):
    graph = undirected_graph(undirected)
    pairs = [(u, v) for u in range(N) for v in range(N) if u != v]
    if oracle is nx.common_neighbor_centrality:  # with alpha=1 it counts common neighbours
        expected = {(u, v): value for u, v, value in oracle(graph, pairs, alpha=1)}
    else:
        expected = {(u, v): value for u, v, value in oracle(graph, pairs)}
    scores = all_scores(scorer(undirected))
    for (u, v), value in expected.items():
        if value == 0:
            assert np.isnan(scores[u, v])
        else:
            assert scores[u, v] == pytest.approx(value)


@pytest.mark.parametrize("teleport", [0.1, 0.5, 1])
def test_page_rank_as_networkx(directed, undirected, teleport):
    for network in (directed, undirected):
        graph = nx.DiGraph()
        graph.add_nodes_from(range(N))
        graph.add_edges_from(zip(*network.links.nonzero(), strict=True))
        scores = all_scores(personalised_page_rank(network, teleport=teleport))
        for user in range(N):
            expected = nx.pagerank(
                graph, 1 - teleport, {user: 1}, tol=1e-13, max_iter=2000,
                dangling=dict.fromkeys(range(N), 1),
            )  # fmt: skip
            assert scores[user] == pytest.approx([expected[v] for v in range(N)], abs=1e-8)


@pytest.mark.parametrize("target", ORIENTATIONS)
@pytest.mark.parametrize("candidate", ORIENTATIONS)
def test_common_neighbours_and_those_that_weigh_them(directed, target, candidate):
    of_targets = neighbourhoods(directed, target)
    of_candidates = neighbourhoods(directed, candidate)
    sizes = [len(neighbours) for neighbours in neighbourhoods(directed, "IN")]

    def common(u, v):
        return set(of_targets[u]) & set(of_candidates[v])

    options = {"target": target, "candidate": candidate}
    np.testing.assert_array_equal(
        all_scores(common_neighbours(directed, **options)),
        loops(lambda u, v: len(common(u, v)) or None),
    )
    np.testing.assert_allclose(
        all_scores(jaccard(directed, **options)),
        loops(
            lambda u, v: (
                len(common(u, v)) / len({*of_targets[u], *of_candidates[v]})
                if common(u, v)
                else None
            )
        ),
    )
    np.testing.assert_allclose(
        all_scores(adamic_adar(directed, **options, middle="IN")),
        loops(lambda u, v: sum(1 / np.log2(sizes[w] + 2) for w in common(u, v)) or None),
    )
    np.testing.assert_allclose(
        all_scores(cosine(directed, **options, weighted=True)),
        loops(
            lambda u, v: (
                sum(of_targets[u][w] * of_candidates[v][w] for w in common(u, v))
                / np.linalg.norm(list(of_targets[u].values()))
                / np.linalg.norm(list(of_candidates[v].values()))
                if common(u, v)
                else None
            )
        ),
    )


@pytest.mark.parametrize("is_directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("sides", [("OUT", "IN", "OUT"), ("UND", "MUTUAL", "IN")])
def test_bm25_as_the_program_adds_it_up(is_directed, weighted, sides):
    target, candidate, length = sides
    links = random_links(undirected=not is_directed)
    network = SocialNetwork.from_links(links, directed=is_directed)
    of_targets = neighbourhoods(network, target)
    of_candidates = neighbourhoods(network, candidate, weighted=weighted)
    lengths = [sum(row.values()) for row in neighbourhoods(network, length, weighted=weighted)]
    n_having = [sum(w in row for row in of_candidates) for w in range(N)]

    def score(u, v):
        terms = [
            1.1 * of_candidates[v][w] * np.log((N - n_having[w] + 0.5) / (n_having[w] + 0.5))
            / (0.1 * (1 - 0.2 + 0.2 * lengths[v] / np.mean(lengths)) + of_candidates[v][w])
            for w in of_targets[u] if w in of_candidates[v]
        ]  # fmt: skip
        return sum(terms) if terms else None

    scorer = bm25(
        network, k=0.1, b=0.2, target=target, candidate=candidate, length=length,
        weighted=weighted,
    )  # fmt: skip
    np.testing.assert_allclose(all_scores(scorer), loops(score), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("is_directed", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("n_factors", [3, 30])  # fewer and more than the links of users
def test_imf_in_terms_of_factors(is_directed, weighted, n_factors):
    table = random_links(undirected=not is_directed)
    network = SocialNetwork.from_links(table, directed=is_directed)
    links = network.links.toarray()
    if not weighted:
        links = np.sign(links)

    def solved(rows, others):
        return np.array([
            np.linalg.solve(
                others.T @ ((1 + 40 * row)[:, None] * others) + 15 * np.eye(n_factors),
                others.T @ ((1 + 40 * row) * row),
            )
            for row in rows
        ])  # fmt: skip

    origins = np.sqrt(1 / n_factors) * np.random.default_rng(1).random((N, n_factors))
    for _ in range(3):
        destinations = solved(links.T, origins)
        origins = solved(links, destinations)
    expected = origins @ destinations.T
    expected[links.sum(axis=1) == 0] = np.nan
    scorer = implicit_matrix_factorisation(
        network, n_factors=n_factors, regularization=15, alpha=40, weighted=weighted,
        n_rounds=3, rng=np.random.default_rng(1),
    )  # fmt: skip
    np.testing.assert_allclose(all_scores(scorer), expected, atol=1e-9)


def nearest(similarities, user, k):
    ranked = sorted(
        (v for v in range(N) if v != user and not np.isnan(similarities[user, v])),
        key=lambda v: (-similarities[user, v], v),
    )
    return ranked[:k]


@pytest.mark.parametrize(("q", "weighted"), [(1, False), (2, True), (0, False)])
def test_nearest_neighbours_in_loops(directed, q, weighted):
    links = directed.links.toarray()
    if not weighted:
        links = np.sign(links)
    similarity = jaccard(directed, target="OUT", candidate="OUT")
    similarities = all_scores(similarity)

    def by_users(u, v):
        linking = [w for w in nearest(similarities, u, 3) if links[w, v]]
        return sum(similarities[u, w] ** q * links[w, v] for w in linking) if linking else None

    def by_items(u, v):
        linked = [w for w in range(N) if links[u, w] and v in nearest(similarities, w, 3)]
        return sum(links[u, w] * similarities[w, v] ** q for w in linked) if linked else None

    options = {"k": 3, "similarity": similarity, "q": q, "weighted": weighted}
    for scorer, score in (
        (user_based_neighbours(directed, **options), by_users),
        (item_based_neighbours(directed, **options), by_items),
    ):
        np.testing.assert_allclose(all_scores(scorer), loops(score), rtol=1e-12)


def test_popularity_counts_incoming_links(directed):
    expected = (directed.links.toarray() > 0).sum(axis=0)
    assert (popularity(directed)(np.array([0, 3])) == expected).all()


def test_random_scores_depend_on_the_seed_and_the_user_only(directed):
    scorer = random_candidates(directed, seed=3)
    np.testing.assert_array_equal(scorer(np.array([5, 2])), all_scores(scorer)[[5, 2]])
    assert not np.array_equal(all_scores(scorer), all_scores(random_candidates(directed)))
    scores = all_scores(scorer)
    assert 0 <= scores.min() < 0.1 < 0.9 < scores.max() < 1


def test_recommendations_leave_out_linked_users_and_order_ties_by_id():
    links = pd.DataFrame({"user": [7, 7, 9, 8], "item": [3, 5, 7, 3]})
    network = SocialNetwork.from_links(links)
    lists = recommend(network, popularity(network), k=2, users=[7, 3])
    # 9 links to 7, so 7 isn't recommended to reciprocate; 8 and 9 tie with 0 links.
    assert lists.to_dict("list") == {
        "user": [7, 3, 3], "item": [8, 5, 9], "score": [0, 1, 0],
    }  # fmt: skip
    reciprocal = recommend(network, popularity(network), k=2, users=[7], reciprocal=True)
    assert reciprocal["item"].tolist() == [8, 9]


def test_ties_at_the_end_of_the_list_go_to_lower_ids():
    star = pd.DataFrame({"user": [0] * 5, "item": [5, 4, 3, 2, 1]})
    network = SocialNetwork.from_links(star)
    lists = recommend(network, popularity(network), k=2, users=[1], reciprocal=True)
    assert lists["item"].tolist() == [2, 3]


def test_somebody_without_any_score_gets_no_list():
    network = SocialNetwork.from_links(pd.DataFrame({"user": [1], "item": [2]}))
    lists = recommend(network, common_neighbours(network), k=3)
    assert lists.empty
    assert lists.columns.tolist() == ["user", "item", "score"]


def test_ids_may_be_text():
    network = SocialNetwork.from_links(pd.DataFrame({"user": ["b", "c"], "item": ["c", "a"]}))
    assert recommend(network, common_neighbours(network), k=3).values.tolist() == [["b", "a", 1]]


def test_ids_beyond_int64_keep_their_digits():
    large = 2**63 + 1
    links = pd.DataFrame({"user": np.array([1, 2]), "item": np.array([large, large + 2], "uint64")})
    network = SocialNetwork.from_links(links)
    assert [int(user) for user in network.users] == [1, 2, large, large + 2]


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ({"user": [], "item": []}, "at least one link"),
        ({"user": [1, 2], "item": [2, 2]}, "link anybody to themselves; got 2 in row 1"),
        ({"user": [1, 1], "item": [2, 2]}, "have each link once; got 1 to 2 in row 1"),
        ({"user": [1], "item": ["a"]}, "user and item of links"),
        ({"user": [1, None], "item": [2, 3]}, "user and item of links"),
        (
            {"user": [1], "item": [2], "weight": [0.0]},
            "links must have weights above 0; got 0.0 in row 0",
        ),
        ({"user": [1], "item": [2], "weight": ["x"]}, "weight of links"),
        ({"user": [1]}, "item"),
    ],
)
def test_wrong_links_are_named(links, message):
    with pytest.raises(InputError, match=message):
        SocialNetwork.from_links(pd.DataFrame(links))


def test_two_directions_of_an_undirected_link():
    both = pd.DataFrame({"user": [1, 2], "item": [2, 1], "weight": [2.0, 2.0]})
    network = SocialNetwork.from_links(both, directed=False)
    assert network.links.toarray().tolist() == [[0, 2], [2, 0]]
    assert repr(network) == "SocialNetwork(2 users, 1 undirected links)"
    once = SocialNetwork.from_links(both[:1], directed=False)
    assert once.links.toarray().tolist() == [[0, 2], [2, 0]]
    with pytest.raises(
        InputError, match=r"same weight in both directions.*; got 1 to 2 in row 0, 2 to 1 in row 1"
    ):
        SocialNetwork.from_links(both.assign(weight=[1.0, 2.0]), directed=False)


def test_adamic_adar_is_undefined_through_a_neighbour_with_one_link():
    network = SocialNetwork.from_links(pd.DataFrame({"user": [0, 1], "item": [1, 2]}))
    options = {"middle": "OUT"}
    assert np.isnan(adamic_adar(network, offset=0, **options)(np.array([0]))[0, 2])
    assert adamic_adar(network, **options)(np.array([0]))[0, 2] == pytest.approx(1 / np.log2(3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda n: bm25(n, k=-1, b=0.5), "k must be a number of at least 0"),
        (lambda n: bm25(n, k=1, b=2), r"b must be a number in \[0, 1\]"),
        (lambda n: bm25(n, k=1, b=0.5, length="MUTUAL"), "nobody has a neighbour"),
        (lambda n: jaccard(n, target="BACK"), "orientation"),
        (lambda n: adamic_adar(n, offset=1), "offset must be 0 or 2"),
        (lambda n: personalised_page_rank(n, teleport=0), "teleport"),
        (lambda n: random_candidates(n, seed=-1), "seed"),
        (lambda n: user_based_neighbours(n, k=0, similarity=popularity(n)), "k must"),
        (lambda n: item_based_neighbours(n, k=1, similarity=popularity(n), q=-1), "q must"),
        (
            lambda n: implicit_matrix_factorisation(n, n_factors=2, regularization=0, alpha=1),
            "regularization",
        ),
        (lambda n: recommend(n, popularity(n), k=2, users=[99]), "users must be users.*99"),
        (
            lambda n: train_recommender(("Katz", {}), n),
            "must be a recommender of receval; got 'Katz'",
        ),
        (lambda n: train_recommender(("BM25", {"k": 1.0}), n), "have the parameter"),
    ],
)
def test_wrong_arguments_are_named(call, message):
    network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2], "item": [2, 3]}))
    with pytest.raises(InputError, match=message):
        call(network)
