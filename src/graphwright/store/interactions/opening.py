"""Opening the interaction log that the configuration names."""

from __future__ import annotations

from pathlib import Path

from graphwright.config import chosen_interactions
from graphwright.store.interactions.address import Address, parsed
from graphwright.store.interactions.sink import InteractionSink, no_folder


def configured(home: Path) -> InteractionSink | None:
    """The interaction log of a data folder, or the one configured instead; None where it is switched off.

    Nothing is made or connected yet. Raises ConfigError, and InteractionLogError (`bad_log`, `log_driver_missing`,
    and `log_unwritable` where the folder of its file is not there).
    """
    text, base = chosen_interactions()
    address = parsed(text, home, base)
    return None if address is None else open_written(address, home)


def open_written(address: Address, home: Path) -> InteractionSink:
    """`open_sink`, for who wants to see what is in the log: one that cannot be written is not taken for an empty one.

    Raises InteractionLogError (`log_driver_missing`, `log_unwritable`).
    """
    # The data folder is made when there is something to keep, any other folder is not.
    if address.path is not None and address.path.parent != home and not address.path.parent.exists():
        raise no_folder(address.path)
    return open_sink(address)


def open_sink(address: Address) -> InteractionSink:
    """The log at an address. Nothing is made or connected yet. Raises InteractionLogError (`log_driver_missing`)."""
    # Each brings libraries along that the other has no use for.
    if address.url is not None:
        from graphwright.store.interactions.postgres import PostgresSink

        return PostgresSink(address.url, address.label)
    assert address.path is not None
    if address.path.suffix.lower() == ".jsonl":
        from graphwright.store.interactions.jsonl import JsonlSink

        return JsonlSink(address.path)
    from graphwright.store.interactions.sqlite import SqliteSink

    return SqliteSink(address.path)
