"""Tells the user's own code from that of installed packages and of Python itself."""

from __future__ import annotations

import contextlib
import os.path
import site
import sys
import sysconfig
from itertools import islice
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parent.parent) + os.sep
_MOST_PACKAGES = 10_000
"""So many packages of one folder are looked at."""


def _library_folders() -> tuple[str, ...]:
    """The folders whose files are not the user's: site-packages, the standard library, this package."""
    paths = sysconfig.get_paths()
    folders = {paths[key] for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    folders.update(site.getsitepackages())
    folders.add(site.getusersitepackages())
    folders.update(path for path in sys.path if path.endswith(("site-packages", "dist-packages")))
    known = (_PACKAGE, *sorted(_prefix(folder) for folder in folders))
    elsewhere = [path for path in sys.path if path and f"{os.path.realpath(path)}{os.sep}" not in known]
    return (*known, *(folder for path in elsewhere for folder in _packages_in(Path(path))))


def _packages_in(folder: Path) -> list[str]:
    """The packages that `pip install --target` put there, beside which the user's own code may lie."""
    found = []
    with contextlib.suppress(OSError):
        for described in islice(folder.glob("*.dist-info"), _MOST_PACKAGES):
            found += [_prefix(str(folder / name)) for name in _top_level(described) if (folder / name).is_dir()]
    return found


def _top_level(described: Path) -> set[str]:
    """The names that a package's description gives for the folders that it consists of."""
    for name in ("top_level.txt", "RECORD"):
        with contextlib.suppress(OSError, ValueError):
            lines = (described / name).read_text(encoding="utf-8").splitlines()
            found = {line.partition("/")[0].strip() for line in lines if "/" in line or name == "top_level.txt"}
            return {each for each in found if each.isidentifier()}
    return set()


def _prefix(folder: str) -> str:
    """What the paths of all files under a folder begin with."""
    return str(Path(folder).resolve()) + os.sep


def is_of_inductor(file: str) -> bool:
    """Whether a file holds code that Inductor has generated: it lies in its cache."""
    cache = os.environ.get("TORCHINDUCTOR_CACHE_DIR")
    return f"{os.sep}torchinductor_" in file or (bool(cache) and file.startswith(_prefix(os.path.realpath(str(cache)))))


class UserCode:
    """Decides, once for each file, whether it is the user's own code."""

    def __init__(self) -> None:
        self._library: tuple[str, ...] = ()
        self._path: list[str] | None = None
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
        if self._path != sys.path:  # a program may find its packages in folders that it adds
            self._path, self._library = list(sys.path), _library_folders()
        path = os.path.realpath(file)
        # The deeper folder decides: a package under an environment inside of the project, a program installed in one.
        library = max((len(folder) for folder in self._library if path.startswith(folder)), default=0)
        root = max((len(folder) for folder in self._roots if path.startswith(folder)), default=0)
        return root >= library and "__autograph_generated_file" not in path and not is_of_inductor(path)
