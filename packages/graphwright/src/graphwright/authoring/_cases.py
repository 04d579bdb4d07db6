"""Scripted conversations that a model proposes for new behaviour, and their text as a conversation file."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from graphwright.authoring._commands import Refused
from graphwright.engine._questions import every_candidate
from graphwright.flow import CompiledFlow
from graphwright.flow._source import read_plain
from graphwright.flow._text_edits import inline
from graphwright.text.near_names import Names

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,59}")
MOST_TURNS = 60


class _Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Expected(_Closed):
    """What must be true after a turn; only what is given is compared."""

    status: str | None = Field(None, description="waiting or ended")
    node: str | None = Field(None, description="the question at which it waits, or the terminal at which it ended")
    answers: dict[str, Any] | None = Field(None, description="answers by key; null: no such answer")
    values: dict[str, Any] | None = Field(None, description="channels by name")
    reply: list[str] | None = Field(None, description="texts that the reply contains")
    not_reply: list[str] | None = Field(None, description="texts that the reply does not contain")
    passes: list[str] | None = Field(None, description="nodes that are entered in this turn, in this order")
    options: list[Any] | None = Field(None, description="the options of the waiting question, in order")


class CaseTurn(_Closed):
    """A message of a user, and what a model reads from it where code does not read it."""

    user: str = Field(description="the message; empty: the conversation begins without one")
    understood: dict[str, Any] = Field({}, description="the answers that the message states, by key")
    declines: list[str] = Field([], description="keys that the user will not or cannot answer")
    wants_person: bool = Field(False, description="the user asks for a person")
    gives_up: bool = Field(False, description="the user gives up the whole request")
    path: str = Field("", description="the path that the message shows")
    expect: Expected = Field(default_factory=lambda: Expected.model_validate({}))


class ActionResult(_Closed):
    """What an action gives in the conversation, instead of being performed."""

    writes: dict[str, Any] | None = Field(None, description="channels by name")
    fails: str | None = Field(None, description="the message with which it fails")


class Case(_Closed):
    """A scripted conversation. `results` replace actions that call a model, a host or a tool."""

    name: str = Field(description="small letters, digits and -; that of an existing conversation replaces it")
    about: str = Field("", description="what it shows, in one sentence")
    results: dict[str, ActionResult] = Field(
        {}, description="by the id of the node for ready-made actions, by the name of the action for others"
    )
    now: str = Field("", description="local time of the conversation, such as 2026-03-02T09:00; needed if dates matter")
    turns: list[CaseTurn]


def read_case(value: Any) -> Case:
    """The conversation of a JSON object. Raises Refused."""
    try:
        case = Case.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        unknown = first["type"] == "extra_forbidden"
        raise Refused(f"{where}: {first['msg']}.{_fields_at(first['loc']) if unknown else ''}") from None
    if not _NAME.fullmatch(case.name):
        raise Refused("The name of a conversation has small letters, digits and -.")
    if not 0 < len(case.turns) <= MOST_TURNS:
        raise Refused(f"A conversation has from 1 to {MOST_TURNS} turns.")
    _check_now(case)
    _check_repeated_messages(case)
    return case


def _fields_at(place: tuple[int | str, ...]) -> str:
    """The fields that there are where an unknown one stands, as a sentence."""
    parts: dict[str, type[_Closed]] = {"turns": CaseTurn, "results": ActionResult, "expect": Expected}
    owner: type[_Closed] = next(
        (parts[name] for name in reversed(place[:-1]) if isinstance(name, str) and name in parts), Case
    )
    return f" There are: {', '.join(owner.model_fields)}."


def _check_now(case: Case) -> None:
    try:
        datetime.fromisoformat(case.now or "2026-03-02T09:00").astimezone()
    except (ValueError, OverflowError):
        raise Refused(f"`now` is {case.now[:40]!r}: write a local time such as 2026-03-02T09:00.") from None


def _check_repeated_messages(case: Case) -> None:
    """Raise Refused if a message means something else than before: a scripted model knows a message by its text."""
    meanings: dict[str, dict[str, Any] | list[dict[str, Any]]] = {}
    for turn in case.turns:
        calls = _calls(turn, set())
        if turn.user and meanings.setdefault(turn.user, calls) != calls:
            raise Refused(
                f"The message {turn.user!r} stands twice in the conversation and is understood in two ways. "
                "Give the second one other words."
            )


def with_scopes(case: Case, flow: CompiledFlow) -> Case:
    """The conversation with the whole names of answers in scopes (`led.wattage`), where only one has this last name."""
    names = {candidate.key for candidate in every_candidate(flow)}

    def whole(name: str) -> str:
        found = [each for each in names if each.endswith(f".{name}")]
        return found[0] if name not in names and len(found) == 1 else name

    def renamed(turn: CaseTurn) -> CaseTurn:
        answers = turn.expect.answers
        fields: dict[str, Any] = {
            "understood": {whole(name): value for name, value in turn.understood.items()},
            "declines": [whole(name) for name in turn.declines],
        }
        if answers:
            named = {whole(name): value for name, value in answers.items()}
            fields["expect"] = turn.expect.model_copy(update={"answers": named})
        return turn.model_copy(update=fields)

    return case.model_copy(update={"turns": [renamed(turn) for turn in case.turns]})


def unknown_answers(case: Case, flow: CompiledFlow) -> str:
    """Why answers that a conversation names do not exist, as a sentence; empty if all do."""
    names = [candidate.key for candidate in every_candidate(flow)]
    named = {key for turn in case.turns for key in (*turn.understood, *turn.declines, *(turn.expect.answers or {}))}
    for name in sorted(named.difference(names)):
        whole = [each for each in names if each.endswith(f".{name}")]
        how = (
            f"Write the whole name: {' or '.join(whole)}."
            if whole
            else Names(names).hint(name, f"There are: {', '.join(names[:40])}.")
        )
        return f"The flow asks for no answer `{name}`. {how}"
    return ""


def case_text(case: Case, agent: str = "..", former: str = "") -> str:
    """The text of the conversation file, which belongs into the folder `tests` of the agent.

    `former` is the text of the file that it replaces: its settings and the stubs of its tools are kept.
    """
    kept = _kept(former)
    lines = [f"# {' '.join(case.about.split())}"] if case.about.strip() else []
    lines.append(f"agent: {inline(agent)}")
    if case.now:
        kept["now"] = case.now
    stubs = kept.pop("stubs", {})
    lines += [f"{name}: {inline(value)}" for name, value in kept.items()]
    rules = list(_rules(case))
    if rules:
        lines.append("model:")
        lines += [f"  - {inline(rule)}" for rule in rules]
    if case.results or stubs:
        lines.append("stubs:")
        lines += [f"  {name}: {inline(value)}" for name, value in stubs.items()]
    if case.results:
        results = {name: each.model_dump(exclude_none=True) for name, each in case.results.items()}
        lines += ["  actions:", *(f"    {inline(name)}: {inline(stub)}" for name, stub in results.items())]
    lines.append("turns:")
    for turn in case.turns:
        lines.append(f"  - user: {inline(turn.user)}" if turn.user else "  - start: true")
        expect = turn.expect.model_dump(exclude_unset=True)
        expect = {name: value for name, value in expect.items() if value is not None}
        if expect:
            lines.append(f"    expect: {inline(expect)}")
    return "\n".join(lines) + "\n"


def _kept(former: str) -> dict[str, Any]:
    """The fields of a conversation file that a rewritten one keeps, because a case has none of them."""
    source, _ = read_plain(former)
    data = source.data if source is not None and isinstance(source.data, dict) else {}
    kept = {name: data[name] for name in ("now", "settings", "limit") if name in data}
    stubs = data.get("stubs")
    stubs = {name: value for name, value in stubs.items() if name != "actions"} if isinstance(stubs, dict) else {}
    return {**kept, **({"stubs": stubs} if stubs else {})}


def _rules(case: Case) -> list[dict[str, Any]]:
    """The replies of the model that reads the messages. If code reads a message, its rule is not used."""
    rules: list[dict[str, Any]] = []
    known: set[str] = set()
    said: set[str] = set()
    for turn in case.turns:
        calls = _calls(turn, known)
        known |= turn.understood.keys() | (turn.expect.answers or {}).keys()
        if turn.user and turn.user not in said:
            said.add(turn.user)
            pattern = re.escape(turn.user).replace("\\ ", " ")
            rules.append({"says": f"^{pattern}$", "call": calls})
    return rules


def _calls(turn: CaseTurn, known: set[str]) -> dict[str, Any] | list[dict[str, Any]]:
    """The calls in which a model records what a message says."""
    calls: list[tuple[str, dict[str, Any]]] = []
    if turn.path:
        calls.append(("SelectPath", {"path": turn.path, "confidence": 1, "rationale": turn.user}))
    if turn.understood:
        answers = [
            {"key": key, "value": value, "quote": turn.user, **({"correction": True} if key in known else {})}
            for key, value in turn.understood.items()
        ]
        calls.append(("UpdateAnswers", {"answers": answers}))
    calls += [("UnknownAnswer", {"key": key, "reason": turn.user, "kind": "declines"}) for key in turn.declines]
    if turn.wants_person:
        calls.append(("EscalateToHuman", {"reason": turn.user}))
    if turn.gives_up:
        calls.append(("AbandonRequest", {"reason": turn.user}))
    if not calls:
        calls.append(("UnknownAnswer", {"key": "", "reason": turn.user, "kind": "other"}))
    named = dict(calls)
    return named if len(named) == len(calls) else [{"name": name, "args": args} for name, args in calls]
