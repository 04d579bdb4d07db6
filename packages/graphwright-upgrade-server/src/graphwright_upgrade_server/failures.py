"""Errors for the person who starts the service, and the refusals in its answers.

ServiceError                it cannot start or continue: `port`, `contexts`, or an unusable database
Failure                     a refused request: the status and the body of the answer, worded as on a real server
├── BadRequest              400: understood and refused
│   ├── InvalidBody, InvalidParams    it does not have the shape that the route requires
│   └── OutOfScope          a real server can do this, the local service does not

The body of a refusal is `{name, message, endPoint, errorCode, type?, errors?, request}`; `request` is the body that was
sent. `errors`, with one plain sentence for each error, is our own addition: a real server does not report its reasons.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

__all__ = ["ServiceError"]

WRONG_FORMAT = "Parameter not in the correct format"
QUERY_FAILED = "Query Failed"
UNKNOWN_USER = "Experiment user not defined"
UNKNOWN_CONDITION = "Condition not found"
NO_TOKEN = "Token is not present in request"
INVALID_TOKEN = "Invalid token"
UNKNOWN_CALLER = "User ID not found"


class ServiceError(Exception):
    """The service cannot do its work: `code` for programs, `message` (what, where, why) and `hint` for people."""

    def __init__(self, code: str, message: str, hint: str = "") -> None:
        super().__init__(f"{message} {hint}".rstrip())
        self.code = code
        self.message = message
        self.hint = hint


def exception_text(error: BaseException) -> str:
    """The message of an exception on one line, or the name of its class if it is empty."""
    return " ".join(str(error).split()) or type(error).__name__


class Failure(Exception):
    """A refused request: HTTP `status`, `name: message`, the `type` if there is one, and our own `errors`.

    Raised in a transaction, it rolls the transaction back.
    """

    def __init__(
        self, status: int, message: str, type: str | None = None, *, name: str = "Error", errors: Sequence[str] = ()
    ) -> None:
        super().__init__(message)
        self.status = status
        self.name = name
        self.message = message
        self.type = type
        self.errors = tuple(errors)

    def body(self, end_point: str, request: Any, *, explain: bool = True) -> dict[str, Any]:
        """The JSON of the answer to `request` (the sent body, `{}` for none) on the path `end_point`.

        `explain=False` omits our own `errors`.
        """
        body: dict[str, Any] = {"name": self.name, "message": self.message, "endPoint": end_point}
        body["errorCode"] = self.status
        if self.type is not None:
            body["type"] = self.type
        if self.errors and explain:
            body["errors"] = list(self.errors)
        return body | {"request": request}


class BadRequest(Failure):
    """400: the request is understood and refused; `message` says why."""

    def __init__(self, message: str, *, errors: Sequence[str] = ()) -> None:
        super().__init__(400, message, WRONG_FORMAT, name="BadRequestError", errors=errors)


class InvalidBody(BadRequest):
    """400: the body does not have the shape that the route requires; `errors` says where."""

    def __init__(self, *errors: str) -> None:
        super().__init__("Invalid body, check 'errors' property for more info.", errors=errors)


class InvalidParams(BadRequest):
    """400: the path does not have the shape that the route requires; `errors` says where."""

    def __init__(self, *errors: str) -> None:
        super().__init__("Invalid params, check 'errors' property for more info.", errors=errors)


class OutOfScope(BadRequest):
    """400: a real server can do this, the local service does not."""

    def __init__(self, what: str) -> None:
        super().__init__(f"The local UpGrade service does not offer {what}. Use a real UpGrade server for it.")
