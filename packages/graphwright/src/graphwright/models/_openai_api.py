"""The client of OpenAI's API, which tolerates small deviations in the replies of other servers."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.outputs import ChatResult
from langchain_openai import ChatOpenAI

from graphwright.errors import redact
from graphwright.models._failures import MalformedReply, RateLimited, ServerError
from graphwright.models._replies import json_in


class OpenAIChatModel(ChatOpenAI):
    """`ChatOpenAI` for OpenAI and for servers with a compatible API."""

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        _check(response)
        counts = [
            getattr(getattr(response, "usage", None), name, None)
            for name in ("prompt_tokens", "completion_tokens", "total_tokens")
        ]
        if not all(isinstance(count, int | None) for count in counts):
            response.usage = None
        for choice in response.choices:
            message = choice.message
            message.role = "assistant"
            if isinstance(message.content, dict | int | float):
                message.content = json.dumps(message.content)
            for call in message.tool_calls or ():
                function = getattr(call, "function", None)
                if function is not None:
                    function.arguments = _arguments(getattr(function, "arguments", None))
        return super()._create_chat_result(response, generation_info)


def _check(response: Any) -> None:
    """Raise ServerError or RateLimited for an error with a success status, MalformedReply without a message."""
    error = getattr(response, "error", None)
    if error:
        text = str(error.get("message") or error) if isinstance(error, dict) else str(error)
        busy = isinstance(error, dict) and error.get("code") in (429, "429")
        raise (RateLimited if busy else ServerError)(f"The provider answered with an error: {redact(text)[:300]}")
    choices = getattr(response, "choices", None)
    if not choices or any(getattr(choice, "message", None) is None for choice in choices):
        raise MalformedReply(
            "The server's reply contains no message.",
            "Check that OPENAI_BASE_URL is the address of an OpenAI-compatible API, or try again.",
        )


def _arguments(given: Any) -> str:
    """Return the arguments of a tool call as JSON text, in whatever form the server sent them."""
    if not isinstance(given, str):
        return json.dumps(given) if given is not None else ""
    text = json_in(given)
    try:
        # Some servers encode the object twice.
        inner = json.loads(text, strict=False)
        return inner if isinstance(inner, str) and isinstance(json.loads(inner, strict=False), dict) else text
    except (ValueError, RecursionError):
        return text
