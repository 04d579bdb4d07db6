"""Confirmations: an action that demands one runs only after a yes over the very content, and spends it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from runtime_support import agent, assert_folds, of_type, open_session, reads, trace

FLOW = """
state:
  offer: {type: string, default: ""}
  sent: {type: array, default: [], reduce: append}
nodes:
  - {id: q.what, type: question, key: what, prompt: What?, schema: {enum: [lamp, cable]}}
  - {id: write, type: action, run: write}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Send {{ offer }}?"}
  - {id: change, type: action, run: change}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [offer]}, on_error: sorry}
  - {id: q.more, type: question, key: more, read: confirm, ask: always, prompt: Once more?}
  - {id: sorry, type: decision}
  - {id: done, type: terminal, say: Sent.}
  - {id: no, type: terminal, say: Not sent.}
edges:
  - {from: q.what, to: write}
  - {from: write, to: q.sure}
  - {from: q.sure, to: change, guard: answers.sure == true}
  - {from: q.sure, to: no, guard: answers.sure == false}
  - {from: q.sure, to: write, guard: else}
  - {from: change, to: send}
  - {from: send, to: q.more}
  - {from: sorry, to: q.more}
  - {from: q.more, to: send, guard: answers.more == true}
  - {from: q.more, to: done, guard: else}
"""
NODES = """
CHANGE = Path(__file__).with_name("change")
FAIL = Path(__file__).with_name("fail")

@action(reads=["answers.what"], writes=["offer"])
def write(state, ctx):
    return {"offer": "a " + state["answers"]["what"]}

@action(reads=["offer"], writes=["offer"])
def change(state, ctx):
    if CHANGE.exists():
        CHANGE.unlink()
        return {"offer": state["offer"] + " and a bill"}

@action(reads=["offer"], writes=["sent"])
def send(state, ctx):
    if FAIL.exists():
        FAIL.unlink()
        raise RuntimeError("down")
    return {"sent": state["offer"]}
"""
RULES: tuple[dict[str, Any], ...] = (
    reads("cable", ("what", "cable", "cable")),
    reads("lamp", ("what", "lamp", "lamp")),
    {"call": {"UnknownAnswer": {"key": "what", "reason": "-"}}},
)


async def test_yes_performs_and_no_does_not(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        asked = await session.send("a lamp")
        assert asked.reply == "Send a lamp?"
        assert asked.waiting_for is not None
        assert (asked.waiting_for.kind, asked.waiting_for.options) == ("confirm", (True, False))
        assert (await session.resume(True)).values["sent"] == ["a lamp"]
        await assert_folds(made, session)
    async with open_session(made, tmp_path / "home", *RULES, thread="no") as session:
        await session.send("a lamp")
        turn = await session.send("no")
        assert (turn.reply, turn.values["sent"]) == ("Not sent.", [])


async def test_a_confirmation_is_spent(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        await session.send("yes")
        again = await session.send("yes")
        assert again.values["sent"] == ["a lamp"]
        assert again.reply == "Send a lamp?"
        missing = of_type(await trace(session), "confirmation_missing")
        assert [(e["action"], e["reason"]) for e in missing] == [("send", "never_given")]
        await assert_folds(made, session)
        assert (await session.send("yes")).values["sent"] == ["a lamp", "a lamp"]
        await assert_folds(made, session)


async def test_what_changed_after_the_yes_is_asked_again(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        (tmp_path / "a" / "change").touch()
        turn = await session.send("yes")
        assert (turn.reply, turn.values["sent"]) == ("Send a lamp and a bill?", [])
        missing = of_type(await trace(session), "confirmation_missing")
        assert [e["reason"] for e in missing] == ["content_changed"]
        await assert_folds(made, session)
        assert (await session.send("yes")).values["sent"] == ["a lamp and a bill"]


async def test_a_text_instead_of_yes_corrects_and_confirms_nothing(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        turn = await session.send("make it a cable")
        assert (turn.reply, turn.values["sent"]) == ("Send a cable?", [])
        assert (await session.send("yes")).values["sent"] == ["a cable"]


async def test_a_confirmed_action_that_failed_needs_a_new_yes(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        (tmp_path / "a" / "fail").touch()
        turn = await session.send("yes")
        assert turn.path[-3:] == ("send", "sorry", "q.more")
        again = await session.send("yes")
        assert (again.reply, again.values["sent"]) == ("Send a lamp?", [])


async def test_after_a_failed_turn_the_user_is_asked_again_and_can_say_no(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW.replace(", on_error: sorry", ""), NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        (tmp_path / "a" / "fail").touch()
        failed = await session.send("yes")
        assert failed.status == "failed"
        assert failed.error is not None
        assert "asked again" in failed.error.hint
        asked = await session.send("no, stop, cancel it!")
        assert (asked.status, asked.reply, asked.values["sent"]) == ("waiting", "Send a lamp?", [])
        await assert_folds(made, session)
        refused = await session.resume(False)
        assert (refused.reply, refused.values["sent"]) == ("Not sent.", [])


async def test_a_new_yes_to_the_same_performs_under_the_key_of_the_failure(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        state: {offer: {type: string, default: x}, sent: {type: array, default: [], reduce: append}}
        nodes:
          - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
          - {id: send, type: action, run: send, confirm: {by: q.sure, over: [offer]}}
          - {id: note, type: action, run: note}
          - {id: done, type: terminal, say: Sent.}
        edges:
          - {from: q.sure, to: send}
          - {from: send, to: note}
          - {from: note, to: done}
        """,
        """
        KEYS = []

        @action(writes=["sent"])
        def send(state, ctx):
            KEYS.append(ctx.key)
            if len(KEYS) < 3:
                raise RuntimeError("down")
            return {"sent": KEYS}

        @action(writes=["sent"])
        def note(state, ctx):
            return {"sent": ctx.key}
        """,
    )
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        for _ in range(2):
            assert (await session.send("yes")).status == "failed"
            assert (await session.send("go on")).reply == "Sure?"
        sent = (await session.send("yes")).values["sent"]
        assert [key.split(":")[-1] for key in sent] == ["1", "1", "1", "4"]
        await assert_folds(made, session)
        await session.send("hello")
        again = (await session.send("yes")).values["sent"]
        assert [key.split(":")[-1] for key in again[7:]] == ["5", "6"]
        await assert_folds(made, session)


@pytest.mark.parametrize("more", ["", ", max_invalid: 1, on_invalid: send", ", max_invalid: 1"])
async def test_a_question_asked_again_takes_its_yes_back(tmp_path: Path, more: str) -> None:
    made = agent(
        tmp_path / "a",
        f"""
        state: {{offer: {{type: string, default: x}}, sent: {{type: array, default: [], reduce: append}}}}
        on_escalate: send
        nodes:
          - {{id: q.sure, type: question, key: sure, read: confirm, ask: always, schema: {{type: boolean}}{more},
             prompt: Sure?}}
          - {{id: q.again, type: question, key: again, read: confirm, ask: always, prompt: Look again?}}
          - {{id: send, type: action, run: send, confirm: {{by: q.sure, over: [offer]}}}}
          - {{id: done, type: terminal, say: Sent.}}
          - {{id: no, type: terminal, say: Not sent.}}
        edges:
          - {{from: q.sure, to: q.again, guard: answers.sure == true}}
          - {{from: q.sure, to: no, guard: else}}
          - {{from: q.again, to: q.sure, guard: answers.again == true}}
          - {{from: q.again, to: send, guard: else}}
          - {{from: send, to: done}}
        """,
        "@action(writes=['sent'])\ndef send(state, ctx):\n    return {'sent': 1}\n",
    )
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        await session.resume(True)
        assert (await session.resume(True)).reply == "Sure?"
        turn = await session.send("what does it cost")
        assert (turn.status, turn.values["sent"]) == ("waiting", [])
        assert turn.waiting_for is not None
        assert turn.waiting_for.node == "q.sure"
        await session.resume(True)
        assert (await session.resume(False)).values["sent"] == [1]
        await assert_folds(made, session)


@pytest.mark.parametrize("on_error", ["", ", on_error: sorry"])
async def test_a_confirming_question_that_does_not_apply_fails_the_action(tmp_path: Path, on_error: str) -> None:
    made = agent(
        tmp_path / "a",
        f"""
        state: {{n: {{type: integer, default: 0}}}}
        nodes:
          - {{id: q.p, type: question, key: p, prompt: P?, read: verbatim, ask: always}}
          - {{id: q.sure, type: question, key: sure, read: confirm, ask: always, when: answers.p == 'big',
             prompt: Sure?}}
          - {{id: pay, type: action, run: pay, confirm: {{by: q.sure, over: [n]}}{on_error}}}
          - {{id: done, type: terminal, say: "Paid {{{{ n }}}}."}}
          - {{id: sorry, type: terminal, say: Sorry.}}
        edges:
          - {{from: q.p, to: q.sure}}
          - {{from: q.sure, to: pay}}
          - {{from: pay, to: done}}
        """,
        "@action(writes=['n'])\ndef pay(state, ctx):\n    return {'n': 1}\n",
    )
    assert "GW509" in {d.code for d in made.diagnostics}
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        turn = await session.send("small")
        assert turn.values["n"] == 0
        if on_error:
            assert (turn.status, turn.reply) == ("ended", "Sorry.")
        else:
            assert turn.status == "failed"
            assert turn.error is not None
            assert turn.error.code == "confirmation_not_applicable"
            assert "answers.p == 'big'" in turn.error.message
            assert (await session.send("again")).status == "failed"
        assert len(await session.history()) < 40
        await assert_folds(made, session)


async def test_a_message_that_begins_the_conversation_confirms_nothing(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        state: {sent: {type: array, default: [], reduce: append}}
        nodes:
          - {id: q.sure, type: question, key: sure, read: confirm, prompt: Sure?}
          - {id: send, type: action, run: send, confirm: {by: q.sure, over: [sent]}}
          - {id: done, type: terminal}
        edges:
          - {from: q.sure, to: send, guard: answers.sure == true}
          - {from: q.sure, to: done, guard: else}
          - {from: send, to: done}
        """,
        "@action(writes=['sent'])\ndef send(state, ctx):\n    return {'sent': 1}\n",
    )
    async with open_session(made, tmp_path / "home") as session:
        turn = await session.send("yes")
        assert (turn.status, turn.values["sent"]) == ("waiting", [])
        assert (await session.send("yes")).values["sent"] == [1]
        # Begun afresh, the answer is kept but it confirms no second time.
        again = await session.send("hello")
        assert (again.status, again.reply, again.values["sent"]) == ("waiting", "Sure?", [1])


async def test_a_failed_effect_keeps_its_key_although_other_actions_come_between(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        state: {offer: {type: integer, default: 5}, prepared: {type: array, reduce: append}}
        nodes:
          - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
          - {id: prep, type: action, run: prep}
          - {id: order, type: action, run: order, confirm: {by: q.sure, over: [offer]}}
          - {id: done, type: terminal, say: Ordered.}
        edges:
          - {from: q.sure, to: prep}
          - {from: prep, to: order}
          - {from: order, to: done}
        """,
        """
        KEYS = []

        @action(writes=["prepared"])
        def prep(state, ctx):
            return {"prepared": ctx.key}

        @action()
        def order(state, ctx):
            KEYS.append(ctx.key)
            (HERE / "keys").write_text(" ".join(KEYS))
            if len(KEYS) < 3:
                raise RuntimeError("the line went dead after the order was given")
        """.replace("KEYS = []", "HERE = Path(__file__).parent\n        KEYS = []"),
    )
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        for _ in range(2):
            assert (await session.send("yes")).status == "failed"
            await session.send("go on")
        turn = await session.send("yes")
        assert turn.status == "ended"
        keys = (tmp_path / "a" / "keys").read_text().split()
        assert len(keys) == 3
        assert len(set(keys)) == 1
        assert len(set(turn.values["prepared"])) == 3
        assert not set(keys) & set(turn.values["prepared"])
        await assert_folds(made, session)
