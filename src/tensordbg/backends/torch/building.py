"""Builds what looks at operations against the PyTorch that is installed, once, and finds what was built.

PyTorch's C++ interface changes with each version, so a compiled part that uses it can't be brought along. What was
built is kept in the user's cache, under a name made of all that it depends on.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.machinery
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from tensordbg.errors import TensordbgError
from tensordbg.recording.saying import say

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Part:
    """Something that is built."""

    name: str
    """Of the module."""
    source: Path
    title: str


OBSERVER = Part("tensordbg_torch_observer", _HERE / "observer" / "observer.cpp", "the observer of PyTorch")
CHECKER = Part("tensordbg_torch_checker", _HERE / "check" / "checker" / "checker.cpp", "the check of PyTorch")
STEPLOG = Part("tensordbg_torch_steplog", _HERE / "trap" / "steplog" / "steplog.cpp", "the log of PyTorch's steps")
PARTS = (OBSERVER, CHECKER, STEPLOG)


class BuildError(TensordbgError):
    """A part can't be built here."""


@dataclass(frozen=True)
class Target:
    """The PyTorch that a part is built against."""

    version: str
    git: str
    cxx11_abi: bool
    folder: Path
    """Of the package."""

    @property
    def name(self) -> str:
        """The name of a build, as that of a folder."""
        digest = hashlib.sha256()
        digest.update(Path(__file__).read_bytes())  # how they are built
        for folder in (part.source.parent for part in PARTS):
            for source in sorted(folder.iterdir()):
                digest.update(source.name.encode() + b"\0" + source.read_bytes())
        abi = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
        return f"{self.version}-{self.git[:12]}-{abi}-abi{int(self.cxx11_abi)}-{digest.hexdigest()[:16]}"


def installed() -> Target:
    """The PyTorch of this environment, which is imported for that."""
    import torch

    return Target(
        str(torch.__version__),
        str(torch.version.git_version),
        bool(torch.compiled_with_cxx11_abi()),
        Path(torch.__file__).parent,
    )


def cache_folder() -> Path:
    """Where builds are kept: `XDG_CACHE_HOME`, or ~/.cache, has them under tensordbg/torch."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(base) if base else Path.home() / ".cache") / "tensordbg" / "torch"


def library_of(target: Target, part: Part = OBSERVER) -> Path:
    """Where a part for a PyTorch lies, or would."""
    return cache_folder() / target.name / f"{part.name}.so"


def build(target: Target, part: Part = OBSERVER) -> Path:
    """A part for a PyTorch, built if it is not there yet: ten seconds of a processor.

    Raises:
        BuildError: There is no compiler, no place to keep it, or the compiler fails.
    """
    library = library_of(target, part)
    if library.is_file():
        return library
    try:
        library.parent.mkdir(parents=True, exist_ok=True)
        with library.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not library.is_file():  # another process has built it meanwhile
                _compile(target, part, library)
    except OSError as error:
        raise BuildError(f"{library.parent}: {part.title} can't be kept there ({error})") from error
    return library


def _compile(target: Target, part: Part, library: Path) -> None:
    compiler = os.environ.get("CXX") or next(filter(shutil.which, ("c++", "g++", "clang++")), None)
    if compiler is None:
        raise BuildError(f"there is no C++ compiler (c++, g++ or clang++), with which {part.title} is built")
    if shutil.which(compiler.split()[0]) is None:
        raise BuildError(f"CXX={compiler} is no command, with which {part.title} is built")
    if not (target.folder / "include" / "ATen" / "ATen.h").is_file():
        raise BuildError(f"PyTorch's headers are missing in {target.folder}, with which {part.title} is built")
    if not (Path(sysconfig.get_paths()["include"]) / "Python.h").is_file():
        raise BuildError(f"Python's headers are missing (on Debian: python3-dev), with which {part.title} is built")
    say(f"building {part.title} {target.version}, once: ten seconds or more")
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:
        built = Path(folder) / library.name
        done = subprocess.run(
            [
                *compiler.split(),
                *_options(target),
                str(part.source),
                "-o",
                str(built),
                *_libraries(target),
            ],
            capture_output=True,
            check=False,
            text=True,
            errors="replace",
        )
        if done.returncode != 0:
            errors = library.with_suffix(".errors.txt")
            errors.write_text(done.stderr, encoding="utf-8")
            raise BuildError(f"{compiler} could not build {part.title} {target.version}; what it said is in {errors}")
        built.replace(library)


def _options(target: Target) -> list[str]:
    include = target.folder / "include"
    folders = (Path(sysconfig.get_paths()["include"]), include, include / "torch" / "csrc" / "api" / "include")
    return [
        *("-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-w"),
        # Else PyTorch's own assertions would throw in the midst of an operation.
        "-DNDEBUG",
        f"-D_GLIBCXX_USE_CXX11_ABI={int(target.cxx11_abi)}",
        *("-I", str(OBSERVER.source.parent)),
        *(word for folder in folders for word in ("-isystem", str(folder))),
    ]


def _libraries(target: Target) -> list[str]:
    return [f"-L{target.folder / 'lib'}", "-ltorch_python", "-ltorch_cpu", "-lc10"]


def load(library: Path) -> ModuleType:
    """The module that was built."""
    name = library.stem
    loader = importlib.machinery.ExtensionFileLoader(name, str(library))
    spec = importlib.util.spec_from_file_location(name, library, loader=loader)
    if spec is None:
        raise BuildError(f"{library}: this is no module of Python's")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
