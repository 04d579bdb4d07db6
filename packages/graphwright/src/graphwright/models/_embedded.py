"""The embedded model as a LangChain chat model. It runs in this process, with a grammar if JSON is required."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models.model_profile import ModelProfile
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    SystemMessage,
    ToolCall,
    ToolMessage,
)
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

from graphwright.errors import exception_text
from graphwright.models import _server as server
from graphwright.models import _tool_emulation as tool_emulation
from graphwright.models._failures import MalformedReply, RejectedRequest
from graphwright.models._tool_binding import Binding, ToolBindingChatModel, binding_of

_SYSTEM = "You are a precise assistant."
"""The system message of a prompt without one; the model's template would insert its vendor's text."""


class EmbeddedChatModel(ToolBindingChatModel):
    """A chat model over the GGUF file in `path`, which is loaded by the first call.

    `bind_tools` and `with_structured_output` constrain the decoding by JSON Schema. With `temperature` 0 and the fixed
    seed, the same prompt has the same answer. `max_tokens` limits an answer; reaching it is a failure.
    """

    path: Path
    temperature: float = 0.0
    max_tokens: int = 1024
    seed: int = 7
    profile: ModelProfile | None = Field(default=ModelProfile(max_input_tokens=server.CONTEXT - 1024), exclude=True)

    @property
    def _llm_type(self) -> str:
        return "embedded"

    @property
    def _identifying_params(self) -> dict[str, Any]:
        return {"path": str(self.path), "temperature": self.temperature}

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        binding = binding_of(kwargs)
        return self._result(self._complete(messages, binding, stop, None, threading.Event()), binding)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        binding = binding_of(kwargs)
        halt = threading.Event()
        try:
            done = await asyncio.to_thread(self._complete, messages, binding, stop, None, halt)
        finally:
            # A cancelled call would otherwise occupy the only slot until its end.
            halt.set()
        return self._result(done, binding)

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        binding = binding_of(kwargs)
        loop = asyncio.get_running_loop()
        halt = threading.Event()
        queue: asyncio.Queue[str | None] = asyncio.Queue()

        def run() -> server.Completion:
            def put(text: str | None) -> None:
                loop.call_soon_threadsafe(queue.put_nowait, text)

            try:
                return self._complete(messages, binding, stop, put, halt)
            finally:
                put(None)

        working = asyncio.ensure_future(asyncio.to_thread(run))
        try:
            while (text := await queue.get()) is not None:
                chunk = ChatGenerationChunk(message=AIMessageChunk(content=text))
                if run_manager:
                    await run_manager.on_llm_new_token(text, chunk=chunk)
                yield chunk
            done = await working
            yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=_usage(done)))
        finally:
            halt.set()
            if not working.done():
                # The result is not needed any more, but an exception that is never retrieved would be logged.
                working.add_done_callback(lambda task: task.cancelled() or task.exception())

    def _complete(
        self,
        messages: Sequence[BaseMessage],
        binding: Binding,
        stop: list[str] | None,
        on_text: Any,
        halt: threading.Event,
    ) -> server.Completion:
        body: dict[str, Any] = {
            "messages": chat_turns(messages, binding),
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
        }
        if stop:
            body["stop"] = stop
        wanted = _constraint(binding)
        if wanted is not None:
            body["grammar"] = tool_emulation.grammar(wanted)
        engine = server.engine(self.path)
        server.prepare(engine, self.path, chat_turns(_examples(messages), binding))
        done = server.complete(engine, body, on_text=on_text, stop=halt)
        if wanted is not None and not stop and not halt.is_set():
            _require_json(done.text, binding)
        return done

    def _result(self, done: server.Completion, binding: Binding) -> ChatResult:
        content, calls = done.text, []
        if binding.tools:
            try:
                pairs, content = tool_emulation.read_answer(done.text)
            except ValueError as error:
                raise MalformedReply(
                    f"The embedded model's answer is not a tool call: {exception_text(error)}."
                ) from None
            calls = [ToolCall(name=name, args=args, id=f"call_{uuid4().hex[:12]}") for name, args in pairs]
        message = AIMessage(
            content=content,
            tool_calls=calls,
            usage_metadata=_usage(done),
            response_metadata={"model_name": self.path.name, "cached_tokens": done.cached},
        )
        return ChatResult(generations=[ChatGeneration(message=message)])


def _examples(messages: Sequence[BaseMessage]) -> Sequence[BaseMessage]:
    """Return the messages up to the last example, the part of a prompt that is the same for all users. Often empty."""
    last = max((i for i, m in enumerate(messages) if m.additional_kwargs.get("example")), default=-1)
    return messages[: last + 1]


_AFTER_RESULT = "\n\nNow reply to the user, unless another call is needed, one that was not made yet."
"""Added to the last result. Without it a small model repeats the call that it sees."""


def chat_turns(messages: Sequence[BaseMessage], binding: Binding) -> list[dict[str, str]]:
    """Return the messages as plain turns: one system turn, then user and assistant.

    The tools or the schema are explained at the end of the system turn: the text is the same in every call, and the
    engine reads the common beginning of prompts only once. Tool calls of earlier turns appear as the JSON that the
    model has to write itself, their results as messages of the user.
    """
    system = [str(message.text) for message in messages if isinstance(message, SystemMessage)] or [_SYSTEM]
    if binding.schema is not None:
        system.append(tool_emulation.schema_prompt(binding.schema))
    elif binding.tools:
        system.append(tool_emulation.tools_prompt(binding.tools, **_form(binding)))
    turns = [{"role": "system", "content": "\n\n".join(part for part in system if part.strip())}]
    names: dict[str, str] = {}
    last = messages[-1] if messages else None
    for message in messages:
        if isinstance(message, SystemMessage):
            continue
        if isinstance(message, ToolMessage):
            if message.additional_kwargs.get("example"):
                continue  # An example shows a call; its result has no information.
            name = message.name or names.get(message.tool_call_id, "the tool")
            hint = _AFTER_RESULT if message is last and binding.tools and not binding.required else ""
            turns.append({"role": "user", "content": f"Result of {name}: {message.text}{hint}"})
        elif isinstance(message, AIMessage):
            names.update({str(call["id"]): call["name"] for call in message.tool_calls})
            turns.append({"role": "assistant", "content": _content(message, binding)})
        else:
            turns.append({"role": "user", "content": message.text})
    return turns


def _content(message: AIMessage, binding: Binding) -> str:
    if message.tool_calls:
        return tool_emulation.said_calls([(call["name"], call["args"]) for call in message.tool_calls])
    text = message.text
    if binding.tools and not binding.required and not text.lstrip().startswith("{"):
        return tool_emulation.compact({"reply": text})
    if binding.schema is not None and text.lstrip().startswith("{"):
        try:
            return tool_emulation.compact(json.loads(text))
        except ValueError:
            return text
    return text


def _constraint(binding: Binding) -> dict[str, Any] | None:
    if binding.schema is not None:
        return tool_emulation.constraint(binding.schema)
    return tool_emulation.tools_constraint(binding.tools, **_form(binding)) if binding.tools else None


def _form(binding: Binding) -> dict[str, Any]:
    return {"most": tool_emulation.MOST_CALLS if binding.several else 1, "reply": not binding.required}


def _require_json(text: str, binding: Binding) -> None:
    # The engine does not report an unsupported schema: it just stops generating.
    try:
        json.loads(text)
    except ValueError:
        raise RejectedRequest(
            f"The embedded model cannot follow the schema of {', '.join(binding.names)}; it stopped after "
            f"{text[-80:]!r}.",
            "Use plain JSON Schema: types, enum, const, anyOf, bounds, references that exist and simple patterns.",
        ) from None


def _usage(done: server.Completion) -> UsageMetadata:
    return UsageMetadata(
        input_tokens=done.input_tokens,
        output_tokens=done.output_tokens,
        total_tokens=done.input_tokens + done.output_tokens,
    )
