"""The rules of a scripted model and the replies of a turn: their fields, their validation, and how one is selected."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from graphwright.models.failures import UnexpectedCall, UnknownModel

FIELDS = ("offers", "says", "anywhere", "times", "call", "text", "raw", "fail", "delay", "stream")
_ANSWERS = ("call", "text", "raw", "fail")

MOST_PROBLEMS = 20
"""How many problems of a script an error lists."""

_LONGEST = 200


class BadRules(UnknownModel):
    """The rules of a scripted model are not what they have to be; the message lists what is wrong."""

    code = "bad_model_script"


@dataclass(frozen=True, slots=True)
class Request:
    """A request to a model: the calling node, the names that it offers, the last user message, and the whole prompt.

    `repair` is the request to answer again, when the answer before was not accepted.
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


@dataclass(slots=True)
class Rule:
    """One rule. `left` counts down from `times`; None is without end.

    `calls` are names with their arguments, which are a text where they are no JSON; `failure` is the code of a `fail`.
    """

    number: int
    offers: tuple[str, ...] = ()
    says: re.Pattern[str] | None = None
    anywhere: re.Pattern[str] | None = None
    left: int | None = None
    calls: tuple[tuple[str, dict[str, Any] | str], ...] = ()
    text: str | None = None
    raw: str | None = None
    fail: str | None = None
    failure: str = ""
    delay: float = 0.0
    chunks: tuple[str, ...] | None = None
    streams: bool = False

    def fits(self, request: Request) -> bool:
        """Whether it answers this request."""
        return (
            self.left != 0
            and set(self.offers) <= set(request.offered)
            and (self.says is None or self.says.search(request.last_message) is not None)
            and (self.anywhere is None or self.anywhere.search(request.prompt) is not None)
        )

    def describe(self, kind: str) -> str:
        """Its number and its conditions; for a reply also its calls."""
        parts = [f"offers {', '.join(self.offers)}"] if self.offers else []
        parts += [f"says /{self.says.pattern}/"] if self.says else []
        parts += [f"anywhere /{self.anywhere.pattern}/"] if self.anywhere else []
        if kind == "reply" and self.calls:
            parts.append(f"calls {', '.join(name for name, _ in self.calls)}")
        return f"{kind} {self.number}" + (f" ({'; '.join(parts)})" if parts else "")

    def __str__(self) -> str:
        return self.describe("rule")


class Script:
    """The rules in their order, with what is left of them. One script may serve several threads.

    While there are replies they alone answer: strictly in their order, each once or as often as its `times` says.
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
        """From now on answer by these replies alone; None: by the rules again."""
        for reply in replies or ():
            reply.left = reply.left or 1
        self._replies = None if replies is None else tuple(replies)
        self._replies_name = name

    def take(self, request: Request) -> Rule:
        """What answers a request, one of its `times` spent. Raises `UnexpectedCall`, and keeps it in `unexpected`."""
        with self._lock:
            self.pending = request
            rule = self._by_rule(request) if self._replies is None else self._by_reply(self._replies, request)
            if isinstance(rule, UnexpectedCall):
                raise self.noted(rule)
            if rule.left is not None:
                rule.left -= 1
            return rule

    def noted(self, unexpected: UnexpectedCall) -> UnexpectedCall:
        """Keep the failure in `unexpected`, since its receiver may catch it, and return it."""
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
        reply = next((each for each in replies if each.left), None)
        if reply is None:
            hint = "Add a reply for it, or mend what made the model be asked."
            if not replies:
                text = f"{self._replies_name} says that the model is not called (model: []), but it was: {request}."
                return UnexpectedCall(text, hint)
            count = f"{len(replies)} repl{'y' if len(replies) == 1 else 'ies'}"
            return UnexpectedCall(f"{self._replies_name} has {count}, and the model was asked again: {request}.", hint)
        if not reply.fits(request):
            text = (
                f"{self._replies_name}: {reply.describe('reply')} does not fit the request whose turn it is: {request}."
            )
            return UnexpectedCall(text, "Put the replies in the order in which the model is asked.")
        return reply

    def leftovers(self) -> list[str]:
        """Rules that should have served more often, in words."""
        return [
            f"{rule} was expected {rule.left} more time{'s' if rule.left != 1 else ''}"
            for rule in self.rules
            if rule.left
        ]

    def replies_left(self) -> list[str]:
        """Descriptions of the replies that no request has used."""
        return [f"{reply.describe('reply')} was not asked for" for reply in self._replies or () if reply.left]


def read_script(path: Path) -> Script:
    """The script in a YAML or JSON file. Raises `BadRules` naming file, rule and field."""
    from graphwright.flow.source import MAX_BYTES, read_plain

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
    """The script in a list of rules, or in `{"rules": [...]}`. Raises `BadRules`."""
    problems: list[str] = []
    if isinstance(document, Mapping):
        problems += [f"{name}: unknown field {_shown(key)}, only `rules`" for key in document if key != "rules"]
        document = document.get("rules")
    if not isinstance(document, list):
        raise BadRules(
            "\n".join([*problems, f"{name} holds no list of rules."]),
            "Write a YAML list, such as: - {offers: Decision, call: {Decision: {}}}",
        )
    rules, wrong = make_rules(document)
    problems += [f"{name}: rule {number}: {what}" for number, what in wrong]
    if problems:
        raise _bad_rules(problems)
    return Script(rules, name)


def _bad_rules(problems: Sequence[str]) -> BadRules:
    more = [f"and {len(problems) - MOST_PROBLEMS} more"] if len(problems) > MOST_PROBLEMS else []
    return BadRules("\n".join([*problems[:MOST_PROBLEMS], *more]), "docs/models.md has every field of a rule.")


def make_rules(entries: Sequence[Any]) -> tuple[list[Rule], list[tuple[int, str]]]:
    """The rules that the entries of a list describe, and all that is wrong with them: number of the rule, and what."""
    rules: list[Rule] = []
    problems: list[tuple[int, str]] = []
    for number, entry in enumerate(entries, 1):
        rule = _rule(number, entry, problems)
        rules += [rule] if rule else []
    return rules, problems


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list | tuple) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_code(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"code"} and _is_text(value["code"])


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "offers": ("a name or a list of names", lambda value: _is_text(value) or _are_texts(value)),
    "says": ("a regular expression", _is_text),
    "anywhere": ("a regular expression", _is_text),
    "times": ("a whole number from 1", lambda value: isinstance(value, int) and _is_number(value) and value > 0),
    "text": ("a text", _is_text),
    "raw": ("a text", _is_text),
    "fail": ("a text or {code: CODE}", lambda value: _is_text(value) or _is_code(value)),
    "delay": ("a number of seconds", lambda value: _is_number(value) and value >= 0),
    "stream": ("true or a list of texts", lambda value: isinstance(value, bool) or _are_texts(value)),
}
"""What the value of a field has to be, and the check for it."""


def _rule(number: int, entry: Any, problems: list[tuple[int, str]]) -> Rule | None:
    def wrong(problem: str) -> None:
        problems.append((number, problem))

    if not isinstance(entry, Mapping):
        wrong(f"a mapping is wanted, not {_shown(entry)}")
        return None
    valid: dict[str, Any] = {}
    for key, value in entry.items():
        if key not in FIELDS:
            near = get_close_matches(str(key)[:_LONGEST], FIELDS, 1)
            known = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(FIELDS)}"
            wrong(f"unknown field {_shown(key)}; {known}")
        elif key in _KINDS and not _KINDS[key][1](value):
            wrong(f"`{key}` is {_KINDS[key][0]}, not {_shown(value)}")
        else:
            valid[key] = value
    _check_answer(entry, valid, wrong)
    offers, fail, stream = valid.get("offers", ()), valid.get("fail"), valid.get("stream", False)
    code = fail["code"] if isinstance(fail, Mapping) else ""
    return Rule(
        number,
        offers=(offers,) if isinstance(offers, str) else tuple(offers),
        says=_pattern("says", valid, wrong),
        anywhere=_pattern("anywhere", valid, wrong),
        left=valid.get("times"),
        calls=_calls(valid["call"], wrong) if "call" in valid else (),
        text=valid.get("text"),
        raw=valid.get("raw"),
        fail=f"the model fails with {code}" if code else fail,
        failure=code,
        delay=float(valid.get("delay", 0)),
        chunks=None if isinstance(stream, bool) else tuple(stream),
        streams=stream is not False,
    )


def _check_answer(entry: Mapping[str, Any], valid: Mapping[str, Any], wrong: Callable[[str], None]) -> None:
    """A rule has one answer, and the pieces of a stream make up its text."""
    answers = [key for key in _ANSWERS if key in entry]
    pieces = isinstance(entry.get("stream"), list)
    if len(answers) > 1:
        wrong(f"only one of {', '.join(_ANSWERS)} may be given, not {' and '.join(answers)}")
    elif not answers and not pieces:
        wrong(f"it answers nothing: give one of {', '.join(_ANSWERS)}")
    if pieces and "stream" in valid and answers:
        if "call" in answers or "fail" in answers:
            wrong("a `stream` of chunks goes with `text` or `raw`, or alone")
        elif "".join(valid["stream"]) != entry[answers[0]]:
            wrong(f"the chunks of `stream` do not add up to `{answers[0]}`; leave one of them out")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _pattern(key: str, entry: Mapping[str, Any], wrong: Callable[[str], None]) -> re.Pattern[str] | None:
    try:
        return re.compile(entry[key], re.IGNORECASE | re.DOTALL) if key in entry else None
    except re.error as error:
        wrong(f"`{key}`: {_shown(entry[key])} is no regular expression: {error}")
        return None


def _calls(value: Any, wrong: Callable[[str], None]) -> tuple[tuple[str, dict[str, Any] | str], ...]:
    found: list[tuple[str, dict[str, Any] | str]] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, Mapping) and set(part) == {"name", "args"} and isinstance(part["name"], str):
            part = {part["name"]: part["args"]}
        if not isinstance(part, Mapping) or not part:
            wrong(f"`call` is {{NAME: {{arguments}}}} or a list of such, not {_shown(part)}")
            continue
        for name, args in part.items():
            if isinstance(args, str):
                found.append((str(name), args))
            elif isinstance(args, Mapping) or args is None:
                found.append((str(name), dict(args or {})))
            else:
                wanted = "a mapping, or a text as it comes in pieces"
                wrong(f"`call`: the arguments of {str(name)[:_LONGEST]} are {wanted}, not {_shown(args)}")
    return tuple(found)
