"""The case that a rule judges: an operation, its output, its inputs and how they grew; and words for its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tensordbg.advice.lookup import fix
from tensordbg.analysis.finding import InputView, TensorView
from tensordbg.analysis.program.learning_rates import RaisedRate
from tensordbg.analysis.program.operations import named
from tensordbg.model import Health
from tensordbg.operations.frameworks import TENSORFLOW
from tensordbg.operations.kinds import Kind
from tensordbg.operations.lookup import operation
from tensordbg.operations.operation import Operation, Role

_LARGEST: Mapping[str, float] = {
    "bfloat16": 3.3895313892515355e38,
    "complex64": 3.4028234663852886e38,
    "float16": 65504.0,
    "float32": 3.4028234663852886e38,
    "float64": 1.7976931348623157e308,
    "complex128": 1.7976931348623157e308,
    "float8_e4m3fn": 448.0,
    "float8_e5m2": 57344.0,
}
"""The largest finite number of each type."""

SMALLEST_NORMAL: Mapping[str, float] = {"float64": 2.2250738585072014e-308}
"""The smallest normal number of a type; float32's for all others."""

HALF = frozenset({"bfloat16", "float16", "float8_e4m3fn", "float8_e5m2"})
"""Types for which float32 would be a wider one."""


_WHOLE = ("bool", "int", "q", "string", "uint")
"""How the names begin of types that hold no fractions."""


@dataclass(frozen=True)
class Growth:
    """A tensor whose largest magnitude grew from one execution to the next."""

    tensor: str
    magnitudes: tuple[float, ...]
    """The last is the one that went into the operation."""
    unit: str
    """`step`, or `iteration` of a loop, also of one that Python runs eagerly."""
    given: bool = False
    """Whether it is made of what the program passes in, and of nothing that it computed in steps before."""


@dataclass(frozen=True)
class Made:
    """How a tensor was made: an operation, and how what it was given was made."""

    op_type: str
    number: float = math.nan
    """What it holds, where it is one number throughout that was written down or came in."""
    operands: tuple[Made, ...] = ()

    @property
    def operation(self) -> Operation:
        """The operation as the vocabulary describes it."""
        return named(self.op_type)


@dataclass(frozen=True)
class Jump:
    """Where the numbers behind an overflow grew most at once."""

    tensor: str
    """Or the name of the variable that an update enlarged."""
    before: float
    """The largest magnitude of what it was made from, NaN of what came in from outside or a variable was set to."""
    after: float
    step: int
    updated: bool
    """Whether it is an update of a variable."""
    place: str
    """Its line, as it is put into a sentence; empty where it is not known."""
    shape: tuple[int, ...] | None = None


@dataclass(frozen=True)
class ShrunkDivisor:
    """A divisor that came nearer and nearer to 0."""

    name: str
    """The variable's, or else the tensor's."""
    sizes: tuple[float, ...]
    """Its smallest magnitude from one execution to the next; the last is the one that was divided by."""
    unit: str
    """`step` or `iteration`, as of `Growth`."""
    place: str
    """The line of the division, as it is put into a sentence; empty where it is not known."""
    variable: bool
    """Whether it is a variable as it is."""
    exponential: bool


@dataclass(frozen=True)
class LargeData:
    """Data far from 1 that came in from outside, with which gradients are large before any learning rate is."""

    tensor: str
    magnitude: float
    """The largest."""


@dataclass(frozen=True)
class Case:
    """One origin, as the rules see it."""

    view: TensorView
    op_type: str
    inputs: tuple[InputView, ...]
    framework: str = TENSORFLOW
    gradient: bool = False
    """Whether the operation belongs to a backward pass."""
    forward: Kind | None = None
    """The kind of the operation that it is part of the gradient of, where the trace tells."""
    forward_type: str = ""
    """The type of that operation."""
    own_line: bool = False
    """Whether the line computes a gradient in the program's own words: in a hook, or a backward pass written out."""
    given: bool = False
    """Whether the value came in from outside: an argument, or a value from Python."""
    came: str = ""
    """How such a value came into a replayed step, see `BEFORE_STEP`; empty of any other."""
    read: bool = False
    """Whether the operation reads a variable."""
    variable: str = ""
    """Name of the variable that is read or written, where it is known."""
    written: bool = False
    """Whether the operation is a write, and the output what was read after it."""
    feeds_variable: bool = False
    feeds_trained: bool = False
    """Whether it was put as it is into a variable that is trained."""
    table: bool = False
    """Whether the value is a table of which rows are looked up, and no batch."""
    first_bad_index: tuple[int, ...] | None = None
    growth: Growth | None = None
    jump: Jump | None = None
    """Where the numbers that were too large had grown; looked for only where something was too large."""
    shrunk: ShrunkDivisor | None = None
    """What was divided by that shrank step by step; looked for as `jump` is, and behind a division by 0."""
    raised: RaisedRate | None = None
    """The raise of a learning rate by which the numbers began to grow; looked for as `jump` is."""
    data: LargeData | None = None
    """What the numbers that went in were made of in the end, where that is large; looked for as `jump` is."""
    behind: tuple[Made | None, ...] = ()
    """How each input was made; looked for only where a fix depends on it."""
    added_after: float = math.nan
    """A small number that the program adds to the output, or behind the operation whose gradient this is."""
    positions: tuple[int, ...] = ()
    """Of each input its position among the operation's operands, variables counted; -1 for the old value of one."""
    unwritten: tuple[str, ...] = ()
    """Of each input the name of the variable that it comes from, where that still held its first value, else empty."""
    pasts: tuple[tuple[TensorView, ...], ...] = ()
    """Each input in the executions before, the oldest first."""
    lost: bool = False
    """Whether something that it was made from is not in the trace, of which only the last events were kept."""
    left_out: bool = False
    """Whether something that it was made from was not recorded of this step, of which only what matters most was."""
    last_finite: TensorView | None = None
    """The same tensor when it was last recorded before, and finite, where steps in between were not recorded."""
    mask: str = ""
    """Name and line of the written infinities with which the NaN begins; empty where there are none."""
    before: TensorView | None = None
    """What a value from outside was likely made of in Python: a bad value that was there before."""

    @property
    def operation(self) -> Operation:
        """The operation as the vocabulary describes it."""
        return operation(self.framework, self.op_type)

    def fix(self, cause: str, known: str = "", **words: str) -> str:
        """The fix for a cause in the operation's framework, see `advice`."""
        return fix(self.framework, cause, known, **words)

    @property
    def gradient_of(self) -> Kind | None:
        """The kind that the operation is the gradient of, or a part of it."""
        return self.operation.gradient_of or self.forward

    def operand(self, role: Role) -> int | None:
        """Which input plays a part, `None` where none does."""
        return self.operation.operand(role)

    @property
    def output(self) -> Health:
        """The statistics of the bad tensor."""
        return self.view.health or Health(size=0)

    @property
    def largest(self) -> float:
        """The largest finite number of the output's type."""
        return largest_of(self.view.dtype)

    def health(self, k: int) -> Health | None:
        """The statistics of input k, `None` where it was not recorded."""
        if k >= len(self.inputs):
            return None
        recorded = self.inputs[k].recorded
        return recorded.health if recorded is not None else None

    def shape(self, k: int) -> tuple[int, ...] | None:
        """The shape of input k, where it is known."""
        recorded = self.inputs[k].recorded if k < len(self.inputs) else None
        return recorded.shape if recorded is not None else None

    def name(self, k: int) -> str:
        """The name of input k: its tensor's where that is known."""
        return self.inputs[k].tensor if k < len(self.inputs) else f"input {k}"

    def numbers(self) -> list[int]:
        """Which inputs were recorded and are numbers to compute with: indices, axes and sizes are not."""
        recorded = ((k, given.recorded) for k, given in enumerate(self.inputs))
        return [k for k, view in recorded if view is not None and view.health and not view.dtype.startswith(_WHOLE)]

    def healths(self) -> list[Health]:
        """The statistics of these."""
        return [health for health in map(self.health, self.numbers()) if health is not None]

    def made_by(self, k: int) -> tuple[str, ...]:
        """Types of the operations behind input k."""
        return self.inputs[k].made_by if k < len(self.inputs) else ()


@dataclass(frozen=True)
class Cause:
    """One entry of the table."""

    name: str
    test: Callable[[Case], bool]
    explanation: Callable[[Case], str]
    suggestion: Callable[[Case], str]


def largest_of(dtype: str) -> float:
    """The largest finite number of a type; float32's for one that is not known."""
    return _LARGEST.get(dtype, _LARGEST["float32"])


def magnitude(health: Health | None) -> float:
    """The largest finite magnitude, 0 where there is none."""
    if health is None:
        return 0.0
    return max((abs(value) for value in (health.min, health.max) if not math.isnan(value)), default=0.0)


def vanishing(health: Health | None, dtype: str) -> int:
    """How many elements a kernel takes for zero: those below the normal numbers too, but for half precision."""
    if health is None:
        return 0
    return health.zero + (0 if dtype in HALF else health.subnormal)


def all_finite(healths: list[Health]) -> bool:
    """Whether there are any statistics, and all of them are of finite numbers."""
    return bool(healths) and not any(health.non_finite for health in healths)


def infinite(health: Health | None) -> int:
    """How many elements are infinite."""
    return 0 if health is None else health.neg_inf + health.pos_inf


def number(value: float) -> str:
    """A number as it reads well: four digits."""
    text = f"{value:.4g}"
    return text.replace("e+0", "e+").replace("e-0", "e-").replace("e+", "e")


def some_of(sizes: Sequence[float]) -> str:
    """`1, 10, ..., 1e4, 1e5, 1e6`: the first numbers of a course and its last."""
    words = [number(size) for size in sizes]
    return ", ".join(words if len(words) <= 6 else [*words[:2], "...", *words[-3:]])


def of_elements(count: int, size: int) -> str:
    """`3 of its 640 elements`, `its only element`, `all 5 of its elements`."""
    if size == 1:
        return "its only element"
    if count == size:
        return "both of its elements" if size == 2 else f"all {size:,} of its elements"
    return f"{count:,} of its {size:,} elements"


def counted(count: int, one: str, several: str) -> str:
    """`1 zero`, `1,280 zeros`."""
    return f"{count:,} {one if count == 1 else several}"


def are(count: int) -> str:
    """`is` or `are`."""
    return "is" if count == 1 else "are"


def unravelled(health: Health | None, shape: tuple[int, ...] | None) -> tuple[int, ...] | None:
    """The index of the first bad element, by the tensor's shape."""
    if health is None or health.first_bad < 0 or shape is None:
        return None
    index: list[int] = []
    rest = health.first_bad
    for length in reversed(shape):
        rest, position = divmod(rest, length) if length else (rest, 0)
        index.append(position)
    return tuple(reversed(index))
