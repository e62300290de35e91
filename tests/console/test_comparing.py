"""The trace at hand beside another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensordbg.analysis.view.opened import OpenedTrace
from tensordbg.console.comparing import compared_page, is_folder
from tensordbg.console.pages.page import Page
from tensordbg.errors import TraceError
from tensordbg.trace.reader import open_trace
from tests.console.recorded import texts
from tests.programs import TDBG, run

PROGRAM = """
import tensorflow as tf

x = tf.linspace(-2.0, 3.0, 12)
print(tf.reduce_sum(tf.square(tf.nn.{activation}(x * 1.5))))
"""


def recorded(folder: Path, activation: str) -> Path:
    program = folder / f"{activation}.py"
    program.write_text(PROGRAM.format(activation=activation))
    run([TDBG, "run", "--out", str(folder / activation), str(program)], check=True, capture_output=True)
    return next((folder / activation).iterdir())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("compared")
    return recorded(folder, "tanh"), recorded(folder, "softsign")


def page_of(trace: Path, reference: Path) -> Page:
    return compared_page(OpenedTrace(open_trace(trace)), str(reference))


def test_where_they_part_with_links_to_what_is_apart_here(runs: tuple[Path, Path]) -> None:
    reference, other = runs
    page = page_of(other, reference.parent)  # the folder of a trace will do
    said = list(texts(page))
    assert said[0] == "The runs compute unlike values from equal ones, in step 0."
    assert page.mood == "bad"
    assert page.place is not None
    assert (Path(page.place.file).name, page.place.line) == ("softsign.py", 5)
    links = [span for line in page.body.part(0, len(page.body)) for span in line if span.command]
    assert links[0].text.startswith("Softsign")
    assert links[0].command.endswith(f"-e {page.event}")


def test_a_trace_beside_itself_is_the_same(runs: tuple[Path, Path]) -> None:
    page = page_of(runs[0], runs[0])
    assert next(iter(texts(page))).startswith("The same: ")
    assert (page.mood, page.event) == ("", None)


def test_a_folder_without_a_trace_is_told(runs: tuple[Path, Path], tmp_path: Path) -> None:
    with pytest.raises(TraceError):
        page_of(runs[0], tmp_path)


def test_a_name_of_a_tensor_is_no_folder(tmp_path: Path) -> None:
    assert is_folder(str(tmp_path))
    assert not is_folder("Log:0")
