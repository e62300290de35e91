from __future__ import annotations

import os
import socket
import subprocess
import sys

PROGRAM = """
import sys
from tensordbg.stopping.editors import listen_for_editor
print(listen_for_editor(int(sys.argv[1])))
"""


def test_a_port_that_is_taken_is_said_and_nothing_else() -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYDEVD")}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        words = [sys.executable, "-c", PROGRAM, str(taken.getsockname()[1])]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, check=True, timeout=60)
    assert "Address already in use" in done.stdout
    assert done.stderr == ""
