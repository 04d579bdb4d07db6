"""The command, the doctor check, the approval card and the pane of the package."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import typer

from graphwright.hooks import ApprovalCard, Finding, Pane


def list_repairs() -> None:
    """List the booked repairs, oldest first."""
    from graphwright import Workspace

    async def read() -> list[Any]:
        async with Workspace() as workspace:
            return await workspace.store.records.list("repairs")

    for repair in asyncio.run(read()):
        typer.echo(f"{repair.value['bike']}: {repair.value['fault']}")


def check_workshop() -> Iterator[Finding]:
    """Check that the telephone number of the workshop is set."""
    number = os.environ.get("WORKSHOP_PHONE", "")
    if number:
        yield "ok", f"The workshop answers at {number}.", ""
    else:
        yield "warning", "The workshop has no telephone number.", "Set WORKSHOP_PHONE."


def show_approval(over: Mapping[str, Any]) -> ApprovalCard:
    """Describe the repair that a yes books, as Markdown."""
    return ApprovalCard(text=f"Repair **{over['answers.bike']}**: {over['answers.fault']}")


pane = Pane(
    title={"en": "Repairs", "de": "Reparaturen"},
    icon="M9 17.5a3.5 3.5 0 1 1-7 0 3.5 3.5 0 1 1 7 0zM22 17.5a3.5 3.5 0 1 1-7 0 3.5 3.5 0 1 1 7 0z"
    "M12 17.5V14l-3-3 4-3 2 3h2",
    module=Path(__file__).parent / "pane" / "pane.js",
    key="r",
)
