"""The LangChain callback that reports every model call to its observers as a `ModelCall`."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import LLMResult

from graphwright.models._failures import failure_of
from graphwright.models._replies import cleaned, ending, json_in
from graphwright.models.usage import NAME, ModelCall, Observer, calling_node, observers


@dataclass(frozen=True, slots=True)
class _Run:
    model: str
    node: str
    offered: tuple[str, ...]
    schema: str
    prompt: tuple[BaseMessage, ...]
    started: float
    observers: tuple[Observer, ...]


_attempt: ContextVar[tuple[tuple[str, ...], set[UUID]] | None] = ContextVar("graphwright_attempt", default=None)
"""A call by a function of this package: the names that it offers, and the runs that it has started."""


class Recorder(BaseCallbackHandler):
    """Records the start and the end of each run. One instance serves the process."""

    run_inline = True

    def __init__(self) -> None:
        self._runs: dict[UUID, _Run] = {}
        self._lock = threading.Lock()

    @contextmanager
    def attempt(self, offered: tuple[str, ...]) -> Iterator[None]:
        """Mark a call that offers these names. If it raises, the open runs end with that failure."""
        runs: set[UUID] = set()
        token = _attempt.set((offered, runs))
        try:
            yield
        except BaseException as error:
            # A cancelled call never reaches on_llm_error.
            for run_id in runs:
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
        offered, runs = attempt or (_tool_names(params), set())
        runs.add(run_id)
        prompt = tuple(messages[0]) if messages else ()
        run = _Run(model, calling_node(), offered, _schema(params), prompt, time.monotonic(), observers())
        with self._lock:
            self._runs[run_id] = run

    def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        messages = [getattr(each, "message", None) for part in response.generations for each in part]
        self._end(run_id, [message for message in messages if isinstance(message, AIMessage)])

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
            input_tokens=sum(_number(usage["input_tokens"]) for usage in used),
            output_tokens=sum(_number(usage["output_tokens"]) for usage in used),
            error=error,
            answer=as_rule(replies[0], run.schema) if replies else {},
            prompt=run.prompt,
        )
        for observer in run.observers:
            observer(call)


def _number(reported: Any) -> int:
    """Return a number of tokens; 0 if the server reports it in another form."""
    return reported if isinstance(reported, int) else 0


def as_rule(reply: AIMessage, schema: str = "") -> dict[str, Any]:
    """Return an answer as a rule of a scripted model without conditions: `{call}`, `{text}`, `{raw}` or `{fail}`.

    `schema` is the name of the required schema. The text of an answer with calls is left out. Arguments that are not
    JSON stay text. Thoughts at the beginning of a text are left out.
    """
    reply = cleaned(reply)
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
        value = json.loads(json_in(text))
    except (ValueError, RecursionError):
        value = None
    return {"call": {schema: value}} if isinstance(value, dict) else {"raw": text}


def _code(error: BaseException) -> str:
    if isinstance(error, asyncio.CancelledError | GeneratorExit | KeyboardInterrupt):
        return "cancelled"
    return failure_of(error).code


RECORDER = Recorder()


def recorded(model: BaseChatModel) -> BaseChatModel:
    """Return the model with the recorder; a model that already has it is returned unchanged."""
    callbacks = model.callbacks
    handlers = callbacks if isinstance(callbacks, list) else callbacks.handlers if callbacks else []
    if RECORDER in handlers:
        return model
    return model.model_copy(update={"callbacks": [*handlers, RECORDER]})


def _tool_names(params: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the tools and the schema in a request of a direct call, in the formats of the providers."""
    tools = [tool.get("function") or tool for tool in params.get("tools") or () if isinstance(tool, Mapping)]
    return tuple(str(name) for name in (*(tool.get("name") for tool in tools), _schema(params)) if name)


def _schema(params: Mapping[str, Any]) -> str:
    """Return the name of the schema that the answer must follow; empty without one."""
    wanted = params.get("response_format")
    name = (wanted.get("json_schema") or {}).get("name") if isinstance(wanted, Mapping) else ""
    return str(name or "")
