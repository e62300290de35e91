from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tensordbg
from tensordbg.analysis.names.listing import Order, Selection, list_tensors
from tensordbg.backends.torch import recording as torch_recording
from tensordbg.backends.torch.building import BuildError
from tensordbg.trace.reader import open_trace

torch = pytest.importorskip("torch", reason="PyTorch is not installed here (it comes with the tests on Python 3.11)")


def kinds(path: Path) -> list[str]:
    """Without the numbers of the program's text."""
    rows = list_tensors(open_trace(path), Selection(), Order(limit=0)).rows
    return [row.op_type for row in rows if row.op_type != "Number"]


def refuse(_: object) -> None:
    raise BuildError("there is no compiler")


def test_a_block_is_recorded_and_nothing_after_it(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a") as first:
        given = torch.ones(3)
        (given * 2).log()
    given + 1
    with tensordbg.record(tmp_path / "b") as second:
        given + 1
    assert kinds(first.path) == ["aten::ones", "aten::mul", "aten::log"]
    assert kinds(second.path) == ["Input", "aten::add"], "what an earlier recording saw comes from outside"
    assert open_trace(first.path).facts.frameworks["torch"] == torch.__version__


def test_there_are_no_more_graphs_to_keep(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a", graphs=True) as recording:
        torch.ones(3)
    # Where TensorFlow is loaded too, there may be others of what it had traced before.
    (warning,) = [each for each in open_trace(recording.path).facts.warnings if "--graphs" in each]
    assert warning.startswith("--graphs keeps nothing more of PyTorch")


def test_a_number_of_the_text_is_recorded_once_for_each_place_and_value(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a") as recording:
        for exponent in (2, 0.5, 2, *range(100, 200)):
            torch.ones(3) ** exponent
            torch.ones(3).clamp(min=-1).add(torch.ones(3), alpha=3)
    rows = list_tensors(open_trace(recording.path), Selection(), Order(limit=0)).rows
    numbers = [row.health.min for row in rows if row.op_type == "Number" and row.health is not None]
    assert numbers[:3] == [2.0, -1.0, 0.5]
    assert len(numbers) == 9, "what changes all the time is no number of the text"


def test_detail_shapes_and_values(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a", detail="shapes") as shapes:
        torch.ones(3)
    with tensordbg.record(tmp_path / "b", detail="values") as values:
        torch.arange(6.0).reshape(2, 3).t().mul_(2)
    (row,) = list_tensors(open_trace(shapes.path), Selection(), Order(limit=0)).rows
    assert (row.shape, row.health) == ((3,), None)
    *_, written = list_tensors(open_trace(values.path), Selection(), Order(limit=0)).rows
    assert (written.op_type, written.shape) == ("aten::mul_", (3, 2))


@pytest.mark.parametrize("make", ["contiguous", "channels last", "every other"])
def test_the_first_bad_index_is_that_of_rows_whatever_the_memory(tmp_path: Path, make: str) -> None:
    with tensordbg.record(tmp_path / "a") as recording:
        plain = torch.ones(2, 3, 4, 5)
        if make == "channels last":
            plain = plain.to(memory_format=torch.channels_last)
        if make == "every other":
            plain = torch.ones(2, 3, 4, 10)[..., ::2]
        plain.index_put_((torch.tensor(1), torch.tensor(2), torch.tensor(0), torch.tensor(3)), torch.tensor(0.0))
        plain.log_()
    row = list_tensors(open_trace(recording.path), Selection(), Order(limit=0)).rows[-1]
    assert row.health is not None
    assert row.health.neg_inf == 1
    assert row.health.first_bad == 1 * 60 + 2 * 20 + 0 * 5 + 3


def test_every_leaves_steps_out(tmp_path: Path) -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    with tensordbg.record(tmp_path / "a", every=2) as recording:
        for _ in range(4):
            parameter.grad = None
            parameter.exp().sum().backward()
            optimizer.step()
    rows = list_tensors(open_trace(recording.path), Selection(), Order(limit=0)).rows
    assert [row.step for row in rows if row.op_type == "aten::exp"] == [0, 2]


def test_what_is_seen_behind_steps_that_were_left_out_is_what_is_seen_of_all(tmp_path: Path) -> None:
    def train(every: int) -> list[tuple[object, ...]]:
        torch.manual_seed(0)
        layers = (torch.nn.Linear(4, 6), torch.nn.BatchNorm1d(6), torch.nn.Dropout(0.3), torch.nn.Linear(6, 1))
        model = torch.nn.Sequential(*layers)
        optimizer = torch.optim.Adam(model.parameters())
        with tensordbg.record(tmp_path / str(every), every=every) as recording:
            for _ in range(6):
                model(torch.randn(8, 4)).square().mean().backward()
                optimizer.step()
                optimizer.zero_grad()
        rows = list_tensors(open_trace(recording.path), Selection(), Order(limit=0)).rows
        # What was made in a step that was left out comes in as a parameter; all else is the same.
        computed = [row for row in rows if row.step % 3 == 0 and row.op_type.startswith("aten::")]
        return [(row.step, row.tensor, row.op_type, row.shape, row.health) for row in computed]

    seen = train(3)
    assert len(seen) > 100
    assert seen == train(1)


class _Cut(torch.nn.Module):
    """Is left by what is no `Exception`, as by Ctrl-C in a notebook."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        self.inner(x)
        raise KeyboardInterrupt


class _Whole(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.encoder = torch.nn.Linear(2, 2)

    def forward(self, x: Any) -> Any:
        return self.encoder(x).exp()


@pytest.mark.parametrize("observer", ["compiled", "in Python"])
def test_modules_behind_one_that_was_interrupted_have_their_own_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, observer: str
) -> None:
    if observer == "in Python":
        monkeypatch.setattr(torch_recording, "build", refuse)

    def deeper(module: Any) -> Any:
        return module(torch.ones(1, 2))

    with tensordbg.record(tmp_path / "a") as recording:
        for call in (_Cut(), lambda x: deeper(_Cut())):
            with pytest.raises(KeyboardInterrupt):
                call(torch.ones(1, 2))
        deeper(_Whole())
        _Whole()(torch.ones(1, 2))
    computed = "select layer from sites where op_type in ('aten::addmm', 'aten::exp') order by site"
    layers = [json.loads(row["layer"])["path"] for row in tensordbg.open(recording.path).sql(computed).to_pylist()]
    assert layers == ["inner", "inner", "encoder", "_Whole", "encoder", "_Whole"]


def test_without_the_observer_the_program_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(torch_recording, "build", refuse)
    with tensordbg.record(tmp_path / "a") as recording:
        assert torch.ones(2).sum().item() == 2
    assert capfd.readouterr().err == (
        "tdbg: warning: PyTorch is recorded by an observer in Python, several times slower, and without threads that "
        "run already: there is no compiler; `tdbg build torch` tries again\n"
    )
    assert kinds(recording.path) == ["aten::ones", "aten::sum"]


def test_what_a_block_still_holds_may_be_read_later(tmp_path: Path) -> None:
    with tensordbg.record(tmp_path / "a") as recording:
        kept = torch.log(torch.zeros(2))
        torch.log(torch.zeros(3))
    found = tensordbg.open(recording.path).why().origins
    assert [origin.view.shape for origin in found if origin.consequential] == [(2,)]
    assert kept.isinf().all()


def test_each_module_of_many_is_known_by_what_it_gives(tmp_path: Path) -> None:
    blocks = [torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Tanh()) for _ in range(24)]
    model = torch.nn.Sequential(*blocks)
    with tensordbg.record(tmp_path / "a") as recording:
        model(torch.ones(1, 2)).sum().backward()
    layers = {layer.path for layer in tensordbg.open(recording.path).layers()}
    assert {name for name, _ in model.named_modules() if name} <= layers
    gradients = [site.attributes for site in open_trace(recording.path).sites().values()]
    assert sum('"gradient_for"' in attributes for attributes in gradients) == len(list(model.parameters()))


@pytest.mark.parametrize("observer", ["compiled", "in Python"])
def test_an_infinity_that_numbers_are_held_against_is_no_bad_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, observer: str
) -> None:
    if observer != "compiled":
        monkeypatch.setattr(torch_recording, "build", refuse)
    x = torch.ones(3)
    with tensordbg.record(tmp_path / "a") as recording:
        assert x.isfinite().all()
        assert not (x == float("inf")).any()
        assert (x.clamp(max=float("inf")) > -float("inf")).all()
        x.masked_fill(x < 0, -float("inf"))
    rows = list_tensors(open_trace(recording.path), Selection(), Order(limit=0)).rows
    bad = [row for row in rows if row.health is not None and row.health.non_finite]
    assert [row.op_type for row in bad] == ["Number"], "that which elements may be set to"
