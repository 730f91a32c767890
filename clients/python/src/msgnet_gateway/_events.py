"""Events as they happen, and the export of an instance: answers that go on."""

from __future__ import annotations

import json
from typing import Any, Dict, Iterator, Optional, cast
from urllib.parse import quote

from . import _repeat_rules as rules
from ._repeats import lengthen
from ._sender import RequestSender
from .errors import GatewayError, GatewayUnreachable
from .types import Envelope


def stream_events(sender: RequestSender, after: Optional[int]) -> Iterator[Envelope]:
    """Opens the stream again after the last event, without a gap or a repeat."""
    last = _find_last(sender) if after is None else after
    failed = 0
    while True:
        try:
            for envelope in _open_stream(sender, last):
                failed = 0
                # What is not stored has the number 0.
                if envelope["seq"] > 0:
                    last = envelope["seq"]
                yield envelope
        except GatewayUnreachable:
            pass
        except GatewayError as error:
            if not _may_reopen(error.status):
                raise
        sender.sleep(lengthen(rules.STREAM_PAUSE, failed))
        failed += 1


def _may_reopen(status: int) -> bool:
    return status >= rules.STREAM_MIN_STATUS or status in rules.STREAM_STATUSES


def _find_last(sender: RequestSender) -> int:
    query = {"limit": 1, "payload": False}
    newest = sender.send("GET", "/v1/events", query=query, reading=True)["events"]
    return int(newest[0]["seq"]) if newest else 0


def _open_stream(sender: RequestSender, last: int) -> Iterator[Envelope]:
    lines = sender.open_lines("/v1/events/stream", {"last-event-id": str(last)})
    for line in lines:
        if line.startswith("data:"):
            yield cast(Envelope, json.loads(line[len("data:") :]))


def read_export(sender: RequestSender, id: str) -> Iterator[Dict[str, Any]]:
    """Raises GatewayUnreachable if it breaks: it is complete only with its `end`."""
    for text in sender.open_lines(f"/v1/instances/{quote(id, safe='')}/export"):
        line = json.loads(text)
        if line["type"] == "error":
            break
        yield line
        if line["type"] == "end":
            return
    raise GatewayUnreachable("the export broke off")
