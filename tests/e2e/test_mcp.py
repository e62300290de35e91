"""`tdbg mcp`, asked by the official client over standard streams about a recorded program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import programs

BESIDE = Path(__file__).parents[2] / "build" / "beside" / "bin" / "python"

PROGRAM = """
import tensorflow as tf


@tf.function
def entropy(p):
    logs = tf.math.log(p)
    return -tf.reduce_sum(p * logs)


float(entropy(tf.constant([1.0, 0.0])))
"""

CLIENT = """
import asyncio, json, sys
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client

async def main(questions):
    server = StdioServerParameters(command=sys.executable, args=["-m", "tensordbg", "mcp", "traces"])
    async with Client(stdio_client(server)) as client:
        tools = (await client.list_tools()).tools
        told = {"answers": []}
        told["tools"] = {tool.name: [tool.description, tool.annotations.read_only_hint] for tool in tools}
        for name, given in questions:
            answer = await client.call_tool(name, given)
            told["answers"].append([answer.is_error, "".join(each.text for each in answer.content)])
    print(json.dumps(told))

asyncio.run(main(json.loads(sys.argv[1])))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not BESIDE.exists():
        pytest.skip("`make beside` sets up the environment with the SDK")
    folder = tmp_path_factory.mktemp("mcp")
    (folder / "train.py").write_text(PROGRAM)
    words = [sys.executable, "-m", "tensordbg", "run", "--trace", "traces/first", "--detail", "values", "train.py"]
    programs.run(words, cwd=folder, capture_output=True, check=True, text=True)
    return folder


def asked(folder: Path, *questions: tuple[str, dict[str, Any]]) -> Any:
    done = subprocess.run(
        [str(BESIDE), "-c", CLIENT, json.dumps(questions)],
        cwd=folder, capture_output=True, check=False, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_client_finds_the_mistake(folder: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    told = asked(
        folder,
        ("why", {}),
        ("search", {"non_finite": True, "limit": 1}),
        ("tensor", {"name": "logs"}),
        ("values", {"name": "logs"}),
        ("source", {"file": "train.py", "line": 7}),
        ("diff", {"a": "first", "b": "first"}),
    )
    assert [error for error, _ in told["answers"]] == [False] * 6
    why, search, tensor, values, source, diff = (text for _, text in told["answers"])
    assert "cause   log_of_zero: " in why
    assert json.loads(search)["tensors"][0]["tensor"] == "Log:0"
    assert json.loads(tensor)["sources"][0]["line"] == 7
    assert json.loads(values)["elements"] == [0.0, "-inf"]
    assert json.loads(source)["lines"]["7"] == "    logs = tf.math.log(p)"
    assert json.loads(diff)["status"] == "same"
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


def test_every_tool_is_described_and_only_reads(folder: Path) -> None:
    tools = asked(folder)["tools"]
    assert set(tools) == {"why", "search", "tensor", "values", "source", "diff", "layers", "runs"}
    assert all(description and reads for description, reads in tools.values())


def test_a_mistake_is_told_to_the_client(folder: Path) -> None:
    told = asked(
        folder,
        ("tensor", {"name": "nowhere"}),
        ("why", {"trace": "../elsewhere"}),
        ("search", {"operation": "Log"}),
        ("search", {"limit": "x"}),
        ("diff", {}),
        ("layers", {}),
    )
    assert [error for error, _ in told["answers"]] == [True] * 6
    assert told["answers"][3][1] == "search: limit = 'x': input should be a valid integer"
    assert told["answers"][4][1] == "diff: a is missing; b is missing"
    assert "no layers at all were recorded" in told["answers"][5][1]
    assert "no tensor 'nowhere:0'" in told["answers"][0][1]
    assert "'../elsewhere' is outside of traces" in told["answers"][1][1]
    # A filter that there is none of would give everything.
    assert "search has no argument 'operation'; it takes trace, name, " in told["answers"][2][1]
