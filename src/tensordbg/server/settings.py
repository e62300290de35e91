"""How a server of the page is set up."""

from __future__ import annotations

from dataclasses import dataclass

NONCE = "TENSORDBG_NONCE"
"""Stands for a word that is another one in each response: in the policy, and in the page as Vite's `html.cspNonce`
puts it there."""


@dataclass(frozen=True)
class Settings:
    """Settings that differ between `tdbg view`, a notebook and TensorBoard."""

    hosts: frozenset[str] | None = None
    """The Host headers that are answered, in small letters and with the port; None for any, where something else (a
    token, another server in front) keeps strangers out."""
    token: str = ""
    """What a visitor must know, as every path begins with it; empty where something else keeps strangers out, as
    TensorBoard does."""
    frame_ancestors: str = "'none'"
    """Who may put the page into a frame, as a content-security policy has it; empty for anybody."""
    made_styles: str = f"'nonce-{NONCE}'"
    """Which styles that the page's libraries make while it is shown are let in."""


def local_hosts(port: int) -> frozenset[str]:
    """The Host headers of this machine's own loopback address; browsers leave out the port 80."""
    names = ("localhost", "127.0.0.1", "[::1]")
    with_port = {f"{name}:{port}" for name in names}
    return frozenset(with_port | set(names) if port == 80 else with_port)
