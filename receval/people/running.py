"""Run a RELISON configuration: train, recommend, evaluate, and write the files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from receval._checks import (
    BoolArray,
    IntArray,
    check_choice,
    check_count,
    check_flag,
    check_integer,
    input_error,
)
from receval._files import check_folder, check_writable, make_folder, write_atomically
from receval._progress import progress_bar
from receval._types import AnyArray
from receval.evaluation import Evaluation, evaluate
from receval.measure.names import convention as named_convention
from receval.people.algorithms import train_recommender
from receval.people.configuration import Configuration, Unsupported, read_configuration
from receval.people.lists import recommend
from receval.people.network import SocialNetwork, check_network, pair_keys, read_link_columns
from receval.people.recommenders.baselines import MAX_SEED
from receval.tables import read_links, write_recommendations
from receval.tables.columns import read_ids

__all__ = ["PeopleRun", "run", "usable_test_links"]

TARGETS = ("all", "test")

REASONS = {
    "unknown": "of users without a training link",
    "trained": "that are training links",
    "reciprocal": "whose reverse is a training link",
}
"""Why test links don't count, by the name of the reason."""


@dataclass(frozen=True, eq=False)
class PeopleRun:
    """The results of a configuration; see `run`.

    Attributes
    ----------
    evaluation : Evaluation
        The measures of every recommender, over the users with test links.
    recommendations : dict of str to DataFrame
        For each recommender, a table with ``user``, ``item`` and ``score``. The keys are RELISON's
        names of the variants.
    left_out : dict of str to int
        Number of test links that don't count, by reason.
    unsupported : list of Unsupported
        Recommenders and measures that receval lacks, with their line numbers.
    """

    evaluation: Evaluation
    recommendations: dict[str, pd.DataFrame]
    left_out: dict[str, int]
    unsupported: list[Unsupported]

    def __repr__(self) -> str:
        return "\n".join([repr(self.evaluation), *self.notes])

    @property
    def notes(self) -> list[str]:
        """Return sentences about what was left out."""
        sentences = [str(entry) for entry in self.unsupported]
        for reason, count in self.left_out.items():
            sentences.append(f"test links left out: {count} {reason}")
        return sentences

    def save(self, folder: str | Path) -> None:
        """Write the files that RELISON's program writes.

        Parameters
        ----------
        folder : path
            The folder; it is created if it doesn't exist. It gets a folder ``recs``, with a file of
            recommended links for each recommender (see `receval.tables.write_recommendations`), and
            ``evaluation.txt``: fields separated by tabs, with the header Variant, Fraction and the
            measures. As in RELISON, variants are sorted by name, and the fraction is the place of
            the variant in this order divided by the number of variants.

        Raises
        ------
        InputError
            If the folder can't be created.
        """
        target = check_results_folder(folder, self.recommendations)
        make_folder(target / "recs")
        for name, lists in self.recommendations.items():
            write_recommendations(lists, target / "recs" / f"{name}.txt")
        summary = self.evaluation.summary.sort_index()
        lines = ["\t".join(["Variant", "Fraction", *summary.columns])]
        for position, (system, values) in enumerate(summary.iterrows(), start=1):
            fraction = position / len(summary)
            lines.append("\t".join([str(system), repr(fraction), *map(repr, values.tolist())]))
        text = "\n".join(lines) + "\n"
        write_atomically(target / "evaluation.txt", lambda file: file.write(text))


def check_results_folder(folder: str | Path, variants: Iterable[str], name: str = "folder") -> Path:
    """Return a folder for the results of variants; raise if their files can't be written there.

    Call this before a long computation. Messages call the folder ``name``.
    """
    target = check_folder(folder, name)
    lists_folder = check_folder(target / "recs", name)
    list_files = [lists_folder / f"{variant}.txt" for variant in variants]
    for path in (target / "evaluation.txt", *list_files):
        if path.exists():
            check_writable(path, name)
    return target


def run(
    algorithms: str | Path | Configuration,
    metrics: str | Path | None,
    train: str | Path | pd.DataFrame,
    test: str | Path | pd.DataFrame,
    *,
    k: int = 10,
    directed: bool = True,
    reciprocal: bool = False,
    targets: str = "all",
    convention: str = "relison_program",
    seed: int = 0,
    progress: bool | None = None,
) -> PeopleRun:
    """Run a configuration of RELISON from beginning to end.

    Every recommender of the configuration learns from the training links and recommends up to k
    users to each user. The test links say which recommendations are right.

    Parameters
    ----------
    algorithms, metrics
        As in `read_configuration`; ``algorithms`` may also be the `Configuration` that it returned.
    train, test : DataFrame or path
        Links as in `SocialNetwork.from_links`, or a file of them; see
        `receval.tables.read_links`. Weights of test links don't matter, as in RELISON.
    k : int, default 10
        The largest number of links to recommend to a user.
    directed : bool, default True
        Whether links have a direction.
    reciprocal : bool, default False
        Whether to recommend people who already link to the user.
    targets : {"all", "test"}, default "all"
        Whether all users of the training links receive recommendations, or only those with test
        links. The values are the same either way, because only users with test links are in the
        means.
    convention : str, default "relison_program"
        The convention for `receval.evaluate`.
    seed : int, default 0
        Seed for recommenders that use random numbers.
    progress : bool, optional
        Whether to show progress bars over the variants and within each; by default only on a
        terminal.

    Returns
    -------
    PeopleRun

    Raises
    ------
    InputError
        If the configuration, a file or a table of links breaks a rule, or no test link counts.

    Notes
    -----
    As in RELISON, a test link doesn't count if one of its users has no training link, or if it is
    itself a training link. If its reverse is a training link, it counts only if ``reciprocal`` is
    True. ``left_out`` counts these links.

    References
    ----------
    RELISON's manual, page "Link recommendation experiments"; document 004.

    Examples
    --------
    >>> grid = '''
    ... algorithms:
    ...   MCN:
    ...     uSel: {type: orientation, values: [OUT, UND]}
    ...     vSel: {type: orientation, values: IN}
    ... metrics:
    ...   Recall:
    ...     cutoff: {type: int, values: 2}
    ... '''
    >>> trained = pd.DataFrame({"user": [1, 2, 1, 4], "item": [2, 3, 4, 5]})
    >>> tested = pd.DataFrame({"user": [1, 2], "item": [3, 5]})
    >>> run(grid, None, trained, tested, k=2).evaluation.summary
                Recall@2
    system
    MCN_OUT_IN       0.5
    MCN_UND_IN       0.5
    """
    check_count(k, "k")
    check_flag(directed, "directed")
    check_flag(reciprocal, "reciprocal")
    check_choice(targets, "targets", TARGETS)
    check_integer(seed, "seed", 0, MAX_SEED)
    if isinstance(algorithms, Configuration):
        configuration = algorithms
    else:
        configuration = read_configuration(algorithms, metrics)
    # Check the convention now, because training the recommenders can take long.
    named_convention(convention)
    trained, train_name, train_path = _read(train, "the training links")
    network = SocialNetwork.from_links(trained, directed=directed, name=train_name, path=train_path)
    tested, test_name, test_path = _read(test, "the test links")
    tested, left_out = usable_test_links(
        network, tested, reciprocal=reciprocal, name=test_name, path=test_path
    )
    target_users = None
    if targets == "test":
        target_users = tested["user"].unique()

    recommendations: dict[str, pd.DataFrame] = {}
    bar = progress_bar(progress, total=len(configuration.variants))
    for name, variant in configuration.variants.items():
        bar.set_description(name)
        scorer = train_recommender(variant, network, seed=seed, progress=progress)
        recommendations[name] = recommend(
            network, scorer, k=k, users=target_users, reciprocal=reciprocal, progress=progress
        )
        bar.update()
    bar.close()
    evaluation = evaluate(
        recommendations,
        tested,
        configuration.measures,
        relevance_column=None,
        convention=convention,
        progress=False,
    )
    return PeopleRun(evaluation, recommendations, left_out, configuration.unsupported)


def usable_test_links(
    network: SocialNetwork,
    links: pd.DataFrame,
    *,
    reciprocal: bool = False,
    name: str = "the test links",
    path: Path | None = None,
) -> tuple[pd.DataFrame, dict[str, int]]:
    """Return the test links that a recommender could recommend, and count the others by reason.

    Parameters
    ----------
    network : SocialNetwork
        The training links.
    links : DataFrame
        The test links, with the columns ``user`` and ``item``.
    reciprocal : bool, default False
        Whether a test link counts even if its reverse is a training link.
    name, path
        As in `SocialNetwork.from_links`.

    Returns
    -------
    DataFrame
        ``user`` and ``item``, sorted by user and then by item. If the network is undirected, each
        link appears in both directions.
    dict of str to int
        The number of links left out, by reason.

    Raises
    ------
    InputError
        If a link is invalid, as in `SocialNetwork.from_links`, ids are of a different type from
        those of the network, or no link is left.

    Examples
    --------
    >>> network = SocialNetwork.from_links(pd.DataFrame({"user": [1, 2], "item": [2, 3]}))
    >>> tested = pd.DataFrame({"user": [1, 1, 2], "item": [3, 9, 1]})
    >>> usable, left_out = usable_test_links(network, tested)
    >>> usable
       user  item
    0     1     3
    >>> left_out
    {'of users without a training link': 1, 'whose reverse is a training link': 1}
    """
    check_network(network)
    check_flag(reciprocal, "reciprocal")
    origins, destinations, _ = read_link_columns(links, name, path=path)
    kind = read_ids(pd.Series(origins), f"users of {name}").kind
    trained_kind = read_ids(pd.Series(network.users), "users of the training links").kind
    if kind != trained_kind:
        rule = f"have ids of the same type as the training links, {trained_kind}"
        raise input_error(name, rule, kind)
    rows, columns = network.codes(origins), network.codes(destinations)
    if not network.directed:
        pairs = np.unique(np.column_stack([np.r_[rows, columns], np.r_[columns, rows]]), axis=0)
        # All unknown users have the code -1, so their links become equal here. Count these links in
        # the table instead.
        rows, columns = pairs.T
    reasons = _reasons(network, rows, columns, reciprocal=reciprocal)
    counts = Counter(reasons[reasons != ""].tolist())
    if not network.directed:
        is_unknown = (network.codes(origins) < 0) | (network.codes(destinations) < 0)
        counts["unknown"] = int(is_unknown.sum())
    left_out = {text: counts[reason] for reason, text in REASONS.items() if counts[reason]}
    if not (reasons == "").any():
        got = ", ".join(f"{count} {reason}" for reason, count in left_out.items())
        raise input_error(name, "have a link that could be recommended", got)
    usable = pd.DataFrame(
        {
            "user": network.users[rows[reasons == ""]],
            "item": network.users[columns[reasons == ""]],
        }
    )
    return usable.sort_values(["user", "item"], ignore_index=True), left_out


def _reasons(
    network: SocialNetwork, rows: IntArray, columns: IntArray, *, reciprocal: bool
) -> AnyArray:
    """Return for each test link why it doesn't count, or "" if it counts.

    ``rows`` and ``columns`` hold the positions of the links' users; -1 is an unknown user. The
    reasons are keys of ``REASONS``.
    """
    reasons = np.full(len(rows), "", dtype="U10")
    is_known = (rows >= 0) & (columns >= 0)
    reasons[~is_known] = "unknown"
    in_network = np.flatnonzero(is_known)
    is_trained = _have_link(network, rows[in_network], columns[in_network])
    has_reverse = _have_link(network, columns[in_network], rows[in_network])
    if not reciprocal:
        reasons[in_network[has_reverse]] = "reciprocal"
    reasons[in_network[is_trained]] = "trained"
    return reasons


def _have_link(network: SocialNetwork, rows: IntArray, columns: IntArray) -> BoolArray:
    """Return whether each pair of positions is a training link."""
    n = len(network.users)
    links = network.links.tocoo()
    return np.isin(pair_keys(rows, columns, n), pair_keys(links.row, links.col, n))


def _read(links: str | Path | pd.DataFrame, name: str) -> tuple[pd.DataFrame, str, Path | None]:
    """Return a table of links, its name in messages, and the path of its file.

    If ``links`` is a table, its name is ``name`` and it has no path. If it is a file, its name is
    the name of the file.
    """
    if isinstance(links, (str, Path)):
        path = Path(links)
        return read_links(path), path.name, path
    return links, name, None
