"""The tensor events of a trace, filtered and sorted: a page of a listing that may have millions of rows.

The database does the work on the tables as they lie; only the rows asked for become Python objects.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from tensordbg.analysis.columns.reading import shape_of
from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.names.texts import text_of
from tensordbg.analysis.program.call_paths import InCall
from tensordbg.analysis.program.call_results import TensorsInCalls
from tensordbg.analysis.program.details import health_of
from tensordbg.analysis.program.python_names import names_in
from tensordbg.analysis.query import one_database, quoted, schemas, sql, sql_of_run
from tensordbg.errors import UsageError
from tensordbg.model import NONE, PYTHON_NAMES, Frame, TensorRef
from tensordbg.operations.pipeline_names import NAMELESS, OF_OBJECT, PIPELINE_NAME, PIPELINES, SHORT_NAME, STATEMENTS
from tensordbg.trace.reader import TraceReader
from tensordbg.trace.schema import TENSORS


@dataclass(frozen=True)
class Selection:
    """Which tensor events are wanted; all that is given must hold."""

    non_finite: bool = False
    """Only those with an infinity or a NaN."""
    op_types: tuple[str, ...] = ()
    """Types of operations, any of them."""
    name: str = ""
    """A part of the operation's name, or a pattern with `*`, `?`, `[...]`; `:1` at its end chooses the slot."""
    tensor: str = ""
    """The operation's whole name, as it stands; `:1` at its end chooses the slot."""
    function: str = ""
    """Name of the traced function that it is computed in, for eager code of that around the line; or a pattern."""
    file: str = ""
    """Path, or end of the path, of the source file whose line created the operation."""
    steps: tuple[int | None, int | None] = (None, None)
    """First and last step; None leaves that side open."""
    before: int | None = None
    """Only events with a smaller number."""
    sites: tuple[int, ...] = ()
    """Numbers of sites, any of them."""
    places: tuple[TensorRef, ...] = ()
    """Sites with slots, any of them."""
    also: tuple[TensorRef, ...] = ()
    """Tensors that fit `name` whatever they are called, as `named_listing` finds them."""
    calls: TensorsInCalls = field(default_factory=dict)
    """For some of `places` and `also`, the only calls in which they are wanted."""
    within: tuple[TensorRef, ...] | None = None
    """Only these; a slot below 0 stands for all outputs of a site. None for all."""
    device: str = ""
    """A part of the name of the device that it was computed on, such as `GPU:0`, or a pattern."""


@dataclass(frozen=True)
class Order:
    """Which rows of a selection are shown, and in which order."""

    by: str = "event"
    """One of `SORT_KEYS`, or `PROGRAM_ORDER` in one process."""
    reverse: bool = False
    limit: int = 50
    """At most so many rows, 0 for all."""
    skip: int = 0
    """So many rows of the order come before the first that is shown."""


@dataclass(frozen=True)
class ListedTensor(TensorView):
    """One tensor event with the names of what it refers to."""

    path: str
    """The call path inside the execution's graph."""
    asked: str
    """The device that the program asked for, often empty."""
    source: Frame | None
    """The innermost line of the user's own code that created the operation."""
    process: str = ""
    """Which process of a run it was computed in; empty where there is only one."""
    variables: tuple[str, ...] = ()
    """The names of the variables of which it is the value, as far as they are known."""
    python_names: tuple[str, ...] = ()
    """Its names in the program's text, as far as TensorFlow told them."""
    text: str = ""
    """The first elements of a tensor of strings, as far as they were kept; in a history also the ragged or sparse
    tensor whose elements it holds."""
    run: int = 0
    """Which run of a pipeline's function; 0 for what the execution itself computed."""
    came_from: tuple[str, ...] = ()
    """In a history of a pipeline with origins, the names of the element, or of each row of a batch."""
    call: int | None = None
    """In a history, which call of the pipeline's function it belongs to, from 0; there is one for each element."""
    iterations: tuple[int, ...] = ()
    """In a history, in nested loops the iterations of all of them, the outermost first."""


@dataclass(frozen=True)
class Listing:
    """A page of tensor events."""

    total: int
    """How many events the selection has; `rows` may hold fewer."""
    rows: tuple[ListedTensor, ...]


_BAD = "coalesce(t.nan + t.neg_inf + t.pos_inf, CASE t.first_bad WHEN -2 THEN 1 WHEN -1 THEN 0 END)"
"""How many elements are not finite; 1 where only that there are some is known."""
_FINITE = f"nullif(t.size - {_BAD}, 0)"
SORT_KEYS: Mapping[str, str] = {
    "event": "t.event",
    "step": "t.step",
    "name": "s.name",
    "op-type": "s.op_type",
    "size": "t.size",
    "min": "CASE WHEN isnan(t.min) THEN NULL ELSE t.min END",
    "max": "CASE WHEN isnan(t.max) THEN NULL ELSE t.max END",
    "mean": f"t.sum / {_FINITE}",
    # `greatest` passes over what is not known.
    "std": f"CASE WHEN {_FINITE} > 0 THEN sqrt(greatest(0, t.sum_squares / {_FINITE} - (t.sum / {_FINITE}) ** 2)) END",
    "zero": "t.zero",
    "non-finite": _BAD,
}
"""What a listing can be sorted by, as expressions of SQL."""

PROGRAM_ORDER = "program"
"""The order in which what a function is given comes before what it computes, and that as the lines of the text run."""

_IS_ARGUMENT = "s.op_type = 'Placeholder' AND t.iteration IS NULL"
_PROGRAM = f"row(t.execution, t.run, CASE WHEN {_IS_ARGUMENT} THEN 0 ELSE 1 END, t.event)"
_WITHOUT_LOOPS = (
    f"row(t.execution, t.run, CASE WHEN {_IS_ARGUMENT} THEN -1 WHEN s.in_graph THEN t.site ELSE 0 END, t.event)"
)
"""A graph runs its operations in parallel, and each of them once where it has no loop."""

_PLACES = """
WITH place AS (
    SELECT stack, arg_max(file, rank) AS file, arg_max(line, rank) AS line, arg_max(function, rank) AS function,
           bool_or("user") AS "user"
    FROM (SELECT *, depth + CASE WHEN "user" THEN 1000000 ELSE 0 END AS rank FROM {schema}.stacks)
    GROUP BY stack
), held AS (
    SELECT read.site, list(v.name ORDER BY v.variable) FILTER (v.name IS NOT NULL) AS names
    FROM (SELECT site, unnest(reads) AS variable FROM {schema}.sites) read
         JOIN {schema}.variables v ON v.variable = read.variable
    GROUP BY read.site
), behind AS (
    SELECT stack, max(depth) FILTER (contains(file, '{statements}')) > max(depth) FILTER ("user") AS of_statement,
           max(depth) FILTER (contains(file, '{pipelines}')) > max(depth) FILTER ("user") AS in_pipeline
    FROM {schema}.stacks GROUP BY stack
), given AS (
    SELECT function, name, pattern, regexp_replace(regexp_extract(name, pattern, 2), '^{object}$', '\\1') AS own
    FROM (SELECT function, name, CASE WHEN regexp_full_match(name, '{given}') THEN '{given}'
                 WHEN in_pipeline AND regexp_full_match(name, '{short}') THEN '{short}' END AS pattern
          FROM {schema}.functions AS functions LEFT JOIN behind ON behind.stack = functions.stack)
), titled AS (
    SELECT function, CASE WHEN pattern IS NULL THEN name WHEN own NOT IN {nameless} THEN own
                          ELSE concat(own, ' given to ', regexp_extract(name, pattern, 1)) END AS title
    FROM given
), named AS (
    SELECT sites.site, sites.name, sites.op_type, sites.device AS asked, held.names AS variables,
           CASE WHEN contains(sites.attributes, '"{note}"') THEN sites.attributes END AS notes,
           coalesce(CASE WHEN of_statement AND functions.tracing <> '' THEN around.function ELSE titled.title END,
                    place.function, '') AS function, coalesce(functions.name, '') AS given_function,
           place.file, place.line, place.function AS line_function, place."user" AS line_user,
           sites.function <> {none} AS in_graph
    FROM {schema}.sites AS sites LEFT JOIN {schema}.functions AS functions ON functions.function = sites.function
               LEFT JOIN place ON place.stack = sites.stack
               LEFT JOIN titled ON titled.function = functions.function
               LEFT JOIN behind ON behind.stack = functions.stack
               LEFT JOIN place AS around ON around.stack = functions.stack
               LEFT JOIN held ON held.site = sites.site
)
"""
_TITLES = {"statements": STATEMENTS, "pipelines": PIPELINES, "object": OF_OBJECT, "nameless": NAMELESS}
_TITLES |= {"given": PIPELINE_NAME, "short": SHORT_NAME}
_COLUMNS = """
t.*, p.name AS path_name, s.name, s.op_type, s.asked, s.function, s.file, s.line, s.line_function, s.line_user,
s.variables, s.notes
"""
_FROM = "FROM {schema}.tensors t JOIN named s ON s.site = t.site LEFT JOIN {schema}.paths p ON p.path = t.path"


def list_tensors(reader: TraceReader, selection: Selection, order: Order | None = None) -> Listing:
    """Finds the tensor events of a selection.

    Raises:
        UsageError: If `order.by` is not one of `SORT_KEYS`.
    """
    return list_tensors_of_run({"": reader}, selection, order)


def list_tensors_of_run(
    processes: Mapping[str, TraceReader], selection: Selection | Mapping[str, Selection], order: Order | None = None
) -> Listing:
    """Finds the tensor events of a selection, or of one for each process, in the processes of a run, given by name.

    By `event` they are ordered by the time at which they were recorded, as far as the clocks of the machines agree.

    Raises:
        UsageError: If `order.by` is not one of `SORT_KEYS`.
    """
    order = order or Order()
    if order.by not in SORT_KEYS and order.by != PROGRAM_ORDER:
        raise UsageError(f"can't sort by {order.by!r}; choose one of {', '.join(SORT_KEYS)}")
    selections = dict.fromkeys(processes, selection) if isinstance(selection, Selection) else selection
    if order.by == PROGRAM_ORDER:
        key = _program_order(*next((reader, selections[name]) for name, reader in processes.items()))
    else:
        key = "t.time_ns" if order.by == "event" and len(processes) > 1 else SORT_KEYS[order.by]
    columns = f"{_COLUMNS}, {key} AS sort_key"
    parts = [
        f"({_in(schema, _PLACES)} SELECT {quoted(name)} AS process, {columns} {_in(schema, _FROM)} "
        f"{_where(selections[name], schema)})"
        for name, schema in schemas(processes).items()
    ]
    direction = "DESC" if order.reverse else "ASC"
    sorting = f"ORDER BY sort_key {direction} NULLS LAST, event {direction}, process"
    limit = f"LIMIT {order.limit:d} OFFSET {order.skip:d}" if order.limit > 0 else ""
    query = f"{' UNION ALL '.join(parts)} {sorting} {limit}"
    with one_database(processes):
        # The key has done its work; some versions name no field of a row, which then can't be read as a dictionary.
        page = sql_of_run(processes, query).drop_columns(["sort_key"])
        total = sum(count_tensors(reader, selections[name]) for name, reader in processes.items())
    owners = page.column("process").to_pylist()
    for name, reader in processes.items():
        own = [row for row, owner in enumerate(owners) if owner == name]
        if own:
            reader.checked(page.take(own).select(TENSORS.names))
    rows = (_row(row, text_of(processes[row["process"]], row)) for row in page.to_pylist())
    return Listing(total=total, rows=tuple(rows))


def count_tensors(reader: TraceReader, selection: Selection) -> int:
    """How many tensor events a selection has."""
    source = _in("main", _FROM)
    answer = sql(reader, f"{_in('main', _PLACES)} SELECT count(*) AS n {source} {_where(selection)}")
    return int(answer.column("n")[0].as_py())


def recorded_tensors(reader: TraceReader, function: str = "") -> set[TensorRef]:
    """The tensors of which events tell, in functions of a name or pattern; in all of them by default."""
    places, where = _in("main", _PLACES), _where(Selection(function=function))
    source = f"{places} SELECT DISTINCT t.site, t.slot {_in('main', _FROM)} {where}"
    answer = sql(reader, source if function else "SELECT DISTINCT site, slot FROM tensors")
    return {TensorRef(row["site"], row["slot"]) for row in answer.to_pylist()}


def rows_before_bad(reader: TraceReader, selection: Selection) -> int | None:
    """How many events of a selection come before the first that is not finite, in `PROGRAM_ORDER`; None for no such."""
    key = _program_order(reader, selection)
    numbered = f"SELECT row_number() OVER (ORDER BY {key}, t.event) AS place, {_BAD} > 0 AS bad"
    source = f"{numbered} {_in('main', _FROM)} {_where(selection)}"
    answer = sql(reader, f"{_in('main', _PLACES)} SELECT min(place) FILTER (bad) - 1 AS n FROM ({source})")
    first = answer.column("n")[0].as_py()
    return None if first is None else int(first)


def _in(schema: str, part: str) -> str:
    """A part of a query over the tables of one process."""
    return part.format(schema=schema, note=PYTHON_NAMES, none=NONE, **_TITLES)


def _program_order(reader: TraceReader, selection: Selection) -> str:
    """The key by which the events of a selection are put in `PROGRAM_ORDER`."""
    source = f"SELECT count(*) AS n {_in('main', _FROM)} {_where(selection)}"
    joint = "AND" if _where(selection) else "WHERE"
    answer = sql(reader, f"{_in('main', _PLACES)} {source} {joint} t.iteration IS NOT NULL")
    return _PROGRAM if answer.column("n")[0].as_py() else _WITHOUT_LOOPS


def split_slot(tensor: str) -> tuple[str, int | None]:
    """Takes `Log:0` apart; the slot is None where the name says none."""
    match = re.fullmatch(r"(.+):(\d+)", tensor)
    return (match[1], int(match[2])) if match else (tensor, None)


def _where(selection: Selection, schema: str = "main") -> str:
    conditions = [
        # The second lets groups of rows be skipped by their statistics.
        f"{_BAD} > 0 AND t.first_bad != -1" if selection.non_finite else "",
        f"s.op_type IN ({', '.join(map(quoted, selection.op_types))})" if selection.op_types else "",
        _any_of(_names(selection.name, "s.name", "contains"), _in_calls(selection.also, selection.calls, schema)),
        _names(selection.tensor, "s.name", "equals"),
        _any_of(
            _matches(selection.function, "s.function", "equals"),
            _matches(selection.function, "s.given_function", "equals"),
        ),
        _file(selection.file),
        f"t.site IN ({', '.join(f'{site:d}' for site in selection.sites)})" if selection.sites else "",
        _in_calls(selection.places, selection.calls, schema),
        "" if selection.within is None else _inside(selection.within),
        _matches(selection.device, "t.device", "contains"),
        f"t.event < {selection.before:d}" if selection.before is not None else "",
        f"t.step >= {selection.steps[0]:d}" if selection.steps[0] is not None else "",
        f"t.step <= {selection.steps[1]:d}" if selection.steps[1] is not None else "",
    ]
    given = [condition for condition in conditions if condition]
    return f"WHERE {' AND '.join(given)}" if given else ""


def _names(wanted: str, column: str, rule: str) -> str:
    """The condition for an operation's name with or without a slot."""
    if not wanted:
        return ""
    name, slot = split_slot(wanted)
    condition = f"{column} = {quoted(name)}" if rule == "equals" else _matches(name, column, rule)
    return condition if slot is None else f"{condition} AND t.slot = {slot:d}"


def _places(places: tuple[TensorRef, ...]) -> str:
    pairs = ", ".join(f"({place.site:d}, {place.slot:d})" for place in places)
    return f"(t.site, t.slot) IN ({pairs})" if pairs else ""


def _in_calls(places: tuple[TensorRef, ...], calls: TensorsInCalls, schema: str) -> str:
    """The condition for tensors of which some are meant in some calls only, there in the called function itself."""
    given = [_places(tuple(place for place in places if place not in calls))]
    for place in places:
        if place in calls:
            within = " OR ".join(_in_call(call, schema) for call in sorted(calls[place]))
            given.append(f"({_places((place,))} AND ({within}))")
    given = [condition for condition in given if condition]
    return f"({' OR '.join(given)})" if len(given) > 1 else "".join(given)


def _in_call(call: InCall, schema: str) -> str:
    """The condition for the events of a call; those of pipelines belong to no execution."""
    given = [f"site = {call.site:d}"] if call.site != NONE else []
    if call.graph != NONE:
        running = f"SELECT f.function FROM {schema}.functions f WHERE coalesce(f.graph, f.function) = {call.graph:d}"
        given.append(f"function IN ({running})")
    made = f"t.execution IN (SELECT execution FROM {schema}.executions WHERE {' AND '.join(given)})" if given else ""
    made = f"({made} OR t.execution < 0)" if made and call.site == NONE else made
    return f"({' AND '.join(filter(None, (made, f't.path = {call.path:d}')))})"


def _any_of(condition: str, also: str) -> str:
    return f"({condition} OR {also})" if condition and also else condition


def _inside(places: tuple[TensorRef, ...]) -> str:
    sites = ", ".join(f"{place.site:d}" for place in places if place.slot < 0)
    given = [f"t.site IN ({sites})" if sites else "", _places(tuple(place for place in places if place.slot >= 0))]
    return f"({' OR '.join(filter(None, given)) or 'false'})"


def _matches(wanted: str, column: str, rule: str) -> str:
    if not wanted:
        return ""
    if any(sign in wanted for sign in "*?["):
        return f"{column} GLOB {quoted(wanted)}"
    return f"{column} = {quoted(wanted)}" if rule == "equals" else f"contains({column}, {quoted(wanted)})"


def _file(file: str) -> str:
    return f"(s.file = {quoted(file)} OR ends_with(s.file, {quoted('/' + file.lstrip('/'))}))" if file else ""


def _row(row: dict[str, Any], text: str) -> ListedTensor:
    return ListedTensor(
        event=row["event"],
        execution=row["execution"],
        step=row["step"],
        iteration=row["iteration"],
        tensor=f"{row['name']}:{row['slot']}",
        op_name=row["name"],
        site=row["site"],
        slot=row["slot"],
        op_type=row["op_type"],
        function=row["function"],
        path=row["path_name"] or "",
        asked=row["asked"] or "",
        device=row["device"] or "",
        dtype=row["dtype"] or "",
        shape=shape_of(row["shape"]),
        health=health_of(row),
        source=_source(row),
        process=row["process"],
        variables=tuple(row["variables"] or ()),
        python_names=tuple(chain.from_iterable(names_in(row["notes"] or "")[row["slot"] : row["slot"] + 1])),
        text=text,
        run=row["run"],
    )


def _source(row: dict[str, Any]) -> Frame | None:
    if row["file"] is None:
        return None
    return Frame(file=row["file"], line=row["line"], function=row["line_function"], user=row["line_user"])
