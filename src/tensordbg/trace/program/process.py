"""Which process of which run this is, by its environment: what launchers of many processes tell each of them.

Processes belong to one run where they have a name of the run in common: that of the recording that started them
(`TENSORDBG_RUN`), or one made of what only the processes of one run share (the cluster of `TF_CONFIG`, a step of SLURM,
a job of MPI, the meeting point of `torchrun`). What could hold addresses is kept as a hash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

RUN_VARIABLE = "TENSORDBG_RUN"
"""The environment variable that a recorded program hands on to what it starts; it may be set by hand, to any text."""

_RANKS = ("RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")
"""Variables that hold a process's number, the most telling first."""


@dataclass(frozen=True)
class ProcessPlace:
    """The place of a process among those that it works with."""

    runs: tuple[str, ...] = ()
    """Names of the run; two processes of one run share at least one."""
    task: str = ""
    """What it does: `worker`, `chief`, `rank`; empty where nobody said."""
    index: int | None = None
    """Which of those with this task it is."""

    @property
    def name(self) -> str:
        """`worker 1`; empty where nobody said."""
        return self.task if self.index is None else f"{self.task} {self.index}"

    def joined(self, later: ProcessPlace) -> ProcessPlace:
        """All that is known when something is learned later, which counts where the two differ."""
        runs = tuple(dict.fromkeys((*self.runs, *later.runs)))
        said = later if later.task else self
        return ProcessPlace(runs, said.task, said.index)

    def to_json(self) -> dict[str, Any]:
        """The object in `trace.json` and `facts.jsonl`."""
        return {"runs": list(self.runs), "task": self.task, "index": self.index}

    @classmethod
    def from_json(cls, row: object) -> ProcessPlace:
        """The reverse of `to_json`; what is not understood is taken for nothing."""
        if not isinstance(row, dict):
            return cls()
        runs, task, index = row.get("runs"), row.get("task"), row.get("index")
        return cls(
            tuple(map(str, runs)) if isinstance(runs, list) else (),
            task if isinstance(task, str) else "",
            index if isinstance(index, int) and not isinstance(index, bool) else None,
        )


def place_of(environment: Mapping[str, str]) -> ProcessPlace:
    """Reads the place of a process from an environment; variables that are not well-formed tell nothing."""
    task, index = _task(environment)
    return ProcessPlace(tuple(_runs(environment)), task, index)


def _runs(environment: Mapping[str, str]) -> Iterator[str]:
    if environment.get(RUN_VARIABLE):
        yield f"run:{environment[RUN_VARIABLE]}"
    cluster, _ = _tensorflow(environment)
    if cluster:
        yield f"cluster:{_hash(cluster)}"
    if environment.get("PMIX_NAMESPACE"):
        yield f"mpi:{environment['PMIX_NAMESPACE']}"
    if _number(environment.get("SLURM_NTASKS")) not in (None, 1) and environment.get("SLURM_JOB_ID"):
        yield f"slurm:{environment['SLURM_JOB_ID']}.{environment.get('SLURM_STEP_ID', '')}"
    if environment.get("MASTER_ADDR") and environment.get("MASTER_PORT"):
        yield f"meeting:{_hash(environment['MASTER_ADDR'] + ':' + environment['MASTER_PORT'])}"


def _task(environment: Mapping[str, str]) -> tuple[str, int | None]:
    _, task = _tensorflow(environment)
    if task.get("type"):
        return str(task["type"]), _number(task.get("index"))
    if _number(environment.get("SLURM_NTASKS")) in (None, 1):
        environment = {name: value for name, value in environment.items() if name != "SLURM_PROCID"}
    for name in _RANKS:
        rank = _number(environment.get(name))
        if rank is not None:
            return "rank", rank
    return "", None


def _tensorflow(environment: Mapping[str, str]) -> tuple[str, dict[str, Any]]:
    """The cluster, as text, and the task of `TF_CONFIG`."""
    try:
        config = json.loads(environment.get("TF_CONFIG") or "{}")
        cluster, task = config.get("cluster"), config.get("task")
        named = json.dumps(cluster, sort_keys=True) if cluster and isinstance(cluster, dict) else ""
    except (ValueError, AttributeError, RecursionError):
        return "", {}
    return named, task if isinstance(task, dict) else {}


def _number(text: object) -> int | None:
    try:
        number = int(text)  # type: ignore[call-overload]
    except (TypeError, ValueError, OverflowError):
        return None
    return number if 0 <= number < 2**31 else None


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
