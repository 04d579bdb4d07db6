"""What a model answered, in the form in which a scripted model is told to answer the same."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage


def ending(reply: AIMessage) -> Literal["", "cut", "declined"]:
    """How an answer ended, where it did not end by itself: at the output limit, or by the model's refusal."""
    said = reply.response_metadata
    reason = str(said.get("finish_reason") or said.get("stop_reason") or said.get("done_reason")).lower()
    if reply.additional_kwargs.get("refusal") or reason in ("refusal", "content_filter"):
        return "declined"
    return "cut" if reason in ("length", "max_tokens") else ""


def answered(reply: AIMessage, schema: str = "") -> dict[str, Any]:
    """`{call: ...}`, `{text: ...}`, `{raw: ...}` or `{fail: ...}`: a rule of a scripted model without conditions.

    `schema` is the name of the schema that the answer was held to. Of an answer with calls its text is left out.
    Arguments that are no JSON stand as the text that came.
    """
    if end := ending(reply):
        return {"fail": end}
    calls: list[tuple[str, Any]] = [(call["name"], call["args"]) for call in reply.tool_calls]
    calls += [(call["name"] or "", call["args"] or "") for call in reply.invalid_tool_calls]
    if calls:
        names = {name for name, _ in calls}
        return {"call": dict(calls) if len(names) == len(calls) else [{name: args} for name, args in calls]}
    text = reply.text
    if not text.strip():
        return {"fail": "empty"}
    if not schema:
        return {"text": text}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return {"call": {schema: value}} if isinstance(value, dict) else {"raw": text}
