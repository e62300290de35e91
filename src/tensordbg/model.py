"""The vocabulary that every layer shares, as frozen dataclasses: health, frames, sites, functions, executions.

Identifiers are small integers, given out from 0 (sites, functions, stacks, variables) or from 1 (executions) while a
program is recorded; they mean something only within one trace. `NONE` stands where there is none.
"""

from __future__ import annotations

import enum
import json
import math
from dataclasses import dataclass, field

DIFFERENTIATED = "differentiated"
"""The attribute of an operation that tells which of its outputs the program takes gradients of."""

GRADIENT_FOR = "gradient_for"
"""The attribute of an operation that lists which of its outputs is the gradient of which variable, as pairs."""

PYTHON_NAMES = "python_names"
"""The attribute of an operation that tells for each of its outputs under which names the program's text knows it."""

ELEMENT_PARTS = "element_parts"
"""The attribute of an operation that tells for each of its outputs what Python writes behind the element of the dataset
that it takes, to get at that."""

ELEMENT_OF = "element_of"
"""The attribute of an operation that takes an element out of a dataset: what the program's text calls the dataset."""

WAITS_FOR = "waits_for"
"""The attribute of an operation that lists the sites of its graph that it only waits for."""

RUNS_ANYWAY = "runs_anyway"
"""The attribute of an operation that its function runs whether or not a result needs it."""

SHAPE_OF = "shape_of"
"""The attribute of a constant of a graph that is the shape of a tensor of the graph: the name of that."""

COMPOSITES = "composites"
"""The attribute of an operation that tells for each of its outputs of which value it holds the elements: `ragged` with
the tensors of its row splits, outermost first, `sparse` with those of its indices and its shape; or null."""

EAGER_COMPOSITE = "composite_of"
"""The attribute of a site at which eager code puts a ragged or sparse tensor together: `ragged` or `sparse` with the
sites and slots of its elements and of its other parts, in this order. Nothing runs there."""

FUSED = "fused"
"""The attribute of an operation whose result a compiled kernel keeps to itself: what is recorded of it was computed
once more, from what the kernel was given, when something that the kernel stored was not finite."""

WITHOUT_GRADIENT = "without_gradient"
"""The attribute of the site of what a variable held at first, of a variable that an optimizer was given: in so many of
its steps it never had a gradient, at none of those in which that was looked at."""

BEFORE_STEP = "before_step"
"""The attribute of what a replayed step took from outside, which tells how it came: `loader` where a loader of data
gave it as it is, `module` where it was there before the first call of a module, where what the step did began to be
noted, `step` where it was there before the step, and `processes` where other processes sent it."""

ELEMENT_ORIGIN, BATCH_ORIGINS = "tensordbg_element_origin", "tensordbg_batch_origins"
"""How the operations are called that hold, in a pipeline with origins, the names of the element that a call of a
function is for, and those of the rows of a batch that the pipeline gives."""

NOTES = frozenset(
    {
        *(BEFORE_STEP, COMPOSITES, DIFFERENTIATED, EAGER_COMPOSITE, ELEMENT_OF, ELEMENT_PARTS, FUSED, GRADIENT_FOR),
        *(PYTHON_NAMES, RUNS_ANYWAY, SHAPE_OF, WAITS_FOR, WITHOUT_GRADIENT),
    }
)
"""The attributes that are notes of ours: whatever they say, an operation computes the same."""


def names_origins(operation: str) -> bool:
    """Whether an operation of this name holds names of where elements of a pipeline came from."""
    return operation.rpartition("/")[2].startswith((ELEMENT_ORIGIN, BATCH_ORIGINS))


NONE = -1
"""The identifier that stands for "none" or "unknown"."""

FIRST_VARIABLE_INPUT = -2
"""Among the inputs of an execution: the handle of variable 0; that of variable n is this minus n."""

SOMEWHERE = -2
"""In place of the index of the first bad element: there is one, but it is not known where."""


class Detail(str, enum.Enum):
    """How much is recorded of a tensor; each level holds what stands before it."""

    OPS = "ops"
    """That it was computed."""
    SHAPES = "shapes"
    """Its shape and dtype."""
    HEALTH = "health"
    """Its statistics."""
    VALUES = "values"
    """Its elements."""


@dataclass(frozen=True)
class Health:
    """The statistics of one tensor; counts are exact.

    For complex numbers `min`, `max`, `sum` and `sum_squares` are those of the modulus, and an element counts as NaN
    where either part is NaN, else as +inf where either part is infinite.
    """

    size: int
    """Number of elements."""
    negative: int = 0
    """Finite elements below zero."""
    zero: int = 0
    """Elements equal to zero, of either sign."""
    neg_inf: int = 0
    pos_inf: int = 0
    nan: int = 0
    subnormal: int = 0
    """Elements too small for a normal number of the dtype; they are also counted as negative or positive."""
    min: float = math.nan
    """Smallest finite element, NaN where there is none."""
    max: float = math.nan
    """Largest finite element, NaN where there is none."""
    sum: float = 0.0
    """Sum of the finite elements, in double precision."""
    sum_squares: float = 0.0
    """Sum of the squares of the finite elements, in double precision."""
    first_bad: int = NONE
    """Flat (row-major) index of the first non-finite element, or `NONE`, or `SOMEWHERE`."""
    unmeasured: tuple[str, ...] = ()
    """Of these fields, and `positive`, the values mean nothing; an imported tensor may lack some."""

    @property
    def non_finite(self) -> int:
        """Number of elements that are infinite or NaN."""
        return self.neg_inf + self.pos_inf + self.nan

    @property
    def finite(self) -> int:
        """Number of finite elements."""
        return self.size - self.non_finite

    @property
    def positive(self) -> int:
        """Number of finite elements above zero."""
        return self.finite - self.negative - self.zero

    @property
    def mean(self) -> float:
        """Mean of the finite elements, NaN where there is none."""
        finite = self.finite
        return self.sum / finite if finite else math.nan

    @property
    def std(self) -> float:
        """Population standard deviation of the finite elements, NaN where there is none, inf where it is too large."""
        finite = self.finite
        if not finite or math.isnan(self.sum):
            return math.nan
        mean = self.sum / finite
        variance = self.sum_squares / finite - mean * mean
        return math.sqrt(max(0.0, variance)) if math.isfinite(variance) else math.inf


@dataclass(frozen=True)
class Frame:
    """One line of a Python stack."""

    file: str
    """Absolute path, or a name in angle brackets such as `<stdin>`."""
    line: int
    """Line number from 1."""
    function: str
    """Name of the function that the line belongs to."""
    user: bool
    """Whether this is the user's own code: neither an installed package nor the standard library."""


@dataclass(frozen=True)
class TensorRef:
    """An output of a site."""

    site: int
    slot: int


class CallKind(str, enum.Enum):
    """How an operation runs the functions that it names; decides how their arguments and outputs are its own."""

    NONE = ""
    """It runs none."""
    CALL = "call"
    """Inputs are the arguments, outputs the results."""
    IF = "if"
    """Input 0 chooses the branch, the rest are arguments; outputs are the branch's results."""
    WHILE = "while"
    """`called` is (condition, body); inputs are the arguments of both, the body gives those of the next time."""
    OTHER = "other"
    """It runs functions in a way that is not followed."""


@dataclass(frozen=True)
class Site:
    """One place where an operation was created."""

    site: int
    name: str
    """Name in its graph (`dense/MatMul`); for eager code the operation's type."""
    op_type: str
    function: int
    """The traced function whose graph holds it, `NONE` for eager code."""
    stack: int
    """Of its creation, see `Frame`."""
    inputs: tuple[TensorRef, ...] = ()
    """Of the same function, in order; empty for eager code, where each execution has its own."""
    dtypes: tuple[str, ...] = ()
    """Of its outputs."""
    device: str = ""
    """Asked for by the program, often empty."""
    call: CallKind = CallKind.NONE
    called: tuple[str, ...] = ()
    """Runtime names of the functions that it runs."""
    argument: int = NONE
    """Position among the function's arguments, where it is one (captured values come last)."""
    reads: tuple[int, ...] = ()
    """Variables whose value it reads."""
    writes: tuple[int, ...] = ()
    """Variables whose value it changes."""
    gradient_of: int = NONE
    """The site whose gradient it computes, where that is known."""
    backward: bool | None = None
    """Whether it belongs to a backward pass; `None` where what recorded it did not say."""
    attributes: str = "{}"
    """Small attributes of the operation (axis, target dtype...), as a JSON object; with the outputs that are
    differentiated under `DIFFERENTIATED`, their names in the program's text under `PYTHON_NAMES`, and why it runs where
    no result needs it under `WAITS_FOR` of others, and `RUNS_ANYWAY`."""
    framework: str = ""
    """The framework whose operation it is, by the name of its module; empty where that is not known."""
    layer: str = ""
    """The layers that it belongs to or whose output it makes, as a JSON object (see `docs/trace-format.md`)."""

    @property
    def differentiated(self) -> tuple[int, ...]:
        """Its outputs that the program takes gradients of."""
        if f'"{DIFFERENTIATED}"' not in self.attributes:
            return ()
        told = json.loads(self.attributes).get(DIFFERENTIATED)
        return tuple(slot for slot in told if isinstance(slot, int) and slot >= 0) if isinstance(told, list) else ()


@dataclass(frozen=True)
class Function:
    """One function as the runtime knows it; its `stack` is where Python was when it was traced.

    A forward pass made for a gradient has the sites of the plain function: `graph` is then that function's number.
    """

    function: int
    name: str
    """Name in Python (`train_step`)."""
    runtime_name: str
    """Unique name in the framework (`__inference_train_step_83`)."""
    graph: int
    """The function whose number its sites bear; its own, if it was traced by itself."""
    stack: int = NONE
    arguments: tuple[int, ...] = ()
    """Sites of its arguments, captured values last."""
    outputs: tuple[TensorRef, ...] = ()
    """What it returns, in order."""
    captures: tuple[int, ...] = ()
    """For each argument the variable that it is the handle of, else `NONE`."""
    signature: str = ""
    """Argument types that this trace was made for."""
    notes: tuple[str, ...] = field(default=())
    """What the report should say of it, such as that it was meant to be compiled by XLA."""
    tracing: str = ""
    """Of one traced from Python where and for which arguments, as a JSON object (see `docs/trace-format.md`)."""


@dataclass(frozen=True)
class Variable:
    """A variable of the program."""

    variable: int
    name: str
    dtype: str
    shape: str
    """As a JSON array, `null` where it is unknown."""
    trainable: bool | None = None
    """Whether the program means it to be trained, as of when it was used last; `None` where that is not known."""


@dataclass(frozen=True)
class StatedInput:
    """An input of an operation that the framework refused to build."""

    tensor: str
    dtype: str
    """Empty where it is not known."""
    shape: tuple[int, ...] | None
    """-1 for a dimension that is not known, None where the rank isn't."""
    elements: str = ""
    """Those of a small tensor of which no event tells, as text; empty where they are not known."""
    asked: str = ""
    """What the program's own code asked for where it raised, by words: `shape`, `dtype`, or numbers of dimensions."""


@dataclass(frozen=True)
class StatedTensor:
    """A tensor that Python held when the program failed, mostly of a graph that was not finished."""

    tensor: str
    op_type: str
    """Empty where it is of no graph."""
    dtype: str
    shape: tuple[int, ...] | None
    """As of `StatedInput`."""
    stack: int = NONE
    """Of the operation that made it."""
    inputs: tuple[int, ...] = ()
    """What that took, by their places in the list of such tensors."""
    execution: int = NONE
    """That made an eager tensor, as the output `slot`."""
    slot: int = 0
    attributes: str = "{}"
    """As of a site."""
    low: float | None = None
    """The smallest number in it, where it was looked at; `high` likewise."""
    high: float | None = None
    called: str = ""
    """What the line that failed calls it, `batch['x']`; empty where it has no name for it."""


@dataclass(frozen=True)
class SourceFile:
    """The text of one file that a stack names, as it was when it was first seen."""

    file: str
    sha256: str
    text: str
