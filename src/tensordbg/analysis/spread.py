"""Why the numbers of a run went wrong, where each trace is read by a worker of an engine and joined here.

An engine is worth its cost where a run has many traces, or they lie near its workers. First each trace is asked for
its sums, by which a few are chosen (`processes/standing_for.py`), then those for a study. The answer is the same as
`why_of_run` gives. A trace that can't be read by the worker that was to is named, and the rest is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, TypeVar

from tensordbg import __version__
from tensordbg.analysis.columns.reading import Ints
from tensordbg.analysis.finding import WhyResult
from tensordbg.analysis.processes.compared import compared
from tensordbg.analysis.processes.joined import Study, join
from tensordbg.analysis.processes.standing_for import choose
from tensordbg.analysis.why import study
from tensordbg.engines.engine import Engine, Lost
from tensordbg.errors import TensordbgError, TraceError, beyond_bounds
from tensordbg.remote.copies import let_go, named
from tensordbg.trace.program.facts import TraceFacts
from tensordbg.trace.reader import TraceReader, open_trace
from tensordbg.trace.sums.by_step import StepSums
from tensordbg.trace.sums.totals import Sums

Answer = TypeVar("Answer")


@dataclass(frozen=True)
class RunAnswer:
    """The answer on a run, and what it lacks."""

    result: WhyResult
    unread: Mapping[str, str] = field(default_factory=dict)
    """Why a trace could not be read, by the name of its process."""


@dataclass(frozen=True)
class _Known:
    """What a worker told of a trace."""

    sums: Sums
    facts: TraceFacts


class _SummedAfar:
    """A trace of which a worker told the sums; what else is asked of it is read here."""

    def __init__(self, location: str, known: _Known) -> None:
        self._location = location
        self._known = known

    @cached_property
    def _reader(self) -> TraceReader:
        return open_trace(self._location)

    @property
    def facts(self) -> TraceFacts:
        return self._known.facts

    def sums(self) -> Sums:
        return self._known.sums

    def step_sums(self) -> StepSums:
        return self._reader.step_sums()

    def table(self, name: str, columns: Sequence[str] | None = None) -> Any:
        return self._reader.table(name, columns)

    def count(self, name: str) -> int:
        return self._reader.count(name)

    def tensors(self, begin: int, end: int, columns: Sequence[str]) -> Any:
        return self._reader.tensors(begin, end, columns)

    def take(self, events: Ints, columns: Sequence[str]) -> Any:
        return self._reader.take(events, columns)

    def events_of(self, sites: Sequence[int], steps: range, columns: Sequence[str]) -> Any:
        return self._reader.events_of(sites, steps, columns)


def why_by_engine(engine: Engine, locations: Mapping[str, str]) -> RunAnswer:
    """Find every origin in the processes of a run.

    Args:
        engine: Whose workers read the traces.
        locations: By the name of each process the folder of its trace, or its address in object storage, as the
            workers are to open it.

    Raises:
        UsageError: If the engine is lost.
        TraceError: If none of the traces could be read.
    """
    spread = _Spread(engine, locations)
    processes = {name: _SummedAfar(locations[name], known) for name, known in spread.ask(_known, locations).items()}
    studies: dict[str, Study] = {}
    while processes:
        chosen = choose(processes)
        asked = [name for name in chosen.stands_for if name not in studies]
        if not asked:
            break
        studies |= spread.ask(_studied, asked)
        # Who can't be studied stands for nobody: of its group another one is chosen.
        processes = {name: trace for name, trace in processes.items() if name not in spread.unread}
    if not processes:
        name, reason = next(iter(spread.unread.items()))
        raise TraceError(f"no worker could read a trace; {_process(name)}{reason}")
    result = join({name: studies[name] for name in chosen.stands_for}, chosen.stands_for)
    result = compared(result, processes, chosen)
    notes = tuple(f"{name} was not read: {reason}" for name, reason in spread.unread.items())
    return RunAnswer(replace(result, notes=(*result.notes, *notes)), spread.unread)


class _Spread:
    """Asks the engine, and remembers on which traces there was no answer."""

    def __init__(self, engine: Engine, locations: Mapping[str, str]) -> None:
        self._engine = engine
        self._locations = locations
        self.unread: dict[str, str] = {}

    def ask(
        self, question: Callable[[TraceReader], Answer], names: Sequence[str] | Mapping[str, str]
    ) -> dict[str, Answer]:
        """The answers on some processes, by name."""
        locations = [self._locations[name] for name in names]
        answers = self._engine.map(partial(answered, question, __version__), locations)
        found = {}
        for name, answer in zip(names, answers, strict=True):
            if isinstance(answer, Lost):
                self.unread[name] = answer.reason
            else:
                found[name] = answer
        return found


def answered(question: Callable[[TraceReader], Answer], version: str, location: str) -> Answer | Lost:
    """Runs on a worker: the answer on one trace, or why there is none."""
    if version != __version__:
        return Lost(f"the worker has tensordbg {__version__}, and here is {version}; install the same on both")
    try:
        return question(open_trace(location))
    except TensordbgError as error:
        return Lost(named(str(error)))
    except OSError as error:
        return Lost(named(f"{location}: {error.strerror or error}"))
    except (MemoryError, RecursionError) as error:
        return Lost(f"{location}: {beyond_bounds(error)}")
    finally:
        let_go(location)


def _known(trace: TraceReader) -> _Known:
    return _Known(trace.sums(), trace.facts)


def _studied(trace: TraceReader) -> Study:
    return study(trace)


def _process(name: str) -> str:
    return f"{name}: " if name else ""
