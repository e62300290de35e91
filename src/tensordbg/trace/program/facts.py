"""Facts that became known while a program ran: frameworks, warnings and how it ended, from `facts.jsonl`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tensordbg.model import NONE, StatedInput, StatedTensor
from tensordbg.trace.program.described import is_attributes
from tensordbg.trace.program.optimizers import OptimizerSettings, collect_optimizers
from tensordbg.trace.program.process import ProcessPlace

_MOST_NUMBER = 2**46
"""No trace has so many executions; slots are below 2**16."""

_FARTHEST_NUMBER = 2**64
"""The whole numbers of tensors are between this and its negative."""

_LONGEST_ELEMENTS = 4000
"""The text of a small tensor's elements is far shorter."""

_ASKED = re.compile(r"(?:(?:shape|dtype|-?\d{1,3})(?: (?!$)|$)){1,16}")
"""See `StatedInput.asked`."""

_LARGEST_SHARE = 1e6
"""No recording costs more times the program's own time."""

_READS = {"values": 3, "always": 2, "held": 2}
"""How many numbers the rows of each part of `Reads` have."""

STOPPED_EARLY = "recording stopped early"
"""How the warning begins that says so."""


@dataclass(frozen=True)
class Failure:
    """The operation whose error ended the program."""

    error: str
    """Name of the exception's class."""
    message: str
    site: int = NONE
    """`NONE` where the operation is not known; one without a name and a type is a place in Python code."""
    execution: int = NONE
    inputs: tuple[StatedInput, ...] = ()
    """Where no event tells of them, as nothing was computed."""
    tensors: tuple[StatedTensor, ...] = ()
    """The same inputs, and behind them what they were made from."""
    nodes: tuple[str, ...] = ()
    """The names of operations that the message bore, maybe of a function that an input pipeline ran."""
    layer: str = ""
    """The layer in which it came up, by its path."""
    item: str = ""
    """The item of a dataset whose code raised."""
    item_stack: int = NONE
    """Of the code that gave the item."""
    data: tuple[StatedTensor, ...] = ()
    """Where each part of what the input pipeline gave came from, and behind them what those were made from."""
    python_calls: tuple[tuple[StatedInput, ...], ...] = ()
    """The inputs of those calls of Python functions by graphs whose error the message told."""
    elements: Mapping[tuple[int, int, int], str] = field(default_factory=dict)
    """What small tensors held that it may have been given: by when each was recorded, its site and its slot."""


@dataclass(frozen=True)
class End:
    """How a recorded program ended."""

    time_ns: int
    """Since 1970."""
    exit_code: int | None = None
    signal: int | str | None = None
    exception: str | None = None
    """The exception that ended it, in one line."""


@dataclass(frozen=True)
class Reads:
    """Which bad values of eager operations the program read out."""

    values: tuple[tuple[int, ...], ...] = ()
    """Executions and slots, and the stack at which each was first read, `NONE` where that is not known."""
    always: tuple[tuple[int, ...], ...] = ()
    """Sites and slots that were read so often that no more of them were noted."""
    held: tuple[tuple[int, ...], ...] = ()
    """Executions and slots of what nothing had read, but could have when the recording ended."""


@dataclass(frozen=True)
class Differentiated:
    """The eager operation of the forward pass of which another computes the gradient, as the tape knew it."""

    execution: int
    """That made an output of the operation, or an input."""
    slot: int
    """Which output of that execution."""
    is_input: bool
    """Whether the operation took it."""


@dataclass(frozen=True)
class Loaded:
    """Libraries that the program had loaded and that compute where nothing is recorded."""

    libraries: frozenset[str] = frozenset()
    """Module names of other libraries."""
    operations: frozenset[str] = frozenset()
    """Types of operations that the program brought along."""


@dataclass(frozen=True)
class TraceFacts:
    """All facts of a trace."""

    frameworks: Mapping[str, str] = field(default_factory=dict)
    """Versions by name."""
    warnings: tuple[str, ...] = ()
    """What the user should know, each once, in the order in which they came."""
    end: End | None = None
    """None while the program runs, and where it was killed."""
    devices: tuple[str, ...] = ()
    """Names of the devices that the program saw, such as `/device:GPU:0`; empty where they were not noted."""
    without_gpu_kernel: frozenset[str] = frozenset()
    """Types of operations that can't run on a GPU; empty where the program saw none."""
    onednn: bool = True
    """Whether TensorFlow computes with oneDNN on processors, as it does on most; older traces don't say."""
    last: int = 0
    """Only so many of the last executions, and of the last tensors of functions, are kept; 0: all."""
    overwritten: int = 0
    """How many records of what was before them are not there any more."""
    process: ProcessPlace | None = None
    """The process's place in its run, where the program said it only later than at the start."""
    in_part: bool = False
    """Whether only the tensors that matter most were recorded of some steps."""
    overhead: float | None = None
    """Which share of the program's own time recording has cost so far; None where that was not measured."""
    allow: tuple[Mapping[str, Any], ...] = ()
    """Where infinities are allowed, as tables: see `tensordbg.allowed`."""
    reads: Reads | None = None
    """None where it was not noted what the program read, or not to the end."""
    differentiated: Mapping[int, Differentiated] = field(default_factory=dict)
    """By the execution of an eager backward pass; noted of bad values alone."""
    loaded: Loaded | None = None
    """None where it is not known, as of a program that was killed."""
    failure: Failure | None = None
    """The operation that raised the error which ends the program; known before its end."""
    optimizers: tuple[OptimizerSettings, ...] = ()
    """How optimizers were set, each from its step on, in the order in which that was seen."""

    @property
    def described(self) -> bool:
        """Whether all was written that events refer to: a full disk takes lines, and with them what says so."""
        return self.end is not None and not any(warning.startswith(STOPPED_EARLY) for warning in self.warnings)

    @property
    def reads_to_the_end(self) -> Reads | None:
        """The values that were read, where that is known of all; a program that goes on may yet read what it holds."""
        if self.reads is None or self.end is None:
            return None
        goes_on = self.end.exit_code is None and self.end.signal is None
        held = ((*each, NONE) for each in self.reads.held)
        return replace(self.reads, values=(*self.reads.values, *held)) if goes_on else self.reads


def _all_reads(rows: Iterable[Mapping[str, Any] | None]) -> Reads | None:
    """What was read, by all frameworks of the program: each has a row of its own, None where it can't tell."""
    known = None
    for row in rows:
        if row is None:
            return None
        told = {name: _numbers(row.get(name), length) for name, length in _READS.items()}
        before = known or Reads()
        known = Reads(**{name: (*getattr(before, name), *numbers) for name, numbers in told.items()})
    return known


def collect_facts(rows: Iterable[Mapping[str, Any]]) -> TraceFacts:
    """Puts the facts together; what is not understood is passed over."""
    frameworks: dict[str, str] = {}
    warnings: dict[str, None] = {}
    end = None
    devices: dict[str, Any] = {}
    process = None
    in_part = False
    overhead = None
    allow: list[Any] = []
    reads: list[Mapping[str, Any] | None] = []
    differentiated: dict[int, Differentiated] = {}
    loaded = None
    failure = None
    rows = list(rows)
    for row in rows:
        framework = row.get("framework")
        if isinstance(framework, dict):
            frameworks[str(framework.get("name"))] = str(framework.get("version"))
        if isinstance(row.get("warning"), str):
            warnings[row["warning"]] = None
        end = _end(row.get("end")) or end
        # Earlier recordings have it in the row of the end.
        told = row["end"].get("failure") if isinstance(row.get("end"), dict) else row.get("failure")
        failure = _failure(told) or failure
        if isinstance(row.get("devices"), dict):
            devices = row["devices"]
        in_part = in_part or row.get("in_part") is True
        overhead = _share(row.get("overhead"), overhead)
        if isinstance(row.get("allow"), list):
            allow = [each for each in row["allow"] if isinstance(each, dict)]
        if "reads" in row and isinstance(row["reads"], dict | None):
            reads.append(row["reads"])
        for gradient, execution, slot, is_input in _numbers([row.get("differentiated")], 4):
            differentiated[gradient] = Differentiated(execution, slot, bool(is_input))
        if isinstance(row.get("loaded"), dict):
            said = row["loaded"]
            loaded = Loaded(frozenset(_texts(said.get("libraries"))), frozenset(_texts(said.get("operations"))))
        if isinstance(row.get("process"), dict):
            process = ProcessPlace.from_json(row["process"])
    visible, without = _texts(devices.get("logical")), _texts(devices.get("without_gpu_kernel"))
    return TraceFacts(
        frameworks,
        tuple(warnings),
        end,
        visible,
        frozenset(without),
        onednn=devices.get("onednn") is not False,
        process=process,
        in_part=in_part,
        overhead=overhead,
        allow=tuple(allow),
        reads=_all_reads(reads),
        differentiated=differentiated,
        loaded=loaded,
        failure=failure,
        optimizers=collect_optimizers(row.get("optimizer") for row in rows),
    )


def _share(value: object, before: float | None) -> float | None:
    """The share that a row tells; what was told before where it tells none."""
    told = isinstance(value, float | int) and not isinstance(value, bool) and 0 <= value <= _LARGEST_SHARE
    return float(value) if told else before  # type: ignore[arg-type]


def _texts(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _numbers(value: object, length: int) -> tuple[tuple[int, ...], ...]:
    """Rows of so many numbers; what is none is passed over."""
    rows = value if isinstance(value, list) else []
    return tuple(tuple(row) for row in rows if isinstance(row, list) and len(row) == length and all(map(_counts, row)))


def _counts(value: object) -> bool:
    return type(value) is int and NONE <= value < _MOST_NUMBER


def _end(row: object) -> End | None:
    if not isinstance(row, dict) or not isinstance(row.get("time_ns"), int) or abs(row["time_ns"]) >= 2**63:
        return None
    exit_code, signal, exception = row.get("exit_code"), row.get("signal"), row.get("exception")
    return End(
        time_ns=row["time_ns"],
        exit_code=exit_code if isinstance(exit_code, int) else None,
        signal=signal if isinstance(signal, (int, str)) else None,
        exception=None if exception is None else str(exception).rstrip().removesuffix(":"),
    )


def _failure(row: object) -> Failure | None:
    if not isinstance(row, dict) or not isinstance(row.get("error"), str):
        return None
    numbers = {name: row.get(name) for name in ("site", "execution", "item_stack")}
    known = {name: number for name, number in numbers.items() if type(number) is int and number >= 0}
    nodes, calls = row.get("nodes"), row.get("python_calls")
    return Failure(
        row["error"],
        str(row.get("message", "")),
        **known,
        inputs=_inputs(row.get("inputs")),
        tensors=_tensors(row.get("tensors")),
        nodes=tuple(each for each in nodes if isinstance(each, str)) if isinstance(nodes, list) else (),
        layer=str(row.get("layer", "")),
        item=str(row.get("item", "")),
        data=_tensors(row.get("data")),
        python_calls=tuple(_inputs(each) for each in calls) if isinstance(calls, list) else (),
        elements=dict(_elements(row.get("elements"))),
    )


def _elements(value: object) -> Iterator[tuple[tuple[int, int, int], str]]:
    for each in value if isinstance(value, list) else []:
        match each:
            case [int(time_ns), int(site), int(slot), str(text)] if len(text) <= _LONGEST_ELEMENTS:
                yield (time_ns, site, slot), text


def _tensors(value: object) -> tuple[StatedTensor, ...]:
    told = [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
    return tuple(_tensor(each, len(told)) for each in told)


def _tensor(row: Mapping[str, Any], count: int) -> StatedTensor:
    plain = _input(row)
    inputs = row.get("inputs")
    places = inputs if isinstance(inputs, list) else []
    numbers = {name: row.get(name) for name in ("stack", "execution", "slot")}
    known = {name: number for name, number in numbers.items() if type(number) is int and 0 <= number < 2**47}
    attributes = row.get("attributes")
    return StatedTensor(
        plain.tensor,
        str(row.get("op_type", "")),
        plain.dtype,
        plain.shape,
        inputs=tuple(place for place in places if type(place) is int and 0 <= place < count),
        attributes=attributes if isinstance(attributes, str) and is_attributes(attributes) else "{}",
        low=_bounded(row.get("low")),
        high=_bounded(row.get("high")),
        called=str(row.get("called", "")),
        **known,
    )


def _inputs(value: object) -> tuple[StatedInput, ...]:
    return tuple(_input(each) for each in value if isinstance(each, dict)) if isinstance(value, list) else ()


def _bounded(number: object) -> float | None:
    if not isinstance(number, (int, float)) or isinstance(number, bool):
        return None
    return number if abs(number) <= _FARTHEST_NUMBER else None


def _input(row: Mapping[str, Any]) -> StatedInput:
    shape = row.get("shape")
    dims = shape if isinstance(shape, list) and all(type(dim) is int and -1 <= dim < 2**63 for dim in shape) else None
    elements, asked = row.get("elements"), row.get("asked")
    return StatedInput(
        str(row.get("tensor", "")),
        str(row.get("dtype", "")),
        None if dims is None else tuple(dims),
        elements if isinstance(elements, str) and len(elements) <= _LONGEST_ELEMENTS else "",
        asked if isinstance(asked, str) and _ASKED.fullmatch(asked) else "",
    )
