"""Forged reports: text that code writes instead of its result is data or refused."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from graphwright_confined import ExecutionLimits, Sandbox
from graphwright_confined.execution import MalformedReport, Report, png_size
from graphwright_confined.formatting import result_text
from sandbox_support import each_isolation, started_sandbox


@pytest.fixture(scope="module", params=each_isolation())
def sandbox(request: pytest.FixtureRequest) -> Iterator[Sandbox]:
    with started_sandbox(request.param, ExecutionLimits(cpu_seconds=20, wall_seconds=120)) as made:
        yield made


WRITE = """
import json, os
def write(content):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    while content:
        content = content[os.write(3, content):]
"""

FORGED = {
    "nothing": "os._exit(0)",
    "a broken end": 'write(b\'{"status": "ok"\'); os._exit(0)',
    "text after the end": "write(b'{} and more'); os._exit(0)",
    "a second report": "write({'status': 'ok'})",
    "no text": "write(b'\\xff\\xfe'); os._exit(0)",
    "a pickle": "import pickle; write(pickle.dumps(print)); os._exit(0)",
    "brackets": "write(b'[' * 2_000_000); os._exit(0)",
    "deep values": 'write(b\'{"status": "ok", "result": \' + b\'{"type": "list", "length": 1, "items": [\' * 300 '
    "+ b']}' * 300 + b'}'); os._exit(0)",
    "a huge number": "write(b'{\"status\": ' + b'9' * 2_000_000 + b'}'); os._exit(0)",
    "no number": 'write(b\'{"status": "ok", "result": {"type": "scalar", "kind": "number", "value": NaN}}\'); '
    "os._exit(0)",
    "an unknown status": "write({'status': 'fine'}); os._exit(0)",
    "an isolation": "write({'status': 'ok', 'isolation': 'none'}); os._exit(0)",
    "an unknown result": "write({'status': 'ok', 'result': {'type': 'pickle', 'value': 'x'}}); os._exit(0)",
    "an irregular table": "write({'status': 'ok', 'result': {'type': 'table', 'columns': [], 'rows': [[1]], 'row_count': 1,"
    " 'column_count': 0}}); os._exit(0)",
    "an invalid figure": "write({'status': 'ok', 'figures': [{'type': 'plotly', 'figure': {'data': 'x'}}]}); os._exit(0)",
    "a figure with a program": "write({'status': 'ok', 'figures': [{'type': 'plotly', 'figure': {'config': {}}}]}); "
    "os._exit(0)",
    "an invalid picture": "write({'status': 'ok', 'figures': [{'type': 'png', 'png': 'AAAA', 'width': 1, 'height': 1}]}); "
    "os._exit(0)",
    "a missing error": "write({'status': 'error'}); os._exit(0)",
    "a limit without its name": "write({'status': 'limit'}); os._exit(0)",
    "a good report and a signal": "write({'status': 'ok'}); os.kill(os.getpid(), 9)",
    "a crash": "import ctypes; ctypes.string_at(0)",
}


# Each of them costs a warm process.
EVERYDAY = {"nothing", "a broken end", "a second report", "a pickle", "brackets", "a good report and a signal"}


@pytest.mark.parametrize("name", [pytest.param(n, marks=[] if n in EVERYDAY else [pytest.mark.slow]) for n in FORGED])
def test_a_forged_report_stops_the_execution(sandbox: Sandbox, name: str) -> None:
    execution = sandbox.run(WRITE + FORGED[name])
    assert (execution.status, execution.limit) == ("stopped", None)
    assert execution.error.message.startswith("The code was stopped: ")
    assert (execution.result.type, execution.figures) == ("none", [])
    # The warm process may be in any state.
    assert sandbox._worker is None
    assert result_text(sandbox.run("1 + 1").result) == "2"


@pytest.mark.parametrize("code", ["write(b'[' * 9_000_000)", "write(b' ' * 9_000_000); import time; time.sleep(90)"])
def test_a_report_beyond_the_limit_is_not_read(sandbox: Sandbox, code: str) -> None:
    execution = sandbox.run(WRITE + code)
    assert (execution.status, execution.limit) == ("stopped", "8 MiB of result")
    assert execution.seconds < 60
    assert sandbox._worker is None
    assert result_text(sandbox.run("1 + 1").result) == "2"


def test_a_valid_forged_report_is_data_and_no_more(sandbox: Sandbox) -> None:
    code = WRITE + "write({'status': 'ok', 'result': {'type': 'text', 'text': '<script>', 'length': 8}}); os._exit(0)"
    execution = sandbox.run(code)
    assert (execution.status, execution.result.model_dump()["text"]) == ("ok", "<script>")
    assert execution.isolation
    assert execution.seconds > 0


def report(**fields: Any) -> Report:
    return Report.parse(json.dumps({"status": "ok", **fields}).encode())


def png(width: int = 1, height: int = 1) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(each)) + name + each + struct.pack(">I", zlib.crc32(name + each)) for name, each in parts
    )


BROKEN_PNG = [b"", b"GIF89a", png()[:-1], png() + b"<script>", png(10**6, 10**6), png(0, 5), png()[:20] + png()[-12:]]


@pytest.mark.parametrize("content", BROKEN_PNG, ids=range(len(BROKEN_PNG)))
def test_a_broken_picture_is_refused(content: bytes) -> None:
    assert png_size(png(3, 2)) == (3, 2)
    with pytest.raises(ValueError):
        png_size(content)


GOOD_FIGURE = {"type": "png", "png": base64.b64encode(png()).decode(), "width": 1, "height": 1}


@pytest.mark.parametrize(
    "figures",
    [
        [{**GOOD_FIGURE, "width": 2}],
        [{**GOOD_FIGURE, "png": "not base64!"}],
        [{"type": "html", "html": "<script>"}],
        [{"type": "plotly", "figure": [1]}],
        [{"type": "plotly", "figure": {"data": [{"type": 1}]}}],
        [{"type": "plotly", "figure": {"layout": []}}],
        [GOOD_FIGURE] * 21,
    ],
)
def test_invalid_figures_are_refused(figures: list[dict[str, Any]]) -> None:
    assert len(report(figures=[GOOD_FIGURE]).figures) == 1
    with pytest.raises(MalformedReport):
        report(figures=figures)
