"""Tells the user's own code from that of installed packages and of Python itself."""

from __future__ import annotations

import os.path
import site
import sys
import sysconfig
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep


def _library_folders() -> tuple[str, ...]:
    """The folders whose files are not the user's: site-packages, the standard library, this package."""
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages())
    folders.add(site.getusersitepackages())
    folders.update(path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    return (_PACKAGE, *sorted(_prefix(folder) for folder in folders))


def _prefix(folder: str) -> str:
    """What the paths of all files under a folder begin with."""
    return str(Path(folder).resolve()) + os.sep


class UserCode:
    """Decides, once for each file, whether it is the user's own code."""

    def __init__(self) -> None:
        self._library = _library_folders()
        self._known: dict[str, bool] = {}
        self._roots: tuple[str, ...] = ()

    def add_root(self, folder: str) -> None:
        """Counts everything under `folder` as the user's, although it is installed: the program that is run."""
        self._roots = (*self._roots, _prefix(folder))
        self._known.clear()

    def is_user(self, file: str) -> bool:
        """Whether `file` (a path, or a name such as `<stdin>`) is the user's own code."""
        known = self._known.get(file)
        if known is None:
            known = self._known[file] = self._decide(file)
        return known

    def is_own(self, file: str) -> bool:
        """Whether `file` belongs to tensordbg, or to what starts a program under it."""
        return file.startswith(_PACKAGE) or file == "<frozen runpy>" or file.endswith(f"{os.sep}runpy.py")

    def _decide(self, file: str) -> bool:
        if file.startswith("<"):
            # <stdin>, <string> and <ipython-input-1-...> are typed by the user; <frozen importlib> is Python's.
            return not file.startswith(("<frozen ", "<__array_function__", "<attrs generated", "<decorator-gen"))
        path = os.path.realpath(file)
        # The deeper folder decides: a package under an environment inside of the project, a program installed in one.
        library = max((len(folder) for folder in self._library if path.startswith(folder)), default=0)
        root = max((len(folder) for folder in self._roots if path.startswith(folder)), default=0)
        return root >= library and "__autograph_generated_file" not in path
