"""The names of OpenTelemetry's semantic conventions for generative AI, and the values that they take here.

They are still in development there and do change: this module is the only place that knows them.
"""

from __future__ import annotations

from typing import Final

# attributes
OPERATION: Final = "gen_ai.operation.name"
PROVIDER: Final = "gen_ai.provider.name"
AGENT_NAME: Final = "gen_ai.agent.name"
AGENT_ID: Final = "gen_ai.agent.id"
CONVERSATION: Final = "gen_ai.conversation.id"
REQUEST_MODEL: Final = "gen_ai.request.model"
INPUT_TOKENS: Final = "gen_ai.usage.input_tokens"
OUTPUT_TOKENS: Final = "gen_ai.usage.output_tokens"
INPUT_MESSAGES: Final = "gen_ai.input.messages"
OUTPUT_MESSAGES: Final = "gen_ai.output.messages"
TOOL_NAME: Final = "gen_ai.tool.name"
TOOL_TYPE: Final = "gen_ai.tool.type"
TOKEN_TYPE: Final = "gen_ai.token.type"
ERROR_TYPE: Final = "error.type"

# values of OPERATION
INVOKE_AGENT: Final = "invoke_agent"
CHAT: Final = "chat"
EXECUTE_TOOL: Final = "execute_tool"

# metrics
TOKEN_USAGE: Final = "gen_ai.client.token.usage"
OPERATION_DURATION: Final = "gen_ai.client.operation.duration"

# Where the bounds of the two histograms' buckets stand in the conventions.
TOKEN_BOUNDS: Final = (1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864)
SECOND_BOUNDS: Final = (0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92)

CONTENT_SWITCH: Final = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
"""The environment variable by which what is said and prompted goes into the spans."""

OWN_PROVIDER: Final = "graphwright"
"""The provider of agents, and of the models that come with the project."""

_PROVIDERS = {
    "azure_openai": "azure.ai.openai",
    "bedrock": "aws.bedrock",
    "bedrock_converse": "aws.bedrock",
    "google_genai": "gcp.gemini",
    "google_vertexai": "gcp.vertex_ai",
    "mistralai": "mistral_ai",
    "xai": "x_ai",
}


def provider_and_model(name: str) -> tuple[str, str]:
    """The provider and the model that a model's name stands for: `openai:gpt-5`, `embedded`, `scripted:FILE`."""
    provider, colon, model = name.partition(":")
    if provider in ("embedded", "scripted") or not colon:
        # What follows is the path of a file on this machine: no name of a model.
        return OWN_PROVIDER, provider
    return _PROVIDERS.get(provider, provider), model
