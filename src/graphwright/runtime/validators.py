"""The validators that every flow may name in `validate` without defining them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from graphwright.runtime.answers.whole import is_email, is_phone

BUILT_IN_VALIDATORS: Mapping[str, Callable[[Any], bool]] = {"email": is_email, "phone": is_phone}
