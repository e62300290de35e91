"""An eager value that nothing read is no result of the program; the same value, read, is one.

Each program marks the lines of what it reads with `# READ`, of what nothing reads with `# UNREAD`, and of what it masks
with `# MASKED`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tensordbg
from tests import programs

PROGRAMS = {
    "ways": """
        import io, tempfile
        import keras
        import numpy as np
        import tensorflow as tf

        def ways(zero, folder):
            a = zero / zero  # UNREAD
            b = tf.math.log(zero)  # READ
            float(b)
            c = tf.math.log(zero - 1.0)  # READ
            np.mean(c)
            d = tf.math.rsqrt(zero)  # READ
            tf.print(d, output_stream=f"file://{folder}/out")
            e = 1.0 / zero  # MASKED
            float(tf.where(tf.math.is_finite(e), e, 0.0))
            f = tf.math.reciprocal(zero)  # UNREAD
            f = f * 2 + 1
            g = tf.math.log1p(zero - 1.0)  # READ
            if tf.math.is_inf(g):
                pass
            h = tf.math.acosh(zero)  # READ
            tf.io.write_file(folder + "/h", tf.io.serialize_tensor(h))
            i = tf.math.asin(zero + 2.0)  # READ
            with tf.summary.create_file_writer(folder).as_default():
                tf.summary.scalar("i", i, step=0)
            j = tf.math.acos(zero + 2.0)  # READ
            for row in [j]:
                list(np.asarray(row).ravel())
            k = tf.exp(zero + 1000.0)  # READ
            tf.Variable(k)
            m = tf.math.sqrt(zero - 1.0)  # READ
            keras.ops.convert_to_numpy(m)
            n = tf.math.atanh(zero + 2.0)  # READ
            metric = keras.metrics.Mean()
            metric.update_state(n)

        for _ in range(3):
            ways(tf.random.uniform([]) * 0.0, tempfile.mkdtemp())
        last = tf.math.log(tf.zeros(3) - 1.0)  # UNREAD
        """,
    "a loop": """
        import tensorflow as tf

        w = tf.Variable([1.0, 2.0, 3.0])
        total = 0.0
        for step in range(20):
            hits = tf.cast(tf.random.uniform([3]) > 2.0, tf.float32)
            ratio = hits / tf.reduce_sum(hits)  # UNREAD
            rate = tf.reduce_sum(hits) / tf.reduce_sum(hits)  # MASKED
            rate = tf.where(tf.reduce_sum(hits) > 0, rate, 0.0)
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))
            total += float(loss) + float(rate)
        print(total)
        """,
    "a ratio that is shown": """
        import tensorflow as tf

        for step in range(20):
            hits = tf.cast(tf.random.uniform([3]) > 2.0, tf.float32)
            ratio = tf.reduce_sum(hits) / tf.reduce_sum(hits)  # READ
            if step % 10 == 9:
                print("precision", f"{ratio:.3f}")
        """,
}

READ_AT = {
    "ways": {"float(b)", "np.mean(c)", "list(np.asarray(row).ravel())", "keras.ops.convert_to_numpy(m)"},
    "a loop": set[str](),
    "a ratio that is shown": {'print("precision", f"{ratio:.3f}")'},
}
"""Lines that read."""


def marked(text: str) -> dict[int, str]:
    lines = text.split("\n")
    return {number: line.split("# ")[1] for number, line in enumerate(lines, 1) if "  # " in line}


def became_of(consequential: bool, caught: str) -> str:
    if consequential:
        return "READ"
    return "UNREAD" if caught == "nothing read it" else "MASKED"


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_was_read_is_a_result(name: str, tmp_path: Path) -> None:
    text = "\n".join(line[8:] for line in PROGRAMS[name].strip("\n").split("\n")) + "\n"
    program = tmp_path / "program.py"
    program.write_text(text)
    command = [sys.executable, "-m", "tensordbg", "run", "--trace", str(tmp_path / "trace"), str(program)]
    programs.run(command, check=True, capture_output=True, timeout=300)
    origins = tensordbg.open(tmp_path / "trace").why().origins
    # What a line gave in other steps comes behind.
    last_first = [each for each in reversed(origins) if each.place]
    found = {each.place.line: became_of(each.consequential, each.caught) for each in last_first if each.place}
    assert found == marked(text)
    read = [each for each in origins if each.place and each.reaches == ("output",) and each.read_at]
    lines = text.split("\n")
    assert all(each.read_at.file == str(program) for each in read if each.read_at)
    assert {lines[each.read_at.line - 1].strip() for each in read if each.read_at} >= READ_AT[name]
