"""Problem documents, the body of every error response."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphwright_server.shapes import sometimes
from graphwright_server.shapes._agents import Diagnostic


class OpenAiError(BaseModel):
    """The error in the format that clients of OpenAI's API expect."""

    message: str
    type: Literal["invalid_request_error", "server_error"]
    code: str
    param: None


class Problem(BaseModel):
    """A problem document (RFC 9457): what went wrong, why, and what to do."""

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="A stable identifier for programs.")
    hint: str = Field(description="What to do; may be empty.")
    request_id: str
    diagnostics: list[Diagnostic] = sometimes("The errors of the flow, at 503 `flow_invalid`.")
    error: OpenAiError = sometimes("Only below /v1.")
