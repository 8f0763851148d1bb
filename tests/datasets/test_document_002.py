"""Tables of document 002 and the ledger's figures that need a download."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from scipy.stats import fisher_exact, norm

from receval import InputError, datasets, fuzzy
from receval import ledger as published


def test_both_offline_runs():
    notebook, table = (datasets.fuzzy_offline_results(run=run) for run in ("notebook", "table"))
    assert notebook.shape == (12, 17)
    assert table.columns.tolist() == [c for c in notebook if c not in ("p5", "p10", "r5")]
    assert_allclose(notebook.loc[1, "1-MAE"], 1 - 0.292326)
    assert_allclose(notebook.loc[6, "p10"] * 570 * 10, 236)
    shared = published.load("002")["inputs"]["table2_metrics"]
    assert published.check("002/table2_offline", table[shared].to_numpy()).as_expected
    with pytest.raises(InputError, match="run must be one of 'notebook', 'table'"):
        datasets.fuzzy_offline_results(run="HT2020")


def test_unit_vectors_are_those_of_the_raw_values():
    offline, online = datasets.fuzzy_unit_vectors()
    for unit, raw in (
        (offline, datasets.fuzzy_offline_results()),
        (online, datasets.fuzzy_online_results()),
    ):
        assert unit.columns.tolist() == raw.columns.tolist()
        assert_allclose(np.sqrt((unit**2).sum()), 1, atol=3e-6)
        assert_allclose(unit, raw / np.sqrt((raw**2).sum()), rtol=0, atol=2.5e-5)


def test_tables_are_fresh_each_time():
    for read in (datasets.fuzzy_online_results, datasets.fuzzy_algorithms):
        first, before = read(), read()
        first.iloc[0, 0] = first.iloc[1, 0]
        pd.testing.assert_frame_equal(read(), before)


def test_lengths_of_lists_tell_where_diversity_was_on():
    online = datasets.fuzzy_online_results()
    ten, twenty = ((1 / np.log2(np.arange(2, n + 2))).sum() for n in (10, 20))
    implied = (20 * online["ILv"] - twenty) / online["IGv_pos"]
    served = np.where(implied < (ten + twenty) / 2, "yes", "no").tolist()
    assert served == datasets.fuzzy_algorithms()["server_diversity"].tolist()
    # The flags were changed in the first days: never on, on at first, on later.
    steps = ([3, 8, 11, 12], [2, 4, 9], [1, 5, 6, 7, 10])
    bounds = [implied[ids].agg(["min", "max"]).round(2).tolist() for ids in steps]
    assert bounds == [[6.91, 7.0], [6.29, 6.51], [4.65, 4.92]]


@pytest.mark.parametrize("flag", ["novelty", "diversity"])
def test_table_1_is_corrected_in_one_reading_only(flag):
    """The caption says "off-line trained", so the off-line rows decide, for both columns."""
    algorithms = datasets.fuzzy_algorithms()
    printed, by_rows, served = (
        algorithms[f"{source}_{flag}"] for source in ("printed", "notebook", "server")
    )
    assert published.check(f"002/table1_{flag}", by_rows.tolist()).verdict == "erratum"
    assert published.check(f"002/table1_{flag}", served.tolist()).verdict == "unexplained"
    assert algorithms.index[printed != by_rows].tolist() == [10]
    # No reading gives the printed column.
    assert algorithms.index[printed != served].tolist() == [1, 2, 4, 5, 6, 7, 9]
    assert "Neither reading" in published.figure(f"002/table1_{flag}")["reason"]


@pytest.mark.parametrize("by_equation", [False, True])
def test_what_the_lengths_of_the_lists_change_and_what_the_equation_changes(by_equation):
    offline, online = datasets.fuzzy_offline_results(), datasets.fuzzy_online_results()
    has_ten = datasets.fuzzy_algorithms()["server_diversity"] == "yes"
    places = has_ten.map({True: 10, False: 20})
    share = places.map(lambda k: (1 / np.log2(np.arange(2, k + 2))).sum()) / places
    if by_equation:
        ILv = 1 - share * (1 - online["IGv_pos"])
    else:
        ILv = share * (1 + online["IGv_pos"])
    counts = online[["IGv", "IGv_nov"]].mul(20 / places, axis=0)
    matrix = fuzzy.implication_matrix(offline, online.assign(**counts, ILv=ILv), fuzzy.product)
    ranks = fuzzy.implication_ranks(matrix).mean(axis=1)
    whole = ranks[["AUC", "nDCG"]].max()
    top = ranks[["MAP", "MRR", "p5", "p10", "r5", "r10", "nDCG10", "nDCG100"]].min()
    assert (whole, top) == ((8.75, 7.25) if by_equation else (8.875, 6.5))
    reason = published.figure("002/whole_list_metrics")["reason"]
    assert f"{whole:.3f}" in reason
    assert f"{top:.3f}" in reason


def p_of_proportions(done, of):
    pooled = sum(done) / sum(of)
    error = np.sqrt(pooled * (1 - pooled) * (1 / of[0] + 1 / of[1]))
    return 2 * norm.sf(abs(done[0] / of[0] - done[1] / of[1]) / error)


def test_p_values_of_the_second_test_from_their_slips_and_without():
    figures = published.load("002s")["figures"]
    names = ("shown", "users", "opened", "visits")
    shown, users, opened, visits = (
        np.array(figures[f"second_{name}"]["printed"], int) for name in names
    )
    arms, pairs = [3, 2], {"z_clicks": (opened, [1, 0]), "z_visits": (visits, [1, 4])}
    rest = {"slip": users, "without": shown - opened}
    fisher = {k: fisher_exact([[opened[i], of[i]] for i in arms]).pvalue for k, of in rest.items()}
    assert_allclose(fisher["slip"], float(figures["second_fisher"]["printed"]))
    assert published.check("002s/second_fisher", fisher["without"]).verdict == "erratum"
    for name, (done, of) in pairs.items():
        assert published.check(
            f"002s/second_{name}", p_of_proportions(done[of], shown[of])
        ).as_expected
    slip = p_of_proportions(visits[[1, 4]], [16910, 19558])
    assert_allclose(slip, float(figures["second_z_visits"]["printed"]))
