"""Replays a step on the processor that was captured on an H200 (PyTorch 2.11); see `captured_on_a_gpu/step.py`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import tensordbg
from tensordbg.backends.torch.replay.replayer import Replayer
from tensordbg.capture.outcome import Outcome, compare
from tensordbg.capture.reader import open_capture
from tensordbg.replaying.plan import ReplayPlan

pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

HERE = Path(__file__).parent / "captured_on_a_gpu"


def replayer(*changes: str) -> Replayer:
    return Replayer(open_capture(HERE / "Net-1"), ReplayPlan(str(HERE / "Net-1"), changes=changes))


def test_it_computes_what_the_gpu_computed() -> None:
    step = replayer("set labels=0.5")
    norms = {each.name: each.norm for each in step.run(step.arguments)}
    wanted = json.loads((HERE / "norms.json").read_text())
    assert len(wanted) == 31
    # Attention was computed in half precision, and cuDNN rounds to TF32.
    assert norms == pytest.approx(wanted, rel=5e-3, abs=1e-6)


def test_it_goes_wrong_again_at_the_same_line(tmp_path: Path) -> None:
    step = replayer()
    with tensordbg.record(tmp_path):
        said = compare(open_capture(HERE / "Net-1").header.trouble, step.run(step.arguments))
    assert said in {Outcome.SAME, Outcome.ALIKE}
    (note,) = step.notes
    assert note.endswith("where PyTorch sees no GPU: last bits of its numbers may be others")
    (trace,) = tmp_path.iterdir()
    (origin,) = tensordbg.open(trace).why().origins
    assert origin.view.tensor == "labels:0"
    assert (origin.source.file, origin.source.line) == ("/me/step.py", 55)
