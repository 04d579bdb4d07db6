"""The page of all diagnostic codes, in Markdown, made from the table."""

from __future__ import annotations

from graphwright.flow.codes.table import CODES, Code

_GROUPS = {
    "1": "Text and shape",
    "2": "Nodes, edges and ways",
    "3": "Guards, templates, predicates, validators",
    "4": "Questions, answers, schemas",
    "5": "Actions, confirmations, channels",
    "6": "Subgraphs",
    "7": "Constraints and paths",
}
_LONG = 1_500
"""Examples longer than this many characters are cut: nobody reads 8 MiB."""


def codes_page() -> str:
    """The text of docs/diagnostics.md."""
    parts = [
        "# Diagnostics\n",
        "Everything the compiler can say about a flow document. This page is made from the table in "
        "`graphwright.flow.codes` by `python -m graphwright.flow.codes`; the tests compile every example here.\n",
        "An *error* cannot run; a *warning* probably does not mean what it says; an *info* is a remark.\n",
    ]
    group = ""
    for code in sorted(CODES.values(), key=lambda code: code.id):
        if code.id[2] != group:
            group = code.id[2]
            parts.append(f"## GW{group}xx: {_GROUPS[group]}\n")
        parts.append(_entry(code))
    return "\n".join(parts)


def _entry(code: Code) -> str:
    lines = [f"### {code.id} {code.title}\n", f"*{code.severity.value}.* {code.why}\n"]
    if code.catalogue is not None:
        lines.append(f"{_offers(code)}\n")
    lines += ["Fails:\n", _example(code.failing), "Mended:\n", _example(code.mended)]
    return "\n".join(lines)


def _offers(code: Code) -> str:
    catalogue = code.catalogue
    assert catalogue is not None
    offered = [
        f"the action `{a.name}` (reads {', '.join(a.reads)}; writes {', '.join(a.writes)})"
        for a in catalogue.actions.values()
    ]
    offered += [f"the validator `{name}`" for name in sorted(catalogue.validators)]
    if catalogue.state_fields is not None:
        offered.append(f"a state view with the fields {', '.join(sorted(catalogue.state_fields))}")
    return f"Where the agent's Python offers {' and '.join(offered)}:"


def _example(text: str) -> str:
    if len(text) > _LONG:
        text = text[:200].rstrip() + "\n... and so on\n" if "\n" in text[:200] else text[:60] + "... and so on\n"
    shown = "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)
    return f"```yaml\n{shown}```\n"
