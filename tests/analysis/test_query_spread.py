"""Queries over a run that workers read, by an engine in this process: all that goes to and fro is pickled."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tensordbg.analysis import query_spread as module
from tensordbg.analysis.query import sql_of_run
from tensordbg.analysis.query_limits import Limits
from tensordbg.analysis.query_spread import sql_by_engine, sql_of_many
from tensordbg.engines.engine import Lost
from tensordbg.errors import TraceError, UsageError
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.sealed.seal import seal_all
from tests.sample_trace import make_sample_trace
from tests.trace.samples import eventful_trace

LIMITS = Limits()


class Workers:
    """An engine whose workers are this process."""

    def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        sent = pickle.loads(pickle.dumps(function))
        return [pickle.loads(pickle.dumps(sent(item))) for item in items]


@pytest.fixture(scope="module")
def locations(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Three traces that differ: one sealed, two not."""
    folder = tmp_path_factory.mktemp("run")
    sealed = eventful_trace(folder / "a").finish()
    seal_all(sealed)
    raw = eventful_trace(folder / "b").finish()
    return {"rank 0": str(sealed), "rank 1": str(raw), "rank 2": str(make_sample_trace(folder / "c"))}


@pytest.fixture(scope="module")
def readers(locations: dict[str, str]) -> dict[str, TraceReader]:
    return {name: open_trace(location) for name, location in locations.items()}


@pytest.mark.parametrize(
    "query",
    [
        "select op_type, count(*) as n from events group by op_type order by n desc, op_type limit 2",
        "select op_type, count(*) from events group by all order by all",
        "select process, max(step), min(step) from tensors group by process order by 1",
        "select count(*), max(step), sum(size), count(first_bad) from tensors where nan > 0",
        "select count(*), max(step), avg(step) from tensors where nan > 1000000",
        "select max, count(*) n from tensors group by max order by max limit 3",
        (
            "select op_type t, sum(nan) / count(*) r, avg(size) filter (where nan > 0) a from events where t <> 'x' "
            "group by t having count(*) > 1 order by r desc, t, max(step) limit 4 offset 1"
        ),
        "select arg_max(op_type, time_ns), arg_min(first_bad, time_ns) from events",
        "select step // 2 k, count(*) from tensors group by k order by k",
        "select Step % 2, upper(op_type) || count(*) x from events group by step % 2, upper(op_type) order by all",
        "select tensor, step from events where nan > 0 order by time_ns, event, process limit 3",
        "select -step as s, process from tensors order by s + 1, event desc, process limit 3 offset 2",
        "select distinct op_type from events order by 1 limit 2 offset 1",
        "select count(distinct shape), count(distinct process), max(distinct step) from tensors",
        "select * from sites order by process, site",
        "select process, event, max from tensors",
        "select execution, unnest(inputs) >> 16 as maker from executions order by process, execution, maker limit 3",
        "select a.process, a.name, b.op_type from sites a join sites b using (process, site) order by 1, a.site",
        "select bool_or(nan > 0), bool_and(nan = 0) from tensors",
        "select sum(9000000000000000000 + step) // 7 * sum(step + 1) as s, sum(size) % 7, count(*) // 2 from tensors",
        "select mean(size), count_if(nan > 0), max_by(op_type, time_ns), argmin(op_type, time_ns) from events",
        "select process from tensors limit 0",
        "from paths order by all",
        "select count(*) n from sites group by op_type having n > 1000",
        "select t.step from tensors t order by t.max desc nulls last, t.event, process limit 2",
    ],
)
def test_the_answer_is_that_of_asking_here(
    locations: dict[str, str], readers: dict[str, TraceReader], query: str
) -> None:
    there = sql_by_engine(Workers(), locations, query, LIMITS)
    here = sql_of_run(readers, query)
    assert there.schema == here.schema
    # A NaN is the same as another one here.
    assert repr(there.to_pylist()) == repr(here.to_pylist())


def test_of_one_process_anything_may_be_asked(locations: dict[str, str], readers: dict[str, TraceReader]) -> None:
    query = "select step, row_number() over (order by event) from tensors"
    found = sql_by_engine(Workers(), {"": locations["rank 2"]}, query, LIMITS)
    assert found == sql_of_run({"": readers["rank 2"]}, query)


def test_a_wrong_query_is_refused_before_a_worker_is_asked(locations: dict[str, str]) -> None:
    class Unasked:
        def map(self, *_: Any) -> Any:
            raise AssertionError

    for query in ("select nope from tensors", "drop table x", "selec"):
        with pytest.raises(UsageError):
            sql_by_engine(Unasked(), locations, query, LIMITS)


def test_no_answer_is_given_where_a_process_gave_none(locations: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(TraceError, match=r"rank 3: gave no answer \(.* does not exist.*\); see to it and ask again"):
        sql_by_engine(Workers(), {**locations, "rank 3": str(tmp_path / "nowhere")}, "from sites", LIMITS)


def test_who_is_asked_by_many_has_no_large_answer(locations: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LEAST", 100)
    with pytest.raises(TraceError, match=r"rank 0: gave no answer \(the answer takes more than 100 bytes; add a LIMIT"):
        sql_by_engine(Workers(), locations, "from tensors", Limits(answer=200))


def test_files_of_many_processes_are_not_held_at_once(
    locations: dict[str, str], readers: dict[str, TraceReader], monkeypatch: pytest.MonkeyPatch
) -> None:
    query = "select op_type, count(*) as n from events group by op_type order by all"
    assert sql_of_many(locations, query, LIMITS) is None
    monkeypatch.setattr(module.resource, "getrlimit", lambda _: (64, 64))
    assert sql_of_many(locations, query, LIMITS) == sql_of_run(readers, query)
    assert sql_of_many(locations, "select median(step) from tensors", LIMITS) is None


def test_a_lost_worker_is_told(locations: dict[str, str]) -> None:
    class Dying(Workers):
        def map(self, function: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
            return [*super().map(function, items[:-1]), Lost("died")]

    with pytest.raises(TraceError, match=r"rank 2: gave no answer \(died\)"):
        sql_by_engine(Dying(), locations, "from sites", LIMITS)
