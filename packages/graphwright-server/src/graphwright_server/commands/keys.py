"""`graphwright keys`: create, list and revoke the API keys of the service."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from graphwright.cli.commands import CommandGroup
from graphwright.cli.console import columns, minute, note, result, result_json
from graphwright.cli.failures import Debug, Json
from graphwright.errors import UsageError

if TYPE_CHECKING:
    from graphwright.store import ApiKey, Keys

__all__ = ["app"]

app = typer.Typer(cls=CommandGroup, rich_markup_mode=None, no_args_is_help=True)

T = TypeVar("T")


@app.callback()
def keys() -> None:
    """Manage the API keys with which programs and people sign in to the service."""


@app.command()
def create(
    user: Annotated[
        str, typer.Option("--user", metavar="U", help="The user who signs in with it and owns the threads.")
    ],
    role: Annotated[
        str,
        typer.Option(
            "--role",
            metavar="R",
            help="viewer (reads own threads), user (talks to agents), author (edits drafts of flows), publisher "
            "(publishes drafts) or admin (manages keys, reads the audit). Each role includes those before it.",
        ),
    ] = "user",
    name: Annotated[str, typer.Option("--name", metavar="N", help="A description of its purpose.")] = "",
    days: Annotated[int, typer.Option("--days", metavar="N", min=0, help="Days until it expires; 0 means never.")] = 90,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Create a key and print it, once: only its hash is stored."""
    from graphwright_server.access._keys import create as make

    made, text = _with_keys(lambda keys: make(keys, user, role, name=name, days=days or None))
    if as_json:
        result_json({**_key_json(made), "key": text})
        return
    until = f"until {minute(made.expires)}" if made.expires else "for ever"
    note(f"Key {made.id} of {made.user} ({made.role}) holds {until}. It is shown this once:")
    result(text)


@app.command("list")
def list_keys(as_json: Json = False, debug: Debug = False) -> None:
    """List all keys, the newest first, without their secrets."""
    found = _with_keys(lambda keys: keys.list())
    if as_json:
        result_json([_key_json(key) for key in found])
    elif not found:
        note("There are no keys yet.")
    else:
        rows = [(k.id, k.user, k.role, _state(k), minute(k.last_used) or "never", k.name) for k in found]
        columns(rows, ("KEY", "USER", "ROLE", "HOLDS", "LAST USED", "NAME"))


@app.command()
def revoke(
    key: Annotated[str, typer.Argument(metavar="KEY", help="The id of a key, as 'graphwright keys list' shows it.")],
    debug: Debug = False,
) -> None:
    """Revoke a key, immediately and permanently."""
    if not _with_keys(lambda keys: keys.revoke(key)):
        raise UsageError("no_such_key", f"There is no key {key[:40]!r}.", "'graphwright keys list' has them.")
    note(f"Key {key} is revoked.")


def _state(key: ApiKey) -> str:
    return "revoked" if key.revoked else f"until {minute(key.expires)}" if key.expires else "for ever"


def _key_json(key: ApiKey) -> dict[str, str]:
    from dataclasses import asdict

    return {name: value for name, value in asdict(key).items() if name != "hash"}


def _with_keys(work: Callable[[Keys], Awaitable[T]]) -> T:
    import asyncio

    from graphwright.store import open_store

    async def run() -> T:
        async with open_store() as store:
            return await work(store.access.keys)

    return asyncio.run(run())
