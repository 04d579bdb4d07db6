"""The command, the doctor check and the approval card of the package."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator, Mapping
from typing import Any

import typer

from graphwright.hooks import ApprovalCard, Finding


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
