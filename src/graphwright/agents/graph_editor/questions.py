"""Questions to the user when the goal cannot go on alone, and what is made of the replies."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from graphwright.agents.graph_editor.evidence import like
from graphwright.agents.graph_editor.mentions import quoted
from graphwright.agents.graph_editor.problems import Option
from graphwright.agents.graph_editor.words import denies, has, is_question, is_stop, listed, plain

LEAVE = "leave it as it is"
AGAIN = "try again"

_QUESTIONS = {
    "ambiguous": "What exactly should be done, and to which nodes?",
    "not_found": "What should I do instead?",
    "ambiguous_key": "Which one do you mean?",
    "missing_key": "Which key should it have?",
    "graph_unavailable": "Shall I try again?",
    "unsaid_type": "Which type of edge should it be?",
}
_TOLD = {
    **dict.fromkeys(
        ("unsaid_value", "unsaid_label", "unsaid_key"),
        "I could not work out from your request what exactly should be written where, so I wrote nothing for it.",
    ),
    **dict.fromkeys(("only_asked", "not_asked"), "I read your request as one that changes nothing."),
    **dict.fromkeys(
        ("bad_arguments", "bad_parameters", "no_progress", "unknown_property", "unknown_name"),
        "I did not find the right step for your request.",
    ),
    **dict.fromkeys(
        ("model_bad_reply", "model_empty_reply", "model_cut_reply", "model_malformed_reply"),
        "The model gave no usable answer.",
    ),
}
"""What the user is told where the message of a failure is meant for the model."""

_NO_KEYS = frozenset(
    listed("""
        yes, no, y, n, nope, nah, ok, okay, sure, why, what, huh, none, any, whatever, dunno, idk, nothing, please,
        thanks, ja, nein, warum, was, keine, egal, はい, いいえ
    """)
)
"""Replies to "which key?" that give none."""

_OTHERWISE = "Can you say it in other words, with the keys, properties and values it is about?"


@dataclass(frozen=True, slots=True)
class Reply:
    """What a reply to a question means. `option` is its place among the options."""

    stops: bool = False
    option: int | None = None
    text: str = ""


def question(failure: Mapping[str, Any], *, transient: bool) -> tuple[str, list[dict[str, Any]]]:
    """The precise question, and the options it offers; the last is to leave everything as it is."""
    options = list(failure["options"])
    code = failure["code"]
    if code == "contradiction":
        asked = "Which of them should it be?"
    elif transient or code == "graph_unavailable":
        asked = _QUESTIONS["graph_unavailable"]
        options.append(Option(AGAIN).to_json())
    elif code == "unsaid_type" and not options:
        asked = _OTHERWISE
    else:
        asked = _QUESTIONS.get(code, _OTHERWISE)
    options.append(Option(LEAVE).to_json())
    return f"{told(failure)} {asked}", options


def told(failure: Mapping[str, Any]) -> str:
    """A failure in words for the user."""
    return _TOLD.get(failure["code"]) or _ended(failure["message"])


def summary(done: Sequence[str]) -> str:
    """What was done so far, for the top of a question; empty when nothing was."""
    return "Done so far: " + "; ".join(done) + "." if done else ""


def asked(text: str, options: Sequence[Mapping[str, Any]], before: str) -> str:
    """The whole question as the user reads it."""
    lines = [before] if before else []
    lines.append(text)
    lines += [f"{number}) {option['text']}" for number, option in enumerate(options, 1)]
    lines.append("Choose a number, or answer in your own words.")
    return "\n".join(lines)


def read_reply(reply: str, options: Sequence[Mapping[str, Any]]) -> Reply:
    """What a reply means: an option by its number or its words, the end, or something new."""
    text = plain(reply).strip(" .!。！")
    number = re.fullmatch(r"(?:option |nr\.? |number )?(\d{1,2})\)?", text)
    if number and 1 <= int(number[1]) <= len(options):
        return _chosen(int(number[1]) - 1, options, reply)
    for place, option in enumerate(options):
        if like(option["text"], reply):
            return _chosen(place, options, reply)
    if is_stop(reply):
        return Reply(stops=True)
    named = [place for place, option in enumerate(options[:-1]) if has(reply, option["text"])]
    # "not closed" names an option, and does not choose it.
    if len(named) == 1 and not denies(reply):
        return _chosen(named[0], options, reply)
    real = [place for place, _ in enumerate(options[:-1])]
    if len(real) == 1 and text in ("yes", "y", "ok", "okay", "sure", "yes please", "ja", "はい"):
        return _chosen(real[0], options, reply)
    return Reply(text=reply.strip())


def _chosen(place: int, options: Sequence[Mapping[str, Any]], reply: str) -> Reply:
    if options[place]["text"] == LEAVE:
        return Reply(stops=True)
    return Reply(option=place, text=reply.strip())


def key_in(reply: str) -> str:
    """The key that a reply to "which key?" gives: its quoted text, or itself when it is one word."""
    if is_question(reply) or plain(reply).strip(" .!") in _NO_KEYS:
        return ""
    inside = quoted(reply)
    if len(inside) == 1:
        return inside[0]
    words = reply.strip(" .!").split()
    return words[0] if len(words) == 1 else ""


def patched(plan: Mapping[str, Any], about: str, patch: Mapping[str, Any]) -> dict[str, Any]:
    """The planned call with what the user chose in the place of what could not be used."""
    arguments = dict(plan["arguments"])
    for name, value in patch.items():
        if name in ("key", "label"):
            _place(arguments, name, value, about)
        else:
            arguments[name] = value
    return {**plan, "arguments": arguments}


def _place(arguments: dict[str, Any], name: str, value: Any, about: str) -> None:
    for end in ("from", "to"):
        if f"{end}_key" in arguments and like(arguments[f"{end}_key"], about):
            arguments[f"{end}_{name}"] = value
            return
    related = arguments.get("related")
    if isinstance(related, Mapping) and like(related.get("key"), about):
        arguments["related"] = {**related, name: value}
        return
    if "from_key" not in arguments:
        arguments[name] = value


def _ended(text: str) -> str:
    return text if text.endswith((".", "?", "!")) else f"{text}."
