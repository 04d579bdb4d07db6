"""Model calls as events of a turn: counted, and written into the trace on behalf of a node."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from graphwright.runtime.events import ModelCalled

if TYPE_CHECKING:
    from graphwright.models import ModelCall
    from graphwright.runtime.run import StepLog


@contextmanager
def observed(log: StepLog, node: str) -> Iterator[None]:
    """All model calls made inside are made for `node`, counted in the turn's usage and emitted as events."""
    from graphwright.models import calling, observe_calls

    def note(call: ModelCall) -> None:
        log.run.model_called(call)
        log.emit(
            ModelCalled(
                node=node,
                model=call.model,
                offered=call.offered,
                input_tokens=call.input_tokens,
                output_tokens=call.output_tokens,
                seconds=round(call.seconds, 3),
                error=call.error,
            )
        )

    with ExitStack() as stack:
        stack.enter_context(calling(node))
        stack.enter_context(observe_calls(note))
        yield
