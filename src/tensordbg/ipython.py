"""The extension of IPython: `%load_ext tensordbg`, and the magic `%%tdbg`, which records a cell.

    %%tdbg runs/a
    train()

IPython itself is never imported: it gives what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tensordbg.api import open_run
from tensordbg.recording.session import record
from tensordbg.report.in_notebooks import show_results

if TYPE_CHECKING:
    from tensordbg.analysis.finding import WhyResult

_OUT = "tdbg-traces"


def load_ipython_extension(shell: Any) -> None:
    """Is called by `%load_ext tensordbg`."""
    show_results(shell)
    shell.register_magic_function(_Magic(shell).run, "cell", "tdbg")


class _Magic:
    """`%%tdbg [DIR]`: records what the cell does, and shows what went wrong in it."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def run(self, line: str, cell: str) -> WhyResult:
        """Records the cell into a new trace in the folder DIR, by default tdbg-traces, and shows what `tdbg why` says.

        What the cell itself shows, and its error, stand above it.
        """
        with record(line.strip() or _OUT) as recording:
            self._shell.run_cell(cell)
        return open_run(recording.path).why()
