"""Draws the flows of the README and of the examples: `python scripts/draw_flows.py` writes docs/pictures.

A test draws them again and compares (`tests/docs/test_examples.py`).
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import graphwright
from graphwright.flow import drawing

ROOT = Path(__file__).resolve().parent.parent
PICTURES = ROOT / "docs" / "pictures"


def pictures() -> Iterator[tuple[str, str]]:
    """Every picture of a flow: its path below docs/pictures, and the SVG."""
    readme = (ROOT / "README.md").read_text("utf-8")
    (flow,) = re.findall(r"^```yaml repairs\.yaml\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "repairs.yaml")
        file.write_text(flow, "utf-8")
        yield "repairs.svg", drawn(file)
    for folder in sorted(path for path in (ROOT / "examples").iterdir() if path.is_dir()):
        (file,) = folder.rglob("flow.yaml")
        yield f"examples/{folder.name}.svg", drawn(file)


def drawn(file: Path) -> str:
    """The SVG of a flow document."""
    text = file.read_text("utf-8")
    compiled = graphwright.compile_text(text, name=str(file), read=lambda layer: Path(layer).read_bytes())
    if compiled.flow is None:
        raise SystemExit(f"{file} has errors. Run: graphwright check {file}")
    return drawing.svg(compiled.flow)


def main() -> None:
    """Write every picture."""
    for name, picture in pictures():
        target = PICTURES / name
        target.parent.mkdir(exist_ok=True)
        target.write_text(picture, "utf-8")


if __name__ == "__main__":
    main()
