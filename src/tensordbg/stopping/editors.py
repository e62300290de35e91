"""Lets an editor attach to the program by the Debug Adapter Protocol."""

from __future__ import annotations

import os

_NO_ADVICE = "PYDEVD_DISABLE_FILE_VALIDATION"
"""With it debugpy says nothing of frozen modules of Python: no program of the user's is one."""


def listen_for_editor(port: int) -> str:
    """Listens on a port of this machine only.

    Returns:
        Why that is not possible; empty where it is.
    """
    given = os.environ.get(_NO_ADVICE)
    os.environ.setdefault(_NO_ADVICE, "1")
    try:
        import debugpy  # noqa: T100

        debugpy.listen(("127.0.0.1", port))  # noqa: T100
    except RuntimeError as error:
        return str(error)
    finally:
        if given is None:
            del os.environ[_NO_ADVICE]
    return ""
