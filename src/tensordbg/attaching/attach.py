"""`tensordbg.attach`: attaches a trace's findings to the run of another tool that is active."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

from tensordbg.attaching.summed_up import COLUMNS, SummedUp, sum_up
from tensordbg.enumeration import first_few
from tensordbg.errors import UsageError

PLACES = ("wandb", "mlflow", "tensorboard")

_PREFIX = "tensordbg"


def attach(trace: str | Path = "tdbg-traces", to: str = "wandb", logdir: str | Path = "") -> None:
    """Attaches findings, warnings and the report of a trace to the active run of Weights & Biases or MLflow.

    Args:
        trace: A trace, or a folder of traces, of which the newest run is meant.
        to: `wandb`, `mlflow`, or `tensorboard` for an event file.
        logdir: For `tensorboard`: the folder of the run.

    Raises:
        TraceError: If there is no trace that can be read.
        UsageError: If there is no such tool, it is not installed, or no run of it is active.
    """
    check_place(to, logdir)
    from tensordbg.trace.folders.runs import find_run

    run = find_run(trace)
    if to == "wandb":
        active = _active_wandb()
        _to_wandb(active, sum_up(run))
    elif to == "mlflow":
        mlflow = _active_mlflow()
        _to_mlflow(mlflow, sum_up(run))
    else:
        _to_tensorboard(Path(logdir), sum_up(run))


def check_place(to: str, logdir: str | Path = "") -> None:
    """Refuses a tool that is not known.

    Raises:
        UsageError: If it is not known, or TensorBoard's folder is missing.
    """
    if to not in PLACES:
        raise UsageError(f"findings can't be attached to {to!r}; choose one of {first_few(list(PLACES), len(PLACES))}")
    if to == "tensorboard" and not str(logdir):
        raise UsageError("TensorBoard has no active run; name the folder of one as logdir")


def _active_wandb() -> Any:
    try:
        import wandb
    except ImportError:
        raise UsageError("wandb is not installed; `pip install wandb`") from None
    if wandb.run is None:
        raise UsageError("no run of Weights & Biases is active; call `wandb.init()` before")
    return wandb.run


def _to_wandb(run: Any, found: SummedUp) -> None:
    import wandb

    table = wandb.Table(columns=list(COLUMNS), data=[list(row) for row in found.rows])
    page = wandb.Html(found.page.decode(), inject=False)
    run.log({f"{_PREFIX}/findings": table, f"{_PREFIX}/report": page})
    run.summary.update(
        {f"{_PREFIX}/status": found.status, f"{_PREFIX}/cause": found.cause}
        | {f"{_PREFIX}/{name}": number for name, number in found.numbers.items()}
    )


def _active_mlflow() -> Any:
    try:
        import mlflow
    except ImportError:
        raise UsageError("mlflow is not installed; `pip install mlflow`") from None
    if mlflow.active_run() is None:
        raise UsageError("no run of MLflow is active; call `mlflow.start_run()` before")
    return mlflow


def _to_mlflow(mlflow: Any, found: SummedUp) -> None:
    mlflow.log_metrics({f"{_PREFIX}.{name}": number for name, number in found.numbers.items()})
    mlflow.set_tags({f"{_PREFIX}.status": found.status, f"{_PREFIX}.cause": found.cause})
    mlflow.log_text(found.markdown, f"{_PREFIX}/findings.md")
    mlflow.log_dict(dict(found.findings), f"{_PREFIX}/findings.json")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "report.html"
        path.write_bytes(found.page)
        mlflow.log_artifact(str(path), _PREFIX)


def _to_tensorboard(logdir: Path, found: SummedUp) -> None:
    from tensordbg.wire.event_file import event_file_name
    from tensordbg.wire.event_summaries import scalar, summaries_file, text

    now = time.time()
    events = [text(f"{_PREFIX}/findings", found.markdown, 0)]
    for step, tensors, bad in found.per_step:
        events += [scalar(f"{_PREFIX}/recorded", tensors, step), scalar(f"{_PREFIX}/not_finite", bad, step)]
    events += [scalar(f"{_PREFIX}/total/{name}", number, 0) for name, number in found.numbers.items()]
    try:
        logdir.mkdir(parents=True, exist_ok=True)
        (logdir / event_file_name(now)).write_bytes(summaries_file(events, now))
    except OSError as error:
        raise UsageError(f"{logdir}: can't be written ({error.strerror}); name another folder") from None
