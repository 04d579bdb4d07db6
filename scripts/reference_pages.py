"""The reference pages of the site about the flow document, generated from the program's data.

A page for each diagnostic (from the catalogue), a page for each kind of node (from the models of the document), and an
index for each of the two.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

from graphwright.flow._diagnostic_catalog import Entry, catalog
from graphwright.flow._document import NODES, Record
from graphwright.flow.compiled import Catalogue

_GROUPS = {
    "1": "Text and shape",
    "2": "Nodes, edges and reachability",
    "3": "Guards, templates, predicates, validators",
    "4": "Questions, answers, schemas",
    "5": "Actions, confirmations, channels",
    "6": "Subgraphs",
    "7": "Constraints and paths",
    "8": "Layers",
}
_LONGEST_EXAMPLE = 1_500
"""The maximum length of an example on a page, in characters; a longer one is cut."""
_LAST_FIELDS = ("label", "tags", "ui")
_TYPE_NAMES = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "object": "mapping",
    "array": "list",
    "null": "null",
}


def pages() -> Iterator[tuple[str, str]]:
    """Every page: its path on the site, and its text in Markdown."""
    yield "diagnostics/index.md", diagnostics_index()
    for code, entry in catalog().items():
        yield f"diagnostics/{code}.md", "\n".join([f"# {code} {entry.title}\n", *_diagnostic(entry)])
    kinds = (f"- [{kind}]({kind}.md)" for kind in NODES)
    yield "nodes/index.md", "\n".join(["# Kinds of nodes\n", "The fields of each kind, with an example.\n", *kinds, ""])
    for kind, model in NODES.items():
        yield f"nodes/{kind}.md", node_page(kind, model)


def diagnostics_index() -> str:
    """The list of all diagnostics by group, with links to their pages."""
    parts = [
        "# Diagnostics\n",
        "The findings of the compiler for flow documents, as `graphwright check` reports them. Each page gives the "
        "reason, an example that fails, and the same example fixed. A flow with an *error* cannot run; a *warning* is "
        "probably a mistake; an *info* is a remark.\n",
    ]
    group = ""
    for code, entry in sorted(catalog().items()):
        if code[2] != group:
            group = code[2]
            parts.append(f"\n## GW{group}xx: {_GROUPS[group]}\n")
        parts.append(f"- [{code} {entry.title}]({code}.md) ({entry.severity.value})")
    return "\n".join([*parts, ""])


def _diagnostic(entry: Entry) -> list[str]:
    offers = [f"{_offers(entry.catalogue)}\n"] if entry.catalogue is not None else []
    reason = f"*{entry.severity.value}.* {entry.why}\n"
    offers += [f'```yaml title="{name}"\n{text}```\n' for name, text in entry.files.items()]
    return [reason, *offers, "Fails:\n", _example(entry.failing), "Fixed:\n", _example(entry.mended)]


def _offers(catalogue: Catalogue) -> str:
    if catalogue.missing:
        return f"Without the package {', '.join(f'`{name}`' for name in sorted(catalogue.missing))}:"
    offered = [
        f"the action `{a.name}` (reads {', '.join(a.reads)}; writes {', '.join(a.writes)})"
        for a in catalogue.actions.values()
    ]
    offered += [f"the validator `{name}`" for name in sorted(catalogue.validators)]
    if catalogue.state_fields is not None:
        offered.append(f"a state view with the fields {', '.join(sorted(catalogue.state_fields))}")
    return f"Where the agent's Python offers {' and '.join(offered)}:"


def _example(text: str) -> str:
    if len(text) > _LONGEST_EXAMPLE:
        text = text[:200].rstrip() + "\n... and so on\n" if "\n" in text[:200] else text[:60] + "... and so on\n"
    shown = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
    return f"```yaml\n{shown}```\n"


def node_page(kind: str, model: type[Record]) -> str:
    """The page of one kind of node: its description, its fields, an example."""
    text = inspect.cleandoc(model.__doc__ or "")
    description, _, example = text.partition("```yaml\n")
    parts = [f"# {kind}\n", description.strip() + "\n", "## Fields\n", _fields(model)]
    for name, record in _records(model):
        parts += [f"## `{name}`\n", _fields(record)]
    parts += ["## Example\n", "```yaml\n" + example + "\n"]
    return "\n".join(parts)


def _fields(record: type[Record]) -> str:
    schema = record.model_json_schema()
    lines = ["| field | type | default | what it says |", "|---|---|---|---|"]
    for name, field in sorted(schema["properties"].items(), key=lambda item: item[0] in _LAST_FIELDS):
        required = name in schema.get("required", ())
        default = "required" if required else _default(field.get("default"))
        lines.append(f"| `{name}` | {_type(field)} | {default} | {_cell(field.get('description', ''))} |")
    return "\n".join(lines) + "\n"


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field:
        return "mapping, see below"
    kinds = field.get("type", "any")
    words = " or ".join(_TYPE_NAMES.get(kind, kind) for kind in ([kinds] if isinstance(kinds, str) else kinds))
    if "items" in field:
        words += f" of {_type(field['items'])}"
    bounds = {"minimum": "at least", "exclusiveMinimum": "above", "maximum": "at most"}
    return " ".join([words, *(f"{word} {field[name]:g}" for name, word in bounds.items() if name in field)])


def _default(value: Any) -> str:
    """An optional text or value does not show a default."""
    return "" if value in (None, "") else f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")


def _records(model: type[Record]) -> list[tuple[str, type[Record]]]:
    """The fields of a model that are records themselves."""
    fields = ((field.alias or name, field.annotation) for name, field in model.model_fields.items())
    return [(name, kind) for name, kind in fields if inspect.isclass(kind) and issubclass(kind, Record)]
