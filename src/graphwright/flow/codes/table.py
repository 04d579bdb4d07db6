"""What an entry of the table of codes is, and the table itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from textwrap import dedent

from graphwright.flow.catalogue import Catalogue
from graphwright.flow.diagnostics import Severity

_HEAD = "version: v1\nid: demo\n"


@dataclass(frozen=True, slots=True)
class Code:
    """A diagnostic code: what it means, with examples, which are compiled with `catalogue` where they need one."""

    id: str
    title: str
    severity: Severity
    why: str
    failing_text: str | Callable[[], str]
    mended_text: str
    catalogue: Catalogue | None = None

    @property
    def failing(self) -> str:
        """A document that has this code among its codes."""
        return _document(self.failing_text if isinstance(self.failing_text, str) else self.failing_text())

    @property
    def mended(self) -> str:
        """The document put right."""
        return _document(self.mended_text)


CODES: dict[str, Code] = {}
"""Every code by its id."""


def error(
    number: int, title: str, why: str, failing: str | Callable[[], str], mended: str, catalogue: Catalogue | None = None
) -> Code:
    """Add an error to the table: what cannot run."""
    return _add(Severity.ERROR, number, title, why, failing, mended, catalogue)


def warning(number: int, title: str, why: str, failing: str, mended: str) -> Code:
    """Add a warning to the table: what probably does not mean what it says."""
    return _add(Severity.WARNING, number, title, why, failing, mended, None)


def info(number: int, title: str, why: str, failing: str, mended: str) -> Code:
    """Add a remark to the table."""
    return _add(Severity.INFO, number, title, why, failing, mended, None)


def _add(
    severity: Severity,
    number: int,
    title: str,
    why: str,
    failing: str | Callable[[], str],
    mended: str,
    catalogue: Catalogue | None,
) -> Code:
    code = Code(f"GW{number}", title, severity, why, failing, mended, catalogue)
    if code.id in CODES:
        raise ValueError(f"{code.id} stands in the table twice")
    CODES[code.id] = code
    return code


def _document(text: str) -> str:
    """An example that begins with `nodes:` or another field gets the two lines that every document begins with."""
    body = dedent(text).lstrip("\n")
    return body if not text.startswith("\n") or body.startswith(("version", "{")) else _HEAD + body
