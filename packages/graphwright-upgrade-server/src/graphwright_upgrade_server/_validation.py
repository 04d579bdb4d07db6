"""Reading a JSON body field by field: errors are noted with their places, and raised together."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeVar, cast

from graphwright_upgrade_server.failures import InvalidBody

_Option = TypeVar("_Option", bound=str)

_SHOWN_ERRORS = 20
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.IGNORECASE)
_WHOLE = 2**53
"""Above it, integers are not exact in JavaScript."""


def is_uuid(value: Any) -> bool:
    """Whether the value is the text of a UUID."""
    return isinstance(value, str) and _UUID.fullmatch(value) is not None


class Checked:
    """A JSON object under examination. A method returns a field's value, or notes its error and returns a substitute.

    `refuse` raises the noted errors, including those of inner objects. A field that is null counts as absent.
    """

    def __init__(self, value: Any, place: str = "", errors: list[str] | None = None) -> None:
        self._place = place
        self.errors: list[str] = [] if errors is None else errors
        self._value: dict[str, Any] = value if isinstance(value, dict) else {}
        if not isinstance(value, dict):
            self.errors.append(f"`{place}` must be an object" if place else "the body must be an object")

    def refuse(self) -> None:
        """Raise InvalidBody if any error was noted."""
        if self.errors:
            more = len(self.errors) - _SHOWN_ERRORS
            raise InvalidBody(*self.errors[:_SHOWN_ERRORS], *([f"and {more} more"] if more > 0 else []))

    def note(self, name: str, problem: str) -> None:
        """Note an error of the field `name`: "must be a number"."""
        self.errors.append(f"`{self._name(name)}` {problem}")

    def has(self, name: str) -> bool:
        """Whether the field exists and is not null."""
        return self._value.get(name) is not None

    def raw(self, name: str) -> Any:
        """The value of the field as it was sent, or None."""
        return self._value.get(name)

    def fields(self) -> dict[str, Any]:
        """All fields as they were sent."""
        return self._value

    def text(self, name: str) -> str:
        """A text that is not empty."""
        value = self._required(name)
        if isinstance(value, str) and value:
            return value
        if value is not None:
            self.note(name, "must be a text" if not isinstance(value, str) else "must not be empty")
        return ""

    def optional_text(self, name: str) -> str | None:
        """A text, which may be empty, or None if the field is absent."""
        value = self.raw(name)
        if value is None or isinstance(value, str):
            return value
        self.note(name, "must be a text")
        return None

    def uuid(self, name: str, *, required: bool = True) -> str | None:
        """A UUID in lower case, or None if it is optional and absent."""
        value = self._required(name) if required else self.raw(name)
        if value is None:
            return None
        if is_uuid(value):
            return str(value).lower()
        self.note(name, "must be a UUID")
        return None

    def time(self, name: str) -> str | None:
        """An ISO 8601 time as it was sent, or None if the field is absent."""
        value = self.raw(name)
        if value is None:
            return None
        try:
            datetime.fromisoformat(value)
        except (TypeError, ValueError):
            self.note(name, "must be an ISO 8601 time")
            return None
        return str(value)

    def one_of(self, name: str, options: Sequence[_Option]) -> _Option:
        """One of the texts of `options`."""
        value = self._required(name)
        if value in options:
            return cast(_Option, value)
        if value is not None:
            self.note(name, f"must be one of {', '.join(options)}")
        return options[0]

    def optional_one_of(self, name: str, options: Sequence[_Option]) -> _Option | None:
        """One of the texts of `options`, or None if the field is absent."""
        return self.one_of(name, options) if self.has(name) else None

    def number(self, name: str) -> float:
        """A finite number."""
        value = self._required(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _WHOLE:
            return float(value)
        if value is not None:
            self.note(name, "must be a number")
        return math.nan

    def whole_number(self, name: str) -> int:
        """A whole number; 50.0 is accepted."""
        value = self.number(name)
        if value.is_integer():
            return int(value)
        if not math.isnan(value):
            self.note(name, "must be a whole number")
        return 0

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self._required(name)
        if value is not None and not isinstance(value, bool):
            self.note(name, "must be true or false")
        return value is True

    def texts(self, name: str, *, required: bool = False) -> list[str]:
        """A list of texts; empty if it is optional and absent."""
        found = self._list(name, required)
        for index, item in enumerate(found):
            if not isinstance(item, str):
                self.note(f"{name}[{index}]", "must be a text")
        return [item for item in found if isinstance(item, str)]

    def objects(self, name: str, *, required: bool = False) -> list[Checked]:
        """A list of objects; empty if it is optional and absent."""
        found = self._list(name, required)
        return [Checked(item, self._name(f"{name}[{index}]"), self.errors) for index, item in enumerate(found)]

    def object(self, name: str) -> Checked:
        """An object."""
        value = self._required(name)
        return Checked({} if value is None else value, self._name(name), self.errors)

    def _list(self, name: str, required: bool) -> list[Any]:
        value = self._required(name) if required else self.raw(name)
        if value is None or isinstance(value, list):
            return value or []
        self.note(name, "must be a list")
        return []

    def _required(self, name: str) -> Any:
        value = self.raw(name)
        if value is None:
            self.note(name, "is missing")
        return value

    def _name(self, name: str) -> str:
        return f"{self._place}.{name}" if self._place else name
