"""The shape of a layer, which is a flow document with optional fields, removals and strategies; their JSON Schema."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import AfterValidator, Field, WithJsonSchema, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._document import NODES, Assurance, Document, Record
from graphwright.flow._validation import fault, wrong_type
from graphwright.flow.layers._strategies import Strategy

_LEFT_OUT: Any = None
_PATH = {"type": "string", "pattern": r"\S"}
_REMOVED = {"type": "object", "properties": {"remove": {"const": True}}, "required": ["remove"]}
_PREDICATE = {"anyOf": [{"type": "string", "pattern": r"\S"}, {**_REMOVED, "additionalProperties": False}]}
_NAMES = {"type": "array", "items": {"type": "string"}}


def _removal(value: Any) -> Any:
    if value is not True and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        raise wrong_type("true, or a list of the names of fields", value)
    return value


def _fields_removed(value: Any) -> Any:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise wrong_type("a list of the names of fields", value)
    return value


def _predicate(value: Any) -> Any:
    if value == {"remove": True} or (isinstance(value, str) and value.strip()):
        return value
    if isinstance(value, str):
        raise fault(Code.OUT_OF_RANGE, "{name} is empty.", "Leave the field out, or fill it in.")
    raise wrong_type("a text, or `{remove: true}`", value)


_Strategy: Any = Literal[tuple(map(str, Strategy))]
_STRATEGIES = Field(
    _LEFT_OUT, description="The strategy for fields that several layers set differently: `{prompt: error}`."
)


class _Layer(Record):
    remove: Annotated[Any, AfterValidator(_removal), WithJsonSchema({"anyOf": [{"const": True}, _NAMES]})] = Field(
        _LEFT_OUT,
        description="true removes this part of the lower layers, or replaces it if there are other fields; a list "
        "removes these fields.",
    )
    strategies: dict[str, _Strategy] = _STRATEGIES


class _LayerDocument(Record):
    extends: Annotated[Any, WithJsonSchema({"anyOf": [_PATH, {"type": "array", "items": _PATH, "minItems": 1}]})] = (
        Field(_LEFT_OUT, description="The documents under this one, lowest first, relative to this file.")
    )
    remove: Annotated[Any, AfterValidator(_fields_removed), WithJsonSchema(_NAMES)] = Field(
        _LEFT_OUT, description="Fields of the lower layers that are removed."
    )
    strategies: dict[str, _Strategy] = _STRATEGIES


@cache
def layer_model() -> type[Record]:
    """The model of a layer. It has the fields of the flow document, none of them required but the ids of nodes."""
    return _model(Document)


@cache
def _model(record: type[Record]) -> type[Record]:
    return _made(record.__name__, record.called, _fields(record), _LayerDocument if record is Document else _Layer)


@cache
def _node_model() -> type[Record]:
    fields = {name: field for model in NODES.values() for name, field in _fields(model).items()}
    fields["type"] = (Literal[tuple(NODES)], Field(_LEFT_OUT, description="The kind of node."))
    fields["id"] = (NODES["question"].model_fields["id"].annotation, Field(description="The node's id."))
    return _made("Node", "A node", fields, _Layer)


def _made(name: str, called: str, fields: dict[str, Any], base: type[Record]) -> type[Record]:
    model = create_model(f"{name}Layer", __base__=base, __module__=__name__, **fields)
    model.called = called
    return model


def _fields(record: type[Record]) -> dict[str, Any]:
    return {name: _optional(name, field) for name, field in record.model_fields.items()}


def _optional(name: str, field: FieldInfo) -> Any:
    annotation = (
        Annotated[(_layered(field.annotation), *field.metadata)] if field.metadata else _layered(field.annotation)
    )
    if name == "predicates":
        predicate = Annotated[Any, AfterValidator(_predicate), WithJsonSchema(_PREDICATE)]
        annotation = dict.__class_getitem__((get_args(field.annotation)[0], predicate))
    return annotation, Field(_LEFT_OUT, alias=field.alias, description=field.description)


def _layered(annotation: Any) -> Any:
    """The annotation with the layers of its records. A node of unknown kind takes the place of the five kinds."""
    if isinstance(annotation, type) and issubclass(annotation, Record):
        # Assurances have no ids: a layer can add whole ones only.
        return annotation if annotation is Assurance else _model(annotation)
    origin, parts = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        is_node = set(NODES.values()) <= set(get_args(parts[0]))
        return _node_model() if is_node else Annotated[(_layered(parts[0]), *parts[1:])]
    if origin in (list, dict):
        return origin[tuple(map(_layered, parts))]
    return annotation


class _Described(GenerateJsonSchema):
    """JSON Schema without defaults, because omitted fields are not written to a document."""

    def default_schema(self, schema: Any) -> dict[str, Any]:
        return self.generate_inner(schema["schema"])


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a flow document, and of a layer if it has `extends`, for editors."""
    models = ((Document, "validation"), (layer_model(), "validation"))
    references, made = models_json_schema(models, schema_generator=_Described)  # type: ignore[arg-type]
    whole, layer = (references[model, mode] for model, mode in models)  # type: ignore[index]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": Document.model_config.get("title"),
        "if": {"anyOf": [{"required": ["extends"]}, {"required": ["strategies"]}]},
        "then": layer,
        "else": whole,
        **made,
    }
