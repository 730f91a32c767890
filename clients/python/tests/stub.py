"""A gateway that answers to order, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, Dict, List, Mapping, NamedTuple, Optional


class Request(NamedTuple):
    method: str
    path: str
    headers: Dict[str, str]
    body: Any


class Answer(NamedTuple):
    """Without a status the connection breaks after the request was read."""

    status: Optional[int]
    body: Any = None
    headers: Mapping[str, str] = MappingProxyType({})
    cut: bool = False
    """The body breaks off."""


BROKEN = Answer(None)


class Stub:
    """Gives its answers in their order."""

    def __init__(self, *answers: Answer) -> None:
        self.requests: List[Request] = []
        waiting = list(answers)
        stub = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self) -> None:
                text = self.read_body()
                headers = {name.lower(): value for name, value in self.headers.items()}
                is_lines = headers.get("content-type") == "application/x-ndjson"
                body = (
                    [json.loads(line) for line in text.splitlines()]
                    if is_lines
                    else json.loads(text)
                    if text
                    else None
                )
                stub.requests.append(Request(self.command, self.path, headers, body))
                status, answer, more, cut = waiting.pop(0)
                if status is None:
                    return
                data = (
                    answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                )
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                length = len(data) + (9 if cut else 0)
                self.send_header("content-length", str(length))
                self.end_headers()
                self.wfile.write(data)

            def read_body(self) -> bytes:
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length") or 0))
                text = b""
                while size := int(self.rfile.readline(), 16):
                    text += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return text

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(
            target=self._server.serve_forever, args=[0.01], daemon=True
        ).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
