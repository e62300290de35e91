"""The plugin that TensorBoard loads, by the entry point `tensorboard_plugins`: the tab, and whether it shows up.

TensorBoard loads it at each start, so all that is heavy is imported with the first request.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tensorboard.plugins import base_plugin

from tensordbg.tensorboard.mount import Mount

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "tensordbg"

# TensorBoard imports this into the frame of the tab, whose addresses begin below the plugin.
_MODULE = 'export function render() { location.replace("./index.html"); }\n'


class TensordbgPlugin(base_plugin.TBPlugin):  # type: ignore[misc]
    """The tab "tensordbg", over all traces at any depth below `--logdir`."""

    plugin_name = NAME

    def __init__(self, context: base_plugin.TBContext) -> None:
        """Takes the folder from TensorBoard, which may have none."""
        super().__init__(context)
        self._folder = Path(context.logdir) if context.logdir else None

    def get_plugin_apps(self) -> dict[str, Callable[..., Any]]:
        """See `TBPlugin`: the page and its answers, as WSGI applications by their addresses."""
        if self._folder is None:
            return {}
        return {"/index.js": _serve_module, "/*": Mount(f"/data/plugin/{NAME}", self._folder)}

    def is_active(self) -> bool:
        """See `TBPlugin`: as soon as there is a trace."""
        from tensordbg.server.library import holds_trace

        return self._folder is not None and holds_trace(self._folder)

    def frontend_metadata(self) -> base_plugin.FrontendMetadata:
        """See `TBPlugin`; the page follows the traces by itself."""
        return base_plugin.FrontendMetadata(es_module_path="/index.js", tab_name=NAME, disable_reload=True)


def _serve_module(_: dict[str, Any], start_response: Callable[..., Any]) -> list[bytes]:
    headers = [("Content-Type", "text/javascript; charset=utf-8"), ("X-Content-Type-Options", "nosniff")]
    start_response("200 OK", headers)
    return [_MODULE.encode()]
