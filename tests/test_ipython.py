"""`%load_ext tensordbg` and `%%tdbg` in a real notebook."""

from __future__ import annotations

from pathlib import Path

from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

PROGRAM = """%%tdbg {folder}
import tensorflow as tf
x = tf.constant([0.0, 1.0])
print("computed")
y = float(tf.reduce_sum(tf.math.log(x)))
"""


def test_a_cell_is_recorded_and_shows_what_went_wrong(tmp_path: Path) -> None:
    book = new_notebook()
    texts = ["%load_ext tensordbg", PROGRAM.format(folder=tmp_path / "runs"), "y", f"%%tdbg {tmp_path / 'runs'}\n1 / 0"]
    book.cells = [new_code_cell(text) for text in texts]
    NotebookClient(book, timeout=120, kernel_name="python3", allow_errors=True).execute()
    _, recorded, after, failed = (cell.outputs for cell in book.cells)
    assert any(each.get("text") == "computed\n" for each in recorded)
    (found,) = [each.data for each in recorded if each.output_type == "execute_result"]
    assert "log_of_zero" in found["text/plain"]
    assert "tf.math.log(x)" in found["text/html"]
    assert after[0].data["text/plain"] == "-inf"
    assert any("ZeroDivisionError" in str(each) for each in failed)
    assert len(list((tmp_path / "runs").iterdir())) == 2
