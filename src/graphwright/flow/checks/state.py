"""Channels: schemas, defaults, and the typed view of them."""

from __future__ import annotations

from graphwright.flow.catalogue import Catalogue
from graphwright.flow.diagnostic_catalog import Code
from graphwright.flow.draft import Draft
from graphwright.flow.expressions import channel_schema
from graphwright.flow.names import Names
from graphwright.flow.reporter import Reporter
from graphwright.flow.schemas import allows_type, misfit


def check_state(draft: Draft, catalogue: Catalogue | None, out: Reporter) -> None:
    """Check every channel, and that the typed view declares no other."""
    for name, channel in draft.state.items():
        path = ("state", name)
        schema = channel_schema(channel)
        if channel.get("reduce") == "append" and not allows_type(schema, "array"):
            hint = "Write `type: array`, or leave `reduce` out."
            out.add(Code.APPEND_NOT_LIST, (*path, "reduce"), f"`{name}` is appended to, but is no list.", hint)
        if name not in draft.unsound and "default" in channel and (why := misfit(channel["default"], schema)):
            hint = "Mend the default, or allow it in the schema (`type: [string, 'null']` allows null)."
            out.add(Code.BAD_DEFAULT, (*path, "default"), f"The default of `{name}` does not fit: {why}.", hint)
        if name in draft.predicates:
            message = f"`{name}` is a channel and a predicate at once."
            related = [("the channel", path)]
            hint = "Rename one of the two."
            out.add(Code.RESERVED_NAME, ("predicates", name), message, hint, key=True, related=related)
    if catalogue is None or catalogue.state_fields is None:
        return
    names = Names(draft.state)
    for field in sorted(catalogue.state_fields - set(draft.state)):
        message = f"The typed view of the state has the field `{field}`, which the flow does not declare."
        hint = names.hint(field, f"Add it under `state`, as `{field}: {{type: ...}}`, or remove the field.")
        out.add(Code.STATE_VIEW, ("state",), message, hint, key=True)
