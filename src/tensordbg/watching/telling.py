"""Tells news to others: to a command that it runs, and to a webhook."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from tensordbg.watching.news import News
from tensordbg.watching.posting import host_of, post

SECONDS = 30
"""A command or a server has so long to take one piece of news."""

Teller = Callable[[Mapping[str, Any]], str]
"""Takes a message, as JSON; gives what went wrong, or nothing."""


def message_of(news: News, run: str, report: str) -> dict[str, Any]:
    """The message as JSON; `text` is what chat services show."""
    where = f" ({news.place})" if news.place else ""
    text = f"{news.kind} in {run}: {news.headline}{where}\n{report}"
    return {"text": text, "run": run, "report": report, **asdict(news)}


def by_command(command: str) -> Teller:
    """Runs a line of the shell for each message, which it finds on its standard input, and in part in `TDBG_...`."""

    def tell(message: Mapping[str, Any]) -> str:
        environment = {f"TDBG_{name.upper()}": str(value) for name, value in message.items()}
        try:
            done = subprocess.run(
                command,
                shell=True,  # the user's own line
                input=json.dumps(message),
                env={**os.environ, **environment},
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"--on-finding {command}: {error}"
        return f"--on-finding {command}: ended with code {done.returncode}" if done.returncode else ""

    return tell


def by_webhook(url: str) -> Teller:
    """Sends each message to a server, by POST."""

    def tell(message: Mapping[str, Any]) -> str:
        trouble = post(url, json.dumps(message).encode(), SECONDS)
        return f"--webhook {host_of(url)}: {trouble}" if trouble else ""

    return tell
