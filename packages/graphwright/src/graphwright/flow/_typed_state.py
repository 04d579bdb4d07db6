"""The typed view of a flow's state as a Python module: TypedDicts from the schemas of channels and questions."""

from __future__ import annotations

import ast
import json
import keyword
import re
from collections.abc import Mapping
from typing import Any, TypeAlias

from graphwright.flow._json_schemas import is_type, options
from graphwright.flow.compiled import ROOT, Call, CompiledFlow, Question

GENERATED = "# Generated from {} by `graphwright check --stubs`: change the flow and generate it again."
"""The first line of a generated module, with the file name of the flow document."""

_WIDTH = 120
_LONGEST_LITERAL = 80
_LONGEST_NAME = 60
_SCALARS = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}
_CLASSES: Mapping[type, str] = {
    str: "str",
    bool: "bool",
    int: "int",
    float: "float",
    list: "list[Any]",
    dict: "dict[str, Any]",
    type(None): "None",
}
_IMPORTED = ("Any", "Literal", "NotRequired", "TypeAlias", "TypedDict")
_QUOTED = re.compile(r"""(["'])(?:\\.|(?!\1).)*\1""")

_Type: TypeAlias = tuple[str, ...]
_ANY: _Type = ("Any",)


def typed_state(flow: CompiledFlow, document: str) -> str:
    """Return the text of the module `state.py` of an agent; `document` is the file name of its flow document.

    The class `State` has a key for the message, the answers and each channel. A schema that Python types cannot
    express becomes `Any`.
    """
    module = _Module(flow)
    fields: dict[str, _Type] = {"message": ("str",), "answers": (module.answers((ROOT,), "Answers"),)}
    if flow.paths:
        fields["active_path"] = ("str",)
    fields |= {name: module.root_type(channel.schema, name) for name, channel in flow.channels.items()}
    module.add_class("State", fields, set())
    names = [name for name in _IMPORTED if name in module.used]
    head = [
        GENERATED.format(document),
        '"""The state that the actions of this agent see: the message, the answers and the channels of the flow."""',
        "",
        "from __future__ import annotations",
        "",
        f"from typing import {', '.join(names)}",
    ]
    blocks = [*module.blocks.values()]
    gap = "\n\n\n" if blocks[0].startswith("class") else "\n\n"
    return "\n".join(head) + gap + "\n\n\n".join(blocks) + "\n"


def generated_from(text: str) -> str:
    """Return the file name of the flow document that a module was generated from; empty for a hand-written one."""
    before, after = GENERATED.split("{}")
    line = text.removeprefix("\ufeff").partition("\n")[0].strip()
    return line[len(before) : -len(after)] if line.startswith(before) and line.endswith(after) else ""


def same_code(text: str, other: str) -> bool:
    """Return whether two modules differ at most in layout and comments."""
    try:
        return ast.dump(ast.parse(text.removeprefix("\ufeff"))) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError):
        return False


class _Module:
    """The classes and aliases of one module; each follows those that it uses. A type is a tuple of alternatives."""

    def __init__(self, flow: CompiledFlow) -> None:
        self.flow = flow
        self.blocks: dict[str, str] = {}
        self.used: set[str] = set()
        self._taken = dict.fromkeys((*_IMPORTED, "State", "Answers", "None", "True", "False"), "")
        self._scopes: dict[tuple[str, ...], str] = {}
        self._references: dict[tuple[int, str], _Type] = {}

    def answers(self, graphs: tuple[str, ...], name: str) -> str:
        """Return the class of the answers of graphs that share one scope; each call with `as` has its own class."""
        if graphs in self._scopes:
            return self._scopes[graphs]
        own = self._scopes[graphs] = name if graphs == (ROOT,) else self._name(f"{name}_answers", graphs)
        types: dict[str, _Type] = {}
        todo = [*graphs]
        for graph in todo:
            for node in self.flow.graphs[graph].nodes.values():
                if isinstance(node, Question):
                    types[node.key] = (*types.get(node.key, ()), *self.root_type(node.schema, node.key))
                elif isinstance(node, Call):
                    called = tuple(self.flow.callees(node))
                    if node.scope:
                        inner = self.answers(called, called[0].rpartition(".")[2] if len(called) == 1 else node.scope)
                        types[node.scope] = (*types.get(node.scope, ()), inner)
                    else:
                        todo += [each for each in called if each not in todo]
        self.add_class(own, types, set())
        return own

    def root_type(self, schema: Mapping[str, Any], name: str) -> _Type:
        """Return the type of the values that a whole JSON Schema allows; `name` is the name of its class."""
        return self._referenced("#", schema, name)

    def _referenced(self, pointer: str, root: Mapping[str, Any], name: str) -> _Type:
        place = (id(root), pointer)
        if place not in self._references:
            schema = _at(root, pointer)
            # A recursive object refers to its class by name; other recursion has no type.
            self._references[place] = _ANY
            if isinstance(schema, dict) and _has_class(schema):
                null = ("None",) if "null" in _types(schema) else ()
                self._references[place] = (self._class_name(schema, root, name), *null)
            self._references[place] = self._type(schema, root, name)
        return self._references[place]

    def _type(self, schema: Any, root: Mapping[str, Any], name: str) -> _Type:
        if not isinstance(schema, Mapping):
            return _ANY
        if "$ref" in schema:
            return self._referenced(schema["$ref"], root, schema["$ref"].rpartition("/")[2].strip("#") or name)
        types, name = _types(schema), str(schema.get("title", name))
        if values := options(schema):
            return self._listed([v for v in values if not types or any(is_type(v, each) for each in types)], name)
        if types:
            return tuple(self._typed(each, schema, root, name) for each in types)
        branches = schema.get("anyOf") or schema.get("oneOf") or [True]
        return tuple(part for each in branches for part in self._type(each, root, name))

    def _typed(self, kind: str, schema: Mapping[str, Any], root: Mapping[str, Any], name: str) -> str:
        if kind == "array":
            items = True if "prefixItems" in schema else schema.get("items")
            return f"list[{_joined(self._type(items, root, f'{name}_item'))}]"
        if kind != "object":
            return _SCALARS[kind]
        if _has_class(schema):
            return self._fields(schema, root, name)
        others = True if schema.get("properties") else schema.get("additionalProperties")
        return f"dict[str, {_joined(self._type(others, root, f'{name}_value'))}]"

    def _fields(self, schema: Mapping[str, Any], root: Mapping[str, Any], name: str) -> str:
        own = self._class_name(schema, root, name)
        if own not in self.blocks:
            self.blocks[own] = ""
            types = {key: self._type(each, root, f"{name}_{key}") for key, each in schema["properties"].items()}
            self.add_class(own, types, set(schema.get("required", ())))
        return own

    def _listed(self, values: list[Any], name: str) -> _Type:
        """Return the type of one of several values; a long type becomes an alias."""
        if not all(value is None or isinstance(value, str | int) for value in values):
            return tuple(_CLASSES[type(value)] for value in values)
        shown = list(dict.fromkeys(_text(value) if isinstance(value, str) else repr(value) for value in values))
        null = ("None",) if "None" in shown else ()
        shown = [each for each in shown if each != "None"]
        literal = f"Literal[{', '.join(shown)}]"
        if len(literal) > _LONGEST_LITERAL:
            literal = self._name(name, shown)
            lines = "".join(f"    {each},\n" for each in shown)
            self._add(literal, f"{literal}: TypeAlias = Literal[\n{lines}]", "TypeAlias Literal")
        return (literal, *null) if shown else null

    def _class_name(self, schema: Mapping[str, Any], root: Mapping[str, Any], name: str) -> str:
        content = [schema["properties"], schema.get("required")]
        return self._name(str(schema.get("title", name)), [content, '"$ref"' in json.dumps(content) and root])

    def _name(self, name: str, content: Any) -> str:
        """Return a class name in CamelCase, with a number if the name has another content already."""
        words = re.findall("[A-Za-z0-9]+", name)
        base = "".join(word[0].upper() + word[1:] for word in words)[:_LONGEST_NAME]
        base = base if base[:1].isalpha() else f"Value{base}"
        identity = json.dumps(content, sort_keys=True)
        number, own = 1, base
        while self._taken.setdefault(own, identity) != identity:
            number += 1
            own = f"{base}{number}"
        return own

    def add_class(self, name: str, types: Mapping[str, _Type], required: set[str]) -> None:
        """Add a TypedDict as a class, or as a call if a class body cannot declare all of its keys."""
        some = required & types.keys()
        written = {key: _joined(each) for key, each in types.items()}
        written = {k: t if k in some or not some else f"NotRequired[{t}]" for k, t in written.items()}
        total = "" if some else "total=False"
        if all(map(_is_field, types)):
            head = f"class {name}(TypedDict{f', {total}' if total else ''}):"
            lines = [head, *([_whole(f"    {key}: {each}") for key, each in written.items()] or ["    pass"])]
        else:
            lines = [f"{name} = TypedDict(", f'    "{name}",', "    {"]
            lines += [f"        {_text(key)}: {_text(each)}," for key, each in written.items()]
            lines += ["    },", *([f"    {total},"] if total else []), ")"]
        self._add(name, "\n".join(lines), " ".join(["TypedDict", *written.values()]))

    def _add(self, name: str, block: str, names: str) -> None:
        self.blocks.pop(name, None)
        self.blocks[name] = block
        self.used.update(re.findall(r"\w+", _QUOTED.sub("", names)))


def _at(root: Mapping[str, Any], pointer: str) -> Any:
    place: Any = root
    for step in pointer.split("/")[1:]:
        step = step.replace("~1", "/").replace("~0", "~")
        place = place[int(step)] if isinstance(place, list) else place[step]
    return place


def _types(schema: Mapping[str, Any]) -> list[str]:
    given = schema.get("type", [])
    return [given] if isinstance(given, str) else list(given)


def _has_class(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema describes an object by its properties."""
    known = "object" in _types(schema) and schema.get("properties") and not options(schema)
    return bool(known) and isinstance(schema.get("additionalProperties", True), bool)


def _joined(types: _Type) -> str:
    """Return the union of several types, with None at the end."""
    if "Any" in types:
        return "Any"
    return " | ".join(sorted(dict.fromkeys(types), key="None".__eq__))


def _whole(line: str) -> str:
    """Return a line that a formatter does not break."""
    return line if len(line) <= _WIDTH else f"{line}  # fmt: skip"


def _text(value: str) -> str:
    """Return the Python literal of a text, with the quotes that need fewer backslashes."""
    quote = '"' if value.count('"') <= value.count("'") else "'"
    return quote + "".join(f"\\{each}" if each == quote else repr(each)[1:-1] for each in value) + quote


def _is_field(name: str) -> bool:
    """Return whether a class body can declare the name."""
    return name.isascii() and name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("__")
