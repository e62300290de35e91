"""What it costs to watch a PyTorch program: ours, and what PyTorch and others have for it, next to the plain one.

Blocks of plain and watched steps alternate in one process with one compute thread, in processor time of that thread,
and the median of their paired ratios is what counts. A table is printed and kept in `benchmarks/results/`. Hugging
Face's `DebugUnderflowOverflow` is there where `transformers` is installed.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS = HERE / "results"
SECONDS = 20.0
"""So long each pair of contenders is timed."""
BLOCK = 1.0
"""So many seconds of plain steps make a block: each begins a recording, whose first steps a training sees once."""
WARM = 2
"""So many steps of each block are not timed: what was made before comes in as from outside."""

OURS = {"health": {"detail": "health"}, "compiled, health": {"detail": "health"}, "shapes": {"detail": "shapes"}}
"""What `record` is asked for."""
CHECK, TRAP = "check", "trap"
ANOMALY, HASHES, HUGGING_FACE = "detect_anomaly", "DebugMode, hashes", "DebugUnderflowOverflow"
CONTENDERS = (*OURS, CHECK, TRAP, ANOMALY, HASHES, HUGGING_FACE)
PROGRAMS = ("transformer", "convolution", "mlp")
GOALS = {
    ("transformer", "health"): 1.10,
    ("transformer", "compiled, health"): 1.06,
    ("transformer", CHECK): 1.10,
    ("convolution", "health"): 1.20,
    ("convolution", "compiled, health"): 1.10,
    ("mlp", "health"): 1.60,
    ("mlp", "compiled, health"): 1.15,
    ("mlp", CHECK): 1.40,
    **{(program, TRAP): 1.03 for program in PROGRAMS},
}
NOT_THERE = "not installed"


@contextlib.contextmanager
def watching(contender: str, folder: str, model: Any) -> Iterator[None]:
    """Has the contender watch what runs inside."""
    import torch

    import tensordbg
    import tensordbg.torch

    if contender in OURS:
        with tensordbg.record(folder, **OURS[contender]):
            yield
    elif contender == CHECK:
        tensordbg.torch.enable_check_numerics()
        try:
            yield
        finally:
            tensordbg.torch.disable_check_numerics()
    elif contender == TRAP:
        with tensordbg.trap(folder):
            yield
    elif contender == ANOMALY:
        with torch.autograd.set_detect_anomaly(True):
            yield
    elif contender == HASHES:
        from torch.utils._debug_mode import DebugMode

        with DebugMode() as mode, mode.log_tensor_hashes(hash_inputs=True):
            yield
    else:
        from transformers.debug_utils import DebugUnderflowOverflow

        before = {module: list(module._forward_hooks) for module in model.modules()}  # noqa: SLF001
        DebugUnderflowOverflow(model)
        try:
            yield
        finally:  # It has no end of its own.
            for module, hooks in before.items():
                for number in set(module._forward_hooks) - set(hooks):  # noqa: SLF001
                    del module._forward_hooks[number]  # noqa: SLF001


def block(step: Callable[[], Any], count: int) -> float:
    """Processor time of a step, the median of some."""
    for _ in range(WARM):
        step()
    times = []
    for _ in range(count):
        begin = time.thread_time()
        step()
        times.append(time.thread_time() - begin)
    return statistics.median(times)


def measure(program: str, contender: str) -> None:
    """Prints the ratios of one contender, in a process of its own."""
    import warnings

    import torch

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    sys.path.insert(0, str(HERE))
    from programs import torch_steps

    if contender == HUGGING_FACE and importlib.util.find_spec("transformers") is None:
        print(NOT_THERE)
        return
    training = torch_steps.TRAININGS[program]()
    step = watched_step = training.step()
    with tempfile.TemporaryDirectory() as folder:
        if contender.startswith("compiled"):
            other = torch_steps.TRAININGS[program]()
            step, watched_step = training.compiled(), other.compiled()
            block(step, 3)
            with watching(contender, f"{folder}/compiling", other.model):
                block(watched_step, 3)
        plain = block(step, 5)
        count = max(3, int(BLOCK / max(plain, 1e-5)))
        ratios = []
        end = time.perf_counter() + SECONDS
        while time.perf_counter() < end or len(ratios) < 5:
            before = block(step, count)
            with watching(contender, f"{folder}/{len(ratios)}", training.model):
                watched = block(watched_step, count)
            after = block(step, count)
            ratios.append(2 * watched / (before + after))
    print(json.dumps({"plain_ms": plain * 1e3, "ratios": ratios}))


def timed(script: str, programs: Iterable[str], contenders: Iterable[str]) -> Iterator[str]:
    """Times all contenders, each in a process of its own; prints each row of the table, and yields it."""
    for program, contender in itertools.product(programs, contenders):
        done = subprocess.run([sys.executable, script, program, contender], capture_output=True, check=False, text=True)
        if done.returncode != 0:
            print(f"{program:14}{contender:24}failed: {done.stderr.strip().splitlines()[-1:]}")
            continue
        if done.stdout.strip() == NOT_THERE:
            print(f"{program:14}{contender:24}{NOT_THERE}")
            continue
        found = json.loads(done.stdout.splitlines()[-1])
        low, middle, high = statistics.quantiles(found["ratios"], n=4)
        goal = f"  goal {GOALS[program, contender]:.2f}" if script == __file__ and (program, contender) in GOALS else ""
        row = f"{program:14}{contender:24}{middle:6.2f}  ({low:.2f} to {high:.2f}){goal}"
        print(row, flush=True)
        yield row


def main() -> None:
    """Times all contenders, prints the table and keeps it."""
    if len(sys.argv) == 3:
        return measure(*sys.argv[1:])
    try:
        import torch
    except ImportError:
        print("PyTorch is not installed here")
        return None
    rows = list(timed(__file__, PROGRAMS, CONTENDERS))
    RESULTS.mkdir(exist_ok=True)
    title = f"PyTorch {torch.__version__}, Python {platform.python_version()}, times plain, one thread\n"
    (RESULTS / "torch_recording.txt").write_text(title + "\n".join(rows) + "\n")
    return None


if __name__ == "__main__":
    main()
