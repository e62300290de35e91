"""`tdbg build`: builds what recording a framework needs ahead of its first use."""

from __future__ import annotations

import sys

import click

_BUILD = """
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from tensordbg.backends.torch.building import PARTS, build, installed
from tensordbg.errors import TensordbgError
import os
import sys
try:
    with ThreadPoolExecutor(min(len(PARTS), os.cpu_count() or 1)) as pool:
        for library in pool.map(partial(build, installed()), PARTS):
            print(library, flush=True)
except ModuleNotFoundError:
    sys.exit("tdbg: error: PyTorch is not installed here; install it in this environment first")
except TensordbgError as error:
    sys.exit(f"tdbg: error: {error}")
"""


@click.command("build")
@click.argument("framework", type=click.Choice(["torch"]))
def command(framework: str) -> None:  # noqa: ARG001  there is one
    """Build what recording a FRAMEWORK needs, against the version that is installed.

    For PyTorch these are observers in C++; `tdbg run` builds them at the first use otherwise. Their places are printed.
    """
    import subprocess

    # The framework is imported in a process of its own, as for a program.
    done = subprocess.run([sys.executable, "-c", _BUILD], check=False)
    if done.returncode != 0:
        sys.exit(2)
