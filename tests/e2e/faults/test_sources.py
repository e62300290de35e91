"""Source files that change or vanish during or after the run, or are not in UTF-8: the report shows what ran."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.faults.programs import both_ways, tdbg, training

CHANGES = {
    "changes before the functions are made": ("open(__file__, 'w').write('# nothing is here any more\\n' * 50)\n", ""),
    "vanishes before the functions are made": ("import os; os.unlink(__file__)\n", ""),
    "changes while it runs": ("", "open(__file__, 'w').write('# nothing is here any more\\n' * 50)"),
    "vanishes while it runs": ("", "os.unlink(__file__)"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_text_is_that_of_the_beginning(tmp_path: Path, name: str) -> None:
    first, last = CHANGES[name]
    both = both_ways(tmp_path, first + training(end=last))
    recorded = both.read()
    assert both.plain.code == 0, both.plain.err
    assert "recording stopped" not in both.recorded.err
    assert [event.step for event in recorded.of("Log")] == [0, 1, 2, 3, 4, 5]
    why = tdbg(tmp_path / "recorded", "why")
    assert why.code == 0, why.err
    assert "y = tf.math.log(x)" in why.out
    assert "nothing is here" not in why.out


def test_a_source_that_changes_after_the_recording(tmp_path: Path) -> None:
    both_ways(tmp_path, training()).read()
    before = tdbg(tmp_path / "recorded", "why")
    (tmp_path / "recorded" / "program.py").write_text("# nothing is here any more\n" * 50)
    assert tdbg(tmp_path / "recorded", "why") == before
    (tmp_path / "recorded" / "program.py").unlink()
    assert tdbg(tmp_path / "recorded", "why") == before
    assert "y = tf.math.log(x)" in before.out


def test_a_source_that_is_not_in_utf_8(tmp_path: Path) -> None:
    text = training().replace("y = tf.math.log(x)", "y = tf.math.log(x)  # Größe")
    both = both_ways(tmp_path, "pass\n")
    encoded = f"# -*- coding: latin-1 -*-\n{text}".encode("latin-1")
    (tmp_path / "recorded" / "program.py").write_bytes(encoded)
    (tmp_path / "recorded" / "odd.py").write_bytes(encoded)
    assert both.plain.code == 0
    done = tdbg(tmp_path / "recorded", "run", "--trace", "trace", "odd.py")
    assert done.code == 0, done.err
    assert "y = tf.math.log(x)  # Größe" in tdbg(tmp_path / "recorded", "why", "trace").out


def test_generated_code_has_no_source(tmp_path: Path) -> None:
    text = training().replace("y = tf.math.log(x)", "y = eval(compile('tf.math.log(x)', 'gone/\\udcff.py', 'eval'))")
    both = both_ways(tmp_path, text)
    recorded = both.read()
    assert both.plain.code == 0, both.plain.err
    assert "recording stopped" not in both.recorded.err
    assert [event.row["neg_inf"] for event in recorded.of("Log")] == [0, 0, 0, 0, 1, 0]
    why = tdbg(tmp_path / "recorded", "why")
    assert why.code == 0, why.err
