"""The catalog gives out numbers and tells every trace of the process all it needs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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


def test_what_a_row_refers_to_is_written_before_it() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    stack = catalog.stack((("/home/me/train.py", 3, "main"),))
    variable = catalog.add_variable("w", "float32", "[2]")
    site = replace(a_site(catalog.new_sites(1), stack), reads=(variable,))
    catalog.add_sites([site])
    assert [type(row) for row in sink.rows] == [SourceFile, tuple, Variable, Site]
    assert sink.rows[2:] == [Variable(0, "w", "float32", "[2]"), site]


def test_a_variable_is_written_again_when_it_is_known_whether_it_is_trained() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    variable = catalog.add_variable("w", "float32", "[2]")
    catalog.set_trainable(variable, True)
    assert sink.rows == []
    catalog.add_sites([replace(a_site(catalog.new_sites(1)), reads=(variable,))])
    catalog.set_trainable(variable, True)
    catalog.set_trainable(variable, False)
    written = [row.trainable for row in sink.rows if isinstance(row, Variable)]
    assert written == [True, False]


def program_of_two_functions(catalog: Catalog) -> None:
    """f calls g; h is by itself."""
    stack = catalog.stack((("/home/me/train.py", 3, "main"),))
    for number, name in enumerate("gfh"):
        called = ("__inference_g",) if name == "f" else ()
        site = replace(a_site(catalog.new_sites(1), stack), function=number, called=called)
        catalog.add_sites([site])
        catalog.add_function(Function(number, name, f"__inference_{name}", number))


def test_a_second_trace_is_told_what_it_uses() -> None:
    catalog, first, second = Catalog(), Sink(), Sink()
    catalog.attach(first)
    program_of_two_functions(catalog)
    catalog.detach()
    catalog.attach(second)
    assert second.rows == []
    catalog.use_function(1)
    names = [row.name for row in second.rows if isinstance(row, Function)]
    assert names == ["g", "f"]
    assert {row.site for row in second.rows if isinstance(row, Site)} == {0, 1}
    known = list(second.rows)
    catalog.use_function(1)
    catalog.use_site(1)
    assert second.rows == known
    catalog.use_site(2)
    assert second.rows[len(known) :] == [row for row in first.rows if isinstance(row, Site) and row.site == 2]


def test_a_stack_that_no_site_names() -> None:
    catalog, sinks = Catalog(), (Sink(), Sink())
    stack = catalog.stack((("/home/me/train.py", 3, "main"),))
    for sink in sinks:
        catalog.attach(sink)
        catalog.use_stack(stack)
        catalog.use_stack(stack)
        catalog.use_stack(NONE)
        assert [type(row) for row in sink.rows] == [SourceFile, tuple]
        catalog.detach()


def test_functions_of_pipelines_are_told_at_once() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.add_function(Function(0, "Dataset_map_f", "__inference_Dataset_map_f_1", 0))
    catalog.attach(sink)
    assert [type(row) for row in sink.rows] == [Function]


def test_nothing_is_written_after_the_end() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    catalog.detach()
    catalog.add_sites([a_site(catalog.new_sites(1))])
    catalog.use_site(0)
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
    first = catalog.stack(((str(file), 1, "f"),))
    file.write_text("x = 2\n")
    second = catalog.stack(((str(file), 2, "f"),))
    catalog.add_sites([a_site(0, first), a_site(1, second)])
    assert [row.text for row in sink.rows if isinstance(row, SourceFile)] == ["x = 1\n"]


def test_a_file_that_is_gone_or_not_text_has_no_text(tmp_path: Path) -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\xff\xfe\x00\x80")
    catalog.add_sites([a_site(0, catalog.stack(((str(binary), 1, "f"), (str(tmp_path / "gone.py"), 1, "f"))))])
    assert [row.text for row in sink.rows if isinstance(row, SourceFile)] == ["", ""]


def test_a_graph_that_is_gone_is_forgotten_between_recordings() -> None:
    catalog, sink = Catalog(), Sink()
    catalog.attach(sink)
    for number in (0, 1):
        first = catalog.new_sites(2)
        catalog.add_sites([replace(a_site(first + offset), function=number) for offset in (0, 1)])
        catalog.add_function(Function(number, f"step{number}", f"__inference_step_{number}", number))
    catalog.graph_is_gone(0)
    # The trace being written may still be asked for what it saw.
    assert [site.site for site in catalog.sites_of_function("__inference_step_0")] == [0, 1]
    catalog.detach()
    assert catalog.sites_of_function("__inference_step_0") == []
    assert [site.site for site in catalog.sites_of_function("__inference_step_1")] == [2, 3]
    # No number is given out again.
    assert (catalog.next_function, catalog.new_sites(1)) == (2, 4)


def test_a_graph_that_went_while_nothing_was_recorded_is_not_told() -> None:
    catalog = Catalog()
    catalog.add_function(Function(0, "Dataset_map", "__inference_Dataset_map_0", 0))
    catalog.add_function(Function(1, "Dataset_map", "__inference_Dataset_map_1", 1))
    catalog.graph_is_gone(0)
    sink = Sink()
    catalog.attach(sink)
    assert [row.function for row in sink.rows if isinstance(row, Function)] == [1]


def test_stacks_share_the_frames_that_they_have_in_common() -> None:
    catalog = Catalog()
    folder = "/home/me/"  # each stack that a framework gives has strings of its own
    first, second = (
        catalog.stack(((folder + "train.py", 3, "main"), (folder + "model.py", line, "call"))) for line in (7, 8)
    )
    assert first != second
    assert catalog.frames(first)[0] is catalog.frames(second)[0]
    assert [frame.line for frame in catalog.frames(second)] == [3, 8]
