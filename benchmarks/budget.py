"""What budgets for the cost come to: the share of the time that was spent, and how often each tensor was seen.

Each program runs plain, then recorded under a budget, then plain again, in a process of its own; processor time of all
threads counts, as the machine may do other things too. `left out` is what steps cost between those that are recorded,
which is measured where only the first is. How often tensors were seen is told of the one in the middle, and of the
tenth that was seen most: those that matter, where a budget records them alone. A table is printed and kept in
`benchmarks/results/`.
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

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PLAIN_SECONDS, RECORDED_SECONDS = 6.0, 30.0
BUDGETS = {"left out": {"every": 2**40}, **{f"{share} %": {"overhead": share / 100} for share in (1, 2, 5, 10)}}
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


def timed(step: Callable[[], object], seconds: float) -> list[float]:
    """Seconds of the processor that each step took."""
    found = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.process_time()
        step()
        found.append(time.process_time() - start)
    return found


def measure(program: str, budget: str) -> dict[str, float]:
    """What one program costs under one budget."""
    import tensordbg

    make = maker(program)
    plain = make()
    timed(plain, 1.0)
    before = timed(plain, PLAIN_SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        with tensordbg.record(folder, **BUDGETS[budget]) as recording:
            watched = make()
            timed(watched, 2.0)
            during = timed(watched, RECORDED_SECONDS)
        counts = "select count(*) as times from tensors group by site, slot, path"
        asked = f"select median(times) as times, quantile_cont(times, 0.9) as often from ({counts})"
        rows = tensordbg.open(recording.path).sql(asked).to_pylist()
    own = [*before, *timed(plain, PLAIN_SECONDS)]
    plain_seconds = sum(own) / len(own)
    return {
        "cost": sum(during) / len(during) / plain_seconds - 1,
        "plain_ms": 1e3 * plain_seconds,
        "steps": len(during),
        "seen_every_seconds": (RECORDED_SECONDS + 2.0) / rows[0]["times"],
        "most_seen_every_seconds": (RECORDED_SECONDS + 2.0) / rows[0]["often"],
    }


def measured(program: str, budget: str) -> dict[str, float] | None:
    """The measurement in a process of its own; None where it fails, with its last line on standard error."""
    done = subprocess.run(
        [sys.executable, __file__, program, budget],
        capture_output=True, text=True, check=False, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    lines = done.stdout.strip().splitlines()
    if done.returncode == 0 and lines:
        return json.loads(lines[-1])
    print(f"{budget}, {program}: {(done.stderr.strip().splitlines() or ['no result'])[-1]}", file=sys.stderr)
    return None


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
        print(json.dumps(measure(sys.argv[1], sys.argv[2])))
    else:
        main()
