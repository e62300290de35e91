"""The page itself: the bundle that Vite made of `web/`, served as it lies in the package."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.staticfiles import StaticFiles

from tensordbg.server.settings import NONCE

if TYPE_CHECKING:
    from starlette.types import Scope

BUNDLE = Path(__file__).parent / "page"

_NOT_BUILT = "The page is not there, since it was not built: run `make` in the sources, or install a built package.\n"


def missing(bundle: Path = BUNDLE) -> str:
    """Returns a warning where the page was not built with the package, which is empty where it was."""
    return "" if (bundle / "index.html").is_file() else f"tdbg: warning: {_NOT_BUILT.strip()}"


class Page(StaticFiles):
    """The files of the bundle; its `index.html` for the folder itself."""

    def __init__(self, bundle: Path = BUNDLE) -> None:
        """Takes the folder of the bundle, which may be missing or built later."""
        super().__init__(directory=bundle, check_dir=False)
        self.config_checked = True
        self._bundle = bundle

    async def get_response(self, path: str, scope: Scope) -> Response:
        """See `StaticFiles`: a file; names of assets hold a hash of their contents, so they are kept for ever."""
        if path in {".", "index.html"}:
            return self._index(scope)
        response = await super().get_response(path, scope)
        kept = path.startswith("assets/") and response.status_code in (200, 304)
        response.headers["cache-control"] = "public, max-age=31536000, immutable" if kept else "no-cache"
        return response

    def _index(self, scope: Scope) -> Response:
        """The page, with the nonce that the styles made by its libraries need."""
        try:
            text = (self._bundle / "index.html").read_text()
        except FileNotFoundError:
            return PlainTextResponse(_NOT_BUILT, 404)
        return HTMLResponse(text.replace(NONCE, scope["nonce"]), headers={"cache-control": "no-store"})
