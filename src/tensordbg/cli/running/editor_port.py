"""Refuses a port at which no editor could attach, before the program is started."""

from __future__ import annotations

import importlib.util
import os
import socket

from tensordbg.errors import UsageError


def check_editor_port(port: int, instead: str) -> None:
    """Checks that an editor could attach there, 0 being none.

    Args:
        port: Of this machine.
        instead: What else can be done.

    Raises:
        UsageError: If debugpy is missing, or another program has the port.
    """
    if not port:
        return
    if importlib.util.find_spec("debugpy") is None:
        raise UsageError(f"--dap needs debugpy, which is not installed; `pip install debugpy`, or {instead}")
    try:
        with socket.create_server(("127.0.0.1", port)):
            pass
    except OSError as error:
        why = os.strerror(error.errno or 0)
        raise UsageError(f"--dap {port}: no editor could attach there ({why}); give another port") from None
