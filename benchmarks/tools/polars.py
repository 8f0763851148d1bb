"""Polars: one lazy query, on all its threads."""

import polars as pl

from . import names


def run(recs, truth, k):
    rank, grade, user = pl.col("rank"), pl.col("relevance"), pl.col("user")
    recs, truth = pl.from_pandas(recs).lazy(), pl.from_pandas(truth).lazy()
    row = pl.col("row")
    found = (
        recs.filter(rank <= k)
        .join(truth, on=["user", "item"])
        .sort("user", "rank")
        .with_row_index("row")
        .with_columns(ap=(row - row.first().over("user") + 1) / rank, dcg=grade / (rank + 1).log(2))
        .group_by("user")
        .agg(pl.col("ap", "dcg").sum(), hits=pl.len(), first=rank.min())
    )
    place = grade.rank("ordinal", descending=True).over("user")
    ideal = pl.when(place <= k).then(grade / (place + 1).log(2))
    of = truth.select(user, ideal=ideal).group_by(user).agg(pl.col("ideal").sum(), size=pl.len())
    values = [
        (pl.col("hits") > 0).cast(pl.Float64),
        1 / pl.col("first"),
        pl.col("ap") / pl.col("size"),
        pl.col("dcg") / pl.col("ideal"),
        pl.col("hits") / k,
        pl.col("hits") / pl.col("size"),
    ]
    values = [one.fill_null(0).alias(name) for name, one in zip(names(k), values, strict=True)]
    per_user = of.join(found, on="user", how="left").select(user, *values).collect()
    return per_user, per_user.drop("user").mean().row(0, named=True)
