"""Failures of model calls: the conversion of a provider's exceptions, retries, and hidden secrets."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from graphwright.errors import redact
from graphwright.models import ModelFailure, astream_text, atext, observe_calls
from graphwright.models._failures import TimedOut, failure_of
from graphwright.models._scripted import ScriptedModel
from graphwright.models.usage import ModelCall


class Response:
    def __init__(self, status: int, headers: dict[str, str] | None = None) -> None:
        self.status_code = status
        self.headers = headers or {}


class ProviderError(Exception):
    def __init__(self, text: str, status: int | None = None, **headers: str) -> None:
        super().__init__(text)
        self.response = Response(status, {k.replace("_", "-"): v for k, v in headers.items()}) if status else None


class APIConnectionError(Exception):
    pass


class APITimeoutError(APIConnectionError):
    pass


class LengthFinishReasonError(Exception):
    pass


@pytest.mark.parametrize(
    ("error", "code", "transient"),
    [
        (TimeoutError(), "model_timeout", True),
        (APITimeoutError("Request timed out."), "model_timeout", True),
        (ProviderError("slow down", 429), "model_rate_limited", True),
        (ProviderError("insufficient_quota: check your billing", 429), "model_quota", False),
        (ProviderError("oops", 500), "model_server_error", True),
        (APIConnectionError("Connection error."), "model_unreachable", True),
        (ProviderError("bad key", 401), "model_not_authorised", False),
        (ProviderError("no such model", 404), "unknown_model", False),
        (ProviderError("unsupported value", 400), "model_rejected_request", False),
        (ProviderError("prompt is too long: 9 > 8", 400), "prompt_too_long", False),
        (ProviderError("context_length_exceeded", 400), "prompt_too_long", False),
        (LengthFinishReasonError("length"), "model_cut_reply", False),
        (RuntimeError("something"), "model_failed", False),
    ],
)
def test_exceptions_become_model_failures(error: Exception, code: str, transient: bool) -> None:
    failure = failure_of(error)
    assert (failure.code, failure.transient) == (code, transient)
    assert failure.message.endswith(".")
    assert not failure.message.endswith("..")


def test_no_secret_is_ever_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "abc123def456")
    text = (
        "Incorrect API key provided: sk-proj-abcdefgh12345678 (abc123def456); Authorization: Bearer tok.en-123456; "
        "https://user:pass-word@host/simple?key=verysecret"
    )
    for shown in (redact(text), failure_of(ProviderError(text, 401)).message, str(ModelFailure("x", text).hint)):
        for secret in ("sk-proj", "abc123def456", "tok.en", "pass-word", "verysecret"):
            assert secret not in shown
    assert str(failure_of(ProviderError(text, 401))).count("[hidden]") >= 4


async def ask(rules: list[dict[str, Any]]) -> str:
    return await atext(ScriptedModel.from_rules(rules), [HumanMessage("hi")])


@pytest.mark.parametrize(
    ("kind", "code", "attempts"),
    [
        ("timeout", "model_timeout", 3),
        ("connection", "model_unreachable", 3),
        ("empty", "model_empty_reply", 2),
        ("auth", "model_not_authorised", 1),
        ("cut", "model_cut_reply", 1),
        ("declined", "model_declined", 1),
        ({"code": "model_quota"}, "model_quota", 1),
        ("prompt is too long", "prompt_too_long", 1),
        ("the moon is full", "model_failed", 1),
    ],
)
async def test_transient_failures_are_retried_and_lasting_ones_raised(kind: Any, code: str, attempts: int) -> None:
    calls: list[ModelCall] = []
    with observe_calls(calls.append):
        with pytest.raises(ModelFailure) as failed:
            await ask([{"fail": kind}])
        assert (failed.value.code, len(calls)) == (code, attempts)
        if attempts > 1:
            assert await ask([{"fail": kind, "times": attempts - 1}, {"text": "there"}]) == "there"
            model = ScriptedModel.from_rules([{"fail": kind, "times": 1}, {"text": "one two", "stream": True}])
            assert [piece async for piece in astream_text(model, [HumanMessage("hi")])] == ["one ", "two"]
    assert kind in ("empty", "cut", "declined") or failed.value.__suppress_context__, (
        "the provider's exception may carry the key"
    )


async def test_a_call_ends_at_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHWRIGHT_MODEL_TIMEOUT", "0.3")
    model = ScriptedModel.from_rules([{"stream": ["word "] * 1000, "delay": 0.02}])
    pieces: list[str] = []

    async def listen() -> None:
        async for piece in astream_text(model, [HumanMessage("hi")]):
            pieces.append(piece)

    with pytest.raises(TimedOut):
        await listen()
    assert 0 < len(pieces) < 50
    with pytest.raises(TimedOut, match=r"0\.3 seconds"):
        await ask([{"text": "late", "delay": 30}])
    monkeypatch.setenv("GRAPHWRIGHT_MODEL_TIMEOUT", "soon")
    with pytest.raises(ModelFailure, match="GRAPHWRIGHT_MODEL_TIMEOUT"):
        await ask([{"text": "x"}])
