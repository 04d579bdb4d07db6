"""What an agent's Python offers to its flow, found without importing it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ActionSignature:
    """A registered action and the state it declares to read and write.

    `reads` holds channel names, `answers` for all answers, or dotted keys such as `answers.led.wattage`; `writes`
    holds channel names.
    """

    name: str
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Actions by name, names of validators, and the field names of the typed state view (None: there is none)."""

    actions: Mapping[str, ActionSignature] = field(default_factory=dict)
    validators: frozenset[str] = frozenset()
    state_fields: frozenset[str] | None = None
