"""What a breakpoint at a line costs that never stops: a training step under `tdbg debug`, next to the plain one.

The plain step, one that is debugged and one that is debugged with a line to stop at alternate in one process, and the
medians of their ratios in each round are what counts. A table is printed and kept in `benchmarks/results/`.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SECONDS = 10.0
PROGRAMS = ("mlp", "transformer", "convolution")

Step = Callable[[], object]


class Onwards:
    """A face that always goes on."""

    stops = 0

    def converse(self, console: object) -> object:  # noqa: ARG002  it does not look
        """See `Face`."""
        from tensordbg.console.running import Go, GoKind

        self.stops += 1
        return Go(GoKind.CONTINUE)


@contextmanager
def debugged(folder: Path, place: str) -> Iterator[Onwards]:
    """Debugs what is built and run inside, with a breakpoint at a line where one is given."""
    from tensordbg.backends.tensorflow.functions import instrument as functions
    from tensordbg.console.breakpoints import chosen_line, split_condition
    from tensordbg.console.language.filters import Filters
    from tensordbg.debug.debugger import Debugger
    from tensordbg.debug.launch import recording_plan
    from tensordbg.debug.plan import DebugPlan
    from tensordbg.recording.session import Session

    functions.live_functions = list
    face = Onwards()
    session = Session(folder, recording_plan(DebugPlan(), folder), "stopping")
    debugger = Debugger(session, face, Filters())
    session.recorder.watch, session.recorder.lines = debugger, debugger.lines
    if place:
        debugger.program.add_breakpoint(chosen_line(*split_condition(place), {})[0])
    session.start()
    try:
        yield face
    finally:
        session.stop()


def timed(step: Step) -> float:
    """Seconds that a step takes."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


def compare(program: str, place: str) -> dict[str, float]:
    """Times the plain and the debugged program in turn, in this process.

    Raises:
        SystemExit: It stopped at the line, or the line has no gate.
    """
    sys.path.insert(0, str(HERE))
    from programs.steps import PROGRAMS as MAKERS

    from tensordbg import _native

    plain = MAKERS[program]()
    for _ in range(3):
        plain()
    asked = 0
    start = _native.start_stopping

    def counting(reached: Callable[..., object]) -> None:
        def count(*args: object) -> object:
            nonlocal asked
            asked += 1
            return reached(*args)

        start(count)

    _native.start_stopping = counting
    with tempfile.TemporaryDirectory() as folder, debugged(Path(folder) / "trace", place) as face:
        watched = MAKERS[program]()
        for _ in range(3):
            watched()
        before = face.stops
        pairs = []
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            pairs.append((timed(plain), timed(watched)))
        if face.stops != before or (asked > 0) != bool(place):
            raise SystemExit(f"{program}: {face.stops - before} stops, and {asked} questions; this measures nothing")
    return {
        "ratio": statistics.median(other / first for first, other in pairs),
        "plain_ms": 1e3 * statistics.median(first for first, _ in pairs),
        "watched_ms": 1e3 * statistics.median(other for _, other in pairs),
        "pairs": len(pairs),
    }


def measured(program: str, place: str) -> dict[str, float]:
    """The comparison, in a process of its own."""
    import subprocess

    command = [sys.executable, __file__, program, place]
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    found: dict[str, float] = json.loads(done.stdout.strip().splitlines()[-1])
    return found


def main() -> None:
    steps = HERE / "programs" / "steps.py"
    line = 1 + next(k for k, text in enumerate(steps.read_text().splitlines()) if "loss = tf.reduce_mean" in text)
    contenders = {"debugged": "", "a line that never stops": f"{steps}:{line} if loss < 0"}
    print(f"{'times the plain step':26}" + "".join(f"{name:>14}" for name in PROGRAMS))
    results: dict[str, dict[str, dict[str, float]]] = {}
    for contender, place in contenders.items():
        results[contender] = {program: measured(program, place) for program in PROGRAMS}
        cells = [f"{results[contender][program]['ratio']:14.2f}" for program in PROGRAMS]
        print(f"{contender:26}" + "".join(cells), flush=True)
    RESULTS.mkdir(exist_ok=True)
    facts = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    (RESULTS / "stopping.json").write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(compare(sys.argv[1], sys.argv[2])))
    else:
        main()
