"""Entries as sources: what a model gets to read of them, and what an answer can cite."""

from __future__ import annotations

from urllib.parse import quote

from graphwright.logbook.port import Entry
from graphwright.tools.sources import Source, SourceImage

_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg")
_MOST_IMAGES = 10


def as_source(entry: Entry, most: int) -> Source:
    """The entry as a source of kind `elog`, its text cut to `most` characters, which then says so.

    The metadata always has `id, date, time, author, category, system, reply_to`, and `replies` and `attachments` where
    there are some.
    """
    text = entry.text
    if len(text) > most:
        text = f"{text[:most].rstrip()} [... {len(text) - most:,} more characters]"
    metadata = {
        "id": str(entry.id),
        "date": f"{entry.moment:%Y-%m-%d}",
        "time": f"{entry.moment:%H:%M}",
        "author": entry.author,
        "category": entry.category,
        "system": entry.system,
        "reply_to": "" if entry.reply_to is None else str(entry.reply_to),
    }
    if entry.replies:
        metadata["replies"] = ", ".join(map(str, entry.replies))
    if entry.attachments:
        metadata["attachments"] = ", ".join(entry.attachments)
    return Source(
        id=f"elog-{entry.id}",
        title=entry.subject or _first_line(entry),
        url=entry.url,
        kind="elog",
        metadata=metadata,
        text=text,
        images=_images(entry),
    )


def _first_line(entry: Entry) -> str:
    line = entry.text.partition("\n")[0]
    return (line if len(line) <= 80 else f"{line[:79]}…") or f"Entry {entry.id}"


def _images(entry: Entry) -> tuple[SourceImage, ...]:
    """The attached pictures, which a logbook serves beside its entries."""
    if not entry.url:
        return ()
    folder = entry.url.rpartition("/")[0]
    pictures = [name for name in entry.attachments if name.lower().endswith(_PICTURES)]
    return tuple(SourceImage(f"{folder}/{quote(name)}", name) for name in pictures[:_MOST_IMAGES])
