"""The expectations of a conversation: checked against the compiled flow before the run, then compared turn by turn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphwright.flow.compiled import ROOT, Call, CompiledFlow, Question
from graphwright.testing._conversation import ConversationError, ConversationFile, Expect, Problem
from graphwright.testing._stubs import wrong_stubs
from graphwright.text.near_names import Names

if TYPE_CHECKING:
    from graphwright.host.agent import Agent

_DEEPEST = 3
"""Maximum depth of answer scopes that are checked against the flow; a subgraph may call itself."""

_MOST_NAMED = 20
"""Maximum number of answers that a hint lists."""

Place = tuple[str | int, ...]


def check_conversation(file: ConversationFile, agent: Agent) -> None:
    """Raise ConversationError for all invalid nodes, answers, channels, rules and stubs."""
    stubs = (file.problem("bad_stub", at, text, hint) for at, text, hint in wrong_stubs(file.conversation.stubs, agent))
    problems = [*_rules(file), *stubs, *_expectations(file, agent.flow)]
    if problems:
        raise ConversationError(file.path, problems)


def _rules(file: ConversationFile) -> Iterator[Problem]:
    conversation = file.conversation
    lists: list[tuple[Place, Sequence[Any]]] = [(("model",), conversation.model)]
    lists += [
        (("turns", i, "model"), turn.model) for i, turn in enumerate(conversation.turns) if isinstance(turn.model, list)
    ]
    for place, entries in lists:
        from graphwright.models._scripted import make_rules

        for number, what in make_rules(entries)[1]:
            kind = "Rule" if place == ("model",) else "Reply"
            yield file.problem("bad_model_script", (*place, number - 1), f"{kind} {number}: {what}")


def _expectations(file: ConversationFile, flow: CompiledFlow) -> Iterator[Problem]:
    nodes, paths, channels = Names(flow.nodes), Names(flow.paths), Names(flow.channels)
    known = set(answer_names(flow)) if any(turn.expect.answers for turn in file.conversation.turns) else set()
    answers = Names(known)
    for i, turn in enumerate(file.conversation.turns):
        at: Place = ("turns", i, "expect")
        expect = turn.expect
        named: list[tuple[Place, str]] = [((*at, "node"), expect.node)] if expect.node is not None else []
        for field, listed in (("path", expect.path), ("passes", expect.passes)):
            named += [((*at, field, j), node) for j, node in enumerate(listed or ())]
        for place, node in named:
            if node not in flow.nodes:
                yield file.problem("unknown_node", place, f"The flow has no node {node!r}.", nodes.hint(node))
        path = expect.active_path
        if path and path not in flow.paths:
            yield file.problem(
                "unknown_path", (*at, "active_path"), f"The flow has no path {path!r}.", paths.hint(path)
            )
        for key in expect.answers or ():
            if key not in known and key.count(".") < _DEEPEST:
                text = f"The flow asks for no answer {key!r}."
                hint = answers.hint(key, f"It asks for {', '.join(sorted(known)[:_MOST_NAMED])}." if known else "")
                yield file.problem("unknown_answer", (*at, "answers", key), text, hint, key=True)
        for name in expect.values or ():
            channel = flow.channels.get(name)
            place = (*at, "values", name)
            if channel is None:
                text = f"The flow has no channel {name!r}."
                yield file.problem("unknown_channel", place, text, channels.hint(name), key=True)
            elif channel.private:
                hint = "Expect what it leads to: a node, a reply."
                text = f"Channel {name!r} is private: no turn shows it."
                yield file.problem("private_channel", place, text, hint, key=True)


def answer_names(flow: CompiledFlow) -> list[str]:
    """Return the dotted keys of the answers and scopes of the flow, from its root."""
    found: dict[str, None] = {}
    seen: set[tuple[str, str]] = set()
    todo = [(ROOT, "")]
    for graph, prefix in todo:
        if (graph, prefix) in seen:
            continue
        seen.add((graph, prefix))
        for node in flow.graphs[graph].nodes.values():
            if isinstance(node, Question):
                found[f"{prefix}{node.key}"] = None
            elif isinstance(node, Call) and (not node.scope or prefix.count(".") < _DEEPEST):
                if node.scope:
                    found[f"{prefix}{node.scope}"] = None
                refs = [node.ref] if node.ref in flow.graphs else [path.ref for path in flow.paths.values()]
                todo += [(ref, f"{prefix}{node.scope}." if node.scope else prefix) for ref in refs]
    return list(found)


@dataclass(frozen=True, slots=True)
class Difference:
    """A part of a turn that is not as expected, such as `node`, `reply` or `answer KEY`."""

    part: str
    expected: Any
    got: Any
    how: str = ""
    """How the part relates to what is expected, if it need not be equal to it."""

    def __str__(self) -> str:
        return f"{self.part}: expected {self.how.format(repr(self.expected)) or repr(self.expected)}, got {self.got!r}"


def mismatches(expect: Expect, turn: Mapping[str, Any]) -> list[Difference]:
    """Return how a turn's JSON differs from the expectations.

    If a path is expected, the JSON must have an `active_path`.
    """
    wrong: list[Difference] = []

    def compare(part: str, wanted: Any, got: Any) -> None:
        if wanted is not None and not _same(wanted, got):
            wrong.append(Difference(part, wanted, got))

    waiting = turn["waiting_for"]
    compare("status", expect.status, turn["status"])
    compare("node", expect.node, waiting["node"] if waiting else (turn["path"] or [None])[-1])
    for key, value in (expect.answers or {}).items():
        got = _dotted(turn["values"]["answers"], key)
        if not _same(value, got):
            wrong.append(Difference(f"answer {key}", value, got))
    for name, value in (expect.values or {}).items():
        got = turn["values"].get(name)
        if not _same(value, got):
            wrong.append(Difference(f"channel {name}", value, got))
    reply = turn["reply"]
    for text in _texts(expect.reply):
        if text.casefold() not in reply.casefold():
            wrong.append(Difference("reply", text, reply, "{} in it"))
    for text in _texts(expect.not_reply):
        if text.casefold() in reply.casefold():
            wrong.append(Difference("reply", text, reply, "no {} in it"))
    compare("path", expect.path, turn["path"])
    if expect.passes is not None and not _in_order(expect.passes, turn["path"]):
        wrong.append(Difference("path", expect.passes, turn["path"], "{} in this order"))
    if expect.active_path is not None:
        compare("active_path", expect.active_path, turn["active_path"])
    if expect.options is not None:
        offered = waiting["options"] if waiting else []
        if not _offers(expect.options, offered):
            wrong.append(Difference("options", expect.options, [each["value"] for each in offered]))
    compare("error", expect.error, (turn["error"] or {}).get("code"))
    compare("model_calls", expect.model_calls, turn["usage"]["model_calls"])
    return wrong


def _offers(wanted: Sequence[Any], offered: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether these are the options, each named by its value or its title."""
    pairs = zip(wanted, offered, strict=False)
    return len(wanted) == len(offered) and all(_same(w, o["value"]) or _same(w, o["title"]) for w, o in pairs)


def _same(wanted: Any, got: Any) -> bool:
    """Return whether two JSON values are equal; a number never equals true or false."""
    if isinstance(wanted, bool) or isinstance(got, bool):
        return wanted is got
    if isinstance(wanted, list) and isinstance(got, list):
        return len(wanted) == len(got) and all(map(_same, wanted, got))
    if isinstance(wanted, Mapping) and isinstance(got, Mapping):
        return wanted.keys() == got.keys() and all(_same(value, got[key]) for key, value in wanted.items())
    return bool(wanted == got)


def _texts(value: str | list[str] | None) -> list[str]:
    return [] if value is None else [value] if isinstance(value, str) else value


def _dotted(answers: Any, key: str) -> Any:
    for part in key.split("."):
        answers = answers.get(part) if isinstance(answers, Mapping) else None
    return answers


def _in_order(wanted: Sequence[str], path: Sequence[str]) -> bool:
    rest = iter(path)
    return all(node in rest for node in wanted)
