"""`python scripts/check_language.py [--list]`: check the English of comments, docstrings and pages.

Counts constructions that make sentences hard to read: clauses as subjects, inverted negations and words that engineers
do not search for. Exits with 1 if a part of the project has more than one of them per 1,000 words, if the pages of
`docs/` have more than 45,000 words (without code and generated tables), or README.md more than 150 lines. `--list`
prints each mark with its file and line, and the words of each page.
"""

from __future__ import annotations

import ast
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
PARTS = ("README.md", "CONTRIBUTING.md", "docs", "packages", "bench", "eval", "scripts", "tests", "web/src")
LIMIT = 1.0
"""Marks per 1,000 words."""

MOST_WORDS = 45_000
"""Words of the pages in `docs/`, without code and generated tables."""
MOST_LINES = 150
"""Lines of README.md."""

MARKS = {
    "a clause as the subject": re.compile(
        r"(?:^|[.:;] )\s*(?:What|Who|Whoever|Whose)\b(?! (?:is|are) the)(?![^.?]*\?)", re.M
    ),
    "is no ...": re.compile(r"\b(?:is|are|was|were|be) no (?!longer|more|such)\w+"),
    "an unusual word": re.compile(r"\b(?:anew|afresh|beside|nobody|whoever|told|tells?|mend(?:s|ed|ing)?)\b"),
    "an unusual phrase": re.compile(r"\b(?:comes? (?:to|of)|of (?:its|their|his) own|(?:can )?be had|held against)\b"),
    "stands for is": re.compile(r"\bstands?\b(?! for| alone)"),
    "where for if": re.compile(r"\bwhere (?:it|there|that|none|they)\b"),
}
_COMMENT_OF_A_TOOL = ("type:", "noqa", "fmt:", "!")
_CODE_BLOCK = re.compile(r"```.*?```", re.S)
_GENERATED_PART = re.compile(r"<!-- \S+:begin, written by.*?<!-- \S+:end", re.S)
_GENERATED_PAGE = "<!-- Written by"
_TABLE_ROW = re.compile(r"^\|.*$", re.M)
_SCRIPT_COMMENT = re.compile(r"/\*\*?(.*?)\*/|//([^\n]*)", re.S)


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """The docstrings and comments of a program, or the prose of a page, each with its first line."""
    source = file.read_text("utf-8")
    if file.suffix == ".md":
        yield 1, _CODE_BLOCK.sub(lambda block: "\n" * block[0].count("\n"), source)
    elif file.suffix == ".py":
        for node in ast.walk(ast.parse(source)):
            if (
                isinstance(node, ast.Expr)
                and isinstance(node.value, ast.Constant)
                and isinstance(node.value.value, str)
            ):
                yield node.lineno, node.value.value
        with file.open("rb") as opened:
            for token in tokenize.tokenize(opened.readline):
                text = token.string[1:].strip()
                if token.type == tokenize.COMMENT and not text.startswith(_COMMENT_OF_A_TOOL):
                    yield token.start[0], text
    else:
        for comment in _SCRIPT_COMMENT.finditer(source):
            yield source.count("\n", 0, comment.start()) + 1, comment[1] or comment[2] or ""


def files_of(part: Path) -> Iterator[Path]:
    """The files of a part that people write."""
    generated = {"node_modules", "static", "__pycache__", "__snapshots__"}
    for file in [part] if part.is_file() else sorted(part.rglob("*")):
        if (
            file.suffix in (".py", ".md", ".ts", ".tsx")
            and file.name != "schema.d.ts"
            and not generated & set(file.parts)
        ):
            yield file


def main(listing: bool) -> int:
    """Print the marks of each part. Returns the exit code."""
    code = 0
    for name in PARTS:
        words, found = 0, list[str]()
        for file in files_of(ROOT / name):
            for line, text in texts(file):
                words += len(text.split())
                for mark, pattern in MARKS.items():
                    for match in pattern.finditer(text):
                        where = f"{file.relative_to(ROOT)}:{line + text.count(chr(10), 0, match.start())}"
                        found.append(f"{where}: {mark}: {match[0].strip()}")
        share = 1000 * len(found) / max(words, 1)
        if listing or share > LIMIT:
            print("\n".join(found))
        if listing or share > LIMIT:
            print(f"{name}: {share:.1f} marks per 1,000 words, at most {LIMIT:g}")
        code |= share > LIMIT
    return code | sizes(listing)


def sizes(listing: bool) -> int:
    """Check the length of the documentation. Returns the exit code."""
    words = {page: words_of(page.read_text("utf-8")) for page in sorted((ROOT / "docs").rglob("*.md"))}
    lines = len((ROOT / "README.md").read_text("utf-8").splitlines())
    for page, count in sorted(words.items(), key=lambda each: each[1]) if listing else ():
        print(f"{page.relative_to(ROOT)}: {count:,} words")
    total = sum(words.values())
    if listing or total > MOST_WORDS:
        print(f"docs: {total:,} words, at most {MOST_WORDS:,}")
    if listing or lines > MOST_LINES:
        print(f"README.md: {lines} lines, at most {MOST_LINES}")
    return total > MOST_WORDS or lines > MOST_LINES


def words_of(page: str) -> int:
    """The words of a page without code and generated tables."""
    text = _CODE_BLOCK.sub("", page)
    if _GENERATED_PAGE in text:
        text = _TABLE_ROW.sub("", text)
    text = _GENERATED_PART.sub(lambda part: _TABLE_ROW.sub("", part[0]), text)
    return sum(any(map(str.isalnum, token)) for token in text.split())  # neither `|` nor `-` is a word


if __name__ == "__main__":
    sys.exit(main("--list" in sys.argv[1:]))
