"""Findings of the analysis, as frozen dataclasses: the input of `wire` and `report`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from tensordbg.model import Health

NOTHING_READ_IT = "nothing read it"
"""What kept a bad eager value from doing harm that the program computed and let go."""


@dataclass(frozen=True)
class TensorView:
    """One recorded tensor, with all that is said of it."""

    event: int
    tensor: str
    """Name and slot, `Log:0`."""
    op_name: str
    op_type: str
    site: int
    slot: int
    function: str
    """Python name of the traced function that it was computed in; for eager code of the function around the line."""
    execution: int
    step: int
    iteration: int | None
    device: str
    dtype: str
    shape: tuple[int, ...] | None
    health: Health | None
    """`None` where it was not measured."""


@dataclass(frozen=True)
class InputView:
    """One input of an operation, under the name that it has there."""

    tensor: str
    op_type: str
    """Type of the operation that it comes from in the same graph: `Placeholder` for an argument."""
    recorded: TensorView | None
    """The recorded tensor that it is; that of a caller, where the argument itself was not recorded."""
    made_by: tuple[str, ...] = ()
    """Types of the operations that made its elements, the latest first, seen through reshaping and slicing."""
    dtype: str = ""
    """As it was stated where nothing was recorded; `shape` too."""
    shape: tuple[int, ...] | None = None
    """-1 for a dimension that is not known."""
    elements: str = ""
    """`[2, 4, 14]`, of a small tensor that a failed operation was given; empty where they are not known."""

    @property
    def stated(self) -> str:
        """`float32[?, 3]`, of what was not recorded; empty where nothing was stated."""
        if self.shape is None:
            return self.dtype
        return f"{self.dtype}[{', '.join('?' if dim < 0 else str(dim) for dim in self.shape)}]"


@dataclass(frozen=True)
class SourceLine:
    """A frame of a stack with the text of its line."""

    file: str
    line: int
    function: str
    user: bool
    text: str
    before: tuple[str, ...] = ()
    """The lines above it, the nearest last; only of the line that the report shows."""
    after: tuple[str, ...] = ()
    indent: int = 0
    """Blanks before the text; only of the line that the report shows."""

    @property
    def place(self) -> str:
        """File and line, without the folder."""
        return f"{PurePath(self.file).name}:{self.line}"


@dataclass(frozen=True)
class History:
    """One tensor in the executions before, or in one execution the iterations before; the oldest first."""

    tensor: str
    past: tuple[TensorView, ...]


@dataclass(frozen=True)
class Verdict:
    """Why an operation gave what it gave, and what can be done."""

    cause: str
    explanation: str
    suggestion: str


@dataclass(frozen=True)
class ForwardOperation:
    """An operation whose gradient went wrong."""

    tensor: str
    source: SourceLine | None
    is_origin: bool
    """Whether it is an origin itself, from the same bad number."""


@dataclass(frozen=True)
class RelatedOperation:
    """An origin that is told together with another, as there is one thing to fix."""

    tensor: str
    source: SourceLine | None
    relation: str
    """What it is to the one that is told: its `gradient`, its `forward` operation, or one `alike`."""


@dataclass(frozen=True)
class Arrival:
    """Where the trouble of one process came into another, by an operation that all processes run together."""

    process: str
    """The process that it came into."""
    sender: str
    """The process that put it in."""
    kind: str
    """What the processes did together: `all-reduce`, `broadcast`..."""
    view: TensorView
    """What came out of it."""
    source: SourceLine | None
    reaches: tuple[str, ...]
    """As of an origin, in the process that it came into."""
    propagated: int
    alike: tuple[str, ...] = ()
    """Other processes into which it came in the same way, by what is known of a large run."""


@dataclass(frozen=True)
class LoopIteration:
    """One iteration of a loop that a tensor was computed in."""

    iteration: int
    source: SourceLine | None
    """The line of the loop."""


@dataclass(frozen=True)
class EndedLoop:
    """A loop that ended since something was compared with NaN."""

    tensor: str
    """The comparison's."""
    source: SourceLine | None
    step: int
    iteration: int | None
    """The iteration that it did not take any more, or that made the truth value."""


@dataclass(frozen=True)
class Decided:
    """Something that was decided by a value in which a NaN was compared, or made a whole number of."""

    what: str
    """`branch`, `choice` (of elements), `index`, or `comparison` (that a function returned)."""
    tensor: str
    """What compared the NaN, or made a whole number of it."""
    source: SourceLine | None
    """The line for which it decided."""
    step: int
    iteration: int | None
    branch: str
    """The branch that ran, as `then`, `else` or `number 2`; empty where that is not known."""
    times: int = 1
    """How often it was decided by a NaN at this place; the moment is that of the first time."""


@dataclass(frozen=True)
class Origin:
    """Where the trouble started."""

    view: TensorView
    """The bad tensor. Of a write: the variable as it was read next, under the name of the write."""
    first_bad_index: tuple[int, ...] | None
    inputs: tuple[InputView, ...]
    stack: tuple[SourceLine, ...]
    """Outermost first."""
    source: SourceLine | None
    """The innermost line of the user's own code."""
    verdict: Verdict
    reaches: tuple[str, ...]
    """What it came to, or its gradient, see `REACHES` in `origins/troubles.py`; empty if it died out."""
    propagated: int
    """Number of non-finite tensors that were made from it."""
    spread: tuple[TensorView, ...]
    """The first few of them, each of another operation."""
    occurrences: int
    """How often this operation, or one alike in the same line, was an origin at all."""
    history: tuple[History, ...]
    """Of the tensor itself first, then of its inputs."""
    loops: tuple[LoopIteration, ...] = ()
    """In loops of one another the iteration of each, the outermost first; empty where there are not several."""
    ended: tuple[EndedLoop, ...] = ()
    """The loops that it ended, by the lines that compared."""
    decided: tuple[Decided, ...] = ()
    """The other things that it decided."""
    gradient_of: ForwardOperation | None = None
    """For an operation of a backward pass the forward operation that it is the gradient of, where that is known."""
    caught: str = ""
    """What kept it from doing harm, such as a loss scale; empty where nothing did."""
    read_at: SourceLine | None = None
    """Where the program read it, or what was made of it, of eager code."""
    allowed: str = ""
    """The rule by which its author allows it; empty where none does."""
    process: str = ""
    """Which process of a run it was in; empty where there is only one."""
    arrivals: tuple[Arrival, ...] = ()
    """How it came into the other processes, the first first."""
    also: tuple[RelatedOperation, ...] = ()
    """Other origins of the same trouble: its gradient, and those alike in the same line."""
    devices: tuple[str, ...] = ()
    """Where those alike in the same line were, if that is several devices: on replicas of one another."""

    @property
    def function(self) -> str:
        """The function to name: where the graph is a library's, as in Keras, the user's own that made the operation."""
        named, own = self.view.function, self.place
        is_own = any(line.user and line.function == named for line in self.stack)
        library = any(not line.user and line.function == named for line in self.stack)
        if is_own or not library or own is None or own.function.startswith("<"):
            return named
        return own.function

    @property
    def place(self) -> SourceLine | None:
        """The line to look at first: of a gradient that of its forward operation, where that is known."""
        if self.gradient_of is not None and self.gradient_of.source is not None:
            return self.gradient_of.source
        return self.source

    @property
    def cause(self) -> str:
        """Name of the cause, such as `log_of_zero`; `unknown` where none fits."""
        return self.verdict.cause

    @property
    def explanation(self) -> str:
        """The cause in a sentence, with the numbers of this case."""
        return self.verdict.explanation

    @property
    def suggestion(self) -> str:
        """The suggested fix."""
        return self.verdict.suggestion

    @property
    def consequential(self) -> bool:
        """Whether it came to anything that matters, nothing kept it from doing harm, and it is not allowed."""
        return bool(self.reaches) and not self.caught and not self.allowed


@dataclass(frozen=True)
class NumericalWarning:
    """Something wrong with finite numbers: it keeps the program from learning, or will be infinite before long."""

    kind: str
    """Such as `dead_units`."""
    view: TensorView
    """The tensor to look at, as it was last or at its worst."""
    variable: str
    """Name of the variable concerned, empty where it is none in particular."""
    source: SourceLine | None
    """The innermost line of the user's own code."""
    evidence: Mapping[str, float | int | str]
    """The numbers that it was found from, by what they are."""
    explanation: str
    suggestion: str
    also: tuple[str, ...] = ()
    """Other tensors or variables in the same trouble."""
    process: str = ""
    """Which process of a run it was in, the first of several; empty where there is only one."""


@dataclass(frozen=True)
class Beginning:
    """Where something came into being that a failed operation could not take."""

    what: str
    """`shape`, `size` (that was asked for), `dtype`, `value` (a number out of range), `wrapped` (a whole number that
    went round), `left` (numbers that left the framework, so that no gradient leads back from a loss), `python` (a line
    of a Python function that a graph called), `element` (of a dataset), or, of a failed backward pass, `forward` (the
    operation that it differentiates), `overwritten` (what that had been given) and `backward` (a pass before it)."""
    given: str
    """The input that it came to, under the name that it has there."""
    tensor: str
    """What the operation gave in which it began."""
    op_type: str
    explanation: str
    """In words, with the shapes, types or numbers: `Reshape:0 made [16, 8] of [32, 4]`."""
    source: SourceLine | None
    """The innermost line of the user's own code."""


@dataclass(frozen=True)
class ProgramFailure:
    """The error of an operation that ended the program."""

    error: str
    """Name of the exception's class."""
    message: str
    op_name: str
    """Empty where no single operation is known, as of an assertion in Python; `op_type` too."""
    op_type: str
    function: str
    """As of a tensor."""
    step: int
    """-1 where it was in no recorded execution."""
    source: SourceLine | None
    """The innermost line of the user's own code."""
    stack: tuple[SourceLine, ...]
    """Outermost first."""
    inputs: tuple[InputView, ...]
    layer: str = ""
    """The layer in which it came up, by its path; empty where it came up in none."""
    beginnings: tuple[Beginning, ...] = ()
    """Where what did not fit came into being, as far as that is known; the likeliest to be fixed first."""
    process: str = ""
    """Which process of a run it ended; empty where there is only one."""
    loops: tuple[LoopIteration, ...] = ()
    """The iterations in which it failed, the outermost first, where that is certain."""


Evidence = int | str | list[str]
"""A piece of evidence of an alert."""


@dataclass(frozen=True)
class Alert:
    """Something that one should know of how the program ran."""

    kind: str
    """`retracing`, `splitting`, `placement`, or in a run of many processes `other_parameters` or `standing_still`."""
    function: str
    """Python name of the function that it is about, or that holds the operation."""
    tensor: str
    """The tensor that it is about, `Log:0`; empty where it is about a function."""
    source: SourceLine | None
    """The innermost line of the user's own code that brought it about."""
    explanation: str
    """What is wrong, in a sentence with the numbers of this case."""
    suggestion: str
    """What can be done."""
    evidence: Mapping[str, Evidence] = field(default_factory=dict)
    """The numbers by name."""
    process: str = ""
    """Which process of a run it was in, the first of several; empty where there is only one."""


@dataclass(frozen=True)
class ProcessSummary:
    """One process of a run in numbers."""

    name: str
    tensor_events: int
    non_finite_events: int
    steps: int


@dataclass(frozen=True)
class WhyResult:
    """The answer of `tdbg why`."""

    tensor_events: int
    non_finite_events: int
    steps: int
    """How often the function that ran most often was run."""
    measured: bool
    """Whether the health of tensors was recorded; if not, nothing is known."""
    origins: tuple[Origin, ...] = field(default=())
    notes: tuple[str, ...] = ()
    """What one should know of the trace, such as that recording stopped early."""
    warnings: tuple[NumericalWarning, ...] = ()
    """What is wrong with finite numbers, the gravest first."""
    alerts: tuple[Alert, ...] = ()
    """What is wrong with how the program ran rather than with its numbers."""
    failures: tuple[ProgramFailure, ...] = ()
    """The error of an operation with which the program ended, or of each process that ended so."""
    processes: tuple[ProcessSummary, ...] = ()
    """Those that were looked at together; empty where there is only one."""

    @property
    def status(self) -> str:
        """`finite` or `non_finite`."""
        return "non_finite" if self.non_finite_events else "finite"
