"""Knows which module each operation belongs to, and what each module puts out.

A module's path is its name in the outermost module that is called, as `state_dict` has it (`blocks.0.attn`); the
outermost one goes by its class.
"""

from __future__ import annotations

import json
import traceback
import weakref
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import ModuleType
from typing import Any

from tensordbg.backends.torch.compiled.describing import slot_in_site
from tensordbg.backends.torch.compiled.dynamo import has_compiled
from tensordbg.backends.torch.debug.runs import Runs
from tensordbg.backends.torch.keras.layers import path_in
from tensordbg.backends.torch.module_frames import calls_module
from tensordbg.backends.torch.program.variables import Variables, held_plainly
from tensordbg.model import Site
from tensordbg.recording.catalog import Catalog

_MOST_OUTPUTS = 64
_COMPILED = "_orig_mod"
"""The part of a compiled module that is the program's own."""
_KEY = -7250
"""Under which our hooks stand among the global ones; those of the program are numbered from 0."""


@dataclass(frozen=True)
class _Place:
    """A module in the model that it belongs to."""

    path: str
    kind: str
    """Name of its class."""
    number: int
    model: int
    """Tells apart models that have parts of the same names, and are called by the same line."""


class Modules:
    """The hook into the calls of modules."""

    def __init__(self, catalog: Catalog, variables: Variables) -> None:
        self._catalog = catalog
        self._variables = variables
        self._names: weakref.WeakKeyDictionary[Any, Mapping[int, str]] = weakref.WeakKeyDictionary()
        self._models: list[weakref.ref[Any]] = []
        self._model_of: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._places: dict[tuple[str, str, int], _Place] = {}
        self._by_number: list[_Place] = []
        self._layers: list[str] = []
        self._labelled: set[tuple[str, int, int, int]] = set()
        self._handles: list[Any] = []
        self._observer: ModuleType | None = None
        self._looks: tuple[Callable[..., None], Callable[..., None]] | None = None
        self._undo: Callable[[], None] = _nothing
        self._resting: list[tuple[dict[int, Any], Any]] = []
        """The hooks that are taken out for a while, each with the dictionary that it belongs to."""
        self.runs: Runs | None = None
        """What tells a debugger of calls, where there is one."""

    def install(self, observer: ModuleType) -> None:
        """Looks on at every module from now on, in every thread."""
        from torch.nn.modules import module as torch_module

        self._observer = observer
        observer.watch_modules(self._begin, self._label, self._label_many)
        self._looks = self._looks or self._make_looks()
        before, after = self._looks
        self._handles = [
            torch_module.register_module_forward_pre_hook(before),
            torch_module.register_module_forward_hook(after, always_call=True),
        ]
        for handle in self._handles:
            for hooks in _global_hooks(torch_module):
                if handle.id in hooks:
                    hooks[_KEY] = hooks.pop(handle.id)
        self._undo = _hide(torch_module)

    def uninstall(self) -> None:
        """Takes the hook out again."""
        from torch.nn.modules import module as torch_module

        self.wake()
        self._undo()
        for hooks in _global_hooks(torch_module):
            hooks.pop(_KEY, None)
        while self._handles:
            self._handles.pop().remove()

    def rest(self) -> None:
        """Looks on at no module until `wake`: PyTorch calls each in half the time where no hook is set.

        They stay where a module is being called, by which those within it are named, and where something is compiled,
        which holds only while the hooks are the same.
        """
        from torch.nn.modules import module as torch_module

        calling = self._observer is not None and self._observer.in_module()
        if not self._resting and not calling and not has_compiled():
            held = [hooks for hooks in _global_hooks(torch_module) if _KEY in hooks]
            self._resting = [(hooks, hooks.pop(_KEY)) for hooks in held]

    def wake(self) -> None:
        """Looks on again, before the program's own hooks."""
        while self._resting:
            hooks, hook = self._resting.pop()
            hooks[_KEY] = hook
            if isinstance(hooks, OrderedDict):
                hooks.move_to_end(_KEY, last=False)

    def _make_looks(self) -> tuple[Callable[..., None], Callable[..., None]]:
        """The hooks, the same for all recordings: what is compiled with them stays valid from one to the next."""
        from torch.compiler import is_compiling

        # A compiler that traces a module traces its hooks too.
        def before(module: Any, args: Any) -> None:
            if not is_compiling() and self._observer is not None:
                if self.runs is not None:
                    self.runs.before_module(module)
                self._observer.before_module(module, args)

        def after(module: Any, args: Any, result: Any) -> None:
            if not is_compiling() and self._observer is not None:
                self._observer.after_module(module, args, result)
                if self.runs is not None:
                    self.runs.after_module(module)

        return before, after

    def layer(self, number: int) -> str:
        """The layer that a site of the module with a number names; empty where there is none."""
        return self._layers[number] if 0 <= number < len(self._layers) else ""

    def model(self, number: int) -> int:
        """The model of the module with a number, 0 where there is none."""
        return self._by_number[number].model if 0 <= number < len(self._by_number) else 0

    def path_behind(self, error: BaseException) -> str:
        """The path of the innermost module that was being called where an error came up; empty where none was."""
        from torch.nn import Module

        called: dict[int, Any] = {}
        for frame, _ in traceback.walk_tb(error.__traceback__):
            if calls_module(frame) and isinstance(module := frame.f_locals.get("self"), Module):
                called[id(module)] = module
        if not called:
            return ""
        modules = [*called.values()]
        module = modules[-1]
        # A compiled module has the program's own as a part.
        module = getattr(module, _COMPILED, module) if module is modules[0] else module
        return (
            self._names_in(modules[0]).get(id(module), "").removeprefix(_COMPILED).strip(".") or type(module).__name__
        )

    def _begin(self, outermost: Any, module: Any) -> int:
        """The number of a module's place."""
        names = self._names_in(outermost)
        path = path_in(outermost, module) or names.get(id(module)) or self._held_plainly(outermost, module)
        return self._place(path, type(module).__name__, self._number_of_model(outermost)).number

    def _number_of_model(self, outermost: Any) -> int:
        """The number of a model among those that are alive; that of one that is gone is given to the next."""
        known = self._model_of.get(outermost)
        if known is not None:
            return known
        free = (number for number, each in enumerate(self._models) if each() is None)
        number = next(free, len(self._models))
        self._models[number : number + 1] = [weakref.ref(outermost)]
        self._model_of[outermost] = number
        return number

    def _held_plainly(self, outermost: Any, module: Any) -> str:
        """The place of a module that another calls without having it as a part, as of one in a plain list."""
        if module not in self._names:
            held = held_plainly(outermost, lambda value: value is module)
            place = next((name for name, _ in held), "")
            self._variables.add_module(module, place)
            self._names[module] = {id(each): name for name, each in module.named_modules()}
            if not place:
                return type(module).__name__
            self._names[outermost] = {
                **self._names[outermost],
                **{id(each): f"{place}.{name}".rstrip(".") for name, each in module.named_modules()},
            }
            return place
        return type(module).__name__

    def _names_in(self, module: Any) -> Mapping[int, str]:
        known = self._names.get(module)
        if known is None:
            self._variables.add_module(module)
            known = self._names[module] = {id(each): name for name, each in module.named_modules()}
        return known

    def _place(self, path: str, kind: str, model: int) -> _Place:
        known = self._places.get((path, kind, model))
        if known is None:
            known = self._places[path, kind, model] = _Place(path, kind, len(self._layers), model)
            self._by_number.append(known)
            self._layers.append(json.dumps({"path": path, "class": kind, "output_of": []}))
        return known

    def _label_many(self, place: int, result: Any) -> None:
        """Labels all tensors that a module gives."""
        assert self._observer is not None
        for number, tensor in enumerate(_tensors(result)):
            made = self._observer.maker_of(tensor)
            if made is not None:
                self._label(place, made[0], made[1], number)

    def _label(self, place_number: int, site: int, made_slot: int, number: int) -> None:
        """Says of the site of an operation which output of a module it makes."""
        self._variables.add_shaped()
        place, slot = self._by_number[place_number], slot_in_site(self._catalog, site, made_slot)
        said = (place.path, site, slot, number)
        if said in self._labelled:
            return
        self._labelled.add(said)
        known: Site = self._catalog.site(site)
        layer = json.loads(known.layer or '{"path": "", "class": "", "output_of": []}')
        layer["output_of"].append((place.path, place.kind, slot, number))
        self._catalog.add_sites([replace(known, layer=json.dumps(layer))])


def _nothing() -> None:
    """Stands for undoing where nothing was done."""


def _global_hooks(torch_module: Any) -> list[dict[int, Any]]:
    """The dictionaries of global hooks, by the handles' `id`; compiled code holds only while the keys are the same."""
    values = [value for name, value in vars(torch_module).items() if name.startswith("_global_")]
    return [value for value in values if isinstance(value, dict)]


def _hide(torch_module: Any) -> Callable[[], None]:
    """Keeps our hooks from being taken for the program's, and returns how to undo that.

    `torch.compile` of a module warns of such hooks. It asks `_has_any_global_hook` of `torch.nn.modules.module`. Where
    that is missing, nothing is done.
    """
    plain = getattr(torch_module, "_has_any_global_hook", None)
    if plain is None:
        return _nothing

    def of_the_program() -> bool:
        return bool(plain()) and any(set(hooks) - {_KEY} for hooks in _global_hooks(torch_module))

    torch_module._has_any_global_hook = of_the_program  # noqa: SLF001  see above
    return lambda: setattr(torch_module, "_has_any_global_hook", plain)


def _tensors(result: Any) -> Iterator[Any]:
    """The tensors that a module returns, also within tuples, lists and dictionaries."""
    from torch import Tensor

    found = 0
    waiting = [result]
    while waiting and found < _MOST_OUTPUTS:
        value = waiting.pop()
        if isinstance(value, Tensor):
            found += 1
            yield value
        elif isinstance(value, Mapping):
            waiting += reversed(list(value.values()))
        elif isinstance(value, (tuple, list)):
            waiting += reversed(value)
