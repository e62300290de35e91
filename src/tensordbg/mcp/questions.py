"""The questions that the server answers, as functions of plain arguments; each opens the trace anew, as it may grow.

Their docstrings and the names of their parameters are what a client reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensordbg.api import Trace, diff, open_run
from tensordbg.api import open as open_trace
from tensordbg.errors import UsageError

MOST_ROWS = 200
"""So many rows are answered at once, whatever is asked."""

MOST_ELEMENTS = 1_000

_AROUND = 20


class Questions:
    """The questions about the traces in one folder."""

    def __init__(self, folder: str | Path) -> None:
        """Nothing outside of `folder`, a trace or a folder of traces, is ever read."""
        self._folder = Path(folder)

    def runs(self) -> list[dict[str, Any]]:
        """List the traces there are, the newest last. Give the name of one as `trace` to the other tools."""
        from tensordbg.trace.folders.place import is_trace
        from tensordbg.trace.locate import list_traces

        if is_trace(self._folder):
            return [{"trace": "", "program": open_trace(self._folder)._reader.metadata.program}]  # noqa: SLF001
        traces = list_traces(self._folder)
        if not traces:
            raise UsageError(f"{self._folder} holds no trace yet; record one with `tdbg run`")
        return [{"trace": each.name, "program": _program_of(each)} for each in traces][-MOST_ROWS:]

    def why(self, trace: str = "") -> str:
        """Say where and why the numbers of a run went wrong: operation, source line, inputs, cause, fix, warnings.

        Args:
            trace: The name of a trace as `runs` gives it; the newest run by default.
        """
        from tensordbg.report.findings.why_text import render

        return render(open_run(self._path(trace)).why())

    def search(  # noqa: PLR0913, PLR0917  one for each thing that a client may give
        self,
        trace: str = "",
        name: str = "",
        op_type: str = "",
        layer: str = "",
        function: str = "",
        file: str = "",
        step: int | None = None,
        non_finite: bool = False,
        sort: str = "event",
        limit: int = 20,
    ) -> dict[str, Any]:
        """List recorded tensors with their statistics; all that is given must hold.

        Args:
            trace: The name of a trace as `runs` gives it; the newest run by default.
            name: Part of the name, or a pattern such as */kernel*.
            op_type: Type of the operation, such as Log or aten::log.
            layer: A layer's path or the end of it.
            function: Name of the traced function.
            file: Source file, or the end of its path.
            step: Only this step.
            non_finite: Only tensors with NaN or infinities.
            sort: event, step, name, op-type, size, min, max, mean, std, zero or non-finite; -max for the largest first.
            limit: So many rows at most, up to 200.
        """
        from tensordbg.wire.listing import listing_to_json

        listing = open_run(self._path(trace)).tensors(
            order_by=sort, limit=_bounded(limit), name=name, layer=layer, function=function, file=file,
            op_types=(op_type,) if op_type else (), steps=(step, step), non_finite=non_finite,
        )  # fmt: skip
        return listing_to_json(listing)

    def tensor(self, name: str, trace: str = "", function: str = "", limit: int = 50) -> dict[str, Any]:
        """Give the history of one tensor over steps and loop iterations, with the line of source that made it.

        Args:
            name: Name of an operation with its output (Log:0), of a variable, a layer, or in the program's text (loss).
            trace: The name of a trace as `runs` gives it; the newest run by default.
            function: Only in functions of this name.
            limit: So many events at most, up to 200: those around the first that is not finite, or else the last.
        """
        from tensordbg.analysis.tensors.elements import shortened
        from tensordbg.wire.show import history_to_json

        return history_to_json(shortened(self._open(trace).tensor(name, function), _bounded(limit)))

    def values(self, name: str, trace: str = "", step: int | None = None, part: str = "") -> dict[str, Any]:
        """Give the elements of a tensor, where they were kept (tdbg run --detail values); NaN and infinities are text.

        Args:
            name: As for `tensor`.
            trace: The name of a trace as `runs` gives it; the newest run by default.
            step: Which step; by default the first event that has elements.
            part: A slice as Python writes it, such as 0, :, ::2; at most 1000 elements are given.
        """
        from tensordbg.analysis.tensors.elements import elements_of, kept_points, narrowed
        from tensordbg.analysis.tensors.slices import parse_slice, take
        from tensordbg.wire.listing import row_to_json

        history = self._open(trace).tensor(name)
        points = kept_points(history.reader, narrowed(history, (step, step), None))
        point = next((each for each in points if each.point.health and each.point.health.non_finite), points[0])
        array = take(elements_of(history.reader, point), parse_slice(f"[{part}]" if part else ""))
        flat = [_element(each) for each in array.ravel()[:MOST_ELEMENTS].tolist()]
        return {
            "event": row_to_json(point.point),
            "shape": list(array.shape),
            "elements": flat,
            "left_out": max(array.size - MOST_ELEMENTS, 0),
        }

    def source(self, file: str, line: int = 1, trace: str = "") -> dict[str, Any]:
        """Give the lines of a recorded source file around a line, as they were when the program ran.

        Args:
            file: Path of the file, or the end of it (train.py).
            line: The line in the middle.
            trace: The name of a trace as `runs` gives it; the newest run by default.
        """
        sources = self._open(trace)._reader.sources()  # noqa: SLF001
        found = [path for path in sources if path == file] or [path for path in sources if path.endswith(f"/{file}")]
        if len(found) != 1:
            known = ", ".join(sorted(found or sources)[:_AROUND])
            raise UsageError(
                f"{file!r} is {'more than one file' if found else 'no recorded file'}; choose one of {known}"
            )
        lines = sources[found[0]].text.splitlines()
        begin = max(0, min(line, len(lines)) - 1 - _AROUND)
        shown = lines[begin : begin + 2 * _AROUND + 1]
        return {"file": found[0], "lines": dict(enumerate(shown, begin + 1))}

    def diff(self, a: str, b: str) -> dict[str, Any]:
        """Say where the numbers of two runs part first: the lines, the tensors, and what kind of difference it is.

        Args:
            a: The reference, a trace as `runs` gives it.
            b: The other run; it may be of another framework.
        """
        from tensordbg.wire.diff import diff_to_json

        return diff_to_json(diff(self._path(a), self._path(b)))

    def layers(self, trace: str = "", name: str = "") -> list[dict[str, Any]]:
        """List the layers of the model, with how the outputs of each looked last.

        Args:
            trace: The name of a trace as `runs` gives it; the newest run by default.
            name: Only layers whose path holds this.
        """
        from tensordbg.wire.layers import layers_to_json

        found = [layer for layer in self._open(trace).layers() if name in layer.path][:MOST_ROWS]
        if not found:
            having = f"whose path holds {name!r}" if name else "at all"
            raise UsageError(f"no layers {having} were recorded; `search` finds tensors without them")
        return [{**each, "inner": len(each["inner"])} for each in layers_to_json(found)["layers"]]

    def _open(self, trace: str) -> Trace:
        return open_trace(self._path(trace))

    def _path(self, trace: str) -> Path:
        """A trace of the folder.

        Raises:
            UsageError: If it leads out of the folder.
        """
        path = self._folder / trace
        if not path.resolve().is_relative_to(self._folder.resolve()):
            raise UsageError(f"{trace!r} is outside of {self._folder}; give a name that `runs` lists")
        return path


def _program_of(trace: Path) -> str:
    from tensordbg.errors import TraceError

    try:
        return open_trace(trace)._reader.metadata.program  # noqa: SLF001
    except TraceError:
        return ""


def _bounded(limit: int) -> int:
    return min(max(limit, 1), MOST_ROWS)


def _element(value: Any) -> Any:
    """A number as JSON has it; what it lacks as text."""
    if isinstance(value, bool | int | str):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)
