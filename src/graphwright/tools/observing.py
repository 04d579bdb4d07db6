"""Who wants to know of tool calls: observers of the calls made in a context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    """One finished call of a tool. `arguments` are the names that were given, without the values.

    `kind` and `error` are those of its `ToolResult`, empty when it went well.
    """

    tool: str
    arguments: tuple[str, ...]
    seconds: float
    kind: str = ""
    error: str = ""


Observer = Callable[[ToolUse], None]

_observers: ContextVar[tuple[Observer, ...]] = ContextVar("graphwright_tool_observers", default=())


@contextmanager
def observe_tools(callback: Observer) -> Iterator[None]:
    """After each tool call made inside, in tasks and threads started from here too, `callback` gets it.

    The callback runs where the call ended, possibly in another thread, and should return at once.
    """
    token = _observers.set((*_observers.get(), callback))
    try:
        yield
    finally:
        _observers.reset(token)


def tell_observers(use: ToolUse) -> None:
    """Hand a call to all who want to know of it."""
    for observer in _observers.get():
        observer(use)
