"""Details of an approval for the person who decides: its kind, and which of its values the user did not give."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from graphwright.proposals import Sources, supports
from graphwright.store import Message

WINDOW = 50
"""Number of messages that are searched for the source of a value."""

_KINDS = {"staged": "graph", "action_params": "experiment", "selected_tools": "tools"}
"""Kinds of approvals, by the channel that is approved."""


_MARKS = {"quoted": "said", "contradicted": "unsupported"}
"""Supports that clients show as another one."""


def described(approval: Mapping[str, Any], messages: Sequence[Message]) -> dict[str, Any]:
    """Return an approval with its `kind`, and with the support (`marks`) of each argument, by its dotted path in
    `over`.

    If the approval covers a channel `supports`, the agent's own marks are used: the agent knows defaults and existing
    values. Otherwise values are looked up in `messages`, the last ones of the thread, including the question. The
    question does not support the values that it shows: of the agent's messages, only those before the user's last one
    count.
    """
    over = approval["over"]
    kind = next((kind for name, kind in _KINDS.items() if name in over), "other")
    if isinstance(over.get("supports"), Mapping):
        marks = {path: _MARKS.get(support, support) for path, support in over["supports"].items()}
        return {**approval, "kind": kind, "marks": marks}
    spoke = max((place for place, each in enumerate(messages) if each.role == "user"), default=0)
    said = tuple(each.text for each in messages if each.role == "user")
    shown = tuple(each.text for each in messages[:spoke] if each.role != "user")
    marks = {
        f"{path}.{name}": support
        for path, arguments in _arguments(over)
        for name, support in supports(arguments, Sources(said, shown)).items()
    }
    return {**approval, "kind": kind, "marks": marks}


def _arguments(over: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the arguments in what is approved, each with its path: those of calls, and those of an action.

    The changes of a graph are marked in the text of their difference instead.
    """
    for name, value in over.items():
        if name.endswith("_params") and isinstance(value, Mapping):
            yield name, value
        for place, call in enumerate(value if isinstance(value, list) else ()):
            if isinstance(call, Mapping) and isinstance(call.get("arguments"), Mapping):
                yield f"{name}.{place}.arguments", call["arguments"]
