"""Counting and observing the model calls of a context, and their cost by the configured prices."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graphwright.config import current

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage

__all__ = ["currency", "call_cost"]


NAME = "graphwright_model"
"""The metadata key for the name of a loaded model."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """One finished model call; each retry is a separate call.

    `offered` are the names of the tools or of the schema; `error` is empty on success. `answer` is the answer in the
    format of `recorder.as_rule`, empty on failure. `prompt` is the request, for observers only: it is not written to a
    trace.
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
    """The usage so far. Failed calls count as calls; tokens are those that the provider reported."""

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
    """Return the observers of calls that start in this context."""
    return _observers.get()


def calling_node() -> str:
    """Return the id of the node that calls models in this context; empty outside of nodes."""
    return _node.get()


@contextmanager
def observe_calls(callback: Observer) -> Iterator[None]:
    """Call `callback` after each model call inside, including those of tasks and threads started here.

    The callback runs where the call ended, possibly in another thread, and should return quickly.
    """
    token = _observers.set((*_observers.get(), callback))
    try:
        yield
    finally:
        _observers.reset(token)


@contextmanager
def count_usage() -> Iterator[Usage]:
    """Count all model calls inside. Counters may be nested; each counts separately."""
    usage = Usage()
    with observe_calls(usage.add):
        yield usage


@contextmanager
def calling(node: str) -> Iterator[None]:
    """Set the node on whose behalf models are called inside."""
    token = _node.set(node)
    try:
        yield
    finally:
        _node.reset(token)


_MILLION = 1_000_000


def currency() -> str:
    """Return the currency of the prices, such as `USD`."""
    return str(current().models.get("currency") or "USD")


def call_cost(event: Mapping[str, Any]) -> float | None:
    """Return the cost of a `model_called` event in that currency, or None if its model has no price."""
    price = current().models.get("prices", {}).get(event.get("model", ""))
    if price is None:
        return None
    spent = sum(event.get(f"{side}_tokens", 0) * price.get(side, 0) for side in ("input", "output"))
    return float(spent / _MILLION)
