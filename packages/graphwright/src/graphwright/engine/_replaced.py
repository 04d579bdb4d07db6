"""`replaced`, a faster `dataclasses.replace` for what every event of a turn replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["replaced"]

if TYPE_CHECKING:
    # The type checker knows the fields of this one.
    from dataclasses import replace as replaced
else:

    def replaced(instance, /, **changes):
        """As `dataclasses.replace`, for a dataclass without slots and without `__post_init__`.

        `dataclasses.replace` looks at every field, which took a tenth of a turn.
        """
        new = object.__new__(type(instance))
        new.__dict__.update(instance.__dict__, **changes)
        return new
