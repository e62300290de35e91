"""The catalog gives out numbers and tells every trace of the process all it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from tensordbg.model import NONE, Frame, Function, Site, SourceFile, Variable
from tensordbg.recording.catalog import Catalog


@dataclass
class Sink:
    """Keeps what it is given."""

    rows: list[object] = field(default_factory=list)

    def sites(self, sites: Iterable[Site]) -> None:
        self.rows.extend(sites)

    def function(self, function: Function) -> None:
        self.rows.append(function)

    def stack(self, number: int, frames: tuple[Frame, ...]) -> None:
        self.rows.append((number, frames))

    def source(self, source: SourceFile) -> None:
        self.rows.append(source)

    def variable(self, variable: Variable) -> None:
        self.rows.append(variable)


def a_site(number: int, stack: int = NONE) -> Site:
    return Site(site=number, name="Log", op_type="Log", function=NONE, stack=stack)


def test_a_row_is_written_when_it_is_added() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    number = catalog.new_sites(1)
    catalog.add_sites([a_site(number)])
    variable = catalog.add_variable("w", "float32", "[2]")
    assert sink.rows == [a_site(0), Variable(variable, "w", "float32", "[2]")]


def test_a_second_trace_gets_all_that_is_known() -> None:
    catalog, first, second = Catalog(), Sink(), Sink()
    catalog.attach(first)
    stack = catalog.stack((("/home/me/train.py", 3, "main"),))
    catalog.add_sites([a_site(catalog.new_sites(1), stack)])
    catalog.add_variable("w", "float32", "[2]")
    catalog.add_function(Function(0, "f", "__inference_f_1", 0))
    catalog.detach()
    catalog.attach(second)
    assert sorted(map(repr, second.rows)) == sorted(map(repr, first.rows))


def test_nothing_is_written_after_the_end() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    catalog.detach()
    catalog.add_variable("w", "float32", "[2]")
    assert sink.rows == []


def test_equal_stacks_have_one_number() -> None:
    catalog = Catalog()
    frames = (("/home/me/train.py", 3, "main"),)
    assert catalog.stack(frames) == catalog.stack(frames)
    assert catalog.stack((("/home/me/train.py", 4, "main"),)) != catalog.stack(frames)


def test_our_own_frames_are_left_out() -> None:
    catalog = Catalog()
    from tensordbg.recording import launch

    stack = catalog.stack(((launch.__file__, 1, "main"), ("/home/me/train.py", 3, "main"), ("<frozen runpy>", 1, "x")))
    assert catalog.frames(stack) == (Frame("/home/me/train.py", 3, "main", user=True),)


def test_the_text_of_a_file_is_kept_at_first_sight(tmp_path: Path) -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    file = tmp_path / "train.py"
    file.write_text("x = 1\n")
    catalog.stack(((str(file), 1, "f"),))
    file.write_text("x = 2\n")
    catalog.stack(((str(file), 2, "f"),))
    assert [row.text for row in sink.rows if isinstance(row, SourceFile)] == ["x = 1\n"]


def test_a_file_that_is_gone_or_not_text_has_no_text(tmp_path: Path) -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    catalog.stack(((str(binary), 1, "f"), (str(tmp_path / "gone.py"), 1, "f")))
    assert [row.text for row in sink.rows if isinstance(row, SourceFile)] == ["", ""]
