"""Threads that wait in an earlier version of their flow: they carry over at the next message, or finish in it."""

import asyncio
import hashlib
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from graphwright.errors import GraphwrightError
from graphwright.host.migrating import Migrator
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from host_support import open_session, saved_state
from migration_support import FLOW, GONE, NODES, Edited


@pytest.fixture
def edited(tmp_path: Path) -> Edited:
    return Edited(tmp_path)


NOT_USED = "The flow was changed meanwhile, so your decision was not used."
REWORDED = [("Which size", "What size"), ("prompt: More?", "prompt: Anything else?"), ("say: Not then.", "say: Never.")]
OTHER_EDGES = [
    ("  - {id: t.no,", "  - {id: never, type: terminal, say: Bye.}\n  - {id: t.no,"),
    ("{from: q.sure, to: t.no, guard: else}", "{from: q.sure, to: never, guard: else}"),
    ("{from: q.more, to: t.done}", "{from: q.more, to: t.done, guard: size(answers.more) > 0}"),
    ("guard: size(answers.more) > 0}", "guard: size(answers.more) > 0}\n  - {from: q.more, to: t.no, guard: else}"),
]
RENAMED = [("q.size", "q.dimension"), ("{id: q.dimension,", "{id: q.dimension, was: q.size,")]


@pytest.mark.parametrize("edits", [REWORDED, OTHER_EDGES, RENAMED], ids=["reworded", "edges", "renamed"])
async def test_a_thread_carries_over_where_its_position_and_answers_fit(
    edited: Edited, edits: list[tuple[str, str]]
) -> None:
    await edited.talked("Ann")
    turn = await edited.send("small", *edits)
    assert (turn.status, turn.reply, turn.values["answers"]) == (
        "waiting",
        "Send small?",
        {"name": "Ann", "size": "small"},
    )
    event, *others = await edited.events()
    assert (event["before"] == event["after"], "by" in event, others) == (False, False, [])
    turn = await edited.send("yes", *edits)
    assert turn.reply.startswith("Sent.")


async def test_an_answer_goes_with_its_question_when_its_key_is_renamed(edited: Edited) -> None:
    await edited.talked("Ann")
    turn = await edited.send(
        "small", ("key: name", "key: customer"), ("answers.name", "answers.customer"), ("prompt: Name?", "prompt: Who?")
    )
    assert turn.values["answers"] == {"customer": "Ann", "size": "small"}
    (event,) = await edited.events()
    assert "answer name is now customer" in event["reasons"]


@pytest.mark.parametrize(
    "edit",
    [
        ("Send {{ answers.size }}?", "Order {{ answers.size }}?"),
        ("over: [answers.size]", "over: [answers.size, answers.name]"),
    ],
)
async def test_a_changed_confirmation_is_asked_again_and_a_yes_is_refused_in_words(
    edited: Edited, edit: tuple[str, str]
) -> None:
    await edited.talked("Ann", "small")
    turn = await edited.send("yes", edit)
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert turn.waiting_for is not None
    assert turn.waiting_for.prompt == edit[1].replace("{{ answers.size }}", "small") or "over" in edit[0]
    assert turn.reply.startswith(NOT_USED)
    assert [(each.key, each.stage) for each in turn.refused] == [("sure", "superseded")]
    assert (await edited.send("yes", edit)).values["sent"] == ["small"]


EARLIER = [
    ("  - {id: q.sure,", "  - {id: q.why, type: question, key: why, prompt: Why?, read: verbatim}\n  - {id: q.sure,"),
    ("{from: q.size, to: q.sure}", "{from: q.size, to: q.why}\n  - {from: q.why, to: q.sure}"),
    ("over: [answers.size]", "over: [answers.size, answers.why]"),
]


@pytest.mark.parametrize(
    ("edits", "replies"),
    [([("Send {{", "Order {{")], []), (EARLIER, ["because"])],
    ids=["other words", "another question"],
)
async def test_a_no_to_a_changed_confirmation_is_not_used(
    edited: Edited, edits: list[tuple[str, str]], replies: list[str]
) -> None:
    await edited.talked("Ann", "small")
    turn = await edited.send("no", *edits)
    assert (turn.status, turn.reply.startswith(NOT_USED), turn.values["sent"]) == ("waiting", True, [])
    for reply in (*replies, "no"):
        turn = await edited.send(reply, *edits)
    assert (turn.status, turn.reply, turn.values["sent"]) == ("ended", "Not then.", [])


TITLED = FLOW.replace("enum: [small, large]", "oneOf: [{const: small, title: S}, {const: large, title: L}]")
SWAPPED = [("small, title: S", "small, title: X"), ("large, title: L", "large, title: S"), ("title: X", "title: L")]


@pytest.mark.parametrize("fails", [False, True], ids=["pending", "given"])
async def test_a_yes_to_a_text_with_the_former_title_of_an_option_is_not_used(edited: Edited, fails: bool) -> None:
    failing = NODES.replace("ctx.say", "raise ValueError('no')\n    ctx.say") if fails else NODES
    async with open_session(edited.made(TITLED, failing), edited.home) as session:
        for text in ("Ann", "S"):
            turn = await session.send(text)
        assert turn.reply == "Send S?"
        if fails:
            assert (await session.send("yes")).status == "failed"
    async with open_session(edited.made(TITLED, NODES, *SWAPPED), edited.home) as session:
        turn = await session.send("go on" if fails else "yes")
        assert (turn.values["sent"], turn.reply.splitlines()[-1]) == ([], "Send L?")
        assert (await session.send("yes")).values["sent"] == ["small"]
    other = [("large, title: L", "large, title: XL")]
    async with open_session(edited.made(TITLED, NODES), edited.folder / "other") as session:
        for text in ("Ann", "S"):
            await session.send(text)
    async with open_session(edited.made(TITLED, NODES, *other), edited.folder / "other") as session:
        assert (await session.send("yes")).values["sent"] == ["small"]


@pytest.mark.parametrize(("named", "sent"), [("big", ["small"]), ("dear", [])], ids=["unrelated", "of its when"])
async def test_only_the_predicates_of_a_confirmation_change_it(edited: Edited, named: str, sent: list[str]) -> None:
    flow = "predicates: {big: answers.more != '', dear: answers.size == 'small'}" + FLOW
    flow = flow.replace("over: [answers.size]", "over: [answers.size], when: dear")
    await edited.talked("Ann", "small", flow=flow)
    before = {"big": "answers.more != ''", "dear": "answers.size == 'small'"}[named]
    async with open_session(
        edited.made(flow, NODES, (before, f"({before} || has(answers.name))")), edited.home
    ) as session:
        assert (await session.send("yes")).values["sent"] == sent


async def test_a_yes_given_before_a_confirmation_changed_does_not_count(edited: Edited) -> None:
    failing = NODES.replace("ctx.say", "raise ValueError('no')\n    ctx.say")
    async with edited.session(nodes=failing) as session:
        for text in ("Ann", "small"):
            await session.send(text)
        assert (await session.send("yes")).status == "failed"
    turn = await edited.send("go on", ("Send {{", "Really send {{"))
    assert turn.waiting_for is not None
    assert turn.waiting_for.prompt == "Really send small?"
    assert turn.values["sent"] == []


async def test_changed_options_are_shown_before_a_number_counts(edited: Edited) -> None:
    await edited.talked("Ann")
    swapped = ("enum: [small, large]", "enum: [large, small]")
    turn = await edited.send("1", swapped)
    assert turn.values["answers"] == {"name": "Ann"}
    assert turn.waiting_for is not None
    assert [each["value"] for each in turn.waiting_for.options] == ["large", "small"]
    assert (await edited.send("1", swapped)).values["answers"]["size"] == "large"


LONGER_NAMES = [("key: name, prompt", "key: name, schema: {type: string, minLength: 9}, prompt")]


@pytest.mark.parametrize("edits", [GONE, LONGER_NAMES], ids=["position", "answer"])
async def test_a_thread_that_does_not_fit_finishes_in_its_version(edited: Edited, edits: list[tuple[str, str]]) -> None:
    await edited.talked("Ann", "small", "yes")
    assert (await edited.send("no", *edits)).reply == "Sent 1, Ann: no."
    assert await edited.events() == []
    # The next conversation is one of the present version.
    async with edited.session(*edits) as session:
        await session.send("Bea")
        assert (await saved_state(session))["flow_hash"] == session.agent.flow.hash


@pytest.mark.parametrize("policy", ["pin", "ask"])
async def test_the_flow_may_keep_its_threads_in_their_version(edited: Edited, policy: str) -> None:
    await edited.talked("Ann", "small", "yes")
    assert (
        await edited.send("no", ("state:", f"on_change: {policy}\nstate:"), (", {{ answers.name }}", ""))
    ).reply == ("Sent 1, Ann: no.")


async def test_an_action_that_was_performed_is_not_performed_again_behind_the_position(edited: Edited) -> None:
    await edited.talked("Ann", "small", "yes")
    moved = [
        ("{from: send, to: q.more}", "{from: send, to: t.done}"),
        ("{from: q.more, to: t.done}", "{from: q.more, to: send}"),
        ("to: send, guard: answers.sure == true", "to: q.more, guard: answers.sure == true"),
    ]
    turn = await edited.send("no", *moved)
    assert (turn.reply, turn.values["sent"]) == ("Sent 1, Ann: no.", ["small"])


AGE = [
    ("  - {id: q.size,", "  - {id: q.age, type: question, key: age, prompt: Age?, read: verbatim}\n  - {id: q.size,"),
    ("{from: q.name, to: q.size}", "{from: q.name, to: q.age}\n  - {from: q.age, to: q.size}"),
]


async def test_a_question_added_before_the_position_is_asked_before_it_is_read(edited: Edited) -> None:
    await edited.talked("Ann", "small", "yes")
    added = [*AGE, ("{{ answers.more }}", "{{ answers.more }} {{ answers.age }}")]
    assert (await edited.send("no", *added)).reply == "Age?"
    assert (await edited.send("41", *added)).reply == "Sent 1, Ann: no 41."


@pytest.mark.parametrize(
    ("edit", "nodes"),
    [
        (("Send {{", "At {{ answers.age }}, send {{"), NODES),
        (("over: [answers.size]", "over: [answers.size, answers.age]"), NODES),
        (AGE[0], NODES.replace('reads=["answers.size"]', 'reads=["answers.size", "answers.age"]')),
    ],
    ids=["prompt", "over", "action"],
)
async def test_a_question_that_a_pending_confirmation_reads_is_asked_before_it(
    edited: Edited, edit: tuple[str, str], nodes: str
) -> None:
    await edited.talked("Ann", "small")
    added = list(dict.fromkeys([*AGE, edit]))
    assert (await edited.send("yes", *added, nodes=nodes)).reply == f"{NOT_USED}\n\nAge?"
    turn = await edited.send("41", *added, nodes=nodes)
    assert (turn.reply.endswith("end small?"), turn.values["answers"]["age"], turn.values["sent"]) == (True, "41", [])
    assert (await edited.send("yes", *added, nodes=nodes)).values["sent"] == ["small"]


async def test_a_message_that_was_not_read_before_a_crash_is_read_in_the_new_version(edited: Edited) -> None:
    await edited.talked("Ann")
    async with edited.session() as session, session._store.turn("t") as work:
        work.note_state(work.state["thread"], {"text": "small", "value": None, "has_value": False})
        await work.flush()
    assert (await edited.send("small", ("Which size", "What size"))).reply == "Send small?"


async def test_an_action_in_doubt_is_decided_in_its_version(edited: Edited) -> None:
    stuck = NODES.replace('writes=["sent"]', 'writes=["sent"], repeatable=False').replace(
        "ctx.say", "os._exit(9)\n    ctx.say"
    )
    await edited.talked("Ann", "small")
    code = (
        "import asyncio, graphwright\nasync def main():\n"
        f"    async with graphwright.load({str(edited.made(nodes=stuck).folder)!r}).session('t', model='none', "
        f"home={str(edited.home)!r}) as s:\n        await s.send('yes')\nasyncio.run(main())"
    )
    died = await asyncio.to_thread(subprocess.run, [sys.executable, "-c", code], check=False)
    assert died.returncode == 9
    turn = await edited.send("hello", ("More?", "Anything more?"))
    assert turn.waiting_for is not None
    assert turn.waiting_for.node == "send"
    assert await edited.events() == []
    turn = await edited.send("done", ("More?", "Anything more?"))
    assert (turn.reply, await edited.events()) == ("More?", [])
    assert (await edited.send("no", ("More?", "Anything more?"))).reply == "Sent 0, Ann: no."


async def _refused(edited: Edited, code: str, *edits: tuple[str, str], nodes: str = NODES) -> GraphwrightError:
    async with edited.session(*edits, nodes=nodes) as session:
        before = await saved_state(session)
        with pytest.raises(GraphwrightError) as refused:
            await session.send("no")
        assert refused.value.code == code
        assert await saved_state(session) == before
        assert (await session.state())["status"] == "waiting"
    return refused.value


WITHOUT_SIZE = [
    ("read: choice,\n     schema: {enum: [small, large]}}", "read: verbatim}"),
    ("{id: q.size, type: question, key: size", "{id: q.shape, type: question, key: size"),
    ("from: q.name, to: q.size", "from: q.name, to: q.shape"),
    ("from: q.size,", "from: q.shape,"),
    ("  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.size]}}\n", ""),
    ("to: send, guard", "to: q.more, guard"),
    ("  - {from: send, to: q.more}\n", ""),
]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (("def send", "def ship"), "action 'send' of node 'send' is gone"),
        (('reads=["answers.size"]', 'reads=["answers.size", "price"]'), "reads price"),
        (('reads=["answers.size"]', 'reads=["answers.size", "answers.email"]'), "reads answers.email, which that"),
        (('writes=["sent"]', "writes=[]"), "no longer writes sent"),
    ],
)
async def test_an_action_that_is_gone_or_incompatible_keeps_the_thread_and_says_so(
    edited: Edited, edit: tuple[str, str], why: str
) -> None:
    await edited.talked("Ann")
    error = await _refused(edited, "action_missing", *WITHOUT_SIZE, nodes=NODES.replace(*edit))
    assert why in error.message
    # With the action back, it finishes in its version.
    assert (await edited.send("small", *WITHOUT_SIZE)).reply == "Send small?"


async def test_an_action_whose_channel_has_another_type_now_is_not_performed_in_the_earlier_version(
    edited: Edited,
) -> None:
    await edited.talked("Ann", "small")
    as_text = [("sent: {type: array, default: [], reduce: append}", 'sent: {type: string, default: ""}')]
    nodes = NODES.replace('[state["answers"]["size"]]', 'state["answers"]["size"]')
    as_text += [("{{ sent.size() }}", "{{ sent }}"), *LONGER_NAMES]
    error = await _refused(edited, "action_missing", *as_text, nodes=nodes)
    assert "writes sent, which has another type in that version" in error.message
    assert (await edited.send("yes")).reply.startswith("Sent.")


@pytest.mark.parametrize(("statement", "why"), [
    ("DELETE FROM gw_flow_code; DELETE FROM gw_flow_documents", "does not have its document"),
    ("UPDATE gw_flow_documents SET document = '{}'", "is damaged"),
])  # fmt: skip
async def test_a_thread_whose_version_the_store_lacks_is_refused_and_stays_as_it_is(
    edited: Edited, statement: str, why: str
) -> None:
    await edited.talked("Ann")
    with closing(sqlite3.connect(edited.home / "graphwright.db")) as database:
        database.executescript(statement)
    error = await _refused(edited, "version_missing", ("Which size", "What size"))
    assert why in error.message
    if "DELETE" in statement:
        # Served once more in that version it goes on, and its document is stored.
        assert (await edited.send("small")).reply == "Send small?"


async def test_a_version_that_this_program_does_not_take_is_refused(edited: Edited) -> None:
    await edited.talked("Ann")
    document = '{"id":"flow.demo","nodes":[],"version":"v1"}'
    digest = hashlib.sha256(document.encode()).hexdigest()
    async with open_store(edited.home) as store:
        await store.flows.put(document)
        async with store.turn("t") as work:
            work.note_state({**work.state["thread"], "flow_hash": digest}, {})
            await work.flush()
    async with edited.made().session("t", home=edited.home, model="none") as session:
        with pytest.raises(GraphwrightError, match="that this program does not take: GW") as refused:
            await session.send("small")
        assert refused.value.code == "version_invalid"


LAMPS = """
state:
  sent: {type: array, default: [], reduce: append}
nodes:
  - {id: q.size, type: question, key: size, prompt: Size?, read: choice, schema: {enum: [small, large]}}
  - {id: q.colour, type: question, key: colour, prompt: Colour?, read: verbatim}
  - {id: q.sure, type: question, key: sure, prompt: "Send {{ answers.size }}?", read: confirm, ask: always}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.size]}}
  - {id: q.rate, type: question, key: rate, prompt: Rate?, read: verbatim}
  - {id: t.done, type: terminal, say: "{{ answers.colour }}, {{ answers.rate }}"}
edges:
  - {from: q.size, to: q.colour}
  - {from: q.colour, to: q.sure}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: send, to: q.rate}
  - {from: q.rate, to: t.done}
"""
SENDS_COLOUR = NODES.replace('["answers.size"]', '["answers.size", "answers.colour"]').replace(
    '[state["answers"]["size"]]', '[state["answers"].get("colour")]'
)
READS = ("Send {{ answers.size }}?", "Send {{ answers.size }} {{ answers.colour }}?")
MOVED_FORWARD = [
    ("nodes:", "entry: q.colour\nnodes:"),
    ("{from: q.size, to: q.colour}", "{from: q.colour, to: q.size}"),
    ("{from: q.colour, to: q.sure}", "{from: q.size, to: q.sure}"),
]
AFTER_SENDING = [
    ("{from: q.size, to: q.colour}", "{from: q.size, to: q.sure}"),
    ("{from: q.colour, to: q.sure}", "{from: send, to: q.colour}"),
    ("{from: send, to: q.rate}", "{from: q.colour, to: q.rate}"),
]
SKIPPED = [
    (
        "{from: q.size, to: q.colour}",
        "{from: q.size, to: q.colour, guard: \"answers.size == 'large'\"}\n  - {from: q.size, to: q.sure, guard: else}",
    )
]
NOT_APPLICABLE = [*MOVED_FORWARD, ("key: colour,", "key: colour, when: size(sent) > 0,")]


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize(
    ("before", "after", "texts", "replies"),
    [
        ([], MOVED_FORWARD, [], ["small"]),
        (AFTER_SENDING, [], ["small"], ["yes"]),
        (SKIPPED, [], ["small"], ["yes"]),
        (NOT_APPLICABLE, MOVED_FORWARD, ["small"], ["yes"]),
    ],
    ids=["reordered", "moved before the confirmation", "guard", "when"],
)
async def test_a_question_that_comes_before_the_position_now_is_asked(
    edited: Edited,
    before: list[tuple[str, str]],
    after: list[tuple[str, str]],
    texts: list[str],
    replies: list[str],
    by_operator: bool,
) -> None:
    async with open_session(edited.made(LAMPS, SENDS_COLOUR, *before), edited.home) as session:
        for text in ("hi", *texts):
            await session.send(text)
    made = edited.made(LAMPS, SENDS_COLOUR, READS, *after)
    if by_operator:
        async with open_store(edited.home) as store:
            migrator = Migrator(store, made, "operator", utc_now())
            found = [each async for each in migrator.run(await migrator.threads(), dry=False)]
            assert "colour is asked before something reads it" in found[0].reasons
    async with open_session(made, edited.home) as session:
        turns = [await session.send(text) for text in replies]
        assert turns[-1].reply.endswith("Colour?")
        assert (await session.send("red")).reply == "Send small red?"
        assert (await session.send("yes")).values["sent"] == ["red"]


async def test_a_thread_that_an_earlier_migration_left_without_an_answer_is_asked_for_it(edited: Edited) -> None:
    made = edited.made(LAMPS, SENDS_COLOUR, READS)
    async with open_session(made, edited.home) as session:
        for text in ("hi", "small", "blue"):
            await session.send(text)
        async with session._store.turn("t") as work:
            work.note_state({**work.state["thread"], "answers": {"size": "small"}}, {})
            await work.flush()
        assert (await session.send("yes")).reply == f"{NOT_USED}\n\nColour?"
        assert (await session.send("red")).reply == "Send small red?"
        assert (await session.send("yes")).values["sent"] == ["red"]


async def test_an_answer_whose_question_is_removed_is_not_dropped_silently(edited: Edited) -> None:
    async with open_session(edited.made(LAMPS, NODES), edited.home) as session:
        for text in ("hi", "small"):
            await session.send(text)
    gone = [
        ("  - {id: q.colour, type: question, key: colour, prompt: Colour?, read: verbatim}\n", ""),
        ("{from: q.size, to: q.colour}", "{from: q.size, to: q.sure}"),
        ("  - {from: q.colour, to: q.sure}\n", ""),
        ("{{ answers.colour }}, ", ""),
    ]
    async with open_session(edited.made(LAMPS, NODES, *gone), edited.home) as session:
        # It finishes in its version until it fits.
        assert (await session.send("red")).reply == "Send small?"
        turn = await session.send("yes")
        assert turn.reply.startswith("The flow was changed and no longer asks for colour: “red”.\n\n")
        assert turn.values["sent"] == ["small"]


@pytest.mark.parametrize(("told", "kept"), [("Bye.", True), ("{{ answers.colour }}.", False)])
async def test_an_answer_that_no_longer_applies_is_kept_if_nothing_ahead_reads_it(
    edited: Edited, told: str, kept: bool
) -> None:
    lamps = LAMPS.replace("{{ answers.colour }}, {{ answers.rate }}", told)
    when = "key: colour, when: answers.size == 'small',"
    async with open_session(edited.made(lamps, SENDS_COLOUR, ("key: colour,", when)), edited.home) as session:
        for text in ("hi", "small", "red", "yes"):
            assert (await session.send(text)).values.get("sent") in ([], ["red"])
    made = edited.made(lamps, SENDS_COLOUR, ("key: colour,", when.replace("small", "large")))
    async with open_store(edited.home) as store:
        migrator = Migrator(store, made, "operator", utc_now())
        found = [each async for each in migrator.run(await migrator.threads(), dry=True)]
        outcome = "but nothing ahead reads it: it is kept" if kept else "it is dropped"
        assert any("colour does not apply any more" in each and outcome in each for each in found[0].reasons)
    async with open_session(made, edited.home) as session:
        turn = await session.send("good")
        assert ("colour" in turn.values["answers"], "No longer needed" in turn.reply) == (kept, not kept)
