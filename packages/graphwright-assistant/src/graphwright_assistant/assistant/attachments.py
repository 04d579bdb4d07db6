"""The files of a thread as text with places, as sources, and their pictures for models with vision."""

from __future__ import annotations

import asyncio
import base64
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwright import GivenFile
from graphwright.errors import GraphwrightError
from graphwright.tools.sources import Source
from graphwright_assistant.assistant import citations
from graphwright_assistant.assistant.citations import described
from graphwright_assistant.assistant.prompting import LONGEST_BEGINNING
from graphwright_assistant.assistant.state import ContextFile

if TYPE_CHECKING:
    from graphwright import ActionContext

LONGEST_TEXT = 3_000_000
"""Maximum text of one file in characters, about a thousand pages."""

MOST_IMAGES = 4
"""Maximum number of pictures with one question."""

_SENT = "data:image/"


def read(files: Sequence[GivenFile], before: Sequence[ContextFile]) -> list[ContextFile]:
    """Return the files as text, reusing those that were read before; an unreadable one has a `problem`. It blocks."""
    kept = {(file["name"], file["sha256"]): file for file in before}
    return [kept.get((file.name, file.sha256)) or _read(file) for file in files]


def _read(file: GivenFile) -> ContextFile:
    from graphwright_files.documents import read_document
    from graphwright_files.limits import DocumentLimits

    found = ContextFile(
        name=file.name, type="document", preview="", parts=[], cut="", notes=[], problem="", sha256=file.sha256
    )
    try:
        document = read_document(file.path, DocumentLimits(characters=LONGEST_TEXT))
    except GraphwrightError as error:
        if error.code == "image_file":
            found["type"] = "image"
        else:
            found["problem"] = _why(error, file)
        return found
    places: dict[tuple[str, str], list[str]] = {}
    # A heading over the whole document is its title.
    over = {part.heading[:1] for part in document.parts}
    title = len(over) == 1 and any(len(part.heading) > 1 for part in document.parts)
    for part in document.parts:
        paged = part.page is not None
        heading = f"{part.heading[-1]}\n" if part.heading and paged else ""
        place = (str(part.page), "") if paged else ("", citations.SEPARATOR.join(part.heading[title:]))
        places.setdefault(place, []).append(f"{heading}{part.text}")
    found["parts"] = [
        {"page": page, "heading": heading, "text": "\n\n".join(texts)} for (page, heading), texts in places.items()
    ]
    found["preview"] = " ".join(document.text[:LONGEST_BEGINNING].split())
    found["cut"], found["notes"] = document.cut, list(document.notes)
    return found


def _why(error: GraphwrightError, file: GivenFile) -> str:
    return error.full_text.replace(str(file.path), file.name)


def missing_of(file: ContextFile) -> list[str]:
    """Return notes for the user on a file that was not read, or not completely."""
    told = [each for each in (file["problem"], file["cut"], *file["notes"]) if each]
    return [each if file["name"] in each else f"{file['name']}: {each}" for each in told]


def sources_of(files: Sequence[ContextFile]) -> list[Source]:
    """Return the places of the files as sources: pages, or sections if a document has no pages."""
    return [
        Source(
            id=f"{file['sha256'][:12]}#{number}",
            title=file["name"],
            url="",
            kind="file",
            metadata={name: part[name] for name in ("page", "heading") if part[name]},
            text=part["text"],
        )
        for file in files
        for number, part in enumerate(file["parts"], 1)
    ]


def sees(model: Any, settings: Mapping[str, Any]) -> bool:
    """Return whether a model accepts pictures: the setting `vision`, else its provider's profile."""
    return bool(settings.get("vision", (getattr(model, "profile", None) or {}).get("image_inputs")))


async def pictures(
    ctx: ActionContext, files: Sequence[ContextFile], sources: Sequence[Source]
) -> tuple[list[Any], list[str]]:
    """Return the pictures of the user and of the sources as message content, and notes on the others."""
    names = [file["name"] for file in files if file["type"] == "image"]
    given = [file for file in ctx.files if file.name in names][-MOST_IMAGES:]
    sent = [source for source in sources if any(image.url.startswith(_SENT) for image in source.images)]
    unseen = [*(file.name for file in given), *(described(source) for source in sent)]
    if not unseen:
        return [], []
    if not sees(ctx.model, ctx.settings):
        return [], [f"The model in use does not see pictures: {'; '.join(unseen)} was not looked at."]
    return await asyncio.to_thread(_image_blocks, given, sent)


def _image_blocks(given: Sequence[GivenFile], sent: Sequence[Source]) -> tuple[list[Any], list[str]]:
    from graphwright_files.documents import read_image

    blocks, unseen = list[Any](), list[str]()
    places: list[tuple[str, Path | str]] = [(file.name, file.path) for file in given]
    places += [(described(source), each.url) for source in sent for each in source.images if each.url.startswith(_SENT)]
    with tempfile.TemporaryDirectory() as folder:
        for name, place in places:
            picture = None
            with suppress(ValueError, GraphwrightError):
                if isinstance(place, str):
                    data = base64.b64decode(place.partition(",")[2])
                    place = Path(folder) / "picture"
                    place.write_bytes(data)
                picture = read_image(place) if len(blocks) < 2 * MOST_IMAGES else None
            if picture is None:
                unseen.append(f"A picture of {name} could not be shown to the model.")
                continue
            encoded = base64.b64encode(picture.data).decode()
            block = {"type": "image", "base64": encoded, "mime_type": picture.media_type}
            blocks += [{"type": "text", "text": f"Picture: {name}"}, block]
    return blocks, list(dict.fromkeys(unseen))
