"""The validators that every flow may name in `validate` without defining them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphwright.runtime.reading.formats import email, phone

BUILT_IN_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {"email": email, "phone": phone}
