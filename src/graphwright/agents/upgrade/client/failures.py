"""What can go wrong between the client and an UpGrade server, as errors for people.

UpgradeError                code, message, hint; `status` of HTTP (0 without an answer), `done`: was a write performed
├── NotFound                no such experiment, list or user: `not_found`, `unknown_user`
├── Unauthorized            the server does not accept who asks: `auth`
├── Invalid                 the request does not fit: `invalid`, `bad_id`, `exists`, `unknown_context`,
│                           `unknown_condition`, `too_large`
├── Unreachable             nobody answers at that address: `unreachable`
├── TimedOut                no answer in time: `timed_out`
├── ServerFailed            the server failed, or is busy: `server_error`, `unavailable`
├── BadAnswer               an answer that is none: `not_upgrade`, `bad_answer`, `cut_short`, `unsupported_version`
├── Redirected              the server sends requests elsewhere: `redirected`
├── NotConfirmed            a write was performed, but what it wrote is not to be seen: `not_confirmed`
├── BadSettings             the environment does not fit: `bad_settings`, `missing_package`
└── LocalServiceFailed      the local service cannot be started: `contexts`, `not_a_database`, `locked`, `read_only` ...
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphwright.errors import GraphwrightError


class UpgradeError(GraphwrightError):
    """The base of all errors of the client.

    `done` says of a call that writes whether it was performed: False (surely not), True (it was, what came after
    failed) or None (nobody knows: look before trying again). Of a call that reads it is False.
    """

    def __init__(self, code: str, message: str, hint: str = "", *, status: int = 0, done: bool | None = False) -> None:
        super().__init__(code, message, hint)
        self.status = status
        self.done = done


class NotFound(UpgradeError):
    """There is no such experiment, list or user."""


class Unauthorized(UpgradeError):
    """The server demands to know who asks, and does not accept what it was told."""


class Invalid(UpgradeError):
    """The request does not fit, found by the client before it was sent, or by the server."""


class Unreachable(UpgradeError):
    """No connection could be made; nothing was sent."""


class TimedOut(UpgradeError):
    """No answer came in time."""


class ServerFailed(UpgradeError):
    """The server failed at the request, or is too busy for it."""


class BadAnswer(UpgradeError):
    """What came back is not an answer that UpGrade gives."""


class Redirected(UpgradeError):
    """The server sends the request elsewhere, where it is not followed."""


class NotConfirmed(UpgradeError):
    """A write was performed, but reading it again does not show all of it."""


class BadSettings(UpgradeError):
    """The environment does not say in a usable way which server to talk to, or how to sign in."""


class LocalServiceFailed(UpgradeError):
    """The local service does not start: its contexts or its database cannot be used. The code says what it is."""


Hide = Callable[[str], str]
"""Takes what is secret out of a text."""

_MOST_SAID = 300
_UNKNOWN_LIST = re.compile(r"Segment with ID \S+ not found")
_BUSY = (429, 502, 503, 504)

_NO_ADMIN_TOKEN = (
    "Set UPGRADE_SERVICE_ACCOUNT to the file of a Google service account, or UPGRADE_AUTH_TOKEN to a ready token."
)
_BAD_ADMIN_TOKEN = (
    "The token may have expired, or is none of this server: check UPGRADE_SERVICE_ACCOUNT or UPGRADE_AUTH_TOKEN."
)
_CLIENT_TOKEN = "Set UPGRADE_CLIENT_API_KEY and UPGRADE_CLIENT_API_SECRET to those of the server."


def refused(
    status: int, body: Any, *, call: str, where: str, writes: bool, user: str | None, signed_in: bool, hide: Hide
) -> UpgradeError:
    """The error that an answer with a status of 400 or above means.

    `body` is the JSON that came, None when it was none; `call` is `METHOD /path`; `user` is that of a client route,
    None on admin routes. The request, which the server echoes, is never shown.
    """
    status = _meant(status, body)
    said = hide(_said(body))
    kind = body.get("type") if isinstance(body, dict) else None
    ends = f": {said}" if said else "."
    if status in (401, 403):
        hint = _CLIENT_TOKEN if user is not None else _BAD_ADMIN_TOKEN if signed_in else _NO_ADMIN_TOKEN
        return Unauthorized("auth", f"{where} does not let us do {call} ({status}){ends}", hint, status=status)
    if kind == "Experiment user not defined" or said.startswith("User not found"):
        message = f"{where} does not know the user {user}."
        hint = "Initialise the user first, as an app does before it asks for anything."
        return NotFound("unknown_user", message, hint, status=status)
    if status == 404 and not isinstance(body, dict):
        message = f"{where} has no {call}: it is no UpGrade server, or its address is another one."
        return BadAnswer("not_upgrade", message, "Check UPGRADE_API_URL.", status=status)
    if status == 404 or _UNKNOWN_LIST.search(said):
        return NotFound("not_found", f"{where} does not have what {call} asks for{ends}", status=status)
    if said.startswith("Invalid app context") or kind == "Invalid app context":
        hint = "Names of contexts are case-sensitive. A server that has just started knows none until it is ready."
        return Invalid("unknown_context", f"{where} does not know this context{ends}", hint, status=status)
    if kind == "Condition not found":
        hint = "Send a condition code that an experiment has, or none."
        return Invalid("unknown_condition", f"{where} does not know this condition{ends}", hint, status=status)
    if status == 413:
        return Invalid("too_large", f"{call} is too large for {where}{ends}", "Send less at once.", status=status)
    done = None if writes else False
    if status in _BUSY:
        message = f"{where} is not available now: {call} was answered with {status}{ends}"
        return ServerFailed("unavailable", message, _again(writes), status=status, done=done)
    if status < 500:
        return Invalid("invalid", f"{where} refuses {call} ({status}){ends}", status=status)
    message = f"{where} failed at {call} ({status}){ends}"
    return ServerFailed("server_error", message, _look(writes) or "Its log says why.", status=status, done=done)


def timed_out(seconds: float, *, call: str, where: str, writes: bool) -> TimedOut:
    """No answer in time."""
    message = f"{where} did not answer {call} within {seconds:g} seconds."
    return TimedOut("timed_out", message, _again(writes), done=None if writes else False)


def cut_short(why: str, *, call: str, where: str, writes: bool) -> BadAnswer:
    """The connection broke while the answer was awaited, or in its midst."""
    message = f"the answer of {where} to {call} was cut short: {why}"
    return BadAnswer("cut_short", message, _again(writes), done=None if writes else False)


def unreachable(why: str, *, where: str) -> Unreachable:
    """No connection; `why` is what the system says."""
    lowered = why.lower()
    if "certificate" in lowered or "ssl" in lowered:
        hint = "Its certificate is not trusted here, or it does not speak TLS: check UPGRADE_API_URL, or SSL_CERT_FILE."
    elif "name or service" in lowered or "nodename" in lowered or "resolution" in lowered:
        hint = "The name of the host is not known: check UPGRADE_API_URL."
    else:
        hint = "Is it running? Check UPGRADE_API_URL, or unset it to work with the local service."
    return Unreachable("unreachable", f"{where} cannot be reached: {why}", hint)


def bad_answer(
    why: str, *, call: str, where: str, writes: bool, code: str = "bad_answer", status: int = 0
) -> BadAnswer:
    """An answer that cannot be read."""
    hint = _look(writes) or "Check UPGRADE_API_URL, and that its version is 6.0 or later."
    message = f"{where} answered {call} with what UpGrade does not answer: {why}"
    return BadAnswer(code, message, hint, status=status, done=None if writes else False)


@contextmanager
def after(done: str) -> Iterator[None]:
    """Inside, a failure comes after a write: it says what was done, as a sentence."""
    try:
        yield
    except UpgradeError as error:
        message = f"{done} But then: {error.message}"
        raise type(error)(
            error.code,
            message,
            "Do not repeat it; look whether all is as it should be.",
            status=error.status,
            done=True,
        ) from error


def _again(writes: bool) -> str:
    return _look(writes) or "Try again."


def _look(writes: bool) -> str:
    return "It is not known whether it was done: look before trying again." if writes else ""


def _meant(status: int, body: Any) -> int:
    # Some answers of 6.2 wrap the real refusal: {"response": {...}, "status": 404}.
    if status == 500 and isinstance(body, dict) and isinstance(body.get("response"), dict):
        inner = body.get("status")
        return inner if isinstance(inner, int) and 400 <= inner < 500 else status
    return status


def _said(body: Any) -> str:
    """What the server says about a refusal, on one line: its message, else the type, and which fields are wrong."""
    if not isinstance(body, dict):
        return ""
    wrapped = body.get("response")
    inner = wrapped if isinstance(wrapped, dict) else {}
    texts = (body.get("message"), inner.get("message"), body.get("error"), body.get("details"), body.get("type"))
    first = next((text for text in texts if isinstance(text, str) and text.strip()), "")
    wrong = "; ".join(_wrong_fields(body.get("errors")))
    if wrong:
        # The message only points at the list of fields, which a person would look for in vain.
        first = wrong
    line = " ".join(first.split())
    return line if len(line) <= _MOST_SAID else f"{line[:_MOST_SAID]}…"


def _wrong_fields(errors: Any, depth: int = 0) -> Iterator[str]:
    if not isinstance(errors, list) or depth > 10:
        return
    for error in errors:
        if isinstance(error, dict):
            constraints = error.get("constraints")
            if isinstance(constraints, dict):
                yield from (text for text in constraints.values() if isinstance(text, str))
            yield from _wrong_fields(error.get("children"), depth + 1)
        elif isinstance(error, str):
            yield error


def parsed(content: bytes) -> Any:
    """The JSON of a body, None when it is none."""
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None
