"""The package that people install has the browser's page in it, and TensorBoard finds the tab."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "src" / "tensordbg" / "server" / "page"

# Without the compiled part, which takes minutes and is in its place already.
BUILD = """
import sys
from scikit_build_core.build import build_wheel
build_wheel(sys.argv[1], {"wheel.cmake": "false"})
"""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    if not (PAGE / "index.html").exists():
        pytest.skip("the page is not built; `make page` builds it where there is Node.js")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-c", BUILD, folder], cwd=ROOT, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return zipfile.ZipFile(built)


def test_page_is_in_it(wheel: zipfile.ZipFile) -> None:
    within = "tensordbg/server/page/"
    held = {name.removeprefix(within) for name in wheel.namelist() if name.startswith(within)}
    assert held >= {"index.html", "saved.html"}
    assert any(name.startswith("assets/") and name.endswith(".js") for name in held)


def test_nothing_of_its_making_is_in_it(wheel: zipfile.ZipFile) -> None:
    assert not [name for name in wheel.namelist() if "node_modules" in name or name.endswith((".ts", ".tsx"))]


def test_tensorboard_finds_the_tab(wheel: zipfile.ZipFile) -> None:
    (table,) = [name for name in wheel.namelist() if name.endswith("/entry_points.txt")]
    assert (
        "[tensorboard_plugins]\ntensordbg = tensordbg.tensorboard.plugin:TensordbgPlugin" in wheel.read(table).decode()
    )


# `-S` leaves out the link to the sources, which stands in `site-packages` of those who work on them.
RECORDED = """
import sys
sys.path[:0] = sys.argv[1:]
import tensordbg
import pytest
sys.exit(pytest.main(["-q", "-W", "error", "-p", "no:cacheprovider", "test_nothing.py"]))
"""


def test_pytest_warns_of_nothing_where_it_is_imported_first(wheel: zipfile.ZipFile, tmp_path: Path) -> None:
    wheel.extractall(tmp_path / "site")
    (tmp_path / "test_nothing.py").write_text("def test_nothing():\n    pass\n")
    done = subprocess.run(
        [sys.executable, "-S", "-c", RECORDED, tmp_path / "site", Path(pytest.__file__).parents[1]],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "tensordbg" not in done.stdout + done.stderr
