"""The other tools, each called on many users at once: tables in, one value per user out.

A comparison names the convention that states the tool's choices, and for each of our measures the
tool's own name for it. It answers the tool's values for the users that the tool answers.
"""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import sklearn.metrics
from sklearn.metrics import _ranking

from receval import evaluate
from receval.definitions import Convention, convention
from receval.metrics import exponential_gain

from .tables import as_tables, full_lists, lists_and_truth, yes_and_no

CUTOFFS = (1, 3, 10)
WIDTHS = (2, 5, 12, 30)


@dataclass(frozen=True)
class Comparison:
    """A tool, the convention that states its choices, and its names of our measures."""

    convention: Convention
    names: dict[str, str]
    theirs: Callable
    tables: Callable = lists_and_truth

    def values(self, rng, cases):
        """Return our values and the tool's, users by measures; NaN for users without a value."""
        made = self.tables(rng, cases)
        recs, truth = made if isinstance(made[0], pd.DataFrame) else as_tables(*made)
        ours = evaluate(recs, truth, list(self.names), convention=self.convention)
        theirs = self.theirs(made, self.names)
        return ours.per_user[list(self.names)], theirs.reindex(ours.per_user.index)


def cut(ours, theirs):
    """The names of a measure at every cut-off."""
    return {f"{ours}@{k}": f"{theirs}{k}" for k in CUTOFFS}


# ranx ------------------------------------------------------------------------------------------

RANX = {
    "HR": "hit_rate",
    "MRR": "mrr",
    "MAP": "map",
    "nDCG": "ndcg",
    "DCG": "dcg",
    "Precision": "precision",
    "Recall": "recall",
    "F1": "f1",
}


def by_ranx(tables, names):
    from ranx import Qrels, Run
    from ranx import evaluate as evaluated

    run, truth = tables
    truth = truth.sort_values("user", kind="stable")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ranx and numba warn while they compile
        found = evaluated(
            Qrels(as_dicts(truth, "relevance")),
            Run(as_dicts(run, "score")),
            list(names.values()),
            return_mean=False,
            make_comparable=True,
        )
    columns = {ours: found[theirs] for ours, theirs in names.items()}
    return pd.DataFrame(columns, index=pd.Index(truth["user"].unique(), name="user"))


# trec_eval -------------------------------------------------------------------------------------

TREC_EVAL = {
    "MRR": "recip_rank",
    "MAP": "map",
    "nDCG": "ndcg",
    "R-Precision": "Rprec",
    "bpref": "bpref",
    "Precision": "set_P",
    "Recall": "set_recall",
    "F1": "set_F",
    **cut("HR", "success_"),
    **cut("MAP", "map_cut_"),
    **cut("nDCG", "ndcg_cut_"),
    **cut("Precision", "P_"),
    **cut("Recall", "recall_"),
}


def by_trec_eval(tables, names, relevance_level=1):
    import pytrec_eval

    run, truth = tables
    asked = {re.sub(r"_(\d+)$", r".\1", name) for name in names.values()}
    evaluator = pytrec_eval.RelevanceEvaluator(
        as_dicts(truth, "relevance"), asked, relevance_level=relevance_level
    )
    found = evaluator.evaluate(as_dicts(run, "score"))
    values = {user: [row[name] for name in names.values()] for user, row in found.items()}
    return pd.DataFrame.from_dict(values, orient="index", columns=list(names))


def by_trec_eval_c(tables, names):
    """Evaluate with the program's option -c, under which users without a list count as 0."""
    users = pd.Index(tables[1]["user"].unique())
    return by_trec_eval(tables, names).reindex(users, fill_value=0.0)


# ir-measures -----------------------------------------------------------------------------------

IR_MEASURES = {
    "MRR": "RR",
    "MAP": "AP",
    "nDCG": "nDCG",
    "R-Precision": "Rprec",
    "bpref": "Bpref",
    **cut("MRR", "RR@"),
    "MRR(rel=2)@3": "RR(rel=2)@3",
    **cut("HR", "Success@"),
    **cut("MAP", "AP@"),
    **cut("nDCG", "nDCG@"),
    **cut("Precision", "P@"),
    **cut("Recall", "R@"),
}


def ir_measure(name):
    """Build the measure that ir_measures calls `name`, such as "P(rel=2)@5".

    ir_measures 0.4.3 parses names with `ast.Num`, which Python 3.12 deprecates and 3.14 lacks.
    """
    import ir_measures

    family, rel, k = re.fullmatch(r"(\w+)(?:\(rel=(\d+)\))?(?:@(\d+))?", name).groups()
    measure = getattr(ir_measures, family)
    if rel is not None:
        measure = measure(rel=int(rel))
    if k is not None:
        measure = measure @ int(k)
    return measure


def by_ir_measures(tables, names):
    import ir_measures

    run, truth = tables
    asked = {ir_measure(theirs): ours for ours, theirs in names.items()}
    values = {name: {} for name in names}
    for found in ir_measures.iter_calc(
        list(asked),
        truth.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        run.set_axis(["query_id", "doc_id", "score"], axis=1),
    ):
        values[asked[found.measure]][found.query_id] = found.value
    return pd.DataFrame(values)


# scikit-learn ----------------------------------------------------------------------------------


def by_sklearn(tables, names):
    """Return the values of each user. The tool's public functions return only the mean."""
    score, grade = tables
    columns = {}
    for ours, theirs in names.items():
        function, _, k = theirs.partition("@")
        columns[ours] = getattr(_ranking, function)(grade, score, k=int(k) if k else None)
        public = getattr(sklearn.metrics, PUBLIC[function])(grade, score, k=int(k) if k else None)
        assert np.isclose(np.mean(columns[ours]), public, rtol=1e-12)
    return pd.DataFrame(columns)


PUBLIC = {"_ndcg_sample_scores": "ndcg_score", "_dcg_sample_scores": "dcg_score"}
SKLEARN = {
    "nDCG": "_ndcg_sample_scores",
    "DCG": "_dcg_sample_scores",
    **cut("nDCG", "_ndcg_sample_scores@"),
    **cut("DCG", "_dcg_sample_scores@"),
}


def sklearn_by_user(tables, names):
    """Call the tool once for each user, whose labels are a column."""
    score, grade = tables
    relevant = grade > 0
    columns = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # where one class is absent, which we answer NaN or 0
        for ours, theirs in names.items():
            function = getattr(sklearn.metrics, theirs)
            columns[ours] = [function(*rows) for rows in zip(relevant, score, strict=True)]
    return pd.DataFrame(columns)


def of_width(width, **how):
    def tables(rng, cases):
        score, grade = full_lists(rng, cases, width)
        if how.get("distinct"):
            score = rng.permuted(np.tile(np.arange(float(width)), (cases, 1)), axis=1)
        return score, grade

    return tables


def as_dicts(frame, value):
    """Return a dict of users to dicts of items to values, in the order of the rows."""
    found = {}
    for user, item, number in zip(
        frame["user"].tolist(), frame["item"].tolist(), frame[value].tolist(), strict=True
    ):
        found.setdefault(user, {})[item] = number
    return found


COMPARISONS = {
    "ranx": Comparison(
        convention("ranx"),
        RANX
        | {"R-Precision": "r-precision"}
        | {f"{ours}@{k}": f"{theirs}@{k}" for ours, theirs in RANX.items() for k in CUTOFFS},
        by_ranx,
    ),
    # It multiplies by the grade, though its documentation says that r is 0 or 1.
    "ranx, yes and no": Comparison(
        convention("ranx"), {"RBP": "rbp.80", "RBP(p=0.5)": "rbp.50"}, by_ranx, yes_and_no
    ),
    "ranx, gain of Burges": Comparison(
        replace(convention("ranx"), gain=exponential_gain),
        {
            f"{ours}{at}": f"{theirs}_burges{at}"
            for ours, theirs in (("nDCG", "ndcg"), ("DCG", "dcg"))
            for at in ("", "@1", "@3", "@10")
        },
        by_ranx,
    ),
    "pytrec_eval": Comparison(convention("pytrec_eval"), TREC_EVAL, by_trec_eval),
    "trec_eval -c": Comparison(convention("trec_eval"), TREC_EVAL, by_trec_eval_c),
    "ir_measures": Comparison(convention("ir_measures"), IR_MEASURES, by_ir_measures),
    **{
        f"scikit-learn, {width} items": Comparison(
            convention("sklearn"), SKLEARN, by_sklearn, of_width(width)
        )
        for width in WIDTHS
    },
    "scikit-learn, AUC": Comparison(
        convention("sklearn"), {"AUC": "roc_auc_score"}, sklearn_by_user, of_width(9)
    ),
    "scikit-learn, distinct scores": Comparison(
        convention("sklearn"),
        {"MAP": "average_precision_score"},
        sklearn_by_user,
        of_width(9, distinct=True),
    ),
}
