"""The rules of a scripted model: their fields, their checks, and which of them answers a request."""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from graphwright.models.failures import UnknownModel

FIELDS = ("offers", "says", "anywhere", "times", "call", "text", "raw", "fail", "delay", "stream")
_ANSWERS = ("call", "text", "raw", "fail")

FAILURES = ("timeout", "rate_limit", "server_error", "connection", "empty", "auth")
"""What `fail` knows by name; any other text is the message of an unknown error."""


class BadRules(UnknownModel):
    """The rules of a scripted model are not what they have to be; the message lists everything that is wrong."""

    code = "bad_model_script"


@dataclass(slots=True)
class Rule:
    """One rule. `left` counts down from `times`; None is without end."""

    number: int
    offers: tuple[str, ...] = ()
    says: re.Pattern[str] | None = None
    anywhere: re.Pattern[str] | None = None
    left: int | None = None
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
    text: str | None = None
    raw: str | None = None
    fail: str | None = None
    delay: float = 0.0
    chunks: tuple[str, ...] | None = None
    streams: bool = False

    def fits(self, offered: Sequence[str], said: str, prompt: str) -> bool:
        """Whether it answers a request that offers these names, with this last message and whole prompt."""
        return (
            self.left != 0
            and set(self.offers) <= set(offered)
            and (self.says is None or self.says.search(said) is not None)
            and (self.anywhere is None or self.anywhere.search(prompt) is not None)
        )

    def __str__(self) -> str:
        parts = [f"offers {', '.join(self.offers)}"] if self.offers else []
        parts += [f"says /{self.says.pattern}/"] if self.says else []
        parts += [f"anywhere /{self.anywhere.pattern}/"] if self.anywhere else []
        return f"rule {self.number}" + (f" ({'; '.join(parts)})" if parts else "")


class Script:
    """The rules in their order, with what is left of them. One script may serve several threads."""

    def __init__(self, rules: Sequence[Rule], name: str) -> None:
        self.rules = tuple(rules)
        self.name = name
        self._lock = threading.Lock()

    def take(self, offered: Sequence[str], said: str, prompt: str) -> Rule | None:
        """The first rule that fits, one of its `times` spent."""
        with self._lock:
            for rule in self.rules:
                if rule.fits(offered, said, prompt):
                    if rule.left is not None:
                        rule.left -= 1
                    return rule
        return None

    def leftovers(self) -> list[str]:
        """Rules that should have served more often, in words."""
        return [
            f"{rule} was expected {rule.left} more time{'s' if rule.left != 1 else ''}"
            for rule in self.rules
            if rule.left
        ]


def read_script(path: Path) -> Script:
    """The script in a YAML or JSON file. Raises `BadRules` naming file, rule and field."""
    import yaml

    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadRules(f"There is no model script {path}.", "Write scripted:FILE with a file that exists.") from None
    except OSError as error:
        raise BadRules(f"The model script {path} cannot be read: {error.strerror}.", "Name a file of rules.") from None
    except UnicodeDecodeError:
        raise BadRules(f"The model script {path} is not UTF-8 text.", "Save it as UTF-8.") from None
    try:
        document = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise BadRules(f"The model script {path} is not YAML: {' '.join(str(error).split())}.") from None
    return make_script(document, str(path))


def make_script(document: Any, name: str) -> Script:
    """The script in a list of rules, or in `{"rules": [...]}`. Raises `BadRules`."""
    problems: list[str] = []
    if isinstance(document, Mapping):
        problems += [f"{name}: unknown field {key!r}, only `rules`" for key in document if key != "rules"]
        document = document.get("rules")
    if not isinstance(document, list):
        raise BadRules(
            "\n".join([*problems, f"{name} holds no list of rules."]),
            "Write a YAML list, such as: - {offers: Decision, call: {Decision: {}}}",
        )
    rules = [_rule(number, entry, name, problems) for number, entry in enumerate(document, 1)]
    if problems:
        raise BadRules("\n".join(problems))
    return Script([rule for rule in rules if rule], name)


def _rule(number: int, entry: Any, name: str, problems: list[str]) -> Rule | None:
    def wrong(what: str) -> None:
        problems.append(f"{name}: rule {number}: {what}")

    if not isinstance(entry, Mapping):
        wrong(f"a mapping is wanted, not {entry!r}")
        return None
    for key in entry:
        if key not in FIELDS:
            near = get_close_matches(str(key), FIELDS, 1)
            wrong(
                f"unknown field {key!r}; " + (f"did you mean {near[0]!r}?" if near else f"known: {', '.join(FIELDS)}")
            )
    given = [key for key in _ANSWERS if key in entry]
    stream = entry.get("stream", False)
    if len(given) > 1:
        wrong(f"only one of {', '.join(_ANSWERS)} may be given, not {' and '.join(given)}")
    elif not given and not isinstance(stream, list):
        wrong(f"it answers nothing: give one of {', '.join(_ANSWERS)}")
    rule = Rule(number)
    rule.offers = _names(entry.get("offers", ()), wrong)
    rule.says = _pattern("says", entry, wrong)
    rule.anywhere = _pattern("anywhere", entry, wrong)
    if "times" in entry:
        if isinstance(entry["times"], int) and not isinstance(entry["times"], bool) and entry["times"] > 0:
            rule.left = entry["times"]
        else:
            wrong(f"`times` is a whole number from 1, not {entry['times']!r}")
    if "call" in entry:
        rule.calls = _calls(entry["call"], wrong)
    for key in ("text", "raw", "fail"):
        if key in entry:
            if isinstance(entry[key], str):
                setattr(rule, key, entry[key])
            else:
                wrong(f"`{key}` is a text, not {entry[key]!r}")
    delay = entry.get("delay", 0)
    if isinstance(delay, int | float) and not isinstance(delay, bool) and delay >= 0:
        rule.delay = float(delay)
    else:
        wrong(f"`delay` is a number of seconds, not {delay!r}")
    if isinstance(stream, bool):
        rule.streams = stream
    elif isinstance(stream, list) and all(isinstance(chunk, str) for chunk in stream):
        rule.streams, rule.chunks = True, tuple(stream)
        if "call" in given or "fail" in given:
            wrong("a `stream` of chunks goes with `text` or `raw`, or alone")
        elif given and "".join(stream) != entry[given[0]]:
            wrong(f"the chunks of `stream` do not add up to `{given[0]}`; leave one of them out")
    else:
        wrong(f"`stream` is true or a list of texts, not {stream!r}")
    return rule


def _names(value: Any, wrong: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, list | tuple) and all(isinstance(name, str) for name in value):
        return tuple(value)
    wrong(f"`offers` is a name or a list of names, not {value!r}")
    return ()


def _pattern(key: str, entry: Mapping[str, Any], wrong: Any) -> re.Pattern[str] | None:
    if key not in entry:
        return None
    if not isinstance(entry[key], str):
        wrong(f"`{key}` is a regular expression, not {entry[key]!r}")
        return None
    try:
        return re.compile(entry[key], re.IGNORECASE | re.DOTALL)
    except re.error as error:
        wrong(f"`{key}`: {entry[key]!r} is no regular expression: {error}")
        return None


def _calls(value: Any, wrong: Any) -> tuple[tuple[str, dict[str, Any]], ...]:
    found: list[tuple[str, dict[str, Any]]] = []
    for part in value if isinstance(value, list) else [value]:
        if isinstance(part, Mapping) and set(part) == {"name", "args"} and isinstance(part["name"], str):
            part = {part["name"]: part["args"]}
        if not isinstance(part, Mapping) or not part:
            wrong(f"`call` is {{NAME: {{arguments}}}} or a list of such, not {part!r}")
            continue
        for name, args in part.items():
            if isinstance(args, Mapping) or args is None:
                found.append((str(name), dict(args or {})))
            else:
                wrong(f"`call`: the arguments of {name} are a mapping, not {args!r}")
    return tuple(found)
