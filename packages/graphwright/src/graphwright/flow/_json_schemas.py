"""JSON Schemas inside a flow document: their validity, contradictions, and the options they offer."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from graphwright.extras import PackageMissing
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._draft import Draft
from graphwright.flow._expressions import channel_schema
from graphwright.flow._schema_validation import NEEDED, UNITS, first_violation, schema_problems
from graphwright.flow._source import Path, Reporter
from graphwright.flow.guards._vocabulary import words
from graphwright.text.near_names import Names, listed

SCHEMA_KEYWORDS = words(
    """$anchor $comment $defs $dynamicAnchor $dynamicRef $id $ref $schema $vocabulary additionalProperties allOf anyOf
    const contains contentEncoding contentMediaType contentSchema default dependentRequired dependentSchemas
    deprecated description else enum examples exclusiveMaximum exclusiveMinimum format if items maxContains maxItems
    maxLength maxProperties maximum minContains minItems minLength minProperties minimum multipleOf not oneOf
    pattern patternProperties prefixItems properties propertyNames readOnly required then title type
    unevaluatedItems unevaluatedProperties uniqueItems writeOnly"""
)
"""The keywords of JSON Schema draft 2020-12."""

TYPES = ("string", "number", "integer", "boolean", "array", "object", "null")
"""The types of JSON Schema."""

CHECKED_FORMATS = words(
    """date date-time duration email hostname idn-email idn-hostname ipv4 ipv6 iri iri-reference json-pointer phone
    regex relative-json-pointer time uri uri-reference uri-template uuid"""
)
"""The values of `format` that are checked for an answer; any other accepts every text."""

_MAX_LENGTH = 40
_KEYWORDS = Names(SCHEMA_KEYWORDS)
_FORMATS = Names(sorted(CHECKED_FORMATS))
_PYTHON: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "array": list,
    "object": dict,
    "null": type(None),
    "number": (int, float),
}


def options(schema: Any) -> list[Any]:
    """The values that a schema lists: those of `enum`, `const`, or `oneOf`/`anyOf` with one of these in each branch."""
    return [value for value, _ in _listed(schema)] if isinstance(schema, dict) else []


def option_schema(channel: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The schema of one value in a channel that lists options, as `{value, title}` or plain; otherwise None."""
    items = channel.get("items")
    if channel.get("type") != "array" or not isinstance(items, dict):
        return None
    if items.get("type") != "object":
        scalar = {items["type"]} if isinstance(items.get("type"), str) else set(items.get("type", ()))
        return items if options(items) or (scalar and not scalar & {"array", "object"}) else None
    properties = items.get("properties")
    if not isinstance(properties, dict) or not {"value", "title"} <= set(properties):
        return None
    value = properties["value"]
    return value if isinstance(value, dict) else {}


def allows_type(schema: Mapping[str, Any], name: str) -> bool:
    """Whether a value of the JSON type `name` may fit, judged by `type` and the listed values."""
    given = schema.get("type")
    if given is not None:
        names = [given] if isinstance(given, str) else given if isinstance(given, list) else ()
        return name in names or (name == "integer" and "number" in names)
    listed_values = options(schema)
    return not listed_values or any(is_type(value, name) for value in listed_values)


def is_type(value: Any, name: str) -> bool:
    """Whether the value is of the JSON type `name`. 1.0 counts as an integer, as in JSON Schema."""
    if isinstance(value, bool):
        return name == "boolean"
    if name == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    return isinstance(value, _PYTHON.get(name, ()))


def misfit(value: Any, schema: Mapping[str, Any]) -> str:
    """Why a value does not fit a valid schema, in one sentence without its full stop; empty if it fits."""
    given = schema.get("type")
    if len(schema) == 1 and given is not None:
        names = [given] if isinstance(given, str) else given
        if any(is_type(value, name) for name in names):
            return ""
        return f"it must be {_type_names(names)}, not {kind_of(value)}"
    return first_violation(schema, value)


def may_fit(value: Any, schema: Mapping[str, Any]) -> bool:
    """Whether a value may fit a valid schema, judged by `type`, `enum` and `const`; loads no validator."""
    given = schema.get("type")
    names = [given] if isinstance(given, str) else given
    if names is not None and not any(is_type(value, name) for name in names):
        return False
    listed_values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return listed_values is None or value in listed_values


_CERTAIN = words(
    """type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern minItems
    maxItems uniqueItems items oneOf anyOf title description default examples $comment deprecated readOnly writeOnly"""
)
"""The keywords whose effect is exactly known; that of `format`, for example, is not."""


def certainly_valid(value: Any, schema: Any) -> bool:
    """Whether a value fits a schema. A schema with rarer keywords is not examined: the result is False."""
    return _is_certain(schema) and not misfit(value, schema)


def _is_certain(schema: Any) -> bool:
    if not isinstance(schema, dict) or any(k not in _CERTAIN and not k.startswith("x-") for k in schema):
        return False
    branches = [branch for name in ("oneOf", "anyOf") for branch in schema.get(name, ())]
    return all(map(_is_certain, [*branches, *([schema["items"]] if "items" in schema else [])]))


def _type_names(names: Iterable[str]) -> str:
    return " or ".join(f"{'an' if name[0] in 'aeiou' else 'a'} {name}" for name in names)


def check_schema(schema: Any, path: Path, out: Reporter, missing: Collection[str]) -> bool:
    """Report the errors in a schema, each at its place. Returns True if a validator can use it.

    `missing` are the packages of formats and units that are not installed.

    The usual keywords are checked here, which is quick and gives messages for people; only a schema with unusual ones
    is validated by the metaschema.
    """
    checker = _Checker(schema, out, missing)
    checker.check(schema, path)
    if checker.sound and checker.unusual:
        checker.check_against_metaschema(path)
    return checker.sound


class _Checker:
    def __init__(self, root: Any, out: Reporter, missing: Collection[str]) -> None:
        self.root = root
        self.out = out
        self.missing = missing
        self.sound = True
        self.unusual = False

    def check(self, schema: Any, path: Path) -> None:
        if isinstance(schema, bool):
            return
        if not isinstance(schema, dict):
            hint = "Write `{type: string}`, for example."
            self._bad(path, f"A JSON Schema is a mapping, not {kind_of(schema)}.", hint)
            return
        for keyword, value in schema.items():
            where = (*path, keyword)
            if keyword in _KINDS:
                expected, test, hint = _KINDS[keyword]
                if not test(value) or (keyword == "$ref" and not self._leads_somewhere(value)):
                    self._bad(where, f"`{keyword}` must be {expected}, not {kind_of(value)}.", hint)
                    continue
                self.unusual = self.unusual or keyword == "$ref"
                for step, part in _schemas_in(keyword, value):
                    self.check(part, (*where, *step))
            elif keyword in SCHEMA_KEYWORDS:
                self.unusual = self.unusual or keyword not in _ANYTHING
            elif not keyword.startswith(("x-", "$")):
                message = f"`{keyword[:60]}` is not a keyword of JSON Schema and has no effect."
                hint = _KEYWORDS.hint(keyword, "Remove it, or begin it with `x-`.")
                self.out.add(Code.SCHEMA_KEYWORD, where, message, hint, key=True)
        if self.sound:
            self._contradictions(schema, path)
            self._check_limits(schema, path)
            self._check_format(schema, path)
            self._check_packages(schema, path)
            self._check_scalars(schema, path)
            self._check_alike(schema, path)

    def _check_limits(self, schema: Mapping[str, Any], path: Path) -> None:
        """Report limits of a type that no value has; without a `type` the schema of a question reads texts."""
        given = schema.get("type")
        names = [given] if isinstance(given, str) else given
        if names is None:
            is_question = path[-1:] == ("schema",) and path[-2:-1] != ("with",)
            if not is_question or not _FREE.isdisjoint(schema):
                return
            names = ["string", "object", "array"]
        for keyword in schema:
            limited = _LIMITED.get(keyword)
            if limited is None or not limited.types.isdisjoint(names):
                continue
            kept = "no `type` is given" if given is None else f"the type is {_type_names(names)}"
            message = f"`{keyword}` limits {limited.what}, and {kept}: it has no effect."
            same = next(
                (_LIMITED_ALIKE.get((keyword, name)) for name in names if (keyword, name) in _LIMITED_ALIKE), ""
            )
            instead = f", or `{same}` instead" if same and given is not None else ""
            hint = f"Write `type: {limited.type}`{instead}."
            self.out.add(Code.LIMIT_WITHOUT_EFFECT, (*path, keyword), message, hint, key=True)

    def _check_format(self, schema: Mapping[str, Any], path: Path) -> None:
        name = schema.get("format")
        if name is None or name in CHECKED_FORMATS or "pattern" in schema:
            return
        message = f"Nothing checks the format `{name[:60]}`, so every text is accepted."
        rest = f"The formats are {listed(sorted(CHECKED_FORMATS), 30)}; for another one write a `pattern`."
        hint = f"{_FORMATS.hint(name)} {rest}".lstrip()
        self.out.add(Code.UNKNOWN_FORMAT, (*path, "format"), message, hint)

    def _check_packages(self, schema: Mapping[str, Any], path: Path) -> None:
        name = schema.get("format", "")
        if schema.get("x-unit") and UNITS in self.missing:
            _report_missing(self.out, (*path, "x-unit"), "A number with a unit", UNITS)
        if (package := NEEDED.get(name, "")) in self.missing:
            _report_missing(self.out, (*path, "format"), f"The format `{name}`", package)

    def _check_scalars(self, schema: Mapping[str, Any], path: Path) -> None:
        """Report options without quotes that YAML does not read as their text."""
        if isinstance(schema.get("type"), str) and schema["type"] in ("number", "integer"):
            return
        options = [((*path, "enum", place), value) for place, value in enumerate(schema.get("enum", ()))]
        for where, value in [*options, ((*path, "const"), schema.get("const"))]:
            written = None if isinstance(value, str) else self.out.source.written(where)
            if written is None or written in ("null", json.dumps(value)) or isinstance(value, bool):
                continue
            made = "no value (null)" if value is None else f"the number {json.dumps(value)}"
            hint = f'Put it in quotes if it is a text: "{written}".'
            hint += "" if value is None else f" Write {json.dumps(value)} if it is a number."
            shown = f"`{written}`" if written else "An empty value"
            self.out.add(Code.SCALAR_NOT_TEXT, where, f"YAML reads {shown} as {made}.", hint)

    def _check_alike(self, schema: Mapping[str, Any], path: Path) -> None:
        """Report two options with the same value or title."""
        for keyword in ("enum", "oneOf"):
            seen: set[str] = set()
            for place, option in enumerate(schema.get(keyword, ())):
                titled = isinstance(option, Mapping) and "const" in option
                if keyword == "oneOf" and not titled:
                    continue
                said = option.get("title", option["const"]) if titled else option
                written = json.dumps(said, sort_keys=True, default=str)
                if written in seen:
                    message = f"Two options are {written}: users cannot tell them apart."
                    self.out.add(Code.OPTIONS_ALIKE, (*path, keyword, place), message, "Change one, or remove it.")
                seen.add(written)

    def check_against_metaschema(self, path: Path) -> None:
        for place, problem in schema_problems(self.root)[:20]:
            self._bad((*path, *place), f"Not a usable JSON Schema: {problem}.", "See json-schema.org, draft 2020-12.")

    def _bad(self, path: Path, message: str, hint: str = "") -> None:
        self.sound = False
        self.out.add(Code.BAD_SCHEMA, path, message, hint)

    def _leads_somewhere(self, reference: str) -> bool:
        place = self.root
        for step in reference.split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if isinstance(place, list):
                place = dict(enumerate(place)).get(int(step) if step.isdecimal() else -1)
            else:
                place = place.get(step) if isinstance(place, dict) else None
        return place is not None

    def _contradictions(self, schema: Mapping[str, Any], path: Path) -> None:
        for low, high in (("minimum", "maximum"), ("minLength", "maxLength"), ("minItems", "maxItems")):
            if low in schema and high in schema and schema[low] > schema[high]:
                message = f"Nothing fits: `{low}` {schema[low]} is above `{high}` {schema[high]}."
                self.out.add(Code.SCHEMA_ALLOWS_NOTHING, (*path, low), message, "Swap or correct the two.")
        given = schema.get("type")
        names = [given] if isinstance(given, str) else given
        if names is None:
            return
        for place, value in enumerate(schema.get("enum", ())):
            if not any(is_type(value, name) for name in names):
                message = f"The type is {_type_names(names)}, so {kind_of(value)} can never be the value."
                hint = "Correct the value (quotes make it a text), or the type."
                self.out.add(Code.SCHEMA_ALLOWS_NOTHING, (*path, "enum", place), message, hint)


def _is_pattern(value: Any) -> bool:
    return isinstance(value, str) and not schema_problems({"pattern": value})


def _names_types(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in TYPES for name in names)


_Kind = tuple[str, Callable[[Any], bool], str]
_TEXT: _Kind = ("a text", lambda v: isinstance(v, str), "Put it in quotes.")
_FLAG: _Kind = ("true or false", lambda v: isinstance(v, bool), "")
_NUMBER: _Kind = ("a number", lambda v: isinstance(v, int | float) and not isinstance(v, bool), "")
_COUNT: _Kind = ("a whole number of at least 0", lambda v: is_type(v, "integer") and v >= 0, "")
_SCHEMA: _Kind = ("a schema", lambda v: isinstance(v, dict | bool), "Write `{type: string}`, for example.")
_BY_NAME: _Kind = ("a mapping of schemas", lambda v: isinstance(v, dict), "")
_BRANCHES: _Kind = ("a list of at least one schema", lambda v: isinstance(v, list) and bool(v), "")
_KINDS: Mapping[str, _Kind] = {
    "type": ("one of the types, or a list of them", _names_types, f"The types are {listed(TYPES)}; null has quotes."),
    "enum": ("a list of at least one value", _BRANCHES[1], "Write `enum: [first, second]`."),
    "pattern": (
        "a regular expression (ECMA 262) that is not too large",
        _is_pattern,
        "Check brackets and backslashes. The end of the text is `$`, not `\\Z`. Nested repetitions are multiplied.",
    ),
    "$ref": (
        "a reference to a part of the same schema",
        lambda v: isinstance(v, str) and v.startswith("#"),
        "Write `#/$defs/NAME`, with `$defs` beside it.",
    ),
    "required": (
        "a list of names of properties",
        lambda v: isinstance(v, list) and all(isinstance(one, str) for one in v),
        "Whether a question must be answered says its own field `required`.",
    ),
    **dict.fromkeys(("title", "description", "format", "$comment"), _TEXT),
    **dict.fromkeys(("uniqueItems", "deprecated", "readOnly", "writeOnly"), _FLAG),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _COUNT),
    **dict.fromkeys(("properties", "$defs"), _BY_NAME),
    **dict.fromkeys(("items", "additionalProperties", "not"), _SCHEMA),
    **dict.fromkeys(("oneOf", "anyOf", "allOf"), _BRANCHES),
}
_ANYTHING = frozenset({"const", "default", "examples"})


class _Limited(NamedTuple):
    """What a keyword limits: the type to write for it, all types that it limits, and what it limits in words."""

    type: str
    types: frozenset[str]
    what: str


_NUMBERS = _Limited("integer` or `number", frozenset({"integer", "number"}), "numbers")
_TEXTS = _Limited("string", frozenset({"string"}), "texts")
_LISTS = _Limited("array", frozenset({"array"}), "lists")
_LIMITED: Mapping[str, _Limited] = {
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"), _NUMBERS),
    **dict.fromkeys(("minLength", "maxLength", "pattern"), _TEXTS),
    **dict.fromkeys(("minItems", "maxItems", "uniqueItems", "items"), _LISTS),
}
_SAME = (("minimum", "minLength", "minItems"), ("maximum", "maxLength", "maxItems"))
_BY_TYPE = (("integer", "number"), ("string",), ("array",))
_LIMITED_ALIKE = {
    (keyword, name): same[place]
    for same in _SAME
    for keyword in same
    for place, names in enumerate(_BY_TYPE)
    for name in names
}
"""For a keyword and a type that it does not limit: the keyword that limits the size of that type."""
_FREE = frozenset({"enum", "const", "oneOf", "anyOf", "allOf", "$ref", "not", "if"})
"""Keywords that may say what a value is without `type`."""


def _schemas_in(keyword: str, value: Any) -> Iterable[tuple[Path, Any]]:
    """The schemas inside a keyword, with the steps that lead to them."""
    kind = _KINDS[keyword]
    if kind is _BY_NAME:
        return [((name,), schema) for name, schema in value.items()]
    if kind is _BRANCHES:
        return [((place,), schema) for place, schema in enumerate(value)]
    return [((), value)] if kind is _SCHEMA else []


def kind_of(value: Any) -> str:
    """A value in words: `a text`, `a number`, ..."""
    if value is None:
        return "nothing (null)"
    if isinstance(value, bool):
        return f"the flag {str(value).lower()}"
    if isinstance(value, (int, float)):
        return f"the number {value}" if abs(value) < 10**15 else "a number"
    if isinstance(value, str):
        return f"the text `{value[:_MAX_LENGTH]}`" if value else "an empty text"
    return "a list" if isinstance(value, list) else "a mapping"


@dataclass(frozen=True, slots=True)
class Option:
    """One value that a question offers; `title` is shown to people."""

    value: Any
    title: str

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "title": self.title}


def options_of(schema: Mapping[str, Any]) -> tuple[Option, ...]:
    """The options that a JSON Schema offers, in its order; empty if it does not offer a closed choice.

    Supports `enum` (with `x-titles: {value: title}`), `const`, `oneOf`/`anyOf` whose branches all have a `const` or an
    `enum`, and booleans. Null is not an option.
    """
    titles = schema.get("x-titles")
    named: Mapping[str, Any] = titles if isinstance(titles, Mapping) else {}
    if schema.get("type") == "boolean" and "const" not in schema and "enum" not in schema:
        return Option(True, title_of(True)), Option(False, title_of(False))
    found = _listed(schema)
    return tuple(Option(v, str(title or named.get(str(v)) or title_of(v))) for v, title in found if v is not None)


def _listed(schema: Mapping[str, Any]) -> list[tuple[Any, Any]]:
    if "const" in schema:
        return [(schema["const"], schema.get("title"))]
    if isinstance(schema.get("enum"), list):
        return [(value, None) for value in schema["enum"]]
    for word in ("oneOf", "anyOf"):
        branches = schema.get(word)
        if isinstance(branches, list) and branches:
            branches = [b for b in branches if not (isinstance(b, Mapping) and b.get("type") == "null")]
            if not all(isinstance(b, Mapping) and ("const" in b or "enum" in b) for b in branches):
                return []
            return [pair for branch in branches for pair in _listed(branch)]
    return []


def title_of(value: Any) -> str:
    """A readable title of a value without a given one."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(str(value).replace("_", " ").split()) or str(value)


def check_schemas(draft: Draft, missing: Collection[str], out: Reporter) -> None:
    """Check every schema, and mark the unusable ones in the draft. `missing` are packages that are not installed."""
    for name, channel in draft.state.items():
        if not check_schema(channel_schema(channel), ("state", name), out, missing):
            draft.unsound.add(name)
    for node in draft.nodes.values():
        schema = node.data.get("schema")
        if schema is not None:
            node.sound = check_schema(schema, (*node.path, "schema"), out, missing)
        if "schema" in node.parameters:
            node.sound = check_schema(node.parameters["schema"], (*node.path, "with", "schema"), out, missing)
        validator = str(node.data.get("validate", ""))
        own = validator in draft.predicates or validator in draft.state
        if not own and (package := NEEDED.get(validator, "")) in missing:
            _report_missing(out, (*node.path, "validate"), f"The validator `{validator}`", package)
    find_offers(draft)


def find_offers(draft: Draft) -> None:
    """Note in the draft, for each question with options from a channel, the schema of one option."""
    for node in draft.nodes.values():
        options = node.data.get("options")
        if isinstance(options, str) and options in draft.state and options not in draft.unsound:
            node.offered = option_schema(draft.state[options])


def closed(properties: Mapping[str, Mapping[str, Any]], required: Iterable[str] | None = None) -> dict[str, Any]:
    """The JSON Schema of an object with these properties and no others; by default all are `required`."""
    return {
        "type": "object",
        "properties": {name: dict(schema) for name, schema in properties.items()},
        "required": list(properties if required is None else required),
        "additionalProperties": False,
    }


def _report_missing(out: Reporter, path: Path, what: str, package: str) -> None:
    error = PackageMissing(what, package, "formats")
    out.add(Code.PACKAGE_MISSING, path, error.message, error.hint)
