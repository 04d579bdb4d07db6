"""Opening the interaction log that the configuration names."""

from __future__ import annotations

from pathlib import Path

from graphwright.config import chosen_interactions
from graphwright.store.interactions.address import Address, parsed
from graphwright.store.interactions.sink import InteractionSink


def configured(home: Path) -> InteractionSink | None:
    """The interaction log of a data folder, or the one configured instead; None where it is switched off.

    Nothing is made or connected yet. Raises ConfigError, and InteractionLogError (`bad_log`, `log_driver_missing`).
    """
    text, base = chosen_interactions()
    address = parsed(text, home, base)
    return None if address is None else open_sink(address)


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
