"""A program that closes descriptors which it has not opened: its own files get their numbers, and stay its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.faults.programs import both_ways, training

REUSE = """
os.closerange(3, {end})
own = [open(f'own-{{k}}', 'w') for k in range(20)]
print([file.fileno() for file in own])
"""
FINISH = """
for file in own:
    file.write('mine')
    file.close()
print({open(f'own-{k}').read() for k in range(20)})
"""


@pytest.mark.parametrize("end", [256, 4096])
@pytest.mark.parametrize("detail", ["health", "values"])
def test_before_tensorflow_starts(tmp_path: Path, end: int, detail: str) -> None:
    both = both_ways(tmp_path, f"import os\n{REUSE.format(end=end)}{training(end=FINISH)}", ("--detail", detail))
    recorded = both.read()
    assert "recording stopped" not in both.recorded.err
    assert [event.step for event in recorded.of("Log")] == [0, 1, 2, 3, 4, 5]
    assert recorded.reader.facts.end is not None
    assert recorded.reader.damage == 0


def test_while_it_computes(tmp_path: Path) -> None:
    # TensorFlow may hold descriptors too; the program closes and takes those that are regular files.
    close = (
        "if number == 2:\n"
        "        held = [int(each) for each in os.listdir('/proc/self/fd')]\n"
        "        held = [each for each in held if each > 2 and os.path.isfile(f'/proc/self/fd/{each}')"
        " and 'tdbg-traces' in os.readlink(f'/proc/self/fd/{each}')]\n"
        "        for each in held: os.close(each)\n"
        "        one = os.open('own', os.O_RDWR | os.O_CREAT)\n"
        "        for each in held: os.dup2(one, each)\n"
    )
    more = "print(os.stat('own').st_size, float(tf.function(lambda x: tf.sqrt(x))(tf.constant(4.0))))\n"
    both = both_ways(tmp_path, training(after=close, end=more + more), ("--detail", "values"))
    recorded = both.read()
    assert both.plain.code == 0, both.plain.err
    assert "recording stopped" not in both.recorded.err
    assert (tmp_path / "recorded" / "own").read_bytes() == b""
    assert [event.step for event in recorded.of("Log")] == [0, 1, 2, 3, 4, 5]
    assert [event.row["max"] for event in recorded.of("Sqrt")] == [2.0, 2.0]
    assert recorded.reader.facts.end is not None
    assert recorded.reader.damage == 0
