"""The command ``receval people``: run a configuration of RELISON."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from receval._checks import EvaluationWarning, input_error
from receval._escape import for_terminal
from receval.cli.options import Commands, add_command, add_digits, add_format
from receval.cli.tables import print_table
from receval.people import read_configuration
from receval.people import run as run_configuration
from receval.people.running import TARGETS, check_results_folder

EXAMPLE = "receval people algorithms.yml train.txt test.txt --output results/"


def add_people(commands: Commands) -> None:
    """Add the command ``receval people``."""
    parser = add_command(
        commands,
        "people",
        people,
        summary="Run a RELISON configuration: train people recommenders and evaluate their lists.",
        description="""\
Read the algorithms and metrics from one or two YAML files. Train every recommender on the
training links, recommend the best users to each user, and compare the lists with the test
links. Files of links have the fields origin, destination and, optionally, weight, separated by
tabs. receval lists the recommenders and measures that it lacks, with their line numbers, and
runs the others.""",
        example=EXAMPLE,
    )
    parser.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="the YAML file of algorithms and metrics, or one file of each; then the training "
        "links and the test links. With --dry-run, the files of links may be left out",
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        metavar="FOLDER",
        help="write evaluation.txt and recs/VARIANT.txt into this folder, as RELISON does",
    )
    parser.add_argument(
        "--dry-run",
        action="store_true",
        help="only print the variants and measures of the configuration",
    )
    parser.add_argument(
        "--k",
        type=int,
        default=10,
        metavar="N",
        help="largest number of links to recommend to a user (default: %(default)s)",
    )
    parser.add_argument(
        "--undirected",
        dest="directed",
        action="store_false",
        help="links count in both directions (default: links have a direction)",
    )
    parser.add_argument(
        "--reciprocal",
        action="store_true",
        help="also recommend users who already link to the target user",
    )
    parser.add_argument(
        "--targets",
        choices=TARGETS,
        default="all",
        help="users who receive recommendations: all, or those with test links; the means are "
        "the same either way (default: %(default)s)",
    )
    parser.add_argument(
        "--convention",
        "-c",
        default="relison_program",
        metavar="NAME",
        help="the tool whose choices to follow (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="seed of the random numbers of Random and iMF (default: %(default)s)",
    )
    add_digits(parser)
    add_format(parser)


def people(arguments: argparse.Namespace) -> int:
    """Run ``receval people`` and return its exit status."""
    yaml_files, link_files = _split_files(arguments.files, dry_run=arguments.dry_run)
    configuration = read_configuration(*yaml_files)
    if arguments.dry_run:
        for name in configuration.variants:
            print(for_terminal(name))
        print(for_terminal(f"measures: {', '.join(configuration.measures)}"))
        _print_notes([str(entry) for entry in configuration.unsupported])
        return 0
    if arguments.output is not None:
        # Check the folder before the work, so that a wrong folder does not waste the work.
        check_results_folder(arguments.output, configuration.variants, "--output")
    train_links, test_links = link_files
    # The notes below the printed table say the same as the warnings.
    with warnings.catch_warnings(action="ignore", category=EvaluationWarning):
        result = run_configuration(
            configuration,
            None,
            train_links,
            test_links,
            k=arguments.k,
            directed=arguments.directed,
            reciprocal=arguments.reciprocal,
            targets=arguments.targets,
            convention=arguments.convention,
            seed=arguments.seed,
        )
    if arguments.output is not None:
        result.save(arguments.output)
    table = result.evaluation.table(digits=arguments.digits)
    print_table(table, result.evaluation.summary, arguments)
    _print_notes(result.notes)
    return 0


def _split_files(files: list[Path], *, dry_run: bool) -> tuple[list[Path], list[Path]]:
    """Return the one or two YAML files, and the files of the training and of the test links.

    Files that end in .yml or .yaml are YAML files. Raises `InputError` unless there are first one
    or two YAML files, and then two files of links. With ``dry_run``, there may also be no files of
    links.
    """
    yaml_files = [file for file in files if file.suffix.lower() in (".yml", ".yaml")]
    link_files = [file for file in files if file not in yaml_files]
    is_in_order = files == yaml_files + link_files
    may_lack_links = dry_run and not link_files
    has_links = len(link_files) == 2 or may_lack_links
    if not (len(yaml_files) in (1, 2) and is_in_order and has_links):
        rule = "be ALGORITHMS.yml [METRICS.yml] TRAIN TEST, the first ones ending in .yml or .yaml"
        raise input_error("the files", rule, ", ".join(map(str, files)))
    return yaml_files, link_files


def _print_notes(notes: list[str]) -> None:
    """Print notes to standard error, because a program that reads standard output needs a table."""
    for note in notes:
        print(for_terminal(f"receval: {note}"), file=sys.stderr)
