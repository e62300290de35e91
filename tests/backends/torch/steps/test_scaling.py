from __future__ import annotations

from collections.abc import Iterator

import pytest

from tensordbg.backends.torch.steps.scaling import Scaling

torch = pytest.importorskip("torch")


@pytest.fixture
def ended() -> Iterator[tuple[Scaling, list[str]]]:
    told: list[str] = []
    scaling = Scaling()
    scaling.install(lambda: told.append("ended"))
    yield scaling, told
    scaling.uninstall()


def scaled_step(scaler: object, bad: bool) -> None:
    parameter = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([parameter], lr=0.1)
    scaler.scale((parameter * (float("inf") if bad else 1.0)).sum()).backward()  # type: ignore[attr-defined]
    scaler.step(optimizer)  # type: ignore[attr-defined]


def test_from_scale_to_update_the_scaler_catches(ended: tuple[Scaling, list[str]]) -> None:
    scaling, told = ended
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    assert not scaling.catches
    scaled_step(scaler, bad=True)
    assert scaling.catches
    assert not told
    scaler.update()
    assert not scaling.catches
    assert told == ["ended"]


def test_a_scale_of_one_is_no_cause(ended: tuple[Scaling, list[str]]) -> None:
    scaler = torch.amp.GradScaler("cpu", init_scale=1.0)
    scaled_step(scaler, bad=False)
    assert not ended[0].catches


def test_a_scaler_that_is_switched_off_catches_nothing(ended: tuple[Scaling, list[str]]) -> None:
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    scaled_step(scaler, bad=False)
    scaler.update()
    assert not ended[0].catches
    assert not ended[1]


def test_the_class_is_left_as_it_was() -> None:
    plain = torch.amp.GradScaler.scale
    scaling = Scaling()
    scaling.install(lambda: None)
    assert torch.amp.GradScaler.scale is not plain
    scaling.uninstall()
    assert torch.amp.GradScaler.scale is plain
