"""Every command on a trace of which a file is damaged, in any table: an answer, or one line that says what is wrong."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tensordbg.cli import main
from tensordbg.trace.schema import FORMAT_VERSION
from tensordbg.trace.sealed.seal import seal_all, seal_full_segments
from tests.sample_trace import make_sample_trace
from tests.trace.samples import eventful_trace

COMMANDS = (
    *(["why"], ["why", "--json"], ["ls"], ["ls", "--non-finite"], ["functions"], ["layers"], ["graph", "train"]),
    *(["show", "Log"], ["show", "mul"], ["sql", "select * from tensors limit 3"]),
)
KINDS = ("cut", "bits", "random", "empty", "lines lost", "gone")
MAKERS = {
    "sample": lambda folder: make_sample_trace(folder),
    "eventful": lambda folder: eventful_trace(folder).finish(),
}
STATES = {"raw": lambda trace: None, "partly sealed": seal_full_segments, "sealed": seal_all}


@pytest.fixture(scope="module", params=[(maker, state) for maker in MAKERS for state in STATES], ids="-".join)
def original(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    maker, state = request.param
    trace = MAKERS[maker](tmp_path_factory.mktemp("original") / "trace")
    STATES[state](trace)
    return trace


def files_of(trace: Path) -> list[str]:
    return sorted(path.relative_to(trace).as_posix() for path in trace.rglob("*") if path.is_file())


def damaged(data: bytes, kind: str, chance: random.Random) -> bytes:
    if kind == "cut":
        return data[: chance.randrange(len(data) + 1)]
    if kind == "random":
        return chance.randbytes(chance.randrange(2000))
    if kind == "lines lost":
        return b"".join(line for line in data.splitlines(keepends=True) if chance.random() < 0.5)
    changed = bytearray(b"" if kind == "empty" else data)
    for _ in range(20 if changed else 0):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def ask(trace: Path, command: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """Runs a command in this process; where it fails it says so in one line, which is given back."""
    name, *rest = command
    with pytest.raises(SystemExit) as ended:
        main([name, str(trace), *rest])
    said = capsys.readouterr()
    if ended.value.code in (0, None):
        return ""
    assert ended.value.code in (1, 2), said.err
    lines = said.err.splitlines()
    assert len(lines) == 1, said.err
    assert lines[0].startswith("tdbg: error: ")
    return lines[0]


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_command_on_every_file(original: Path, capsys: pytest.CaptureFixture[str], data: st.DataObject) -> None:
    path = original / data.draw(st.sampled_from(files_of(original)))
    kind, command = data.draw(st.sampled_from(KINDS)), data.draw(st.sampled_from(COMMANDS))
    before = path.read_bytes()
    if kind == "gone":
        path.unlink()
    else:
        path.write_bytes(damaged(before, kind, random.Random(data.draw(st.integers(0, 2**32)))))
    try:
        ask(original, command, capsys)
    finally:
        path.write_bytes(before)


def test_every_command_on_a_newer_format(original: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = original / "trace.json"
    before = path.read_text()
    path.write_text(json.dumps({**json.loads(before), "format": FORMAT_VERSION + 1}))
    try:
        for command in COMMANDS:
            line = ask(original, command, capsys)
            assert f"format {FORMAT_VERSION + 1} is newer than {FORMAT_VERSION}" in line
            assert line.endswith("upgrade tensordbg")
    finally:
        path.write_text(before)
