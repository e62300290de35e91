"""Which tensors matter, and that the others are muted only while these alone are wanted."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from tensordbg.model import DIFFERENTIATED, GRADIENT_FOR, NONE, Site, TensorRef
from tensordbg.recording.mattering import MatteringTensors

LAYER = json.dumps({"path": "dense", "class": "Dense", "output_of": [["dense", "Dense", 0, 0]]})
INSIDE = json.dumps({"path": "dense", "class": "Dense", "output_of": []})


def site(number: int, op_type: str = "Mul", **rest: Any) -> Site:
    return Site(number, op_type, op_type, 0, 0, framework="tensorflow", **rest)


class Sink:
    """Stands for the trace."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def sites(self, sites: Iterable[Site]) -> None:
        self.seen += [site.site for site in sites]


class Tensors:
    """A choice, and what the log was told."""

    def __init__(self) -> None:
        self.sink: Any = Sink()
        self.muted: set[int] = set()
        self.notes = 0
        self.choice = MatteringTensors(self.sink, self._mute, self._note)

    def _mute(self, sites: list[int], off: bool) -> None:
        self.muted = self.muted | {*sites} if off else self.muted - {*sites}

    def _note(self) -> None:
        self.notes += 1


@pytest.mark.parametrize(
    ("matters", "says"),
    [
        (False, {}),
        (False, {"layer": INSIDE}),
        (False, {"backward": True}),
        (True, {"layer": LAYER}),
        (True, {"reads": (1,)}),
        (True, {"writes": (1,)}),
        (True, {"argument": 0}),
        (True, {"attributes": json.dumps({DIFFERENTIATED: [0]})}),
        (True, {"attributes": json.dumps({GRADIENT_FOR: [[0, 1]]})}),
    ],
)
def test_what_matters_is_told_by_what_a_site_says(matters: bool, says: dict[str, Any]) -> None:
    tensors = Tensors()
    tensors.choice.sites([site(1, **says)])
    tensors.choice.choose(alone=True)
    assert tensors.muted == (set() if matters else {1})


def test_what_a_logarithm_takes_matters_and_what_a_backward_pass_hands_out() -> None:
    tensors = Tensors()
    given = [site(1), site(2, "Log", inputs=(TensorRef(1, 0),)), site(3, backward=True)]
    given += [site(4, backward=True, inputs=(TensorRef(3, 0),)), site(5, inputs=(TensorRef(4, 0),))]
    tensors.choice.sites(given)
    tensors.choice.choose(alone=True)
    assert tensors.muted == {3, 5}


def test_the_others_are_muted_for_as_long_as_these_alone_are_wanted() -> None:
    tensors = Tensors()
    tensors.choice.sites([site(1), site(2, reads=(1,))])
    assert (tensors.muted, tensors.notes) == (set(), 0)
    tensors.choice.choose(alone=True)
    tensors.choice.sites([site(3), site(4, writes=(1,))])
    assert (tensors.muted, tensors.notes) == ({1, 3}, 1)
    tensors.choice.choose(alone=False)
    assert tensors.muted == set()
    tensors.choice.choose(alone=True)
    assert (tensors.muted, tensors.notes) == ({1, 3}, 1)
    assert tensors.sink.seen == [1, 2, 3, 4]


def test_what_is_known_later_to_matter_is_recorded_from_then_on() -> None:
    tensors = Tensors()
    tensors.choice.sites([site(1)])
    tensors.choice.choose(alone=True)
    tensors.choice.sites([site(1, attributes=json.dumps({GRADIENT_FOR: [[0, 1]]}))])
    assert tensors.muted == set()
    tensors.choice.sites([site(1)])
    assert tensors.muted == set()


def test_a_number_that_stands_for_no_argument_is_none() -> None:
    tensors = Tensors()
    tensors.choice.sites([site(1, argument=NONE)])
    tensors.choice.choose(alone=True)
    assert tensors.muted == {1}
