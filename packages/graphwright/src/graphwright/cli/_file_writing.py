"""Writing a file in one step: it has the old content or the new one, also if the program is killed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from graphwright.errors import GraphwrightError, exception_text


def write_file(file: Path, content: bytes, *, read: bytes | None = None) -> None:
    """Create or replace a file; the permissions of an existing one stay.

    Raises GraphwrightError: `unwritable`, and `changed_meanwhile` if its content is no longer what was `read`.
    """
    target = file.resolve()
    part = ""
    try:
        handle, part = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(part, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~umask)
        if read is not None and target.read_bytes() != read:
            message = f"{file} was not written: it has been changed in the meantime."
            raise GraphwrightError("changed_meanwhile", message, "Run the command again.")
        os.replace(part, target)
        part = ""
    except OSError as error:
        hint = "Check the path and its permissions."
        raise GraphwrightError("unwritable", f"{file} cannot be written: {exception_text(error)}.", hint) from None
    finally:
        if part:
            with suppress(OSError):
                os.unlink(part)
