from __future__ import annotations

import json
import resource
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensordbg.errors import RecordingError
from tensordbg.model import Frame, Site
from tensordbg.trace.writer import TraceWriter, new_trace_folder
from tests.trace.builder import builder_metadata, small_program


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "trace"


@pytest.fixture
def writer(folder: Path) -> Any:
    writer = TraceWriter.create(folder, builder_metadata(16))
    yield writer
    writer.close()


def lines(folder: Path, name: str) -> list[Any]:
    return [json.loads(line) for line in (folder / f"{name}.jsonl").read_text().splitlines()]


def test_makes_the_folder_with_metadata_and_empty_files(writer: TraceWriter, folder: Path) -> None:
    assert json.loads((folder / "trace.json").read_text()) == builder_metadata_json(folder)
    names = {"facts", "functions", "sites", "sources", "stacks", "variables"}
    assert {path.stem for path in folder.glob("*.jsonl")} == names
    assert (folder / "segments").is_dir()
    assert not list(folder.glob("*.draft"))


def builder_metadata_json(folder: Path) -> Any:
    stored = json.loads((folder / "trace.json").read_text())
    return {
        **builder_metadata(16).to_json(),
        "id": stored["id"],
        "created_ns": stored["created_ns"],
        "process": stored["process"],
    }


def test_every_kind_of_line_is_there_at_once(writer: TraceWriter, folder: Path) -> None:
    program = small_program()
    writer.site(program.sites[0])
    writer.sites(program.sites[1:])
    writer.function(program.functions[0])
    writer.stack(3, [Frame("a.py", 1, "f", True)])
    writer.source(program.sources[0])
    writer.variable(program.variables[0])
    writer.fact({"warning": "take care"})
    assert [row["site"] for row in lines(folder, "sites")] == list(range(7))
    assert lines(folder, "stacks") == [{"stack": 3, "frames": [["a.py", 1, "f", True]]}]
    assert lines(folder, "variables")[0]["shape"] == "[3, 2]"
    assert lines(folder, "facts") == [{"warning": "take care"}]
    assert lines(folder, "functions")[0]["outputs"] == [[2, 0]]


def test_refuses_a_folder_that_holds_a_trace(writer: TraceWriter, folder: Path) -> None:
    with pytest.raises(RecordingError) as caught:
        TraceWriter.create(folder, builder_metadata(16))
    assert str(caught.value) == (
        f"{folder}: holds a trace or something else already; choose a folder that does not exist yet"
    )


def test_refuses_a_place_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError, match="file/trace: holds a trace or something else"):
        TraceWriter.create(tmp_path / "file" / "trace", builder_metadata(16))
    with pytest.raises(RecordingError, match="no trace can be written there"):
        TraceWriter.create(Path("/proc/trace"), builder_metadata(16))


def test_of_two_writers_one_gets_the_folder(folder: Path) -> None:
    def create(_: int) -> bool:
        try:
            TraceWriter.create(folder, builder_metadata(16)).close()
        except RecordingError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(create, range(8))) == 1


def test_threads_never_mix_their_lines(writer: TraceWriter, folder: Path) -> None:
    def write(thread: int) -> None:
        for number in range(50):
            writer.sites([Site(thread * 100 + number, "x" * 3000, "Add", -1, 0)] * 2)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(lines(folder, "sites")) == 600


def test_numbers_of_numpy_and_odd_values_are_written(writer: TraceWriter, folder: Path) -> None:
    writer.site(Site(np.int64(4), "odd \udc80 é", "Add", -1, 0))  # type: ignore[arg-type]
    writer.fact({"warning": Path("x")})
    assert lines(folder, "sites")[0]["site"] == 4
    assert lines(folder, "sites")[0]["name"] == "odd ? é"
    assert lines(folder, "facts") == [{"warning": "x"}]


def test_full_disk_stops_the_writer_but_not_the_program(writer: TraceWriter, folder: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        writer.fact({"warning": "x" * 30})
        # A line is there whole or not at all, so a shorter one may still have room.
        writer.fact({"warning": "y"})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert writer.failure == f"{folder}/facts.jsonl: File too large"
    assert (folder / "facts.jsonl").read_text() == '{"warning": "y"}\n'


def test_after_closing_nothing_is_written(writer: TraceWriter, folder: Path) -> None:
    writer.close()
    writer.fact({"warning": "late"})
    writer.close()
    assert lines(folder, "facts") == []


def test_forked_child_does_not_write(folder: Path) -> None:
    script = (
        "import os, sys; from pathlib import Path; from tensordbg.trace.writer import TraceWriter;"
        "from tensordbg.trace.program.metadata import describe_this_process; from tensordbg.model import Detail;"
        "writer = TraceWriter.create(Path(sys.argv[1]), describe_this_process('t', Detail.OPS, ''));"
        "child = os.fork(); writer.fact({'warning': str(child == 0)});"
        "os._exit(0) if child == 0 else os.waitpid(child, 0)"
    )
    subprocess.run([sys.executable, "-c", script, str(folder)], check=True)
    assert lines(folder, "facts") == [{"warning": "False"}]


def test_brings_no_heavy_library_into_the_program() -> None:
    script = "import sys, tensordbg.trace.writer, tensordbg.trace.raw.record; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_new_folders_are_named_after_time_and_program(tmp_path: Path) -> None:
    folder = new_trace_folder(tmp_path / "a" / "b", "my train")
    assert folder.is_dir()
    assert folder.parent == tmp_path / "a" / "b"
    assert folder.name.endswith("_my-train")
    assert len(folder.name) == len("2026-11-21_03-59-12_my-train")


def test_programs_never_share_a_new_folder(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        folders = list(pool.map(lambda _: new_trace_folder(tmp_path, "train"), range(40)))
    assert len(set(folders)) == 40
    assert any(folder.name.endswith("train-2") for folder in folders)


@pytest.mark.parametrize(("program", "ending"), [("../../etc", "_etc"), ("", "_program"), ("a" * 300, "_" + "a" * 60)])
def test_programs_of_any_name_make_a_plain_folder(tmp_path: Path, program: str, ending: str) -> None:
    folder = new_trace_folder(tmp_path, program)
    assert folder.parent == tmp_path
    assert folder.name.endswith(ending)


def test_says_where_no_folder_can_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RecordingError) as caught:
        new_trace_folder(tmp_path / "file", "train")
    assert str(caught.value) == (
        f"{tmp_path}/file: no trace can be written there (a file lies there); choose another folder"
    )


def test_of_what_could_not_begin_nothing_is_left(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
    try:
        with pytest.raises(RecordingError, match="File too large"):
            TraceWriter.create(tmp_path / "trace", builder_metadata(16))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert list(tmp_path.iterdir()) == []


def test_what_was_begun_can_be_taken_back(writer: TraceWriter, folder: Path) -> None:
    writer.discard()
    assert not folder.exists()
