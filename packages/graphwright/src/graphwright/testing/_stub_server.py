"""The MCP server of a conversation file: a program without dependencies that answers tool calls with stubs.

Usage: stub_server.py FILE USED. FILE is JSON, `{"tools": [declarations], "stubs": {TOOL: [stubs]}}`; the line `["TOOL",
NUMBER]` is appended to USED when a stub answers, or `["TOOL", ARGUMENTS]` if none matches.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def fits(wanted: Any, given: Any) -> bool:
    """Return whether a value matches: objects may have more keys; everything else must be equal as JSON."""
    if isinstance(wanted, Mapping) and isinstance(given, Mapping):
        return all(name in given and fits(value, given[name]) for name, value in wanted.items())
    if isinstance(wanted, list) and isinstance(given, list):
        return len(wanted) == len(given) and all(map(fits, wanted, given))
    return isinstance(wanted, bool) is isinstance(given, bool) and bool(wanted == given)


def chosen(stubs: Sequence[Mapping[str, Any]], used: Sequence[int], given: Any) -> int | None:
    """Return the number of the first stub whose `when` matches and that was not yet used `times` times, or None."""
    for number, stub in enumerate(stubs):
        left = stub.get("times") is None or used.count(number) < stub["times"]
        if left and fits(stub.get("when") or {}, given):
            return number
    return None


def _answer(tool: str, stubs: Sequence[Mapping[str, Any]], given: Any, log: Path) -> dict[str, Any]:
    lines = map(json.loads, log.read_text("utf-8").splitlines()) if log.exists() else ()
    number = chosen(stubs, [number for name, number in lines if name == tool and isinstance(number, int)], given)
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps([tool, given if number is None else number]) + "\n")
    if number is None:
        return _failed("No stub of the conversation file answers this call.")
    stub = stubs[number]
    if stub.get("fails"):
        return _failed(stub["fails"]["message"])
    value = stub.get("returns")
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    content: dict[str, Any] = {"content": [{"type": "text", "text": text}]}
    return {**content, "structuredContent": value} if isinstance(value, Mapping) else content


def _failed(text: str) -> dict[str, Any]:
    return {"content": [{"type": "text", "text": text}], "isError": True}


def _result(message: Mapping[str, Any], spec: Mapping[str, Any], log: Path) -> dict[str, Any] | None:
    """Return the result of a request, or None for an unknown method or tool."""
    params = message.get("params") or {}
    match message["method"]:
        case "initialize":
            info = {"name": "stubs", "version": "1"}
            return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": info}
        case "tools/list":
            return {"tools": spec["tools"]}
        case "tools/call" if params.get("name") in spec["stubs"]:
            return _answer(params["name"], spec["stubs"][params["name"]], params.get("arguments") or {}, log)
        case "ping":
            return {}
    return None


def main(file: str, used: str) -> None:
    """Answer the requests on stdin until it ends."""
    spec = json.loads(Path(file).read_text("utf-8"))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message or "method" not in message:
            continue
        result = _result(message, spec, Path(used))
        answer = {"error": {"code": -32601, "message": "There is no such method or tool"}}
        answer = answer if result is None else {"result": result}
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
