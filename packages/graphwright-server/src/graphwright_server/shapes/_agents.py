"""Agents, their flows as documents and drawings, and the findings of the compiler."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from graphwright.flow.compiled import Kind
from graphwright.flow.diagnostics import Severity
from graphwright_server.shapes import sometimes


class NotReady(BaseModel):
    """One reason why an agent is not ready."""

    code: str
    message: str
    hint: str
    facts: dict[str, Any] = Field(description="Numbers and names in the message.")


class Score(BaseModel):
    """How many of the held-out cases the model in use answered correctly."""

    right: int
    cases: int


class AgentTexts(BaseModel):
    """The texts of an agent in one language; what is empty is as in the flow."""

    title: str = ""
    about: str = Field("", description="What it does, in one line.")
    description: str = ""
    examples: list[str] = []


class Agent(BaseModel):
    """An agent: its description, its requirements, and whether it is ready."""

    name: str
    package: str = Field(description="The distribution that contains it; empty if none does.")
    title: str
    description: str = Field(description="What it does and what it does not, as its flow says.")
    examples: list[str] = Field(description="First messages that users may send as they are.")
    icon: str = Field(description="The name of an icon, as its flow says in `ui`; empty for none.")
    texts: dict[str, AgentTexts] = Field(description="By language, as its flow says in `ui`.")
    nodes: int
    questions: list[str] = Field(description="The keys of the answers that it may ask for.")
    actions: list[str]
    takes_files: bool
    needs: list[str] = Field(
        description="`model`, `mcp` (MCP servers), and resources that packages declare, such as `graph`."
    )
    measured: str = Field(description="How well the model in use does with it, if that was measured.")
    score: Score | None = Field(description="The numbers of `measured`.")
    ready: bool
    problem: str = Field(description="Why it is not ready; empty if it is.")
    problems: list[NotReady] = Field(description="The single causes in `problem`, with codes for other texts.")
    model: str = Field(description="The model that answers.")


class FlowNode(BaseModel):
    """A node of a flow."""

    id: str
    kind: Kind
    label: str = Field(description="Empty if the flow has none.")


class AgentWithFlow(Agent):
    """An agent, with its flow."""

    flow_id: str
    flow_hash: str
    flow_nodes: list[FlowNode]


class Place(BaseModel):
    """The position of a node in a drawing, in pixels."""

    x: float
    y: float


class DrawnNode(BaseModel):
    """A node in the format of React Flow."""

    id: str
    type: Kind | Literal["group", "exit"] = Field(
        description="Its kind; `group` contains the nodes of a subgraph, and `exit` is the end of a subgraph."
    )
    position: Place = Field(description="Relative to the group around it.")
    data: dict[str, Any] = Field(description="The fields of the document, and `label`; in a group `graph`, its id.")
    parentId: str = sometimes("The group around it, if there is one.")
    width: int = sometimes("Of a group.")
    height: int = sometimes("Of a group.")


class DrawnEdgeData(BaseModel):
    """The properties of an edge in the document."""

    guard: str | None
    priority: int
    tags: list[str]


class DrawnEdge(BaseModel):
    """An edge in the format of React Flow."""

    id: str
    source: str
    target: str
    label: str
    data: DrawnEdgeData


class Drawn(BaseModel):
    """A flow for a visual editor."""

    version: str
    id: str
    title: str
    entry: str
    nodes: list[DrawnNode]
    edges: list[DrawnEdge]


class FlowRead(BaseModel):
    """The flow of an agent."""

    agent: str
    document: str = Field(description="The text of its file.")
    graph: Drawn


class ThreadFlow(BaseModel):
    """The flow version under which a thread runs."""

    hash: str
    document: dict[str, Any] = Field(description="The flow document.")


class Diagnostic(BaseModel):
    """A finding of the compiler."""

    code: str
    severity: Severity
    message: str
    file: str
    line: int
    column: int
    pointer: str = Field(description="Where it is, as a JSON Pointer into the document.")
    hint: str


class Checked(BaseModel):
    """All findings; `ok` is true if none is an error."""

    ok: bool
    diagnostics: list[Diagnostic]


class Template(BaseModel):
    """A template of new agents, which consists of ready-made actions."""

    name: str
    about: str = Field(description="What such an agent does.")
    picture: str = Field(description="Its flow as SVG.")
