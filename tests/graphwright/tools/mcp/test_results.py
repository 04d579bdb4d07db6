"""Answers of tools as sources: every type of content, and all limits."""

from __future__ import annotations

import base64
import json
from typing import Any

import mcp_types as types
import pytest

from graphwright.tools.mcp import McpError, McpServer
from graphwright.tools.mcp._results import MOST_IMAGE, MOST_IMAGES, MOST_SOURCES, MOST_TEXT, findings
from graphwright.tools.sources import Findings, Source, SourceImage

THEIRS = McpServer("lab", url="https://lab.example/mcp")
OURS = McpServer("own", here=object())

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4).decode()
PICTURE = f"data:image/png;base64,{PNG}"
DATA = base64.b64encode(bytes(range(256)) * 8).decode()


def read(
    *blocks: types.ContentBlock | str, structured: Any = None, server: Any = THEIRS, error: bool = False
) -> Findings:
    content = [types.TextContent(text=each) if isinstance(each, str) else each for each in blocks]
    result = types.CallToolResult(content=content, structured_content=structured, is_error=error)
    return findings(server, "lab__ask", "Ask", {"q": 1}, result)


def image(data: str, kind: str = "image/png") -> types.ImageContent:
    return types.ImageContent(data=data, mime_type=kind)


SOUND = types.AudioContent(data="AAAA", mime_type="audio/wav")
SHOWN = {"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]}
TOLD = {"t": 21.5}
LARGE = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\x00" * MOST_IMAGE).decode()


@pytest.mark.parametrize(
    ("blocks", "structured", "text", "images", "note"),
    [
        (["a\x1b[2Jb\u202ec\U000e0041\x00d\n"], None, "abcd\n", 0, ""),
        (["Listen.", SOUND], None, "Listen.", 0, "A sound (audio/wav) was left out."),
        # Structured content that only repeats the text is not included twice.
        ([json.dumps(TOLD)], TOLD, json.dumps(TOLD), 0, ""),
        (["3"], {"result": 3}, "3", 0, ""),
        ([image(PNG)], SHOWN, "", 1, ""),
        (["It is warm."], TOLD, 'It is warm.\n\n{"t": 21.5}', 0, ""),
        # Pictures are recognized by their content, at any position.
        (["See.", image(PNG, "text/html")], None, "See.", 1, ""),
        (["x", image(base64.b64encode(b"<svg/>").decode())], None, "x", 0, "What was sent as a picture was left out."),
        (["x", image("no base64!")], None, "x", 0, "What was sent as a picture was left out."),
        ([f"![plot]({PICTURE})"], None, "![plot]([image 1])", 1, ""),
        ([], {"plot": PNG, "n": 3}, '{"plot": "[image 1]", "n": 3}', 1, ""),
        ([image(LARGE), image(PNG)], None, "", 1, "A picture of more than 4 MB was left out."),
        ([image(PNG)] * (MOST_IMAGES + 2), None, "", MOST_IMAGES, f"More than {MOST_IMAGES} pictures"),
        # Encoded data is left out, long words are not.
        (
            [f"Data: {DATA} end."],
            None,
            f"Data: [{len(DATA):,} characters of encoded data] end.",
            0,
            "Encoded data in a",
        ),
        *(([words], None, words, 0, "") for words in ("ACGT" * 500, "-" * 5_000, f"https://a.b/{'path/' * 200}")),
    ],
)
def test_an_answer_becomes_one_source(blocks: Any, structured: Any, text: str, images: int, note: str) -> None:
    found = read(*blocks, structured=structured)
    (source,) = found.sources
    assert (source.title, source.url, source.kind) == ("Ask", "", "tool")
    assert source.metadata == {"tool": "lab__ask", "server": "lab"}
    assert (source.text, len(source.images), found.total) == (text, images, 1)
    assert (found.note == "") if not note else (note in found.note)
    assert all(each.url == PICTURE for each in source.images)
    # The same answer has the same id.
    assert source.id == read(*blocks, structured=structured).sources[0].id


def test_other_kinds_of_pictures() -> None:
    for head, kind in ((b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp")):
        data = base64.b64encode(head + b"\x00" * 30).decode()
        (source,) = read(image(data)).sources
        assert source.images == (SourceImage(f"data:image/{kind};base64,{data}", "image 1 of Ask"),)


def test_sources_are_taken_as_they_are_from_our_own_servers_alone() -> None:
    assert read() == Findings((), 0, "The answer was empty.")
    page = Source("p", "Page", "https://docs.example/p", "elog", {"page": "7"}, "Text.", (SourceImage(PICTURE),))
    given = Findings((page,), 9, "More.")
    assert read("ignored", structured=given.to_json(), server=OURS) == given
    evil = Source("p", "Page", "javascript:alert(1)", "elog", {}, "Text.", (SourceImage("file:///etc/passwd"),))
    found = read(structured=Findings((evil,), 1).to_json())
    (source,) = found.sources
    assert (source.kind, source.url, source.images) == ("tool", "", ())
    assert found.note == "Pictures that were left out: 1."


def test_links_and_resources_are_sources() -> None:
    link = types.ResourceLink(uri="https://lab.example/a", name="a", title="Run A", description="The first run.")
    local = types.ResourceLink(uri="file:///data/b.csv", name="b.csv", mime_type="text/csv")
    first, second = read(link, local).sources
    assert (first.id, first.title, first.url, first.text) == (link.uri, "Run A", link.uri, "The first run.")
    assert (second.title, second.url, second.metadata["uri"]) == ("b.csv", "", "file:///data/b.csv")
    note = types.TextResourceContents(uri="note://1", text="Remember.", mime_type="text/plain")
    plot = types.BlobResourceContents(uri="plot://1", blob=PNG, mime_type="image/png")
    data = types.BlobResourceContents(uri="data://1", blob="AAAA", mime_type="application/x-thing")
    found = read(*(types.EmbeddedResource(resource=resource) for resource in (note, plot, data)))
    said, remembered = found.sources
    assert said.images == (SourceImage(PICTURE, "plot://1"),)
    assert (remembered.id, remembered.text) == ("note://1", "Remember.")
    assert found.note == "The resource data://1 (application/x-thing) is not a text and was omitted."


def test_bounds_hold_over_all_sources_and_what_is_cut_is_said() -> None:
    found = read("x" * (MOST_TEXT + 1_234))
    assert found.sources[0].text.endswith("x\n[cut off here: 1,234 more characters]")
    assert found.note == "1,234 characters of Ask were cut off."
    pages = [Source(f"p{n}", "t" * 900, "", "knowledge", {"k": "v" * 9_000}, "x" * 2_000) for n in range(150)]
    found = read(structured=Findings(tuple(pages), 150).to_json(), server=OURS)
    assert (len(found.sources), found.total) == (MOST_SOURCES, 150)
    assert sum(len(source.text) for source in found.sources) < MOST_TEXT + MOST_SOURCES * 60
    assert "Left out: 50 more sources." in found.note
    assert all(len(source.title) <= 200 and len(source.metadata["k"]) <= 500 for source in found.sources)


def test_an_answer_that_is_an_error_is_raised() -> None:
    with pytest.raises(McpError, match="nothing more"):
        read(error=True)
    with pytest.raises(McpError, match=r"The MCP server lab says that lab__ask failed: login .*hidden") as raised:
        read("login failed: password=geheim123", error=True)
    assert (raised.value.code, "geheim123" in str(raised.value)) == ("mcp_tool_failed", False)


@pytest.mark.parametrize(
    "unit", ["A", "aB3" * 130 + " ", "data:image/png;base64,", "data:a/b;base64,Aa1", "\x1b]", "+/", "\ufffd\x00\x01"]
)
def test_hostile_texts_take_linear_time(unit: str) -> None:
    # A search from every position would take hours for this.
    found = read(unit * (2 * 2**20 // len(unit)))
    assert sum(len(source.text) for source in found.sources) <= MOST_TEXT + 100
