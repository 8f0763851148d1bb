"""The answers that must not change: values, tables, tests and folds, as flat tables.

Each function of `PARTS` returns the answers of one part as a list of records: the case, the place
in its answer, and the number or the text there. Commit 6fd6a9a8 stored them, with the package of
the commit that ``COMMIT`` names. Don't store them again to make a test pass: list what changes on
purpose in ``CHANGES.md``.
"""

import dataclasses
import sys
import warnings
from collections.abc import Mapping
from enum import Enum
from pathlib import Path

import numpy as np
import pandas as pd

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parents[1] / "bad_inputs")]

import scale_data  # noqa: E402

import receval  # noqa: E402
from receval import splitting  # noqa: E402

FOLDER = Path(__file__).parent
N_USERS = 14
TIES = [
    "item", "item_descending", "text", "trec_eval", "input", "optimistic", "pessimistic", "average",
]  # fmt: skip
CUT = [
    "HR", "MRR", "Precision", "Recall", "F1", "MAP", "ERR", "CG", "DCG", "nDCG", "AUC", "RBP",
    "nov_u", "nov_t", "ILD", "MIUF", "ARP", "Gini", "CC", "LTP",
]  # fmt: skip
MEASURES = [
    *CUT, *[f"{name}@{k}" for k in (3, 10) for name in CUT if name != "AUC"],
    "R-Precision", "bpref", "PC", "RBP(p=0.5)@5", "MRR(rel=2)@10",
]  # fmt: skip
REFUSED = "refused"
"""The measures of a convention that has none of that name are recorded as refused."""


# Flat records -------------------------------------------------------------------------------------


def flatten(value, place=""):
    """Yield (place, number or text) for everything in an answer."""
    if isinstance(value, float):  # first, because most are
        yield place, float(value)
    elif value is None or isinstance(value, bool | np.bool_ | str | Enum | pd.Timestamp):
        yield place, str(value)
    elif isinstance(value, int | np.number):
        yield place, float(value)
    elif isinstance(value, pd.DataFrame):
        for column in value:
            yield from flatten(value[column], f"{place}/{column}")
    elif isinstance(value, pd.Series | Mapping):
        for label, element in value.items():
            yield from flatten(element, f"{place}/{label}")
    elif isinstance(value, pd.Index | list | tuple | np.ndarray):
        for number, element in enumerate(value):
            yield from flatten(element, f"{place}/{number}")
    elif isinstance(value, splitting.Splits):
        yield from flatten([list(fold) for fold in value], place)
    elif dataclasses.is_dataclass(value):
        for name in public_fields(value):
            if not callable(getattr(value, name)):
                yield from flatten(getattr(value, name), f"{place}.{name}")
    elif isinstance(getattr(value, "table", None), pd.DataFrame):
        yield from flatten(value.table, f"{place}.table")
    else:
        yield place, type(value).__name__


def public_fields(value):
    """Return the names of a dataclass's fields; a private field may have a public property."""
    names = [field.name for field in dataclasses.fields(value)]
    public = [name.lstrip("_") for name in names]
    return [name for name in public if name in names or hasattr(type(value), name)]


def records(case, value):
    """Return the records of one case."""
    return [(case, place, element) for place, element in flatten(value)]


def records_of(value_by_case):
    """Return the records of several cases."""
    return [row for case, value in value_by_case.items() for row in records(case, value)]


def answer(function, *arguments, **options):
    """Return what a call returns; a refusal is the argument that its message names."""
    with warnings.catch_warnings(action="ignore"):
        try:
            return function(*arguments, **options)
        except receval.InputError as error:
            return f"{REFUSED}: {named_argument(error)}"


def named_argument(error):
    """Return the argument or column that the message of an `InputError` begins with."""
    return str(error).partition(" must ")[0].partition("[")[0]


# Values -------------------------------------------------------------------------------------------


def tables(is_text):
    """Return the arguments of `evaluate` on tied scores, without the measures."""
    recommendations, relevance, history, catalogue = scale_data.tables(text=is_text, users=N_USERS)
    return {
        "recommendations": recommendations,
        "relevance": relevance,
        "items": catalogue,
        "history": history,
    }


def evaluate(options, refused):
    """Evaluate all measures but those that were refused when the answers were stored.

    The first of these is tried again. Return the result and the names that are refused.
    """
    allowed = [name for name in MEASURES if name not in refused]
    if not isinstance(answer(receval.evaluate, **options, measures=refused[:1]), str):
        refused = refused[1:]
    return receval.evaluate(**options, measures=allowed), refused


def cases():
    """Yield the name and the arguments of each case."""
    numbers, texts = tables(is_text=False), tables(is_text=True)
    for convention in receval.conventions().index:
        yield f"{convention}", {**numbers, "convention": convention}
        for ties in TIES:
            yield f"{convention}, {ties}", {**texts, "convention": convention, "ties": ties}
    recommendations, relevance = numbers["recommendations"], numbers["relevance"]
    repeated = pd.concat([recommendations, recommendations.iloc[::7]], ignore_index=True)
    reversed_scores = recommendations.assign(score=1 - recommendations["score"])
    changes = {
        "seen items dropped": {"seen": "drop"},
        "repeats": {"recommendations": repeated, "duplicates": "first"},
        "two systems": {"recommendations": {"A": recommendations, "B": reversed_scores}},
        "relevant from 2": {"relevant_from": 2},
        "answered": {"users": "answered"},
        "both": {"users": "both"},
    }
    for convention in ("receval", "trec_eval", "lenskit"):
        for name, options in changes.items():
            yield f"{convention}, {name}", {**numbers, "convention": convention, **options}
    whole = relevance["relevance"].round().astype(int)
    yield "whole grades", {**numbers, "relevance": relevance.assign(relevance=whole)}


def read_refused_measures():
    """Return the measures that each case refused when the answers were stored, by case."""
    stored = pd.read_parquet(FOLDER / "values.parquet")
    stored = stored[stored["place"] == f"/{REFUSED}"].set_index("case")["text"]
    return {case: text.split(", ") if text else [] for case, text in stored.items()}


def value_records():
    """Return the values by user, means, counts and notes of all cases."""
    stored_refusals = read_refused_measures()
    found = []
    for case, options in cases():
        if case not in stored_refusals:
            continue  # a convention that is newer than the stored answers
        with warnings.catch_warnings(action="ignore"):
            result, refused = evaluate(options, stored_refusals[case])
        found += records(case, {REFUSED: ", ".join(refused)})
        answers = {"summary": result.summary, "counts": result.counts, "notes": result.notes()}
        if ", " not in case or "systems" in case:
            answers["ties"] = result.ties()
        per_user = result.per_user
        answers |= {f"per_user/{measure}": per_user[measure].to_numpy() for measure in per_user}
        found += records(case, answers)
    return found


def rating_records():
    """Return the errors of predicted ratings by user, under every convention that allows them."""
    recommendations, relevance, _, _ = scale_data.tables(text=False, users=N_USERS)
    answers = {}
    for convention in receval.conventions().index:
        options = {"convention": convention, "measures": ["RMSE", "MAE", "MSE"]}
        result = answer(receval.evaluate, recommendations, relevance, **options)
        if not isinstance(result, str):
            result = {"per_user": result.per_user, "summary": result.summary}
        answers[convention] = result
    return records_of(answers)


def order_records():
    """Return the users of each case, in the order of the values."""
    results = {
        is_text: receval.evaluate(**tables(is_text), measures=["nDCG"]) for is_text in (False, True)
    }
    return records_of(
        {f"users, text {key}": each.per_user.index.map(str) for key, each in results.items()}
    )


# Comparisons, folds, and which --------------------------------------------------------------------


def systems():
    """Return three systems on one truth, and its rows."""
    arguments = tables(is_text=False)
    recommendations = arguments["recommendations"]
    rng = np.random.default_rng(5)
    by_name = {"A": recommendations}
    for name in ("B", "C"):
        noise = rng.normal(0, 0.4, len(recommendations))
        by_name[name] = recommendations.assign(score=recommendations["score"] + noise)
    return by_name, arguments["relevance"]


def comparison_records():
    """Return tables of comparisons under each test and correction, and intervals."""
    by_name, relevance = systems()
    result = receval.evaluate(by_name, relevance, ["nDCG@5", "MRR", "HR@3"])
    answers = {"interval": answer(result.interval)}
    for test in ("t", "wilcoxon", "sign", "permutation"):
        for correction in ("holm", "bh"):
            options = {"test": test, "correction": correction}
            answers[f"{test}, {correction}"] = answer(result.compare, "A", **options)
    return records_of(answers)


def pooled_records():
    """Return means over folds, for measures by user and for set-level ones."""
    by_name, relevance = systems()
    users = relevance["user"].drop_duplicates().to_numpy()
    folds = {}
    for number, (_, test) in enumerate(splitting.k_fold(len(users), 3, rng=4)):
        part = relevance[relevance["user"].isin(users[test])]
        folds[number] = receval.evaluate(by_name, part, ["nDCG@5", "MRR"])
    result = receval.pooled(folds)
    return records("folds", {"summary": result.summary, "counts": result.counts})


def which_records():
    """Return the conventions that give a value, for several printed values."""
    by_name, relevance = systems()
    answers = {}
    for measure in ("nDCG@5", "MAP@10", "Precision@5"):
        value = receval.evaluate(by_name["A"], relevance, measure).summary.iloc[0, 0]
        for printed in (f"{value:.2f}", f"{value:.4f}"):
            table = receval.which(printed, by_name["A"], relevance, measure)
            by_convention = table[table["changes"] == ""].set_index("convention")["value"]
            changed = table[table["changes"] != ""].set_index("changes")["value"]
            answers[f"{measure} = {printed}"] = by_convention
            answers[f"{measure} = {printed}, changed"] = changed
    return records_of(answers)


# Workings and functions ---------------------------------------------------------------------------


def explain_records():
    """Return the working of each measure for one user, under three conventions."""
    stored_refusals = read_refused_measures()
    answers = {}
    for convention in ("receval", "trec_eval", "fuzzy"):
        options = {**tables(is_text=True), "convention": convention}
        result, _ = evaluate(options, stored_refusals[convention])
        user = result.per_user.index[3]
        for measure in result.per_user:
            answers[f"{convention}, {measure}"] = answer(result.explain, user, measure)
    return records_of(answers)


def function_records():
    """Return what each public function with a fixed input returns."""
    from calls import CALLS

    kept_rooms = (
        "ranking", "working", "retrieval", "discounts", "prediction", "classification", "beyond",
        "group", "fuzzy", "splitting", "recommend", "significance", "matchmaking", "groups",
    )  # fmt: skip
    found = []
    for name, (function, arguments) in CALLS.items():
        if name.partition(".")[0] in kept_rooms and not is_timed(name):
            result = answer(function, **arguments)
            found += records(name, result)
            if name == "fuzzy.predictability_test":
                # The stored table had the means of the cells.
                means = result.table.groupby("metric")[["value", "by_chance", "lift"]].mean()
                found += [(name, f".table{place}", number) for place, number in flatten(means)]
    return found


def is_timed(name):
    """Return whether the answer of a function has seconds in it."""
    return name in ("retrieval.evaluate_retrievers", "retrieval.evaluate_macfac")


def ranking_records():
    """Return each metric of ranked lists on a hundred random lists, with and without a cut-off."""
    rng = np.random.default_rng(11)
    gains = rng.integers(0, 4, (100, 12)).astype(float)
    for row, length in enumerate(rng.integers(2, 13, 100)):
        gains[row, length:] = np.nan
    relevance = np.sort(np.nan_to_num(gains), axis=-1)[:, ::-1]
    n_relevant = (relevance > 0).sum(axis=-1) + rng.integers(0, 3, 100)
    metrics = receval.metrics
    values = {"auc": metrics.auc(gains), "r_precision": metrics.r_precision(gains, n_relevant)}
    for k in (None, 5):
        values |= {
            f"hit, k {k}": metrics.hit(gains, k=k),
            f"reciprocal_rank, k {k}": metrics.reciprocal_rank(gains, k=k),
            f"precision, k {k}": metrics.ranking.precision(gains, k=k),
            f"recall, k {k}": metrics.ranking.recall(gains, n_relevant, k=k),
            f"average_precision, k {k}": metrics.average_precision(gains, n_relevant, k=k),
            f"cumulative_gain, k {k}": metrics.cumulative_gain(gains, k=k),
            f"rbp, k {k}": metrics.ranking.rbp(gains, k=k),
            f"err, k {k}": metrics.ranking.err(gains, max_grade=4, k=k),
        }
        for discount in ("shifted_log2", "clipped_log2", "reciprocal"):
            for gain in ("linear_gain", "exponential_gain"):
                options = {
                    "k": k, "discount": getattr(metrics, discount), "gain": getattr(metrics, gain),
                }  # fmt: skip
                rules = f"{discount}, {gain}, k {k}"
                values[f"dcg, {rules}"] = metrics.dcg(gains, **options)
                values[f"ndcg, {rules}"] = metrics.ndcg(gains, relevance, **options)
    return records_of(values)


def split_records():
    """Return the folds of every splitter, with its seed, on a log with equal times and gaps."""
    rng = np.random.default_rng(3)
    users = rng.integers(0, 9, 60)
    items = rng.integers(0, 20, 60)
    days = rng.permutation(60)
    times = pd.Series(pd.Timestamp("2026-01-01") + pd.to_timedelta(days, "D"))
    some_missing = times.mask(days % 9 == 0)
    table = pd.DataFrame({"user": users, "item": items, "time": times})
    calls = {
        "k_fold": lambda: splitting.k_fold(60, 5, rng=7),
        "time_series_folds": lambda: splitting.time_series_folds(times, 5),
        "time_series_folds, missing": lambda: splitting.time_series_folds(some_missing, 5),
        "fixed_time": lambda: splitting.fixed_time(times, "2026-02-01"),
        "fill_missing_dates": lambda: splitting.fill_missing_dates(some_missing),
        "leave_last_out": lambda: splitting.leave_last_out(users, times),
        "hold_out": lambda: splitting.hold_out(60, share=0.3, rng=7),
        "hold_out_per_user": lambda: splitting.hold_out_per_user(users, share=0.4, rng=7),
        "hold_out_users": lambda: splitting.hold_out_users(users, share=0.3, rng=7),
        "warm_users": lambda: splitting.warm_users(table[:30], table[30:], user="user"),
        "single_winner": lambda: splitting.single_winner(table, contract="item", winner="user"),
        "leakage": lambda: splitting.leakage(
            table[:30], table[30:], user="user", item="item", time="time"
        ),
    }
    return records_of({name: answer(call) for name, call in calls.items()})


def ledger_records():
    """Return the printed figures of the ledger, and their recorded verdicts."""
    from receval import published
    from receval._files import notebook_paths, notebooks_folder

    table = published.ledger(notebook_paths(notebooks_folder()))
    columns = ["printed", "expected", "verdict", "computed"]
    frame = table[[column for column in columns if column in table]].astype(str)
    return [
        (str(label), column, text)
        for column in frame
        for label, text in zip(table.index.map(str), frame[column], strict=True)
    ]


PARTS = {
    "values": value_records,
    "ratings": rating_records,
    "order": order_records,
    "comparisons": comparison_records,
    "pooled": pooled_records,
    "which": which_records,
    "workings": explain_records,
    "functions": function_records,
    "ranking": ranking_records,
    "splits": split_records,
    "ledger": ledger_records,
}


def to_frame(rows):
    """Return records as a frame with a number or a text in each row."""
    frame = pd.DataFrame(rows, columns=["case", "place", "answer"], dtype=object)
    is_number = frame["answer"].map(lambda answer: isinstance(answer, float))
    number = frame["answer"].where(is_number, np.nan).astype(float)
    return frame.assign(number=number, text=frame["answer"].mask(is_number, None))
