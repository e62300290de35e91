"""A process that has imported a framework and forks for each program of a test; `tests/programs.py` talks to it.

It runs as compiled code whose file is named `<frozen runpy>`, as Python's own ways to start a program are: its frames
are neither the user's nor the program's. A program finds all modules as unimported as in a process of its own: what is
imported here lies hidden, and comes forth, with the watches of imports and the messages on stderr, when it is imported.

A `tdbg` forked here has a few forks of its own in waiting, taken before it did anything. When it starts Python with a
module, one of them becomes that process: a real child of it, with a process number, signals and an end of its own.
"""

from __future__ import annotations

import sys

BARE = frozenset(sys.modules)
"""What a process has that has only started."""

import array  # noqa: E402
import atexit  # noqa: E402
import builtins  # noqa: E402
import contextlib  # noqa: E402
import gc  # noqa: E402
import importlib  # noqa: E402
import importlib.machinery  # noqa: E402
import inspect  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import runpy  # noqa: E402
import select  # noqa: E402
import socket  # noqa: E402
import struct  # noqa: E402
import subprocess  # noqa: E402
import tempfile  # noqa: E402
import types  # noqa: E402
from collections.abc import Iterator, Mapping, Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

STARTING = {"run": 1, "trap": 2, "debug": 1, "replay": 3, "diff --run": 2}
"""How many processes a command of `tdbg` may start that import TensorFlow; a trap replays what it has caught."""
READING = ("pyarrow.compute", "rich.console", "click", "duckdb")
"""What a `tdbg` that answers imports of others."""
OURS = "tensordbg"
COMMANDS = (
    "tensordbg.recording.session",
    "tensordbg.recording.ability_watch",
    "tensordbg.cli.running.supervise",
    "tensordbg.cli.running.summary",
    "tensordbg.cli.running.trapping",
    "tensordbg.analysis.diff.compare",
    "tensordbg.report.listing",
    "tensordbg.report.show",
    "tensordbg.report.diff_text",
    "tensordbg.report.saved_page.page",
)
"""Those of ours that the commands import which tests ask most."""
BACKENDS = {
    "tensorflow": ("backend", "recording", "trap.asked"),
    "torch": ("backend", "recording", "trap.trapping", "check.checking", "replay.replayer"),
}
"""Those of ours in the folder of a framework's backend."""
ROOTS = {
    "tensorflow": ("tensorflow", *READING),
    "torch": ("torch", "torch._dynamo", "torch._inductor.compile_fx", *READING),
}
"""What is imported here, in turn, by the framework that a program needs."""
OWNERS = {"keras": "tensorflow"}
"""Whoever imports one of them imports the other with it."""


class Pantry:
    """The modules that are imported here, hidden from a program until it imports them."""

    def __init__(self, framework: str, libraries: Sequence[str]) -> None:
        self._framework = framework
        self._libraries = libraries
        # By the module imported: those that came with it, what it said, and what it wants called at the end.
        self._brought: dict[str, tuple[list[str], bytes, list[tuple]]] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._by_top: dict[str, list[str]] = {}
        self._specs: dict[str, object] = {}
        self._attributes: set[str] = set()
        self._main = ""
        # By the module of ours: those that it imports while it is imported, in turn.
        self._needs: dict[str, dict[str, None]] = {}

    def fill(self) -> None:
        """Imports a framework, what a program may import beside it, and what is ours."""
        seen = set(BARE)
        for root in (*ROOTS[self._framework], *self._libraries):
            kept = import_quietly(root)
            self._brought[root] = ([name for name in sys.modules if name not in seen], *kept)
            seen.update(sys.modules)
        backend = f"{OURS}.backends.{self._framework}"
        with self._needs_noted():
            for name in (*COMMANDS, *(f"{backend}.{name}" for name in BACKENDS[self._framework])):
                importlib.import_module(name)

    @contextlib.contextmanager
    def _needs_noted(self) -> Iterator[None]:
        """Notes what the modules of ours import meanwhile."""
        original = builtins.__import__

        def noting(name: str, names: Mapping | None = None, *rest: object) -> types.ModuleType:
            module = original(name, names, *rest)
            importer = (names or {}).get("__name__") or ""
            if importer.partition(".")[0] == OURS:
                of_it = [f"{name}.{each}" for each in (rest[1] if len(rest) > 1 else None) or ()]
                needed = [name, *(each for each in of_it if each in sys.modules)]
                self._needs.setdefault(importer, {}).update(dict.fromkeys(needed))
            return module

        builtins.__import__ = noting
        try:
            yield
        finally:
            builtins.__import__ = original

    def hide(self) -> None:
        """Takes out of sight all that a process that has only started does not have."""
        for name in [name for name in sys.modules if name not in BARE]:
            self._modules[name] = sys.modules.pop(name)
            self._specs[name] = getattr(self._modules[name], "__spec__", None)
            self._by_top.setdefault(name.partition(".")[0], []).append(name)
        package, first = vars(self._modules[self._framework]), self._brought[self._framework][0]
        later = {name for name in self._modules.keys() - set(first) if name.rpartition(".")[0] == self._framework}
        # PyTorch imports these where they are asked for as its attributes.
        self._attributes = {name for name in later if package.pop(name.rpartition(".")[2], None)}
        for name in self._by_top.get(OURS, ()):
            above, _, last = name.rpartition(".")
            if above and vars(self._modules[above]).get(last) is self._modules[name]:
                delattr(self._modules[above], last)
        sys.meta_path.insert(0, self)

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> object:
        """Finds what lies hidden, but for the one time that the file of the program is looked for."""
        if name == self._main:
            self._main = ""
            return None
        return importlib.machinery.ModuleSpec(name, self) if name in self._modules else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The module as it was."""
        return self._modules[spec.name]

    def exec_module(self, module: types.ModuleType) -> None:
        """Puts it back, with its own spec, and all that its import would have imported too."""
        name = module.__spec__.name
        if name in self._libraries:
            importlib.import_module(self._framework)
        self._put_back(name)
        top = name.partition(".")[0]
        if OWNERS.get(name, name) in self._brought:
            modules, said, exits = self._brought.pop(OWNERS.get(name, name))
            os.write(2, said)
            for call, words, named in exits:
                atexit.register(call, *words, **named)
            self._bring(modules)
        elif top == OURS:
            self._bring_needs(module)
        elif top != self._framework:
            self._bring(self._by_top[top])

    def let_run(self, words: list[str]) -> None:
        """Has the module that is the program found where it lies, once, for `python -m` runs its file."""
        self._main = words[2] if words[1] == "-m" else ""

    def untouched(self) -> bool:
        """Whether the program has not imported the framework."""
        return self._framework in self._modules

    def _put_back(self, name: str) -> None:
        module = sys.modules[name] = self._modules.pop(name)
        spec = self._specs.pop(name)
        if isinstance(module, types.ModuleType):
            # Some modules of PyTorch let nothing be set that they don't know.
            vars(module)["__spec__"] = spec
            if spec is not None and hasattr(spec, "loader"):
                vars(module)["__loader__"] = spec.loader
        if name in self._attributes:
            setattr(sys.modules[self._framework], name.rpartition(".")[2], module)

    def _bring_needs(self, module: types.ModuleType) -> None:
        """Puts back what a module of ours imports; what it has under the names of its modules stays as it was."""
        had = dict(vars(module))
        for name in self._needs.pop(module.__name__, ()):
            if name not in sys.modules:
                importlib.import_module(name)
        vars(module).update({name: value for name, value in had.items() if not name.startswith("__")})

    def _bring(self, names: list[str]) -> None:
        """Puts modules back, those by an import that somebody who came before us wants to know of."""
        hidden = [name for name in names if name in self._modules]
        others = sys.meta_path[: sys.meta_path.index(self)] if self in sys.meta_path else []
        watched = [name for name in hidden if any(name in getattr(other, "_callbacks", {}) for other in others)]
        for name in hidden:
            if name not in watched:
                self._put_back(name)
        for name in watched:
            importlib.import_module(name)


def import_quietly(name: str) -> tuple[bytes, list[tuple]]:
    """Imports a module; returns what it says on stderr and what it wants to be called at the end, both kept back."""
    register, kept, exits = atexit.register, os.dup(2), []
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        atexit.register = lambda call, *words, **named: exits.append((call, words, named)) or call
        try:
            importlib.import_module(name)
        finally:
            atexit.register = register
            os.dup2(kept, 2)
            os.close(kept)
        said.seek(0)
        return said.read(), exits


def receive(control: socket.socket) -> tuple[dict, list[int]] | None:
    """One request, with the descriptors that came along; None at the end."""
    head, descriptors, _, _ = socket.recv_fds(control, 8, 8)
    if len(head) < 8:
        return None
    size, body = struct.unpack("Q", head)[0], b""
    while len(body) < size:
        body += control.recv(size - len(body))
    return json.loads(body), descriptors


def send(control: socket.socket, request: dict, descriptors: list[int]) -> None:
    """Sends one request, with descriptors."""
    body = json.dumps(request).encode()
    rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
    control.sendmsg([struct.pack("Q", len(body))], [rights])
    control.sendall(body)


class Spares:
    """Forks in waiting, that become what a `tdbg` starts."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, socket.socket]] = []
        self._environment: dict[str, str] = {}

    def prepare(self, count: int) -> tuple[dict, list[int]] | None:
        """Forks; returns, in a fork only, what it shall become."""
        self._environment = dict(os.environ)
        for _ in range(count):
            ours, theirs = socket.socketpair()
            pid = os.fork()
            if pid == 0:
                for _, other in self._waiting:
                    other.close()
                ours.close()
                wait_quietly()
                request = receive(theirs)
                theirs.close()
                if request is None:
                    os._exit(0)
                return request
            theirs.close()
            self._waiting.append((pid, ours))
        self._hook()
        return None

    def _hook(self) -> None:
        original = subprocess.Popen._execute_child
        signature = inspect.signature(original)

        def start(process: subprocess.Popen, *given: object, **named: object) -> None:
            bound = signature.bind(process, *given, **named).arguments
            if not self._become(process, bound):
                original(process, *given, **named)

        subprocess.Popen._execute_child = start

    def _become(self, process: subprocess.Popen, given: dict) -> bool:
        words = given["args"]
        plain = not any(given[name] for name in ("preexec_fn", "pass_fds", "shell", "start_new_session"))
        if not (self._waiting and plain and list(words[:2]) == [sys.executable, "-m"] and given["executable"] is None):
            return False
        environment = dict(os.environ if given["env"] is None else given["env"])
        if {**environment, "TENSORDBG_RUN": ""} != {**self._environment, "TENSORDBG_RUN": ""}:
            return False
        pid, control = self._waiting.pop(0)
        streams = [
            given[name] if given[name] != -1 else at for at, name in enumerate(("p2cread", "c2pwrite", "errwrite"))
        ]
        request = request_of([*map(os.fspath, words)], given["cwd"] or Path.cwd(), environment)
        send(control, request, streams)
        control.close()
        process.pid, process._child_created = pid, True
        ends = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        process._close_pipe_fds(*(given[name] for name in ends))
        return True


def wait_quietly() -> None:
    """A fork in waiting has nothing open that somebody may wait for the end of."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for at in range(3):
        os.dup2(nothing, at)
    os.close(nothing)


def request_of(words: list[str], folder: str, environment: dict[str, str]) -> dict:
    """What a fork needs to know."""
    umask = os.umask(0)
    os.umask(umask)
    return {"words": words, "folder": str(folder), "environment": environment, "umask": umask}


def take_place(request: dict, descriptors: list[int]) -> None:
    """Makes this process what was asked for, but for the program itself."""
    for at, descriptor in enumerate(descriptors[:3]):
        os.dup2(descriptor, at, inheritable=True)
    for descriptor in descriptors:
        if descriptor > 2:
            os.close(descriptor)
    os.umask(request["umask"])
    os.chdir(request["folder"])
    for name in [name for name in os.environ if name not in request["environment"]]:
        del os.environ[name]
    os.environ.update(request["environment"])
    tempfile.tempdir = None
    sys.dont_write_bytecode = bool(os.environ.get("PYTHONDONTWRITEBYTECODE"))


def serve(control: socket.socket) -> tuple[dict, list[int]]:
    """Answers requests until none can come; returns in forks only."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    alive: dict[int, tuple[int, int]] = {}
    while True:
        for descriptor, _ in poll.poll():
            if descriptor in alive:
                poll.unregister(descriptor)
                pid, answer = alive.pop(descriptor)
                status = os.waitpid(pid, 0)[1]
                os.close(descriptor)
                tell(answer, status)
                os.close(answer)
                continue
            request = receive(control)
            if request is None:
                os._exit(0)
            *streams, answer = request[1]
            pid = os.fork()
            if pid == 0:
                control.close()
                for handle, (_, other) in alive.items():
                    os.close(handle)
                    os.close(other)
                os.close(answer)
                return request[0], streams
            for stream in streams:
                os.close(stream)
            tell(answer, pid)
            handle = os.pidfd_open(pid)
            alive[handle] = (pid, answer)
            poll.register(handle, select.POLLIN)


def tell(answer: int, number: int) -> None:
    """Answers with a number; whoever asked may be gone."""
    with contextlib.suppress(OSError):
        os.write(answer, struct.pack("q", number))


def count_of_spares(words: list[str]) -> int:
    """How many processes that import TensorFlow the command may start, if it is a `tdbg`."""
    rest = words[3:] if words[1:3] == ["-m", "tensordbg"] else words[2:] if words[1].endswith("/tdbg") else []
    command = next((word for word in rest if not word.startswith("-")), "")
    return STARTING.get(f"{command} --run" if "--run" in rest else command, 0)


def run(words: list[str]) -> None:
    """Runs `python -c TEXT`, `python -m MODULE` or `python SCRIPT`, as the interpreter does."""
    sys.orig_argv = words
    main = types.ModuleType("__main__")
    main.__dict__.update(__builtins__=__builtins__, __annotations__={})
    sys.modules["__main__"] = main
    if words[1] == "-m":
        sys.path[0] = str(Path.cwd())
        sys.argv = ["-m", *words[3:]]
        runpy._run_module_as_main(words[2])
        return
    if words[1] == "-c":
        sys.path[0] = ""
        sys.argv = ["-c", *words[3:]]
        main.__loader__ = importlib.machinery.BuiltinImporter
        exec(compile(words[2], "<string>", "exec", dont_inherit=True), main.__dict__)
        return
    sys.argv = words[1:]
    file = str(Path.cwd() / words[1])
    sys.path[0] = str(Path(file).resolve().parent)
    main.__dict__.update(__file__=file, __cached__=None)
    main.__loader__ = importlib.machinery.SourceFileLoader("__main__", file)
    exec(compile(Path(file).read_bytes(), file, "exec", dont_inherit=True), main.__dict__)


def without_ours(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the frames of this file."""
    while trace is not None and trace.tb_frame.f_globals is globals():
        trace = trace.tb_next
    return trace


def hide_our_frames() -> None:
    """A traceback begins with the program's first line."""
    show = sys.excepthook

    def hook(kind: type[BaseException], error: BaseException, trace: types.TracebackType | None) -> None:
        trace = without_ours(trace)
        show(kind, error.with_traceback(trace), trace)

    sys.excepthook = hook


def main() -> None:
    """Serves, and in each fork runs what was asked for."""
    pantry = Pantry(sys.argv[2], sys.argv[3:])
    pantry.fill()
    torch = sys.modules.get("torch")
    generators = [sys.modules["numpy"].random, *([torch.default_generator] if torch else [])]
    pantry.hide()
    # No fork looks through what lies hidden, which would copy it: the end of a process would take a second longer.
    gc.collect()
    gc.freeze()
    control = socket.socket(fileno=int(sys.argv[1]))
    os.write(1, b"ready\n")
    request, streams = serve(control)
    importlib.invalidate_caches()
    words = request["words"]
    take_place(request, streams)
    other = Spares().prepare(count_of_spares(words))
    if other is not None:
        take_place(*other)
        words = other[0]["words"]
    # Each process has random numbers of its own.
    for generator in generators:
        generator.seed()
    pantry.let_run(words)
    try:
        run(words)
    except SystemExit as ended:
        if pantry.untouched():
            leave(ended.code)
        raise
    except BaseException as error:
        hide_our_frames()
        if pantry.untouched() and isinstance(error, Exception):
            sys.excepthook(type(error), error, error.__traceback__)
            leave(1)
        raise
    if pantry.untouched():
        leave(None)


def leave(code: object) -> None:
    """Ends a process that has TensorFlow without knowing of it, after its exit handlers, without taking anything down.

    Taking down all that lies hidden would take a second, and TensorFlow takes itself down in order only if in sight.
    """
    if code is not None and not isinstance(code, int):
        sys.stderr.write(f"{code}\n")
    if "threading" in sys.modules:
        sys.modules["threading"]._shutdown()
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError):
            code = 120
    os._exit(0 if code is None else code & 0xFF if isinstance(code, int) else 1)


if __name__ == "__main__":
    main()
