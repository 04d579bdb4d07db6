"""What can go wrong between the client and an UpGrade server, as errors for people; docs/upgrade.md has their codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

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
    """The server demands to know who asks, and does not accept the answer."""


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


@contextmanager
def after(done: str) -> Iterator[None]:
    """Inside, a failure comes after a write: it says what was done, as a sentence."""
    try:
        yield
    except UpgradeError as error:
        hint = "Do not repeat it; look whether all is as it should be."
        message = f"{done} But then: {error.message}"
        raise type(error)(error.code, message, hint, status=error.status, done=True) from error
