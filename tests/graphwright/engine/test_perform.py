"""Confirmations: an action that requires one runs only after a yes to exactly this content, and only once."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent
from host_support import agent, of_type, open_session, trace
from step_support import conversation, started

PAYMENTS = """
state:
  amount: {type: [integer, "null"], default: 0}
  to: {type: string, default: Ann}
  paid: {type: array, default: [], reduce: append}
nodes:
  - {id: q.go, type: question, key: go, read: verbatim, ask: always, prompt: How much?}
  - {id: q.limit, type: question, key: limit, prompt: Limit?, required: false, schema: {type: integer}, when: "false"}
  - {id: set, type: action, run: set}
  - {id: pay, type: action, run: pay, confirm: {by: q.sure, over: [amount, to], when: "amount > 100"}}
  - {id: raise, type: action, run: raise_}
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


def paying(folder: Path, when: str = ', when: "amount > 100"') -> Agent:
    """An agent that pays as requested. It asks only if `when` says so, and may change its mind after a yes."""
    return agent(folder, PAYMENTS.replace(', when: "amount > 100"', when), PAYING)


@pytest.mark.parametrize("when", ["", ', when: "amount > 100"'])
def test_a_yes_performs_once_and_a_no_does_not(tmp_path: Path, when: str) -> None:
    session = started(paying(tmp_path / "a", when))
    asked = session.send("101")
    assert (asked.reply, asked.values["paid"]) == ("Pay 101 to Ann?", [])
    assert asked.path[-2:] == ("pay", "q.sure")
    assert (asked.waiting_for and asked.waiting_for.kind) == "confirm"
    assert asked.waiting_for.options == ({"value": True, "title": "yes"}, {"value": False, "title": "no"})
    assert session.send("no").values["paid"] == []
    session.send("101")
    assert session.resume(True).values["paid"] == [101, "Ann"]
    assert session.send("101").reply == "Pay 101 to Ann?", "a confirmation is spent"
    events = session.trace()
    assert [e["reason"] for e in of_type(events, "confirmation_missing")] == ["never_given"] * 3
    assert [e["reason"] for e in of_type(events, "jumped")] == ["confirmation_missing"] * 3


async def test_content_changed_after_the_yes_is_confirmed_again(tmp_path: Path) -> None:
    async with open_session(paying(tmp_path / "a", ""), tmp_path / "home") as session:
        await session.start()
        await session.send("101")
        (tmp_path / "a" / "raise").write_text("300")
        turn = await session.send("yes")
        assert (turn.reply, turn.values["paid"]) == ("Pay 300 to Ann?", [])
        missing = of_type(await trace(session), "confirmation_missing")
        assert [e["reason"] for e in missing] == ["never_given", "content_changed"]
        assert (await session.send("yes")).values["paid"] == [300, "Ann"]


async def test_after_a_failed_turn_the_user_is_asked_again_and_can_say_no(tmp_path: Path) -> None:
    async with open_session(paying(tmp_path / "a", ""), tmp_path / "home") as session:
        await session.start()
        await session.send("101")
        (tmp_path / "a" / "fail").touch()
        failed = await session.send("yes")
        assert failed.status == "failed"
        assert "asked again" in failed.error.hint
        asked = await session.send("no, stop, cancel it!")
        assert (asked.status, asked.reply, asked.values["paid"]) == ("waiting", "Pay 101 to Ann?", [])
        assert (await session.resume(False)).values["paid"] == []


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
def test_a_question_asked_again_takes_its_yes_back(tmp_path: Path, more: str) -> None:
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
    session = started(made)
    session.resume(True)
    assert session.resume(True).reply == "Sure?"
    turn = session.send("what does it cost")
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert (turn.waiting_for and turn.waiting_for.node) == "q.sure"
    session.resume(True)
    assert session.resume(False).values["sent"] == [1]


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


def test_a_message_that_begins_the_conversation_confirms_nothing(tmp_path: Path) -> None:
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
    session = conversation(made)
    turn = session.send("yes")
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert session.send("yes").values["sent"] == [1]
    # In a new conversation the answer is kept, but does not confirm a second time.
    again = session.send("hello")
    assert (again.status, again.reply, again.values["sent"]) == ("waiting", "Sure?", [1])


@pytest.mark.parametrize(
    "when", ["amount > 100 && answers.limit > 3", "!(answers.limit > 3)", "answers.limit == 3", "100 / amount > 500"]
)
def test_a_condition_that_cannot_be_evaluated_demands_the_confirmation(tmp_path: Path, when: str) -> None:
    session = started(paying(tmp_path / "a", f', when: "{when}"'))
    amount = "0" if "/" in when else "500"
    turn = session.send(amount)
    assert (turn.reply, turn.values["paid"]) == (f"Pay {amount} to Ann?", [])
    checked = [e for e in of_type(session.trace(), "guard_checked") if e["of"] == "pay.confirm"]
    assert not checked[0]["opened"]
    assert checked[0].get("missing") == (None if "/" in when else ["answers.limit"]), checked
    assert bool(checked[0].get("error")) == ("/" in when)
    assert session.send("yes").values["paid"] == [int(amount), "Ann"]
    assert session.send(amount).values["paid"] == [int(amount), "Ann"]


def test_a_condition_does_not_show_what_is_private(tmp_path: Path) -> None:
    flow = PAYMENTS.replace("default: 0}", "default: 0, private: true}").replace("{{ amount }}", "it")
    session = started(agent(tmp_path / "a", flow.replace("amount > 100", "500 / amount > 3"), PAYING))
    assert session.send("0").reply == "Pay it to Ann?"
    (checked,) = (e for e in of_type(session.trace(), "guard_checked") if e["of"] == "pay.confirm")
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
