"""The conversation of a thread as a text."""

from __future__ import annotations

from collections.abc import Iterable

from graphwright.store import Message
from graphwright.text.folding import with_turns_named

__all__ = ["conversation_markdown"]


def conversation_markdown(title: str, messages: Iterable[Message]) -> str:
    """Return the messages of a thread as Markdown, each under its speaker and time in UTC.

    Characters that reverse the direction of writing are shown by name.
    """
    said = "\n".join(
        f"## {'You' if message.role == 'user' else 'Agent'}, {message.time[:16].replace('T', ' ')}\n\n{message.text}\n"
        for message in messages
    )
    return with_turns_named(f"# {title}\n\n{said}")
