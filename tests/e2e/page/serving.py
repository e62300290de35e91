"""A real `tdbg view` for the tests, in a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

from tensordbg.server.page import BUNDLE

QUIET = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "2", "PYTHONUNBUFFERED": "1"}


class Served:
    """A server, and the link to its page."""

    def __init__(self, trace: Path, *options: str) -> None:
        """Starts it, on a free port."""
        assert (BUNDLE / "index.html").is_file(), "the page is not built: run `make`"
        command = [sys.executable, "-m", "tensordbg", "view", "--no-browser", *options, str(trace)]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=QUIET)
        assert self._process.stdout is not None
        said = self._process.stdout.readline()
        found = re.search(r"http://\S+", said)
        if found is None:
            self.stop()
            raise AssertionError(f"tdbg view said {said!r}")
        self.link = found[0]

    def stop(self) -> int:
        """Ends it as Ctrl-C does; gives its exit code."""
        assert self._process.stdout is not None
        self._process.send_signal(signal.SIGINT)
        with self._process.stdout:
            try:
                return self._process.wait(timeout=120)
            except subprocess.TimeoutExpired:
                self._process.kill()
                return self._process.wait()
