"""Sends requests, again where that is safe, and opens answers that go on."""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.error
import urllib.request
from contextlib import closing
from typing import Any, Callable, Dict, Iterable, Iterator, Mapping, Optional
from urllib.parse import quote, urlencode

from . import _repeat_rules as rules
from ._repeats import Attempts, Repeats
from .errors import GatewayError, GatewayUnreachable, read_error

# Asks for the contract's own words, even if the operator has chosen others.
_ACCEPT = "application/json;profile=contract"


class RequestSender:
    """Sends what one credential asks for."""

    def __init__(
        self,
        base_url: str,
        credential: Mapping[str, str],
        *,
        timeout: float = 120.0,
        repeats: Optional[Repeats] = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._base_url = base_url.rstrip("/")
        self._credential = dict(credential)
        self._timeout = timeout
        self._repeats = repeats or Repeats()
        self._opener = urllib.request.build_opener(_Unredirected)
        self.sleep = sleep

    def send(
        self,
        method: str,
        path: str,
        *,
        body: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        keyed: bool = False,
        idempotency_key: Optional[str] = None,
        reading: bool = False,
        wait_seconds: Optional[int] = None,
        request_id: Optional[str] = None,
    ) -> Any:
        """The parsed answer. Every repeat has the same key and the same bytes."""
        key = (idempotency_key or secrets.token_hex(16)) if keyed else None
        headers = {"accept": _ACCEPT, **_drop_none({"idempotency-key": key})}
        if wait_seconds is not None:
            headers["prefer"] = f"wait={wait_seconds}"
        if request_id is not None:
            headers["x-request-id"] = request_id
        data = None
        if body is not None:
            headers["content-type"] = "application/json"
            data = json.dumps(_drop_none(body)).encode()
        request = self._create_request(method, path + _format_query(query), headers)
        request.data = data
        attempts = Attempts(self._repeats, keyed=keyed, reading=reading)
        while True:
            try:
                return self._read(request, key)
            except (GatewayError, GatewayUnreachable) as error:
                pause = attempts.next_pause(error)
                if pause is None:
                    raise
            self.sleep(pause)

    def send_lines(self, path: str, lines: Iterable[bytes]) -> Any:
        """The parsed answer to lines, each sent as it comes. They are sent once."""
        headers = {"accept": _ACCEPT, "content-type": "application/x-ndjson"}
        request = self._create_request("POST", path, headers)
        request.data = iter(lines)
        return self._read(request, None)

    def open_lines(
        self, path: str, headers: Optional[Mapping[str, str]] = None
    ) -> Iterator[str]:
        """The lines of an answer that goes on; the first one is read once it is open."""
        accept = {"accept": "*/*;profile=contract", **(headers or {})}
        request = self._create_request("GET", path, accept)
        return _read_lines(self._open(request, rules.STREAM_MAX_SILENCE, None), path)

    def _create_request(
        self, method: str, path: str, headers: Mapping[str, str]
    ) -> urllib.request.Request:
        every = {**self._credential, **headers}
        return urllib.request.Request(
            self._base_url + path, headers=every, method=method
        )

    def _read(self, request: urllib.request.Request, key: Optional[str]) -> Any:
        with closing(self._open(request, self._timeout, key)) as response:
            try:
                return json.loads(response.read())
            # A success that is no JSON is none of the gateway.
            except (OSError, http.client.HTTPException, ValueError) as error:
                raise _explain_silence(request, error, key) from error

    def _open(
        self, request: urllib.request.Request, timeout: float, key: Optional[str]
    ) -> http.client.HTTPResponse:
        try:
            try:
                response: http.client.HTTPResponse = self._opener.open(
                    request, timeout=timeout
                )
                return response
            except urllib.error.HTTPError as refused:
                raise _read_refusal(refused, key) from None
        except (OSError, http.client.HTTPException) as error:
            raise _explain_silence(request, error, key) from error


class _Unredirected(urllib.request.HTTPRedirectHandler):
    """A token must not follow a redirect to another place."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def _read_refusal(
    refused: urllib.error.HTTPError, key: Optional[str]
) -> GatewayError:
    with closing(refused):
        headers = {name.lower(): value for name, value in refused.headers.items()}
        return read_error(refused.code, refused.read(), headers, key)


def insert(path: str, *ids: str) -> str:
    """Puts ids into the places of a path."""
    parts = iter(ids)
    return "/".join(
        quote(next(parts), safe="") if part.startswith("{") else part
        for part in path.split("/")
    )


def _read_lines(response: http.client.HTTPResponse, path: str) -> Iterator[str]:
    with closing(response):
        try:
            for line in response:
                # It broke off within this line.
                if not line.endswith(b"\n"):
                    return
                yield line.decode("utf-8").rstrip("\r\n")
        except (OSError, http.client.HTTPException) as error:
            raise GatewayUnreachable(f"GET {path} broke off: {error}") from error


def _explain_silence(
    request: urllib.request.Request, error: Exception, key: Optional[str]
) -> GatewayUnreachable:
    where = f"{request.get_method()} {request.full_url}"
    return GatewayUnreachable(f"{where} had no answer: {error}", key)


def _drop_none(fields: Mapping[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def _format_query(query: Optional[Mapping[str, Any]]) -> str:
    given = _drop_none(query or {})
    flat = {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in given.items()
    }
    return f"?{urlencode(flat)}" if flat else ""
