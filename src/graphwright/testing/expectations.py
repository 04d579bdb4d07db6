"""Comparing a turn with what is expected of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from graphwright.testing.conversation import Expect


def mismatches(expect: Expect, turn: Mapping[str, Any]) -> list[str]:
    """How a turn's JSON differs from what is expected of it, one line a difference.

    Where the path is expected the turn has it as `active_path`.
    """
    wrong: list[str] = []

    def compare(name: str, wanted: Any, got: Any) -> None:
        if wanted is not None and not _same(wanted, got):
            wrong.append(f"{name}: expected {wanted!r}, got {got!r}")

    waiting = turn["waiting_for"]
    compare("status", expect.status, turn["status"])
    compare("node", expect.node, waiting["node"] if waiting else (turn["path"] or [None])[-1])
    for key, value in (expect.answers or {}).items():
        got = _dotted(turn["values"]["answers"], key)
        if not _same(value, got):
            wrong.append(f"answer {key}: expected {value!r}, got {got!r}")
    for name, value in (expect.values or {}).items():
        got = turn["values"].get(name)
        if not _same(value, got):
            wrong.append(f"channel {name}: expected {value!r}, got {got!r}")
    reply = turn["reply"]
    for text in _texts(expect.reply):
        if text.casefold() not in reply.casefold():
            wrong.append(f"reply: expected {text!r} in it, got {reply!r}")
    for text in _texts(expect.not_reply):
        if text.casefold() in reply.casefold():
            wrong.append(f"reply: expected no {text!r} in it, got {reply!r}")
    compare("path", expect.path, turn["path"])
    if expect.passes is not None and not _in_order(expect.passes, turn["path"]):
        wrong.append(f"path: expected {expect.passes!r} in this order, got {turn['path']!r}")
    if expect.active_path is not None:
        compare("active_path", expect.active_path, turn["active_path"])
    compare("error", expect.error, (turn["error"] or {}).get("code"))
    compare("model_calls", expect.model_calls, turn["usage"]["model_calls"])
    return wrong


def _same(wanted: Any, got: Any) -> bool:
    """Equality as JSON has it: a number is no yes or no."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(_same, wanted, got))
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        return wanted.keys() == got.keys() and all(_same(value, got[key]) for key, value in wanted.items())
    return bool(wanted == got)


def _texts(value: str | list[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def _dotted(answers: Any, key: str) -> Any:
    for part in key.split("."):
        answers = answers.get(part) if isinstance(answers, Mapping) else None
    return answers


def _in_order(wanted: Sequence[str], path: Sequence[str]) -> bool:
    rest = iter(path)
    return all(node in rest for node in wanted)
