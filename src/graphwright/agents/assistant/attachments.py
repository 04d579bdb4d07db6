"""The files of a thread as text with their places, as sources, and their pictures for models that see."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphwright import GivenFile
from graphwright.agents.assistant.citing import place_of
from graphwright.agents.assistant.passages import picked
from graphwright.agents.assistant.state import ContextFile
from graphwright.context import build_files_context_full, fenced
from graphwright.errors import GraphwrightError
from graphwright.tools.sources import Source

LONGEST_TEXT = 400_000
"""Characters of one file that are kept; a question sees far fewer of them."""

LONGEST_PREVIEW = 2_000
"""Characters."""

MOST_IMAGES = 4
"""Pictures that go with one question."""


def known(files: Sequence[GivenFile], before: Sequence[ContextFile]) -> bool:
    """Whether the files of a thread are those that were read before."""
    return [(file.name, file.sha256) for file in files] == [(file["name"], file["sha256"]) for file in before]


def read(files: Sequence[GivenFile], before: Sequence[ContextFile]) -> list[ContextFile]:
    """The files as text, those that were read before as they were; one that cannot be read says why. It blocks."""
    kept = {(file["name"], file["sha256"]): file for file in before}
    return [kept.get((file.name, file.sha256)) or _read(file) for file in files]


def _read(file: GivenFile) -> ContextFile:
    from graphwright.files.documents.limits import DocumentLimits
    from graphwright.files.documents.reader import read_document

    found: ContextFile = {
        "name": file.name,
        "type": "document",
        "preview": "",
        "parts": [],
        "cut": "",
        "notes": [],
        "problem": "",
        "sha256": file.sha256,
    }
    try:
        document = read_document(file.path, DocumentLimits(characters=LONGEST_TEXT))
    except GraphwrightError as error:
        if error.code == "image_file":
            found["type"] = "image"
        else:
            found["problem"] = f"{error.message.rstrip('.')}. {error.hint}".strip().replace(str(file.path), file.name)
        return found
    places: dict[tuple[str, str], list[str]] = {}
    for part in document.parts:
        paged = part.page is not None
        heading = f"{part.heading[-1]}\n" if part.heading and paged else ""
        place = (str(part.page), "") if paged else ("", " / ".join(part.heading))
        places.setdefault(place, []).append(f"{heading}{part.text}")
    found["parts"] = [
        {"page": page, "heading": heading, "text": "\n\n".join(texts)} for (page, heading), texts in places.items()
    ]
    found["preview"] = " ".join(document.text[:LONGEST_PREVIEW].split())
    found["cut"] = document.cut
    found["notes"] = list(document.notes)
    return found


def missing_of(file: ContextFile) -> list[str]:
    """What the user is to know of a file that was not read, or not as a whole."""
    told = [each for each in (file["problem"], file["cut"], *file["notes"]) if each]
    return [each if file["name"] in each else f"{file['name']}: {each}" for each in told]


def sources_of(files: Sequence[ContextFile]) -> list[Source]:
    """The places of the files as sources: a page, or a section where a document has no pages."""
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


def context_of(files: Sequence[ContextFile], terms: Sequence[str], budget: int) -> tuple[str, str]:
    """The text of the files for a prompt, of at most so many characters, and what of it is not shown.

    Files that fit stand there whole; of longer ones the places that bear on the terms.
    """
    sources = sources_of(files)
    whole = sum(len(source.text) for source in sources) <= budget
    texts = {source.id: source.text for source in sources}
    if not whole:
        texts = {sources[excerpt.place].id: excerpt.text for excerpt in picked(sources, terms, budget).excerpts}
    listed: list[dict[str, Any]] = []
    for file in files:
        own = [
            source for source in sources if source.id.startswith(file["sha256"][:12]) and source.title == file["name"]
        ]
        shown = [
            f"[{place}] {texts[source.id]}" if (place := place_of(source)) else texts[source.id]
            for source in own
            if source.id in texts
        ]
        told = [file["cut"], *file["notes"], file["problem"]]
        if len(shown) < len(own):
            told.insert(0, f"{len(own) - len(shown)} of {len(own)} parts are not shown")
        listed.append(
            {
                "name": file["name"],
                "type": file["type"],
                "preview": "\n".join(shown),
                "cut": "; ".join(filter(None, told)),
            }
        )
    cut = "" if whole else "passages of the files that did not seem to bear on the question"
    return fenced(build_files_context_full(listed)), cut


def sees(model: Any) -> bool:
    """Whether a model takes pictures, as far as its provider says."""
    return bool((getattr(model, "profile", None) or {}).get("image_inputs"))


def pictures(files: Sequence[GivenFile], names: Sequence[str]) -> tuple[list[dict[str, Any]], list[str]]:
    """The pictures among the files as content of a message, and why some are not among them. It blocks."""
    from graphwright.files.documents.reader import read_image

    blocks: list[dict[str, Any]] = []
    problems = []
    for file in [file for file in files if file.name in names][-MOST_IMAGES:]:
        try:
            picture = read_image(Path(file.path))
        except GraphwrightError as error:
            problems.append(f"{error.message.rstrip('.')}. {error.hint}".strip().replace(str(file.path), file.name))
            continue
        data = base64.b64encode(picture.data).decode()
        blocks.append({"type": "image", "base64": data, "mime_type": picture.media_type})
    return blocks, problems
