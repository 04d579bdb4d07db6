"""The definition of an agent: flow, actions, validators, tools, prompts, settings; and the check of its settings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from graphwright.config import Config, current
from graphwright.context import PromptLibrary
from graphwright.errors import GraphwrightError, UsageError, exception_text, redact
from graphwright.flow import CompiledFlow, Diagnostic
from graphwright.flow._dependencies import signature_of
from graphwright.flow._ready_made import TEMPLATED
from graphwright.flow._schema_validation import first_violation
from graphwright.flow.compiled import Action
from graphwright.host._actions import ActionSpec
from graphwright.host.discovery import MODULES, address_of, folder_use, folders_of
from graphwright.text.near_names import Names
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.engine._shadow import Beside
    from graphwright.host._trial import Trial

SETTINGS = "settings.py"

DeclaredSettings = Mapping[str, Mapping[str, Any]]
"""The JSON Schema of each setting, by its name.

The error for a wrong value shows its `description` and its first example, or its `default`.
"""


class AgentError(GraphwrightError):
    """An agent's folder or its Python cannot be used."""


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """A flow and everything it needs to run. `folder` holds its prompts and Python files.

    `name` is the name of a built-in or packaged agent, the folder's name, or the file's without its suffix. `settings`
    are the JSON values of the table `[agents.NAME]` in the configuration; `known_settings` the JSON Schemas that the
    agent declares for them, or None. `package` is the distribution that provides the agent, empty for a folder.
    `layers` are the files that its flow is merged from, lowest first; empty if it extends nothing.
    """

    name: str
    file: Path
    flow: CompiledFlow
    diagnostics: tuple[Diagnostic, ...] = ()
    actions: Mapping[str, ActionSpec] = field(default_factory=dict)
    validators: Mapping[str, Callable[[Any], bool]] = field(default_factory=dict)
    prompts: PromptLibrary = field(default_factory=PromptLibrary)
    tools: tuple[Any, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    known_settings: DeclaredSettings | None = None
    package: str = ""
    layers: tuple[Path, ...] = ()
    beside: Beside | None = None
    """The flow in the shadow of `flow`, which answers in its place."""
    trial: Trial | None = None
    """Whether its flow is a draft that its author tries, and what the conversations perform."""
    remarks: tuple[str, ...] = ()
    """The parts of an answering checklist that its conversion to a flow loses."""

    @property
    def folder(self) -> Path:
        """The folder with its prompts and Python files."""
        return self.file.parent

    @property
    def folders(self) -> tuple[Path, ...]:
        """The folders of the layers that its flow extends, lowest first, and its own."""
        return folders_of(self.file, self.layers)

    @property
    def address(self) -> str:
        """The name for `load` in any folder: that of a built-in or packaged agent, else an absolute path.

        The address of a draft is not one for `load`.
        """
        if self.trial is not None:
            return self.trial.address
        return self.name if self.package else address_of(self.file, self.name)

    @property
    def takes_files(self) -> bool:
        """Whether it accepts files from the user."""
        return any(folder_use(folder, ()).files for folder in self.folders)

    @property
    def title(self) -> str:
        """The title of its flow, by default its name."""
        return self.flow.title or self.name

    def action(self, name: str) -> ActionSpec:
        """Return the declared action `name`. Raises AgentError if the agent's Python does not declare it."""
        if name not in self.actions:
            raise self._missing("action", name)
        return self.actions[name]

    def validator(self, name: str) -> Callable[[Any], bool]:
        """Return the declared validator `name`. Raises AgentError as `action` does."""
        if name not in self.validators:
            raise self._missing("validator", name)
        return self.validators[name]

    def writes_private(self, node: str) -> bool:
        """Whether a node writes into a private channel, so that its model replies are private, too."""
        action = self.flow.nodes.get(node)
        if not isinstance(action, Action):
            return False
        names = set(signature_of(self.flow, action).writes)
        if action.map is not None:
            names |= {action.map.item, action.map.result}
        if action.function in self.actions:
            names |= set(self.actions[action.function].writes)
        channels = self.flow.channels
        return any(name in channels and channels[name].private for name in names)

    def _missing(self, kind: str, name: str) -> AgentError:
        message = f"The flow of {self.name!r} names {kind} {name!r}, which {self.folder / MODULES[0]} does not define."
        hint = f"Define it with @{kind}, or correct the flow."
        if kind == "action" and name in TEMPLATED:
            hint = "It is a ready-made action: give the node its parameters in `with`."
        return AgentError(f"no_{kind}", message, hint)


def configured(flow: CompiledFlow, config: Config) -> CompiledFlow:
    """The flow with the path policy of this installation; it stays the same flow, and has the same hash."""
    own = config.path_policies.get(flow.id)
    if own is None:
        return flow
    changes: dict[str, Any] = {name: value if isinstance(value, bool) else float(value) for name, value in own.items()}
    return replace(flow, path_policy=replace(flow.path_policy, **changes))


def settings_in(module: ModuleType) -> DeclaredSettings | None:
    """The `SETTINGS` of a module, or None. Raises TypeError if they are not a mapping of schemas."""
    declared = getattr(module, "SETTINGS", None)
    if declared is None:
        return None
    if not isinstance(declared, Mapping) or not all(
        isinstance(name, str) and isinstance(schema, Mapping) for name, schema in declared.items()
    ):
        raise TypeError("`SETTINGS` must map the name of each setting to its JSON Schema")
    return declared


def wrong_settings(agent: str, declared: DeclaredSettings, settings: Mapping[str, Any]) -> Iterator[GraphwrightError]:
    """The errors in the table `[agents.AGENT]` of a configuration: `unknown_setting` and `bad_setting`.

    Also `bad_schema`, if the agent declares a setting by an invalid JSON Schema.
    """
    for name, value in settings.items():
        if name not in declared:
            known = f"It has {', '.join(declared)}." if declared else "It has none."
            message = f"The table [agents.{agent}] has no setting {name!r}."
            yield UsageError("unknown_setting", message, Names(declared).hint(name, known))
            continue
        try:
            why = first_violation(declared[name], value)
        # An unusable schema fails in as many ways as it can be written.
        except Exception as error:
            message = (
                f"What {agent!r} declares of its setting {name!r} is no usable JSON Schema: {exception_text(error)}."
            )
            yield GraphwrightError("bad_schema", message, f"Its author must correct it in {SETTINGS}.")
            continue
        if why:
            message = f"{name} of [agents.{agent}] is {_format_value(value)}: {why}."
            yield UsageError("bad_setting", message, _advice(name, declared[name]))


def check_settings(agent: str, declared: DeclaredSettings, settings: Mapping[str, Any]) -> None:
    """Raise the first of `wrong_settings`, with the file that it is in, and how many there are besides."""
    found = list(wrong_settings(agent, declared, settings))
    if not found:
        return
    first, *others = found
    config = current()
    where = f"{config.file}: " if config.agents.get(agent) == settings else ""
    more = f" Also wrong: {many(len(others), 'more setting')}, listed by 'graphwright doctor'." if others else ""
    message = f"{where}{first.message}{more}"
    raise type(first)(first.code, message, first.hint) from None


def _format_value(value: Any, longest: int = 60) -> str:
    text = redact(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _advice(name: str, schema: Mapping[str, Any]) -> str:
    what = f"Its meaning: {schema['description']}." if "description" in schema else "Correct it, or leave it out."
    examples = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]
    return f"{what} For example: {name} = {json.dumps(examples[0], ensure_ascii=False)}" if examples else what
