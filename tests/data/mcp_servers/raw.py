"""A hand-written MCP server of the old protocol, which can violate it. It needs no packages.

Usage: raw.py [MODE] [FOLDER]. In FOLDER `tools.json` adds declarations, and cancelled requests are recorded there.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

MODE = sys.argv[1] if len(sys.argv) > 1 else ""
FOLDER = Path(sys.argv[2]) if len(sys.argv) > 2 else None
NAMES = [
    *("echo", "pid", "environment", "hang", "block", "die", "die_answering", "flood", "garbage", "banner", "noise"),
    *("change", "child", "fail", "refuse", "surrogates", "endless", "meet"),
]
LOCK = threading.Lock()
WAITING: list[Any] = []


def say(message: dict[str, Any]) -> None:
    line(json.dumps({"jsonrpc": "2.0", **message}))


def line(text: str) -> None:
    with LOCK:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()


def answer(id: Any, *blocks: dict[str, Any], **others: Any) -> None:
    say({"id": id, "result": {"content": list(blocks), **others}})


def text(words: object) -> dict[str, Any]:
    return {"type": "text", "text": str(words)}


def listed() -> list[dict[str, Any]]:
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in NAMES]
    extra = FOLDER / "tools.json" if FOLDER else None
    return tools + (json.loads(extra.read_text("utf-8")) if extra and extra.exists() else [])


def call(id: Any, name: str, given: dict[str, Any]) -> None:
    match name:
        case "echo":
            answer(id, text(given.get("text", "")))
        case "pid":
            answer(id, text(os.getpid()))
        case "environment":
            answer(id, text(json.dumps(dict(os.environ))))
        case "hang" if FOLDER:
            (FOLDER / "hangs").touch()
        case "hang":
            pass
        case "block":
            time.sleep(600)
        case "die":
            sys.stderr.write("out of cheese\n")
            sys.stderr.flush()
            os._exit(9)
        case "die_answering":
            sys.stdout.write('{"jsonrpc":"2.0","id":')
            sys.stdout.flush()
            os._exit(1)
        case "flood":
            answer(id, text("x" * given.get("bytes", 50 * 2**20)))
        case "endless":
            while True:
                sys.stdout.write("x" * 65536)
        case "garbage":
            line('{"jsonrpc": "2.0", "id": 1, "result": {"content": [')
            line("\x00\xff not json")
        case "banner":
            line("Welcome to the server!")
            answer(id, text("after the banner"))
        case "noise":
            sys.stderr.write("noise\n" * 200_000)
            answer(id, text("quiet again"))
        case "change":
            NAMES.append("new")
            NAMES.remove("echo")
            say({"method": "notifications/tools/list_changed"})
            answer(id, text("changed"))
        case "child":
            sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
            answer(id, text(sleeper.pid))
        case "meet":
            WAITING.append(id)
            if len(WAITING) == given["of"]:
                for one in WAITING:
                    answer(one, text("all are here"))
        case "fail":
            answer(id, text("no such magnet"), isError=True)
        case "refuse":
            say({"id": id, "error": {"code": -32603, "message": "internal \x1b[31mtrouble"}})
        case "surrogates":
            answer(id, text("half a pair: \ud83d and a tag: \U000e0041"))
        case _:
            say({"id": id, "error": {"code": -32602, "message": f"Unknown tool: {name}"}})


def main() -> None:
    if MODE == "dead":
        sys.stderr.write("cannot find the database\npassword=geheim123\n")
        sys.exit(3)
    if MODE == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MODE == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    for written in sys.stdin:
        message = json.loads(written)
        method, id = message.get("method"), message.get("id")
        if MODE == "silent":
            continue
        if method == "initialize":
            serves = {"tools": {"listChanged": True}}
            info = {"name": "raw", "version": "1"}
            say({"id": id, "result": {"protocolVersion": "2025-06-18", "capabilities": serves, "serverInfo": info}})
        elif method == "tools/list":
            say({"id": id, "result": {"tools": listed()}})
        elif method == "tools/call":
            call(id, message["params"]["name"], message["params"].get("arguments") or {})
        elif method == "notifications/cancelled" and FOLDER:
            (FOLDER / "cancelled").write_text(json.dumps(message["params"]), "utf-8")
        elif id is not None:
            say({"id": id, "error": {"code": -32601, "message": "Method not found"}})
    while MODE == "stubborn":
        time.sleep(1)


if __name__ == "__main__":
    main()
