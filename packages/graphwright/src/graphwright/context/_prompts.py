"""Prompt files: Jinja templates of chat messages. An agent's prompt overrides the engine's of the same name."""

from __future__ import annotations

import hashlib
import json
import re
import secrets
from collections.abc import Mapping
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.errors import GraphwrightError

if TYPE_CHECKING:
    from jinja2 import Template
    from jinja2.sandbox import SandboxedEnvironment
    from langchain_core.messages import BaseMessage

ENGINE_PROMPTS = Path(__file__).parent / "prompts"
SUFFIX = ".j2"

# Replaces the lines that begin a message. It is random, so no input can contain it.
_MARK = f"<{secrets.token_hex(16)}>"

_ROLE = re.compile(r"^=== (system|user|assistant|example|calls) ===[ \t]*$", re.MULTILINE)


class PromptError(GraphwrightError):
    """A prompt file is missing, is not a valid template, or lacks an input. Codes: `no_prompt`, `bad_prompt`."""


class PromptLibrary:
    """The prompt files of an agent's `prompts/` folders, the first that has a name, and those of the engine.

    A file begins with a comment `{# ... #}` that states its purpose and names its inputs. Each of the lines `=== system
    ===`, `=== user ===`, `=== assistant ===`, `=== example ===` and `=== calls ===` begins a chat message. `example`
    and `calls` show the model what to do: a text of the assistant, and a JSON list of `{"name", "args"}`. The part
    before the last example is assumed to be the same in every call. Inputs cannot forge such a line.
    """

    def __init__(self, *folders: Path) -> None:
        self._folders = (*folders, ENGINE_PROMPTS)

    def names(self) -> tuple[str, ...]:
        """Return the sorted names of all prompts."""
        found = {p.name[: -len(SUFFIX)] for folder in self._folders for p in folder.glob(f"*{SUFFIX}")}
        return tuple(sorted(found))

    @cached_property
    def digest(self) -> str:
        """A hash of the prompts of the agent's own folder."""
        files = sorted(path for folder in self._folders[:-1] for path in folder.glob(f"*{SUFFIX}"))
        found = hashlib.sha256()
        for path in files:
            content = path.read_bytes()
            found.update(b"%d:%b%d:%b" % (len(path.name), path.name.encode(), len(content), content))
        return found.hexdigest()

    def source(self, name: str) -> tuple[Path, str]:
        """Return the file and the text of a prompt. Raises PromptError (`no_prompt`)."""
        for folder in self._folders:
            path = folder / f"{name}{SUFFIX}"
            if path.is_file():
                return path, path.read_text("utf-8")
        places = " or ".join(str(folder) for folder in self._folders[:-1] or self._folders)
        raise PromptError("no_prompt", f"There is no prompt {name!r} in {places}.", f"Add the file {name}{SUFFIX}.")

    def render(self, name: str, inputs: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Return the messages of a prompt as (role, text) pairs, without empty ones. Raises PromptError."""
        from jinja2 import TemplateError

        path, text = self.source(name)
        try:
            filled = _template(text).render(**inputs)
        except TemplateError as error:
            raise PromptError(
                "bad_prompt", f"The prompt {path} cannot be filled in: {error}.", "Correct the template or its inputs."
            ) from error
        parts = filled.split(_MARK)
        messages = [(role, body.strip()) for role, body in zip(parts[1::2], parts[2::2], strict=True) if body.strip()]
        if not messages:
            raise PromptError("bad_prompt", f"The prompt {path} has no messages.", "Begin one with === system ===.")
        return messages

    def messages(self, name: str, inputs: Mapping[str, Any]) -> list[BaseMessage]:
        """Return the messages of a prompt for a chat model. Raises PromptError."""
        from langchain_core.messages import AIMessage, HumanMessage, SystemMessage, ToolMessage

        classes: dict[str, type[BaseMessage]] = {
            "system": SystemMessage,
            "user": HumanMessage,
            "assistant": AIMessage,
        }
        messages: list[BaseMessage] = []
        for number, (role, text) in enumerate(self.render(name, inputs)):
            if role == "example":
                messages.append(AIMessage(content=text, additional_kwargs={"example": True}))
                continue
            if role != "calls":
                messages.append(classes[role](content=text))
                continue
            calls = [
                {"name": call["name"], "args": call["args"], "id": f"example_{number}_{i}", "type": "tool_call"}
                for i, call in enumerate(json.loads(text))
            ]
            messages.append(AIMessage(content="", tool_calls=calls))
            # Providers require a result for every call. This one is empty of meaning; an adapter may leave it out.
            said = {"additional_kwargs": {"example": True}}
            messages += [ToolMessage("ok", tool_call_id=c["id"], name=c["name"], **said) for c in calls]
        return messages


@lru_cache(maxsize=256)
def _template(text: str) -> Template:
    """Return the compiled template of a prompt's text. All agents of a process share those of the engine's prompts."""
    return _environment().from_string(_ROLE.sub(rf"{_MARK}\1{_MARK}", text))


@cache
def _environment() -> SandboxedEnvironment:
    from jinja2 import StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    environment = SandboxedEnvironment(
        undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=False
    )
    environment.filters["compact"] = _compact
    return environment


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
