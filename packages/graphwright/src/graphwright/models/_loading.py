"""Loading a chat model by name: the embedded one, that of a provider, or a script."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.config import chosen_model
from graphwright.errors import GraphwrightError, exception_text
from graphwright.hooks import MODELS
from graphwright.models._failures import EmbeddedModelMissing, ModelFailure, ModelUnavailable, UnknownModel
from graphwright.models.usage import NAME
from graphwright.text.near_names import nearest

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel

EMBEDDED = "embedded"
NONE = "none"

USUAL_CONTEXT = 32_000
"""Assumed maximum of a prompt in tokens, if the model's provider does not report it."""

RESERVED = (EMBEDDED, NONE, "scripted")
"""The kinds of models that no other package can provide."""


def default_model() -> str:
    """Return the name of the default model: the configured one, else `embedded`. Raises ConfigError."""
    return chosen_model() or EMBEDDED


def load(spec: str | None = None, *, temperature: float | None = None, home: Path | None = None) -> BaseChatModel:
    """Load the chat model `spec`: `embedded`, `embedded:FILE.gguf`, `PROVIDER:MODEL`, `scripted:FILE` or `none`.

    Providers are entry points of the group `graphwright.models`. Every call of `none` raises `NoModel`. Without `spec`,
    the default model is loaded. `home` is the data folder. Nothing is downloaded and no connection is made; the
    embedded model's file is read by its first call. There is no fallback: an unavailable model raises
    `ModelUnavailable` with a hint on how to get it.
    """
    name = (spec or "").strip() or default_model()
    kind, _, rest = name.partition(":")
    if kind == EMBEDDED:
        model = _embedded(rest, temperature, home)
    elif name == NONE:
        from graphwright.models._tool_binding import NoChatModel

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
    from graphwright.models._tool_binding import NoChatModel

    return isinstance(model, NoChatModel)


def key_variables(spec: str) -> tuple[str, ...]:
    """Return the environment variables for the key of a model's provider, of which one must be set; often none."""
    from graphwright.models.providers import Provider

    found = MODELS.get(spec.partition(":")[0])
    return found.keys if isinstance(found, Provider) else ()


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
    from graphwright.models._recorder import recorded

    return recorded(model.model_copy(update={"metadata": {**(model.metadata or {}), NAME: name}}))


def _embedded(file: str, temperature: float | None, home: Path | None) -> BaseChatModel:
    path = _embedded_file(file, home)
    from graphwright.models._embedded import EmbeddedChatModel

    return EmbeddedChatModel(path=path, temperature=temperature or 0.0)


def _embedded_file(file: str, home: Path | None) -> Path:
    """Return the file of the embedded model. Raises ModelUnavailable if it cannot be used."""
    from graphwright.models import _server as server
    from graphwright.models._pull import status

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
                "Name a GGUF file, or download the embedded model again with `graphwright model pull`.",
                code="embedded_model_broken",
            )
    server.require_package()
    return path


def _scripted(file: str) -> BaseChatModel:
    from graphwright.models._scripted import ScriptedModel

    if not file:
        raise UnknownModel("`scripted` needs a file of rules.", "Write scripted:FILE.yaml")
    return ScriptedModel.from_file(Path(file).expanduser())


def _provided(provider: str, model: str, temperature: float | None, whole: str) -> BaseChatModel:
    from langchain_core.language_models import BaseChatModel

    entry = MODELS.entries().get(provider)
    if entry is None or not model:
        raise _unknown(provider, model, whole)
    try:
        made: object = MODELS.load(entry)(model, temperature)
    except ModelFailure:
        raise
    except GraphwrightError as error:
        raise ModelUnavailable(error.message, error.hint, code=error.code) from error
    # The code of another package may fail in any way.
    except (Exception, SystemExit) as error:
        raise ModelUnavailable(
            f"The model {whole} of {entry.distribution} cannot be set up: "
            f"{type(error).__name__}: {exception_text(error)}.",
            "See the documentation of the package for the settings it needs.",
        ) from error
    if not isinstance(made, BaseChatModel):
        raise ModelUnavailable(
            f"The model provider {provider!r} of {entry.distribution} made {type(made).__name__}, which is not a chat "
            "model of LangChain.",
            "Install another version of the package, or report this to its author.",
            code="plugin",
        )
    return made


def _unknown(provider: str, model: str, whole: str) -> UnknownModel:
    from graphwright.models.providers import Provider

    entries = MODELS.entries()
    installed, extras = [], set[str]()
    for name, entry in entries.items():
        own = MODELS.load(entry) if entry.own else None
        if not isinstance(own, Provider) or own.installed:
            installed.append(name)
        elif own.extra:
            extras.add(f"'{own.install}'")
    near = nearest(provider, [*entries, *RESERVED], most=1)
    guess = f"Did you mean {near[0]}? " if near and near != [provider] else ""
    more = f" More are installed by: pip install {' or '.join(sorted(extras))}." if extras else ""
    return UnknownModel(
        f"There is no model provider {provider!r}." if model else f"{whole!r} names no model.",
        f"{guess}Write PROVIDER:MODEL, such as openai:gpt-5 or ollama:qwen3, or embedded, or none. "
        f"The installed providers are: {', '.join(installed) or 'none'}.{more}",
        code="unknown_provider" if model else "",
        facts={"name": whole},
    )
