"""The settings that an agent declares in its settings.py, and what of the configuration does not fit them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from graphwright.config import current
from graphwright.errors import GraphwrightError, UsageError, redact, said
from graphwright.flow.names import Names
from graphwright.runtime.validation import first_violation

FILE = "settings.py"

Declared = Mapping[str, Mapping[str, Any]]
"""The JSON Schema of each setting, by its name.

Its `description` and its first example, else its `default`, are told to whoever sets it wrong.
"""


def declared_in(module: ModuleType) -> Declared | None:
    """The `SETTINGS` of a module, None where it has none. Raises TypeError for what is no mapping of schemas."""
    declared = getattr(module, "SETTINGS", None)
    if declared is None:
        return None
    if not isinstance(declared, Mapping) or not all(
        isinstance(name, str) and isinstance(schema, Mapping) for name, schema in declared.items()
    ):
        raise TypeError("SETTINGS must map the name of each setting to its JSON Schema")
    return declared


def wrong_settings(agent: str, declared: Declared, settings: Mapping[str, Any]) -> Iterator[GraphwrightError]:
    """What is wrong with the table `[agents.AGENT]` of a configuration: `unknown_setting` and `bad_setting`.

    Also `bad_schema`, where what the agent declares of a setting is no usable JSON Schema.
    """
    for name, value in settings.items():
        if name not in declared:
            known = f"It has {', '.join(declared)}." if declared else "It has none."
            message = f"[agents.{agent}] has no setting {name!r}"
            yield UsageError("unknown_setting", message, Names(declared).hint(name, known))
            continue
        try:
            why = first_violation(declared[name], value)
        # An unusable schema fails in as many ways as it can be written.
        except Exception as error:
            message = f"what {agent!r} declares of its setting {name!r} is no usable JSON Schema: {said(error)}"
            yield GraphwrightError("bad_schema", message, f"Its author must mend it in {FILE}.")
            continue
        if why:
            message = f"{name} of [agents.{agent}] is {_shown(value)}: {why}"
            yield UsageError("bad_setting", message, _advice(name, declared[name]))


def check_settings(agent: str, declared: Declared, settings: Mapping[str, Any]) -> None:
    """Raise the first of `wrong_settings`, with the file that it is in, and how many there are besides."""
    found = list(wrong_settings(agent, declared, settings))
    if not found:
        return
    first, *others = found
    config = current()
    where = f"{config.file}: " if config.agents.get(agent) == settings else ""
    more = f" (and {len(others)} more: 'graphwright doctor' lists them)" if others else ""
    message = f"{where}{first.message.rstrip('.')}{more}"
    raise type(first)(first.code, message, first.hint) from None


def _shown(value: Any, longest: int = 60) -> str:
    text = redact(json.dumps(value, ensure_ascii=False, default=str))
    return text if len(text) <= longest else text[: longest - 1] + "…"


def _advice(name: str, schema: Mapping[str, Any]) -> str:
    what = f"It is {schema['description']}." if "description" in schema else "Correct it, or leave it out."
    examples = [*schema.get("examples", ()), *([schema["default"]] if "default" in schema else ())]
    return f"{what} For example: {name} = {json.dumps(examples[0], ensure_ascii=False)}" if examples else what
