"""Gives sites of operations their numbers: by operation, stack, module, autocast and the forward operation.

The observer asks once for each place in the program; what it asks by, the addresses of code, may be new for a place
that is known.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from tensordbg.backends.torch.attributes.set_elements import kind_of
from tensordbg.backends.torch.attributes.settings import Setting, kept_settings
from tensordbg.backends.torch.captured.places import Place, note_site, replayed_place
from tensordbg.backends.torch.compiled.describing import slot_in_site
from tensordbg.backends.torch.compiled.generated_lines import Differentiated, differentiated, with_program_lines
from tensordbg.backends.torch.program.modules import Modules
from tensordbg.backends.torch.program.positions import Position, positions
from tensordbg.model import BEFORE_STEP, NONE, Site
from tensordbg.operations.frameworks import TORCH
from tensordbg.operations.lookup import INPUT, NUMBER, PARAMETER
from tensordbg.recording.catalog import Catalog, RawFrame

_DEEPEST = 128

_PLACE = 0xFF
"""The part of a place that tells which input of its operation it is."""

PLUMBING = -2
"""In place of a site: it is nothing of the program's own."""

SOME_GRADIENT = -2
"""In place of the forward operation: it is part of a backward pass, of what is not known."""

_FROM_OUTSIDE = (INPUT, NUMBER, PARAMETER)
"""What an operation takes, by its value."""

READ = "read"
"""What the observer calls the place where the program reads a number."""

_PLUMBING = (
    "/torch/_tensor_str.py",
    "/torch/_dynamo/convert_frame.py",
    "/torch/_inductor/compile_fx.py",
    "/torch/_inductor/fx_passes/joint_graph.py",
)
"""PyTorch computes how a tensor is printed by operations on tensors, and while it compiles."""


class Where(NamedTuple):
    """Where an operation stands, beside its stack; the observer gives it as a plain tuple."""

    forward: int
    """The site of the operation that is being differentiated, else `NONE`."""
    module: int
    autocast: str
    """The dtype, empty where autocast is off."""
    place: int
    """Among the inputs of an operation, of what comes from outside; of gradients which of its kind; else `NONE`."""
    variable: int = NONE
    """Whose gradient or update it computes, where that is known."""
    written: int = 0
    """Whether it writes that variable."""


class _Key(NamedTuple):
    op_type: str
    stack: int
    forward: int
    module: str
    model: int
    autocast: str
    place: int
    number: str
    name: str
    variable: int
    written: int
    settings: str
    within: tuple[Position, ...]


class Sites:
    """The sites of one process's PyTorch operations."""

    def __init__(self, catalog: Catalog, modules: Modules) -> None:
        self._catalog = catalog
        self._modules = modules
        self._known: dict[_Key, int] = {}
        self._generated: dict[Differentiated, int] = {}
        """The operations that generated code computes, for those of their gradients."""

    def describe(
        self,
        op_type: str,
        frames: list[RawFrame],
        where: tuple[int, int, str, int] | tuple[int, int, str, int, int, int],
        first: tuple[int, int],
        number: float = 0.0,
        settings: Mapping[str, Setting] | None = None,
    ) -> int:
        """The number of a site; the observer calls it.

        Args:
            op_type: The operation.
            frames: The stack, the innermost frame first.
            where: See `Where`.
            first: Site and slot of what made the first input, where that is known.
            number: Of a number in the program's text which it is.
            settings: How the operation was asked to compute, by the names of its schema; empty where that changes from
                call to call, and of gradients.
        """
        op_type = kind_of(op_type)
        catalog, generated, replayed = self._catalog, differentiated(frames), replayed_place(frames)
        told = self._place(Where(*where), generated, frames)
        stack, frames, told = self._in_program(with_program_lines(frames), told, replayed)
        with catalog.lock:
            starts = is_start_of_gradients(op_type, frames)
            if starts and first[0] != NONE:
                catalog.set_differentiated(first[0], slot_in_site(catalog, *first))
            if op_type != READ and any(name.endswith(_PLUMBING) for name, _, _ in frames):
                return PLUMBING
            layer = self._layer(told)
            value = repr(number) if op_type == NUMBER else ""
            attributes: dict[str, Setting] = kept_settings(settings or {})
            said = value, _name(op_type, where[3], replayed)
            module = _path(layer), self._modules.model(told.module) if told.forward < 0 else 0
            last = json.dumps(attributes), self._within(op_type, generated or replayed)
            key = _Key(op_type, stack, told.forward, *module, *told[2:4], *said, *told[4:], *last)
            known = self._known.get(key)
            if known is not None:
                catalog.use_site(known)
                return self._keep(generated, replayed, key, known)
            if told.forward >= 0:
                catalog.use_site(told.forward)
            site = self._known[key] = catalog.new_sites(1)
            described = Site(
                site, key.name, op_type, NONE, stack, layer=layer, framework=TORCH,
                gradient_of=max(told.forward, NONE),
                backward=starts or told.forward != NONE or _is_autograd(frames),
                reads=(told.variable,) if op_type == PARAMETER else (),
                writes=(told.variable,) if told.written else (),
            )  # fmt: skip
            attributes |= _before_step(op_type, where[3], replayed)
            attributes |= _also_noted(told.autocast, number if value else math.nan)
            catalog.add_sites([replace(described, attributes=json.dumps(attributes))])
        return self._keep(generated, replayed, key, site)

    def _within(self, op_type: str, elsewhere: Place | Differentiated | None) -> tuple[Position, ...]:
        """Where within its lines the program stands; of what comes from outside the value tells more."""
        known = op_type in _FROM_OUTSIDE or elsewhere is not None
        return () if known else positions(self._catalog.user_code.is_user)

    def _place(self, where: Where, generated: Differentiated | None, frames: list[RawFrame]) -> Where:
        """Where an operation stands, with the forward operation that generated code knows for it."""
        if where.forward != NONE and _is_computed_again(frames):
            return where._replace(forward=NONE)
        if where.forward != NONE and self._is_called_back(frames):
            return where._replace(forward=SOME_GRADIENT)
        if generated is None or where.forward == NONE:
            return where
        return where._replace(forward=self._generated.get(generated, where.forward))

    def _is_called_back(self, frames: list[RawFrame]) -> bool:
        """Whether the program's own code computes, as autograd calls it: a hook, or the backward pass of a function."""
        own = bool(frames) and self._catalog.user_code.is_user(frames[0][0])
        return own and any(function == _ENGINE for _, _, function in frames)

    def _keep(self, generated: Differentiated | None, replayed: Place | None, key: _Key, site: int) -> int:
        note_site(replayed, key.op_type, site)
        if generated is not None and key.forward == NONE and key.op_type != NUMBER:
            self._generated.setdefault(generated, site)  # What follows only hands it on, as a `detach` does.
        return site

    def forget_fractions(self, number: int) -> None:
        """Takes back the settings of a site that are fractions: the observer has seen that they change."""
        settings = json.loads(self._catalog.site(number).attributes)
        self._catalog.drop_attributes(number, {name for name, value in settings.items() if _has_fractions(value)})

    def _in_program(
        self, frames: list[RawFrame], where: Where, replayed: Place | None
    ) -> tuple[int, list[RawFrame], Where]:
        """The number of the stack, its frames, and where else an operation stands; of a replayed one in its program."""
        if replayed is None:
            return self._catalog.stack(_program_frames(frames)) if frames else NONE, frames, where
        place = max(where.place, replayed.place)
        told = where._replace(forward=replayed.forward, autocast=replayed.autocast, place=place)
        return replayed.stack, list(replayed.frames), told

    def _layer(self, where: Where) -> str:
        if where.forward < 0:
            return self._modules.layer(where.module)
        # What the forward operation puts out is no output of the gradient's.
        forward = self._catalog.site(where.forward).layer
        return json.dumps(json.loads(forward) | {"output_of": []}) if forward else ""


def _also_noted(autocast: str, number: float) -> dict[str, Setting]:
    """What a site's attributes tell besides how it computes: autocast's dtype, and the number that it is."""
    noted: dict[str, Setting] = {"autocast": autocast.lower()} if autocast else {}
    return noted | ({"value": number} if math.isfinite(number) else {})


def _name(op_type: str, place: int, replayed: Place | None) -> str:
    """The name of an operation; of what a replayed one takes from outside of its step that in its program."""
    return op_type if replayed is None or op_type != INPUT else replayed.inputs.get(place & _PLACE, op_type)


def _before_step(op_type: str, place: int, replayed: Place | None) -> dict[str, Setting]:
    """How came what a replayed operation takes from outside of its step."""
    came = "" if replayed is None or op_type != INPUT else replayed.came.get(place & _PLACE, "")
    return {BEFORE_STEP: came} if came else {}


def _has_fractions(value: object) -> bool:
    return isinstance(value, float) or (isinstance(value, list) and any(isinstance(each, float) for each in value))


def is_start_of_gradients(op_type: str, frames: list[RawFrame]) -> bool:
    """Whether an operation makes the gradient of a loss by itself, a one: autograd's own Python code does."""
    return op_type == "aten::ones_like" and bool(frames) and frames[0][2] == "_make_grads"


def _is_autograd(frames: list[RawFrame]) -> bool:
    """Whether autograd's engine itself computes, as where it adds up what comes back from several places."""
    return bool(frames) and frames[0][2] == _ENGINE


_ENGINE = "_engine_run_backward"
_CHECKPOINTS = "/torch/utils/checkpoint.py"


def _is_computed_again(frames: list[RawFrame]) -> bool:
    """Whether an operation is one of a forward pass that a checkpoint runs again within the backward pass."""
    nearest = next((each for each in frames if each[2] == _ENGINE or each[0].endswith(_CHECKPOINTS)), None)
    return nearest is not None and nearest[2] != _ENGINE


def _path(layer: str) -> str:
    return str(json.loads(layer)["path"]) if layer else ""


def _program_frames(frames: list[RawFrame]) -> tuple[RawFrame, ...]:
    """The frames as a catalog takes them, outermost first; of a deep recursion the innermost."""
    return tuple(frames[:_DEEPEST][::-1])
