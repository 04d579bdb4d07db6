"""Counting and observing the model calls that are made in a context."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

NAME = "graphwright_model"
"""The metadata key under which a loaded model carries its name."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One finished call of a model, a retry being a call of its own.

    `offered` are the names of the tools or of the schema it was given; `error` is empty when it answered. `answer` is
    what it answered, as `recorder.as_rule` writes it; empty when it failed. `prompt` is what it was sent,
    for observers alone: it goes into no trace.
    """

    model: str
    node: str
    offered: tuple[str, ...]
    seconds: float
    input_tokens: int
    output_tokens: int
    error: str = ""
    answer: Mapping[str, Any] = field(default_factory=dict)
    prompt: Sequence[BaseMessage] = field(default=(), repr=False)


@dataclass(slots=True)
class Usage:
    """What was used so far. Failed calls count as calls; tokens are those the provider reported."""

    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, call: ModelCall) -> None:
        self.model_calls += 1
        self.input_tokens += call.input_tokens
        self.output_tokens += call.output_tokens


Observer = Callable[[ModelCall], None]

_observers: ContextVar[tuple[Observer, ...]] = ContextVar("graphwright_model_observers", default=())
_node: ContextVar[str] = ContextVar("graphwright_calling_node", default="")


def observers() -> tuple[Observer, ...]:
    """The observers of calls that start in this context."""
    return _observers.get()


def calling_node() -> str:
    """The id of the node that calls models in this context; empty outside of any."""
    return _node.get()


@contextmanager
def observe_calls(callback: Observer) -> Iterator[None]:
    """After each model call made inside, in tasks and threads started from here too, `callback` gets it.

    The callback runs where the call ended, possibly in another thread, and should return at once.
    """
    token = _observers.set((*_observers.get(), callback))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def count_usage() -> Iterator[Usage]:
    """Counts all model calls made inside. Counters may be nested; each counts for itself."""
    usage = Usage()
    with observe_calls(usage.add):
        yield usage


@contextmanager
def calling(node: str) -> Iterator[None]:
    """Names the node on whose behalf models are called inside."""
    token = _node.set(node)
    try:
        yield
    finally:
        _node.reset(token)
