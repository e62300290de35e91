"""The two queries of one, as they are asked; what they answer is tested with `query_spread`."""

from __future__ import annotations

import pytest

from tensordbg.analysis.query_split import Split, UndividedError, split
from tensordbg.analysis.query_spread import _grammar


@pytest.mark.parametrize(
    ("query", "part", "whole"),
    [
        (
            "select op_type, count(*) from events where nan > 0 group by all",
            "SELECT op_type AS group_0, count_star() AS part_0 FROM events WHERE (nan > 0) GROUP BY op_type",
            "SELECT group_0, CAST(COALESCE(sum(part_0), 0) AS BIGINT) FROM parts GROUP BY group_0",
        ),
        (
            "select step % 2 as s, avg(size) a from tensors group by s having a > 1 order by a desc limit 3",
            "SELECT (step % 2) AS group_0, sum(size) AS part_0, count(size) AS part_1 FROM tensors GROUP BY (step % 2)",
            (
                "SELECT group_0 AS s, (sum(part_0) / sum(part_1)) AS a FROM parts GROUP BY group_0 "
                "HAVING ((sum(part_0) / sum(part_1)) > 1) ORDER BY a DESC LIMIT 3"
            ),
        ),
        (
            "select name from events order by max desc limit 3 offset 2",
            'SELECT "name", "max" AS order_0_of_rows FROM events ORDER BY "max" DESC LIMIT 5',
            "SELECT * EXCLUDE (order_0_of_rows) FROM parts ORDER BY order_0_of_rows DESC LIMIT 3 OFFSET 2",
        ),
        (
            "select distinct op_type from sites order by 1",
            "SELECT DISTINCT op_type FROM sites",
            "SELECT DISTINCT * FROM parts ORDER BY 1",
        ),
    ],
)
def test_each_process_computes_what_can_be_computed_there(query: str, part: str, whole: str) -> None:
    found = split(query, _grammar())
    assert [_bare(each) for each in (found.part, found.whole)] == [_bare(part), _bare(whole)]
    assert isinstance(found, Split)


def _bare(query: str) -> str:
    """A query without what releases of DuckDB write otherwise."""
    return "".join(letter for letter in query.lower() if letter not in '"() ')


@pytest.mark.parametrize(
    ("query", "what"),
    [
        ("select quantile_cont(max, 0.5) from tensors", "quantile_cont()"),
        ("select sum(distinct size) from tensors", "DISTINCT in sum()"),
        ("select row_number() over () from tensors", "a query with a window"),
        ("with a as (select 1) select * from a", "a query with WITH"),
        ("select step from tensors union all select 1", "a query that puts several together"),
        ("select (select max(step) from tensors)", "a query with a query inside of it"),
        ("select * from tensors join sites using (site)", "a join without `process`, as in"),
        ("select * from tensors, sites", "a join that is neither an inner one nor a LEFT JOIN"),
        ("select 1", "a query over something other than tables"),
        ("select count(*) from tensors group by rollup(step)", "a query with several sets of groups"),
        ("select count(*) from tensors using sample 10", "a query with SAMPLE or QUALIFY"),
        ("select distinct on (site) step from tensors", "DISTINCT ON"),
        ("select distinct step from tensors order by max", "DISTINCT in the order of something that has no name"),
        ("select -step as step, count(*) from tensors group by step", "step, the name of a column and of something"),
        ("select step from tensors limit 1 + 1", "a limit or a group that is no plain number"),
        ("select site, max(step) from tensors group by step", "site outside of groups and sums"),
        ("select step from tensors limit 10%", "a limit or a group that is no plain number"),
    ],
)
def test_what_can_not_be_divided_is_named(query: str, what: str) -> None:
    with pytest.raises(UndividedError) as refused:
        split(query, _grammar())
    assert str(refused.value).startswith(what)
    assert str(refused.value).endswith(
        "can't be divided among workers; ask without --engine, or of one process by --process"
    )
