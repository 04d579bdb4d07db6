"""Loading a chat model by name: the embedded one, any LangChain provider, or a script."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.config import chosen_model
from graphwright.errors import said
from graphwright.models.failures import EmbeddedModelMissing, ModelUnavailable, UnknownModel
from graphwright.models.usage import NAME
from graphwright.text.near_names import nearest

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

EMBEDDED = "embedded"
NONE = "none"

USUAL_CONTEXT = 32_000
"""Assumed maximum of a prompt in tokens, if the model's provider does not report it."""

_KEYS: Mapping[str, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "azure_openai": ("AZURE_OPENAI_API_KEY", "AZURE_OPENAI_AD_TOKEN"),
    "google_genai": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "mistralai": ("MISTRAL_API_KEY",),
}
"""The environment variables for a provider's key, of which one must be set; other providers check it themselves."""

_EXTRAS = ("anthropic", "openai", "ollama")
_OWN_RETRIES = ("anthropic", "openai", "azure_openai")


def default_model() -> str:
    """Return the name of the default model: the configured one, else `embedded`. Raises ConfigError."""
    return chosen_model() or EMBEDDED


def load(spec: str | None = None, *, temperature: float | None = None, home: Path | None = None) -> BaseChatModel:
    """Load the chat model `spec`: `embedded`, `embedded:FILE.gguf`, `PROVIDER:MODEL`, `scripted:FILE` or `none`.

    Every call of `none` raises `NoModel`. Without `spec`, the default model is loaded. `home` is the data folder.
    Nothing is downloaded and no connection is made; the embedded model's file is read by its first call. There is no
    fallback: an unavailable model raises `ModelUnavailable` with a hint on how to get it.
    """
    name = (spec or "").strip() or default_model()
    kind, _, rest = name.partition(":")
    if kind == EMBEDDED:
        model = _embedded(rest, temperature, home)
    elif name == NONE:
        from graphwright.models.tool_binding import NoChatModel

        model = NoChatModel()
    elif kind == "scripted":
        model = _scripted(rest)
    else:
        model = _provided(kind, rest, temperature, name)
    return _named(model, name)


def require(spec: str | None = None) -> None:
    """Raise the errors of `load` without creating an embedded model: the import of LangChain takes most of a second."""
    name = (spec or "").strip() or default_model()
    kind, _, rest = name.partition(":")
    if kind == EMBEDDED:
        _embedded_file(rest, None)
    elif name != NONE:
        load(name)


def is_none(model: str | BaseChatModel | None) -> bool:
    """Return whether a model, or a name for `load`, is `none`, which answers nothing. Nothing is loaded."""
    if model is None or isinstance(model, str):
        return ((model or "").strip() or default_model()) == NONE
    from graphwright.models.tool_binding import NoChatModel

    return isinstance(model, NoChatModel)


def key_variables(spec: str) -> tuple[str, ...]:
    """Return the environment variables for the key of a model's provider, of which one must be set; often none."""
    return _KEYS.get(spec.partition(":")[0], ())


def model_name(model: BaseChatModel) -> str:
    """Return the name of a model: the one passed to `load`, else the name of its provider."""
    name = (model.metadata or {}).get(NAME)
    return str(name or getattr(model, "model_name", "") or getattr(model, "model", "") or model.get_name())


def is_weak(model: BaseChatModel) -> bool:
    """Return whether a model is known to be unreliable: every effect that it proposes requires approval."""
    return model._llm_type == EMBEDDED


def context_size(model: BaseChatModel) -> int:
    """Return the maximum of a prompt in tokens, as in the model's profile; a cautious guess without one."""
    return int((model.profile or {}).get("max_input_tokens") or USUAL_CONTEXT)


def _named(model: BaseChatModel, name: str) -> BaseChatModel:
    from graphwright.models.recorder import recorded

    return recorded(model.model_copy(update={"metadata": {**(model.metadata or {}), NAME: name}}))


def _embedded(file: str, temperature: float | None, home: Path | None) -> BaseChatModel:
    path = _embedded_file(file, home)
    from graphwright.models.embedded import EmbeddedChatModel

    return EmbeddedChatModel(path=path, temperature=temperature or 0.0)


def _embedded_file(file: str, home: Path | None) -> Path:
    """Return the file of the embedded model. Raises ModelUnavailable if it cannot be used."""
    from graphwright.models import server
    from graphwright.models.pull import status

    try:
        path = Path(file).expanduser() if file else status(home).path
        found = path.is_file()
    except PermissionError as error:
        raise ModelUnavailable(
            f"The embedded model {error.filename} cannot be read by this user.",
            "Allow it for the file and its folder, or point GRAPHWRIGHT_HOME to another folder.",
            code="embedded_model_unreadable",
        ) from None
    if not found:
        if file:
            raise UnknownModel(
                f"There is no model file {path}.",
                "Name a GGUF file: embedded:/path/to/model.gguf",
                code="embedded_model_missing",
            )
        raise EmbeddedModelMissing(
            f"The embedded model is not on this machine ({path}).",
            "Get it once with `graphwright model pull` (1.1 GB). Or use a GGUF file of your own "
            "(--model embedded:/path/to/model.gguf), or a provider: an API key with --model anthropic:MODEL or "
            "openai:MODEL, or OPENAI_BASE_URL for any OpenAI-compatible server.",
        )
    with path.open("rb") as stream:
        if stream.read(4) != b"GGUF":
            raise ModelUnavailable(
                f"{path} is not a GGUF model file.",
                "Name a GGUF file, or fetch the embedded model anew with `graphwright model pull`.",
                code="embedded_model_broken",
            )
    server.require_package()
    return path


def _scripted(file: str) -> BaseChatModel:
    from graphwright.models.scripted import ScriptedModel

    if not file:
        raise UnknownModel("`scripted` needs a file of rules.", "Write scripted:FILE.yaml")
    return ScriptedModel.from_file(Path(file).expanduser())


def _provided(provider: str, model: str, temperature: float | None, whole: str) -> BaseChatModel:
    from langchain.chat_models import base

    # The table names each package without importing it, and has the similar names for a wrong one.
    packages = {name: entry[0].partition(".")[0] for name, entry in base._BUILTIN_PROVIDERS.items()}
    if provider not in packages or not model:
        near = nearest(provider, [*packages, EMBEDDED, NONE, "scripted"], most=1)
        guess = f"Did you mean {near[0]}? " if near and near != [provider] else ""
        raise UnknownModel(
            f"There is no model provider {provider!r}." if model else f"{whole!r} names no model.",
            f"{guess}Write PROVIDER:MODEL, such as openai:gpt-5 or ollama:qwen3, or embedded, or none. "
            f"The providers are {', '.join(sorted(packages))}.",
            code="unknown_provider" if model else "",
            facts={"name": whole},
        )
    package = packages[provider].replace("_", "-")
    if find_spec(packages[provider]) is None:
        install = f"graphwright[{provider}]" if provider in _EXTRAS else package
        raise ModelUnavailable(
            f"The models of {provider} need the package {package}, which is not installed.",
            f"Install it: pip install '{install}'",
            code="missing_package",
            facts={"package": package, "install": install},
        )
    # The clients print such a warning for each reply that differs from their classes.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    options: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
    if provider in _OWN_RETRIES:
        # Only our own retries, within one time limit: two layers of retries would multiply.
        options["max_retries"] = 0
    options.update(_key(provider))
    try:
        made: BaseChatModel = (
            _openai(model, options)
            if provider == "openai"
            else base.init_chat_model(model, model_provider=provider, **options)
        )
    except Exception as error:
        raise ModelUnavailable(
            f"The model {provider}:{model} cannot be set up: {type(error).__name__}: {said(error)}",
            f"See the documentation of {package} for the packages and settings it needs.",
        ) from None
    return made


def _openai(model: str, options: Mapping[str, Any]) -> BaseChatModel:
    from graphwright.models.openai_api import OpenAIChatModel

    return OpenAIChatModel(model=model, **options)


def _key(provider: str) -> dict[str, Any]:
    names = _KEYS.get(provider, ())
    if not names or any(os.environ.get(name, "").strip() for name in names):
        return {}
    if provider == "openai" and os.environ.get("OPENAI_BASE_URL", "").strip():
        # A compatible server may need no key, but the client requires some text.
        return {"api_key": "none"}
    raise ModelUnavailable(
        f"The models of {provider} need an API key.",
        f"Set {' or '.join(names)} in the environment"
        + (", or OPENAI_BASE_URL for a server that needs none." if provider == "openai" else "."),
        code="missing_key",
        facts={"provider": provider, "variables": list(names)},
    )
