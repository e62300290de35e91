from __future__ import annotations

import subprocess
import sys
from pathlib import Path

LAUNCH = """
import sys
from pathlib import Path
from tensordbg.recording.launch import parse_program, run_program
from tensordbg.replaying.patched_source import with_patch
from tensordbg.replaying.program import Patched

old, new, *words = sys.argv[1:]
run_program(with_patch(parse_program(words), Patched(old, new)))
"""


def run(folder: Path, *words: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LAUNCH, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return done.stdout.split()


def test_a_module_or_the_script_is_replaced_and_its_source_is_that_of_the_new_file(tmp_path: Path) -> None:
    program = "import inspect, part\nprint(part.say(), 'old' in inspect.getsource(part.say), 'plain')\n"
    (tmp_path / "train.py").write_text(program)
    (tmp_path / "part.py").write_text("def say():\n    return 'old'\n")
    (tmp_path / "fixes").mkdir()
    part = tmp_path / "fixes" / "new_part.py"
    part.write_text("# one more line\n\ndef say():\n    return 'new'\n")
    script = tmp_path / "fixes" / "new_train.py"
    script.write_text(program.replace("plain", "fixed"))
    assert run(tmp_path, str(tmp_path / "elsewhere.py"), str(part), "train.py") == ["old", "True", "plain"]
    assert run(tmp_path, str(tmp_path / "part.py"), str(part), "train.py") == ["new", "False", "plain"]
    assert run(tmp_path, str(tmp_path / "train.py"), str(script), "train.py") == ["old", "True", "fixed"]
