"""What no code in the sandbox can do: sending, fetching, touching files and the machine."""

from __future__ import annotations

import re

_START = r"(?:^|[.;!?,:]\s*|\b(?:and|then|please|also|to|you|must|should|now|can)\s+)"

_NO_SENDING = "I cannot send anything to anybody: the code has no network."

_BEYOND: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what)
    for pattern, what in (
        (
            rf"{_START}(?:(?:e-?)?mail|send|text|post|tweet|publish|upload|notify|forward|transmit|exfiltrate|slack)\b"
            r"(?!\s*(?:column|variable|field|is|are|was|rate|count))",
            _NO_SENDING,
        ),
        (
            rf"{_START}(?:share(?!\s+of\b)|cc|bcc|deliver|hand|give|pass|show|report|submit)\b[^.?!\n]{{0,120}}?"
            r"\b(?:with|to|at|over)\s+\S{1,80}@[\w-]+\.\w",
            _NO_SENDING,
        ),
        (
            rf"{_START}share(?!\s+of\b)\b[^.?!\n]{{0,120}}?\bwith\s+(?:my|our|him|her|them|everyone|everybody|somebody"
            r"|someone|slack|the\s+(?:team|boss|others|public|world|internet))\b",
            _NO_SENDING,
        ),
        (
            rf"https?://|\bftp://|{_START}(?:download|fetch|scrape|crawl|browse|google|look\s+up\s+online)\b"
            r"|\b(?:from|on|search)\s+the\s+(?:internet|web)\b",
            "I cannot get anything from the internet: the code has no network.",
        ),
        (
            r"(?:^|[\s'\"(=])(?:/(?:etc|home|root|proc|sys|var|usr|tmp|dev)\b|~/|[A-Za-z]:\\|\.\./)"
            r"|\b(?:passwd|id_rsa|\.ssh|\.env|/etc/shadow)\b",
            "I cannot read files of this machine: the code sees only the data sets that you gave.",
        ),
        (
            r"\b(?:environment variables?|env vars?|api[ _-]?keys?|passwords?|secrets?|credentials?|access tokens?)\b",
            "I cannot see passwords, keys or settings of this machine, and would not show them.",
        ),
        (
            r"\b(?:shell|bash|terminal|os\.system|subprocess|command line|system command|rm -rf|sudo|pip install)\b",
            "I cannot run commands or install anything on this machine.",
        ),
        (
            rf"{_START}(?:delete|remove|erase|drop|add|insert|change|update|fix|correct)\b[^.?!]{{0,80}}\b(?:from|in|to)\s+"
            r"(?:the|my|this|our)\s+(?:original\s+|source\s+|csv\s+|excel\s+)*"
            r"(?:file|csv|spreadsheet|workbook|database|sheet)\b",
            "I cannot change your files: the data is only read. What I compute is saved beside the answer.",
        ),
        (
            rf"{_START}(?:delete|remove|erase|drop|overwrite|modify|change|update|edit|save\s+(?:it|this|them)?\s*(?:back\s+)?"
            r"(?:to|into|in))\s+(?:(?:the|this|my|all|original|source|whole|entire)\s+)*"
            r"(?:file|files|csv|database|db|spreadsheet|workbook|disk|folder|table in the database)\b",
            "I cannot change your files: the data is only read. What I compute is saved beside the answer.",
        ),
    )
)


def is_all_beyond(question: str) -> bool:
    """Whether the question begins with what cannot be done, so that nothing of it is left to compute."""
    begun = re.compile(r"^\W*(?:(?:please|can|could|would|you|i|want|to|kindly|now|now,|hi|hello)\W+)*")
    place = begun.match(question.casefold())
    start = place.end() if place else 0
    return any(found.start() <= start for pattern, _ in _BEYOND if (found := pattern.search(question)))


def beyond(question: str) -> tuple[str, ...]:
    """Why parts of the question cannot be done at all, one sentence each; empty where all can be tried."""
    return tuple(dict.fromkeys(why for pattern, why in _BEYOND if pattern.search(question)))
