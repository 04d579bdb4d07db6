"""Where the interaction log lives: what the configuration says, read as an address."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphwright.store.interactions.sink import InteractionLogError

if TYPE_CHECKING:
    from sqlalchemy import URL

OFF = "off"
FILE = "interactions.db"

_WAYS = (
    "Write off, the path of a file that ends in .jsonl, sqlite:////folder/log.db or postgresql://user@host/database, "
    "as GRAPHWRIGHT_INTERACTIONS or as interactions in graphwright.toml."
)
_LIBPQ = ("postgres", "postgresql")


@dataclass(frozen=True, slots=True)
class Address:
    """A file of SQLite or of JSON Lines (`path`), or a Postgres database (`url`). `label` holds no password."""

    label: str
    path: Path | None = None
    url: URL | None = None


def parsed(text: str, home: Path, base: Path) -> Address | None:
    """The address that a setting stands for; None for `off`, and the file in the data folder for an empty text.

    Relative paths begin at `base`. Raises InteractionLogError (`bad_log`), which never shows a password.
    """
    text = text.strip()
    if not text:
        return _file(home / FILE)
    if text.lower() == OFF:
        return None
    if "://" in text:
        return _of_url(text, base)
    if not text.lower().endswith(".jsonl"):
        # Who writes a host and a password alone must not read them in an error.
        raise InteractionLogError("bad_log", "The address of the interaction log is none that is known.", _WAYS)
    return _file(base / Path(text).expanduser())


def _of_url(text: str, base: Path) -> Address:
    from sqlalchemy import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        url = make_url(text)
    except (ArgumentError, ValueError) as error:
        raise InteractionLogError("bad_log", "The address of the interaction log cannot be read.", _WAYS) from error
    name = url.drivername.partition("+")[0]
    if name in _LIBPQ:
        shown = url.set(drivername="postgresql", query={}).render_as_string(hide_password=True)
        return Address(shown, url=url.set(drivername="postgresql+psycopg"))
    if name != "sqlite":
        raise InteractionLogError("bad_log", f"The interaction log cannot be kept by {name}.", _WAYS)
    if url.database in (None, "", ":memory:") or url.query:
        raise InteractionLogError("bad_log", "The address of the interaction log names no file of SQLite.", _WAYS)
    return _file(base / Path(str(url.database)).expanduser())


def _file(path: Path) -> Address:
    return Address(str(path.absolute()), path=path.absolute())
