"""Makes functions and sites of the graphs that Inductor compiles: the operations as they were before fusing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tensordbg.backends.torch.attributes.settings import settings_of_call
from tensordbg.backends.torch.compiled import dynamo, internals
from tensordbg.backends.torch.compiled.differentiated import differentiated
from tensordbg.backends.torch.compiled.generated_lines import frames_in
from tensordbg.model import FUSED, NONE, Function, Site, TensorRef
from tensordbg.operations.frameworks import TORCH
from tensordbg.recording.catalog import Catalog, RawFrame

ARGUMENT, CONSTANT, NUMBER = "placeholder", "get_attr", "Number"

_REST = re.compile(r"(?:torch_dynamo_resume_in_)+(.*?)_at_(\d+)(?:_at_\d+)*$")
"""How Dynamo names the rest of a function behind a graph break."""
_DECISION = "Data-dependent branching"
"""Dynamo's name, in later versions, for an `if` of what a tensor holds."""
_SAME = {"prims::convert_element_type": "aten::_to_copy"}
"""What Inductor calls operations that have another name in eager code."""


@dataclass(frozen=True)
class Graph:
    """A compiled graph as the trace knows it."""

    module: Any
    """With the FX graph and its constants."""
    sites: list[Site]
    """As yet of no function, which gets its number with the last of them."""
    described: Function
    references: Mapping[Any, TensorRef]
    """What each operation of the graph is in the trace; of an item of a tuple, that output of what gave the tuple."""
    numbers: Mapping[Any, list[tuple[int, float]]]
    """Of an operation that takes numbers of the program's text, their sites and what they are."""
    results: tuple[int, ...]
    """Of each result, and behind them of each input that it writes, `site << 16 | slot`; -1 of an input."""
    written: tuple[int, ...]
    """Which inputs it writes."""
    buffers: dict[Any, str] = field(default_factory=dict)
    """The buffers that hold results of operations, by their names in the generated code."""


@dataclass(frozen=True)
class _Compilation:
    """What the backward pass of a function must know of its forward pass."""

    name: str
    stack: tuple[RawFrame, ...]
    forward: Mapping[int, int]
    """The site by autograd's sequence number."""


class Describer:
    """Gives the graphs of one process their numbers."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._compilations: dict[str, _Compilation] = {}
        self._pythons: dict[str, int] = {}
        self._splits: dict[tuple[str, int], str] = {}
        """Why the functions of a file were split at a line."""

    def describe(self, lowering: Any) -> Graph:
        """Numbers the operations of a graph that is being lowered."""
        frame_id, name = dynamo.compilation()
        backward = internals.is_backward(lowering)
        known = self._compilations.get(name) if backward else None
        frame = dynamo.compiled_frame() if known is None else None
        function_name = known.name if known is not None else _name_of(frame)
        outer = known.stack if known is not None else tuple(_around(frame))
        splits = self._splits_of(frame)
        draft = Draft(self._catalog, outer, known.forward if known is not None else {})
        sites = draft.sites(lowering.graph)
        if known is None and name:
            self._compilations[name] = _Compilation(function_name, outer, draft.by_sequence)
        results, written = _results(lowering.graph, draft.references)
        what = "backward" if backward else "forward"
        function = Function(
            NONE,
            function_name,
            f"{function_name}_{name}_{what}",
            NONE,
            stack=self._catalog.stack(outer) if outer else NONE,
            arguments=tuple(site.site for site in sites if site.argument != NONE),
            outputs=tuple(ref for _, ref in results),
            signature=_signature(sites),
            notes=self._notes(frame),
            tracing=self._tracing(frame_id, frame, splits) if known is None else "",
        )
        keys = tuple(key for key, _ in results)
        return Graph(lowering.module, sites, function, draft.references, draft.numbers, keys, written)

    def add(self, graph: Graph) -> int:
        """Adds a graph to the trace once it is known what its kernels store, and returns its function's number."""
        stored = {graph.references[node].site for node, _ in graph.buffers}
        with self._catalog.lock:
            number = self._catalog.next_function
            function = replace(graph.described, function=number, graph=number)
            self._catalog.add_sites([_placed(site, number, stored) for site in graph.sites])
            self._catalog.add_function(replace(function, runtime_name=f"{function.runtime_name}_{number}"))
        return number

    def _splits_of(self, frame: dynamo.CompiledFrame | None) -> list[dict[str, Any]]:
        """Where a function is split: before a graph of which no other graph has told that, and behind it."""
        if frame is None:
            return []
        found = []
        rest = _REST.match(frame.code.co_name)
        if rest is not None and (frame.code.co_filename, int(rest[2])) not in self._splits:
            place = (frame.code.co_filename, int(rest[2]), rest[1])
            found.append(self._split([place], dynamo.reason_of_split()))
        if frame.split is not None and frame.split.places:
            found.append(self._split(frame.split.places, frame.split.reason))
        return found

    def _split(self, places: Sequence[tuple[str, int, str]], reason: str) -> dict[str, Any]:
        """Says where a function is split: in the innermost line that is the user's own."""
        reason = _DECISION if reason.startswith("generic_jump") else reason or "a graph break"
        self._splits[places[0][:2]] = reason
        is_user = self._catalog.user_code.is_user
        file, line, name = next((each for each in reversed(places) if is_user(each[0])), places[-1])
        self._catalog.keep_source(file)
        rest = _REST.match(name)
        return {
            "file": file,
            "line": line,
            "function": rest[1] if rest else name,
            "user": is_user(file),
            "reason": reason,
        }

    def _notes(self, frame: dynamo.CompiledFrame | None) -> tuple[str, ...]:
        """That the function is the rest of one that Dynamo has split, and why."""
        rest = _REST.match(frame.code.co_name) if frame is not None else None
        if rest is None or frame is None:
            return ()
        reason = self._splits.get((frame.code.co_filename, int(rest[2])), "a graph break")
        return (f"torch.compile has split {rest[1]} at line {rest[2]}: {reason}",)

    def _tracing(self, frame_id: str, frame: dynamo.CompiledFrame | None, splits: Sequence[Mapping[str, Any]]) -> str:
        if frame is None:
            return ""
        code = frame.code
        python = self._pythons.setdefault(f"{frame_id} {code.co_filename}:{code.co_firstlineno}", len(self._pythons))
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        told = {
            "python": python,
            "file": code.co_filename,
            "line": code.co_firstlineno,
            "user": self._catalog.user_code.is_user(code.co_filename),
            "parameters": {each: _parameter(frame.values[each]) for each in arguments if each in frame.values},
            "gone": 0,
            "splits": splits,
        }
        self._catalog.keep_source(code.co_filename)
        return json.dumps(told)


def slot_in_site(catalog: Catalog, site: int, slot: int) -> int:
    """Which output of its site a tensor is; a result of a compiled graph is known by its place among the results."""
    number = catalog.site(site).function
    outputs = catalog.function(number).outputs if number != NONE else ()
    return outputs[slot].slot if slot < len(outputs) else slot


class Draft:
    """The sites of one graph."""

    def __init__(self, catalog: Catalog, outer: tuple[RawFrame, ...], forward: Mapping[int, int]) -> None:
        self._catalog = catalog
        self._outer = outer
        self._forward = forward
        self.references: dict[Any, TensorRef] = {}
        self.by_sequence: dict[int, int] = {}
        self._begun: dict[int, str] = {}
        """The first operation of the program with each number; it may be taken apart into several."""
        self.numbers: dict[Any, list[tuple[int, float]]] = {}

    def sites(self, graph: Any) -> list[Site]:
        """The sites of all operations that have tensors or numbers as results."""
        import operator

        found: list[Site] = []
        arguments = 0
        for node in graph.nodes:
            if node.op == "call_function" and node.target is operator.getitem and node.args[0] in self.references:
                self.references[node] = TensorRef(self.references[node.args[0]].site, int(node.args[1]))
                continue
            if node.op not in ("placeholder", "get_attr", "call_function"):
                continue
            inputs = tuple(self._inputs(node, found)) if node.op == "call_function" else ()
            site = self._catalog.new_sites(1)
            self.references[node] = TensorRef(site, 0)
            found.append(self._site(node, site, inputs, arguments if node.op == "placeholder" else NONE))
            arguments += node.op == "placeholder"
        return found

    def _site(self, node: Any, site: int, inputs: tuple[TensorRef, ...], argument: int) -> Site:
        forward, sequence = NONE, node.meta.get("seq_nr", NONE)
        differentiates = node.meta.get("partitioner_tag") == "is_backward" or (
            bool(self._forward) and "fwd_nn_module_stack" in node.meta
        )
        # What the backward pass computes again of the forward one belongs to it, and is no gradient.
        backward = differentiates or (bool(self._forward) and node.op == "call_function")
        if differentiates:
            forward = self._forward.get(sequence, NONE)
        elif sequence != NONE and not backward:
            self._note_forward(node, sequence, site)
        if forward == NONE and _is_of_grad(node):
            known = differentiated(node, _is_of_grad)
            forward = self.references[known].site if known in self.references else NONE
        frames = (*self._outer, *frames_in(node.meta.get("stack_trace") or ""))
        return Site(
            site,
            node.name,
            _type(node),
            NONE,
            self._catalog.stack(frames) if frames and node.op == "call_function" else NONE,
            inputs=inputs,
            dtypes=tuple(_dtypes(node.meta.get("val"))),
            argument=argument,
            gradient_of=forward,
            backward=backward or _is_of_grad(node),
            framework=TORCH,
            layer=_layer(node.meta),
            attributes=json.dumps(settings_of_call(node.target, node.args, node.kwargs)),
        )

    def _note_forward(self, node: Any, sequence: int, site: int) -> None:
        """Notes what is differentiated under a number: what has no gradient comes behind it under the same one."""
        if node.op == "call_function" and self._begun.setdefault(sequence, _original(node)) == _original(node):
            self.by_sequence[sequence] = site

    def _inputs(self, node: Any, found: list[Site]) -> Iterator[TensorRef]:
        numbers = set(_number_places(node.target))
        for place, argument in enumerate(node.args):
            if place in numbers and isinstance(argument, (int, float)) and not isinstance(argument, bool):
                site = self._catalog.new_sites(1)
                attributes = json.dumps({"value": argument})
                name = f"{node.name}/{place}"
                found.append(Site(site, name, NUMBER, NONE, NONE, framework=TORCH, attributes=attributes))
                self.numbers.setdefault(node, []).append((site, float(argument)))
                yield TensorRef(site, 0)
                continue
            for each in _nodes_in(argument):
                if each in self.references:
                    yield self.references[each]
        for argument in node.kwargs.values():
            for each in _nodes_in(argument):
                if each in self.references:
                    yield self.references[each]


def _original(node: Any) -> str:
    """The operation of the program that a node is, or is a part of."""
    return str(node.meta.get("original_aten") or node.target)


def _placed(site: Site, function: int, stored: set[int]) -> Site:
    computes = site.argument == NONE and site.op_type not in (CONSTANT, NUMBER)
    fused = {FUSED: True} if computes and site.site not in stored else {}
    attributes = json.dumps(json.loads(site.attributes) | fused)
    return replace(site, function=function, attributes=attributes)


def _type(node: Any) -> str:
    if node.op == "placeholder":
        return ARGUMENT
    if node.op == "get_attr":
        return CONSTANT
    schema = getattr(node.target, "_schema", None)
    name = schema.name if schema is not None else getattr(node.target, "__name__", str(node.target))
    return _SAME.get(name, name)


def _number_places(target: Any) -> Iterator[int]:
    schema = getattr(target, "_schema", None)
    for place, argument in enumerate(schema.arguments if schema is not None else ()):
        if str(argument.type) in ("number", "Tensor") and not argument.kwarg_only:
            yield place


def _nodes_in(argument: Any) -> Iterator[Any]:
    from torch.fx import Node

    if isinstance(argument, Node):
        yield argument
    elif isinstance(argument, (list, tuple)):
        for each in argument:
            yield from _nodes_in(each)


def _dtypes(value: Any) -> Iterator[str]:
    from torch import Tensor

    if isinstance(value, Tensor):
        yield str(value.dtype).removeprefix("torch.")
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from (_dtypes(each) if isinstance(each, Tensor) else ("int64",))
    elif value is not None:
        yield "int64"


def _is_of_grad(node: Any) -> bool:
    """Whether an operation is of a gradient by torch.func, of which nobody notes what it differentiates."""
    stack = node.meta.get("source_fn_stack") or ()
    return any(getattr(function, "__name__", "") == "_autograd_grad" for _, function in stack)


def _layer(meta: Mapping[str, Any]) -> str:
    modules = list((meta.get("nn_module_stack") or meta.get("fwd_nn_module_stack") or {}).values())
    if not modules:
        return ""
    path, kind = modules[-1]
    kind = kind if isinstance(kind, str) else kind.__name__
    return json.dumps(
        {"path": module_path(path) or kind.rpartition(".")[2], "class": kind.rpartition(".")[2], "output_of": []}
    )


def module_path(text: str) -> str:
    """The name of a module in its model, from how Dynamo writes down the way to it; empty of the outermost one."""
    text = re.sub(r"\._modules\['([^']*)'\]", r".\1", text)
    text = re.sub(r"\._modules\.", ".", text)
    text = re.sub(r"getattr\((.*?), '([^']*)'\)", r"\1.\2", text)
    text = re.sub(r"^[LG]\['([^']*)'\]", "", text)
    text = re.sub(r"\[(\d+)\]|\['([^']*)'\]", lambda found: f".{found[1] or found[2]}", text)
    return text.removeprefix("._orig_mod").strip(".")


def _results(graph: Any, references: Mapping[Any, TensorRef]) -> tuple[list[tuple[int, TensorRef]], tuple[int, ...]]:
    """What gives each result, and behind them what is written into inputs."""
    from torch.fx import Node

    arguments = [node for node in graph.nodes if node.op == "placeholder"]
    found: list[tuple[int, TensorRef]] = []
    nothing = TensorRef(NONE, 0)
    for node in graph.nodes:
        if node.op != "output":
            continue
        given = node.args[0]
        for each in given if isinstance(given, (list, tuple)) else [given]:
            ref = references.get(each, nothing) if isinstance(each, Node) else nothing
            own = ref is not nothing and each.op != "placeholder"
            found.append((ref.site << 16 | ref.slot if own else -1, ref))
    written = []
    for node in graph.nodes:
        if node.op == "call_function" and _type(node) == "aten::copy_" and node.args[0] in arguments:
            written.append(arguments.index(node.args[0]))
            ref = references[node]
            found.append((ref.site << 16 | ref.slot, ref))
    return found, tuple(written)


def _signature(sites: list[Site]) -> str:
    return "(" + ", ".join(site.dtypes[0] if site.dtypes else "?" for site in sites if site.argument != NONE) + ")"


def _name_of(frame: dynamo.CompiledFrame | None) -> str:
    if frame is None:
        return "compiled graph"
    rest = _REST.match(frame.code.co_name)
    return f"{rest[1]}_from_line_{rest[2]}" if rest else frame.code.co_name


def _around(frame: dynamo.CompiledFrame | None) -> list[RawFrame]:
    """The frames around the function that is compiled, outermost first."""
    found: list[RawFrame] = []
    each = frame.around if frame is not None else None
    while each is not None:
        found.append((each.f_code.co_filename, each.f_lineno, each.f_code.co_name))
        each = each.f_back
    return found[::-1]


def _parameter(value: Any) -> dict[str, str]:
    from torch import Tensor

    if isinstance(value, Tensor):
        dtype, shape = str(value.dtype).removeprefix("torch."), json.dumps(list(value.shape))
        return {"kind": "tensor", "text": f"{dtype}{shape}", "dtype": dtype, "shape": shape}
    if isinstance(value, (bool, int, float, str, bytes, type(None))):
        return {"kind": "value", "text": repr(value)[:80]}
    if isinstance(value, (list, tuple, dict)):
        return {"kind": "structure", "text": f"{type(value).__name__} of {len(value)}"}
    return {"kind": "object", "text": f"{type(value).__name__} object"}
