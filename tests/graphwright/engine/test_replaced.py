"""Tests of the replacement of fields in a state."""

from __future__ import annotations

import dataclasses

from graphwright.engine._replaced import replaced
from graphwright.engine.host_interface import Facts
from graphwright.engine.state import ThreadState


def test_a_state_is_replaced_as_by_the_standard_library_and_stays_as_it_was() -> None:
    state = ThreadState(turn=3, answers={"name": "Ann"})

    assert replaced(state, turn=4, passed=("size",)) == dataclasses.replace(state, turn=4, passed=("size",))
    assert state == ThreadState(turn=3, answers={"name": "Ann"})


def test_what_is_replaced_keeps_its_fields_in_its_dictionary() -> None:
    for each in (ThreadState, Facts):
        assert not hasattr(each, "__slots__")
        assert not hasattr(each, "__post_init__")
