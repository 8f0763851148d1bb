"""The command ``receval groups``: let groups choose from ratings in files."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

import pandas as pd

from receval._checks import EvaluationWarning, check_choice, check_unique, input_error
from receval._escape import for_terminal
from receval._types import Options
from receval.cli.files import check_output_files
from receval.cli.options import Commands, add_command, add_digits, add_format
from receval.cli.tables import print_table, with_notes
from receval.groups import evaluate_groups
from receval.metrics.group.strategies import OPTION_BY_STRATEGY, STRATEGIES
from receval.tables.codes import shared_code_arrays
from receval.tables.columns import check_no_rows, read_column, read_ids, read_numbers
from receval.tables.reading import READ_IN_WORDS, read_any
from receval.tables.writing import WRITTEN_IN_WORDS, write_table


def add_groups(commands: Commands) -> None:
    """Add the command ``receval groups``."""
    parser = add_command(
        commands,
        "groups",
        groups,
        summary="Let groups choose items by several strategies, and measure satisfaction.",
        description=f"""\
Read the ratings of users and the members of groups, aggregate the ratings of each group by
strategies such as borda, and print how satisfied the members are with the lists. The satisfaction
of a member is the nDCG of the group's list under the member's own ratings.
Files may be CSV or Parquet ({READ_IN_WORDS}).""",
        example="receval groups ratings.csv groups.csv --strategy borda,average --k 10",
    )
    parser.add_argument(
        "ratings", type=Path, help="a file of ratings: the columns member, item and rating"
    )
    parser.add_argument("groups", type=Path, help="a file of groups: the columns group and member")
    parser.add_argument(
        "--strategy",
        "-s",
        default="average",
        metavar="NAMES",
        help=f"strategies separated by commas: {', '.join(STRATEGIES)} (default: %(default)s)",
    )
    parser.add_argument(
        "--k",
        type=int,
        default=10,
        metavar="N",
        help="number of recommended items (default: %(default)s)",
    )
    _add_strategy_options(parser)
    for role in ("group", "member", "item", "rating"):
        parser.add_argument(
            f"--{role}",
            default=role,
            metavar="NAME",
            help=f"name of the {role} column (default: %(default)s)",
        )
    parser.add_argument(
        "--per-member",
        type=Path,
        metavar="FILE",
        help=f"write the satisfaction of every member to this file ({WRITTEN_IN_WORDS})",
    )
    parser.add_argument(
        "--lists",
        type=Path,
        metavar="FILE",
        help=f"write the lists of the groups to this file ({WRITTEN_IN_WORDS})",
    )
    add_digits(parser)
    add_format(parser)


def _add_strategy_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of strategies, and the option for the column by which groups choose."""
    parser.add_argument(
        "--by",
        metavar="NAME",
        help="name of a column by which the groups choose, such as predicted ratings; satisfaction "
        "still comes from the members' ratings (default: the ratings)",
    )
    parser.add_argument(
        "--threshold",
        type=float,
        metavar="RATING",
        help="the lowest rating that approves an item, or that causes no misery; for the "
        "strategies that need a threshold",
    )
    parser.add_argument(
        "--ties",
        metavar="RULE",
        help="for borda: place of items that a member rates equally: lowest (default) or mean",
    )
    parser.add_argument(
        "--trust",
        type=Path,
        metavar="FILE",
        help="for most_respected: a file with the columns member and trusted",
    )
    parser.add_argument(
        "--each",
        dest="common",
        action="store_false",
        help="average each strategy over the groups that have a value under it (default: over the "
        "groups that have a value under all strategies)",
    )


def groups(arguments: argparse.Namespace) -> int:
    """Run ``receval groups`` and return its exit status."""
    outputs = {"--per-member": arguments.per_member, "--lists": arguments.lists}
    check_output_files(outputs, [arguments.ratings, arguments.groups, arguments.trust])
    ratings, members, notes = _ratings_by_group(arguments)
    trust = None
    if arguments.trust is not None:
        trust = read_any(arguments.trust, ids=["member", "trusted"])
    with warnings.catch_warnings(
        record=True, action="always", category=EvaluationWarning
    ) as raised:
        result = evaluate_groups(
            ratings,
            _options_by_strategy(arguments),
            k=arguments.k,
            by=arguments.by,
            members=members,
            trust=trust,
            common=arguments.common,
            group=arguments.group,
            member=arguments.member,
            item=arguments.item,
            rating=arguments.rating,
        )
    notes += [str(warning.message) for warning in raised]
    if arguments.per_member is not None:
        write_table(result.per_member.reset_index(), arguments.per_member)
    if arguments.lists is not None:
        write_table(result.lists.reset_index(), arguments.lists)
    table = with_notes(result.summary, digits=arguments.digits)
    print_table(table, result.summary, arguments)
    for note in notes:
        print(for_terminal(f"receval: {note}"), file=sys.stderr)
    return 0


def _options_by_strategy(arguments: argparse.Namespace) -> dict[str, Options]:
    """Return the options of each strategy of the command line.

    Raises `InputError` if a strategy is unknown or named twice, or if no strategy uses an option.
    """
    names = [name.strip() for name in arguments.strategy.split(",")]
    for name in names:
        check_choice(name, "--strategy", STRATEGIES)
    check_unique(names, "--strategy", "strategy")
    options_by_strategy: dict[str, Options] = {name: {} for name in names}
    for option in ("threshold", "ties"):
        value = getattr(arguments, option)
        if value is None:
            continue
        taking = [name for name in names if OPTION_BY_STRATEGY.get(name) == option]
        if not taking:
            strategies = [name for name, other in OPTION_BY_STRATEGY.items() if other == option]
            rule = f"be left out without one of the strategies {', '.join(strategies)}"
            raise input_error(f"--{option}", rule, value)
        for name in taking:
            options_by_strategy[name][option] = value
    return options_by_strategy


def _check_ratings(ratings: pd.DataFrame, arguments: argparse.Namespace) -> None:
    """Raise `InputError` if the file's ratings have a wrong item or number, or an item twice.

    `evaluate_groups` checks the same in a table that repeats a user's ratings for each group, so
    its messages would name other rows.
    """
    if ratings.empty:
        return  # the caller raises the error
    file_name = arguments.ratings.name
    items = read_column(ratings, arguments.item, file_name)
    read_ids(items, f"{arguments.item} in {file_name}")
    numbers = read_column(ratings, arguments.rating, file_name)
    is_negative = read_numbers(numbers, f"{arguments.rating} in {file_name}") < 0
    check_no_rows(numbers, is_negative, f"{arguments.rating} in {file_name}", "be at least 0")
    if arguments.by is not None:
        read_numbers(
            read_column(ratings, arguments.by, file_name), f"{arguments.by} in {file_name}"
        )
    is_repeat = ratings.duplicated([arguments.member, arguments.item]).to_numpy()
    rule = "be rated by a member at most once"
    check_no_rows(items, is_repeat, f"{arguments.item} in {file_name}", rule)


def _ratings_by_group(
    arguments: argparse.Namespace,
) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return the ratings (with a column of groups), the members, and notes on what is left out.

    A user in several groups counts in each of them. The function leaves out ratings of users in no
    group, and groups in which nobody has a rating; the notes count both. Raises `InputError` if the
    ratings already have a column of groups, a member occurs twice in a group, or no member has a
    rating.
    """
    member, group = arguments.member, arguments.group
    ratings = read_any(arguments.ratings, ids=[member, arguments.item])
    members = read_any(arguments.groups, ids=[member, group])
    if group in ratings:
        rule = f"have no column {group!r}, because the groups are in {arguments.groups.name}"
        raise input_error(arguments.ratings.name, rule, f"the column {group!r}")
    rating_members = read_column(ratings, member, arguments.ratings.name)
    _check_ratings(ratings, arguments)
    group_members = read_column(members, member, arguments.groups.name)
    groups_of_members = read_column(members, group, arguments.groups.name)
    # This raises an error if the name of a group is missing.
    read_ids(groups_of_members, f"{group} in {arguments.groups.name}")
    # This raises an error if ids are missing, or are numbers in one file and text in the other.
    shared_code_arrays({"ratings": rating_members, "groups": group_members}, member)
    pairs = pd.DataFrame({group: groups_of_members, member: group_members})
    is_repeat = pairs.duplicated().to_numpy()
    check_no_rows(group_members, is_repeat, arguments.groups.name, "have a member once in a group")

    notes = []
    n_outside = int((~rating_members.isin(group_members)).sum())
    if n_outside:
        notes.append(f"ratings left out: {n_outside} of users who are in no group")
    has_rating = group_members.isin(rating_members)
    n_without = int((~has_rating).sum())
    if n_without:
        notes.append(f"members without a rating: {n_without}")
    rated_groups = groups_of_members[has_rating].unique()
    n_unrated = groups_of_members.nunique() - len(rated_groups)
    if n_unrated:
        notes.append(f"groups left out: {n_unrated} in which nobody has a rating")
    if len(rated_groups) == 0:
        rule = f"have a rating of a member in {arguments.groups.name}"
        raise input_error(arguments.ratings.name, rule, "none")
    kept_pairs = pairs[pairs[group].isin(rated_groups)]
    # Groups are in the order of their file, and each group's ratings in the order of theirs.
    return kept_pairs.merge(ratings, on=member, how="inner"), kept_pairs, notes
