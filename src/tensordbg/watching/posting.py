"""Posts a message to a server that may do anything: refuse it, hang, answer byte by byte or with what is no HTTP."""

from __future__ import annotations

import http.client
import threading
import urllib.error
import urllib.request
from typing import Any
from urllib.parse import urlsplit

TOO_LONG = "no answer within {} s"


class _NoWayOn(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the message would be left behind, as a POST becomes a GET."""

    def redirect_request(self, *_: Any) -> None:
        """See `HTTPRedirectHandler`."""


def post(url: str, body: bytes, seconds: float) -> str:
    """Posts JSON.

    Args:
        url: Where to.
        body: The JSON.
        seconds: How long the server has for all of its answer; each read of a socket has so long, too.

    Returns:
        What went wrong; empty where the server has taken it.
    """
    said = [TOO_LONG.format(f"{seconds:g}")]

    def ask() -> None:
        said[0] = _ask(url, body, seconds)

    thread = threading.Thread(target=ask, daemon=True)
    thread.start()
    thread.join(seconds)
    return said[0]


def host_of(url: str) -> str:
    """The address without what may be a secret: the path of a webhook is its password."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"


def _ask(url: str, body: bytes, seconds: float) -> str:
    try:
        asked = urllib.request.Request(url, body, {"Content-Type": "application/json"})
        with urllib.request.build_opener(_NoWayOn).open(asked, timeout=seconds):
            return ""
    except urllib.error.HTTPError as error:
        return str(error)
    except urllib.error.URLError as error:
        return str(getattr(error.reason, "strerror", None) or error.reason)
    except ConnectionError:
        return "the connection was closed without an answer"
    except http.client.HTTPException as error:
        return f"its answer is no HTTP ({type(error).__name__})"
    except (OSError, ValueError) as error:
        return str(error)
