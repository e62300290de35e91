"""Asks a damaged folder what a user may ask: every command, the console's lines, the server's routes."""

from __future__ import annotations

import asyncio
import contextlib
import io
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import httpx
from starlette.applications import Starlette

from tensordbg.cli import main
from tensordbg.server.endpoints import Endpoints
from tensordbg.server.library import Library
from tests.fuzz.originals import Kind
from tests.fuzz.visiting import visit

TRACE = (
    *(["why"], ["why"], ["why"], ["why", "--json"], ["ls"], ["ls", "--non-finite"], ["ls", "--json", "--step", "0..1"]),
    *(["ls", "--sort", "max"], ["ls", "--name", "*o*", "--file", "train.py"], ["why", "--process", "0"]),
    *(["show", "Log"], ["show", "mul", "--json"], ["show", "Log", "--values"], ["functions"], ["functions", "--csv"]),
    *(["why", "--sarif"], ["why", "--exit-code"], ["ls", "--csv"], ["show", "mul", "--csv"], ["functions", "--json"]),
    *(
        ["layers"],
        ["layers", "--inner", "--csv"],
        ["layers", "--inner"],
        ["graph", "train"],
        ["graph", "train", "--depth", "all"],
    ),
    *(["graph", "train", "--as", "run"], ["graph", "train", "--as", "recorded", "--json"], ["graph", "inner"]),
    *(["graph", "train", "--export", "g.pbtxt"], ["graph", "train", "--as", "run", "--export", "g.pbtxt"]),
    *(["graph", "train", "--as", "run", "--export", "g.pb"], ["graph", "train", "--around", "Log", "--hops", "1"]),
    *(["show", "Log", "--values", "--slice", "[0]"], ["show", "Log", "--write", "v.npy", "--step", "1"]),
    *(["sql", "select * from tensors limit 3"], ["sql", "select * from sites, stacks limit 9", "--csv"]),
    *(["sql", "select count(*), max(step) from executions"],),
    *(["export", "out"], ["export", "out"], ["report", "-o", "r.md"], ["report", "-o", "r.html"]),
    *(["report", "-o", "-"], ["prune", "--older-than", "1d"]),
)
LINES = (
    *(
        "lt",
        "lt -s op_type",
        "lt -f has_inf_or_nan",
        "pt Log:0",
        "pt mul:0 -s",
        "ni Log",
        "ni mul -a -d -t",
        "li -r Log",
    ),
    *("lo Log", "ls", "ps train.py", "ri", "lp", "history Log", "diff Log:0", "graph train", "why", "eval 1+1"),
    *("eval np.sum(`Log:0`)", "pf x", "help lt", "list_tensors -n Lo", "lt -t Log", "ni -t train"),
    *("lt -s max -r", "lt -s dump_size", "pt Log:0[0]", "pt Log:0 -r [[0,1]]", "lo -r x", "li mul", "ni -a -d -t call"),
)
CAPTURE = (
    *(["capture", "show"], ["capture", "show", "--json"], ["capture", "show", "--export-weights", "w.npz"], ["replay"]),
    *(
        ["capture", "show", "--export-weights", "w.safetensors"],
        ["captures"],
        ["captures", "--csv"],
        ["captures", "--json"],
    ),
)
ROUTES = (
    *("runs", "overview", "findings", "events", "events?search=Log", "events?order=mean&descending=true", "events/1"),
    *("events?search=-nonfinite", "events/place?event=3", "events/next?search=nonfinite", "events/7", "timeline"),
    *("suggestions?key=op", "suggestions?key=layer", "executions/1", "executions/4", "tensor?tensor=Log:0", "values/1"),
    *("tensor?tensor=mul:0", "values/7", "graph?function=train", "graph?event=2", "graph?event=1&operation=Log"),
    *("sources", "source?file=/code/train.py", "live?revision=0&wait=0", "events?search=layer:dense", "graph?event=9"),
    *("graph/find?text=a", "graph/find?text=while&event=9"),
    *("graph/whole", "graph/whole?event=2", "graph/whole?event=9", "graph/whole?function=train&opened=while&closed=a/"),
)


class BadAnswerError(Exception):
    """A command ended in another way than with an answer or one line."""


def ask(kind: Kind, folder: Path, chance: random.Random) -> str:
    """Asks something of a folder; gives what, in words.

    Raises:
        BadAnswerError: If the answer is none.
        Exception: Whatever was not caught.
    """
    questions: dict[Kind, tuple[Callable[[Path, random.Random], str], ...]] = {
        Kind.TRACE: (_command, _command, _command, _console, _serve, visit),
        Kind.CAPTURE: (_capture,),
        Kind.LOGS: (_import,),
    }
    return chance.choice(questions[kind])(folder, chance)


def _command(folder: Path, chance: random.Random) -> str:
    name, *rest = chance.choice(TRACE)
    tell([name, str(folder), *rest])
    return f"tdbg {name} {' '.join(rest)}"


def _console(folder: Path, chance: random.Random) -> str:
    script = "; ".join(chance.choice(LINES) for _ in range(chance.choice([1, 1, 2])))
    tell(["console", str(folder), "-c", script])
    return f"tdbg console -c {script!r}"


def _capture(folder: Path, chance: random.Random) -> str:
    name, *rest = words = chance.choice(CAPTURE)
    with mock.patch("tensordbg.cli.running.replaying.Child", _NoChild), mock.patch("subprocess.run", _no_process):
        if name == "captures":
            tell([*words, str(folder.parent)])
        elif name == "replay":
            _read_all(folder)
            tell([*words, str(folder), "--out", "traces"])
        else:
            tell([name, rest[0], str(folder), *rest[1:]])
    return f"tdbg {' '.join(words)}"


def _read_all(folder: Path) -> None:
    """What a replay reads in its own process, with TensorFlow at hand."""
    from tensordbg.capture.reader import open_capture
    from tensordbg.capture.replayed import read_replayed
    from tensordbg.errors import CaptureError

    with contextlib.suppress(CaptureError):
        read_replayed(folder)
    with contextlib.suppress(CaptureError):
        capture = open_capture(folder)
        for read in (capture.batch, capture.elements, capture.variables, capture.function):
            read()
        for rows in ("sites", "functions", "stacks", "sources", "variables"):
            with contextlib.suppress(CaptureError):
                capture.rows(rows)


def _import(folder: Path, chance: random.Random) -> str:
    tell(["import", str(folder), "--out", "traces"])
    return "tdbg import"


def _serve(folder: Path, chance: random.Random) -> str:
    routes = [chance.choice(ROUTES) for _ in range(chance.choice([1, 1, 3]))]
    app = Starlette(routes=Endpoints(Library(folder.parent)).routes())

    async def visit() -> list[httpx.Response]:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://localhost") as client:
            return [await client.get(f"/{route}") for route in routes]

    for answer in asyncio.run(visit()):
        if answer.status_code not in {200, 400, 404}:
            raise BadAnswerError(f"{answer.url}: {answer.status_code} {answer.text[:500]}")
    return f"GET {' '.join(routes)}"


def tell(words: list[str]) -> None:
    """Runs a command in this process: it ends well, or with one line on standard error.

    Raises:
        BadAnswerError: If it does not.
    """
    with _taken() as (_, err):
        try:
            main(words)
            code: Any = 0
        except SystemExit as ended:
            code = ended.code
    said = err.getvalue()
    lines = said.splitlines()
    errors = [line for line in lines if line.startswith("tdbg: error: ")]
    if code not in (0, 1, 2, None) or (code == 2 and (len(errors) != 1 or lines[-1] != errors[0])):
        raise BadAnswerError(f"code {code}, said {said[-2000:]!r}")
    if "Traceback" in said:
        raise BadAnswerError(f"a traceback: {said[-2000:]}")


@contextlib.contextmanager
def _taken() -> Iterator[tuple[io.TextIOWrapper, io.StringIO]]:
    """Takes what is printed; as on a terminal, what can't be encoded is an error."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch("sys.stdin", io.StringIO()):
        yield out, err
    err.getvalue().encode()


class _NoChild:
    """Stands for the process that would compute."""

    def __init__(self, words: list[str]) -> None:
        self.words = words

    def start(self) -> None:
        """Starts nothing."""

    def wait(self) -> int:
        return 1


def _no_process(*_: Any, **__: Any) -> Any:
    return mock.Mock(returncode=1, stdout="")
