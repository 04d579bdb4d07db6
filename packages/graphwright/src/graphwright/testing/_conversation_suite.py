"""The requirements on a store for what users do with their conversations, as tests: a part of `StoreSuite`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from graphwright.store import Beginning, Feedback, Rating, Store

COLUMNS = {"agent": "intake", "flow_id": "f", "flow_hash": "h", "waiting_for": None, "position": None, "turns": 0}
OpenStore = Callable[..., AbstractAsyncContextManager[Store]]


async def _said(store: Store, thread: str, *texts: str, beginning: Beginning | None = None) -> None:
    """Write a thread with messages of its user."""
    async with store.turn(thread) as work:
        if beginning is not None:
            work.note_beginning(beginning, "")
        work.note_step(
            visit=0,
            first_event=0,
            events=[],
            first_message=0,
            messages=[("user", text) for text in texts],
            changes={**COLUMNS, "status": "running"},  # type: ignore[typeddict-item]
            state={},
        )
        await work.flush()


class ConversationSuite:
    """Tests of the choices of owners, branches, search and feedback."""

    def test_choices_of_the_owner_for_a_thread_are_kept(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
                for thread in ("t", "other"):
                    await _said(store, thread, "hello")
                    await store.access.owners.claim("thread", thread, "ann")
                before = await store.threads.get("t")
                assert before is not None
                await store.threads.mark("t", pinned=True)
                await store.threads.mark("t", folder="Lamps \N{ELECTRIC LIGHT BULB}", model="openai:gpt-5")
                await store.threads.mark("none", pinned=True)
                row = await store.threads.get("t")
                assert row is not None
                assert (row.pinned, row.folder, row.model) == (True, "Lamps \N{ELECTRIC LIGHT BULB}", "openai:gpt-5")
                assert row.updated == before.updated
                for some in ({"pinned": True}, {"folder": row.folder}):
                    assert [each.thread for each in await store.threads.page(**some)] == ["t"]
                assert [each.thread for each in await store.threads.page(pinned=False)] == ["other"]
                assert await store.threads.folders("ann") == {row.folder: 1}
                assert await store.threads.folders("ben") == {}
                # A turn does not change them.
                async with store.turn("t") as work:
                    work.note_thread({**COLUMNS, "status": "waiting"})  # type: ignore[typeddict-item]
                    await work.flush()
                after = await store.threads.get("t")
                assert after is not None
                assert (after.status, after.pinned, after.model) == ("waiting", True, row.model)
                await store.threads.mark("t", pinned=False, folder="")
                assert await store.threads.folders("ann") == {}

        asyncio.run(run())

    def test_a_thread_and_its_branches_are_a_family(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
                await _said(store, "root")
                await store.threads.mark("root", folder="Lamps", model="m")
                await _said(store, "one", beginning=Beginning("root", 0, 0, (), turn=2))
                await _said(store, "two", beginning=Beginning("one", 0, 0, (), turn=3))
                await _said(store, "alone")
                about_new = {"agent": "intake", "flow_id": "f", "flow_hash": "h", "title": "", "time": store.time()}
                assert await store.threads.create("again", source="one", **about_new)
                again = await store.threads.get("again")
                assert again is not None
                assert (again.family, again.source, again.source_turn, again.model) == ("root", "one", 1, "m")
                await store.threads.delete("again")
                family = await store.threads.family("root")
                about = [(row.thread, row.source, row.source_turn, row.folder, row.model) for row in family]
                assert about == [
                    ("root", "", 0, "Lamps", "m"),
                    ("one", "root", 2, "Lamps", "m"),
                    ("two", "one", 3, "Lamps", "m"),
                ]
                assert [row.thread for row in await store.threads.page(families=True)] == ["alone", "two"]
                await store.threads.delete("two")
                await store.threads.delete("root")
                assert [row.thread for row in await store.threads.page(families=True)] == ["alone", "one"]
                assert [row.thread for row in await store.threads.family("root")] == ["one"]

        asyncio.run(run())

    def test_the_last_message_with_a_text_is_found(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
                await _said(store, "t", "a LAMP", "100 % of lamps", "none")
                await _said(store, "other", "no light")
                found = await store.messages.last_with(["t", "other"], "lamp")
                assert {thread: (each.seq, each.text) for thread, each in found.items()} == {"t": (1, "100 % of lamps")}
                assert {*await store.messages.last_with(["t", "other"], "% of")} == {"t"}
                assert await store.messages.last_with([], "lamp") == {}

        asyncio.run(run())

    def test_feedback_is_kept_by_turn(self, open_store: OpenStore) -> None:
        async def run() -> None:
            async with open_store() as store:
                await _said(store, "t")
                texts: tuple[tuple[int, Rating, str], ...] = (
                    (2, "bad", "a\0b"),
                    (1, "good", ""),
                    (2, "good", "better"),
                )
                given = [
                    Feedback(thread="t", turn=turn, rating=rating, comment=text, user="ann", time=store.time())
                    for turn, rating, text in texts
                ]
                for each in given:
                    await store.feedback.put(each)
                assert await store.feedback.of("t") == [given[1], given[2]]
                await store.feedback.delete("t", 1)
                assert await store.feedback.of("t") == [given[2]]
                await store.threads.delete("t")
                assert await store.feedback.of("t") == []

        asyncio.run(run())
