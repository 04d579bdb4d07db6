"""How google-auth asks Google for a token: over httpx, so that no second HTTP library is needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import httpx
from google.auth import transport
from google.auth.exceptions import TransportError

_SECONDS = 20.0


class GoogleResponse(transport.Response):
    """An answer of Google, as google-auth reads it."""

    def __init__(self, answer: httpx.Response) -> None:
        self._answer = answer

    @property
    def status(self) -> int:
        """The status of HTTP."""
        return self._answer.status_code

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers, with names in lower case."""
        return self._answer.headers

    @property
    def data(self) -> bytes:
        """The body."""
        return self._answer.content


class GoogleRequest(transport.Request):
    """Sends the requests of google-auth. Use it as a context manager."""

    def __init__(self) -> None:
        self._http = httpx.Client(timeout=_SECONDS, follow_redirects=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self._http.close()

    def __call__(
        self,
        url: str,
        method: str = "GET",
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float | None = None,
        **_more: Any,
    ) -> GoogleResponse:
        """The answer. Raises google.auth.exceptions.TransportError."""
        try:
            answer = self._http.request(method, url, content=body, headers=headers, timeout=timeout or _SECONDS)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise TransportError(error) from error  # type: ignore[no-untyped-call]
        return GoogleResponse(answer)
