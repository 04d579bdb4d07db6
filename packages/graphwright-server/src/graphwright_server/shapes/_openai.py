"""OpenAI's chat completions API: models, completions and their chunks."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, Field

from graphwright_server.shapes import sometimes
from graphwright_server.shapes._problems import OpenAiError


class ModelCard(BaseModel):
    """An agent, as a model."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str
    name: str = Field(description="The title of the agent.")
    description: str


class ModelCards(BaseModel):
    """All agents, as models."""

    object: Literal["list"]
    data: list[ModelCard]


class CompletionMessage(BaseModel):
    """The reply of the agent."""

    role: Literal["assistant"]
    content: str


class CompletionChoice(BaseModel):
    """The only choice of a completion."""

    index: Literal[0]
    message: CompletionMessage
    finish_reason: Literal["stop"]
    logprobs: None


class CompletionUsage(BaseModel):
    """The tokens of the model calls of the turn."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    """A complete reply."""

    id: str
    created: int = Field(description="Seconds since 1970.")
    model: str
    object: Literal["chat.completion"]
    choices: list[CompletionChoice]
    usage: CompletionUsage


class CompletionDelta(BaseModel):
    """The text that a chunk adds."""

    role: Literal["assistant"] = sometimes("In the first chunk.")
    content: str = sometimes("If the chunk has text.")


class ChunkChoice(BaseModel):
    """The only choice of a chunk."""

    index: Literal[0]
    delta: CompletionDelta
    finish_reason: Literal["stop"] | None = Field(description="`stop` in the last chunk with text.")
    logprobs: None


class ChatCompletionChunk(BaseModel):
    """A part of a reply."""

    id: str
    created: int = Field(description="Seconds since 1970.")
    model: str
    object: Literal["chat.completion.chunk"]
    choices: list[ChunkChoice] = Field(description="Empty in the chunk with the usage.")
    usage: CompletionUsage = sometimes("If the request asked for it, in the last chunk.")


class CompletionFailed(BaseModel):
    """The turn failed; the last chunk of its stream."""

    error: OpenAiError


CompletionEvent = ChatCompletionChunk | CompletionFailed
"""The data of a frame of a stream. After the last one comes `[DONE]`."""
