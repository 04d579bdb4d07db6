"""Chat models: loading by name, calls, failures and usage. This package imports LangChain only when needed."""

from graphwright.models._calls import astream_text, atext, time_limit
from graphwright.models._failures import (
    BadReply,
    CutReply,
    EmbeddedModelMissing,
    ModelFailure,
    ModelUnavailable,
    PromptTooLong,
    RejectedRequest,
    UnexpectedCall,
    UnknownModel,
)
from graphwright.models._loading import context_size, default_model, is_none, is_weak, load, model_name
from graphwright.models._structured_output import (
    RejectedCall,
    ToolCall,
    ToolCalls,
    acall_tools,
    astructured,
    structured,
)
from graphwright.models.usage import ModelCall, Usage, calling, count_usage, observe_calls

__all__ = [
    # getting a model
    "context_size",
    "default_model",
    "is_none",
    "is_weak",
    "load",
    "model_name",
    # calling it
    "RejectedCall",
    "ToolCall",
    "ToolCalls",
    "acall_tools",
    "astream_text",
    "astructured",
    "atext",
    "structured",
    "time_limit",
    # what it took
    "ModelCall",
    "Usage",
    "calling",
    "count_usage",
    "observe_calls",
    # what went wrong; `failures` has the other classes
    "BadReply",
    "CutReply",
    "EmbeddedModelMissing",
    "ModelFailure",
    "ModelUnavailable",
    "PromptTooLong",
    "RejectedRequest",
    "UnexpectedCall",
    "UnknownModel",
]
