"""The scripted model: a chat model that answers by rules, for tests and for conversations without a model."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr

from graphwright.models.failures import UnexpectedCall
from graphwright.models.offering import Offer, OfferingChatModel, call_chunks, offer_of
from graphwright.models.repair import REPAIR
from graphwright.models.rules import Rule, Script, make_script, read_script
from graphwright.models.usage import calling_node


class ScriptedProviderError(Exception):
    """What a provider's client raises, as a rule's `fail` wishes. It asks for no pause before the next try."""

    retry_after = 0.0

    def __init__(self, message: str, status_code: int | None = None) -> None:
        super().__init__(message)
        self.status_code = status_code


class ScriptedTimeout(ScriptedProviderError, TimeoutError):
    """No answer in time."""


class ScriptedConnectionError(ScriptedProviderError, ConnectionError):
    """No connection."""


class ScriptedModel(OfferingChatModel):
    """A chat model over a list of rules, tried in order; the first that fits a request answers it.

    A rule fits when the request offers what `offers` names, `says` is found in the last user message and `anywhere`
    in the whole prompt (regular expressions, case ignored). It answers with `call`, `text`, `raw` or `fail`; after
    `times` answers it is passed over. `delay` seconds pass before the answer, or before each piece of a `stream`.
    A request that no rule fits raises `UnexpectedCall`.

        ScriptedModel.from_rules([
            {"offers": "UpdateAnswers", "says": "ann",
             "call": {"UpdateAnswers": {"answers": [{"key": "name", "value": "Ann", "quote": "Ann"}]}}},
            {"text": "I cannot say."},
        ])
    """

    _script: Script = PrivateAttr()

    @classmethod
    def from_rules(cls, rules: Sequence[Mapping[str, Any]], name: str = "rules") -> ScriptedModel:
        """A model over rules in memory. Raises `BadRules`."""
        return cls._over(make_script(list(rules), name))

    @classmethod
    def from_file(cls, path: Path) -> ScriptedModel:
        """A model over a YAML or JSON file of rules. Raises `BadRules`."""
        return cls._over(read_script(path))

    @classmethod
    def _over(cls, script: Script) -> ScriptedModel:
        model = cls()
        model._script = script
        return model

    def verify(self) -> list[str]:
        """Rules with `times` left over, in words; empty when every rule served as often as it should."""
        return self._script.leftovers()

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
        offer = offer_of(kwargs)
        rule = self._rule(messages, offer)
        time.sleep(rule.delay)
        return _result(self._answer(rule, offer, messages))

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        offer = offer_of(kwargs)
        rule = self._rule(messages, offer)
        await asyncio.sleep(rule.delay)
        return _result(self._answer(rule, offer, messages))

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        offer = offer_of(kwargs)
        rule = self._rule(messages, offer)
        for chunk in _chunks(rule, self._answer(rule, offer, messages)):
            time.sleep(rule.delay)
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        offer = offer_of(kwargs)
        rule = self._rule(messages, offer)
        for chunk in _chunks(rule, self._answer(rule, offer, messages)):
            await asyncio.sleep(rule.delay)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _rule(self, messages: Sequence[BaseMessage], offer: Offer) -> Rule:
        said = _last_words(messages)
        rule = self._script.take(offer.names, said, _whole_prompt(messages))
        if rule is None:
            raise UnexpectedCall(
                f"No rule of {self._script.name} answers this request: node {calling_node() or '(none)'}, "
                f"offered {', '.join(offer.names) or '(nothing)'}, last user message {said[:300]!r}.",
                "Add a rule for it, or raise the `times` of one that was used up.",
            )
        return rule

    def _answer(self, rule: Rule, offer: Offer, messages: Sequence[BaseMessage]) -> AIMessage:
        if rule.fail is not None:
            return _failed(rule.fail)
        words = rule.text if rule.text is not None else rule.raw
        content = words if words is not None else "".join(rule.chunks or ())
        calls: list[ToolCall] = []
        if rule.calls and offer.schema is not None:
            names = [name for name, _ in rule.calls]
            if names != [offer.schema_name]:
                raise UnexpectedCall(
                    f"{self._script.name}: {rule} calls {', '.join(names)}, but the request of node "
                    f"{calling_node() or '(none)'} wants one object {offer.schema_name}.",
                    f"Write `call: {{{offer.schema_name}: {{...}}}}`, or give the rule `offers`.",
                )
            content = json.dumps(rule.calls[0][1], ensure_ascii=False, default=str)
        else:
            calls = [ToolCall(name=name, args=_plain(args), id=f"call_{uuid4().hex[:12]}") for name, args in rule.calls]
        spent = _tokens(_whole_prompt(messages)), _tokens(content or json.dumps(calls, default=str))
        usage = UsageMetadata(input_tokens=spent[0], output_tokens=spent[1], total_tokens=sum(spent))
        return AIMessage(
            content=content, tool_calls=calls, usage_metadata=usage, response_metadata={"finish_reason": "stop"}
        )


def _plain(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments as JSON has them: YAML reads dates, which no provider sends."""
    plain: dict[str, Any] = json.loads(json.dumps(args, default=str))
    return plain


def _tokens(text: str) -> int:
    return len(text) // 4


def _failed(kind: str) -> AIMessage:
    match kind:
        case "empty":
            return AIMessage(content="")
        case "timeout":
            raise ScriptedTimeout("the request timed out")
        case "rate_limit":
            raise ScriptedProviderError("too many requests", 429)
        case "server_error":
            raise ScriptedProviderError("the provider is overloaded", 503)
        case "connection":
            raise ScriptedConnectionError("connection refused")
        case "auth":
            raise ScriptedProviderError("invalid API key", 401)
    raise ScriptedProviderError(kind)


def _result(message: AIMessage) -> ChatResult:
    return ChatResult(generations=[ChatGeneration(message=message)])


def _chunks(rule: Rule, message: AIMessage) -> Iterator[ChatGenerationChunk]:
    content = str(message.content)
    pieces: Sequence[str] = [content] if content else []
    if rule.chunks is not None:
        pieces = rule.chunks
    elif rule.streams:
        pieces = re.findall(r"\S+\s*|^\s+", content)
    for piece in pieces:
        yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
    yield ChatGenerationChunk(
        message=AIMessageChunk(content="", tool_call_chunks=call_chunks(message), usage_metadata=message.usage_metadata)
    )


def _last_words(messages: Sequence[BaseMessage]) -> str:
    """The last words of the user: a turn that asks for a repair is none."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not message.response_metadata.get(REPAIR):
            return message.text
    return ""


def _whole_prompt(messages: Sequence[BaseMessage]) -> str:
    return "\n".join(message.text for message in messages)
