"""The failures of model calls, and the conversion of a provider's exceptions and answers to failures.

ModelFailure any failure below, or of no other class ├── ModelUnavailable the model is not available: provider, package,
key, unknown model │ ├── EmbeddedModelMissing the embedded model's file is not on this machine │ ├── NoModel the model
chosen is `none` │ └── UnknownModel the name names no model, provider or file (also a UsageError) ├── TimedOut no answer
in time (transient) ├── RateLimited too many requests (transient) ├── ServerError the provider failed (transient) ├──
Unreachable no connection (transient) ├── NotAuthorised the key was refused ├── RejectedRequest the provider does not
accept this request │ └── PromptTooLong the prompt does not fit into the model's context ├── BadReply the answer is
unusable (asked again once) │ ├── EmptyReply it is empty │ ├── CutReply it ends at the output limit │ ├── MalformedReply
it is not the required JSON │ └── RefusedToolCall text instead of a required tool call └── UnexpectedCall a scripted
model has no rule for the request
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from graphwright.errors import GraphwrightError, UsageError, exception_text

_LONGEST = 600


class ModelFailure(GraphwrightError):
    """A model call failed. `code` is stable, `message` says what happened, `hint` what to do about it.

    `transient` failures can be retried unchanged; `retry_after` is the pause that the provider asks for, in seconds.
    """

    code = "model_failed"
    transient = False
    event, remedy = "The model call failed", ""
    """The message for a provider's exception; and the default hint."""

    def __init__(
        self,
        message: str,
        hint: str = "",
        *,
        code: str = "",
        retry_after: float | None = None,
        facts: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(code or type(self).code, message, hint or type(self).remedy, facts)
        self.retry_after = retry_after


class ModelUnavailable(ModelFailure):
    """The named model is not available."""

    code = "model_unavailable"


class EmbeddedModelMissing(ModelUnavailable):
    """The embedded model's file is not on this machine."""

    code = "embedded_model_missing"


class NoModel(ModelUnavailable):
    """The model chosen is `none`, so nothing can be called."""

    code = "no_model"


class UnknownModel(ModelUnavailable, UsageError):
    """The name is not that of a model: it is incomplete, or names an unknown provider or file."""

    code = "bad_model_name"


class TimedOut(ModelFailure):
    """The model did not answer in time."""

    code, transient = "model_timeout", True
    event = "The model did not answer in time"
    remedy = "Try again, or raise the time limit: GRAPHWRIGHT_MODEL_TIMEOUT, in seconds."


class RateLimited(ModelFailure):
    """The provider accepts no more requests for now."""

    code, transient = "model_rate_limited", True
    event, remedy = "The provider accepts no more requests for now", "Try again in a while."


class ServerError(ModelFailure):
    """The provider itself failed."""

    code, transient = "model_server_error", True
    event, remedy = "The provider failed", "Try again in a while."


class Unreachable(ModelFailure):
    """No connection to the provider."""

    code, transient = "model_unreachable", True
    event = "No connection to the model's provider"
    remedy = "Check the network, the proxy and the address (OPENAI_BASE_URL, OLLAMA_HOST)."


class NotAuthorised(ModelFailure):
    """The provider refused the key."""

    code = "model_not_authorised"
    event, remedy = "The provider refused the key", "Check the API key in the environment and its rights."


class RejectedRequest(ModelFailure):
    """The provider does not accept this request."""

    code, event = "model_rejected_request", "The provider does not accept this request"


class PromptTooLong(RejectedRequest):
    """The prompt does not fit into the model's context."""

    code, event = "prompt_too_long", "The prompt is too long for the model"
    remedy = "Shorten the conversation or the files in it, or use a model with a larger context."


class BadReply(ModelFailure):
    """The answer is unusable."""

    code, remedy = "model_bad_reply", "Try again, or use another model."


class EmptyReply(BadReply):
    """The answer is empty."""

    code = "model_empty_reply"


class CutReply(BadReply):
    """The answer ends at the output limit."""

    code, event = "model_cut_reply", "The answer was cut off at the output limit"
    remedy = "Ask for less at once, or raise the model's output limit."


class MalformedReply(BadReply):
    """The answer is not the required JSON."""

    code, event = "model_malformed_reply", "The answer is not the JSON that was asked for"


class _Unreadable(MalformedReply):
    event = "The provider's client could not read the reply"
    remedy = "Check the address and the version of the server, try again, or use another model."


class RefusedToolCall(BadReply):
    """The model answered with text instead of a required tool call."""

    code = "model_refused_tool_call"


class UnexpectedCall(ModelFailure):
    """A scripted model got a request for which it has no rule."""

    code = "unexpected_model_call"


class _UnknownToProvider(ModelUnavailable):
    code, event = "unknown_model", "The provider does not know this model"
    remedy = "Check the name behind the provider, and the address if you set one."


class _QuotaUsedUp(ModelUnavailable):
    code, event = "model_quota", "The provider's quota is used up"
    remedy = "Check the plan and the billing of the account, or use another model."


class _Declined(ModelFailure):
    code, event = "model_declined", "The model declined to answer"
    remedy = "Put it in other words, or use another model."


_LONG = (
    "exceed_context_size|context_length_exceeded|maximum context length|context window|prompt is too long|"
    "exceeds the available context"
)
_NETWORK = "ConnectionError|ConnectError|RemoteProtocolError|ReadError|gaierror"

# The class of a failure, HTTP statuses, parts of class names, and words of the message. The first match wins.
_KINDS: tuple[tuple[type[ModelFailure], Collection[int], str, str], ...] = (
    (TimedOut, (408, 504), "Timeout|DeadlineExceeded", ""),
    (RateLimited, (429,), "RateLimit|ResourceExhausted|TooManyRequests", ""),
    (NotAuthorised, (401, 403), "AuthenticationError|PermissionDenied|Unauthenticated", ""),
    (ServerError, range(500, 600), "InternalServer|Overloaded|ServiceUnavailable", ""),
    (PromptTooLong, (), "", _LONG),
    (_UnknownToProvider, (404,), "NotFoundError", "not found, try pulling it"),
    (RejectedRequest, (400, 413, 422), "BadRequest|UnprocessableEntity|InvalidArgument", ""),
    (MalformedReply, (), "RecursionError|OutputParser", ""),
    (CutReply, (), "LengthFinishReason", ""),
    (_Declined, (), "ContentFilterFinishReason", ""),
    # A kept connection of a closed event loop: the next attempt opens a new one.
    (Unreachable, (), _NETWORK, "event loop is closed"),
    (_Unreadable, (), r"\b(?:JSONDecodeError|ValidationError|(?:Type|Value|Key|Index|Attribute)Error)\b", ""),
)


def failure_of(error: BaseException) -> ModelFailure:
    """Return the failure for a provider's exception.

    It is determined by class names, status codes and messages, so that no provider's package is imported.
    """
    if isinstance(error, ModelFailure):
        return error
    names = " ".join(cls.__name__ for cls in type(error).__mro__)
    status, message = _status(error), re.sub(r" For further information visit \S+", "", exception_text(error))
    low = message.lower()
    fitting = (
        kind
        for kind, statuses, parts, words in _KINDS
        if status in statuses or (parts and re.search(parts, names)) or (words and re.search(words, low))
    )
    kind = next(fitting, ModelFailure)
    if kind is RateLimited and re.search("quota|billing|credit", low):
        kind = _QuotaUsedUp
    shown = message if message == type(error).__name__ else f"{type(error).__name__}: {message}"
    return kind(f"{kind.event}: {shown[:_LONGEST].rstrip('.')}.", retry_after=_retry_after(error))


def _status(error: BaseException) -> int | None:
    for holder in (error, getattr(error, "response", None)):
        for name in ("status_code", "http_status", "code", "status"):
            value = getattr(holder, name, None)
            if isinstance(value, int) and 400 <= value < 600:
                return value
    return None


def _retry_after(error: BaseException) -> float | None:
    headers = getattr(getattr(error, "response", None), "headers", None) or {}
    wish = getattr(error, "retry_after", None)
    try:
        return max(0.0, float(headers["retry-after"] if wish is None else wish))
    except (KeyError, TypeError, ValueError):
        return None
