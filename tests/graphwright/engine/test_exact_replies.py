"""Consent: code reads yes, no and stop from a closed list; for longer replies a model alone is not enough for a yes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from graphwright import Agent
from host_support import agent, of_type, reads
from step_support import conversation

FLOW = """
state: {sent: {type: array, default: [], reduce: append}, offer: {type: string, default: a lamp}}
nodes:
%s  - {id: q.sure, type: question, key: sure, read: confirm, ask: always, prompt: Shall I send it?}
  - {id: send, type: action, run: send, confirm: {by: q.sure, over: [offer]}}
  - {id: sent, type: terminal, say: Sent.}
  - {id: no, type: terminal, say: Not sent.}
edges:
%s  - {from: q.sure, to: send, guard: answers.sure == true}
  - {from: q.sure, to: no, guard: answers.sure == false}
  - {from: q.sure, to: q.sure, guard: else}
  - {from: send, to: sent}
"""
COLOUR = "  - {id: q.colour, type: question, key: colour, prompt: Which colour?, schema: {enum: [red, blue]}}\n"
NODES = "@action(writes=['sent'])\ndef send(state, ctx):\n    return {'sent': 'it'}\n"


def offer(tmp_path: Path, *, alone: bool = True) -> Agent:
    more = ("", "") if alone else (COLOUR, "  - {from: q.colour, to: q.sure}\n")
    return agent(tmp_path / "a", FLOW % more, NODES)


def says(consent: str, *answers: dict[str, Any]) -> dict[str, Any]:
    """A model that reads this from every confirmation."""
    more = {"answers": list(answers)} if answers else {}
    return {"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"language": "en", "consent": consent, **more}}}


@pytest.mark.parametrize(
    ("reply", "end"),
    [
        *(
            (yes, "Sent.")
            for yes in ("yes", "Yes, please!", "OK", "ｏｋ", "1", "ja, bitte", "Oui.", "はい", "да", "sí")
        ),
        *((yes, "Sent.") for yes in ("Fine, go ahead.", "Perfect! Do it.", "That\u2019s right", "Passt so.")),
        *((no, "Not sent.") for no in ("no", "No, stop, cancel it!", "2", "nein danke", "いいえ", "Abbrechen.")),
        *(
            (text, None)
            for text in (
                "yes?",
                "yes no",
                "yes and no",
                "ye",
                "3",
                "not yes",
                "nothing",
                "👍",
                "sure as hell",
                "fine, no",
            )
        ),
    ],
)
async def test_a_whole_reply_on_the_list_needs_no_model(tmp_path: Path, reply: str, end: str | None) -> None:
    async with offer(tmp_path).session("t", model="none", home=tmp_path / "home") as session:
        await session.start()
        turn = await session.send(reply)
        assert (turn.reply if turn.status == "ended" else None) == end
        assert turn.values["sent"] == (["it"] if end == "Sent." else [])


@pytest.mark.parametrize(
    ("reply", "consent", "end"),
    [
        # two agree: it begins with a listed yes, and the model reads consent in it
        ("yes, go ahead and send that lamp", "agrees", "Sent."),
        ("Ja, dann schicken Sie die mal los", "agrees", "Sent."),
        # a refusal that a model reads as consent: a listed yes after other words, or a listed no or stop
        ("Don't send it. Yes, really don't.", "agrees", None),
        ("I would rather not. OK, maybe later", "agrees", None),
        ("please don't, ok", "agrees", None),
        ("ok, no, not that one", "agrees", None),
        ("yes, stop, I mean the other one", "agrees", None),
        # the model alone is not enough for a yes
        ("send that thing already", "agrees", None),
        ("not yes, and do not send it", "agrees", None),
        ("the yes of the others will do", "agrees", None),
        # a listed yes at the beginning alone is not enough either
        ("yes, but make it two", "agrees_with_changes", None),
        ("yes, I saw that; what does it cost?", "unclear", None),
        # the model alone may read a stop
        ("yes, well, rather leave it", "declines", "Not sent."),
    ],
)
def test_a_longer_reply_is_consent_only_where_two_agree(
    tmp_path: Path, reply: str, consent: str, end: str | None
) -> None:
    session = conversation(offer(tmp_path), says(consent))
    session.start()
    turn = session.send(reply)
    assert (turn.reply if turn.status == "ended" else None) == end
    assert turn.values["sent"] == (["it"] if end == "Sent." else [])
    assert len(of_type(session.trace(), "confirmation_given")) == (end == "Sent.")


@pytest.mark.parametrize("quote", ["blue", "green"])
def test_a_reply_with_a_change_does_not_confirm(tmp_path: Path, quote: str) -> None:
    change = {"key": "colour", "value": "blue", "quote": quote, "correction": True}
    rules = (reads("red one", ("colour", "red", "red")), says("agrees", change))
    session = conversation(offer(tmp_path, alone=False), *rules)
    session.send("the red one")
    turn = session.send("yes, and blue, send it")
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert turn.values["answers"]["colour"] == ("blue" if quote == "blue" else "red")


@pytest.mark.parametrize(
    "broken", [{"raw": ""}, {"text": "They agree!"}, {"raw": '{"consent": "agr'}, {"fail": "auth"}]
)
def test_an_unreadable_reply_does_not_confirm(tmp_path: Path, broken: dict[str, Any]) -> None:
    session = conversation(offer(tmp_path), broken)
    session.start()
    turn = session.send("yes, send the lamp now")
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert session.send("yes").values["sent"] == ["it"]


@pytest.mark.parametrize(("language", "said"), [("en", "Please answer yes or no"), ("de-AT", "mit Ja oder Nein")])
def test_consent_that_only_a_model_reads_is_asked_for_a_yes(tmp_path: Path, language: str, said: str) -> None:
    agrees = {"offers": "UpdateAnswers", "call": {"UpdateAnswers": {"language": language, "consent": "agrees"}}}
    rules = (reads("red one", ("colour", "red", "red")), agrees)
    session = conversation(offer(tmp_path, alone=False), *rules)
    session.send("the red one")
    turn = session.send("that seems to be what I had in mind")
    assert said in turn.reply
    assert (turn.status, turn.path) == ("waiting", ())
    assert [event["stage"] for event in of_type(session.trace(), "answer_refused")] == ["consent"]
    assert session.send("yes").values["sent"] == ["it"]


def test_a_confirmation_that_comes_again_unchanged_says_what_it_waits_for(tmp_path: Path) -> None:
    session = conversation(offer(tmp_path))
    session.start()
    turn = session.send("send that thing already")
    assert turn.reply == "Please answer yes or no, or say what to change.\n\nShall I send it?"
    assert session.send("yes").reply == "Sent."


def test_the_opening_message_does_not_confirm(tmp_path: Path) -> None:
    session = conversation(offer(tmp_path))
    turn = session.send("yes")
    assert (turn.status, turn.values["sent"]) == ("waiting", [])
    assert session.send("yes").values["sent"] == ["it"]


def also(consent: str, further: str, *calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """A model that reads this from every confirmation, and words that ask for something else."""
    told = {"language": "en", "consent": consent, "further": further}
    return {"offers": "UpdateAnswers", "call": {"UpdateAnswers": told, **dict(calls)}}


BESIDE = "yes, and also rename Kiosk to Shop"
AGAIN = "please write about this again afterwards: “also rename Kiosk to Shop”."


@pytest.mark.parametrize("alone", [True, False])
def test_a_further_request_next_to_a_yes_is_not_lost(tmp_path: Path, alone: bool) -> None:
    rules = (reads("red one", ("colour", "red", "red")), also("agrees", "also rename Kiosk to Shop"))
    session = conversation(offer(tmp_path, alone=alone), *rules)
    session.send("the red one")
    turn = session.send(BESIDE)
    assert turn.reply == f"I go on with what you said yes to. One request goes at a time: {AGAIN}\n\nSent."
    assert turn.values["sent"] == ["it"]


@pytest.mark.parametrize(
    ("reply", "consent", "end"),
    [
        ("I do not want it, but also rename Kiosk to Shop", "declines", "Not sent."),
        ("that seems fine, and also rename Kiosk to Shop", "agrees", "Shall I send it?"),
    ],
)
def test_a_further_request_without_a_yes_is_not_lost(tmp_path: Path, reply: str, consent: str, end: str) -> None:
    rules = (reads("red one", ("colour", "red", "red")), also(consent, "also rename Kiosk to Shop"))
    session = conversation(offer(tmp_path, alone=False), *rules)
    session.send("the red one")
    turn = session.send(reply)
    assert f"One request goes at a time: {AGAIN}" in turn.reply
    assert "you said yes to" not in turn.reply
    assert turn.reply.endswith(end)
    assert turn.values["sent"] == []


@pytest.mark.parametrize("further", ["", "delete the shop", "Yes, and also rename Kiosk to Shop"])
def test_a_further_request_is_one_that_the_message_holds_beside_the_yes(tmp_path: Path, further: str) -> None:
    session = conversation(offer(tmp_path), also("agrees", further))
    session.start()
    assert session.send(BESIDE).reply == "Sent."


def test_a_second_order_that_no_answer_takes_does_not_undo_the_yes(tmp_path: Path) -> None:
    words = "also rename Kiosk to Shop"
    unfit = ("UnknownAnswer", {"language": "en", "key": "", "reason": words, "kind": "unfit", "correction": False})
    rules = (reads("red one", ("colour", "red", "red")), also("agrees", words, unfit))
    session = conversation(offer(tmp_path, alone=False), *rules)
    session.send("the red one")
    turn = session.send(BESIDE)
    assert turn.reply == f"I go on with what you said yes to. One request goes at a time: {AGAIN}\n\nSent."


def test_a_question_beside_a_yes_that_is_answered_is_no_further_request(tmp_path: Path) -> None:
    words = "what does it cost?"
    asks = ("UnknownAnswer", {"language": "en", "key": "", "reason": words, "kind": "question", "correction": False})
    rules = (reads("red one", ("colour", "red", "red")), also("agrees", words, asks))
    session = conversation(offer(tmp_path, alone=False), *rules)
    session.send("the red one")
    turn = session.send("yes, send that, and what does it cost?")
    assert "I know nothing about that" in turn.reply
    assert "One request" not in turn.reply
    assert turn.values["sent"] == ["it"]


def test_a_flow_whose_action_reads_the_message_takes_up_the_further_request(tmp_path: Path) -> None:
    flow = FLOW.replace("  - {id: send,", "  - {id: take_up, type: action, run: take_up}\n  - {id: send,")
    flow = flow.replace("to: send,", "to: take_up,") + "  - {from: take_up, to: send}\n"
    nodes = NODES + "@action(reads=['message'], writes=['offer'])\ndef take_up(state, ctx):\n    return {}\n"
    session = conversation(agent(tmp_path / "a", flow % ("", ""), nodes), also("agrees", "also rename Kiosk to Shop"))
    session.start()
    assert session.send(BESIDE).reply == "Sent."


def test_the_options_of_a_confirmation_are_in_the_language_that_an_action_found(tmp_path: Path) -> None:
    flow = FLOW.replace("offer:", "spoken: {type: string, default: ''}, offer:") % (
        "  - {id: look, type: action, run: look}\n",
        "  - {from: look, to: q.sure}\n",
    )
    nodes = (
        NODES + "@action(reads=['message'], writes=['spoken'])\ndef look(state, ctx):\n    return {'spoken': 'de'}\n"
    )
    session = conversation(agent(tmp_path / "a", f"language: spoken{flow}", nodes))
    turn = session.send("Schick mir die Lampe")
    assert turn.waiting_for is not None
    assert [option["title"] for option in turn.waiting_for.options] == ["ja", "nein"]
    assert session.send("ja").reply == "Sent."
