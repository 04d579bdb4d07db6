"""`graphwright agents`: the available agents, their requirements, and whether they are ready."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from graphwright.cli.console import columns, facts, note, result_json, results_alone
from graphwright.cli.failures import Debug, Json
from graphwright.text.sentences import many

if TYPE_CHECKING:
    from graphwright.host.cards import Card


_NEEDS = {"model": "a model", "mcp": "the extra mcp"}
"""The requirements of agents, in words. Those of resources have their own."""


def agents(
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="Describe this agent; a path works, too.")
    ] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """List the agents, what each needs and whether it is ready."""
    from graphwright.config import current
    from graphwright.host.cards import card, cards

    # Without a usable file, no card knows its settings: its agent would seem to need nothing.
    current()
    with results_alone():
        found = [card(name)] if name is not None else cards()
    if as_json:
        shown = [asdict(each) for each in found]
        result_json(shown[0] if name is not None else shown)
    elif name is not None:
        _describe(found[0])
    else:
        rows = [(c.name, c.title, _needs(c), "yes" if c.ready else "no") for c in found]
        columns(rows, ("NAME", "TITLE", "NEEDS", "READY"))
        for problem in dict.fromkeys(each.problem for each in found if not each.ready):
            note(f"Not ready: {problem}")


def _needs(card: Card) -> str:
    from graphwright.hooks import RESOURCES

    words = {**_NEEDS, **{name: resource.what for name, resource in RESOURCES.usable()}}
    return ", ".join(words.get(each, each) for each in card.needs) or "nothing"


def _describe(card: Card) -> None:
    rows = [
        ("agent", card.name),
        ("title", card.title),
        *([("does", card.description)] if card.description else []),
        *([("package", card.package)] if card.package else []),
        ("flow", f"{card.file} ({many(card.nodes, 'node')})"),
        ("asks for", ", ".join(card.questions) or "nothing"),
        ("actions", ", ".join(card.actions) or "none"),
        *([("takes", "files")] if card.takes_files else []),
        ("needs", _needs(card)),
        *card.addresses.items(),
        *([("measured", card.measured)] if card.measured else []),
        ("ready", "yes" if card.ready else f"no: {card.problem}"),
    ]
    facts(rows, 10)
