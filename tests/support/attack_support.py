"""An agent with hostile artifacts, for tests in a browser."""

from __future__ import annotations

from pathlib import Path

MAKER = """
version: v1
id: flow.maker
title: Maker
nodes:
  - {id: q.go, type: question, key: go, prompt: Go on?, read: verbatim, ask: always}
  - {id: make, type: action, run: make}
  - {id: done, type: terminal, say: Made.}
edges:
  - {from: q.go, to: make}
  - {from: make, to: done}
"""
MAKER_NODES = """
from pathlib import Path

from graphwright import action

PAGE = "<script>document.title = 'it ran'; fetch('/api/v1/threads')</script><p>a page</p>"
FILES = {
    "page.html": PAGE,
    "picture.svg": f'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)">{PAGE}</svg>',
    "page.xhtml": PAGE,
    "page.xml": PAGE,
    "lying.png": PAGE,
    "plain.txt": PAGE,
    "data.json": PAGE,
    "none": PAGE,
}


@action(reads=["answers.go"])
def make(state, ctx):
    folder = Path(__file__).parent / "made"
    folder.mkdir(exist_ok=True)
    for name, content in FILES.items():
        (folder / name).write_text(content)
        ctx.artifact(folder / name, kind="file", name=f"../../\\r\\nX-Evil: 1/{name}")
    return {}
"""


def maker(folder: Path) -> Path:
    """Write the agent into a folder; return its path."""
    place = folder / "maker"
    place.mkdir(exist_ok=True)
    (place / "flow.yaml").write_text(MAKER.strip(), "utf-8")
    (place / "nodes.py").write_text(MAKER_NODES, "utf-8")
    return place
