"""The JSON Schemas of questions and channels; checked first, because all types come from them."""

from __future__ import annotations

from graphwright.flow.draft import Draft
from graphwright.flow.expressions import channel_schema
from graphwright.flow.reporter import Reporter
from graphwright.flow.schemas import check_schema, option_schema


def check_schemas(draft: Draft, out: Reporter) -> None:
    """Check every schema, and mark in the draft those that nothing can work with."""
    for name, channel in draft.state.items():
        if not check_schema(channel_schema(channel), ("state", name), out):
            draft.unsound.add(name)
    for node in draft.nodes.values():
        schema = node.data.get("schema")
        if schema is not None:
            node.sound = check_schema(schema, (*node.path, "schema"), out)
        options = node.data.get("options")
        if isinstance(options, str) and options in draft.state and options not in draft.unsound:
            node.offered = option_schema(draft.state[options])
