"""The server itself, by the official SDK: each question is a tool that only reads; it talks over standard streams."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import ValidationError

from tensordbg import __version__
from tensordbg.errors import TensordbgError
from tensordbg.mcp.questions import Questions

_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")

_INSTRUCTIONS = (
    "Recordings of machine-learning programs: the statistics of every tensor, and where numbers stopped being finite. "
    "Begin with `why`; `search` and `tensor` follow a tensor, `source` shows recorded lines. Nothing is changed."
)


class _Server(MCPServer):  # type: ignore[misc]
    """A server that refuses arguments which a tool doesn't have: the SDK leaves them out, and a filter with them."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        """Calls a tool, if it has all of the arguments.

        Raises:
            ToolError: If it does not have one of them, or one is of the wrong kind.
        """
        question = getattr(Questions, name, None)
        known = list(inspect.signature(question).parameters)[1:] if question else []
        unknown = [each for each in arguments if each not in known]
        if known and unknown:
            raise ToolError(f"{name} has no argument {unknown[0]!r}; it takes {', '.join(known)}")
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError(f"{name}: {'; '.join(map(_wrong, error.__cause__.errors()))}") from None
            raise


def _wrong(detail: Mapping[str, Any]) -> str:
    """`limit = 'x': input should be a valid integer`, of one argument."""
    argument = ".".join(map(str, detail["loc"][:1]))
    if detail["type"] == "missing":
        return f"{argument} is missing"
    said = str(detail["msg"]).partition(",")[0]
    return f"{argument} = {detail['input']!r}: {said[:1].lower()}{said[1:]}"


def make_server(folder: str | Path) -> MCPServer:
    """Makes the server for the traces in a folder."""
    server = _Server("tensordbg", version=__version__, instructions=_INSTRUCTIONS, log_level="WARNING")
    questions = Questions(folder)
    for ask in (
        *(questions.why, questions.search, questions.tensor, questions.values, questions.source, questions.diff),
        *(questions.layers, questions.runs),
    ):
        reading = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        server.tool(annotations=reading)(_answering(ask))
    return server


def _answering(ask: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """The question, with errors of ours as answers that a client is shown."""

    @functools.wraps(ask)
    def answer(*given: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        try:
            return ask(*given, **named)
        except TensordbgError as error:
            raise ToolError(str(error)) from None

    return answer


def serve(folder: str | Path) -> None:
    """Answers over standard streams until the client ends."""
    make_server(folder).run("stdio")
