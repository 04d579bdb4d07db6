"""The address of a Postgres database."""

from __future__ import annotations

from importlib.util import find_spec

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from graphwright.store._errors import StoreError

_WAY = "Set GRAPHWRIGHT_STORE to postgresql://user@host/database, or unset it for a file in the data folder."


def parsed(address: str) -> URL:
    """Parse an address. Raises StoreError (`bad_store`, `store_driver_missing`), which does not show a password."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError) as error:
        raise StoreError("bad_store", "The address of the store cannot be read.", _WAY) from error
    if find_spec("psycopg") is None:
        raise StoreError(
            "store_driver_missing",
            f"The store {label(url)} needs the package psycopg, which is not installed.",
            "pip install 'graphwright[postgres]'",
        )
    return url.set(drivername="postgresql+psycopg")


def label(url: URL) -> str:
    """Return the address without password and settings."""
    return url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
