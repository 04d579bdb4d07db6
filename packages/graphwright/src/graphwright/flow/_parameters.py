"""The shape of what nodes pass to ready-made actions in `with`, as Pydantic models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._document import Expression, Id, JsonSchema, Key, Record, needs_one_of
from graphwright.flow._draft import Draft, DraftNode
from graphwright.flow._ready_made import TEMPLATED, WITH
from graphwright.flow._source import Reporter, pointer
from graphwright.flow._validation import fault, without_faults
from graphwright.flow.compiled import Catalogue, Kind
from graphwright.text.near_names import listed

_PROMPT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")
_INTO = "The channel that gets the result."


def _prompt_name(value: str) -> str:
    if not _PROMPT.fullmatch(value):
        hint = "Write `complaint` for the file `prompts/complaint.j2`."
        raise fault(Code.BAD_NAME, f"`{value[:60]}` cannot be the name of a prompt.", hint)
    return value


class AskModel(Record):
    """Asks a model by a prompt file of the folder, or by an instruction."""

    called = "`ask_model`"

    prompt: Annotated[str, AfterValidator(_prompt_name)] = Field(
        "", description="The name of the prompt: a file `prompts/NAME.j2`."
    )
    instruction: Expression = Field("", description="The instruction to the model, instead of a prompt file.")
    inputs: dict[str, Any] = Field({}, description="The inputs of the prompt, or what the instruction is about.")
    schema_: JsonSchema = Field(
        None, alias="schema", description="The JSON Schema of the answer (default: that of the channel)."
    )
    into: Id = Field(description=_INTO)
    _any = model_validator(mode="after")(needs_one_of("prompt", "instruction"))

    @model_validator(mode="after")
    def _of_one_kind(self) -> AskModel:
        if {"prompt", "instruction"} <= self.model_fields_set:
            message = "`ask_model` has a `prompt` or an `instruction`, not both."
            raise fault(Code.WRONG_TYPE, message, "Leave one of them out.")
        return self


class CallTool(Record):
    """Calls a tool of an MCP server that the operator has configured."""

    called = "`call_tool`"

    server: Id = Field(description="The name of the server in the configuration.")
    tool: Id = Field(description="The name of the tool on that server.")
    arguments: dict[str, Any] = Field({}, description="The arguments, by name.")
    read_only: bool = Field(False, description="Whether the call changes nothing; the server must say so, too.")
    into: Id = Field("", description=_INTO)


class HttpRequest(Record):
    """Sends a request to a host that the operator allows."""

    called = "`http_request`"

    method: Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] = Field("GET", description="The method.")
    url: Expression = Field(description="The address; its values are percent-encoded.")
    headers: dict[str, str] = Field({}, description="Headers that hold no secrets.")
    body: Any = Field(None, description="The body: sent as JSON, a text as it is.")
    into: Id = Field("", description="The channel that gets the body of the response, JSON or text.")


class RecordOnce(Record):
    """Keeps a record, once for each visit of the node."""

    called = "`record`"

    collection: Key = Field(description="The collection of the records.")
    value: dict[str, Any] = Field(description="The record.")


class HandOver(Record):
    """Leaves the conversation to a person."""

    called = "`hand_over`"

    to: str = Field("", description="Who is to take over, such as a team.")
    summary: Expression = Field(description="What the person needs to know.")
    say: str = Field("", description="The text for the user (default: that a person takes over).")


class SayText(Record):
    """Sends a text to the user; the flow goes on."""

    called = "`say`"

    text: Expression = Field(description="The text for the user.")


MODELS: Mapping[str, type[Record]] = {
    "ask_model": AskModel,
    "call_tool": CallTool,
    "http_request": HttpRequest,
    "record": RecordOnce,
    "hand_over": HandOver,
    "say": SayText,
}


def read_parameters(draft: Draft, catalogue: Catalogue | None, out: Reporter) -> None:
    """Give every node with a ready-made action its parameters, and report those of a wrong shape.

    An action of the agent's own Python takes precedence over a ready-made one of the same name.
    """
    own = catalogue.actions if catalogue is not None else {}
    for node in draft.nodes.values():
        run = node.data.get("run")
        if node.kind is not Kind.ACTION or not isinstance(run, str):
            continue
        if run in TEMPLATED and run not in own and (WITH in node.data or catalogue is not None):
            node.is_ready_made = True
            node.parameters = _checked(node, MODELS[run], out)
            if node.id in own:
                message = f"`{node.id}` is also the name of an action in the agent's Python."
                out.add(Code.RESERVED_NAME, (*node.path, "id"), message, "Rename the node.")
        elif WITH in node.data:
            message = f"The action `{run}` takes no `with`: it reads the channels and answers that it declares."
            hint = f"Remove it. Only the ready-made actions take parameters: {listed(TEMPLATED)}."
            out.add(Code.UNKNOWN_FIELD, (*node.path, WITH), message, hint, key=True)


def _checked(node: DraftNode, model: type[Record], out: Reporter) -> dict[str, Any]:
    if WITH not in node.data:
        if pointer((*node.path, WITH)) in out.pointers(Code.WRONG_TYPE):
            return {}
        message = f"{model.called} needs its parameters in `with`."
        out.add(Code.MISSING_FIELD, node.path, message, f"Write `with: {{{', '.join(_required(model))}}}`.")
        return {}
    data = node.data[WITH]
    try:
        model.model_validate(data)
    except ValidationError as failure:
        return dict(without_faults(model, data, failure, out, (*node.path, WITH)))
    return dict(data)


def _required(model: type[Record]) -> list[str]:
    return [f"{field.alias or name}: ..." for name, field in model.model_fields.items() if field.is_required()]
