"""What budgets for the cost come to: the share of the time that was spent, and how often each tensor was seen.

Each program runs in two processes that take turns, second by second: plain in one, and recorded under a budget in the
other. Processor time of all threads counts, in all turns together, as the machine may do other things too. `left out`
is what steps cost between those that are recorded, which is measured where only the first is. How often tensors were
seen is told of the one in the middle, and of the tenth that was seen most: those that matter, where a budget records
them alone. A table is printed and kept in `benchmarks/results/`.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SECONDS, WARMING_SECONDS, TURN_SECONDS = 30.0, 3.0, 1.0
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


def take_turns(step: Callable[[], object]) -> None:
    """Runs steps each time that the other end asks for it, and tells what they took."""
    turn(step, WARMING_SECONDS)
    print(json.dumps("ready"), flush=True)
    while sys.stdin.readline().strip():
        print(json.dumps(turn(step, TURN_SECONDS)), flush=True)


def run(program: str, budget: str) -> None:
    """One of the two processes; that which is recorded tells at the end how often a tensor was seen."""
    import tensordbg

    make = maker(program)
    if budget == PLAIN:
        take_turns(make())
        return
    with tempfile.TemporaryDirectory() as folder:
        with tensordbg.record(folder, **BUDGETS[budget]) as recording:
            take_turns(make())
        counts = "select count(*) as times from tensors group by site, slot, path"
        asked = f"select median(times) as times, quantile_cont(times, 0.9) as often from ({counts})"
        rows = tensordbg.open(recording.path).sql(asked).to_pylist()
    print(json.dumps([(SECONDS + WARMING_SECONDS) / rows[0][each] for each in ("times", "often")]), flush=True)


class Runner:
    """One of the two processes, seen from here."""

    def __init__(self, program: str, budget: str) -> None:
        environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
        self._process = subprocess.Popen(
            [sys.executable, __file__, program, budget], text=True, env=environment,
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


def measured(program: str, budget: str) -> dict[str, float] | None:
    """What a program costs under a budget; None where it fails, with the reason on standard error."""
    plain, watched = runners = Runner(program, PLAIN), Runner(program, budget)
    try:
        for each in runners:
            each.answer()
        for _ in range(round(SECONDS / TURN_SECONDS)):
            for each in runners:
                each.take_turn()
        watched.end()
        seen, most_seen = watched.answer()
    except (RuntimeError, OSError) as error:
        print(f"{budget}, {program}: {error}", file=sys.stderr)
        return None
    finally:
        for each in runners:
            each.stop()
    plain_seconds = plain.seconds / plain.steps
    return {
        "cost": watched.seconds / watched.steps / plain_seconds - 1,
        "plain_ms": 1e3 * plain_seconds,
        "steps": watched.steps,
        "seen_every_seconds": seen,
        "most_seen_every_seconds": most_seen,
    }


def cell(found: dict[str, float]) -> str:
    often = f"{found['seen_every_seconds']:.1f} s ({found['most_seen_every_seconds']:.1f} s)"
    return f"{100 * found['cost']:.1f} %  {often}"


def main() -> None:
    results: dict[str, dict[str, dict[str, float] | None]] = {}
    print(f"{'cost, seen every':18}" + "".join(f"{name:>28}" for name in PROGRAMS))
    for budget in BUDGETS:
        results[budget] = {program: measured(program, budget) for program in PROGRAMS}
        cells = [cell(found) if found else "fails" for found in results[budget].values()]
        print(f"{budget:18}" + "".join(f"{each:>28}" for each in cells), flush=True)
    RESULTS.mkdir(exist_ok=True)
    facts = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    (RESULTS / "budget.json").write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    if len(sys.argv) == 3:
        run(sys.argv[1], sys.argv[2])
    else:
        main()
