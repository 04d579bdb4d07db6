"""A scripted model: the rules of its script, and the chat model that answers from them, without a network."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from uuid import uuid4

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, HumanMessage, InvalidToolCall, ToolCall
from langchain_core.messages.ai import UsageMetadata
from langchain_core.messages.tool import invalid_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PrivateAttr,
    ValidationError,
    field_validator,
    model_validator,
)

from graphwright.models._calls import REPAIR, blocking
from graphwright.models._failures import ModelFailure, UnexpectedCall, UnknownModel
from graphwright.models._tool_binding import Binding, ToolBindingChatModel, binding_of
from graphwright.models.usage import calling_node
from graphwright.text.near_names import did_you_mean
from graphwright.text.sentences import many

_ANSWERS = ("call", "text", "raw", "fail")

MOST_PROBLEMS = 20
"""Maximum number of problems of a script in an error."""

_LONGEST = 200


class BadRules(UnknownModel):
    """The rules of a scripted model are invalid; the message lists the problems."""

    code = "bad_model_script"


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model: the calling node, the offered names, the last user message, and the whole prompt.

    `repair` is the request to answer again, after an answer that was not accepted.
    """

    node: str
    offered: tuple[str, ...]
    last_message: str
    prompt: str
    repair: str = ""

    def __str__(self) -> str:
        parts = [
            f"node {self.node or '(none)'}",
            f"offered {', '.join(self.offered) or '(nothing)'}",
            f"last user message {self.last_message[:300]!r}",
        ]
        return ", ".join(parts) + (f"; it repeats the one before: {self.repair[:500]}" if self.repair else "")


def _pattern(value: Any) -> Any:
    try:
        return re.compile(value, re.IGNORECASE | re.DOTALL)
    except (re.error, TypeError) as error:
        raise ValueError(f"This must be a regular expression ({error})") from None


Pattern = Annotated[re.Pattern[str], BeforeValidator(_pattern)]
Calls = tuple[tuple[str, dict[str, Any] | str], ...]
"""Names with their arguments, which are a text if they are not JSON."""


class Failure(BaseModel):
    """A failure with exactly this code."""

    model_config = ConfigDict(extra="forbid", strict=True)

    code: str


class Rule(BaseModel):
    """One rule, with the fields of docs/models.md."""

    model_config = ConfigDict(extra="forbid", strict=True)

    offers: list[str] = []
    says: Pattern | None = None
    anywhere: Pattern | None = None
    times: Annotated[int, Field(ge=1)] | None = None
    call: Calls = ()
    text: str | None = None
    raw: str | None = None
    fail: str | Failure | None = None
    delay: Annotated[float, Field(ge=0)] = 0.0
    stream: bool | list[str] = False
    _number: int = PrivateAttr(default=0)
    _left: int | None = PrivateAttr(default=None)
    """The remaining number of answers; None if unlimited."""

    @field_validator("offers", mode="before")
    @classmethod
    def _one_name(cls, value: Any) -> Any:
        return [value] if isinstance(value, str) else value

    @field_validator("call", mode="before")
    @classmethod
    def _named_calls(cls, value: Any) -> Calls:
        found: list[tuple[str, dict[str, Any] | str]] = []
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, Mapping) and set(part) == {"name", "args"} and isinstance(part["name"], str):
                part = {part["name"]: part["args"]}
            if not isinstance(part, Mapping) or not part:
                raise ValueError("{NAME: {arguments}} or a list of these is required")
            for name, args in part.items():
                if not isinstance(args, str | Mapping | None):
                    raise ValueError("Arguments are a mapping, or a text as it comes in pieces")
                found.append((str(name), args if isinstance(args, str) else dict(args or {})))
        return tuple(found)

    @model_validator(mode="after")
    def _one_answer(self) -> Rule:
        """Check that the rule has one answer, and that the pieces of a stream add up to its text."""
        answers = [key for key in _ANSWERS if key in self.model_fields_set]
        if len(answers) > 1:
            raise ValueError(f"Only one of {', '.join(_ANSWERS)} may be given, not {' and '.join(answers)}")
        if not answers and isinstance(self.stream, bool):
            raise ValueError(f"It answers nothing: give one of {', '.join(_ANSWERS)}")
        if answers and isinstance(self.stream, list) and "".join(self.stream) != getattr(self, answers[0]):
            raise ValueError("A `stream` of chunks must be the only reply, or its chunks must join to `text` or `raw`")
        self._left = self.times
        return self

    def fits(self, request: Request) -> bool:
        """Return whether the rule answers this request."""
        return (
            self._left != 0
            and set(self.offers) <= set(request.offered)
            and (self.says is None or self.says.search(request.last_message) is not None)
            and (self.anywhere is None or self.anywhere.search(request.prompt) is not None)
        )

    def describe(self, kind: str) -> str:
        """Return its number and its conditions; for a reply also its calls."""
        parts = [f"offers {', '.join(self.offers)}"] if self.offers else []
        parts += [f"says /{self.says.pattern}/"] if self.says else []
        parts += [f"anywhere /{self.anywhere.pattern}/"] if self.anywhere else []
        if kind == "reply" and self.call:
            parts.append(f"calls {', '.join(name for name, _ in self.call)}")
        return f"{kind} {self._number}" + (f" ({'; '.join(parts)})" if parts else "")

    def __str__(self) -> str:
        return self.describe("rule")


class Script:
    """The rules in order, with their remaining counts. One script may serve several threads.

    While there are replies, only they answer, strictly in order, each once or as often as its `times` says.
    """

    def __init__(self, rules: Sequence[Rule], name: str) -> None:
        self.rules = tuple(rules)
        self.name = name
        self.unexpected: list[UnexpectedCall] = []
        self.pending: Request | None = None
        self._replies: tuple[Rule, ...] | None = None
        self._replies_name = ""
        self._lock = threading.Lock()

    def reply_by(self, replies: Sequence[Rule] | None, name: str = "") -> None:
        """Answer only by these replies from now on; None: by the rules again."""
        for reply in replies or ():
            reply._left = reply.times or 1
        self._replies = None if replies is None else tuple(replies)
        self._replies_name = name

    def take(self, request: Request) -> Rule:
        """Return the rule for a request and decrease its `times`. Raises `UnexpectedCall`, also added to
        `unexpected`."""
        with self._lock:
            self.pending = request
            rule = self._by_rule(request) if self._replies is None else self._by_reply(self._replies, request)
            if isinstance(rule, UnexpectedCall):
                raise self.noted(rule)
            if rule._left is not None:
                rule._left -= 1
            return rule

    def noted(self, unexpected: UnexpectedCall) -> UnexpectedCall:
        """Add the failure to `unexpected`, since its receiver may catch it, and return it."""
        self.unexpected.append(unexpected)
        self.pending = None
        return unexpected

    def _by_rule(self, request: Request) -> Rule | UnexpectedCall:
        for rule in self.rules:
            if rule.fits(request):
                return rule
        hint = "Add a rule for it, or raise the `times` of one that was used up."
        return UnexpectedCall(f"No rule of {self.name} answers this request: {request}.", hint)

    def _by_reply(self, replies: Sequence[Rule], request: Request) -> Rule | UnexpectedCall:
        reply = next((each for each in replies if each._left), None)
        if reply is None:
            hint = "Add a reply for it, or correct what caused the request."
            count = f"has {len(replies)} repl{'y' if len(replies) == 1 else 'ies'}, and the model was asked again"
            if not replies:
                count = "says that the model is not called (model: []), but it was"
            return UnexpectedCall(f"{self._replies_name} {count}: {request}.", hint)
        if not reply.fits(request):
            text = (
                f"{self._replies_name}: {reply.describe('reply')} does not fit the request whose turn it is: {request}."
            )
            return UnexpectedCall(text, "Put the replies in the order in which the model is asked.")
        return reply

    def leftovers(self) -> list[str]:
        """Return descriptions of the rules that should have been used more often."""
        left = [(rule, rule._left) for rule in self.rules if rule._left]
        return [f"{rule} was expected {count} more time{'s' if count != 1 else ''}" for rule, count in left]

    def replies_left(self) -> list[str]:
        """Return descriptions of the replies that no request has used."""
        return [f"{reply.describe('reply')} was not asked for" for reply in self._replies or () if reply._left]


def read_script(path: Path) -> Script:
    """Read a script from a YAML or JSON file. Raises `BadRules`, which names file, rule and field."""
    from graphwright.flow._source import MAX_BYTES, read_plain

    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise BadRules(f"There is no model script {path}.", "Write scripted:FILE with a file that exists.") from None
    except OSError as error:
        raise BadRules(f"The model script {path} cannot be read: {error.strerror}.", "Name a file of rules.") from None
    source, findings = read_plain(content)
    if source is None or findings:
        raise _bad_rules(
            [f"{path}:{one.span.line}:{one.span.column}: {one.message} {one.hint}".rstrip() for one in findings]
        )
    return make_script(source.data, str(path))


def make_script(document: Any, name: str) -> Script:
    """Return the script for a list of rules, or for `{"rules": [...]}`. Raises `BadRules`."""
    problems: list[str] = []
    if isinstance(document, Mapping):
        problems += [
            f"{name}: The field {_format_value(key)} is unknown; there is only `rules`."
            for key in document
            if key != "rules"
        ]
        document = document.get("rules")
    if not isinstance(document, list):
        raise BadRules(
            "\n".join([*problems, f"{name} holds no list of rules."]),
            "Write a YAML list, such as: - {offers: Decision, call: {Decision: {}}}",
        )
    rules, wrong = make_rules(document)
    problems += [f"{name}: Rule {number}: {what}" for number, what in wrong]
    if problems:
        raise _bad_rules(problems)
    return Script(rules, name)


def _bad_rules(problems: Sequence[str]) -> BadRules:
    more = [f"and {many(len(problems) - MOST_PROBLEMS, 'more problem')}."] if len(problems) > MOST_PROBLEMS else []
    return BadRules(
        "\n".join([*problems[:MOST_PROBLEMS], *more]), "The page Models of the documentation has every field of a rule."
    )


def make_rules(entries: Sequence[Any]) -> tuple[list[Rule], list[tuple[int, str]]]:
    """Return the rules for the entries of a list, and all problems as (number of the rule, text)."""
    rules: list[Rule] = []
    problems: list[tuple[int, str]] = []
    for number, entry in enumerate(entries, 1):
        if not isinstance(entry, Mapping):
            problems.append((number, f"This must be a mapping, not {_format_value(entry)}."))
            continue
        try:
            rules.append(Rule.model_validate(dict(entry)))
            rules[-1]._number = number
        except ValidationError as error:
            # A field of several types has an error for each of them.
            parts = {part["loc"][:1]: part for part in reversed(error.errors(include_url=False))}
            problems += [(number, _problem(part)) for part in reversed(parts.values())]
    return rules, problems


def _problem(part: Any) -> str:
    if not part["loc"]:
        return f"{str(part['msg']).removeprefix('Value error, ').rstrip('.')}."
    field = part["loc"][0]
    if part["type"] == "extra_forbidden" and len(part["loc"]) == 1:
        known = did_you_mean(str(field), Rule.model_fields) or f"known: {', '.join(Rule.model_fields)}."
        return f"The field {_format_value(field)} is unknown; {known}"
    return f"`{field}`: {part['msg'].removeprefix('Value error, ')}, not {_format_value(part['input'])}."


def _format_value(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


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
