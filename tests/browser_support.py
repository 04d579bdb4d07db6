"""What tests of the web app share besides their fixtures: the sizes of a page, and how one is opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page

WIDE = {"width": 1280, "height": 800}
NARROW = {"width": 360, "height": 740}

Open = Callable[..., Page]
"""Opens an address in a browser of its own: `open_page(address, **options of a Playwright context)`."""

Look = Callable[[Page], None]
Picture = Callable[[Page, str], None]


def agent(folder: Path, name: str, flow: str, nodes: str = "") -> str:
    """An agent in a folder of its own inside `folder`; gives its name."""
    place = folder / name
    place.mkdir()
    (place / "flow.yaml").write_text(flow.strip(), "utf-8")
    if nodes:
        (place / "nodes.py").write_text(nodes.strip() + "\n", "utf-8")
    return name


def begun(address: str, agent: str, *messages: str) -> str:
    """A conversation over the service, as somebody else would have had it: a turn a message. Gives its id."""
    with httpx.Client(base_url=f"{address}/api/v1", timeout=60) as client:
        made = client.post("/threads", json={"agent": agent})
        assert made.status_code == 201, made.text
        thread: str = made.json()["thread"]
        for body in ({}, *({"message": each} for each in messages)):
            ended(client, thread, body)
        return thread


def ended(client: httpx.Client, thread: str, body: dict[str, Any]) -> dict[str, Any]:
    """Run a turn to its end; gives its last event."""
    answer = client.post(f"/threads/{thread}/turns", json=body, headers={"Accept": "text/event-stream"})
    assert answer.status_code == 202, answer.text
    last: dict[str, Any] = json.loads(answer.text.rsplit("data: ", 1)[1].split("\n")[0])
    return last
