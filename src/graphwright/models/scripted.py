"""The scripted model: a chat model that answers by rules, for tests and for trials of a flow without a model."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, InvalidToolCall, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from graphwright.models.calls import REPAIR, blocking
from graphwright.models.failures import ModelFailure, UnexpectedCall
from graphwright.models.rules import Failure, Request, Rule, Script, make_script, read_script
from graphwright.models.tool_binding import Binding, ToolBindingChatModel, binding_of
from graphwright.models.usage import calling_node


class ScriptedProviderError(Exception):
    """An exception as a provider's client raises it, for a rule with `fail`. It asks for no pause before the retry."""

    retry_after = 0.0

    def __init__(self, message: str, status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class ScriptedTimeout(ScriptedProviderError, TimeoutError):
    """The provider did not answer in time."""


class ScriptedConnectionError(ScriptedProviderError, ConnectionError):
    """The connection to the provider failed."""


class ScriptedModel(ToolBindingChatModel):
    """A chat model over a list of rules, tried in order; the first that matches a request answers it.

    A rule matches if the request offers the names in `offers`, and `says` is found in the last user message and
    `anywhere` in the whole prompt (regular expressions, ignoring case). It answers with `call`, `text`, `raw` or
    `fail`; after `times` answers it is skipped. `delay` seconds pass before the answer, or before each piece of a
    `stream`. A request that no rule matches raises `UnexpectedCall`. `reply_by` replaces the rules by replies.

        ScriptedModel.from_rules([
            {"offers": "UpdateAnswers", "says": "ann",
             "call": {"UpdateAnswers": {"answers": [{"key": "name", "value": "Ann", "quote": "Ann"}]}}},
            {"text": "I cannot say."},
        ])
    """

    _script: Script = PrivateAttr()

    @classmethod
    def from_rules(cls, rules: Sequence[Mapping[str, Any]], name: str = "rules") -> ScriptedModel:
        """Return a model over rules in memory. Raises `BadRules`."""
        return cls._over(make_script(list(rules), name))

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """Return a model over a YAML or JSON file of rules. Raises `BadRules`."""
        return cls._over(read_script(path))

    @classmethod
    def _over(cls, script: Script) -> ScriptedModel:
        model = cls()
        model._script = script
        return model

    def verify(self) -> list[str]:
        """Return descriptions of the rules with remaining `times`; empty if every rule was used often enough."""
        return self._script.leftovers()

    def reply_by(self, replies: Sequence[Rule] | None, name: str = "") -> None:
        """Answer only by these replies from now on, strictly in order, each once; None: by the rules again.

        `name` is their name in messages. A request after the last one, or one that the next one does not match, raises
        `UnexpectedCall`.
        """
        self._script.reply_by(replies, name)

    def replies_left(self) -> list[str]:
        """Return descriptions of the replies that no request has used."""
        return self._script.replies_left()

    @property
    def unexpected(self) -> Sequence[UnexpectedCall]:
        """All requests so far that no rule answered, including those whose failure was caught."""
        return tuple(self._script.unexpected)

    @property
    def unanswered(self) -> str:
        """A description of the request that is being answered; empty if there is none."""
        return str(self._script.pending) if self._script.pending is not None else ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return blocking(self._agenerate(messages, stop, None, **kwargs))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        binding = binding_of(kwargs)
        rule = self._rule(messages, binding)
        await asyncio.sleep(rule.delay)
        answer = self._answer(rule, binding, messages)
        self._script.pending = None
        return ChatResult(generations=[ChatGeneration(message=answer)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        binding = binding_of(kwargs)
        rule = self._rule(messages, binding)
        for chunk in _chunks(rule, self._answer(rule, binding, messages)):
            await asyncio.sleep(rule.delay)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk
        self._script.pending = None

    def _rule(self, messages: Sequence[BaseMessage], binding: Binding) -> Rule:
        last = messages[-1] if messages else None
        repair = last.text if last is not None and last.response_metadata.get(REPAIR) else ""
        prompt = _whole_prompt(messages)
        return self._script.take(Request(calling_node(), binding.names, _last_words(messages), prompt, repair))

    def _answer(self, rule: Rule, binding: Binding, messages: Sequence[BaseMessage]) -> AIMessage:
        if rule.fail is not None:
            self._script.pending = None
            return _failed(rule.fail)
        words = rule.text if rule.text is not None else rule.raw
        content = words if words is not None else "".join(_pieces(rule))
        calls: list[ToolCall] = []
        broken: list[InvalidToolCall] = []
        if rule.call and binding.schema is not None:
            names = [name for name, _ in rule.call]
            if names != [binding.schema_name]:
                raise self._script.noted(
                    UnexpectedCall(
                        f"{self._script.name}: {rule} calls {', '.join(names)}, but the request of node "
                        f"{calling_node() or '(none)'} wants one object {binding.schema_name}.",
                        f"Write `call: {{{binding.schema_name}: {{...}}}}`, or give the rule `offers`.",
                    )
                )
            args = rule.call[0][1]
            content = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False, default=str)
        for name, args in rule.call if binding.schema is None else ():
            number, whole = f"call_{uuid4().hex[:12]}", _whole(args)
            if whole is None:
                broken.append(invalid_tool_call(name=name, args=str(args), id=number, error="not a JSON object"))
            else:
                calls.append(ToolCall(name=name, args=whole, id=number))
        spent = _tokens(_whole_prompt(messages)), _tokens(content or json.dumps(calls, default=str))
        usage = UsageMetadata(input_tokens=spent[0], output_tokens=spent[1], total_tokens=sum(spent))
        return AIMessage(
            content=content,
            tool_calls=calls,
            invalid_tool_calls=broken,
            usage_metadata=usage,
            response_metadata={"finish_reason": "stop"},
        )


def _whole(args: dict[str, Any] | str) -> dict[str, Any] | None:
    """Return the arguments as JSON values (YAML also has dates, which no provider sends), or None for half a call."""
    try:
        plain = json.loads(args if isinstance(args, str) else json.dumps(args, default=str))
    except ValueError:
        return None
    return plain if isinstance(plain, dict) else None


def _tokens(text: str) -> int:
    return len(text) // 4


_ENDINGS = {"empty": "stop", "cut": "length", "declined": "refusal"}
_RAISED: Mapping[str, tuple[type[ScriptedProviderError], str, int | None]] = {
    "timeout": (ScriptedTimeout, "the request timed out", None),
    "rate_limit": (ScriptedProviderError, "too many requests", 429),
    "server_error": (ScriptedProviderError, "the provider is overloaded", 503),
    "connection": (ScriptedConnectionError, "connection refused", None),
    "auth": (ScriptedProviderError, "invalid API key", 401),
}


def _failed(fail: str | Failure) -> AIMessage:
    if isinstance(fail, Failure):
        raise ModelFailure(f"As scripted: the model fails with {fail.code}.", code=fail.code)
    if fail in _ENDINGS:
        return AIMessage(content="", response_metadata={"finish_reason": _ENDINGS[fail]})
    error, message, status = _RAISED.get(fail, (ScriptedProviderError, fail, None))
    raise error(message, status)


def _pieces(rule: Rule) -> list[str]:
    return rule.stream if isinstance(rule.stream, list) else []


def _chunks(rule: Rule, message: AIMessage) -> Iterator[ChatGenerationChunk]:
    content = str(message.content)
    pieces: Sequence[str] = _pieces(rule) or ([content] if content else [])
    if rule.stream is True:
        pieces = re.findall(r"\S+\s*|^\s+", content)
    for piece in pieces:
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    yield ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=message.usage_metadata))


def _last_words(messages: Sequence[BaseMessage]) -> str:
    """Return the last message of the user, ignoring messages that ask for a repair."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not message.response_metadata.get(REPAIR):
            return message.text
    return ""


def _whole_prompt(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(message.text for message in messages)
