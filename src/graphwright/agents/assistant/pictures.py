"""Pictures of a turn, the user's and those of sources: shown to models that see, else the user is told."""

from __future__ import annotations

import asyncio
import base64
import binascii
import re
import tempfile
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright.agents.assistant import attachments, telling
from graphwright.agents.assistant.attachments import MOST_IMAGES
from graphwright.agents.assistant.citing import described
from graphwright.agents.assistant.state import ContextFile, State
from graphwright.errors import GraphwrightError
from graphwright.tools.sources import Source

if TYPE_CHECKING:
    from graphwright import ActionContext

_PICTURE = re.compile(
    r"\b(?:pictures?|images?|photos?|screenshots?|figures?|plots?|bild(?:er|ern|s)?|fotos?|abbildung(?:en)?|grafik(?:en)?|"
    r"bildschirmfotos?)\b",
    re.IGNORECASE,
)

_SENT = "data:image/"


def meant(query: str, files: Sequence[ContextFile], given: Collection[str]) -> dict[str, str]:
    """The part of prompts that names the user's pictures a turn is about: those given with it, or all it speaks of."""
    spoken_of = _PICTURE.search(query) is not None
    names = [file["name"] for file in files if file["type"] == "image" and (spoken_of or file["name"] in given)]
    return {"pictures": "\n".join(names)} if names else {}


def sent_with(sources: Sequence[Source]) -> list[int]:
    """The places of the sources with pictures that have no address, so that nothing can link to them."""
    return [place for place, source in enumerate(sources) if any(each.url.startswith(_SENT) for each in source.images)]


def of_sources(sources: Sequence[Source], room: int = MOST_IMAGES) -> tuple[list[dict[str, Any]], list[str], list[int]]:
    """Pictures as content of a message, what each belongs to, and the places of sources with some that are not there.

    At most `room` are taken. It blocks.
    """
    from graphwright.files.documents.reader import read_image

    blocks: list[dict[str, Any]] = []
    told: list[str] = []
    left: list[int] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "picture"
        for place in sent_with(sources):
            for image in sources[place].images:
                if not image.url.startswith(_SENT):
                    continue
                try:
                    file.write_bytes(base64.b64decode(image.url.partition(",")[2], validate=True))
                    picture = read_image(file) if len(blocks) < room else None
                except (binascii.Error, ValueError, GraphwrightError):
                    picture = None
                if picture is None:
                    left.append(place)
                    continue
                data = base64.b64encode(picture.data).decode()
                blocks.append({"type": "image", "base64": data, "mime_type": picture.media_type})
                told.append(f"An image of source [{place + 1}] is attached.")
    return blocks, list(dict.fromkeys(told)), list(dict.fromkeys(left))


async def seen(
    state: State, ctx: ActionContext, parts: dict[str, str], sources: Sequence[Source], notes: list[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """The pictures of the user and of the sources for a model that sees, and what it is told of them.

    What is not looked at goes into the notes.
    """
    language = state["answer_language"]
    given = [name for name in parts.get("pictures", "").split("\n") if name]
    sent = sent_with(sources)
    images: list[dict[str, Any]] = []
    told: list[str] = []
    if (given or sent) and attachments.sees(ctx.model):
        images, problems = await asyncio.to_thread(attachments.pictures, ctx.files, given)
        room = MOST_IMAGES - len(images)
        more, told, sent = await asyncio.to_thread(of_sources, sources, room)
        notes += problems
        images += more
    elif given:
        notes.append(telling.say(language, "blind", names=", ".join(given)))
    if sent:
        titles = dict.fromkeys(described(sources[place]) for place in sent)
        notes.append(telling.say(language, "unseen", titles="; ".join(titles)))
    return images, told
