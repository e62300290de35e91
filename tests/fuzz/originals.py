"""What is damaged: sound traces in every state, captures, logs of TensorFlow's debuggers; made without TensorFlow."""

from __future__ import annotations

import enum
import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tensordbg.capture.outcome import Outcome, Reading
from tensordbg.capture.replayed import Replayed, ReplayedStep, write_replayed
from tensordbg.capture.tensors import packed_tensors
from tensordbg.capture.writer import TABLES_FILE, write_capture
from tensordbg.importers.tfdbg1.messages import _event_type
from tensordbg.model import Health
from tensordbg.trace.graphs.graph_files import GraphFiles, GraphStage
from tensordbg.trace.graphs.graphdef import GraphDefMessage, GraphDefNode
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.capture.conftest import BATCH, TABLES, VARIABLES, header_of
from tests.importers.tfdbg2.logbuilder import BAD, LogBuilder
from tests.importers.tfdbg2.samples import loop_and_branch, nested_functions
from tests.sample_run import make_sample_run
from tests.sample_trace import make_sample_trace
from tests.trace.builder import Tensor, TraceBuilder, kept, small_program
from tests.trace.raw.test_recent import shuffled
from tests.trace.samples import eventful_trace


class Kind(enum.Enum):
    """What a folder is to the commands."""

    TRACE = "trace"
    CAPTURE = "capture"
    LOGS = "logs"


@dataclass(frozen=True)
class Original:
    """A sound folder; `folder` holds it alone, under the name `name`."""

    kind: Kind
    name: str
    folder: Path


def make_originals(place: Path) -> list[Original]:
    """Makes all of them, each in a folder of its own."""
    made = []
    for name, (kind, make) in _MAKERS.items():
        folder = place / name.replace(" ", "-")
        folder.mkdir(parents=True)
        make(folder / kind.value)
        made.append(Original(kind, name, folder))
    return made


def kept_trace(folder: Path) -> Path:
    """Elements and graphs are kept, layers and attributes are known, and a variable goes bad."""
    build = TraceBuilder(folder)
    program = small_program()
    told = {
        "attributes": '{"axis": -1, "T": "float32"}',
        "layer": '{"path": "dense", "class": "Dense", "output_of": [["dense", "Dense", 0, 0]]}',
    }
    build.describe(replace(program, sites=[replace(site, **told) for site in program.sites]))
    for step in range(4):
        call = build.begin(5, 0, step)
        ruined = np.full((2, 3), np.nan if step > 1 else 0.5, np.float32)
        build.graph_tensor(50 + step, 0, kept(np.ones((2, 3), np.float32)))
        build.graph_tensor(50 + step, 1, kept(ruined))
        build.graph_tensor(50 + step, 4, Tensor(path=1, frame=9, iteration=step, health=Health(size=6, nan=step)))
        build.end(call)
        build.eager_tensor(build.begin(6, step=step, inputs=(call << 16, -1)), 6, kept(np.arange(step + 1.0)))
    nodes = tuple(GraphDefNode(name, name, ("x",) if name != "x" else ()) for name in ("x", "Log", "call"))
    for stage in GraphStage:
        GraphFiles(folder).write(0, stage, GraphDefMessage(nodes).encode())
    return build.finish()


def _cut_short(folder: Path) -> None:
    """As a full disk leaves a trace: some lines are missing, and what says so."""
    make_sample_trace(folder)
    (folder / "facts.jsonl").unlink()
    for name in ("sites", "functions", "stacks"):
        whole = (folder / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (folder / f"{name}.jsonl").write_text("".join(whole[:-1]))


def _sealed(make: Callable[[Path], object]) -> Callable[[Path], object]:
    def made(folder: Path) -> object:
        make(folder)
        return seal_all(folder)

    return made


def _partly(folder: Path) -> None:
    build = eventful_trace(folder)
    build.finish()
    seal_full_segments(folder)


def _recent(folder: Path) -> None:
    plain = eventful_trace(folder.with_name("plain")).finish()
    shuffled(plain, folder)
    shutil.rmtree(plain)


def _capture(folder: Path) -> None:
    made = write_capture(
        folder.with_name("writing"),
        header_of(),
        BATCH,
        VARIABLES,
        {"function.pb": b"\x0a\x02\x0a\x00", TABLES_FILE: packed_tensors(TABLES)},
    )
    (made / "sites.jsonl").write_text(json.dumps({"site": 0, "name": "x", "op_type": "Log"}) + "\n")
    made.rename(folder)
    reading = Reading("loss:0", "loss", "", 1, 0, 0, None, None, "abc")
    write_replayed(folder, Replayed("captures/a", (ReplayedStep(Outcome.SAME, (reading,)),), ("noise",), ("note",)))


def _log(fill: Callable[[LogBuilder], None], operation: str) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        log = LogBuilder(folder)
        log.frame("c", 3)
        fill(log)
        for step in range(3):
            log.trace("train", operation, 10.5 + step, BAD if step else ())
            log.execution("__inference_train_7", 11.0 + step, graph_id="train")

    return make


def _dumps(folder: Path) -> None:
    """One run of a session, as the wrapper of version 1 dumps it."""
    event = _event_type()
    run = folder / "run_1700000000000000_1"
    device = run / "_tfdbg_device_,job_localhost,replica_0,task_0,device_CPU_0"
    (device / "scope").mkdir(parents=True)
    asked = json.dumps({"input_names": ["x:0"], "output_names": ["Log:0"], "target_nodes": []})
    core = event(wall_time=1.0, log_message={"message": asked})
    (run / "_tfdbg_core_metadata_sessionrun1").write_bytes(core.SerializeToString())
    nodes = (GraphDefNode("x", "Placeholder"), GraphDefNode("scope/Log", "Log", ("x",)))
    graph = event(wall_time=1.0, graph_def=GraphDefMessage(nodes).encode())
    (device / "_tfdbg_graph_hash1_1700000000000000").write_bytes(graph.SerializeToString())
    for place, micros in (("x_0_DebugIdentity", 1700000000000100), ("scope/Log_0_DebugIdentity", 1700000000000200)):
        tensor = {"dtype": 1, "tensor_shape": {"dim": [{"size": 2}]}, "float_val": [1.0, float("nan")]}
        said = event(wall_time=2.0, summary={"value": [{"node_name": "x:0:DebugIdentity", "tensor": tensor}]})
        (device / f"{place}_{micros}").write_bytes(said.SerializeToString())


def _tensor_files(folder: Path) -> None:
    """Files of named tensors, of each format."""
    folder.mkdir()
    numbers = np.linspace(-2.0, 2.0, 12).reshape(3, 4)
    save_file({"w": numbers, "b": np.array([np.nan, 1.0], np.float16)}, folder / "a.safetensors", {"format": "np"})
    np.savez(folder / "b.npz", w=numbers, f=np.asfortranarray(numbers))
    np.savez_compressed(folder / "c.npz", w=numbers, ids=np.arange(4))
    np.save(folder / "d.npy", numbers)


_MAKERS: dict[str, tuple[Kind, Callable[[Path], object]]] = {
    "raw": (Kind.TRACE, make_sample_trace),
    "raw eventful": (Kind.TRACE, lambda folder: eventful_trace(folder).finish()),
    "raw kept": (Kind.TRACE, kept_trace),
    "raw cut short": (Kind.TRACE, _cut_short),
    "partly sealed": (Kind.TRACE, _partly),
    "sealed": (Kind.TRACE, _sealed(make_sample_trace)),
    "sealed kept": (Kind.TRACE, _sealed(kept_trace)),
    "sealed eventful": (Kind.TRACE, _sealed(lambda folder: eventful_trace(folder).finish())),
    "last": (Kind.TRACE, _recent),
    "last sealed": (Kind.TRACE, _sealed(_recent)),
    "run": (Kind.TRACE, make_sample_run),
    "capture": (Kind.CAPTURE, _capture),
    "log nested": (Kind.LOGS, _log(nested_functions, "Square")),
    "log loop": (Kind.LOGS, _log(loop_and_branch, "Greater")),
    "dumps": (Kind.LOGS, _dumps),
    "tensor files": (Kind.LOGS, _tensor_files),
}
