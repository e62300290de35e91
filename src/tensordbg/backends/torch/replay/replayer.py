"""Runs a captured step of PyTorch's again, from nothing but the capture."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from tensordbg.backends.torch.captured.graph import (
    GRAPH_TENSORS_FILE,
    Operation,
    Outside,
    StepGraph,
    Target,
    read_graph,
)
from tensordbg.backends.torch.captured.places import Place, keep
from tensordbg.backends.torch.recording import note_gradient, note_variable
from tensordbg.backends.torch.replay.changes import Changes
from tensordbg.backends.torch.replay.devices import Devices
from tensordbg.backends.torch.replay.memory import Memories, contents
from tensordbg.backends.torch.replay.operators import operators_of
from tensordbg.backends.torch.replay.optimizer import bad_rate, updated
from tensordbg.backends.torch.replay.precision import Precision
from tensordbg.backends.torch.replay.running import Prepared, Running
from tensordbg.backends.torch.trap.capture import array_of
from tensordbg.capture.header import TensorDigest
from tensordbg.capture.outcome import Reading, finite_or_none
from tensordbg.capture.reader import Capture
from tensordbg.capture.tensors import Array, read_tensors
from tensordbg.capture.weights import variable_names
from tensordbg.errors import CaptureError
from tensordbg.recording.catalog import CATALOG
from tensordbg.replaying.changes import change_of
from tensordbg.replaying.plan import ReplayPlan
from tensordbg.replaying.reading import is_bad, reading_of
from tensordbg.trace.program.rows import source_from_row, stack_from_row
from tensordbg.trapping.targets import RATE

GRADIENT = "gradient"


class Replayer:
    """Has one captured step ready to run."""

    def __init__(self, capture: Capture, plan: ReplayPlan) -> None:
        """Loads the capture.

        Raises:
            CaptureError: If it is damaged, was cut, or would do more than compute.
            UsageError: If it can't be changed as the plan says.
        """
        self._capture = capture
        self._graph = graph = read_graph(capture)
        refuse_cut(capture, graph)
        operators = operators_of(capture, graph.operations)
        self._devices = Devices(graph, operators)
        self._places = places_of(capture, graph)
        keep(self._places)
        self._precision = Precision(plan.precision)
        self._names = {each.argument: each.tensor.name for each in capture.header.arguments}
        self._variable_names = variable_names(capture.header.variables)
        lying = {(piece.variable, piece.number) for each in graph.outside for piece in each.pieces}
        self.arguments = {
            self._names[i]: array for i, array in capture.batch().items() if (False, i) in lying and i in self._names
        }
        """What the step is given, by name; without variables."""
        self.fixed = frozenset(self.arguments)
        """Names of those whose first dimension is part of the operations: all."""
        self.random: tuple[str, ...] = ()
        """What draws from a state that is not captured: nothing does."""
        self.uncompiled = graph.uncompiled
        """Whether it runs operations one by one that ran in compiled code."""
        self._values = {self._variable_names[i]: array for i, array in capture.variables().items()}
        self._changes = Changes([change_of(words) for words in plan.changes], graph, self._places)
        self._changes.apply_to(self.arguments, self._values)
        self._raw = read_tensors(capture.path / GRAPH_TENSORS_FILE)
        self._prepared = Prepared(
            graph,
            operators,
            self._places,
            _states(self._raw),
            self._devices,
            self._precision,
            self._changes.apply_behind,
        )
        self._numbers: dict[str, int] = {}
        self._left: dict[str, Array] = {}
        self._gradients: dict[str, Any] = {}
        self._behind: dict[str, Any] | bool | None = False

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the replay."""
        kept = ", ".join(self._precision.kept)
        told = f"not computed in {self._precision.wanted}, as there is no such form of it: {kept}"
        return (*self._graph.notes, *([told] if kept else []), *filter(None, [self._devices.note]))

    def run(self, given: Mapping[str, Array]) -> tuple[Reading, ...]:
        """Runs the step from the state before it.

        Args:
            given: What it is given, by the names of `arguments`.

        Returns:
            What the tensors are that the trap had tested.

        Raises:
            CaptureError: If PyTorch can't run it.
        """
        memories = Memories()
        variables = self._fill(memories, given)
        looked_at = {target.at.memory for target in self._graph.targets if target.at is not None}
        looked_at |= {outside.memory for outside, _ in variables}
        running = Running(self._prepared, memories, frozenset(looked_at))
        running.run()
        tested = [(each, running.tensor(each.at)) for each in self._graph.targets if each.at is not None]
        gradients = [tensor for each, tensor in tested if each.role == GRADIENT]
        self._changes.clip(gradients)
        self._note_gradients(tested)
        self._gradients = {each.variable: tensor for each, tensor in tested if each.role == GRADIENT}
        self._left = {
            self._variable_names[piece.number]: _array(running.tensor(piece.at))
            for outside, _ in variables
            for piece in outside.pieces
            if piece.variable
        }
        self._behind = False
        return (*(reading_of(_digest(each), _array(tensor)) for each, tensor in tested), *self._rates())

    def _rates(self) -> Iterator[Reading]:
        """The learning rate, where the step was trapped for it."""
        told = [each for each in self._capture.header.trouble.tested if each.role == RATE]
        rate = bad_rate(self._capture) if told else None
        return (reading_of(each, np.array(rate, np.float32)) for each in told if rate is not None)

    def ruined(self) -> tuple[str, ...]:
        """Names of the variables that the last run left with something that is not finite."""
        left = self._left | {name: _array(each) for name, each in (self._updated() or {}).items()}
        return tuple(name for name, value in left.items() if is_bad(value) and not is_bad(self._values[name]))

    def moved(self) -> float | None:
        """How far the last run moved all variables that are trained: a Euclidean norm, None where not finite."""
        behind = self._updated()
        if behind is None:
            return None
        with np.errstate(all="ignore"):
            squares = [
                float(np.sum(np.square(_array(each).astype(np.float64) - self._values[name].astype(np.float64))))
                for name, each in behind.items()
            ]
            return finite_or_none(float(np.sqrt(sum(squares))))

    def _updated(self) -> dict[str, Any] | None:
        if self._behind is False:
            wide = {name: self._precision.widen(value) for name, value in self._values.items()}
            self._behind = updated(self._capture, wide, self._gradients)
        assert not isinstance(self._behind, bool)
        return self._behind

    def _fill(self, memories: Memories, given: Mapping[str, Array]) -> list[tuple[Outside, Any]]:
        """Fills the memories from outside, and returns those of variables."""
        numbers = {name: number for number, name in self._names.items()}
        pieces = {(False, numbers[name]): self._fitting(name, array) for name, array in given.items()}
        pieces |= {
            (True, number): self._values[name] for number, name in self._variable_names.items() if name in self._values
        }
        variables = []
        trained = {each.argument: bool(each.trainable) for each in self._capture.header.variables}
        try:
            for outside, at, elements in contents(self._graph, self._raw, pieces, self._precision):
                tensor = memories.fill(outside, at, elements, self._devices.of(outside.device))
                known = [piece for piece in outside.pieces if piece.variable]
                if known:
                    variables.append((outside, tensor))
                    name = self._variable_names[known[0].number]
                    number = note_variable(tensor, self._numbers.get(name), name, trainable=trained[known[0].number])
                    self._numbers[name] = number
        except (KeyError, ValueError, RuntimeError, MemoryError, OverflowError) as error:
            raise CaptureError(
                f"{self._capture.path} does not hold what its step takes: {error!r}; take another"
            ) from None
        return variables

    def _fitting(self, name: str, array: Array) -> Array:
        if array.shape != self.arguments[name].shape:
            raise CaptureError(f"the step takes {name} in the shape {list(self.arguments[name].shape)} only")
        return array

    def _note_gradients(self, tested: Sequence[tuple[Target, Any]]) -> None:
        for each, tensor in tested:
            if each.role == GRADIENT and each.variable in self._numbers:
                note_gradient(tensor, self._numbers[each.variable])


def _array(tensor: Any) -> Array:
    array = array_of(tensor)
    assert array is not None  # it lies in memory as it is
    return array


def _digest(target: Target) -> TensorDigest:
    return TensorDigest(target.name, target.role, target.variable, "")


def _states(raw: Mapping[str, Array]) -> list[Any]:
    import torch

    found: list[Any] = []
    while f"state{len(found)}" in raw:
        found.append(torch.from_numpy(raw[f"state{len(found)}"].copy()))
    return found


def refuse_cut(capture: Capture, graph: StepGraph) -> None:
    """Refuses a capture that lacks a tensor which its step takes.

    Raises:
        CaptureError: If it does.
    """
    for outside in graph.outside:
        for piece in outside.pieces:
            entries = capture.header.variables if piece.variable else capture.header.arguments
            found = next((each.tensor for each in entries if each.argument == piece.number), None)
            if found is None or not found.key:
                name, why = ("a tensor", "it is not named") if found is None else (found.name, found.missing)
                raise CaptureError(f"{capture.path} lacks {name}: {why}; only a whole capture can be replayed")


def places_of(capture: Capture, graph: StepGraph) -> list[Place]:
    """Where the operations of a step stand in its program.

    Raises:
        CaptureError: If that can't be read.
    """
    try:
        for row in capture.rows("sources"):
            CATALOG.adopt_source(source_from_row(row))
        stacks = dict(stack_from_row(row) for row in capture.rows("stacks"))
    except (KeyError, TypeError, ValueError) as error:
        raise CaptureError(f"{capture.path}: where its operations stand can't be read: {error!r}") from None
    numbers = {number: CATALOG.adopt_stack(frames) for number, frames in stacks.items()}
    places: list[Place] = []
    names = _names_outside(capture, graph)
    came = {each.memory: each.came.value for each in graph.outside if each.came.value}
    for number, each in enumerate(graph.operations):
        frames = [(frame.file, frame.line, frame.function) for frame in stacks.get(each.stack, ())][::-1]
        user = [(frame.file, frame.line, frame.function) for frame in stacks.get(each.stack, ()) if frame.user][::-1]
        forward = each.forward if each.forward < number else -2
        of = partial(_site_of, places, forward)
        places.append(Place(each.name, numbers.get(each.stack, -1), frames, user, of, each.place, each.autocast))
        places[-1].inputs = {k: names[at] for k, at in enumerate(_memories_of(each)) if at in names}
        places[-1].came = {k: came[at] for k, at in enumerate(_memories_of(each)) if at in came}
    return places


def _names_outside(capture: Capture, graph: StepGraph) -> dict[int, str]:
    """The program's names for what the step took from outside, by the memories that hold nothing else."""
    names = {each.argument: each.tensor.name for each in capture.header.arguments}
    lone = ((each.memory, each.pieces[0]) for each in graph.outside if len(each.pieces) == 1)
    return {memory: names[piece.number] for memory, piece in lone if not piece.variable and piece.number in names}


def _memories_of(operation: Operation) -> Iterator[int]:
    """Those of the tensors that an operation takes before anything else, as an observer counts them."""
    for argument in operation.arguments:
        if argument.tensor is None:
            return
        yield argument.tensor.memory


def _site_of(places: Sequence[Place], forward: int) -> int:
    """The site of an operation as the observer wants it: -2 where it is not known."""
    if forward < 0:
        return forward
    site = places[forward].site
    return site if site >= 0 else -2
