"""Channels that nothing uses, or that are written and that nothing in the flow reads."""

from __future__ import annotations

from graphwright.flow._dependencies import own_signature
from graphwright.flow._diagnostic_catalog import Code
from graphwright.flow._source import Reporter
from graphwright.flow.checks._truth_tables import FlowContext
from graphwright.flow.compiled import Action


def check_unused_channels(context: FlowContext, out: Reporter) -> None:
    """Report each channel that nothing reads. Nothing is known if some action may use any channel."""
    flow = context.flow
    actions = [node for node in flow.nodes.values() if isinstance(node, Action)]
    known = [own_signature(flow, action) for action in actions if action.map is None or not action.map.graph]
    if any(context.signature(action) is None for action in actions) or not all(each.complete for each in known):
        return
    read = {flow.status, flow.language, *flow.guard_reads}
    read.update(*(guard.reads for assurance in flow.assurances for guard in assurance.unless))
    read.update(*(signature.reads for signature in known))
    read.update(*(action.confirm.over for action in actions if action.confirm is not None))
    mapped = [action.map for action in actions if action.map is not None]
    read.update(*((each.over, each.item, each.result) for each in mapped))
    # Without `result` the results of the items are what the action writes.
    own = [own_signature(flow, action).writes for action in actions if action.map is not None and action.map.into]
    read.update(*own)
    written = {name for each in mapped for name in (each.into, each.errors)}
    written.update(*(signature.writes for signature in known))
    for name in flow.channels.keys() - {each.partition(".")[0] for each in read}:
        path = ("state", name)
        if name not in written:
            message = f"Nothing reads or writes the channel `{name}`."
            hint = "Remove it, or name it in the action or text that should use it."
            out.add(Code.CHANNEL_UNUSED, path, message, hint, key=True)
        else:
            message = f"The channel `{name}` is written, but nothing in the flow reads it."
            hint = "Show it in a text, or add it to the `reads` of the action that needs it."
            related = [(f"`{action.id}` writes it", context.path(action)) for action in context.writers(name)[:3]]
            out.add(Code.CHANNEL_NOT_READ, path, message, hint, key=True, related=related)
