"""The command line `tdbg`: a module per command, each of them parse, one call, print.

This is the one place where an error becomes a line on standard error and an exit code. Nothing heavy is imported until
a command needs it, so that `tdbg --help` answers at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

import click

from tensordbg.cli.group import commands as all_commands
from tensordbg.cli.messages import one_line, usage_line
from tensordbg.controls import escaped
from tensordbg.errors import TensordbgError, beyond_bounds
from tensordbg.remote.copies import named

__all__ = ["main"]

ERROR = 2
"""The exit code of everything that tdbg itself refuses or cannot do."""

INTERRUPTED = 130
"""The exit code after Ctrl-C, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command and ends the process with its exit code.

    Args:
        arguments: The words after `tdbg`; by default those of this process.
    """
    if arguments is None:
        sys.meta_path.insert(0, _WithoutPandas())
    sys.exit(_exit_code(arguments))


class _WithoutPandas:
    """Has pandas count as not installed in this process.

    pyarrow imports it with the first array that it makes, which takes as long as `tdbg why` takes for the rest, and no
    command needs it.
    """

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> None:
        """Finds nothing, and for pandas nobody else does."""
        if name == "pandas":
            message = "no command of tdbg needs pandas"
            raise ModuleNotFoundError(message, name=name)


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        result = all_commands.main(arguments, prog_name="tdbg", standalone_mode=False)
        sys.stdout.flush()
    except click.UsageError as error:
        return _refuse(usage_line(error))
    except click.ClickException as error:
        return _refuse(error.format_message())
    except TensordbgError as error:
        return _refuse(str(error))
    except ImportError as error:
        # Before TensorFlow 2.18 there is NumPy 1 in the environment, which later releases of pyarrow refuse.
        return _refuse(f"{error}; bring the libraries in line, with NumPy 1 by `pip install 'pyarrow<24'`")
    except (MemoryError, RecursionError) as error:
        return _refuse(beyond_bounds(error))
    except (KeyboardInterrupt, click.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        return _reader_has_gone()
    return result if isinstance(result, int) else 0


def _refuse(message: str) -> int:
    print(f"tdbg: error: {escaped(one_line(named(message)))}", file=sys.stderr)
    return ERROR


def _reader_has_gone() -> int:
    # `tdbg ls | head`: what is still buffered must not raise again while Python ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 1
