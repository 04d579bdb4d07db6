"""Running code in the sandbox: one warm sandbox for all threads of this process, and pictures drawn in it."""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.sandbox import ExecutionLimits, Sandbox
    from graphwright.sandbox.execution import Execution

_PACKAGE = "graphwright.agents.data_scientist"

# In there the package cannot be imported: its modules are made from their texts.
_MODULES = """
import json, sys, types
for _name, _text in {texts!r}.items():
    _module = sys.modules[_name] = types.ModuleType(_name)
    exec(compile(_text, _name, "exec"), _module.__dict__)
_figure = json.loads(df["figure"][0])
"""

_FACTS = f"""
result = {{"facts": "\\n".join(sys.modules["{_PACKAGE}.shown"].facts(_figure))}}
"""

_DRAW = f"""
try:
    fig = sys.modules["{_PACKAGE}.drawing"].drawn(_figure)
except sys.modules["{_PACKAGE}.plotted"].CannotBeDrawn as _error:
    plt.close("all")
    result["cannot"] = str(_error)
"""


_SECONDS = 30
"""That drawing may take at most: nobody waits longer for a picture of a page that is there already."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a Plotly figure came to: a PNG, or what stood in the way of one, and what it shows in lines."""

    png: bytes | None
    without: str
    facts: str


@cache
def sandbox() -> Sandbox:
    """The sandbox of this process. Nothing is started before its first use."""
    from graphwright.sandbox import Sandbox

    return Sandbox()


async def run(code: str, places: Mapping[str, str], limits: ExecutionLimits) -> Execution:
    """Run code over Parquet files. Raises SandboxUnavailable where it cannot be isolated on this machine."""
    return await sandbox().arun(code, dict(places), limits)


async def picture(figure: Mapping[str, Any], limits: ExecutionLimits) -> Picture:
    """A Plotly figure as PNG, where what it shows can be drawn without a browser, and in lines.

    The figure came out of generated code, so it is drawn where that runs; a limit that is hit costs the PNG alone.
    Raises SandboxUnavailable where code cannot be isolated on this machine.
    """
    texts = {f"{_PACKAGE}.{name}": _text(name) for name in ("plotted", "canvas", "drawing", "shown")}
    most = {"cpu_seconds": min(limits.cpu_seconds, _SECONDS), "wall_seconds": min(limits.wall_seconds, _SECONDS)}
    limits = limits.model_copy(update=most)
    start = _MODULES.format(texts=texts) + _FACTS
    with tempfile.TemporaryDirectory(prefix="graphwright-") as folder:
        data = {"figure": str(Path(folder) / "figure.arrow")}
        await asyncio.to_thread(_written, Path(data["figure"]), figure)
        execution = await sandbox().arun(start + _DRAW, data, limits)
        told = _told(execution)
        if execution.status == "ok":
            png = next((each.png for each in execution.figures if each.type == "png"), None)
            cannot = told.get("cannot")
            return Picture(png, f"{cannot} cannot be drawn without a browser" if cannot else "", told.get("facts", ""))
        without = f"drawing it was stopped at {execution.limit}" if execution.limit else "drawing it failed"
        told = _told(await sandbox().arun(start, data, limits))
    return Picture(None, without, told.get("facts", ""))


@cache
def _text(name: str) -> str:
    return (files(_PACKAGE) / f"{name}.py").read_text("utf-8")


def _written(place: Path, figure: Mapping[str, Any]) -> None:
    """The figure as data: as a part of the code it would be bounded as code is."""
    import pyarrow
    from pyarrow import ipc

    table = pyarrow.table({"figure": [json.dumps(figure)]})
    with ipc.new_file(place, table.schema) as out:
        out.write_table(table)


def _told(execution: Execution) -> dict[str, str]:
    if execution.result.type != "mapping":
        return {}
    return {entry.key: entry.value.text for entry in execution.result.entries if entry.value.type == "text"}
