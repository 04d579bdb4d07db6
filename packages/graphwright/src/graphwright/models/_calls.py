"""A model call: its time limit, retries and failures, and the messages that ask for a repaired answer."""

from __future__ import annotations

import asyncio
import contextvars
import os
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from graphwright.models._failures import EmptyReply, ModelFailure, TimedOut, failure_of
from graphwright.models._replies import StreamedText, check_whole, cleaned, nothing_in, thoughts_alone

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langchain_core.messages import AIMessage, BaseMessage

T = TypeVar("T")

RETRIES = 2
"""Maximum number of retries after transient failures."""

_BACKOFF = 0.5

REPAIR = "graphwright_repair"
"""The metadata key of a message that asks for a repair, which is not a message of the user."""


def time_limit() -> float:
    """Return the seconds that one call may take with its retries: `GRAPHWRIGHT_MODEL_TIMEOUT`, else 120.

    Raises ModelFailure (`bad_setting`).
    """
    text = os.environ.get("GRAPHWRIGHT_MODEL_TIMEOUT", "").strip() or "120"
    try:
        limit = float(text)
    except ValueError:
        limit = -1.0
    if not 0 < limit < 86_400:
        raise ModelFailure(
            f"GRAPHWRIGHT_MODEL_TIMEOUT is {text!r}.", "Set it to a number of seconds, such as 120.", code="bad_setting"
        )
    return limit


async def attempt(call: Callable[[], Awaitable[T]], offered: Sequence[str] = ()) -> T:
    """Return the result of `call`, which is retried after transient failures within the time limit.

    Raises only `ModelFailure`, apart from cancellation.
    """
    from graphwright.models._recorder import RECORDER

    limit = time_limit()
    deadline = time.monotonic() + limit
    for retry in range(RETRIES + 1):
        try:
            with RECORDER.attempt(tuple(offered)):
                async with _until(deadline, limit):
                    return await call()
        except Exception as error:
            failure = failure_of(error)
        wait = _pause(failure, retry)
        if not failure.transient or retry == RETRIES or time.monotonic() + wait >= deadline:
            # The provider's own exception may contain the request with the key.
            raise failure from None
        await asyncio.sleep(wait)
    raise AssertionError("unreachable")


@asynccontextmanager
async def _until(deadline: float, limit: float) -> AsyncIterator[None]:
    """Run the block until a time of the monotonic clock; then raise TimedOut, whose message names the limit."""
    scope = asyncio.timeout(max(0.0, deadline - time.monotonic()))
    try:
        async with scope:
            yield
    except TimeoutError:
        if not scope.expired():
            raise
        raise TimedOut(f"The model gave no whole answer within {limit:g} seconds.") from None


def _pause(failure: ModelFailure, retry: int) -> float:
    if failure.retry_after is not None:
        return failure.retry_after
    return _BACKOFF * 3.0**retry * random.uniform(0.8, 1.2)


async def atext(model: BaseChatModel, messages: Sequence[BaseMessage]) -> str:
    """Return the model's answer as text, without thoughts at its beginning.

    Raises `ModelFailure`; an empty answer is retried once, then raises `EmptyReply`.
    """
    from graphwright.models._recorder import recorded

    model = recorded(model)
    for last in (False, True):
        reply = cleaned(await attempt(lambda: model.ainvoke(list(messages))))
        check_whole(reply)
        if reply.text.strip():
            return reply.text
        if last:
            raise nothing_in(reply)
    raise AssertionError("unreachable")


async def astream_text(model: BaseChatModel, messages: Sequence[BaseMessage]) -> AsyncIterator[str]:
    """Yield the model's answer as text, piece by piece. Closing the iterator ends the generation.

    Thoughts at the beginning of the answer are skipped. Transient failures are retried until the first piece. Raises
    `ModelFailure`; after a `CutReply` the pieces so far are the whole answer.
    """
    from graphwright.models._recorder import RECORDER, recorded

    model = recorded(model)
    limit = time_limit()
    deadline = time.monotonic() + limit
    began = False
    for retry in range(RETRIES + 1):
        last: Any = None
        text = StreamedText()
        stream = aiter(model.astream(list(messages)))
        try:
            while True:
                with RECORDER.attempt(()):
                    async with _until(deadline, limit):
                        chunk = await anext(stream, None)
                if chunk is None:
                    break
                last = chunk if last is None else last + chunk
                if piece := text.add(chunk.text):
                    began = True
                    yield piece
            if rest := text.end():
                began = True
                yield rest
            if last is not None:
                check_whole(last)
            if began:
                return
            failure: ModelFailure = thoughts_alone() if text.thought else EmptyReply("The model answered with nothing.")
            wait = 0.0
        except Exception as error:
            failure = failure_of(error)
            wait = _pause(failure, retry)
            if not failure.transient:
                raise failure from None
        finally:
            await stream.aclose()  # type: ignore[attr-defined]
        if began or retry == RETRIES or time.monotonic() + wait >= deadline:
            raise failure from None
        await asyncio.sleep(wait)


def blocking(work: Coroutine[Any, Any, T]) -> T:
    """Return the result of a coroutine to a synchronous caller, even if a loop runs in this thread."""
    with ThreadPoolExecutor(1, "graphwright-model-call") as pool:
        return pool.submit(contextvars.copy_context().run, asyncio.run, work).result()


def repair_turns(reply: AIMessage | None, problem: str) -> list[BaseMessage]:
    """Return messages that show the model its own answer and the problem with it.

    Calls are shown as calls, each with a result that says what is wrong: the model must answer in that form, and some
    providers refuse calls without results. Calls whose arguments are not JSON are left out, because strict servers
    refuse requests with such calls. An empty answer is left out as well: a small model would repeat any text in its
    place.
    """
    from langchain_core.messages import AIMessage as Assistant
    from langchain_core.messages import HumanMessage, ToolMessage

    marked = {REPAIR: True}
    told = f"{problem.rstrip(' .')}. Answer again, correctly, in the form asked for."
    if reply is not None and reply.tool_calls:
        # Some servers send no ids, and a result must refer to its call.
        calls = [{**call, "id": call["id"] or f"call_{place}"} for place, call in enumerate(reply.tool_calls)]
        text = f"That answer was not accepted, and nothing was done: {told}"
        results = [
            ToolMessage(text, tool_call_id=str(call["id"]), name=call["name"], response_metadata=marked)
            for call in calls
        ]
        return [Assistant(reply.text, tool_calls=calls), *results]
    turns: list[BaseMessage] = []
    if reply is not None and reply.text.strip():
        turns.append(Assistant(reply.text))
    which = "That" if turns else "Your last"
    return [*turns, HumanMessage(f"{which} answer was not accepted: {told}", response_metadata=marked)]
