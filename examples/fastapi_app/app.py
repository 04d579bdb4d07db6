"""An agent behind a route of your own FastAPI application. Start it with `fastapi run app.py` or `uvicorn app:app`.

Each conversation is a thread, which a restart of the application does not lose.
"""

from __future__ import annotations

from pathlib import Path

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel

import graphwright

agent = graphwright.load(str(Path(__file__).parent / "booking"))
app = FastAPI(title=agent.title)


class Message(BaseModel):
    """A message of a user."""

    text: str


class Reply(BaseModel):
    """The reply to it. `waiting` says whether the conversation goes on."""

    text: str
    waiting: bool
    answers: dict[str, object]


@app.post("/conversations/{thread}")
async def send(thread: str, message: Message) -> Reply:
    """Send a message; the first one of a thread is answered with the first question."""
    try:
        async with agent.session(thread, model="none") as session:
            new = (await session.state())["status"] == "new"
            turn = await (session.start() if new else session.send(message.text))
    except graphwright.GraphwrightError as error:
        # The text or the id cannot be used; anything else, such as a locked store, may work later.
        raise HTTPException(422 if isinstance(error, graphwright.UsageError) else 503, error.message) from None
    if turn.error:
        raise HTTPException(503, turn.error.message)
    return Reply(text=turn.reply, waiting=turn.status == "waiting", answers=turn.values["answers"])
