"""The manual and the README keep up with the code: a page per command with all its options, and no dead words."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import click
import pytest

from tensordbg.analysis.causes.table import TABLE
from tensordbg.cli.group import COMMANDS, commands

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def get(name: str) -> click.Command:
    command = commands.get_command(click.Context(commands), name)
    assert command is not None
    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_command_has_a_page_that_names_every_option(name: str) -> None:
    page = (DOCS / "commands" / f"{name}.md").read_text()
    assert page.startswith(f"# tdbg {name}\n")
    options = [option for parameter in get(name).params for option in parameter.opts if option.startswith("-")]
    missing = [option for option in options if f"`{option}" not in page]
    assert not missing


@pytest.mark.parametrize("name", COMMANDS)
def test_page_names_no_option_that_the_command_lacks(name: str) -> None:
    page = (DOCS / "commands" / f"{name}.md").read_text()
    known = {option for parameter in get(name).params for option in parameter.opts} | {"--help"}
    # The first column of the table of options.
    named = set(re.findall(r"^\| `(--?[\w-]+)", page, re.MULTILINE))
    assert named <= known


def test_no_page_without_its_command() -> None:
    pages = {path.stem for path in (DOCS / "commands").glob("*.md")}
    assert pages == set(COMMANDS)


def test_every_cause_has_a_page() -> None:
    pages = {path.stem for path in (DOCS / "causes").glob("*.md")} - {"index"}
    assert pages == {cause.name for cause in TABLE}


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text()
    missing = [
        path.relative_to(DOCS).as_posix()
        for path in DOCS.rglob("*.md")
        if path.relative_to(DOCS).as_posix() not in navigation
    ]
    assert not missing


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/index.md", "docs/getting-started.md"])
def test_commands_that_a_page_shows_exist(page: str) -> None:
    text = (ROOT / page).read_text()
    shown = [line.strip() for block in code_blocks(text) for line in block.splitlines()]
    for line in shown:
        words = shlex.split(line, comments=True)
        if words[:1] == ["tdbg"] and len(words) > 1 and not words[1].startswith("-"):
            assert words[1] in COMMANDS, line
            command = get(words[1])
            command.make_parser(click.Context(command, **command.context_settings)).parse_args(
                words[2:]
            )  # raises at an unknown option
        if words[:1] == ["make"] and len(words) > 1:
            assert f"\n{words[1]}:" in (ROOT / "Makefile").read_text(), line


def code_blocks(text: str) -> list[str]:
    text = re.sub(r"^```python\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)  # no commands
    fenced = re.findall(r"^```(?:console|sh|bash)?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    indented = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return [*fenced, *indented]


def test_architecture_stays_short_enough_to_be_read() -> None:
    assert len((ROOT / "ARCHITECTURE.md").read_text().splitlines()) <= 150, "let a package's docstring tell it"


def test_architecture_shows_the_layers_that_are_enforced() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    layers = next(each["layers"] for each in contracts if each["id"] == "layers")
    assert "\n".join(f"    {layer}" for layer in layers) in (ROOT / "ARCHITECTURE.md").read_text()


@pytest.mark.parametrize("page", ["ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_modules_and_folders_that_a_page_names_exist(page: str) -> None:
    named = set(re.findall(r"`((?:[\w.-]+/)+(?:\w+\.(?:py|md|cpp|h|ts))?)`", (ROOT / page).read_text()))
    starts = (ROOT, ROOT / "src" / "tensordbg")
    gone = {path for path in named - OF_NO_FILE if not any((start / path).exists() for start in starts)}
    assert gone == set()


OF_NO_FILE = {".venv/", "site/", "src/tensordbg/x/y.py", "tests/x/test_y.py"}
"""What a build makes, and examples."""


def test_architecture_names_every_package() -> None:
    text = (ROOT / "ARCHITECTURE.md").read_text()
    packages = {path.parent.name for path in (ROOT / "src" / "tensordbg").glob("*/__init__.py")}
    assert {package for package in packages if package not in text} == set()
