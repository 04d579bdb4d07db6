"""The files that a thread was given, as its state lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from graphwright.errors import UsageError

MOST = 50
"""Files that a thread can be given."""


def merged(known: Sequence[dict[str, Any]], new: Sequence[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The files of a thread after it was given new ones: one that comes under a known name takes that one's place.

    Those that came together never replace each other, whatever their names. Raises UsageError when there are too many.
    """
    files: list[dict[str, Any]] = []
    coming = [file for place, file in enumerate(new) if file not in new[:place]]
    names = {file["name"] for file in coming}
    for file in known:
        if not file.get("folder"):
            files += [file] if file["name"] not in names else []
            continue
        taking = next((other for other in coming if _is_again(other, file)), file)
        # What tells files of one name apart in code is their order.
        files.append(taking)
        coming = [other for other in coming if other is not taking]
    files += coming
    if len(files) > MOST:
        raise UsageError(
            "too_many_files", f"a thread takes at most {MOST} files; this would be {len(files)}", "Begin a new thread."
        )
    return tuple(files)


def _is_again(new: dict[str, Any], known: dict[str, Any]) -> bool:
    """Whether a file is another version of one of several that have its name."""
    origin = f"/{new.get('folder', '')}"
    return bool(new["name"] == known["name"]) and origin.endswith(f"/{known['folder']}")
