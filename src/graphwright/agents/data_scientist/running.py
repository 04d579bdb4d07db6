"""Running code in the sandbox: one warm sandbox for all threads of this process, and pictures drawn in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphwright.sandbox import ExecutionLimits, Sandbox
    from graphwright.sandbox.execution import Execution

_DRAW = r"""
import json
_figure = json.loads(json.loads(FIGURE))
_drawn = drawn(_figure)
if _drawn is not None:
    fig = _drawn
result = "\n".join(facts(_figure))
"""


@cache
def sandbox() -> Sandbox:
    """The sandbox of this process. Nothing is started before its first use."""
    from graphwright.sandbox import Sandbox

    return Sandbox()


async def run(code: str, places: Mapping[str, str], limits: ExecutionLimits) -> Execution:
    """Run code over Parquet files. Raises SandboxUnavailable where it cannot be isolated on this machine."""
    return await sandbox().arun(code, dict(places), limits)


async def picture(figure: Mapping[str, Any], limits: ExecutionLimits) -> tuple[bytes | None, str]:
    """A Plotly figure as PNG (None for kinds that cannot be drawn without a browser), and what it shows in lines.

    The figure came out of generated code, so it is drawn where that runs.
    """
    source = (files("graphwright.agents.data_scientist") / "drawing.py").read_text("utf-8")
    text = json.dumps(json.dumps(figure))
    execution = await sandbox().arun(f"{source}\nFIGURE = {text!r}\n{_DRAW}", {}, limits)
    png = next((each.png for each in execution.figures if each.type == "png"), None)
    return png, execution.result.text if execution.result.type == "text" else ""
