"""Everything that is recorded of single tensors; fetched only for those that are reported."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tensordbg.analysis.columns.reading import Bools, Ints, KeptElements, TraceSource, integers, shape_of
from tensordbg.analysis.finding import TensorView
from tensordbg.analysis.program.description import Program
from tensordbg.errors import UsageError
from tensordbg.model import NONE, Health, Site
from tensordbg.trace.raw.small_elements import elements_of

_HEALTH = ("size", "negative", "zero", "neg_inf", "pos_inf", "nan", "subnormal")
_NUMBERS = ("min", "max", "sum", "sum_squares")
_COLUMNS = ("execution", "step", "site", "slot", "iteration", "device", "dtype", "shape", "positive", "first_bad")


class Details:
    """Fetches rows of `tensors` by number."""

    def __init__(self, trace: TraceSource, program: Program) -> None:
        self._trace = trace
        self._program = program

    @property
    def cut(self) -> bool:
        """Whether the trace holds only the last events of all that were recorded."""
        return self._trace.facts.overwritten > 0

    @property
    def in_part(self) -> bool:
        """Whether only the tensors that matter most were recorded of some steps."""
        return self._trace.facts.in_part

    def views(self, events: Iterable[int]) -> dict[int, TensorView]:
        """All that is known of some events, by number."""
        wanted = np.unique(np.fromiter(events, dtype=np.int64))
        table = self._take(wanted, [*_COLUMNS, *_HEALTH, *_NUMBERS])
        return {int(event): self._view(int(event), row) for event, row in zip(wanted, table.to_pylist(), strict=True)}

    def range_of(self, events: Ints) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Smallest and largest finite element of some events, NaN where there is none, as among strings."""
        table = self._take(events, ["min", "max", "dtype"])
        lowest, highest = (
            np.array(table.column(name).fill_null(math.nan).to_numpy(), dtype=np.float64) for name in ("min", "max")
        )
        texts = np.array([dtype == "string" for dtype in table.column("dtype").to_pylist()], dtype=np.bool_)
        lowest[texts] = highest[texts] = math.nan
        return lowest, highest

    def times(self, events: Ints) -> Ints:
        """When some events were recorded, in nanoseconds since 1970."""
        return integers(self._take(events, ["time_ns"]), "time_ns")

    def scalars(self, events: Ints) -> Bools:
        """Which of some events are scalars."""
        return np.array([shape == "[]" for shape in self._take(events, ["shape"]).column("shape").to_pylist()], bool)

    def columns(self, events: Ints, names: Sequence[str]) -> list[dict[str, Any]]:
        """Some columns of some events, a row for each."""
        rows: list[dict[str, Any]] = self._take(events, list(names)).to_pylist()
        return rows

    def elements(self, event: int) -> npt.NDArray[Any] | None:
        """The elements of a tensor, as far as they were kept: small ones are; `None` if NumPy lacks their dtype."""
        try:
            return self._trace.value(event) if isinstance(self._trace, KeptElements) else None
        except UsageError:
            return self._small_elements(event)

    def _small_elements(self, event: int) -> npt.NDArray[Any] | None:
        (row,) = self.columns(np.array([event]), ["dtype", "shape", "elements"])
        shape = shape_of(row["shape"])
        return None if row["elements"] is None or shape is None else elements_of(row["elements"], row["dtype"], shape)

    def _take(self, events: Ints, columns: list[str]) -> Any:
        return self._trace.take(events, columns)

    def _view(self, event: int, row: dict[str, Any]) -> TensorView:
        site = self._program.sites.get(row["site"]) or Site(row["site"], f"site{row['site']}", "", NONE, NONE)
        shape = shape_of(row["shape"])
        return TensorView(
            event=event,
            tensor=f"{site.name}:{row['slot']}",
            op_name=site.name,
            op_type=site.op_type,
            site=site.site,
            slot=row["slot"],
            function=function_name(self._program, site),
            execution=row["execution"],
            step=row["step"],
            iteration=row["iteration"],
            device=row["device"] or "",
            dtype=row["dtype"] or "",
            shape=tuple(shape) if shape is not None else None,
            health=health_of(row),
        )


def function_name(program: Program, site: Site) -> str:
    """The Python function that a site was created in: that of its graph, for eager code that of the user's own line."""
    frames = [frame for frame in program.stacks.get(site.stack, ()) if frame.user]
    return program.python_names.get(site.function) or (frames[-1].function if frames else "")


def health_of(row: dict[str, Any]) -> Health | None:
    """The health in a row of `tensors`; None where not even the elements that are not finite were counted."""
    if row["nan"] is None or row["size"] is None:
        return None
    measured: dict[str, Any] = {name: row[name] or 0 for name in _HEALTH}
    measured["unmeasured"] = tuple(name for name in ("positive", *_HEALTH, *_NUMBERS) if row[name] is None)
    measured |= {name: math.nan if row[name] is None else row[name] for name in _NUMBERS}
    measured["first_bad"] = NONE if row["first_bad"] is None else row["first_bad"]
    return Health(**measured)
