"""Errors for people: the base classes of all errors of Graphwright, and the redaction of secrets.

The classes of this distribution as a tree, each with its module. A class with two bases is listed under both.

GraphwrightError                  errors
├── UsageError                    errors
│   └── UnknownModel              models
│       └── BadRules              models
├── Interrupted                   cli
├── ConfigError                   config
├── PromptError                   context
├── ModelFailure                  models
│   ├── BadReply                  models
│   │   ├── CutReply              models
│   │   ├── EmptyReply            models
│   │   ├── MalformedReply        models
│   │   └── RefusedToolCall       models
│   ├── ModelUnavailable          models
│   │   ├── EmbeddedModelMissing  models
│   │   ├── NoModel               models
│   │   ├── PullFailed            models
│   │   └── UnknownModel          models
│   ├── NotAuthorised             models
│   ├── RateLimited               models
│   ├── RejectedRequest           models
│   │   └── PromptTooLong         models
│   ├── ServerError               models
│   ├── TimedOut                  models
│   ├── UnexpectedCall            models
│   └── Unreachable               models
├── ActionContractError           host
├── ActionError                   host
├── AgentError                    host
├── EndlessTurn                   host
├── VersionUnusable               host
├── FlowInvalid                   host
├── FlowStuck                     host
├── NoOptions                     host
├── PackageMissing                extras
├── StoreError                    store
│   ├── InteractionLogError       store
│   └── LeaseTimeout              store
├── ConversationError             testing
├── GoldenError                   testing
├── HttpError                     tools
└── McpError                      tools.mcp
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["HIDDEN", "GraphwrightError", "UsageError", "redact", "exception_text"]

HIDDEN = "[hidden]"
"""The replacement of a secret."""


class GraphwrightError(Exception):
    """An error for people: `message` says what went wrong, where and why, `hint` what to do about it.

    `code` is a stable, lower-case name for programs (`unknown_agent`); `message` is one or two sentences that begin
    with a capital letter and end with a full stop, without markup; `hint` may be empty. Both texts are redacted, so
    that they contain no secrets. `facts` are the numbers and names in the texts, for a translation.
    """

    def __init__(self, code: str, message: str, hint: str = "", facts: Mapping[str, Any] | None = None) -> None:
        self.code = code
        self.message = redact(message)
        self.hint = redact(hint)
        self.facts = facts or {}
        super().__init__(self.message)

    @property
    def full_text(self) -> str:
        """The message and the hint."""
        return f"{self.message} {self.hint}".strip()

    def to_json(self) -> dict[str, str]:
        """Return the public JSON form, the `error` of a turn: `{code, message, hint}`."""
        return {"code": self.code, "message": self.message, "hint": self.hint}


class UsageError(GraphwrightError):
    """The request itself is invalid: it names something that does not exist, or its parts contradict each other."""


# Every repetition below is bounded, possessive or ends where a new match may begin: matching takes linear time.

_SECRET_NAMES = r"""
    (?:
        (?:proxy-)?authorization
      | password | passwd | passphrase | secret
      | (?<!expected[ ])token                       # "unexpected token: ..." is what parsers say
      | (?:api|access|auth|account|client|encryption|master|private|secret|signing|subscription)[-_ ]?key
        (?:[ ]provided)?
      | (?-i:(?<=[A-Z0-9]_)KEY)                     # OPENAI_KEY, but not from_key
      | (?<=[?&])(?:key|sig|signature)(?==)
      | (?<![a-z])pass(?==) | pwd(?==)(?!=[/~.])    # PWD is also the working directory
      | credentials?(?==)
    )
"""
_PROSE = r"""
    (?:a|an|and|any|are|array|at|bool|boolean|cannot|denied|does|empty|expected|expired|extra|false|field|file|float|for
      |has|in|input|int|integer|invalid|is|it|limit|missing|must|no|none|not|null|number|object|of|only|or|permission
      |please|refused|rejected|required|should|str|string|the|this|to|too|true|unexpected|unknown|value|was|wrong)
    (?=[\s.,;:)]|$)
"""
_NAMED_SECRET = re.compile(
    rf"""
    (?P<kept>(?>
        {_SECRET_NAMES}
        \\?["']?[ \t]{{0,8}}
        (?: => | := | =(?!=) | :(?![ \t]{{0,8}}[\[{{(]) )
        [ \t]{{0,8}}
    ))
    (?!\[hidden\])
    (?:
        (?P<quoted> b?(?: "(?:[^"\\\n]|\\.)*+ | '(?:[^'\\\n]|\\.)*+ | \\"[^"\\\n]*+ | \\'[^'\\\n]*+ ) )
      | (?!{_PROSE})
        (?:(?:bearer|basic|token|digest|negotiate|api-?key|aws4-hmac-sha256)[ \t]{{1,8}})?
        (?: [^\s"'&;,\\.] | \.(?![\s"'&;,\\]|\Z) | ["'](?=\w))++      # the full stop of a sentence stays
    )
    """,
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
_OPENING = re.compile(r"""b?\\?["']""")
_SHAPES = re.compile(
    r"""
    -----BEGIN[ ][A-Z ]{0,30}PRIVATE[ ]KEY-----(?s:.*?)(?:-----END[^-\n]{0,40}-----|\Z)
  | (?<![\w-])eyJ[\w-]{5,}+(?:\.[\w-]*+){0,4}                                       # a JSON web token
  | \b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}+
  | (?<![\w-])AIza[\w-]{20,}+
  | \b(?:gh[oprsu]|gwk|github_pat|glpat|xox[abeoprs])[-_][\w-]{8,}+
  | \bsk[-_](?=[\w-]{0,120}[\dA-Z]|\w{8})[\w-]{8,}+
  | \b(?:pk|rk|gsk|xai|key|hf|npm)[-_](?=[\w-]{0,120}\d)[\w-]{12,}+
  | (?i:(?<=\bbearer[ ]))(?=[^\s"',;]{0,200}\d|[^\s"',;]{20})[^\s"',;\[]{6,}+
  | (?<=://)[^\s/:@"']{0,200}:(?!\d{1,5}[/?#])(?=[^\s/"']{1,400}@)[^\s/"']+@        # the password in an address
    """,
    re.VERBOSE,
)
_SECRET_VARIABLE = re.compile(r"(?i)(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS)$")


def redact(text: str) -> str:
    """Return the text with everything that is, or looks like, a secret replaced by `[hidden]`; names and schemes stay.

    This covers the values of environment variables with names of secrets, named values (`password: ...`, `{"api_key":
    "..."}`, `Authorization: ...`), passwords in addresses, private keys, web tokens, and the key formats of well-known
    providers. Never raises. Redacting a second time changes nothing.
    """
    return redactor()(text)


def redactor() -> Callable[[str], str]:
    """Return `redact` for many texts, with the environment of this moment: reading it takes most of the time."""
    values = _secret_values()

    def redacted(text: str) -> str:
        for value in values:
            text = text.replace(value, HIDDEN)
        return _SHAPES.sub(_without_shape, _NAMED_SECRET.sub(_without_value, text))

    return redacted


def exception_text(error: BaseException) -> str:
    """Return the text of an exception without its full stop, on one line and redacted; its class if the text is empty.

    It is used within a sentence: `f"The file cannot be read: {exception_text(error)}."`.
    """
    try:
        text = str(error)
    # The `__str__` of a foreign exception may fail, while another error is being reported.
    except Exception:
        text = ""
    return " ".join(redact(text).split()).rstrip(".") or type(error).__name__


def _secret_values() -> list[str]:
    values = {value for name, value in os.environ.items() if len(value) >= 6 and _SECRET_VARIABLE.search(name)}
    # The path of a credentials file is not secret, and people need to see it.
    paths = {value for value in values if os.path.isabs(value) and os.path.exists(value)}
    return sorted((v for v in values - paths if v not in HIDDEN), key=len, reverse=True)


def _without_value(found: re.Match[str]) -> str:
    opening = _OPENING.match(found["quoted"] or "")
    return f"{found['kept']}{opening[0] if opening else ''}{HIDDEN}"


def _without_shape(found: re.Match[str]) -> str:
    user, colon, rest = found[0].partition(":")
    return f"{user}:{HIDDEN}@" if colon and rest.endswith("@") else HIDDEN
