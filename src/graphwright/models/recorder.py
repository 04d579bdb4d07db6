"""The LangChain callback that turns every call of a model into a `ModelCall` for its observers."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from graphwright.models.failures import failure_of
from graphwright.models.usage import NAME, ModelCall, Observer, calling_node, observers


@dataclass(slots=True)
class Attempt:
    """A call made through our own doors: what it offers, and the runs it has opened."""

    offered: tuple[str, ...] = ()
    runs: set[UUID] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Run:
    model: str
    node: str
    offered: tuple[str, ...]
    began: float
    observers: tuple[Observer, ...]


_attempt: ContextVar[Attempt | None] = ContextVar("graphwright_model_attempt", default=None)


class Recorder(BaseCallbackHandler):
    """Notes the beginning and the end of each run. One instance serves the process."""

    run_inline = True

    def __init__(self) -> None:
        self._runs: dict[UUID, _Run] = {}
        self._lock = threading.Lock()

    @contextmanager
    def attempt(self, offered: tuple[str, ...]) -> Iterator[None]:
        """A call that offers these names; a run still open when it fails ends with that failure."""
        attempt = Attempt(offered)
        token = _attempt.set(attempt)
        try:
            yield
        except BaseException as error:
            # A cancelled call never reaches on_llm_error.
            for run_id in attempt.runs:
                self._end(run_id, 0, 0, _code(error))
            raise
        finally:
            _attempt.reset(token)

    def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        known = metadata or {}
        model = str(known.get(NAME) or known.get("ls_model_name") or (serialized or {}).get("name") or "")
        attempt = _attempt.get()
        offered = attempt.offered if attempt else offered_in(kwargs.get("invocation_params") or {})
        if attempt:
            attempt.runs.add(run_id)
        run = _Run(model, calling_node(), offered, time.monotonic(), observers())
        with self._lock:
            self._runs[run_id] = run

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        tokens_in = tokens_out = 0
        for generations in response.generations:
            for generation in generations:
                message = generation.message if isinstance(generation, ChatGeneration) else None
                if isinstance(message, AIMessage) and message.usage_metadata:
                    tokens_in += message.usage_metadata["input_tokens"]
                    tokens_out += message.usage_metadata["output_tokens"]
        self._end(run_id, tokens_in, tokens_out, "")

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id, 0, 0, _code(error))

    def _end(self, run_id: UUID, tokens_in: int, tokens_out: int, error: str) -> None:
        with self._lock:
            run = self._runs.pop(run_id, None)
        if run is None:
            return
        seconds = time.monotonic() - run.began
        call = ModelCall(run.model, run.node, run.offered, seconds, tokens_in, tokens_out, error)
        for observer in run.observers:
            observer(call)


def _code(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt):
        return "cancelled"
    return failure_of(error).code


RECORDER = Recorder()


def watched(model: BaseChatModel) -> BaseChatModel:
    """The model with the recorder on it; a model that has it already is returned as it is."""
    held = model.callbacks
    handlers = held if isinstance(held, list) else held.handlers if held else []
    if RECORDER in handlers:
        return model
    return model.model_copy(update={"callbacks": [*handlers, RECORDER]})


def offered_in(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of tools and schema in a request, as the various providers write them."""
    names: list[str] = []
    for tool in params.get("tools") or ():
        if isinstance(tool, Mapping):
            name = (tool.get("function") or tool).get("name")
            names += [str(name)] if name else []
    wanted = params.get("response_format")
    if isinstance(wanted, Mapping):
        name = (wanted.get("json_schema") or {}).get("name")
        names += [str(name)] if name else []
    return tuple(names)
