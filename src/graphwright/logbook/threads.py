"""A conversation out of single entries: up to where it began, down to every reply, bounded, whatever the links say."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable

from graphwright.logbook.port import Entry, Thread


async def gather(id: int, most: int, entry: Callable[[int], Awaitable[Entry | None]]) -> Thread:
    """The thread of an entry; `entry` gives one by its id, None where there is none. Empty where `id` is none.

    What the entry answers comes before what answers it where there are more than `most`.
    """
    start = await entry(id)
    if start is None:
        return Thread(())
    found = {start.id: start}
    missing: list[int] = []
    above = start
    while above.reply_to is not None and above.reply_to not in found and len(found) < most:
        parent = await entry(above.reply_to)
        if parent is None:
            missing.append(above.reply_to)
            break
        found[parent.id] = above = parent
    ahead = deque(reply for each in (start, *(e for e in found.values() if e is not start)) for reply in each.replies)
    cut = False
    while ahead:
        next_id = ahead.popleft()
        if next_id in found or next_id in missing:
            continue
        if len(found) >= most:
            cut = True
            break
        reply = await entry(next_id)
        if reply is None:
            missing.append(next_id)
            continue
        found[next_id] = reply
        ahead.extend(reply.replies)
    cut = cut or (above.reply_to is not None and above.reply_to not in found and above.reply_to not in missing)
    notes = []
    if cut:
        notes.append(f"The thread has more entries: {most} of them are given.")
    if missing:
        notes.append(f"Missing in the logbook: {', '.join(map(str, sorted(missing)))}.")
    return Thread(tuple(sorted(found.values(), key=lambda each: (each.moment, each.id))), tuple(notes))
