"""Drafts and published versions of the flows of the served agents, and test runs on drafts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from graphwright import load
from graphwright.errors import GraphwrightError, UsageError
from graphwright.flow import Catalogue, Compilation
from graphwright.flow.difference import difference, text_lines
from graphwright.host.agent import catalogue_for, compiled_draft, outline, read_flow, written_id
from graphwright.host.discovery import find
from graphwright.host.migrating import Migrator
from graphwright.store import AuditEntry, FlowDraft, FlowVersion, StoreError
from graphwright.store.rows import utc_now
from graphwright.testing.drafts import conversations_of, run_draft
from graphwright_server.access.principal import AccessError
from graphwright_server.shapes._drafts import ActionRead, ChangeLine, Palette, Preview, WaitingThread

if TYPE_CHECKING:
    from pathlib import Path

    from graphwright.flow import CompiledFlow
    from graphwright.store import Store
    from graphwright_server._agents import Agents
    from graphwright_server.access.principal import Principal

LONGEST = 1_000_000
"""The maximum length of a document, in characters."""

MOST_THREADS = 2_000
"""The maximum number of waiting conversations whose migration a preview shows."""

_MOST_EARLIER = 10
"""The maximum number of versions in which the names of a conversation are looked for."""

TEST_SECONDS = 120.0
"""The time limit of a test run on a draft, in seconds."""

FILE_AUTHOR = "file"
"""The author of a version that was stored from the file of the folder."""


@dataclass(frozen=True, slots=True)
class Source:
    """The documents of an agent: its file, and the active version if one is published."""

    agent: str
    flow: str
    title: str
    file: str
    file_hash: str
    versions: tuple[FlowVersion, ...]

    @property
    def active(self) -> FlowVersion | None:
        return self.versions[0] if self.versions else None

    @property
    def file_changed(self) -> bool:
        """Whether the file differs from every published version."""
        return bool(self.versions) and self.file_hash not in {each.hash for each in self.versions}


class Authoring:
    """Drafts, versions and test runs of the flows of the served agents."""

    def __init__(self, agents: Agents, store: Store) -> None:
        self._agents = agents
        self._store = store
        self._testing = asyncio.Semaphore(1)

    async def source(self, agent: str) -> Source:
        """Return the documents of an agent. Raises UsageError (`unknown_agent`, `unreadable`)."""
        text, found = await asyncio.to_thread(self._read, agent)
        flow = found.id if found else written_id(text) or agent
        versions = tuple(await self._store.flows.versions(flow))
        return Source(agent, flow, found.title if found else "", text, found.hash if found else "", versions)

    def _read(self, agent: str) -> tuple[str, CompiledFlow | None]:
        """Return the text of an agent's flow file, and its flow if it compiles."""
        text = read_flow(self._file(agent)).decode("utf-8", "replace")
        try:
            return text, outline(self._agents.source(agent)).flow
        except GraphwrightError:
            return text, None

    def _file(self, agent: str) -> Path:
        """Return the flow file of an agent. Raises UsageError, whose message does not have the path, if it is gone."""
        source = self._agents.source(agent)
        try:
            return find(source)
        except UsageError as error:
            message = f"The flow document of the agent {agent!r} is gone: it was moved or deleted."
            raise UsageError(error.code, message, "Put the file back, or serve another folder.") from error

    async def compiled(self, agent: str, text: str) -> _Compiled:
        """Compile a text as the flow of an agent."""
        return _Compiled(await asyncio.to_thread(compiled_draft, self._agents.source(agent), text))

    async def active_text(self, source: Source) -> str:
        """Return the text of the active document."""
        return source.file if source.active is None else await self.text_of(source.active)

    async def text_of(self, version: FlowVersion) -> str:
        """Return the text of a version as it was published; the stored document if the text is not known."""
        if version.text:
            return version.text
        document = await self._store.flows.get(version.hash)
        return json.dumps(json.loads(document or "{}"), indent=2, ensure_ascii=False) + "\n"

    async def palette(self, agent: str) -> Palette:
        """Return the parts of an agent's Python for its nodes. Raises AgentError if its Python cannot be parsed."""

        def read() -> Palette:
            found = catalogue_for(self._file(agent)) or Catalogue()
            actions = [
                ActionRead(name=name, reads=list(each.reads), writes=list(each.writes), effects=each.effects)
                for name, each in sorted(found.actions.items())
            ]
            return Palette(
                actions=actions,
                validators=sorted(found.validators),
                conversations=list(conversations_of(self._agents.source(agent))),
            )

        return await asyncio.to_thread(read)

    async def draft(self, source: Source) -> FlowDraft | None:
        """Return the draft of a flow, or None."""
        return await self._store.flows.draft(source.flow)

    async def save(self, source: Source, text: str, revision: int, principal: Principal) -> FlowDraft:
        """Save a draft made from a revision; 0 begins one. Raises AccessError (`draft_changed`, 412)."""
        try:
            return await self._store.flows.save_draft(source.flow, text, revision=revision, author=principal.user)
        except StoreError as error:
            if error.code != "draft_changed":
                raise
            raise AccessError(412, error.code, error.message, error.hint) from error

    async def preview(self, agent: str, text: str) -> Preview:
        """Return the changes that a publication of this text would make, and the outcome for each waiting conversation.

        Raises UsageError (`flow_invalid`).
        """
        (await self.compiled(agent, text)).require()
        active = await self._agents.get(agent)
        draft = await asyncio.to_thread(load, self._agents.source(agent), document=text)
        meaning = await asyncio.to_thread(_meaning, active.flow, draft.flow)
        migrator = Migrator(self._store, draft, "", utc_now())
        rows = await migrator.threads()
        found = [each async for each in migrator.run(rows[:MOST_THREADS], dry=True)]
        threads = [
            WaitingThread(
                thread=each.thread,
                outcome=each.outcome,
                reasons=[*each.reasons, *each.lacks],
                node=each.node,
                goes_to=each.goes_to,
            )
            for each in found
        ]
        return Preview(difference=meaning, threads=threads, more=max(0, len(rows) - MOST_THREADS))

    async def version(self, source: Source, number: int) -> FlowVersion:
        """Return a published version. Raises UsageError (`not_found`)."""
        found = next((each for each in source.versions if each.number == number), None)
        if found is None:
            raise UsageError("not_found", f"There is no version {number} of this flow.", "List its versions.")
        return found

    async def publish(self, source: Source, revision: int, digest: str, note: str, principal: Principal) -> FlowVersion:
        """Publish the draft of this revision, whose document has this hash; from now on it is active.

        The first publication also stores the file of the folder, as version 1. Raises AccessError (`draft_changed`,
        412), UsageError (`flow_invalid`, `content_changed`, `other_flow`, `nothing_changed`), StoreError
        (`version_changed`) if another version was published meanwhile.
        """
        draft = await self.draft(source)
        if draft is None or draft.revision != revision:
            now = draft.revision if draft else 0
            raise AccessError(
                412, "draft_changed", f"The draft has revision {now} now, not {revision}.", "Read it again."
            )
        flow = (await self.compiled(source.agent, draft.text)).require()
        if flow.hash != digest:
            message = "The draft is not the document that was confirmed."
            raise UsageError("content_changed", message, "Check it again, and confirm what it is now.")
        if flow.id != source.flow:
            message = f"The draft has the id {flow.id!r}, and the flow of this agent is {source.flow!r}."
            raise UsageError("other_flow", message, "Keep the id: waiting conversations belong to it.")
        if draft.text == await self.active_text(source):
            raise UsageError("nothing_changed", "The draft is the active document.", "Change it first.")
        after = source.active.number if source.active else await self._publish_file(source)
        published = await self._store.flows.publish(
            *(flow.id, flow.canonical_text),
            author=principal.user,
            note=note,
            text=draft.text,
            after=after,
            audit=partial(_audited, principal, source.agent),
        )
        self._agents.look_again(source.agent)
        return published

    async def _publish_file(self, source: Source) -> int:
        """Publish the file of the folder as the first version; return its number, 0 if it does not compile."""
        flow = (await self.compiled(source.agent, source.file)).flow
        if flow is None or flow.id != source.flow:
            return 0
        about: dict[str, Any] = {"author": FILE_AUTHOR, "note": "The file of the folder.", "text": source.file}
        return (await self._store.flows.publish(flow.id, flow.canonical_text, **about, after=0)).number

    async def _earlier(self, agent: str, text: str) -> list[str]:
        """The documents for which the conversations may have been written, besides the text, the newest first."""
        source = await self.source(agent)
        versions = [await self.text_of(each) for each in source.versions[:_MOST_EARLIER]]
        return [each for each in dict.fromkeys([*versions, source.file]) if each and each != text]

    async def test(self, agent: str, text: str, only: Iterable[str]) -> AsyncGenerator[Mapping[str, Any], None]:
        """Run the conversations of an agent on a document in a separate process; yield its lines.

        The process is killed if the caller stops listening, and after `TEST_SECONDS`. Raises AccessError
        (`too_many_tests`, 429) while another run is going on.
        """
        if self._testing.locked():
            message = "The conversations of a draft are being run already."
            raise AccessError(429, "too_many_tests", message, "Wait for their end.", {"Retry-After": "5"})
        async with self._testing:
            earlier = await self._earlier(agent, text)
            lines = run_draft(self._agents.source(agent), text, only=only, earlier=earlier, seconds=TEST_SECONDS)
            async with aclosing(lines):
                async for line in lines:
                    yield line


def _audited(principal: Principal, agent: str, version: FlowVersion) -> AuditEntry:
    return AuditEntry(
        user=principal.user,
        key=principal.key,
        event="published",
        agent=agent,
        thread="",
        action=f"version {version.number}",
        content=version.hash,
        door="api",
    )


def _meaning(before: CompiledFlow, after: CompiledFlow) -> list[ChangeLine]:
    return [ChangeLine.model_validate(line.to_json()) for line in text_lines(difference(before, after))]


@dataclass(frozen=True, slots=True)
class _Compiled:
    """A compiled draft."""

    compilation: Compilation

    @property
    def flow(self) -> CompiledFlow | None:
        return self.compilation.flow

    def require(self, what: str = "draft") -> CompiledFlow:
        """Return the flow. Raises UsageError (`flow_invalid`) if it has errors; `what` is the document."""
        if self.compilation.flow is None:
            first = self.compilation.errors[0]
            message = f"The {what} has errors: line {first.span.line}, {first.code} {first.message}"
            raise UsageError("flow_invalid", message, f"Correct the {what}; nothing was changed.")
        return self.compilation.flow
