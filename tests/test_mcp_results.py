"""Answers of tools as sources: every type of content, and the bounds of all of them."""

from __future__ import annotations

import base64
import json
from typing import Any

import mcp_types as types
import pytest

from graphwright.tools.mcp import McpError, McpServer
from graphwright.tools.mcp.results import MOST_IMAGE, MOST_IMAGES, MOST_SOURCES, MOST_TEXT, findings
from graphwright.tools.sources import Findings, Source, SourceImage

THEIRS = McpServer("lab", url="https://lab.example/mcp")
OURS = McpServer("own", here=object())

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4).decode()
FACTS = {"tool": "lab__ask", "server": "lab"}


def read(
    *blocks: types.ContentBlock,
    structured: dict[str, Any] | None = None,
    server: McpServer = THEIRS,
    error: bool = False,
) -> Findings:
    result = types.CallToolResult(content=list(blocks), structured_content=structured, is_error=error)
    return findings(server, "lab__ask", "Ask", {"q": 1}, result)


def text(words: str) -> types.TextContent:
    return types.TextContent(text=words)


def image(data: str, kind: str = "image/png") -> types.ImageContent:
    return types.ImageContent(data=data, mime_type=kind)


def test_texts_become_one_source() -> None:
    found = read(text("one"), text("two"))
    (source,) = found.sources
    assert (source.title, source.url, source.kind, source.metadata) == ("Ask", "", "tool", FACTS)
    assert source.text == "one\n\ntwo"
    assert (found.total, found.note) == (1, "")
    # The same answer has the same id.
    assert source.id == read(text("one"), text("two")).sources[0].id != read(text("one")).sources[0].id
    assert source.id.startswith("lab__ask-")
    assert read(text("a\x1b[2Jb\u202ec\U000e0041\x00d\n")).sources[0].text == "abcd\n"
    assert read() == Findings((), 0, "The answer was empty.")
    sound = types.AudioContent(data="AAAA", mime_type="audio/wav")
    assert read(text("Listen."), sound).note == "A sound (audio/wav) was left out."


def test_structured_content_that_only_repeats_is_not_told_twice() -> None:
    data = {"temperature": 21.5, "unit": "°C"}
    assert read(text(json.dumps(data)), structured=data).sources[0].text == json.dumps(data)
    assert read(text("3"), structured={"result": 3}).sources[0].text == "3"
    assert read(text("fine"), structured={"result": "fine"}).sources[0].text == "fine"
    assert read(text("fine"), structured={"content": "fine"}).sources[0].text == "fine"
    found = read(image(PNG), structured={"content": [{"type": "image", "data": PNG, "mimeType": "image/png"}]})
    assert (found.sources[0].text, len(found.sources[0].images)) == ("", 1)


def test_structured_content_is_told_where_the_text_says_something_else() -> None:
    assert read(structured={"unit": "°C"}).sources[0].text == '{"unit": "°C"}'
    assert read(text("It is warm."), structured={"t": 30}).sources[0].text == 'It is warm.\n\n{"t": 30}'


def test_sources_are_taken_as_they_are_from_our_own_servers() -> None:
    page = Source(
        "p", "Page", "https://docs.example/p", "knowledge", {"page": "7"}, "Text.", (SourceImage(_data(PNG)),)
    )
    given = Findings((page,), 9, "More.")
    assert read(text("ignored"), structured=given.to_json(), server=OURS) == given


def test_others_cannot_pass_for_our_own() -> None:
    page = Source("p", "Page", "javascript:alert(1)", "elog", {}, "Text.", (SourceImage("file:///etc/passwd"),))
    found = read(structured=Findings((page,), 1).to_json())
    (source,) = found.sources
    assert (source.kind, source.url, source.images) == ("tool", "", ())
    assert found.note == "Pictures that were left out: 1."


def test_what_only_resembles_sources_is_an_answer_like_any_other() -> None:
    found = read(structured={"sources": [{"name": "x"}]})
    assert found.sources[0].text == '{"sources": [{"name": "x"}]}'


def test_pictures_are_told_by_their_content() -> None:
    found = read(
        text("See."), image(PNG, "text/html"), image(base64.b64encode(b"<svg/>").decode()), image("no base64!")
    )
    (source,) = found.sources
    assert source.images == (SourceImage(_data(PNG), "image 1 of Ask"),)
    assert found.note == "What was sent as a picture was left out."
    for head, kind in ((b"\xff\xd8\xff\xe0", "jpeg"), (b"GIF89a", "gif"), (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "webp")):
        data = base64.b64encode(head + b"\x00" * 30).decode()
        assert read(image(data)).sources[0].images[0].url == f"data:image/{kind};base64,{data}"


def test_a_picture_too_large_and_pictures_too_many_are_left_out() -> None:
    large = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\x00" * MOST_IMAGE).decode()
    found = read(image(large), *[image(PNG)] * (MOST_IMAGES + 2))
    assert len(found.sources[0].images) == MOST_IMAGES
    assert "A picture of more than 4 MB was left out." in found.note
    assert f"More than {MOST_IMAGES} pictures" in found.note


@pytest.mark.parametrize("written", [PNG, f"data:image/png;base64,{PNG}", f"![plot](data:image/png;base64,{PNG})"])
def test_a_picture_as_text_is_a_picture(written: str) -> None:
    source = read(text(f"Plot: {written}!")).sources[0]
    assert "[image 1]" in source.text
    assert PNG[:50] not in source.text
    assert source.images[0].url == _data(PNG)


def test_a_picture_in_structured_content_is_a_picture() -> None:
    source = read(structured={"plot": PNG, "n": 3}).sources[0]
    assert source.text == '{"plot": "[image 1]", "n": 3}'
    assert source.images[0].url == _data(PNG)


def test_encoded_data_is_left_out_and_long_words_are_not() -> None:
    data = base64.b64encode(bytes(range(256)) * 8).decode()
    found = read(text(f"Data: {data} end."))
    assert found.sources[0].text == f"Data: [{len(data):,} characters of encoded data] end."
    assert found.note == "Encoded data in a text was left out."
    for words in ("ACGT" * 500, "-" * 5_000, "https://a.example/" + "path/" * 200):
        assert read(text(words)).sources[0].text == words


def test_links_are_sources() -> None:
    link = types.ResourceLink(uri="https://lab.example/a", name="a", title="Run A", description="The first run.")
    local = types.ResourceLink(uri="file:///data/b.csv", name="b.csv", mime_type="text/csv")
    first, second = read(link, local).sources
    assert (first.id, first.title, first.url, first.text) == (link.uri, "Run A", link.uri, "The first run.")
    assert (second.title, second.url, second.metadata["uri"]) == ("b.csv", "", "file:///data/b.csv")
    assert second.metadata["type"] == "text/csv"


def test_embedded_resources_are_sources() -> None:
    note = types.TextResourceContents(uri="note://1", text="Remember.", mime_type="text/plain")
    plot = types.BlobResourceContents(uri="plot://1", blob=PNG, mime_type="image/png")
    data = types.BlobResourceContents(uri="data://1", blob="AAAA", mime_type="application/x-thing")
    found = read(*(types.EmbeddedResource(resource=resource) for resource in (note, plot, data)))
    said, remembered = found.sources
    assert said.images == (SourceImage(_data(PNG), "plot://1"),)
    assert (remembered.id, remembered.text) == ("note://1", "Remember.")
    assert found.note == "The resource data://1 (application/x-thing) is no text and was left out."


def test_what_is_cut_is_said_in_the_text_and_in_the_note() -> None:
    found = read(text("x" * (MOST_TEXT + 1_234)))
    assert found.sources[0].text.endswith("x\n[cut off here: 1,234 more characters]")
    assert found.note == "1,234 characters of Ask were cut off."


def test_bounds_hold_over_all_sources() -> None:
    pages = [Source(f"p{n}", "t" * 900, "", "knowledge", {"k": "v" * 9_000}, "x" * 2_000) for n in range(150)]
    found = read(structured=Findings(tuple(pages), 150).to_json(), server=OURS)
    assert len(found.sources) == MOST_SOURCES
    assert found.total == 150
    assert sum(len(source.text) for source in found.sources) < MOST_TEXT + MOST_SOURCES * 60
    assert "50 more sources were left out." in found.note
    assert all(len(source.title) <= 200 and len(source.metadata["k"]) <= 500 for source in found.sources)


def test_an_answer_that_is_an_error_is_raised() -> None:
    with pytest.raises(McpError, match=r"The MCP server lab says that lab__ask failed: no such run\.") as raised:
        read(text("no such run."), error=True)
    assert raised.value.code == "mcp_tool_failed"
    with pytest.raises(McpError, match="nothing more"):
        read(error=True)
    with pytest.raises(McpError) as raised:
        read(text("login failed: password=geheim123"), error=True)
    assert "geheim123" not in str(raised.value)


@pytest.mark.parametrize(
    "unit", ["A", "aB3" * 130 + " ", "data:image/png;base64,", "data:a/b;base64,Aa1", "\x1b]", "+/"]
)
def test_hostile_texts_are_read_in_one_go(unit: str) -> None:
    # What searched them again from every place would take hours for this.
    found = read(text(unit * (8 * 2**20 // len(unit))))
    assert sum(len(source.text) for source in found.sources) <= MOST_TEXT + 100


def _data(encoded: str) -> str:
    return f"data:image/png;base64,{encoded}"
