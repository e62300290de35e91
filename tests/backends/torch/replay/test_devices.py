from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.backends.torch.captured.graph import Argument, Operation, Outside, StepGraph
from tensordbg.backends.torch.replay.devices import Devices
from tensordbg.backends.torch.replay.operators import operators_of
from tensordbg.capture.reader import open_capture

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")

CAPTURE = open_capture(Path(__file__).parent / "captured_on_a_gpu" / "Net-1")
DROPOUT = Operation(
    "aten::native_dropout", "", (Argument(), Argument(value=0.5), Argument(value=True)), (), -1, state=0
)


def devices(*operations: Operation, device: str = "cuda:0", drawn_on: str = "cuda:0") -> Devices:
    graph = StepGraph(operations=operations, outside=(Outside(0, 0, 0, device=device),), generators=(drawn_on,))
    return Devices(graph, operators_of(CAPTURE, operations))


def test_a_step_of_the_processor_runs_as_it_did() -> None:
    here = devices(DROPOUT, device="cpu", drawn_on="cpu")
    assert (here.elsewhere, here.note, here.of("cpu")) == (False, "", "cpu")


def test_without_a_gpu_all_is_on_the_processor_and_a_note_says_so() -> None:
    here = devices(DROPOUT)
    assert (here.elsewhere, here.of("cuda:1"), here.of("cpu")) == (True, "cpu", "cpu")
    assert "what it has drawn at random, such as a dropout, is drawn anew" in here.note
    assert "drawn" not in devices().note


def test_another_gpu_takes_the_place_of_one_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    here = devices(DROPOUT)
    assert (here.elsewhere, here.note) == (False, "")
    assert [here.of(each) for each in ("cuda", "cuda:1", "cuda:5", "cpu")] == ["cuda", "cuda:1", "cuda:0", "cpu"]


def test_what_a_gpu_drew_is_drawn_the_same_each_time() -> None:
    drawn = []
    for state in (b"\x07" * 16, b"\x07" * 16, b"\x08" * 16):
        devices().begin_at("cuda:0", torch.frombuffer(bytearray(state), dtype=torch.uint8))
        drawn.append(torch.rand(3))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


def test_what_the_processor_drew_is_drawn_again() -> None:
    state = torch.get_rng_state()
    first = torch.rand(3)
    devices().begin_at("cpu", state)
    assert torch.equal(torch.rand(3), first)
