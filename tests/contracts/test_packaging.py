"""What packages tensordbg keeps up with pyproject.toml, and a build says what it leaves out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
# Where conda's name is not PyPI's.
CONDA_NAMES = {"python-duckdb": "duckdb"}


def recipe() -> dict:
    """The recipe for conda as it reads with its template filled in."""
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    text = re.sub(r"^{%.*%}$", "", text, flags=re.MULTILINE).replace("{{ PYTHON }}", "python")
    return yaml.safe_load(re.sub(r"{{ (.*?) }}", lambda found: re.sub(r"\W", "_", found[1]), text))


def test_the_recipe_for_conda_names_what_the_package_needs() -> None:
    found = [line.split(" ", 1) for line in recipe()["requirements"]["run"]]
    named = {CONDA_NAMES.get(name, name): bounds for name, bounds in found if name != "python"}
    wanted = {}
    for line in PYPROJECT["project"]["dependencies"]:
        name, bounds = re.fullmatch(r"([\w-]+)([^;]*)(?:;.*)?", line.strip()).groups()
        wanted[name] = bounds.strip()
    assert named == wanted
    assert dict(found)["python"] == PYPROJECT["project"]["requires-python"]


def test_the_recipe_finds_the_version() -> None:
    text = (ROOT / "packaging" / "conda" / "meta.yaml").read_text()
    pattern = re.search(r"regex_pattern='(.*?)'\)", text)[1]
    import tensordbg

    assert re.search(pattern, (ROOT / "src" / "tensordbg" / "__init__.py").read_text())[1] == tensordbg.__version__


def test_wheels_are_built_for_each_python_that_is_supported() -> None:
    versions = re.findall(r"Python :: (3)\.(\d+)\n", "\n".join([*PYPROJECT["project"]["classifiers"], ""]))
    options = PYPROJECT["tool"]["cibuildwheel"]
    assert options["build"] == [f"cp{major}{minor}-*" for major, minor in versions]
    assert options["linux"]["archs"] == ["x86_64", "aarch64"]


def test_a_wheel_is_asked_what_this_environment_answers() -> None:
    if not (ROOT / "src" / "tensordbg" / "server" / "page" / "index.html").exists():
        pytest.skip("the page is not built; `make page` builds it where there is Node.js")
    asked = PYPROJECT["tool"]["cibuildwheel"]["test-command"].format(project=ROOT).split()
    done = subprocess.run([sys.executable, "-m", *asked], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_container_copies_what_there_is() -> None:
    text = (ROOT / "packaging" / "Containerfile").read_text()
    stages = set(re.findall(r"^FROM \S+ AS (\w+)$", text, re.MULTILINE))
    for source, path in re.findall(r"^COPY (?:--from=(\w+) )?(\S+) ", text, re.MULTILINE):
        assert source in stages if source else (ROOT / path).exists(), path
    node = re.search(r"node:(\d+)", text)[1]
    assert int(node) >= 20  # see page.cmake


BUILD = "import sys; from scikit_build_core.build import build_wheel; print(build_wheel(sys.argv[1], {}))"


@pytest.mark.skipif(shutil.which("cmake") is None, reason="CMake is not here")
def test_without_a_compiler_the_rest_is_built_and_the_build_says_so(tmp_path: Path) -> None:
    copy = tmp_path / "sources"
    ignore = shutil.ignore_patterns(".git", ".venv", "node_modules", "build", "*.so", "__pycache__", "golden")
    for part in ("src", "cmake", "native"):
        shutil.copytree(ROOT / part, copy / part, ignore=ignore)
    for name in ("pyproject.toml", "CMakeLists.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy / name)
    # No page is built either, where it is not there.
    (copy / "src" / "tensordbg" / "server" / "page").mkdir(exist_ok=True)
    (copy / "src" / "tensordbg" / "server" / "page" / "index.html").touch()
    environment = {**os.environ, "CXX": "/nowhere/c++"}
    command = [sys.executable, "-c", BUILD, str(tmp_path)]
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    said = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, said
    assert "the compiled part is left out, since there is no C++ compiler here" in said
    (built,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(built).namelist()
    assert "tensordbg/cli/main.py" in names or "tensordbg/cli/__init__.py" in names
    assert not [name for name in names if name.endswith(".so")]
