"""A recording from its start to its end: makes the trace, lets the backends in, and closes it."""

from __future__ import annotations

import atexit
import contextlib
import shutil
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from tensordbg.allowed import AllowRule, as_tables, rules_of
from tensordbg.errors import RecordingError
from tensordbg.health import kernel_name
from tensordbg.model import Detail
from tensordbg.recording.backend import FRAMEWORKS, FrameworkRecording, Unsupported, backend_of
from tensordbg.recording.catalog import CATALOG
from tensordbg.recording.failure import FailedOperation, failure_behind
from tensordbg.recording.first_bad import BUDGET, FirstBadChoice
from tensordbg.recording.imports import ImportWatch
from tensordbg.recording.loaded import loaded_libraries
from tensordbg.recording.mattering import MatteringTensors
from tensordbg.recording.origin_choice import OriginChoice
from tensordbg.recording.pace import Pace, pace_note
from tensordbg.recording.plan import Plan, parse_share
from tensordbg.recording.recorder import Recorder
from tensordbg.recording.settings import settings_of_program
from tensordbg.recording.tensor_filter import TensorChoice, TensorFilter
from tensordbg.recording.value_choice import ValueChoice
from tensordbg.recording.value_filter import ValueFilter, size_text
from tensordbg.trace.graphs.graph_files import GraphFiles
from tensordbg.trace.program.facts import STOPPED_EARLY
from tensordbg.trace.program.metadata import (
    RECENT_SEGMENT_RECORDS,
    SEGMENT_RECORDS,
    TraceMetadata,
    describe_this_process,
)
from tensordbg.trace.writer import TraceWriter, new_trace_folder

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from tensordbg.recording.small_values import Row


@dataclass(frozen=True)
class Recording:
    """A recording that is under way, or was."""

    path: Path
    """The trace's folder."""


class Session:
    """Records this process into one trace, from `start` to `stop`."""

    _current: Session | None = None
    _lock = threading.Lock()

    def __init__(self, folder: Path, plan: Plan, program: str, command: tuple[str, ...] | None = None) -> None:
        """Makes the trace in `folder`, which must hold nothing yet.

        Args:
            folder: Where the trace goes.
            plan: What is recorded.
            program: Short name of what is recorded.
            command: The program's command line, where it is not this process's own.

        Raises:
            RecordingError: If this process is being recorded already, the folder can't be used, or the compiled part
                is missing.
        """
        self._claim()
        # The program may change its own folder.
        folder = folder.absolute()
        try:
            described = _describe(program, plan, command)
            self.recorder, self._writer, self._choice = _open(folder, described, plan)
        except BaseException:
            self._release()
            raise
        self.give_way: Callable[[], None] | None = None
        """Ends it for as long as the program records by itself; None where it goes on, and the program may not."""
        self.recorder.process = described.process
        self.id = described.id
        self._clock_offset_ns = described.clock_offset_ns
        self.folder = folder
        self.plan = plan
        self.recorder.graphs = GraphFiles(folder) if plan.graphs else None
        self._recorded: dict[str, FrameworkRecording] = {}
        self._endings: list[Callable[[], None]] = []
        self._stopped = False
        self._watch = ImportWatch({name: lambda name=name: self._let_in(name) for name in FRAMEWORKS})  # type: ignore[misc]

    @classmethod
    def current(cls) -> Session | None:
        """The recording of this process that is under way, if there is one."""
        return cls._current

    @classmethod
    def make_room(cls) -> None:
        """Has the recording under way end, if it is one that gives way to what the program asks for itself."""
        current = cls._current
        if current is not None and current.give_way is not None:
            current.give_way()

    def choose_tensors(self, wanted: TensorFilter) -> None:
        """Records other tensors from now on than the plan says."""
        self._choice.choose(wanted)
        self.recorder.log.choose_dtypes(wanted.mask)

    def start(self) -> None:
        """Records from now on, also frameworks that are imported later."""
        if self.plan.allow:
            self.recorder.fact({"allow": as_tables(self.plan.allow)})
        for note in filter(None, (self.plan.note, self.plan.tensors.note)):
            self.recorder.fact({"warning": note})
        self._watch.start()

    def note_end(self, error: BaseException) -> None:
        """Notes which operation raised the error that ends the program, or the recorded block."""
        told = failure = None
        with self.recorder.guard("looking into the error that ended the program"):
            told = failure_behind(error) or next(
                filter(None, (each.failure(error) for each in self._recorded.values())), None
            )
            failure = None if told is None else told.to_json()
        if told is None or failure is None:
            return
        with self.recorder.guard("looking for where the data began"):
            data = (each.data_behind(error) for each in self._recorded.values())
            failure["data"] = [asdict(tensor) for tensor in next(filter(None, data), ())]
        with self.recorder.guard("looking at what the failed operation was given"):
            failure["elements"] = self._elements(told)
        # At once: a debugger shows it before the program has ended.
        with self.recorder.guard("noting the error that ended the program"):
            self._writer.fact({"failure": failure})

    def _elements(self, failed: FailedOperation) -> list[Row]:
        """What small tensors held that the operation may have been given."""
        from tensordbg.recording.small_values import sites_behind, small_values

        behind = sites_behind(failed, CATALOG.sites_named(failed.nodes), CATALOG.site)
        slots = RECENT_SEGMENT_RECORDS if self.plan.last else SEGMENT_RECORDS
        return small_values(self.folder, slots, failed, behind, self._clock_offset_ns)

    def stop(self, exit_code: int | None = None, exception: str | None = None) -> None:
        """Records nothing from now on and says in the trace how the program ended; more than once does nothing."""
        with Session._lock:
            if self._stopped:
                return
            self._stopped = True
        self._watch.stop()
        # One that fails must not keep the others from being done.
        notes = (self.recorder.note_process, self._note_pace, self._note_losses, self._note_loaded)
        for step in (*notes, *self._endings):
            with self.recorder.guard("ending the recording"):
                step()
        self.recorder.stop()
        CATALOG.detach()
        # By the clock of all events: the one on the wall may have been set meanwhile.
        now = time.monotonic_ns() + self._clock_offset_ns
        end: dict[str, object] = {"time_ns": now, "exit_code": exit_code, "signal": None, "exception": exception}
        with self.recorder.guard("ending the recording"):
            self._writer.fact({"end": end})
            self._writer.close()
        self._release()

    def discard(self) -> None:
        """Ends it and deletes the trace, in which nothing is recorded."""
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _let_in(self, framework: str) -> None:
        """Called once `framework` has been imported."""
        with self.recorder.guard(f"hooking into {framework}"):
            backend = backend_of(framework)
            if isinstance(backend.record, Unsupported):
                return
            recording = backend.record.prepare()
            if not self._hooks_into(framework, recording):
                return
            self._recorded[framework] = recording
            self._endings.insert(0, recording.uninstall)
            if self.recorder.lines is not None and not isinstance(backend.debug, Unsupported):
                self._endings.insert(0, backend.debug.stop_at_lines(self.recorder, self.recorder.lines))
            for name, version in recording.versions().items():
                self.recorder.fact({"framework": {"name": name, "version": version}})

    def _hooks_into(self, framework: str, recording: FrameworkRecording) -> bool:
        """Whether its hooks could be set; what is recorded of other frameworks goes on where they could not."""
        try:
            recording.install(self.recorder)
        except Exception as error:  # noqa: BLE001  whatever it is, the program must go on
            recording.uninstall()
            self.recorder.warn(
                f"{framework} is not recorded: hooking into it failed ({type(error).__name__}: {error}); the program "
                "goes on, and what other frameworks compute is recorded"
            )
            return False
        return True

    def _note_loaded(self) -> None:
        operations = sorted({name for each in self._recorded.values() for name in each.own_operations()})
        libraries = [name for name in loaded_libraries() if name not in self._recorded]
        self.recorder.fact({"loaded": {"libraries": libraries, "operations": operations}})

    def _note_pace(self) -> None:
        if self.recorder.pace is not None:
            note = pace_note(self.recorder.pace.end())
            if note:
                self.recorder.fact({"warning": note})

    def _note_losses(self) -> None:
        failure = self.recorder.log.failure() or self._writer.failure
        if failure:
            self.recorder.warn(f"{STOPPED_EARLY}: {failure}; {self.recorder.log.dropped()} events were dropped")
        values = self.recorder.log.values()
        if values.refused:
            why = values.failure or f"the budget of {size_text(self.plan.values.budget)} is used up"
            self.recorder.warn(
                f"the values of {values.refused} tensors were not kept: {why}; choose fewer with a filter, or make "
                "room (--values-budget)"
            )

    def _claim(self) -> None:
        with Session._lock:
            if Session._current is not None:
                path = getattr(Session._current, "folder", "another trace")
                raise RecordingError(f"{path}: this process is being recorded already; end that recording first")
            Session._current = self

    def _release(self) -> None:
        with Session._lock:
            Session._current = None


def _describe(program: str, plan: Plan, command: tuple[str, ...] | None) -> TraceMetadata:
    slots = RECENT_SEGMENT_RECORDS if plan.last else SEGMENT_RECORDS
    own = describe_this_process(program, plan.detail, kernel_name(), slots)
    own = replace(own, last=plan.last, value_file_bytes=plan.value_file_bytes)
    return own if command is None else replace(own, command=command)


def _open(folder: Path, metadata: TraceMetadata, plan: Plan) -> tuple[Recorder, TraceWriter, TensorChoice]:
    try:
        from tensordbg.recording.log import EventLog  # needs the compiled part
    except ImportError as error:
        raise RecordingError(
            f"the compiled part of tensordbg is missing ({error}); recording needs it: install a wheel, or build it "
            "with `pip install .` where a C++ compiler is at hand"
        ) from error
    writer = TraceWriter.create(folder, metadata)
    try:
        # Names of origins are kept beside the statistics, see `OriginChoice`.
        detail = Detail.VALUES if plan.detail is Detail.HEALTH else plan.detail
        budget = BUDGET if plan.detail is Detail.HEALTH else 0
        log = EventLog(folder, detail, plan.values.budget, plan.value_file_bytes, plan.last, budget)
    except RuntimeError as error:
        writer.discard()
        raise RecordingError(f"{folder}: no trace can be written there ({error}); choose another folder") from error
    sink = FirstBadChoice(OriginChoice(writer, log.choose_values), log.watch_sites, log.watch_operand)
    choice = ValueChoice(sink, plan.values, log.choose_values) if plan.detail is Detail.VALUES else None
    log.choose_dtypes(plan.tensors.mask)
    if plan.sketch:
        log.keep_sketches()
    tensors = TensorChoice(choice or sink, plan.tensors, log.mute)
    # Both mute: one at a time.
    parts = plan.overhead and not plan.tensors.chooses_operations
    mattering = MatteringTensors(tensors, log.mute, lambda: writer.fact({"in_part": True})) if parts else None
    CATALOG.attach(mattering or tensors)
    recorder = Recorder(CATALOG, log, writer, choice, plan.every)
    if plan.overhead:
        recorder.pace = Pace(
            plan.overhead,
            log,
            unbounded=plan.last > 0,
            mattering=mattering,
            tell=lambda share: writer.fact({"overhead": round(share, 6)}),
        )
    return recorder, writer, tensors


class RecordOptions(TypedDict, total=False):
    """Further options of `record`."""

    last: int
    """Keep only so many of the last executions, and of the last tensors of functions; 0 keeps all. The room on the disk
    is used again, whatever ends the program."""
    every: int
    """Record one step in so many of each function, and of each place of an eager operation; 1 records all."""
    overhead: float | str
    """Record only so many steps that recording costs no more than this share of the program's own time, such as 0.02 or
    "2%"; 0 for no such bound."""
    graphs: bool
    """Keep the graphs of functions too, as Python built them and as they run; each is then made ready to run twice."""
    sketch: bool
    """Measure also the sum of magnitudes of each tensor, and four sums that depend on the order of its elements: so
    `tdbg diff` tells a permutation."""
    allow: Iterable[Mapping[str, Any] | AllowRule]
    """Where infinities are allowed, and so no trouble: tables with the keys `op`, `name`, `line` and `nan`, see
    `AllowRule`; in addition to those in `[tool.tensordbg]` of the program's pyproject.toml."""


@contextlib.contextmanager
def record(
    out: str | Path = "tdbg-traces",
    detail: str | Detail = Detail.HEALTH,
    values: ValueFilter | None = None,
    **options: Unpack[RecordOptions],
) -> Iterator[Recording]:
    """Records what the block computes into a new trace in the folder `out`.

    Args:
        out: Folder of traces, made if it does not exist; every recording makes a new trace in it.
        detail: `ops`, `shapes`, `health` or `values`, see `Detail`.
        values: Which tensors are kept whole if the detail is `values`; all by default, up to 2 GiB.
        **options: `last`, `every`, `overhead`, `graphs`, `sketch` and `allow`, see `RecordOptions`.

    Yields:
        The recording; its `path` is the trace's folder.

    Raises:
        RecordingError: If this process is being recorded already, by anything but a debug wrapper of a TensorFlow 1
            session, or `out` can't be written.
        UsageError: If `last` is negative, `every` less than 1, `overhead` no share, a rule is not understood,
            or `sketch` is asked for without health.
        TypeError: If there is no such option.
    """
    try:
        wanted = Detail(detail)
    except ValueError:
        known = ", ".join(level.value for level in Detail)
        raise RecordingError(f"detail {detail!r} is not known; choose one of {known}") from None
    if values is not None and wanted is not Detail.VALUES:
        raise RecordingError(f"values are kept only with detail 'values', not {wanted.value!r}; give one or leave both")
    unknown = options.keys() - RecordOptions.__annotations__.keys()
    if unknown:
        raise TypeError(f"record() got an unexpected keyword argument {min(unknown)!r}")
    rules = (*settings_of_program().allow, *rules_of(options.get("allow", ()), "allow"))
    plan = Plan(
        wanted,
        values or ValueFilter(),
        last=options.get("last", 0),
        every=options.get("every", 1),
        overhead=parse_share(options.get("overhead", 0.0)),
        graphs=options.get("graphs", False),
        sketch=options.get("sketch", False),
        allow=rules,
    )
    folder = new_trace_folder(Path(out).absolute(), "record")
    Session.make_room()
    session = Session(folder, plan, "record")
    session.start()
    yield from _block(session, folder)


def _block(session: Session, folder: Path) -> Iterator[Recording]:
    """Gives out a recording that has begun, and ends it with the block, or with the program."""

    def end_left_open() -> None:
        session.stop()
        seal(folder)

    # A program may never leave the block.
    atexit.register(end_left_open)
    try:
        yield Recording(folder)
    except GeneratorExit:
        session.stop()
        raise
    except BaseException as error:
        session.note_end(error)
        session.stop(exception=f"{type(error).__name__}: {error}")
        raise
    else:
        session.stop()
    finally:
        atexit.unregister(end_left_open)
        seal(folder)


def seal(folder: Path) -> None:
    """Turns the raw events into tables; a reader would do without, so trouble here is no trouble for the program."""
    with contextlib.suppress(Exception):
        # It brings pyarrow, which is wanted only now.
        from tensordbg.trace.sealed.seal import seal_all

        seal_all(folder)
