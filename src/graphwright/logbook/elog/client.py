"""One ELOG logbook over HTTP: answers bounded in bytes and time, and told from the pages that look like answers."""

from __future__ import annotations

import asyncio
import re
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache

import httpx

from graphwright.errors import redact
from graphwright.logbook.cleaning import clean, one_line, title_of
from graphwright.logbook.errors import LogbookError
from graphwright.logbook.records import BadRecord, Record, decode, read_raw, read_xml

USER = "GRAPHWRIGHT_ELOG_USER"
PASSWORD = "GRAPHWRIGHT_ELOG_PASSWORD"
"""The environment variables of those who sign in."""

MOST_BYTES = 8 * 1024 * 1024
MOST_PAGE = 64 * 1024

_CONNECT = 5.0
_READ = 10.0
_WHOLE = 20.0
_SIGN_IN = re.compile(r"\blog.?in\b|\bnew user\b|\bsign.?in\b|\banmeld|\bpassword", re.IGNORECASE)
_END = "</ELOG_LIST>"


@dataclass(frozen=True, slots=True)
class Export:
    """The records of an export, the newest first; `cut` says why it does not hold all of them, empty if it does."""

    records: tuple[Record, ...]
    cut: str = ""
    broken: int = 0


@dataclass(frozen=True, slots=True)
class _Body:
    status: int
    headers: Mapping[str, str]
    text: str
    cut: str = ""

    @property
    def is_page(self) -> bool:
        start = self.text.lstrip()[:300].lower()
        return start.startswith(("<!doctype html", "<html", "<head")) or (
            "text/html" in self.headers.get("content-type", "") and not start.startswith(("$@mid@$", "<?xml", "<elog"))
        )


class ElogClient:
    """Reads one logbook by its address, `https://elog.example/Logbook`. Every call raises LogbookError.

    It signs in with `user` and `password` when the server asks for it; neither appears in a log or an error. Nothing is
    sent but GET requests that read.
    """

    def __init__(self, address: str, user: str = "", password: str = "") -> None:
        self.address = _checked(address)
        self._user = user
        self._password = password
        self._cookies = httpx.Cookies()
        self._signing_in = asyncio.Lock()

    async def export(self, parameters: Mapping[str, str], path: str = "") -> Export:
        """The entries of a search (`cmd=Search` with these parameters) or of a `path` like `last20`, newest first.

        As XML; as Raw where the XML cannot be parsed. The caller bounds it by time or by `lastN`: the server does not.
        """
        asked = {**({} if path else {"cmd": "Search", "reverse": "1"}), **parameters}
        body = await self._read(path, {**asked, "mode": "XML"}, MOST_BYTES)
        if "<ELOG_LIST" in body.text[:2_000]:
            cut = body.cut or ("" if _END in body.text[-200:] else "the server's answer breaks off")
            read = await asyncio.to_thread(lambda: list(read_xml(body.text)))
            if not any(isinstance(each, BadRecord) for each in read):
                return _export(read, cut)
        body = await self._read(path, {**asked, "mode": "Raw"}, MOST_BYTES)
        if body.text.strip() and not body.text.lstrip().startswith("$@MID@$"):
            raise _no_answer(self.address, f"sends something else than entries ({_shown(body)})")
        text = _whole_records(body) if body.cut else body.text
        return _export(await asyncio.to_thread(lambda: list(read_raw(text))), body.cut)

    async def record(self, id: int) -> Record | None:
        """One entry, None where there is none with this id."""
        try:
            # A server leaves the request for an unknown entry without an answer: it hangs unless it is to close.
            body = await self._read(str(id), {"cmd": "Download"}, MOST_BYTES, {"Connection": "close"})
        except _Silent:
            # So does one that has just died: the page of the entry tells the two apart.
            await self._read(str(id), {}, MOST_PAGE, page=True)
            return None
        read = list(read_raw(body.text, single=True))
        if not read:
            return None
        first = read[0]
        if isinstance(first, BadRecord):
            raise LogbookError("not_an_answer", f"Entry {id} of {self.address} cannot be read: {first}.")
        return first if first.id == id else None

    async def _read(
        self,
        path: str,
        parameters: Mapping[str, str],
        most: int,
        headers: Mapping[str, str] | None = None,
        *,
        page: bool = False,
    ) -> _Body:
        """An answer that is one: signed in where that is asked for. With `page`, an HTML page will do."""
        for attempt in (1, 2):
            body = await self._get(path, parameters, most, headers or {})
            if body.status in (301, 302, 303, 307, 308):
                where = one_line(body.headers.get("location", ""))[:200]
                raise LogbookError(
                    "redirected",
                    f"{self.address} sends to another address: {where or 'without saying which'}.",
                    "Give the address where the logbook is.",
                )
            refused = body.status in (401, 403)
            if refused or (body.is_page and _SIGN_IN.search(title_of(body.text))):
                if attempt == 1:
                    await self._sign_in()
                    continue
                raise LogbookError(
                    "sign_in_refused",
                    f"{self.address} does not let {self._user!r} read it.",
                    "Check that this user may read the logbook.",
                )
            if body.status == 404:
                raise LogbookError(
                    "no_logbook", f"There is no logbook at {self.address}.", "Check the address: SERVER/LOGBOOK."
                )
            if body.status >= 400:
                raise LogbookError(
                    "server_failed", f"{self.address} answers with status {body.status}.", "Try again later."
                )
            if body.is_page and not page:
                if path.isdecimal():
                    # An entry that is not there, on servers that say so with a page.
                    return _Body(body.status, body.headers, "")
                raise _no_answer(self.address, f"sends a page instead of entries ({_shown(body)})")
            return body
        raise AssertionError("the second attempt returns or raises")

    async def _sign_in(self) -> None:
        if not (self._user and self._password):
            raise LogbookError(
                "sign_in_needed",
                f"{self.address} can only be read by those who sign in.",
                f"Set {USER} and {PASSWORD} in the environment.",
            )
        async with self._signing_in, self._client() as (client, transport), self._told():
            request = client.build_request(
                "GET", f"{self.address}/", params={"uname": self._user, "upassword": self._password}
            )
            # Not by the client: it would log the address, and the password stands in it.
            async with asyncio.timeout(_WHOLE):
                response = await transport.handle_async_request(request)
                await response.aclose()
            response.request = request
            if response.status_code not in (301, 302, 303):
                raise LogbookError(
                    "sign_in_refused",
                    f"{self.address} refuses the user {self._user!r} or the password.",
                    f"Check {USER} and {PASSWORD}.",
                )
            self._cookies.extract_cookies(response)

    async def _get(self, path: str, parameters: Mapping[str, str], most: int, headers: Mapping[str, str]) -> _Body:
        content = bytearray()
        cut = ""
        async with self._client() as (client, _), self._told():
            try:
                async with (
                    asyncio.timeout(_WHOLE),
                    client.stream(
                        "GET", f"{self.address}/{path}", params=dict(parameters), headers=headers
                    ) as response,
                ):
                    if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
                        raise _no_answer(self.address, "sends compressed what was asked for as it is")
                    try:
                        async for chunk in response.aiter_raw():
                            content += chunk[: most - len(content)]
                            if len(content) >= most:
                                cut = f"only the first {most // 1024:,} KiB of the server's answer were read"
                                break
                    except (httpx.RemoteProtocolError, httpx.ReadError):
                        cut = "the server's answer breaks off"
                    except httpx.ReadTimeout:
                        cut = "the server stopped in the middle of its answer"
            except TimeoutError:
                if not content:
                    raise httpx.ReadTimeout("") from None
                cut = f"the server's answer took longer than {_WHOLE:g} s"
        return _Body(response.status_code, response.headers, decode(bytes(content)), cut)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncHTTPTransport]]:
        """A client for one request: connections kept open are what these servers hang on, and belong to one loop."""
        transport = httpx.AsyncHTTPTransport(verify=_certificates() if self.address.startswith("https") else False)
        async with httpx.AsyncClient(
            transport=transport,
            cookies=self._cookies,
            timeout=httpx.Timeout(_READ, connect=_CONNECT),
            headers={"Accept-Encoding": "identity", "User-Agent": "graphwright"},
            follow_redirects=False,
        ) as client:
            yield client, transport

    @asynccontextmanager
    async def _told(self) -> AsyncIterator[None]:
        """Inside, what goes wrong with the connection is told to people."""
        try:
            yield
        except httpx.RemoteProtocolError as error:
            # Nothing at all came, which for one request means something: see `record`.
            raise _Silent(self.address) from error
        except (httpx.TimeoutException, TimeoutError) as error:
            raise LogbookError(
                "no_answer",
                f"{self.address} does not answer.",
                "Try again later, or check the address and the network.",
            ) from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            why = one_line(redact(str(error)))[:200] or type(error).__name__
            raise LogbookError(
                "no_answer", f"{self.address} cannot be reached: {why}.", "Check the address and the network."
            ) from error


class _Silent(LogbookError):
    """The server took the request and closed the connection without a word."""

    def __init__(self, address: str) -> None:
        super().__init__("no_answer", f"{address} closes the connection without an answer.", "Try again later.")


@cache
def _certificates() -> ssl.SSLContext:
    # Made once: reading all certificates takes longer than a request.
    return httpx.create_ssl_context()


def _checked(address: str) -> str:
    """The address without its last slash. Raises LogbookError for what is none of a logbook."""
    hint = "Give its whole address, https: included, with the name of the logbook, such as elog.example/Logbook."
    try:
        url = httpx.URL(address.strip())
    except (httpx.InvalidURL, TypeError, UnicodeError):
        raise LogbookError("bad_address", f"{redact(address)[:200]!r} is no address.", hint) from None
    if url.userinfo:
        raise LogbookError(
            "bad_address",
            f"The address of the logbook at {url.host} holds a user or a password.",
            f"Take them out, and set {USER} and {PASSWORD} in the environment.",
        )
    if url.scheme not in ("http", "https") or not url.host or not url.path.strip("/"):
        raise LogbookError("bad_address", f"{redact(address)[:200]!r} is no address of a logbook.", hint)
    return str(url.copy_with(query=None, fragment=None)).rstrip("/")


def _export(read: list[Record | BadRecord], cut: str) -> Export:
    # Each once, and by id: of what was written in the same second the server's order says nothing.
    records = {each.id: each for each in read if isinstance(each, Record)}
    ordered = tuple(records[id] for id in sorted(records, reverse=True))
    return Export(ordered, cut, sum(isinstance(each, BadRecord) for each in read))


def _whole_records(body: _Body) -> str:
    """What came before the last record, which may lack its end."""
    head, mark, _ = clean(body.text).rpartition("\n$@MID@$:")
    return head if mark else ""


def _shown(body: _Body) -> str:
    what = title_of(body.text) if body.is_page else body.text[:60]
    return repr(one_line(redact(what))[:80])


def _no_answer(address: str, what: str) -> LogbookError:
    return LogbookError("not_an_answer", f"{address} {what}.", "Check that this is the address of an ELOG logbook.")
