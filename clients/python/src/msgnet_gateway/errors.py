"""What a call can end with, beside its answer."""

from __future__ import annotations

import json
from typing import Any, Dict, Mapping, Optional


class GatewayError(Exception):
    """An answer of the gateway that is not a success."""

    def __init__(
        self,
        status: int,
        body: Dict[str, Any],
        headers: Mapping[str, str],
        idempotency_key: Optional[str] = None,
    ) -> None:
        message = body.get("message")
        super().__init__(
            f"{status} {body['error']}" + (f": {message}" if message else "")
        )
        self.status = status
        self.body = body
        self.code: str = body["error"]
        """For programs: one of `types.ErrorCode`, or what a later version adds."""
        self.request_id: str = headers.get("x-request-id", "")
        """Names the request in the gateway's log."""
        self.messageid: Optional[str] = body.get("messageid")
        """The id of the message, if it is unknown whether it was sent."""
        self.provider_code: Optional[int] = body.get("provider_code")
        """The network's own number."""
        self.retry_after = _read_seconds(headers.get("retry-after"))
        """Seconds after which the request can be repeated."""
        self.idempotency_key = idempotency_key
        """The key of the request. To repeat it with this key is safe."""


class OutcomeUnknown(GatewayError):
    """The network was asked and did not answer in time: it may have had its effect.

    The client has asked again with the same key, for as long as it may. Do not send it
    with another key; `iterate_messages(id=error.messageid)` tells later what became of it.
    """


class GatewayUnreachable(Exception):
    """There was no answer: the gateway was not reached, or the connection broke."""

    def __init__(self, message: str, idempotency_key: Optional[str] = None) -> None:
        super().__init__(message)
        self.idempotency_key = idempotency_key


class WebhookRefused(Exception):
    """A delivery that must not be trusted. `reason` is one word for programs."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


def read_error(
    status: int, text: bytes, headers: Mapping[str, str], key: Optional[str] = None
) -> GatewayError:
    """A proxy may answer with other content than JSON: then the code is `not_json`."""
    try:
        body = json.loads(text)
    except ValueError:
        body = None
    if not isinstance(body, dict) or not isinstance(body.get("error"), str):
        shown = text[:200].decode("utf-8", "replace")
        body = {"error": "not_json", "message": shown}
    kind = OutcomeUnknown if status == 504 else GatewayError
    return kind(status, body, headers, key)


def _read_seconds(text: Optional[str]) -> Optional[float]:
    return float(text) if text is not None and text.strip().isdigit() else None
