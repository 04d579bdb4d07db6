"""Values of an earlier version, and those that the present one reads: they are computed and asked for before."""

from __future__ import annotations

from pathlib import Path

import pytest

from graphwright import Turn
from graphwright.errors import GraphwrightError
from graphwright.host.migrating import Migrator
from graphwright.store import open_store
from graphwright.store.rows import utc_now
from host_support import agent, open_session

HIVES = """
state: {score: {type: integer, default: 0}}
nodes:
  - {id: q.east, type: question, key: east, schema: {type: integer}, prompt: "East?"}
  - {id: q.west, type: question, key: west, schema: {type: integer}, prompt: "West?"}
  - {id: rate, type: action, run: rate}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always,
     prompt: "Log {{ score }}, east {{ answers.east }}?"}
  - {id: log, type: action, run: log, confirm: {by: q.sure, over: [score]}}
  - {id: done, type: terminal, say: "Logged {{ score }}."}
  - {id: left, type: terminal, say: Nothing.}
edges:
  - {from: q.east, to: q.west}
  - {from: q.west, to: rate}
  - {from: rate, to: q.sure}
  - {from: q.sure, to: log, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: log, to: done}
"""
RATES = """
@action(reads=["answers.east", "answers.west"], writes=["score"], effects=False)
def rate(state, ctx):
    return {"score": state["answers"]["east"] + state["answers"]["west"]}

@action(reads=["score"])
def log(state, ctx):
    ctx.say(f"logged {state['score']}")
"""
WITHOUT_WEST = {
    '  - {id: q.west, type: question, key: west, schema: {type: integer}, prompt: "West?"}\n': "",
    "  - {from: q.west, to: rate}\n": "",
    "{from: q.east, to: q.west}": "{from: q.east, to: rate}",
    ', "answers.west"': "",
    ' + state["answers"]["west"]': "",
}
RENAMED_CHANNEL = {"score": "total"}
NEITHER_READS_ANSWERS = {
    'reads=["answers.east", "answers.west"]': "reads=[]",
    'return {"score": state["answers"]["east"] + state["answers"]["west"]}': 'return {"score": 22}',
}


def edited(text: str, edits: dict[str, str]) -> str:
    for before, after in edits.items():
        text = text.replace(before, after)
    return text


async def migrate(home: Path, made: object) -> tuple[str, ...]:
    """Migrate the only thread, and return the reasons."""
    async with open_store(home) as store:
        migrator = Migrator(store, made, "operator", utc_now())  # type: ignore[arg-type]
        (found,) = [each async for each in migrator.run(await migrator.threads(), dry=False)]
        return found.reasons


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize(
    ("code", "edits", "shown"),
    [
        ({}, WITHOUT_WEST, "Log 10, east 10?"),
        ({}, RENAMED_CHANNEL, "Log 22, east 10?"),
        (NEITHER_READS_ANSWERS, RENAMED_CHANNEL, "Log 22, east 10?"),
    ],
    ids=["removed question", "renamed channel", "renamed channel of an action that reads no answers"],
)
async def test_a_channel_is_computed_again_before_a_confirmation_shows_it(
    tmp_path: Path, code: dict[str, str], edits: dict[str, str], shown: str, by_operator: bool
) -> None:
    home, nodes = tmp_path / "home", edited(RATES, code)
    async with open_session(agent(tmp_path / "a", HIVES, nodes), home) as session:
        for text in ("hi", "10", "12"):
            turn = await session.send(text)
        assert turn.reply == "Log 22, east 10?"
    made = agent(tmp_path / "b", edited(HIVES, edits), edited(nodes, edits))
    if by_operator:
        await migrate(home, made)
    async with open_session(made, home) as session:
        # The yes was given to what the earlier version showed.
        turn = await session.send("yes")
        assert (turn.status, turn.reply.splitlines()[-1]) == ("waiting", shown)
        assert (await session.send("yes")).reply.startswith(f"logged {shown[4:6]}")


BOOKING = """
state: {number: {type: string, default: ""}}
nodes:
  - {id: q.slot, type: question, key: slot, read: choice, schema: {enum: [morning, evening]}, prompt: "When?"}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Book {{ answers.slot }}?"}
  - {id: book, type: action, run: book, confirm: {by: q.sure, over: [answers.slot]}}
  - {id: q.remind, type: question, key: remind, read: verbatim, prompt: "Which reminder?"}
  - {id: done, type: terminal, say: "Booked as {{ number }}."}
  - {id: left, type: terminal, say: Nothing.}
edges:
  - {from: q.slot, to: q.sure}
  - {from: q.sure, to: book, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: book, to: q.remind}
  - {from: q.remind, to: done}
"""
BOOKS = """
@action(reads=["answers.slot"], writes=["number"])
def book(state, ctx):
    return {"number": "N-" + state["answers"]["slot"]}
"""
OTHER_QUESTION = {"q.slot": "q.time", "key: slot": "key: time", "answers.slot": "answers.time", '["slot"]': '["time"]'}


@pytest.mark.parametrize(("reply", "end"), [("yes", "Booked as N-evening."), ("no", "Booked as N-morning.")])
async def test_an_action_that_read_the_answer_of_a_removed_question_is_not_taken_for_done(
    tmp_path: Path, reply: str, end: str
) -> None:
    async with open_session(agent(tmp_path / "a", BOOKING, BOOKS), tmp_path / "home") as session:
        for text in ("hi", "morning", "yes"):
            await session.send(text)
    made = agent(tmp_path / "b", edited(BOOKING, OTHER_QUESTION), edited(BOOKS, OTHER_QUESTION))
    reasons = await migrate(tmp_path / "home", made)
    assert "book was done, and reads something else now: the user is asked whether to do it again" in reasons
    async with open_session(made, tmp_path / "home") as session:
        assert (await session.send("mail")).reply.startswith("When?")
        told = (await session.send("evening")).reply
        assert told.startswith("'book' was already done")
        assert "That stays" not in told
        assert told.endswith("Book evening?")
        assert (await session.send(reply)).reply == end


@pytest.mark.parametrize("by_operator", [False, True])
async def test_a_channel_whose_effect_was_done_is_not_empty_without_a_word(tmp_path: Path, by_operator: bool) -> None:
    home, renamed = tmp_path / "home", {"number": "code"}
    async with open_session(agent(tmp_path / "a", BOOKING, BOOKS), home) as session:
        for text in ("hi", "morning", "yes"):
            await session.send(text)
    made = agent(tmp_path / "b", edited(BOOKING, renamed), edited(BOOKS, renamed))
    if by_operator:
        reasons = await migrate(home, made)
        assert "channel code has no value: book, which writes it, was done and is not done again" in reasons
    async with open_session(made, home) as session:
        # At a message it finishes in the version that has its value.
        assert (await session.send("mail")).reply == ("Booked as ." if by_operator else "Booked as N-morning.")


BOATS = """
state:
  boats: {type: array, items: {type: string}, default: []}
  most: {type: integer, default: 0}
nodes:
  - {id: q.people, type: question, key: people, schema: {type: integer}, prompt: "How many?"}
  - {id: find, type: action, run: find}
  - {id: q.boat, type: question, key: boat, prompt: "Which boat?", options: boats}
  - {id: q.bags, type: question, key: bags, schema: {type: integer}, validate: value <= most, prompt: "How many bags?"}
  - {id: q.lunch, type: question, key: lunch, read: choice, schema: {enum: [fish, rice]}, prompt: "Lunch?"}
  - {id: q.note, type: question, key: note, read: verbatim, prompt: "A note?"}
  - {id: done, type: terminal, say: "{{ answers.boat }}, {{ answers.bags }}, {{ answers.lunch }}: {{ answers.note }}."}
edges:
  - {from: q.people, to: find}
  - {from: find, to: q.boat}
  - {from: q.boat, to: q.bags}
  - {from: q.bags, to: q.lunch}
  - {from: q.lunch, to: q.note}
  - {from: q.note, to: done}
"""
FINDS = """
@action(reads=["answers.people"], writes=["boats", "most"], effects=False)
def find(state, ctx):
    return {"boats": ["kayak", "skiff"], "most": 4}
"""
OTHER_CHANNELS = {"boats": "fleet", "most": "limit"}
OTHER_TYPE = {
    "boats: {type: array, items: {type: string}, default: []}": "boats:\n    {type: array, items: {type: object, "
    "required: [value], properties: {value: {type: string}, title: {type: string}}}, default: []}",
    '["kayak", "skiff"]': '[{"value": "kayak", "title": "The kayak"}, {"value": "skiff", "title": "The skiff"}]',
}
ONE_BOAT = {**OTHER_CHANNELS, '["kayak", "skiff"]': '["skiff"]'}
NO_BOATS = {**OTHER_CHANNELS, '["kayak", "skiff"]': "[]"}


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize("edits", [OTHER_CHANNELS, OTHER_TYPE], ids=["renamed", "type"])
async def test_answers_are_judged_after_the_channels_they_depend_on_are_computed_again(
    tmp_path: Path, edits: dict[str, str], by_operator: bool
) -> None:
    turn = await replied(
        tmp_path, BOATS, FINDS, edits, ["4", "skiff", "3"], ["go on", "fish"][not by_operator :], by_operator
    )
    assert turn.reply == "A note?"
    assert turn.values["answers"] == {"people": 4, "boat": "skiff", "bags": 3, "lunch": "fish"}


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize("edits", [ONE_BOAT, NO_BOATS], ids=["one", "none"])
async def test_an_answer_that_is_not_among_the_options_computed_again_is_dropped(
    tmp_path: Path, edits: dict[str, str], by_operator: bool
) -> None:
    turn = await replied(tmp_path, BOATS, FINDS, edits, ["4", "kayak", "3"], ["fish"], by_operator)
    assert "boat" not in turn.values["answers"]
    assert (turn.values["answers"]["people"], "kayak" in turn.reply) == (4, True)


@pytest.mark.parametrize(
    ("edits", "by_operator"), [(OTHER_CHANNELS, False), (OTHER_CHANNELS, True), (OTHER_TYPE, True)]
)
async def test_a_question_whose_options_are_computed_again_is_shown_again(
    tmp_path: Path, edits: dict[str, str], by_operator: bool
) -> None:
    turn = await replied(tmp_path, BOATS, FINDS, edits, ["4"], ["kayak", "skiff", "2", "rice"], by_operator)
    assert turn.values["answers"] == {"people": 4, "boat": "skiff", "bags": 2, "lunch": "rice"}


async def replied(
    folder: Path, flow: str, nodes: str, edits: dict[str, str], before: list[str], after: list[str], by_operator: bool
) -> Turn:
    """The last turn of a thread whose flow is edited between two messages."""
    home = folder / "home"
    async with open_session(agent(folder / "old", flow, nodes), home) as session:
        for text in ("hi", *before):
            await session.send(text)
    new = agent(folder / "new", edited(flow, edits), edited(nodes, edits))
    if by_operator:
        await migrate(home, new)
    async with open_session(new, home) as session:
        for text in after:
            turn = await session.send(text)
    return turn


QUOTES = """
state: {quote: {type: [integer, "null"]}}
nodes:
  - {id: q.usage, type: question, key: usage, schema: {type: integer}, prompt: "Usage?"}
  - {id: quote, type: action, run: quote}
  - {id: q.fine, type: question, key: fine, read: choice, schema: {enum: [fine, dear]}, prompt: "{{ quote }} euros?"}
  - {id: done, type: terminal, say: "Noted: {{ answers.fine }}."}
edges:
  - {from: q.usage, to: quote}
  - {from: quote, to: q.fine}
  - {from: q.fine, to: done}
"""
QUOTING = """
@action(reads=["answers.usage"], writes=["quote"], effects=False)
def quote(state, ctx):
    return {"quote": state["answers"]["usage"] // 10}
"""
AN_OBJECT = {
    '{type: [integer, "null"]}': '{type: [object, "null"]}',
    "{{ quote }}": "{{ quote.euros }}",
    'state["answers"]["usage"] // 10': '{"euros": state["answers"]["usage"] // 10}',
}


@pytest.mark.parametrize("back", [False, True], ids=["migrated", "taken back"])
async def test_an_action_without_effects_that_wrote_another_type_runs_again_once_the_version_fits(
    tmp_path: Path, back: bool
) -> None:
    home, old = tmp_path / "home", agent(tmp_path / "old", QUOTES, QUOTING)
    async with old.session("t", model="none", home=home) as session:
        for text in ("hi", "3000"):
            await session.send(text)
    new = agent(tmp_path / "new", edited(QUOTES, AN_OBJECT), edited(QUOTING, AN_OBJECT))
    async with new.session("t", model="none", home=home) as session:
        turn = await session.send("usage: 4000")
        assert turn.error is not None
        assert turn.error.code == "bad_channel_value"
    if not back:
        await migrate(home, new)
    async with (old if back else new).session("t", model="none", home=home) as session:
        assert (await session.send("go on")).reply == "400 euros?"
        assert (await session.send("fine")).reply == "Noted: fine."


PARCELS = """
state: {sent: {type: array, default: [], reduce: append}, price: {type: integer, default: 0}}
nodes:
  - {id: q.kind, type: question, key: kind, read: choice, schema: {enum: [letter, parcel]}, prompt: "What?"}
  - {id: price, type: action, run: price}
  - {id: d.kind, type: decision}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send the {{ answers.kind }}?"}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [answers.kind]}}
  - {id: again, type: action, run: send}
  - {id: t.sent, type: terminal, say: "Sent {{ sent.size() }}."}
  - {id: t.left, type: terminal, say: Nothing.}
edges:
  - {from: q.kind, to: price}
  - {from: price, to: d.kind}
  - {from: d.kind, to: again, guard: price > 9}
  - {from: d.kind, to: q.sure, guard: else}
  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: t.left, guard: else}
  - {from: send, to: t.sent}
  - {from: again, to: t.sent}
"""
SENDS = """
@action(reads=["answers.kind"], writes=["price"], effects=False)
def price(state, ctx):
    return {"price": 5}

@action(reads=["answers.kind"], writes=["sent"])
def send(state, ctx):
    return {"sent": [state["answers"]["kind"]]}
"""
WITHOUT_CONFIRMATION = {
    PARCELS[PARCELS.index("  - {id: q.sure") : PARCELS.index("  - {id: send,")]: "",
    PARCELS[PARCELS.index("  - {from: q.sure") : PARCELS.index("  - {from: send,")]: "",
    ", confirm: {by: q.sure, over: [answers.kind]}": "",
    "to: q.sure, guard: else": "to: send, guard: else",
    "  - {id: t.left, type: terminal, say: Nothing.}\n": "",
}
NEEDS_NO_YES = {", confirm: {by: q.sure, over: [answers.kind]}": ""}
OTHER_BRANCH = {"price > 9": "price > 3"}
DEARER = {"price: {type": "cost: {type", "price > 9": "cost > 9", '["price"]': '["cost"]', '"price": 5': '"cost": 50'}


@pytest.mark.parametrize("word", ["no", "stop, do not send it", "yes"])
@pytest.mark.parametrize(
    ("edits", "by_operator"),
    [
        (WITHOUT_CONFIRMATION, True),
        (OTHER_BRANCH, False),
        (OTHER_BRANCH, True),
        (DEARER, False),
        (DEARER, True),
        ({**WITHOUT_CONFIRMATION, **DEARER}, True),
    ],
    ids=["removed", "branch", "branch by operator", "computed again", "computed again by operator", "both"],
)
async def test_the_message_after_a_migration_starts_no_effect_that_the_user_was_not_told_of(
    tmp_path: Path, edits: dict[str, str], by_operator: bool, word: str
) -> None:
    turn = await replied(tmp_path, PARCELS, SENDS, edits, ["parcel"], [word], by_operator)
    assert (turn.values["sent"], turn.status) == ([], "waiting")
    assert "Next comes" in turn.reply
    if edits is OTHER_BRANCH:
        assert "Please answer" not in turn.reply


async def test_an_announced_action_waits_for_a_yes(tmp_path: Path) -> None:
    home, new = tmp_path / "home", agent(tmp_path / "new", edited(PARCELS, WITHOUT_CONFIRMATION), SENDS)
    async with open_session(agent(tmp_path / "old", PARCELS, SENDS), home) as session:
        for text in ("hi", "parcel"):
            await session.send(text)
    assert "send needs no yes any more: the user is told of it first" in await migrate(home, new)
    # The first message replies to what the earlier version asked.
    for word, first in (("no", "This conv"), ("no", "'send' was not started."), ("stop, do not send it", "This conv")):
        # Another process reads each message, as after a restart.
        async with open_session(new, home) as session:
            turn = await session.send(word)
            assert (turn.values["sent"], turn.reply.split("\n")[-1]) == (
                [],
                "This conversation goes on in another way now. Next comes 'send' (kind: parcel), which was not done "
                "yet. Write “yes” to go on with it.",
            )
            assert turn.reply.startswith(first)
            with pytest.raises(GraphwrightError) as refused:
                await session.resume(True)
            assert refused.value.code == "nothing_waits"
    async with open_session(new, home) as session:
        assert (await session.send("yes")).reply == "Sent 1."
        # In a conversation that began in this version nothing is announced.
        await session.send("hi")
        assert (await session.send("parcel")).reply == "Sent 2."


@pytest.mark.parametrize("by_operator", [False, True])
async def test_a_thread_before_a_removed_confirmation_is_told_of_the_action(tmp_path: Path, by_operator: bool) -> None:
    turn = await replied(tmp_path, PARCELS, SENDS, WITHOUT_CONFIRMATION, [], ["parcel"], by_operator)
    assert (turn.values["sent"], "Next comes 'send'" in turn.reply) == ([], True)


async def test_a_confirmation_that_no_action_needs_any_more_does_not_start_it(tmp_path: Path) -> None:
    turn = await replied(tmp_path, PARCELS, SENDS, NEEDS_NO_YES, ["parcel"], ["yes", "yes"], False)
    assert (turn.values["sent"], "Next comes 'send'" in turn.reply) == ([], True)
    turn = await replied(tmp_path / "no", PARCELS, SENDS, NEEDS_NO_YES, ["parcel"], ["no", "no"], False)
    assert (turn.values["sent"], turn.reply) == ([], "Nothing.")


async def test_an_announced_action_that_failed_keeps_its_key(tmp_path: Path) -> None:
    failing = SENDS.replace(
        '    return {"sent": [state["answers"]["kind"]]}',
        "    path = Path(__file__).parent.parent / 'keys'\n    known = path.read_text() if path.exists() else ''\n"
        "    path.write_text(f'{known}{ctx.key} ')\n    if not known:\n        raise ActionError('away', 'Away.')\n"
        '    return {"sent": [state["answers"]["kind"]]}',
    )
    home, new = tmp_path / "home", agent(tmp_path / "new", edited(PARCELS, WITHOUT_CONFIRMATION), failing)
    async with open_session(agent(tmp_path / "old", PARCELS, failing), home) as session:
        for text in ("hi", "parcel", "yes"):
            turn = await session.send(text)
        assert turn.status == "failed"
    async with open_session(new, home) as session:
        assert [len((await session.send(word)).values["sent"]) for word in ("go", "no", "yes")] == [0, 0, 1]
    first, second = (tmp_path / "keys").read_text().split()
    assert first == second


SIGNED = """
state: {quote: {type: [integer, "null"]}, contract: {type: string, default: ""}}
nodes:
  - {id: q.usage, type: question, key: usage, schema: {type: integer}, prompt: "Usage?"}
  - {id: quote, type: action, run: quote}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Sign for {{ quote }}?"}
  - {id: sign, type: action, run: sign, confirm: {by: q.sure, over: [quote]}}
  - {id: q.rate, type: question, key: rate, read: verbatim, prompt: "How was it?"}
  - {id: done, type: terminal, say: "Your contract is {{ contract }}."}
  - {id: left, type: terminal, say: Nothing.}
edges:
  - {from: q.usage, to: quote}
  - {from: quote, to: q.sure}
  - {from: q.sure, to: sign, guard: answers.sure == true}
  - {from: q.sure, to: left, guard: else}
  - {from: sign, to: q.rate}
  - {from: q.rate, to: done}
"""
SIGNS = f"""{QUOTING}
@action(reads=["quote"], writes=["contract"])
def sign(state, ctx):
    return {{"contract": f"C-{{state['quote']}}"}}
"""


@pytest.mark.parametrize("is_read", [True, False])
async def test_a_migration_warns_that_users_are_asked_whether_to_repeat_an_effect(
    tmp_path: Path, is_read: bool
) -> None:
    home, flow = tmp_path / "home", SIGNED if is_read else SIGNED.replace("{{ contract }}", "ready")
    async with open_session(agent(tmp_path / "old", flow, SIGNS), home) as session:
        for text in ("hi", "3000", "yes"):
            await session.send(text)
    made = agent(tmp_path / "new", edited(flow, AN_OBJECT), edited(SIGNS, AN_OBJECT))
    warned = "sign was done, and reads quote, which is computed again" in "; ".join(await migrate(home, made))
    async with open_session(made, home) as session:
        asked = (await session.send("good")).reply.startswith("'sign' was already done")
    assert (warned, asked) == (is_read, is_read)


UNRATED = {
    "  - {id: rate, type: action, run: rate}\n": "",
    "  - {from: q.west, to: rate}\n": "",
    "{from: rate, to: q.sure}": "{from: q.west, to: q.sure}",
    "state: {score: {type: integer, default: 0}}": "",
    "Log {{ score }}, east": "Log east",
    "over: [score]": "over: [answers.east]",
    "Logged {{ score }}": "Logged",
}
UNRATING = {'reads=["score"]': 'reads=["answers.east"]', "{state['score']}": "{state['answers']['east']}"}
FIRST = {
    "nodes:\n": "nodes:\n  - {id: rate, type: action, run: rate}\n",
    "  - {id: rate, type: action, run: rate}\n  - {id: q.sure": "  - {id: q.sure",
    "  - {from: q.west, to: rate}\n": "  - {from: rate, to: q.east}\n",
    "{from: rate, to: q.sure}": "{from: q.west, to: q.sure}",
}


BETWEEN = {
    "{from: q.east, to: q.west}": "{from: q.east, to: rate}",
    "{from: q.west, to: rate}": "{from: rate, to: q.west}",
    "{from: rate, to: q.sure}": "{from: q.west, to: q.sure}",
}
ONLY_EAST = {', "answers.west"]': "]", '+ state["answers"]["west"]': "+ 12"}


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize(
    ("place", "rating", "before", "after"),
    [
        (BETWEEN, ONLY_EAST, ["10"], ["12", "yes"]),
        ({}, {}, ["10", "12"], ["yes", "yes"]),
        (FIRST, NEITHER_READS_ANSWERS, ["10", "12"], ["yes", "yes"]),
    ],
    ids=["before a confirmation", "at a confirmation", "at the entry"],
)
async def test_an_action_without_effects_that_was_added_before_the_position_is_performed_before_it_is_read(
    tmp_path: Path,
    place: dict[str, str],
    rating: dict[str, str],
    before: list[str],
    after: list[str],
    by_operator: bool,
) -> None:
    home = tmp_path / "home"
    async with open_session(agent(tmp_path / "a", edited(HIVES, UNRATED), edited(RATES, UNRATING)), home) as session:
        for text in ("hi", *before):
            await session.send(text)
    made = agent(tmp_path / "b", edited(HIVES, place), edited(RATES, rating))
    if by_operator:
        await migrate(home, made)
    async with open_session(made, home) as session:
        first, last = [await session.send(text) for text in after]
    assert (first.status, first.reply.splitlines()[-1]) == ("waiting", "Log 22, east 10?")
    assert last.reply.splitlines()[-1] == "Logged 22."


OTHER_WAY = {
    "  - {from: q.west, to: rate}\n": "  - {from: q.west, to: rate, guard: answers.east > 99}\n"
    "  - {from: q.west, to: q.sure, guard: else}\n"
}


async def test_an_action_that_was_added_on_another_branch_is_not_performed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    async with open_session(agent(tmp_path / "a", edited(HIVES, UNRATED), edited(RATES, UNRATING)), home) as session:
        for text in ("hi", "10", "12"):
            await session.send(text)
    async with open_session(agent(tmp_path / "b", edited(HIVES, OTHER_WAY), RATES), home) as session:
        assert (await session.send("yes")).reply.splitlines()[-1] == "Log 0, east 10?"
        assert (await session.send("yes")).reply.splitlines()[-1] == "Logged 0."


AS_TEXT = {"{type: integer, default: 0}": '{type: string, default: ""}'}


async def test_the_default_of_a_channel_that_nothing_wrote_may_change_its_type(tmp_path: Path) -> None:
    home = tmp_path / "home"
    rating = {'state["answers"]["east"] + state["answers"]["west"]': 'f\'{state["answers"]["east"]} kg\''}
    async with open_session(agent(tmp_path / "a", HIVES, RATES), home) as session:
        for text in ("hi", "10"):
            await session.send(text)
    async with open_session(agent(tmp_path / "b", edited(HIVES, AS_TEXT), edited(RATES, rating)), home) as session:
        assert (await session.send("12")).reply == "Log 10 kg, east 10?"


RENAMED_NUMBER = {
    'state: {number: {type: string, default: ""}}': 'state: {code: {type: string, default: "", was: number}}',
    "{{ number }}": "{{ code }}",
    '"number"': '"code"',
}


@pytest.mark.parametrize("by_operator", [False, True])
async def test_a_channel_with_another_name_keeps_what_an_effect_wrote(tmp_path: Path, by_operator: bool) -> None:
    turn = await replied(tmp_path, BOOKING, BOOKS, RENAMED_NUMBER, ["morning", "yes"], ["mail"], by_operator)
    assert (turn.reply, turn.values["code"], "number" in turn.values) == ("Booked as N-morning.", "N-morning", False)


@pytest.mark.parametrize("by_operator", [False, True])
async def test_a_channel_with_another_name_is_not_computed_again(tmp_path: Path, by_operator: bool) -> None:
    renamed = {"{total: {type: integer, default: 0}}": "{total: {type: integer, default: 0, was: score}}"}
    rating = edited(RATES, {'return {"score": state': 'ctx.say("rated")\n    return {"score": state'})
    edits = {**RENAMED_CHANNEL, **renamed}
    turn = await replied(tmp_path, HIVES, rating, edits, ["10", "12"], ["yes"], by_operator)
    assert (turn.reply.endswith("Log 22, east 10?"), "rated" in turn.reply) == (True, False)


BASKET = """
state: {added: {type: array, default: [], reduce: append}}
nodes:
  - {id: q.item, type: question, key: item, ask: always, read: choice, schema: {enum: [pen, pad]}, prompt: "Item?"}
  - {id: add, type: action, run: add}
  - {id: q.more, type: question, key: more, ask: always, read: choice, schema: {enum: [again, enough]}, prompt: "More?"}
  - {id: done, type: terminal, say: "{{ added.size() }} items."}
edges:
  - {from: q.item, to: add}
  - {from: add, to: q.more}
  - {from: q.more, to: q.item, guard: answers.more == 'again'}
  - {from: q.more, to: done, guard: else}
"""
ADDS = """
@action(reads=["answers"], writes=["added"])
def add(state, ctx):
    return {"added": [state["answers"]]}
"""
COUNTED = {
    "  - {id: add,": "  - {id: q.count, type: question, key: count, ask: always, schema: {type: integer},\n"
    "     prompt: How many?}\n  - {id: add,",
    "{from: q.item, to: add}": "{from: q.item, to: q.count}\n  - {from: q.count, to: add}",
    'reads=["answers"]': 'reads=["answers.item", "answers.count"]',
}


async def test_the_next_round_of_a_loop_says_nothing_of_what_the_round_before_did(tmp_path: Path) -> None:
    turn = await replied(tmp_path, BASKET, ADDS, COUNTED, ["pen"], ["again", "pad", "2"], False)
    assert (turn.reply, len(turn.values["added"])) == ("More?", 2)


SCHOOL = """
nodes:
  - {id: q.name, type: question, key: name, read: verbatim, prompt: "Name?"}
  - {id: q.level, type: question, key: level, schema: {enum: [A1, A2]}, prompt: "Level?"}
  - {id: q.days, type: question, key: days, schema: {type: integer}, prompt: "Days?"}
  - {id: q.start, type: question, key: start, schema: {enum: [may, june]}, prompt: "Start?"}
  - {id: done, type: terminal, say: "{{ answers.name }}: {{ answers.level }}, {{ answers.days }}, {{ answers.start }}."}
edges:
  - {from: q.name, to: q.level}
  - {from: q.level, to: q.days}
  - {from: q.days, to: q.start}
  - {from: q.start, to: done}
"""
LAST_NAME = {
    "  - {id: q.level,": "  - {id: q.last, type: question, key: last, read: verbatim, prompt: L?}\n  - {id: q.level,",
    "{{ answers.name }}:": "{{ answers.name }} {{ answers.last }}:",
    "{from: q.name, to: q.level}": "{from: q.name, to: q.last}\n  - {from: q.last, to: q.days}",
    "{from: q.level, to: q.days}": "{from: q.level, to: q.start}",
    "{from: q.days, to: q.start}": "{from: q.days, to: q.level}",
}


async def test_questions_that_became_necessary_are_asked_in_the_order_of_the_flow(tmp_path: Path) -> None:
    turn = await replied(tmp_path, SCHOOL, ADDS, LAST_NAME, [], ["A1", "may", "Lee", "3"], False)
    assert turn.reply == "hi Lee: A1, 3, may."


VENUES = """
state:
  venues: {type: array, items: {type: string}, default: [hall, mill]}
  fee: {type: integer, default: 5}
nodes:
  - {id: q.day, type: question, key: day, schema: {enum: [friday, sunday]}, prompt: "Day?"}
  - {id: q.venue, type: question, key: venue, options: venues, prompt: "Where?"}
  - {id: q.note, type: question, key: note, read: verbatim, prompt: "Note?"}
  - {id: done, type: terminal, say: "{{ answers.venue }} for {{ fee }}."}
edges:
  - {from: q.day, to: q.venue}
  - {from: q.venue, to: q.note}
  - {from: q.note, to: done}
"""
OTHER_DEFAULTS = {"default: [hall, mill]": "default: [hall, barn]", "default: 5": "default: 6"}


@pytest.mark.parametrize("by_operator", [False, True])
@pytest.mark.parametrize(
    ("before", "after", "end"),
    [
        (["friday"], ["hall", "barn", "none"], "barn for 6."),
        (["friday", "hall"], ["none"], "hall for 6."),
    ],
    ids=["at the options", "behind them"],
)
async def test_the_new_default_of_a_channel_that_nothing_wrote_is_taken(
    tmp_path: Path, before: list[str], after: list[str], end: str, by_operator: bool
) -> None:
    turn = await replied(tmp_path, VENUES, ADDS, OTHER_DEFAULTS, before, after, by_operator)
    assert turn.reply == end


@pytest.mark.parametrize("effects", ["True", "False"])
async def test_a_value_that_an_action_wrote_is_kept_although_it_is_the_former_default(
    tmp_path: Path, effects: str
) -> None:
    flow = VENUES.replace("  - {id: done", "  - {id: charge, type: action, run: charge}\n  - {id: done")
    flow = flow.replace("q.day, to: q.venue}", "q.day, to: charge}\n  - {from: charge, to: q.venue}")
    code = f"""
@action(reads=["answers.day"], writes=["fee"], effects={effects})
def charge(state, ctx):
    return {{"fee": 5}}
"""
    turn = await replied(tmp_path, flow, code, {"default: 5": "default: 6"}, ["friday"], ["hall", "none"], False)
    assert turn.reply == "hall for 5."


TICKETS = """
state: {number: {type: string, default: ""}}
nodes:
  - {id: q.system, type: question, key: system, schema: {enum: [mail, phone]}, prompt: "System?"}
  - {id: q.prio, type: question, key: prio, schema: {enum: [low, high]}, prompt: "Urgent?"}
  - {id: file, type: action, run: file}
  - {id: q.call, type: question, key: call, schema: {enum: [call, write]}, prompt: "Call or write?"}
  - {id: done, type: terminal, say: "We {{ answers.call }} about {{ number }}."}
edges:
  - {from: q.system, to: q.prio}
  - {from: q.prio, to: file}
  - {from: file, to: q.call}
  - {from: q.call, to: done}
"""
FILES = """
@action(reads=["answers.system", "answers.prio"], writes=["number"])
def file(state, ctx):
    return {"number": "T-" + state["answers"]["system"]}
"""
WITHOUT_PRIO = {
    '  - {id: q.prio, type: question, key: prio, schema: {enum: [low, high]}, prompt: "Urgent?"}\n': "",
    "{from: q.system, to: q.prio}": "{from: q.system, to: file}",
    "  - {from: q.prio, to: file}\n": "",
    ', "answers.prio"': "",
}


@pytest.mark.parametrize("by_operator", [False, True])
async def test_an_effect_that_reads_less_than_when_it_was_done_is_not_due_again(
    tmp_path: Path, by_operator: bool
) -> None:
    turn = await replied(tmp_path, TICKETS, FILES, WITHOUT_PRIO, ["mail", "high"], ["write"], by_operator)
    assert (turn.status, turn.reply.splitlines()[-1]) == ("ended", "We write about T-mail.")
