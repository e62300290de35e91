"""The disk that a week's run under `--overhead 2%` takes: measured over some seconds, simulated over the week.

Each program is really recorded, all of its steps: so one knows how long a step takes plain and recorded, how many
records it writes, and how many bytes each of them takes once it is sealed. Then the budget itself chooses among the
steps of a week, by a clock that is simulated: each step takes what was measured, give or take a fifth. Of programs with
more steps than can be simulated, the last half of those that were goes on to the end of the week. So the choice is the
recorder's own; the steps, and that a week's events are packed like those of the first seconds, are assumed.
"""

from __future__ import annotations

import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

from budget import HERE, RESULTS, maker, timed

SHARE = 0.02
WEEK = 7 * 24 * 3600.0
LIMIT = 10e9
MOST_STEPS = 3_000_000
SECONDS = 5.0
PROGRAMS = ("mlp", "transformer", "eager", "torch mlp", "torch transformer")
# A training on accelerators: its step takes long, and computes as many tensors as one of a large model in eager mode.
LARGE = "step of 1 s, 20,000 records"


@dataclass(frozen=True)
class Measured:
    """One program's steps."""

    plain: float
    """Seconds of a step that is not recorded."""
    recorded: float
    records: float
    """Of a step."""
    bytes_of_record: float
    """On the disk, once sealed; what is written once, such as the program's own files, is not counted."""


@dataclass(frozen=True)
class Week:
    """A week's run."""

    gigabytes: float
    simulated_days: float
    steps_recorded: float
    """The part of all steps."""
    cost: float
    """Seconds of recording, as part of the program's own."""


def measure(program: str) -> Measured:
    """What a program's steps take, in processor time, and what they write."""
    import tensordbg
    from tensordbg import _native
    from tensordbg.trace.sealed.seal import seal_all

    make = maker(program)
    plain = make()
    timed(plain, 1.0)
    own = timed(plain, SECONDS)
    with tempfile.TemporaryDirectory() as folder:
        with tensordbg.record(folder) as recording:
            watched = make()
            timed(watched, 1.0)
            before = _native.log_status()[0]
            during = timed(watched, SECONDS)
            records = _native.log_status()[0]
        seal_all(Path(recording.path))
        parts = [*Path(recording.path).glob("tensors-*.parquet"), *Path(recording.path).glob("executions-*.parquet")]
        size = sum(part.stat().st_size for part in parts)
    return Measured(
        plain=sum(own) / len(own),
        recorded=sum(during) / len(during),
        records=(records - before) / len(during),
        bytes_of_record=size / records,
    )


def simulate(program: Measured) -> Week:
    """What the budget makes of a week of such steps."""
    from tensordbg.recording.budget import Budget, Look

    budget, chance = Budget(SHARE), random.Random(1)
    now = own = cost = 0.0
    steps = recorded = 0
    half = (0.0, 0)
    while now < WEEK and steps < MOST_STEPS:
        took = program.plain * chance.uniform(0.8, 1.2)
        own += took
        now += took
        steps += 1
        if budget.begin("step", now - took) is not Look.NOTHING:
            budget.wrote(int(program.records))
            now += program.recorded - program.plain
            cost += program.recorded - program.plain
            recorded += 1
        if steps == MOST_STEPS // 2:
            half = (now, recorded)
    at_end = recorded + (WEEK - now) * (recorded - half[1]) / (now - half[0]) if now < WEEK else recorded
    return Week(
        gigabytes=at_end * program.records * program.bytes_of_record / 1e9,
        simulated_days=now / 86400,
        steps_recorded=recorded / steps,
        cost=cost / own,
    )


def measured(program: str) -> Measured:
    """The measurement in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, program],
        capture_output=True, text=True, check=True, env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )  # fmt: skip
    return Measured(**json.loads(done.stdout.strip().splitlines()[-1]))


def main() -> None:
    """Prints what was measured and simulated, and keeps it."""
    found: dict[str, Measured] = {program: measured(program) for program in PROGRAMS}
    most = max(each.bytes_of_record for each in found.values())
    found[LARGE] = Measured(plain=1.0, recorded=1.2, records=20_000, bytes_of_record=most)
    results = {}
    print(
        f"{'a week at 2 %':30}{'plain':>10}{'recorded':>10}{'records':>10}{'bytes':>8}{'seen every':>12}{'on disk':>10}"
    )
    for program, each in found.items():
        week = simulate(each)
        every = each.plain / week.steps_recorded
        print(
            f"{program:30}{1e3 * each.plain:7.1f} ms{1e3 * each.recorded:7.1f} ms{each.records:10,.0f}"
            f"{each.bytes_of_record:8.1f}{every:10.2f} s{week.gigabytes:7.2f} GB"
            f"{'' if week.gigabytes * 1e9 < LIMIT else '  more than was promised'}",
            flush=True,
        )
        results[program] = {"measured": asdict(each), "week": asdict(week)}
    RESULTS.mkdir(exist_ok=True)
    facts = {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()}
    (RESULTS / "week.json").write_text(json.dumps({"facts": facts, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    if len(sys.argv) == 2:
        print(json.dumps(asdict(measure(sys.argv[1]))))
    else:
        main()
