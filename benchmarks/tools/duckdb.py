"""DuckDB: one query over the frames, on all its threads."""

import duckdb

from . import names

QUERY = """
with hits as (
    select "user", rank, relevance, row_number() over (partition by "user" order by rank) as nth
    from recs join truth using ("user", item) where rank <= {k}
), found as (
    select "user", count(*) as hits, min(rank) as first, sum(nth / rank) as ap,
           sum(relevance / log2(rank + 1)) as dcg
    from hits group by "user"
), judged as (
    select "user", count(*) as size, max(relevance, {k}) as best from truth group by "user"
), ideals as (
    select "user", size, list_sum(list_transform(best, lambda g, i: g / log2(i + 1))) as ideal
    from judged
)
select "user", coalesce(hits > 0, false)::double as "{0}", coalesce(1 / first, 0) as "{1}",
       coalesce(ap / size, 0) as "{2}", coalesce(dcg / ideal, 0) as "{3}",
       coalesce(hits / {k}, 0) as "{4}", coalesce(hits / size, 0) as "{5}"
from ideals left join found using ("user")
"""


def run(recs, truth, k):
    with duckdb.connect() as connection:
        connection.register("recs", recs)
        connection.register("truth", truth)
        per_user = connection.execute(QUERY.format(*names(k), k=k)).df().set_index("user")
    return per_user, per_user.mean().to_dict()
