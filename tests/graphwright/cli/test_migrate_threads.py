"""`graphwright threads migrate`: what becomes of every waiting thread; written, resumed and taken back."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from cli_support import Runner, environment
from graphwright import Agent, Workspace
from graphwright.engine.replay import fold
from graphwright.errors import UsageError
from graphwright.host.migrating import Migrator, undo
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from migration_support import FLOW, GONE, NODES, Edited

Edit = tuple[str, str]


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    return Edited(tmp_path)


@pytest.fixture
def migrate(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, edited: Edited) -> Any:
    """Runs the command for an agent; returns its JSON. The exit code is 0 unless `code` says otherwise."""
    run = Runner(capsys, monkeypatch, edited.home)

    def migrated(made: Agent, *options: str, code: int = 0) -> Any:
        outcome = run("threads", "migrate", made.folder, "--json", *options)
        assert outcome.code == code, outcome.err
        return outcome.json

    return migrated


def talked(edited: Edited, *texts: str) -> None:
    asyncio.run(edited.talked(*texts))


def send(edited: Edited, text: str, *edits: Edit) -> Any:
    return asyncio.run(edited.send(text, *edits))


def state(edited: Edited) -> dict[str, Any]:
    """The stored state, after a check that the trace folds to it."""

    async def read() -> dict[str, Any]:
        async with open_store(edited.home) as store:
            stored = dict((await store.state("t"))["thread"])
            assert fold(await store.events.read("t")).state.to_json() == stored
            return stored

    return asyncio.run(read())


def only(found: dict[str, Any]) -> dict[str, Any]:
    (thread,) = found["threads"]
    return dict(thread)


def test_a_plan_changes_nothing_and_the_migration_does_what_it_says(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small", "yes")
    before, made = state(edited), edited.made(FLOW, NODES, *GONE)
    plan = only(migrate(made, "--dry-run"))
    assert (plan["outcome"], plan["node"], plan["reasons"][0]) == (
        "move",
        "q.more",
        "q.more is gone: it goes on from q.sure",
    )
    assert state(edited) == before
    assert only(migrate(made)) == plan
    # It is idempotent, and in the audit.
    assert migrate(made)["threads"] == []

    async def audited() -> Any:
        async with open_store(edited.home) as store:
            return await store.access.audit.page(9)

    (entry,) = asyncio.run(audited())
    assert (entry.event, entry.thread, entry.content) == ("migrated", "t", made.flow.hash)


def test_from_an_earlier_question_what_was_done_is_passed_over(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small", "yes")
    plan = only(migrate(edited.made(FLOW, NODES, *GONE)))
    assert "send was performed already: it is not done again without asking" in plan["reasons"]
    assert plan["reasons"][-1] == "it ends"
    after = state(edited)
    assert (after["mode"], after["channels"]["sent"]) == ("ended", ["small"])


@pytest.mark.parametrize(("reply", "sent"), [("yes", ["small", "small"]), ("no", ["small"])])
def test_what_was_done_for_less_is_asked_again_with_what_was_done(
    edited: Edited, migrate: Any, reply: str, sent: list[str]
) -> None:
    edits = [*GONE, ("over: [answers.size]", "over: [answers.size, answers.name]")]
    talked(edited, "Ann", "small", "yes")
    assert only(migrate(edited.made(FLOW, NODES, *edits)))["goes_to"] == "q.sure"
    prompt = state(edited)["waiting"]["prompt"]
    assert "after your yes to this: “Send small?”" in prompt
    assert send(edited, "yes", *edits).values["sent"] == ["small"]
    turn = send(edited, reply, *edits)
    assert (turn.status, turn.values["sent"]) == ("ended", sent)


def test_an_answer_that_is_no_longer_valid_is_asked_again_and_no_other(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small")
    edits = [("key: name, prompt: Name?", "key: name, schema: {type: string, minLength: 5}, prompt: Full name?")]
    found = only(migrate(edited.made(FLOW, NODES, *edits)))
    assert (found["outcome"], found["goes_to"]) == ("move", "q.name")
    assert "name is asked again: its answer is no longer valid" in found["reasons"]
    assert state(edited)["answers"] == {"size": "small"}
    assert send(edited, "yes", *edits).reply.endswith("Full name?")
    turn = send(edited, "Ann Lee", *edits)
    assert (turn.waiting_for.prompt, turn.values["answers"]) == ("Send small?", {"name": "Ann Lee", "size": "small"})


def test_an_invalid_answer_that_nothing_ahead_reads_is_kept(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small", "yes")
    edits = [("enum: [small, large]", "enum: [large, huge]"), ("Sent {{ sent.size() }}, ", "")]
    found = only(migrate(edited.made(FLOW, NODES, *edits)))
    assert (found["outcome"], found["goes_to"], state(edited)["answers"]["size"]) == ("carry", "q.more", "small")
    assert found["reasons"] == ["size is no longer valid, but nothing ahead reads it: it is kept"]


OTHER_ID = [("id: send,", "id: post,"), ("to: send,", "to: post,"), ("from: send,", "from: post,")]


def test_a_performed_action_with_another_id_is_recognised_by_what_it_runs(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small", "yes")
    edits = [*GONE, *OTHER_ID]
    found = only(migrate(edited.made(FLOW, NODES, *edits)))
    assert "post was performed already: it is not done again without asking" in found["reasons"]
    assert state(edited)["channels"]["sent"] == ["small"]


def test_a_plan_warns_of_an_action_that_may_do_again_what_a_removed_one_did(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small", "yes")
    edits = [*GONE, *OTHER_ID, ("run: send", "run: ship")]
    found = only(migrate(edited.made(FLOW, BOTH, *edits), "--dry-run"))
    assert "send was performed and is gone: post may do it again (`was` prevents it)" in found["reasons"]


def test_a_pending_approval_is_asked_again(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small")
    edits = [("prompt: More?", "prompt: Anything more?")]
    found = only(migrate(edited.made(FLOW, NODES, *edits)))
    assert found["reasons"] == ["only texts changed", "the question is asked again"]
    assert send(edited, "yes", *edits).values["sent"] == ["small"]


def test_a_reply_counts_only_for_a_question_that_a_turn_has_shown(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann", "small")
    edits = [("Send {{ answers.size }}?", "Sell the {{ answers.size }} one?")]
    migrate(edited.made(FLOW, NODES, *edits))
    # A second migration does not show it either.
    migrate(edited.made(FLOW, NODES, *edits, ("prompt: More?", "prompt: Anything more?")))
    turn = send(edited, "yes", *edits)
    assert (turn.waiting_for.prompt, turn.values["sent"]) == ("Sell the small one?", [])
    assert turn.reply.startswith("The flow was changed meanwhile, so your decision was not used.")
    assert send(edited, "yes", *edits).values["sent"] == ["small"]


GOES_ON = [("{from: q.sure, to: t.no, guard: else}", "{from: q.sure, to: q.more, guard: else}")]
OTHER_QUESTION = [
    ("{id: q.more, type: question, key: more, prompt: More?", "{id: q.else, type: question, key: more, prompt: Else?"),
    ("{from: send, to: q.more}", "{from: send, to: q.else}"),
    ("{from: q.more, to: t.done}", "{from: q.else, to: t.done}"),
]


@pytest.mark.parametrize(("reply", "sent"), [("yes", ["small"]), ("no", [])])
def test_a_confirmation_that_has_a_reply_is_passed_over(
    edited: Edited, migrate: Any, reply: str, sent: list[str]
) -> None:
    before = FLOW.replace(*GOES_ON[0])
    asyncio.run(edited.talked("Ann", "small", reply, flow=before))
    after = [("to: q.more, guard: else", "to: q.else, guard: else"), *OTHER_QUESTION]
    found = only(migrate(edited.made(before, NODES, *after)))
    assert (found["outcome"], found["goes_to"]) == ("move", "q.else")
    assert state(edited)["channels"]["sent"] == sent


SENDS_LARGE = (
    "{from: q.size, to: q.sure}",
    "{from: q.size, to: q.sure, guard: \"answers.size == 'large'\"}\n  - {from: q.size, to: q.more, guard: else}",
)
SENDS_SMALL = [("answers.size == 'large'", "answers.size == 'small'")]


def test_a_pending_question_is_answered_before_a_changed_decision_is_taken_again(edited: Edited, migrate: Any) -> None:
    flow = FLOW.replace(*SENDS_LARGE)
    asyncio.run(edited.talked("Ann", "small", flow=flow))
    made = edited.made(flow, NODES, *SENDS_SMALL)
    found = only(migrate(made))
    assert (found["outcome"], found["goes_to"]) == ("carry", "q.more")
    assert found["reasons"] == [
        "q.size leads elsewhere now: it goes on from there",
        "the pending question is answered first",
    ]
    assert send(edited, "nothing", SENDS_LARGE, *SENDS_SMALL).waiting_for.prompt == "Send small?"
    assert send(edited, "yes", SENDS_LARGE, *SENDS_SMALL).reply == "Sent.\n\nSent 1, Ann: nothing."


BOTH = f"{NODES}\n{NODES.replace('def send', 'def ship')}"


@pytest.mark.parametrize("edit", [("Send {{", "Really send {{"), ("action, run: send", "action, run: ship")])
async def test_a_yes_counts_only_for_the_words_and_actions_that_it_was_given_to(edited: Edited, edit: Edit) -> None:
    await edited.talked("Ann", "small")

    async def shown(*edits: Edit) -> str:
        async with edited.session(*edits, nodes=BOTH) as session:
            return str((await session.state())["waiting_for"]["approval"]["hash"])

    async def approve(digest: str, *edits: Edit) -> Any:
        async with edited.session(*edits, nodes=BOTH) as session:
            return await session.resume(True, approves=digest)

    before = await shown()
    # At the next message it is asked again, and by an operator's migration as well.
    assert (await approve(before, edit)).waiting_for.node == "q.sure"
    after = await shown(edit)
    async with open_store(edited.home) as store:
        back = edited.made(FLOW, BOTH)
        migrator = Migrator(store, back, "operator", utc_now())
        assert [each.outcome async for each in migrator.run(await migrator.threads(), dry=False)] == ["carry"]
        with pytest.raises(UsageError, match="waits for the approval of other content"):
            await approve(after)
        await undo(store, back, "t", "operator", utc_now())
    with pytest.raises(UsageError, match="waits for the approval of other content"):
        await approve(before, edit)
    assert (await approve(after, edit)).values["sent"] == ["small"]


def test_a_question_that_is_only_reworded_shows_its_new_words(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann")
    only(migrate(edited.made(FLOW, NODES, ("Which size", "What size"))))
    assert state(edited)["waiting"]["prompt"] == "What size, Ann?"
    assert send(edited, "1", ("Which size", "What size")).waiting_for.prompt == "Send small?"


def test_ask_waits_for_the_operator_and_pin_does_not_wait(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann")
    for policy, outcome in (("pin", "pin"), ("ask", "carry")):
        made = edited.made(FLOW, NODES, ("state:", f"on_change: {policy}\nstate:"))
        assert only(migrate(made))["outcome"] == outcome


def test_a_migration_is_taken_back_and_then_left_alone(
    edited: Edited, migrate: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Runner(capsys, monkeypatch, edited.home)
    talked(edited, "Ann", "small", "yes")
    before, made = state(edited), edited.made(FLOW, NODES, *GONE)
    migrate(made)
    assert run("threads", "migrate", "--undo", "t").code == 0
    counted = {"seq", "messages", "pinned"}
    after = state(edited)
    assert {k: v for k, v in after.items() if k not in counted} == {k: v for k, v in before.items() if k not in counted}
    assert only(migrate(made))["outcome"] == "pin"
    refused = run("threads", "migrate", "--undo", "t")
    assert (refused.code, "nothing_to_undo" in refused.err) == (2, True)
    # It finishes in its version, unless the operator names it.
    assert only(migrate(made, "--thread", "t", "--dry-run"))["outcome"] == "move"
    assert send(edited, "no", *GONE).reply == "Sent 1, Ann: no."
    assert run("threads", "migrate", "--undo", "t").code == 2


def test_threads_can_be_moved_to_an_earlier_version_and_stay_there(edited: Edited, migrate: Any) -> None:
    old = edited.made().flow.hash
    talked(edited, "Ann")
    edits = [("Which size", "What size")]
    migrate(edited.made(FLOW, NODES, *edits))
    found = only(migrate(edited.made(FLOW, NODES, *edits), "--to", old[:12]))
    assert (found["outcome"], found["after"], state(edited)["flow_hash"]) == ("carry", old, old)
    assert send(edited, "small", *edits).waiting_for.prompt == "Send small?"
    assert state(edited)["flow_hash"] == old


def test_threads_can_be_moved_to_the_published_version_and_carry_over_from_there(
    edited: Edited, migrate: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    talked(edited, "Ann")
    made = edited.made(FLOW, NODES, ("Which size", "What size"))

    async def publish() -> int:
        async with open_store(edited.home) as store:
            return (await store.flows.publish(made.flow.id, made.flow.canonical_text, author="ann")).number

    number = asyncio.run(publish())
    found = only(migrate(edited.made(), "--to", str(number)))
    assert (found["outcome"], found["after"], "pinned" in state(edited)) == ("carry", made.flow.hash, False)


@pytest.mark.parametrize(
    ("nodes", "outcome"), [(NODES, "pin"), (NODES.replace("def send", "def ship"), "action_missing")]
)
def test_a_thread_that_stays_and_cannot_be_served_is_listed(
    edited: Edited, migrate: Any, nodes: str, outcome: str
) -> None:
    talked(edited, "Ann")
    flow = (
        "on_change: pin\nnodes:\n  - {id: q.name, type: question, key: name, prompt: Who?, read: verbatim}\n"
        "  - {id: t.done, type: terminal}\nedges:\n  - {from: q.name, to: t.done}\n"
    )
    found = migrate(edited.made(flow, nodes), "--dry-run", code=int(outcome == "action_missing"))
    assert only(found)["outcome"] == outcome


def test_a_version_that_the_store_lacks_is_listed_and_its_threads_stay(edited: Edited, migrate: Any) -> None:
    talked(edited, "Ann")
    with closing(sqlite3.connect(edited.home / "graphwright.db")) as database:
        database.executescript("DELETE FROM gw_flow_code; DELETE FROM gw_flow_documents")
    before = state(edited)
    assert only(migrate(edited.made(FLOW, NODES, ("Which size", "What size")), code=1))["outcome"] == "version_missing"
    assert state(edited) == before


def test_a_damaged_thread_stays_and_keeps_no_other_from_being_migrated(edited: Edited, migrate: Any) -> None:
    asyncio.run(many_wait(edited, 3))
    with closing(sqlite3.connect(edited.home / "graphwright.db")) as database:
        database.execute("UPDATE gw_states SET state = '{}' WHERE thread = 't1'")
        database.commit()
    made = edited.made(FLOW, NODES, ("prompt: More?", "prompt: Anything more?"))
    for options in (("--dry-run",), ()):
        found = {each["thread"]: each["outcome"] for each in migrate(made, *options)["threads"]}
        assert found == {"t0": "carry", "t1": "pin", "t2": "carry"}
    assert [each["thread"] for each in migrate(made)["threads"]] == ["t1"]


@pytest.mark.parametrize(
    ("edits", "why"),
    [
        ([("sent: {type: array, default: [], reduce: append}", "sent: {type: string, default: '-'}"),
          ("sent.size()", "sent")], ["the value of channel sent is reset: it is not valid any more"]),
        ([("  sent: {type: array, default: [], reduce: append}", "  mail: {type: array, default: [], reduce: append}"),
          ("sent.size()", "mail.size()")],
         ["the value of channel sent is dropped: the channel is gone",
          "channel mail has no value: send, which writes it, was done and is not done again"]),
    ],
    ids=["type", "gone"],
)  # fmt: skip
def test_a_plan_lists_the_channel_values_that_are_lost(
    edited: Edited, migrate: Any, edits: list[Edit], why: list[str]
) -> None:
    talked(edited, "Ann", "small", "yes")
    nodes = NODES if "sent: {type: s" in edits[0][1] else NODES.replace("sent", "mail")
    assert only(migrate(edited.made(FLOW, nodes, *edits), "--dry-run"))["reasons"] == why


LOOP = """
nodes:
  - {id: q.item, type: question, key: item, prompt: Item?, read: verbatim, ask: always}
  - {id: q.count, type: question, key: count, prompt: How many?, read: verbatim, ask: always}
  - {id: q.again, type: question, key: again, prompt: Another?, read: confirm, ask: always}
  - {id: t.done, type: terminal}
edges:
  - {from: q.item, to: q.count}
  - {from: q.count, to: q.again}
  - {from: q.again, to: q.item, guard: answers.again == true}
  - {from: q.again, to: t.done, guard: else}
"""


def test_an_answered_question_is_left_also_if_each_entry_asks_it(edited: Edited, migrate: Any) -> None:
    asyncio.run(edited.talked("lamp", flow=LOOP))
    kept = [line for line in LOOP.splitlines() if "id: q.count" not in line and "from: q.count" not in line]
    found = only(migrate(edited.made("\n".join(kept), NODES, ("to: q.count", "to: q.again"))))
    assert (found["goes_to"], state(edited)["answers"]) == ("q.again", {"item": "lamp"})


def test_a_used_up_answer_of_an_earlier_round_is_not_checked(edited: Edited, migrate: Any) -> None:
    asyncio.run(edited.talked("lamp", flow=LOOP))
    found = only(migrate(edited.made(LOOP, NODES, ("key: item,", "key: item, schema: {type: string, maxLength: 2},"))))
    assert (found["outcome"], found["goes_to"], state(edited)["answers"]) == ("carry", "q.count", {"item": "lamp"})


def test_a_question_of_an_undone_migration_was_not_reached(
    edited: Edited, migrate: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(edited.talked("lamp", flow=LOOP))
    kept = [line for line in LOOP.splitlines() if "id: q.count" not in line and "from: q.count" not in line]
    assert only(migrate(edited.made("\n".join(kept), NODES, ("to: q.count", "to: q.again"))))["goes_to"] == "q.again"
    assert Runner(capsys, monkeypatch, edited.home)("threads", "migrate", "--undo", "t").code == 0
    found = only(migrate(edited.made(LOOP, NODES, ("q.count", "q.colour")), "--thread", "t"))
    assert (found["outcome"], found["goes_to"]) == ("move", "q.colour")


ROOMS = """
nodes:
  - {id: s.hall, type: subgraph, ref: room, as: hall}
  - {id: s.office, type: subgraph, ref: room, as: office}
  - {id: q.note, type: question, key: note, prompt: Anything else?, read: verbatim}
  - {id: t.done, type: terminal}
edges:
  - {from: s.hall, to: s.office}
  - {from: s.office, to: q.note}
  - {from: q.note, to: t.done}
subgraphs:
  room:
    nodes:
      - {id: q.lamps, type: question, key: lamps, prompt: How many lamps?, read: verbatim}
      - {id: q.kind, type: question, key: kind, prompt: Which kind?, read: verbatim}
    edges:
      - {from: q.lamps, to: q.kind}
      - {from: q.kind, to: __exit__}
"""
HALL = {"lamps": "1", "kind": "old"}


@pytest.mark.parametrize(
    ("edits", "outcome", "goes_to", "answers"),
    [
        ([("as: office", "as: study")], "carry", "q.kind", {"hall": HALL, "study": {"lamps": "2"}}),
        (
            [("ref: room", "ref: place"), ("  room:", "  place:")],
            "carry",
            "q.kind",
            {"hall": HALL, "office": {"lamps": "2"}},
        ),
        ([(", as: office", "")], "carry", "q.kind", {"hall": HALL, "lamps": "2"}),
        ([("s.office", "s.study")], "move", "q.kind", {"hall": HALL, "office": {"lamps": "2"}}),
        (
            [
                ("  - {id: s.office, type: subgraph, ref: room, as: office}\n", ""),
                ("to: s.office", "to: q.note"),
                ("  - {from: s.office, to: q.note}\n", ""),
            ],
            "move",
            "q.note",
            {"hall": HALL},
        ),
    ],
    ids=["scope", "subgraph", "no scope", "call", "call gone"],
)
def test_calls_and_scopes_may_change_and_no_answer_takes_the_place_of_another(
    edited: Edited, migrate: Any, edits: list[Edit], outcome: str, goes_to: str, answers: dict[str, Any]
) -> None:
    asyncio.run(edited.talked("1", "old", "2", flow=ROOMS))
    found = only(migrate(edited.made(ROOMS, NODES, *edits)))
    assert (found["outcome"], found["goes_to"], state(edited)["answers"]) == (outcome, goes_to, answers)


MANY = 60


async def many_wait(edited: Edited, count: int = MANY) -> None:
    made = edited.made()
    async with Workspace(edited.home, model="none") as workspace:

        async def begin(number: int) -> None:
            async with workspace.session(made, f"t{number}") as session:
                for text in ("Ann", "small", "yes")[: number % 3 + 1]:
                    await session.send(text)

        await asyncio.gather(*map(begin, range(count)))


def program(edited: Edited, *words: str | Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "graphwright.cli", *map(str, words)]
    return subprocess.Popen(command, env=environment(edited.home), stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def migration(edited: Edited, made: Agent) -> subprocess.Popen[bytes]:
    return program(edited, "threads", "migrate", made.folder)


async def versions(edited: Edited, most: int = 1) -> dict[str, int]:
    """The number of threads in each version; each was migrated at most so many times, and its trace is whole."""
    found: dict[str, int] = {}
    async with open_store(edited.home) as store:
        for row in await store.threads.page(limit=1000):
            found[row.flow_hash] = found.get(row.flow_hash, 0) + 1
            events = await store.events.read(row.thread)
            assert [each.seq for each in events] == list(range(len(events)))
            assert len([each for each in events if each.event["type"] == "flow_migrated"]) <= most
    return found


@pytest.mark.slow
def test_a_migration_that_is_killed_is_finished_by_two_others_while_messages_arrive(
    edited: Edited, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(many_wait(edited))
    old = edited.made().flow.hash
    made = edited.made(FLOW, NODES, ("prompt: More?", "prompt: Anything more?"))
    killed = migration(edited, made)
    deadline = time.monotonic() + 60
    while asyncio.run(versions(edited)).get(old) == MANY and killed.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(killed.pid, signal.SIGKILL)
    killed.communicate()
    both = [migration(edited, made), migration(edited, made)]

    async def message() -> str:
        async with made.session("t0", model="none", home=edited.home) as session:
            turn = await session.send("large")
            return turn.waiting_for.node if turn.waiting_for else ""

    assert asyncio.run(message()) == "q.sure"
    for each in both:
        assert each.communicate()[1].decode().count("Error") == 0
        assert each.returncode == 0
    assert migration(edited, made).communicate()[1] == b"No thread waits in another version of the flow.\n"
    assert asyncio.run(versions(edited)) == {made.flow.hash: MANY}


@pytest.mark.slow
def test_a_publication_during_a_migration_loses_no_thread(edited: Edited, database: str) -> None:
    asyncio.run(many_wait(edited))
    for number in (1, 2):
        made, other = (
            edited.made(FLOW, f"{NODES}\n# {name}", ("prompt: More?", f"prompt: More {name} {number}?"))
            for name in ("moved", "published")
        )
        moving = migration(edited, made)
        publishing = program(edited, "publish", other.folder, "-m", "Other words.", "--yes")
        assert publishing.communicate()[0].decode() == f"Published version {number} of {other.flow.id}.\n"
        assert f"Migrated {MANY} of {MANY} threads." in moving.communicate()[1].decode()
        assert (publishing.returncode, moving.returncode) == (0, 0)
        assert asyncio.run(versions(edited, number)) == {made.flow.hash: MANY}
    # A service serves the published version: the threads carry over to it.
    assert program(edited, "threads", "migrate", other.folder).wait() == 0
    assert asyncio.run(versions(edited, 3)) == {other.flow.hash: MANY}
