"""What no code in the sandbox can do: sending, fetching, touching files and the machine."""

from __future__ import annotations

import re

_START = r"(?:^|[.;!?,:]\s*|\b(?:and|then|please|also|to|you|must|should|now|can)\s+)"

_ASKED_TO = r"(?:^\W*|\b(?:please|kindly|can you|could you|would you|will you|must you)\s+(?:please\s+|kindly\s+)?)"
_GOODS = (
    r"(?:(?:it|this|that|them|everything|all(?:\s+of\s+(?:it|this|them))?|(?:the|this|these|my|our|a|an|all|whole|complete|"
    r"entire|full)(?:\s+(?:the|this|these|whole|complete|entire|full|final|whole))*\s+(?:\w+\s+)?(?:table|data|dataset|"
    r"data\s+set|file|files|csv|sheet|spreadsheet|report|result|results|list|answer|answers|numbers|figures|rows|records|"
    r"chart|plot|picture|summary|message|mail|e-?mail|reminder|notification|invoice|letter|copy))\b)"
)
_PEOPLE = (
    r"(?:(?:him|her|them|everyone|everybody|somebody|someone|anybody|people|customers|clients)\b|(?:my|our|the|your|all|his|"
    r"her|their)\s+(?:\w+\s+)?(?:boss|team|colleagues?|manager|client|clients|customers?|supplier|friends?|wife|husband|"
    r"mother|board|staff|others|public|group|department|accountant|adviser|lawyer|office|members?|guests?|users?))"
)

_NO_SENDING = "I cannot send anything to anybody: the code has no network."

_BEYOND: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), what)
    for pattern, what in (
        (
            # It, the table, all, to ann@shop.example, my boss: something is sent. "Send me" is "tell me".
            rf"{_START}(?:(?:e-?)?mail|send|text|post|tweet|publish|upload|notify|forward|transmit|exfiltrate|slack)\s+"
            rf"(?!(?:it\s+|this\s+|them\s+)?(?:to\s+)?(?:me|us)\b)(?:{_GOODS}|{_PEOPLE}|\S{{1,80}}@)",
            _NO_SENDING,
        ),
        (
            rf"{_START}(?:(?:e-?)?mail|send|text|post|tweet|publish|upload|notify|forward|transmit|exfiltrate|slack)\b"
            rf"[^.?!\n]{{0,120}}?\b(?:to|at|on|with)\s+(?:{_PEOPLE}|\S{{1,80}}@|twitter|facebook|slack|linkedin|https?:|"
            r"(?:our|the|my)\s+(?:server|website|intranet|blog|wiki|channel|cloud))",
            _NO_SENDING,
        ),
        (
            rf"{_START}(?:(?:e-?)?mail|send|transmit|upload)\s+(?!address)[^.?!\n]{{0,120}}?\bto\s+(?!me\b|us\b|(?:the\s+)?\d)\w"
            rf"|{_START}(?:(?:e-?)?mail|send|text)\s+(?-i:[A-Z])\w+\s+(?:the|an?|this|that|it|all|my|our)\b",
            _NO_SENDING,
        ),
        (
            rf"{_START}(?:e-?mail|send|text)\s+(?:me|us)\b[^.?!\n]{{0,80}}\b(?:by|via|per|as)\s+(?:an?\s+)?"
            r"(?:e-?mail|post|letter|sms|text|fax|whatsapp|slack)\b",
            _NO_SENDING,
        ),
        (
            rf"{_ASKED_TO}(?:re-?order|order|buy|purchase|book)\s+(?:(?:\d+\s+|some\s+)?more|\d+\s+(?:new|pieces|"
            r"units)|another|an?\s+new|[^.?!\n]{1,60}\bfrom\s+(?:our|the|my|a)\s+(?:supplier|shop|vendor|store))\b",
            "I cannot order or buy anything: I only compute from the data that you gave.",
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
            rf"|{_START}(?:get|take|find|pull|look\s+up|check|read|search)\b[^.?!\n]{{0,80}}\b(?:from|on|in)\s+the\s+(?:internet|web)\b"
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


_BEGUN = re.compile(
    # What is told before the request asks for nothing: "We are running low on lamps."
    r"^\W*(?:(?:we|our|my|the|there|this|it)\b(?![^.?!]{0,200}\b(?:need|want|like|ask)\b)[^.?!]{1,200}[.!]\s+)*"
    r"(?:(?:please|can|could|would|you|i|want|to|kindly|now|now,|hi|hello)\W+)*"
)


def is_all_beyond(question: str) -> bool:
    """Whether the question begins with what cannot be done, so that nothing of it is left to compute."""
    place = _BEGUN.match(question.casefold())
    start = place.end() if place else 0
    return any(found.start() <= start for pattern, _ in _BEYOND if (found := pattern.search(question)))


def beyond(question: str) -> tuple[str, ...]:
    """Why parts of the question cannot be done at all, one sentence each; empty where all can be tried."""
    return tuple(dict.fromkeys(why for pattern, why in _BEYOND if pattern.search(question)))
