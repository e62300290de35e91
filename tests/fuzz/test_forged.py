"""Traces that somebody made with care: every part is right by itself, and every command comes to an end."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tensordbg.cli import main
from tensordbg.model import NONE, CallKind, Function, Health, Site, TensorRef
from tensordbg.trace.sealed.seal import seal_all
from tests.called import functions_called
from tests.fuzz.asking import LINES, TRACE, tell
from tests.fuzz.records import say_so
from tests.sample_trace import make_sample_trace
from tests.trace.builder import ProgramParts, Tensor, TraceBuilder, small_program

BAD = Health(size=6, nan=1, first_bad=2)


def recorded(folder: Path, program: ProgramParts) -> Path:
    """Two calls of function 0, in which all its sites have a NaN."""
    build = TraceBuilder(folder)
    build.describe(program)
    own = [site for site in program.sites if site.function == 0]
    last = program.sites[-1].site
    for step in range(2):
        call = build.begin(last, 0, step, (((step or 1) << 16), -1))
        for site in own:
            build.graph_tensor(70 + step, site.site, Tensor(health=BAD))
        build.end(call)
    return build.finish()


def calling_itself(kind: CallKind) -> ProgramParts:
    """Function 0 calls itself and function 1, which calls function 0."""
    refs = (TensorRef(0, 0), TensorRef(1, 0))
    sites = (
        Site(0, "x", "Placeholder", 0, 0, dtypes=("float32",), argument=0),
        Site(1, "f", "While", 0, 0, refs, dtypes=("float32",), call=kind, called=("f_0", "g_1")),
        Site(2, "g", "If", 1, 0, (TensorRef(2, 0),), dtypes=("float32",), call=kind, called=("f_0", "f_0", "g_1")),
        Site(3, "main", "PartitionedCall", NONE, 0, call=CallKind.CALL, called=("f_0",)),
    )
    functions = (
        Function(0, "f", "f_0", 0, 0, (0,), (TensorRef(1, 0),), (0,)),
        Function(1, "g", "g_1", 1, 0, (2,), (TensorRef(2, 0),)),
    )
    return replace(small_program(), sites=sites, functions=functions, paths=("", "f", "f/f", "f/g/f"))


def circles_of_identities(_: CallKind) -> ProgramParts:
    """Operations that take one another, and themselves."""
    sites = (
        Site(0, "a", "Identity", 0, 0, (TensorRef(1, 0),), dtypes=("float32",), gradient_of=1),
        Site(1, "b", "Identity", 0, 0, (TensorRef(0, 0),), dtypes=("float32",), gradient_of=0, reads=(0,), writes=(0,)),
        Site(2, "c", "Log", 0, 0, (TensorRef(2, 0), TensorRef(0, 0)), dtypes=("float32",), gradient_of=2),
        Site(3, "main", "PartitionedCall", NONE, 0, call=CallKind.CALL, called=("f_0",)),
    )
    functions = (Function(0, "f", "f_0", 0, 0, (0,), (TensorRef(0, 0), TensorRef(2, 0)), (NONE,)),)
    return replace(small_program(), sites=sites, functions=functions)


def many_levels(_: CallKind) -> ProgramParts:
    """A chain of calls deeper than Python's stack."""
    depth = 3000
    call = CallKind.CALL
    sites = [
        Site(
            n, f"c{n}", "PartitionedCall", n, 0, (), ("float32",), call=call, called=(f"f_{n + 1}",), argument=n % 2 - 1
        )
        for n in range(depth)
    ]
    main = Site(depth, "main", "PartitionedCall", NONE, 0, call=call, called=("f_0",))
    functions = [Function(n, f"f{n}", f"f_{n}", n, 0, (n,), (TensorRef(n, 0),)) for n in range(depth)]
    return replace(small_program(), sites=(*sites, main), functions=functions)


PROGRAMS: dict[str, Callable[[CallKind], ProgramParts]] = {
    "itself": calling_itself,
    "circles": circles_of_identities,
    "levels": many_levels,
}


@pytest.mark.parametrize(
    ("name", "kind", "state"),
    [
        *(("itself", kind, "raw") for kind in CallKind),
        *((name, CallKind.CALL, state) for name in PROGRAMS for state in ("raw", "sealed") if name != "itself"),
    ],
)
def test_circles_and_chains_come_to_an_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, kind: CallKind, state: str
) -> None:
    trace = recorded(tmp_path / "trace", PROGRAMS[name](kind))
    if state == "sealed":
        seal_all(trace)
    monkeypatch.chdir(tmp_path)
    for number, (command, *rest) in enumerate(TRACE):
        tell([command, str(trace), *(word.replace("out", f"out{number}") for word in rest), *_forced(command)])
    tell(["console", str(trace), "-c", "; ".join(["lt", "ni f", "li -r f", "lo -r f", "ni a", "li -r a", *LINES[:4]])])


def _forced(command: str) -> list[str]:
    return ["--force"] if command == "report" else []


def test_more_rows_than_there_are(tmp_path: Path) -> None:
    trace = make_sample_trace(tmp_path / "trace")
    seal_all(trace)
    manifest = trace / "sealed.json"
    row: dict[str, Any] = json.loads(manifest.read_text())
    row["tensors"][0]["rows"] = 4_000_000_000_000
    manifest.write_text(json.dumps(row))
    for command, *rest in TRACE:
        with contextlib.chdir(tmp_path) if hasattr(contextlib, "chdir") else contextlib.nullcontext():
            tell([command, str(trace), *rest, *_forced(command)])


def test_a_function_far_beyond_all_others_costs_as_little_as_the_next(tmp_path: Path) -> None:
    program, counts = circles_of_identities(CallKind.CALL), []
    for number in (1, 2**21):
        functions = (*program.functions, Function(number, "g", "g_1", number, 0, (), ()))
        trace = recorded(tmp_path / str(number), replace(program, functions=functions))
        counts.append(functions_called(partial(tell, ["why", str(trace)])))
    assert counts[1] < counts[0] + 10_000


@pytest.mark.parametrize("name", ["trace.json", "sites.jsonl", "segments/000000.bin", "facts.jsonl", "names.jsonl"])
def test_a_pipe_is_not_waited_for(tmp_path: Path, name: str) -> None:
    trace = make_sample_trace(tmp_path / "trace")
    (trace / name).unlink()
    os.mkfifo(trace / name)
    for words in (["why"], ["ls"], ["functions"], ["sql", "select 1"]):
        tell([words[0], str(trace), *words[1:]])


def test_links_leave_the_trace_nowhere(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    other = make_sample_trace(tmp_path / "other")
    trace = make_sample_trace(tmp_path / "trace")
    for name in ("sites.jsonl", "sources.jsonl"):
        (trace / name).unlink()
        (trace / name).symlink_to(other / name)
        with pytest.raises(SystemExit) as ended:
            main(["why", str(trace)])
        assert ended.value.code == 2
        assert "is a link, and links are not followed" in capfd.readouterr().err


def test_an_eager_operation_in_a_turn_of_a_loop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    build = TraceBuilder(tmp_path / "trace")
    build.describe(small_program())
    for step in range(2):
        build.eager_tensor(build.begin(6, step=step, inputs=(-1,)), 6, Tensor(health=BAD, frame=9, iteration=step))
    trace = build.finish()
    for command, *rest in (["why"], ["ls"], ["show", "Add"], ["report", "-o", "r.html"]):
        tell([command, str(trace), *rest])
    tell(["console", str(trace), "-c", "lt; ni Add; li -r Add; lo -r Add"])


def test_a_listing_of_events_that_lack_what_each_has(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    trace = make_sample_trace(tmp_path / "trace")
    seal_all(trace)
    (path,) = trace.glob("tensors-*.parquet")
    table = pq.read_table(path)
    steps = pa.array([None, *table.column("step").to_pylist()[1:]], pa.int64())
    pq.write_table(table.set_column(table.column_names.index("step"), "step", steps), path, write_page_checksum=True)
    say_so(path, len(table))
    with pytest.raises(SystemExit) as ended:
        main(["ls", str(trace)])
    assert ended.value.code == 2
    assert "can't be read (tensors.step: a value is missing)" in capfd.readouterr().err
