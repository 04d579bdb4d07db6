"""Running the evaluations in tests: from their command line, on cases of the test."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


def evaluate(folder: Path, *arguments: str, cases: Path | None = None) -> int:
    """Run an evaluation on the cases in `folder`, which also gets its output; return the exit code."""
    from eval.__main__ import main

    places = {
        "cases": cases or folder,
        **{name: folder / name for name in ("results", "work")},
        "page": folder / "page.md",
    }
    return main([*arguments, *(part for name, path in places.items() for part in (f"--{name}", str(path)))])
