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
from graphwright.retrieval.errors import LogbookError
from graphwright.retrieval.exports import BadRecord, Record, decode, read_raw, read_xml
from graphwright.text.markup import clean, one_line, title_of

USER = "GRAPHWRIGHT_ELOG_USER"
PASSWORD = "GRAPHWRIGHT_ELOG_PASSWORD"
"""The environment variables of those who sign in."""

MOST_BYTES = 8 * 1024 * 1024
_MOST_PAGE = 64 * 1024

_CONNECT = 5.0
_READ = 10.0
_WHOLE = 20.0
# What elogd calls the page that it sends instead of an answer.
_SIGN_IN = re.compile(r"\blog.?in\b|\bnew user\b|\bsign.?in\b|\banmeld|\bpassword", re.IGNORECASE)


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
        typed = "text/html" in self.headers.get("content-type", "")
        return start.startswith(("<!doctype html", "<html", "<head")) or (
            typed and not start.startswith(("$@mid@$", "<?xml", "<elog"))
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
            cut = body.cut or ("" if "</ELOG_LIST>" in body.text[-200:] else "the server's answer breaks off")
            read = await asyncio.to_thread(lambda: list(read_xml(body.text)))
            if not any(isinstance(each, BadRecord) for each in read):
                return _export(read, cut)
        body = await self._read(path, {**asked, "mode": "Raw"}, MOST_BYTES)
        if body.text.strip() and not body.text.lstrip().startswith("$@MID@$"):
            raise self._no_entries(body)
        # The last record of an answer that is cut may lack its end.
        text = clean(body.text).rpartition("\n$@MID@$:")[0] if body.cut else body.text
        return _export(await asyncio.to_thread(lambda: list(read_raw(text))), body.cut)

    async def record(self, id: int) -> Record | None:
        """One entry, None where there is none with this id."""
        try:
            # A server leaves the request for an unknown entry without an answer: it hangs unless it is to close.
            body = await self._read(str(id), {"cmd": "Download"}, MOST_BYTES, {"Connection": "close"})
        except _Silent:
            # So does one that has just died: the page of the entry tells the two apart.
            await self._read(str(id), {}, _MOST_PAGE, page=True)
            return None
        first = next(read_raw(body.text, single=True), None)
        if isinstance(first, BadRecord):
            raise LogbookError("not_an_answer", f"Entry {id} of {self.address} cannot be read: {first}.")
        return first if first is not None and first.id == id else None

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
        body = await self._get(path, parameters, most, headers or {})
        if self._wants_sign_in(body):
            await self._sign_in()
            body = await self._get(path, parameters, most, headers or {})
        if 300 <= body.status < 400:
            where = one_line(body.headers.get("location", ""))[:200] or "without saying which"
            told = f"{self.address} sends to another address: {where}."
            raise LogbookError("redirected", told, "Give the address where the logbook is.")
        if self._wants_sign_in(body):
            told = f"{self.address} does not let {self._user!r} read it."
            raise LogbookError("sign_in_refused", told, "Check that this user may read the logbook.")
        if body.status == 404:
            told = f"There is no logbook at {self.address}."
            raise LogbookError("no_logbook", told, "Check the address: SERVER/LOGBOOK.")
        if body.status >= 400:
            told = f"{self.address} answers with status {body.status}."
            raise LogbookError("server_failed", told, "Try again later.")
        if body.is_page and not page:
            if path.isdecimal():
                # An entry that is not there, on servers that say so with a page.
                return _Body(body.status, body.headers, "")
            raise self._no_entries(body)
        return body

    def _wants_sign_in(self, body: _Body) -> bool:
        return body.status in (401, 403) or (body.is_page and bool(_SIGN_IN.search(title_of(body.text))))

    def _no_entries(self, body: _Body) -> LogbookError:
        shown = one_line(redact(title_of(body.text) if body.is_page else body.text[:60]))[:80]
        told = f"{self.address} sends something else than entries ({shown!r})."
        return LogbookError("not_an_answer", told, "Check that this is the address of an ELOG logbook.")

    async def _sign_in(self) -> None:
        if not (self._user and self._password):
            told = f"{self.address} can only be read by those who sign in."
            raise LogbookError("sign_in_needed", told, f"Set {USER} and {PASSWORD} in the environment.")
        async with self._signing_in, self._client() as (client, transport):
            request = client.build_request(
                "GET", f"{self.address}/", params={"uname": self._user, "upassword": self._password}
            )
            # Not by the client: it would log the address, and the password stands in it.
            async with asyncio.timeout(_WHOLE):
                response = await transport.handle_async_request(request)
                await response.aclose()
            response.request = request
        if response.status_code not in (301, 302, 303):
            told = f"{self.address} refuses the user {self._user!r} or the password."
            raise LogbookError("sign_in_refused", told, f"Check {USER} and {PASSWORD}.")
        self._cookies.extract_cookies(response)

    async def _get(self, path: str, parameters: Mapping[str, str], most: int, headers: Mapping[str, str]) -> _Body:
        content, cut = bytearray(), ""
        async with self._client() as (client, _):
            asking = client.stream("GET", f"{self.address}/{path}", params=dict(parameters), headers=headers)
            try:
                async with asyncio.timeout(_WHOLE), asking as response:
                    if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
                        raise self._no_entries(_Body(0, {}, "compressed, which was not asked for"))
                    async for chunk in response.aiter_raw():
                        content += chunk[: most - len(content)]
                        if len(content) >= most:
                            cut = f"only the first {most // 1024:,} KiB of the server's answer were read"
                            break
            except (httpx.RemoteProtocolError, httpx.ReadError, httpx.ReadTimeout, TimeoutError):
                # What came is better than nothing.
                if not content:
                    raise
                cut = "the server's answer breaks off"
        return _Body(response.status_code, response.headers, decode(bytes(content)), cut)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[tuple[httpx.AsyncClient, httpx.AsyncHTTPTransport]]:
        """A client for one request: connections kept open are what these servers hang on, and belong to one loop.

        Inside, what goes wrong with the connection is told to people.
        """
        transport = httpx.AsyncHTTPTransport(verify=_certificates() if self.address.startswith("https") else False)
        try:
            async with httpx.AsyncClient(
                transport=transport,
                cookies=self._cookies,
                timeout=httpx.Timeout(_READ, connect=_CONNECT),
                headers={"Accept-Encoding": "identity", "User-Agent": "graphwright"},
                follow_redirects=False,
            ) as client:
                yield client, transport
        except httpx.RemoteProtocolError as error:
            # Nothing at all came, which for one request means something: see `record`.
            told = f"{self.address} closes the connection without an answer."
            raise _Silent("no_answer", told, "Try again later.") from error
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            slow = isinstance(error, httpx.TimeoutException | TimeoutError)
            why = one_line(redact(str(error)))[:200] or type(error).__name__
            told = f"{self.address} {'does not answer' if slow else f'cannot be reached: {why}'}."
            raise LogbookError("no_answer", told, "Check the address and the network, or try again later.") from error


class _Silent(LogbookError):
    """The server took the request and closed the connection without a word."""


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
        told = f"The address of the logbook at {url.host} holds a user or a password."
        raise LogbookError("bad_address", told, f"Take them out, and set {USER} and {PASSWORD} in the environment.")
    if url.scheme not in ("http", "https") or not url.host or not url.path.strip("/"):
        raise LogbookError("bad_address", f"{redact(address)[:200]!r} is no address of a logbook.", hint)
    return str(url.copy_with(query=None, fragment=None)).rstrip("/")


def _export(read: list[Record | BadRecord], cut: str) -> Export:
    # Each once, and by id: of what was written in the same second the server's order says nothing.
    records = {each.id: each for each in read if isinstance(each, Record)}
    ordered = tuple(records[id] for id in sorted(records, reverse=True))
    return Export(ordered, cut, sum(isinstance(each, BadRecord) for each in read))
