"""The conversation of a thread as a text, and its title."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from graphwright.engine._shown_values import all_options, said_value
from graphwright.engine._wording import heading
from graphwright.engine.events import AnswerCommitted, TraceEvent, TurnStarted
from graphwright.flow._json_schemas import Option
from graphwright.flow.compiled import CompiledFlow, Question
from graphwright.store import Message
from graphwright.text.folding import with_turns_named, words_of
from graphwright.text.sentences import one_line

__all__ = ["conversation_markdown", "request_title", "title_from"]

_LONGEST = 80
_REQUEST = 2
"""The words of the shortest request, so that a greeting or a number is no title."""

_SENTENCE = 4
"""The words of the shortest answer that is a title without the name of the answer."""

_MOMENTS = ("date", "date-time", "time")


def conversation_markdown(title: str, messages: Iterable[Message]) -> str:
    """Return the messages of a thread as Markdown, each under its speaker and time in UTC.

    Characters that reverse the direction of writing are shown by name.
    """
    said = "\n".join(
        f"## {'You' if message.role == 'user' else 'Agent'}, {message.time[:16].replace('T', ' ')}\n\n{message.text}\n"
        for message in messages
    )
    return with_turns_named(f"# {title}\n\n{said}")


def request_title(message: str) -> str:
    """The title that a request gives a thread: the request on one line. Empty if it is a single word, or numbers."""
    words = words_of(message)
    says = len(words) >= _REQUEST and not all(map(str.isdecimal, words))
    return one_line(message, _LONGEST) if says else ""


def title_from(flow: CompiledFlow, events: Iterable[TraceEvent], waits: Mapping[str, Any] | None, language: str) -> str:
    """The title that a step gives its thread, which waited for `waits` before; empty if it gives none.

    It is a request, which is a message that answers no question, or else an answer with its name ("Name: Ann"). A yes
    or no, a date and a time are no titles.
    """
    asked = waits if waits is not None and waits["kind"] != "message" else None
    answers = []
    for event in events:
        if isinstance(event, TurnStarted) and event.message and not event.resumed and asked is None:
            if title := request_title(event.message):
                return title
        elif isinstance(event, AnswerCommitted):
            answers.append(_answer_title(flow, event, asked, language))
    return next(filter(None, answers), "")


def _answer_title(flow: CompiledFlow, event: AnswerCommitted, asked: Mapping[str, Any] | None, language: str) -> str:
    question = flow.nodes.get(event.node)
    if not isinstance(question, Question) or isinstance(event.value, bool) or event.value in (None, "", []):
        return ""
    if question.schema.get("format") in _MOMENTS:
        return ""
    offered = asked["options"] if asked is not None and asked["node"] == event.node else ()
    options = all_options(question, [Option(each["value"], each["title"]) for each in offered])
    value = said_value(event.value, options, language)
    # A name made from a key says less than the words of the user.
    shortest = _SENTENCE if question.schema.get("title") else _REQUEST
    is_sentence = isinstance(event.value, str) and len(words_of(value)) >= shortest
    return one_line(value if is_sentence else f"{heading(question)}: {value}", _LONGEST)
