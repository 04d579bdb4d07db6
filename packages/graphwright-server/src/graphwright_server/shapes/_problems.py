"""Problem documents, the body of every error response."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright_server.shapes import sometimes


class OpenAiError(BaseModel):
    """The error in the format that clients of OpenAI's API expect."""

    message: str
    type: Literal["invalid_request_error", "server_error"]
    code: str
    param: None


class Problem(BaseModel):
    """A problem document (RFC 9457): what went wrong, why, and what to do."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    **{"type": "urn:graphwright:problem:nothing_waits", "title": "Conflict", "status": 409},
                    **{"detail": "The thread does not wait for an answer.", "code": "nothing_waits"},
                    **{"hint": "Send a message to /turns.", "request_id": "3f0c9a7d"},
                }
            ]
        }
    )

    type: str
    title: str
    status: int
    detail: str
    code: str = Field(description="A stable identifier for programs.")
    hint: str = Field(description="What to do; may be empty.")
    request_id: str
    error: OpenAiError = sometimes("Only below /v1.")
