"""The failures of model calls, and how exceptions and answers of a provider become failures.

ModelFailure                     anything below, and what no other class describes
├── ModelUnavailable             the model named cannot be had: provider, package, key, unknown model
│   ├── EmbeddedModelMissing     the embedded model's file is not on this machine
│   ├── NoModel                  the model chosen is `none`
│   └── UnknownModel             the name names no model, provider or file     (also a UsageError)
├── TimedOut                     no answer in time                              (transient)
├── RateLimited                  too many requests                              (transient)
├── ServerError                  the provider failed                            (transient)
├── Unreachable                  no connection                                  (transient)
├── NotAuthorised                the key was refused
├── RejectedRequest              the provider does not take this request
│   └── PromptTooLong            the prompt does not fit into the model's context
├── BadReply                     an answer came, and it cannot be used          (asked again once)
│   ├── EmptyReply               nothing in it
│   ├── CutReply                 it ends at the output limit
│   ├── MalformedReply           not the JSON that was asked for
│   └── RefusedToolCall          text where a tool call was required
└── UnexpectedCall               a scripted model has no rule for the request
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Literal

from graphwright.errors import GraphwrightError, UsageError, said

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage

_LONGEST = 600


class ModelFailure(GraphwrightError):
    """A model call that failed. `code` is stable, `message` says what happened, `hint` what to do about it.

    `transient` failures are worth another try as they are; `retry_after` is the provider's wish in seconds.
    """

    code = "model_failed"
    transient = False

    def __init__(self, message: str, hint: str = "", *, code: str = "", retry_after: float | None = None) -> None:
        super().__init__(code or type(self).code, message, hint)
        self.retry_after = retry_after


class ModelUnavailable(ModelFailure):
    """The model that was named cannot be had."""

    code = "model_unavailable"


class EmbeddedModelMissing(ModelUnavailable):
    """The embedded model's file is not on this machine."""

    code = "embedded_model_missing"


class NoModel(ModelUnavailable):
    """The model chosen is `none`: there is nothing to call."""

    code = "no_model"


class UnknownModel(ModelUnavailable, UsageError):
    """What was named is no model: the name is incomplete, or of a provider or file that does not exist."""

    code = "bad_model_name"


class TimedOut(ModelFailure):
    """No answer came in time."""

    code = "model_timeout"
    transient = True


class RateLimited(ModelFailure):
    """The provider takes no more requests for now."""

    code = "model_rate_limited"
    transient = True


class ServerError(ModelFailure):
    """The provider itself failed."""

    code = "model_server_error"
    transient = True


class Unreachable(ModelFailure):
    """No connection to the provider."""

    code = "model_unreachable"
    transient = True


class NotAuthorised(ModelFailure):
    """The provider refused the key."""

    code = "model_not_authorised"


class RejectedRequest(ModelFailure):
    """The provider does not take this request."""

    code = "model_rejected_request"


class PromptTooLong(RejectedRequest):
    """The prompt does not fit into the model's context."""

    code = "prompt_too_long"


class BadReply(ModelFailure):
    """An answer that cannot be used."""

    code = "model_bad_reply"


class EmptyReply(BadReply):
    """An answer with nothing in it."""

    code = "model_empty_reply"


class CutReply(BadReply):
    """An answer that ends at the output limit."""

    code = "model_cut_reply"


class MalformedReply(BadReply):
    """An answer that is not the JSON that was asked for."""

    code = "model_malformed_reply"


class RefusedToolCall(BadReply):
    """Text where a tool call was required."""

    code = "model_refused_tool_call"


class UnexpectedCall(ModelFailure):
    """A scripted model was asked something that none of its rules answers."""

    code = "unexpected_model_call"


def failure_of(error: BaseException) -> ModelFailure:
    """The failure that a provider's exception stands for.

    It is found by class names, status codes and messages alone, so that no provider's package is imported.
    """
    if isinstance(error, ModelFailure):
        return error
    names = " ".join(cls.__name__ for cls in type(error).__mro__)
    status = _status(error)
    words = _words(error)
    after = _retry_after(error)
    low = words.lower()

    if _any(names, "Timeout", "DeadlineExceeded") or status in (408, 504):
        return TimedOut(f"The model did not answer in time: {words}", _TIMEOUT_HINT, retry_after=after)
    if status == 429 or _any(names, "RateLimit", "ResourceExhausted", "TooManyRequests"):
        if "quota" in low or "billing" in low or "credit" in low:
            return ModelUnavailable(
                f"The provider's quota is used up: {words}",
                "Check the plan and the billing of the account, or use another model.",
                code="model_quota",
            )
        return RateLimited(
            f"The provider takes no more requests for now: {words}", "Try again in a while.", retry_after=after
        )
    if status in (401, 403) or _any(names, "AuthenticationError", "PermissionDenied", "Unauthenticated"):
        return NotAuthorised(
            f"The provider refused the key: {words}", "Check the API key in the environment and its rights."
        )
    if (status or 0) >= 500 or _any(names, "InternalServer", "Overloaded", "ServiceUnavailable"):
        return ServerError(f"The provider failed: {words}", "Try again in a while.", retry_after=after)
    if _too_long(low):
        return PromptTooLong(f"The prompt is too long for the model: {words}", _TOO_LONG_HINT)
    if status == 404 or "NotFoundError" in names or "not found, try pulling it" in low:
        return ModelUnavailable(
            f"The provider does not know this model: {words}",
            "Check the name behind the provider, and the address if you set one.",
            code="unknown_model",
        )
    if status in (400, 413, 422) or _any(names, "BadRequest", "UnprocessableEntity", "InvalidArgument"):
        return RejectedRequest(f"The provider does not take this request: {words}")
    if isinstance(error, (json.JSONDecodeError, RecursionError)) or _any(names, "OutputParser"):
        return MalformedReply(f"The answer is not the JSON that was asked for: {words}")
    if "LengthFinishReason" in names:
        return CutReply(f"The answer was cut off at the output limit: {words}")
    # A kept connection of an event loop that is gone: the next attempt opens a new one.
    lost = type(error) is RuntimeError and low.endswith("event loop is closed")
    if lost or _any(names, "ConnectionError", "ConnectError", "RemoteProtocolError", "ReadError", "gaierror"):
        return Unreachable(
            f"No connection to the model's provider: {words}",
            "Check the network, the proxy and the address (OPENAI_BASE_URL, OLLAMA_HOST).",
            retry_after=after,
        )
    return ModelFailure(f"The model call failed: {words}")


def ending(reply: AIMessage) -> Literal["", "cut", "declined"]:
    """Why an answer is not whole: it was cut at the output limit, or the model declined; empty where it is whole."""
    metadata = reply.response_metadata
    reason = str(metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")).lower()
    if reply.additional_kwargs.get("refusal") or reason in ("refusal", "content_filter"):
        return "declined"
    return "cut" if reason in ("length", "max_tokens") else ""


def check_whole(reply: AIMessage) -> None:
    """Raise `CutReply` where the answer ended at the output limit, `ModelFailure` where the model declined."""
    end = ending(reply)
    if end == "declined":
        refusal = reply.additional_kwargs.get("refusal")
        raise ModelFailure(
            f"The model declined to answer{f': {refusal}' if refusal else '.'}",
            "Put it in other words, or use another model.",
            code="model_declined",
        )
    if end == "cut":
        raise CutReply(
            "The model's answer was cut off at its output limit.",
            "Ask for less at once, or raise the model's output limit.",
        )


_TIMEOUT_HINT = "Try again, or give it longer: GRAPHWRIGHT_MODEL_TIMEOUT is the limit of a call in seconds."
_TOO_LONG_HINT = "Shorten the conversation or the files in it, or use a model with a larger context."


def _any(names: str, *parts: str) -> bool:
    return any(part in names for part in parts)


def _too_long(words: str) -> bool:
    return _any(
        words,
        "exceed_context_size",
        "context_length_exceeded",
        "maximum context length",
        "context window",
        "prompt is too long",
        "exceeds the available context",
    )


def _words(error: BaseException) -> str:
    words, name = said(error), type(error).__name__
    if len(words) > _LONGEST:
        words = words[:_LONGEST] + " ..."
    return words if words == name else f"{name}: {words}"


def _chain(error: BaseException) -> Iterator[object]:
    yield error
    response = getattr(error, "response", None)
    if response is not None:
        yield response


def _status(error: BaseException) -> int | None:
    for holder in _chain(error):
        for name in ("status_code", "http_status", "code", "status"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return None


def _retry_after(error: BaseException) -> float | None:
    wish = getattr(error, "retry_after", None)
    headers = getattr(getattr(error, "response", None), "headers", None)
    if wish is None and headers is not None:
        wish = headers.get("retry-after")
    try:
        return None if wish is None else max(0.0, float(wish))
    except (TypeError, ValueError):
        return None
