"""Problem documents: what is answered in place of everything else."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from graphwright.api.shapes import sometimes


class OpenAiError(BaseModel):
    """A problem as clients of OpenAI's API look for it."""

    message: str
    type: Literal["invalid_request_error", "server_error"]
    code: str
    param: None


class Problem(BaseModel):
    """What went wrong, why, and what to do (RFC 9457)."""

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
    code: str = Field(description="What programs go by: it is stable.")
    hint: str = Field(description="What to do; empty where nothing is known.")
    request_id: str
    error: OpenAiError = sometimes("Below /v1 alone.")
