"""Comparing a value with the wanted one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def same(wanted: Any, got: Any) -> bool:
    """Whether a value is the wanted one: equal, or one of the spellings of `{one_of: [...]}`."""
    if isinstance(wanted, Mapping) and set(wanted) == {"one_of"}:
        return any(same(each, got) for each in wanted["one_of"])
    return bool(wanted == got) and isinstance(wanted, bool) == isinstance(got, bool)
