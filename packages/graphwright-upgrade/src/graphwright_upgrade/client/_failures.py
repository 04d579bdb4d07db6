"""The errors of the client of an UpGrade server, with messages for people; docs/upgrade.md lists their codes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from graphwright.errors import GraphwrightError


class UpgradeError(GraphwrightError):
    """The base of all errors of the client.

    `done` says whether a write was performed: False (certainly not), True (yes, and a later step failed) or None
    (unknown: look before trying again). For a read it is False.
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
    """The response is not a valid answer of UpGrade."""


class Redirected(UpgradeError):
    """The server redirects the request; redirects are not followed."""


class NotConfirmed(UpgradeError):
    """A write was performed, but reading it again does not show all of it."""


class BadSettings(UpgradeError):
    """The environment does not say in a usable way which server to talk to, or how to sign in."""


class LocalServiceFailed(UpgradeError):
    """The local service does not start: its contexts or its database cannot be used. The code says what it is."""


@contextmanager
def after(done: str) -> Iterator[None]:
    """Add the sentence `done`, about an earlier write, to a failure inside the block."""
    try:
        yield
    except UpgradeError as error:
        hint = "Do not repeat it; look whether all is as it should be."
        message = f"{done} But then: {error.message}"
        raise type(error)(error.code, message, hint, status=error.status, done=True) from error
