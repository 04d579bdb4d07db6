"""Describe a change: a model proposes commands, which the compiler and the conversations check, in three rounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from graphwright.authoring._cases import Case, case_text, read_case, unknown_answers, with_scopes
from graphwright.authoring._cautions import cautions, conversation_cautions
from graphwright.authoring._commands import Data, Refused, applied, read_command, text_with
from graphwright.authoring._limits import (
    LONGEST_DOCUMENT,
    MOST_COMMANDS,
    check_allowed,
    check_proposed,
    only_earlier_ids,
)
from graphwright.authoring._proposal import (
    MOST_ROUNDS,
    Outcome,
    Progress,
    Proposal,
    Round,
    Status,
    Subject,
    difference_lines,
)
from graphwright.authoring._reply import FlowChange
from graphwright.context import PromptLibrary, fenced
from graphwright.errors import GraphwrightError, UsageError, redact
from graphwright.flow import Compilation, CompiledFlow, Diagnostic, Severity
from graphwright.flow._source import Source, read_plain
from graphwright.flow.difference import difference

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import BaseMessage

TIME_LIMIT = 3_600.0
"""The time limit of a whole proposal, in seconds."""

LONGEST_REQUEST = 20_000
"""The maximum length of a description, in characters."""

PROMPT, FINDINGS = "author", "author_findings"
"""The prompt files."""

_MOST_FINDINGS = 25
_MOST_EVENTS = 30
_MOST_CONVERSATIONS = 30_000
"""Characters of the conversations that the model is shown."""

SUFFIX = ".conversation.yaml"

_prompts = cache(PromptLibrary)


@dataclass(frozen=True, slots=True)
class _State:
    """A document on the way, with what is wrong with it."""

    document: Data
    text: str
    compilation: Compilation
    cases: Mapping[str, Case]
    files: Mapping[str, str]
    commands: tuple[Mapping[str, Any], ...] = ()
    refused: tuple[str, ...] = ()
    warnings: tuple[Diagnostic, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    summary: str = ""

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        return self.compilation.errors

    @property
    def failing(self) -> tuple[Outcome, ...]:
        return tuple(each for each in self.outcomes if not each.passed)

    @property
    def rank(self) -> tuple[int, int, int, int]:
        """How bad it is: the smaller the better."""
        return len(self.errors), len(self.failing), len(self.refused), len(self.warnings)


async def propose(
    subject: Subject,
    request: str,
    model: BaseChatModel,
    *,
    on_round: Callable[[Round], None] = lambda _: None,
    on_progress: Callable[[Progress], None] = lambda _: None,
    seconds: float = TIME_LIMIT,
) -> Proposal:
    """Return the change of a flow that a person describes, as a model proposes it.

    A reply of the model is checked by the compiler and the conversations; what is wrong goes back to it, so that it
    replies at most three times. `on_progress` is called before each step, `on_round` after each reply. Nothing is
    written.

    Raises UsageError for a description or a document that cannot be used (`no_request`, `secret_in_request`,
    `not_readable`, `is_layer`, `flow_too_large`, `not_editable`), ModelFailure, and GraphwrightError (`time_limit`)
    after `seconds`.
    """
    authoring = _Authoring(subject, _checked_request(request), model, on_round, on_progress)
    try:
        async with asyncio.timeout(seconds) as limit:
            return await authoring.run()
    except TimeoutError:
        if not limit.expired():
            raise
        message = f"The change was not ready after {seconds:,g} s, and the work was stopped. {authoring.at}."
        raise GraphwrightError(
            "time_limit", message, "Nothing was changed. Describe less at once, or allow more time."
        ) from None


def _checked_request(request: str) -> str:
    text = request.strip()
    if not text or len(text) > LONGEST_REQUEST:
        message = "The change is not described." if not text else f"The description has {len(text):,} characters."
        raise UsageError("no_request", message, f"Describe it in 1 to {LONGEST_REQUEST:,} characters.")
    if redact(text) != text:
        message = "The description contains what looks like a secret."
        hint = "Leave it out: the operator puts secrets into the configuration, and models do not see them."
        raise UsageError("secret_in_request", message, hint)
    return text


def _read(subject: Subject) -> Source:
    text = subject.text or f"version: v1\nid: {subject.new_id}\n"
    if len(text) > LONGEST_DOCUMENT:
        message = f"The document has {len(text):,} characters; a model is shown at most {LONGEST_DOCUMENT:,}."
        raise UsageError("flow_too_large", message, "Change it in the editor.")
    source, problems = read_plain(text)
    if source is None or problems or not isinstance(source.data, dict):
        where = f"Line {problems[0].span.line}: {problems[0].message}" if problems else "It is not a mapping."
        message = f"The document cannot be read, so commands cannot change it. {where}"
        raise UsageError("not_readable", message, "Correct it first.")
    if "extends" in source.data:
        message = "The document extends other documents."
        raise UsageError("is_layer", message, "Describe the change to the document that it extends, or edit it.")
    return source


class _Authoring:
    def __init__(
        self,
        subject: Subject,
        request: str,
        model: BaseChatModel,
        on_round: Callable[[Round], None],
        on_progress: Callable[[Progress], None],
    ) -> None:
        self.subject = subject
        self.request = request
        self.model = model
        self.on_round = on_round
        self.on_progress = on_progress
        self.at = Progress("asking", 1)
        self.source = _read(subject)
        self.failed_before: frozenset[str] | None = None

    async def run(self) -> Proposal:
        from graphwright.models import ModelFailure, astructured

        base = await asyncio.to_thread(self.subject.compile, self.source.text)
        state = _State(self.source.data, self.subject.text, base, {}, {})
        messages = self._messages(base)
        best: _State | None = None
        demands: tuple[str, ...] = ()
        cannot = ""
        number = 0
        for number in range(1, MOST_ROUNDS + 1):
            self._begins(Progress("asking", number))
            try:
                reply = await astructured(self.model, FlowChange, messages)
            except ModelFailure:
                if best is None or best.errors:
                    raise
                break
            demands = demands or tuple(reply.demands)
            cannot = reply.cannot or cannot
            gives_nothing = not reply.commands and (best is None or not reply.conversations)
            if gives_nothing and (reply.question or (reply.cannot and (best is None or best.errors))):
                return self._declined(reply.question, cannot, demands, number)
            if gives_nothing and reply.cannot:
                break
            self._begins(Progress("checking", number))
            state = await self._checked(state, reply, base)
            counts = len(reply.commands), state.refused, len(state.errors), len(state.warnings)
            self.on_round(Round(number, *counts, state.outcomes))
            best = state if best is None or state.rank <= best.rank else best
            if not any(state.rank) or (not any(state.rank[:3]) and number > 1):
                break
            messages += self._findings(reply, state, MOST_ROUNDS - number)
        assert best is not None
        return await asyncio.to_thread(self._proposal, best, base, demands, cannot, number)

    def _begins(self, progress: Progress) -> None:
        self.at = progress
        self.on_progress(progress)

    def _declined(self, question: str, cannot: str, demands: tuple[str, ...], number: int) -> Proposal:
        """The proposal of a model that asks, or that cannot do it; of earlier rounds nothing is taken."""
        status: Status = "question" if question else "cannot"
        text = self.subject.text
        return Proposal(status, text, text, question=question, cannot=cannot, demands=demands, rounds=number)

    async def _checked(self, state: _State, reply: FlowChange, base: Compilation) -> _State:
        """The state after a reply: its commands carried out, the text compiled, the conversations run."""
        # In a thread, so that the time limit and an interruption end it whatever the model proposes.
        state = await asyncio.to_thread(self._changed, state, reply, base)
        if state.compilation.flow is None:
            return state
        return replace(state, outcomes=await self._tested(state.text, state.files))

    def _changed(self, state: _State, reply: FlowChange, base: Compilation) -> _State:
        refused: list[str] = []
        document, done = state.document, list(state.commands)
        for number, value in enumerate(reply.commands[:MOST_COMMANDS], 1):
            try:
                document = self._applied(document, value)
                done.append(value)
            except Refused as reason:
                refused.append(f"command {number} ({_named(value)}): {reason}")
        if len(reply.commands) > MOST_COMMANDS:
            refused.append(f"Only the first {MOST_COMMANDS} commands of a reply are carried out.")
        text = self._text_of(document)
        compilation = self.subject.compile(text)
        cases, files = self._cases(state.cases, reply.conversations, compilation.flow, refused)
        known = {(each.code, each.message) for each in base.diagnostics}
        warnings = tuple(
            each
            for each in compilation.diagnostics
            if each.severity is Severity.WARNING and (each.code, each.message) not in known
        )
        summary = reply.summary or state.summary
        return _State(document, text, compilation, cases, files, tuple(done), tuple(refused), warnings, summary=summary)

    def _cases(
        self, known: Mapping[str, Case], given: Sequence[Any], flow: CompiledFlow | None, refused: list[str]
    ) -> tuple[dict[str, Case], dict[str, str]]:
        """The conversations with those of a reply, and their files. Why some are left out is added to `refused`."""
        cases, files = dict(known), {}
        for value in given:
            try:
                check_proposed(value)
                case = read_case(value)
                cases[self._file_of(case.name)] = case
            except Refused as reason:
                refused.append(f"conversation {_named(value)}: {reason}")
        for file, case in [*cases.items()]:
            whole = case if flow is None else with_scopes(case, flow)
            if flow is not None and (unknown := unknown_answers(whole, flow)):
                refused.append(f"conversation {case.name}: {unknown}")
                del cases[file]
            else:
                files[file] = case_text(whole, self.subject.agent_path, self.subject.conversations.get(file, ""))
        return cases, files

    def _applied(self, document: Data, value: Any) -> Data:
        check_proposed(value)
        after = only_earlier_ids(self.source.data, applied(document, read_command(value)))
        check_allowed(document, after, self.subject.allowed)
        return after

    def _file_of(self, name: str) -> str:
        """The path of a conversation: that of the present one of this name, else a new one."""
        file = f"{name}{SUFFIX}"
        return next((each for each in self.subject.conversations if each.rpartition("/")[2] == file), f"tests/{file}")

    def _text_of(self, document: Data) -> str:
        try:
            text = text_with(self.source, document)
        except Refused as reason:
            raise UsageError("not_editable", str(reason), "Write shared values out, or edit the text.") from None
        if len(text) > LONGEST_DOCUMENT:
            message = (
                f"The changed document would have {len(text):,} characters; at most {LONGEST_DOCUMENT:,} are allowed."
            )
            raise UsageError("flow_too_large", message, "Describe a smaller change.")
        return text

    async def _tested(self, text: str, files: Mapping[str, str]) -> tuple[Outcome, ...]:
        """The results of the conversations, without those that fail on the present document, too."""
        if text == self.subject.text and not files:
            return ()
        number = self.at.round

        def on_tested(conversation: int, conversations: int) -> None:
            self._begins(Progress("testing", number, conversation, conversations))

        outcomes = await self.subject.test(text, files, on_tested)
        if self.failed_before is None and any(not each.passed and each.file not in files for each in outcomes):
            before = await self.subject.test(self.subject.text, {}, lambda *_: None) if self.subject.text else ()
            self.failed_before = frozenset(each.file for each in before if not each.passed)
        ignored = (self.failed_before or frozenset()) - files.keys()
        return tuple(each for each in outcomes if each.passed or each.file not in ignored)

    def _messages(self, base: Compilation) -> list[BaseMessage]:
        allowed = self.subject.allowed
        inputs = {
            "document": fenced(self.subject.text),
            "new_id": self.subject.new_id,
            "findings": _diagnostic_lines(base.diagnostics) if self.subject.text else [],
            "actions": [
                {"name": name, "reads": list(each.reads), "writes": list(each.writes), "effects": each.effects}
                for name, each in sorted(allowed.catalogue.actions.items())
            ],
            "validators": sorted(allowed.catalogue.validators),
            "prompts": allowed.prompts,
            "hosts": list(allowed.hosts),
            "servers": {name: list(tools) for name, tools in allowed.servers.items()},
            "conversations": _shown_conversations(self.subject.conversations),
            "request": fenced(self.request),
        }
        return _prompts().messages(PROMPT, inputs)

    def _findings(self, reply: FlowChange, state: _State, left: int) -> list[BaseMessage]:
        from langchain_core.messages import AIMessage

        inputs = {
            "refused": list(state.refused[:_MOST_FINDINGS]),
            "errors": _diagnostic_lines(state.errors),
            "failing": [
                {
                    "file": each.file,
                    "problems": [fenced(problem) for problem in each.problems[:5]],
                    "events": [fenced(line) for line in each.events[:_MOST_EVENTS]],
                }
                for each in state.failing[:_MOST_FINDINGS]
            ],
            "warnings": _diagnostic_lines(state.warnings),
            "document": fenced(state.text),
            "left": left,
        }
        said = AIMessage(reply.model_dump_json(exclude_defaults=True))
        return [said, *_prompts().messages(FINDINGS, inputs)]

    def _proposal(
        self, state: _State, base: Compilation, demands: tuple[str, ...], cannot: str, number: int
    ) -> Proposal:
        status: Status = "invalid" if state.errors else "unproven" if any(state.rank[:3]) else "proposed"
        if not state.commands and not state.files:
            status = "cannot"
        present = self.subject.conversations
        changed = {name: text for name, text in state.files.items() if present.get(name) != text}
        found = None
        flow = state.compilation.flow
        if self.subject.text and base.flow is not None and flow is not None:
            found = difference(base.flow, flow)
        looks = [*cautions(found, self.source.data, state.document)]
        for name in sorted(changed.keys() & present.keys()):
            looks += conversation_cautions(name, present[name], changed[name], state.document)
        return Proposal(
            status,
            self.subject.text,
            state.text,
            summary=state.summary,
            cannot=cannot or ("The model proposed nothing." if status == "cannot" else ""),
            demands=demands,
            commands=state.commands,
            refused=state.refused,
            diagnostics=state.compilation.diagnostics,
            difference=tuple(difference_lines(found, flow, state.document)),
            cautions=tuple(looks),
            outcomes=state.outcomes,
            files=changed,
            rounds=number,
        )


def _named(value: Any) -> str:
    """A command or a conversation in a few words."""
    if not isinstance(value, dict):
        return "not an object"
    node = value.get("node")
    about = [value.get(name) for name in ("do", "id", "name", "from", "to")]
    about.insert(1, node.get("id") if isinstance(node, dict) else None)
    return " ".join(str(each)[:80] for each in about if each) or "unnamed"


def _diagnostic_lines(found: Sequence[Diagnostic]) -> list[str]:
    lines = [
        f"line {each.span.line}: {each.severity.value} {each.code}: {each.message} {each.hint}".rstrip()
        for each in found
        if each.severity is not Severity.INFO
    ]
    more = len(lines) - _MOST_FINDINGS
    return [*lines[:_MOST_FINDINGS], *([f"and {more} more"] if more > 0 else [])]


def _shown_conversations(texts: Mapping[str, str]) -> list[dict[str, str]]:
    """The conversations, each with its text as far as the size of the prompt allows."""
    shown, room = [], _MOST_CONVERSATIONS
    for name, text in texts.items():
        room -= len(text)
        shown.append({"name": name.rpartition("/")[2].removesuffix(SUFFIX), "text": fenced(text) if room > 0 else ""})
    return shown
