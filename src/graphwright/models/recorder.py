"""The LangChain callback that reports every call of a model to its observers as a `ModelCall`."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult

from graphwright.models.failures import ending, failure_of
from graphwright.models.usage import NAME, ModelCall, Observer, calling_node, observers


@dataclass(slots=True)
class Attempt:
    """A call made by a function of this package: the names that it offers, and the runs that it has started."""

    offered: tuple[str, ...] = ()
    runs: set[UUID] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _Run:
    model: str
    node: str
    offered: tuple[str, ...]
    schema: str
    prompt: tuple[BaseMessage, ...]
    started: float
    observers: tuple[Observer, ...]


_attempt: ContextVar[Attempt | None] = ContextVar("graphwright_model_attempt", default=None)


class Recorder(BaseCallbackHandler):
    """Records the start and the end of each run. One instance serves the process."""

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
                self._end(run_id, error=_code(error))
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
        params = kwargs.get("invocation_params") or {}
        offered = attempt.offered if attempt else offered_in(params)
        if attempt:
            attempt.runs.add(run_id)
        prompt = tuple(messages[0]) if messages else ()
        run = _Run(model, calling_node(), offered, schema_in(params), prompt, time.monotonic(), observers())
        with self._lock:
            self._runs[run_id] = run

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id, [m for part in response.generations for g in part if (m := _message(g)) is not None])

    def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        self._end(run_id, error=_code(error))

    def _end(self, run_id: UUID, replies: Sequence[AIMessage] = (), error: str = "") -> None:
        with self._lock:
            run = self._runs.pop(run_id, None)
        if run is None:
            return
        used = [reply.usage_metadata for reply in replies if reply.usage_metadata]
        call = ModelCall(
            model=run.model,
            node=run.node,
            offered=run.offered,
            seconds=time.monotonic() - run.started,
            input_tokens=sum(usage["input_tokens"] for usage in used),
            output_tokens=sum(usage["output_tokens"] for usage in used),
            error=error,
            answer=as_rule(replies[0], run.schema) if replies else {},
            prompt=run.prompt,
        )
        for observer in run.observers:
            observer(call)


def as_rule(reply: AIMessage, schema: str = "") -> dict[str, Any]:
    """An answer as a rule of a scripted model without conditions: `{call}`, `{text}`, `{raw}` or `{fail}`.

    `schema` is the name of the schema that the answer had to follow. The text of an answer with calls is left out.
    Arguments that are no JSON are the text that came.
    """
    if end := ending(reply):
        return {"fail": end}
    calls: list[tuple[str, Any]] = [(call["name"], call["args"]) for call in reply.tool_calls]
    calls += [(call["name"] or "", call["args"] or "") for call in reply.invalid_tool_calls]
    if calls:
        names = {name for name, _ in calls}
        return {"call": dict(calls) if len(names) == len(calls) else [{name: args} for name, args in calls]}
    text = reply.text
    if not text.strip():
        return {"fail": "empty"}
    if not schema:
        return {"text": text}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return {"call": {schema: value}} if isinstance(value, dict) else {"raw": text}


def _message(generation: Any) -> AIMessage | None:
    message = generation.message if isinstance(generation, ChatGeneration) else None
    return message if isinstance(message, AIMessage) else None


def _code(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt):
        return "cancelled"
    return failure_of(error).code


RECORDER = Recorder()


def recorded(model: BaseChatModel) -> BaseChatModel:
    """The model with the recorder on it; a model that has it already is returned as it is."""
    callbacks = model.callbacks
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers if callbacks else []
    if RECORDER in handlers:
        return model
    return model.model_copy(update={"callbacks": [*handlers, RECORDER]})


def offered_in(params: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the tools and the schema in a request, as the various providers write them."""
    names: list[str] = []
    for tool in params.get("tools") or ():
        if isinstance(tool, Mapping):
            name = (tool.get("function") or tool).get("name")
            names += [str(name)] if name else []
    schema = schema_in(params)
    return (*names, schema) if schema else tuple(names)


def schema_in(params: Mapping[str, Any]) -> str:
    """The name of the schema that the answer has to follow; empty where there is none."""
    wanted = params.get("response_format")
    name = (wanted.get("json_schema") or {}).get("name") if isinstance(wanted, Mapping) else ""
    return str(name or "")
