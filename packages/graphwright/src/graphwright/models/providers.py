"""The model providers that Graphwright declares: the package of each, the class of its chat models, and its keys.

They are entry points of the group `graphwright.models`, like those of other packages (docs/plugins.md). The package of
a provider is imported when one of its models is made.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from graphwright.errors import exception_text
from graphwright.models._failures import ModelUnavailable

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

__all__ = [
    "anthropic",
    "openai",
    "ollama",
    "anthropic_bedrock",
    "azure_ai",
    "azure_openai",
    "baseten",
    "bedrock",
    "bedrock_converse",
    "bedrock_mantle_anthropic",
    "bedrock_mantle_openai",
    "cohere",
    "deepseek",
    "fireworks",
    "google_anthropic_vertex",
    "google_genai",
    "google_vertexai",
    "groq",
    "huggingface",
    "ibm",
    "litellm",
    "meta",
    "mistralai",
    "nvidia",
    "openrouter",
    "perplexity",
    "together",
    "upstage",
    "xai",
]


@dataclass(frozen=True, slots=True)
class Provider:
    """A provider whose models are in a package of LangChain. Calling it makes a chat model.

    `module` and `chat` name the class. `extra` is the extra of Graphwright that installs `package`, if there is one.
    `keys` are the environment variables for the key, of which one must be set; without them the package checks its
    settings itself. `keyless` is a variable with the address of a server that needs no key. `argument` is the name of
    the argument for the model, `method` that of the class method that makes one, if it is not the class itself.
    `retries` is whether the class repeats failed calls by default.
    """

    name: str
    module: str
    chat: str
    package: str
    extra: str = ""
    keys: tuple[str, ...] = ()
    keyless: str = ""
    argument: str = "model"
    method: str = ""
    retries: bool = False

    @property
    def installed(self) -> bool:
        """Whether its package is installed. Nothing is imported."""
        return find_spec(self.package.replace("-", "_")) is not None

    @property
    def install(self) -> str:
        """The argument of `pip install` that installs its package."""
        return f"graphwright[{self.extra}]" if self.extra else self.package

    def __call__(self, model: str, temperature: float | None) -> BaseChatModel:
        """Make the chat model `model`. Raises ModelUnavailable (`missing_package`, `missing_key`)."""
        self.require_package()
        options: dict[str, Any] = {self.argument: model, **self._key()}
        if temperature is not None:
            options["temperature"] = temperature
        if self.retries:
            # Only our own retries, within one time limit: two layers of retries would multiply.
            options["max_retries"] = 0
        # The clients print such a warning for each reply that differs from their classes.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        try:
            make = getattr(import_module(self.module), self.chat)
            made: BaseChatModel = (getattr(make, self.method) if self.method else make)(**options)
        # Every client has its own errors.
        except Exception as error:
            raise ModelUnavailable(
                f"The model {self.name}:{model} cannot be set up: {type(error).__name__}: {exception_text(error)}.",
                f"See the documentation of {self.package} for the packages and settings it needs.",
            ) from None
        return made

    def require_package(self) -> None:
        """Raise ModelUnavailable (`missing_package`) if its package is not installed."""
        if not self.installed:
            raise ModelUnavailable(
                f"The models of {self.name} need the package {self.package}, which is not installed.",
                f"Install it: pip install '{self.install}'",
                code="missing_package",
                facts={"package": self.package, "install": self.install},
            )

    def _key(self) -> dict[str, str]:
        if not self.keys or any(os.environ.get(name, "").strip() for name in self.keys):
            return {}
        if self.keyless and os.environ.get(self.keyless, "").strip():
            # A compatible server may need no key, but the client requires some text.
            return {"api_key": "none"}
        raise ModelUnavailable(
            f"The models of {self.name} need an API key.",
            f"Set {' or '.join(self.keys)} in the environment"
            + (f", or {self.keyless} for a server that needs none." if self.keyless else "."),
            code="missing_key",
            facts={"provider": self.name, "variables": list(self.keys)},
        )


anthropic = Provider(
    "anthropic",
    "langchain_anthropic",
    "ChatAnthropic",
    "langchain-anthropic",
    extra="anthropic",
    keys=("ANTHROPIC_API_KEY",),
    retries=True,
)
openai = Provider(
    "openai",
    "graphwright.models._openai_api",
    "OpenAIChatModel",
    "langchain-openai",
    extra="openai",
    keys=("OPENAI_API_KEY",),
    keyless="OPENAI_BASE_URL",
    retries=True,
)
ollama = Provider("ollama", "langchain_ollama", "ChatOllama", "langchain-ollama", extra="ollama")

anthropic_bedrock = Provider("anthropic_bedrock", "langchain_aws", "ChatAnthropicBedrock", "langchain-aws")
azure_ai = Provider("azure_ai", "langchain_azure_ai.chat_models", "AzureAIOpenAIApiChatModel", "langchain-azure-ai")
azure_openai = Provider(
    "azure_openai",
    "langchain_openai",
    "AzureChatOpenAI",
    "langchain-openai",
    extra="openai",
    keys=("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    retries=True,
)
baseten = Provider("baseten", "langchain_baseten", "ChatBaseten", "langchain-baseten")
bedrock = Provider("bedrock", "langchain_aws", "ChatBedrock", "langchain-aws")
bedrock_converse = Provider("bedrock_converse", "langchain_aws", "ChatBedrockConverse", "langchain-aws")
bedrock_mantle_anthropic = Provider("bedrock_mantle_anthropic", "langchain_aws", "ChatAnthropicMantle", "langchain-aws")
bedrock_mantle_openai = Provider("bedrock_mantle_openai", "langchain_aws", "ChatOpenAIMantle", "langchain-aws")
cohere = Provider("cohere", "langchain_cohere", "ChatCohere", "langchain-cohere")
deepseek = Provider("deepseek", "langchain_deepseek", "ChatDeepSeek", "langchain-deepseek")
fireworks = Provider("fireworks", "langchain_fireworks", "ChatFireworks", "langchain-fireworks")
google_anthropic_vertex = Provider(
    "google_anthropic_vertex",
    "langchain_google_vertexai.model_garden",
    "ChatAnthropicVertex",
    "langchain-google-vertexai",
)
google_genai = Provider(
    "google_genai",
    "langchain_google_genai",
    "ChatGoogleGenerativeAI",
    "langchain-google-genai",
    keys=("GOOGLE_API_KEY", "GEMINI_API_KEY"),
)
google_vertexai = Provider("google_vertexai", "langchain_google_vertexai", "ChatVertexAI", "langchain-google-vertexai")
groq = Provider("groq", "langchain_groq", "ChatGroq", "langchain-groq")
huggingface = Provider(
    "huggingface",
    "langchain_huggingface",
    "ChatHuggingFace",
    "langchain-huggingface",
    argument="model_id",
    method="from_model_id",
)
ibm = Provider("ibm", "langchain_ibm", "ChatWatsonx", "langchain-ibm", argument="model_id")
litellm = Provider("litellm", "langchain_litellm", "ChatLiteLLM", "langchain-litellm")
meta = Provider("meta", "langchain_meta", "ChatMetaModel", "langchain-meta")
mistralai = Provider(
    "mistralai", "langchain_mistralai", "ChatMistralAI", "langchain-mistralai", keys=("MISTRAL_API_KEY",)
)
nvidia = Provider("nvidia", "langchain_nvidia_ai_endpoints", "ChatNVIDIA", "langchain-nvidia-ai-endpoints")
openrouter = Provider("openrouter", "langchain_openrouter", "ChatOpenRouter", "langchain-openrouter")
perplexity = Provider("perplexity", "langchain_perplexity", "ChatPerplexity", "langchain-perplexity")
together = Provider("together", "langchain_together", "ChatTogether", "langchain-together")
upstage = Provider("upstage", "langchain_upstage", "ChatUpstage", "langchain-upstage")
xai = Provider("xai", "langchain_xai", "ChatXAI", "langchain-xai")
