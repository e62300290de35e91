"""Takes the calls of compiled graphs apart into the operations that were compiled, so that a replay can run them.

The step log notes such a call as one. Its graph is walked with tensors that have sizes and no elements, those of that
call, which gives each operation its arguments and where its results lie. What the graph gives lies where the compiled
code has put it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tensordbg.backends.torch.captured.generators import state_of
from tensordbg.backends.torch.compiled.generated_lines import frames_in
from tensordbg.backends.torch.compiled.internals import fake_mode
from tensordbg.backends.torch.trap.calls import tensors_in
from tensordbg.backends.torch.trap.compiled_calls import CompiledGraph
from tensordbg.backends.torch.trap.graph_files import dtype_of, number_of_dtype
from tensordbg.backends.torch.trap.step_log import GeneratorState, Noted
from tensordbg.recording.catalog import RawFrame

COMPILED = "tensordbg::compiled"
"""Name of the call of a compiled graph in the log."""

_FORMATS = ("torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d")
"""By PyTorch's numbers."""
_ONE_BY_ONE = (
    "what torch.compile had compiled is run operation by operation, uncompiled, so that the last bits of its numbers "
    "may be others"
)
_DREW = "what compiled code has drawn at random, such as a dropout, is drawn anew"
_INSTEAD = "run the program with TORCHDYNAMO_DISABLE=1, which has it run uncompiled"
_BY_NUMBERS = ("DataDependentOutputException", "DynamicOutputShapeException")
"""What PyTorch raises where it is asked without elements for what depends on them."""
_DRAWS = ("aten::rand", "aten::randn", "aten::randint")
_BY_SEED = ("prims::inductor_random", "prims::inductor_randint")
_SEEDS = ("prims::inductor_seeds", "prims::inductor_seed", "prims::inductor_lookup_seed")
"""The operations that give those seeds, all of a graph at once or one."""
_DYNAMO = "/torch/_dynamo/eval_frame.py"


class _UnknownError(Exception):
    """A graph holds what can't be run by itself."""


@dataclass(frozen=True)
class _Call:
    """One operation of a graph, about to be run."""

    target: Any
    args: Sequence[Any]
    kwargs: Mapping[str, Any]


@dataclass
class _Drafts:
    """All that the captured step has, as far as it is taken apart."""

    operations: list[tuple[Any, ...]] = field(default_factory=list)
    memories: int = 0
    """The number of the next."""
    stacks: dict[int, Sequence[RawFrame]] = field(default_factory=dict)
    forward: dict[str, dict[int, int]] = field(default_factory=dict)
    """Of a compilation, the operation of the forward pass by autograd's sequence number."""
    around: dict[str, Sequence[RawFrame]] = field(default_factory=dict)
    """Of a compilation, the frames that led to its function."""
    first_state: int = 0
    drew: list[str] = field(default_factory=list)
    """Devices, on each of which what is drawn begins at a state of its own."""
    seeds: dict[int, int] = field(default_factory=dict)
    """By the memory of seeds that a graph has given, where they lay within it."""
    drawn: dict[tuple[Any, ...], tuple[Any, ...]] = field(default_factory=dict)
    """Where numbers lie that were drawn, by their seeds: a backward pass that computes again draws the same."""

    def state_on(self, device: str) -> int:
        """The number of the state from which something is drawn on a device."""
        if device not in self.drew:
            self.drew.append(device)
        return self.first_state + self.drew.index(device)


def taken_apart(noted: Noted, graphs: Sequence[CompiledGraph]) -> Noted:
    """A step without calls of compiled graphs.

    Args:
        noted: The step.
        graphs: Those that its calls are of, by their numbers.
    """
    if noted.trouble or all(each[0] != COMPILED for each in noted.operations):
        return noted
    drafts = _Drafts(memories=len(noted.memories), stacks=dict(noted.stacks), first_state=len(noted.states))
    places: list[int] = []
    for entry in noted.operations:
        if entry[0] == COMPILED:
            try:
                _Apart(drafts, entry, graphs).run()
            except Exception as error:  # noqa: BLE001  the graph may hold anything; what can't be taken apart is told
                why = str(error) if isinstance(error, _UnknownError) else f"{type(error).__name__}: {error}"
                return noted._replace(trouble=f"it calls compiled code that can't be taken apart: {why}; {_INSTEAD}")
        else:
            forward = entry[5]
            drafts.operations.append((*entry[:5], places[forward] if forward >= 0 else forward, *entry[6:]))
        places.append(len(drafts.operations) - 1)
    more = [None] * (drafts.memories - len(noted.memories))
    return noted._replace(
        operations=drafts.operations,
        memories=[*noted.memories, *more],
        firsts=[*noted.firsts, *more],
        states=[*noted.states, *(GeneratorState(device, state_of(device).numpy().tobytes()) for device in drafts.drew)],
        stacks=drafts.stacks,
        notes=(*noted.notes, _ONE_BY_ONE, *([_DREW] if drafts.drew else [])),
        uncompiled=True,
    )


class _Apart:
    """One call of a graph."""

    def __init__(self, drafts: _Drafts, entry: tuple[Any, ...], graphs: Sequence[CompiledGraph]) -> None:
        _, _, arguments, results, self._stack, *_ = entry
        (_, number), *given = arguments
        self._drafts = drafts
        self._graph = graphs[number]
        self._arguments = [told for _, told in given]
        self._results = results
        self._memories: dict[int, int] = {}
        """By the identity of the storage of a tensor without elements."""
        self._known: dict[Any, Any] = {}
        self._kept: list[Any] = []
        """Keeps the storages, so that none has the identity of another."""
        self._traces: dict[str, int] = {}
        self._moved: dict[int, int] = {}
        """Memories that are those of results."""
        self._drawn: dict[tuple[Any, ...], tuple[Any, ...]] = {}
        """See `_Drafts.drawn`; of this graph."""

    def run(self) -> None:
        """Adds its operations to the drafts.

        Raises:
            _UnknownError: If it holds one that can't be run by itself.
        """
        if not self._graph.backward:
            self._drafts.around[self._graph.compilation] = _outer(self._drafts.stacks.get(self._stack, ()))
        begin = len(self._drafts.operations)
        mode = fake_mode()
        with mode:
            arguments = iter(self._tensors())
            for node in self._graph.module.graph.nodes:
                if node.op == "placeholder":
                    self._known[node] = next(arguments)
            constants = dict(zip(self._graph.constants, arguments, strict=True))
            for node in self._graph.module.graph.nodes:
                if node.op == "get_attr":
                    self._known[node] = constants.get(node.target)
                elif node.op == "call_function":
                    self._known[node] = self._run(node)
                elif node.op == "output":
                    self._give(node.args[0])
        operations = self._drafts.operations
        operations[begin:] = [self._settled(each) for each in operations[begin:]]
        self._drafts.drawn.update({seed: self._settle(at) for seed, at in self._drawn.items()})

    def _tensors(self) -> Iterator[Any]:
        """What the graph is given, without elements."""
        import torch

        devices = self._devices()
        on: dict[tuple[int, int], Any] = {}
        extents: dict[tuple[int, int], int] = {}
        for at, device in zip(self._arguments, devices, strict=True):
            if not isinstance(at, tuple):
                continue
            memory, dtype, offset, sizes, strides = at
            on[memory, dtype] = device
            last = offset + sum((size - 1) * stride for size, stride in zip(sizes, strides, strict=True) if size)
            extents[memory, dtype] = max(extents.get((memory, dtype), 0), last + 1)
        bases = {key: torch.empty(extent, dtype=dtype_of(key[1]), device=on[key]) for key, extent in extents.items()}
        for (memory, _), base in bases.items():
            self._memories[_identity(base)] = memory
            self._kept.append(base)
        for each in self._arguments:
            if isinstance(each, tuple):
                memory, dtype, offset, sizes, strides = each
                yield bases[memory, dtype].as_strided(sizes, strides, offset)
            else:
                yield each

    def _devices(self) -> list[Any]:
        """The devices of the graph's arguments and constants; None of numbers."""
        nodes = (node for node in self._graph.module.graph.nodes if node.op == "placeholder")
        constants = (getattr(self._graph.module, name).device for name in self._graph.constants)
        return [*(getattr(node.meta.get("val"), "device", None) for node in nodes), *constants]

    def _run(self, node: Any) -> Any:
        import torch

        call = _Call(node.target, *(torch.fx.node.map_arg(each, self._known.get) for each in (node.args, node.kwargs)))
        if not isinstance(call.target, torch._ops.OpOverload):  # noqa: SLF001  what FX calls its operations
            if isinstance(call.target, torch._ops.HigherOrderOperator):  # noqa: SLF001  likewise
                raise _UnknownError(f"`{call.target}` runs graphs of its own")
            if getattr(call.target, "__module__", "") not in ("_operator", "math", "torch", "builtins"):
                raise _UnknownError(str(call.target))
            return call.target(*call.args, **call.kwargs)
        try:
            result = call.target(*call.args, **call.kwargs)
        except Exception as error:
            if type(error).__name__ in _BY_NUMBERS:
                raise _UnknownError(f"the size of what `{call.target}` gives depends on numbers") from error
            raise _UnknownError(f"{call.target}: {type(error).__name__}") from error
        seed = self._seed_of(node)
        drawn = self._drafts.drawn.get(seed) if seed else None
        if drawn is not None:
            self._draw_again(drawn, result, node)
            return result
        if seed:
            self._drawn[seed] = self._at(result)
        plain = self._plain_form(call, result)
        writes = call.target._schema.is_mutable  # noqa: SLF001
        if plain is not None and (writes or next(tensors_in(result), None) is not None):
            self._add(plain, result, node)
        return result

    def _seed_of(self, node: Any) -> tuple[Any, ...]:
        """What numbers that an operation draws are known by; empty of one that draws none."""
        if _name(node) not in _BY_SEED:
            return ()
        seed = next(each for each in node.all_input_nodes if _name(each) in _SEEDS)
        if not seed.all_input_nodes:
            return (self._at(self._known[seed])[0],)
        memory = self._at(self._known[seed.all_input_nodes[0]])[0]
        return (self._drafts.seeds.get(memory, memory), *seed.args[1:])

    def _draw_again(self, drawn: tuple[Any, ...], result: Any, node: Any) -> None:
        arguments = [("t", drawn), ("v", None)]
        rest = (self._stack_of(node), self._forward_of(node), -1, "", -1, False)
        self._drafts.operations.append(("aten::clone", "", arguments, [self._at(result)], *rest))

    def _plain_form(self, call: _Call, result: Any) -> _Call | None:
        """An operation as eager code has it; None of one that nothing is computed by."""
        import torch

        aten, name = torch.ops.aten, call.target._schema.name  # noqa: SLF001
        if name == "prims::convert_element_type":
            return _Call(aten._to_copy.default, call.args[:1], {"dtype": call.args[1]})  # noqa: SLF001
        if name == "prims::fma":
            return _Call(aten.addcmul.default, (call.args[2], *call.args[:2]), {})
        if name == "prims::iota":
            start, step = call.kwargs["start"], call.kwargs["step"]
            bounds = (start, start + step * call.args[0], step)
            return _Call(aten.arange.start_step, bounds, {"dtype": call.kwargs["dtype"]})
        if name in _SEEDS:
            return None
        if name == "prims::inductor_random":
            draw = aten.randn.default if "randn" in call.args else aten.rand.default
            return _Call(draw, (list(result.shape),), {"dtype": result.dtype, "device": result.device})
        if name == "prims::inductor_randint":
            size = list(result.shape)
            return _Call(aten.randint.low, (*call.args[:2], size), {"dtype": result.dtype, "device": result.device})
        if not name.startswith("aten::"):
            raise _UnknownError(f"`{name}` is an operation of the program's own")
        return call

    def _add(self, call: _Call, result: Any, node: Any) -> None:
        schema = call.target._schema  # noqa: SLF001
        arguments = []
        for place, known in enumerate(schema.arguments):
            default = known.default_value if known.has_default_value() else None
            value = call.args[place] if place < len(call.args) else call.kwargs.get(known.name, default)
            arguments.append(self._argument(value))
        results = [self._at(each) for each in tensors_in(result)]
        rest = (self._stack_of(node), self._forward_of(node), -1, "")
        state = self._drafts.state_on(str(result.device)) if schema.name in _DRAWS else -1
        self._drafts.operations.append((schema.name, schema.overload_name, arguments, results, *rest, state, False))

    def _argument(self, value: Any) -> tuple[str, Any]:
        import torch

        if isinstance(value, torch.Tensor):
            return "t", self._at(value)
        if isinstance(value, (list, tuple)):
            if any(isinstance(each, torch.Tensor) for each in value):
                return "l", [None if each is None else self._at(each) for each in value]
            return "v", [self._argument(each)[1] for each in value]
        if isinstance(value, torch.dtype):
            return "v", number_of_dtype(value)
        if isinstance(value, torch.memory_format):
            return "v", _FORMATS.index(str(value))
        if isinstance(value, torch.device):
            return "v", str(value)
        if isinstance(value, torch.layout):
            return "v", None
        if value is None or isinstance(value, (bool, int, float, str)):
            return "v", value
        raise _UnknownError(f"a number of the type {type(value).__name__}")

    def _at(self, tensor: Any) -> tuple[Any, ...]:
        identity = _identity(tensor)
        if identity not in self._memories:
            self._memories[identity] = self._drafts.memories
            self._drafts.memories += 1
            self._kept.append(tensor)
        shape = (tuple(tensor.shape), tuple(tensor.stride()))
        return (self._memories[identity], number_of_dtype(tensor.dtype), tensor.storage_offset(), *shape)

    def _forward_of(self, node: Any) -> int:
        """The operation whose gradient one is part of, -2 where that is not known, -1 of what is no gradient."""
        known = self._drafts.forward.setdefault(self._graph.compilation, {})
        sequence = node.meta.get("seq_nr", -1)
        if not self._graph.backward:
            known[sequence] = len(self._drafts.operations)
            return -1
        differentiates = node.meta.get("partitioner_tag") == "is_backward" or "fwd_nn_module_stack" in node.meta
        return known.get(sequence, -2) if differentiates else -1

    def _stack_of(self, node: Any) -> int:
        trace = node.meta.get("stack_trace") or ""
        if trace not in self._traces:
            around = self._drafts.around.get(self._graph.compilation, ())
            self._traces[trace] = min([0, *self._drafts.stacks]) - 1
            self._drafts.stacks[self._traces[trace]] = [*list(frames_in(trace))[::-1], *around]
        return self._traces[trace]

    def _give(self, given: Any) -> None:
        """Has what the graph gives lie where the compiled code has put it."""
        import torch

        nodes = given if isinstance(given, (list, tuple)) else [given]
        own = set(self._memories.values()) - {each[0] for each in self._arguments if isinstance(each, tuple)}
        for node, wanted in zip(nodes, self._results, strict=True):
            value = self._known.get(node)
            if wanted is None or not isinstance(value, torch.Tensor):
                continue
            memory, *look = self._at(value)
            if _name(node) in _SEEDS:
                self._drafts.seeds[wanted[0]] = memory
            elif memory in own and tuple(look) == tuple(wanted[1:]) and self._moved.get(memory, wanted[0]) == wanted[0]:
                self._moved[memory] = wanted[0]
            elif (memory, *look) != tuple(wanted):
                self._copy((memory, *look), wanted, node, str(value.device))

    def _copy(self, at: tuple[Any, ...], wanted: tuple[Any, ...], node: Any, device: str) -> None:
        _, dtype, _, sizes, strides = wanted
        stack, rest = self._stack_of(node), (-1, "", -1, False)
        values = [("v", each) for each in (list(sizes), list(strides), dtype, None, device, None)]
        self._drafts.operations += [
            ("aten::empty_strided", "", values, [wanted], stack, -1, *rest),
            ("aten::copy_", "", [("t", wanted), ("t", at), ("v", False)], [wanted], stack, -1, *rest),
        ]

    def _settled(self, operation: tuple[Any, ...]) -> tuple[Any, ...]:
        """An operation once it is known where the results lie."""
        name, overload, arguments, results, *rest = operation

        settle = self._settle
        moved = [
            (kind, settle(told) if kind == "t" else [settle(each) for each in told] if kind == "l" else told)
            for kind, told in arguments
        ]
        return (name, overload, moved, [settle(each) for each in results], *rest)

    def _settle(self, at: Any) -> Any:
        return None if at is None else (self._moved.get(at[0], at[0]), *at[1:])


def _outer(frames: Sequence[RawFrame]) -> Sequence[RawFrame]:
    """The frames around a compiled function, the innermost first: those around what Dynamo calls it by."""
    for place, (file, *_) in enumerate(frames):
        if file.endswith(_DYNAMO):
            return frames[place + 1 :]
    return frames


def _identity(tensor: Any) -> int:
    return int(tensor.untyped_storage()._cdata)  # noqa: SLF001  as `torch.multiprocessing` tells storages apart


def _name(node: Any) -> str:
    """The name of the operation of a node, empty of what is none of PyTorch's own."""
    schema = getattr(node.target, "_schema", None)
    return "" if schema is None else str(schema.name)
