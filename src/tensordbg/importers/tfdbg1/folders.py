"""Finds the runs in a folder: what each was asked for, its graphs, and the files of its tensors."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from tensordbg.errors import TraceError
from tensordbg.importers.tfdbg1.messages import read_event
from tensordbg.json_input import load_json
from tensordbg.opening import is_folder, is_regular

_DEVICE = "_tfdbg_device_,"
_CORE = "_tfdbg_core_metadata_"
_GRAPH = "_tfdbg_graph_"
_RUN = re.compile(r"run_(\d+)_(\d+)")
_TENSOR = re.compile(r"(?P<name>.+)_(?P<slot>\d+)_(?P<operation>Debug\w+?)_(?P<micros>\d+)")


@dataclass(frozen=True)
class DumpedTensor:
    """The file of one tensor."""

    path: Path
    node: str
    slot: int
    operation: str
    """`DebugIdentity`, `DebugNumericSummary`..."""
    micros: int
    """Since 1970."""
    device: str


@dataclass(frozen=True)
class DumpedRun:
    """The folder of one run."""

    folder: Path

    @property
    def order(self) -> tuple[int, int]:
        """When it was made, and its number."""
        name = _RUN.fullmatch(self.folder.name)
        return (int(name[1]), int(name[2])) if name else (0, 0)

    @cached_property
    def metadata(self) -> dict[str, Any]:
        """The request of a run: `input_names`, `output_names`, `target_nodes`; empty where that was not dumped.

        Raises:
            TraceError: If it can't be read.
        """
        for path in sorted(self.folder.glob(f"{_CORE}*")):
            try:
                said = load_json(read_event(path).log_message.message.encode())
            except ValueError as error:
                raise TraceError(f"{path}: does not say what was run ({error}); take the folder out") from error
            return said if isinstance(said, dict) else {}
        return {}

    def names(self, key: str) -> tuple[str, ...]:
        """A list of names in the metadata."""
        found = self.metadata.get(key)
        return tuple(map(str, found)) if isinstance(found, list) else ()

    def graphs(self) -> list[bytes]:
        """The GraphDefs of its devices.

        Raises:
            TraceError: If a file can't be read.
        """
        files = sorted(path for device in self._devices for path in device.glob(f"{_GRAPH}*"))
        return [bytes(read_event(path).graph_def) for path in files]

    def tensors(self) -> list[DumpedTensor]:
        """The files of its tensors, in the order in which they were computed."""
        found = []
        for device in self._devices:
            name = device_name(device.name.removeprefix(_DEVICE))
            for path in device.rglob("*"):
                match = _TENSOR.fullmatch(path.relative_to(device).as_posix())
                if match and is_regular(path):
                    micros = int(match["micros"])
                    found.append(
                        DumpedTensor(path, match["name"], int(match["slot"]), match["operation"], micros, name)
                    )
        return sorted(found, key=lambda each: (each.micros, each.node, each.slot))

    @property
    def _devices(self) -> list[Path]:
        return sorted(path for path in self.folder.glob(f"{_DEVICE}*") if is_folder(path))


def device_name(text: str) -> str:
    """`job_localhost,replica_0,task_0,device_CPU_0` as `/job:localhost/replica:0/task:0/device:CPU:0`."""
    parts = []
    for part in text.split(","):
        kind, _, rest = part.partition("_")
        parts.append(f"/{kind}:{rest.replace('_', ':') if kind == 'device' else rest}")
    return "".join(parts)


def find_dumps(folder: Path) -> dict[Path, list[DumpedRun]]:
    """The runs in a folder and in those under it, by the folder that the wrapper was given, in order."""
    runs = {path.parent for path in folder.rglob(f"{_DEVICE}*") if is_folder(path)}
    found: dict[Path, list[DumpedRun]] = {}
    for run in runs:
        root = run.parent if _RUN.fullmatch(run.name) and run != folder else run
        found.setdefault(root, []).append(DumpedRun(run))
    return {root: sorted(found[root], key=lambda run: run.order) for root in sorted(found)}
