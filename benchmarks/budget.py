"""What budgets for the cost come to: the share of the time that was spent, and how often each tensor was seen.

Each program runs in two processes that take turns, second by second: plain in one, and recorded under a budget in the
other. Processor time of all threads counts, in all turns together, as the machine may do other things too. Two
processes of one program differ by some percent, as their memory lies elsewhere: the median of several pairs is told,
with the least and the most, and `plain` is what two plain ones come to. `left out` is what steps cost between those
that are recorded, which is measured where only the first is. How often tensors were seen is told of the one in the
middle, and of the tenth that was seen most: those that matter, where a budget records them alone. A table is printed
and kept in `benchmarks/results/`. Names of rows and programs ask for a part of it, such as `"left out" mlp`.
"""

from __future__ import annotations

import functools
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from operator import itemgetter
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAIRS = 3
SECONDS, WARMING_SECONDS, TURN_SECONDS = 10.0, 3.0, 1.0
"""Of each of the two processes: how long it is timed, how long it runs before that, and how long a turn is."""
PLAIN = "plain"
BUDGETS = {"left out": {"overhead": 1e-6}, **{f"{share} %": {"overhead": share / 100} for share in (1, 2, 5, 10)}}
TENSORFLOW = ("mlp", "transformer", "convolution", "eager", "keras fit")
TORCH = ("transformer", "convolution", "mlp")
PROGRAMS = (*TENSORFLOW, *(f"torch {name}" for name in TORCH))


def maker(program: str) -> Callable[[], Callable[[], object]]:
    """What builds a program's step."""
    sys.path.insert(0, str(HERE))
    if program.startswith("torch "):
        import torch
        from programs import torch_steps

        torch.set_num_threads(1)
        training = getattr(torch_steps, program.removeprefix("torch "))
        return lambda: training().step()
    from programs.steps import PROGRAMS as MAKERS

    return MAKERS[program]


def turn(step: Callable[[], object], seconds: float) -> tuple[float, int]:
    """Seconds of the processor that steps took, and how many there were."""
    steps, start, end = 0, time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < end:
        step()
        steps += 1
    return time.process_time() - start, steps


class Clock:
    """Tells the program's own time, which stands while the other process has its turn."""

    def __init__(self) -> None:
        self._stood = 0.0

    def __call__(self) -> float:
        """Says how long the program has run, in seconds from any point."""
        return time.perf_counter() - self._stood

    def next_turn(self) -> bool:
        """Waits until the other end asks for more steps, or for no more."""
        began = time.perf_counter()
        asked = sys.stdin.readline().strip()
        self._stood += time.perf_counter() - began
        return bool(asked)


def take_turns(step: Callable[[], object], clock: Clock) -> None:
    """Runs steps each time that the other end asks for it, and tells what they took."""
    turn(step, WARMING_SECONDS)
    print(json.dumps("ready"), flush=True)
    while clock.next_turn():
        print(json.dumps(turn(step, TURN_SECONDS)), flush=True)


def run(program: str, budget: str) -> None:
    """One of the two processes; that which is recorded tells at the end how often a tensor was seen."""
    import tensordbg
    from tensordbg.recording import session

    make, clock = maker(program), Clock()
    if budget == PLAIN:
        take_turns(make(), clock)
        print(json.dumps(None), flush=True)
        return
    # The budget is a share of the time that the program takes; it would take the other's turns for the program's own.
    session.Pace = functools.partial(session.Pace, clock=clock)  # type: ignore[misc]
    with tempfile.TemporaryDirectory() as folder:
        with tensordbg.record(folder, **BUDGETS[budget]) as recording:
            take_turns(make(), clock)
        counts = "select count(*) as times from tensors group by site, slot, path"
        asked = f"select median(times) as times, quantile_cont(times, 0.9) as often from ({counts})"
        rows = tensordbg.open(recording.path).sql(asked).to_pylist()
    print(json.dumps([(SECONDS + WARMING_SECONDS) / rows[0][each] for each in ("times", "often")]), flush=True)


class Runner:
    """One of the two processes, seen from here."""

    def __init__(self, program: str, budget: str) -> None:
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--process", program, budget], text=True, env=environment,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        self.seconds, self.steps = 0.0, 0

    def answer(self) -> Any:
        """Waits for what it tells next.

        Raises:
            RuntimeError: It has ended, with the last line on its standard error.
        """
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError((self._process.stderr.read().strip().splitlines() or ["no result"])[-1])
        return json.loads(line)

    def take_turn(self) -> None:
        """Has it run for a while."""
        self._say("go")
        seconds, steps = self.answer()
        self.seconds, self.steps = self.seconds + seconds, self.steps + steps

    def end(self) -> None:
        """Has it end."""
        self._say("")

    def stop(self) -> None:
        """Sees to it that it is gone."""
        self._process.kill()
        self._process.communicate()

    def _say(self, word: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()


def paired(program: str, budget: str) -> dict[str, Any]:
    """What a program costs under a budget beside one plain process.

    Raises:
        RuntimeError: A process has ended, with the last line on its standard error.
    """
    plain, watched = runners = Runner(program, PLAIN), Runner(program, budget)
    try:
        for each in runners:
            each.answer()
        for _ in range(round(SECONDS / TURN_SECONDS)):
            for each in runners:
                each.take_turn()
        watched.end()
        seen = watched.answer()
    finally:
        for each in runners:
            each.stop()
    plain_seconds = plain.seconds / plain.steps
    return {
        "cost": watched.seconds / watched.steps / plain_seconds - 1,
        "plain_ms": 1e3 * plain_seconds,
        "steps": watched.steps,
        "seen_every_seconds": seen,
    }


def measured(program: str, budget: str) -> dict[str, Any] | None:
    """What a program costs under a budget, by several pairs; None where it fails, with the reason on standard error."""
    try:
        pairs = sorted((paired(program, budget) for _ in range(PAIRS)), key=itemgetter("cost"))
    except (RuntimeError, OSError) as error:
        print(f"{budget}, {program}: {error}", file=sys.stderr)
        return None
    middle = pairs[PAIRS // 2]
    return {**middle, "costs": [each["cost"] for each in pairs]}


def cell(found: dict[str, Any]) -> str:
    """`1.2 % (0.9 to 1.4), 3.1 s (0.2 s)`."""
    cost, (least, *_, most) = 100 * found["cost"], [100 * each for each in found["costs"]]
    seen = found["seen_every_seconds"]
    often = "" if seen is None else f", {seen[0]:.1f} s ({seen[1]:.1f} s)"
    return f"{cost:.1f} % ({least:.1f} to {most:.1f}){often}"


def main(asked: Collection[str]) -> None:
    """Measures the rows and programs that are asked for; all of those of which none is."""
    rows = [each for each in (PLAIN, *BUDGETS) if each in asked] or [PLAIN, *BUDGETS]
    programs = [each for each in PROGRAMS if each in asked] or PROGRAMS
    results: dict[str, dict[str, dict[str, Any] | None]] = {}
    for row in rows:
        results[row] = {}
        for program in programs:
            found = results[row][program] = measured(program, row)
            print(f"{row:10}{program:20}{cell(found) if found else 'fails'}", flush=True)
    if not asked:
        RESULTS.mkdir(exist_ok=True)
        facts = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
        (RESULTS / "budget.json").write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--process"]:
        run(*sys.argv[2:])
    else:
        main(sys.argv[1:])
