"""Forged results: whatever code writes in the place of its result, it is data or it is refused, never more."""

# ruff: noqa: E501

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError
from sandbox_support import each_isolation, opened

from graphwright.sandbox import ExecutionLimits, Sandbox
from graphwright.sandbox.execution import Told, png_size
from graphwright.sandbox.frame import Forged, Incoming, TooLong, framed, read
from graphwright.sandbox.wording import result_text


@pytest.fixture(scope="module", params=each_isolation())
def sandbox(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sandbox]:
    with opened(request.param, tmp_path_factory.mktemp("home"), ExecutionLimits(cpu_seconds=5, wall_seconds=8)) as made:
        yield made


WRITE = """
import json, os, struct
def write(content, length=None):
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    content = struct.pack(">I", len(content) if length is None else length) + content
    while content:
        content = content[os.write(3, content):]
"""

FORGED = {
    "nothing": "os._exit(0)",
    "no frame": "os.write(3, b'ab'); os._exit(0)",
    "one that breaks off": "write(b'{}', 100); os._exit(0)",
    "one that goes on": "write(b'{} and more', 2); os._exit(0)",
    "a second one": "write({'status': 'ok'})",
    "no JSON": "write(b'{status: ok}'); os._exit(0)",
    "no text": "write(b'\\xff\\xfe'); os._exit(0)",
    "a pickle": "import pickle; write(pickle.dumps(print)); os._exit(0)",
    "brackets": "write(b'[' * 2_000_000); os._exit(0)",
    "fewer brackets": "write(b'[' * 200_000); os._exit(0)",
    "deep values": 'write(b\'{"status": "ok", "result": \' + b\'{"type": "list", "length": 1, "items": [\' * 300 '
    "+ b']}' * 300 + b'}'); os._exit(0)",
    "a huge number": "write(b'{\"status\": ' + b'9' * 2_000_000 + b'}'); os._exit(0)",
    "no number": 'write(b\'{"status": "ok", "result": {"type": "scalar", "kind": "number", "value": NaN}}\'); '
    "os._exit(0)",
    "an unknown status": "write({'status': 'fine'}); os._exit(0)",
    "an isolation of its own": "write({'status': 'ok', 'isolation': 'none'}); os._exit(0)",
    "an unknown result": "write({'status': 'ok', 'result': {'type': 'pickle', 'value': 'x'}}); os._exit(0)",
    "a crooked table": "write({'status': 'ok', 'result': {'type': 'table', 'columns': [], 'rows': [[1]], 'row_count': 1,"
    " 'column_count': 0}}); os._exit(0)",
    "a figure that is none": "write({'status': 'ok', 'figures': [{'type': 'plotly', 'figure': {'data': 'x'}}]}); os._exit(0)",
    "a figure with a program": "write({'status': 'ok', 'figures': [{'type': 'plotly', 'figure': {'config': {}}}]}); "
    "os._exit(0)",
    "a picture that is none": "write({'status': 'ok', 'figures': [{'type': 'png', 'png': 'AAAA', 'width': 1, 'height': 1}]}); "
    "os._exit(0)",
    "an error without one": "write({'status': 'error'}); os._exit(0)",
    "a good one and a bad end": "write({'status': 'ok'}); os._exit(3)",
    "a good one and a signal": "write({'status': 'ok'}); os.kill(os.getpid(), 9)",
    "a crash": "import ctypes; ctypes.string_at(0)",
    "an abort": "os.abort()",
    "a closed door": "os.close(3)",
}


@pytest.mark.parametrize("what", FORGED)
def test_a_forged_result_is_stopped(sandbox: Sandbox, what: str) -> None:
    execution = sandbox.run(WRITE + FORGED[what])
    assert execution.status == "stopped"
    assert execution.limit is None
    assert execution.error is not None
    assert execution.error.message.startswith("The code was stopped: ")
    assert execution.result.type == "none"
    assert execution.figures == []
    assert result_text(sandbox.run("1 + 1").result) == "2"


@pytest.mark.parametrize(
    "code", ["write(b'', 2**32 - 1)", "write(b'[' * 9_000_000)", "write(b'{}', 9_000_000); import time; time.sleep(60)"]
)
def test_a_gigantic_one_is_stopped_before_it_is_read(sandbox: Sandbox, code: str) -> None:
    execution = sandbox.run(WRITE + code)
    assert (execution.status, execution.limit) == ("stopped", "8 MiB of result")
    assert execution.seconds < 5
    assert result_text(sandbox.run("1 + 1").result) == "2"


def test_a_frame_that_never_ends_is_stopped_by_the_clock(sandbox: Sandbox) -> None:
    code = WRITE + "write(b'{}', 100)\nimport time\ntime.sleep(60)"
    execution = sandbox.run(code, limits=ExecutionLimits(wall_seconds=1))
    assert (execution.status, execution.limit) == ("stopped", "1 s of wall time")


def test_one_that_is_sound_is_believed_as_data_and_no_more(sandbox: Sandbox) -> None:
    """Code may say of itself what it likes: all that makes a difference to others is found out from outside."""
    code = WRITE + "write({'status': 'ok', 'result': {'type': 'text', 'text': '<script>', 'length': 8}}); os._exit(0)"
    execution = sandbox.run(code)
    assert (execution.status, execution.result.model_dump()["text"]) == ("ok", "<script>")
    assert execution.isolation
    assert execution.seconds > 0


def incoming(*pieces: bytes, most: int = 100) -> bytes | None:
    frame = Incoming(most)
    for piece in pieces:
        frame.take(piece)
    return frame.payload()


def test_frames_come_in_pieces() -> None:
    assert incoming(*(bytes([byte]) for byte in framed(b"{}"))) == b"{}"
    assert incoming(framed(b"")) == b""
    assert incoming() is None
    for pieces in ([b"\0"], [framed(b"{}")[:-1]]):
        with pytest.raises(Forged):
            incoming(*pieces)
    for pieces in ([framed(b"{}") + b"x"], [framed(b"{}"), framed(b"{}")]):
        with pytest.raises(Forged):
            incoming(*pieces)
    with pytest.raises(TooLong):
        incoming(struct.pack(">I", 101))


def test_only_plain_json_is_read() -> None:
    assert read(b'{"a": [1, 2.5, null, "\\u00e9"]}') == {"a": [1, 2.5, None, "é"]}
    for payload in (b"", b"NaN", b"[Infinity]", b"\xff", b"[" * 900_000, b"[" * 2_000_000, b"9" * 5_000, b"{'a': 1}"):
        with pytest.raises(Forged):
            read(payload)


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png(width: int = 1, height: int = 1, *more: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(b"\0\0")), *more, chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def test_pictures_are_what_they_say() -> None:
    assert png_size(png()) == (1, 1)
    for wrong in (
        b"",
        b"GIF89a",
        png()[:-1],
        png() + b"<script>",
        png(10**6, 10**6),
        png(0, 5),
        png().replace(b"IDAT", b"IDAX"),
        b"\x89PNG\r\n\x1a\n" + chunk(b"IEND", b""),
    ):
        with pytest.raises(ValueError):
            png_size(wrong)


@pytest.mark.parametrize(
    "figure",
    [
        {"type": "png", "png": base64.b64encode(png()).decode(), "width": 2, "height": 1},
        {"type": "png", "png": "not base64!", "width": 1, "height": 1},
        {"type": "html", "html": "<script>"},
        {"type": "plotly", "figure": [1]},
        {"type": "plotly", "figure": {"data": [{"type": 1}]}},
        {"type": "plotly", "figure": {"layout": []}},
    ],
)
def test_figures_that_are_none_are_refused(figure: dict[str, Any]) -> None:
    good = {"type": "png", "png": base64.b64encode(png()).decode(), "width": 1, "height": 1}
    assert len(Told.model_validate({"status": "ok", "figures": [good]}).figures) == 1
    with pytest.raises(ValidationError):
        Told.model_validate({"status": "ok", "figures": [figure]})
    with pytest.raises(ValidationError):
        Told.model_validate({"status": "ok", "figures": [good] * 21})


def test_values_stay_what_they_are() -> None:
    """Nothing is read as anything else: a text of digits is no number, and a truth is no 1."""
    for value in ("1", 1, 1.0, True, None):
        told = Told.model_validate({"status": "ok", "result": {"type": "scalar", "kind": "mixed", "value": value}})
        found = json.loads(told.model_dump_json())["result"]["value"]
        assert (type(found), found) == (type(value), value)
