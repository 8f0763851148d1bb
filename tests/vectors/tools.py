"""The tools that the page of the test vectors compares, each called on one vector at a time.

The module doesn't import receval, so it also runs where only the tool is installed:

    python tests/vectors/tools.py rectools

writes what RecTools returns to ``tests/recorded/vectors_rectools.json``.
"""

import csv
import json
import re
import sys
import warnings
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = ROOT / "tests/recorded/vectors_rectools.json"
FIELDS = ("ranked", "relevance", "measure", "k")
NOT_EXPRESSIBLE = "not expressible"
LEFT_OUT = float("nan")
# Each call also has a second user, because some tools refuse empty tables.
OTHER = "other"


def read_vectors():
    """Return all vectors, each as a dict, with the kind of case that its file holds."""
    vectors = []
    for path in sorted((ROOT / "data/vectors").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for vector in csv.DictReader(file):
                vectors.append({"kind": path.stem.replace("_", " "), **vector})
    return vectors


def pairs_of(vector):
    return json.loads(vector["ranked"]), json.loads(vector["relevance"])


def measure_of(vector):
    """Return the measure without its parameter, the smallest relevant grade, and the cut-off."""
    family, level = re.fullmatch(r"(.+?)(?:\(rel=(\d+)\))?", vector["measure"]).groups()
    k = int(vector["k"]) if vector["k"] else None
    return family, int(level or 1), k


def as_texts(pairs):
    return {str(item): number for item, number in pairs}


def has_repeated_items(vector):
    return any(len(dict(pairs)) < len(pairs) for pairs in map(dict_pairs, pairs_of(vector)))


def dict_pairs(pairs):
    return [tuple(pair) for pair in pairs]


def has_fractions(vector):
    return any(grade != int(grade) for _, grade in pairs_of(vector)[1])


# The tools -------------------------------------------------------------------------------------


def by_ranx(vector):
    from ranx import Qrels, Run, evaluate

    if has_repeated_items(vector) or has_fractions(vector):
        return NOT_EXPRESSIBLE
    ranked, relevance = map(as_texts, pairs_of(vector))
    family, level, k = measure_of(vector)
    name = "hit_rate" if family == "HR" else family.lower()
    if k is not None:
        name += f"@{k}"
    if level > 1:
        name += f"-l{level}"
    lists = {OTHER: {"a": 1.0}}
    if ranked:
        lists["user"] = {item: float(score) for item, score in ranked.items()}
    qrels = Qrels({OTHER: {"a": 1}, "user": relevance})
    values = evaluate(qrels, Run(lists), name, return_mean=False, make_comparable=True)
    return float(values[list(qrels.keys()).index("user")])


TREC_EVAL = {
    "HR": "success",
    "MRR": "recip_rank",
    "MAP": "map",
    "nDCG": "ndcg",
    "Precision": "P",
    "Recall": "recall",
    "R-Precision": "Rprec",
    "bpref": "bpref",
}
WITHOUT_CUT = {"Precision": "set_P", "Recall": "set_recall"}


def by_pytrec_eval(vector):
    import pytrec_eval

    if has_repeated_items(vector) or has_fractions(vector):
        return NOT_EXPRESSIBLE
    ranked, relevance = map(as_texts, pairs_of(vector))
    family, level, k = measure_of(vector)
    name = TREC_EVAL[family]
    if k is None:
        name = answer = WITHOUT_CUT.get(family, name)
    else:
        name += "_cut" if family in ("MAP", "nDCG") else ""
        name, answer = f"{name}.{k}", f"{name}_{k}"
    evaluator = pytrec_eval.RelevanceEvaluator({"user": relevance}, {name}, relevance_level=level)
    lists = {"user": {item: float(score) for item, score in ranked.items()}} if ranked else {}
    values = evaluator.evaluate(lists)
    return values["user"][answer] if "user" in values else LEFT_OUT


IR_MEASURES = {
    "HR": "Success",
    "MRR": "RR",
    "MAP": "AP",
    "nDCG": "nDCG",
    "Precision": "P",
    "Recall": "R",
    "R-Precision": "Rprec",
    "bpref": "Bpref",
}


def by_ir_measures(vector):
    import ir_measures
    from ir_measures import Qrel, ScoredDoc

    ranked, relevance = pairs_of(vector)
    family, level, k = measure_of(vector)
    if has_fractions(vector):
        return NOT_EXPRESSIBLE
    measure = getattr(ir_measures, IR_MEASURES[family])
    if level > 1:
        measure = measure(rel=level)
    if k is not None:
        measure = measure @ k
    qrels = [Qrel("user", str(item), grade) for item, grade in relevance]
    run = [ScoredDoc("user", str(item), float(score)) for item, score in ranked]
    values = {
        answer.query_id: answer.value
        for answer in ir_measures.iter_calc(
            [measure], [*qrels, Qrel(OTHER, "a", 1)], [*run, ScoredDoc(OTHER, "a", 1.0)]
        )
    }
    return values.get("user", LEFT_OUT)


def by_sklearn(vector):
    from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

    ranked, relevance = pairs_of(vector)
    grades = dict(dict_pairs(relevance))
    if has_repeated_items(vector) or not set(grades) <= {item for item, _ in ranked}:
        return NOT_EXPRESSIBLE
    family, _, k = measure_of(vector)
    truth = [grades.get(item, 0) for item, _ in ranked]
    scores = [score for _, score in ranked]
    if family == "AUC":
        return float(roc_auc_score([grade > 0 for grade in truth], scores))
    function = {"nDCG": ndcg_score, "DCG": dcg_score}[family]
    return float(function([truth], [scores], k=k))


def by_rectools(vector):
    import pandas as pd
    from rectools import Columns, metrics

    ranked, relevance = pairs_of(vector)
    family, _, k = measure_of(vector)
    # RecTools takes ranks, so equal scores are in the order of the rows.
    in_order = sorted(ranked, key=lambda pair: -pair[1])
    lists = [(OTHER, "a", 1)]
    lists += [("user", item, rank) for rank, (item, _) in enumerate(in_order, 1)]
    relevant = [(OTHER, "a")] + [("user", item) for item, grade in relevance if grade > 0]
    kind = getattr(metrics, {"HR": "HitRate", "nDCG": "NDCG"}.get(family, family))
    values = kind(k=k).calc_per_user(
        pd.DataFrame(lists, columns=[Columns.User, Columns.Item, Columns.Rank]),
        pd.DataFrame(relevant, columns=[Columns.User, Columns.Item]),
    )
    return float(values.get("user", LEFT_OUT))


TOOLS = {
    "ranx": by_ranx,
    "pytrec_eval": by_pytrec_eval,
    "ir_measures": by_ir_measures,
    "sklearn": by_sklearn,
    "rectools": by_rectools,
}


def answer_of(tool, vector):
    """Return the tool's value, "refused" if it raises an error, or "not expressible"."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # sklearn warns where a value is undefined
        try:
            return TOOLS[tool](vector)
        except ValueError:
            return "refused"


def record_rectools():
    """Write what RecTools returns for its vectors, and the inputs, which show a stale record."""
    vectors = [vector for vector in read_vectors() if vector["convention"] == "rectools"]
    answers = [
        {field: vector[field] for field in FIELDS} | {"answer": str(answer_of("rectools", vector))}
        for vector in vectors
    ]
    packages = ("rectools", "pandas", "numpy")
    record = {"versions": {name: version(name) for name in packages}, "answers": answers}
    RECORD.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] != ["rectools"]:
        sys.exit("usage: python tests/vectors/tools.py rectools")
    record_rectools()
