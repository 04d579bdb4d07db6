"""The sample pages and the sample logbook: whether they agree with each other."""

from __future__ import annotations

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[3]
SAMPLE = ROOT / "packages/graphwright-assistant/src/graphwright_assistant/retrieval/sample"
PAGES = SAMPLE / "documents"

DOCS = "https://docs.nordlicht.example/"
LOG = "https://elog.nordlicht.example/Operation/"
DAYS_AND_MONTHS = """
    January February March April May June July August September October November December
    Januar Februar März Mai Juni Juli Oktober Dezember
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    Montag Dienstag Mittwoch Donnerstag Freitag Samstag Sonntag
"""
ABSOLUTE = re.compile(
    rf"\b(?:{'|'.join(DAYS_AND_MONTHS.split())})\b|\b(?:19|20)\d\d-\d\d|\b\d{{1,2}}\.\d{{1,2}}\.(?:19|20)?\d\d"
)
"""A date or a day of the week, which would be wrong on most days on which the sample is loaded."""


@cache
def entries() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLE / "entries.jsonl").read_text("utf-8").splitlines()]


@cache
def numbered() -> dict[int, dict[str, Any]]:
    return {entry["id"]: entry for entry in entries()}


@cache
def pages() -> dict[str, Path]:
    """The file of each page by its path below the address of the documentation."""
    files = (file for file in sorted(PAGES.rglob("*")) if file.suffix in {".md", ".html", ".pdf"})
    return {file.relative_to(PAGES).with_suffix("").as_posix(): file for file in files}


def facts(file: Path) -> dict[str, str]:
    """The metadata of the file: front matter, meta tags, or the file next to it."""
    if file.suffix == ".pdf":
        text = file.with_name(f"{file.name}.yaml").read_text("utf-8")
    elif file.suffix == ".html":
        return dict(re.findall(r'<meta name="(\w+)" content="([^"]*)">', file.read_text("utf-8")))
    else:
        text = file.read_text("utf-8").split("---\n")[1]
    return {name: str(value) for name, value in yaml.safe_load(text).items()}


@cache
def text_of(file: Path) -> str:
    """The words of a page or a given file, each page of a PDF after its number."""
    if file.suffix == ".pdf":
        pdfium = pytest.importorskip("pypdfium2", reason="PDF needs the extra `files`")
        document = pdfium.PdfDocument(file)
        try:
            texts = [document[number].get_textpage().get_text_range() for number in range(len(document))]
        finally:
            document.close()
        return "\n".join(f"page {number}\n{text}" for number, text in enumerate(texts, 1)).replace("\r", "")
    text = file.read_text("utf-8")
    if file.suffix == ".html":
        text = re.sub(r"<head>.*?</head>|<[^>]+>", " ", text.replace("&micro;", "µ").replace("&deg;", "°"), flags=re.S)
    elif text.startswith("---\n"):
        text = text.split("---\n", 2)[2]
    return text


def test_a_page_says_what_it_is_and_its_links_lead_somewhere() -> None:
    for path, file in pages().items():
        said = facts(file)
        assert set(said) == {"title", "url", "accelerator", "language", "updated"}, path
        assert said["url"] == DOCS + path
        assert said["title"] in text_of(file)
        text = text_of(file) if file.suffix == ".pdf" else file.read_text("utf-8")
        for link in set(re.findall(r"https?://[^\s)\"<>]+", text)) - {said["url"]}:
            known = int(link.removeprefix(LOG)) in numbered() if link.startswith(LOG) else _is_page(link)
            assert known, link
        assert all(int(number) in numbered() for number in re.findall(r"#(\d{3})\b", text)), path


def test_numbers_of_entries_rise_with_time_and_nothing_of_today_is_later_than_the_morning() -> None:
    times = [(-entry["days_ago"], entry["time"]) for entry in entries()]
    assert times == sorted(times)
    assert max(entry["time"] for entry in entries() if entry["days_ago"] == 0) < "06:00"
    assert sum("ignore your instructions" in entry["text"].lower() for entry in entries()) == 2


def test_entries_refer_to_what_is_there_and_name_no_date() -> None:
    for entry in entries():
        referred = [int(number) for number in re.findall(r"#(\d+)", entry["text"])]
        for number in (*referred, *filter(None, [entry["reply_to"]])):
            assert number in numbered(), entry["id"]
            assert number < entry["id"]
        assert all(map(_is_page, re.findall(r"https?://[^\s,)]+", entry["text"]))), entry["id"]
        assert not ABSOLUTE.search(f"{entry['subject']} {entry['text']}"), entry["id"]


def _is_page(link: str) -> bool:
    return link.startswith(DOCS) and link.removeprefix(DOCS).rstrip(".,") in pages()
