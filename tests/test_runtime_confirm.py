"""Confirmations: an action that demands one runs only after a yes over the very content, and spends it."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from runtime_support import agent, of_type, open_session, reads, trace

from graphwright import Agent

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
    reads("cable", ("what", "cable", "cable"), correction=True),
    reads("lamp", ("what", "lamp", "lamp")),
    {"call": {"UnknownAnswer": {"key": "what", "reason": "-"}}},
)


async def test_yes_performs_and_no_does_not(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        asked = await session.send("a lamp")
        assert asked.reply == "Send a lamp?"
        assert (asked.waiting_for and asked.waiting_for.kind) == "confirm"
        assert asked.waiting_for.options == ({"value": True, "title": "yes"}, {"value": False, "title": "no"})
        assert (await session.resume(True)).values["sent"] == ["a lamp"]
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
        assert [e["reason"] for e in of_type(await trace(session), "jumped")] == ["confirmation_missing"]
        assert (await session.send("yes")).values["sent"] == ["a lamp", "a lamp"]


async def test_what_changed_after_the_yes_is_asked_again(tmp_path: Path) -> None:
    made = agent(tmp_path / "a", FLOW, NODES)
    async with open_session(made, tmp_path / "home", *RULES) as session:
        await session.send("a lamp")
        (tmp_path / "a" / "change").touch()
        turn = await session.send("yes")
        assert (turn.reply, turn.values["sent"]) == ("Send a lamp and a bill?", [])
        missing = of_type(await trace(session), "confirmation_missing")
        assert [e["reason"] for e in missing] == ["content_changed"]
        assert (await session.send("yes")).values["sent"] == ["a lamp and a bill"]


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
        await session.send("hello")
        again = (await session.send("yes")).values["sent"]
        assert [key.split(":")[-1] for key in again[7:]] == ["5", "6"]


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
        assert (turn.waiting_for and turn.waiting_for.node) == "q.sure"
        await session.resume(True)
        assert (await session.resume(False)).values["sent"] == [1]


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
            assert (turn.error and turn.error.code) == "confirmation_not_applicable"
            assert "answers.p == 'big'" in turn.error.message
            assert (await session.send("again")).status == "failed"
        assert len(await session.history()) < 40


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


SOMETIMES = """
state:
  amount: {type: [integer, "null"], default: 0}
  to: {type: string, default: Ann}
  paid: {type: array, default: [], reduce: append}
nodes:
  - {id: q.go, type: question, key: go, read: verbatim, ask: always, prompt: How much?}
  - {id: q.limit, type: question, key: limit, prompt: Limit?, required: false, schema: {type: integer}, when: "false"}
  - {id: set, type: action, run: set}
  - {id: pay, type: action, run: pay, confirm: {by: q.sure, over: [amount, to], when: "WHEN"}}
  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: "Pay {{ amount }} to {{ to }}?"}
edges:
  - {from: q.go, to: q.limit}
  - {from: q.limit, to: set}
  - {from: set, to: pay}
  - {from: pay, to: q.go}
  - {from: q.sure, to: raise, guard: answers.sure == true}
  - {from: q.sure, to: q.go, guard: answers.sure == false}
  - {from: q.sure, to: q.go, guard: else}
  - {from: raise, to: pay}
"""
PAYING = """
HERE = Path(__file__).parent

@action(reads=["answers.go"], writes=["amount", "to"])
def set(state, ctx):
    amount, _, to = state["answers"]["go"].partition(" ")
    return {"amount": None if amount == "none" else int(amount), "to": to or "Ann"}

@action(reads=["amount", "to"], writes=["amount", "to"])
def raise_(state, ctx):
    file = HERE / "raise"
    if file.exists():
        text = file.read_text()
        file.unlink()
        return {"amount": int(text)} if text.isdigit() else {"to": text}

@action(reads=["amount", "to"], writes=["paid"])
def pay(state, ctx):
    if (HERE / "fail").exists():
        (HERE / "fail").unlink()
        raise RuntimeError("down")
    return {"paid": [state["amount"], state["to"]]}
"""


def paying(folder: Path, when: str = "amount > 100") -> Agent:
    """An agent that pays what it is told to. It asks only where `when` says so, and may change its mind after a yes."""
    flow = SOMETIMES.replace("WHEN", when)
    flow = flow.replace("  - {id: q.sure,", "  - {id: raise, type: action, run: raise_}\n  - {id: q.sure,")
    return agent(folder, flow, PAYING)


def demands(events: list[dict[str, Any]]) -> list[bool]:
    return [e["opened"] for e in of_type(events, "guard_checked") if e["of"] == "pay.confirm"]


async def test_where_the_condition_is_true_the_action_asks_first(tmp_path: Path) -> None:
    made = paying(tmp_path / "a")
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        asked = await session.send("101")
        assert (asked.reply, asked.values["paid"]) == ("Pay 101 to Ann?", [])
        assert asked.path[-2:] == ("pay", "q.sure")
        assert (await session.send("no")).values["paid"] == []
        await session.send("101")
        assert (await session.send("yes")).values["paid"] == [101, "Ann"]
        await session.send("101")
        missing = of_type(await trace(session), "confirmation_missing")
        assert [e["reason"] for e in missing] == ["never_given"] * 3, "a confirmation is spent"


@pytest.mark.parametrize(
    "when", ["amount > 100 && answers.limit > 3", "!(answers.limit > 3)", "answers.limit == 3", "100 / amount > 500"]
)
async def test_a_condition_that_cannot_be_evaluated_demands_the_confirmation(tmp_path: Path, when: str) -> None:
    made = paying(tmp_path / "a", when)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        amount = "0" if "/" in when else "500"
        turn = await session.send(amount)
        assert (turn.reply, turn.values["paid"]) == (f"Pay {amount} to Ann?", [])
        checked = [e for e in of_type(await trace(session), "guard_checked") if e["of"] == "pay.confirm"]
        assert not checked[0]["opened"]
        assert checked[0].get("missing") == (None if "/" in when else ["answers.limit"]), checked
        assert bool(checked[0].get("error")) == ("/" in when)
        assert (await session.send("yes")).values["paid"] == [int(amount), "Ann"]
        assert (await session.send(amount)).values["paid"] == [int(amount), "Ann"]


async def test_a_condition_does_not_show_what_is_private(tmp_path: Path) -> None:
    flow = SOMETIMES.replace("default: 0}", "default: 0, private: true}").replace("{{ amount }}", "it")
    made = agent(tmp_path / "a", flow.replace("WHEN", "500 / amount > 3").replace("raise", "set"), PAYING)
    async with open_session(made, tmp_path / "home") as session:
        await session.start()
        assert (await session.send("0")).reply == "Pay it to Ann?"
        (checked,) = (e for e in of_type(await trace(session), "guard_checked") if e["of"] == "pay.confirm")
        assert checked["saw"] == {"amount": "<private>"}
        assert checked["error"] == "cannot be evaluated (it reads the private amount)"


async def test_in_a_subgraph_the_condition_reads_the_answers_of_its_scope(tmp_path: Path) -> None:
    made = agent(
        tmp_path / "a",
        """
        state: {sent: {type: array, default: [], reduce: append}}
        nodes:
          - {id: one, type: subgraph, ref: g, as: one}
          - {id: done, type: terminal}
        edges: [{from: one, to: done}]
        subgraphs:
          g:
            nodes:
              - {id: q.n, type: question, key: n, prompt: N?, read: verbatim}
              - {id: send, type: action, run: send,
                 confirm: {by: q.sure, over: [answers.n], when: answers.n != 'small'}}
              - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Sure?}
            edges:
              - {from: q.n, to: send}
              - {from: q.sure, to: send, guard: answers.sure == true}
              - {from: q.sure, to: __exit__, guard: else}
              - {from: send, to: __exit__}
        """,
        "@action(writes=['sent'])\ndef send(state, ctx):\n    return {'sent': 1}\n",
    )
    for thread, text, reply in (("a", "small", ""), ("b", "big", "Sure?")):
        async with open_session(made, tmp_path / "home", thread=thread) as session:
            await session.start()
            turn = await session.send(text)
            assert (turn.reply, len(turn.values["sent"])) == (reply, 0 if reply else 1)


@pytest.mark.parametrize("seed", range(6))
async def test_nothing_is_ever_done_without_a_yes_to_it_where_the_condition_is_true(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    made = paying(tmp_path / "a")
    unread = {"call": {"UnknownAnswer": {"key": "limit", "reason": "-"}}}
    async with open_session(made, tmp_path / "home", unread) as session:
        await session.start()
        where = "q.go"
        for _ in range(40):
            (tmp_path / "a" / "raise").unlink(missing_ok=True)
            if rng.random() < 0.3:
                (tmp_path / "a" / "raise").write_text(rng.choice(["5", "300", "400", "Ben"]))
            if rng.random() < 0.15:
                (tmp_path / "a" / "fail").touch()
            words = ["yes", "yes", "no", "hm"] if where == "q.sure" else ["5", "300", "400 Ben", "none", "none Ben"]
            turn = await session.send(rng.choice(words))
            assert turn.error is None or turn.error.code == "action_failed"
            assert turn.waiting_for is not None
            where = turn.waiting_for.node
        events = await trace(session)
    channels: dict[str, Any] = {"amount": 0, "to": "Ann"}
    agreed: tuple[Any, Any] | None = None
    performed = confirmed = 0
    for event in events:
        match event["type"]:
            case "channels_written":
                channels |= event["values"]
            case "prompted" if event["node"] == "q.sure":
                agreed = None
            case "confirmation_given":
                agreed = channels["amount"], channels["to"]
            case "action_started" if event["node"] == "pay":
                performed += 1
                needed = channels["amount"] is None or channels["amount"] > 100
                confirmed += needed
                assert not needed or agreed == (channels["amount"], channels["to"])
                agreed = None
    assert performed > confirmed > 0
