"""The requirements on a store for flow documents, drafts and versions, as tests: a part of the suites for stores."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from graphwright.store import AuditEntry, FlowVersion, Store, StoreError
from graphwright.testing._store_steps import DOCUMENT, HASH, TEXTS, OpenStore, error_code, run_with_thread, synchronous


class FlowSuite:
    """The tests of flow documents, drafts and versions. A subclass provides the fixture `open_store`."""

    def test_a_document_is_stored_once_under_its_hash(self, open_store: OpenStore) -> None:
        async def run(store: Store) -> None:
            assert await store.flows.get(HASH) is None
            # The hash is part of stored state, so it must never change between versions.
            assert {await store.flows.put(DOCUMENT) for _ in range(2)} == {HASH}
            await store.threads.delete("t")
            async with open_store() as again:
                assert await again.flows.get(HASH) == DOCUMENT
                assert await again.flows.hashes(HASH[:8]) == await again.flows.hashes("") == [HASH]
                assert await again.flows.hashes("%") == await again.flows.hashes(HASH, limit=0) == []

        run_with_thread(open_store, run)

    @synchronous
    async def test_a_turn_stores_its_document_with_what_the_code_declares(self, store: Store) -> None:
        declared = {"actions": {"send": {"reads": ["answers"], "writes": ["sent"], "effects": True}}, "prompts": "p"}
        for code in ("{}", json.dumps(declared), ""):
            async with store.turn("t") as work:
                work.note_flow(DOCUMENT, code)
                await work.flush()
        # Without code, as in a turn of an earlier version, what is stored stays.
        assert (await store.flows.get(HASH), await store.flows.code(HASH)) == (DOCUMENT, declared)
        assert await store.flows.code("none") is None

    @pytest.mark.parametrize("text", ["", "id: f", '{"b":1,"a":2}', '{"a": 1}', '{"a":NaN}', '{"a":"\0"}', '"\ud83c"'])
    def test_a_text_that_is_not_canonical_is_refused(self, open_store: OpenStore, text: str) -> None:
        async def run(store: Store) -> None:
            assert await error_code(store.flows.put(text)) == "not_canonical"
            assert await error_code(store.flows.publish("f", text, author="ann")) == "not_canonical"
            assert await store.flows.versions("f") == []

        run_with_thread(open_store, run)

    @synchronous
    async def test_a_turn_stores_the_document_of_its_thread(self, store: Store) -> None:
        async with store.turn("t") as work:
            work.note_flow(DOCUMENT)
            assert await store.flows.get(HASH) is None
        for _ in range(2):
            async with store.turn("t") as work:
                work.note_flow(DOCUMENT)
                await work.flush()
        assert await store.flows.get(HASH) == DOCUMENT

    @synchronous
    async def test_a_draft_is_replaced_only_by_who_has_seen_it(self, store: Store) -> None:
        flows = store.flows
        assert await flows.draft("f") is None
        assert await error_code(flows.save_draft("f", "x", revision=1, author="ann")) == "draft_changed"
        first = await flows.save_draft("f", "id: [", revision=0, author="ann")
        assert (first.revision, first.author, first.text) == (1, "ann", "id: [")
        saving = (flows.save_draft("f", f"{name}", revision=1, author=name) for name in ("ben", "eve"))
        saved = await asyncio.gather(*saving, return_exceptions=True)
        (draft,) = [each for each in saved if not isinstance(each, BaseException)]
        (error,) = [each for each in saved if isinstance(each, StoreError)]
        assert error.code == "draft_changed"
        assert all(part in error.message for part in (f"`{draft.author}`", draft.updated, "revision 2", "`f`"))
        assert await flows.draft("f") == draft
        assert (draft.revision, draft.text) == (2, draft.author)
        for revision in (0, 1, 3, -1):
            assert await error_code(flows.save_draft("f", "x", revision=revision, author="ann")) == "draft_changed"
        assert await flows.save_draft("other", "x", revision=0, author="") == await flows.draft("other")
        assert await flows.draft("f") == draft

    @pytest.mark.parametrize("text", TEXTS)
    def test_any_draft_is_stored_unchanged(self, open_store: OpenStore, text: str) -> None:
        """A lone surrogate becomes U+FFFD; NUL may, too."""

        async def run(store: Store) -> None:
            await store.flows.save_draft("f", text, revision=0, author="ann")
            draft = await store.flows.draft("f")
            kept = text.replace("\ud83c", "\ufffd")
            assert draft is not None
            assert draft.text in {kept, kept.replace("\0", "\ufffd")}

        run_with_thread(open_store, run)

    @synchronous
    async def test_versions_are_numbered_and_two_publishers_get_one_number_each(self, store: Store) -> None:
        flows = store.flows
        assert (await flows.latest("f"), await flows.versions("f")) == (None, [])
        about: dict[str, Any] = {"author": "ann", "note": "Ask for the venue"}
        made = await asyncio.gather(*(flows.publish("f", f'{{"n":{n % 2}}}', **about) for n in range(8)))
        assert sorted(version.number for version in made) == list(range(1, 9))
        last = await flows.publish("f", DOCUMENT, author="")
        assert (last.number, last.hash, last.note, await flows.latest("f")) == (9, HASH, "", last)
        listed = await flows.versions("f")
        assert listed == sorted([*made, last], key=lambda version: -version.number)
        assert (listed[1].author, listed[1].note) == ("ann", "Ask for the venue")
        assert listed[1].created <= last.created
        assert {await flows.get(version.hash) for version in listed} == {DOCUMENT, '{"n":0}', '{"n":1}'}
        assert (await flows.publish("other", DOCUMENT, author="ann")).number == 1

    @synchronous
    async def test_a_version_and_its_audit_entry_are_stored_together(self, store: Store) -> None:
        def entry(version: FlowVersion) -> AuditEntry:
            about: dict[str, Any] = {"user": "ann", "event": "published", "agent": "f", "thread": ""}
            return AuditEntry(**about, action=f"version {version.number}", content=version.hash)

        def fails(version: FlowVersion) -> AuditEntry:
            raise ValueError(version.number)

        with pytest.raises(ValueError, match="1"):
            await store.flows.publish("f", DOCUMENT, author="ann", audit=fails)
        assert (await store.flows.versions("f"), await store.access.audit.page(9)) == ([], [])
        made = await store.flows.publish("f", DOCUMENT, author="ann", audit=entry)
        (stored,) = await store.access.audit.page(9)
        assert (stored.action, stored.content, stored.time) == ("version 1", HASH, made.created)

    @synchronous
    async def test_of_several_publishers_after_one_version_one_succeeds(self, store: Store) -> None:
        flows = store.flows
        for after in (0, 1):
            tries = (flows.publish("f", DOCUMENT, author="ann", after=after) for _ in range(4))
            made = await asyncio.gather(*tries, return_exceptions=True)
            assert [each.number for each in made if not isinstance(each, BaseException)] == [after + 1]
            refused = [each for each in made if isinstance(each, BaseException)]
            assert {each.code for each in refused if isinstance(each, StoreError)} == {"version_changed"}
            assert len(refused) == 3
        assert len(await flows.versions("f")) == 2
