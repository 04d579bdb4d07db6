"""The reference of the flow document, generated from the program's data.

A page of the site for each diagnostic (from the catalogue) with an index. Three pages are stored in `docs/`, and
`python scripts/reference_pages.py` writes them: the fields of the document (from its models), the events of a trace
(from their catalogue), and the routes of the service (from its OpenAPI document).
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from graphwright.flow._diagnostic_catalog import Entry, catalog
from graphwright.flow._document import (
    NODES,
    Assurance,
    Channel,
    ChosenPath,
    Confirm,
    Constraint,
    Document,
    Edge,
    Graph,
    Map,
    PathPolicy,
    Record,
    Retry,
)
from graphwright.flow.compiled import Catalogue
from graphwright.host.event_json import event_catalog, without_private
from graphwright.testing._trace_lines import trace_line
from graphwright_server._app import create_app
from graphwright_server._settings import ServiceSettings

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
_LONGEST_VALUE = 60
_MORE_EXAMPLES = {
    **{"result": "weather", "into": "weathers", "errors": "missed", "at_once": 8},
    **{
        "when": "has(answers.email)",
        "confirm": {"by": "q.sure", "over": ["quote"]},
        "map": {"over": "log", "as": "entry"},
    },
    **{"on_error": "apologise", "with": {"collection": "sales"}, "say": "Done.", "private": True},
}
"""Examples of fields that the example of `docs/flow-document.md` does not have in each place."""
_NOT_IN_TRACE = ("turn_resumed", "saying")
_DOCS = Path(__file__).parents[1] / "docs"
_ROUTES = """Routes are below `/api/v1`, except those of other protocols and the health checks.
[The service](service.md) explains how they work together; `/openapi.json` of a service has the schemas, an example and
the errors of each.
"""
_GENERATED = "<!-- Written by `python scripts/reference_pages.py` from {}. -->\n"
_TOP = f"""# The fields of the flow document

{_GENERATED.format("the models of the document")}
[The flow document](flow-document.md) explains how the parts work together; most examples are from the flow
at its top. An example with dots is shortened. `graphwright check --schema` prints them as a JSON Schema, for editors.
"""
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


def flow_reference() -> str:
    """The page of the fields of the document: a section for each kind of record, with an example for each node."""
    document = yaml.safe_load(
        next(re.finditer(r"```yaml\n(version: v1\n.*?)```", (_DOCS / "flow-document.md").read_text("utf-8"), re.S))[1]
    )
    graphs = [document, *document["subgraphs"].values()]
    nodes = [node for graph in graphs for node in graph["nodes"]]
    edges = [edge for graph in graphs for edge in graph["edges"]]
    parts = [_TOP, "## document\n", _fields(Document, [document])]
    parts += ["## Kinds of nodes\n", "Every node has `id` and `type`, and may have `was`, `label`, `tags` and `ui`.\n"]
    for kind, model in NODES.items():
        parts += _node_section(kind, model, [node for node in nodes if node["type"] == kind])
    inside = [("retry", Retry), ("confirm", Confirm), ("map", Map)]
    parts += ["## Parts of nodes\n", "`retry`, `confirm` and `map` are fields of nodes that have fields themselves.\n"]
    for name, model in inside:
        parts += [f"### {name}\n", _fields(model, [node[name] for node in nodes if name in node])]
    parts += ["## subgraphs\n", "By id, the graphs that subgraph nodes call.\n", _fields(Graph, graphs[1:])]
    parts += ["## edges\n", _fields(Edge, edges)]
    text = "By name. Any other keyword of JSON Schema may follow, such as `items` or `enum`.\n"
    parts += ["## state\n", text, _fields(Channel, list(document["state"].values()))]
    parts += ["## constraints\n", _fields(Constraint, document["constraints"])]
    parts += ["## assurances\n", _fields(Assurance, document["assurances"])]
    parts += ["## paths\n", "By id.\n", _fields(ChosenPath, list(document["paths"].values()))]
    parts += ["## path_policy\n", _fields(PathPolicy, [document["path_policy"]])]
    return "\n".join(parts)


def events() -> str:
    """The page of the events of a trace, from their catalogue: fields, an example, its line in the trace."""
    catalog = event_catalog()
    parts = ["# Events\n", _GENERATED.format("host/event_catalog.yaml"), catalog["intro"], _meanings(catalog["common"])]
    for group in catalog["groups"]:
        parts.append(f"## {group['title']}\n")
        for type, entry in group["events"].items():
            parts += [f"### {type}\n", entry["text"] + "\n", _meanings(entry.get("fields", {}))]
            if "example" in entry:
                shown = json.dumps(entry["example"], ensure_ascii=False)
                line = "" if type in _NOT_IN_TRACE else trace_line(without_private(entry["example"])).strip()
                parts += [f"```json\n{shown}\n```\n", f"```text\n{line}\n```\n" if line else ""]
    return "\n".join(part for part in parts if part)


def routes() -> str:
    """The page of the routes of the service, from its OpenAPI document: what each does, and the role it requires."""
    with TemporaryDirectory() as home:
        document = create_app(ServiceSettings(home=Path(home))).openapi()
    found: dict[str, list[str]] = {}
    for path, methods in document["paths"].items():
        for method, each in methods.items():
            text = each["description"].partition("\n\nRequires the role")[0]
            role = next((roles[0] for scheme in each["security"] for roles in scheme.values()), "")
            row = f"| `{method.upper()} {path.removeprefix('/api/v1')}` | {role} | {_cell(text)} |"
            found.setdefault(each["tags"][0], []).append(row)
    parts = ["# The routes of the service\n", _GENERATED.format("the OpenAPI document of the service"), _ROUTES]
    for tag in document["tags"]:
        head = ["| route | role | what it does |", "|---|---|---|"]
        parts += [f"## {tag['name']}\n", tag["description"] + "\n", "\n".join([*head, *found[tag["name"]], ""])]
    return "\n".join(parts)


def _meanings(fields: Mapping[str, str]) -> str:
    lines = [f"| `{name}` | {meaning} |" for name, meaning in fields.items()]
    return "\n".join(["| field | meaning |", "|---|---|", *lines, ""]) if lines else ""


def _node_section(kind: str, model: type[Record], nodes: Sequence[Mapping[str, Any]]) -> list[str]:
    description, _, example = inspect.cleandoc(model.__doc__ or "").partition("```yaml\n")
    fields = _fields(model, nodes, without=() if kind == "question" else ("was", *_LAST_FIELDS))
    return [f"### {kind}\n", description.strip() + "\n", fields, "```yaml\n" + example + "\n"]


def _fields(record: type[Record], examples: Sequence[Mapping[str, Any]], without: Sequence[str] = ()) -> str:
    schema = record.model_json_schema()
    lines = ["| field | type | default | meaning | example |", "|---|---|---|---|---|"]
    for name, field in sorted(schema["properties"].items(), key=lambda item: item[0] in _LAST_FIELDS):
        if name in without or field.get("description") == "As in JSON Schema.":
            continue
        required = name in schema.get("required", ())
        default = "required" if required else _default(field.get("default"))
        found = next((each[name] for each in examples if name in each), _MORE_EXAMPLES.get(name))
        shown = "" if found is None else f"`{_short(found)}`"
        lines.append(
            f"| `{name}` | {_type(field)} | {default} | {_cell(field.get('description', ''))} | {_cell(shown)} |"
        )
    return "\n".join(lines) + "\n"


def _short(value: Any) -> str:
    """A value as YAML in one line; the content of a long one is left out."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10_000, sort_keys=False).removesuffix("\n...\n").strip()
    if len(text) <= _LONGEST_VALUE:
        return text
    if isinstance(value, dict):
        return f"{{{next(iter(value))}: ...}}"
    return "[...]" if isinstance(value, list) else f"{text[:_LONGEST_VALUE]}..."


def _type(field: dict[str, Any]) -> str:
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    if "const" in field:
        return f"`{field['const']}`"
    if "$ref" in field or "discriminator" in field:
        return "mapping"
    if "anyOf" in field:
        return " or ".join(dict.fromkeys(_type(each) for each in field["anyOf"]))
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


PAGES = {"flow-reference.md": flow_reference, "events.md": events, "routes.md": routes}
"""The generated pages of `docs/`."""

if __name__ == "__main__":
    for name, page in PAGES.items():
        (_DOCS / name).write_text(page(), "utf-8")
        print(f"docs/{name}")
